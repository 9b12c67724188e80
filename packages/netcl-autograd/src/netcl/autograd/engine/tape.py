"""Tape: a grow-only list of the records made inside `with Tape()`; the id of a record is its index.

A tape is for looking at what was recorded and for gradients by id. Recording works without one, and a tape holds
records only: the values go when their handles go, unless it is made with keep_values=True. With
track_gradients=False it keeps the values of a computation without any gradients. Tapes nest, the innermost is current,
and each thread has its own. Gradients by id are in `tape_gradients`; each method has a `try_` form (`results`).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any

from netcl.autograd.engine.accumulation import graph_add
from netcl.autograd.engine.tape_gradients import TapeGradients
from netcl.autograd.graph import values
from netcl.autograd.graph.apply import apply_op
from netcl.autograd.graph.node import Node, leaf_edge
from netcl.autograd.graph.record import Record
from netcl.autograd.graph.results import TryForms, attempt
from netcl.autograd.graph.state import LOCAL
from netcl.core.errors import GraphError, ShapeError

__all__ = ["Tape", "debug_tape", "get_current_tape", "set_current_tape"]


class Tape(TapeGradients, TryForms):
    """Keeps the records of the ops run inside `with`, in their order."""

    def __init__(self, keep_values: bool = False, track_gradients: bool = True) -> None:
        self.keep_values = keep_values or not track_gradients
        self.track_gradients = track_gradients
        self._entries: list[Record | None] = []  # None: a leaf that needs no gradient
        self._handles: list[Any] = []  # a node, a tuple of nodes, or weak references to them
        self._outer: list[Tape | None] = []  # the tapes that were current when this one was entered
        self._pending_flush_queue: Any = None  # the queue of the last backward, until the next `with` flushes it

    def __enter__(self) -> Tape:
        queue, self._pending_flush_queue = self._pending_flush_queue, None
        if queue is not None:
            queue.finish()
        state = LOCAL.state
        self._outer.append(state.tape)
        state.tape = self
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        LOCAL.state.tape = self._outer.pop()

    def __len__(self) -> int:
        return len(self._entries)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Record | None]:
        return iter(self._entries)

    def __repr__(self) -> str:
        return f"<Tape of {len(self._entries)} records>"

    @property
    def size(self) -> int:
        """The number of records; the id of the next one."""
        return len(self._entries)

    def leaf(self, value: Any, name: str | None = None, requires_grad: bool = True) -> Node:
        """Put a leaf on the tape and return it; the tape keeps it with its value."""
        requires_grad = requires_grad and self.track_gradients
        node = Node(value.value if isinstance(value, Node) else value, requires_grad, None, name)
        accumulator = None
        if requires_grad:
            accumulator = leaf_edge(node)[0]
            accumulator.id = len(self._entries)
        self._entries.append(accumulator)
        self._handles.append(node)
        return node

    def add_node(
        self, value: Any, parents: Sequence[int | Node], backward: Callable[[Any], Any], name: str = "node"
    ) -> Node:
        """Append a node with a value that is there already, and return it.

        `backward(dy)` returns (parent id, gradient) pairs: for a parent none, one or several, which are summed. Raises
        GraphError ("invalid parent id") for a parent that is not on this tape, then or in backward.
        """
        records = {id: self._entries[id] for id in map(self._parent, parents)}
        operands = [Node(None, True, (r, 0)) if r is not None else self.node(id) for id, r in records.items()]
        if not any(operand.requires_grad for operand in operands):
            return self.leaf(value, name, requires_grad=False)

        def rule(dy: Any) -> list[Any]:
            sums: dict[int, Any] = {}
            for id, gradient in backward(dy):
                if id not in records:
                    raise GraphError(f"{name}: invalid parent id {id!r}: the parents of this node are {[*records]}")
                record = records[id]
                if record is None:
                    continue
                if values.shape_of(gradient) != record.spec(0)[0]:
                    raise ShapeError(
                        f"{name}: contribution shape mismatch: a gradient for parent {id} has shape "
                        f"{values.shape_of(gradient)}, the parent {record.spec(0)[0]}"
                    )
                sums[id] = graph_add(sums[id], gradient) if id in sums else gradient
            return [sums.get(id) for id in records]

        node: Node = apply_op(lambda *_: value, rule, *operands, tape=self, op_name=name)
        return node

    def record(self, id: int) -> Record | None:
        """The record with that id; an accumulator for a leaf, None for a leaf that needs no gradient."""
        self._check(id)
        return self._entries[id]

    def node(self, id: int, output: int = 0) -> Node:
        """The handle of the record with that id: while somebody holds it, or always with keep_values=True."""
        self._check(id)
        held = self._handles[id]
        if held.__class__ is tuple:
            held = held[output]
        node = held() if held.__class__ is weakref.ref else held
        if node is None or (node._edge is not None and node._edge[0] is not self._entries[id]):
            record = self._entries[id]
            raise GraphError(
                f"node {id} ({record.name if record is not None else 'leaf'}): its handle is gone and this tape keeps "
                "records only; make it with Tape(keep_values=True), or ask for tape.record(id)"
            )
        return node

    def id_of(self, node: Node) -> int:
        """The id of a node; a GraphError if it is not on this tape."""
        id = node.id
        if id is not None and id < len(self._entries) and self._entries[id] is node._edge[0]:  # type: ignore[index]
            return id
        for id, held in enumerate(self._handles):
            if held is node:
                return id
        raise GraphError(f"unknown node: {node.op_name or node.name or 'a leaf'} is not on this tape")

    def value(self, id: int) -> Any:
        """The value of a node, under the same condition as `node`."""
        return self.node(id).value

    def get_node(self, id: int) -> Node | None:
        """The handle of a node; None if the tape has no such id, or only its record."""
        return attempt(self.node, id).value

    def get_value(self, id: int) -> Any:
        """The value of a node; None if the tape has no such id, or only its record."""
        node = self.get_node(id)
        return None if node is None else node.value

    def require_value(self, id: int, shape: tuple[int, ...]) -> Any:
        """The value of a node that must have that shape (else a ShapeError)."""
        value = self.value(id)
        found = tuple(values.shape_of(value))
        if found != tuple(shape):
            raise ShapeError(f"node {id}: shape mismatch: expected {tuple(shape)}, found {found}")
        return value

    @staticmethod
    def require_grad(gradient: Any, shape: tuple[int, ...]) -> Any:
        """An output gradient that must have that shape (else a ShapeError): for rules that check before they run."""
        found = tuple(values.shape_of(gradient))
        if found != tuple(shape):
            raise ShapeError(f"upstream gradient shape mismatch: expected {tuple(shape)}, found {found}")
        return gradient

    def reset(self) -> None:
        """Forget all records; ids start at 0 again."""
        for record in self._entries:
            if record is not None:
                record.id = None
        self._entries.clear()
        self._handles.clear()

    def _keep(self, record: Record, outputs: Any) -> None:
        """Append a record: the one thing that an op does to a tape."""
        record.id = len(self._entries)
        self._entries.append(record)
        if self.keep_values:
            self._handles.append(outputs)
        elif outputs.__class__ is tuple:
            self._handles.append(tuple([weakref.ref(node) for node in outputs]))
        else:
            self._handles.append(weakref.ref(outputs))

    def keep_result(self, name: str, result: Any) -> Any:
        """Append what an op returned on a tape without gradients, and return it as a node (or a tuple of them)."""
        several = result.__class__ is tuple
        nodes = tuple([Node(each, label=name) for each in (result if several else (result,))])
        self._entries.append(None)
        self._handles.append(nodes if several else nodes[0])
        return nodes if several else nodes[0]

    def _parent(self, parent: int | Node) -> int:
        try:
            return self._id(parent)
        except GraphError as error:
            raise GraphError(f"invalid parent id: {error}") from error

    def _check(self, id: int) -> None:
        if not isinstance(id, int) or isinstance(id, bool) or not 0 <= id < len(self._entries):
            known = f"ids 0 to {len(self._entries) - 1}" if self._entries else "no nodes yet"
            raise GraphError(f"invalid node id {id!r}: this tape has {known}")


def get_current_tape() -> Tape | None:
    """Return the tape that records in this thread, or None."""
    return LOCAL.state.tape


def set_current_tape(tape: Tape | None) -> None:
    """Make a tape the one that records in this thread, outside of any `with`; None for none."""
    LOCAL.state.tape = tape


class debug_tape:  # noqa: N801  (a context is called like a function)
    """Give the tape to a `with` block, and change nothing."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape

    def __enter__(self) -> Tape:
        return self._tape

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None
