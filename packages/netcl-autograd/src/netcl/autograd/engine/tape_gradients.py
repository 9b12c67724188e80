"""Gradients by id on a tape: dense (one entry per id), sparse (a dict) and scalar forms.

They are pure: leaves get no `grad`, nothing is released, and two runs give the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from netcl.autograd.engine.accumulation import owned
from netcl.autograd.engine.engine import execute
from netcl.autograd.engine.functional import backward
from netcl.autograd.engine.plan import Plan
from netcl.autograd.graph import values
from netcl.autograd.graph.node import Node, unwrap
from netcl.autograd.graph.record import Edge, Record
from netcl.core.errors import DtypeError, GraphError, ShapeError

GradientHook = Callable[[int, Any], Any]
"""`hook(id, gradient)`; what it returns (unless None) stands in the result, and must have the same shape."""


class TapeGradients:
    """The backward methods of a tape."""

    _entries: list[Record | None]
    _pending_flush_queue: Any

    def backward(
        self, loss: Node, grad: Any = None, retain_graph: bool | None = None, create_graph: bool = False
    ) -> None:
        """Add the gradients of `loss` to its leaves, seeded with `grad` or with ones; does not wait for the device."""
        backward(loss, grad, retain_graph=retain_graph, create_graph=create_graph)
        self._pending_flush_queue = loss.queue

    def backward_dense(self, output: int | Node, seed: Any = None, hook: GradientHook | None = None) -> list[Any]:
        """Return a list with the gradient of every record, by id; None for those that were not reached."""
        id = self._id(output)
        record = self._reached(id)
        return self._dense([(id, self._seed(id, record, seed))], hook)

    def backward_dense_all(self, output: int | Node, seed: Any = None, hook: GradientHook | None = None) -> list[Any]:
        """As `backward_dense`, with zeros in the place of None."""
        return [
            self._zeros(id) if gradient is None else gradient
            for id, gradient in enumerate(self.backward_dense(output, seed, hook))
        ]

    def backward_dense_from(self, gradients: Sequence[Any], hook: GradientHook | None = None) -> list[Any]:
        """As `backward_dense`, started from a gradient or None per id."""
        if len(gradients) != len(self._entries):
            raise GraphError(
                f"backward_dense_from: expected {len(self._entries)} entries, a gradient or None per record, "
                f"got {len(gradients)}"
            )
        return self._dense(
            [(id, self._seed(id, self._reached(id), g)) for id, g in enumerate(gradients) if g is not None], hook
        )

    def backward_sparse(self, output: int | Node, seed: Any = None) -> dict[int, Any]:
        """Return the gradients of the records that were reached, by id."""
        return {id: g for id, g in enumerate(self.backward_dense(output, seed)) if g is not None}

    def backward_scalar(self, output: int | Node) -> list[Any]:
        """As `backward_dense`, from an output that is a scalar, with seed 1."""
        id = self._id(output)
        shape = self._reached(id).spec(0)[0]
        if shape != ():
            raise ShapeError(
                f"backward_scalar: node {id} has shape {shape}, a scalar has (); give a seed to backward_dense"
            )
        return self.backward_dense(id)

    def _dense(self, seeds: list[tuple[int, Any]], hook: GradientHook | None) -> list[Any]:
        edges: list[Edge] = []
        for record in self._entries:
            if record is not None:
                edges += [(record, output) for output in range(record._outputs)]
        roots = [((self._reached(id), 0), seed) for id, seed in seeds]
        plan = Plan([edge for edge, _ in roots], edges, everything=True, accumulate=False)
        execute(roots, retain_graph=True, create_graph=False, plan=plan)
        return [self._entry(id, record, plan, hook) for id, record in enumerate(self._entries)]

    def _entry(self, id: int, record: Record | None, plan: Plan, hook: GradientHook | None) -> Any:
        """The result for one id; a tuple for a record with several outputs that was reached."""
        if record is None:
            return None
        found: list[Any] = []
        for output in range(record._outputs):
            box = [plan.captured.pop((record.sequence_nr, output), None)]
            gradient = None if box[0] is None else owned(box, 0)
            if gradient is not None and hook is not None:
                replacement = hook(id, gradient)
                gradient = gradient if replacement is None else unwrap(replacement)
                if values.shape_of(gradient) != record.spec(output)[0]:
                    raise ShapeError(
                        f"node {id} ({record.name}): gradient shape mismatch: the hook returned shape "
                        f"{values.shape_of(gradient)}, expected {record.spec(output)[0]}"
                    )
            found.append(gradient)
        if record._outputs == 1:
            return found[0]
        return None if all(gradient is None for gradient in found) else tuple(found)

    def _id(self, output: int | Node) -> int:
        if isinstance(output, Node):
            return self.id_of(output)  # type: ignore[attr-defined]
        self._check(output)  # type: ignore[attr-defined]
        return output

    def _reached(self, id: int) -> Record:
        record = self._entries[id]
        if record is None:
            raise GraphError(f"node {id} does not require a gradient")
        return record

    def _seed(self, id: int, record: Record, seed: Any) -> Any:
        spec = record.spec(0)
        if seed is None:
            return values.filled(spec, 1)
        seed = unwrap(seed)
        if values.shape_of(seed) != spec[0]:
            raise ShapeError(f"node {id}: seed shape mismatch: expected {spec[0]}, got {values.shape_of(seed)}")
        if spec[1] is not None and values.dtype_of(seed) != spec[1]:
            raise DtypeError(f"node {id}: seed dtype mismatch: expected {spec[1]}, got {values.dtype_of(seed)}")
        return seed

    def _zeros(self, id: int) -> Any:
        record = self._entries[id]
        if record is None:
            return values.zeros_like(self.node(id).value)  # type: ignore[attr-defined]
        if record._outputs == 1:
            return values.filled(record.spec(0), 0)
        return tuple(values.filled(record.spec(output), 0) for output in range(record._outputs))
