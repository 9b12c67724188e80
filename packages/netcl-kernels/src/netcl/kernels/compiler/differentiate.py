"""Derivatives of formulas: a gradient and a tangent are formulas again.

    gradient(f, wanted)   reverse mode: operands and outputs of f that it mentions, `dy` for each output  ->  `grad_x` …
    tangent(f, wanted)    forward mode: the operands of f and `tangent_x` for each wanted x  ->  `tangent_y` …

Reverse mode walks the DAG from the outputs down. The adjoint of a node is an expression over the node's own free
indices; whatever else its consumer runs over is summed. Reads collect at the end, where `solve` turns them around.
A declared gradient is taken as it stands. The value of an output that a derivative mentions is read back, not recomputed.
"""

from __future__ import annotations

from collections.abc import Iterable

from netcl.kernels.compiler.functions import FUNCTIONS
from netcl.kernels.compiler.ir import (
    FLOATS,
    INDEX_DTYPE,
    Apply,
    Axes,
    Expr,
    Formula,
    Number,
    Operand,
    Output,
    Read,
    Reduce,
    fresh,
    indices_of,
    number,
    position,
    read,
    reduce,
    size,
    subexpressions,
    verify,
)
from netcl.kernels.compiler.simplify import call, cast, rename, replace_nodes, total
from netcl.kernels.compiler.solve import adjoint_of_read, eliminated


class NoDerivative(Exception):
    """An operand is asked for that the formula cannot be differentiated by; the text says which and why."""


def gradient(formula: Formula, wanted: Iterable[str]) -> Formula:
    """The vector-Jacobian product of `formula` for the operands named in `wanted`, in that order."""
    wanted = tuple(wanted)
    for name in wanted:
        _require_differentiable(formula, formula.operand(name))
    derived = tuple(name for name in wanted if name not in formula.declared)
    expressions = dict(_derive(formula, derived)) if derived else {}
    expressions.update({name: formula.declared[name] for name in wanted if name in formula.declared})
    outputs = []
    for name in wanted:
        operand = formula.operand(name)
        expr = cast(expressions[name], operand.dtype)
        outputs.append(Output(f"grad_{name}", expr, operand.axes, operand.flat, shaped_like=name if operand.flat else None))
    suffix = "" if len(formula.operands) == 1 else "_" + "_".join(wanted)
    return _closed(formula, f"{formula.name}_grad{suffix}", tuple(outputs))


def tangent(formula: Formula, wanted: Iterable[str]) -> Formula:
    """The Jacobian-vector product of `formula` along tangents of the operands named in `wanted`."""
    wanted = tuple(wanted)
    for name in wanted:
        _require_differentiable(formula, formula.operand(name))
    outputs = []
    for output in formula.outputs:
        if output.dtype in FLOATS:
            along = _tangent_of(formula, output.expr, set(wanted))
            expr = cast(0.0, output.dtype) if along is None else cast(along, output.dtype)
            outputs.append(
                Output(f"tangent_{output.name}", expr, output.axes, output.flat, output.shape, output.shaped_like)
            )
    return _closed(formula, f"{formula.name}_tangent", tuple(outputs))


def _require_differentiable(formula: Formula, operand: Operand) -> None:
    if operand.dtype not in FLOATS:
        raise NoDerivative(f"{formula.name}: operand {operand.name} is {operand.dtype}; only floats have a gradient")
    if not operand.differentiable:
        raise NoDerivative(f"{formula.name}: operand {operand.name} is declared nograd{_place(formula)}")


def _place(formula: Formula) -> str:
    return f" ({formula.declared_at})" if formula.declared_at else ""


# --- reverse mode -----------------------------------------------------------------------------------------------------


