"""Partial derivatives of an equation by the states that it reads, computed once, where the equation is.

The adjoint of an element is a sum over the elements that read it: the adjoint of each, times a partial derivative of
its equation. Seen from the element that is read, the equation is at another place for each reading. What the partial
derivatives have in common, as the sum that a soft minimum divides by, would be computed once for each of these places;
so they are `materialised`: the step that computes an adjoint computes them beside it (`lower/recurrences`).

Input: the readings of an equation, each with its adjoint. Output: the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from netcl.kernels.compiler.derive.selected import may_be_zero
from netcl.kernels.compiler.ir import (
    Apply,
    Expr,
    Number,
    Position,
    Read,
    Reduce,
    Scan,
    materialise,
    number,
    position,
    subexpressions,
)
from netcl.kernels.compiler.ir.functions import is_of_reals
from netcl.kernels.compiler.ir.simplify import call

Reading = tuple[Read, tuple[Expr, ...], Expr]
"""What is read, the positions where, and the adjoint."""

_FEW = 3
"""As many functions are computed again rather than stored."""

_Partials = dict[Read, Expr]
"""What each seed is multiplied with."""


def shared(readings: Sequence[Reading], seeds: Collection[str]) -> list[Reading]:
    """The readings, with what several partial derivatives of the equations have in common computed once; `seeds` are
    the names of the adjoints of the equations."""
    partials = [_partials(adjoint, seeds) for _, _, adjoint in readings]
    partials = [
        each if each and all(_is_as_far(at, seed) for seed in each) else None
        for (_, at, _), each in zip(readings, partials, strict=True)
    ]
    costly = [_costly((partial or {}).values()) for partial in partials]
    places = {at: set[Expr]() for _, at, _ in readings}
    for (_, at, _), nodes in zip(readings, costly, strict=True):
        places[at] |= nodes
    often = Counter(node for nodes in places.values() for node in nodes)
    common = {node for node, count in often.items() if count > 1}
    return [
        (*reading[:2], _product(partial)) if partial and not common.isdisjoint(nodes) else reading
        for reading, partial, nodes in zip(readings, partials, costly, strict=True)
    ]


def is_stored(at: Sequence[Expr], adjoint: Expr) -> bool:
    """Whether the adjoint of what is read at these positions, as many steps from the indices everywhere, is computed
    where it is read: seen from there, each function in it is computed for another step beside those for its own."""
    indices = [index for each in at for index in each.free]
    apart = [call("sub", each, position(*each.free)) for each in at if len(each.free) == 1]
    steps = [each.value for each in apart if isinstance(each, Number)]
    if not len({*indices}) == len(indices) == len(steps) or not any(steps):
        return False
    nodes = subexpressions(adjoint)
    return sum(map(is_of_reals, nodes)) > _FEW


def _is_as_far(at: Sequence[Expr], seed: Read) -> bool:
    """Whether what is read is as far from every equation, so that conditions say nothing of where it is."""
    apart = (call("sub", each, place) for each, place in zip(at, seed.at, strict=False))
    return len(at) == len(seed.at) and all(isinstance(each, Number) for each in apart)


def _product(partials: Mapping[Read, Expr]) -> Expr:
    """The sum of the seeds times their partial derivatives. A seed counts for nothing where one is 0 that a select
    chose: it may have no value there."""
    result: Expr | None = None
    for seed, partial in partials.items():
        axes = tuple(at.index for at in seed.at if isinstance(at, Position))
        factor = materialise(axes, seed.at, partial) if partial.children else partial
        part = call("mul", seed, factor)
        if may_be_zero(partial):
            part = call("select", call("ne", factor, 0), part, 0)
        result = part if result is None else call("add", result, part)
    assert result is not None
    return result


def _costly(partials: Collection[Expr]) -> set[Expr]:
    """The functions of real numbers in these; none where one of them adds up, which takes loops of its own."""
    nodes = set(subexpressions(*partials))
    if any(isinstance(node, (Reduce, Scan)) for node in nodes):
        return set()
    return set(filter(is_of_reals, nodes))


def _partials(adjoint: Expr, seeds: Collection[str]) -> _Partials | None:
    """What each seed is multiplied with in an expression that is linear in them; None where it is another one."""
    found: dict[Expr, _Partials | None] = {}
    reading: set[Expr] = set()
    for node in subexpressions(adjoint):
        if (isinstance(node, Read) and node.operand in seeds) or not reading.isdisjoint(node.children):
            reading.add(node)
        found[node] = _of_node(node, found, reading)
    return found[adjoint]


def _of_node(node: Expr, found: Mapping[Expr, _Partials | None], reading: Collection[Expr]) -> _Partials | None:
    """The same of a node, given those of its children and which nodes are `reading` seeds."""
    if isinstance(node, Number) and node.value == 0:
        return {}
    if node not in reading:
        return None
    if isinstance(node, Read):  # of a seed: no place depends on one
        plain = len({each.index for each in node.at if isinstance(each, Position)}) == len(node.at)
        return {node: number(1, node.dtype)} if plain else None
    if not isinstance(node, Apply):
        return None
    first, *others = node.children
    if node.function == "mul" and first not in reading:
        first, *others = others[0], first
    alone = not any(each in reading for each in others)
    if node.function in ("mul", "div", "neg") and alone:
        below = found[first]
        return below and {seed: _through(node.function, each, *others) for seed, each in below.items()}
    if node.function in ("add", "sub"):
        return _both(found[first], found[others[0]], node.function)
    if node.function == "select" and first not in reading:
        return _both(found[others[0]], found[others[1]], "select", first)
    return None


def _both(one: _Partials | None, other: _Partials | None, function: str, *before: Expr) -> _Partials | None:
    if one is None or other is None:
        return None
    return {
        seed: call(function, *before, *(each.get(seed, number(0, seed.dtype)) for each in (one, other)))
        for seed in (*one, *(seed for seed in other if seed not in one))
    }


def _through(function: str, partial: Expr, *others: Expr) -> Expr:
    """A partial derivative, multiplied or divided; what is divided is 1 no longer than there is nothing else."""
    if function == "mul" and isinstance(partial, Apply) and partial.function == "div":
        above, below = partial.children
        if isinstance(above, Number) and above.value == 1:
            return call("div", others[0], below)
    return call(function, partial, *others)
