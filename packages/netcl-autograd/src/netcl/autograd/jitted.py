"""jit: a function traced once for each form of its arguments, its ops fused, and replayed without its Python code.

    traced           (tracer)          the function is called with stand-ins; each op is written down
    grouped          (compiler.groups) neighbours that can be one kernel
    fused            (compiler.fuse)   each group is one formula, with its gradient
    replayed         (replay)          one record for each group

A replay is recorded as any op is, so tapes, hooks, saved values and in-place checks work as ever. Inside jvp and vmap,
and in anomaly mode, the function itself is called.
"""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from threading import RLock
from typing import Any

from netcl.autograd.node import Node
from netcl.autograd.ops import Rule
from netcl.autograd.replay import Group, Program, Seed, wants
from netcl.autograd.state import LOCAL
from netcl.autograd.tracer import Trace, TracedOp, TraceNode, tracing
from netcl.autograd.trees import Structure, flatten, flatten_call
from netcl.core.errors import GraphError
from netcl.core.seeds import replayed
from netcl.core.tensor import Tensor
from netcl.kernels.bindings import Bindings
from netcl.kernels.compiler.differentiate import NoDerivative
from netcl.kernels.compiler.fuse import Step, Value, attribute_name, fused
from netcl.kernels.compiler.groups import grouped
from netcl.kernels.compiler.ir import INDEX_DTYPE, Formula, number, root
from netcl.kernels.compiler.unified import INPUT

__all__ = ["jit"]

_MOST_PROGRAMS = 128
"""So many forms of arguments are remembered for one function."""


def jit(fn: Callable[..., Any]) -> Jitted:
    """Return `fn` as a function that computes the same with fewer, fused kernels, forward and backward.

    It is traced once for each structure, shapes and dtypes of its arguments, and each value of arguments that are not
    tensors; Python in it runs only then. Tensors and Nodes that it closes over are looked at when it is traced: a Node
    is read again at each call, what is computed from Tensors alone is a constant. Raises GraphError where what Python
    does next would depend on a value, and for an op that is not declared in the language.
    """
    return Jitted(fn)


class Jitted:
    """A function and its programs. `describe(*args)` says what becomes of a call."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        functools.update_wrapper(self, fn)
        self._fn = fn
        self._programs: OrderedDict[Any, Program] = OrderedDict()  # the one that was used last is last
        self._lock = RLock()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        state = LOCAL.state
        if state.tracer is not None or state.levels or state.anomaly is not None or state.around is not None:
            return self._fn(*args, **kwargs)
        leaves, structure = flatten_call(args, kwargs)
        return self._program(leaves, structure).run(leaves)

    def describe(self, *args: Any, **kwargs: Any) -> str:
        """Return the groups of ops that a call with these arguments runs, one to a line."""
        program = self._program(*flatten_call(args, kwargs))
        count_of = len(program.groups)
        name = getattr(self._fn, "__name__", "the function")
        lines = [f"{name}: {program.op_count} ops in {count_of} {'group' if count_of == 1 else 'groups'}"]
        return "\n".join([*lines, *(f"  {', '.join(group.ops)}" for group in program.groups)])

    def _program(self, leaves: Sequence[Any], structure: Structure) -> Program:
        enabled = LOCAL.state.grad_enabled
        key = (structure, enabled, *[_form(each) for each in leaves])
        try:
            program = self._programs.get(key)
        except TypeError:
            raise self._unhashable(leaves, structure) from None
        with self._lock:
            if program is None or not program.fits():
                program = _traced(self._fn, leaves, structure)
            self._programs[key] = program
            self._programs.move_to_end(key)
            if len(self._programs) > _MOST_PROGRAMS:
                self._programs.popitem(last=False)
        return program

    def _unhashable(self, leaves: Sequence[Any], structure: Structure) -> GraphError:
        """What is wrong with the first argument that programs cannot be told apart by."""
        path, what = next(
            (path, leaf) for path, leaf in zip(structure.paths(), leaves, strict=True) if not _is_hashable(leaf)
        )
        kind, place = path[:3], path[3:]  # the arguments are a pair: [0] by place, [1] by name
        return GraphError(
            f"jit: {'args' if kind == '[0]' else 'kwargs'}{place} of {getattr(self._fn, '__name__', 'the function')} "
            f"is a {type(what).__name__}, neither a tensor nor hashable; make an array a Tensor with "
            "core.from_host(array), and give numbers, strings or tuples of those for what decides the trace"
        )

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self) -> str:
        return f"<jit of {getattr(self._fn, '__name__', self._fn)!s}, {len(self._programs)} programs>"


def _form(leaf: Any) -> Any:
    """What a program depends on: a tensor's shape and dtype and whether it wants a gradient, else the value itself."""
    if isinstance(leaf, Node):
        return (leaf.value.queue, leaf.shape, leaf.dtype.num, leaf.requires_grad)
    if isinstance(leaf, Tensor):
        return (leaf.queue, leaf.shape, leaf.dtype.num, False)
    return (type(leaf), repr(leaf) if isinstance(leaf, float) else leaf)  # -0.0 is not 0.0, and nan is nan


