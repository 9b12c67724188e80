"""The compiler on one page: from text to OpenCL and a grad_fn. Each stage is a module named by its verb.

    stage          module          Input                          Output
    parse          parse           text                           declarations, each word with its place
    check          check           a declaration                  the same, or a KernelLanguageError at the mistake
    specialise     specialise      declaration, call signature    a Formula of the index IR
    differentiate  differentiate   formula, operand names         the gradient (or tangent), again a Formula
    lower          lower           formula                        the same values without `detach` and tie rules
    schedule       schedule        formula, layouts, a target     kernels in order, temporaries between them
    emit           emit            the kernels, a target          OpenCL C 1.2; `sharing` says which share a launch

`compile` runs the last three, for calls, `netcl ops show`, goldens and tests alike; what a device is like is in
`target` and nowhere else. A schedule is a file in `schedules` and mostly one of the same name in `emit`:

    schedules/     chosen for                                                               written by emit/
    view           an output that only reads one operand: no kernel                         -
    contraction    sums of products: packed, register-tiled matrix products                 contraction, panels, tile
    scatter        sums of what an index read from a tensor puts into each row              scatter
    scan           running values along an index                                            scan
    sort           the positions of each row in the order of its values,                    sort, dealt
                   and what is read there; by networks, long rows in two kernels            network
    pairs          reductions over all pairs of rows, without a table of them               nest
    map            pointwise formulas                                                       nest
    rows           reductions along what is contiguous                                      nest
    columns        reductions across what is contiguous                                     nest
    loops          any formula, in scalar code                                              nest
    blocks         reductions with few results, cut in two steps: around one of the others  nest
                   of many rows: read in the order in which they lie                        runs

On a card, products, pointwise formulas, transposes, long rows and pairs have schedules of `targets/gpu` before these.
They make loop nests (`loops`), which are checked, can be interpreted, and are printed by `loops.text`; `loops.memory`
says what they ask of memory.

`ir` says what a formula is and `verify` what is legal after each stage; `simplify` builds every expression, `solve`
turns reads around, `running` differentiates scans, `evaluate` computes any formula on NumPy, `show` writes one as
mathematics, `groups` and `fuse` make one formula of several. `bounds` has the positions that must be checked before a
formula runs, `interval` between which ends a position lies. `gathered` and `strides` bring sums into the form that a
schedule is for. Nothing here imports pyopencl.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from netcl.core.bounded import remembered
from netcl.core.settings import verifies
from netcl.kernels.compiler import syntax
from netcl.kernels.compiler.differentiate import gradient as differentiated
from netcl.kernels.compiler.differentiate import tangent as along
from netcl.kernels.compiler.emit import Emitted, emit
from netcl.kernels.compiler.ir import FLOATS, Formula, verify
from netcl.kernels.compiler.kernel import Kernel
from netcl.kernels.compiler.layout import Layouts
from netcl.kernels.compiler.lower import lower
from netcl.kernels.compiler.schedule import Recipe, recipe
from netcl.kernels.compiler.schedules.view import View
from netcl.kernels.compiler.signature import Signature
from netcl.kernels.compiler.specialise import specialise
from netcl.kernels.compiler.target import Target

STAGES = ("syntax", "ir", "derivative", "tangent", "opencl", "memory", "grad_fn")
"""What `netcl ops show --stage` prints."""


@remembered("shown formulas", 2048)
def forward(declaration: syntax.Declaration, signature: Signature) -> Formula:
    """The formula of a call."""
    return verify(specialise(declaration, signature))


@remembered("gradients", 2048)
def gradient(formula: Formula, wanted: tuple[str, ...], seeded: tuple[str, ...] | None = None) -> Formula:
    """The formula of the input gradients of the operands in `wanted`, from the gradients of the outputs in `seeded`
    (None: all of them). Raises NoDerivative.
    """
    return differentiated(formula, wanted, seeded)


@remembered("tangents", 2048)
def tangent(formula: Formula, wanted: tuple[str, ...]) -> Formula:
    """The formula of the tangents of the outputs, along tangents of the operands in `wanted`."""
    return along(formula, wanted)


@dataclass(frozen=True)
class Program:
    """What computes a formula: the `recipe`, and its kernels as text; None where nothing is launched."""

    recipe: Recipe
    emitted: Emitted | None

    @property
    def views(self) -> tuple[View, ...]:
        """The outputs that are another view of an operand."""
        return tuple(step for step in self.recipe.steps if isinstance(step, View))


def compile(formula: Formula, layouts: Layouts, target: Target, views: bool = True) -> Program:
    """The program of a formula for tensors that lie so, on a target. `views` allows outputs that share the memory of an
    operand. Raises ShapeError for what no schedule takes."""
    lowered = lower(formula)
    if verifies():
        verify(lowered)
    found = recipe(lowered, layouts, target, views)
    launched = [step for step in found.steps if isinstance(step, Kernel) and step.units]
    return Program(found, emit(launched, target) if launched else None)


def differentiable(formula: Formula, among: Iterable[str] | None = None) -> tuple[str, ...]:
    """The operands that have a gradient: floats that are not declared nograd."""
    names = [each.name for each in formula.operands if each.dtype in FLOATS and each.differentiable]
    return tuple(name for name in names if among is None or name in set(among))


@remembered("visible outputs", 2048)
def visible(formula: Formula) -> Formula:
    """The formula without the outputs that are only computed for a gradient to read."""
    if not any(output.hidden for output in formula.outputs):
        return formula
    return formula.with_outputs(tuple(output for output in formula.outputs if not output.hidden))
