"""What every schedule is given, one stage laid out and merged, and what it gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Any

from netcl.core.dtypes import canonical
from netcl.kernels.compiler.ir import Expr, Operand, Read, Reduce, root, subexpressions
from netcl.kernels.compiler.ir.recurrences import Order
from netcl.kernels.compiler.lower.accesses import Distances
from netcl.kernels.compiler.lower.guards import Guards
from netcl.kernels.compiler.lower.kernel import Access, Computation, Kernel, Write
from netcl.kernels.compiler.target import Target

STEPS = "#steps"
"""What all that reads states depends on beside the indices of the steps, of which there may be none: it is not read
before the steps have begun."""


@dataclass(frozen=True)
class Nest:
    """One stage: writes over accesses. `order` has the output indices, the nearest neighbours in memory last."""

    name: str
    heading: str
    writes: tuple[Write, ...]
    accesses: Mapping[str, Access]
    extents: Mapping[str, int]
    order: tuple[str, ...]
    attributes: Mapping[str, str]
    target: Target
    steps: Order | None = None
    """Of states that read earlier elements of themselves."""
    distances: Mapping[str, Distances] = field(default_factory=dict)
    """Of the accesses of such states, and of what else they read, where there is one."""

    @property
    def apart(self) -> tuple[str, ...]:
        """The indices along which no element of a state depends on another one."""
        if self.steps is None:
            return self.order
        depending = {index for axes in self.steps.axes for index in axes}.difference(self.steps.apart)
        return tuple(index for index in self.order if index not in depending)

    @property
    def states(self) -> frozenset[str]:
        """What is written here and read in later steps."""
        return frozenset(write.access.buffer for write in self.writes) if self.steps is not None else frozenset()

    def changing(self) -> dict[str, frozenset[str]]:
        """The accesses that read states, with the indices of the steps: what they read changes with each."""
        along = {STEPS} if self.steps is None else {STEPS, *self.steps.along}
        return {name: frozenset(along) for name, access in self.accesses.items() if access.buffer in self.states}

    def computation(self, **changes: Any) -> Computation:
        """What a kernel for all of it computes, but for these changes."""
        whole = Computation(
            self.name, self.heading, self.writes, self.accesses, self.extents, self.attributes, self.states
        )
        return replace(whole, **changes)

    def extent(self, *indices: str) -> int:
        return prod(self.extents[root(index)] for index in indices)

    def to_a_float(self, index: str) -> int:
        """How many of the values that are read along `index` take the room of a float32: of bytes four."""
        read = [access.dtype for access in self.accesses.values() if index in access.strides]
        return max(1, 4 // max((canonical(dtype).itemsize for dtype in read), default=4))

    def read_by(self, *writes: Write) -> dict[str, Access]:
        """The accesses that these writes read."""
        exprs = (write.expr for write in writes)
        names = {node.operand for node in subexpressions(*exprs) if isinstance(node, Read)}
        return {name: access for name, access in self.accesses.items() if name in names}

    @cached_property
    def reduces(self) -> tuple[Reduce, ...]:
        return tuple(node for node in subexpressions(*self.exprs) if isinstance(node, Reduce))

    @property
    def exprs(self) -> tuple[Expr, ...]:
        return tuple(write.expr for write in self.writes)

    @cached_property
    def bound(self) -> frozenset[str]:
        """Every index that a Reduce binds."""
        return frozenset(index for node in self.reduces for index in node.over)

    @cached_property
    def kept(self) -> frozenset[str]:
        """The output indices that reductions depend on."""
        return frozenset().union(*map(self.depends, self.reduces)) & frozenset(self.order)

    def depends(self, node: Expr) -> frozenset[str]:
        """The indices of which the value of this expression is, those of the conditions of its reads included."""
        return self._guards.depends(node)

    @cached_property
    def _guards(self) -> Guards:
        return Guards(self.exprs, self.accesses)

    @cached_property
    def fastest(self) -> str | None:
        """The root of the index along which most elements are neighbours, or are nearest where none are; None when
        nothing moves."""
        votes: dict[str, tuple[int, int]] = {}
        for access in (*self.accesses.values(), *(write.access for write in self.writes)):
            reach = prod(self.extents[root(each)] for each in access.strides)
            for index, stride in access.strides.items():
                apart, so_far = votes.get(root(index), (-abs(stride), 0))
                if -abs(stride) >= apart:
                    votes[root(index)] = -abs(stride), reach + (so_far if -abs(stride) == apart else 0)
        return max(sorted(votes), key=votes.__getitem__) if votes else None


@dataclass(frozen=True)
class Scheduled:
    """Kernels in order, the temporaries that they use, whose indices have these `extents`; nests that are to be
    scheduled too, and run `before` the kernels or after them (the `rest`). A rest that `joins` what blocks of a
    reduction came to is not cut into blocks again, and where it is small the kernel before may do it, too."""

    kernels: tuple[Kernel, ...]
    temporaries: tuple[Operand, ...] = ()
    extents: Mapping[str, int] = field(default_factory=dict)
    before: tuple[Nest, ...] = ()
    rest: Nest | None = None
    joins: bool = False
