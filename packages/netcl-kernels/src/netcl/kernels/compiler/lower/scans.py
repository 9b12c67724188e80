"""Taking scans apart: each becomes a temporary that holds its running value at every position, computed once.

Input: a formula and the extents of its indices. Output: the same outputs, before them the temporaries they read. Then
a Scan is only found as the whole expression of an output or temporary, at the position of one of its own indices. One
that a select asks for has the same condition as far as that says something of a whole row: the others are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from netcl.kernels.compiler.ir import (
    Apply,
    Expr,
    Formula,
    Materialised,
    Number,
    Operand,
    Output,
    Position,
    Scan,
    binds,
    fresh,
    indices_of,
    position,
    read,
    rebuild,
    root,
    scan,
    subexpressions,
)
from netcl.kernels.compiler.ir.binding import rename
from netcl.kernels.compiler.ir.choices import conjunction, where
from netcl.kernels.compiler.ir.simplify import call


def separated(formula: Formula, sizes: Mapping[str, int]) -> tuple[list[Output], list[Operand]]:
    """The outputs in the order in which they can be computed, temporaries among them; and the temporaries."""
    separator = _Separator(formula, sizes)
    for output in sorted(formula.outputs, key=lambda each: not isinstance(each.expr, Scan)):
        separator.output(output)
    return separator.outputs, separator.temporaries


def read_again(outputs: Iterable[Output]) -> dict[str, Operand]:
    """The outputs that others may read: those that are scans."""
    return {output.name: as_read(output) for output in outputs if isinstance(output.expr, Scan)}


def as_read(output: Output) -> Operand:
    """An output as what others read."""
    return Operand(output.name, output.dtype, output.axes)


def along(node: Scan) -> str:
    """The index that a separated scan runs along: the one of its position."""
    assert isinstance(node.at, Position)
    return node.at.index


def bodies_along(node: Scan) -> tuple[Expr, ...]:
    """The bodies of a separated scan as expressions over the index that it runs along."""
    return tuple(rename(body, {node.index: along(node)}) for body in node.bodies)


def asked_of_rows(chosen: Expr, index: str) -> Expr | None:
    """The condition that chooses the body of a scan along `index`, where it is the same for a whole row and the body is
    0 elsewhere; None for all rows."""
    if not isinstance(chosen, Apply) or chosen.function != "select":
        return None
    condition, _, otherwise = chosen.children
    if index in condition.free:
        return None
    return condition if isinstance(otherwise, Number) and otherwise.value == 0 else call("not", condition)


def over(node: Scan, bodies: Sequence[Expr]) -> Scan:
    """The separated scan `node` with other bodies, which are over the index that it runs along."""
    return _over_index(node, along(node), bodies)


def _over_index(node: Scan, here: str, bodies: Sequence[Expr]) -> Scan:
    index = fresh(here, indices_of(*bodies) | {here})
    renamed = tuple(rename(body, {here: index}) for body in bodies)
    return scan(node.kind, index, node.backward, position(here), renamed)


def _key(node: Scan, index: str, indices: Sequence[str]) -> tuple[object, ...]:
    """What two scans have in common when one serves for both: the order of its axes is that of the first to read it."""
    return (node.kind, node.backward, bodies_along(node), index, frozenset(indices))


class _Separator:
    def __init__(self, formula: Formula, sizes: Mapping[str, int]) -> None:
        self.sizes = sizes
        self.operands = {operand.name: operand for operand in formula.operands}
        self.outputs: list[Output] = []
        self.temporaries: list[Operand] = []
        self._running: dict[tuple[object, ...], Operand] = {}
        self._scans: dict[Expr, bool] = {}
        self._done: dict[tuple[Expr, tuple[Expr, ...], tuple[str, ...]], Expr] = {}

    def output(self, output: Output) -> None:
        """Put the output behind what it needs."""
        expr = output.expr
        if isinstance(expr, Scan) and self._stands_alone(expr, output.indices):
            self._running[_key(expr, along(expr), output.indices)] = as_read(output)
            expr = self._over(expr, output.indices)
        else:
            expr = self._without(expr, (), output.indices)
        self.outputs.append(replace(output, expr=expr))

    def _stands_alone(self, node: Scan, indices: tuple[str, ...]) -> bool:
        """Whether `node` is the running value at each position of one of `indices`, of the same bodies for all."""
        if not isinstance(node.at, Position) or node.at.index not in indices:
            return False
        along = node.at.index
        as_long = self.sizes[root(along)] == self.sizes[root(node.index)]
        return as_long and not any(along in body.free for body in node.bodies)

    def _over(self, node: Scan, order: tuple[str, ...]) -> Scan:
        """`node`, with bodies without scans of their own."""
        return over(node, [self._without(body, (), order) for body in bodies_along(node)])

    def _without(self, node: Expr, conditions: tuple[Expr, ...], order: tuple[str, ...]) -> Expr:
        """`node` with every scan in it read from a temporary."""
        if not self._has_scan(node):
            return node
        key = (node, conditions, order)
        if key not in self._done:
            if isinstance(node, Scan):
                self._done[key] = self._read(node, conditions, order)
            else:
                self._done[key] = self._over_children(node, conditions, order)
        return self._done[key]

    def _over_children(self, node: Expr, conditions: tuple[Expr, ...], order: tuple[str, ...]) -> Expr:
        children = []
        for place, child in enumerate(node.children):
            known = tuple(each for each in conditions if each.free.isdisjoint(binds(node)))
            if isinstance(node, Materialised):
                known = ()  # a table has a value everywhere, whoever asks
            elif isinstance(node, Apply) and node.function == "select" and place:
                condition = node.children[0]
                known = (*conditions, condition if place == 1 else call("not", condition))
            children.append(self._without(child, known, (*order, *binds(node))))
        return rebuild(node, tuple(children))

    def _read(self, node: Scan, conditions: tuple[Expr, ...], order: tuple[str, ...]) -> Expr:
        """The temporary of `node` at the position of `node`."""
        kept = frozenset().union(*(body.free for body in node.bodies)) - {node.index}
        here = min(node.at.free) if len(node.at.free - kept) == 1 == len(node.at.free) else None
        index = fresh(root(node.index), kept)
        asked = conjunction(each for each in conditions if each.free <= kept)
        indices = [index if name == here else name for name in dict.fromkeys(order) if name == here or name in kept]
        indices += [index] * (index not in indices)
        bodies = tuple(rename(body, {node.index: index}) for body in node.bodies)
        whole = _over_index(node, index, bodies)
        if _key(whole, index, indices) in self._running:
            asked = conjunction(())
        else:
            whole = _over_index(node, index, tuple(where(asked, body) for body in bodies))
        key = _key(whole, index, indices)
        if key not in self._running:
            self._running[key] = self._add(whole, indices, None if isinstance(asked, Number) else asked)
        found = self._running[key]
        at = self._without(node.at, conditions, order)
        places = tuple(at if each == index else position(each) for each in found.indices)
        return read(found.name, places, node.dtype)

    def _add(self, node: Scan, indices: Sequence[str], asked: Expr | None) -> Operand:
        """A new temporary for a scan over `indices`, put behind what it needs."""
        axes = tuple((index,) for index in indices)
        added = Operand(f"running.{len(self.temporaries) + 1}", node.dtype, axes)
        self.operands[added.name] = added
        self.temporaries.append(added)
        whole = self._over(node, tuple(indices))
        partial = None if asked is None else self._without(asked, (), tuple(indices))
        self.outputs.append(Output(added.name, whole, axes, partial=partial))
        return added

    def _has_scan(self, node: Expr) -> bool:
        if node not in self._scans:
            for each in subexpressions(node):
                below = any(self._scans[child] for child in each.children)
                self._scans[each] = below or isinstance(each, Scan)
        return self._scans[node]
