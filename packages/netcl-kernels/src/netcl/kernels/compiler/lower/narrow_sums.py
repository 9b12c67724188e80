"""Sums of which a few places count that follow each other: `sum[k](0 <= i - k and i - k < n ? f(i, k) : 0)`, where n is
much less than there are places of k.

Input: an expression, what the host knows. Output: the same, where such a loop goes over those places alone, `k =
max(i - n + 1, 0) + u` for u < n. This is what becomes of a window in the gradient of what it slides over, if it slides
over little more than itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from netcl.kernels.compiler.ir import INDEX_DTYPE, Apply, Expr, Number, Reduce, number, position, root, size
from netcl.kernels.compiler.ir import polynomial as poly
from netcl.kernels.compiler.ir.binding import substitute, total
from netcl.kernels.compiler.ir.choices import conjuncts
from netcl.kernels.compiler.ir.host import Numbers, known
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.lower.strided_sums import new_index, over_less

_LEAST_GAIN = 4
"""So many times fewer steps make up for positions that are no longer a sum of indices."""


@dataclass(frozen=True)
class _Window:
    """The places of an index that count: at most `count`, from `first` on."""

    first: Expr
    count: int


def narrowed(expr: Expr, numbers: Numbers) -> tuple[Expr, Mapping[str, int]]:
    """The expression, and the extents of its new indices."""
    return over_less(expr, numbers, _over_window)


def _over_window(node: Expr, index: str, numbers: Numbers, extents: dict[str, int], taken: set[str]) -> Expr:
    """The sum over the places of `index` that count, if those are few; the extent of the index instead is noted."""
    if not isinstance(node, Reduce) or not isinstance(node.body, Apply) or node.body.function != "select":
        return node
    condition, value, nothing = node.body.children
    if not isinstance(nothing, Number) or nothing.value != 0:
        return node
    length = numbers.sizes[root(index)]
    for window in _windows(conjuncts(condition), node, index, numbers):
        if window.count < 1 or window.count * _LEAST_GAIN > length:
            continue
        short = new_index(f"{root(index)}.window", window.count, numbers, extents, taken)
        place = call("add", window.first, position(short))
        condition, value = (substitute(each, {index: place}) for each in (condition, value))
        condition = call("and", call("lt", place, size(index)), condition)
        over = tuple(short if each == index else each for each in node.over)
        return total("sum", over, call("select", condition, value, nothing))
    return node


def _windows(conditions: Sequence[Expr], node: Reduce, index: str, numbers: Numbers) -> Iterator[_Window]:
    """What conditions leave of an index, where they bound what is linear in it on both sides: `0 <= at` and `at < n`
    together, or `at // n == place`."""
    for each in conditions:
        if not isinstance(each, Apply) or each.function not in ("lt", "eq") or each.children[0].dtype != INDEX_DTYPE:
            continue
        for at, other in (each.children, each.children[::-1]):
            if index not in at.free or index in other.free:
                continue
            bounded: tuple[Expr, Expr] | None = None
            if each.function == "lt" and at is each.children[0] and call("le", 0, at) in conditions:
                bounded = at, other
                if isinstance(at, Apply) and at.function in ("floor_div", "exact_div"):
                    bounded = at.children[0], call("mul", other, at.children[1])
            elif each.function == "eq" and isinstance(at, Apply) and at.function == "floor_div":
                whole, by = at.children
                bounded = call("sub", whole, call("mul", other, by)), by
            window = _window(*bounded, node, index, numbers) if bounded else None
            if window is not None:
                yield window


def _window(at: Expr, bound: Expr, node: Reduce, index: str, numbers: Numbers) -> _Window | None:
    """Where `0 <= at < bound`."""
    most = known(bound, numbers)
    linear = poly.coefficient_of(poly.polynomial(at), index)
    if most is None or linear is None or not linear[0]:
        return None
    slope, rest = map(poly.expression, linear)
    factor = known(slope, numbers)
    if not factor or not rest.free.isdisjoint(node.over):
        return None
    if factor > 0:
        first = call("neg", call("floor_div", rest, slope))
    else:
        before = call("floor_div", call("sub", rest, bound), call("neg", slope))
        first = call("add", before, number(1, at.dtype))
    return _Window(call("maximum", first, number(0, at.dtype)), -(-most // abs(factor)))