def _derive(formula: Formula, wanted: tuple[str, ...]) -> Iterable[tuple[str, Expr]]:
    relevant = _nodes_that_reach(formula, wanted)
    adjoints: dict[Expr, Expr] = {}
    for output in formula.outputs:
        if output.dtype in FLOATS and output.expr in relevant:
            seed = read("d" + output.name, tuple(map(position, output.indices)), output.dtype)
            beyond = tuple(index for index in output.indices if index not in output.expr.free)
            _accumulate(adjoints, output.expr, total("sum", beyond, seed))
    order = list(subexpressions(*(output.expr for output in formula.outputs)))
    reads: list[tuple[Read, Expr]] = []
    for node in reversed(order):
        adjoint = adjoints.pop(node, None)
        if adjoint is None:
            continue
        if isinstance(node, Read):
            reads.append((node, adjoint))
        elif isinstance(node, Reduce):
            if node.body in relevant:
                _accumulate(adjoints, node.body, _reduce_adjoint(formula, node, adjoint))
        else:
            assert isinstance(node, Apply)
            for child, part in _apply_adjoints(formula, node, adjoint, relevant):
                beyond = tuple(sorted(node.free - child.free))
                _accumulate(adjoints, child, cast(total("sum", beyond, part), child.dtype))
    saved = _values_to_read_back(formula)
    first = {index for output in formula.outputs for index in output.indices}
    for name in wanted:
        operand = formula.operand(name)
        result: Expr | None = None
        for node, adjoint in reads:
            if node.operand == name:
                adjoint = replace_nodes(adjoint, saved)
                part = adjoint_of_read(node.at, adjoint, operand.indices, formula.sizes, first)
                result = part if result is None else call("add", result, part)
        yield name, cast(0.0, operand.dtype) if result is None else eliminated(result, formula.sizes)


def _nodes_that_reach(formula: Formula, wanted: tuple[str, ...]) -> set[Expr]:
    """The float nodes below which one of the wanted operands is read."""
    relevant: set[Expr] = set()
    for node in subexpressions(*(output.expr for output in formula.outputs)):
        if node.dtype in FLOATS and (
            (isinstance(node, Read) and node.operand in wanted) or any(child in relevant for child in node.children)
        ):
            relevant.add(node)
    return relevant


def _accumulate(adjoints: dict[Expr, Expr], node: Expr, part: Expr) -> None:
    adjoints[node] = call("add", adjoints[node], part) if node in adjoints else part


def _apply_adjoints(formula: Formula, node: Apply, adjoint: Expr, relevant: set[Expr]) -> Iterable[tuple[Expr, Expr]]:
    if node.function == "select":
        condition, first, second = node.children
        if first in relevant:
            yield first, call("select", condition, adjoint, 0)
        if second in relevant:
            yield second, call("select", condition, 0, adjoint)
        return
    for at, child in enumerate(node.children):
        if child in relevant:
            factor = _partial(formula, node, at)
            if factor is not None:
                yield child, scaled(adjoint, factor)


def _partial(formula: Formula, node: Apply, at: int) -> Expr | None:
    partials = FUNCTIONS[node.function].partials
    if at >= len(partials):
        raise NoDerivative(f"{formula.name}: the derivative of {node.function} is not known{_place(formula)}")
    rule = partials[at]
    return None if rule is None else rule(node, *node.children)


def scaled(adjoint: Expr, factor: Expr) -> Expr:
    """adjoint * factor, where a zero that a select chose stays a zero whatever stands beside it (never 0 * NaN)."""
    for mine, other in ((adjoint, factor), (factor, adjoint)):
        if isinstance(mine, Number) and mine.value == 0:
            return mine
        if isinstance(mine, Apply) and mine.function == "select":
            condition, first, second = mine.children
            if any(isinstance(branch, Number) and branch.value == 0 for branch in (first, second)):
                return call("select", condition, scaled(first, other), scaled(second, other))
    return call("mul", adjoint, factor)


def _reduce_adjoint(formula: Formula, node: Reduce, adjoint: Expr) -> Expr:
    if node.kind == "sum":
        return adjoint
    if node.kind in ("max", "min"):
        return call("div", call("select", call("eq", node.body, node), adjoint, 0), _ties(node))
    if node.kind in ("first_max", "first_min"):
        return call("select", _is_first(node), adjoint, 0)
    if node.kind == "prod":
        return scaled(adjoint, _product_of_others(node))
    raise NoDerivative(f"{formula.name}: {node.kind} has no derivative{_place(formula)}")


def _ties(node: Reduce) -> Expr:
    """How many bodies equal the extreme value: they share the gradient equally."""
    return total("sum", node.over, cast(call("eq", node.body, node), node.dtype))


