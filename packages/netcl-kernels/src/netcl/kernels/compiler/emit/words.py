"""Expressions over bools alone, 64 of them at a time: and, or and not of whole words instead of lane by lane.

A bool in memory is a byte, 0 or 1, so the bits of many are their values. `worded` says whether an expression is of that
kind along an index, `spelled` writes it for a scope of `WORD` lanes. Everything else is left to `body`.
"""

from __future__ import annotations

from netcl.kernels.compiler.emit.body import Body
from netcl.kernels.compiler.emit.scope import Scope
from netcl.kernels.compiler.ir import Apply, Expr, Read

WORD = 64
"""Bools of one word: a ulong8."""

_SAME = {"copy", "detach"}


def worded(body: Body, node: Expr, index: str) -> bool:
    """Whether `node` is made of bools that are neighbours along `index`, each read without a condition."""
    if not body.helpers.own or node.dtype != "bool":
        return False
    if isinstance(node, Read):
        access = body.kernel.accesses[node.operand]
        plain = not access.dynamic and body.guards.of(node) is None
        return plain and access.dtype == "bool" and access.strides.get(index) == 1
    logic = isinstance(node, Apply) and node.function in {"and", "or", "not", *_SAME}
    return logic and all(worded(body, child, index) for child in node.children)


def spelled(body: Body, node: Expr, scope: Scope) -> str:
    """The word of `node`, in a scope that binds the index as `WORD` lanes."""
    if isinstance(node, Read):
        access = body.kernel.accesses[node.operand]
        address, _ = body.address(access, scope)
        return body.helpers.load_word(f"{body.argument('buffer', access.buffer)} + {address}")
    assert isinstance(node, Apply)
    texts = [spelled(body, child, scope) for child in node.children]
    if node.function == "not":
        return f"({texts[0]} ^ {body.helpers.true_word()})"
    return texts[0] if node.function in _SAME else f"({texts[0]} {'&' if node.function == 'and' else '|'} {texts[1]})"
