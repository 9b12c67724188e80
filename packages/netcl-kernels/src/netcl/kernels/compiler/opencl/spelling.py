"""How each function of the IR is spelled in OpenCL C, for scalars and for vectors.

Input: the name, the argument values, the dtype and the lanes of the result. Output: the value as C text. Results are
those of IEEE arithmetic and of `functions.FUNCTIONS`: no native_ functions, no reassociation, NaN stays NaN.
"""

from __future__ import annotations

from netcl.kernels.compiler.ir import FLOATS, HALVES, Apply, Expr, Number
from netcl.kernels.compiler.ir.simplify import promote
from netcl.kernels.compiler.opencl.helpers import Helpers
from netcl.kernels.compiler.opencl.special import SPECIAL
from netcl.kernels.compiler.opencl.types import (
    ROUNDED,
    WORD,
    Value,
    as_mask,
    chosen,
    computed,
    converted,
    from_mask,
    literal,
    unwrapped,
)

_INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_BITS = {"bit_and": "&", "bit_or": "|", "bit_xor": "^"}
_SHIFTS = {"shift_left", "shift_right"}
COMPARED = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_BUILTIN = {
    "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2", "log10": "log10", "log1p": "log1p",
    "sqrt": "sqrt", "cbrt": "cbrt", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos",
    "atan": "atan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "asinh", "acosh": "acosh",
    "atanh": "atanh", "atan2": "atan2", "erf": "erf", "erfc": "erfc", "lgamma": "lgamma", "copysign": "copysign",
    "pow": "pow", "fmod": "fmod", "abs": "fabs", "floor": "floor", "ceil": "ceil", "round": "rint", "trunc": "trunc",
}  # fmt: skip
_HELPED = {
    "maximum", "minimum", "sign", "remainder", "floor_divide",
    "normal_cdf", "times_normal_cdf", "times_normal_cdf_tanh",
}  # fmt: skip
_SAME = {"copy", "detach"}
_WHOLE = {"floor", "ceil", "round", "trunc"}
_FITS = {"add_fits", "sub_fits", "mul_fits"}
_INTEGER = {
    "floor_div": "floor_div", "mod": "mod", "floor_divide": "floor_div", "remainder": "mod", "fmod": "truncated_mod",
    "pow": "integer_power", "exact_div": "truncated_div",
}  # fmt: skip


def repeats_arguments(node: Apply) -> bool:
    """Whether the spelling writes an argument more than once, so that it should have a name first."""
    if node.function in SPECIAL or node.function in _FITS or node.function in ("exact_div", "table"):
        return True
    if node.dtype not in FLOATS:
        return (
            node.function in _INTEGER or node.function == "sign" or (node.function == "abs" and node.dtype != "uint8")
        )
    return node.function == "pow" and isinstance(node.children[1], Number)


