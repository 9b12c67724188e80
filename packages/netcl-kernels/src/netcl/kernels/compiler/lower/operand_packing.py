"""What a contraction reads, brought into a plain form: each factor one element of a tensor, at affine positions.

Input: an output that is a contraction, the operands, what the host knows. Output: the same with other factors, and the
outputs (temporaries) to compute before. A guard that always holds is dropped. A read inside an image with a border of
zeros (`x[p + r - padding] else 0`) becomes a read of a copy that has the border; any other formula becomes a tensor of
its values. The contraction then only ever copies elements, and each value is computed once. Its condition stays around
the product, for the sums that come out as NaN.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import prod

from netcl.kernels.compiler.ir import (
    HALVES,
    INDEX_DTYPE,
    Apply,
    Expr,
    Operand,
    Output,
    Position,
    Read,
    Reduce,
    binds,
    number,
    position,
    read,
    reduce,
    root,
    size,
    subexpressions,
)
from netcl.kernels.compiler.ir.binding import replace_nodes, substitute
from netcl.kernels.compiler.ir.host import Numbers, known
from netcl.kernels.compiler.ir.simplify import call, cast
from netcl.kernels.compiler.lower.accesses import affine_of, holds
from netcl.kernels.compiler.lower.product import has_windows, product_of
from netcl.kernels.compiler.target import Target


@dataclass(frozen=True)
class Packed:
    """A contraction over plain factors, the temporaries to compute `before`, and the extents of new indices. `thin` is
    what `product_of` takes."""

    output: Output
    before: tuple[Output, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)
    thin: bool | None = None


def contraction_in(output: Output, sizes: Mapping[str, int], target: Target, thin: bool | None = None) -> Reduce | None:
    """The only Reduce of an output, if it is a contraction over all of the output's indices."""
    reduces = [node for node in subexpressions(output.expr) if isinstance(node, Reduce)]
    if len(reduces) != 1 or reduces[0].free != frozenset(output.indices):
        return None
    return reduces[0] if product_of(reduces[0], output.indices, sizes, target, thin) else None


def packed(output: Output, operands: Mapping[str, Operand], numbers: Numbers, target: Target) -> Packed | None:
    """Plain factors for the contraction in `output`; None when there is no contraction."""
    expr = without_unit_divisors(output.expr, numbers)
    output = Output(output.name, expr, output.axes, output.flat, output.shape, output.shaped_like)
    node = contraction_in(output, numbers.sizes, target)
    if node is None:
        return None
    thin = has_windows(node.body)
    expr = replace_nodes(expr, {node: without_guards(node, numbers)})
    output = Output(output.name, expr, output.axes, output.flat, output.shape, output.shaped_like)
    node = contraction_in(output, numbers.sizes, target, thin)
    if node is None:
        return None
    product = product_of(node, output.indices, numbers.sizes, target, thin)
    assert product is not None
    taker = _Taker(output.name, operands, numbers, target.stages.values)
    dtype = "float32" if node.dtype in HALVES else node.dtype
    left = taker.taken(product.left, dtype, (*product.batch, *product.rows, *product.inner))
    right = taker.taken(product.right, dtype, (*product.batch, *product.inner, *product.columns))
    rows = prod(numbers.sizes[root(index)] for index in product.rows)
    if taker.tables and rows < target.products.least_side:
        return None  # hardly a value of such a table would be read twice
    if taker.is_dilated and rows < target.products.rows_to_pack:
        return None  # most steps would add a zero
    total = cast(reduce("sum", node.over, replace(product, left=left, right=right).body), node.dtype)
    expr = replace_nodes(expr, {node: total})
    return Packed(
        Output(output.name, expr, output.axes, output.flat, output.shape, output.shaped_like),
        tuple(taker.before),
        taker.sizes,
        thin,
    )


_DIVISIONS = ("exact_div", "floor_div", "mod")


