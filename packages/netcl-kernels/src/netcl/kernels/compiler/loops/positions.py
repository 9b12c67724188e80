"""Arithmetic on positions as it is written: what a schedule computes has its form already, and need not be simplified.

Only what adds 0 or multiplies by 0 or 1 is left out.
"""

from __future__ import annotations

from collections.abc import Mapping

from netcl.kernels.compiler.ir import INDEX_DTYPE, Expr, ExprLike, apply, number

ZERO, ONE = number(0, INDEX_DTYPE), number(1, INDEX_DTYPE)


def plus(one: ExprLike, other: ExprLike) -> Expr:
    """The sum of two positions."""
    one, other = _expr(one), _expr(other)
    if one is ZERO or other is ZERO:
        return other if one is ZERO else one
    return apply("add", (one, other), INDEX_DTYPE)


def minus(one: ExprLike, other: ExprLike) -> Expr:
    """The difference of two positions."""
    one, other = _expr(one), _expr(other)
    return one if other is ZERO else apply("sub", (one, other), INDEX_DTYPE)


def times(one: ExprLike, other: ExprLike) -> Expr:
    """The product of two positions."""
    one, other = _expr(one), _expr(other)
    if one is ZERO or other is ZERO:
        return ZERO
    if one is ONE or other is ONE:
        return other if one is ONE else one
    return apply("mul", (one, other), INDEX_DTYPE)


def least(one: ExprLike, other: ExprLike) -> Expr:
    """The smaller of two positions."""
    return apply("minimum", (_expr(one), _expr(other)), INDEX_DTYPE)


def most(one: ExprLike, other: ExprLike) -> Expr:
    """The larger of two positions."""
    return apply("maximum", (_expr(one), _expr(other)), INDEX_DTYPE)


def quotient(one: ExprLike, other: ExprLike) -> Expr:
    """How often a position has another one in it."""
    other = _expr(other)
    return _expr(one) if other is ONE else apply("floor_div", (_expr(one), other), INDEX_DTYPE)


def rest(one: ExprLike, other: ExprLike) -> Expr:
    """What is left of a position behind whole ones of another."""
    return apply("mod", (_expr(one), _expr(other)), INDEX_DTYPE)


def numbered(extents: Mapping[str, Expr], places: Mapping[str, Expr]) -> Expr:
    """The number of a combination of these indices, the last of which moves fastest."""
    found: Expr = ZERO
    for index, size in extents.items():
        found = plus(times(found, size), places[index])
    return found


def at_least(one: ExprLike, other: ExprLike) -> Expr:
    """Whether a position is another one or comes behind it."""
    return apply("ge", (_expr(one), _expr(other)), "bool")


def before(one: ExprLike, other: ExprLike) -> Expr:
    """Whether a position comes before another one."""
    return apply("lt", (_expr(one), _expr(other)), "bool")


def _expr(value: ExprLike) -> Expr:
    if isinstance(value, Expr):
        return value
    assert isinstance(value, int), f"{value!r} is no position"
    return number(value, INDEX_DTYPE)
