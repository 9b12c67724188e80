"""Programs as small trees of their own, and their text in the language; nothing here knows the compiler.

Every index of a program is an axis of every value: what is over `n` and `k` in a program with the indices n, k and t is
an array of shape (n, k, 1). An *alias* is an index that runs over the axis of another one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from functions import FUNCTIONS, LAST_STEPS, OWN, ROWS

Node = Any
"""One of the classes below."""


@dataclass(frozen=True)
class Number:
    """A literal; fractions are dyadic, so that every precision has them exactly."""

    value: float


@dataclass(frozen=True)
class Position:
    """The place of an index, an integer."""

    index: str


@dataclass(frozen=True)
class Size:
    """How long the axis of an index is."""

    index: str


@dataclass(frozen=True)
class Read:
    """An element of an operand, at places that are integers; `otherwise` where they lie outside."""

    operand: str
    places: tuple[Node, ...]
    otherwise: Node | None = None
    bare: bool = False
    """Written without brackets, at the indices of its declaration."""


@dataclass(frozen=True)
class Within:
    """A place in the axis of an index, counted from its end where it is negative."""

    index: str
    place: Node


@dataclass(frozen=True)
class Named:
    """A definition, an output, or what `use` gave."""

    name: str


@dataclass(frozen=True)
class Moved(Named):
    """A definition over the indices `order`, at another place along one of them; `otherwise` where that is outside."""

    order: tuple[str, ...]
    index: str
    place: Node
    otherwise: Node | None = None


@dataclass(frozen=True)
class Apply:
    """A function or an operator, a key of `functions.FUNCTIONS`."""

    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Choose:
    """`condition ? yes : no`."""

    condition: Node
    yes: Node
    no: Node


@dataclass(frozen=True)
class Reduce:
    """`kind[over](body)`."""

    kind: str
    over: tuple[str, ...]
    body: Node


@dataclass(frozen=True)
class Running:
    """`kind[index sign to](body)`; also argsort, whose value is a place."""

    kind: str
    index: str
    sign: str
    to: str
    body: Node


@dataclass(frozen=True)
class Recurrence:
    """`scan[index sign to](factor, term)`: h = factor * h + term."""

    index: str
    sign: str
    to: str
    factor: Node
    term: Node


@dataclass(frozen=True)
class Operand:
    """`kind` is float, int (places in the axis `target`), bool, or hole (a float, anything where `target` is false)."""

    name: str
    kind: str
    axes: tuple[str, ...]
    target: str = ""


@dataclass(frozen=True)
class Define:
    """`name = node;` with the indices that are free in it."""

    name: str
    node: Node
    free: tuple[str, ...]


@dataclass(frozen=True)
class Use:
    """`use name = op(…);`: of a pointwise op the arguments are nodes, else definitions and reads over `row`."""

    name: str
    op: str
    arguments: tuple[Node, ...]
    free: tuple[str, ...]
    row: str = ""


@dataclass(frozen=True)
class Output:
    """`name[axes] = node;`; `declared`, a key of `LAST_STEPS`, says how the gradient by its definition is declared."""

    name: str
    axes: tuple[str, ...]
    node: Node
    declared: str = ""


@dataclass(frozen=True)
class Op:
    """One declaration; `aliases` says whose axis an alias has, `fixed` for which of them a `where` has to say so."""

    name: str
    operands: tuple[Operand, ...]
    statements: tuple[Any, ...]
    outputs: tuple[Output, ...]
    aliases: dict[str, str] = field(default_factory=dict)
    fixed: tuple[str, ...] = ()

    def indices(self) -> list[str]:
        """Every index, each once."""
        found: dict[str, None] = {}
        for operand in self.operands:
            found.update(dict.fromkeys(operand.axes))
        for output in self.outputs:
            found.update(dict.fromkeys(output.axes))
        for node in self.nodes():
            found.update(dict.fromkeys(indices_of(node)))
        return list(found)

    def nodes(self) -> Iterator[Node]:
        for statement in (*self.statements, *self.outputs):
            for top in statement.arguments if isinstance(statement, Use) else (statement.node,):
                yield from walk(top)


@dataclass(frozen=True)
class Program:
    """Ops, of which each after the first has an output of the one before as its operand `fed`; `lengths` is of axes."""

    ops: tuple[Op, ...]
    lengths: dict[str, int]
    fed: str = "fed"
    pack: str = ""
    """An axis that is written as a pack, `*n`, and given as any number of axes."""

    def text(self) -> str:
        used = {each.op for op in self.ops for each in op.statements if isinstance(each, Use)}
        own = [text for name, text in OWN.items() if name in used]
        return "\n".join([*own, *(written(op, self.lengths, self.pack) for op in self.ops)])

    def operands(self) -> Iterator[Operand]:
        """What a call is given."""
        for at, op in enumerate(self.ops):
            yield from (each for each in op.operands if at == 0 or each.name != self.fed)


def children(node: Node) -> list[Node]:
    """The nodes directly below one."""
    found: list[Node] = []
    for each in dataclasses.fields(node):
        value = getattr(node, each.name)
        if isinstance(value, tuple):
            found += [part for part in value if dataclasses.is_dataclass(part)]
        elif dataclasses.is_dataclass(value):
            found.append(value)
    return found


def rebuilt(node: Node, change: Callable[[Node], Node]) -> Node:
    """The node with each child replaced by what `change` makes of it."""
    parts: dict[str, Any] = {}
    for each in dataclasses.fields(node):
        value = getattr(node, each.name)
        if isinstance(value, tuple):
            parts[each.name] = tuple(change(part) if dataclasses.is_dataclass(part) else part for part in value)
        else:
            parts[each.name] = change(value) if dataclasses.is_dataclass(value) else value
    return type(node)(**parts)


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it."""
    yield node
    for child in children(node):
        yield from walk(child)