def spelled(node: Apply, arguments: list[Value], helpers: Helpers, wraps: bool = False) -> Value:
    """The function applied to the arguments, with as many lanes as the widest of them. Where it `wraps`, the result may
    leave what an integer holds, which C does not define for those with a sign."""
    lanes = max(argument.lanes for argument in arguments)
    function, dtype = node.function, node.dtype
    if function == "cast":
        return _cast(arguments[0], dtype, helpers)
    if function == "table":
        name = helpers.table(
            [literal(each.value, dtype) for each in node.children[1:] if isinstance(each, Number)], dtype
        )
        return _by_lane(name, [converted(arguments[0], "int64", lanes)], dtype, lanes)
    if function == "select":
        if lanes == 1 and _is_nan(node.children[1]):
            value = converted(arguments[2], dtype)
            return Value(f"{helpers.name('or_nan', dtype)}({value.bare}, {arguments[0].bare})", dtype)
        return _select(arguments, dtype, lanes)
    if function in ("and", "or", "not"):
        return _logic(function, [converted(each, "bool", lanes) for each in arguments], lanes)
    if function == "random":
        arguments = [converted(each, "int64", lanes) for each in arguments]
        return Value(_called(helpers.name("random_uniform", dtype, lanes), arguments), "float32", lanes)
    shared = promote(*(argument.dtype for argument in arguments))
    if function in COMPARED:
        left, right = (converted(each, shared, lanes) for each in arguments)
        return from_mask(f"{left.text} {COMPARED[function]} {right.text}", shared, lanes)
    if function in _FITS:
        arguments = [converted(each, shared, lanes) for each in arguments]
        found = _by_lane(helpers.name(function, shared), arguments, "int32", lanes)
        return Value(f"(-{found.text})" if lanes > 1 else found.text, "bool", lanes)
    if function in ("isnan", "isinf", "isfinite"):
        return from_mask(_called(function, arguments), shared, lanes)
    if function == "ordinal":
        return Value(_called(helpers.name(function, shared, lanes), arguments), dtype, lanes)
    if function == "ordinal_value":
        return Value(_called(helpers.name(function, dtype, lanes), arguments), dtype, lanes)
    if dtype not in FLOATS:
        arguments = [converted(each, dtype, lanes) for each in arguments]
        if wraps and dtype != "uint8" and (function in _INFIX or function == "neg"):
            return _wrapping(function, arguments, dtype, lanes)
        return _integer(node, arguments, dtype, lanes, helpers)
    return _float(node, [converted(each, dtype, lanes) for each in arguments], dtype, lanes, helpers)


def _is_nan(node: Expr) -> bool:
    return isinstance(node, Number) and node.value != node.value


def _float(node: Apply, arguments: list[Value], dtype: str, lanes: int, helpers: Helpers) -> Value:
    function = node.function
    if function in _SAME:
        return arguments[0]
    if function in _INFIX:
        return Value(f"({arguments[0].text} {_INFIX[function]} {arguments[1].text})", dtype, lanes)
    if function == "neg":
        return Value(f"(-{arguments[0].text})", dtype, lanes)
    if function == "rsqrt":
        return Value(f"({_one(dtype)} / {_called('sqrt', arguments)})", dtype, lanes)
    if function == "pow":
        product = _as_product(node, arguments[0], dtype)
        if product:
            return Value(product, dtype, lanes)
        if isinstance(node.children[1], Number) and node.children[1].value == 0.5:
            return Value(_called(helpers.name("sqrt_power", dtype, lanes), arguments[:1]), dtype, lanes)
    if function in _HELPED or helpers.replaces(function, dtype, lanes):
        return Value(_called(helpers.name(function, dtype, lanes), arguments), dtype, lanes)
    if function in SPECIAL:
        return _by_lane(helpers.name(function, dtype), arguments, dtype, lanes)
    return Value(_called(_BUILTIN[function], arguments), dtype, lanes)


def _integer(node: Apply, arguments: list[Value], dtype: str, lanes: int, helpers: Helpers) -> Value:
    function = node.function
    if function in _WHOLE or function in _SAME:
        return arguments[0]
    if function == "neg":
        return _wrapped(f"(-{arguments[0].text})", dtype, lanes)
    if function in _INFIX:
        return _wrapped(f"({arguments[0].text} {_INFIX[function]} {arguments[1].text})", dtype, lanes)
    if function in _BITS:
        return _wrapped(f"({arguments[0].text} {_BITS[function]} {arguments[1].text})", dtype, lanes)
    if function in _SHIFTS:
        return Value(_called(helpers.name(function, dtype, lanes), arguments), dtype, lanes)
    if function in ("maximum", "minimum"):
        name = helpers.name(function, dtype, lanes) if lanes == WORD else function[:3]
        return Value(_called(name, arguments), dtype, lanes)
    if function == "abs":
        if dtype == "uint8":
            return arguments[0]
        x, opposite = arguments[0].text, _wrapping("neg", arguments, dtype, lanes)
        return Value(f"({x} < {literal(0, dtype)} ? {opposite.text} : {x})", dtype, lanes)
    if function == "sign":
        positive = converted(from_mask(f"{arguments[0].text} > {literal(0, dtype)}", dtype, lanes), dtype)
        if dtype == "uint8":
            return positive
        negative = converted(from_mask(f"{arguments[0].text} < {literal(0, dtype)}", dtype, lanes), dtype)
        return _wrapped(f"({positive.text} - {negative.text})", dtype, lanes)
    helper = _INTEGER[function]
    if lanes > 1 and helpers.divides(helper, dtype):
        return Value(_called(helpers.name(helper, dtype, lanes), arguments), dtype, lanes)
    return _by_lane(helpers.name(helper, dtype), arguments, dtype, lanes)


