"""Running formulas on Tensors: plans, remembered for each operand signature.

    plan = prepare(formula, tensors, attributes)         # the second time: a dictionary look-up
    outputs = plan.run(tensors, attributes)              # outputs from the pool, and the enqueues

A plan depends on shapes, strides and dtypes, on the integers that sizes and positions depend on, and on the bindings
inherited from a forward formula; never on offsets or other numbers, which are arguments of its kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from netcl.core.bounded import Limit, Recent
from netcl.core.dtypes import canonical, name_of
from netcl.core.errors import DeviceError, DtypeError, ShapeError
from netcl.core.queue import default_queue
from netcl.core.settings import verifies
from netcl.core.tensor import Tensor
from netcl.kernels.bindings import Bindings, bind, check, check_reaches
from netcl.kernels.blame import blamed
from netcl.kernels.compiler.bounds import bounds, reaches
from netcl.kernels.compiler.dataflow import verify_plan
from netcl.kernels.compiler.emit import emit
from netcl.kernels.compiler.emit.types import COMPUTED
from netcl.kernels.compiler.host import Numbers
from netcl.kernels.compiler.ir import Formula, Operand, root
from netcl.kernels.compiler.kernel import Argument, Entry, Kernel
from netcl.kernels.compiler.layout import Placed, static_attributes
from netcl.kernels.compiler.lower import lower
from netcl.kernels.compiler.schedule import Recipe, recipe
from netcl.kernels.compiler.schedules.view import View
from netcl.kernels.compose import Launch, Step, composed
from netcl.kernels.launcher import Launcher
from netcl.kernels.work import chunks, is_small

if TYPE_CHECKING:
    from netcl.core.queue import Queue

__all__ = ["Bindings", "Plan", "prepare", "run"]


@dataclass(frozen=True)
class KernelText:
    """The name and OpenCL text of a launch of a plan; `schedules` says how it computes, for each kernel in it."""

    name: str
    schedules: tuple[str, ...]
    text: str


class Plan:
    """How one formula runs for one operand signature. `run(tensors, attributes)` gives the outputs.

    `bindings` are what gradients inherit, `kernels` the kernels it launches, `is_view` whether every output is only
    another view of an operand, `static` the attributes that it depends on, `text` the OpenCL program.
    """

    __slots__ = ("_has_bounds", "bindings", "formula", "is_view", "kernels", "run", "static", "text")

    def __init__(
        self, formula: Formula, static: Collection[str], bindings: Bindings, kernels: tuple[KernelText, ...], text: str,
        is_view: bool, run: Callable[..., tuple[Tensor, ...]],
    ) -> None:  # fmt: skip
        self.formula = formula
        self.static = static
        self.bindings = bindings
        self.kernels = kernels
        self.text = text
        self._has_bounds: bool | None = None
        self.is_view = is_view
        self.run = run

    @property
    def has_bounds(self) -> bool:
        """Whether there are positions to check before each call (`bounds.require_in_range`)."""
        if self._has_bounds is None:
            self._has_bounds = bool(bounds(self.formula)) or any(each.is_moved for each in reaches(self.formula))
        return self._has_bounds


_plans: Recent[tuple[Any, ...], Plan] = Recent(Limit("plans"))


def run(
    formula: Formula,
    tensors: Sequence[Tensor],
    attributes: Mapping[str, Any],
    bindings: Bindings | None = None,
    out: Sequence[Tensor] | None = None,
    queue: Queue | None = None,
) -> tuple[Tensor, ...]:
    """The outputs of `formula`. With `out` they are written there, even where that shares memory with operands."""
    return prepare(formula, tensors, attributes, bindings, queue).run(tensors, attributes, out)


def prepare(
    formula: Formula,
    tensors: Sequence[Tensor],
    attributes: Mapping[str, Any],
    bindings: Bindings | None = None,
    queue: Queue | None = None,
    views: bool = True,
) -> Plan:
    """The plan for tensors like these; `views=False` copies what could share the memory of an operand.

    Raises ShapeError and DtypeError where they do not fit the formula, DeviceError where they are on several queues.
    """
    static = static_attributes(formula)
    if queue is None:
        queue = tensors[0].queue if tensors else default_queue()
    key: list[Any] = [formula, queue, bindings, views]
    for tensor in tensors:
        layout = tensor.layout
        if layout.queue is not queue:
            raise _apart(formula, tensors, queue)
        key.append(layout)
    for name in static:
        key.append(attributes[name])
    found = tuple(key)
    plan = _plans.get(found) or _plans.again(found)
    if plan is None:
        plan = _plans.keep(found, _made(formula, tensors, attributes, bindings, queue, static, views))
    return plan


def _apart(formula: Formula, tensors: Sequence[Tensor], queue: Queue) -> DeviceError:
    """Queues do not wait for each other, so what one computes is not there yet for another."""
    name, other = next(
        (operand.name, tensor.queue)
        for operand, tensor in zip(formula.operands, tensors, strict=False)
        if tensor.queue is not queue
    )
    return DeviceError(
        f"{formula.name}: {name} is on {_elsewhere(other, queue)}; bring it there with "
        f"core.from_host({name}.to_host(), queue)"
    )


def _elsewhere(other: Queue, queue: Queue) -> str:
    where = "another queue of" if other.device is queue.device else f"{other.device.name!r}, not on"
    return f"{where} {queue.device.name!r}"


def _made(
    formula: Formula,
    tensors: Sequence[Tensor],
    attributes: Mapping[str, Any],
    inherited: Bindings | None,
    queue: Queue,
    static: tuple[str, ...],
    views: bool,
) -> Plan:
    for operand, tensor in zip(formula.operands, tensors, strict=False):
        if name_of(tensor.dtype) != operand.dtype:
            raise DtypeError(
                f"{formula.name}: {operand.name} is {name_of(tensor.dtype)}, this form takes {operand.dtype}; "
                f"convert it with astype"
            )
    known = {name: attributes[name] for name in static}
    bindings = bind(formula, [tensor.shape for tensor in tensors], known, inherited)
    check(formula, bindings, known)
    if inherited is None:
        check_reaches(formula, bindings, known, moved=False)
    for dtype in {each.dtype for each in (*formula.operands, *formula.outputs)}:
        queue.device.require_dtype(canonical(dtype))
    places = {operand.name: place(operand, tensor) for operand, tensor in zip(formula.operands, tensors, strict=True)}
    numbers = Numbers(bindings.sizes, known)
    return _Compiler(formula, tensors, numbers, places, bindings, queue).plan(views)


def place(operand: Operand, tensor: Tensor) -> Placed:
    """Where the elements of a tensor are, counted from its offset. One that is read flat is made contiguous before."""
    return Placed(0, (1,) if operand.flat else tensor.strides)


class _Compiler:
    """Makes the plan of one signature, and the ones that write into given tensors."""

    def __init__(
        self, formula: Formula, tensors: Sequence[Tensor], numbers: Numbers, places: Mapping[str, Placed],
        bindings: Bindings, queue: Queue,
    ) -> None:  # fmt: skip
        self.formula = formula
        self.numbers = numbers
        self.places = places
        self.bindings = bindings
        self.queue = queue
        self.tiled = queue.device.device_class == "cpu"
        self.copied = frozenset(
            operand.name
            for operand, tensor in zip(formula.operands, tensors, strict=True)
            if operand.flat and not tensor.is_contiguous
        )
        self._into: dict[tuple[Any, ...], Callable[..., Any]] = {}

    def plan(self, views: bool) -> Plan:
        """The plan whose outputs are new tensors (or views)."""
        done = recipe(lower(self.formula), self.numbers, self.places, self.bindings.shapes, views, self.tiled)
        steps, texts, text = self._built(done)
        function = composed(self.formula, self.bindings, done, steps, self.queue, self.copied, self.into)
        viewed = [step for step in done.steps if isinstance(step, View)]
        is_view = len(viewed) == len(self.formula.outputs) > 0 and not self.copied & {
            view.access.buffer for view in viewed
        }
        return Plan(self.formula, self.numbers.attributes, self.bindings, texts, text, is_view, function)

    def into(
        self, tensors: Sequence[Tensor], attributes: Mapping[str, Any], out: Sequence[Tensor]
    ) -> tuple[Tensor, ...]:
        """Run with the outputs written into `out`."""
        parts: list[Any] = []
        for target in out:
            if target.queue is not self.queue:
                raise DeviceError(
                    f"{self.formula.name}: the tensor to write into is on {_elsewhere(target.queue, self.queue)}; "
                    "make it on that of the operands"
                )
            parts.append(target.layout)
            for tensor in tensors:
                parts.append(tensor.buffer is target.buffer and _overlap(target, tensor))
        key = tuple(parts)
        if key not in self._into:
            self._check_targets(out)
            self._into[key] = self._writer(tensors, out)
        return self._into[key](tensors, attributes, out)  # type: ignore[no-any-return]

    def _writer(self, tensors: Sequence[Tensor], out: Sequence[Tensor]) -> Callable[..., tuple[Tensor, ...]]:
        """Straight into the targets where no operand is overwritten before it is read, else through new tensors."""
        flat = any(
            output.flat and not target.is_contiguous for output, target in zip(self.formula.outputs, out, strict=True)
        )
        if not flat:
            places = dict(self.places)
            for output, target in zip(self.formula.outputs, out, strict=True):
                places[output.name] = Placed(0, (1,) if output.flat else target.strides)
            done = recipe(lower(self.formula), self.numbers, places, self.bindings.shapes, False, self.tiled)
            if self._harmless(done, tensors, out):
                steps, _, _ = self._built(done)
                return composed(self.formula, self.bindings, done, steps, self.queue, self.copied, None)
        plain = self.plan(views=False)

        def write(
            tensors: Sequence[Tensor], attributes: Mapping[str, Any], out: Sequence[Tensor]
        ) -> tuple[Tensor, ...]:
            from netcl.kernels.copying import copy_into

            for result, target in zip(plain.run(tensors, attributes), out, strict=True):
                copy_into(result, target)
            return tuple(out)

        return write

    def _harmless(self, done: Recipe, tensors: Sequence[Tensor], out: Sequence[Tensor]) -> bool:
        """Whether each element of an operand that shares memory with a target is read just where it is overwritten."""
        shared = {
            operand.name: [_overlap(target, tensor) for target in out]
            for operand, tensor in zip(self.formula.operands, tensors, strict=True)
        }
        if not any(overlap != "" for overlaps in shared.values() for overlap in overlaps):
            return True
        if len(done.steps) != 1:
            return False
        (kernel,) = done.steps
        if not isinstance(kernel, Kernel) or kernel.reduces:
            return False
        for at, output in enumerate(self.formula.outputs):
            written = next(write.access for write in kernel.writes if write.access.buffer == output.name)
            for access in kernel.accesses.values():
                overlap = shared[access.buffer][at]
                in_step = overlap == "same" and (access.strides, access.offset) == (written.strides, written.offset)
                if overlap and (not in_step or access.dynamic or access.shift):
                    return False
        return True

    def _check_targets(self, out: Sequence[Tensor]) -> None:
        name, outputs = self.formula.name, self.formula.outputs
        if len(out) != len(outputs):
            raise ShapeError(f"{name}: {len(outputs)} outputs, but {len(out)} tensors to write them into")
        for output, target in zip(outputs, out, strict=True):
            shape = self.bindings.shapes[output.name]
            given = "the tensor to write it into"
            if target.shape != shape:
                raise ShapeError(f"{name}: {output.name} has shape {shape}, {given} has {target.shape}")
            if name_of(target.dtype) != output.dtype:
                raise DtypeError(
                    f"{name}: {output.name} is {output.dtype}, {given} is {name_of(target.dtype)}; use astype"
                )

    def _require_room(self, count: int) -> None:
        """Raise DeviceError where so many arguments are more than the device takes. PoCL takes any number."""
        device = self.queue.device
        if not device.is_pocl and 8 * count > device.max_parameter_size:
            raise DeviceError(
                f"{self.formula.name}: a kernel with {count} arguments of 8 bytes is too much for {device.name!r}, "
                f"which takes {device.max_parameter_size} bytes; use fewer tensors at once"
            )

    def _built(self, done: Recipe) -> tuple[list[Step], tuple[KernelText, ...], str]:
        """The kernels of a recipe, compiled as one program."""
        launched = [step for step in done.steps if isinstance(step, Kernel) and step.units]
        if not launched:
            return [step for step in done.steps if isinstance(step, View)], (), ""
        emitted = emit(launched, own_functions=self.queue.device.is_pocl, sharing=self.tiled)
        if verifies():
            self._verify(done, [entry.beside for entry in emitted.entries])
        lane = self.queue.main
        inline = self.queue.inline if is_small(launched) else None
        steps: list[Step] = [step for step in done.steps if isinstance(step, View)]
        texts = []
        for entry in emitted.entries:
            types = [_argument_type(argument, entry) for argument in entry.arguments]
            self._require_room(len(types))
            items, values = _sized(entry, self.queue)
            queued = Launcher(lane, emitted.text, entry.name, types, items)
            at_once = Launcher(inline, emitted.text, entry.name, types, items) if inline else None
            try:
                (at_once if at_once and lane.is_idle else queued).build()
            except DeviceError as error:
                raise blamed(error) from error
            steps.append(Launch(queued, at_once, entry, items, values))
            texts.append(KernelText(entry.name, tuple(kernel.schedule for kernel in entry.beside), entry.text))
        return steps, tuple(texts), emitted.text

    def _verify(self, done: Recipe, launches: list[tuple[Kernel, ...]]) -> None:
        given = {operand.name for operand in self.formula.operands}
        shapes = {output.name: self.bindings.shapes[output.name] for output in self.formula.outputs}
        viewed = {step.output for step in done.steps if isinstance(step, View)}
        outputs = [name for name in shapes if name not in viewed and prod(shapes[name])]
        shapes |= {temporary.name: temporary.shape for temporary in done.temporaries}
        elements = {name: prod(shape) for name, shape in shapes.items()}
        empty = {name for name, count in elements.items() if not count}
        verify_plan(self.formula.name, launches, given | empty, elements, outputs)


def _overlap(target: Tensor, tensor: Tensor) -> str:
    """ "same" when both are one view, "other" when they share memory in another way, else nothing."""
    if target.buffer is not tensor.buffer:
        return ""
    same = (target.offset, target.strides, target.shape) == (tensor.offset, tensor.strides, tensor.shape)
    return "same" if same else "other"


def _sized(entry: Entry, queue: Queue) -> tuple[int, dict[Argument, Any]]:
    """The number of work-items, and the values of the arguments that are known now."""
    beside = entry.beside
    shares = {id(kernel): chunks(kernel, queue.device.compute_units) for kernel in beside}
    values: dict[Argument, Any] = {}
    for argument in entry.arguments:
        kernel = entry.kernels[argument.owner]
        items, chunk = shares.get(id(kernel), (1, kernel.units))
        if argument.kind == "size":
            values[argument] = kernel.extents[root(argument.index)]
        elif argument.kind == "stride":
            values[argument] = kernel.stride(argument.of, argument.index)
        elif argument.kind == "units":
            values[argument] = kernel.units
        elif argument.kind == "chunk":
            values[argument] = chunk
        elif argument.kind == "items":
            values[argument] = items
        elif argument.kind == "block":
            values[argument] = kernel.block
        elif argument.kind == "blocks":
            values[argument] = kernel.blocks
        elif argument.kind == "number":
            values[argument] = kernel.numbers[argument.of]
    return sum(items for items, _ in shares.values()), values


def _argument_type(argument: Argument, entry: Entry) -> Any:
    if argument.kind in ("buffer", "finished"):
        return None
    if argument.kind == "attribute":
        return {"float": np.float32, "double": np.float64, "int": np.int32, "uchar": np.uint8, "long": np.int64}[
            COMPUTED[entry.kernels[argument.owner].attributes[argument.of]]
        ]
    return np.int64
