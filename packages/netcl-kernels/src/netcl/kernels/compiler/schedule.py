"""Choosing how a formula is computed: the kernels to launch, in order, and the temporaries between them.

Input: a formula, the numbers that the host knows, where its tensors lie. Output: a Recipe. `stages` says what is
computed together, `accesses` and `merge_indices` bring each stage to few indices; then the schedules of the target are
asked (`targets`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from netcl.core.dtypes import canonical
from netcl.core.shapes import strides_of
from netcl.kernels.compiler.ir import (
    Expr,
    Formula,
    Operand,
    Output,
    Read,
    Scan,
    fresh,
    indices_of,
    position,
    read,
    root,
    subexpressions,
)
from netcl.kernels.compiler.ir.binding import rename, replace_nodes
from netcl.kernels.compiler.ir.host import Numbers
from netcl.kernels.compiler.lower.accesses import Layouts, Lowering, Placed, index_strides
from netcl.kernels.compiler.lower.by_place import by_place
from netcl.kernels.compiler.lower.index_sets import parts
from netcl.kernels.compiler.lower.kernel import Access, Kernel, Write
from netcl.kernels.compiler.lower.magnitude import limits
from netcl.kernels.compiler.lower.merge_indices import merged
from netcl.kernels.compiler.lower.narrow_sums import narrowed
from netcl.kernels.compiler.lower.nest import Nest, Scheduled
from netcl.kernels.compiler.lower.operand_packing import Packed
from netcl.kernels.compiler.lower.scans import along, as_read, bodies_along, read_again
from netcl.kernels.compiler.lower.stages import Stage, of_one_step, staged
from netcl.kernels.compiler.lower.strided_sums import strided
from netcl.kernels.compiler.lower.views import View, view_of
from netcl.kernels.compiler.opencl.heading import heading
from netcl.kernels.compiler.target import Target
from netcl.kernels.compiler.targets import schedules_of

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Temporary:
    """A tensor that lives between two kernels of a plan; contiguous. `roots` has the index of each axis."""

    name: str
    dtype: str
    shape: Shape
    roots: tuple[str, ...]

    @property
    def nbytes(self) -> int:
        return prod(self.shape) * canonical(self.dtype).itemsize


@dataclass(frozen=True)
class Recipe:
    """What a plan does: `steps` in order, over operands, outputs and `temporaries`. `limits` says how far the
    attributes that move positions may go; `computed`, what the host computes of the attributes."""

    steps: tuple[Kernel | View, ...]
    temporaries: tuple[Temporary, ...] = ()
    limits: Mapping[str, int] = field(default_factory=dict)
    computed: Mapping[str, Expr] = field(default_factory=dict)


def recipe(formula: Formula, layouts: Layouts, target: Target, views: bool = True) -> Recipe:
    """The steps that compute `formula`; `views` allows outputs that share the memory of an operand."""
    return _Scheduler(formula, layouts, target).recipe(views)


class _Scheduler:
    def __init__(self, formula: Formula, layouts: Layouts, target: Target) -> None:
        self.formula = formula
        self.target = target
        self.schedules = schedules_of(target)
        self.numbers = layouts.numbers
        self.shapes = shapes = layouts.shapes
        self.places = dict(layouts.places)
        for output in formula.outputs:
            if output.name not in self.places:
                shape = (prod(shapes[output.name]),) if output.flat else shapes[output.name]
                self.places[output.name] = Placed(0, strides_of(shape))
        self.operands = {operand.name: operand for operand in formula.operands}
        self.whole: dict[str, str] = {}
        """The outputs of which something here is a part."""
        self.of_one_step: dict[str, frozenset[str]] = {}
        """The indices along which there is room for one element at a time."""
        self.temporaries: list[Temporary] = []
        self.factors: dict[Expr, Output] = {}
        """What contractions read instead of a factor, by its values."""

    def recipe(self, views: bool) -> Recipe:
        steps: list[Kernel | View] = []
        outputs = list(self.formula.outputs)
        if views:
            for output in list(outputs):
                found = view_of(output, self.shapes[output.name], Lowering(self.operands, self.places, self.numbers))
                if found is not None:
                    steps.append(found)
                    outputs.remove(output)
        formula, parts = by_place(self.formula.with_outputs(tuple(outputs)), self.places)
        self.whole = {name: part.whole for name, part in parts.items()}
        self.places |= {name: part.placed for name, part in parts.items()}
        plan = staged(formula, self.numbers.sizes, self.places, self.target)
        self.operands.update(read_again(formula.outputs))
        for stage in plan.stages:
            if stage.order is not None:
                self.operands.update({each.name: as_read(each) for each in stage.outputs})
        for stage in plan.stages:
            if not self.target.groups.used:  # where items share a row, one of them may be a step ahead
                self.of_one_step |= of_one_step(stage)
        for temporary in plan.temporaries:
            self._add(temporary, self.numbers.sizes)
        stages = [each for stage in plan.stages for each in self._chosen(stage)]
        for number, stage in enumerate(stages):
            name = self.formula.name + (f"_{number + 1}" if len(stages) > 1 else "")
            steps += self._kernels(stage, name)
        kernels = [step for step in steps if isinstance(step, Kernel)]
        return Recipe(tuple(steps), self._used_by(kernels), limits(self.formula.name, kernels, self.numbers))

    def _used_by(self, kernels: Sequence[Kernel]) -> tuple[Temporary, ...]:
        every = [*kernels, *(kernel.then for kernel in kernels if kernel.then is not None)]
        written = {write.access.buffer for kernel in every for write in kernel.writes}
        return tuple(each for each in self.temporaries if each.name in written)

    def _add(self, temporary: Operand, extents: Mapping[str, int]) -> None:
        once = self.of_one_step.get(temporary.name, ())
        shape = tuple(1 if index in once else extents[root(index)] for index in temporary.indices)
        strides = zip(temporary.indices, strides_of(shape), strict=True)
        self.temporaries.append(Temporary(temporary.name, temporary.dtype, shape, tuple(map(root, temporary.indices))))
        self.operands[temporary.name] = temporary
        self.places[temporary.name] = Placed(0, tuple(0 if index in once else stride for index, stride in strides))

    def _chosen(self, stage: Stage) -> tuple[Stage, ...]:
        """The stage, or those that it is apart where no schedule takes it."""
        if stage.apart is None:
            return (stage,)
        rows, sums = self._rows_and_sums(stage, "")
        is_whole = len(parts(rows, self.numbers.attributes)) == len(parts(sums, self.numbers.attributes)) == 1
        return (stage,) if is_whole and self.schedules.goes_down(rows, sums) else stage.apart

    def _rows_and_sums(self, stage: Stage, name: str) -> tuple[Nest, Nest]:
        """What a stage computes of each row, and its sums down the columns, over the same indices."""
        assert stage.apart is not None
        nest, count = self._nest(stage, name), len(stage.outputs) - len(stage.apart[1].outputs)
        return _used(replace(nest, writes=nest.writes[:count])), _used(replace(nest, writes=nest.writes[count:]))

    def _kernels(self, stage: Stage, name: str) -> list[Kernel]:
        output = stage.outputs[0]
        if stage.apart is not None:
            return self._taken(self.schedules.with_sums(*self._rows_and_sums(stage, name)))
        if stage.order is not None:
            return self._recurrent(stage, name)
        if isinstance(output.expr, Scan):
            kernels = self._sorted if output.expr.kind == "argsort" else self._running
            return kernels(stage, output, output.expr, name)
        stage = self._with(narrowed, stage)
        if len(stage.outputs) == 1:
            found = self.schedules.contracted(stage.outputs[0], self.operands, self.numbers, self.target)
            if found is not None:
                before, given = self._factors(found, name)
                output = replace(found.output, expr=replace_nodes(found.output.expr, given))
                return [*before, *self._lowered(Stage((output,)), name, found.thin)]
        return self._lowered(self._with(strided, stage), name)

    def _with(self, fewer: Callable[[Expr, Numbers], tuple[Expr, Mapping[str, int]]], stage: Stage) -> Stage:
        """The stage, where loops of which few steps count go over these alone."""
        outputs = []
        for output in stage.outputs:
            expr, extents = fewer(output.expr, self.numbers)
            outputs.append(replace(output, expr=expr))
            self.numbers = replace(self.numbers, sizes={**self.numbers.sizes, **extents})
        return replace(stage, outputs=tuple(outputs))

    def _factors(self, found: Packed, name: str) -> tuple[list[Kernel], dict[Expr, Expr]]:
        """The kernels for the temporaries that a contraction reads, and what it reads instead of those that another
        contraction has, too."""
        self.numbers = replace(self.numbers, sizes={**self.numbers.sizes, **found.sizes})
        kernels: list[Kernel] = []
        given: dict[Expr, Expr] = {}
        for number, output in enumerate(found.before):
            same = self.factors.setdefault(output.expr, output)
            if same is output:
                self._add(Operand(output.name, output.dtype, output.axes), self.numbers.sizes)
                kernels += self._kernels(Stage((output,)), f"{name}_factor_{number + 1}")
                continue
            for node in subexpressions(found.output.expr):
                if isinstance(node, Read) and node.operand == output.name:
                    at = dict(zip(output.indices, node.at, strict=True))
                    given[node] = read(same.name, tuple(at[index] for index in same.indices), node.dtype)
        return kernels, given

    def _running(self, stage: Stage, output: Output, node: Scan, name: str) -> list[Kernel]:
        """The kernel of one scan: its bodies are the writes, the index it runs along stays an index of its own."""
        lowering = Lowering(self.operands, self.places, self.numbers)
        access = self._written(output)
        writes = [Write(lowering.lowered(body), access, output.indices) for body in bodies_along(node)]
        nest = self._alone(stage, name, writes, lowering, along(node))
        partial = output.partial is not None
        return self._taken(self.schedules.running(nest, node, partial))

    def _recurrent(self, stage: Stage, name: str) -> list[Kernel]:
        """The kernels of a system of states: what a step has all of, and the indices of the steps, stay their own."""
        states = frozenset(each.name for each in stage.outputs)
        lowering = Lowering(self.operands, self.places, self.numbers, states)
        writes = [
            Write(
                lowering.lowered_state(each.name, each.expr),
                self._written(each),
                each.indices,
                each.name in stage.passing,
            )
            for each in stage.outputs
        ]
        assert stage.order is not None
        fixed = {index for axes in stage.order.axes for index in axes}.difference(stage.order.apart)
        nest = self._alone(stage, name, writes, lowering, *sorted(fixed))
        return self._taken(self.schedules.recurrent(replace(nest, steps=stage.order, distances=lowering.distances)))

    def _sorted(self, stage: Stage, output: Output, node: Scan, name: str) -> list[Kernel]:
        """The kernels of a sort, and of what is read at the positions that it gives."""
        lowering = Lowering(self.operands, self.places, self.numbers)
        stood = fresh(along(node), indices_of(*(each.expr for each in stage.outputs)))
        given: dict[Expr, Expr] = {
            read(output.name, tuple(position(each) for each in output.indices), output.dtype): position(stood)
        }
        (value,) = bodies_along(node)
        exprs = [value, rename(value, {along(node): stood}), position(stood)]
        exprs += [replace_nodes(other.expr, given) for other in stage.outputs[1:]]
        writes = [
            Write(lowering.lowered(expr), self._written(each), each.indices)
            for expr, each in zip(exprs, (output, output, *stage.outputs), strict=True)
        ]
        nest = self._alone(stage, name, writes, lowering, along(node), stood)
        return self._taken(self.schedules.ordered(nest, node, stood))

    def _alone(self, stage: Stage, name: str, writes: Sequence[Write], lowering: Lowering, *alone: str) -> Nest:
        """The nest of these writes, in which some indices stay indices of their own."""
        few = merged(writes, lowering.accesses, self.numbers.sizes, stage.outputs[0].indices, alone)
        text = heading(self.formula, stage)
        return _used(
            Nest(name, text, few.writes, few.accesses, few.extents, few.order, self.formula.attributes, self.target)
        )

    def _written(self, output: Output) -> Access:
        """Where an output goes."""
        strides = index_strides(output.axes, self.places[output.name].strides, self.numbers.sizes)
        once = self.of_one_step.get(output.name, ())
        moving = {
            index: step for index, step in strides.items() if index not in once and self.numbers.sizes[root(index)] != 1
        }
        whole = self.whole.get(output.name, output.name)
        return Access(output.name, whole, output.dtype, self.places[output.name].offset, moving)

    def _nest(self, stage: Stage, name: str) -> Nest:
        """The nest of a stage of loops, over as few indices as there can be."""
        lowering = Lowering(self.operands, self.places, self.numbers)
        writes = []
        for output in stage.outputs:
            writes.append(Write(lowering.lowered(output.expr), self._written(output), output.indices))
        few = merged(writes, lowering.accesses, self.numbers.sizes, stage.outputs[0].indices)
        text = heading(self.formula, stage)
        return Nest(name, text, few.writes, few.accesses, few.extents, few.order, self.formula.attributes, self.target)

    def _lowered(self, stage: Stage, name: str, thin: bool | None = None) -> list[Kernel]:
        nest = self._nest(stage, name)
        ranges = parts(nest, self.numbers.attributes)
        if len(ranges) == 1:
            return self._scheduled(nest, thin)
        return [
            replace(kernel, piece=at + 1) for at, part in enumerate(ranges) for kernel in self._scheduled(_fewer(part))
        ]

    def _scheduled(self, nest: Nest, thin: bool | None = None, cut: bool = True) -> list[Kernel]:
        """The kernels of a nest. Long reductions may be `cut` into blocks."""
        return self._taken(self.schedules.scheduled(_used(nest), thin, cut))

    def _taken(self, found: Scheduled) -> list[Kernel]:
        """The kernels that a schedule has chosen, with those of the nests around them."""
        for temporary in found.temporaries:
            self._add(temporary, found.extents)
        before = [kernel for each in found.before for kernel in self._scheduled(_fewer(each))]
        kernels = [*(replace(kernel, piece=at + 1) for at, kernel in enumerate(before)), *found.kernels]
        if found.rest is None:
            return kernels
        if not found.joins:
            return [*kernels, *self._scheduled(_fewer(found.rest))]
        rest = self._scheduled(found.rest, cut=False)
        limits = self.target.launches
        if limits.together and len(rest) == 1 and rest[0].units * rest[0].work_per_unit <= limits.steps_then:
            return [*kernels[:-1], replace(kernels[-1], then=rest[0])]
        return [*kernels, *rest]


def _fewer(nest: Nest) -> Nest:
    """The same over as few indices as what it still reads allows."""
    nest = _used(nest)
    few = merged(nest.writes, nest.accesses, nest.extents, nest.order)
    return replace(nest, writes=few.writes, accesses=few.accesses, extents=few.extents, order=few.order)


def _used(nest: Nest) -> Nest:
    """Without the accesses that no expression reads."""
    return replace(nest, accesses=nest.read_by(*nest.writes))
