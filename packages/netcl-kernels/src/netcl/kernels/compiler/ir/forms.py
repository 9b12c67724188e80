"""What expressions have in common that differ in the names of their indices alone.

    in_order    the free indices of an expression, in the order in which they are met
    unnamed     its form over some indices: equal for expressions that are equal but for the names of these, and of
                those that sums and scans bind

A form is a digest of a node's own and of the forms of its children, with the numbers of the indices that these have: it
is found without another expression being made.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from netcl.core.weak import WeakKeys
from netcl.kernels.compiler.ir.nodes import Expr, Position, Reduce, Scan, binds, count_outside, root, unknown

Form = tuple[bytes, tuple[int, ...]]
"""A digest, and which of some indices is met first, second, …"""

_known: WeakKeys[Expr, tuple[bytes, tuple[str, ...]]] = WeakKeys()


def in_order(node: Expr) -> tuple[str, ...]:
    """The free indices in the order in which they are met."""
    return _form(node)[1]


def unnamed(node: Expr, indices: Sequence[str]) -> Form:
    """What `node` has in common with others over as many indices."""
    digest, met = _form(node)
    return digest, tuple(map(indices.index, met))


def _form(node: Expr) -> tuple[bytes, tuple[str, ...]]:
    for each in unknown(_known, node):
        _known[each] = _composed(each)
    return _known[node]


def _composed(node: Expr) -> tuple[bytes, tuple[str, ...]]:
    """The form of a node whose children have theirs."""
    if isinstance(node, Position):
        return b"", (node.index,)
    bound, outside = binds(node), count_outside(node)
    met: dict[str, int] = {}
    parts: list[object] = [_own(node)]
    for at, child in enumerate(node.children):
        digest, free = _known[child]
        here = bound if at >= outside else ()
        places = (-1 - here.index(index) if index in here else met.setdefault(index, len(met)) for index in free)
        parts.append((digest, *places))
    return blake2b(repr(parts).encode(), digest_size=16).digest(), tuple(met)


def _own(node: Expr) -> tuple[object, ...]:
    """What makes a node, but for its children and for names that it binds; what these are the places of."""
    if isinstance(node, Reduce):
        return "reduce", node.kind, *map(root, node.over)
    if isinstance(node, Scan):
        return "scan", node.kind, root(node.index), node.backward
    return node.key[: len(node.key) - len(node.children)]
