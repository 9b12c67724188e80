"""Jacobians, Hessians, and their products with vectors.

The Jacobian of an output for an input has the shape (*output.shape, *input.shape); for trees of outputs and inputs it
is the tree of outputs, with a tree of inputs at each leaf. Reverse mode takes it row by row, forward mode column by
column. Both run the function once and then its linear part, for all rows or columns at once (`vectorize`), or for one
after the other.
"""

from __future__ import annotations

import functools
import importlib
import math
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, overload

import numpy as np

from netcl import core
from netcl.autograd.engine.functional import grad
from netcl.autograd.graph import values
from netcl.autograd.graph.levels import tangents_of, with_tangents, without_graph
from netcl.autograd.graph.modes import enable_grad
from netcl.autograd.graph.node import Node
from netcl.autograd.transforms import trees
from netcl.autograd.transforms.forward import Forward, split
from netcl.autograd.transforms.inputs import end
from netcl.autograd.transforms.recorded import Point, Recorded, settled, zeros_like
from netcl.autograd.transforms.transforms import chosen, linearized
from netcl.autograd.transforms.vmapping import vmap
from netcl.core.arguments import explained

__all__ = ["hessian", "hvp", "jacfwd", "jacobian", "jacrev", "vhp"]

Fn = Callable[..., Any]
P = ParamSpec("P")


@explained
def jacobian(fn: Fn, inputs: Any, create_graph: bool | None = None, vectorize: bool = True) -> Any:
    """Return the Jacobian of `fn` by reverse mode."""
    return _by_rows(fn, Point("jacobian", inputs), create_graph, vectorize)[0]


@explained
def jacrev(
    fn: Callable[P, Any], argnums: int | Sequence[int] = 0, has_aux: bool = False, vectorize: bool = True
) -> Callable[P, Any]:
    """Return a function for the Jacobian of `fn` for the arguments `argnums`, by reverse mode.

    With `has_aux`, `fn` returns (outputs, aux) and the result is (Jacobian, aux).
    """

    @functools.wraps(fn)
    def jacobian_of(*args: P.args, **kwargs: P.kwargs) -> Any:
        point, rest = chosen("jacrev", fn, args, kwargs, argnums)
        found, aux = _by_rows(rest, point, None, vectorize, has_aux)
        return (found, aux) if has_aux else found

    return jacobian_of


@explained
def jacfwd(
    fn: Callable[P, Any], argnums: int | Sequence[int] = 0, has_aux: bool = False, vectorize: bool = True
) -> Callable[P, Any]:
    """Return a function for the Jacobian of `fn` for the arguments `argnums`, by forward mode.

    With `has_aux`, `fn` returns (outputs, aux) and the result is (Jacobian, aux).
    """

    @functools.wraps(fn)
    def jacobian_of(*args: P.args, **kwargs: P.kwargs) -> Any:
        point, rest = chosen("jacfwd", fn, args, kwargs, argnums)
        found, aux = _by_columns(rest, point, vectorize, has_aux)
        return (found, aux) if has_aux else found

    return jacobian_of


@overload
def hessian(
    fn: Callable[P, Any],
    inputs: None = None,
    create_graph: bool | None = None,
    vectorize: bool = True,
    *,
    argnums: int | Sequence[int] = 0,
) -> Callable[P, Any]: ...
@overload
def hessian(fn: Fn, inputs: Any, create_graph: bool | None = None, vectorize: bool = True) -> Any: ...
@explained
def hessian(
    fn: Fn,
    inputs: Any = None,
    create_graph: bool | None = None,
    vectorize: bool = True,
    *,
    argnums: int | Sequence[int] = 0,
) -> Any:
    """Return the second derivatives of a function with a scalar output: the forward Jacobian of its gradient.

    With a function alone, `hessian(fn, argnums=0)`, return a function for them, as `jacrev` does.
    """
    if inputs is not None:
        return _hessian(fn, Point("hessian", inputs), create_graph, vectorize)

    @functools.wraps(fn)
    def hessian_of(*args: Any, **kwargs: Any) -> Any:
        point, rest = chosen("hessian", fn, args, kwargs, argnums)
        return _hessian(rest, point, create_graph, vectorize)

    return hessian_of


def _hessian(fn: Fn, point: Point, create_graph: bool | None, vectorize: bool) -> Any:
    def gradient(*args: Any) -> Any:
        run = Recorded(fn, point.at(point.leaves_of(args)), None)
        run.scalar()
        found = point.like([settled(each, run.keep) for each in run.gradients()])
        end(run.leaves)
        return found

    found, _ = _by_columns(gradient, point, vectorize)
    return found if create_graph is not False else trees.mapped(without_graph, found)