def _is_hashable(leaf: Any) -> bool:
    try:
        hash(_form(leaf))
    except TypeError:
        return False
    return True


# --- tracing ----------------------------------------------------------------------------------------------------------


def _traced(fn: Callable[..., Any], leaves: Sequence[Any], structure: Structure) -> Program:
    places = [at for at, leaf in enumerate(leaves) if isinstance(leaf, (Node, Tensor))]
    drawn = _Drawn()
    with tracing() as trace, replayed(drawn.stand_ins()):
        given = list(leaves)
        for at in places:
            given[at] = trace.input(leaves[at].shape, leaves[at].dtype, wants(leaves[at]), leaves[at].queue)
        args, kwargs = structure.build(given)
        results, made = flatten(fn(*args, **kwargs))
    traced = _Traced(getattr(fn, "__name__", "the function"), trace, [given[at] for at in places])
    return traced.program(results, made, places, drawn.count)


class _Drawn:
    """Seeds that stand for those of a call."""

    def __init__(self) -> None:
        self.count = 0

    def stand_ins(self) -> Iterator[int]:
        for nth in count():
            self.count += 1
            yield Seed(nth)


class _Traced:
    """What was written down, as steps over values."""

    def __init__(self, name: str, trace: Trace, inputs: Sequence[TraceNode]) -> None:
        self.name = name
        self.inputs: list[Any] = list(inputs)  # and, behind them, what the function closes over
        self.given = len(inputs)
        self.value_of: dict[int, Value] = {id(node): (INPUT, n) for n, node in enumerate(inputs)}
        self.node_of: dict[Value, Any] = {(INPUT, n): node for n, node in enumerate(inputs)}
        self.attributes: list[Mapping[str, Any]] = []
        self.bindings: list[Bindings | None] = []  # for each step that is a derivative
        self.steps: list[Step] = []
        for op in trace.ops:
            self._add(op)
        self._show_what_is_read()

    def _add(self, op: TracedOp) -> None:
        rule = getattr(op.forward, "__self__", None)
        if not isinstance(rule, Rule):
            raise GraphError(
                f"jit: {op.name} in {self.name} is not declared in the language, so it cannot be traced; call it "
                "outside of the function, or declare it with kernels.compile"
            )
        formula = rule.formula
        recorded = any(node.requires_grad for node in op.outputs)  # else it was run under no_grad
        stopped = [not recorded or _is_cut(arg) for arg in op.inputs]
        if any(stopped):
            pairs = zip(formula.operands, stopped, strict=True)
            operands = tuple(replace(each, differentiable=each.differentiable and not stop) for each, stop in pairs)
            formula = replace(formula, operands=operands)
        at = len(self.steps)
        self.bindings.append(rule.bindings if rule.inherits else None)
        self.steps.append(Step(formula, tuple(map(self.value, op.inputs))))
        self.attributes.append(rule.attributes)
        for n, node in enumerate(op.outputs):
            self.value_of[id(node)] = (at, n)
            self.node_of[at, n] = node

    def _show_what_is_read(self) -> None:
        """Make outputs of what is saved for a derivative, where a step reads it."""
        read = {source for step in self.steps for source in step.sources}
        for at, step in enumerate(self.steps):
            outputs = step.formula.outputs
            if any(output.hidden and (at, n) in read for n, output in enumerate(outputs)):
                shown = tuple(
                    replace(each, hidden=each.hidden and (at, n) not in read) for n, each in enumerate(outputs)
                )
                self.steps[at] = Step(step.formula.with_outputs(shown), step.sources)

    def value(self, arg: Any) -> Value:
        """The value that an argument of an op, or a result, is."""
        if isinstance(arg, TraceNode):
            arg = arg.origin
        if id(arg) not in self.value_of:
            value = self.value_of[id(arg)] = (INPUT, len(self.inputs))
            self.inputs.append(arg)
            self.node_of[value] = arg
        return self.value_of[id(arg)]

    def program(self, results: Sequence[Any], structure: Structure, places: list[int], seeds: int) -> Program:
        placed = {int(each) for own in self.attributes for each in own.values() if isinstance(each, Seed)}
        if len(placed) < seeds:
            raise GraphError(
                f"jit: {self.name} draws random numbers on the host (as ag.randn does), which every call would repeat; "
                "draw them with an op (ag.normal, ag.uniform, ag.dropout, …), or give them as an argument"
            )
        values = [self.value(each) if isinstance(each, TraceNode) else None for each in results]
        constants = [None if isinstance(each, TraceNode) else each for each in results]
        wanted = {value for value in values if value is not None}
        shapes = {value: tuple(node.shape) for value, node in self.node_of.items()}
        groups = []
        for members in grouped(self.steps, shapes):
            groups += self._groups(members, wanted)
        closed = self.inputs[self.given :]
        return Program(
            _freeing(_needed(groups, wanted), wanted), places, closed, list(map(wants, closed)), seeds, values,
            constants, list(map(_is_value, results)), structure, len(self.steps),
        )  # fmt: skip

    def _groups(self, members: list[int], wanted: set[Value]) -> list[Group]:
        """The group of these steps; one for each of them where they cannot be fused."""
        if len(members) == 1:
            return [self._single(members[0])]
        steps, inputs = self._apart(members)
        readers = [step for at, step in enumerate(self.steps) if at not in members]
        read = {value for step in readers for value in step.sources} | wanted
        outputs = tuple(value for value in self.node_of if value[0] in members and value in read)
        if not outputs:
            return []
        ops = tuple(step.formula.name for step in steps)
        name = f"fused_{ops[0]}_{ops[-1]}"
        results = tuple((members.index(at), n) for at, n in outputs)
        reached = {
            source[1]
            for step in steps
            for operand, source in zip(step.formula.operands, step.sources, strict=True)
            if source[0] == INPUT and operand.differentiable
        }
        differentiated = [n for n, value in enumerate(inputs) if n in reached and wants(self.node_of[value])]
        try:
            formula = fused(name, steps, results, differentiated)
        except NoDerivative:  # found out at backward, by the op that has none
            return [self._single(at) for at in members]
        own = tuple(self.attributes[at] for at in members)
        attributes = {
            attribute_name(n, key): own[n][key] for n, step in enumerate(steps) for key in step.formula.attributes
        }
        group = Group(formula, name, ops, inputs, outputs, attributes, _seeds(attributes), self._stopped(outputs))
        detached = tuple(n for n in range(len(inputs)) if n not in reached)
        return [replace(group, steps=steps, step_attributes=own, results=results, detached=detached)]

    def _apart(self, members: list[int]) -> tuple[tuple[Step, ...], tuple[Value, ...]]:
        """The steps of a group by themselves, and its inputs."""
        inputs: dict[Value, int] = {}
        steps = []
        for at in members:
            sources = [
                (members.index(value[0]), value[1])
                if value[0] in members
                else (INPUT, inputs.setdefault(value, len(inputs)))
                for value in self.steps[at].sources
            ]
            steps.append(Step(_with_sizes(self.steps[at].formula, self.bindings[at]), tuple(sources)))
        return tuple(steps), tuple(inputs)

    def _stopped(self, outputs: Sequence[Value]) -> tuple[int, ...]:
        return tuple(n for n, value in enumerate(outputs) if not wants(self.node_of[value]))

    def _single(self, at: int) -> Group:
        formula, attributes = self.steps[at].formula, self.attributes[at]
        outputs = tuple((at, n) for n, output in enumerate(formula.outputs) if not output.hidden)
        return Group(
            formula, formula.name, (formula.name,), self.steps[at].sources, outputs, attributes, _seeds(attributes),
            self._stopped(outputs), bindings=self.bindings[at],
        )  # fmt: skip


