"""gradcheck: compare the gradients of a function with differences of its values.

The derivative of a function f at x in direction v is (f(x + eps v) - f(x - eps v)) / (2 eps) up to eps². In float32
that difference keeps about three digits, so float64 inputs are advised; a warning says so.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from netcl.autograd.engine.functional import grad
from netcl.autograd.graph import values
from netcl.autograd.graph.modes import enable_grad
from netcl.autograd.graph.node import Node, unwrap
from netcl.core.arguments import explained
from netcl.core.errors import DtypeError, GraphError

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]

Fn = Callable[..., Any]
Array = np.ndarray[Any, Any]

_TOLERANCES = {8: (1e-6, 1e-5, 1e-3), 4: (1e-2, 1e-2, 1e-2), 2: (5e-2, 5e-2, 5e-2)}
"""Bytes of the narrowest float input -> (eps, atol, rtol)."""


class GradcheckError(GraphError, AssertionError):
    """Gradients that are not those of the function."""


@explained
def gradcheck(
    fn: Fn,
    inputs: Any,
    eps: float | None = None,
    atol: float | None = None,
    rtol: float | None = None,
    fast: bool = False,
    nondet_tol: float = 0.0,
    raise_exception: bool = True,
) -> bool:
    """Return True if the gradients of `fn(*inputs)` are right, else raise GradcheckError saying where they are not.

    The inputs that are checked are the nodes that require a gradient or, if there are none, all floating Tensors.
    `eps`, `atol` and `rtol` follow the narrowest of their dtypes unless given: float64 is checked to 1e-3, float32 to
    1e-2 with steps of 1e-2. `fast` compares two random projections instead of every element; `nondet_tol` is how much
    two backward passes may differ. Raises GraphError for inputs that cannot be checked: none that is differentiable,
    or several that share memory; DtypeError for complex numbers.
    """
    try:
        _check(fn, _as_list(inputs), eps, atol, rtol, fast, nondet_tol)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


@explained
def gradgradcheck(
    fn: Fn,
    inputs: Any,
    grad_outputs: Any = None,
    eps: float | None = None,
    atol: float | None = None,
    rtol: float | None = None,
    fast: bool = False,
    nondet_tol: float = 0.0,
    raise_exception: bool = True,
) -> bool:
    """As `gradcheck`, for the gradients of `fn`: checks second derivatives. `grad_outputs` are random if not given."""
    given = _as_list(inputs)
    chosen = _chosen(given)
    with enable_grad():
        outputs = _as_list(fn(*_with_leaves(given, chosen)[0]))
    live = [i for i, output in enumerate(outputs) if isinstance(output, Node) and output.requires_grad]
    if grad_outputs is None:
        random = np.random.default_rng(0)
        seeds = [_from_host(random.uniform(0.5, 1.5, outputs[i].shape), outputs[i].value) for i in live]
    else:
        seeds = _as_list(grad_outputs)

    def first(*args: Any) -> Any:
        leaves, upstream = list(args[: len(given)]), list(args[len(given) :])
        outputs = _as_list(fn(*leaves))
        wanted = [leaves[i] for i in chosen]
        found = grad([outputs[i] for i in live], wanted, upstream, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    nodes = [Node(unwrap(x), True) if i in chosen else x for i, x in enumerate(given)]
    extended = [*nodes, *(Node(unwrap(seed), True) for seed in seeds)]
    return gradcheck(first, extended, eps, atol, rtol, fast, nondet_tol, raise_exception)


def _check(
    fn: Fn, inputs: list[Any], eps: float | None, atol: float | None, rtol: float | None, fast: bool, nondet_tol: float
) -> None:
    chosen = _chosen(inputs)
    defaults = _defaults([inputs[i] for i in chosen])
    eps, atol, rtol = (d if given is None else given for d, given in zip(defaults, (eps, atol, rtol), strict=True))

    with enable_grad():
        args, leaves = _with_leaves(inputs, chosen)
        outputs = _as_list(fn(*args))
    backward = _Backward(outputs, leaves, chosen, together=fast)
    for i in backward.live:
        _linear_in_seed(backward, i)
    _none_is_zero(backward)
    random = np.random.default_rng(0)
    directions = [_random(random, leaf.shape) if fast else _units(leaf.shape) for leaf in leaves]
    differences = [
        [_differences(fn, inputs, j, direction, eps) for direction in each]
        for j, each in zip(chosen, directions, strict=True)
    ]
    compare = _compare_fast if fast else _compare_all
    for i in range(len(outputs)):
        slopes = [[along[i] for along in each] for each in differences]
        if i in backward.live:
            compare(backward, i, directions, slopes, atol, rtol, nondet_tol)
        else:
            _no_hidden_dependence(backward, i, directions, slopes, atol)


def _differences(fn: Fn, inputs: list[Any], j: int, direction: Array, eps: float) -> list[Array]:
    """The derivative of each output along a direction of input j."""

    def at(step: float) -> list[Array]:
        args = list(inputs)
        value = unwrap(inputs[j])
        args[j] = Node(_from_host(_to_host(value) + step * direction, value), True)
        with enable_grad():  # a function may compute gradients itself
            return [_to_host(unwrap(output)) for output in _as_list(fn(*args))]

    return [(more - less) / (2 * eps) for more, less in zip(at(eps), at(-eps), strict=True)]


class _Backward:
    """The gradients of some outputs of a function, for its `leaves`, which are the `chosen` inputs. `together` all
    outputs have an output gradient, of zeros where none is given."""

    def __init__(self, outputs: list[Any], leaves: list[Node], chosen: list[int], together: bool) -> None:
        self.outputs, self.leaves, self.chosen, self.together = outputs, leaves, chosen, together
        self.live = [i for i, output in enumerate(outputs) if isinstance(output, Node) and output.requires_grad]

    def of(self, seeds: Mapping[int, Array]) -> list[Array]:
        """For each leaf, what these output gradients give; other outputs have None."""
        upstream = [_from_host(seed, self.outputs[i].value) for i, seed in seeds.items()]
        rooted = [self.outputs[i] for i in seeds]
        found = grad(rooted, self.leaves, upstream, retain_graph=True, allow_unused=True)
        return [
            np.zeros(leaf.shape) if g is None else _to_host(unwrap(g))
            for leaf, g in zip(self.leaves, found, strict=True)
        ]

    def at(self, i: int, seed: Array) -> list[Array]:
        return self.of({**(self.zeros() if self.together else {}), i: seed})

    def zeros(self) -> dict[int, Array]:
        return {i: np.zeros(self.outputs[i].shape) for i in self.live}


def _compare_all(
    backward: _Backward, i: int, directions: list[list[Array]], slopes: list[list[Array]],
    atol: float, rtol: float, nondet_tol: float,
) -> None:  # fmt: skip
    shape = backward.outputs[i].shape
    rows = [backward.at(i, unit) for unit in _units(shape)]
    again = [backward.at(i, unit) for unit in _units(shape)]
    wrong_count, worst, report = 0, 0.0, ""
    for position, (j, leaf) in enumerate(zip(backward.chosen, backward.leaves, strict=True)):
        for row, repeated in zip(rows, again, strict=True):
            _deterministic(row[position], repeated[position], i, j, nondet_tol)
        for e, slope in enumerate(slopes[position]):
            difference = slope.reshape(-1)
            analytic = np.array([row[position].reshape(-1)[e] for row in rows], dtype=np.float64)
            wrong = ~np.isclose(analytic, difference, rtol=rtol, atol=atol, equal_nan=True)
            wrong_count += int(wrong.sum())
            allowed = atol + rtol * np.abs(difference)
            for at in np.flatnonzero(wrong):
                excess = abs(analytic[at] - difference[at]) / allowed[at]
                if excess > worst or not report or not np.isfinite(excess):
                    worst = excess if np.isfinite(excess) else math.inf
                    report = (
                        f"output {i} element {_index(int(at), shape)}, "
                        f"input {j} element {_index(e, leaf.shape)}: the gradient is {analytic[at]:.8g}, "
                        f"differences give {difference[at]:.8g} (allowed difference {allowed[at]:.3g})"
                    )
    if wrong_count:
        entries = len(rows) * sum(map(len, directions))
        raise GradcheckError(f"gradcheck: {report}; it is the worst of {wrong_count} wrong of {entries} derivatives")


def _compare_fast(
    backward: _Backward, i: int, directions: list[list[Array]], slopes: list[list[Array]],
    atol: float, rtol: float, nondet_tol: float,
) -> None:  # fmt: skip
    seed = np.random.default_rng(i).uniform(0.5, 1.5, backward.outputs[i].shape)
    found, again = backward.at(i, seed), backward.at(i, seed)
    for position, j in enumerate(backward.chosen):
        _deterministic(found[position], again[position], i, j, nondet_tol)
        for direction, slope in zip(directions[position], slopes[position], strict=True):
            analytic, difference = float((found[position] * direction).sum()), float((seed * slope).sum())
            allowed = atol * math.sqrt(max(1, seed.size))
            if not np.isclose(analytic, difference, rtol=rtol, atol=allowed, equal_nan=True):
                raise GradcheckError(
                    f"gradcheck: output {i}, input {j}: a projection of the gradient is {analytic:.8g}, differences "
                    f"give {difference:.8g}; run it with fast=False to see which element is wrong"
                )


def _deterministic(found: Array, again: Array, i: int, j: int, nondet_tol: float) -> None:
    if not np.allclose(found, again, rtol=0, atol=nondet_tol, equal_nan=True):
        raise GradcheckError(
            f"gradcheck: the gradient of output {i} for input {j} differs between two runs; backward is not "
            "deterministic"
        )


def _no_hidden_dependence(
    backward: _Backward, i: int, directions: list[list[Array]], slopes: list[list[Array]], atol: float
) -> None:
    """An output without a gradient must not change with the inputs."""
    for j, leaf, along, found in zip(backward.chosen, backward.leaves, directions, slopes, strict=True):
        for direction, slope in zip(along, found, strict=True):
            if np.abs(slope).max(initial=0) > atol:
                alone = direction.max(initial=0) == 1
                where = f" element {_index(int(direction.argmax()), leaf.shape)}" if alone else ""
                raise GradcheckError(f"gradcheck: output {i} carries no gradient, but changes with input {j}{where}")


def _linear_in_seed(backward: _Backward, i: int) -> None:
    """An output gradient of zero must give zeros, or NaN from an infinite slope: a backward multiplies by it."""
    for j, found in zip(backward.chosen, backward.at(i, np.zeros(backward.outputs[i].shape)), strict=True):
        if np.any((found != 0) & ~np.isnan(found)):
            raise GradcheckError(
                f"gradcheck: output {i}, input {j}: an output gradient of zero gave a gradient that is not zero; "
                "backward must multiply by its output gradient"
            )


def _none_is_zero(backward: _Backward) -> None:
    """An output that has no gradient must count like one whose gradient is zeros: each output alone has one, or, when
    all are checked together, every second one and then the others."""
    live = backward.live
    if len(live) < 2:
        return
    for given in (live[::2], live[1::2]) if backward.together else ([i] for i in live):
        ones = {i: np.ones(backward.outputs[i].shape) for i in given}
        with_zeros, with_none = backward.of({**backward.zeros(), **ones}), backward.of(ones)
        for j, zeros, none in zip(backward.chosen, with_zeros, with_none, strict=True):
            if not np.allclose(zeros, none, rtol=1e-5, atol=1e-7, equal_nan=True):
                raise GradcheckError(
                    f"gradcheck: output {' and '.join(map(str, given))}, input {j}: the gradient is another one when "
                    "the other outputs have a gradient of zeros than when they have None; backward must take None for "
                    "zeros"
                )


def _chosen(inputs: list[Any]) -> list[int]:
    """Return which inputs are differentiated; a GraphError if there are none, or if they share memory."""
    for value in inputs:
        if getattr(values.dtype_of(value), "kind", "") == "c" or isinstance(unwrap(value), complex):
            raise DtypeError(
                "gradcheck: complex numbers are not supported; check real and imaginary part as two inputs"
            )
    found = [i for i, x in enumerate(inputs) if isinstance(x, Node) and x.requires_grad]
    if not found and not any(isinstance(x, Node) for x in inputs):
        found = [i for i, x in enumerate(inputs) if getattr(values.dtype_of(x), "kind", "") == "f"]
    if not found:
        raise GraphError("gradcheck: no input is differentiable; give float64 Tensors or nodes that require a gradient")
    memory: dict[int, int] = {}
    for i in found:
        value = unwrap(inputs[i])
        strides = getattr(value, "strides", ())
        if any(n > 1 and s == 0 for n, s in zip(values.shape_of(value), strides, strict=False)):
            raise GraphError(f"gradcheck: input {i} overlaps itself (it is a broadcast view); give it a copy")
        buffer = getattr(value, "buffer", None)
        if buffer is not None and memory.setdefault(id(buffer), i) != i:
            raise GraphError(f"gradcheck: inputs {memory[id(buffer)]} and {i} share memory; give it copies")
    return found


def _defaults(inputs: list[Any]) -> tuple[float, float, float]:
    widths = [values.dtype_of(x).itemsize if values.dtype_of(x) is not None else 8 for x in inputs]
    if min(widths) < 8:
        warnings.warn("gradcheck: an input is not float64; differences of narrower floats are rough", stacklevel=5)
    return _TOLERANCES[min(widths)]


def _with_leaves(inputs: list[Any], chosen: Sequence[int]) -> tuple[list[Any], list[Node]]:
    args = list(inputs)
    for i in chosen:
        args[i] = Node(unwrap(inputs[i]), True)
    return args, [args[i] for i in chosen]


def _random(random: np.random.Generator, shape: tuple[int, ...]) -> list[Array]:
    """Two directions of length 1: what is wrong may cancel along one."""
    found = (np.asarray(random.standard_normal(shape)) for _ in range(2))
    return [each / (np.linalg.norm(each) or 1.0) for each in found]


def _units(shape: tuple[int, ...]) -> list[Array]:
    size = math.prod(shape)
    return [unit.reshape(shape) for unit in np.eye(size)] if size else []


def _index(flat: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(flat, shape)) if shape else ()


def _to_host(value: Any) -> Array:
    if values.is_device_tensor(value):
        value = value.to_host()
    try:
        return np.array(value if hasattr(value, "dtype") else float(value), dtype=np.float64)
    except (TypeError, ValueError):
        raise DtypeError(f"gradcheck: {value!r} has no numbers to take differences of; give Tensors") from None


def _from_host(array: Array, value: Any) -> Any:
    if not hasattr(value, "dtype"):
        return type(value)(float(array))
    return values.like(array.astype(value.dtype), value)


def _as_list(items: Any) -> list[Any]:
    return list(items) if isinstance(items, (tuple, list)) else [items]
