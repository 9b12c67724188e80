"""Numbers that are the same for all elements: the host computes them, once for a call and in double precision.

`1 - beta` has in float32 the error of `beta`, which is large beside it where `beta` is near 1. What is given to the
kernel instead is rounded once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from netcl.core.bounded import remembered
from netcl.kernels.compiler.ir import FLOATS, Apply, Attribute, Expr, Formula, Number, attribute, subexpressions
from netcl.kernels.compiler.ir.binding import replace_nodes
from netcl.kernels.compiler.ir.evaluate import Environment, expression_value
from netcl.kernels.compiler.ir.show import expression_text


@remembered("host numbers", 2048)
def without_host_numbers(formula: Formula) -> tuple[Formula, Mapping[str, Expr]]:
    """The formula with an attribute for each such number, and what these attributes are."""
    found: dict[Expr, Expr] = {}
    numbers: dict[str, Expr] = {}
    for node in _host_numbers(formula):
        name = f"({expression_text(node)})"
        if name in numbers:  # of which something is left out where it is long
            name = f"{name} {len(numbers)}"
        found[node], numbers[name] = attribute(name, node.dtype), node
    if not found:
        return formula, {}
    outputs = tuple(replace(each, expr=replace_nodes(each.expr, found)) for each in formula.outputs)
    attributes = {**formula.attributes, **{name: node.dtype for name, node in numbers.items()}}
    return formula.with_outputs(outputs, attributes=attributes), numbers


def _host_numbers(formula: Formula) -> list[Expr]:
    """The outermost floats that are computed of attributes and numbers alone, of at least one attribute."""
    alone, of_attributes = set[Expr](), set[Expr]()
    found: dict[Expr, None] = {}
    for node in subexpressions(*(output.expr for output in formula.outputs)):
        if isinstance(node, (Number, Attribute)) or (isinstance(node, Apply) and alone.issuperset(node.children)):
            alone.add(node)
            if isinstance(node, Attribute) or not of_attributes.isdisjoint(node.children):
                of_attributes.add(node)
        else:
            found |= dict.fromkeys(each for each in node.children if _is_computed(each) and each in of_attributes)
    roots = [output.expr for output in formula.outputs]
    return [*found, *(each for each in roots if _is_computed(each) and each in of_attributes and each not in found)]


def _is_computed(node: Expr) -> bool:
    return isinstance(node, Apply) and node.dtype in FLOATS


def completed(numbers: Mapping[str, Expr]) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
    """What puts these numbers beside the attributes of a call."""
    names = sorted({each.name for each in subexpressions(*numbers.values()) if isinstance(each, Attribute)})
    wanted = tuple(numbers.items())

    def with_numbers(attributes: Mapping[str, Any]) -> Mapping[str, Any]:
        given = tuple([(name, attributes[name]) for name in names])
        zeros = tuple([repr(each) for _, each in given if not each])  # 0.0 and -0.0 are the same key
        return {**attributes, **_values(wanted, given, zeros)}

    return with_numbers


@remembered("values of host numbers", 1024)
def _values(
    wanted: tuple[tuple[str, Expr], ...], given: tuple[tuple[str, Any], ...], zeros: tuple[str, ...]
) -> dict[str, float]:
    setting = Environment({}, dict(given), {})
    return {name: float(expression_value(each, (), setting)) for name, each in wanted}
