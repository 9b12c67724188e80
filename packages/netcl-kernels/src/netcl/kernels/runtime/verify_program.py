"""What is legal of a program, for the numbers of one call: its plan, and each loop nest over the tensors of the call.

Input: the program, and the shapes and strides of the tensors of the call. Output: nothing, or an InvalidPlan (see
`verify_plan`) or IllegalNest (see `loops.check`). This is done where `NETCL_VERIFY` asks for it, as all tests do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from netcl.core.shapes import strides_of
from netcl.kernels.compiler.ir import Formula
from netcl.kernels.compiler.ir.quantity import plain
from netcl.kernels.compiler.loops.check import check
from netcl.kernels.compiler.loops.given import Looped
from netcl.kernels.compiler.lower.verify_plan import verify_plan
from netcl.kernels.compiler.pipeline import Program


def verify_program(
    formula: Formula,
    program: Program,
    shapes: Mapping[str, tuple[int, ...]],
    strides: Mapping[str, tuple[int, ...]],
    attributes: Mapping[str, Any],
) -> None:
    """Raise where the program is not legal for tensors like these, which it may have been made for as quantities. What
    is not in `strides` is contiguous; a nest with a number among its attributes that is not known here is passed over,
    since each call may have another."""
    if program.emitted is None:
        return
    viewed = {view.output for view in program.views}
    made = {output.name: shapes[output.name] for output in formula.outputs}
    outputs = [output for output, shape in made.items() if output not in viewed and prod(shape)]
    made |= {each.name: tuple(map(plain, each.shape)) for each in program.recipe.temporaries}
    elements = {name: prod(shape) for name, shape in made.items()}
    given = {each.name for each in formula.operands} | {name for name, count in elements.items() if not count}
    verify_plan(formula.name, [entry.beside for entry in program.emitted.entries], given, elements, outputs)
    spans = {name: _Span.of(shape, strides.get(name)) for name, shape in {**shapes, **made}.items()}
    for nest in _nests(program):
        if all(each.of in attributes for each in nest.given.values() if each.kind == "attribute"):
            _verify_nest(nest, spans, attributes)


def _nests(program: Program) -> Iterator[Looped]:
    for entry in program.emitted.entries if program.emitted else ():
        for kernel in entry.kernels:
            if isinstance(kernel, Looped):
                yield kernel


def _verify_nest(kernel: Looped, spans: Mapping[str, _Span], attributes: Mapping[str, Any]) -> None:
    accesses = {**kernel.accesses, **{write.access.name: write.access for write in kernel.writes}}
    if any(name not in attributes for access in accesses.values() for name, _ in access.shift):
        return
    numbers = {name: plain(number) for name, number in kernel.launched(attributes).items()}
    for name, argument in kernel.given.items():
        if argument.kind == "offset":
            numbers[name] += spans[accesses[argument.of].buffer].before
    sizes = {
        each.name: spans[kernel.given[each.name].of].size for each in kernel.nest.buffers if each.space == "global"
    }
    check(kernel.nest, numbers, sizes)


@dataclass(frozen=True)
class _Span:
    """The memory that a tensor reaches over: so many elements, of which so many lie `before` its first."""

    size: int
    before: int

    @classmethod
    def of(cls, shape: tuple[int, ...], strides: tuple[int, ...] | None) -> _Span:
        if not prod(shape):
            return cls(0, 0)
        if strides is None or len(strides) != len(shape):  # an operand that is read flat has one stride
            strides = strides_of(shape)
        reached = [(length - 1) * stride for length, stride in zip(shape, strides, strict=True)]
        before = -sum(each for each in reached if each < 0)
        return cls(1 + before + sum(each for each in reached if each > 0), before)
