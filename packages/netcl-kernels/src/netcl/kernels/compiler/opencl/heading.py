"""The comment above a kernel: which op it belongs to, what it computes, and where that was written."""

from __future__ import annotations

from netcl.kernels.compiler.ir import Expr, Formula, Read, Reduce, Scan, subexpressions
from netcl.kernels.compiler.ir.show import axes_text, expression_text
from netcl.kernels.compiler.lower.stages import Stage
from netcl.kernels.compiler.opencl.comment import comment

_LONGEST = 110
_MOST_NODES = 60


def heading(formula: Formula, stage: Stage) -> str:
    """Comment lines: the op, one line of mathematics per output, the place of the declaration."""
    lines = [formula.name + (f" ({formula.declared_at})" if formula.declared_at else "")]
    for output in stage.outputs:
        first, *rest = _mathematics(output.expr)
        lines.append(f"    {output.name}{axes_text(output.axes, output.flat)} = {first}")
        lines += [f"        {each}" for each in rest]
    return comment(*lines)


def shortened(above: str, what: str) -> str:
    """The comment above a kernel that does a part of another's work."""
    return above.splitlines(keepends=True)[0] + comment(f"    {what}")


def _mathematics(expr: Expr) -> list[str]:
    """The expression, in one or two lines, when it is short enough to be read, else what it is made of."""
    if sum(1 for _ in subexpressions(expr)) <= _MOST_NODES and _written_out(expr) <= 4 * _MOST_NODES:
        text = expression_text(expr)
        if len(text) <= 2 * _LONGEST:
            first, plus, rest = text.partition(" + ")
            return [text] if len(text) <= _LONGEST or not plus else [first, f"+ {rest}"]
    reads = sorted({node.operand for node in subexpressions(expr) if isinstance(node, Read)})
    nodes = [node for node in subexpressions(expr) if isinstance(node, Reduce)]
    reduces = sorted({f"{node.kind}[{', '.join(node.over)}]" for node in nodes})
    reduces += sorted({f"{node.kind}[{node.index} ...]" for node in subexpressions(expr) if isinstance(node, Scan)})
    of = f" with {', '.join(reduces)}" if reduces else ""
    return [f"a function of {', '.join(reads) or 'indices'}{of}"]


def _written_out(expr: Expr) -> int:
    """How many nodes the expression has when shared ones are written each time."""
    count: dict[Expr, int] = {}
    for node in subexpressions(expr):
        count[node] = 1 + sum(count[child] for child in node.children)
    return count[expr]
