"""The catalogue on the tape: the one module of this package that knows netcl.kernels.

Calling an op with a Node among its arguments records it. The record's rule is the gradient formula that the compiler
derives; running that rule under create_graph is again the recording of a formula, so every order comes from one
function.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from netcl import core, kernels
from netcl.autograd import forward as forward_mode
from netcl.autograd.apply import apply_op, raising, view_without_gradient
from netcl.autograd.batched import Batch, Batched, batch_levels, concerned, in_each_call, innermost, physical, tensor_of
from netcl.autograd.frames import user_line
from netcl.autograd.inplace import apply_in_place
from netcl.autograd.node import Node, unwrap_all
from netcl.autograd.saved import Saves, about_to_write, note_mutation
from netcl.autograd.state import LOCAL
from netcl.autograd.tracer import TraceNode, refuse_write
from netcl.autograd.views import ViewNode
from netcl.kernels import launch, namespace
from netcl.kernels.bindings import Bindings, bind
from netcl.kernels.bounds import require_in_range
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.batch import batched, draws
from netcl.kernels.compiler.differentiate import NoDerivative, tangent_names
from netcl.kernels.compiler.ir import FLOATS, Formula, Number, number
from netcl.kernels.op import Op, register_handle, register_random


def call(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run an op on arguments that hold Nodes: bind it, and record the formula under the op's name.

    With `out` nothing is recorded, so an operand (or target) that requires a gradient is a GraphError.
    """
    if "out" in kwargs:
        return _into(op, args, dict(kwargs))
    bound = op.bind(args, kwargs)
    outputs = record_formula(bound.formula, bound.operands, bound.attributes, None, op.name)
    return outputs[0] if len(outputs) == 1 else outputs


def record_formula(
    formula: Formula,
    operands: Sequence[Any],
    attributes: Mapping[str, Any],
    bindings: Bindings | None,
    name: str,
) -> tuple[Any, ...]:
    """The visible outputs of a formula, recorded where an operand wants a gradient."""
    state = LOCAL.state
    if state.levels:
        drawing = None if bindings is None else ()  # a derivative draws the numbers that its formula drew
        return _visible(formula, in_levels(formula, operands, attributes, bindings, name, drawing))
    needs = tuple([isinstance(each, Node) and each.requires_grad for each in operands])
    keeps_values = state.tape is not None and not state.tape.track_gradients
    if not (state.grad_enabled and any(needs)) and state.tracer is None and not keeps_values:
        tensors = [each.value if isinstance(each, Node) else each for each in operands]
        plan = launch.prepare(pipeline.visible(formula), tensors, attributes, bindings)
        if bindings is None:
            require_in_range(plan.formula, tensors, attributes, plan.bindings)
        return plan.run(tensors, attributes)
    return _visible(formula, every_output(formula, operands, attributes, bindings, name))


def every_output(
    formula: Formula, operands: Sequence[Any], attributes: Mapping[str, Any], bindings: Bindings | None, name: str
) -> tuple[Any, ...]:
    """All outputs of a formula, also those that are computed only to be saved."""
    needs = tuple([isinstance(each, Node) and each.requires_grad for each in operands])
    saves, constant, problem = saving(formula, needs)
    rule = Rule(formula, attributes, bindings, saves)
    outputs = apply_op(
        rule.forward,
        raising(problem) if problem else None if len(constant) == len(formula.outputs) else rule,
        *operands,
        op_name=name,
        attrs=attributes,
        saves=() if problem else saves,
        non_differentiable=constant,
        metadata={"declared_at": formula.declared_at},
        abstract=rule.abstract,
    )
    return outputs if isinstance(outputs, tuple) else (outputs,)


