"""Session: a tape with the short words of a session of work: parameters, constants, indices, gradients.

    with ag.Session() as session:
        w = session.param([1.0, 2.0], "w")
        loss = (w * session.const(3.0)).sum()
    session.vjp_scalar(loss, [w])         # the gradients, nothing else is changed
    session.backward(loss)
    session.grad(w)                       # what backward has added up

Everything else is the tape's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from netcl.autograd.engine import functional
from netcl.autograd.engine.tape import Tape
from netcl.autograd.factories import tensor
from netcl.autograd.graph import values
from netcl.autograd.graph.modes import enable_grad
from netcl.autograd.graph.node import Node, unwrap
from netcl.core.errors import DtypeError, ShapeError

__all__ = ["Session"]

_Returned = TypeVar("_Returned")


class Session(Tape):
    """A tape whose leaves are made from data. What is computed in its `with` block is kept by id, as on every tape."""

    def param(self, data: Any, name: str | None = None) -> Node:
        """Put a parameter on the tape: a leaf that requires a gradient (so a floating dtype; else a DtypeError)."""
        return self.leaf(_value(data), name)

    def const(self, data: Any, name: str | None = None) -> Node:
        """Put a constant on the tape: a leaf without a gradient."""
        return self.leaf(_value(data), name, requires_grad=False)

    def index(self, data: Any) -> Any:
        """Return integers to index with, as a plain Tensor: nothing is recorded for them, and they have no gradient.

        Raises DtypeError for anything but integers.
        """
        value = _value(data)
        dtype = values.dtype_of(value)
        if getattr(dtype, "kind", "") not in ("i", "u"):
            raise DtypeError(f"index: an index is an integer, this is {dtype or type(value).__name__}")
        return value

    def detach(self, node: Node) -> Node:
        """Put a copy of a node's value on the tape as a constant."""
        return self.const(node.detach())

    def grad(self, node: Node) -> Any:
        """The gradient that backward has added up for a leaf; None if there is none."""
        self.id_of(node)
        return node.grad

    def vjp(self, output: Node, inputs: Sequence[Node], seed: Any) -> list[Any]:
        """Return the gradients of `output` for the inputs from an output gradient; None where one was not used."""
        found: list[Any] = functional.grad(output, list(inputs), seed, retain_graph=True, allow_unused=True)
        return found

    def vjp_scalar(self, output: Node, inputs: Sequence[Node]) -> list[Any]:
        """As `vjp`, from an output of shape () with seed 1."""
        if output.shape != ():
            raise ShapeError(f"vjp_scalar: the output has shape {output.shape}, a scalar has (); give vjp a seed")
        return self.vjp(output, inputs, values.ones_like(output.value))

    def jvp_leaf(self, output: Node, leaf: Node, tangent: Any) -> Any:
        """Return the tangent of `output` as one leaf moves along `tangent`, from what was recorded."""
        (found,) = _pushed([output], [leaf], [tangent])
        return values.zeros_like(output.value) if found is None else found

    def jvp_scalar_leaf(self, output: Node, leaf: Node) -> Any:
        """As `jvp_leaf`, for a leaf of shape () that moves by 1."""
        if leaf.shape != ():
            raise ShapeError(
                f"jvp_scalar_leaf: the leaf has shape {leaf.shape}, a scalar has (); give jvp_leaf a tangent"
            )
        return self.jvp_leaf(output, leaf, values.ones_like(leaf.value))

    def jvp_dense_all(self, tangents: Mapping[Node, Any]) -> list[Any]:
        """Return the tangent of every node by id (a tuple for an op with several outputs), as leaves move along theirs.

        What does not move has zeros.
        """
        moving = {self.id_of(leaf): tangent for leaf, tangent in tangents.items()}
        roots = [
            functional.GradientEdge(record, output)
            for record in self
            if record is not None and record._edges
            for output in range(record._outputs)
            if record._extra is None or output not in record._extra.non_differentiable
        ]
        pushed = dict(zip(roots, _pushed(roots, list(tangents), list(tangents.values())), strict=True))
        found: list[Any] = []
        for id, record in enumerate(self):
            zeros = self._zeros(id)
            if id in moving or record is None:
                found.append(moving.get(id, zeros))
            elif isinstance(zeros, tuple):
                found.append(tuple(_or(pushed.get(functional.GradientEdge(record, i)), z) for i, z in enumerate(zeros)))
            else:
                found.append(_or(pushed.get(functional.GradientEdge(record, 0)), zeros))
        return found

    def reset_tape(self) -> None:
        """Forget all that was recorded; ids start at 0 again."""
        self.reset()

    def with_fresh_tape(self, work: Callable[[Session], _Returned]) -> _Returned:
        """Call `work(session)` with a new session that records meanwhile; this one stays as it is."""
        fresh = Session(self.keep_values, self.track_gradients)
        with fresh:
            return work(fresh)


def _pushed(outputs: Sequence[Any], leaves: Sequence[Node], tangents: Sequence[Any]) -> list[Any]:
    """The tangents of what was recorded: J^T u is linear in u, and its gradient by u, with t for its own, is J t."""
    if not outputs:
        return []
    with enable_grad():
        edges = [output.gradient_edge() if isinstance(output, Node) else output for output in outputs]
        probes = [Node(values.filled(record.spec(output), 0), True) for record, output in edges]
        pulled = functional.grad(outputs, leaves, probes, retain_graph=True, create_graph=True, allow_unused=True)
        pairs = [(p, t) for p, t in zip(pulled, tangents, strict=True) if p is not None and p.requires_grad]
        if not pairs:
            return [None] * len(probes)
        found: list[Any] = functional.grad([p for p, _ in pairs], probes, [t for _, t in pairs], allow_unused=True)
        return found


def _or(tangent: Any, zeros: Any) -> Any:
    return zeros if tangent is None else tangent


def _value(data: Any) -> Any:
    """A value as it is; numbers, lists and arrays as a Tensor."""
    data = unwrap(data)
    is_host_data = isinstance(data, (bool, int, float, list, tuple)) or hasattr(data, "__array_interface__")
    return tensor(data) if is_host_data else data