def indices_of(node: Node) -> tuple[str, ...]:
    """The indices that this node itself names."""
    if isinstance(node, (Position, Size, Within, Moved)):
        return (node.index,)
    if isinstance(node, Reduce):
        return node.over
    if isinstance(node, (Running, Recurrence)):
        return (node.index, node.to)
    return ()


def written(op: Op, lengths: dict[str, int], pack: str) -> str:
    """The text of one op."""
    kinds = {"hole": "float"}
    star = {pack: f"*{pack}"} if pack else {}
    if pack:
        op = starred(op, pack)
    operands = ", ".join(f"{o.name}{axes_of(o.axes, star)}: {kinds.get(o.kind, o.kind)}" for o in op.operands)
    outputs = ", ".join(f"{o.name}{axes_of(o.axes, star)}" for o in op.outputs)
    outputs = outputs if len(op.outputs) == 1 else f"({outputs})"
    owned = {axis for operand in op.operands for axis in operand.axes}
    wheres = [
        f"{index} = {lengths[index]}"
        for index in op.indices()
        if index.strip("*") not in owned and index not in op.aliases
    ]
    wheres += [f"{index} = size[{op.aliases[index]}]" for index in op.fixed if index in op.indices()]
    moved = {node.name for node in op.nodes() if isinstance(node, Moved)}
    lines = [f"op {op.name}({operands}) -> {outputs}{' where ' + ', '.join(wheres) if wheres else ''} {{"]
    for each in op.statements:
        name = f"{each.name}[{', '.join(each.free)}]" if each.name in moved else each.name
        line = f"{name} = {text_of(each.node)};" if isinstance(each, Define) else used(each, op)
        lines.append(f"    {line}")
    for output in op.outputs:
        lines.append(f"    {output.name} = {text_of(output.node)};")
        if output.declared:
            lines.append("    " + declaration(output))
    return "\n".join([*lines, "}", ""])


def axes_of(axes: tuple[str, ...], star: dict[str, str]) -> str:
    return f"[{', '.join(star.get(axis, axis) for axis in axes)}]"


