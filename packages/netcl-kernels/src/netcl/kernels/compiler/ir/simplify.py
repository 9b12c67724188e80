"""Building expressions: dtypes are settled, literals folded, identities applied. Every pass builds through `call`.

Input: a function name and arguments (expressions or Python numbers). Output: the simplest equal expression.
Only identities that hold for every float, NaN and infinities included, are applied to floats. Two liberties are taken:
the sign of a zero (x + 0 is x) and the rounding of a reciprocal (a * (1 / b) is a / b, which is the more accurate).
Integers are polynomials. What binds an index is made in `rebuild`; across a Reduce things move in `solve`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TypeGuard

import numpy as np

from netcl.core.bounded import remembered
from netcl.kernels.compiler.ir import (
    FLOATS,
    HALVES,
    INDEX_DTYPE,
    INTEGERS,
    Apply,
    Expr,
    ExprLike,
    Number,
    Size,
    apply,
    number,
)
from netcl.kernels.compiler.ir import polynomial as poly
from netcl.kernels.compiler.ir.choices import choice
from netcl.kernels.compiler.ir.construct import MOST_BITS
from netcl.kernels.compiler.ir.functions import FUNCTIONS
from netcl.kernels.compiler.ir.host import BITS
from netcl.kernels.compiler.ir.inequalities import decided
from netcl.kernels.compiler.ir.interval import RANGES, wrapped
from netcl.kernels.compiler.ir.logic import follows, joined, negated

DEFAULT_FLOAT = "float32"
_DIVISIONS = ("floor_div", "mod", "exact_div", "floor_divide", "remainder", "fmod")
_EXACT: Mapping[str, Callable[..., int]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "neg": operator.neg, "abs": abs,
    "maximum": max, "minimum": min, "floor_div": operator.floordiv, "floor_divide": operator.floordiv,
    "mod": operator.mod, "remainder": operator.mod, "exact_div": operator.floordiv,
    "pow": lambda a, b: _power(a, b), **BITS,
}  # fmt: skip
"""Of whole numbers of any length: positions do not wrap, and where values do, it is when they are computed."""

COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_RANK = {"bool": 0, "uint8": 1, "int32": 2, "int64": 3, "float16": 4, "bfloat16": 4, "float32": 5, "float64": 6}


_OF_BOOLS: Mapping[str, Callable[[Expr, Expr], Expr]] = {
    "maximum": lambda a, b: call("or", a, b), "minimum": lambda a, b: call("and", a, b),
    "lt": lambda a, b: call("and", call("not", a), b), "ge": lambda a, b: call("or", a, call("not", b)),
    "gt": lambda a, b: call("and", a, call("not", b)), "le": lambda a, b: call("or", call("not", a), b),
}  # fmt: skip
"""What orders bools is logic; true is the larger one."""


def promote(*dtypes: str) -> str:
    """The dtype that holds them all; an integer beside a float takes the float's dtype."""
    if set(HALVES) <= set(dtypes):
        dtypes = (*dtypes, "float32")  # neither holds the other's values
    return max(dtypes, key=_RANK.__getitem__)


def call(function: str, *arguments: ExprLike) -> Expr:
    """`function(arguments)`, typed and simplified. A literal takes the dtype of the expressions beside it."""
    nodes = [_literal(each) if not isinstance(each, Expr) else each for each in arguments]
    found = _called(function, *nodes)
    if isinstance(found, Number) and found.dtype in INTEGERS and not all(map(_is_weak, nodes[function == "select" :])):
        return number(found.value, found.dtype, weak=False)
    return found


