"""What a program means, in plain loops over Python numbers: one element at a time, with an index for each name.

It has values alone; gradients and tangents come from differences. `use` and declared gradients are left to PyTorch's.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from functions import FUNCTIONS
from programs import (
    Apply,
    Choose,
    Define,
    Moved,
    Named,
    Node,
    Number,
    Op,
    Position,
    Program,
    Read,
    Recurrence,
    Reduce,
    Running,
    Size,
    Use,
    Within,
)

Array = np.ndarray[Any, Any]
Scalar = Any
INF = math.inf


class Outside(Exception):
    """An element is read outside of an axis that has no `else`: a call would be refused."""


MEANINGS: dict[str, Callable[..., Scalar]] = {
    "neg": operator.neg,
    "square": lambda x: x * x,
    "cube": lambda x: x * x * x,
    "abs": abs,
    "copy": lambda x: x,
    "detach": lambda x: x,
    "sign": lambda x: float((x > 0) - (x < 0)),
    "floor": lambda x: float(math.floor(x)),
    "round": lambda x: float(round(x)),
    "float": float,
    "sin": math.sin,
    "cos": math.cos,
    "tanh": math.tanh,
    "atan": math.atan,
    "erf": math.erf,
    "bump": lambda x: math.exp(-x * x),
    "exp": lambda x: math.exp(0.25 * x),
    "root": lambda x: math.sqrt(1 + x * x),
    "log2p": lambda x: math.log1p(x * x),
    "logistic": lambda x: 1 / (1 + math.exp(-x)),
    "ramp": lambda x: x if x > 0 else 0.0,
    "log": math.log,
    "sqrt": math.sqrt,
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "inverse": lambda x: 1 / x,
    "asin": math.asin,
    "acosh": math.acosh,
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "max": max,
    "min": min,
    "over": lambda a, b: a / (1 + b * b),
    "div": operator.truediv,
    "power": lambda a, b: (1 + a * a) ** b,
    "hypot": lambda a, b: math.sqrt(1 + a * a + b * b),
    "angle": lambda a, b: math.atan2(a, 1 + b * b),
    "less": operator.lt,
    "most": operator.le,
    "greater": operator.gt,
    "least": operator.ge,
    "equal": operator.eq,
    "unequal": operator.ne,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "not": operator.not_,
    "finite": math.isfinite,
    "whole add": operator.add,
    "whole sub": operator.sub,
    "whole mul": operator.mul,
    "halved": lambda a: a // 2,
    "parity": lambda a: a % 2,
    "whole min": min,
    "whole max": max,
}
assert MEANINGS.keys() == FUNCTIONS.keys()


def speaks_of(program: Program) -> bool:
    """Whether a program has only what this oracle knows."""
    ops = program.ops
    return len(ops) == 1 and not any(isinstance(s, Use) for s in ops[0].statements) and not declares(ops[0])


def declares(op: Op) -> bool:
    return any(each.declared for each in op.outputs)


def outputs(program: Program, arrays: Mapping[str, Array], lengths: Mapping[str, int]) -> dict[str, Array]:
    """The outputs of a program of one op."""
    [op] = program.ops
    oracle = Oracle(op, arrays, lengths)
    found = {}
    for each in op.outputs:
        made = np.zeros([lengths[axis] for axis in each.axes])
        for places in itertools.product(*(range(lengths[axis]) for axis in each.axes)):
            made[places] = oracle.of(each.node, dict(zip(each.axes, places, strict=True)))
        found[each.name] = made
    return found


class Oracle:
    def __init__(self, op: Op, arrays: Mapping[str, Array], lengths: Mapping[str, int]) -> None:
        self.arrays = arrays
        self.lengths = {index: lengths[op.aliases.get(index, index)] for index in op.indices()}
        self.nodes = {each.name: each.node for each in op.outputs}
        self.nodes |= {each.name: each.node for each in op.statements if isinstance(each, Define)}

    def of(self, node: Node, at: Mapping[str, int]) -> Scalar:
        """The value of a node where every index in scope has its place."""
        if isinstance(node, Number):
            return node.value
        if isinstance(node, Position):
            return at[node.index]
        if isinstance(node, Size):
            return self.lengths[node.index]
        if isinstance(node, Within):
            place, length = self.of(node.place, at), self.lengths[node.index]
            if not -length <= place < length:
                raise Outside
            return place % length
        if isinstance(node, Moved):
            return self.moved(node, at)
        if isinstance(node, Named):
            return self.of(self.nodes[node.name], at)
        if isinstance(node, Read):
            return self.read(node, at)
        if isinstance(node, Apply):
            return MEANINGS[node.function](*(self.of(each, at) for each in node.arguments))
        if isinstance(node, Choose):
            return self.of(node.yes if self.of(node.condition, at) else node.no, at)
        if isinstance(node, Reduce):
            return self.reduced(node.kind, [self.of(node.body, inner) for inner in self.over(node.over, at)])
        if isinstance(node, Running):
            return self.running(node, at)
        if isinstance(node, Recurrence):
            held = 0.0
            for inner in self.up_to(node, at):
                held = self.of(node.factor, inner) * held + self.of(node.term, inner)
            return held
        raise TypeError(f"no meaning for {node!r}")

    def read(self, node: Read, at: Mapping[str, int]) -> Scalar:
        array = self.arrays[node.operand]
        places = tuple(self.of(each, at) for each in node.places)
        if all(0 <= place < length for place, length in zip(places, array.shape, strict=True)):
            return array[places].item()
        if node.otherwise is None:
            raise Outside
        return self.of(node.otherwise, at)

    def moved(self, node: Moved, at: Mapping[str, int]) -> Scalar:
        place = self.of(node.place, at)
        if 0 <= place < self.lengths[node.index]:
            return self.of(self.nodes[node.name], {**at, node.index: place})
        if node.otherwise is None:
            raise Outside
        return self.of(node.otherwise, at)

    def running(self, node: Running, at: Mapping[str, int]) -> Scalar:
        if node.kind != "argsort":
            places = list(self.up_to(node, at))
            found = self.reduced(node.kind, [self.of(node.body, inner) for inner in places])
            return places[found][node.index] if node.kind.startswith("arg") else found
        keys = [self.of(node.body, inner) for inner in self.over((node.index,), at)]
        descending = node.sign == ">="
        order = sorted(range(len(keys)), key=keys.__getitem__, reverse=descending)  # equal ones stay as they stood
        return order[at[node.to]]

    def over(self, indices: tuple[str, ...], at: Mapping[str, int]) -> Iterator[Mapping[str, int]]:
        for places in itertools.product(*(range(self.lengths[index]) for index in indices)):
            yield {**at, **dict(zip(indices, places, strict=True))}

    def up_to(self, node: Running | Recurrence, at: Mapping[str, int]) -> Iterator[Mapping[str, int]]:
        """The places that count, in the order in which they are met."""
        end = at[node.to]
        counts = {"<=": operator.le, "<": operator.lt, ">=": operator.ge, ">": operator.gt}[node.sign]
        places = [place for place in range(self.lengths[node.index]) if counts(place, end)]
        for place in places if node.sign in ("<=", "<") else reversed(places):
            yield {**at, node.index: place}

    def reduced(self, kind: str, values: list[Scalar]) -> Scalar:
        if kind in ("any", "all"):
            return any(values) if kind == "any" else all(values)
        if kind in ("argmax", "argmin"):
            if not values:
                raise Outside
            return values.index(max(values) if kind == "argmax" else min(values))
        if kind == "sum":
            return sum(values)
        if kind == "prod":
            return math.prod(values)
        return max(values, default=-INF) if kind.endswith("max") else min(values, default=INF)
