"""What the formulas of a random program read: indices, aliases, operands."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

from programs import (
    Apply,
    Define,
    Named,
    Node,
    Number,
    Operand,
    Output,
    Position,
    Read,
    Recurrence,
    Reduce,
    Running,
    Size,
    Use,
    children,
)

AXES = ("n", "k", "c", "t")


@dataclass
class Indices:
    """An op that is being made: what it has so far, and where decisions come from."""

    rng: random.Random
    lengths: dict[str, int]
    name: str
    given: tuple[Operand, ...] = ()
    operands: list[Operand] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    statements: list[Define | Use] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)
    """Definitions that are places, and the axes in which they are."""
    moves: random.Random = field(default_factory=random.Random)
    """Where it is decided which definitions are read at other places: apart, so that the rest of a seed stays."""

    def some(self, scope: tuple[str, ...], most: int) -> tuple[str, ...]:
        many = self.rng.choice(range(min(most, len(scope)) + 1)) if self.rng.random() < 0.4 else min(most, len(scope))
        return tuple(self.rng.sample(scope, many))

    def owner(self, index: str) -> str:
        return self.aliases.get(index, index)

    def operand(self, kind: str, axes: tuple[str, ...], target: str = "") -> str:
        axes = tuple(self.owner(each) for each in axes)
        alike = [
            o.name for o in self.operands if (o.kind, o.axes) == (kind, axes) and (o.target == target or not target)
        ]
        if alike and self.rng.random() < 0.6:
            return self.rng.choice(alike)
        stem = {"float": "a", "int": "at", "bool": "is", "hole": "h"}[kind]
        name = f"{stem if self.name == 'f' else stem + '_'}{len(self.operands)}"  # the ops of a chain share no names
        self.operands.append(Operand(name, kind, axes, target))
        return name

    def plain(self, axes: tuple[str, ...]) -> Node:
        name = self.operand("float", axes)
        same = axes == tuple(self.owner(each) for each in axes) and len(set(axes)) == len(axes)
        return Read(name, tuple(Position(each) for each in axes), bare=same and self.rng.random() < 0.15)

    def read(self, axes: tuple[str, ...]) -> Node:
        """An element over these axes: mostly as they are, also turned around or on the diagonal."""
        if axes and self.rng.random() < 0.15:
            which = self.rng.randrange(len(axes))
            places: list[Node] = [Position(each) for each in axes]
            last = Apply("whole sub", (Size(self.owner(axes[which])), Number(1)))
            places[which] = Apply("whole sub", (last, places[which]))
            return Read(self.operand("float", axes), tuple(places))
        if len(axes) == 1 and self.rng.random() < 0.1:
            return Read(self.operand("float", (axes[0], axes[0])), (Position(axes[0]), Position(axes[0])))
        return self.plain(axes)

    def bound(self, scope: tuple[str, ...]) -> str | None:
        """An index for a reducer: an axis that is not in scope, or another name for any."""
        free = [each for each in AXES if each not in scope]
        if free and self.rng.random() < 0.75:
            return self.rng.choice(free)
        return self.alias(self.rng.choice(AXES), scope)

    def bounds(self, scope: tuple[str, ...]) -> tuple[str, ...]:
        first = self.bound(scope)
        if first is None:
            return ()
        second = self.bound((*scope, first)) if self.rng.random() < 0.2 else None
        return (first,) if second is None else (first, second)

    def alias(self, axis: str, scope: tuple[str, ...]) -> str | None:
        axis = self.owner(axis)
        for mark in ("1", "2", "3"):
            name = axis + mark
            if name not in scope:
                self.aliases[name] = axis
                return name
        return None

    def reduced(self, kind: str, over: tuple[str, ...], body: Node) -> Node:
        for index in over:
            body = self.mention(body, index)
        return Reduce(kind, over, body)

    def mention(self, body: Node, index: str) -> Node:
        """A body that reads along the index; without it, mostly, an operand is put beside it."""
        if self.rng.random() < 0.1 or self.mentions(body, index):
            return body
        return Apply(self.rng.choice(("add", "mul")), (body, self.plain((index,))))

    def mentioned(self, node: Reduce, index: str) -> Reduce:
        return replace(node, body=self.mention(node.body, index))

    def mention_condition(self, node: Node, index: str) -> Node:
        if self.mentions(node, index):
            return node
        return Apply("or", (node, Apply("greater", (self.plain((index,)), Number(0.0)))))

    def mentions(self, node: Node, index: str) -> bool:
        if isinstance(node, Position):
            return node.index == index
        if isinstance(node, Named):
            free = {each.name: each.free for each in self.statements} | {each.name: each.axes for each in self.outputs}
            return index in free[node.name]
        if isinstance(node, (Reduce, Running, Recurrence)) and index in getattr(
            node, "over", (getattr(node, "index", ""),)
        ):
            return False
        return getattr(node, "to", None) == index or any(self.mentions(child, index) for child in children(node))