@remembered("calls of functions", 8192)
def _called(function: str, *given: Expr) -> Expr:
    """Half of what a derivative asks for has been asked for before."""
    rule, nodes = FUNCTIONS[function], list(given)
    if function == "select":
        condition = cast(nodes[0], "bool")
        first, second = same_dtype(nodes[1:])
        return _simplified(function, (condition, first, second), first.dtype)
    if function == "table":
        entries = same_dtype(nodes[1:])
        return _simplified(function, (cast(nodes[0], INDEX_DTYPE), *entries), entries[0].dtype)
    if rule.result == "index":
        return _simplified(function, tuple(cast(node, INDEX_DTYPE) for node in nodes), INDEX_DTYPE)
    if function in ("and", "or", "not"):
        return _simplified(function, tuple(cast(node, "bool") for node in nodes), "bool")
    if function == "random":
        return apply(function, tuple(cast(node, INDEX_DTYPE) for node in nodes), DEFAULT_FLOAT)
    nodes = list(same_dtype(nodes))
    dtype = nodes[0].dtype
    if function in ("isnan", "isinf", "isfinite") and dtype not in FLOATS:
        return number(function == "isfinite", "bool")
    if dtype == "bool" and function in _OF_BOOLS:
        return _OF_BOOLS[function](*nodes)
    if rule.result == "bool":
        return _simplified(function, tuple(nodes), "bool")
    inverse = function == "pow" and isinstance(nodes[1], Number) and nodes[1].value < 0
    if (rule.result == "float" or inverse) and dtype not in FLOATS:
        dtype = DEFAULT_FLOAT
        nodes = [cast(node, dtype) for node in nodes]
    elif dtype == "bool" and function not in ("copy", "detach"):
        dtype = INDEX_DTYPE
        nodes = [cast(node, dtype) for node in nodes]
    return _simplified(function, tuple(nodes), dtype)


def cast(node: ExprLike, dtype: str) -> Expr:
    """`node` as `dtype`. To bool it is `node != 0`."""
    if not isinstance(node, Expr):
        node = _literal(node)
    if node.dtype == dtype:
        return node
    if isinstance(node, Number):
        value = node.value
        if dtype in FLOATS or dtype == "bool":
            return number(value, dtype)
        if math.isfinite(value):
            return number(int(value) if dtype == INDEX_DTYPE else wrapped(int(value), dtype), dtype, node.weak)
    if dtype == "bool":
        return call("ne", node, 0)
    if dtype in FLOATS and _is_choice_of_numbers(node):
        condition, first, second = node.children
        return call("select", condition, cast(first, dtype), cast(second, dtype))
    return apply("cast", (node,), dtype)


def as_position(node: Expr) -> Expr:
    """An integer expression in 64 bits, with all that it is computed from: a position does not wrap in fewer."""
    memo: dict[Expr, Expr] = {}

    def wide(each: Expr) -> Expr:
        if each not in memo:
            memo[each] = made(each)
        return memo[each]

    def made(each: Expr) -> Expr:
        if isinstance(each, Apply):
            if each.function == "cast" and each.children[0].dtype in ("uint8", "int32"):
                return wide(each.children[0])
            if each.function == "select":
                condition, first, second = each.children
                return call("select", condition, wide(first), wide(second))
            if each.function in _WIDENED and each.dtype in RANGES:
                return call(_WIDENED[each.function], *map(wide, each.children))
        return cast(each, INDEX_DTYPE)

    return wide(node)


_WIDENED = {
    **{each: each for each in ("add", "sub", "mul", "neg", "abs", "sign", "maximum", "minimum", "pow", "fmod", "copy")},
    **{each: each for each in ("detach", "floor_div", "mod", "bit_and", "bit_or", "bit_xor", "shift_left")},
    "floor_divide": "floor_div", "remainder": "mod",
}  # fmt: skip


def _is_choice_of_numbers(node: Expr) -> bool:
    """Whether it is one of a few literals: a bool counted as 1 or 0, for one."""
    if not isinstance(node, Apply) or node.function != "select":
        return False
    return all(isinstance(each, Number) or _is_choice_of_numbers(each) for each in node.children[1:])


def _literal(value: ExprLike) -> Expr:
    assert not isinstance(value, Expr)
    if isinstance(value, bool):
        return number(value, "bool")
    return number(value, INDEX_DTYPE if isinstance(value, int) else DEFAULT_FLOAT)


def same_dtype(nodes: Sequence[Expr]) -> tuple[Expr, ...]:
    """All in one dtype. Literals are weak: they follow the expressions, unless they are floats among integers, or whole
    numbers that the integers (or bools, which are 0 and 1) beside them do not reach."""
    if not any(isinstance(node, Number) or node.dtype != nodes[0].dtype for node in nodes):
        return tuple(nodes)
    strong = [node.dtype for node in nodes if not _is_weak(node)]
    weak = [node.dtype for node in nodes if _is_weak(node)]
    if strong:
        dtype = promote(*strong)
        if dtype not in FLOATS:
            floats = [each for each in weak if each in FLOATS]
            if floats:
                dtype = promote(*floats)
            elif not all(_has(dtype, node.value) for node in nodes if isinstance(node, Number) and node.weak):
                dtype = INDEX_DTYPE
    else:
        dtype = promote(*weak)
    nodes = [number(node.value, node.dtype) if isinstance(node, Number) else node for node in nodes]
    return tuple(cast(node, dtype) for node in nodes)


