"""Programs at random: what people write, and what they write by mistake and still mean."""

from __future__ import annotations

import random
from dataclasses import replace

from formulas import Formulas
from functions import LAST_STEPS, OWN, POINT_OPS, ROWS
from indices import AXES
from programs import (
    Apply,
    Define,
    Moved,
    Named,
    Node,
    Number,
    Op,
    Operand,
    Output,
    Position,
    Program,
    Read,
    Reduce,
    Size,
    Use,
    indices_of,
    rebuilt,
    walk,
)

LENGTHS = (3, 2, 4, 1, 3, 5)
LONG = (16, 17, 21, 33, 37, 50)
"""Of one axis of every second program: whole vectors, and what is left behind them."""
LONGEST = 450


def program(seed: int) -> Program:
    """The program of a seed."""
    rng, moves = random.Random(seed), random.Random(f"moved definitions of {seed}")
    lengths = {axis: rng.choice(LENGTHS) for axis in AXES}
    first = Maker(rng, lengths, "f", moves=moves).op()
    ops = (first,)
    if rng.random() < 0.12:
        ops = (first, Maker(rng, lengths, "g", (Operand("fed", "float", first.outputs[0].axes),), moves=moves).op())
    packs = [axis for axis in AXES if all(may_be_a_pack(op, axis) for op in ops)]
    made = Program(ops, lengths, pack=rng.choice(packs) if packs and rng.random() < 0.25 else "")
    if seed % 2:
        another = random.Random(f"a long axis of {seed}")
        made = replace(made, lengths={**lengths, another.choice(AXES): another.choice(LONG)})
    # Longer ones compile for seconds.
    return made if len(made.text()) < LONGEST else program(seed + (1 << 32))


class Maker(Formulas):
    def op(self) -> Op:
        self.operands = list(self.given)
        for _ in range(self.rng.choice((0, 0, 1, 1, 2, 3))):
            self.statement()
        for at in range(self.rng.choice((1, 1, 1, 2))):
            axes = tuple(self.rng.sample(AXES, self.rng.choice((0, 1, 1, 2, 2))))
            self.output(("y", "z")[at], axes)
        made = Op(self.name, tuple(self.operands), tuple(self.statements), tuple(self.outputs), dict(self.aliases))
        made = declaring_whole(replace(made, statements=needed(made)))
        read = {node.operand for node in made.nodes() if isinstance(node, Read)}
        if not any(each.kind in ("float", "hole") and each.name in read for each in self.operands):
            return self.anew()
        kept = tuple(each for each in self.operands if each.name in read or each in self.given)
        made = replace(made, operands=kept)
        return self.moved(replace(made, fixed=sizeless(made))) if len(kept) < 9 else self.anew()

    def anew(self) -> Op:
        return Maker(self.rng, self.lengths, self.name, self.given, moves=self.moves).op()

    def moved(self, op: Op) -> Op:
        """The op, perhaps with definitions that are read at other places along one of their indices: those that it has,
        and what an output is, which becomes a definition."""
        if self.moves.random() < 0.3:
            op = self.differing(op)
        own = {each.node.arguments[0].name for each in op.outputs if each.declared}
        free = {
            each.name: each.free
            for each in op.statements
            if isinstance(each, Define) and each.free and each.name not in own and each.name not in self.places
        }

        def change(node: Node) -> Node:
            if not isinstance(node, Named):
                return rebuilt(node, change)
            return self.elsewhere(node, free[node.name]) if node.name in free and self.moves.random() < 0.5 else node

        statements = [replace(each, node=change(each.node)) if isinstance(each, Define) else each
                      for each in op.statements]  # fmt: skip
        outputs = [each if each.declared else replace(each, node=change(each.node)) for each in op.outputs]
        return replace(op, statements=tuple(statements), outputs=tuple(outputs))

    def differing(self, op: Op) -> Op:
        """An output made of two of what it was: one of them may then be read at another place."""
        at = self.moves.randrange(len(op.outputs))
        output = op.outputs[at]
        if output.declared or not output.axes:
            return op
        inner = Define(f"w{output.name}", output.node, output.axes)
        both = Apply(self.moves.choice(("sub", "add", "mul", "max")), (Named(inner.name), Named(inner.name)))
        outputs = (*op.outputs[:at], replace(output, node=both), *op.outputs[at + 1 :])
        earlier = {each.name for each in op.outputs[:at]}
        if any(isinstance(node, Named) and node.name in earlier for node in walk(output.node)):
            return op  # a definition stands before all outputs
        return replace(op, statements=(*op.statements, inner), outputs=outputs)

    def elsewhere(self, node: Named, free: tuple[str, ...]) -> Node:
        index = self.moves.choice(free)
        here = Position(index)
        if self.moves.random() < 0.25:
            last = Apply("whole sub", (Size(index), Number(1)))
            return Moved(node.name, free, index, Apply("whole sub", (last, here)))
        place = Apply(
            self.moves.choice(("whole sub", "whole sub", "whole add")), (here, Number(self.moves.choice((1, 1, 2))))
        )
        return Moved(node.name, free, index, place, Number(self.moves.choice((0.0, 0.0, 1.0, -1.5))))

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


def declaring_whole(op: Op) -> Op:
    """The op without the gradients of definitions that something beside the declaring output reads, also through that.

    What is declared is the gradient of all outputs together, and these declarations know one step.
    """
    nodes = [node for node in op.nodes() if isinstance(node, Named)]
    read = {node.name for node in nodes}
    outputs = [
        replace(each, declared="")
        if each.declared and (each.name in read or nodes.count(each.node.arguments[0]) > 1)
        else each
        for each in op.outputs
    ]
    return replace(op, outputs=tuple(outputs))


def sizeless(op: Op) -> tuple[str, ...]:
    """The aliases at which no operand is read as they are, so that a `where` has to give their length."""
    sized = {
        (place.index, axis)
        for node in op.nodes() if isinstance(node, Read)
        for operand in op.operands if operand.name == node.operand
        for place, axis in zip(node.places, operand.axes, strict=True) if isinstance(place, Position)
    }  # fmt: skip
    return tuple(each for each, axis in op.aliases.items() if (each, axis) not in sized)


def may_be_a_pack(op: Op, axis: str) -> bool:
    """Whether an operand has the axis, and all that is said of it is said of packs as well."""
    if axis in op.aliases.values() or not any(axis in each.axes for each in op.operands):
        return False
    if any(each.axes.count(axis) > 1 or each.target == axis for each in op.operands):
        return False
    if any(isinstance(each, Use) and each.row == axis for each in op.statements):
        return False
    axes = {each.name: each.axes for each in op.operands}
    within_reads = sum(
        place == Position(axis)
        for node in op.nodes() if isinstance(node, Read)
        for place, owner in zip(node.places, axes[node.operand], strict=True) if owner == axis
    )  # fmt: skip
    reads = sum(axes[node.operand].count(axis) for node in op.nodes() if isinstance(node, Read))
    named = sum(node == Position(axis) for node in op.nodes())
    bound = [node for node in op.nodes() if axis in indices_of(node) and not isinstance(node, Position)]
    reduced = all(isinstance(node, Reduce) and not node.kind.startswith("arg") for node in bound)
    return within_reads == reads == named and reduced
