"""The compiler on one page: from text to OpenCL and a grad_fn. Each stage is a function named by its verb.

    stage          where                 Input                          Output
    parse          language.parse        text                           declarations, each word with its place
    check          specialise.check      a declaration                  the same, or a KernelLanguageError
    specialise     specialise            declaration, call signature    a Formula of the index IR (`ir`)
    differentiate  derive                formula, operand names         the gradient (or tangent), again a Formula
    fuse           fusion                formulas that read each other  one Formula
    lower          lower.lower           formula                        the same values without `detach` and tie rules
                   lower.host_numbers                                   and without what the host computes of attributes
    schedule       schedule              formula, layouts, a target     kernels in order, temporaries between them
    emit           emit                  the kernels, a target          OpenCL C 1.2, in as few launches as there can be

`specialise` and `differentiate` end with `derive.joined` and `derive.shared_sums`, for recurrences. Where the
temporaries of a schedule would be large, a call runs the formula over slices of an index, one after the other
(`derive.sliced`, `runtime.slices`).

`compile` runs the last three, for calls, `netcl ops show`, goldens and tests alike; what a device is like is in
`target` and nowhere else. Between them a stage of a formula is a nest (`lower.nest`), and each target has a folder of
schedules that make kernels of it, as loop nests (`loops`). A schedule of a CPU is a file in `targets/cpu/schedules`;
most use the frame `targets/cpu/nested`:

    schedule       chosen for                                                               written by
    views          an output that only reads one operand: no kernel                         -
    contraction    sums of products: packed, register-tiled matrix products                 products
    scatter        sums of what an index read from a tensor puts into each row              a loop nest
    scan           running values along an index                                            a loop nest
    recurrence     elements that are computed from earlier ones of the same output          a loop nest
    sort           the positions of each row in the order of its values,                    sorting
                   and what is read there; long rows in two kernels
    pairs          reductions over all pairs of rows, without a table of them               nested
    map            pointwise formulas                                                       nested
    rows           reductions along what is contiguous                                      nested, folding
    columns        reductions across what is contiguous                                     nested
    down_columns   rows, with sums down the columns of the same elements                    nested
    loops          any formula, in scalar code                                              nested
    blocks         reductions with few results, cut in two steps: around one of the others  nested
                   of many rows: read in the order in which they lie                        nested

The schedules of a card (`targets/gpu`) all make loop nests. These are checked, can be interpreted, and are printed by
`loops.text`.

`ir.verify` says what is legal of a formula after each stage, `lower.verify_plan` what is of a plan, `loops.check` of a
loop nest. Nothing here imports pyopencl.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from netcl.core.bounded import remembered
from netcl.core.collecting import uncollected
from netcl.core.settings import verifies
from netcl.kernels.compiler.derive.differentiate import gradient as differentiated
from netcl.kernels.compiler.derive.differentiate import tangent as along
from netcl.kernels.compiler.derive.joined import with_joined_systems
from netcl.kernels.compiler.derive.like_conditions import with_like_conditions
from netcl.kernels.compiler.derive.shared_sums import with_shared_sums
from netcl.kernels.compiler.derive.written_out import written_out
from netcl.kernels.compiler.emit import Emitted, emit
from netcl.kernels.compiler.ir import FLOATS, Formula, verify
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.loops.check import check_room
from netcl.kernels.compiler.loops.given import Looped
from netcl.kernels.compiler.lower.accesses import Layouts
from netcl.kernels.compiler.lower.host_numbers import without_host_numbers
from netcl.kernels.compiler.lower.kernel import Kernel
from netcl.kernels.compiler.lower.lower import lower
from netcl.kernels.compiler.lower.views import View
from netcl.kernels.compiler.schedule import Recipe, recipe
from netcl.kernels.compiler.specialise.signature import Signature
from netcl.kernels.compiler.specialise.specialise import specialise
from netcl.kernels.compiler.target import Target

STAGES = ("syntax", "ir", "steps", "derivative", "tangent", "opencl", "memory", "grad_fn")
"""What `netcl ops show --stage` prints."""


@remembered("shown formulas", 2048)
@uncollected
def forward(declaration: syntax.Declaration, signature: Signature) -> Formula:
    """The formula of a call."""
    return verify(specialise(declaration, signature))


def gradient(formula: Formula, wanted: tuple[str, ...], seeded: tuple[str, ...] | None = None) -> Formula:
    """The formula of the input gradients of the operands in `wanted`, from the gradients of the outputs in `seeded`
    (None: all of them). Raises NoDerivative.
    """
    return _gradient(formula, wanted, seeded)


@remembered("gradients", 2048)
@uncollected
def _gradient(formula: Formula, wanted: tuple[str, ...], seeded: tuple[str, ...] | None) -> Formula:
    return verify(_tidied(differentiated(formula, wanted, seeded)))


@remembered("tangents", 2048)
@uncollected
def tangent(formula: Formula, wanted: tuple[str, ...]) -> Formula:
    """The formula of the tangents of the outputs, along tangents of the operands in `wanted`."""
    return verify(_tidied(along(formula, wanted)))


def _tidied(derivative: Formula) -> Formula:
    """What the rules of differentiation gave, with what they say more than once said once."""
    return with_shared_sums(with_like_conditions(written_out(with_joined_systems(derivative))))


@dataclass(frozen=True)
class Program:
    """What computes a formula: the `recipe`, and its kernels as text; None where nothing is launched."""

    recipe: Recipe
    emitted: Emitted | None

    @property
    def views(self) -> tuple[View, ...]:
        """The outputs that are another view of an operand."""
        return tuple(step for step in self.recipe.steps if isinstance(step, View))


@uncollected
def compile(formula: Formula, layouts: Layouts, target: Target, views: bool = True) -> Program:
    """The program of a formula for tensors that lie so, on a target. `views` allows outputs that share the memory of an
    operand. Raises ShapeError for what no schedule takes."""
    lowered = lower(formula)
    if verifies():
        verify(lowered)
    lowered, computed = without_host_numbers(lowered)
    found = replace(recipe(lowered, layouts, target, views), computed=computed)
    launched = [step for step in found.steps if isinstance(step, Kernel) and step.units]
    for kernel in launched:
        if isinstance(kernel, Looped):
            check_room(kernel.nest, target)
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
