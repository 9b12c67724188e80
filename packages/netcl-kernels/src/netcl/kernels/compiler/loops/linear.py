"""Between which ends an address lies where conditions on positions hold: `i + k - 1 < n` says something of
`s * i + s * k`, which the ends of `i` and `k` alone do not.

An address is a linear form of positions, once the numbers of a launch are known. From it a multiple of what a condition
bounds is taken, so that one of its positions is gone, and what is left has the ends of the others, or of other
conditions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import islice

from netcl.kernels.compiler.ir import Apply, Expr, Number, number
from netcl.kernels.compiler.ir.host import NotKnown, Numbers, known
from netcl.kernels.compiler.ir.interval import Ends, Intervals

Form = Mapping[Expr, Fraction]
"""What each expression is multiplied by; a literal stands for itself, once, as `_ONE`."""

_ONE = number(1, "int64")

_CHOOSE = {"maximum": max, "minimum": min}

_MANY = 6
"""Of so many conditions only one multiple is taken of each: there are too many ways to combine them."""


def ends_of(address: Expr, within: Intervals) -> Ends:
    """The ends of an address under all that is assumed. Raises NotKnown where there is no saying."""
    forms = _assumed(within)
    several = [(form, within.of(node)) for node, form in forms.items() if _positions(form) > 1]
    least, most = _Ends(within, forms, several).under(_form(address, within.numbers), several)
    return -(-least.numerator // least.denominator), most.numerator // most.denominator


def contradictory(within: Intervals) -> bool:
    """Whether what is assumed cannot all be: a position, or a sum of such, is to be what it cannot be beside the
    rest."""
    forms = _assumed(within)
    of = _Ends(within, forms)
    if of.impossible:
        return True
    for node, form in forms.items():
        try:
            least, most = of.of(form)
        except NotKnown:
            continue
        low, high = within.assumed[node]
        if least > high or most < low:
            return True
    return False


def _assumed(within: Intervals) -> dict[Expr, Form]:
    return {node: _form(node, within.numbers) for node in within.assumed}


class _Ends:
    """The ends of forms; what is said of one position alone counts wherever that stands."""

    def __init__(
        self, within: Intervals, assumed: Mapping[Expr, Form], several: Sequence[tuple[Form, Ends]] = ()
    ) -> None:
        self._within = within
        self._several = several
        self._known: dict[Expr, tuple[Fraction, Fraction]] = {}
        for node, form in assumed.items():
            if _positions(form) != 1 or node in form:
                continue
            (position,) = form.keys() - {_ONE}
            ends = [(end - form.get(_ONE, Fraction(0))) / form[position] for end in within.assumed[node]]
            with suppress(NotKnown):
                least, most = self._of(position)
                self._known[position] = max(least, min(ends)), min(most, max(ends))

    @property
    def impossible(self) -> bool:
        """Whether what is said of a position leaves it no value."""
        return any(least > most for least, most in self._known.values())

    def of(self, form: Form) -> tuple[Fraction, Fraction]:
        least, most = Fraction(0), Fraction(0)
        for node, factor in form.items():
            low, high = self._of(node)
            least += min(factor * low, factor * high)
            most += max(factor * low, factor * high)
        return least, most

    def under(self, form: Form, conditions: Sequence[tuple[Form, Ends]]) -> tuple[Fraction, Fraction]:
        """The ends of a form where conditions hold that each speak of several positions."""
        least, most = self.of(form)
        for at, (said, (low, high)) in enumerate(conditions):
            multiples = dict.fromkeys(form[each] / said[each] for each in said if each is not _ONE and each in form)
            for times in islice(multiples, None if len(conditions) < _MANY else 1):
                left = self.under(_sum(form, said, -times), conditions[at + 1 :])
                least = max(least, left[0] + min(times * low, times * high))
                most = min(most, left[1] + max(times * low, times * high))
        return least, most

    def _of(self, node: Expr) -> tuple[Fraction, Fraction]:
        if node is _ONE:
            return Fraction(1), Fraction(1)
        if node not in self._known:
            low, high = self._within.of(node)
            self._known[node] = Fraction(low), Fraction(high)
            if isinstance(node, Apply) and node.function in _CHOOSE:
                self._known[node] = self._of_extreme(node)
        return self._known[node]

    def _of_extreme(self, node: Apply) -> tuple[Fraction, Fraction]:
        """The ends of the larger or smaller of two forms, which conditions may bound, too."""
        choose, (low, high) = _CHOOSE[node.function], self._known[node]
        ends = [self.under(_form(child, self._within.numbers), self._several) for child in node.children]
        return max(low, choose(least for least, _ in ends)), min(high, choose(most for _, most in ends))


def _positions(form: Form) -> int:
    return len(form.keys() - {_ONE})


def _form(node: Expr, numbers: Numbers) -> dict[Expr, Fraction]:
    value = node.value if isinstance(node, Number) else known(node, numbers)
    if value is not None:
        return {_ONE: Fraction(value)}
    if isinstance(node, Apply) and node.function in ("add", "sub"):
        left, right = (_form(child, numbers) for child in node.children)
        return _sum(left, right, Fraction(1 if node.function == "add" else -1))
    if isinstance(node, Apply) and node.function == "neg":
        return _sum({}, _form(node.children[0], numbers), Fraction(-1))
    if isinstance(node, Apply) and node.function == "mul":
        for factor, other in (node.children, node.children[::-1]):
            times = known(factor, numbers)
            if times is not None:
                return _sum({}, _form(other, numbers), Fraction(times))
    return {node: Fraction(1)}


def _sum(one: Form, other: Form, times: Fraction) -> dict[Expr, Fraction]:
    found = dict(one)
    for node, factor in other.items():
        found[node] = found.get(node, Fraction(0)) + times * factor
    return {node: factor for node, factor in found.items() if factor}
