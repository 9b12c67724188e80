"""Words: what is made of bytes alone is computed for as many of them at a time as a cache line has.

A bool in memory is a byte, 0 or 1, and so it is in the lanes of a word; a uint8 is one anyway. `worded` says whether an
expression is of that kind along an index.
"""

from __future__ import annotations

from collections.abc import Mapping

from netcl.kernels.compiler.ir import Apply, Expr, Read, Reduce
from netcl.kernels.compiler.lower.guards import Guards
from netcl.kernels.compiler.lower.kernel import Access

BYTES = {"bool", "uint8"}
_FUNCTIONS = frozenset(
    "and or not copy detach cast select eq ne lt le gt ge add sub mul neg abs maximum minimum "
    "bit_and bit_or bit_xor".split()
)
_KINDS = {"max", "min", "any", "all"}


def worded(root: Expr, index: str, guards: Guards, accesses: Mapping[str, Access]) -> bool:
    """Whether all that `root` needs along `index` are bytes that are neighbours, each read without a condition."""
    seen: set[Expr] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if node.dtype not in BYTES:
            return False
        if node in seen or index not in guards.depends(node):
            continue  # a value that is the same for all lanes is of any kind
        seen.add(node)
        if isinstance(node, Read):
            access = accesses[node.operand]
            if access.dynamic or guards.of(node) is not None or access.strides.get(index) != 1:
                return False
        elif (node.function in _FUNCTIONS) if isinstance(node, Apply) else is_extreme(node):
            stack += node.children
        else:
            return False
    return True


def is_extreme(node: Expr) -> bool:
    return isinstance(node, Reduce) and node.kind in _KINDS
