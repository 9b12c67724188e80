"""Formulas at random: each `make_` gives one construct over the indices in scope, or None where that does not fit."""

from __future__ import annotations

from indices import AXES, Indices
from programs import (
    Apply,
    Choose,
    Named,
    Node,
    Number,
    Position,
    Read,
    Recurrence,
    Reduce,
    Running,
    Size,
    Within,
)  # fmt: skip

UNARY = (
    "neg", "square", "square", "abs", "sin", "tanh", "atan", "bump", "exp", "root", "log2p", "logistic", "ramp", "cos",
    "erf", "cube", "floor", "round", "sign", "detach", "copy",
)  # fmt: skip
BINARY = ("add", "mul", "sub", "mul", "add", "max", "min", "over", "power", "hypot", "angle")
NUMBERS = (2.0, 0.5, -1.5, 1.0, 0.0, 3.0, -0.25)


class Formulas(Indices):
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
        kind = self.rng.choice(("sum", "sum", "max", "min", "prod", "max", "first_max"))
        if kind == "prod":
            body = Apply("add", (Number(1.0), Apply("mul", (Number(0.5), body))))
        sign = self.rng.choice(("<=", "<=", "<", ">=", ">"))
        node = Running(kind, index, sign, to, self.mention(body, index))
        if sign in ("<", ">") and kind in ("max", "min", "first_max"):
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

    # --- leaves, places and conditions --------------------------------------------------------------------------------

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
        kind = self.rng.choice(("read", "named", "argmax", "within", "read", "running"))
        if kind == "named" and known:
            name = self.rng.choice(known)
            return Named(name), self.places[name]
        if kind == "running" and scope:
            to = self.rng.choice(scope)
            index = self.alias(to, scope)
            if index is not None:
                body = self.mention(self.number((*(each for each in scope if each != to), index), depth - 1), index)
                kind, sign = self.rng.choice(("argmax", "argmin")), self.rng.choice(("<=", ">="))
                return Running(kind, index, sign, to, body), self.owner(to)
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
            ("compare", "compare", "compare", "mask", "places", "parity", "and", "not", "equal", "any", "running")
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
        if kind == "running" and scope:
            to = self.rng.choice(scope)
            index = self.alias(to, scope)
            if index is not None:
                rest = tuple(each for each in scope if each != to)
                body = self.mention_condition(self.condition((*rest, index), depth - 1), index)
                sign = self.rng.choice(("<=", "<", ">=", ">"))
                return Running(self.rng.choice(("any", "all")), index, sign, to, body)
        left, right = self.number(scope, min(depth, 1)), self.leaf(scope)
        return Apply(self.rng.choice(("less", "most", "greater", "least")), (left, right))
