"""Conditions that are joined mean what they meant, whatever was left out of them."""

from __future__ import annotations

import itertools
import math
import operator
import random
from typing import Any

import pytest

from netcl.kernels.compiler.ir import Apply, Expr, Number, Position, Read, number, position, read, subexpressions
from netcl.kernels.compiler.ir.logic import commutes, excludes, follows
from netcl.kernels.compiler.ir.simplify import call

NAMES = ("a", "b")
FLAGS = [read(name, (position("n"),), "bool") for name in NAMES]
X, Y = (read(name, (position("n"),), "float32") for name in "xy")
T, ZERO = position("t"), number(0.0, "float32")
PAIRS = [(X, ZERO), (X, Y), (Y, X), (T, number(0, "int64")), (T, number(2, "int64")), (number(1, "int64"), T)]
COMPARED = [call(function, *pair) for pair in PAIRS for function in ("eq", "ne", "gt", "ge", "lt", "le")]
COMPARED += [call("isnan", X), call("isnan", Y)]
ATOMS = [*FLAGS, *(each for each in COMPARED if isinstance(each, Apply))]
REALS = (-1.0, 0.0, 1.0, math.nan)
PLACES: list[dict[str, Any]] = [
    {"a": a, "b": b, "x": x, "y": y, "t": t}
    for a, b, x, y, t in itertools.product((False, True), (False, True), REALS, REALS, range(4))
]
OPERATORS = {
    "eq": operator.eq, "ne": operator.ne, "gt": operator.gt, "ge": operator.ge, "lt": operator.lt, "le": operator.le,
}  # fmt: skip


def value(node: Expr, at: dict[str, Any]) -> Any:
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Position):
        return at[node.index]
    if isinstance(node, Read):
        (place,) = node.at
        if isinstance(place, Position):
            return at[node.operand]
        assert value(place, at) >= 0, "read outside of its guard"
        return at[node.operand][value(place, at)]
    assert isinstance(node, Apply)
    if node.function in ("and", "or"):
        return (all if node.function == "and" else any)(value(each, at) for each in node.children)
    if node.function == "select":
        return value(node.children[1 if value(node.children[0], at) else 2], at)
    children = [value(each, at) for each in node.children]
    if node.function == "add":
        return sum(children)
    if node.function in OPERATORS:
        return OPERATORS[node.function](*children)
    return {"not": operator.not_, "isnan": math.isnan, "sub": operator.sub}[node.function](*children)


def joined(rng: random.Random, one: tuple[Expr, Any], other: tuple[Expr, Any]) -> tuple[Expr, Any]:
    """Both of two conditions, or one of them, with the functions that compute them."""
    function = rng.choice(["and", "or"])
    found, first, second = call(function, one[0], other[0]), one[1], other[1]
    if function == "and":
        return found, lambda at: first(at) and second(at)
    return found, lambda at: first(at) or second(at)


def built(rng: random.Random, depth: int) -> tuple[Expr, Any]:
    """A condition, and a function that computes it without any of the rules."""
    if depth == 0 or rng.random() < 0.2:
        atom = rng.choice(ATOMS)
        return atom, lambda at: value(atom, at)
    if rng.random() < 0.2:
        inner, holds = built(rng, depth - 1)
        return call("not", inner), lambda at: not holds(at)
    return joined(rng, built(rng, depth - 1), built(rng, depth - 1))


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
    if excludes(one, other):
        assert not any(second(at) for at in PLACES if first(at))


def test_what_adds_nothing_is_left_out() -> None:
    a, b = FLAGS
    c = read("c", (position("n"),), "bool")
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
    equal, _, above, at_least, *_ = COMPARED
    assert call("or", equal, above) is call("or", above, equal) is call("or", above, at_least) is at_least


def test_a_guard_stays_before_what_it_guards() -> None:
    n = position("n")
    is_inside = call("lt", 0, n)
    before = call("gt", read("x", (call("sub", n, 1),), "float32"), 0.0)
    guarded = call("or", call("not", is_inside), call("and", is_inside, before))
    assert [each for each in subexpressions(guarded) if isinstance(each, Apply) and each.function == "and"]


