"""Derivatives of reductions, by the body.

sum              as it is
max, min         shared equally among those that are the extreme value
first_max, …     all to the place that is named
prod             the product of the others: by division where that is exact, else by running products from both ends
"""

from __future__ import annotations

import math

from netcl.kernels.compiler.derive.formula import NoDerivative, where_declared
from netcl.kernels.compiler.derive.materialised import materialised
from netcl.kernels.compiler.derive.scans import others_along, renamed
from netcl.kernels.compiler.derive.selected import may_be_zero, scaled
from netcl.kernels.compiler.ir import (
    INDEX_DTYPE,
    Expr,
    Formula,
    Position,
    Read,
    Reduce,
    number,
    position,
    reduce,
    size,
    subexpressions,
)
from netcl.kernels.compiler.ir.binding import rename, substitute, total
from netcl.kernels.compiler.ir.simplify import call, cast

_TAKES_ALL = ("first_max", "first_min", "last_max", "last_min")
_LEAST_NORMAL = {"float16": 2.0**-14, "bfloat16": 2.0**-126, "float32": 2.0**-126, "float64": 2.0**-1022}
"""Below, floats have fewer digits, and so have quotients of them."""
_SMALL = 2.0**-10
"""Beside the largest factor of a product."""


def adjoint_of_reduce(formula: Formula, node: Reduce, adjoint: Expr) -> Expr:
    """What the body is owed, at each place of the indices that are bound."""
    if node.kind == "sum":
        return adjoint
    if node.kind in ("max", "min"):
        equal, extreme = _equal_to_extreme(node)
        # an extreme value that is NaN equals nothing: then the gradient is NaN, too, where it is asked for
        lost = call("detach", extreme)
        lost = scaled(adjoint, lost) if may_be_zero(adjoint) else lost
        beside = call("select", call("isnan", extreme), lost, 0)
        return call("select", equal, call("div", adjoint, _ties(node, equal)), beside)
    if node.kind in _TAKES_ALL:
        return call("select", _takes_all(node), adjoint, 0)
    if node.kind == "prod":
        return scaled(adjoint, _product_of_others(node))
    raise NoDerivative(f"{formula.name}: {node.kind} has no derivative{where_declared(formula)}")


def tangent_of_reduce(formula: Formula, node: Reduce, inner: Expr) -> Expr:
    """The derivative of the value along the tangent of the body."""
    if node.kind == "sum":
        return total("sum", node.over, inner)
    if node.kind in ("max", "min"):
        equal, extreme = _equal_to_extreme(node)
        lost = call("select", call("isnan", extreme), call("detach", extreme), 0)
        return total("sum", node.over, call("select", equal, call("div", inner, _ties(node, equal)), lost))
    if node.kind in _TAKES_ALL:
        return total("sum", node.over, call("select", _takes_all(node), inner, 0))
    if node.kind == "prod":
        return total("sum", node.over, scaled(inner, _product_of_others(node)))
    raise NoDerivative(f"{formula.name}: {node.kind} has no derivative{where_declared(formula)}")


def _equal_to_extreme(node: Reduce) -> tuple[Expr, Expr]:
    """Whether a body equals the extreme value of them all, and that value: of the same bodies, computed once."""
    body = materialised(node.body)
    extreme = reduce(node.kind, node.over, body)
    return call("eq", body, extreme), extreme


def _ties(node: Reduce, equal: Expr) -> Expr:
    """How many bodies equal the extreme value: they share the gradient equally."""
    return total("sum", node.over, cast(equal, node.dtype))


def _takes_all(node: Reduce) -> Expr:
    """Whether the bound indices are at the first, or the last, of the extreme values."""
    which, kind = node.kind.split("_")
    last = which == "last"
    backward = {index: size(index) - 1 - position(index) for index in node.over}
    flat: Expr = number(0, INDEX_DTYPE)
    for index in node.over:
        flat = flat * size(index) + (backward[index] if last else position(index))
    body = substitute(node.body, backward) if last else node.body
    return call("eq", reduce("arg" + kind, node.over, body), flat)


def _product_of_others(node: Reduce) -> Expr:
    """node / body; where that says nothing (body is 0, or the product not finite) the product over all the others.

    That does not depend on body, as a quotient does whose two slopes cancel: beside larger ones a small body would
    leave its second derivative as much too large as the digits of 1 / body are lost.
    """
    quotient = call("div", node, node.body)
    largest = reduce("max", node.over, call("abs", node.body))
    is_small = call("lt", call("abs", node.body), call("mul", largest, _SMALL))
    if _has_an_element_each(node):
        size_of = call("abs", node)
        exact = call("and", call("ge", size_of, _LEAST_NORMAL[node.dtype]), call("lt", size_of, math.inf))
        return call("select", call("and", exact, call("not", is_small)), quotient, others_along(node))
    unknown = call("or", call("eq", node.body, 0), call("not", call("isfinite", node)))
    return call("select", call("or", unknown, is_small), _others_one_by_one(node), quotient)


def _has_an_element_each(node: Reduce) -> bool:
    """Whether what is multiplied are elements of an operand, so that running products take no more room than that."""
    wanted = node.free | frozenset(node.over)
    for each in subexpressions(node.body):
        if isinstance(each, Read) and all(isinstance(at, Position) for at in each.at) and each.free == wanted:
            return True
    return False


def _others_one_by_one(node: Reduce) -> Expr:
    """The product of all other bodies, for each body on its own."""
    names = renamed(node, node.over)
    here: Expr = call("and", True, True)
    for old, new in names.items():
        here = call("and", here, call("eq", position(old), position(new)))
    return total("prod", tuple(names.values()), call("select", here, 1, rename(node.body, names)))
