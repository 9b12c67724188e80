"""How a kernel for a CPU goes through its indices: which are shared out over work-items, which are vectorised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

from netcl.kernels.compiler.ir import root
from netcl.kernels.compiler.lower.kernel import Kernel
from netcl.kernels.compiler.lower.loop_bounds import LoopBounds
from netcl.kernels.compiler.lower.nest import Nest


@dataclass(frozen=True)
class Blocks:
    """An index that is cut into blocks of `size` values. With `run`, a block is gone through in runs of so many, each
    added to what the block has written so far."""

    index: str
    size: int
    run: int = 0


@dataclass(frozen=True)
class Columns:
    """An index of which `count` values are taken together inside the loops of reductions."""

    index: str
    count: int


@dataclass(frozen=True, kw_only=True)
class Loops:
    """`parallel` are indices (of the outputs) whose combinations are shared out over the work-items; the loops over
    `inner` run inside, in that order. `blocks` cuts one more index, whose blocks are shared out too: the last of
    `inner`, or one that a Reduce binds (then each block writes a partial result of its own, at index `index + "#"`).
    `vector` is the output index computed sixteen at a time; `reduce_vectors` names such an index per Reduce, by `over`.
    `padded` says that all reads along `vector` may go on up to a whole vector, so that no tail is needed. `columns` is
    the last of `inner`. `short` has the sums (by `over`) that one run holds, `bounds` the part of some bound indices
    that loops go through.
    """

    parallel: tuple[str, ...] = ()
    inner: tuple[str, ...] = ()
    blocks: Blocks | None = None
    vector: str | None = None
    reduce_vectors: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    padded: bool = False
    columns: Columns | None = None
    short: frozenset[tuple[str, ...]] = frozenset()
    bounds: Mapping[str, LoopBounds] = field(default_factory=dict)

    @property
    def blocked(self) -> str | None:
        """The index that is cut into blocks."""
        return self.blocks.index if self.blocks else None

    @property
    def run(self) -> int:
        return self.blocks.run if self.blocks else 0


@dataclass(frozen=True, kw_only=True)
class LoopKernel(Kernel):
    """A kernel for a CPU: each work-item goes through the units that are its share, in these loops."""

    loops: Loops = Loops()

    @property
    def block_size(self) -> int:
        return self.loops.blocks.size if self.loops.blocks else 0

    @property
    def blocks(self) -> int:
        """How many blocks the blocked index is cut into; 1 when none is."""
        blocks = self.loops.blocks
        return -(-self.extents[root(blocks.index)] // blocks.size) if blocks else 1

    @property
    def units(self) -> int:
        return self.extent(self.loops.parallel) * self.blocks

    @property
    def work_per_unit(self) -> int:
        shared = {root(index) for index in self.loops.parallel}
        written = [set(self.loops.inner), *({*node.over, *node.free, *node.body.free} for node in self.reduces)]
        loops = [{root(index) for index in indices} - shared for indices in written]
        steps = max(prod(max(self.extents[index], 1) for index in loop) for loop in loops)
        return -(-steps // self.blocks)

    @property
    def is_vectorised(self) -> bool:
        return bool(self.loops.vector or self.loops.reduce_vectors)

    @property
    def linearised(self) -> tuple[tuple[str, ...], ...]:
        return ((*self.loops.parallel, *self.loops.inner), *(node.over for node in self.reduces))


def in_loops(nest: Nest, schedule: str, **loops: Any) -> LoopKernel:
    """The kernel that computes all of a nest in these `Loops`."""
    return LoopKernel(computation=nest.computation(), schedule=schedule, loops=Loops(**loops))