def starred(op: Op, pack: str) -> Op:
    """The op with a star before the pack wherever it is named in a formula, but not in lists of axes."""

    def change(node: Node) -> Node:
        if node == Position(pack):
            return Position(f"*{pack}")
        node = rebuilt(node, change)
        if isinstance(node, Reduce):
            return dataclasses.replace(node, over=tuple(f"*{pack}" if each == pack else each for each in node.over))
        return node

    statements: list[Any] = []
    for each in op.statements:
        free = tuple(f"*{pack}" if axis == pack else axis for axis in each.free)
        if isinstance(each, Use):
            statements.append(dataclasses.replace(each, arguments=tuple(map(change, each.arguments)), free=free))
        else:
            statements.append(dataclasses.replace(each, node=change(each.node), free=free))
    outputs = [dataclasses.replace(each, node=change(each.node)) for each in op.outputs]
    return dataclasses.replace(op, statements=tuple(statements), outputs=tuple(outputs))


def used(use: Use, op: Op) -> str:
    """A `use`; operands with axes are written with their indices."""
    if not use.row:
        return f"use {use.name} = {use.op}({', '.join(text_of(each) for each in use.arguments)});"
    free = {each.name: each.free for each in op.statements}
    parts = [
        f"{each.name}[{', '.join(free[each.name])}]" if isinstance(each, Named) else text_of(each)
        for each in use.arguments
    ]
    axis = f"; axis = {use.row}" if ROWS[use.op].has_axis else ""
    return f"use {use.name} = {use.op}({', '.join(parts)}{axis});"


def declaration(output: Output) -> str:
    inner = output.node.arguments[0].name
    return f"grad {inner} = " + LAST_STEPS[output.declared].gradient.format(dy=f"d{output.name}", u=inner) + ";"


def text_of(node: Node) -> str:
    """A formula, with brackets around every part."""
    if isinstance(node, Number):
        text = f"{node.value:g}" if abs(node.value) != float("inf") else ("inf" if node.value > 0 else "-inf")
        return f"({text})" if text.startswith("-") else text
    if isinstance(node, Position):
        return node.index
    if isinstance(node, Size):
        return f"size[{node.index}]"
    if isinstance(node, Within):
        return f"within[{node.index}]({text_of(node.place)})"
    if isinstance(node, Moved):
        places = [text_of(node.place) if each == node.index else each for each in node.order]
        return with_otherwise(f"{node.name}[{', '.join(places)}]", node.otherwise)
    if isinstance(node, Named):
        return node.name
    if isinstance(node, Read):
        text = f"{node.operand}[{', '.join(text_of(each) for each in node.places)}]"
        if node.bare:
            return node.operand
        return with_otherwise(text, node.otherwise)
    if isinstance(node, Apply):
        return FUNCTIONS[node.function].text.format(*(text_of(each) for each in node.arguments))
    if isinstance(node, Choose):
        return f"({text_of(node.condition)} ? {text_of(node.yes)} : {text_of(node.no)})"
    if isinstance(node, Reduce):
        return f"{node.kind}[{', '.join(node.over)}]({body_text(node)})"
    if isinstance(node, Running):
        return f"{node.kind}[{node.index} {node.sign} {node.to}]({body_text(node)})"
    if isinstance(node, Recurrence):
        return f"scan[{node.index} {node.sign} {node.to}]({text_of(node.factor)}, {text_of(node.term)})"
    raise TypeError(f"no text for {node!r}")


def with_otherwise(text: str, otherwise: Node | None) -> str:
    if otherwise is None:
        return text
    outside = text_of(otherwise)
    return f"({text} else {outside if isinstance(otherwise, Number) else f'({outside})'})"


def body_text(node: Reduce | Running) -> str:
    """What is reduced; where it has whole numbers alone they are made floats, as an extreme of no integers is one."""
    text = text_of(node.body)
    is_literal = all(isinstance(each, (Number, Apply)) for each in walk(node.body))
    return f"float({text})" if is_literal and node.kind.endswith(("max", "min")) and "arg" not in node.kind else text
