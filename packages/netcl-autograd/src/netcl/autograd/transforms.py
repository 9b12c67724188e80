"""Derivatives of functions: vjp, jvp, Jacobians, Hessians and their products.

A function takes values (Tensors or nodes) and returns a value or a tuple. `inputs` is one value or a tuple or list of
them, and gradients come in the same form. The results are plain values; if an input is a node that requires a
gradient they are nodes, and can be differentiated again (`create_graph` says otherwise).

Tangents are taken by differentiating the vjp, which is linear in its output gradients, with respect to them.
"""

from __future__ import annotations

import functools
import importlib
import operator
from collections.abc import Callable, Sequence
from typing import Any

from netcl.autograd import values
from netcl.autograd.apply import apply_op
from netcl.autograd.functional import grad
from netcl.autograd.modes import enable_grad
from netcl.autograd.node import Node, unwrap
from netcl.core.errors import GraphError, ShapeError

__all__ = ["hessian", "hvp", "jacfwd", "jacobian", "jacrev", "jvp", "linearize", "value_and_grad", "vhp", "vjp"]

Fn = Callable[..., Any]


@enable_grad()
def vjp(fn: Fn, inputs: Any, v: Any = None, create_graph: bool | None = None) -> tuple[Any, Any]:
    """Return (outputs, gradients): the output gradients `v` (ones for a scalar) times the Jacobian of `fn`."""
    keep = _keep(inputs, create_graph)
    leaves = _inputs(inputs)
    outputs = fn(*leaves)
    gradients = _gradients(outputs, leaves, v, keep)
    return _result(outputs, keep), _like(inputs, gradients, keep)


@enable_grad()
def jvp(fn: Fn, inputs: Any, tangents: Any, create_graph: bool | None = None) -> tuple[Any, Any]:
    """Return (outputs, tangents): the Jacobian of `fn` times the tangents of its inputs."""
    keep = _keep(inputs, create_graph)
    outputs, push = _push(fn, inputs, keep)
    return _result(outputs, keep), push(tangents)


def linearize(fn: Fn, inputs: Any) -> tuple[Any, Fn]:
    """Return (outputs, function): the function maps input tangents to output tangents, at this point."""
    with enable_grad():
        outputs, push = _push(fn, inputs, False)
    return _result(outputs, False), enable_grad()(push)


@enable_grad()
def jacobian(fn: Fn, inputs: Any, create_graph: bool | None = None) -> Any:
    """Return the Jacobian, of shape (*output.shape, *input.shape).

    A tuple of them for several inputs, and for several outputs a tuple of what one output gives.
    """
    keep = _keep(inputs, create_graph)
    leaves = _inputs(inputs)
    outputs = fn(*leaves)
    several = isinstance(outputs, (tuple, list))
    rows = [_jacobian_of(output, leaves, keep) for output in (outputs if several else [outputs])]
    found = [_like(inputs, row, keep) for row in rows]
    return tuple(found) if several else found[0]


@enable_grad()
def hessian(fn: Fn, inputs: Any, create_graph: bool | None = None) -> Any:
    """Return the matrix of second derivatives of a function with a scalar output; nested tuples for several inputs."""
    keep = _keep(inputs, create_graph)

    def gradient(*args: Any) -> Any:
        found = grad(_scalar("hessian", fn(*args)), list(args), create_graph=True, materialize_grads=True)
        return tuple(found) if isinstance(inputs, (tuple, list)) else found[0]

    return jacobian(gradient, inputs, create_graph=keep)


@enable_grad()
def vhp(fn: Fn, inputs: Any, v: Any, create_graph: bool | None = None) -> tuple[Any, Any]:
    """Return (output, product): `v` times the Hessian of a function with a scalar output."""
    keep = _keep(inputs, create_graph)
    leaves = _inputs(inputs)
    output = _scalar("vhp", fn(*leaves))
    first = grad(output, leaves, create_graph=True, materialize_grads=True)
    product = _gradients(first, leaves, _as_list(v), keep)
    return _result(output, keep), _like(inputs, product, keep)


def hvp(fn: Fn, inputs: Any, v: Any, create_graph: bool | None = None) -> tuple[Any, Any]:
    """Return (output, product): the Hessian of a function with a scalar output times `v`; a Hessian is symmetric."""
    return vhp(fn, inputs, v, create_graph)