def _wrapping(function: str, arguments: list[Value], dtype: str, lanes: int) -> Value:
    """By way of the numbers without a sign, of which C says that they wrap around."""
    kind = computed(dtype, lanes)
    first, *rest = (_without_sign(each.bare, kind) for each in arguments)
    text = f"{first} {_INFIX[function]} {rest[0]}" if rest else f"-{first}"
    return Value(f"as_{kind}({text})", dtype, lanes)


def _without_sign(text: str, kind: str) -> str:
    """The same bits; what was computed without a sign is taken as it is."""
    before = f"as_{kind}"
    inside = unwrapped(text.removeprefix(before))
    return f"({inside})" if text.startswith(before) and f"{before}({inside})" == text else f"as_u{kind}({text})"


def _as_product(node: Apply, base: Value, dtype: str) -> str | None:
    """A power with a literal exponent that a product or a quotient gives, with the same special values."""
    exponent = node.children[1]
    x = base.text
    if not isinstance(exponent, Number):
        return None
    return {
        -2.0: f"(({_one(dtype)} / {x}) * ({_one(dtype)} / {x}))",  # 1 / (x * x) would lose the smallest results
        -1.0: f"({_one(dtype)} / {x})",
        2.0: f"({x} * {x})",
        3.0: f"({x} * {x} * {x})",
        4.0: f"(({x} * {x}) * ({x} * {x}))",
    }.get(float(exponent.value))


def _cast(value: Value, dtype: str, helpers: Helpers) -> Value:
    if dtype in HALVES and value.dtype != dtype:
        helpers.name(ROUNDED[dtype] + ("16" if value.lanes > 1 else ""), dtype)
    return converted(value, dtype)


def _select(arguments: list[Value], dtype: str, lanes: int) -> Value:
    condition, first, second = arguments
    first, second = converted(first, dtype, lanes), converted(second, dtype, lanes)
    if lanes == 1:
        return chosen(condition.text, first.text, second.text, dtype)
    if condition.lanes == 1:
        return Value(f"({condition.text} ? {first.text} : {second.text})", dtype, lanes)
    return Value(f"({as_mask(condition, dtype)} ? {first.text} : {second.text})", dtype, lanes)


def _logic(function: str, arguments: list[Value], lanes: int) -> Value:
    signs = {"and": "&&", "or": "||", "not": "!"} if lanes == 1 else {"and": "&", "or": "|", "not": "~"}
    if function == "not" and lanes == WORD:
        return Value(f"({arguments[0].text} ^ (uchar)1)", "bool", lanes)
    if function == "not":
        return Value(f"({signs[function]}{arguments[0].text})", "bool", lanes)
    return Value(f"({arguments[0].text} {signs[function]} {arguments[1].text})", "bool", lanes)


def _by_lane(name: str, arguments: list[Value], dtype: str, lanes: int) -> Value:
    if lanes == 1:
        return Value(_called(name, arguments), dtype)
    calls = (
        _called(name, [Value(f"{each.text}.s{lane:x}", each.dtype) for each in arguments]) for lane in range(lanes)
    )
    return Value(f"({computed(dtype, lanes)})({', '.join(calls)})", dtype, lanes)


def _wrapped(text: str, dtype: str, lanes: int) -> Value:
    """C computes small integers as int: back to eight bits."""
    return Value(f"(uchar){text}" if dtype == "uint8" and lanes == 1 else text, dtype, lanes)


def _called(name: str, arguments: list[Value]) -> str:
    return f"{name}({', '.join(argument.bare for argument in arguments)})"


def _one(dtype: str) -> str:
    return "1.0" if dtype == "float64" else "1.0f"
