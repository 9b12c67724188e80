"""Matrix products that read a factor at positions which are worked out: those of strided and transposed convolutions.

`sum[r, f](dy[f, (i - r) / 2] * w[f, r])` multiplies an element of dy with a row of w for many i and r. Where fewer
positions are read than there are places that read them, fewer products are those of all positions, `part[r, p] =
sum[f](dy[f, p] * w[f, r])`. The rest is `sum[r](part[r, (i - r) / 2])`, under the conditions that were around the
product. (Libraries do so for convolutions, and call the rest col2im.)

Input: a Reduce and the order of the indices around it. Output: the product at all positions, and what is summed of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from netcl.kernels.compiler.ir import Expr, Read, Reduce, fresh, indices_of, number, position, root, subexpressions
from netcl.kernels.compiler.ir.binding import replace_nodes, substitute, total
from netcl.kernels.compiler.ir.choices import conjunction
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.lower.loop_cost import Cost
from netcl.kernels.compiler.lower.product import Product, factors_of, has_windows, is_worked_out, product, product_of

_TO_PACK = 4
"""A row or a column is packed and written in the time of so many multiplications for each step."""
_TO_KEEP = 32
"""An element of the table is written and read in the time of so many multiplications."""
_AHEAD = 2
"""The table has to have so many times fewer steps."""


@dataclass(frozen=True)
class AtPositions:
    """A product at all positions, with an order for its indices, and what stands for each of the new ones."""

    sums: Reduce
    order: tuple[str, ...]
    at: dict[str, Expr]
    over: tuple[str, ...]
    condition: Expr

    def summed(self, table: Expr) -> Expr:
        """What the product was, of a table of it."""
        value = substitute(table, self.at)
        return total("sum", self.over, call("select", self.condition, value, number(0, value.dtype)))


def at_positions(node: Reduce, order: Sequence[str], cost: Cost) -> AtPositions | None:
    """The product of `node` at all positions, if that has fewer steps."""
    if not has_windows(node.body) or not cost.contracts(node):
        return None
    whole = product_of(node, sorted(node.free), cost.sizes, cost.target)
    factors, guards = factors_of(node.body)
    if whole is None or not guards:
        return None
    condition = conjunction(guards)
    value = product(factors)
    found = _positions(value, cost)
    taken = indices_of(node)
    at: dict[str, Expr] = {}
    for expr, extent in found.items():
        at[fresh(extent, taken)] = expr
        taken |= at.keys()
    everywhere = replace_nodes(value, {expr: position(index) for index, expr in at.items()})
    moving = condition.free.union(*(expr.free for expr in at.values()))
    inner = tuple(index for index in node.over if index not in moving)
    over = tuple(index for index in node.over if index in moving)
    sums = total("sum", inner, everywhere)
    if not inner or not isinstance(sums, Reduce) or not cost.contracts(sums):
        return None
    indices = (*(index for index in order if index in sums.free), *over, *at)
    table = product_of(sums, indices, cost.sizes, cost.target)
    if table is None or not sums.free <= frozenset(indices):
        return None
    fewer = _AHEAD * (_steps(table, cost) + _TO_KEEP * cost.extent(sums.free)) <= _steps(whole, cost)
    return AtPositions(sums, indices, at, over, condition) if fewer else None


def _steps(of: Product, cost: Cost) -> int:
    rows, columns = cost.extent(of.rows), cost.extent(of.columns)
    each = rows * columns + _TO_PACK * (rows + columns)
    return cost.extent(of.batch) * cost.extent(of.inner) * each


def _positions(value: Expr, cost: Cost) -> dict[Expr, str]:
    """The positions that are worked out, each with the root of the axis that is read there."""
    found: dict[Expr, str] = {}
    for each in subexpressions(value):
        if isinstance(each, Read):
            for expr, index in zip(each.at, cost.operands[each.operand].indices, strict=True):
                if is_worked_out(expr):
                    other = found.setdefault(expr, root(index))
                    if cost.sizes[other] != cost.sizes[root(index)]:
                        return {}
    return found
