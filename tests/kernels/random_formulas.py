"""Well-typed formulas at random, as text of the language, with arrays to call them with and a value of their own.

`formulas(pick)` draws one with a `Pick`, which Hypothesis or a seed stands behind. What is computed is written down
twice: as text, and as a function on NumPy that knows nothing of the compiler and has an axis for every index.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

Array = np.ndarray[Any, Any]
Choice = TypeVar("Choice")

LENGTHS = (3, 2, 5, 17, 1, 4, 33, 7, 16, 70, 20, 48)
SHORT = (3, 2, 5, 17, 1, 4)
"""With infinities and NaN among the elements: no products of matrices, where a condition makes a zero of one factor,
and that times an infinity of the other is NaN."""

MOST = 1 << 18
"""The product of all lengths, and so what one evaluation takes."""


class Pick:
    """Where decisions come from: `one` of some, earlier ones being simpler, and `chance`."""

    def one(self, among: Sequence[Choice]) -> Choice:
        raise AssertionError("a Pick has a source of its own")

    def chance(self, percent: int) -> bool:
        return self.one(range(100)) >= 100 - percent


class Seeded(Pick):
    """Decisions from a seed."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def one(self, among: Sequence[Choice]) -> Choice:
        return among[int(self.rng.integers(len(among)))]


@dataclass
class Environment:
    """What a value depends on: arrays, lengths, and the axis that each index has."""

    arrays: Mapping[str, Array]
    lengths: Mapping[str, int]
    axis: Mapping[str, int]

    def position(self, index: str) -> Array:
        shape = [1] * len(self.axis)
        shape[self.axis[index]] = self.lengths[index]
        return np.arange(self.lengths[index]).reshape(shape)


Value = Callable[[Environment], Array]


@dataclass(frozen=True)
class Term:
    """A piece of a formula: its text, its value, and the indices that are free in it."""

    text: str
    value: Value
    free: frozenset[str] = frozenset()


@dataclass
class Made:
    """A whole formula: `text` declares it, `arrays` are its operands, `outputs` name -> (indices, value)."""

    text: str
    arrays: dict[str, Array]
    outputs: dict[str, tuple[tuple[str, ...], Value]]
    lengths: dict[str, int]
    attributes: dict[str, float]
    smooth: bool
    plain: bool

    def value(self, name: str, arrays: Mapping[str, Array] | None = None) -> Array:
        """An output, from the formula as it is written."""
        indices, value = self.outputs[name]
        names = [*indices, *sorted(set(self.lengths) - set(indices))]
        given = {key: each.astype("float64") if each.dtype.kind == "f" else each for key, each in self.arrays.items()}
        setting = Environment({**given, **(arrays or {})}, self.lengths, {each: at for at, each in enumerate(names)})
        with np.errstate(all="ignore"):
            found = value(setting)
        full = [self.lengths[each] for each in indices] + [1] * (len(names) - len(indices))
        return np.broadcast_to(found, full).reshape(full[: len(indices)])


UNARY: dict[str, tuple[str, Callable[[Array], Array]]] = {
    "neg": ("(-{0})", np.negative),
    "square": ("({0} ^ 2)", np.square),
    "sin": ("sin({0})", np.sin),
    "exp": ("exp(-{0} ^ 2)", lambda x: np.exp(-np.square(x))),
    "tanh": ("tanh({0})", np.tanh),
    "abs": ("abs({0})", np.abs),
    "cube": ("({0} ^ 3)", lambda x: x**3),
    "sqrt": ("sqrt(1 + abs({0}))", lambda x: np.sqrt(1 + np.abs(x))),
    "log": ("log(1 + {0} ^ 2)", lambda x: np.log(1 + np.square(x))),
    "sigmoid": ("(1 / (1 + exp(-{0})))", lambda x: 1 / (1 + np.exp(-x))),
    "relu": ("max({0}, 0)", lambda x: np.maximum(x, 0)),
    "floor": ("floor({0} + 0.0123)", lambda x: np.floor(x + 0.0123)),  # multiples of 0.1 are not on the edge of a step
    "unsafe log": ("log({0})", np.log),
}
BINARY: dict[str, tuple[str, Callable[[Array, Array], Array]]] = {
    "mul": ("({0} * {1})", np.multiply),
    "add": ("({0} + {1})", np.add),
    "sub": ("({0} - {1})", np.subtract),
    "div": ("({0} / (1 + {1} ^ 2))", lambda a, b: a / (1 + np.square(b))),
    "max": ("max({0}, {1})", np.maximum),
    "min": ("min({0}, {1})", np.minimum),
    "unsafe div": ("({0} / {1})", np.divide),
}
REDUCERS: dict[str, Callable[..., Array]] = {
    "sum": np.sum, "max": np.max, "min": np.min, "prod": np.prod, "first_max": np.max,
}  # fmt: skip
COMPARISONS: dict[str, Callable[[Array, Array], Array]] = {
    "<": np.less, ">": np.greater, "<=": np.less_equal, ">=": np.greater_equal,
}  # fmt: skip


