"""Running formulas on Tensors: plans, remembered for each operand signature.

    plan = prepare(formula, tensors, attributes)         # the second time: a dictionary look-up
    outputs = plan.run(tensors, attributes)              # outputs from the pool, and the enqueues

A plan depends on shapes, strides and dtypes, on the integers that sizes and positions depend on, and on the bindings
inherited from a forward formula; never on offsets or other numbers, which are arguments of its kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from netcl.core.bounded import Limit, Recent
from netcl.core.dtypes import canonical, name_of
from netcl.core.errors import DeviceError, DtypeError, ShapeError
from netcl.core.queue import default_queue
from netcl.core.settings import verifies
from netcl.core.shapes import contiguous_strides
from netcl.core.tensor import Tensor
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.derive.sliced import Sliced, slices_of
from netcl.kernels.compiler.ir import Formula, Operand
from netcl.kernels.compiler.ir.bounds import bounds, reaches
from netcl.kernels.compiler.ir.host import Numbers
from netcl.kernels.compiler.ir.quantity import Questions
from netcl.kernels.compiler.lower.accesses import Layouts, Placed, static_attributes
from netcl.kernels.compiler.lower.kernel import Kernel
from netcl.kernels.compiler.lower.verify_plan import InvalidPlan
from netcl.kernels.compiler.pipeline import Program
from netcl.kernels.compiler.schedule import Recipe
from netcl.kernels.compiler.target import Target
from netcl.kernels.runtime.bindings import Bindings, bind, check, check_reaches
from netcl.kernels.runtime.plan_code import composed
from netcl.kernels.runtime.schemes import KernelText, Scheme, built, flattened, found, quantities, scheme_of
from netcl.kernels.runtime.slices import best_slice, in_slices
from netcl.kernels.runtime.verify_program import verify_program

if TYPE_CHECKING:
    from netcl.core.queue import Queue

__all__ = ["Bindings", "Plan", "prepare", "run"]


class Plan:
    """How one formula runs for one operand signature. `run(tensors, attributes)` gives the outputs.

    `bindings` are what gradients inherit, `kernels` the kernels it launches, `is_view` whether every output is only
    another view of an operand, `static` the attributes that it depends on, `text` the OpenCL program. `writing()` makes
    a `run(tensors, attributes, out)` that looks at nothing: what it writes into are contiguous tensors that share
    memory with nothing else. There is none for a plan of which an output may be a view, or that is run in slices.
    """

    __slots__ = ("_has_bounds", "bindings", "formula", "is_view", "kernels", "run", "static", "text", "writing")

    def __init__(
        self, formula: Formula, static: Collection[str], bindings: Bindings, kernels: tuple[KernelText, ...], text: str,
        is_view: bool, run: Callable[..., tuple[Tensor, ...]],
        writing: Callable[[], Callable[..., tuple[Tensor, ...]]] | None = None,
    ) -> None:  # fmt: skip
        self.formula = formula
        self.static = static
        self.bindings = bindings
        self.kernels = kernels
        self.text = text
        self._has_bounds: bool | None = None
        self.is_view = is_view
        self.run = run
        self.writing = writing

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
    plan = _plans[found]
    if plan is None:
        plan = _plans.keep(found, _made(formula, tensors, attributes, bindings, queue, static, views))
    return plan


def prepare_for(
    target: Target,
    formula: Formula,
    tensors: Sequence[Tensor],
    attributes: Mapping[str, Any],
    inherited: Bindings | None = None,
    queue: Queue | None = None,
) -> Plan:
    """A plan as for another target than that of the device, of which nothing is remembered: to try what is faster, and
    whether it is right."""
    known = {name: attributes[name] for name in static_attributes(formula)}
    bindings = bind(formula, [tensor.shape for tensor in tensors], known, inherited)
    return _Planner(formula, tensors, known, bindings, queue or tensors[0].queue, target).alone()


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
    return _Planner(formula, tensors, known, bindings, queue).plan(views)


def place(operand: Operand, tensor: Tensor) -> Placed:
    """Where the elements of a tensor are, counted from its offset. One that is read flat is made contiguous before.

    Without elements it counts as contiguous: an axis of stride 0 says that an element can be read before a loop over
    it, and here there is none to read.
    """
    if operand.flat:
        return Placed(0, (1,))
    return Placed(0, tensor.strides if tensor.size else contiguous_strides(tensor.shape))


_writers: Recent[tuple[Any, ...], Callable[..., Any]] = Recent(Limit("plans that write into tensors"))


class _Planner:
    """Makes the plan of one signature, and the ways to run it that write into given tensors."""

    __slots__ = ("bindings", "copied", "formula", "known", "queue", "strides", "target")

    def __init__(
        self, formula: Formula, tensors: Sequence[Tensor], known: Mapping[str, Any], bindings: Bindings, queue: Queue,
        target: Target | None = None,
    ) -> None:  # fmt: skip
        self.formula = formula
        self.known = known
        self.bindings = bindings
        self.queue = queue
        self.target = target or Target.of(queue.device)
        pairs = [*zip(formula.operands, tensors, strict=True)]
        self.strides = {operand.name: place(operand, tensor).strides for operand, tensor in pairs}
        self.copied = tuple([each.name for each, tensor in pairs if each.flat and not tensor.is_contiguous])

    def plan(self, views: bool) -> Plan:
        """The plan whose outputs are new tensors (or views)."""

        return self._plan(*self._scheme(self.strides, lambda known: self._made(known, views), views))

    def alone(self) -> Plan:
        """The same for these numbers alone, at once and not in slices; nothing of it is remembered."""
        known = self._for_itself(self.strides)
        program = self._program(known, True)
        scheme = self._run_at_once(known, program)
        self._verify(scheme, program, self.strides)
        values = scheme.numbers(())
        assert values is not None
        return self._plan(scheme, values)

    def _made(self, known: _Known, views: bool) -> tuple[Scheme, Program]:
        program, best = self._in_slices(known, views)
        if best is not None:
            text = program.emitted.text if program.emitted else ""
            return Scheme(known.questions.function([best[1]]), None, (), text, False, best[0]), program
        return self._run_at_once(known, program), program

    def _run_at_once(self, known: _Known, program: Program) -> Scheme:
        """What runs a program as a whole."""
        steps, texts, text = built(self.formula, program, self.queue, self.target)
        made = composed(self.formula, known.shapes, program.recipe, steps, self.queue, self.copied)
        viewed = [view.access.buffer for view in program.views]
        is_view = len(viewed) == len(self.formula.outputs) > 0 and not {*self.copied} & {*viewed}
        return scheme_of(known.questions, made, texts, text, is_view)

    def _plan(self, scheme: Scheme, numbers: tuple[Any, ...]) -> Plan:
        if scheme.sliced is not None:
            whole = self.bindings.sizes[scheme.sliced.index]
            rows = max(1, min(self.target.slices.bytes * whole // numbers[0], (whole + 1) // 2))
            run = in_slices(scheme.sliced, rows, self.bindings, self.queue, self.into)
        else:
            assert scheme.run is not None
            run = scheme.run(numbers, self.into)
        made = scheme.writing
        writing = None if made is None else lambda: made()(numbers, None)
        return Plan(self.formula, self.known, self.bindings, scheme.kernels, scheme.text, scheme.is_view, run, writing)

    def _scheme(
        self, strides: Mapping[str, tuple[int, ...]], make: Callable[[_Known], tuple[Scheme, Program]], *apart: Any
    ) -> tuple[Scheme, tuple[Any, ...]]:
        """The scheme for tensors with these strides, and its numbers; `apart` is what else tells schemes apart."""
        numbers, rest = flattened(self.bindings.sizes, self.bindings.shapes, self.known, strides)
        programs: list[Program] = []

        def known(questions: Questions) -> _Known:
            left = list(questions.given)
            each = (self.bindings.sizes, self.bindings.shapes, self.known, strides)
            return _Known(questions, *(quantities(mapping, left) for mapping in each))

        def of(questions: Questions) -> Scheme:
            scheme, program = make(known(questions))
            programs.append(program)
            return scheme

        scheme, values = found((self.formula, self.queue, self.copied, rest, *apart), numbers, of)
        if verifies():
            views = apart[0] is True
            if programs:
                program = programs[-1]
            else:
                program = self._by_itself(lambda alone: self._in_slices(known(Questions(numbers, alone)), views)[0])
            self._verify(scheme, program, strides)
        return scheme, values

    @staticmethod
    def _by_itself(program: Callable[[bool], Program]) -> Program:
        """What is compiled for some numbers, as if it were for the first time."""
        try:
            return program(False)
        except TypeError:  # as in `schemes.found`
            return program(True)

    def _for_itself(self, strides: Mapping[str, tuple[int, ...]]) -> _Known:
        """These numbers, and no others."""
        return _Known(Questions(()), self.bindings.sizes, self.bindings.shapes, self.known, strides)

    def _in_slices(self, known: _Known, views: bool) -> tuple[Program, tuple[Sliced, int] | None]:
        """The program; where it has large temporaries, and slices would make them smaller, that with all tables that
        are worth it, and how to slice it."""
        if not slices_of(self.formula):
            return self._program(known, views), None
        program = self._program(known, views, self.target.with_any_table())
        if not sum(each.nbytes for each in program.recipe.temporaries) > self.target.slices.most:
            return program, None
        best = best_slice(self.formula, known.sizes, program.recipe, self.target.slices)
        if best is not None:
            return program, best
        return self._program(known, views), None

    def _program(self, known: _Known, views: bool, target: Target | None = None) -> Program:
        places = {name: Placed(0, strides) for name, strides in known.strides.items()}
        layouts = Layouts(Numbers(known.sizes, known.attributes), places, known.shapes)
        return pipeline.compile(self.formula, layouts, target or self.target, views)

    def _verify(self, scheme: Scheme, program: Program, strides: Mapping[str, tuple[int, ...]]) -> None:
        """Where it is asked for, verify the program that is run for these numbers: the one that the scheme was made
        with, or what they come to by themselves, which has to be the same text. Raises InvalidPlan or IllegalNest."""
        if not verifies() or scheme.run is None or program.emitted is None:
            return
        if scheme.text != program.emitted.text:
            raise InvalidPlan(f"{self.formula.name}: shapes that share a scheme would have other kernels by themselves")
        verify_program(self.formula, program, self.bindings.shapes, strides, self.known)

    def into(
        self, tensors: Sequence[Tensor], attributes: Mapping[str, Any], out: Sequence[Tensor]
    ) -> tuple[Tensor, ...]:
        """Run with the outputs written into `out`."""
        parts: list[Any] = [self]
        for place, target in enumerate(out):
            for other in out[:place]:
                if other.buffer is target.buffer and np.shares_memory(_placed(other), _placed(target)):
                    raise ShapeError(f"{self.formula.name}: two of the tensors to write into share memory")
            if target.queue is not self.queue:
                raise DeviceError(
                    f"{self.formula.name}: the tensor to write into is on {_elsewhere(target.queue, self.queue)}; "
                    "make it on that of the operands"
                )
            parts.append(target.layout)
            for tensor in tensors:
                parts.append(tensor.buffer is target.buffer and _overlap(target, tensor))
        key = tuple(parts)
        writer = _writers[key]
        if writer is None:
            self._check_targets(out)
            writer = _writers.keep(key, self._writer(tensors, out))
        return writer(tensors, attributes, out)  # type: ignore[no-any-return]

    def _writer(self, tensors: Sequence[Tensor], out: Sequence[Tensor]) -> Callable[..., tuple[Tensor, ...]]:
        """Straight into the targets where no operand is overwritten before it is read, else through new tensors."""
        pairs = [*zip(self.formula.outputs, out, strict=True)]
        if not any(output.flat and not target.is_contiguous for output, target in pairs):
            shared = {
                operand.name: tuple([_overlap(target, tensor) for target in out])
                for operand, tensor in zip(self.formula.operands, tensors, strict=True)
            }

            def make(known: _Known) -> tuple[Scheme, Program]:
                program, best = self._in_slices(known, False)
                if best is not None or not self._harmless(program.recipe, shared):
                    return Scheme(known.questions.function(()), None), program
                steps, texts, text = built(self.formula, program, self.queue, self.target)
                made = composed(self.formula, known.shapes, program.recipe, steps, self.queue, self.copied, writes=True)
                return scheme_of(known.questions, made, texts, text, False), program

            targets = {output.name: (1,) if output.flat else target.strides for output, target in pairs}
            scheme, numbers = self._scheme({**self.strides, **targets}, make, "writes", *shared.values())
            if scheme.run is not None:
                return scheme.run(numbers, None)  # type: ignore[no-any-return]
        plain = self.plan(views=False)

        def write(
            tensors: Sequence[Tensor], attributes: Mapping[str, Any], out: Sequence[Tensor]
        ) -> tuple[Tensor, ...]:
            from netcl.kernels.runtime.copying import copy_into

            for result, target in zip(plain.run(tensors, attributes), out, strict=True):
                copy_into(result, target)
            return tuple(out)

        return write

    def _harmless(self, done: Recipe, shared: Mapping[str, Sequence[str]]) -> bool:
        """Whether each element of an operand that shares memory with a target is read just where it is overwritten."""
        if not any(overlap != "" for overlaps in shared.values() for overlap in overlaps):
            return True
        if len(done.steps) != 1:
            return False
        (kernel,) = done.steps
        if not isinstance(kernel, Kernel) or kernel.reduces or kernel.computation.states:
            return False
        for at, output in enumerate(self.formula.outputs):
            written = [write.access for write in kernel.writes if write.access.buffer == output.name]
            for access in kernel.accesses.values():
                overlap = shared[access.buffer][at]
                in_step = overlap == "same" and all(
                    (access.strides, access.offset) == (each.strides, each.offset) for each in written
                )
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


@dataclass(frozen=True)
class _Known:
    """What a scheme is made of: quantities for the numbers of one signature."""

    questions: Questions
    sizes: Mapping[str, int]
    shapes: Mapping[str, tuple[int, ...]]
    attributes: Mapping[str, Any]
    strides: Mapping[str, tuple[int, ...]]


def _overlap(target: Tensor, tensor: Tensor) -> str:
    """ "same" when both are one view, "other" when they may share memory in another way, else nothing."""
    if target.buffer is not tensor.buffer:
        return ""
    same = (target.offset, target.strides, target.shape) == (tensor.offset, tensor.strides, tensor.shape)
    return "same" if same else "other"


def _placed(tensor: Tensor) -> np.ndarray[Any, Any]:
    """An array that lies in no memory as a tensor does in its buffer; nothing may be read of it."""
    size = tensor.dtype.itemsize
    strides = tuple([size * each for each in tensor.strides])
    described = {"version": 3, "typestr": f"|V{size}", "shape": tensor.shape, "strides": strides}
    return np.asarray(SimpleNamespace(__array_interface__={**described, "data": (size * (1 + tensor.offset), True)}))
