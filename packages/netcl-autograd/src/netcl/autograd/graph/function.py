"""Function: an op written as a class with `forward(ctx, …)` and `backward(ctx, …)`.

    class Cube(ag.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, dy):
            (x,) = ctx.saved_tensors
            return 3 * x * x * dy

    y = Cube.apply(x)

`forward` gets plain values and records nothing. `backward` gets one gradient per output and returns one gradient or
None per argument of forward; further Nones, for arguments that were not given, may follow. Under create_graph it gets
nodes, and what it computes is recorded.

What is left for backward may stand in a method of its own; forward then gets no ctx, and may be called by itself:

    class Cube(ag.Function):
        @staticmethod
        def forward(x):
            return x * x * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)
"""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from netcl.autograd.graph import values
from netcl.autograd.graph.apply import apply_op, raising
from netcl.autograd.graph.inplace import forbid_leaf_write, rebase
from netcl.autograd.graph.levels import carried, tangents_of
from netcl.autograd.graph.modes import no_grad
from netcl.autograd.graph.node import Node, unwrap_all
from netcl.autograd.graph.record import Record
from netcl.autograd.graph.saved import SavedValue
from netcl.autograd.graph.state import LOCAL
from netcl.core.arguments import kind_of
from netcl.core.errors import GraphError

__all__ = ["Context", "Function", "once_differentiable"]


class Context:
    """What forward leaves for backward. Any other attribute may be set on it."""

    def __init__(self, name: str, arguments: Sequence[Any]) -> None:
        self.needs_input_grad: tuple[bool, ...] = tuple(
            isinstance(a, Node) and (a.requires_grad or bool(tangents_of(a))) for a in arguments
        )
        self._name = name
        self._recording = LOCAL.state.grad_enabled
        self._arguments: Sequence[Any] | None = arguments  # only while forward runs
        self._inputs: Sequence[Any] = ()  # likewise
        self._saved: list[SavedValue] | None = []
        self._to_save: Sequence[Any] = ()
        self._non_differentiable: Sequence[Any] = ()
        self._dirty: list[int] = []
        self._materialize = True
        self._clears = False
        self._record: Callable[[], Record | None] = _no_record
        self._handles: dict[tuple[str, int], Any] | None = None  # while jvp runs: the operands and outputs

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep inputs, outputs or other values until backward; writing them in place meanwhile is an error."""
        self._to_save = unwrap_all(tensors)

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The saved values; under create_graph and in jvp inputs and outputs are nodes in the graph."""
        record, run, kept, handles = self._record(), LOCAL.state.run, self._kept(), self._handles
        if self._clears and run is not None and not run.retain_graph:
            self._saved = None
        plain = [saved.get(self._name, index) for index, saved in enumerate(kept)]
        pairs = zip(kept, plain, strict=True)
        if handles is not None:
            return tuple(value if saved.edge is None else handles[saved.edge] for saved, value in pairs)
        if record is None or run is None:
            return tuple(plain)
        attach = LOCAL.state.grad_enabled
        found = [_attached(record, saved, value) if attach else value for saved, value in pairs]
        return tuple(carried(record, found, [saved.edge for saved in kept]))

    def mark_non_differentiable(self, *outputs: Any) -> None:
        """Say which outputs of forward have no gradient; `apply` raises GraphError for what forward does not return."""
        self._non_differentiable = unwrap_all(outputs)

    def mark_dirty(self, *inputs: Any) -> None:
        """Say which inputs forward writes in place, before writing; a leaf that requires a gradient is refused."""
        for value in inputs:
            index = _position(value, self._inputs)
            if index is None:
                raise GraphError(f"{self._name}: mark_dirty takes arguments of forward")
            argument = (self._arguments or ())[index]
            if tangents_of(argument):
                raise GraphError(
                    f"{self._name}: it writes an argument in place that has a tangent, which it cannot change with it; "
                    "let it return a new value"
                )
            if isinstance(argument, Node) and self._recording:
                forbid_leaf_write(argument, self._name)
            self._dirty.append(index)

    def set_materialize_grads(self, materialize: bool) -> None:
        """Whether the gradient of an output that was not used comes as zeros (the default) or as None."""
        self._materialize = bool(materialize)

    def _kept(self) -> list[SavedValue]:
        if self._saved is None:
            raise GraphError(
                f"{self._name}: its saved values were read before, and it has clear_saved_on_access; read them once, "
                "or pass retain_graph=True to backward"
            )
        return self._saved

    def _settle(self, outputs: Sequence[Any]) -> None:
        """Store what is to be saved, now that the outputs are known."""
        saved = self._kept()
        for value in self._to_save:
            index, kind = _position(value, outputs), "output"
            if index is None:
                index, kind = _position(value, self._inputs), "input"
            saved.append(SavedValue(value, None if index is None else (kind, index)))
        self._to_save = self._inputs = ()