class _Taker:
    """Finds or makes a tensor for each factor."""

    def __init__(self, name: str, operands: Mapping[str, Operand], numbers: Numbers, most: int) -> None:
        self.most = most
        self.name = name
        self.operands = dict(operands)
        self.numbers = numbers
        self.before: list[Output] = []
        self.tables: list[str] = []
        """Of `before`, what has a value for each place of a factor."""
        self.is_dilated = False
        """Whether one of `before` has zeros between its values, as a division leaves them."""
        self.sizes: dict[str, int] = {}

    def taken(self, factor: Expr, dtype: str, order: tuple[str, ...]) -> Expr:
        """`factor` as one read of an operand or of a temporary; as it is where that would need too much memory."""
        if isinstance(factor, Read) and factor.dtype == dtype and self._is_affine(factor):
            return factor
        factor = cast(factor, dtype)
        window = self._window(factor)
        if window is not None:
            return window
        indices = _as_it_lies(factor) or tuple(index for index in order if index in factor.free)
        if prod(self.numbers.sizes[root(index)] for index in indices) > self.most:
            return factor
        name = self._add(factor, indices)
        self.tables.append(name)
        return read(name, tuple(map(position, indices)), dtype)

    def _is_affine(self, node: Read) -> bool:
        return all(affine_of(at, self.numbers) is not None for at in node.at)

    def _add(self, expr: Expr, indices: tuple[str, ...]) -> str:
        name = f"{self.name}.factor_{len(self.before) + 1}"
        axes = tuple((index,) for index in indices)
        self.operands[name] = Operand(name, expr.dtype, axes)
        self.before.append(Output(name, expr, axes))
        return name

    def _window(self, factor: Expr) -> Expr | None:
        """A read of a copy of what `factor` reads at one place, with what lies outside already in it."""
        below = list(subexpressions(factor))
        reads = [node for node in below if isinstance(node, Read)]
        if not reads or not isinstance(factor, Apply) or any(node.at != reads[0].at for node in reads):
            return None
        if any(binds(node) for node in below):
            return None  # a position in it may be over what is bound there
        source = reads[0]
        replacements: dict[Expr, Expr] = {}
        indices: list[str] = []
        positions: list[Expr] = []
        for at in source.at:
            if isinstance(at, Position):
                indices.append(at.index)
                positions.append(at)
                continue
            moving = at.children[0] if _is_quotient(at) else at
            if not moving.free or moving in replacements:
                return None
            limits = self._limits(moving)
            if limits is None:
                return None
            first, extent = limits
            index = f"{self.name}.axis_{len(self.before) + 1}_{len(indices)}"
            self.sizes[index] = extent
            indices.append(index)
            positions.append(call("sub", moving, first))
            replacements[moving] = call("add", position(index), first)
        if not replacements or len(set(indices)) < len(indices):
            return None
        copied = replace_nodes(factor, replacements)
        extents = {**self.numbers.sizes, **self.sizes}
        window = prod(extents[root(index)] for index in indices)
        if copied.free != frozenset(indices) or window > self.most:
            return None
        if window > prod(extents[root(index)] for index in factor.free):
            return None
        self.is_dilated |= any(map(_is_quotient, source.at))
        return read(self._add(copied, tuple(indices)), tuple(positions), factor.dtype)

    def _limits(self, at: Expr) -> tuple[Expr, int] | None:
        """The smallest value of an affine position, and how many values there are up to the largest."""
        affine = affine_of(at, self.numbers)
        if affine is None or affine.attributes:
            return None
        span = 0
        values: dict[str, Expr] = {}
        for index, factor in affine.factors.items():
            last = self.numbers.sizes[root(index)] - 1
            span += abs(factor) * last
            values[index] = number(0, INDEX_DTYPE) if factor > 0 else size(index) - 1
        return substitute(at, values), span + 1


def _as_it_lies(factor: Expr) -> tuple[str, ...]:
    """The indices of a factor as they stand where it reads something along all of them."""
    for node in subexpressions(factor):
        if isinstance(node, Read) and all(isinstance(at, Position) for at in node.at):
            indices = tuple(at.index for at in node.at if isinstance(at, Position))
            if len(indices) == len(factor.free) and frozenset(indices) == factor.free:
                return indices
    return ()


def _is_quotient(at: Expr) -> bool:
    return isinstance(at, Apply) and at.function == "exact_div"


def without_unit_divisors(expr: Expr, numbers: Numbers) -> Expr:
    """`expr` without divisions by what the host knows to be 1 (a stride, mostly)."""
    replacements: dict[Expr, Expr] = {}
    for node in subexpressions(expr):
        if isinstance(node, Apply) and node.function in _DIVISIONS and known(node.children[1], numbers) == 1:
            numerator = replace_nodes(node.children[0], replacements)
            replacements[node] = number(0, INDEX_DTYPE) if node.function == "mod" else numerator
    return replace_nodes(expr, replacements) if replacements else expr


def without_guards(node: Expr, numbers: Numbers) -> Expr:
    """`node` without the conditions that hold for all values of the indices."""
    replacements: dict[Expr, Expr] = {}
    for each in subexpressions(node):
        if holds(each, numbers):
            replacements[each] = number(True, "bool")
    return replace_nodes(node, replacements) if replacements else node
