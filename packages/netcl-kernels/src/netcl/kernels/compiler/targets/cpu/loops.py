"""How a kernel for a CPU goes through its indices: which are shared out over work-items, which are vectorised."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import prod

from netcl.kernels.compiler.ir import Reduce, root
from netcl.kernels.compiler.lower.loop_bounds import LoopBounds


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
    `padded` says that all reads along `vector` may go on up to a whole vector, so that no tail is needed; with
    `overlap` the last vector ends where the values do instead, and some are computed twice. `columns` is the last of
    `inner`. `bounds` has the part of some bound indices that loops go through. `schedule` is the name of what chose
    them.
    """

    schedule: str = field(default="", kw_only=False)
    parallel: tuple[str, ...] = ()
    inner: tuple[str, ...] = ()
    blocks: Blocks | None = None
    vector: str | None = None
    reduce_vectors: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    padded: bool = False
    overlap: bool = False
    columns: Columns | None = None
    bounds: Mapping[str, LoopBounds] = field(default_factory=dict)

    @property
    def blocked(self) -> str | None:
        """The index that is cut into blocks."""
        return self.blocks.index if self.blocks else None

    @property
    def run(self) -> int:
        return self.blocks.run if self.blocks else 0

    @property
    def block_size(self) -> int:
        return self.blocks.size if self.blocks else 0

    def count(self, extents: Mapping[str, int]) -> int:
        """How many blocks the blocked index is cut into; 1 when none is."""
        return -(-extents[root(self.blocks.index)] // self.blocks.size) if self.blocks else 1

    def units(self, extents: Mapping[str, int]) -> int:
        return prod(extents[root(index)] for index in self.parallel) * self.count(extents)

    def steps(self, extents: Mapping[str, int], reduces: Iterable[Reduce]) -> int:
        """About how many elements each unit steps through."""
        shared = {root(index) for index in self.parallel}
        written = [set(self.inner), *({*node.over, *node.free, *node.body.free} for node in reduces)]
        loops = [{root(index) for index in indices} - shared for indices in written]
        steps = max(prod(max(extents[index], 1) for index in loop) for loop in loops)
        return -(-steps // self.count(extents))

    @property
    def is_vectorised(self) -> bool:
        return bool(self.vector or self.reduce_vectors)
