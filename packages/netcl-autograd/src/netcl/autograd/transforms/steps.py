"""checkpoint_steps: many steps, of which only some states are kept for backward; the others are computed again.

Of T steps in segments of k there are T / k states between the segments, and in backward those of one segment at a time
with their gradients. So memory goes with the root of T, for one more run of the steps (Chen, Xu, Zhang, Guestrin:
Training Deep Nets with Sublinear Memory Cost, 2016). A segment may be gone along in segments itself: less memory still,
for another run.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import partial
from math import ceil, sqrt
from typing import Any

from netcl.autograd.graph import values
from netcl.autograd.transforms import trees
from netcl.autograd.transforms.checkpointing import checkpoint
from netcl.core.arguments import explained
from netcl.core.errors import GraphError, ShapeError


@explained
def checkpoint_steps(
    fn: Callable[..., tuple[Any, Any]], state: Any, *xs: Any, every: int | Sequence[int] | None = None
) -> tuple[Any, Any]:
    """Go along the first axis of `xs` in segments of so many steps: `state, y = fn(state, *segment)`.

    Returns the last state, and the y of all segments joined along their first axes. Each of them may be a tensor or a
    tree of tensors, y also None. Every segment is a `checkpoint`: backward has the states between segments, and runs
    a segment again when it gets there. `every` is the length of a segment, or several: that of the segments, then that
    of the segments within each of them, and so on. Each length costs one more run of the steps. Of T steps, the root
    of T as `every` is fast and keeps root(T) states, and root(T) more with their gradients; without `every` it is two
    lengths, of 5 root(T) and 0.75 root(T) steps, and all of that is below 2 root(T) from some 2,000 steps on. Where
    there are no steps, `fn` gets one segment of none. Raises ShapeError where there are no xs, the lengths of their
    first axes differ, or a length of `every` is below 1, GraphError where `fn` does not return a pair.
    """
    leaves, structure = trees.flatten(xs)
    lengths = {_steps_of(leaf) for leaf in leaves}
    if len(lengths) != 1:
        found = ", ".join(map(str, sorted(lengths))) or "none"
        raise ShapeError(f"checkpoint_steps: the first axes of xs have one length, that of the steps; found {found}")
    (steps,) = lengths
    length, *within = _lengths(every, steps)
    run = partial(checkpoint_steps, fn, every=within) if within else fn
    outputs: list[Any] = []
    for begin in range(0, max(steps, 1), length):
        segment = structure.build([leaf[begin : begin + length] for leaf in leaves])
        pair: Any = checkpoint(run, state, *segment)
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise GraphError("checkpoint_steps: fn must return a pair (state, y); y is None where there is nothing")
        state, y = pair
        outputs.append(y)
    parts, shape = zip(*map(trees.flatten, outputs), strict=True)
    return state, shape[0].build([_joined(several) for several in zip(*parts, strict=True)])


def _lengths(every: int | Sequence[int] | None, steps: int) -> Sequence[int]:
    """The lengths of segments, from the outer to the inner ones."""
    if every is None:
        return max(1, ceil(5 * sqrt(steps))), max(1, ceil(0.75 * sqrt(steps)))
    lengths = [every] if isinstance(every, int) else [*every]
    if not lengths or min(lengths) < 1:
        raise ShapeError(f"checkpoint_steps: every is {every}; a segment has at least one step")
    return lengths


def _steps_of(x: Any) -> int:
    shape = values.shape_of(x)
    if not shape:
        raise ShapeError("checkpoint_steps: one of xs has no axes; its first axis is that of the steps")
    return int(shape[0])


def _joined(parts: tuple[Any, ...]) -> Any:
    return parts[0] if len(parts) == 1 else importlib.import_module("netcl.autograd.ops").cat(list(parts), 0)
