"""Values that come to the same bits wherever they are computed, and those that do not.

A derivative of an extreme value asks which elements are equal to it; a formula may ask whether two values are equal.
Both answers are right only if what is mentioned twice has the same bits twice. A sum has the bits of the order in which
it was added, which is the schedule's, and a function those of its form, scalar or in lanes. So what is asked about is
`materialised`: a value that is computed once, in a table, and read wherever it is mentioned.

The other use is work. What arrives at `x[t * hop + k]` is computed for each element of x and each k, with
`(n - k) / hop` for t, and a sum in it that depends on t alone would be computed so often, too; in a table it is
computed once for each t. So is `sum[e](to[e] == v ? …)` where `to[e]` is put for v.

Input: an expression. Output: whether it is reproducible; the same with `materialised` where a comparison, or the work,
needs it. `stages` makes the tables.
"""

from __future__ import annotations

from collections.abc import Iterator

from netcl.core.weak import WeakKeys
from netcl.kernels.compiler.ir import (
    FLOATS,
    INDEX_DTYPE,
    Apply,
    Enclosed,
    Expr,
    Formula,
    Materialised,
    Position,
    Read,
    Reduce,
    Scan,
    is_state,
    materialise,
    position,
    subexpressions,
)
from netcl.kernels.compiler.ir.binding import rebuilt, replace_nodes, running, substitute, total
from netcl.kernels.compiler.ir.choices import conjuncts

_ROUNDED_ONCE = frozenset(
    "add sub mul neg abs sign copysign floor ceil round trunc maximum minimum select copy detach cast named "
    "eq ne lt le gt ge and or not isnan isinf isfinite floor_div mod exact_div within floor_divide remainder "
    "bit_and bit_or bit_xor shift_left shift_right table "
    "random".split()
)
"""IEEE 754 says every bit of these, or they are integer arithmetic; nothing is contracted."""

_ORDERED = ("lt", "le", "gt", "ge")
_of: WeakKeys[Expr, bool] = WeakKeys()


def reproducible(expr: Expr) -> bool:
    """Whether `expr` has the same bits wherever, and in whatever order, it is computed."""
    for node in subexpressions(expr):
        if node not in _of:
            _of[node] = isinstance(node, Materialised) or (
                all(_of[child] for child in node.children) and _is_itself(node)
            )
    return _of[expr]


def materialised(expr: Expr) -> Expr:
    """`expr`, computed once; itself where that changes nothing. Of a choice, and of what is rounded once around a
    single such value, it is that value; where an index is known to be something else, that stands for it, so that the
    table has no more elements than there are values."""
    if reproducible(expr):
        return expr
    if isinstance(expr, Apply) and expr.function in _ROUNDED_ONCE:
        children = expr.children
        if expr.function == "select":
            children = (children[0], _where_known(children[1], children[0]), children[2])
        if expr.function == "select" or sum(not reproducible(each) for each in children) == 1:
            return rebuilt(expr, tuple(map(materialised, children)))
    return _table(expr)


def _where_known(expr: Expr, condition: Expr) -> Expr:
    """`expr` where the condition holds, in which some index may be equal to something that does not depend on it."""
    for each in conjuncts(condition):
        if isinstance(each, Apply) and each.function == "eq" and each.children[0].dtype == INDEX_DTYPE:
            for index, other in (each.children, each.children[::-1]):
                if isinstance(index, Position) and index.index not in other.free and index.index in expr.free:
                    expr = substitute(expr, {index.index: other})
    return expr


def substituted(expr: Expr, index: str, value: Expr) -> Expr:
    """`expr` with `value` for an index. Many places have the same value if it is data or depends on several indices; a
    sum that depends on the index, and on nothing that the value does, would be computed anew at each of them, and is
    `materialised`: it is a table over its own indices, as before."""
    if len(value.free) > 1 or _is_data(value):
        sums = list(_sums_of(expr, index))
        once: dict[Expr, Expr] = {node: _table(node) for node in sums if node.free.isdisjoint(value.free)}
        products = [node for node in sums if _is_matrix_product(node, index, value)]
        if products:
            whole = _sum_in(expr)
            once |= {node: _table(node) for node in products if node is not whole}
        expr = replace_nodes(expr, once) if once else expr
    return substitute(expr, {index: value})


