"""Ops of one or two operands from two functions: the value, and how an output gradient goes back.

    cube = ag.unary("cube", lambda x: x * x * x, lambda x, dy: 3 * x * x * dy)
    y = cube(x)

The operands are kept for backward and checked against in-place writes; a second derivative goes through `vjp`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from netcl.autograd.graph.apply import apply_op

__all__ = ["binary", "unary"]


def unary(name: str, forward: Callable[[Any], Any], vjp: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    """Return the op `x -> forward(x)` whose input gradient is `vjp(x, dy)`."""

    def rule(saved: Sequence[Any], needs: Sequence[bool], dy: Any) -> list[Any]:
        return [vjp(saved[0], dy)]

    return _named(name, lambda x: apply_op(forward, rule, x, op_name=name, saves=(("input", 0),)))


def binary(
    name: str, forward: Callable[[Any, Any], Any], vjp: Callable[[Any, Any, Any], Sequence[Any]]
) -> Callable[[Any, Any], Any]:
    """Return the op `a, b -> forward(a, b)` whose input gradients are the two (or None) that `vjp(a, b, dy)` gives."""

    def rule(saved: Sequence[Any], needs: Sequence[bool], dy: Any) -> list[Any]:
        return list(vjp(saved[0], saved[1], dy))

    saves = (("input", 0), ("input", 1))
    return _named(name, lambda a, b: apply_op(forward, rule, a, b, op_name=name, saves=saves))


def _named(name: str, op: Callable[..., Any]) -> Callable[..., Any]:
    op.__name__ = op.__qualname__ = name
    return op
