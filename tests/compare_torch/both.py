"""One call in netcl and in PyTorch: values, gradients and second gradients of the same inputs, side by side.

A `Case` is a call in both spellings with its inputs as arrays. `found` and `expected` run it and name what comes out:
`value 0`, `gradient of 1`, `second gradient of 0 by 1`, `tangent of 0`. `disagreement` says where two such results
part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from netcl import autograd as ag
from netcl import core

Array = np.ndarray[Any, Any]
Results = dict[str, Array]

RELATIVE = {"float64": 1e-9, "float32": 2e-5}
"""Of each element of a pointwise result, or of the largest element of any other."""


@dataclass(frozen=True)
class Case:
    """A call in both spellings; `orders` is how often it is differentiated, `tangents` whether in forward mode, too."""

    op: str
    tag: str
    ours: Callable[..., Any]
    theirs: Callable[..., Any]
    inputs: Sequence[Array]
    orders: int = 2
    pointwise: bool = False
    tangents: bool = False

    def __str__(self) -> str:
        return f"{self.op}-{self.tag}"


def found(case: Case) -> Results:
    """What netcl makes of the case."""
    leaves = [ag.Node(core.from_host(x), True) if x.dtype.kind == "f" else core.from_host(x) for x in case.inputs]
    wanted = [leaf for leaf in leaves if isinstance(leaf, ag.Node)]
    outputs = _several(case.ours(*leaves))
    results = {f"value {i}": y.to_host() for i, y in enumerate(outputs)}
    recorded = [(i, y) for i, y in enumerate(outputs) if isinstance(y, ag.Node) and y.requires_grad]
    if not recorded or not case.orders or not wanted:
        return results
    weights = halves if case.pointwise else drawn
    seeds = [core.from_host(weights(i, y.shape, y.dtype)) for i, y in recorded]
    first = ag.grad(
        [y for _, y in recorded], wanted, seeds, create_graph=case.orders > 1, allow_unused=True, materialize_grads=True
    )
    scale = 2.0 if case.pointwise else 1.0
    results |= {f"gradient of {i}": scale * g.to_host() for i, g in enumerate(first)}
    for i, g in enumerate(first if case.orders > 1 else ()):
        seed = core.from_host(weights(i + 7, g.shape, g.dtype))
        second: Sequence[Any] = [core.zeros(x.shape, dtype=x.dtype) for x in wanted]
        if isinstance(g, ag.Node) and g.requires_grad:
            second = ag.grad(g, wanted, seed, retain_graph=True, allow_unused=True, materialize_grads=True)
        results |= {f"second gradient of {i} by {j}": scale**2 * h.to_host() for j, h in enumerate(second)}
    if case.tangents:
        along = tuple(core.from_host(drawn(j + 11, x.shape, x.dtype)) for j, x in enumerate(wanted))
        _, moved = ag.jvp(case.ours, tuple(core.from_host(x) for x in case.inputs), along)
        results |= {f"tangent of {i}": _several(moved)[i].to_host() for i, _ in recorded}
    return results


def expected(case: Case) -> Results:
    """What PyTorch makes of the case."""
    leaves = [torch.from_numpy(x.copy()).requires_grad_(x.dtype.kind == "f") for x in case.inputs]
    wanted = [leaf for leaf in leaves if leaf.requires_grad]
    outputs = _several(case.theirs(*leaves))
    if case.tangents:  # what is empty depends on its operands, too
        outputs = [y + sum(0 * x.sum() for x in wanted) if y.is_floating_point() else y for y in outputs]
    results = {f"value {i}": y.detach().numpy().copy() for i, y in enumerate(outputs)}
    recorded = [(i, y) for i, y in enumerate(outputs) if y.requires_grad]
    if not recorded or not case.orders or not wanted:
        return results
    weights = halves if case.pointwise else drawn
    seeds = [torch.from_numpy(weights(i, tuple(y.shape), y.detach().numpy().dtype)) for i, y in recorded]
    first = torch.autograd.grad(
        [y for _, y in recorded], wanted, seeds, create_graph=case.orders > 1, allow_unused=True, materialize_grads=True
    )
    scale = 2.0 if case.pointwise else 1.0
    results |= {f"gradient of {i}": scale * (g.detach() + 0).numpy() for i, g in enumerate(first)}
    for i, g in enumerate(first if case.orders > 1 else ()):
        seed = torch.from_numpy(weights(i + 7, tuple(g.shape), g.detach().numpy().dtype))
        second: Sequence[Any] = [torch.zeros_like(x) for x in wanted]
        if g.requires_grad:
            second = torch.autograd.grad(g, wanted, seed, retain_graph=True, allow_unused=True, materialize_grads=True)
        results |= {f"second gradient of {i} by {j}": scale**2 * (h.detach() + 0).numpy() for j, h in enumerate(second)}
    return results | (_moved(recorded, wanted) if case.tangents else {})


def _moved(recorded: Sequence[tuple[int, Any]], wanted: Sequence[Any]) -> Results:
    """The tangents of outputs, as derivatives of what their gradients, which are linear in the weights, are in them."""
    along = [torch.from_numpy(drawn(j + 11, tuple(x.shape), x.detach().numpy().dtype)) for j, x in enumerate(wanted)]
    results = {}
    for i, y in recorded:
        weights = torch.zeros_like(y, requires_grad=True)
        gradients = torch.autograd.grad(
            y, wanted, weights, create_graph=True, allow_unused=True, materialize_grads=True
        )  # fmt: skip
        (moved,) = torch.autograd.grad(gradients, weights, along, retain_graph=True, allow_unused=True)
        results[f"tangent of {i}"] = np.zeros(y.shape) if moved is None else moved.numpy()
    return results


def halves(number: int, shape: tuple[int, ...], dtype: Any) -> Array:
    """An output gradient that does not round: what comes of it is doubled exactly."""
    return np.full(shape, 0.5, np.dtype(dtype))


def drawn(number: int, shape: tuple[int, ...], dtype: Any) -> Array:
    """An output gradient that is not the same everywhere, the same in both libraries."""
    return np.asarray(np.random.default_rng(number).uniform(0.5, 1.5, shape), dtype=np.dtype(dtype))


def disagreement(ours: Array, theirs: Array, pointwise: bool) -> Array:
    """True where two results differ by more than rounding; NaN, infinities, integers and bools count exactly."""
    assert ours.shape == theirs.shape, f"netcl's shape is {ours.shape}, PyTorch's {theirs.shape}"
    assert ours.dtype == theirs.dtype, f"netcl's dtype is {ours.dtype}, PyTorch's {theirs.dtype}"
    if ours.dtype.kind != "f":
        return ours != theirs
    ours, theirs = np.atleast_1d(ours), np.atleast_1d(theirs)
    finite = np.abs(theirs[np.isfinite(theirs)])
    relative = RELATIVE[theirs.dtype.name]
    tiny = np.finfo(theirs.dtype).smallest_normal
    allowed = 16 * np.finfo(theirs.dtype).eps if pointwise else max(tiny, relative * finite.max(initial=0.0))
    return ~np.isclose(ours, theirs, rtol=relative, atol=allowed, equal_nan=True)


def _several(outputs: Any) -> Sequence[Any]:
    return list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]
