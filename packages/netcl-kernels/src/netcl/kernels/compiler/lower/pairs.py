"""Reductions over pairs, as in `y[i, d] = sum[j](exp(-sum[k]((x[i, k] - z[j, k]) ^ 2)) * b[j, d])`.

What is computed for each pair (i, j) contains smaller reductions. A table of those has an element for each pair, which
is more memory than anybody has; so they stay inside the large one, and are computed when they are needed.

Input: a Reduce, the extents of indices, a target. Output: the parts the indices play. `stages` keeps such a Reduce in
one piece, `schedules.pairs` chooses its loops.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod

from netcl.kernels.compiler.ir import Expr, Reduce, root
from netcl.kernels.compiler.lower.product import product_of
from netcl.kernels.compiler.target import Target


@dataclass(frozen=True)
class Pairs:
    """`rows` are free indices that every table depends on, `long` the bound ones that some table depends on, `short`
    the other bound ones. Without rows the pairs are all bound, as in `sum[i, j](…)`."""

    rows: tuple[str, ...]
    long: tuple[str, ...]
    short: tuple[str, ...]


def pairs_of(node: Reduce, extents: Mapping[str, int], target: Target) -> Pairs | None:
    """The parts that indices play in `node`; None when it is not over pairs, or small, or better computed otherwise."""
    around = node.free.union(node.over)  # with an index of a reduction between them it is a table for that one
    tables = [each for each in inner_reduces(node) if each.free <= around and _is_table(each, node, extents, target)]
    if not tables or _multiplies(node, tables, extents, target):
        return None
    shared = frozenset.intersection(*(each.free for each in tables))
    rows = tuple(sorted(index for index in shared - frozenset(node.over) if extents[root(index)] >= target.pairs.rows))
    mentioned = frozenset().union(*(each.free for each in tables))
    long = tuple(index for index in node.over if index in mentioned)
    return Pairs(rows, long, tuple(index for index in node.over if index not in mentioned))


def inner_reduces(node: Reduce) -> list[Reduce]:
    """Every Reduce in the body that depends on an index that `node` binds."""
    bound = frozenset(node.over)
    found: list[Reduce] = []
    seen: set[Expr] = set()
    waiting = [node.body]
    while waiting:
        each = waiting.pop()
        if each.bound and each not in seen and not bound.isdisjoint(each.free):
            seen.add(each)
            waiting += each.children
            if isinstance(each, Reduce):
                found.append(each)
    return found


def _is_table(inner: Reduce, node: Reduce, extents: Mapping[str, int], target: Target) -> bool:
    large = {index for index in inner.free if extents[root(index)] >= target.pairs.rows}
    return len(large) > 1 and not large.isdisjoint(node.over) and _extent(inner.free, extents) > target.pairs.table


def _multiplies(node: Reduce, tables: list[Reduce], extents: Mapping[str, int], target: Target) -> bool:
    """Whether this is matrix products before all, over tables that fit into memory."""
    if any(_extent(each.free, extents) > target.pairs.largest_table for each in tables):
        return False
    deep = any(
        _extent(each.over, extents) >= target.pairs.deep and _contracts(each, extents, target) for each in tables
    )
    columns = node.free.difference(*(each.free for each in tables))
    return deep or (_extent(columns, extents) > target.pairs.deep and _contracts(node, extents, target))


def _contracts(node: Reduce, extents: Mapping[str, int], target: Target) -> bool:
    return product_of(node, sorted(node.free), extents, target) is not None


def _extent(indices: Iterable[str], extents: Mapping[str, int]) -> int:
    return prod(extents[root(index)] for index in indices)