def _sums_of(expr: Expr, index: str) -> Iterator[Reduce]:
    """The sums in `expr` that depend on an index and on no state: that is there only when a step has been."""
    waiting, seen = [expr], set[Expr]()
    while waiting:
        node = waiting.pop()
        if node in seen or index not in node.free:
            continue
        seen.add(node)
        if isinstance(node, Reduce) and not reads_states(node):
            yield node
        waiting += node.at if isinstance(node, Enclosed) else node.children


def _is_matrix_product(node: Reduce, index: str, value: Expr) -> bool:
    """Whether a sum is one of products of what depends on the index and what the value depends on, but nothing on
    both."""
    sides = [(index in each.free, not value.free.isdisjoint(each.free)) for each in _factors(node.body)]
    bound = [not each.free.isdisjoint(node.over) for each in _factors(node.body)]
    summed = {side for side, each in zip(sides, bound, strict=True) if each}
    return node.kind == "sum" and (True, True) not in sides and {(True, False), (False, True)} <= summed


def _sum_in(expr: Expr) -> Expr:
    """What an expression is but for factors and conditions: these can go into it where it is a sum, which becomes one
    with the sums around it."""
    while isinstance(expr, Apply) and expr.function in ("mul", "neg", "select"):
        sums = [each for each in expr.children if any(isinstance(node, Reduce) for node in subexpressions(each))]
        if len(sums) != 1:
            return expr
        (expr,) = sums
    return expr


def _factors(expr: Expr) -> Iterator[Expr]:
    if isinstance(expr, Apply) and expr.function == "mul":
        for child in expr.children:
            yield from _factors(child)
    else:
        yield expr


def reads_states(expr: Expr) -> bool:
    return any(isinstance(node, Read) and is_state(node.operand) for node in subexpressions(expr))


def _is_data(position: Expr) -> bool:
    return any(isinstance(node, (Enclosed, Read, Reduce, Scan)) for node in subexpressions(position))


def _table(expr: Expr) -> Materialised:
    """`expr`, computed once for each place of its indices."""
    axes = tuple(sorted(expr.free))
    return materialise(axes, tuple(map(position, axes)), expr)


def compared(node: Expr) -> Expr:
    """A comparison of values of which both may be computed again elsewhere, with each materialised. Two that are
    ordered only need it where both add up: elsewhere they are computed side by side."""
    if not isinstance(node, Apply) or node.function not in ("eq", "ne", *_ORDERED):
        return node
    if node.children[0].dtype not in FLOATS or any(reproducible(child) for child in node.children):
        return node
    if node.function in _ORDERED and not all(map(_adds_up, node.children)):
        return node
    return rebuilt(node, tuple(map(_materialised_side, node.children)))


def asks_for_equals(formula: Formula) -> bool:
    """Whether the derivative of `formula` asks which elements of an operand are equal to an extreme value."""
    nodes = subexpressions(*(output.expr for output in formula.outputs))
    derived = any(each.differentiable and each.name not in formula.declared for each in formula.operands)
    extremes = (isinstance(each, Reduce) and each.dtype in FLOATS and each.kind in ("max", "min") for each in nodes)
    return derived and any(extremes)


def _materialised_side(expr: Expr) -> Expr:
    """An extreme value is one of its elements, so those are what is computed once."""
    if isinstance(expr, Reduce) and expr.kind.endswith(("max", "min")):
        return total(expr.kind, expr.over, _materialised_side(expr.body))
    if isinstance(expr, Scan) and expr.kind in ("max", "min"):
        return running(expr.kind, expr.index, expr.backward, expr.at, *map(_materialised_side, expr.bodies))
    return materialised(expr)


def _is_itself(node: Expr) -> bool:
    if isinstance(node, Apply):
        return node.function in _ROUNDED_ONCE
    if isinstance(node, (Reduce, Scan)):
        return node.dtype not in FLOATS or node.kind.endswith(("max", "min"))
    return True


def _adds_up(expr: Expr) -> bool:
    return any(isinstance(node, (Reduce, Scan)) and not reproducible(node) for node in subexpressions(expr))
