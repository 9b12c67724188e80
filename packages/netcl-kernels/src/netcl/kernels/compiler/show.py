"""Expressions and formulas as mathematics in text: for `ops show --stage ir`, kernel headers, error messages, goldens."""

from __future__ import annotations

from netcl.kernels.compiler.ir import (
    Apply,
    Attribute,
    Axes,
    Expr,
    Formula,
    Number,
    Operand,
    Output,
    Position,
    Read,
    Reduce,
    Size,
)

_INFIX = {
    "or": (1, "or"), "and": (2, "and"), "eq": (4, "=="), "ne": (4, "!="), "lt": (4, "<"), "le": (4, "<="), "gt": (4, ">"),
    "ge": (4, ">="), "add": (5, "+"), "sub": (5, "-"), "mul": (6, "*"), "div": (6, "/"), "exact_div": (6, "/"),
    "floor_div": (6, "//"), "mod": (6, "%"), "pow": (8, "^"),
}  # fmt: skip
_UNARY = {"neg": (7, "-"), "not": (3, "not ")}
_TIGHTEST = 9


def expression_text(expr: Expr) -> str:
    """One line; shared subexpressions are written out each time."""
    return _text(expr, 0)


def formula_text(formula: Formula) -> str:
    """The whole formula; subexpressions used more than once get a name of their own."""
    parameters = ", ".join(_operand_text(operand) for operand in formula.operands)
    attributes = ", ".join(f"{name}: {dtype}" for name, dtype in formula.attributes.items())
    lines = [f"{formula.name}({parameters}{'; ' + attributes if attributes else ''})"]
    lines += [f"    where {index} = {_text(expr, 0)}" for index, expr in formula.sizes.items()]
    lines += [f"    {_output_text(output)} = {_text(output.expr, 0)}" for output in formula.outputs]
    return "\n".join(lines)


def axes_text(axes: Axes, flat: bool = False) -> str:
    if flat:
        return "[flat " + axes[0][0] + "]"
    return "[" + ", ".join("1" if not axis else axis[0] if len(axis) == 1 else f"({' '.join(axis)})" for axis in axes) + "]"


def _operand_text(operand: Operand) -> str:
    return f"{operand.name}{axes_text(operand.axes, operand.flat)}: {operand.dtype}"


def _output_text(output: Output) -> str:
    return f"{output.name}{axes_text(output.axes, output.flat)}: {output.dtype}"


def _text(expr: Expr, level: int) -> str:
    text, own = _piece(expr)
    return f"({text})" if own < level else text


def _piece(expr: Expr) -> tuple[str, int]:
    if isinstance(expr, Number):
        text = str(expr.value).lower() if isinstance(expr.value, bool) else f"{expr.value:g}" if expr.value == expr.value else "nan"
        if isinstance(expr.value, float) and expr.value == expr.value and float(text) != expr.value:
            text = repr(expr.value)
        return text, 7 if text.startswith("-") else _TIGHTEST
    if isinstance(expr, Attribute):
        return expr.name, _TIGHTEST
    if isinstance(expr, Size):
        return f"size[{expr.index}]", _TIGHTEST
    if isinstance(expr, Position):
        return expr.index, _TIGHTEST
    if isinstance(expr, Read):
        return f"{expr.operand}[{', '.join(_text(at, 0) for at in expr.at)}]", _TIGHTEST
    if isinstance(expr, Reduce):
        return f"{expr.kind}[{', '.join(expr.over)}]({_text(expr.body, 0)})", _TIGHTEST
    assert isinstance(expr, Apply)
    if expr.function == "select":
        condition, first, second = expr.children
        return f"{_text(condition, 1)} ? {_text(first, 1)} : {_text(second, 0)}", 0
    if expr.function in _INFIX:
        level, sign = _INFIX[expr.function]
        left, right = expr.children
        return f"{_text(left, level)} {sign} {_text(right, level + 1)}", level
    if expr.function in _UNARY:
        level, sign = _UNARY[expr.function]
        return f"{sign}{_text(expr.children[0], level)}", level
    name = expr.dtype if expr.function == "cast" else expr.function
    return f"{name}({', '.join(_text(child, 0) for child in expr.children)})", _TIGHTEST
