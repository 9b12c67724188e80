"""Going through an expression with what is around it: indices of loops, whether a select chooses what comes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from netcl.kernels.compiler.ir import Apply, Expr, Read, Reduce, rebuild, subexpressions
from netcl.kernels.compiler.ir.functions import is_of_reals


class Visitor(Protocol):
    """What has gone through expressions: `visited` has what it gave."""

    visited: dict[object, Expr]


P = ParamSpec("P")
V = TypeVar("V", bound=Visitor)
Visit = Callable[[Expr, frozenset[str], bool, tuple[str, ...]], Expr]
"""(node, indices around it, whether a select chooses it, order of indices) -> what stands for the node."""


def once(method: Callable[Concatenate[V, P], Expr]) -> Callable[Concatenate[V, P], Expr]:
    """Gives what it gave before, asked again about a node in the same surroundings: parts of a formula are shared."""

    @wraps(method)
    def asked(visitor: V, *args: P.args, **options: P.kwargs) -> Expr:
        key: Any = method, *args, *options.items()
        if key not in visitor.visited:
            visitor.visited[key] = method(visitor, *args, **options)
        return visitor.visited[key]

    return asked


def over_children(node: Expr, visit: Visit, around: frozenset[str], chosen: bool, order: tuple[str, ...]) -> Expr:
    """`node` over what `visit` makes of its children, told whether a select chooses them."""
    children = []
    selects = isinstance(node, Apply) and node.function == "select"
    for place, child in enumerate(node.children):
        children.append(visit(child, around, chosen or (selects and place > 0), order))
    return rebuild(node, tuple(children))


def around_reduces(node: Expr) -> Iterator[Expr]:
    """The parts of `node` that are in none of its reductions."""
    waiting, seen = [node], set[Expr]()
    while waiting:
        each = waiting.pop()
        if each not in seen and not isinstance(each, Reduce):
            seen.add(each)
            yield each
            waiting += each.children


def costs(node: Expr) -> bool:
    """Whether it is a function of real numbers, or read at places that are no sums and multiples of indices."""
    if isinstance(node, Read):
        return not all(map(_is_linear, subexpressions(*node.at)))
    return is_of_reals(node)


def _is_linear(at: Expr) -> bool:
    return not isinstance(at, Read) and (not isinstance(at, Apply) or at.function in ("add", "sub", "mul", "neg"))
