"""Sums of products seen as matrix products.

Input: a Reduce, the order of the indices around it, their extents. Output: its two factors, and the parts the indices
play: `batch` indices are in both factors, `rows` only in the left one, `columns` only in the right one, `inner` are
summed. Which of several factors go left is chosen so that there are many rows and many columns. This is only about
structure; where the elements lie is settled in `gathered`, how they are multiplied in `schedules.contraction`.

A condition around the product goes to one of the factors, which is 0 where it does not hold. That is the same sum as
long as the other factor is finite there: 0 * inf is NaN. So a Product keeps the `condition`, and what multiplies
computes a sum that came out as NaN again, leaving out what the condition leaves out.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from netcl.kernels.compiler.ir import Apply, Expr, Position, Read, Reduce, apply, root, subexpressions
from netcl.kernels.compiler.ir.choices import conditions_of, is_zero
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.lower.scattering import scatters
from netcl.kernels.compiler.target import Target

_MOST_FACTORS = 6
_DTYPES = ("float16", "bfloat16", "float32", "float64")


@dataclass(frozen=True)
class Product:
    """sum[inner](left * right), which is sum[inner](condition ? left * right : 0) unless it is NaN."""

    left: Expr
    right: Expr
    batch: tuple[str, ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    inner: tuple[str, ...]
    condition: Expr | None = None

    @property
    def body(self) -> Expr:
        """What is summed, exactly."""
        value = apply("mul", (self.left, self.right), self.left.dtype)
        return value if self.condition is None else call("select", self.condition, value, 0)


def product_of(
    node: Reduce,
    order: Sequence[str],
    extents: Mapping[str, int],
    target: Target,
    thin: bool | None = None,
    filled: bool = False,
    least_side: int | None = None,
) -> Product | None:
    """`node` as a matrix product over the indices `order`, the last of which is a column; None when it is not one, or
    is too small to be worth packing.

    `thin` allows few rows, down to one: that is worth it where conditions need to be tested once for each element
    only. By default it is found out from the body. `filled` says that the factors have their zeros already.
    `least_side` is for a schedule that has a form for fewer rows or columns than pay for packing.
    """
    if node.kind != "sum" or node.dtype not in _DTYPES:
        return None
    split = factors_of(node.body)
    if not 2 <= len(split[0]) <= _MOST_FACTORS or scatters(node, extents, target):
        return None
    if thin is None:
        thin = has_windows(node.body)
    limits = target.products
    side = limits.least_side if least_side is None else least_side
    least = 1 if thin else side
    best: tuple[tuple[int, ...], Product] | None = None
    for each in _partitions(*split, node, order, filled):
        rows, columns, inner, batch = (
            prod(extents[root(index)] for index in part) for part in (each.rows, each.columns, each.inner, each.batch)
        )
        if rows < least or columns < side or inner < limits.least_steps:
            continue
        if batch * rows * columns * inner < limits.least_work:
            continue
        score = (min(rows, columns), -batch)
        if best is None or score > best[0]:
            best = score, each
    return None if best is None else best[1]


def has_windows(body: Expr) -> bool:
    """Whether something is read at positions that are worked out, and may be out of range."""
    nodes = list(subexpressions(body))
    guarded = any(isinstance(each, Apply) and each.function == "select" for each in nodes)
    return guarded and any(is_worked_out(at) for each in nodes if isinstance(each, Read) for at in each.at)


def is_worked_out(at: Expr) -> bool:
    """Whether a position is more than an index, and no tensor says it."""
    return not isinstance(at, Position) and not any(isinstance(each, Read) for each in subexpressions(at))


def _partitions(
    factors: list[Expr], guards: list[Expr], node: Reduce, order: Sequence[str], filled: bool
) -> Iterator[Product]:
    for choice in range(1, 1 << (len(factors) - 1)):
        first = [factor for at, factor in enumerate(factors) if choice >> at & 1]
        second = [factor for at, factor in enumerate(factors) if not choice >> at & 1]
        yield from _oriented(first, second, guards, node, order, filled)


def _oriented(
    first: list[Expr], second: list[Expr], guards: list[Expr], node: Reduce, order: Sequence[str], filled: bool
) -> Iterator[Product]:
    frees = [frozenset().union(*(factor.free for factor in side)) for side in (first, second)]
    if any(free.isdisjoint(node.over) for free in frees):
        return  # it multiplies the sum
    only = [[index for index in order if index in frees[at] and index not in frees[1 - at]] for at in (0, 1)]
    places = {index: at for at, index in enumerate(order)}
    last = [max((places[index] for index in side), default=-1) for side in only]
    if last[0] == last[1]:
        return
    if last[0] > last[1]:
        first, second = second, first
        frees.reverse()
        only.reverse()
    if not filled and not all(any(guard.free <= free for free in frees) for guard in guards):
        return
    # an index of length 1 may be left in a guard alone
    batch = tuple(index for index in order if (index in frees[0]) == (index in frees[1]))
    left, right = (
        _guarded(side, () if filled else guards, free) for side, free in zip((first, second), frees, strict=True)
    )
    yield Product(left, right, batch, tuple(only[0]), tuple(only[1]), node.over, _all(guards))


def _guarded(factors: list[Expr], guards: Sequence[Expr], free: frozenset[str]) -> Expr:
    """The product of the factors; 0 where a guard over their indices does not hold."""
    value = product(factors)
    condition = _all([guard for guard in guards if guard.free <= free])
    return value if condition is None else call("select", condition, value, 0)


def product(factors: Sequence[Expr]) -> Expr:
    """The product of the factors."""
    return functools.reduce(lambda left, right: apply("mul", (left, right), left.dtype), factors)


def _all(guards: Sequence[Expr]) -> Expr | None:
    return functools.reduce(lambda left, right: call("and", left, right), guards) if guards else None


def factors_of(body: Expr) -> tuple[list[Expr], list[Expr]]:
    """(factors, guards): the body is the product of the factors where every guard holds, and 0 elsewhere."""
    value, guards, negative = body, list[Expr](), False
    while True:
        conditions, inner = conditions_of(value, is_zero)
        guards += conditions
        if not (isinstance(inner, Apply) and inner.function == "neg"):
            break
        value, negative = inner.children[0], not negative
    factors = _factors_of(inner, negative)
    return (factors, guards) if len(factors) > 1 else ([body], [])


def _factors_of(product: Expr, negative: bool) -> list[Expr]:
    """The factors of a product, of which the first is negative if the product is. A guard inside a factor stays there:
    0 times the other factor is not 0."""
    found: list[Expr] = []
    waiting = [(product, negative)]
    while waiting:
        node, negative = waiting.pop()
        if isinstance(node, Apply) and node.function == "neg":
            waiting.append((node.children[0], not negative))
        elif isinstance(node, Apply) and node.function == "mul":
            left, right = node.children
            waiting += [(right, False), (left, negative)]
        else:
            found.append(call("neg", node) if negative else node)
    return found
