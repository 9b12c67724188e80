"""What one kernel is to do, in the form the emitter takes: expressions whose reads are affine accesses, and loops.

Made by `layout` and `schedule` from one stage of a formula. An expression here reads *accesses* instead of operands:
the children of such a Read are the plain positions of the indices it moves along, then any positions that are not
affine. Numbers (strides, offsets, extents) are for the launch and for choosing; the text depends on them only through
which strides are 0 and which are 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, TypeVar

from netcl.kernels.compiler.ir import Expr, Read, Reduce, Size, root, subexpressions
from netcl.kernels.compiler.ir.quantity import computed_as, plain

Some = TypeVar("Some", bound="Kernel")


@dataclass(frozen=True)
class Access:
    """Elements `buffer[offset + sum(stride * index) + sum(dynamic stride * position)]` of an operand or output.

    `limits` has, for each dynamic position, the size it must stay below, or None where nothing needs to be tested.
    `shift` has what caller-given integers add to the offset: (attribute, factor). `condition` says
    for which indices its affine positions are in range, where not for all of them and a read is not always wanted.
    `leaves` says that they do leave it, for some of the indices that there are, or that nobody can say.
    """

    name: str
    buffer: str
    dtype: str
    offset: int
    strides: Mapping[str, int]
    dynamic: tuple[int, ...] = ()
    limits: tuple[Size | None, ...] = ()
    shift: tuple[tuple[str, int], ...] = ()
    condition: Expr | None = None
    leaves: bool = False


@dataclass(frozen=True)
class Write:
    """An output: the expression, and where its value goes. One that is `passing` is a state that nothing but the steps
    behind its own reads: memory needs it where those do not have it at hand."""

    expr: Expr
    access: Access
    indices: tuple[str, ...]
    passing: bool = False


def positions(exprs: Iterable[Expr], accesses: Mapping[str, Access]) -> tuple[Expr, ...]:
    """What says where something is read or written, with all that it is computed from; one may come again."""
    conditions = (each.condition for each in accesses.values() if each.condition is not None)
    read = (at for node in subexpressions(*exprs) if isinstance(node, Read) for at in node.at)
    return subexpressions(*conditions, *read)


@dataclass(frozen=True)
class Computation:
    """What a kernel computes: `writes`, whose expressions read `accesses`, over indices of these `extents`, with the
    caller's numbers, `attributes` (name -> dtype). `heading` is the comment above it. What is written to one of the
    `states` is read here, too, later on."""

    name: str
    heading: str
    writes: tuple[Write, ...]
    accesses: Mapping[str, Access]
    extents: Mapping[str, int]
    attributes: Mapping[str, str]
    states: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Kernel(ABC):
    """What the work-items of a launch do, or some of them. How it does that is for each kind of kernel to say.

    `schedule` names the schedule that made it. `numbers` are further sizes that the text takes as arguments.
    `most_items` is how many work-items there is room for, where each needs some of its own. `then` is a small kernel
    that the work-item which finishes last does, too. `piece` numbers the kernels that write different parts of the same
    outputs; 0 for one that writes all of its own.
    """

    computation: Computation
    schedule: str
    numbers: Mapping[str, int] = field(default_factory=dict)
    most_items: int | None = None
    then: Kernel | None = None
    piece: int = 0

    @property
    @abstractmethod
    def units(self) -> int:
        """How many independent pieces of work there are."""

    @property
    @abstractmethod
    def work_per_unit(self) -> int:
        """About how many elements each piece steps through."""

    @property
    @abstractmethod
    def is_vectorised(self) -> bool:
        """Whether its innermost loops do more than one element at a time."""

    @property
    @abstractmethod
    def linearised(self) -> tuple[tuple[str, ...], ...]:
        """The sets of indices that are counted through as if they were one."""

    @property
    def multiple(self) -> int:
        """Each work-item but the last has a multiple of so many units."""
        return 1

    @property
    def name(self) -> str:
        return self.computation.name

    @property
    def heading(self) -> str:
        return self.computation.heading

    @property
    def writes(self) -> tuple[Write, ...]:
        return self.computation.writes

    @property
    def accesses(self) -> Mapping[str, Access]:
        return self.computation.accesses

    @property
    def extents(self) -> Mapping[str, int]:
        return self.computation.extents

    @property
    def attributes(self) -> Mapping[str, str]:
        return self.computation.attributes

    @property
    def exprs(self) -> tuple[Expr, ...]:
        """All that it computes for its writes."""
        return tuple(write.expr for write in self.writes)

    @property
    def positions(self) -> tuple[Expr, ...]:
        return positions(self.exprs, self.accesses)

    @property
    def usual(self) -> tuple[Expr, ...]:
        """What it computes, as a rule, for each element of its writes."""
        return tuple(write.expr for write in self.writes)

    @property
    def reduces(self) -> tuple[Reduce, ...]:
        """Every Reduce it computes."""
        nodes = subexpressions(*(write.expr for write in self.writes))
        return tuple(node for node in nodes if isinstance(node, Reduce))

    def extent(self, indices: Iterable[str]) -> int:
        """How many values these indices have together."""
        return prod(self.extents[root(index)] for index in indices)

    def computing(self: Some, **changes: Any) -> Some:
        """The same with these changes to its computation."""
        return replace(self, computation=replace(self.computation, **changes))

    def stride(self, access: str, index: str) -> int:
        """The stride of an access (or write) along an index, or of its dynamic position `@0`, `@1`, …"""
        found = self.access(access)
        return found.dynamic[int(index[1:])] if index.startswith("@") else found.strides[index]

    def access(self, name: str) -> Access:
        """The access, or write, of this name."""
        found = self.accesses.get(name)
        return found or next(write.access for write in self.writes if write.access.name == name)

    def meaning(self, argument: Argument) -> tuple[Any, ...] | None:
        """What one argument has in common with another that is the same in every launch; None of one that is alone."""
        if argument.kind == "buffer":
            return "buffer", argument.of, any(write.access.buffer == argument.of for write in self.writes)
        if argument.kind == "attribute":
            return "attribute", argument.of
        if argument.kind == "offset":
            access = self.access(argument.of)
            parts = [(name, computed_as(factor) or plain(factor)) for name, factor in access.shift]
            return "offset", access.buffer, computed_as(access.offset) or plain(access.offset), *parts
        if argument.kind not in ("size", "stride", "number"):
            return None
        value: Any
        if argument.kind == "size":
            value = self.extents[root(argument.index)]
        else:
            value = self.numbers[argument.of] if argument.kind == "number" else self.stride(argument.of, argument.index)
        name = computed_as(value)
        return None if name is None else ("number", name)


@dataclass(frozen=True)
class Argument:
    """One argument of a launch: kind "buffer", "offset", "stride", "size", "attribute", "units", "chunk" or
    "number"; `owner` says of which of its kernels. "items" is how many work-items do that kernel, and "finished" counts
    those that are done."""

    kind: str
    name: str
    of: str = ""
    index: str = ""
    owner: int = 0


@dataclass(frozen=True)
class Source:
    """The functions of one kernel, without those that it shares; `function` does what one work-item does, and takes the
    arguments in order and the number of the work-item."""

    function: str
    text: str
    arguments: tuple[Argument, ...]
    uses_double: bool
    body: str = ""
    """Instead of a function: what the kernel itself consists of, where it has local memory."""


@dataclass(frozen=True)
class Entry:
    """What OpenCL launches: its name, its text with the functions it calls, the arguments, and its `kernels`, each
    before the one that it does `then`."""

    name: str
    text: str
    arguments: tuple[Argument, ...]
    kernels: tuple[Kernel, ...]
    uses_double: bool

    @property
    def beside(self) -> tuple[Kernel, ...]:
        """Those of its kernels that have work-items of their own."""
        then = {id(kernel.then) for kernel in self.kernels}
        return tuple(kernel for kernel in self.kernels if id(kernel) not in then)
