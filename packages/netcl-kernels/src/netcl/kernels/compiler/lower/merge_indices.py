"""Fewer, longer indices: what every access allows to be one index becomes one.

Input: expressions over accesses and the order of the output indices. Output: the same with indices of extent 1 dropped
and neighbours merged: `y[i, j] = exp(x[i, j])` over contiguous tensors is one loop, whatever the rank was, 0 included.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from netcl.kernels.compiler.ir import (
    INDEX_DTYPE,
    Apply,
    Expr,
    Position,
    Read,
    Reduce,
    number,
    position,
    read,
    rebuild,
    reduce,
    root,
    subexpressions,
    transform,
)
from netcl.kernels.compiler.lower.kernel import Access, Write

_ROW = "row of one"


@dataclass(frozen=True)
class Merged:
    """Writes and accesses over as few indices as possible; `order` has those of the outputs."""

    writes: tuple[Write, ...]
    accesses: Mapping[str, Access]
    extents: Mapping[str, int]
    order: tuple[str, ...]


def merged(
    writes: Sequence[Write],
    accesses: Mapping[str, Access],
    extents: Mapping[str, int],
    order: Sequence[str],
    alone: Collection[str] = (),
) -> Merged:
    """The same kernel over fewer indices; those in `alone` stay as they are."""
    return _Merger(writes, accesses, extents, order, alone).merged()


def loose_positions(exprs: Sequence[Expr]) -> set[str]:
    """The indices whose value itself is used, not only to read with."""
    loose = {each.index for each in exprs if isinstance(each, Position)}
    for node in subexpressions(*exprs):
        if isinstance(node, (Apply, Reduce)):
            loose.update(child.index for child in node.children if isinstance(child, Position))
    return loose


def wanted_conditions(accesses: Mapping[str, Access], exprs: Sequence[Expr]) -> dict[str, Access]:
    """The accesses, without the conditions of those that are read whatever the indices are: they are in range, but for
    those that are seen to leave it. (A gradient may ask whether a value is NaN where the value is not wanted.)"""
    always: set[Expr] = set()
    stack = list(exprs)
    while stack:
        node = stack.pop()
        if node not in always:
            always.add(node)
            chosen = isinstance(node, Apply) and node.function == "select"
            stack += node.children[:1] if chosen else node.children
    read_always = {node.operand for node in always if isinstance(node, Read)}
    return {
        name: replace(access, condition=None) if name in read_always and not access.leaves else access
        for name, access in accesses.items()
    }


class _Merger:
    def __init__(
        self,
        writes: Sequence[Write],
        accesses: Mapping[str, Access],
        extents: Mapping[str, int],
        order: Sequence[str],
        alone: Collection[str],
    ) -> None:
        self.writes = list(writes)
        self.accesses = wanted_conditions(accesses, [write.expr for write in writes])
        self.extents = dict(extents)
        self.order = list(order)
        self.exprs = [write.expr for write in writes]
        conditions = [each.condition for each in self.accesses.values() if each.condition is not None]
        self.loose = loose_positions([*self.exprs, *conditions]) | set(alone)
        self.overs = {node: list(node.over) for node in subexpressions(*self.exprs) if isinstance(node, Reduce)}
        self.becomes: dict[str, str | None] = {}

    def merged(self) -> Merged:
        self._sort_reductions()
        for name in self._names():
            if self.extents[root(name)] == 1 and name not in self.loose:
                self._drop(name)
        pair = self._pair()
        while pair:
            self._merge(*pair)
            pair = self._pair()
        if not any((self.order, *(write.indices for write in self.writes), *self.overs.values())):
            self._add(_ROW)
        memo: dict[Expr, Expr] = {}
        writes = tuple(replace(write, expr=transform(write.expr, self._visit, memo)) for write in self.writes)
        return Merged(writes, self.accesses, self.extents, tuple(self.order))

    def _names(self) -> list[str]:
        return list(dict.fromkeys([*self.order, *(index for over in self.overs.values() for index in over)]))

    def _sort_reductions(self) -> None:
        """Bound indices in the order in which most elements lie, the nearest neighbours last (not for positions)."""
        reach: dict[str, int] = {}
        for access in self.accesses.values():
            for index, stride in access.strides.items():
                reach[index] = max(reach.get(index, 0), abs(stride))
        for node, over in self.overs.items():
            if not node.kind.startswith("arg"):
                over.sort(key=lambda index: -reach.get(index, 0))

    def _drop(self, name: str) -> None:
        self.becomes[name] = None
        self.order = [index for index in self.order if index != name]
        for over in self.overs.values():
            over[:] = [index for index in over if index != name]
        for key, access in self.accesses.items():
            self.accesses[key] = _without(access, name)
        self.writes = [replace(write, access=_without(write.access, name)) for write in self.writes]
        self.writes = [
            replace(write, indices=tuple(index for index in write.indices if index != name)) for write in self.writes
        ]

    def _add(self, name: str) -> None:
        """What is one element as a row of one: it is computed as the elements of a longer row are."""
        self.extents[name] = 1
        self.order = [name]
        for key, access in self.accesses.items():
            self.accesses[key] = replace(access, strides={name: 1})
        self.writes = [
            replace(write, indices=(name,), access=replace(write.access, strides={name: 1})) for write in self.writes
        ]

    def _pair(self) -> tuple[str, str] | None:
        """Two indices that can be one."""
        sequences = [self.order, *(write.indices for write in self.writes), *self.overs.values()]
        for sequence in sequences:
            for outer, inner in itertools.pairwise(sequence):
                if {outer, inner} & self.loose:
                    continue
                if all(_beside(outer, inner, each) for each in sequences) and self._in_step(outer, inner):
                    return outer, inner
        return None

    def _in_step(self, outer: str, inner: str) -> bool:
        length = self.extents[root(inner)]
        accesses = (*self.accesses.values(), *(write.access for write in self.writes))
        return all(access.strides.get(outer, 0) == access.strides.get(inner, 0) * length for access in accesses)

    def _merge(self, outer: str, inner: str) -> None:
        primes = "'" * max(len(outer) - len(root(outer)), len(inner) - len(root(inner)))
        name = f"{root(outer)}&{root(inner)}{primes}"
        while name in self._names():
            name += "'"
        length = self.extents[root(outer)] * self.extents[root(inner)]
        self.extents[root(name)] = length
        self.becomes[outer], self.becomes[inner] = None, name
        for sequence in (self.order, *self.overs.values()):
            _join(sequence, outer, inner, name)
        for key, access in self.accesses.items():
            self.accesses[key] = _joined(access, outer, inner, name)
        for at, write in enumerate(self.writes):
            indices = list(write.indices)
            _join(indices, outer, inner, name)
            self.writes[at] = replace(write, indices=tuple(indices), access=_joined(write.access, outer, inner, name))

    def _visit(self, node: Expr, children: tuple[Expr, ...]) -> Expr:
        if isinstance(node, Read):
            access = self.accesses[node.operand]
            dynamic = children[len(children) - len(access.dynamic) :] if access.dynamic else ()
            return read(node.operand, (*map(position, access.strides), *dynamic), node.dtype)
        if isinstance(node, Reduce):
            over = tuple(self.overs[node])
            if over:
                return reduce(node.kind, over, children[0])
            return number(0, INDEX_DTYPE) if node.kind.startswith("arg") else children[0]
        return rebuild(node, children)


def _beside(outer: str, inner: str, sequence: Sequence[str]) -> bool:
    """Whether the two stand side by side in this order, or not at all."""
    if outer not in sequence and inner not in sequence:
        return True
    return outer in sequence and inner in sequence and list(sequence).index(outer) + 1 == list(sequence).index(inner)


def _join(sequence: list[str], outer: str, inner: str, name: str) -> None:
    if inner in sequence:
        sequence[:] = [name if index == inner else index for index in sequence if index != outer]


def _without(access: Access, name: str) -> Access:
    return replace(access, strides={index: stride for index, stride in access.strides.items() if index != name})


def _joined(access: Access, outer: str, inner: str, name: str) -> Access:
    if inner not in access.strides:
        return access
    strides = {name if index == inner else index: stride for index, stride in access.strides.items() if index != outer}
    return replace(access, strides=strides)
