"""Writes in place in a traced function: nothing is written while it is traced.

What reads a target behind the write gets the node that has the new value. What has read it before keeps a node for the
old one, which a gradient may read. A view that was taken before would show the new value, which no node has: reading
one is an error. Into an argument or a tensor from outside the program writes when all is there; what the function has
made itself, each call makes anew, and nothing is left to write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from netcl.autograd.graph.modes import refuse_write
from netcl.autograd.graph.node import Node, unwrap
from netcl.autograd.programs.trace_nodes import TracedOp, TraceNode, become, origin
from netcl.core.errors import GraphError
from netcl.core.tensor import Tensor


class Written(NamedTuple):
    """What is written in place in a trace, and the value that it then has."""

    target: Any  # an input of the trace, or a Node or Tensor from outside
    value: TraceNode
    lasts: bool  # whether it is there after the call: whether the function has not made it


class Writes:
    """The latest value of each memory that was written in a trace. `is_new` says whether a tensor was made in it."""

    def __init__(self, is_new: Callable[[Any], bool]) -> None:
        self._is_new = is_new
        self._written: dict[int, Written] = {}  # by what stands for all handles of the memory
        self._old: dict[int, TraceNode] = {}  # written tensors as they were before, by id
        self._stale: dict[int, str] = {}  # views of what was written since, each with the name of its op
        self._handles: dict[int, TraceNode] = {}  # nodes that were computed and are others for a value since, by id
        self._values: dict[int, TraceNode] = {}  # those that were written, by id: they lie in memory of their own
        self._copied: dict[int, TracedOp] = {}  # the ops that gave them, by id: those are no views of what they read

    def __iter__(self) -> Iterator[tuple[Any, TraceNode]]:
        """What the program writes when all is computed: each target with its value."""
        return ((each.target, each.value) for each in self._written.values() if each.lasts)

    def has(self, tensor: Any) -> bool:
        """Whether the memory of a tensor from outside was written."""
        return id(_memory(tensor)) in self._written

    def write(
        self, op: str, target: Any, value: TraceNode, ops: Sequence[TracedOp], may_view: Callable[[TracedOp], bool],
        before: int,
    ) -> None:  # fmt: skip
        """From now on the memory of a target has this value; if it is there after the call, at the end of it, too.

        Of the `ops` so many were there `before` those that lead to the value, and `may_view` says whether an op's
        results may lie in the memory of its operands: such a view of the target would be written, too. Raises
        GraphError for a target that is such a view, and where a gradient would be lost.
        """
        whole = origin(target)
        is_computed = isinstance(whole, TraceNode) and whole.op is not None
        if is_computed and may_view(whole.op) and id(whole) not in self._values:
            raise GraphError(
                f"{op}: {whole.op.name}(…) may lie in the memory of what it was given, and a traced function does not "
                "write through a view; write to the whole with a key, as in x[0, 1:] = y, or to a copy (x.clone())"
            )
        lasts = not is_computed and not self._is_new(whole)
        _require_no_loss(op, target, value, lasts)
        latest = whole if is_computed else origin(self.latest(target))
        views = {id(latest)}
        for each in ops[:before]:
            if id(each) in self._copied:
                continue
            if may_view(each) and any(id(origin(given)) in views for given in each.inputs):
                self._stale |= {id(node): each.name for node in each.outputs}
                views |= set(map(id, each.outputs))
        if is_computed:
            self._replace(whole, value, ops)
        else:
            if latest is whole:
                self._keep_old(whole, value, ops)
            self._written[id(_memory(whole))] = Written(whole, value, lasts)
            if value.requires_grad:
                whole._requires_grad = True
        self._values[id(origin(value))] = value
        if value.op is not None:
            self._copied[id(value.op)] = value.op

    def result(self, item: Any) -> Any:
        """What a result of the function is: the latest value, of what the function has made and written. Raises
        GraphError for a view of what was written since."""
        if not isinstance(item, (Node, Tensor)):
            return item
        latest = self.latest(item)
        found = self._written.get(id(_memory(origin(item))))
        return item if found is None or found.lasts else latest

    def _replace(self, whole: TraceNode, value: TraceNode, ops: Sequence[TracedOp]) -> None:
        """Let a node that was computed be another one for a value; ops until now have another node for the old one."""
        assert whole.op is not None
        old = TraceNode(whole.op, whole.output, whole.shape, whole.dtype, whole.requires_grad, whole.queue)
        whole.op.outputs[whole.output] = old
        for each in ops:
            each.inputs = tuple(self._before(given, whole, old) for given in each.inputs)
        become(whole, value)
        self._handles[id(whole)] = whole

    def _before(self, given: Any, whole: TraceNode, old: TraceNode) -> Any:
        """An input of an op, of which `whole` has another value since."""
        if not isinstance(given, TraceNode) or given.origin is not whole:
            return given
        node = given.itself
        while node is not whole:
            if node.requires_grad and id(node) not in self._handles:  # gradients are asked for it, and go on from there
                node.same = old
                return given
            node = node.same.itself
        return old if given.requires_grad else old.another(False)

    def _keep_old(self, whole: Any, value: TraceNode, ops: Sequence[TracedOp]) -> None:
        """Let ops that have read a target before its first write read a node for the old value."""
        old = TraceNode(None, 0, value.shape, value.dtype, False, value.queue, whole)
        self._old[id(old)] = old
        for each in ops:
            each.inputs = tuple(old if _is_before(given, whole) else given for given in each.inputs)

    def latest(self, item: Any) -> Any:
        """What has the value of an item now: an item that was written has that of its latest write."""
        if not (self._written or self._stale) or id(item) in self._old:
            return item
        whole = origin(item)
        if id(whole) in self._stale:
            raise GraphError(
                f"a traced function reads {self._stale[id(whole)]}(…), a view of what it has written since; take the "
                "view behind the write, or clone it before"
            )
        found = self._written.get(id(_memory(whole)))
        if found is None:
            return item
        if whole is not found.target and not _is_same_part(unwrap(whole), unwrap(found.target)):
            raise GraphError(
                "a traced function reads a tensor of which it has written a view, or a view of what it has written; "
                "take the view behind the write"
            )
        if isinstance(item, Node) and item.requires_grad and found.lasts:
            raise GraphError(
                "a traced function takes a gradient for a tensor that it has written since; take it before, or for "
                "a clone"
            )
        return found.value if item is found.target or not found.value.requires_grad else found.value.another(False)


def _require_no_loss(op: str, target: Any, value: TraceNode, lasts: bool) -> None:
    """Raise GraphError for a write that has a gradient which would be lost."""
    is_node = isinstance(target, Node)
    requires_grad = is_node and target.requires_grad
    if requires_grad and lasts:
        refuse_write(op)
    if requires_grad and not value.requires_grad:
        raise GraphError(
            f"{op}: what is written requires a gradient, and under no_grad() its value would change and its history "
            "not; write to a copy without it (x.detach().clone())"
        )
    if value.requires_grad and (lasts or not is_node):
        raise GraphError(
            f"{op}: an operand requires a gradient, which would be lost in the target; write what is detached "
            "(x.detach()), or under no_grad(), or write to a node that the function makes (ag.Node(tensor))"
        )


def _is_before(item: Any, whole: Any) -> bool:
    """Whether an input of an op is a target as it was before its first write; what requires a gradient stays."""
    return origin(item) is whole and not (isinstance(item, Node) and item.requires_grad)


def _is_same_part(one: Any, other: Any) -> bool:
    """Whether two tensors of the same memory are the same elements."""
    return bool(one.layout == other.layout and one.offset == other.offset)


def _memory(item: Any) -> Any:
    """What stands for the memory of an item, for all handles and views of it."""
    return getattr(unwrap(item), "counter", item) if not isinstance(item, TraceNode) else item