@explained
def hvp(fn: Fn, inputs: Any, v: Any, create_graph: bool | None = None) -> tuple[Any, Any]:
    """Return (output, product): the Hessian of a function with a scalar output times `v`, forward over reverse."""
    point = Point("hvp", inputs)
    with Forward() as level:
        pairs = zip(point.leaves, point.beside(v, "vector"), strict=True)
        run = Recorded(fn, point.at([with_tangents(x, {**tangents_of(x), level: t}) for x, t in pairs]), None)
        output, _ = split(run.scalar(), level)
        product = [split(each, level)[1] for each in run.gradients()]
        end(run.leaves)
    found = [zeros_like(x) if t is None else t for x, t in zip(point.leaves, product, strict=True)]
    return settled(output, create_graph), point.like([settled(each, create_graph) for each in found])


@explained
def vhp(fn: Fn, inputs: Any, v: Any, create_graph: bool | None = None) -> tuple[Any, Any]:
    """Return (output, product): `v` times the Hessian of a function with a scalar output, reverse over reverse."""
    point = Point("vhp", inputs)
    seeds = point.beside(v, "vector")
    outputs: list[Any] = []

    def gradient(*args: Any) -> Any:
        run = Recorded(fn, point.at(point.leaves_of(args)), True)
        outputs.append(run.scalar())
        return point.like(run.gradients())

    run = Recorded(gradient, point, create_graph)
    product = run.gradients(seeds)
    end(run.leaves)
    return settled(outputs[0], run.keep), point.like([settled(each, run.keep) for each in product])


def _by_rows(
    fn: Fn, point: Point, create_graph: bool | None, vectorize: bool, has_aux: bool = False
) -> tuple[Any, Any]:
    run = Recorded(fn, point, create_graph, has_aux)
    rows = []
    for output in run.outputs:
        pull = functools.partial(_pulled, output, run)
        shape = values.shape_of(output)
        found = _of_each_unit(pull, output, vectorize)
        pairs = zip(found, run.leaves, strict=True)
        rows.append(point.like([settled(_shaped(g, (*shape, *values.shape_of(x))), run.keep) for g, x in pairs]))
    end(run.leaves)
    return run.structure.build(rows), run.aux if has_aux else None


@enable_grad()
def _pulled(output: Any, run: Recorded, seed: Any) -> list[Any]:
    """One row of a Jacobian: a gradient for each leaf."""
    if not isinstance(output, Node) or not output.requires_grad:
        return [zeros_like(leaf) for leaf in run.leaves]
    found = grad(output, run.leaves, seed, retain_graph=True, create_graph=run.keep, allow_unused=True)
    return [zeros_like(x) if g is None else g for x, g in zip(run.leaves, found, strict=True)]


def _by_columns(fn: Fn, point: Point, vectorize: bool, has_aux: bool = False) -> tuple[Any, Any]:
    outputs, push, aux = linearized(fn, point, has_aux)
    results, structure = trees.flatten(outputs)
    table: list[list[Any]] = [[] for _ in results]
    for at, leaf in enumerate(point.leaves):

        def along(unit: Any, at: int = at) -> list[Any]:
            tangents = [unit if k == at else zeros_like(each) for k, each in enumerate(point.leaves)]
            return trees.leaves_of(push(tangents))

        columns = _of_each_unit(along, leaf, vectorize)
        for row, column, output in zip(table, columns, results, strict=True):
            row.append(_shaped(_last(column, leaf), (*values.shape_of(output), *values.shape_of(leaf))))
    return structure.build([point.like(row) for row in table]), aux


def _of_each_unit(function: Fn, like: Any, vectorize: bool) -> list[Any]:
    """The results of a linear function for each value of the shape of `like` that has a single one, side by side."""
    shape, dtype, queue = values.describe(like)
    if shape == ():
        return list(function(values.ones_like(like.value if isinstance(like, Node) and dtype is None else like)))
    size = math.prod(shape)
    units: Any = core.from_host(np.eye(size, dtype=dtype).reshape(size, *shape), queue=queue)
    if vectorize or not size:
        return list(vmap(function, randomness="same")(units))
    rows = zip(*[function(units[at]) for at in range(size)], strict=True)
    return [_ops().stack(list(row)) for row in rows]


def _last(column: Any, leaf: Any) -> Any:
    return column if values.shape_of(leaf) == () else _ops().moveaxis(column, 0, -1)


def _shaped(item: Any, shape: tuple[int, ...]) -> Any:
    return item if values.shape_of(item) == shape else _ops().reshape(item, shape)


def _ops() -> Any:
    return importlib.import_module("netcl.autograd.ops")
