"""Outputs along an index of a few places that have a formula each: an output for every place.

A gradient of `x[p, 0]`, `x[p, 1]` and `x[p, 2]` is `(0 == d ? … : 0) + (1 == d ? … : 0) + (2 == d ? … : 0)` over p and
d. As three outputs over p they are computed side by side, with all that they have in common computed once; over d it
would be computed again for each place.

Input: the outputs of a formula, and where they lie. Output: outputs, some of which are a part of one of those.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from netcl.kernels.compiler.derive.written_out import Places
from netcl.kernels.compiler.ir import (
    INDEX_DTYPE,
    Formula,
    Output,
    Recurrence,
    Reduce,
    Scan,
    number,
    root,
    subexpressions,
)
from netcl.kernels.compiler.ir.binding import substitute
from netcl.kernels.compiler.ir.functions import is_of_reals
from netcl.kernels.compiler.lower.accesses import Placed


@dataclass(frozen=True)
class Part:
    """An output that is the elements of another one, the `whole`, at one place of an index; where these lie in that."""

    output: Output
    whole: str
    placed: Placed


def by_place(formula: Formula, placed: Mapping[str, Placed]) -> tuple[Formula, dict[str, Part]]:
    """`formula`, in which such outputs are there by their parts; the parts by their names."""
    places, outputs, parts = Places(formula), list[Output](), dict[str, Part]()
    for output in formula.outputs:
        found = [*_parts(output, places, placed[output.name])] or [Part(output, output.name, placed[output.name])]
        outputs += (part.output for part in found)
        parts |= {part.output.name: part for part in found if part.output is not output}
    return (formula.with_outputs(tuple(outputs)) if parts else formula), parts


def _parts(output: Output, places: Places, placed: Placed) -> Iterator[Part]:
    if output.flat or isinstance(output.expr, (Recurrence, Scan)) or not _is_worth_it(output):
        return
    for at, axis in enumerate(output.axes):
        if len(axis) != 1:
            continue
        (index,) = axis
        if not places.are_told_apart(output.expr, index):
            continue
        axes = (*output.axes[:at], *output.axes[at + 1 :])
        stride, strides = placed.strides[at], (*placed.strides[:at], *placed.strides[at + 1 :])
        for place in range(places.lengths[root(index)]):
            expr = substitute(output.expr, {index: number(place, INDEX_DTYPE)})
            part = replace(output, name=f"{output.name}.{place}", expr=expr, axes=axes)
            yield Part(part, output.name, Placed(placed.offset + place * stride, strides))
        return


def _is_worth_it(output: Output) -> bool:
    """Whether something is computed that only some of the places need."""
    return any(isinstance(node, Reduce) or is_of_reals(node) for node in subexpressions(output.expr))