def _is_cut(node: Any) -> bool:
    """Whether it is a value that requires a gradient, without its history."""
    return isinstance(node, TraceNode) and not node.requires_grad and node.origin.requires_grad


def _is_value(node: Any) -> bool:
    """Whether a result is a Tensor where the function is run: without its history, or of an op that is not recorded."""
    if not isinstance(node, TraceNode) or node.op is None:
        return _is_cut(node)
    return not any(each.requires_grad for each in node.op.outputs)


def _with_sizes(formula: Formula, bindings: Bindings | None) -> Formula:
    """A derivative with the extents that it inherits and that none of its operands gives."""
    if bindings is None:
        return formula
    given = {root(index) for operand in formula.operands for index in operand.indices}
    sizes = {index: number(extent, INDEX_DTYPE) for index, extent in bindings.sizes.items() if index not in given}
    return replace(formula, sizes={**formula.sizes, **sizes})


def _seeds(attributes: Mapping[str, Any]) -> dict[str, int]:
    return {name: int(value) for name, value in attributes.items() if isinstance(value, Seed)}


def _needed(groups: list[Group], wanted: set[Value]) -> list[Group]:
    """Those of the groups that lead to a result."""
    needed = set(wanted)
    kept = []
    for group in reversed(groups):
        if needed & set(group.outputs):
            needed |= set(group.inputs)
            kept.append(group)
    return kept[::-1]


def _freeing(groups: list[Group], wanted: set[Value]) -> list[Group]:
    """The groups, each told which values nobody reads after it."""
    later = set(wanted)
    for group in reversed(groups):
        own = set(group.inputs) | set(group.outputs)
        group.done_with = tuple(value for value in own - later if value[0] != INPUT)
        later |= own
    return groups
