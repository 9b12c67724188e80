"""A batch of calls as one formula: the same formula with one more index.

Input: a formula, the names of the operands that differ from call to call, and what becomes of `random`. Output: the
formula whose operands of those names, and whose outputs, have one axis more, in front. Every read of such an operand
gets the position along it; nothing else changes, so products, reductions, windows, indexing and their derivatives
need no rule of their own.
"""

from __future__ import annotations

from dataclasses import replace

from netcl.core.bounded import remembered
from netcl.kernels.compiler.ir import (
    INDEX_DTYPE,
    Apply,
    Axes,
    Expr,
    Formula,
    Operand,
    Output,
    Read,
    Recurrence,
    apply,
    indices_of,
    number,
    position,
    read,
    rebuild,
    root,
    size,
    subexpressions,
    transform,
    verify,
)
from netcl.kernels.compiler.ir.binding import total
from netcl.kernels.compiler.ir.recurrences import with_own_label

SEEDS_APART = 1 << 32
"""How far the seeds of neighbours in a batch are apart, where each draws its own random numbers."""

_BATCH = "batch"
"""What indices of batches are called, with a number where there are several."""


@remembered("batched formulas", 2048)
def batched(formula: Formula, carriers: frozenset[str], apart: bool, length: int | None) -> Formula:
    """`formula` for a batch. With `apart` each call of the batch draws its own random numbers, else all the same.

    `length` is the number of calls where no operand has it.
    """
    return _Batch(formula, carriers, apart, length).formula()


def draws(formula: Formula) -> bool:
    """Whether a formula draws random numbers."""
    nodes = subexpressions(*(output.expr for output in formula.outputs))
    return any(isinstance(node, Apply) and node.function == "random" for node in nodes)


class _Batch:
    def __init__(self, formula: Formula, carriers: frozenset[str], apart: bool, length: int | None) -> None:
        self.source = formula
        self.length = length
        self.apart = apart
        self.index = _unused_index(formula)
        self.carriers = carriers
        self._memo: dict[Expr, Expr] = {}

    def formula(self) -> Formula:
        source = self.source
        operands = tuple(self._operand(each) for each in source.operands)
        outputs = tuple(self._output(each) for each in source.outputs)
        declared = {name: self._declared(name, expr) for name, expr in source.declared.items()}
        adjoints = {self._expression(of): self._gradient(expr) for of, expr in source.adjoints.items()}
        sizes = dict(source.sizes)
        if self.length is not None:
            sizes[self.index] = number(self.length, INDEX_DTYPE)
        name = f"{source.name}_batch"
        whole = replace(source, name=name, operands=operands, outputs=outputs, sizes=sizes)
        return verify(replace(whole, declared=declared, adjoints=adjoints))

    def _operand(self, operand: Operand) -> Operand:
        if operand.name not in self.carriers:
            return operand
        return replace(operand, axes=self._axes(operand.axes, operand.flat))

    def _output(self, output: Output) -> Output:
        return replace(output, expr=self._expression(output.expr), axes=self._axes(output.axes, output.flat))

    def _declared(self, name: str, expr: Expr) -> Expr:
        """The declared gradient of an operand that all calls share is the sum of what each call gives."""
        every = self._gradient(expr)
        return every if name in self.carriers else total("sum", (self.index,), every)

    def _gradient(self, expr: Expr) -> Expr:
        """What a declared gradient says of each call."""
        of_outputs = {prefix + output.name for output in self.source.outputs for prefix in ("", "d")}
        return transform(expr, lambda node, children: self._visit(node, children, self.carriers | of_outputs))

    def _axes(self, axes: Axes, flat: bool) -> Axes:
        return ((self.index, *axes[0]),) if flat else ((self.index,), *axes)

    def _expression(self, expr: Expr) -> Expr:
        return transform(expr, lambda node, children: self._visit(node, children, self.carriers), self._memo)

    def _visit(self, node: Expr, children: tuple[Expr, ...], carriers: frozenset[str] | set[str]) -> Expr:
        here = position(self.index)
        if isinstance(node, Read) and node.operand in carriers:
            return read(node.operand, (here, *children), node.dtype)
        if isinstance(node, Apply) and node.function == "random" and self.apart:
            seed, *places = children
            number_of: Expr = here  # among the calls of all batches: those within this one are in the seed already
            for inner in sorted(seed.free):
                if inner.startswith(_BATCH):
                    number_of = number_of * size(root(inner))
            own = seed + number_of * number(SEEDS_APART, INDEX_DTYPE)
            return apply("random", (own, *places), node.dtype)
        new = rebuild(node, children)
        if isinstance(new, Recurrence) and isinstance(node, Recurrence) and new.axes != node.axes:
            return with_own_label(new)  # others of its label may be the same for all calls, and keep their axes
        return new


def _unused_index(formula: Formula) -> str:
    """A name that no index, operand or attribute has."""
    expressions = [output.expr for output in formula.outputs] + [*formula.declared.values(), *formula.adjoints.values()]
    taken: set[str] = {root(index) for index in indices_of(*expressions)} | set(formula.sizes) | set(formula.attributes)
    tensors: list[Operand | Output] = [*formula.operands, *formula.outputs]
    taken |= {each.name for each in tensors} | {root(index) for each in tensors for index in each.indices}
    name, number_of = _BATCH, 1
    while name in taken:
        number_of += 1
        name = f"{_BATCH}{number_of}"
    return name