def jacrev(fn: Fn, argnums: int | Sequence[int] = 0) -> Fn:
    """Return a function for the Jacobian of `fn` for the arguments `argnums`, one backward per output element."""

    @functools.wraps(fn)
    def jacobian_of(*args: Any) -> Any:
        chosen, rest = _choose(fn, args, argnums)
        return jacobian(rest, chosen)

    return jacobian_of


def jacfwd(fn: Fn, argnums: int | Sequence[int] = 0) -> Fn:
    """Return a function for the Jacobian of `fn` for the arguments `argnums`, one tangent per input element."""

    @functools.wraps(fn)
    def jacobian_of(*args: Any) -> Any:
        chosen, rest = _choose(fn, args, argnums)
        keep = _keep(chosen, None)
        with enable_grad():
            outputs, push = _push(rest, chosen, keep)
            several = isinstance(outputs, (tuple, list))
            inputs = _as_list(chosen)
            table: list[list[Any]] = [[] for _ in _as_list(outputs)]
            for k, value in enumerate(inputs):
                columns: list[list[Any]] = [[] for _ in table]
                for direction in _unit_vectors(value):
                    tangents = [direction if i == k else values.zeros_like(unwrap(x)) for i, x in enumerate(inputs)]
                    for column, tangent in zip(columns, _as_list(push(tangents)), strict=True):
                        column.append(tangent)
                for row, column, output in zip(table, columns, _as_list(outputs), strict=True):
                    row.append(_assemble(column, values.shape_of(output), values.shape_of(value), last=True))
        found = [_like(chosen, row, keep) for row in table]
        return tuple(found) if several else found[0]

    return jacobian_of


