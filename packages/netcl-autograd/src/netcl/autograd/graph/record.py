"""The graph: records, joined by edges.

A `Record` is one op that was run: how to turn its output gradients into its input gradients, what it saved for that,
and an edge for each argument. It is what `node.grad_fn` gives. An edge is `(record, output number)`; edges lead from
a record to the records that made its arguments, so a record keeps alive all that it needs, and nothing else does.
A leaf has no record, but an `Accumulator`, seen only in edges, that adds the gradient into the leaf.

Sequence numbers grow with time and an edge always leads to a smaller one: running records from the highest number
down is a right order for backward, without counting anything.

A record never refers to the handle of its own output, so there are no reference cycles: dropping the last handle
frees the whole graph at once, without the garbage collector. Records have no finaliser: a signal handler that ran in it
could not raise, and Python itself frees a chain of any length on a stack of any size.

This module knows nothing of running backward (`engine`) nor of making records (`apply`).
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from netcl.autograd.graph.frames import Stack, as_text
from netcl.autograd.graph.hooks import HookHandle, Hooks
from netcl.autograd.graph.saved import RELEASED, Saves, listing
from netcl.core.errors import GraphError

if TYPE_CHECKING:
    from netcl.autograd.graph.node import Node
    from netcl.autograd.graph.values import Spec

Edge = tuple["Record", int]
"""Where a gradient goes: a record and the number of the output of it that was used."""

GradFn = Callable[..., Any]
"""Output gradients -> a list with one input gradient or None per operand."""

next_sequence_nr = count().__next__


class Record:
    """One op that was run; `node.grad_fn`. Call it with output gradients to get the input gradients."""

    __slots__ = (
        "__weakref__",
        "_edges",
        "_extra",
        "_ids",
        "_info",
        "_needs",
        "_outputs",
        "_rule",
        "_saved",
        "_saves",
        "_specs",
        "_versions",
        "attrs",
        "id",
        "name",
        "sequence_nr",
    )

    def __init__(
        self,
        name: str,
        rule: GradFn,
        edges: tuple[Edge | None, ...],
        needs: tuple[bool, ...],
        specs: Any,
        outputs: int,
        attrs: Mapping[str, Any] | None,
        info: Mapping[str, Any] | None,
    ) -> None:
        self.name = name  # the op's public name
        self.sequence_nr: int = next_sequence_nr()
        self.id: int | None = None  # index on the tape that keeps it
        self.attrs = attrs
        self._rule: Any = rule
        self._edges = edges  # one per argument; None: no gradient goes there
        self._needs = needs  # one per argument: whether its edge is not None
        self._specs: Any = specs  # the Spec of the output; of each output, where _outputs is not 1
        self._outputs = outputs
        self._saves: Saves | None = None  # None: the rule keeps what it needs itself
        self._saved: Any = None  # the saved values, in the order of _saves
        self._versions: Any = None  # their versions when saved; None: none of them has one
        self._ids: Any = None  # a rule of the user's own: the id() of its input and output values
        self._info = info  # metadata given by the op, shared by its records
        self._extra: Extra | None = None

    def __call__(self, *output_gradients: Any) -> list[Any]:
        """Return the input gradients for these output gradients: one per operand, None where there is none."""
        from netcl.autograd.engine.engine import evaluate

        return evaluate(self, output_gradients)

    def __repr__(self) -> str:
        return f"<{self.name}>"

    @property
    def next_functions(self) -> tuple[tuple[Record | None, int], ...]:
        """The edges, one (record, output number) per operand in their order; (None, 0) where no gradient goes."""
        return tuple((None, 0) if edge is None else edge for edge in self._operand_edges())

    @property
    def parents(self) -> list[Any]:
        """What the operands were: the leaf, the record of a computed one, None for one that needs no gradient."""
        return [None if edge is None else edge[0]._as_parent() for edge in self._operand_edges()]

    @property
    def metadata(self) -> dict[str, Any]:
        """A dict for the user; it holds what the op said of itself (`declared_at`, …) and is freed with the record."""
        extra = self.extra
        if extra.metadata is None:
            extra.metadata = dict(self._info or {})
        return extra.metadata

    @property
    def saved(self) -> dict[str, Any]:
        """The saved values by name; a GraphError after they were released."""
        return listing(self)

    @property
    def creation_trace(self) -> list[str] | None:
        """The stack that made this record, as lines of text; None outside anomaly mode."""
        stack = None if self._extra is None else self._extra.stack
        return None if stack is None else as_text(stack)

    @property
    def op_name(self) -> str:
        """The same as `name`; records can be walked like nodes."""
        return self.name

    @property
    def grad_fn(self) -> Record:
        """The record itself; records can be walked like nodes."""
        return self

    @property
    def requires_grad(self) -> bool:
        """Always True: nothing else is recorded."""
        return True

    @property
    def shape(self) -> Any:
        """The shape of the output; a tuple of shapes if there are several."""
        return self._specs[0] if self._outputs == 1 else tuple(spec[0] for spec in self._specs)

    @property
    def dtype(self) -> Any:
        """The dtype of the output; a tuple of dtypes if there are several."""
        return self._specs[1] if self._outputs == 1 else tuple(spec[1] for spec in self._specs)

    def register_prehook(self, hook: Callable[[tuple[Any, ...]], Any]) -> HookHandle:
        """Call `hook(output_gradients)` before the record runs; what it returns (unless None) replaces them."""
        return self.extra.hooks.add("before", hook)

    def register_hook(self, hook: Callable[[list[Any], tuple[Any, ...]], Any]) -> HookHandle:
        """Call `hook(input_gradients, output_gradients)` after it ran; a result replaces the input gradients."""
        return self.extra.hooks.add("after", hook)

    @property
    def extra(self) -> Extra:
        """The seldom-used parts, made when first asked for."""
        if self._extra is None:
            self._extra = Extra()
        return self._extra

    def spec(self, output: int) -> Spec:
        """The spec of one output."""
        return self._specs if self._outputs == 1 else self._specs[output]

    def release(self) -> None:
        """Drop what is kept for backward; a record that keeps nothing can run again all the same."""
        if self._saves is None:
            if getattr(self._rule, "__closure__", self) is not None:
                self._rule = RELEASED
        elif self._saves:
            self._saved = RELEASED

    def _operand_edges(self) -> Sequence[Edge | None]:
        operands = None if self._extra is None else self._extra.operands
        return self._edges if operands is None else [self._edges[i] for i in operands]

    def _as_parent(self) -> Any:
        return self


class Accumulator(Record):
    """Where the gradient of a leaf arrives. Made when the leaf is first used, one per leaf; holds the leaf weakly."""

    __slots__ = ("_leaf", "lock")

    def __init__(self, leaf: Node, spec: Spec) -> None:
        super().__init__("accumulate", _never_run, (), (), spec, 1, None, None)
        self._leaf: Callable[[], Node | None] = weakref.ref(leaf)
        self.lock = threading.Lock()  # two threads may add into one leaf

    @property
    def variable(self) -> Node | None:
        """The leaf, or None if nobody holds it any more."""
        return self._leaf()

    def forget(self) -> None:
        """Count the leaf as one that nobody holds: it was made by a transform that has ended."""
        self._leaf = _nobody

    def _as_parent(self) -> Any:
        return self._leaf()


class Extra:
    """What only few records have."""

    __slots__ = (
        "boxed", "creator", "hooks", "metadata", "non_differentiable", "operands", "retained", "stack",
    )  # fmt: skip

    def __init__(self) -> None:
        self.hooks = Hooks()
        self.boxed = False  # whether the rule takes its output gradients as a list of which nobody else knows
        self.metadata: dict[str, Any] | None = None
        self.stack: Stack | None = None  # anomaly mode: the stack that made the record
        self.creator: Record | None = None  # anomaly mode: the record whose backward made this one
        self.operands: tuple[int, ...] | None = None  # which arguments are operands; None: all of them
        self.non_differentiable: frozenset[int] = frozenset()  # outputs that carry no gradient
        self.retained: dict[int, weakref.ref[Node]] | None = None  # retain_grad: output number -> handle


def _never_run(*_: Any) -> list[Any]:
    raise GraphError("accumulate: the end of the graph has no input gradients; call the record of an op instead")


def _nobody() -> None:
    return None
