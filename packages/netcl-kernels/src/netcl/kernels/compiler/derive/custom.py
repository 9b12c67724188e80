"""Values whose derivative their author declared, wherever a formula goes: what `use` gives of an op with `grad`.

    adjoints(node)     reverse mode: each expression that has a part in the node, and its adjoint
    along(node)        forward mode: the tangent, by the transpose of the declared gradient

A declared gradient is linear in the adjoint of each value, and mentions the values themselves. Here these are Custom
nodes again, so that derivatives of any order go by what was declared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from netcl.kernels.compiler.derive.solve import adjoint_of_read, guarded
from netcl.kernels.compiler.ir import (
    Custom,
    Enclosed,
    Expr,
    Read,
    Recurrence,
    custom,
    fresh,
    indices_of,
    position,
    subexpressions,
    value_name,
)
from netcl.kernels.compiler.ir.binding import rebuilt, rename, total
from netcl.kernels.compiler.ir.choices import conjunction
from netcl.kernels.compiler.ir.plain import at_positions
from netcl.kernels.compiler.ir.recurrences import with_own_label
from netcl.kernels.compiler.ir.simplify import call, cast

Linear = Callable[[Expr, str], "Expr | None"]
"""(an expression that is linear in several operands, one of them) -> the part that comes from it; None for nothing."""


def adjoints(node: Custom, adjoint: Expr, sizes: Mapping[str, Expr], linear: Linear) -> Iterator[tuple[Expr, Expr]]:
    """The value and the arguments of `node`, each with its adjoint over its own indices."""
    own = node.axes[node.which]
    of_value = adjoint_of_value(node, adjoint, sizes)
    value = node.values[node.which]
    yield value, _summed(of_value, {*own, *node.closure}, value)
    for at, (argument, axes) in enumerate(zip(node.arguments, node.argument_axes, strict=True)):
        part = declared_part(node, at, lambda places: at_positions(node, of_value, places), linear)
        if part is not None:
            yield argument, cast(_summed(part, {*axes, *node.closure}, argument), argument.dtype)


def declared_part(node: Custom, argument: int, seed: Callable[[tuple[Expr, ...]], Expr], linear: Linear) -> Expr | None:
    """What an argument owes to the value of `node`, whose adjoint at a position is `seed`; None for nothing."""
    declared = node.gradients[argument]
    mine = node.seed(node.which)
    seeds = {node.seed(which) for which in range(len(node.values))} & _read_in(declared, node.label)
    if mine not in seeds:
        return None
    part = declared if seeds == {mine} else linear(declared, mine)
    if part is None:
        return None
    memo: dict[Expr, Expr] = {}
    for each in subexpressions(part):
        children = tuple(memo[child] for child in each.children)
        if isinstance(each, Read) and each.operand == mine:
            memo[each] = cast(seed(children), each.dtype)
        elif isinstance(each, Read) and each.operand in _values_of(node):
            which = _values_of(node).index(each.operand)
            parts = (node.values, node.arguments, node.gradients)
            memo[each] = cast(custom(node.label, node.axes, node.argument_axes, which, children, *parts), each.dtype)
        elif isinstance(each, Custom) and each.label == node.label:
            memo[each] = rebuilt(each, (*children[: len(children) - len(each.gradients)], *each.gradients))
        else:
            memo[each] = new = rebuilt(each, children)
            if new is not each and isinstance(new, Recurrence):
                memo[each] = with_own_label(new)
    return memo[part]


def _values_of(node: Custom) -> list[str]:
    return [value_name(node.label, which) for which in range(len(node.values))]


def _read_in(expr: Expr, label: int) -> set[str]:
    """The operands that are read in `expr`, but for what a Custom of this label binds."""
    found: set[str] = set()
    seen: set[Expr] = set()
    waiting = [expr]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, Read):
            found.add(node.operand)
        bound = len(node.gradients) if isinstance(node, Custom) and node.label == label else 0
        waiting += node.children[: len(node.children) - bound]
    return found


def adjoint_of_value(node: Enclosed, adjoint: Expr, sizes: Mapping[str, Expr]) -> Expr:
    """The adjoint of the value over its own axes, given that of what was read of it."""
    shared = frozenset().union(*(at.free for at in node.at)) & node.closure
    names: dict[str, str] = {}
    for index in sorted(shared):  # stays as it is inside: only there, where it has the same value, something is read
        names[index] = fresh(index, {*indices_of(node, adjoint), *names.values()})
    there = conjunction(call("eq", position(new), position(old)) for old, new in names.items())
    at = tuple(rename(each, names) for each in node.at)
    return adjoint_of_read(at, guarded(there, adjoint), node.axes[node.which], sizes)


def _summed(adjoint: Expr, indices: set[str], of: Expr) -> Expr:
    """Over the indices that `of` lacks."""
    return total("sum", tuple(sorted(indices - of.free)), adjoint)