def _visible(formula: Formula, outputs: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(each for each, output in zip(outputs, formula.outputs, strict=True) if not output.hidden)


class Rule:
    """How one recorded formula runs forward and back; called by the engine as `rule(saved, needs,
    *output_gradients)`.
    """

    __slots__ = ("attributes", "bindings", "formula", "inherits", "saves")

    def __init__(
        self, formula: Formula, attributes: Mapping[str, Any], bindings: Bindings | None, saves: Saves
    ) -> None:
        self.formula = formula
        self.attributes = attributes
        self.bindings = bindings
        self.saves = saves
        self.inherits = bindings is not None

    def forward(self, *tensors: Any) -> Any:
        plan = launch.prepare(self.formula, tensors, self.attributes, self.bindings)
        if not self.inherits:
            require_in_range(self.formula, tensors, self.attributes, plan.bindings)
        self.bindings = plan.bindings
        outputs = plan.run(tensors, self.attributes)
        return outputs if len(outputs) > 1 else outputs[0]

    def abstract(self, *operands: Any) -> Any:
        """(shape, dtype) of each output, without running."""
        bindings = bind(self.formula, [each.shape for each in operands], self.attributes, self.bindings)
        specs = [(bindings.shapes[output.name], core.dtypes.canonical(output.dtype)) for output in self.formula.outputs]
        return specs if len(specs) > 1 else specs[0]

    def __call__(self, saved: tuple[Any, ...], needs: tuple[bool, ...], *output_gradients: Any) -> list[Any]:
        formula = self.formula
        if None in output_gradients:
            gradient, wanted = _partial_gradient(formula, needs, tuple(each is not None for each in output_gradients))
            if not wanted:
                return [None] * len(needs)
        else:
            gradient, wanted = _gradient(formula, needs)
        values = dict(zip(_saved_names(formula, self.saves), saved, strict=True))
        mentioned = {operand.name for operand in gradient.operands}
        for output, each in zip(formula.outputs, output_gradients, strict=True):
            if each is None and "d" + output.name in mentioned:
                each = self._zeros(output, output_gradients)
            values["d" + output.name] = each
        operands = [values[operand.name] for operand in gradient.operands]
        found = record_formula(gradient, operands, self.attributes, self.bindings, gradient.name)
        result: list[Any] = [None] * len(needs)
        for at, each in zip(wanted, found, strict=True):
            result[at] = each
        return result

    def _zeros(self, output: Any, others: Sequence[Any]) -> Any:
        assert self.bindings is not None
        queue = next(each.queue for each in others if each is not None)
        return core.zeros(self.bindings.shapes[output.name], dtype=output.dtype, queue=queue)


@cache
def _gradient(formula: Formula, needs: tuple[bool, ...]) -> tuple[Formula, tuple[int, ...]]:
    wanted = tuple(at for at, need in enumerate(needs) if need)
    return pipeline.gradient(formula, tuple(formula.operands[at].name for at in wanted)), wanted


@cache
def _partial_gradient(
    formula: Formula, needs: tuple[bool, ...], seeded: tuple[bool, ...]
) -> tuple[Formula, tuple[int, ...]]:
    """The same from the outputs that have a gradient, for the operands that these outputs depend on."""
    names = tuple(output.name for output, has_gradient in zip(formula.outputs, seeded, strict=True) if has_gradient)
    wanted = tuple(at for at, need in enumerate(needs) if need)
    gradient = pipeline.gradient(formula, tuple(formula.operands[at].name for at in wanted), names)
    kept = [
        (at, output)
        for at, output in zip(wanted, gradient.outputs, strict=True)
        if output.expr != number(0, output.dtype)
    ]
    return gradient.with_outputs(tuple(output for _, output in kept)), tuple(at for at, _ in kept)


@cache
def saving(formula: Formula, needs: tuple[bool, ...]) -> tuple[Saves, tuple[int, ...], str]:
    """What the gradient reads: (what to save, the outputs that carry no gradient, why there is no derivative)."""
    constant = tuple(at for at, output in enumerate(formula.outputs) if output.dtype not in FLOATS)
    if len(constant) == len(formula.outputs):
        return (), constant, ""
    try:
        gradient, _ = _gradient(formula, needs)
    except NoDerivative as error:
        return (), constant, str(error)
    inputs = {operand.name: at for at, operand in enumerate(formula.operands)}
    outputs = {output.name: at for at, output in enumerate(formula.outputs)}
    saves: list[tuple[str, int]] = []
    for operand in gradient.operands:
        if operand.name in inputs:
            saves.append(("input", inputs[operand.name]))
        elif operand.name in outputs:
            saves.append(("output", outputs[operand.name]))
    return tuple(saves), constant, ""


def _saved_names(formula: Formula, saves: Saves) -> list[str]:
    return [formula.operands[at].name if kind == "input" else formula.outputs[at].name for kind, at in saves]


# --- inside a jvp or a vmap -----------------------------------------------------------------------------------------


def in_levels(
    formula: Formula,
    operands: Sequence[Any],
    attributes: Mapping[str, Any],
    bindings: Bindings | None,
    name: str,
    drawing: Collection[Batch] | None,
    outer: int | None = None,
) -> tuple[Any, ...]:
    """All outputs of a formula inside running transforms: its tangent goes along, or it gets an axis more.

    `drawing` has the vmaps in which each call draws random numbers of its own; None: as the vmaps say. `outer` is the
    number of levels that are still to be seen to; None for all.
    """
    jvp = forward_mode.carrying(operands)
    if jvp is not None:
        rule = _Tangent(formula, attributes, bindings, drawing)

        def run(*primals: Any) -> tuple[Any, ...]:
            return in_levels(formula, primals, attributes, bindings, name, drawing, outer)

        return forward_mode.along(jvp, run, rule, operands, run, name)
    batch = _batch_of(formula, operands, drawing, outer)
    if batch is None:
        return every_output(formula, operands, attributes, bindings, name)
    carriers = {
        operand.name
        for operand, each in zip(formula.operands, operands, strict=True)
        if batch in batch_levels(each) or operand.flat
    }
    if not carriers and formula.operands:  # a random op whose operands do not differ draws anew all the same
        carriers = {formula.operands[0].name}
    apart = batch.randomness == "different" and (drawing is None or batch in drawing)
    wide = batched(formula, frozenset(carriers), apart, None if carriers else batch.size)
    given = [
        physical(each, batch) if operand.name in carriers else each
        for operand, each in zip(formula.operands, operands, strict=True)
    ]
    known = None if bindings is None else _wide_bindings(formula, wide, bindings, batch.size, carriers)
    found = in_levels(wide, given, attributes, known, name, drawing, batch.depth)
    return tuple(in_each_call(each, batch) for each in found)


def _batch_of(
    formula: Formula, operands: Sequence[Any], drawing: Collection[Batch] | None, outer: int | None
) -> Batch | None:
    """The innermost vmap that the call differs in: by its operands, or by the random numbers that it draws."""
    found = innermost(*operands)
    if drawing is None and draws(formula):
        for level in reversed(LOCAL.state.levels[:outer]):
            if isinstance(level, Batch):
                if level.randomness == "error":
                    raise core.GraphError(
                        f"{formula.name}: inside a vmap a random op draws either different numbers for each call or "
                        "the same for all; say which with ag.vmap(…, randomness='different') or 'same'"
                    )
                return level if level.randomness == "different" else found
    return found


def _wide_bindings(formula: Formula, wide: Formula, bindings: Bindings, size: int, carriers: set[str]) -> Bindings:
    """What a formula inherits, for a batch: the extent of the new index, and the shapes that have it."""
    index = wide.outputs[0].indices[0]
    longer = carriers | {output.shaped_like for output in formula.outputs if output.shaped_like is not None}
    shapes = {name: (size, *shape) if name in longer else shape for name, shape in bindings.shapes.items()}
    return Bindings({**bindings.sizes, index: size}, shapes)


class _Tangent:
    """The tangent rule of a formula: the tangent formula of those operands that have a tangent."""

    __slots__ = ("attributes", "bindings", "drawing", "formula")

    def __init__(
        self,
        formula: Formula,
        attributes: Mapping[str, Any],
        bindings: Bindings | None,
        drawing: Collection[Batch] | None,
    ) -> None:
        self.formula = formula
        self.attributes = attributes
        self.bindings = bindings
        self.drawing = drawing

    def reads(self, operands: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]) -> list[Any]:
        """The operands and outputs that the tangent formula reads."""
        tangent, _, _ = _tangent(self.formula, tuple(each is not None for each in tangents))
        known = self._known(operands, outputs)
        return [] if tangent is None else [known[each.name] for each in tangent.operands if each.name in known]

    def __call__(self, operands: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]) -> list[Any]:
        formula = self.formula
        found: list[Any] = [None] * len(outputs)
        tangent, places, problem = _tangent(formula, tuple(each is not None for each in tangents))
        if problem:
            raise core.GraphError(problem)
        if tangent is None:
            return found
        known = self._known(operands, outputs)
        known.update(zip(tangent_names(formula).values(), tangents, strict=True))
        shapes = [tuple(each.shape) for each in operands]
        bindings = bind(formula, shapes, self.attributes, self.bindings)
        given = [known[operand.name] for operand in tangent.operands]
        drawing = self.drawing
        if drawing is None:
            drawing = batch_levels(*outputs) if draws(formula) else ()
            for level in sorted(drawing, key=lambda level: level.depth):
                given = [in_each_call(physical(each, level), level) for each in given]
        made = in_levels(tangent, given, self.attributes, bindings, tangent.name, drawing)
        for at, each in zip(places, made, strict=True):
            found[at] = each
        return found

    def _known(self, operands: Sequence[Any], outputs: Sequence[Any]) -> dict[str, Any]:
        known = {operand.name: each for operand, each in zip(self.formula.operands, operands, strict=True)}
        known.update(zip((output.name for output in self.formula.outputs), outputs, strict=True))
        return known


