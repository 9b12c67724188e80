"""A failing program made smaller, as long as it fails in the same way."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from functions import COMPARISONS
from making import needed, sizeless
from programs import (
    Apply,
    Choose,
    Define,
    Named,
    Node,
    Number,
    Op,
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
    rebuilt,
    walk,
)  # fmt: skip

BOOLS = (*COMPARISONS, "and", "or", "not", "finite")


def shrunk(program: Program, fails: Callable[[Program], bool], seconds: float = 60) -> Program:
    """The smallest program that was found in this time; `fails` says whether one still fails."""
    end = time.monotonic() + seconds
    tried = {program.text()}
    smaller = True
    while smaller:
        smaller = False
        for candidate in candidates(program):
            if time.monotonic() > end:
                return program
            if not bound(candidate):
                continue
            text = candidate.text()
            if text not in tried and len(text) < len(program.text()):
                tried.add(text)
                if fails(candidate):
                    program, smaller = candidate, True
                    break
    return program


def candidates(program: Program) -> Iterator[Program]:
    """Programs with something less, the largest steps first."""
    if len(program.ops) > 1:
        for op in program.ops:
            yield replace(program, ops=(op,))
    for at, op in enumerate(program.ops):
        for smaller in smaller_ops(op, program.fed if at else ""):
            yield replace(program, ops=(*program.ops[:at], smaller, *program.ops[at + 1 :]))


def smaller_ops(op: Op, fed: str) -> Iterator[Op]:
    if len(op.outputs) > 1:
        for output in op.outputs:
            inlined = {each.name: each.node for each in op.outputs if each is not output}
            yield tidy(replace(op, outputs=(replace(output, node=placed(output.node, inlined)),)), fed)
    for output in op.outputs:
        if output.declared:
            plain = replace(output, declared="")
            yield tidy(replace(op, outputs=tuple(plain if each is output else each for each in op.outputs)), fed)
        for axis in output.axes:
            body = replace(output, axes=tuple(each for each in output.axes if each != axis))
            if axis not in free(output.node, op):
                yield tidy(replace(op, outputs=tuple(body if each is output else each for each in op.outputs)), fed)
    for each in op.statements:
        if isinstance(each, Define):
            kinds = sort_of(each.node, op)
            inlined = {each.name: each.node} if kinds == "float" else {}
            if inlined and not any(o.declared for o in op.outputs):
                used = [node for node in op.nodes() if node == Named(each.name)]
                rows = [u for u in op.statements if isinstance(u, Use) and u.row and Named(each.name) in u.arguments]
                if len(used) == 1 and not rows:
                    yield with_nodes(op, partial(placed, inlined=inlined), fed)
        elif not each.row:
            for argument in each.arguments:
                define = Define(each.name, argument, each.free)
                yield tidy(replace(op, statements=tuple(define if s is each else s for s in op.statements)), fed)
        elif set(each.free) >= free(each.arguments[0], op):
            define = Define(each.name, each.arguments[0], each.free)
            yield tidy(replace(op, statements=tuple(define if s is each else s for s in op.statements)), fed)
    for at in range(len(op.statements) + len(op.outputs)):
        every = (*op.statements, *op.outputs)
        each = every[at]
        for before in each.arguments if isinstance(each, Use) else (each.node,):
            if (isinstance(each, Use) and each.row) or (isinstance(each, Output) and each.declared):
                continue
            for node in sorted(set(walk(before)), key=lambda node: -len(list(walk(node)))):
                for instead in simpler(node, op):

                    def change(found: Node, node: Node = node, instead: Node = instead) -> Node:
                        return instead if found == node else rebuilt(found, change)

                    if isinstance(each, Use):
                        made: Any = replace(each, arguments=tuple(change(a) for a in each.arguments))
                    else:
                        made = replace(each, node=change(each.node))
                    fresh = (*every[:at], made, *every[at + 1 :])
                    count = len(op.statements)
                    yield tidy(replace(op, statements=fresh[:count], outputs=fresh[count:]), fed)


def simpler(node: Node, op: Op) -> Iterator[Node]:
    """What may stand in the place of a node."""
    kind = sort_of(node, op)
    if kind == "float" and not isinstance(node, Number):
        yield Number(1.0)
        if not isinstance(node, Read):
            yield from (Read(each.name, tuple(map(Position, each.axes))) for each in op.operands
                        if each.kind == "float" and set(each.axes) <= free(node, op))  # fmt: skip
    own = binds(node)
    for child in children(node):
        if sort_of(child, op) == kind and not (own & free(child, op)):
            yield child
        for further in children(child):
            if sort_of(further, op) == kind and not ((own | binds(child)) & free(further, op)):
                yield further
    if isinstance(node, Reduce) and len(node.over) > 1:
        for index in node.over:
            yield replace(node, over=tuple(each for each in node.over if each != index))
    if isinstance(node, Read) and any(not isinstance(place, Position) for place in node.places):
        axes = next(each.axes for each in op.operands if each.name == node.operand)
        for at, axis in enumerate(axes):
            if not isinstance(node.places[at], Position):
                for place in (Position(axis), Number(0)):
                    yield replace(node, places=(*node.places[:at], place, *node.places[at + 1 :]))


def bound(program: Program) -> bool:
    """Whether every index stands in a reducer or on the left side, and an operand has the axes of the pack."""
    for op in program.ops:
        if program.pack and not any(program.pack in operand.axes for operand in op.operands):
            return False
        for each in (*op.statements, *op.outputs):
            axes = set(each.axes if isinstance(each, Output) else each.free) | (
                {each.row} if isinstance(each, Use) else set()
            )
            if any(free(node, op) - axes for node in (each.arguments if isinstance(each, Use) else (each.node,))):
                return False
    return True


def with_nodes(op: Op, change: Callable[[Node], Node], fed: str) -> Op:
    statements = [
        replace(each, arguments=tuple(map(change, each.arguments))) if isinstance(each, Use)
        else replace(each, node=change(each.node)) for each in op.statements
    ]  # fmt: skip
    return tidy(replace(op, statements=tuple(statements),
                        outputs=tuple(replace(each, node=change(each.node)) for each in op.outputs)), fed)  # fmt: skip


def tidy(op: Op, fed: str) -> Op:
    """Without what is no longer read."""
    op = replace(op, statements=needed(op))
    read = {node.operand for node in op.nodes() if isinstance(node, Read)}
    masks = {each.target for each in op.operands if each.kind == "hole" and each.name in read}
    op = replace(op, operands=tuple(o for o in op.operands if o.name in read | masks or o.name == fed))
    return replace(op, fixed=sizeless(op))


def placed(node: Node, inlined: dict[str, Node]) -> Node:
    if isinstance(node, Named) and node.name in inlined:
        return inlined[node.name]
    return rebuilt(node, lambda child: placed(child, inlined))


def binds(node: Node) -> set[str]:
    if isinstance(node, Reduce):
        return set(node.over)
    return {node.index} if isinstance(node, (Running, Recurrence)) else set()


def free(node: Node, op: Op) -> set[str]:
    """The indices that are free in a node."""
    if isinstance(node, Named):
        found = {each.name: each.free for each in op.statements} | {each.name: each.axes for each in op.outputs}
        return set(found[node.name])
    own = (
        {node.index} if isinstance(node, Position) else {node.to} if isinstance(node, (Running, Recurrence)) else set()
    )
    inner = set().union(*(free(child, op) for child in children(node)))
    return own | (inner - binds(node))


def sort_of(node: Node, op: Op) -> str:
    """float, int or bool."""
    if isinstance(node, (Position, Size, Within)):
        return "int"
    if isinstance(node, Number):
        return "int" if isinstance(node.value, int) else "float"
    if isinstance(node, Read):
        kind = next((each.kind for each in op.operands if each.name == node.operand), "float")
        return {"hole": "float"}.get(kind, kind)
    if isinstance(node, Named):
        for each in op.statements:
            if each.name == node.name:
                return sort_of(each.node, op) if isinstance(each, Define) else "float"
        return "float"
    if isinstance(node, Apply):
        if node.function in BOOLS:
            return "bool"
        return "int" if node.function.startswith(("whole", "halved", "parity")) else "float"
    if isinstance(node, Choose):
        return sort_of(node.yes, op)
    if isinstance(node, (Reduce, Running)):
        if node.kind in ("any", "all"):
            return "bool"
        return "int" if node.kind.startswith("arg") else "float"
    return "float"
