"""When what a position is computed from the elements of tensors leaves 64 bits, and so wraps around unnoticed.

Input: a position. Output: the condition that it does not, which a kernel asks before anything is read there. What is
seen to fit, as `index < 0 ? index + size : index` does, needs no asking. Sums over elements, and conversions that the
author writes, wrap as they always do.
"""

from __future__ import annotations

from collections.abc import Iterable

from netcl.kernels.compiler.ir import (
    FLOATS,
    INDEX_DTYPE,
    INTEGERS,
    Apply,
    Expr,
    Materialised,
    Read,
    Recurrence,
    Reduce,
    Scan,
    number,
    subexpressions,
)
from netcl.kernels.compiler.ir.binding import total
from netcl.kernels.compiler.ir.choices import conjunction
from netcl.kernels.compiler.ir.host import NotKnown, Numbers
from netcl.kernels.compiler.ir.interval import RANGES, Intervals
from netcl.kernels.compiler.ir.plain import inlined
from netcl.kernels.compiler.ir.simplify import call, cast

_CHECKED = {"add": "add_fits", "sub": "sub_fits", "mul": "mul_fits"}
_LARGEST_POWER = 2.0**62


def is_data(at: Expr) -> bool:
    """Whether a position is only known to the device: one read from a tensor, or cut from a float of its index."""
    return any(
        isinstance(each, Read) or (each.dtype in FLOATS and (each.free or _is_drawn(each)))
        for each in subexpressions(at)
    )


def fits(at: Expr, facts: Iterable[Expr] = ()) -> Expr:
    """The condition under which all that `at` is computed from fits 64 bits, where the `facts` hold."""
    intervals = Intervals(Numbers({}, {}), anything=True)
    for fact in facts:
        intervals = intervals.where(fact, True)
    return _Fits().of(at, intervals)


class _Fits:
    def __init__(self) -> None:
        self._memo: dict[tuple[Expr, int], Expr] = {}
        self._kept: list[Intervals] = []  # so that no two have one identity

    def of(self, node: Expr, intervals: Intervals) -> Expr:
        key = (node, id(intervals))
        if key not in self._memo:
            self._kept.append(intervals)
            self._memo[key] = self._found(node, intervals)
        return self._memo[key]

    def _found(self, node: Expr, intervals: Intervals) -> Expr:
        if isinstance(node, (Read, Recurrence, Scan)) or not is_data(node):
            return number(True, "bool")
        if isinstance(node, Reduce):
            return total("all", node.over, self.of(node.children[0], intervals))
        if isinstance(node, Materialised):
            return self.of(inlined(node), intervals)
        assert isinstance(node, Apply)
        if node.function == "select":
            condition, first, second = node.children
            taken = self.of(first, intervals.where(condition, True))
            left = self.of(second, intervals.where(condition, False))
            return conjunction(
                (
                    self.of(condition, intervals),
                    call("or", call("not", condition), taken),
                    call("or", condition, left),
                )
            )
        parts = [self.of(child, intervals) for child in node.children]
        return conjunction((*parts, _own(node, intervals)))


def _own(node: Apply, intervals: Intervals) -> Expr:
    """The condition for one node, where its arguments are what they should be."""
    if node.function == "cast":
        return _cut(node)
    if node.dtype != INDEX_DTYPE:
        return number(True, "bool")
    try:
        least, most = Intervals(intervals.numbers, True, intervals.assumed).exact(node)
    except NotKnown:
        return _of_power(node) if node.function == "pow" else number(True, "bool")
    low, high = RANGES[node.dtype]
    if low <= least and most <= high:
        return number(True, "bool")
    if node.function in _CHECKED:
        return call(_CHECKED[node.function], *node.children)
    one = node.children[0]  # of the others only the opposite of the least number does not fit
    return call("lt", number(low, node.dtype), one)


def _of_power(node: Apply) -> Expr:
    """A power that is far from the limit; floats are near enough to tell."""
    size = call("abs", call("pow", *(cast(child, "float32") for child in node.children)))
    return call("lt", size, _LARGEST_POWER)


def _cut(node: Apply) -> Expr:
    """Whether a float is a number, and not too large for an integer."""
    (child,) = node.children
    if child.dtype not in FLOATS or node.dtype not in INTEGERS:
        return number(True, "bool")
    low, high = RANGES[node.dtype]
    return call("and", call("le", number(float(low), child.dtype), child), call("lt", child, float(high + 1)))


def _is_drawn(node: Expr) -> bool:
    return isinstance(node, Apply) and node.function == "random"
