"""What only earlier stages know is taken out before scheduling: derivatives that were declared, `detach`,
`within`, `named` and the tie rules of `first_max` and `last_max`.

Input: a formula. Output: the same values with plain reducers and without any of these; what has to be computed
once for a comparison to be right is `materialised`, and nothing else.
"""

from __future__ import annotations

from dataclasses import replace

from netcl.core.bounded import remembered
from netcl.kernels.compiler.derive.materialised import compared, reproducible
from netcl.kernels.compiler.ir import (
    Apply,
    Expr,
    Formula,
    Materialised,
    Reduce,
    reduce,
    unknown,
    with_children,
    without_ties,
)
from netcl.kernels.compiler.ir.binding import rebuilt
from netcl.kernels.compiler.ir.plain import expanded, inlined
from netcl.kernels.compiler.lower.as_scatters import as_scatters


@remembered("lowered formulas", 2048)
def lower(formula: Formula) -> Formula:
    """The formula that is scheduled, emitted and launched."""
    memo: dict[Expr, Expr] = {}
    outputs = tuple(replace(output, expr=_lowered(output.expr, memo)) for output in formula.outputs)
    return replace(formula, outputs=outputs)


def _lowered(expr: Expr, memo: dict[Expr, Expr]) -> Expr:
    expr = expanded(expr)
    for node in unknown(memo, expr):
        children = tuple(memo[child] for child in node.children)
        if isinstance(node, Apply) and node.function in ("detach", "within", "named"):
            memo[node] = children[0]
        elif isinstance(node, Reduce) and without_ties(node.kind) != node.kind:
            memo[node] = reduce(without_ties(node.kind), node.over, children[0])
        elif isinstance(node, Materialised):
            new = with_children(node, children)
            assert isinstance(new, Materialised)
            memo[node] = inlined(new) if reproducible(new.body) and not isinstance(new.body, Reduce) else new
        else:
            new = compared(rebuilt(node, children))
            memo[node] = as_scatters(new) if isinstance(new, Reduce) else new
    return memo[expr]