@dataclass
class _Maker:
    pick: Pick
    lengths: dict[str, int] = field(default_factory=dict)
    operands: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    attributes: dict[str, float] = field(default_factory=dict)
    definitions: dict[str, Term] = field(default_factory=dict)
    smooth: bool = True
    plain: bool = True

    # --- indices and operands ---------------------------------------------------------------------------------------

    def index(self, name: str) -> str:
        """An index of this name, with a length that fits what is there already."""
        if name not in self.lengths:
            rest = MOST // int(np.prod([max(each, 1) for each in self.lengths.values()]))
            among = LENGTHS if self.plain else SHORT
            self.lengths[name] = self.pick.one([each for each in among if each <= rest])
        return name

    def operand(self, axes: Sequence[str], kind: str = "float") -> str:
        """The name of an operand over these axes, an old one or a new one."""
        alike = [name for name, each in self.operands.items() if each == (kind, tuple(axes))]
        if alike and self.pick.chance(60):
            return self.pick.one(alike)
        name = {"float": "a", "int": "at", "bool": "is"}[kind] + str(len(self.operands))
        self.operands[name] = (kind, tuple(axes))
        return name

    def subset(self, allowed: Sequence[str], most: int = 3) -> tuple[str, ...]:
        left = list(allowed)
        found: list[str] = []
        while left and len(found) < most and self.pick.chance(70):
            found.append(left.pop(self.pick.one(range(len(left)))))
        return tuple(found)

    # --- terms ------------------------------------------------------------------------------------------------------

    def term(self, allowed: tuple[str, ...], depth: int) -> Term:
        """A float over some of the allowed indices."""
        if depth <= 0:
            return self.leaf(allowed)
        kind = self.pick.one(("leaf", "binary", "reduce", "unary", "select", "product", "binary", "reduce", "two"))
        if kind == "unary":
            name = self.pick.one([each for each in UNARY if not each.startswith("unsafe") or self.pick.chance(30)])
            self.smooth = self.smooth and name != "floor"
            text, function = UNARY[name]
            inner = self.term(allowed, depth - 1)
            return Term(text.format(inner.text), lambda s: function(inner.value(s)), inner.free)
        if kind == "binary":
            name = self.pick.one([each for each in BINARY if not each.startswith("unsafe") or self.pick.chance(30)])
            return self.joined(*BINARY[name], self.term(allowed, depth - 1), self.term(allowed, depth - 1))
        if kind == "two":
            return self.joined(*BINARY["add"], self.reduction(allowed, depth - 1), self.reduction(allowed, depth - 1))
        if kind == "select":
            condition = self.condition(allowed, depth - 1)
            first, second = self.term(allowed, depth - 1), self.term(allowed, depth - 1)
            text = f"({condition.text} ? {first.text} : {second.text})"
            free = condition.free | first.free | second.free
            return Term(text, lambda s: np.where(condition.value(s), first.value(s), second.value(s)), free)
        if kind == "reduce":
            return self.reduction(allowed, depth)
        if kind == "product":
            return self.contraction(allowed)
        return self.leaf(allowed)

    def joined(self, text: str, function: Callable[[Array, Array], Array], left: Term, right: Term) -> Term:
        written = text.format(left.text, right.text)
        return Term(written, lambda s: function(left.value(s), right.value(s)), left.free | right.free)

    def reduction(self, allowed: tuple[str, ...], depth: int) -> Term:
        bound = [name for name in "klrs" if name not in allowed]
        if not bound:
            return self.leaf(allowed)
        over = [self.index(bound[0])] + ([self.index(bound[1])] if len(bound) > 1 and self.pick.chance(25) else [])
        kind = self.pick.one(("sum", "sum", "max", "sum", "min", "prod", "first_max"))
        body = self.term((*allowed, *over), depth - 1)
        if kind == "prod":
            inner = body
            body = Term(f"(1 + 0.1 * sin({inner.text}))", lambda s: 1 + 0.1 * np.sin(inner.value(s)), inner.free)
        return self.reduced(kind, over, body)

    def reduced(self, kind: str, over: Sequence[str], body: Term) -> Term:
        def value(s: Environment) -> Array:
            found = body.value(s)
            shape = list(found.shape) if found.ndim else [1] * len(s.axis)
            for index in over:
                shape[s.axis[index]] = s.lengths[index]
            wide = np.broadcast_to(found, np.broadcast_shapes(shape, found.shape))
            axes = tuple(s.axis[index] for index in over)
            return np.asarray(REDUCERS[kind](wide, axis=axes, keepdims=True))

        return Term(f"{kind}[{', '.join(over)}]({body.text})", value, body.free - frozenset(over))

    def contraction(self, allowed: tuple[str, ...]) -> Term:
        """A sum of products of two or three reads, perhaps under a condition."""
        bound = [name for name in "klrs" if name not in allowed][:1]
        if not bound:
            return self.leaf(allowed)
        over = [self.index(bound[0])]
        body = self.read((*over, *self.subset(allowed, 2)), (*allowed, *over))
        for _ in range(self.pick.one((1, 1, 2))):
            body = self.joined(*BINARY["mul"], body, self.read((*self.subset(allowed, 2), *over), (*allowed, *over)))
        if self.pick.chance(25):
            condition, product = self.condition((*allowed, *over), 0), body
            body = Term(
                f"({condition.text} ? {product.text} : 0)",
                lambda s: np.where(condition.value(s), product.value(s), 0.0),
                condition.free | product.free,
            )
        return self.reduced("sum", over, body)

    def leaf(self, allowed: tuple[str, ...]) -> Term:
        kind = self.pick.one(("read", "read", "number", "read", "attribute", "definition", "read", "position"))
        if kind == "number":
            number = self.pick.one((2.0, 0.5, -1.5, 3.0, 0.0, 1.0))
            return Term(f"({number})" if number < 0 else str(number), lambda s: np.asarray(number))
        if kind == "attribute":
            name = self.pick.one(("gain", "bias"))
            self.attributes[name] = number = {"gain": 0.75, "bias": -0.25}[name]
            return Term(name, lambda s: np.asarray(number))
        if kind == "definition":
            known = [each for each in self.definitions.values() if each.free <= set(allowed)]
            if known:
                return self.pick.one(known)
        if kind == "position" and allowed:
            index = self.pick.one(allowed)
            return Term(f"(0.1 * {index})", lambda s: 0.1 * s.position(index), frozenset((index,)))
        return self.read(self.subset(allowed), allowed)

    def read(self, axes: tuple[str, ...], allowed: tuple[str, ...]) -> Term:
        """An element of an operand over these axes, mostly at the indices themselves."""
        kind = self.pick.one(("plain",) * 4 + ("window", "turned", "other", "gathered", "diagonal"))
        if kind == "plain" or not axes:
            return self.element(self.operand(axes), [self.here(each) for each in axes])
        which = self.pick.one(range(len(axes)))
        index = axes[which]
        if kind == "turned":
            positions = [self.here(each) for each in axes]
            positions[which] = Term(
                f"size[{index}] - 1 - {index}", lambda s: s.lengths[index] - 1 - s.position(index), frozenset((index,))
            )
            return self.element(self.operand(axes), positions)
        if kind == "gathered" and self.lengths[index]:
            source = self.index(self.pick.one("tx"))
            at = self.operand((index,), "int")
            positions = [self.here(each) for each in axes]
            positions[which] = self.element(at, [self.here(index)])
            owner = tuple(source if each == index else each for each in axes)
            if self.targets.setdefault(at, source) == source:
                return self.element(self.operand(owner), positions)
        if kind == "window":
            return self.window(axes, which, allowed)
        if kind == "other":
            twin = {"i": "j", "j": "i", "k": "l", "l": "k"}.get(index)
            if twin in self.lengths and twin not in axes and self.lengths[index] <= self.lengths[twin]:
                owner = tuple(twin if each == index else each for each in axes)
                return self.element(self.operand(owner), [self.here(each) for each in axes])
        if kind == "diagonal" and len(axes) > 1:
            one, other = axes[0], axes[1]
            if self.lengths[one] <= self.lengths[other]:
                return self.element(self.operand(axes), [self.here(one if each == other else each) for each in axes])
        return self.element(self.operand(axes), [self.here(each) for each in axes])

    def window(self, axes: tuple[str, ...], which: int, allowed: tuple[str, ...]) -> Term:
        """A read at an affine position, with a value for outside or under a condition."""
        index = axes[which]
        others = [each for each in allowed if each not in axes]
        factor, shift = self.pick.one((1, 2, 1, 3, -1)), self.pick.one((-1, 1, 0, -2, 4))
        text, free = f"{index} * {factor}", {index}
        second = self.pick.one(others) if others and self.pick.chance(50) else None
        if second is not None:
            text, free = f"{text} + {second}", free | {second}
        text = f"{text} + {shift}" if shift >= 0 else f"{text} - {-shift}"

        def at(s: Environment) -> Array:
            return s.position(index) * factor + (s.position(second) if second is not None else 0) + shift

        name = self.operand(axes)
        positions = [self.here(each) for each in axes]
        positions[which] = Term(text, at, frozenset(free))
        outside = self.pick.one(("0", "1.5", "select", "0"))
        inner = self.element(name, positions)

        def inside(s: Environment) -> Array:
            return (at(s) >= 0) & (at(s) < s.lengths[index])

        if outside == "select":
            condition = f"{text} >= 0 and {text} < size[{index}]"
            return Term(
                f"({condition} ? {inner.text} : 0.5)", lambda s: np.where(inside(s), inner.value(s), 0.5), inner.free
            )
        number = float(outside)
        return Term(f"({inner.text} else {outside})", lambda s: np.where(inside(s), inner.value(s), number), inner.free)

    def element(self, name: str, positions: Sequence[Term]) -> Term:
        def value(s: Environment) -> Array:
            array = s.arrays[name]
            if not positions:
                return array
            at = [each.value(s) for each in positions]
            if 0 in array.shape:
                return np.zeros(np.broadcast_shapes(*(each.shape for each in at)), array.dtype)
            clipped = [np.clip(each, 0, most - 1) for each, most in zip(at, array.shape, strict=True)]
            return array[tuple(clipped)]

        free = frozenset().union(*(each.free for each in positions))
        text = f"{name}[{', '.join(each.text for each in positions)}]" if positions else f"{name}[]"
        return Term(text, value, free)

    def here(self, index: str) -> Term:
        return Term(index, lambda s: s.position(index), frozenset((index,)))

    def condition(self, allowed: tuple[str, ...], depth: int) -> Term:
        kind = self.pick.one(("floats", "positions", "mask", "parity", "and", "or", "not", "floats"))
        if kind == "positions" and allowed:
            left, right = self.here(self.pick.one(allowed)), self.here(self.pick.one(allowed))
            sign = self.pick.one(tuple(COMPARISONS))
            compare = COMPARISONS[sign]
            shift = self.pick.one((0, 1, 2))
            return Term(
                f"({left.text} + {shift} {sign} {right.text})",
                lambda s: compare(left.value(s) + shift, right.value(s)), left.free | right.free,
            )  # fmt: skip
        if kind == "mask":
            axes = self.subset(allowed, 2)
            return self.element(self.operand(axes, "bool"), [self.here(each) for each in axes])
        if kind == "parity" and allowed:
            index = self.here(self.pick.one(allowed))
            return Term(f"({index.text} % 2 == 0)", lambda s: index.value(s) % 2 == 0, index.free)
        if kind in ("and", "or") and depth > 0:
            left, right = self.condition(allowed, depth - 1), self.condition(allowed, depth - 1)
            join = np.logical_and if kind == "and" else np.logical_or
            free = left.free | right.free
            return Term(f"({left.text} {kind} {right.text})", lambda s: join(left.value(s), right.value(s)), free)
        if kind == "not" and depth > 0:
            inner = self.condition(allowed, depth - 1)
            return Term(f"(not {inner.text})", lambda s: np.logical_not(inner.value(s)), inner.free)
        first, second = self.term(allowed, min(depth, 1)), self.leaf(allowed)
        sign = self.pick.one(("<", ">", "<=", ">="))
        compare = COMPARISONS[sign]
        return self.joined(f"({{0}} {sign} {{1}})", compare, first, second)

    # --- the whole --------------------------------------------------------------------------------------------------

    targets: dict[str, str] = field(default_factory=dict)

    def made(self) -> Made:
        outputs: dict[str, tuple[tuple[str, ...], Value]] = {}
        lines = []
        self.plain = not self.pick.chance(20)
        count = self.pick.one((1, 1, 2))
        for name in ("y", "z")[:count]:
            indices = tuple(self.index(each) for each in self.pick.one(("i", "ij", "", "ji", "i", "ijk", "j", "ik")))
            if self.pick.chance(30):
                inner = self.term(indices, 2)
                self.definitions[f"part_{name}"] = Term(f"part_{name}", inner.value, inner.free)
                lines.append(f"    part_{name} = {inner.text};")
            term = self.term(indices, self.pick.one((2, 1, 3, 3)))
            outputs[name] = (indices, term.value)
            lines.append(f"    {name} = {term.text};")
        if not any(kind == "float" for kind, _ in self.operands.values()):
            self.operand(())
        return self._written(outputs, lines)

    def _written(self, outputs: dict[str, tuple[tuple[str, ...], Value]], lines: list[str]) -> Made:
        known = {index for _, axes in self.operands.values() for index in axes}
        wheres = [f"{index} = {length}" for index, length in self.lengths.items() if index not in known]
        plain = self.plain
        operands = ", ".join(f"{name}[{', '.join(axes)}]: {kind}" for name, (kind, axes) in self.operands.items())
        attributes = ", ".join(f"{name}: float = {value}" for name, value in self.attributes.items())
        results = [f"{name}[{', '.join(indices)}]" for name, (indices, _) in outputs.items()]
        result = results[0] if len(results) == 1 else f"({', '.join(results)})"
        where = f"\n    where {', '.join(wheres)}\n" if wheres else " "
        text = f"op f({operands}{'; ' + attributes if attributes else ''}) -> {result}{where}{{\n"
        text += "\n".join(lines) + "\n}\n"
        rng = np.random.default_rng(self.pick.one(range(1 << 16)))
        arrays = {name: self._array(name, rng, plain) for name in self.operands}
        return Made(text, arrays, outputs, self.lengths, self.attributes, self.smooth and plain, plain)

    def _array(self, name: str, rng: np.random.Generator, plain: bool) -> Array:
        kind, axes = self.operands[name]
        shape = tuple(self.lengths[index] for index in axes)
        if kind == "int":
            return rng.integers(0, self.lengths[self.targets[name]], shape)
        if kind == "bool":
            return rng.random(shape) < 0.6
        array = rng.uniform(-2, 2, shape).astype("float32")
        if not plain:
            special = rng.random(shape) < 0.1
            values = np.float32([0, np.inf, -np.inf, np.nan, 1, -1])
            array = np.where(special, rng.choice(values, shape), array)
        return np.asarray(array, dtype="float32")


def formulas(pick: Pick) -> Made:
    """A formula drawn with `pick`."""
    return _Maker(pick).made()
