"""Running a formula slice by slice (`derive.sliced`), where its temporaries would be large.

Each slice is a call of a plan of its own, on parts of the operands, into parts of the outputs; what is summed over all
slices is added up. The memory that a slice needs between its kernels stays in a cache, and the next one has it again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from netcl.core.bounded import remembered
from netcl.core.dtypes import canonical
from netcl.core.tensor import Tensor
from netcl.kernels.compiler.derive.sliced import Sliced, slices_of
from netcl.kernels.compiler.ir import Axes, Formula, Operand, Output, position, read
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.lower.kernel import Kernel
from netcl.kernels.compiler.schedule import Recipe
from netcl.kernels.compiler.target.thresholds import SliceThresholds
from netcl.kernels.runtime.bindings import Bindings

if TYPE_CHECKING:
    from netcl.core.queue import Queue

Run = Callable[..., tuple[Tensor, ...]]


def best_slice(
    formula: Formula, sizes: Mapping[str, int], recipe: Recipe, limits: SliceThresholds
) -> tuple[Sliced, int] | None:
    """The slice that makes most of the temporaries of a recipe smaller, and how many bytes these are; None where these
    are not too many. What has no slice is computed for each again, which may be no more work than all there is at once;
    what a schedule puts in another order, as the rows of a matrix product, goes with that."""
    best: tuple[Sliced, int] | None = None
    for each in slices_of(formula):
        nbytes = sum(one.nbytes for one in recipe.temporaries if each.index in one.roots)
        if not nbytes > (limits.most if best is None else best[1]) or not sizes[each.index] > 1:
            continue
        whole = {one.name for one in recipe.temporaries if each.index not in one.roots and sizes.keys() >= {*one.roots}}
        kernels = [step for step in recipe.steps if isinstance(step, Kernel)]
        again = [step for step in kernels if whole.issuperset(write.access.buffer for write in step.writes)]
        if not _work(again) * (nbytes // limits.bytes) > _work(kernels):
            best = each, nbytes
    return best


def _work(kernels: Sequence[Kernel]) -> int:
    return sum(each.units * each.work_per_unit for each in kernels)


def in_slices(sliced: Sliced, rows: int, bindings: Bindings, queue: Queue, into: Run) -> Run:
    """What runs a formula that has these bindings in slices of so many rows."""
    whole = bindings.sizes[sliced.index]
    formula = sliced.formula
    bound = {count: _bindings(sliced, bindings, count) for count in {min(rows, whole), (whole - 1) % rows + 1}}
    shapes = [(bindings.shapes[output.name], canonical(output.dtype)) for output in formula.outputs]

    def run(
        tensors: Sequence[Tensor], attributes: Mapping[str, Any], out: Sequence[Tensor] | None = None
    ) -> tuple[Tensor, ...]:
        from netcl.kernels.runtime import launch  # which makes this

        if out is not None:
            return into(tensors, attributes, out)
        results = tuple([Tensor.allocate(queue, shape, dtype) for shape, dtype in shapes])
        outer = attributes.get(sliced.begin, 0)  # of the slice that this is a slice of
        for begin in range(0, whole, rows):
            count = min(rows, whole - begin)
            parts = [
                _part(sliced, tensor, each.axes, begin, count)
                for each, tensor in zip(formula.operands, tensors, strict=True)
            ]
            targets = [
                _target(sliced, result, each, begin, count)
                for each, result in zip(formula.outputs, results, strict=True)
            ]
            numbers = {sliced.whole: whole, **attributes, sliced.begin: outer + begin}
            launch.prepare(formula, parts, numbers, bound[count], queue).run(parts, numbers, targets)
            for each, result, target in zip(formula.outputs, results, targets, strict=True):
                if each.name in sliced.added and target is not result:
                    launch.run(_sum(each.dtype, result.ndim), (result, target), {}, out=(result,))
        return results

    return run


def _bindings(sliced: Sliced, bindings: Bindings, count: int) -> Bindings:
    """Those of a slice of so many rows."""
    shapes = dict(bindings.shapes)
    for each in (*sliced.formula.operands, *sliced.formula.outputs):
        at = sliced.axis(each.axes)
        if at is not None:
            shapes[each.name] = (*shapes[each.name][:at], count, *shapes[each.name][at + 1 :])
    return Bindings({**bindings.sizes, sliced.index: count}, shapes)


def _part(sliced: Sliced, tensor: Tensor, axes: Axes, begin: int, count: int) -> Tensor:
    """The slice of an operand or output; itself where it has no such axis."""
    at = sliced.axis(axes)
    if at is None:
        return tensor
    shape = (*tensor.shape[:at], count, *tensor.shape[at + 1 :])
    layout = tensor.queue.layouts.of(shape, tensor.strides, tensor.dtype)
    return Tensor(tensor.buffer, layout, tensor.offset + begin * tensor.strides[at], tensor.counter)


def _target(sliced: Sliced, result: Tensor, output: Output, begin: int, count: int) -> Tensor:
    """Where a slice writes: into its part of the result, or what is added to it."""
    if output.name not in sliced.added:
        return _part(sliced, result, output.axes, begin, count)
    return result if begin == 0 else Tensor.allocate(result.queue, result.shape, result.dtype)


@remembered("sums of slices", 64)
def _sum(dtype: str, rank: int) -> Formula:
    """y[i0, i1, …] = a[i0, i1, …] + b[i0, i1, …]."""
    indices = tuple(f"i{axis}" for axis in range(rank))
    axes = tuple((index,) for index in indices)
    value = call("add", *(read(name, tuple(map(position, indices)), dtype) for name in ("a", "b")))
    return Formula(
        "sum_of_slices", tuple(Operand(name, dtype, axes) for name in ("a", "b")), {}, (Output("y", value, axes),)
    )
