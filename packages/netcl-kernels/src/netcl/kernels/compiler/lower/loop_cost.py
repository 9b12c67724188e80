"""What may stay together in one nest of loops, and what that costs. Sizes and strides alone decide.

Input: expressions, the extents of indices, where tensors lie. Output: yes or no; `stages` acts on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from netcl.kernels.compiler.ir import Expr, Operand, Position, Read, Reduce, root, subexpressions, unknown
from netcl.kernels.compiler.lower.accesses import Placed, index_strides
from netcl.kernels.compiler.lower.pairs import Pairs, pairs_of
from netcl.kernels.compiler.lower.product import product_of
from netcl.kernels.compiler.lower.scattering import scatters
from netcl.kernels.compiler.target import Target


def tall(rows: int, columns: int, target: Target) -> bool:
    """Whether long rows lie on more pages than a core remembers the addresses of: going down one narrow strip of
    columns after the other then misses them again and again."""
    return rows > target.stages.tall_rows and columns >= target.stages.tall_columns


class Cost:
    """The questions that are asked of the expressions of one formula; answers are remembered."""

    def __init__(
        self, operands: dict[str, Operand], sizes: Mapping[str, int], places: Mapping[str, Placed], target: Target
    ) -> None:
        self.target = target
        self.operands = operands
        self.sizes = sizes
        self.places = places
        self.products: set[str] = set()
        """The temporaries of matrix products that are asked for again."""
        self._reduces: dict[Expr, frozenset[Reduce]] = {}
        self._contracts: dict[Reduce, bool] = {}
        self._scattered: dict[Reduce, bool] = {}
        self._pairs: dict[Reduce, Pairs | None] = {}
        self._depths: dict[Reduce, int] = {}

    def reduces(self, node: Expr) -> frozenset[Reduce]:
        """Every Reduce in `node`."""
        for each in unknown(self._reduces, node):
            below = [self._reduces[child] for child in each.children]
            mine = frozenset((each,)) if isinstance(each, Reduce) else frozenset()
            self._reduces[each] = mine.union(*below)
        return self._reduces[node]

    def contracts(self, node: Reduce) -> bool:
        """Whether `node` is a matrix product large enough for a stage (and a schedule) of its own."""
        if node not in self._contracts:
            self._contracts[node] = product_of(node, sorted(node.free), self.sizes, self.target) is not None
        return self._contracts[node]

    def apart(self, node: Reduce) -> bool:
        """Whether there is a schedule of its own for `node`, which a stage with other reductions does not have: that of
        a matrix product, or that of values that go to rows which are read from a tensor."""
        return self.contracts(node) or self.scatters(node)

    def scatters(self, node: Reduce) -> bool:
        if node not in self._scattered:
            self._scattered[node] = scatters(node, self.sizes, self.target)
        return self._scattered[node]

    def pairs(self, node: Reduce) -> Pairs | None:
        """What `node` is as a reduction over pairs that stays in one piece; None when it is none. Where it reads a
        product of pairs, it was none before that had a table."""
        if node not in self._pairs:
            reads = (each.operand for each in subexpressions(node.body) if isinstance(each, Read))
            none = not self.products.isdisjoint(reads) or self.scatters(node)
            self._pairs[node] = None if none else pairs_of(node, self.sizes, self.target)
        return self._pairs[node]

    def extent(self, indices: Sequence[str] | frozenset[str] | set[str]) -> int:
        return prod(self.sizes[root(index)] for index in indices)

    def fused(self, expr: Expr, indices: tuple[str, ...]) -> bool:
        """Whether one stage computes `expr` over `indices` without computing a Reduce more often than once per row."""
        reduces = self.reduces(expr)
        if not reduces:
            return True
        outer = frozenset(indices)
        if any(self.apart(node) and (len(reduces) > 1 or node.free != outer) for node in reduces):
            return False
        if any(inner.free & frozenset(node.over) for node in reduces for inner in self.reduces(node.body)):
            return self.steps(expr, indices) <= self.target.stages.steps // 4
        rows = {node.free & outer for node in reduces}
        bound = {frozenset(map(root, node.over)) for node in reduces}
        if any(node.free - outer for node in reduces) or len(rows) > 1 or len(bound) > 1:
            return self.steps(expr, indices) <= self.target.stages.steps // 4
        (kept,), (summed,) = rows, bound
        rest = outer - kept
        if rest and frozenset(map(root, rest)) - summed:
            return self.steps(expr, indices) <= self.target.stages.steps // 4
        total = self.extent(kept) * self.extent(summed)
        if total <= self.target.stages.steps:
            return True
        depth = any(self.reduces(node.body) for node in reduces)
        if not rest and not depth:
            return True
        units = self.extent(kept)
        if self.fastest(expr) not in summed:
            units //= 16
        return units >= self.target.stages.rows and not self.tall(expr, summed)

    def tall(self, expr: Expr, summed: frozenset[str]) -> bool:
        """Whether reductions over indices with the roots `summed` go down columns so tall that one reduction after the
        other is faster."""
        fastest = self.fastest(expr)
        return bool(fastest) and fastest not in summed and tall(self.extent(summed), self.sizes[fastest], self.target)

    def fastest(self, expr: Expr) -> str:
        """The root of the index along which most elements that are read are neighbours."""
        votes: dict[str, int] = {"": 0}
        for node in subexpressions(expr):
            if isinstance(node, Read) and node.operand in self.operands:
                operand = self.operands[node.operand]
                strides = index_strides(operand.axes, self.places[node.operand].strides, self.sizes)
                for index, at in zip(operand.indices, node.at, strict=True):
                    if isinstance(at, Position) and strides[index] == 1 and self.sizes[root(at.index)] > 1:
                        name = root(at.index)
                        votes[name] = votes.get(name, 0) + self.extent(operand.indices)
        return max(votes, key=votes.__getitem__)

    def steps(self, expr: Expr, indices: Sequence[str]) -> int:
        """How many steps of the innermost loops a nest without temporaries takes."""
        around = self.extent(tuple(indices))
        return around * max((self._depth(node) for node in self.reduces(expr)), default=1)

    def _depth(self, node: Reduce) -> int:
        if node not in self._depths:
            inner = max((self._depth(each) for each in self.reduces(node.body)), default=1)
            self._depths[node] = self.extent(node.over) * inner
        return self._depths[node]
