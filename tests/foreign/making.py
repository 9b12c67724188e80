"""Programs at random: what people write, and what they write by mistake and still mean."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

from functions import LAST_STEPS, OWN, POINT_OPS, ROWS
from programs import (
    Apply,
    Choose,
    Define,
    Named,
    Node,
    Number,
    Op,
    Operand,
    Output,
    Position,
    Program,
    Read,
    Recurrence,
    Reduce,
    Running,
    Size,
    Use,
    Within,
    children,
    walk,
)  # fmt: skip

AXES = ("n", "k", "c", "t")
LENGTHS = (3, 2, 4, 1, 3, 5)
UNARY = (
    "neg", "square", "square", "abs", "sin", "tanh", "atan", "bump", "exp", "root", "log2p", "logistic", "ramp", "cos",
    "erf", "cube", "floor", "round", "sign", "detach", "copy",
)  # fmt: skip
BINARY = ("add", "mul", "sub", "mul", "add", "max", "min", "over", "power", "hypot", "angle")
NUMBERS = (2.0, 0.5, -1.5, 1.0, 0.0, 3.0, -0.25)


def program(seed: int) -> Program:
    """The program of a seed."""
    rng = random.Random(seed)
    lengths = {axis: rng.choice(LENGTHS) for axis in AXES}
    first = Maker(rng, lengths, "f").op()
    if rng.random() < 0.12:
        made = first.outputs[0]
        second = Maker(rng, lengths, "g", (Operand("fed", "float", made.axes),)).op()
        return Program((first, second), lengths)
    return Program((first,), lengths)


@dataclass
class Maker:
    rng: random.Random
    lengths: dict[str, int]
    name: str
    given: tuple[Operand, ...] = ()
    operands: list[Operand] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    statements: list[Define | Use] = field(default_factory=list)
    whole: list[Define] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)

    def op(self) -> Op:
        self.operands = list(self.given)
        for _ in range(self.rng.choice((0, 0, 1, 1, 2, 3))):
            self.statement()
        for at in range(self.rng.choice((1, 1, 1, 2))):
            axes = tuple(self.rng.sample(AXES, self.rng.choice((0, 1, 1, 2, 2))))
            self.output(("y", "z")[at], axes)
        made = Op(self.name, tuple(self.operands), tuple(self.statements), tuple(self.outputs), dict(self.aliases))
        made = replace(made, statements=needed(made))
        read = {node.operand for node in made.nodes() if isinstance(node, Read)}
        if not any(each.kind in ("float", "hole") and each.name in read for each in self.operands):
            return self.anew()
        kept = tuple(each for each in self.operands if each.name in read or each in self.given)
        made = replace(made, operands=kept)
        return replace(made, fixed=sizeless(made)) if len(kept) < 9 else self.anew()

    def anew(self) -> Op:
        return Maker(self.rng, self.lengths, self.name, self.given).op()

    # --- statements ---------------------------------------------------------------------------------------------------

    def output(self, name: str, axes: tuple[str, ...]) -> None:
        if self.rng.random() < 0.08:
            inner = Define(f"u{name}", self.number(axes, 2), axes)
            self.statements.append(inner)
            step = self.rng.choice(list(LAST_STEPS))
            self.outputs.append(Output(name, axes, Apply(LAST_STEPS[step].function, (Named(inner.name),)), step))
            return
        node = self.number(axes, self.rng.choice((1, 2, 2, 3, 3, 4)))
        if not any(isinstance(each, (Read, Named)) for each in walk(node)):
            node = Apply("add", (node, self.read(axes)))
        self.outputs.append(Output(name, axes, node))

    def statement(self) -> None:
        free = tuple(self.rng.sample(AXES, self.rng.choice((0, 1, 2, 2))))
        name = f"d{len(self.statements)}"
        kind = self.rng.choice(("define", "define", "point", "row", "own", "whole"))
        if kind == "whole" and free:
            node, target = self.place(free, 2)
            self.statements.append(Define(name, node, free))
            self.places[name] = target
        elif kind == "point":
            op = self.rng.choice(list(POINT_OPS))
            stress = POINT_OPS[op].stress and self.rng.random() < 0.3
            arguments = tuple(self.scaled(self.number(free, 1), stress) for _ in range(POINT_OPS[op].arity))
            self.statements.append(Use(name, op, arguments, free))
        elif kind == "own":
            self.statements.append(Use(name, self.rng.choice(list(OWN)), (self.number(free, 1),), free))
        elif kind == "row" and free:
            self.row(name, free)
        else:
            self.statements.append(Define(name, self.number(free, self.rng.choice((1, 2, 3))), free))

    def scaled(self, node: Node, stress: bool) -> Node:
        return Apply("mul", (Number(1000.0), node)) if stress else node

    def row(self, name: str, free: tuple[str, ...]) -> None:
        op = self.rng.choice(list(ROWS))
        kind = ROWS[op]
        row = free[-1]
        argument: Node = self.plain(free)
        if self.rng.random() < 0.6:
            node = self.scaled(self.number(free, 1), kind.stress and self.rng.random() < 0.3)
            inner = Define(f"{name}_in", Apply("add", (node, Apply("mul", (Number(0.0), argument)))), free)
            self.statements.append(inner)
            argument = Named(inner.name)
        arguments = (argument, self.plain((row,)))[: kind.arity]
        result = free[:-1] if kind.reduces else free
        self.statements.append(Use(name, op, arguments, result, row))

    # --- numbers ------------------------------------------------------------------------------------------------------

    def number(self, scope: tuple[str, ...], depth: int) -> Node:
        """A float over some of the indices in scope."""
        if depth <= 0:
            return self.leaf(scope)
        kind = self.rng.choice((
            "leaf", "unary", "unary", "binary", "binary", "binary", "choose", "guarded", "reduce", "reduce", "extreme",
            "running", "running", "sorted", "products", "recurrence", "pairs", "scatter", "masked", "within",
        ))  # fmt: skip
        return getattr(self, f"make_{kind}")(scope, depth) or self.make_binary(scope, depth)

    def make_leaf(self, scope: tuple[str, ...], depth: int) -> Node:
        return self.leaf(scope)

    def make_unary(self, scope: tuple[str, ...], depth: int) -> Node:
        return Apply(self.rng.choice(UNARY), (self.number(scope, depth - 1),))

    def make_binary(self, scope: tuple[str, ...], depth: int) -> Node:
        function = self.rng.choice(BINARY)
        left, right = self.number(scope, depth - 1), self.number(scope, self.rng.choice((0, depth - 1)))
        if function == "power":
            right = Number(self.rng.choice((0.5, -1.5, 2.0, -1.0, 1.0, 0.0)))
        return Apply(function, (left, right))

    def make_choose(self, scope: tuple[str, ...], depth: int) -> Node:
        yes, no = self.number(scope, depth - 1), self.number(scope, self.rng.choice((0, depth - 1)))
        return Choose(self.condition(scope, depth - 1), yes, no)

    def make_guarded(self, scope: tuple[str, ...], depth: int) -> Node:
        """A function with a domain, under a condition that its argument is in it, perhaps for all of a reducer's."""
        function, condition = self.rng.choice((
            ("log", lambda x: Apply("greater", (x, Number(0.0)))),
            ("sqrt", lambda x: Apply("greater", (x, Number(0.0)))),
            ("rsqrt", lambda x: Apply("greater", (x, Number(0.0)))),
            ("inverse", lambda x: Apply("unequal", (x, Number(0.0)))),
            ("asin", lambda x: Apply("less", (Apply("abs", (x,)), Number(1.0)))),
            ("acosh", lambda x: Apply("greater", (x, Number(1.0)))),
        ))  # fmt: skip
        bound = self.bound(scope)
        if bound is not None and self.rng.random() < 0.5:
            argument = (
                self.plain((*scope[:1], bound)) if self.rng.random() < 0.6 else self.number((*scope, bound), depth - 2)
            )
            inner = Apply(function, (argument,))
            if self.rng.random() < 0.5:
                inner = Apply("mul", (inner, self.leaf((*scope, bound))))
            kind = self.rng.choice(("max", "min", "sum", "prod", "first_max", "max"))
            guard = Reduce("all", (bound,), condition(argument))
            return Choose(guard, Reduce(kind, (bound,), inner), self.leaf(scope))
        argument = self.number(scope, depth - 1)
        return Choose(condition(argument), Apply(function, (argument,)), self.leaf(scope))

    def make_masked(self, scope: tuple[str, ...], depth: int) -> Node:
        """An operand that holds anything where its mask is false, read where it is true."""
        axes = self.some(scope, 2)
        if not axes:
            return None
        mask = self.operand("bool", axes)
        hole = self.operand("hole", axes, target=mask)
        places = tuple(Position(each) for each in axes)
        inside: Node = Read(hole, places)
        if self.rng.random() < 0.5:
            inside = Apply(self.rng.choice(("mul", "add", "max")), (inside, self.number(scope, depth - 1)))
        choice = Choose(Read(mask, places), inside, self.rng.choice((Number(0.0), self.leaf(scope))))
        bound = [each for each in axes if each == axes[-1]]
        if self.rng.random() < 0.4 and axes[-1] in AXES and len(bound) == 1:
            return Reduce(self.rng.choice(("sum", "max", "min", "prod")), (axes[-1],), choice)
        return choice

    def make_reduce(self, scope: tuple[str, ...], depth: int) -> Node:
        over = self.bounds(scope)
        if not over:
            return None
        kind = self.rng.choice(("sum", "sum", "max", "min", "prod", "first_max", "first_min", "max"))
        body = self.number((*scope, *over), depth - 1)
        if kind == "prod" and self.rng.random() < 0.7:
            body = Apply("add", (Number(1.0), Apply("mul", (Number(0.5), body))))
        return self.reduced(kind, over, body)

    def make_extreme(self, scope: tuple[str, ...], depth: int) -> Node:
        """An extreme of sums of products, or of running values; also two deep."""
        outer = self.bound(scope)
        inner = self.bound((*scope, outer)) if outer else None
        if inner is None:
            return None
        wide = (*scope, outer, inner)
        body: Node = Apply("mul", (self.leaf(wide), self.read((inner, *self.some(scope, 1)))))
        if self.rng.random() < 0.3:
            body = self.number(wide, depth - 2)
        total = self.reduced(self.rng.choice(("sum", "sum", "max")), (inner,), body)
        if self.rng.random() < 0.5:
            total = Apply(self.rng.choice(("square", "abs", "root", "neg")), (total,))
        kind = self.rng.choice(("max", "min", "max", "first_max", "sum"))
        return self.reduced(kind, (outer,), total)

    def make_products(self, scope: tuple[str, ...], depth: int) -> Node:
        bound = self.bound(scope)
        if bound is None:
            return None
        body: Node = self.read((*self.some(scope, 1), bound))
        for _ in range(self.rng.choice((1, 1, 2))):
            body = Apply("mul", (body, self.read((bound, *self.some(scope, 1)))))
        if self.rng.random() < 0.25:
            body = Choose(self.condition((*scope, bound), 1), body, Number(0.0))
        return self.reduced("sum", (bound,), body)

    def make_running(self, scope: tuple[str, ...], depth: int) -> Node:
        """A running value as far as an index in scope, or one that a reducer around it binds."""
        if not scope:
            return None
        to = self.rng.choice(scope)
        index = self.alias(to, scope)
        if index is None:
            return None
        body_scope = tuple(each for each in scope if each != to or self.rng.random() < 0.25)
        body = self.number((*body_scope, index), depth - 1)
        kind = self.rng.choice(("sum", "sum", "max", "min", "prod", "max"))
        if kind == "prod":
            body = Apply("add", (Number(1.0), Apply("mul", (Number(0.5), body))))
        sign = self.rng.choice(("<=", "<=", "<", ">=", ">"))
        node = Running(kind, index, sign, to, self.mention(body, index))
        if sign in ("<", ">") and kind in ("max", "min"):
            return Choose(Apply("finite", (node,)), node, self.leaf(scope))
        return node

    def make_recurrence(self, scope: tuple[str, ...], depth: int) -> Node:
        if not scope:
            return None
        to = self.rng.choice(scope)
        index = self.alias(to, scope)
        if index is None:
            return None
        inner = (*(each for each in scope if each != to), index)
        factor = self.number(inner, 1) if self.rng.random() < 0.7 else self.read((index,))
        term = self.mention(self.number(inner, depth - 1), index)
        return Recurrence(index, self.rng.choice(("<=", "<=", ">=")), to, self.mention(factor, index), term)

    def make_sorted(self, scope: tuple[str, ...], depth: int) -> Node:
        """An operand read at the places of a sorted order."""
        if not scope:
            return None
        to = self.rng.choice(scope)
        index = self.alias(to, scope)
        if index is None:
            return None
        rest = tuple(each for each in scope if each != to)
        axes = (*self.some(rest, 1), index)
        key = self.read(axes) if self.rng.random() < 0.6 else self.mention(self.number((*rest, index), 1), index)
        order = Running("argsort", index, self.rng.choice(("<=", ">=")), to, key)
        others = [each for each in axes if each != index]
        name = self.operand("float", tuple(self.owner(each) for each in (*others, to)))
        return Read(name, (*(Position(each) for each in others), order))

    def make_pairs(self, scope: tuple[str, ...], depth: int) -> Node:
        """Over two indices of one axis."""
        axis = self.rng.choice(AXES)
        one = self.alias(axis, scope)
        other = self.alias(axis, (*scope, one)) if one else None
        if one is None or other is None:
            return None
        extra = self.some(scope, 1)
        name = self.operand("float", (axis, *(self.owner(each) for each in extra)))
        places = tuple(Position(each) for each in extra)
        left, right = Read(name, (Position(one), *places)), Read(name, (Position(other), *places))
        apart = Apply("square", (Apply("sub", (left, right)),))
        body: Node = Choose(
            Apply(self.rng.choice(("less", "unequal")), (Position(one), Position(other))),
            Apply(self.rng.choice(("bump", "root", "log2p", "neg")), (apart,)), self.rng.choice((Number(0.0), left)),
        )  # fmt: skip
        kind = self.rng.choice(("sum", "sum", "max", "min"))
        return Reduce(kind, (one, other), body)

    def make_scatter(self, scope: tuple[str, ...], depth: int) -> Node:
        """What is written to the place that an integer operand names; also a segment's extreme."""
        targets = [each for each in scope if each in AXES]
        bound = self.bound(scope)
        if not targets or bound is None:
            return None
        target = self.rng.choice(targets)
        at = Read(self.operand("int", (self.owner(bound),), target=target), (Position(bound),))
        kind, other = self.rng.choice((("sum", 0.0), ("sum", 0.0), ("max", -1.0), ("prod", 1.0), ("min", 8.0)))
        body = Choose(Apply("equal", (at, Position(target))), self.number((*scope, bound), depth - 1), Number(other))
        return Reduce(kind, (bound,), body)

    def make_within(self, scope: tuple[str, ...], depth: int) -> Node:
        """Window, affine place, or a place that wraps."""
        if not scope:
            return None
        index = self.rng.choice(scope)
        axis = self.rng.choice(AXES)
        place: Node = Position(index)
        if self.rng.random() < 0.5:
            place = Apply("whole mul", (place, Number(self.rng.choice((2, 3, -1)))))
        if self.rng.random() < 0.4:
            other = self.bound(scope)
            if other is not None:
                place = Apply("whole add", (place, Position(other)))
                place = Apply("whole sub", (place, Number(1)))
                name = self.operand("float", (axis,))
                read = Read(name, (place,), self.rng.choice((Number(0.0), Number(-1.5))))
                body: Node = Apply("mul", (read, self.leaf((*scope, other))))
                return self.reduced(self.rng.choice(("sum", "max")), (other,), body)
        place = Apply("whole add", (place, Number(self.rng.choice((0, 1, -1, -2)))))
        name = self.operand("float", (axis,))
        if self.rng.random() < 0.3:
            clamped = Apply(
                "whole min", (Apply("whole max", (place, Number(0))), Apply("whole sub", (Size(axis), Number(1))))
            )
            return Read(name, (clamped,))
        if self.rng.random() < 0.4:
            size = Size(axis)
            inside = Apply("and", (Apply("least", (place, Number(0))), Apply("less", (place, size))))
            return Choose(inside, Read(name, (place,)), self.leaf(scope))
        return Read(name, (place,), self.rng.choice((Number(0.0), Number(1.5), Read(self.operand("float", ()), ()))))

    # --- leaves -------------------------------------------------------------------------------------------------------

    def leaf(self, scope: tuple[str, ...]) -> Node:
        kind = self.rng.choice(("read", "read", "read", "named", "named", "number", "position", "gather", "output"))
        if kind == "number":
            return Number(self.rng.choice(NUMBERS))
        if kind == "position" and scope:
            return Apply("mul", (Number(0.25), Apply("float", (Position(self.rng.choice(scope)),))))
        if kind == "named":
            known = [each for each in self.statements if set(each.free) <= set(scope) and each.name not in self.places]
            if known:
                return Named(self.rng.choice(known).name)
        if kind == "output":
            outputs = [each for each in self.outputs if set(each.axes) <= set(scope)]
            if outputs:
                return Named(self.rng.choice(outputs).name)
        if kind == "gather" and scope:
            return self.gather(scope)
        return self.read(self.some(scope, 2))

    def gather(self, scope: tuple[str, ...]) -> Node:
        """An element at a place that is read or computed, among places at indices."""
        place, target = self.place(scope, 1)
        others = self.some(scope, 1)
        axes = (*(self.owner(each) for each in others), target)
        places: tuple[Node, ...] = (*(Position(each) for each in others), place)
        if self.rng.random() < 0.5:
            axes, places = axes[::-1], places[::-1]
        return Read(self.operand("float", axes), places)

    def place(self, scope: tuple[str, ...], depth: int) -> tuple[Node, str]:
        """An integer that is a place in an axis."""
        known = [each.name for each in self.statements if each.name in self.places and set(each.free) <= set(scope)]
        kind = self.rng.choice(("read", "named", "argmax", "within", "read"))
        if kind == "named" and known:
            name = self.rng.choice(known)
            return Named(name), self.places[name]
        bound = self.bound(scope)
        if kind == "argmax" and bound in AXES and bound is not None:
            body = self.number((*scope, bound), depth - 1)
            node = Reduce(self.rng.choice(("argmax", "argmin")), (bound,), body)
            return (self.mentioned(node, bound), bound) if depth else (node, bound)
        target = self.rng.choice(AXES)
        axes = self.some(scope, 2)
        name = self.operand("int", tuple(self.owner(each) for each in axes), target=target)
        read = Read(name, tuple(Position(each) for each in axes))
        if kind == "within":
            return Within(target, Apply("whole sub", (read, self.rng.choice((Number(0), Size(target)))))), target
        return read, target

    def condition(self, scope: tuple[str, ...], depth: int) -> Node:
        kind = self.rng.choice(
            ("compare", "compare", "mask", "places", "parity", "and", "not", "equal", "any", "count")
        )
        if kind == "mask":
            axes = self.some(scope, 2)
            return Read(
                self.operand("bool", tuple(self.owner(each) for each in axes)), tuple(Position(a) for a in axes)
            )
        if kind == "places" and scope:
            left, right = self.rng.choice(scope), self.rng.choice(scope)
            shifted = Apply("whole add", (Position(left), Number(self.rng.choice((0, 1, 2)))))
            return Apply(self.rng.choice(("less", "most", "greater", "equal")), (shifted, Position(right)))
        if kind == "parity" and scope:
            return Apply("equal", (Apply("parity", (Position(self.rng.choice(scope)),)), Number(0)))
        if kind == "and" and depth > 0:
            parts = (self.condition(scope, depth - 1), self.condition(scope, depth - 1))
            return Apply(self.rng.choice(("and", "or")), parts)
        if kind == "not" and depth > 0:
            return Apply("not", (self.condition(scope, depth - 1),))
        if kind == "equal":
            return Apply(self.rng.choice(("equal", "unequal")), (self.number(scope, min(depth, 1)), self.leaf(scope)))
        if kind == "any" and depth > 0:
            bound = self.bound(scope)
            if bound is not None:
                body = self.mention_condition(self.condition((*scope, bound), depth - 1), bound)
                return Reduce(self.rng.choice(("any", "all")), (bound,), body)
        left, right = self.number(scope, min(depth, 1)), self.leaf(scope)
        return Apply(self.rng.choice(("less", "most", "greater", "least")), (left, right))

    # --- indices and operands -----------------------------------------------------------------------------------------

    places: dict[str, str] = field(default_factory=dict)

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
        return Read(self.operand("float", axes), tuple(Position(each) for each in axes))

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


def needed(op: Op) -> tuple[Define | Use, ...]:
    """The statements that an output needs."""
    wanted = {node.name for output in op.outputs for node in walk(output.node) if isinstance(node, Named)}
    kept: list[Define | Use] = []
    for each in reversed(op.statements):
        if each.name in wanted:
            kept.append(each)
            tops = each.arguments if isinstance(each, Use) else (each.node,)
            wanted |= {node.name for top in tops for node in walk(top) if isinstance(node, Named)}
    return tuple(reversed(kept))


def sizeless(op: Op) -> tuple[str, ...]:
    """The aliases at which no operand is read as they are, so that a `where` has to give their length."""
    sized = {
        (place.index, axis)
        for node in op.nodes() if isinstance(node, Read)
        for operand in op.operands if operand.name == node.operand
        for place, axis in zip(node.places, operand.axes, strict=True) if isinstance(place, Position)
    }  # fmt: skip
    running = {node.index for node in op.nodes() if isinstance(node, (Running, Recurrence))}
    return tuple(each for each, axis in op.aliases.items() if (each, axis) not in sized and each not in running)
