"""Forward mode: a tangent is carried beside each value, and ops push both forward.

Inside a jvp a node may have tangents, one for each level. An op on such nodes runs on the values as it always does
(so it is recorded where a gradient is wanted), then on the tangents by its tangent rule. The tangents are ordinary
values themselves: nodes, where they have a history, with tangents of outer levels where those have some. So a jvp may
stand inside a gradient, a gradient inside a jvp, and a jvp inside a jvp. Only operands that have a tangent are
differentiated; an output that cannot have one gets none.

A tangent rule is `rule(operands, outputs, tangents)`: a tangent or None per operand -> one per output. An op that has
none gets it from its grad_fn (`from_gradient`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from netcl.autograd.engine.engine import evaluate
from netcl.autograd.engine.functional import grad
from netcl.autograd.graph import values
from netcl.autograd.graph.apply import derived_put
from netcl.autograd.graph.levels import Level, tangents_of, with_tangents
from netcl.autograd.graph.modes import enable_grad
from netcl.autograd.graph.node import Node
from netcl.autograd.graph.state import LOCAL
from netcl.autograd.graph.views import ViewNode, track_view
from netcl.autograd.programs.trace_nodes import TraceNode
from netcl.autograd.transforms.batched import Batched, batch_levels, in_each_call, physical
from netcl.autograd.transforms.batched_views import BatchedView, in_memory_of
from netcl.autograd.transforms.inputs import end, own_node
from netcl.core.errors import DtypeError, GraphError, ShapeError

Tangents = Sequence[Any]
Step = Callable[[Tangents], Tangents]
"""The linear part of an op at a point: tangents of its operands -> tangents of its outputs; None is a zero."""
Rule = Callable[[Sequence[Any], Sequence[Any], Tangents], Tangents]


class Forward(Level):
    """One jvp that is running."""

    def push(self, step: Step, tangents: Tangents, count: int, reads: Sequence[Any]) -> Tangents:
        """Return the tangents of `count` outputs. `linearize` only takes note of the step, and of what it reads."""
        return step(tangents)

    def run_op(
        self,
        again: Callable[..., Any],
        grad_fn: Callable[..., Any] | None,
        args: Sequence[Any],
        options: Mapping[str, Any],
    ) -> Any:
        """Run an op, and its tangent rule: `jvp`, or what follows from its grad_fn."""
        name, jvp = options["op_name"], options["jvp"]
        if grad_fn is None and jvp is None:
            return again(*(split(arg, self)[0] for arg in args))
        rule = None if jvp is None else partial(_checked, name, jvp)
        return along(self, again, rule, args, again, name, options["non_differentiable"])


def carrying(items: Sequence[Any]) -> Forward | None:
    """Return the innermost running jvp at which one of the items has a tangent."""
    levels = [level for item in items for level in tangents_of(item) if isinstance(level, Forward)]
    return max(levels, key=lambda level: level.depth, default=None)


def split(item: Any, level: Level) -> tuple[Any, Any]:
    """Return a value without what a level put beside it, and its tangent at that level, or None."""
    tangents = tangents_of(item)
    tangent = tangents.pop(level, None)
    return (item if tangent is None else with_tangents(item, tangents)), tangent


def along(
    level: Forward,
    run: Callable[..., Any],
    rule: Rule | None,
    args: Sequence[Any],
    again: Callable[..., Any],
    name: str,
    constant: Sequence[int] = (),
) -> Any:
    """Run an op on arguments that have tangents at a level; its outputs have them too.

    `run(*operands)` is the op one level further out; `again(*args)` is the whole op, for views. The outputs in
    `constant` have no tangent.
    """
    pairs = [split(arg, level) for arg in args]
    tangents = [tangent for _, tangent in pairs]
    operands = _in_step([operand for operand, _ in pairs], tangents)
    if rule is None:
        result, step = from_gradient(run, operands, tangents, name)
        outputs = result if isinstance(result, tuple) else (result,)
    else:
        result = run(*operands)
        outputs = result if isinstance(result, tuple) else (result,)

        def step(tangents: Tangents) -> Tangents:
            return rule(operands, outputs, tangents)

    reads = getattr(rule, "reads", _everything)(operands, outputs, tangents)
    found = list(level.push(step, tangents, len(outputs), reads))
    for at, output in enumerate(outputs):
        if at in constant or not is_floating(output):
            found[at] = None
    _remember(level, outputs, operands, tangents, found)
    made = tuple(_joined(output, level, tangent) for output, tangent in zip(outputs, found, strict=True))
    if len(made) == 1:
        made = (_as_view(made[0], args, again),)
    return made if isinstance(result, tuple) else made[0]


def is_floating(value: Any) -> bool:
    """Whether a value can have a tangent."""
    dtype = values.dtype_of(value)
    return dtype is None or dtype.kind == "f"


def from_gradient(run: Callable[..., Any], operands: Sequence[Any], tangents: Tangents, name: str) -> tuple[Any, Step]:
    """Run an op that has only a gradient; return its result and its linear part.

    The input gradients J^T u are linear in the output gradients u. So the gradient of <J^T u, t> by u is J t.
    """
    outer = LOCAL.state.grad_enabled and _any_required(operands)
    own = [at for at, tangent in enumerate(tangents) if tangent is not None]
    with enable_grad():
        inner = [own_node(each) if at in own else each for at, each in enumerate(operands)]
        result = run(*inner)
        outputs = result if isinstance(result, tuple) else (result,)
        live = [at for at, each in enumerate(outputs) if isinstance(each, Node) and each.requires_grad]
        probes = {at: Node(values.ones_like(outputs[at].value), True) for at in live}
        pulled: list[Any] = [None] * len(operands)
        if live:
            record = outputs[live[0]].grad_fn
            places = range(len(operands)) if record._extra is None else record._extra.operands or range(len(operands))
            found = evaluate(record, [probes.get(at) for at in range(len(outputs))])
            for place, each in zip(places, found, strict=True):
                pulled[place] = each
    for at in own:
        if pulled[at] is not None and not (isinstance(pulled[at], Node) and pulled[at].requires_grad):
            raise GraphError(
                f"{name}: it has no tangent rule, and none can be had from its gradient, which is not computed with "
                "ops; give a Function a static jvp(ctx, *tangents), or apply_op jvp=…"
            )
    end([inner[at] for at in own])
    if not outer:
        outputs = tuple(with_tangents(_value(each), tangents_of(each)) for each in outputs)
        result = outputs if isinstance(result, tuple) else outputs[0]

    def step(tangents: Tangents) -> Tangents:
        pairs = [(p, t) for p, t in zip(pulled, tangents, strict=True) if p is not None and t is not None]
        pushed: list[Any] = [None] * len(outputs)
        if pairs and live:
            keep = outer or (LOCAL.state.grad_enabled and _any_required(t for _, t in pairs))
            with enable_grad():
                found = grad(
                    [p for p, _ in pairs], [probes[at] for at in live], [t for _, t in pairs],
                    retain_graph=True, create_graph=keep, allow_unused=True,
                )  # fmt: skip
            for at, each in zip(live, found, strict=True):
                pushed[at] = each
        return pushed

    return result, step


def write_along(target: Node, made: Any, write: Callable[[Any, Any], Any]) -> Node:
    """Write a value that was computed out of place into `target`, with its history and its tangents.

    `write(target, value)` does it for the value and the history. The tangents of the base of a view change with it.
    """
    bare = with_tangents(made, {})
    place = with_tangents(target, {}) if isinstance(target, Batched) else target
    if not batch_levels(bare if isinstance(target, Batched) else made) <= batch_levels(place):
        raise GraphError(
            "vmap: what is written in place differs from call to call or has a tangent that does, and the place it is "
            "written to cannot take that; write to a copy of what differs (x.clone(), or 0 * x for zeros), or use an "
            "op that returns its result"
        )
    base = target.base if isinstance(target, (ViewNode, BatchedView)) else None
    tangents, of_base = tangents_of(made), tangents_of(base)
    target._tangents = None
    if base is not None:
        base._tangents = target._tangents = None
    if isinstance(target, Batched):
        write(target.physical, physical(bare, target.level))
    else:
        write(target, bare)
    if isinstance(target, (ViewNode, BatchedView)):
        for level in {**of_base, **tangents}:
            assert isinstance(level, Forward)
            pair = (of_base.get(level), tangents.get(level))
            (of_base[level],) = level.push(_part_replaced(target), pair, 1, ())
        target.base._tangents = tuple(sorted(of_base.items(), key=lambda each: each[0].depth)) or None
    target._tangents = tuple(tangents.items()) or None
    return target


def _part_replaced(view: ViewNode | BatchedView) -> Step:
    """Tangents of the base and of a view of it -> that of the base with the part replaced: b - V^T V b + V^T p."""
    get, base = view._get, Node(values.stand_in(view.base))

    def back(part: Any) -> Any:
        keep = LOCAL.state.grad_enabled
        with enable_grad():
            leaf = Node(base.value, True)
            return grad(get(leaf), leaf, part, create_graph=keep)

    def step(tangents: Tangents) -> Tangents:
        of_base, of_part = tangents
        result = of_base
        if of_base is not None:
            result = of_base - back(get(of_base if isinstance(of_base, Node) else Node(of_base)))
        if of_part is not None:
            part = back(of_part)
            result = part if result is None else result + part
        return [result]

    return step


def _checked(
    name: str, jvp: Callable[..., Any], operands: Sequence[Any], outputs: Sequence[Any], tangents: Tangents
) -> Tangents:
    """What a tangent rule that a user wrote gives: one tangent (or None) per output, each of its shape and dtype."""
    result = jvp(operands, outputs, tangents)
    found = list(result) if isinstance(result, (tuple, list)) else [result]
    if len(found) != len(outputs):
        raise GraphError(f"{name}: its jvp returned {len(found)} tangents, but there are {len(outputs)} outputs")
    for at, (tangent, output) in enumerate(zip(found, outputs, strict=True)):
        if tangent is None:
            continue
        values.require_value(tangent, f"{name}: what its jvp returned for output {at}")
        if values.shape_of(tangent) != values.shape_of(output):
            raise ShapeError(
                f"{name}: its jvp returned shape {values.shape_of(tangent)} for output {at}, which has shape "
                f"{values.shape_of(output)}"
            )
        if values.dtype_of(tangent) != values.dtype_of(output):
            raise DtypeError(
                f"{name}: its jvp returned {values.dtype_of(tangent)} for output {at}, "
                f"which is {values.dtype_of(output)}"
            )
    return found


def _everything(operands: Sequence[Any], outputs: Sequence[Any], tangents: Tangents) -> Sequence[Any]:
    """What a tangent rule may read if it does not say."""
    return (*operands, *outputs)


def _in_step(operands: list[Any], tangents: Tangents) -> list[Any]:
    """In a vmap whose calls differ in one operand, let those that have a tangent differ too: the tangent may."""
    bare = [with_tangents(each, {}) for each in operands]
    for level in sorted(batch_levels(*bare), key=lambda each: each.depth):
        for at, tangent in enumerate(tangents):
            if tangent is not None and level not in batch_levels(bare[at]):
                operands[at] = in_each_call(physical(operands[at], level), level)
    return operands


def _remember(
    level: Forward, outputs: Sequence[Any], operands: Sequence[Any], tangents: Tangents, found: Tangents
) -> None:
    """Keep the tangents of what the op's record may have saved: a backward at this level needs them."""
    live = next((each for each in outputs if isinstance(each, Node) and _maker(each) is not None), None)
    if live is None:
        return
    kept: dict[tuple[str, int], Any] = {}
    for kind, primals, along in (("input", operands, tangents), ("output", outputs, found)):
        for at, (primal, tangent) in enumerate(zip(primals, along, strict=True)):
            if tangent is not None:
                if isinstance(live, Batched):
                    tangent = level.through(partial(_of_all_calls, live, primal), tangent)
                kept[kind, at] = tangent
    level.saved[_maker(live)] = kept


