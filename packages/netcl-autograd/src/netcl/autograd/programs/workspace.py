"""The memory of small values that a program computes and nobody sees: planned once, and used by each call again.

The first call that needs it makes one buffer with all of them; a call takes it, and leaves it for the next one. What
the kernels of two calls do there follows in the order of their queue.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from netcl.core.layout import Layout
from netcl.core.tensor import Tensor

if TYPE_CHECKING:
    from netcl.autograd.programs.replay import Program, Ran

LARGEST = 1 << 16
"""Bytes of a value: to take memory for one that is larger takes no time beside computing it."""
MOST = 1 << 20
"""Bytes of a workspace, which a program keeps."""
_LINE = 64


class Workspace(NamedTuple):
    """The groups that write there, and for each output the layout and the first byte; None for one that is seen."""

    groups: dict[int, list[tuple[Layout, int | None]]]
    nbytes: int

    def another(self) -> tuple[tuple[Tensor, ...], ...]:
        """Tensors for the hidden outputs of each of the groups, in a buffer of their own."""
        queue = next(layout.queue for outputs in self.groups.values() for layout, _ in outputs)
        buffer = queue.pool.keep(self.nbytes)
        return tuple(
            tuple(Tensor(buffer, layout, at // layout.dtype.itemsize) for layout, at in outputs if at is not None)
            for outputs in self.groups.values()
        )


def fresh(layout: Layout) -> Tensor:
    """A tensor of this layout for a result."""
    return Tensor.allocate(layout.queue, layout.shape, layout.dtype)


def workspace(program: Program, ran: Sequence[Ran]) -> Workspace:
    """That of a program whose groups were `ran` so. A value is seen where it is a result, or where a view of it may be:
    where a group has no plan that writes into given tensors."""
    seen: set[Any] = {value for value in program.results if value is not None}
    for group, (plan, _) in zip(program.groups, ran, strict=True):
        if plan is None or plan.writing is None:
            seen.update(group.inputs)
    groups: dict[int, list[tuple[Layout, int | None]]] = {}
    end = 0
    for number, (group, (plan, layouts)) in enumerate(zip(program.groups, ran, strict=True)):
        if plan is None or plan.writing is None:
            continue
        hidden = [value not in seen for value in group.outputs]
        sizes = [layout.size * layout.dtype.itemsize for layout in layouts]
        sizes = [size for size, each in zip(sizes, hidden, strict=True) if each]
        if not sizes or max(sizes) > LARGEST or end + sum(sizes) > MOST:
            continue
        places = accumulate((-(-size // _LINE) * _LINE for size in sizes), initial=end)
        groups[number] = [
            (layout, next(places) if each else None) for layout, each in zip(layouts, hidden, strict=True)
        ]
        end = next(places)
    return Workspace(groups, end)
