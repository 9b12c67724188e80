"""Formulas over graphs, images and windows, beside PyTorch: `python tests/foreign/run.py 500 --what graphs`.

What is read at places that data says, what is put there by an equality of places, sums of sums under conditions, and
places that are cut from floats. Beside the text of a formula stands its value by PyTorch, over all axes at once: a sum
under a condition is a sum of what is chosen, a read at a place a gather of everything. Nothing is a scatter there.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from trials import Fault

AXES = "vuefk"
"""Vertices, other vertices, edges, features, places of a window."""

LENGTHS = {
    "v": (1, 2, 3, 5, 7, 20), "u": (1, 2, 3, 4), "e": (1, 2, 5, 9, 17, 40), "f": (1, 2, 3), "k": (1, 2, 3, 4),
}  # fmt: skip

SMOOTH: dict[str, Callable[[Any], Any]] = {
    "tanh": torch.tanh,
    "sin": torch.sin,
    "exp": torch.exp,
    "cos": torch.cos,
}

JOINED: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda one, other: one + other,
    "-": lambda one, other: one - other,
    "*": lambda one, other: one * other,
}

MOST_ELEMENTS = 60_000
"""Of what PyTorch computes for all axes at once."""

LONGEST = 420


@dataclass(frozen=True)
class Value:
    """A text, and what it stands for: with one dimension for each of AXES, of length 1 where it does not depend on it.
    A place may be `outside` of the axis it points into."""

    text: str
    of: Any
    outside: bool = False


class TooLarge(Exception):
    pass


class Drawn:
    """A formula of a seed, as text and by PyTorch."""

    def __init__(self, seed: int) -> None:
        self.rng, self.numbers = random.Random(seed), np.random.default_rng(seed)
        self.lengths = {axis: self.rng.choice(LENGTHS[axis]) for axis in AXES}
        self.sums_only = self.rng.random() < 0.08
        if self.sums_only:
            self.lengths["e"] = 0
        self.floats: dict[str, tuple[str, Any]] = {}
        self.integers: dict[str, tuple[str, Any]] = {}
        self.defined: dict[str, tuple[str, Any]] = {}
        self.statements: list[str] = []
        for at in range(self.rng.choice((0, 1, 1, 2))):
            axes = self.some(AXES, (1, 1, 2))
            value = self.drawn(axes, 2)
            self.statements.append(f"d{at}[{', '.join(axes)}] = {value.text};")
            self.defined[f"d{at}"] = axes, self.filled(value, axes)
        self.axes = self.some(AXES, (0, 1, 1, 2))
        value = self.drawn(self.axes, 3)
        self.formula = value.text
        self.value = self.filled(value, self.axes)
        self.weights = np.asarray(self.numbers.normal(size=tuple(self.value.shape)))

    def text(self) -> str:
        operands = [f"{name}[{', '.join(axes)}]: float" for name, (axes, _) in self.floats.items()]
        operands += [f"{name}[{', '.join(axes)}]: int" for name, (axes, _) in self.integers.items()]
        body = " ".join([*self.statements, f"y = {self.formula};"])
        known = {axis for axes, _ in (*self.floats.values(), *self.integers.values()) for axis in axes}
        asked = set(re.findall(rf"\b[{AXES}]\b", body)) | set(self.axes)
        lengths = ", ".join(f"{axis} = {self.lengths[axis]}" for axis in sorted(asked - known))
        where = f" where {lengths}" if lengths else ""
        return f"op f({', '.join(operands)}) -> y[{', '.join(self.axes)}]{where} {{ {body} }}"

    # --- what is drawn ------------------------------------------------------------------------------------------------

    def some(self, axes: Sequence[str], counts: Sequence[int]) -> str:
        return "".join(self.rng.sample(sorted(axes), min(len(axes), self.rng.choice(counts))))

    def drawn(self, scope: str, depth: int) -> Value:
        """A value over some of the axes in scope."""
        way = self.rng.random()
        if depth == 0 or way < 0.15:
            return self.leaf(scope)
        if way < 0.55:
            return self.reduced(scope, depth)
        if way < 0.65:
            function = self.rng.choice(list(SMOOTH))
            inner = self.drawn(scope, depth - 1)
            if function == "exp":
                return Value(f"exp(-({inner.text}) ^ 2)", torch.exp(-(inner.of**2)))
            return Value(f"{function}({inner.text})", SMOOTH[function](inner.of))
        if way < 0.75:
            condition = self.condition(scope)
            first, second = self.drawn(scope, depth - 1), self.leaf(scope)
            return Value(f"({condition.text} ? {first.text} : {second.text})",
                         self.fits(torch.where, condition.of, first.of, second.of))  # fmt: skip
        sign = self.rng.choice(list(JOINED))
        first, second = self.drawn(scope, depth - 1), self.drawn(scope, depth - 1 if self.rng.random() < 0.4 else 0)
        return Value(f"({first.text} {sign} {second.text})", self.fits(JOINED[sign], first.of, second.of))

    def leaf(self, scope: str) -> Value:
        """What is read: at indices, or at places of some axes."""
        way = self.rng.random()
        if way < 0.08:
            number = self.rng.choice((0.5, 2.0, -1.5))
            return Value(f"({number})", torch.full([1] * len(AXES), number, dtype=torch.float64))
        if self.defined and way < 0.4:
            name = self.rng.choice(list(self.defined))
            axes, of = self.defined[name]
        else:
            axes = self.some(AXES, (1, 1, 2)) if way < 0.75 or not scope else self.some(scope, (1, 2))
            name, of = self.operand(axes)
        return self.read(name, axes, of, scope)

    def operand(self, axes: str) -> tuple[str, Any]:
        known = [name for name, (of, _) in self.floats.items() if of == axes]
        if known and self.rng.random() < 0.6:
            name = self.rng.choice(known)
        else:
            name = f"x{len(self.floats)}"
            array = self.numbers.normal(size=[self.lengths[axis] for axis in axes])
            self.floats[name] = axes, torch.tensor(array, requires_grad=True)
        return name, self.floats[name][1]

    def read(self, name: str, axes: str, of: Any, scope: str) -> Value:
        """A value of these axes, at an index or a place along each."""
        at = []
        for axis in axes:
            if axis in scope and self.rng.random() < 0.6:
                at.append(Value(axis, self.position(axis)))
                continue
            place = self.place(axis, scope)
            if place is None:
                return Value("(1.0)", torch.ones([1] * len(AXES), dtype=torch.float64))
            at.append(place)
        self.check(torch.broadcast_shapes(*(each.of.shape for each in at)))
        inside, safe = torch.tensor(True), []
        for axis, place in zip(axes, at, strict=True):
            is_there = (place.of >= 0) & (place.of < self.lengths[axis])
            inside = inside & is_there
            safe.append(torch.where(is_there, place.of, 0))
        text = f"{name}[{', '.join(each.text for each in at)}]"
        found = torch.where(inside, of[tuple(torch.broadcast_tensors(*safe))], torch.zeros((), dtype=torch.float64))
        return Value(f"({text} else 0)" if any(each.outside for each in at) else text, found)

    def place(self, axis: str, scope: str) -> Value | None:
        """A whole number over axes in scope that points into `axis`; None where there is none."""
        if not scope or not self.lengths[axis]:
            return None
        own = self.some(scope, (1, 1, 1, 2))
        way = self.rng.random()
        length = self.lengths[axis]
        if way < 0.12:
            (index,) = self.some(own, (1,))
            position = self.position(index)
            return Value(f"({index} // 2) % size[{axis}]", (position // 2) % length)
        if way < 0.24:
            name = f"x{len(self.floats)}"
            array = self.numbers.uniform(0.05, 0.95, [self.lengths[each] for each in own])
            array += self.numbers.integers(0, max(length, 1), array.shape)
            self.floats[name] = own, torch.tensor(array, requires_grad=True)
            return Value(f"int(floor({name}))", spread(torch.tensor(array).floor().to(torch.int64), own))
        if way < 0.34 and self.integers:
            return self.through(axis, scope)
        base = self.known(axis, own)
        if way < 0.5:
            (index,) = self.some(scope, (1,))
            moved = base.of + self.position(index)
            if self.rng.random() < 0.5:
                return Value(f"({base.text} + {index}) % size[{axis}]", moved % length)
            return Value(f"{base.text} + {index} - 1", moved - 1, True)
        return base

    def known(self, axis: str, own: str) -> Value:
        """An operand of places in `axis`."""
        fitting = [name for name, (of, to) in self.integers.items() if of == own and to[0] == axis]
        if fitting and self.rng.random() < 0.6:
            name = self.rng.choice(fitting)
        else:
            name = f"a{len(self.integers)}"
            array = self.numbers.integers(0, self.lengths[axis] or 1, [self.lengths[each] for each in own])
            self.integers[name] = own, (axis, torch.tensor(array))
        return Value(f"{name}[{', '.join(own)}]", spread(self.integers[name][1][1], own))

    def through(self, axis: str, scope: str) -> Value | None:
        """A place that is read at a place."""
        (middle,) = self.some(AXES, (1,))
        (index,) = self.some(scope, (1,))
        if not self.lengths[middle]:
            return None
        outer, inner = self.known(axis, middle), self.known(middle, index)
        name = outer.text[: outer.text.index("[")]
        found = self.integers[name][1][1][inner.of]
        return Value(f"{name}[{inner.text}]", found)

    def reduced(self, scope: str, depth: int) -> Value:
        """A sum or an extreme over axes that are not in scope, of what meets a condition."""
        left = [axis for axis in AXES if axis not in scope]
        if not left:
            return self.leaf(scope)
        over = self.some(left, (1, 1, 2))
        inner = scope + over
        body = self.drawn(inner, depth - 1)
        conditions = [self.condition(inner, over, scope) for _ in range(self.rng.choice((0, 1, 1, 1, 2)))]
        kind = "sum" if self.sums_only else self.rng.choice(("sum", "sum", "sum", "max", "min"))
        nothing = {"sum": 0.0, "max": -50.0, "min": 50.0}[kind]
        text, of = body.text, body.of
        if conditions:
            joined = conditions[0]
            for each in conditions[1:]:
                sign = self.rng.choice(("and", "and", "or"))
                join = torch.logical_and if sign == "and" else torch.logical_or
                joined = Value(f"({joined.text} {sign} {each.text})", self.fits(join, joined.of, each.of))
            text = f"({joined.text} ? {text} : {nothing})"
            of = self.fits(torch.where, joined.of, of, torch.tensor(nothing, dtype=torch.float64))
        dimensions = [AXES.index(axis) for axis in over]
        shape = [self.lengths[axis] if axis in over else of.shape[at] for at, axis in enumerate(AXES)]
        self.check(shape)
        of = of.expand(shape)
        by: dict[str, Callable[..., Any]] = {"sum": torch.sum, "max": torch.amax, "min": torch.amin}
        return Value(f"{kind}[{', '.join(over)}]({text})", by[kind](of, dimensions, keepdim=True))

    def condition(self, scope: str, over: str = "", outer: str = "") -> Value:
        """Of an equality of places most often; of one with an index outside of a sum it is a scatter."""
        way = self.rng.random()
        if scope and way < 0.6:
            (axis,) = self.some(outer if outer and self.rng.random() < 0.7 else scope, (1,))
            place = self.place(axis, over or scope)
            if place is not None:
                sign = self.rng.choice(("==",) * 6 + ("!=", "<="))
                by = {"==": torch.eq, "!=": torch.ne, "<=": torch.le}[sign]
                found = self.fits(by, place.of, self.position(axis))
                if self.rng.random() < 0.2:
                    turned = {"==": "==", "!=": "!=", "<=": ">="}[sign]
                    return Value(f"{axis} {turned} {place.text}", found)
                return Value(f"{place.text} {sign} {axis}", found)
        if scope and way < 0.75:
            one, other = self.some(scope, (1,)), self.some(scope, (1,))
            return Value(f"{one} < {other} + 1", self.position(one) < self.position(other) + 1)
        value = self.leaf(scope)
        return Value(f"{value.text} > 0.1", value.of > 0.1)

    # --- of arrays ----------------------------------------------------------------------------------------------------

    def position(self, axis: str) -> Any:
        return spread(torch.arange(self.lengths[axis]), axis)

    def filled(self, value: Value, axes: str) -> Any:
        """A value with these axes alone, in this order."""
        found = value.of.expand([self.lengths[axis] if axis in axes else 1 for axis in AXES])
        order = [AXES.index(axis) for axis in axes]
        rest = [at for at in range(len(AXES)) if at not in order]
        return found.permute(*order, *rest).reshape([self.lengths[axis] for axis in axes])

    def fits(self, function: Callable[..., Any], *given: Any) -> Any:
        self.check(torch.broadcast_shapes(*(each.shape for each in given)))
        return function(*given)

    def check(self, shape: Sequence[int]) -> None:
        if np.prod(shape) > MOST_ELEMENTS:
            raise TooLarge


def spread(of: Any, axes: str) -> Any:
    """A tensor of these axes, with a dimension for each of AXES."""
    order = sorted(range(len(axes)), key=lambda at: AXES.index(axes[at]))
    shape = [of.shape[axes.index(axis)] if axis in axes else 1 for axis in AXES]
    return of.permute(order).reshape(shape)


def drawn(seed: int) -> Drawn:
    """The formula of a seed: the next one that is neither too long nor too large, and reads a float."""
    for again in range(1000):
        try:
            found = Drawn(seed + (again << 32))
        except TooLarge:
            continue
        if found.value.requires_grad and len(found.text()) < LONGEST:
            return found
    raise AssertionError(seed)


def tried(seed: int) -> tuple[str, list[Fault]]:
    """How the formula of a seed went, for the target of this process."""
    from netcl import core

    found = drawn(seed)
    try:
        wrong = _wrong(found)
    except core.NetclError as error:
        if "DeviceError" not in type(error).__name__:
            return f"refused: {str(error)[:100]}", []
        return "fault", [Fault("undocumented", "graphs", f"{error}\n{found.text()}")]
    except Exception as error:
        return "fault", [Fault("undocumented", "graphs", f"{type(error).__name__}: {error}\n{found.text()}")]
    return ("fault", [Fault("wrong", "graphs", f"{wrong}\n{found.text()} {found.lengths}")]) if wrong else ("right", [])


def _wrong(drawn: Drawn) -> str:
    """What is wrong: the value, a gradient, or a second one; "" where nothing is."""
    from netcl import autograd as ag
    from netcl import core, kernels

    op = kernels.compile(drawn.text()).f
    theirs = [of for _, of in drawn.floats.values()]
    ours = [ag.tensor(each.detach().numpy(), requires_grad=True) for each in theirs]
    places = [core.from_host(of.numpy()) for _, (_, of) in drawn.integers.values()]
    value = op(*ours, *places)
    if told := _apart("value", value.to_host(), drawn.value.detach().numpy()):
        return told
    total = (drawn.value * torch.tensor(drawn.weights)).sum()
    wanted = torch.autograd.grad(total, theirs, create_graph=True, materialize_grads=True)
    seeds = [core.from_host(drawn.weights)]
    found = ag.grad([value], ours, grad_outputs=seeds, create_graph=True, materialize_grads=True)
    for name, mine, right in zip(drawn.floats, found, wanted, strict=True):
        if told := _apart(f"gradient {name}", mine.to_host(), right.detach().numpy()):
            return told
    squares = sum((each**2).sum() for each in wanted)
    if not squares.requires_grad:
        return ""
    seconds = torch.autograd.grad(squares, theirs, materialize_grads=True)
    ours_squared = sum((each * each).sum() for each in found)
    # Gradients that depend on nothing are Tensors.
    is_linear = not isinstance(ours_squared, ag.Node)
    again = [each * 0 for each in found] if is_linear else ag.grad(ours_squared, ours, materialize_grads=True)
    for name, mine, right in zip(drawn.floats, again, seconds, strict=True):
        if told := _apart(f"second gradient {name}", mine.to_host(), right.numpy()):
            return told
    return ""


def _apart(name: str, found: np.ndarray, right: np.ndarray) -> str:
    if found.shape != right.shape:
        return f"{name}: shape {found.shape} instead of {right.shape}"
    if not found.size:
        return ""
    error = float(np.abs(found - right).max() / max(1.0, float(np.abs(right).max())))
    return "" if error < 1e-8 else f"{name}: off by {error:.2g} of the largest"