def _maker(node: Node) -> Any:
    """What a backward goes through from a node: its record, or its op in a trace; None where it goes nowhere."""
    place: Any = node
    while isinstance(place, Batched):
        place = place.physical
    if isinstance(place, TraceNode):
        return place.op if place.requires_grad else None
    return None if node._edge is None else node._edge[0]


def _of_all_calls(recorded: Any, primal: Any, tangent: Any) -> Any:
    """The record of an op inside a vmap knows nothing of calls: so shall the tangents of what differs from call to
    call, in whichever order its vmaps nest."""
    levels = batch_levels(with_tangents(primal, {}))
    while isinstance(recorded, Batched):
        if recorded.level in levels:
            tangent = physical(tangent, recorded.level)
        recorded = recorded.physical
    return tangent


def _joined(output: Any, level: Level, tangent: Any) -> Any:
    if tangent is None:
        return output
    node = output if isinstance(output, Node) else Node(output)
    node._tangents = (*(node._tangents or ()), (level, tangent))
    return node


def _as_view(made: Any, args: Sequence[Any], again: Callable[..., Any]) -> Any:
    """A result in the memory of the first argument is a view of it: a write to either changes the tangents of both."""
    rest = tuple(args[1:])

    def get(base: Any) -> Any:
        view = again(base, *rest)
        return view[0] if isinstance(view, tuple) else view

    if isinstance(made, Batched):
        return in_memory_of(made, args[0], get)
    if isinstance(made, TraceNode) or isinstance(args[0], Batched) or not isinstance(args[0], Node):
        return made
    if not isinstance(made, Node) or getattr(made.value, "buffer", None) is not getattr(args[0].value, "buffer", again):
        return made
    return track_view(made, args[0], get, derived_put(get))


def _any_required(items: Iterable[Any]) -> bool:
    return any(isinstance(each, Node) and each._requires_grad for each in items)


def _value(item: Any) -> Any:
    return item.value if isinstance(item, Node) else item
