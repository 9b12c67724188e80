"""Conditions that are joined mean what they meant, whatever was left out of them."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import pytest

from netcl.kernels.compiler.ir import Apply, Expr, number, position, read, subexpressions
from netcl.kernels.compiler.ir.logic import follows
from netcl.kernels.compiler.ir.simplify import call

NAMES = ("a", "b", "c")
FLAGS = {name: read(name, (position("n"),), "bool") for name in NAMES}
X = read("x", (position("n"),), "float32")
COMPARED = [call(function, X, number(0.0, "float32")) for function in ("eq", "gt", "ge", "lt", "le")]
ATOMS = [*FLAGS.values(), *COMPARED]
FLAG_VALUES = itertools.product((False, True), repeat=len(NAMES))
PLACES = [{**dict(zip(NAMES, flags, strict=True)), "x": x} for flags in FLAG_VALUES for x in (-1.0, 0.0, 1.0, math.nan)]


def value(node: Expr, at: dict[str, Any]) -> bool:
    if not isinstance(node, Apply):
        return bool(node.value if hasattr(node, "value") else at[node.operand])
    if node.function == "not":
        return not value(node.children[0], at)
    if node.function in ("and", "or"):
        return (all if node.function == "and" else any)(value(each, at) for each in node.children)
    x = at["x"]
    return {"eq": x == 0, "gt": x > 0, "ge": x >= 0, "lt": x < 0, "le": x <= 0}[node.function]


def built(rng: random.Random, depth: int) -> tuple[Expr, Any]:
    """A condition, and a function that computes it without any of the rules."""
    if depth == 0 or rng.random() < 0.2:
        atom = rng.choice(ATOMS)
        return atom, lambda at: value(atom, at)
    if rng.random() < 0.2:
        inner, holds = built(rng, depth - 1)
        return call("not", inner), lambda at: not holds(at)
    function = rng.choice(["and", "or"])
    (one, first), (other, second) = built(rng, depth - 1), built(rng, depth - 1)
    found = call(function, one, other)
    if function == "and":
        return found, lambda at: first(at) and second(at)
    return found, lambda at: first(at) or second(at)


@pytest.mark.parametrize("seed", range(300))
def test_what_is_joined_holds_where_it_did(seed: int) -> None:
    found, holds = built(random.Random(seed), 5)
    assert [value(found, at) for at in PLACES] == [holds(at) for at in PLACES]


@pytest.mark.parametrize("seed", range(100))
def test_what_follows_holds_wherever_its_premise_does(seed: int) -> None:
    rng = random.Random(seed)
    (one, first), (other, second) = built(rng, 3), built(rng, 3)
    if follows(one, other):
        assert all(second(at) for at in PLACES if first(at))


def test_what_adds_nothing_is_left_out() -> None:
    a, b, c = FLAGS.values()
    both, either = call("and", a, b), call("or", a, b)
    assert call("or", both, a) is a
    assert call("or", a, both) is a
    assert call("and", either, a) is a
    assert call("and", a, either) is a
    assert call("or", a, call("and", call("not", a), b)) is either
    assert call("or", call("and", call("not", a), b), a) is call("or", b, a)
    assert call("and", a, call("or", call("not", a), b)) is both
    assert call("or", both, call("and", a, c)) is call("and", a, call("or", b, c))
    assert call("or", a, call("not", a)).value is True  # type: ignore[attr-defined]
    equal, above, at_least, *_ = COMPARED
    assert call("or", equal, above) is call("or", above, equal) is call("or", above, at_least) is at_least


def test_a_guard_stays_before_what_it_guards() -> None:
    n = position("n")
    is_inside = call("lt", 0, n)
    before = call("gt", read("x", (call("sub", n, 1),), "float32"), 0.0)
    guarded = call("or", call("not", is_inside), call("and", is_inside, before))
    assert [each for each in subexpressions(guarded) if isinstance(each, Apply) and each.function == "and"]
