"""Writes in place in a traced function: nothing is written while it is traced; its program writes when all is there.

What reads a target behind the write gets the node that has the new value. What has read it before keeps a node for the
old one, which a gradient may read. A view that was taken before would show the new value, which no node has: reading
one is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from netcl.autograd.graph.node import Node, unwrap
from netcl.autograd.programs.trace_nodes import TracedOp, TraceNode, origin
from netcl.core.errors import GraphError


class Written(NamedTuple):
    """What is written in place in a trace, and the value that it then has."""

    target: Any  # an input of the trace, or a Node or Tensor from outside
    value: TraceNode


class Writes:
    """The latest value of each memory that was written in a trace."""

    def __init__(self) -> None:
        self._written: dict[int, Written] = {}  # by what stands for all handles of the memory
        self._old: dict[int, TraceNode] = {}  # written tensors as they were before, by id
        self._stale: dict[int, str] = {}  # views of what was written since, each with the name of its op

    def __iter__(self) -> Iterator[Written]:
        return iter(self._written.values())

    def has(self, tensor: Any) -> bool:
        """Whether the memory of a tensor from outside was written."""
        return id(_memory(tensor)) in self._written

    def write(
        self, op: str, target: Any, value: TraceNode, ops: Sequence[TracedOp], may_view: Callable[[TracedOp], bool]
    ) -> None:
        """From now on, and at the end of each call, the memory of a target has this value.

        The target is an argument or a tensor from outside, and requires no gradient. `ops` are those until now, and
        `may_view` says whether an op's results may lie in the memory of its operands: such a view of the target would
        be written, too.
        """
        whole = origin(target)
        if isinstance(whole, TraceNode) and whole.op is not None:
            raise GraphError(
                f"{op}: a traced function writes in place to whole arguments and whole tensors from outside, not to a "
                "part of one nor to what it has computed; use the op that returns its result, for a part ag.where or "
                "ag.index_put, and x.assign_(…) for all of x"
            )
        before = origin(self.latest(target))
        if before is whole:
            self._keep_old(whole, value, ops)
        views = {id(before)}
        for each in ops:
            if each is not value.op and may_view(each) and any(id(origin(given)) in views for given in each.inputs):
                self._stale |= {id(node): each.name for node in each.outputs}
                views |= set(map(id, each.outputs))
        self._written[id(_memory(whole))] = Written(whole, value)

    def _keep_old(self, whole: Any, value: TraceNode, ops: Sequence[TracedOp]) -> None:
        """Let ops that have read a target before its first write read a node for the old value."""
        old = TraceNode(None, 0, value.shape, value.dtype, False, value.queue, whole)
        self._old[id(old)] = old
        for each in ops:
            each.inputs = tuple(old if _is_before(given, whole) else given for given in each.inputs)

    def latest(self, item: Any) -> Any:
        """What has the value of an item now: an item that was written has that of its latest write."""
        if not self._written or id(item) in self._old:
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
        if isinstance(item, Node) and item.requires_grad:
            raise GraphError(
                "a traced function takes a gradient for a tensor that it has written since; take it before, or for "
                "a clone"
            )
        return found.value


def _is_before(item: Any, whole: Any) -> bool:
    """Whether an input of an op is a target as it was before its first write; what requires a gradient stays."""
    return origin(item) is whole and not (isinstance(item, Node) and item.requires_grad)


def _is_same_part(one: Any, other: Any) -> bool:
    """Whether two tensors of the same memory are the same elements."""
    return bool(one.layout == other.layout and one.offset == other.offset)


def _memory(item: Any) -> Any:
    """What stands for the memory of an item, for all handles and views of it."""
    return getattr(unwrap(item), "counter", item) if not isinstance(item, TraceNode) else item