@cache
def _tangent(formula: Formula, along: tuple[bool, ...]) -> tuple[Formula | None, tuple[int, ...], str]:
    """(the tangent formula without outputs that are zero, their places among the formula's, why there is none)."""
    wanted = tuple(operand.name for operand, each in zip(formula.operands, along, strict=True) if each)
    floats = [at for at, output in enumerate(formula.outputs) if output.dtype in FLOATS]
    if not floats:
        return None, (), ""
    try:
        tangent = pipeline.tangent(formula, wanted)
    except NoDerivative as error:
        return None, (), str(error)
    pairs = zip(floats, tangent.outputs, strict=True)
    kept = [(at, replace(output, hidden=False)) for at, output in pairs if not isinstance(output.expr, Number)]
    if not kept:
        return None, (), ""
    return tangent.with_outputs(tuple(output for _, output in kept)), tuple(at for at, _ in kept), ""


# --- writes in place ------------------------------------------------------------------------------------------------


def _into(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`op(…, out=target)`: the value written into a target, for nodes where no gradient is wanted."""
    out = kwargs.pop("out")
    call = op.bind(args, kwargs)
    targets = out if isinstance(out, (tuple, list)) else (out,)
    handles = [each for each in (*call.operands, *targets) if isinstance(each, Node)]
    if LOCAL.state.grad_enabled and any(handle.requires_grad for handle in handles):
        raise core.GraphError(
            f"{op.name}: out= records nothing, and an operand requires a gradient, which would be lost; leave it away, "
            "or run under no_grad()"
        )
    plain = unwrap_all(targets)
    for target in plain:
        about_to_write(target)
    call.run(unwrap_all(call.operands), plain)
    for target in plain:
        target.bump_version()
        note_mutation(target, user_line())
    return out


def _in_place(name: str) -> Any:
    """`x.add_(y)`: the op's value written into x, with the op's gradient."""
    op = kernels.ops.__getattr__(name)

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        refuse_write(name + "_")
        if LOCAL.state.levels and concerned((self, *args, *kwargs.values())):
            return _write_in_levels(op, self, args, kwargs)
        if not isinstance(self, Node) and not any(isinstance(each, Node) for each in (*args, *kwargs.values())):
            about_to_write(self)
            write(op, self, args, kwargs)
            if LOCAL.state.run is None:  # the engine adds gradients in place; nobody saved those
                note_mutation(self, user_line())
            return self
        bound = op.bind((self, *args), kwargs)
        saves, _, _ = saving(
            bound.formula, tuple(isinstance(each, Node) and each.requires_grad for each in bound.operands)
        )
        rule = Rule(bound.formula, bound.attributes, None, saves)

        def forward(target: Any, *tensors: Any) -> Any:
            operands = [target, *tensors]
            plan = launch.prepare(bound.formula, operands, bound.attributes)
            _check_target(
                op, target, plan.bindings.shapes[bound.formula.outputs[0].name], bound.formula.outputs[0].dtype
            )
            rule.bindings = plan.bindings
            plan.run(operands, bound.attributes, [target])
            target.bump_version()
            return target

        return apply_in_place(forward, rule, *bound.operands, op_name=name + "_", attrs=bound.attributes, saves=saves)

    method.__name__ = name + "_"
    method.__doc__ = f"{op.__doc__} In place: writes into x and returns it."
    return method


_clone: Any = kernels.catalogue["clone"]


def _write_in_levels(op: Op, target: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """The same inside a jvp or a vmap: computed out of place, then written with the tangents and the history."""
    if not isinstance(target, Node):
        raise core.GraphError(
            f"{op.name}_: the target is a plain Tensor, and what is written has a tangent or differs between the calls "
            "of a vmap; make the target a Node with ag.Node(tensor), or use an op that returns its result"
        )
    made = op(_clone(target), *args, **kwargs)  # of a copy: what the op reads must still be there afterwards
    _check_result(op, target, tuple(made.shape), made.dtype.name)
    return forward_mode.write_along(target, made, lambda place, value: place.assign_(value))


def write_into(name: str, targets: Sequence[Any], others: Sequence[Any], numbers: Mapping[str, Any]) -> None:
    """Run an op on targets[0], the others and the rest of the targets, Tensors all; its outputs go into the targets."""
    bound = kernels.catalogue[name].bind((targets[0], *others, *targets[1:]), numbers)
    for target in targets:
        about_to_write(target)
    launch.run(bound.formula, bound.operands, bound.attributes, out=targets)
    for target in targets:
        target.bump_version()


def write(op: Op, target: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Write the op's value into its first operand, a Tensor."""
    bound = op.bind((target, *args), kwargs)
    plan = launch.prepare(bound.formula, bound.operands, bound.attributes)
    output = bound.formula.outputs[0]
    _check_target(op, target, plan.bindings.shapes[output.name], output.dtype)
    plan.run(bound.operands, bound.attributes, [target])
    target.bump_version()


def _check_target(op: Op, target: Any, shape: tuple[int, ...], dtype: str) -> None:
    _check_result(op, target, shape, dtype)
    if any(stride == 0 and length > 1 for stride, length in zip(target.strides, target.shape, strict=True)):
        raise core.ShapeError(
            f"{op.name}_: x is a broadcast view that shows elements more than once; write to a copy (x.clone())"
        )


def _check_result(op: Op, target: Any, shape: tuple[int, ...], dtype: str) -> None:
    if shape != tuple(target.shape):
        raise core.ShapeError(
            f"{op.name}_: the result has shape {shape}, which does not fit into x of shape {tuple(target.shape)}"
        )
    own = core.dtypes.name_of(target.dtype)
    if dtype != own:
        raise core.DtypeError(f"{op.name}_: the result is {dtype}, but x is {own}; convert x with astype")


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(kernels.ops, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(kernels.ops)})


def _set_item(self: Any, key: Any, value: Any) -> None:
    """`x[key] = value` for ints, slices, None and Ellipsis: a write through the view that `x[key]` is."""
    refuse_write("x[key] = value")
    view = self[key]
    plain, whole = tensor_of(view), tensor_of(self)
    if plain.buffer is not whole.buffer:
        raise core.IndexOutOfRangeError(
            "x[key] = value takes ints, slices, None and Ellipsis; integer tensors give a copy"
        )
    if not isinstance(value, (bool, int, float, Node, core.Tensor)):
        value = core.from_host(value, queue=whole.queue, dtype=whole.dtype)
    if isinstance(self, Node) and not isinstance(view, Node):  # until now nothing in this node's memory has a gradient
        view = view_without_gradient(view, self, lambda base: base[key])
    view.assign_(value)


for _handle in (Node, ViewNode, TraceNode, Batched):
    register_handle(_handle, call)
register_random(call)
namespace.attach(Node)
_values: tuple[Any, ...] = (Node, core.Tensor)
for _kind in _values:
    for _name in ("add", "sub", "mul", "div", "assign"):
        setattr(_kind, _name + "_", _in_place(_name))
    _kind.__setitem__ = _set_item
