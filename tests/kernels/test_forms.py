"""Expressions that differ in the names of indices alone have one form, and no others have."""

from __future__ import annotations

import itertools

import pytest

from netcl.kernels.compiler.ir import Expr, position, read, reduce, scan, size
from netcl.kernels.compiler.ir.forms import in_order, unnamed
from netcl.kernels.compiler.ir.simplify import call


def x(*indices: str) -> Expr:
    return read("x", tuple(map(position, indices)), "float32")


def same(one: Expr, other: Expr) -> bool:
    return unnamed(one, in_order(one)) == unnamed(other, in_order(other))


def total(*over: str, of: Expr) -> Expr:
    return reduce("sum", over, of)


def test_free_indices_stand_in_the_order_in_which_they_are_met() -> None:
    assert in_order(x("b", "a") + x("c", "b")) == ("b", "a", "c")
    assert in_order(total("a", of=x("b", "a") + x("a", "c"))) == ("b", "c")
    assert in_order(x("a") + total("a", of=x("a", "b"))) == ("a", "b")


ALIKE = [
    (x("i", "j"), x("p", "q")),
    (total("k", of=x("i", "k")), total("m", of=x("j", "m"))),
    (total("k", of=x("i", "k")), total("k'", of=x("i", "k'"))),
    (x("i") * total("i", of=x("i")), x("j") * total("k", of=x("k"))),
    (total("a", "b", of=x("a", "b")), total("p", "q", of=x("p", "q"))),
    (scan("sum", "s", False, position("t"), (x("s", "i"),)), scan("sum", "r", False, position("u"), (x("r", "j"),))),
]
APART = [
    (x("i", "j"), x("i", "i")),
    (x("i") + x("j"), x("i") + x("i")),
    (total("k", of=x("i", "k")), total("k", of=x("k", "i"))),
    (total("k", of=x("k", "i")), reduce("max", ("k",), x("k", "i"))),
    (total("a", "b", of=x("a", "b")), total("a", "b", of=x("b", "a"))),
    (x("i") * total("i", of=x("i")), x("i") * total("j", of=x("i"))),
    (call("add", position("i"), size("i")), call("add", position("i"), size("j"))),
    (scan("sum", "s", False, position("t"), (x("s"),)), scan("sum", "s", True, position("t"), (x("s"),))),
    (scan("sum", "s", False, position("t"), (x("s", "t"),)), scan("sum", "s", False, position("t"), (x("t", "s"),))),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_names_do_not_count(one: Expr, other: Expr) -> None:
    roots = [{each.rstrip("'") for each in node.bound} for node in (one, other)]
    assert same(one, other) is (roots[0] == roots[1]), "an index is of a size, which its root names"


@pytest.mark.parametrize(("one", "other"), APART)
def test_what_is_something_else_has_another_form(one: Expr, other: Expr) -> None:
    assert not same(one, other)


def test_the_order_that_is_asked_for_counts() -> None:
    node = x("i", "j")
    forms = {unnamed(node, order) for order in itertools.permutations(("i", "j"))}
    assert len(forms) == 2
    assert unnamed(node, ("i", "j")) == unnamed(x("p", "q"), ("p", "q"))
    assert unnamed(node, ("j", "i")) == unnamed(x("p", "q"), ("q", "p"))
