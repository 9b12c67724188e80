"""Sums over the places of a window of which every s-th counts: `sum[r]((i - r) % s == 0 ? f((i - r) // s, r) : 0)`.

Input: an expression, what the host knows. Output: the same, where such a loop goes over those places alone. They are
`r = i % s + s * u`, and there `(i - r) // s` is `i // s - u`: nothing is tested, and there are s times fewer steps.
This is what becomes of a window with a stride in its gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import prod

from netcl.kernels.compiler.ir import (
    Apply,
    Expr,
    Number,
    Reduce,
    indices_of,
    number,
    position,
    root,
    size,
    subexpressions,
)
from netcl.kernels.compiler.ir import polynomial as poly
from netcl.kernels.compiler.ir.binding import replace_free, replace_nodes, substitute, total
from netcl.kernels.compiler.ir.choices import conjuncts
from netcl.kernels.compiler.ir.host import Numbers, known
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.lower.operand_packing import without_guards

Fewer = Callable[[Expr, str, Numbers, dict[str, int], set[str]], Expr]


def strided(expr: Expr, numbers: Numbers) -> tuple[Expr, Mapping[str, int]]:
    """The expression, and the extents of its new indices."""
    return over_less(expr, numbers, _over_steps)


def over_less(expr: Expr, numbers: Numbers, fewer: Fewer) -> tuple[Expr, Mapping[str, int]]:
    """The expression, each sum of it with `fewer` steps along some index, and the extents of its new indices."""
    extents: dict[str, int] = {}
    replacements: dict[Expr, Expr] = {}
    for node in subexpressions(expr):
        if isinstance(node, Reduce) and node.kind == "sum":
            shorter: Expr = replace_nodes(node, replacements)
            for index in node.over:
                shorter = fewer(shorter, index, numbers, extents, indices_of(expr, shorter))
            if shorter is not node:
                replacements[node] = without_guards(shorter, replace(numbers, sizes={**numbers.sizes, **extents}))
    return (replace_nodes(expr, replacements) if replacements else expr), extents


def new_index(name: str, extent: int, numbers: Numbers, extents: dict[str, int], taken: set[str]) -> str:
    """An index of that name, or one that is not taken, which has the extent."""
    while name in taken or {**numbers.sizes, **extents}.get(name, extent) != extent:
        name += "_"
    extents[name] = extent
    return name


def _over_steps(node: Expr, index: str, numbers: Numbers, extents: dict[str, int], taken: set[str]) -> Expr:
    """The sum over every s-th place of `index`, if no others count; the extent of the index instead is noted."""
    if not isinstance(node, Reduce) or not isinstance(node.body, Apply) or node.body.function != "select":
        return node
    condition, value, nothing = node.body.children
    if not isinstance(nothing, Number) or nothing.value != 0:
        return node
    for test in conjuncts(condition):
        divided = exact_quotient(test)
        start = divided and _start(divided[0], index, numbers)
        step = known(divided[1], numbers) if divided else None
        if divided is None or start is None or step is None or step < 2:
            continue
        by, length = divided[1], numbers.sizes[root(index)]
        steps = new_index(f"{root(index)}.step", -(-length // step), numbers, extents, taken)
        place = call("add", call("mod", start, by), call("mul", by, position(steps)))
        inside = number(True, "bool") if length % step == 0 else call("lt", place, size(index))
        quotient = call("sub", call("floor_div", start, by), position(steps))
        instead = {test: inside} | {
            each: quotient
            for each in subexpressions(condition, value)
            if isinstance(each, Apply) and each.function in ("exact_div", "floor_div") and each.children == divided
        }
        condition, value = (substitute(replace_free(each, instead), {index: place}) for each in (condition, value))
        over = tuple(steps if each == index else each for each in node.over)
        return total("sum", over, call("select", condition, value, nothing))
    return node


def exact_quotient(test: Expr) -> tuple[Expr, Expr] | None:
    """(a, s), where the condition is `a % s == 0`."""
    if not isinstance(test, Apply) or test.function != "eq":
        return None
    for rest, zero in (test.children, test.children[::-1]):
        if isinstance(rest, Apply) and rest.function == "mod" and isinstance(zero, Number) and zero.value == 0:
            return rest.children[0], rest.children[1]
    return None


def _start(place: Expr, index: str, numbers: Numbers) -> Expr | None:
    """i, where the place is `i - index`."""
    start = dict(poly.polynomial(place))
    factor = 0
    for monomial in [each for each in start if any(index in atom.free for atom in each)]:
        others = [known(atom, numbers) for atom in monomial if atom is not position(index)]
        if len(others) != len(monomial) - 1 or None in others:
            return None
        factor += start.pop(monomial) * prod(each for each in others if each is not None)
    return poly.expression(start) if factor == -1 else None
