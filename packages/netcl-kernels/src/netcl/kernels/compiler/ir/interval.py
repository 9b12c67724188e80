"""Between which ends an integer expression lies: interval arithmetic, with whole numbers of any length.

Input: an expression of positions, sizes and attributes, and what is known of them. Output: (least, most) that holds
for all values of the indices; the expression need not come to its ends. Indices are taken to have values. Where
`anything` is allowed for, what is not known is taken to have any value of its dtype.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod

from netcl.kernels.compiler.ir import Apply, Expr, Number, Position, Reduce, Scan, Size, binds, root, without_ties
from netcl.kernels.compiler.ir.host import NotKnown, Numbers, integer

Ends = tuple[int, int]
Said = list[tuple[Expr, Ends]]

_MOST_ALTERNATIVES = 8
"""Of more than so many nothing is said, nor of alternatives within more than so many."""

LONGEST = 1 << 48
"""No axis is longer: see `bindings`."""

RANGES: dict[str, Ends] = {
    "bool": (0, 1), "uint8": (0, 255), "int32": (-(1 << 31), (1 << 31) - 1), "int64": (-(1 << 63), (1 << 63) - 1),
}  # fmt: skip


def wrapped(value: int, dtype: str) -> int:
    """What is left of a whole number in an integer dtype."""
    least, most = RANGES[dtype]
    return (value - least) % (most - least + 1) + least


def ends(node: Expr, numbers: Numbers) -> Ends:
    """Raises NotKnown where there is no saying."""
    return Intervals(numbers).of(node)


class Intervals:
    """The ends of expressions. `assumed` has what a condition says of some of them."""

    def __init__(self, numbers: Numbers, anything: bool = False, assumed: Mapping[Expr, Ends] | None = None) -> None:
        self.numbers = numbers
        self.anything = anything
        self.assumed = assumed or {}
        self._memo: dict[Expr, Ends] = {}
        self._sayings: dict[tuple[Expr, bool], Said | None] = {}
        self._within = 0  # conditions within conditions, as far as they are being looked at

    def of(self, node: Expr) -> Ends:
        """Raises NotKnown where there is no saying."""
        if node not in self._memo:
            least, most = self._found(node)
            if node in self.assumed:
                low, high = self.assumed[node]
                if low <= most and least <= high:  # else the condition never holds
                    least, most = max(least, low), min(most, high)
            self._memo[node] = least, most
        return self._memo[node]

    def exact(self, node: Expr) -> Ends:
        """The ends of a node as if it did not wrap around. Raises NotKnown where its function says nothing of them."""
        return self._moving(node)

    def where(self, condition: Expr, holds: bool) -> Intervals:
        """The ends where a condition holds, or where it does not."""
        said = self._said(condition, holds)
        return self._given(said) if said else self

    def may_be(self, condition: Expr, holds: bool) -> bool:
        """Whether there may be values of the indices for which a condition holds, or does not."""
        if isinstance(condition, Number):
            return bool(condition.value) is holds
        said = self._said(condition, holds)
        return said is not None and self._fits(said)

    def _given(self, said: Said) -> Intervals:
        found = dict(self.assumed)
        for node, (least, most) in said:
            low, high = found.get(node, (least, most))
            found[node] = max(least, low), min(most, high)
        return Intervals(self.numbers, self.anything, found)

    def _fits(self, said: Said) -> bool:
        """Whether all that was said may be."""
        found: dict[Expr, Ends] = {}
        for node, (low, high) in said:
            least, most = found.get(node) or self.of(node)
            found[node] = max(least, low), min(most, high)
        return all(least <= most for least, most in found.values())

    def _said(self, condition: Expr, holds: bool) -> Said | None:
        """What a condition says of some expressions where it holds, or does not; None where that cannot be."""
        key = condition, holds
        if key not in self._sayings:
            if self._within > _MOST_ALTERNATIVES:
                return []
            self._within += 1
            all_hold, parts = _parts(condition, holds)
            if len(parts) == 1:
                self._sayings[key] = self._compared(*parts[0])
            else:
                self._sayings[key] = (self._said_by_each if all_hold else self._said_by_one)(parts)
            self._within -= 1
        return self._sayings[key]

    def _said_by_each(self, parts: Sequence[tuple[Expr, bool]]) -> Said | None:
        """What conditions say that hold together."""
        found: Said = []
        for part in parts:
            said = self._said(*part)
            if said is None:
                return None
            found += said
        return found

    def _said_by_one(self, parts: Sequence[tuple[Expr, bool]]) -> Said | None:
        """What holds whichever of several conditions does."""
        if len(parts) > _MOST_ALTERNATIVES:
            return []
        possible = [said for part in parts if (said := self._said(*part)) is not None and self._fits(said)]
        if len(possible) <= 1:
            return possible[0] if possible else None
        nodes = dict.fromkeys(node for said in possible for node, _ in said)
        if not all(possible) or len(nodes) > _MOST_ALTERNATIVES:
            return []
        alternatives = [self._given(said) for said in possible]
        found = []
        for node in nodes:
            try:
                ends = [each.of(node) for each in alternatives]
            except NotKnown:
                continue
            found.append((node, (min(least for least, _ in ends), max(most for _, most in ends))))
        return found

    def _compared(self, condition: Expr, holds: bool) -> Said:
        """What a comparison says of its sides."""
        if not isinstance(condition, Apply) or condition.function not in ("eq", "ne", *_OPPOSITE):
            return []
        function, children = condition.function, condition.children
        if any(each.dtype not in RANGES for each in children):
            return []
        one, other = children
        if function in ("eq", "ne"):
            differ = (function == "ne") is holds
            return [*self._said_to_differ(one, other), *self._said_to_differ(other, one)] if differ else []
        function = function if holds else _OPPOSITE[function]
        if function in ("gt", "ge"):
            one, other, function = other, one, _TURNED[function]
        apart = 1 if function == "lt" else 0
        try:
            (low, _), (_, high) = self.of(one), self.of(other)
        except NotKnown:
            return []
        farthest = 1 << 200
        return [(one, (-farthest, high - apart)), (other, (low + apart, farthest))]

    def _said_to_differ(self, node: Expr, other: Expr) -> Said:
        """What is known of a node that is not equal to one end of what it may be."""
        try:
            (least, most), (value, highest) = self.of(node), self.of(other)
        except NotKnown:
            return []
        if value != highest or value not in (least, most):
            return []
        return [(node, (least + (value == least), most - (value == most)))]

    def _found(self, node: Expr) -> Ends:
        if isinstance(node, Number):
            return int(node.value), int(node.value)
        if isinstance(node, Position):
            return 0, max(self._length(node.index) - 1, 0)
        if isinstance(node, Size) and self.anything and node.index not in self.numbers.sizes:
            return 0, LONGEST
        try:
            value = integer(node, self.numbers)
        except (NotKnown, ZeroDivisionError):
            pass
        else:
            return value, value
        try:
            return self._moving(node)
        except NotKnown:
            if not self.anything or node.dtype not in RANGES:
                raise
            return RANGES[node.dtype]

    def _length(self, index: str) -> int:
        if self.anything and root(index) not in self.numbers.sizes:
            return LONGEST
        return self.numbers.sizes[root(index)]

    def _moving(self, node: Expr) -> Ends:
        if isinstance(node, (Reduce, Scan)):
            return self._reduced(node)
        if not isinstance(node, Apply):
            raise NotKnown(repr(node))
        if node.function in ("mod", "remainder"):
            return self._rest(*node.children)
        if node.function == "select":
            condition, one, other = node.children
            first, second = self.where(condition, True).of(one), self.where(condition, False).of(other)
            return min(first[0], second[0]), max(first[1], second[1])
        if node.function == "cast":
            return self._cast(node)
        if node.function == "table":
            entries = [int(each.value) for each in node.children[1:] if isinstance(each, Number)]
            return min(0, *entries), max(0, *entries)
        children = [self.of(child) for child in node.children]
        if node.function == "add":
            (a, b), (c, d) = children
            return a + c, b + d
        if node.function == "sub":
            (a, b), (c, d) = children
            return a - d, b - c
        if node.function == "neg":
            ((a, b),) = children
            return -b, -a
        if node.function == "abs":
            ((a, b),) = children
            return (0 if a <= 0 <= b else min(abs(a), abs(b))), max(abs(a), abs(b))
        if node.function == "mul":
            corners = [a * b for a, b in product(*children)]
            return min(corners), max(corners)
        if node.function in ("maximum", "minimum"):
            choose = max if node.function == "maximum" else min
            (a, b), (c, d) = children
            return choose(a, c), choose(b, d)
        if node.function in ("floor_div", "floor_divide", "exact_div"):
            return _quotient(*children)
        if node.function in _OF_BITS:
            least, most = _OF_BITS[node.function](*children)
            low, high = RANGES[node.dtype]
            return (least, most) if low <= least and most <= high else (low, high)
        if node.function in ("within", "copy", "detach"):
            return children[0]
        raise NotKnown(repr(node))

    def _reduced(self, node: Reduce | Scan) -> Ends:
        values = prod(self._length(index) for index in binds(node))
        kind = without_ties(node.kind)
        if kind in ("argmax", "argmin"):
            return 0, max(values - 1, 0)
        if not isinstance(node, Reduce) or kind not in ("max", "min", "sum") or node.dtype not in RANGES:
            raise NotKnown(repr(node))
        least, most = self.of(node.body)
        if kind == "sum":
            return min(values * least, 0), max(values * most, 0)
        if values == 0:
            least = most = RANGES[node.dtype][kind == "min"]
        return least, most

    def _rest(self, node: Expr, divisor: Expr) -> Ends:
        low, high = self.of(divisor)
        if low <= 0:
            if not self.anything:
                raise NotKnown(repr(divisor))
            return min(low + 1, 0), max(high - 1, 0)
        try:
            least, most = self.of(node)
        except NotKnown:
            return 0, high - 1
        if low == high:
            return (least % low, most % low) if least // low == most // low else (0, low - 1)
        return 0, min(high - 1, most) if least >= 0 else high - 1

    def _cast(self, node: Apply) -> Ends:
        (child,) = node.children
        if child.dtype not in RANGES or node.dtype not in RANGES:
            raise NotKnown(repr(node))
        least, most = self.of(child)
        low, high = RANGES[node.dtype]
        return (least, most) if low <= least and most <= high else (low, high)


def _parts(condition: Expr, holds: bool) -> tuple[bool, list[tuple[Expr, bool]]]:
    """What a condition is made of, each with whether it is to hold; and whether all of it is, or one."""
    all_hold: bool | None = None
    parts: list[tuple[Expr, bool]] = []
    waiting = [(condition, holds)]
    while waiting:
        node, each_holds = waiting.pop()
        function = node.function if isinstance(node, Apply) else ""
        if function == "not":
            waiting.append((node.children[0], not each_holds))
        elif function in ("and", "or") and all_hold in (None, (function == "and") is each_holds):
            all_hold = (function == "and") is each_holds
            waiting += [(child, each_holds) for child in reversed(node.children)]
        else:
            parts.append((node, each_holds))
    return bool(all_hold), parts


def _common_bits(one: Ends, other: Ends) -> Ends:
    if min(one[0], other[0]) < 0 <= max(one[0], other[0]):
        return 0, (one if one[0] >= 0 else other)[1]
    return (0, min(one[1], other[1])) if one[0] >= 0 else _mixed_bits(one, other)


def _mixed_bits(one: Ends, other: Ends) -> Ends:
    """No result has more bits than either."""
    beyond = 1 << max((end if end >= 0 else ~end).bit_length() for end in (*one, *other))
    return 0 if min(one[0], other[0]) >= 0 else -beyond, beyond - 1


def _shifted_left(one: Ends, by: Ends) -> Ends:
    most = min(max(by[1], 0), 64)
    return min(one[0] << most, one[0], 0), max(one[1] << most, one[1], 0)


def _shifted_right(one: Ends, by: Ends) -> Ends:
    """By a count that is no number of bits, all are shifted out."""
    least = min(max(by[0], 0), 64)
    return one[0] >> least if one[0] < 0 else 0, one[1] >> least if one[1] >= 0 else -1


_OF_BITS = {
    "bit_and": _common_bits, "bit_or": _mixed_bits, "bit_xor": _mixed_bits, "shift_left": _shifted_left,
    "shift_right": _shifted_right,
}  # fmt: skip
_OPPOSITE = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}
_TURNED = {"gt": "lt", "ge": "le"}


def _quotient(dividend: Ends, divisor: Ends) -> Ends:
    """The quotient that is rounded down; 0 where the divisor is 0."""
    (a, b), (c, d) = dividend, divisor
    divisors = [each for each in (c, d) if each] + ([-1] if c < 0 <= d else []) + ([1] if c <= 0 < d else [])
    corners = [each // by for each in (a, b) for by in divisors] + ([0] if c <= 0 <= d else [])
    return min(corners), max(corners)