class Function:
    """Subclass it with static methods `forward(ctx, …)` and `backward(ctx, …)`; call `apply`. With a static method
    `setup_context(ctx, inputs, output)` it is `forward(…)`, without ctx.

    Two settings are for functions of large values, to free memory while backward still works: with `boxed_grads`
    backward is called as `backward(ctx, output_gradients)` with a list that nobody else holds, so that what is popped
    off it can be freed; with `clear_saved_on_access` reading `ctx.saved_tensors` hands the saved values over.
    """

    boxed_grads = False
    clear_saved_on_access = False

    # With **kwargs, which nobody passes, type checkers let a subclass name its own parameters.
    @staticmethod
    def forward(ctx: Context, /, *args: Any, **kwargs: Any) -> Any:
        """Compute the output, or a tuple of outputs, from plain values."""
        raise GraphError("a Function needs a static method forward(ctx, …)")

    @staticmethod
    def backward(ctx: Context, /, *output_gradients: Any, **kwargs: Any) -> Any:
        """Return one gradient or None per argument of forward."""
        raise GraphError("a Function needs a static method backward(ctx, …)")

    @staticmethod
    def setup_context(ctx: Any, /, inputs: tuple[Any, ...], output: Any) -> None:
        """Leave for backward what it needs of the arguments of forward, defaults included, and of what it returned."""
        raise GraphError("a Function without a setup_context of its own has forward(ctx, …)")

    jvp: Callable[..., Any] | None = None
    """`jvp(ctx, *tangents)`: return the tangent of each output from one tangent or None per argument of forward.
    Without it tangents are had from backward, if that is made of ops."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Refused: a Function is not made, it is applied."""
        name = type(self).__name__
        raise TypeError(f"{name} is a Function, of which no object is made: call {name}.apply(…)")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run the function, and record it if an argument requires a gradient."""
        name = cls.__name__
        apart = cls.setup_context is not Function.setup_context
        if apart:
            args = _with_defaults(cls, args)
        ctx = Context(name, args)
        ctx._clears = cls.clear_saved_on_access
        non_differentiable: list[int] = []  # filled by forward, read by apply_op after it

        def forward(*inputs: Any) -> Any:
            ctx._inputs = inputs
            with no_grad():
                result = cls.forward(*inputs) if apart else cls.forward(ctx, *inputs)
                if apart:
                    cls.setup_context(ctx, inputs, result)
            several = isinstance(result, (tuple, list))
            outputs = tuple(unwrap_all(result if several else (result,)))
            for index in dict.fromkeys(ctx._dirty):
                if _position(inputs[index], outputs) is None:
                    raise GraphError(f"{name}: argument {index} is marked dirty, so forward must return it")
                if hasattr(inputs[index], "bump_version"):
                    inputs[index].bump_version()
            for value in ctx._non_differentiable:
                if _position(value, outputs) is None:
                    raise GraphError(f"{name}: mark_non_differentiable takes outputs of forward, not {kind_of(value)}")
            non_differentiable.extend(
                i for i, output in enumerate(outputs) if _position(output, ctx._non_differentiable) is not None
            )
            ctx._settle(outputs)
            return outputs if several else outputs[0]

        result = apply_op(
            forward, _Rule(cls, ctx), *args,
            op_name=name, non_differentiable=non_differentiable, jvp=cls.jvp and _Tangent(cls, ctx),
        )  # fmt: skip
        ctx._arguments = None
        outputs = result if isinstance(result, tuple) else (result,)
        if ctx._dirty and ctx._record() is not None:
            outputs = tuple(_in_place(output, args, ctx._dirty) for output in outputs)
            return outputs if isinstance(result, tuple) else outputs[0]
        return result


class _Rule:
    """The grad_fn of a Function."""

    __slots__ = ("_ctx", "_function")

    def __init__(self, function: type[Function], ctx: Context) -> None:
        self._function = function
        self._ctx = ctx

    def recorded(self, record: Record) -> None:
        """Learn which record this is the rule of."""
        record.extra.operands = None  # backward returns one entry per argument, numbers included
        record.extra.boxed = self._function.boxed_grads
        self._ctx._record = weakref.ref(record)

    def __call__(self, *gradients: Any) -> list[Any]:
        ctx, boxed = self._ctx, self._function.boxed_grads
        box: list[Any] = gradients[0] if boxed else list(gradients)
        record = ctx._record()
        if ctx._materialize and record is not None:
            for i in range(len(box)):
                if box[i] is None:
                    box[i] = values.filled(record.spec(i), 0)
        result = self._function.backward(ctx, box) if boxed else self._function.backward(ctx, *box)
        found = list(result) if isinstance(result, (tuple, list)) else [result]
        while len(found) > len(ctx.needs_input_grad) and found[-1] is None:  # of an argument that was not given
            found.pop()
        return found

    def saved(self) -> dict[str, Any]:
        """The saved values by name."""
        ctx = self._ctx
        return {f"value{i}": saved.get(ctx._name, i) for i, saved in enumerate(ctx._kept())}


class _Tangent:
    """The tangent rule of a Function with a jvp."""

    __slots__ = ("_ctx", "_function")

    def __init__(self, function: type[Function], ctx: Context) -> None:
        self._function = function
        self._ctx = ctx

    def __call__(self, operands: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]) -> Any:
        ctx = self._ctx
        named = {("input", i): operand for i, operand in enumerate(operands)}
        named.update({("output", i): output for i, output in enumerate(outputs)})
        before, ctx._handles = ctx._handles, named
        try:
            return self._function.jvp(ctx, *tangents)  # type: ignore[misc]
        finally:
            ctx._handles = before


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a `backward` that is not differentiable: it gets plain values, a second derivative is an error."""

    @functools.wraps(backward)
    def once(ctx: Context, *gradients: Any) -> Any:
        with no_grad():
            result = backward(ctx, *unwrap_all(gradients))
        record = ctx._record()
        if record is None or LOCAL.state.run is None or not LOCAL.state.run.create_graph:
            return result
        refuse = raising(
            f"{ctx._name}: its backward is marked once_differentiable, so it has no second derivative "
            "(and no tangent, unless it has a jvp)"
        )
        sources = [g for g in gradients if isinstance(g, Node)]
        sources += [Node(None, True, edge) for edge in record._edges if edge is not None]

        def join(gradient: Any) -> Any:
            if gradient is None:
                return None
            return apply_op(lambda *_: gradient, refuse, *sources, op_name=f"{ctx._name}.backward")

        return tuple(join(g) for g in result) if isinstance(result, (tuple, list)) else join(result)

    return once


def _in_place(output: Any, args: Sequence[Any], dirty: Sequence[int]) -> Any:
    """Give the handle that was written in place its new record, and return it in the place of the output."""
    for index in dirty:
        if isinstance(args[index], Node) and isinstance(output, Node) and args[index].value is output.value:
            return rebase(args[index], output)
    return output


def _with_defaults(function: type[Function], args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of forward, with the defaults of those that were not given."""
    try:
        given = inspect.signature(function.forward).bind(*args)
    except TypeError as error:
        raise TypeError(f"{function.__name__}: {error}; with a setup_context forward has no ctx: forward(…)") from None
    given.apply_defaults()
    return given.args


def _attached(record: Record, saved: SavedValue, value: Any) -> Any:
    if saved.edge is None:
        return value
    kind, index = saved.edge
    if kind == "input":
        edge = record._edges[index]
    else:
        edge = None if index in record.extra.non_differentiable else (record, index)
    return value if edge is None else Node(value, True, edge)


def _position(value: Any, among: Sequence[Any]) -> int | None:
    for index, other in enumerate(among):
        if other is value:
            return index
    return None


def _no_record() -> None:
    return None