def _is_weak(node: Expr) -> bool:
    return isinstance(node, Number) and node.weak


def _has(dtype: str, value: float) -> bool:
    """Whether a dtype of bools or small integers has a whole number."""
    return dtype not in RANGES or RANGES[dtype][0] <= value <= RANGES[dtype][1]


def _simplified(function: str, nodes: tuple[Expr, ...], dtype: str) -> Expr:
    if all(isinstance(node, Number) for node in nodes) and function != "random":
        folded = _fold(function, nodes, dtype)
        if folded is not None:
            return folded
    if function == "select":
        return choice(*nodes)
    if function == "not":
        return negated(*nodes)
    if function in ("and", "or"):
        return joined(function, *nodes)
    if dtype == INDEX_DTYPE and all(node.dtype == INDEX_DTYPE for node in nodes):
        found = _integer(function, nodes)
        if found is not None:
            return found
    if function in COMPARISONS and all(node.dtype == INDEX_DTYPE for node in nodes):
        holds = decided(function, nodes)
        if holds is not None:
            return number(holds, "bool")
    if dtype in FLOATS:
        found = _float(function, nodes)
        if found is not None:
            return found
    return apply(function, nodes, dtype)


def _fold(function: str, nodes: tuple[Expr, ...], dtype: str) -> Expr | None:
    if function in _EXACT and dtype == INDEX_DTYPE:
        whole = [int(node.value) for node in nodes if isinstance(node, Number)]
        if (function in _DIVISIONS and not whole[1]) or (function == "pow" and whole[1] < 0):
            return None
        found = _EXACT[function](*whole)
        return number(max(-1 << MOST_BITS, min(found, 1 << MOST_BITS)), dtype)
    values = [np.asarray(node.value) for node in nodes if isinstance(node, Number)]
    with np.errstate(all="ignore"):
        if dtype not in FLOATS and function in _DIVISIONS and not values[1]:
            return None
        if dtype not in FLOATS and function == "pow" and values[1] < 0:
            return None
        value = FUNCTIONS[function].value(*values)
    return number(value.item() if isinstance(value, (np.ndarray, np.generic)) else value, dtype)


def _power(base: int, exponent: int) -> int:
    """Of what is longer than any literal only the sign is right: 3 ^ 100000000 would take minutes."""
    if abs(base) < 2 or exponent * base.bit_length() <= MOST_BITS:
        return int(base**exponent)
    return -1 << MOST_BITS if base < 0 and exponent % 2 else 1 << MOST_BITS


def _is(node: Expr, value: float) -> bool:
    return isinstance(node, Number) and node.value == value and not (value == 0 and math.copysign(1, node.value) < 0)


def _integer(function: str, nodes: tuple[Expr, ...]) -> Expr | None:
    if function in ("add", "sub", "mul", "neg"):
        raw = apply(function, nodes, INDEX_DTYPE)
        terms = poly.polynomial(raw)
        return raw if terms == {(raw,): 1} else poly.expression(terms)
    if function in _AS_ARITHMETIC:
        found = _AS_ARITHMETIC[function](*nodes)
        if found is not None:
            return found
    if function in ("exact_div", "floor_div", "mod"):
        terms, divisor = poly.polynomial(nodes[0]), nodes[1]
        if _is(divisor, 1):
            return number(0, INDEX_DTYPE) if function == "mod" else nodes[0]
        if function != "exact_div" and not isinstance(divisor, (Number, Size)):
            return None  # it may be 0, and then so is the quotient
        quotient, rest = poly.divide(terms, divisor)
        if not rest:
            return number(0, INDEX_DTYPE) if function == "mod" else poly.expression(quotient)
        if quotient and function != "exact_div":
            left = apply(function, (poly.expression(rest), divisor), INDEX_DTYPE)
            return left if function == "mod" else call("add", poly.expression(quotient), left)
    return None