def _is_first(node: Reduce) -> Expr:
    """Whether the bound indices are at the first of the extreme values."""
    flat: Expr = number(0, INDEX_DTYPE)
    for index in node.over:
        flat = flat * size(index) + position(index)
    return call("eq", reduce(node.kind.replace("first_", "arg"), node.over, node.body), flat)


def _product_of_others(node: Reduce) -> Expr:
    """node / body, or where body is 0 the product over all the others."""
    taken = indices_of(node) | node.free
    names = {}
    for index in node.over:
        names[index] = fresh(index, taken)
        taken.add(names[index])
    here: Expr = call("and", True, True)
    for old, new in names.items():
        here = call("and", here, call("eq", position(old), position(new)))
    others = total("prod", tuple(names.values()), call("select", here, 1, rename(node.body, names)))
    return call("select", call("eq", node.body, 0), others, call("div", node, node.body))


def _values_to_read_back(formula: Formula) -> dict[Expr, Expr]:
    """Outputs that cost more than a read: a derivative that mentions one reads the saved output."""
    saved: dict[Expr, Expr] = {}
    for output in formula.outputs:
        expr = output.expr
        costly = isinstance(expr, Reduce) or (
            isinstance(expr, Apply) and (FUNCTIONS[expr.function].result == "float" or expr.function == "pow")
        )
        if costly and len(set(output.indices)) == len(output.indices):
            saved[expr] = read(output.name, tuple(map(position, output.indices)), output.dtype)
    return saved


# --- forward mode -----------------------------------------------------------------------------------------------------


def _tangent_of(formula: Formula, expr: Expr, wanted: set[str]) -> Expr | None:
    """The directional derivative of `expr`; None is a zero that is never written down."""
    tangents: dict[Expr, Expr | None] = {}
    for node in subexpressions(expr):
        tangents[node] = _tangent_rule(formula, node, tangents, wanted) if node.dtype in FLOATS else None
    return tangents[expr]


def _tangent_rule(formula: Formula, node: Expr, tangents: dict[Expr, Expr | None], wanted: set[str]) -> Expr | None:
    if isinstance(node, Read):
        return read("tangent_" + node.operand, node.at, node.dtype) if node.operand in wanted else None
    along = [tangents[child] for child in node.children]
    if all(each is None for each in along):
        return None
    if isinstance(node, Reduce):
        inner = along[0]
        assert inner is not None
        if node.kind == "sum":
            return total("sum", node.over, inner)
        if node.kind in ("max", "min"):
            chosen = call("select", call("eq", node.body, node), inner, 0)
            return call("div", total("sum", node.over, chosen), _ties(node))
        if node.kind in ("first_max", "first_min"):
            return total("sum", node.over, call("select", _is_first(node), inner, 0))
        if node.kind == "prod":
            return total("sum", node.over, scaled(inner, _product_of_others(node)))
        raise NoDerivative(f"{formula.name}: {node.kind} has no derivative{_place(formula)}")
    assert isinstance(node, Apply)
    if node.function == "select":
        zero = cast(0.0, node.dtype)
        return call("select", node.children[0], along[1] or zero, along[2] or zero)
    result: Expr | None = None
    for at, inner in enumerate(along):
        factor = None if inner is None else _partial(formula, node, at)
        if inner is not None and factor is not None:
            part = cast(scaled(inner, factor), node.dtype)
            result = part if result is None else call("add", result, part)
    return result


# --- the formula around a derivative ----------------------------------------------------------------------------------


def _closed(formula: Formula, name: str, outputs: tuple[Output, ...]) -> Formula:
    """A formula over exactly what the derivative reads: operands first, then outputs, output gradients and tangents."""
    reads = {node.operand for output in outputs for node in subexpressions(output.expr) if isinstance(node, Read)}
    available = list(formula.operands)
    available += [_as_operand(output, output.name) for output in formula.outputs]
    available += [_as_operand(output, "d" + output.name) for output in formula.outputs]
    available += [Operand("tangent_" + each.name, each.dtype, each.axes, each.flat) for each in formula.operands]
    operands = tuple(operand for operand in available if operand.name in reads)
    return verify(
        Formula(name, operands, formula.attributes, outputs, formula.sizes, declared_at=formula.declared_at)
    )


def _as_operand(output: Output, name: str) -> Operand:
    axes: Axes = output.axes
    return Operand(name, output.dtype, axes, output.flat)


