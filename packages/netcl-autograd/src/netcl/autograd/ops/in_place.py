"""Ops that write: into a target given as `out`, and in place, with the gradient that the write has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from netcl import core
from netcl.autograd.graph.apply import view_without_gradient
from netcl.autograd.graph.frames import user_line
from netcl.autograd.graph.inplace import apply_in_place
from netcl.autograd.graph.modes import refuse_write
from netcl.autograd.graph.node import Node, unwrap_all
from netcl.autograd.graph.saved import about_to_write, keep_before_write, note_mutation
from netcl.autograd.graph.state import LOCAL
from netcl.autograd.ops.recording import Rule, needed
from netcl.autograd.programs.trace_nodes import TracedOp
from netcl.autograd.transforms import forward as forward_mode
from netcl.autograd.transforms.batched import concerned, tensor_of
from netcl.kernels.compiler.ir import Read
from netcl.kernels.library.attached import catalogue, ops
from netcl.kernels.library.derivatives import recorded
from netcl.kernels.library.indexing import as_stored, names_places, with_part, with_places
from netcl.kernels.library.op import Op
from netcl.kernels.runtime import arguments, launch
from netcl.kernels.runtime.in_place import check_result, check_target, described, write


def into(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`op(…, out=target)`: the value written into a target, for nodes where no gradient is wanted."""
    refuse_write(f"{op.name}(…, out=…)")
    out = kwargs.pop("out")
    call = op.bind(args, kwargs)
    targets = arguments.targets(op.name, out, (Node, core.Tensor))
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


def in_place(name: str) -> Any:
    """`x.add_(y)`: the op's value written into x, with the op's gradient."""
    op = ops.__getattr__(name)

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        state = LOCAL.state
        if state.tracer is not None:
            return _write_traced(op, self, args, kwargs)
        given = (self, *args, *kwargs.values()) if kwargs else (self, *args)
        if state.levels and concerned(given):
            return _write_in_levels(op, self, args, kwargs)
        for each in given:
            if isinstance(each, Node):
                break
        else:
            about_to_write(self)
            write(op, self, args, kwargs)
            if state.run is None:  # the engine adds gradients in place; nobody saved those
                note_mutation(self, user_line())
            return self
        bound = op.bind((self, *args), kwargs)
        saves = recorded(bound.formula, needed(bound.operands)).saves
        rule = Rule(bound.formula, bound.attributes, None, saves)

        def forward(target: Any, *tensors: Any) -> Any:
            operands = [target, *tensors]
            plan = launch.prepare(bound.formula, operands, bound.attributes)
            check_target(
                op, target, plan.bindings.shapes[bound.formula.outputs[0].name], bound.formula.outputs[0].dtype
            )
            rule.bindings = plan.bindings
            plan.run(operands, bound.attributes, [target])
            target.bump_version()
            return target

        return apply_in_place(forward, rule, *bound.operands, op_name=name + "_", attrs=bound.attributes, saves=saves)

    return described(method, op)


_clone: Any = catalogue["clone"]


def _write_traced(op: Op, target: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """The same in a traced function: its program writes the latest value into the target when all is computed."""
    return _put_in_trace(op.name + "_", target, lambda: op(target, *args, **kwargs))


def _put_in_trace(name: str, target: Any, computed: Callable[[], Any]) -> Any:
    """Let a target have, from now on in this trace, the value that is computed."""
    trace = LOCAL.state.tracer
    before = len(trace.ops)
    made = computed()
    check_result(name, target, tuple(made.shape), core.dtypes.name_of(made.dtype))

    def write(place: Any, value: Any) -> None:
        trace.writes.write(name, place, value, trace.ops, _may_view, before)

    if LOCAL.state.levels and concerned((target, made)):
        return forward_mode.write_along(_node(op_name=name, target=target), made, write)
    write(target, made)
    return target


def _may_view(traced: TracedOp) -> bool:
    """Whether an op's results may lie in the memory of what it is given."""
    rule = getattr(traced.forward, "__self__", None)
    return isinstance(rule, Rule) and any(isinstance(output.expr, Read) for output in rule.formula.outputs)


def _write_in_levels(op: Op, target: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """The same inside a jvp or a vmap: computed out of place, then written with the tangents and the history."""
    _node(op.name + "_", target)
    made = op(_clone(target), *args, **kwargs)  # of a copy: what the op reads must still be there afterwards
    check_result(f"{op.name}_", target, tuple(made.shape), made.dtype.name)
    return forward_mode.write_along(target, made, lambda place, value: place.assign_(value))


def _node(op_name: str, target: Any) -> Node:
    """A target that can take a tangent. Raises GraphError for a Tensor."""
    if not isinstance(target, Node):
        raise core.GraphError(
            f"{op_name}: the target is a plain Tensor, and what is written has a tangent or differs between the calls "
            "of a vmap; make the target a Node with ag.Node(tensor), or use an op that returns its result"
        )
    return target


def write_into(name: str, targets: Sequence[Any], others: Sequence[Any], numbers: Mapping[str, Any]) -> None:
    """Run an op on targets[0], the others and the rest of the targets, Tensors all; its outputs go into the targets."""
    bound = catalogue[name].bind((targets[0], *others, *targets[1:]), numbers)
    for target in targets:
        about_to_write(target)
    launch.run(bound.formula, bound.operands, bound.attributes, out=targets)
    for target in targets:
        target.bump_version()


def set_item(self: Any, key: Any, value: Any) -> None:
    """`x[key] = value`: at ints, slices, None and Ellipsis a write through the view that `x[key]` is; at positions and
    masks for the first axes a write of all of x."""
    if LOCAL.state.tracer is not None:
        put = with_places if names_places(key) else with_part
        _put_in_trace("x[key] = value", self, lambda: put(self, key, value))
        return
    if names_places(key):
        self.assign_(with_places(self, key, value))
        return
    view = self[key]
    if isinstance(self, Node) and not isinstance(view, Node):  # until now nothing in this node's memory has a gradient
        view = view_without_gradient(view, self, lambda base: base[key])
    if isinstance(value, Node):
        keep_before_write(value.grad_fn, tensor_of(view))
    view.assign_(as_stored(value, view))
