"""Choices between two values, and the conditions that make them.

    choice         a choice, with nothing asked in it that its conditions have decided
    where          a value where a condition holds, 0 elsewhere
    conditions_of  the conditions under which a body is another value than its rest
    conjuncts      the conditions that hold together; conjunction joins them
    alternatives   the conditions that hold together where a condition does not

Input and output are expressions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from netcl.kernels.compiler.ir.construct import apply, number
from netcl.kernels.compiler.ir.logic import ask_about_the_same, excludes, follows, joined, negated
from netcl.kernels.compiler.ir.nodes import Apply, Expr, Number


def choice(condition: Expr, first: Expr, second: Expr) -> Expr:
    """`first` where the condition holds, `second` elsewhere; both of one dtype."""
    if isinstance(condition, Apply) and condition.function == "not":
        return choice(condition.children[0], second, first)
    if first is not second and not isinstance(condition, Number):
        first = _Known(conjuncts(condition)).chosen(first)
        second = _Known(alternatives(condition)).chosen(second)
    return _made(condition, first, second)


def _made(condition: Expr, first: Expr, second: Expr) -> Expr:
    """A choice between what knows the condition, and the opposite."""
    if isinstance(condition, Number):
        return first if condition.value else second
    if first is second:
        return first
    if isinstance(condition, Apply) and condition.function == "not":
        return _made(condition.children[0], second, first)
    return apply("select", (condition, first, second), first.dtype)


def where(condition: Expr, node: Expr) -> Expr:
    """`node` where the condition holds, 0 of the same dtype elsewhere."""
    return choice(condition, node, number(0, node.dtype))


def conjuncts(condition: Expr) -> tuple[Expr, ...]:
    """The conditions that hold together when `condition` holds."""
    if isinstance(condition, Apply) and condition.function == "and":
        return conjuncts(condition.children[0]) + conjuncts(condition.children[1])
    return (condition,)


def conditions_of(body: Expr, is_rest: Callable[[Expr], bool]) -> tuple[list[Expr], Expr]:
    """(conditions, value): the body is `value` where all conditions hold, and elsewhere what `is_rest` says."""
    found: list[Expr] = []
    while isinstance(body, Apply) and body.function == "select":
        condition, first, second = body.children
        if is_rest(second):
            found += conjuncts(condition)
            body = first
        elif is_rest(first):
            found.append(negated(condition))
            body = second
        else:
            break
    return found, body


def is_zero(node: Expr) -> bool:
    """Whether it is the literal 0, which is what a sum has where nothing counts."""
    return isinstance(node, Number) and node.value == 0


def conjunction(conditions: Iterable[Expr]) -> Expr:
    """All of them, each once, in order."""
    found: Expr = number(True, "bool")
    for each in dict.fromkeys(conditions):
        found = joined("and", found, each)
    return found


def alternatives(condition: Expr) -> tuple[Expr, ...]:
    """What holds where `condition` does not: the opposite of each of which it would have been enough."""
    if isinstance(condition, Apply) and condition.function == "or":
        return alternatives(condition.children[0]) + alternatives(condition.children[1])
    return (negated(condition),)


_MOST_CHOICES = 64
"""So many choices in one are looked at, each once."""


class _Known:
    """What choices come to where some conditions hold."""

    def __init__(self, facts: tuple[Expr, ...]) -> None:
        self.facts = facts
        self._found: dict[Expr, Expr] = {}

    def chosen(self, node: Expr) -> Expr:
        """`node`, in which what the conditions decide is chosen, and in what that chooses."""
        if not isinstance(node, Apply) or node.function != "select" or len(self._found) >= _MOST_CHOICES:
            return node
        if node not in self._found:
            self._found[node] = node
            self._found[node] = self._decided(node)
        return self._found[node]

    def _decided(self, node: Apply) -> Expr:
        if not any(ask_about_the_same(fact, node) for fact in self.facts):
            return node
        condition, first, second = node.children
        left = []
        for each in conjuncts(condition):
            if any(excludes(fact, each) for fact in self.facts):
                return self.chosen(second)
            if not any(follows(fact, each) for fact in self.facts):
                left.append(each)
        return _made(conjunction(left), self.chosen(first), self.chosen(second))
