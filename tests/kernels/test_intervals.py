"""What a condition says of the ends of an expression, beside all its places looked at one by one."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import pytest

from netcl.kernels.compiler.ir import Expr, Number, Position, apply, number, position
from netcl.kernels.compiler.ir.host import Numbers
from netcl.kernels.compiler.ir.interval import Intervals
from netcl.kernels.compiler.ir.simplify import call

LENGTHS = {"t": 5, "k": 4, "one": 1}


def places() -> Iterator[dict[str, int]]:
    for at in product(*map(range, LENGTHS.values())):
        yield dict(zip(LENGTHS, at, strict=True))


def value(node: Expr, place: dict[str, int]) -> int:
    """The value of a whole expression or a condition at a place, with Python's own numbers."""
    if isinstance(node, Position):
        return place[node.index]
    if isinstance(node, Number):
        return int(node.value)
    one, *rest = [value(each, place) for each in node.children]
    other = rest[0] if rest else 0
    found = {
        "add": one + other, "sub": one - other, "mul": one * other, "lt": one < other, "le": one <= other,
        "gt": one > other, "ge": one >= other, "eq": one == other, "ne": one != other, "not": not one, "neg": -one,
        "and": bool(one and other), "or": bool(one or other),
    }  # fmt: skip
    return int(found[getattr(node, "function", "")])


def whole(rng: random.Random, depth: int) -> Expr:
    if depth == 0:
        return rng.choice([position(rng.choice(list(LENGTHS))), number(rng.randint(-2, 5), "int64")])
    return call(rng.choice(["add", "sub", "mul"]), whole(rng, depth - 1), whole(rng, depth - 1))


def condition(rng: random.Random, depth: int) -> Expr:
    if depth == 0:
        compared = rng.choice(["lt", "le", "gt", "ge", "eq", "ne"])
        return call(compared, whole(rng, rng.randint(0, 1)), whole(rng, rng.randint(0, 1)))
    kind = rng.choice(["and", "or", "or", "not"])
    if kind == "not":
        return call("not", condition(rng, depth - 1))
    return call(kind, condition(rng, depth - 1), condition(rng, depth - 1))


@pytest.mark.parametrize("seed", range(400))
def test_the_ends_where_a_condition_holds_hold_everywhere_it_does(seed: int) -> None:
    rng = random.Random(seed)
    asked, node, holds = condition(rng, rng.randint(0, 3)), whole(rng, rng.randint(0, 2)), rng.random() < 0.5
    intervals = Intervals(Numbers(LENGTHS, {}))
    there = [value(node, each) for each in places() if bool(value(asked, each)) is holds]
    if there:
        assert intervals.may_be(asked, holds)
        least, most = intervals.where(asked, holds).of(node)
        assert least <= min(there)
        assert most >= max(there)


def test_of_alternatives_holds_what_each_of_them_says() -> None:
    t, k = position("t"), position("k")
    intervals = Intervals(Numbers(LENGTHS, {}))
    first, second = call("gt", t, number(0, "int64")), call("ge", t, number(2, "int64"))
    either = call("or", call("and", call("lt", k, number(2, "int64")), first), second)
    assert intervals.where(either, True).of(t) == (1, 4)
    assert intervals.where(either, True).of(k) == (0, 3)
    assert intervals.where(call("not", either), False).of(t) == (1, 4)


def test_alternatives_of_which_none_may_be_may_not_be() -> None:
    one, k = position("one"), position("k")
    intervals = Intervals(Numbers(LENGTHS, {}))
    later = call("and", call("gt", one, number(0, "int64")), call("lt", k, number(2, "int64")))
    much_later = call("and", call("ge", one, number(2, "int64")), call("gt", k, number(1, "int64")))
    assert intervals.may_be(later, True) is False
    assert intervals.may_be(call("or", later, much_later), True) is False
    assert intervals.may_be(call("or", later, call("le", one, k)), True) is True


def test_conditions_within_conditions_end() -> None:
    t, k = position("t"), position("k")
    asked = call("lt", k, number(3, "int64"))
    for at in range(3000):
        other = call("ge", call("add", t, number(at % 5 - 2, "int64")), k)
        asked = apply("or" if at % 2 else "and", (asked, other), "bool")
    intervals = Intervals(Numbers(LENGTHS, {}))
    assert intervals.may_be(asked, True)
    assert intervals.may_be(asked, False)
    assert intervals.where(asked, True).of(t) == (0, 4)