def _shifted_left(left: Expr, right: Expr) -> Expr | None:
    return call("mul", left, 1 << int(right.value)) if _is_count_of_bits(right) else None


def _shifted_right(left: Expr, right: Expr) -> Expr | None:
    if not _is_count_of_bits(right) or not poly.is_counted(left):
        return None
    return call("floor_div", left, 1 << int(right.value))


def _masked(left: Expr, right: Expr) -> Expr | None:
    """The last bits of a whole number of any length are what is left of a division."""
    for mine, other in ((left, right), (right, left)):
        if isinstance(mine, Number) and poly.is_counted(other):
            divisor = int(mine.value) + 1
            if 1 < divisor < 1 << 62 and divisor & (divisor - 1) == 0:
                return call("mod", other, divisor)
    return None


def _is_count_of_bits(node: Expr) -> TypeGuard[Number]:
    return isinstance(node, Number) and 0 <= node.value < 62


def _smaller(left: Expr, right: Expr) -> Expr | None:
    return left if decided("le", (left, right)) else right if decided("le", (right, left)) else None


def _larger(left: Expr, right: Expr) -> Expr | None:
    return right if decided("le", (left, right)) else left if decided("le", (right, left)) else None


_AS_ARITHMETIC = {
    "shift_left": _shifted_left, "shift_right": _shifted_right, "bit_and": _masked, "minimum": _smaller,
    "maximum": _larger,
}  # fmt: skip
"""Functions as what the rest of the compiler knows more of, where they are that."""


def _float(function: str, nodes: tuple[Expr, ...]) -> Expr | None:
    if function == "neg":
        inner = nodes[0]
        if isinstance(inner, Apply) and inner.function == "neg":
            return inner.children[0]
    elif function == "add":
        left, right = nodes
        if _is(left, 0):
            return right
        if _is(right, 0):
            return left
        if isinstance(right, Apply) and right.function == "neg":
            return call("sub", left, right.children[0])
        if isinstance(left, Apply) and left.function == "neg":
            return call("sub", right, left.children[0])
        if _is_select(left) and _is_select(right) and _are_alike(left.children[0], right.children[0]):
            condition, first, second = left.children
            return call("select", condition, first + right.children[1], second + right.children[2])
    elif function == "sub":
        left, right = nodes
        if _is(right, 0):
            return left
        if _is(left, 0):
            return call("neg", right)
        if isinstance(right, Apply) and right.function == "neg":
            return call("add", left, right.children[0])
    elif function == "mul":
        return _product(*nodes)
    elif function == "div":
        left, right = nodes
        if _is(right, 1):
            return left
        if _is(right, -1):
            return call("neg", left)
        if isinstance(left, Apply) and left.function == "neg":
            return call("neg", call("div", left.children[0], right))
    elif function == "pow":
        if _is(nodes[1], 1):
            return nodes[0]
        if _is(nodes[1], 0):
            return number(1, nodes[0].dtype)
    return None


def _are_alike(one: Expr, other: Expr) -> bool:
    """Whether it is seen that both conditions hold at the same places."""
    return one is other or (follows(one, other) and follows(other, one))


def _is_select(node: Expr) -> bool:
    return isinstance(node, Apply) and node.function == "select"


def _product(left: Expr, right: Expr) -> Expr | None:
    for mine, other in ((left, right), (right, left)):
        if _is(mine, 1):
            return other
        if _is(mine, -1):
            return call("neg", other)
        if isinstance(mine, Apply) and mine.function == "neg":
            return call("neg", call("mul", mine.children[0], other))
        if isinstance(mine, Apply) and mine.function == "div" and _is(mine.children[0], 1):
            return call("div", other, mine.children[1])
    return None


def _attach_arithmetic() -> None:
    """`a + b` on expressions is `call("add", a, b)`."""
    for sign, function in {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div"}.items():
        setattr(Expr, f"__{sign}__", lambda a, b, function=function: call(function, a, b))
        setattr(Expr, f"__r{sign}__", lambda a, b, function=function: call(function, b, a))
    Expr.__neg__ = lambda a: call("neg", a)  # type: ignore[method-assign]


_attach_arithmetic()
