"""A formula over a slice of one of its indices, so that what needs a large table is computed with small ones.

Each element of `y[i, e] = sum[j](exp(sum[d](q[i, d] * k[j, d])) * v[j, e])` needs one row of the table of all pairs.
Over a slice of i it is the same formula, whose table has the rows of the slice alone. What an output sums over i, as
the gradient of v does, is the sum of what it is over each slice.

A slice can be taken along an index that is an axis of operands to itself, where each is read at that index alone.
Elsewhere, as in `j > i`, the index counts on from where the slice begins.

Input: a formula, an index. Output: the formula over a slice, or None.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from netcl.core.weak import WeakKeys
from netcl.kernels.compiler.ir import (
    HALVES,
    INDEX_DTYPE,
    Apply,
    Attribute,
    Axes,
    Expr,
    Formula,
    Materialised,
    Number,
    Operand,
    Output,
    Position,
    Read,
    Reduce,
    Size,
    attribute,
    binds,
    root,
    subexpressions,
)
from netcl.kernels.compiler.ir.binding import rebuilt
from netcl.kernels.compiler.ir.simplify import call


@dataclass(frozen=True)
class Sliced:
    """`formula` over a slice of `index`. Of its outputs those in `added` are summed over all slices, the others have
    the slice as a part of themselves. The attributes `begin` and `whole` say where a slice begins, and how long the
    index is as a whole; for a slice of a slice, too."""

    formula: Formula
    index: str
    added: frozenset[str]

    @property
    def begin(self) -> str:
        return f"begin.{self.index}"

    @property
    def whole(self) -> str:
        return f"whole.{self.index}"

    def axis(self, axes: Axes) -> int | None:
        """Which of these axes is the index; None where it is none."""
        return next((at for at, axis in enumerate(axes) if axis == (self.index,)), None)


_known: WeakKeys[Formula, dict[str, Sliced | None]] = WeakKeys()


def slices_of(formula: Formula) -> list[Sliced]:
    """All that there are, in the order of the indices of the outputs and operands."""
    if formula not in _known:
        _known[formula] = {}
    found = _known[formula]
    for index in dict.fromkeys(_candidates(formula)):
        if index not in found:
            found[index] = _sliced(formula, index)
    return [each for each in found.values() if each is not None]


def _candidates(formula: Formula) -> Iterator[str]:
    """Indices that have an axis of an operand to themselves."""
    own = {axis[0] for operand in formula.operands if not operand.flat for axis in operand.axes if len(axis) == 1}
    if any(isinstance(each, Reduce) for each in subexpressions(*(each.expr for each in formula.outputs))):
        tensors: tuple[Operand | Output, ...] = (*formula.outputs, *formula.operands)
        yield from (axis[0] for each in tensors for axis in each.axes if len(axis) == 1 and axis[0] in own)


def _sliced(formula: Formula, index: str) -> Sliced | None:
    if index in formula.sizes or any(_mentions(each, index) for each in formula.sizes.values()):
        return None
    tensors: tuple[Operand | Output, ...] = (*formula.operands, *formula.outputs)
    for tensor in tensors:
        if any(index in map(root, axis) and (len(axis) > 1 or tensor.flat or axis[0] != index) for axis in tensor.axes):
            return None
    added: set[str] = set()
    for output in formula.outputs:
        if output.shape is not None or output.shaped_like is not None:
            return None
        if (index,) in output.axes:
            if _binds(output.expr, index):
                return None
        elif output.dtype not in HALVES and _adds_up(output.expr, index):
            added.add(output.name)
        else:
            return None
    sliced = Sliced(formula, index, frozenset(added))
    slicer = _Slicer(sliced)
    outputs = tuple(slicer.output(output) for output in formula.outputs)
    if not slicer.succeeds:
        return None
    used = {each.name for output in outputs for each in subexpressions(output.expr) if isinstance(each, Attribute)}
    given = {name: INDEX_DTYPE for name in (sliced.begin, sliced.whole) if name in used}
    attributes = {**formula.attributes, **given}
    return replace(
        sliced,
        formula=replace(formula, outputs=outputs, attributes=attributes, declared={}, adjoints={}, checks=()),
    )


def _mentions(expr: Expr, index: str) -> bool:
    return any(isinstance(each, Size) and root(each.index) == index for each in subexpressions(expr))


def _binds(expr: Expr, index: str) -> bool:
    """Whether anything goes through all of an index. A table, which is read at one place, has the rows of a slice."""
    return any(
        root(each) == index
        for node in subexpressions(expr)
        if not isinstance(node, Materialised)
        for each in binds(node)
    )


def _adds_up(expr: Expr, index: str) -> bool:
    """Whether a value is made of sums over an index, with factors and signs: over all slices it is the sum of what it
    is over each."""
    if isinstance(expr, Number):
        return expr.value == 0
    if isinstance(expr, Reduce):
        once = [root(each) for each in expr.over].count(index) == 1  # all pairs of rows are not those within slices
        return expr.kind == "sum" and once and not _binds(expr.body, index)
    if not isinstance(expr, Apply):
        return False
    first, *others = expr.children
    if expr.function in ("add", "sub", "neg", "copy"):
        return all(_adds_up(each, index) for each in expr.children)
    if expr.function == "select":
        return not _binds(first, index) and all(_adds_up(each, index) for each in others)
    if expr.function == "mul" and _binds(others[0], index):
        first, others = others[0], [first]
    return expr.function in ("mul", "div") and not _binds(others[0], index) and _adds_up(first, index)


class _Slicer:
    """Writes expressions anew over a slice of an index; `succeeds` says whether all could be."""

    def __init__(self, sliced: Sliced) -> None:
        self.index = sliced.index
        self.counted = sliced.begin in sliced.formula.attributes  # of a slice: its positions count from there
        self.succeeds = True
        self.axes = {operand.name: operand.axes for operand in sliced.formula.operands}
        self.begin = attribute(sliced.begin, INDEX_DTYPE)
        self.whole = attribute(sliced.whole, INDEX_DTYPE)
        self.known: dict[Expr, Expr] = {}

    def output(self, output: Output) -> Output:
        for node in subexpressions(output.expr):
            self.known[node] = self._rewritten(node)
        return replace(output, expr=self.known[output.expr])

    def _rewritten(self, node: Expr) -> Expr:
        """`node` over a slice; its children were written before."""
        if isinstance(node, Size):
            return self.whole if root(node.index) == self.index else node
        if isinstance(node, Position):
            return node if self.counted or root(node.index) != self.index else call("add", node, self.begin)
        children = [self.known[child] for child in node.children]
        if isinstance(node, Read) and node.operand in self.axes:
            indices = (index for axis in self.axes[node.operand] for index in axis)
            own = [at for at, index in enumerate(indices) if root(index) == self.index]
        elif isinstance(node, Materialised):
            own = [at for at, index in enumerate(node.axes[0]) if root(index) == self.index]
        else:
            own = []
        for at in own:  # along the slice itself
            place = node.children[at]
            self.succeeds &= isinstance(place, Position) and root(place.index) == self.index
            children[at] = place
        return node if tuple(children) == node.children else rebuilt(node, tuple(children))
