"""Whole numbers that know how they were computed, so that what was made with them can be made again for others.

    questions = Questions((6, 4))
    rows, columns = questions.given
    schedule = f(rows, columns)                       # as with plain ints
    again = questions.function([rows * columns])      # again((6, 4)) is (24,), and so on
                                                      # None for numbers of which `f` would have known something else

A `Quantity` behaves as the number does. What is computed from quantities is a quantity; what is *asked* of one (is it
1, is it less than another) is noted with the answer. The same code with other numbers takes the same way where all the
answers are the same. Whoever needs the number itself asks for it, and then no other will do: `int(quantity)`, its use
as an index, its text. It is no key of a dictionary: what is kept there would be kept for other numbers.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

_COMPUTED: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow,
}  # fmt: skip
_ASKED: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


class Questions:
    """What was computed from some numbers, and what was asked of it, in order. With `alone` they are plain numbers,
    and what is made of them holds for no others."""

    def __init__(self, numbers: Sequence[int], alone: bool = False) -> None:
        self._lines: list[tuple[str | None, str, tuple[str, ...]]] = []  # (name or None, expression, names in it)
        self._known: dict[tuple[str, str, str], Any] = {}
        quantities = [Quantity(self, value, f"given_{at}") for at, value in enumerate(numbers)]
        self.given: list[Any] = list(numbers) if alone else quantities
        self._all = quantities
        if alone:
            for each in quantities:
                each.itself()

    def computed(self, function: str, a: Any, b: Any) -> Quantity:
        key = (function, _text(a), _text(b))
        found = self._known.get(key)
        if found is None:
            value = _COMPUTED[function](plain(a), plain(b))
            found = self._known[key] = Quantity(self, value, f"number_{len(self._lines)}")
            self._lines.append((found.name, f"{key[1]} {function} {key[2]}", (key[1], key[2])))
        return found

    def asked(self, function: str, a: Quantity, b: Any) -> bool:
        key = (function, a.name, _text(b))
        answer = self._known.get(key)
        if answer is None:
            answer = self._known[key] = _ASKED[function](a.value, plain(b))
            test = f"{key[1]} {function} {key[2]}"
            if key[1] == key[2]:
                return answer
            self._lines.append((None, test if answer else f"not {test}", (key[1], key[2])))
        return answer

    def function(self, results: Sequence[Any]) -> Callable[[Sequence[int]], tuple[Any, ...] | None]:
        """`again(numbers)`: these results for other numbers; None where one of the answers would be another."""
        texts = [_text(each) for each in results]
        needed = set(texts)
        lines = []
        for name, expression, names in reversed(self._lines):
            if name is None:
                lines.append(f"if not ({expression}): return None")
            elif name in needed:
                lines.append(f"{name} = {expression}")
            else:
                continue
            needed.update(names)
        given = "".join(f"{each.name}, " for each in self._all)
        body = [f"({given}) = numbers", *reversed(lines), f"return ({''.join(f'{each}, ' for each in texts)})"]
        text = "def again(numbers):\n" + "".join(f"    {line}\n" for line in body)
        namespace: dict[str, Any] = {}
        exec(compile(text, "<numbers of a plan>", "exec"), namespace)
        again = namespace.pop("again")

        def checked(numbers: Sequence[int]) -> tuple[Any, ...] | None:
            try:
                return again(numbers)
            except (ZeroDivisionError, OverflowError):  # of what was asked, too, where it came out otherwise
                return None

        return checked


def plain(value: Any) -> Any:
    """The number, of a quantity; nothing is noted."""
    return value.value if value.__class__ is Quantity else value


def itself(value: Any) -> Any:
    """The number; of a quantity, what is made holds for this one alone from now on."""
    return value.itself() if value.__class__ is Quantity else value


def computed_as(value: Any) -> str | None:
    """How a quantity was computed: two that were computed alike are one number for any others, too. None of a plain
    number, which is equal to another one by chance."""
    return value.name if value.__class__ is Quantity else None


def whole(value: Any) -> Any:
    """As `int`, for numbers that may be quantities."""
    return value if value.__class__ is Quantity and value.value.__class__ is int else int(value)


def place_of(number: Any, known: list[Any]) -> int:
    """The place of a number among those `known`, where it is put if it is new: what stands for it in a key."""
    for at, other in enumerate(known):
        if other == number:
            return at
    known.append(number)
    return len(known) - 1


def _text(value: Any) -> str:
    return value.name if value.__class__ is Quantity else repr(value)


class Quantity:
    """A whole number (or a quotient of some) that was given, or computed from what was given."""

    __slots__ = ("name", "questions", "value")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, questions: Questions, value: Any, name: str) -> None:
        self.questions = questions
        self.value = value
        self.name = name

    def itself(self) -> Any:
        """The number; all questions are answered for this one alone from now on."""
        self.questions.asked("==", self, self.value)
        return self.value

    def __index__(self) -> int:
        return operator.index(self.itself())

    def __int__(self) -> int:
        return int(self.itself())

    def __float__(self) -> float:
        return float(self.itself())

    def __repr__(self) -> str:
        return repr(self.itself())

    def __bool__(self) -> bool:
        return self.questions.asked("!=", self, 0)

    def __neg__(self) -> Quantity:
        return self.questions.computed("-", 0, self)

    def __pos__(self) -> Quantity:
        return self

    def __abs__(self) -> Quantity:
        return -self if self.questions.asked("<", self, 0) else self

    def bit_length(self) -> int:
        found: int = self.value.bit_length()
        absolute = abs(self)
        self.questions.asked("<", absolute, 1 << found)
        self.questions.asked(">=", absolute, (1 << found) >> 1)
        return found


def _computing(function: str, turned: bool) -> Callable[[Quantity, Any], Any]:
    def method(self: Quantity, other: Any) -> Any:
        if not isinstance(other, (int, float, Quantity)):
            return NotImplemented
        return (
            self.questions.computed(function, other, self) if turned else self.questions.computed(function, self, other)
        )

    return method


def _asking(function: str) -> Callable[[Quantity, Any], Any]:
    def method(self: Quantity, other: Any) -> Any:
        if not isinstance(other, (int, float, Quantity)):
            return NotImplemented
        return self.questions.asked(function, self, other)

    return method


for _name, _function in {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
}.items():  # fmt: skip
    setattr(Quantity, f"__{_name}__", _computing(_function, False))
    setattr(Quantity, f"__r{_name}__", _computing(_function, True))
for _name, _function in {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
    setattr(Quantity, f"__{_name}__", _asking(_function))