def value_and_grad(fn: Fn, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Fn:
    """Return a function that gives (value, gradients) for the arguments `argnums`.

    With `has_aux`, `fn` returns (value, more) and the result is ((value, more), gradients).
    """

    @functools.wraps(fn)
    def both(*args: Any, **kwargs: Any) -> Any:
        chosen, rest = _choose(functools.partial(fn, **kwargs), args, argnums)
        keep = _keep(chosen, None)
        with enable_grad():
            leaves = _inputs(chosen)
            output = rest(*leaves)
            more = None
            if has_aux:
                output, more = output
            gradients = _gradients(_scalar("value_and_grad", output), leaves, None, keep)
        value = _result(output, keep)
        return ((value, more) if has_aux else value), _like(chosen, gradients, keep)

    return both


def _push(fn: Fn, inputs: Any, keep: bool) -> tuple[Any, Fn]:
    """Return the outputs of a function and its linear part: tangents of the inputs -> tangents of the outputs."""
    leaves = _inputs(inputs)
    outputs = fn(*leaves)
    several = isinstance(outputs, (tuple, list))
    found = _as_list(outputs)
    live = [i for i, output in enumerate(found) if isinstance(output, Node) and output.requires_grad]
    # J^T u for output gradients u that are variables themselves; it is linear in u, and its vjp for u is J.
    probes = [Node(values.ones_like(found[i].value), True) for i in live]
    pulled: list[Any] = [None] * len(leaves)
    if live:
        pulled = grad([found[i] for i in live], leaves, probes, create_graph=True, allow_unused=True, retain_graph=True)

    def push(tangents: Any) -> Any:
        given = _as_list(tangents)
        if len(given) != len(leaves):
            raise ShapeError(f"jvp: {len(leaves)} inputs but {len(given)} tangents")
        for index, (leaf, tangent) in enumerate(zip(leaves, given, strict=True)):
            if values.shape_of(tangent) != leaf.shape:
                raise ShapeError(f"jvp: input {index} has shape {leaf.shape}, its tangent {values.shape_of(tangent)}")
        pairs = [(p, t) for p, t in zip(pulled, given, strict=True) if isinstance(p, Node) and p.requires_grad]
        result = [values.zeros_like(unwrap(output)) for output in found]
        if pairs:
            tangent_of = grad(
                [p for p, _ in pairs], probes, [t for _, t in pairs],
                retain_graph=True, create_graph=keep, materialize_grads=True,
            )  # fmt: skip
            for i, tangent in zip(live, tangent_of, strict=True):
                result[i] = tangent
        return tuple(result) if several else result[0]

    return outputs, push


def _jacobian_of(output: Any, leaves: list[Node], keep: bool) -> list[Any]:
    shape = values.shape_of(output)
    rows = [_gradients(output, leaves, seed, keep, retain=True) for seed in _unit_vectors(output)]
    return [_assemble([row[k] for row in rows], shape, leaf.shape) for k, leaf in enumerate(leaves)]


def _unit_vectors(value: Any) -> list[Any]:
    """Return the values of the same shape with a single one."""
    value = unwrap(value)
    if not hasattr(value, "shape"):
        return [values.ones_like(value)]
    import numpy

    size = functools.reduce(operator.mul, value.shape, 1)
    found = []
    for i in range(size):
        unit = numpy.zeros(size, value.dtype)
        unit[i] = 1
        found.append(values.like(unit.reshape(value.shape), value))
    return found


def _assemble(rows: list[Any], outer: tuple[int, ...], inner: tuple[int, ...], last: bool = False) -> Any:
    """Put one row per element of `outer` together; with `last`, one column per element of `inner`."""
    if len(rows) == 1 and not hasattr(unwrap(rows[0]), "shape"):
        return rows[0]
    ops: Any = importlib.import_module("netcl.autograd.ops")
    stacked = ops.stack(rows, axis=-1 if last else 0)
    return ops.reshape(stacked, outer + inner)


def _gradients(outputs: Any, leaves: list[Node], v: Any, keep: bool, retain: bool | None = None) -> list[Any]:
    """Return the gradients for the leaves; outputs that need none are left out."""
    found = _as_list(outputs)
    seeds = [None] * len(found) if v is None else _as_list(v)
    if len(seeds) != len(found):
        raise ShapeError(f"vjp: {len(found)} outputs but {len(seeds)} output gradients")
    pairs = [(o, s) for o, s in zip(found, seeds, strict=True) if isinstance(o, Node) and o.requires_grad]
    if not pairs:
        return [values.zeros_like(leaf.value) for leaf in leaves]
    roots = [o for o, _ in pairs]
    given = None if v is None else [s for _, s in pairs]
    return grad(roots, leaves, given, retain_graph=retain, create_graph=keep, materialize_grads=True)


def _inputs(inputs: Any) -> list[Node]:
    """Return a node of its own for each input, joined to the graph of an input that has one."""
    return [_fresh(value) for value in _as_list(inputs)]


def _fresh(value: Any) -> Node:
    if isinstance(value, Node) and value.requires_grad:
        return apply_op(_same, _same_gradient, value, op_name="input", saves=())
    return Node(unwrap(value), True)


def _keep(inputs: Any, create_graph: bool | None) -> bool:
    if create_graph is not None:
        return create_graph
    return any(isinstance(x, Node) and x.requires_grad for x in _as_list(inputs))


def _choose(fn: Fn, args: tuple[Any, ...], argnums: int | Sequence[int]) -> tuple[Any, Fn]:
    """Return the arguments to differentiate for, and `fn` as a function of them alone."""
    numbers = [argnums] if isinstance(argnums, int) else list(argnums)
    if any(not -len(args) <= n < len(args) for n in numbers):
        raise GraphError(f"argnums is {argnums}, but there are {len(args)} arguments")
    numbers = [n % len(args) for n in numbers]

    def rest(*chosen: Any) -> Any:
        full = list(args)
        for n, value in zip(numbers, chosen, strict=True):
            full[n] = value
        return fn(*full)

    picked = tuple(args[n] for n in numbers)
    return (picked[0] if isinstance(argnums, int) else picked), rest


def _scalar(caller: str, output: Any) -> Any:
    if values.shape_of(output) != ():
        raise ShapeError(f"{caller}: the function must return a scalar, it returned shape {values.shape_of(output)}")
    return output


def _result(outputs: Any, keep: bool) -> Any:
    if keep:
        return outputs
    return tuple(unwrap(o) for o in outputs) if isinstance(outputs, (tuple, list)) else unwrap(outputs)


def _like(inputs: Any, found: Sequence[Any], keep: bool) -> Any:
    plain = list(found) if keep else [unwrap(x) for x in found]
    return tuple(plain) if isinstance(inputs, (tuple, list)) else plain[0]


def _as_list(items: Any) -> list[Any]:
    return list(items) if isinstance(items, (tuple, list)) else [items]


def _same(value: Any) -> Any:
    return value


def _same_gradient(saved: Any, needs: Any, dy: Any) -> list[Any]:
    return [dy]
