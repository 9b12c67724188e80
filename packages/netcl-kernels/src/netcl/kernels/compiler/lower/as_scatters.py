"""Reductions that are scatters, in the form in which each value is looked at once.

    sum[e]((a[e] == v ? f : 0) + (b[e] == v ? g : 0))        goes to two places: two scatters
    sum[e, h](a[e] == v ? f[e, h] * w[h] : 0)                the place does not depend on h: values are sums over h
    sum[e](a[e] == v ? sum[d](x[v, d] * y[e, d]) : 0)        the value is for one place: it has `a[e]` for v
    sum[e](float((a[e] == v ? f : -inf) == m[v]))            all count alike but for those of the place
    any[e](a[e] == v and f)                                  there are some

Without that, all values would be looked at for each row. What depends on the row alone becomes a table.

Input: a Reduce. Output: the same values.
"""

from __future__ import annotations

import functools

from netcl.kernels.compiler.derive.materialised import reads_states, substituted
from netcl.kernels.compiler.derive.selected import leaves, terms, where_all
from netcl.kernels.compiler.ir import Apply, Expr, Number, Reduce, number, outermost, reduce
from netcl.kernels.compiler.ir.binding import replace_nodes, total
from netcl.kernels.compiler.ir.choices import conditions_of
from netcl.kernels.compiler.ir.simplify import COMPARISONS, call, cast
from netcl.kernels.compiler.lower.scattering import Places, moving_places

_MOST_TERMS = 32


def as_scatters(node: Reduce) -> Expr:
    """`node`, or what it is as scatters."""
    if node.kind == "any" and not reads_states(node):
        many = total("sum", node.over, call("select", node.body, number(1, "int64"), 0))
        return call("gt", many, 0) if isinstance(many, Reduce) and moving_places(many) else node
    if node.kind not in ("sum", "max", "min") or reads_states(node):
        return node
    places = moving_places(node)
    if not places and node.kind == "sum":
        return _by_places(_counted(node))
    if not places:
        return node
    node = _for_one_place(node, places)
    return _of_sums(node, places) if node.kind == "sum" else node


def _counted(node: Reduce) -> Expr:
    """How often a comparison holds, as what the places add to how often it holds elsewhere: whole numbers."""
    body = node.body
    if not (isinstance(body, Apply) and body.function == "cast" and body.children[0].dtype == "bool"):
        return node
    (test,) = body.children
    if not isinstance(test, Apply) or test.function not in COMPARISONS:
        return node
    for at, side in enumerate(test.children):
        if not isinstance(side, Apply) or side.function != "select":
            continue
        condition, value, rest = side.children
        sides = ((value, test.children[1]), (rest, test.children[1]))
        if at == 1:
            sides = ((test.children[0], value), (test.children[0], rest))
        there, elsewhere = (cast(call(test.function, *each), node.dtype) for each in sides)
        alone = total("sum", node.over, call("select", condition, call("sub", there, elsewhere), 0))
        if elsewhere.free.isdisjoint(node.over) and isinstance(alone, Reduce) and moving_places(alone):
            return call("add", as_scatters(alone), total("sum", node.over, elsewhere))
    return node


def _by_places(node: Expr) -> Expr:
    """A sum of scatters; terms that go to the same places stay together, and so do those that go nowhere."""
    if not isinstance(node, Reduce) or not 1 < leaves(node.body) <= _MOST_TERMS:
        return node
    together: dict[Places, Expr] = {}
    for conditions, value in terms(node.body):
        term = where_all(conditions, value)
        alone = total("sum", node.over, term)
        places = moving_places(alone) if isinstance(alone, Reduce) else Places()
        together[places] = call("add", together[places], term) if places in together else term
    if len(together) < 2:
        return node
    sums = [total("sum", node.over, term) for term in together.values()]
    return functools.reduce(
        functools.partial(call, "add"), [as_scatters(each) if isinstance(each, Reduce) else each for each in sums]
    )


def _for_one_place(node: Reduce, places: Places) -> Reduce:
    """A scatter whose values have reductions over no index of the rows."""
    body = node.body
    for index, at in sorted(places, key=lambda place: place[0]):
        mixed: dict[Expr, Expr] = {
            each: substituted(each, index, at) for each in outermost(body, index) if not each.free.isdisjoint(node.over)
        }
        body = replace_nodes(body, mixed) if mixed else body
    return reduce(node.kind, node.over, body) if body is not node.body else node


def _of_sums(node: Reduce, places: Places) -> Expr:
    """A scatter of sums over what its places do not depend on."""
    moving = frozenset().union(*(at.free for _, at in places))
    inner = tuple(index for index in node.over if index not in moving)
    if not inner:
        return node
    conditions, value = conditions_of(node.body, lambda rest: isinstance(rest, Number) and rest.value == 0)
    within = [each for each in conditions if not each.free.isdisjoint(inner)]
    outside = [each for each in conditions if each not in within]
    over = tuple(index for index in node.over if index in moving)
    values = where_all(outside, total("sum", inner, where_all(within, value)))
    found = total("sum", over, values)
    return _for_one_place(found, places) if isinstance(found, Reduce) else found