@pytest.mark.parametrize("pair", PAIRS[:3])
def test_all_that_comparisons_of_one_pair_say_of_each_other_is_seen(pair: tuple[Expr, Expr]) -> None:
    atoms = [call(function, *pair) for function in OPERATORS]
    atoms += [call("not", each) for each in atoms]
    atoms += [call("isnan", X), call("not", call("isnan", X))] if ZERO in pair else []
    for one, other in itertools.product(atoms, atoms):
        both = [(value(one, at), value(other, at)) for at in PLACES]
        assert follows(one, other) is all(second for first, second in both if first), (one, other)
        assert excludes(one, other) is not any(second for first, second in both if first), (one, other)


def test_what_one_comparison_decides_is_no_question() -> None:
    above, equal, is_nan = call("gt", X, ZERO), call("eq", X, ZERO), call("isnan", X)
    greater = call("or", above, is_nan)
    a, b = read("a", (position("n"),), "float32"), read("b", (position("n"),), "float32")
    assert call("select", greater, call("select", equal, a, b), ZERO) is call("select", greater, b, ZERO)
    assert call("or", call("and", greater, call("not", equal)), equal) is call("or", call("ge", X, ZERO), is_nan)
    assert call("and", above, equal) is number(False, "bool")
    assert call("or", call("ge", X, ZERO), call("not", above)) is number(True, "bool")
    either = call("select", equal, a, call("select", call("ge", X, ZERO), b, ZERO))
    assert call("select", above, either, ZERO) is call("select", above, b, ZERO)
    there = call("le", 0, call("sub", T, 1))
    assert call("select", call("eq", T, 0), a, call("select", there, b, ZERO)) is call("select", call("eq", T, 0), a, b)


def chosen(rng: random.Random, depth: int) -> tuple[Expr, Any]:
    """A choice, and a function that makes it without any of the rules."""
    if depth == 0 or rng.random() < 0.1:
        real = float(rng.randrange(3))
        return number(real, "float32"), lambda at: real
    condition, holds = built(rng, 2)
    (one, first), (other, second) = chosen(rng, depth - 1), chosen(rng, depth - 1)
    if rng.random() < 0.2:
        return call("add", one, other), lambda at: first(at) + second(at)
    return call("select", condition, one, other), lambda at: first(at) if holds(at) else second(at)


@pytest.mark.parametrize("seed", range(200))
def test_what_is_chosen_is_what_it_was(seed: int) -> None:
    found, made = chosen(random.Random(seed), 4)
    assert [value(found, at) for at in PLACES] == [made(at) for at in PLACES]


GUARD = call("lt", 0, position("n"))
BEFORE = read("z", (call("sub", position("n"), 1),), "float32")
BEHIND = [call(function, BEFORE, each) for function in OPERATORS for each in (ZERO, X)] + [call("isnan", BEFORE)]


def guarded(rng: random.Random, depth: int) -> tuple[Expr, Any]:
    """A condition in which an element is read behind the condition that it is there alone."""
    if depth == 0:
        inner, holds = behind(rng, 2)
        if rng.random() < 0.5:
            return call("and", GUARD, inner), lambda at: at["n"] > 0 and holds(at)
        return call("or", call("not", GUARD), inner), lambda at: at["n"] <= 0 or holds(at)
    return joined(rng, guarded(rng, depth - 1), guarded(rng, depth - 1))


def behind(rng: random.Random, depth: int) -> tuple[Expr, Any]:
    if depth == 0:
        atom = rng.choice([*BEHIND, FLAGS[0], GUARD])
        return atom, lambda at: value(atom, at)
    return joined(rng, behind(rng, depth - 1), behind(rng, depth - 1))


@pytest.mark.parametrize("seed", range(300))
def test_nothing_is_read_before_its_guard(seed: int) -> None:
    found, holds = guarded(random.Random(seed), 3)
    for a, x, z, n in itertools.product((False, True), REALS, REALS, range(2)):
        at = {"a": a, "x": x, "z": [z], "n": n}
        assert value(found, at) == holds(at)


def test_a_guard_and_what_it_guards_do_not_change_places() -> None:
    above = call("gt", BEFORE, ZERO)
    assert not commutes(call("and", GUARD, above))
    assert commutes(call("and", above, call("lt", BEFORE, X)))
    assert not commutes(call("and", call("and", GUARD, above), call("lt", BEFORE, X)))
