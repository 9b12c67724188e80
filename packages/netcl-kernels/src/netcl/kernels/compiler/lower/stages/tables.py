"""What is materialised, in tables: values that have the same bits wherever they are read, since they are computed once.

Input: the outputs of a formula, with marks (`Materialised`). Output: the same expressions reading temporaries.
"""

from __future__ import annotations

from collections.abc import Sequence

from netcl.kernels.compiler.ir import Expr, Materialised, Output, Position, Read, Reduce, subexpressions, unknown
from netcl.kernels.compiler.ir.binding import rebuilt, substitute
from netcl.kernels.compiler.ir.forms import in_order
from netcl.kernels.compiler.ir.plain import inlined
from netcl.kernels.compiler.lower.loop_cost import Cost
from netcl.kernels.compiler.lower.stages.temporaries import Temporaries, Unnamed


class Tables:
    def __init__(self, outputs: Sequence[Output], cost: Cost, temporaries: Temporaries) -> None:
        self.cost = cost
        self.temporaries = temporaries
        self._plain: dict[Expr, Expr] = {}
        self._read_from: dict[tuple[str, ...], dict[Expr, Expr]] = {}
        self._over_pairs: set[Unnamed] = set()
        self._note_pairs([output.expr for output in outputs])

    def read_from(self, expr: Expr, states: Sequence[str] = ()) -> Expr:
        """`expr`, with what is materialised read from temporaries; in an equation, where it reads none of the states:
        those have one value in a step, however often it is asked for."""
        memo = self._read_from.setdefault(tuple(states), {})
        for node in unknown(memo, expr):
            children = tuple(memo[child] for child in node.children)
            if isinstance(node, Materialised):
                *at, found = children
                if not (isinstance(found, Read) or reads_any(found, states) or self._key(node) in self._over_pairs):
                    found = self.temporaries.of(found, True, (*node.axes[0], *sorted(node.closure)))
                memo[node] = substitute(found, dict(zip(node.axes[0], at, strict=True)))
            else:
                memo[node] = rebuilt(node, children)
        return memo[expr]

    def _note_pairs(self, exprs: Sequence[Expr]) -> None:
        """Note what is computed in reductions over pairs alone, and nowhere at other places: of that there is no table.
        It is computed by one nest of loops everywhere, in one order."""
        if not any(isinstance(node, Materialised) for node in subexpressions(*exprs)):
            return
        plain = [_without_tables(expr, self._plain) for expr in exprs]
        paired = [node.body for node in subexpressions(*plain) if isinstance(node, Reduce) and self.cost.pairs(node)]
        self._over_pairs.update(self.temporaries.unnamed(node, in_order(node)) for node in subexpressions(*paired))
        waiting, seen = [(expr, False) for expr in exprs], set()
        while waiting:
            node, within = waiting.pop()
            if (node, within) in seen:
                continue
            seen.add((node, within))
            if isinstance(node, Materialised) and not (within and _is_plain(node)):
                self._over_pairs.discard(self._key(node))
            bare = _without_tables(node, self._plain) if isinstance(node, Reduce) else node
            is_paired = isinstance(bare, Reduce) and self.cost.pairs(bare) is not None
            waiting += ((child, within or is_paired) for child in node.children)

    def _key(self, node: Materialised) -> Unnamed:
        """What has a table in common with others of the same."""
        plain = _without_tables(node.body, self._plain)
        return self.temporaries.unnamed(plain, in_order(plain))


def reads_any(node: Expr, names: Sequence[str]) -> bool:
    return any(isinstance(each, Read) and each.operand in names for each in subexpressions(node))


def _without_tables(expr: Expr, memo: dict[Expr, Expr]) -> Expr:
    """`expr` without a mark of what is materialised."""
    for node in unknown(memo, expr):
        children = tuple(memo[child] for child in node.children)
        new = rebuilt(node, children)
        memo[node] = inlined(new) if isinstance(new, Materialised) else new
    return memo[expr]


def _is_plain(node: Materialised) -> bool:
    """Whether it is read at plain places, each of one index."""
    at = {each.index for each in node.at if isinstance(each, Position)}
    return len(at) == len(node.at)
