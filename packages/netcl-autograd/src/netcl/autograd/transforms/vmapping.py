"""vmap: a function of one example, run on a whole batch of them at once.

Nothing is looped over: each op runs once, as the formula of its declaration with one axis more (`Batched` values know
which operands have it). So it goes through gradients (per-example ones), tangents and other vmaps.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from netcl.autograd.graph import values
from netcl.autograd.graph.node import Node, attach_operators
from netcl.autograd.transforms import trees
from netcl.autograd.transforms.batched import Batch, batch_levels, in_each_call, physical
from netcl.autograd.transforms.inputs import staying
from netcl.core.arguments import explained
from netcl.core.errors import GraphError, ShapeError

__all__ = ["vmap"]

P = ParamSpec("P")
R = TypeVar("R")


@explained
def vmap(fn: Callable[P, R], in_axes: Any = 0, out_axes: Any = 0, randomness: str = "error") -> Callable[P, R]:
    """Return `fn` for a batch: as though it were called for each example, and the results were stacked.

    `in_axes` says which axis of each argument has the examples, None for an argument that is the same for all: one
    answer for every argument, or a tuple with one per argument, each of which may be a tree as the argument is.
    Tensors among keyword arguments have the examples along axis 0. `out_axes` says where they are in the results. What
    is no number in a tree, such as a text in a dataclass, is the same for all.

    Python runs once, so it cannot look at values that differ between examples. A random op draws "different" numbers
    for each example or the "same" for all, as `randomness` says, and is refused by default. Raises ShapeError where
    the numbers of examples differ.
    """
    if randomness not in ("error", "same", "different"):
        raise ValueError(f"vmap: randomness is {randomness!r}, but it must be 'error', 'same' or 'different'")

    @functools.wraps(fn)
    def of_batch(*args: P.args, **kwargs: P.kwargs) -> Any:
        leaves, structure = trees.flatten((args, kwargs))
        axes = _axes_of(args, kwargs, in_axes)
        places = trees.argument_names(trees.flatten(args)[1]) + trees.argument_names(trees.flatten(kwargs)[1])
        for at in staying(leaves, places):
            axes[at] = None
        leaves = [_tensor(leaf, axis, place) for leaf, axis, place in zip(leaves, axes, places, strict=True)]
        attach_operators()
        with Batch(_size(leaves, axes, places), randomness) as level:
            given = [
                leaf if axis is None else in_each_call(_moved(leaf, axis, 0), level)
                for leaf, axis in zip(leaves, axes, strict=True)
            ]
            inner_args, inner_kwargs = structure.build(given)
            result, shape = trees.flatten(fn(*inner_args, **inner_kwargs))
            wanted = shape.spread(out_axes, "vmap: out_axes")
            stay = staying(result, shape.paths())
            found = [
                each if at in stay else _result(each, axis, level)
                for at, (each, axis) in enumerate(zip(result, wanted, strict=True))
            ]
        return shape.build(found)

    return of_batch


def _axes_of(args: tuple[Any, ...], kwargs: dict[str, Any], in_axes: Any) -> list[int | None]:
    """The axis of each leaf."""
    per_argument = list(in_axes) if isinstance(in_axes, (list, tuple)) else [in_axes] * len(args)
    if len(per_argument) != len(args):
        raise ShapeError(f"vmap: in_axes is for {len(per_argument)} arguments, but there are {len(args)}")
    axes = [
        axis
        for argument, axes in zip(args, per_argument, strict=True)
        for axis in trees.flatten(argument)[1].spread(axes, "vmap: in_axes")
    ]
    return axes + [0 if hasattr(leaf, "shape") else None for leaf in trees.leaves_of(kwargs)]


def _tensor(leaf: Any, axis: int | None, place: str) -> Any:
    if axis is None:
        return leaf
    values.refuse_foreign(leaf, f"vmap: {place}")
    leaf = values.from_python(leaf)
    ndim = len(values.shape_of(leaf))
    if not hasattr(leaf, "shape") or not -ndim <= axis < ndim:
        shown = f"of shape {leaf.shape}" if hasattr(leaf, "shape") else f"a {type(leaf).__name__}"
        raise ShapeError(f"vmap: {place} is {shown} and has no axis {axis}; give it None in in_axes if it is for all")
    return leaf


def _size(leaves: list[Any], axes: list[int | None], places: list[str]) -> int:
    given = zip(leaves, axes, places, strict=True)
    found = [(leaf.shape[axis], place) for leaf, axis, place in given if axis is not None]
    if not found:
        raise ShapeError("vmap: no argument has examples; in_axes must name an axis of one of them")
    size, first = found[0]
    for other, place in found:
        if other != size:
            raise ShapeError(f"vmap: {first} has {size} examples, {place} has {other}")
    return int(size)


def _result(item: Any, axis: int | None, level: Batch) -> Any:
    if axis is None:
        if level in batch_levels(item):
            raise GraphError("vmap: a result differs from example to example; its out_axes cannot be None")
        return item
    if not isinstance(item, Node) and not values.is_device_tensor(item):
        raise GraphError(f"vmap: the function returned a {type(item).__name__}; return tensors, or None in out_axes")
    return _moved(physical(item, level), 0, axis)


def _moved(item: Any, source: int, target: int) -> Any:
    at, to = (axis % len(item.shape) for axis in (source, target))
    return item if at == to else importlib.import_module("netcl.autograd.ops").moveaxis(item, at, to)
