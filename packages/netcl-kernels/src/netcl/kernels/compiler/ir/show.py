"""Expressions and formulas as mathematics in text: for `ops show`, kernel headers, error messages, goldens."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from netcl.kernels.compiler.ir import (
    Apply,
    Attribute,
    Axes,
    Custom,
    Expr,
    Formula,
    Materialised,
    Number,
    Operand,
    Output,
    Position,
    Read,
    Recurrence,
    Reduce,
    Scan,
    Size,
    position,
    state_name,
    subexpressions,
)

_INFIX = {
    "or": (1, "or"), "and": (2, "and"), "eq": (4, "=="), "ne": (4, "!="), "lt": (4, "<"), "le": (4, "<="),
    "gt": (4, ">"),
    "ge": (4, ">="), "bit_or": (5, "|"), "bit_and": (6, "&"), "shift_left": (7, "<<"), "shift_right": (7, ">>"),
    "add": (8, "+"), "sub": (8, "-"), "mul": (9, "*"), "div": (9, "/"), "exact_div": (9, "/"), "floor_div": (9, "//"),
    "mod": (9, "%"), "floor_divide": (9, "//"), "remainder": (9, "%"), "pow": (11, "^"),
}  # fmt: skip
_UNARY = {"neg": (10, "-"), "not": (3, "not ")}
_TIGHTEST = 12
_LONGEST = 300
_WORTH_A_NAME = 4
_WIDEST = 100
"""Characters of a definition; what would be wider has parts with names of their own."""


def expression_text(expr: Expr) -> str:
    """One line; what is too long to be read is cut to its outer part, with "…" for the rest."""
    if _tree_sizes(expr)[expr] <= _LONGEST:
        return Writer().text(expr, 0)
    return Writer(depth=5).text(expr, 0)


def formula_text(formula: Formula) -> str:
    """The whole formula; subexpressions that are used more than once get a name of their own, as local definitions, and
    states of recurrences have their equations."""
    parameters = ", ".join(_operand_text(operand) for operand in formula.operands)
    attributes = ", ".join(f"{name}: {dtype}" for name, dtype in formula.attributes.items())
    lines = [f"{formula.name}({parameters}{'; ' + attributes if attributes else ''})"]
    lines += [f"    where {index} = {expression_text(expr)}" for index, expr in formula.sizes.items()]
    roots = [output.expr for output in formula.outputs]
    states = state_names(formula)
    writer = Writer(shared_names(roots, states), states)
    told: set[int] = set()
    for node in in_text(*roots):
        if isinstance(node, Recurrence) and node.label not in told:
            told.add(node.label)
            lines += [f"    {each}" for each in writer.equations(node)]
        if node in writer.names and node not in roots:
            lines.append(f"    {writer.names[node]} = {writer.text(node, 0, itself=True)}")
    for output in formula.outputs:
        lines.append(f"    {_output_text(output)} = {writer.text(output.expr, 0, itself=True)}")
    return "\n".join(lines)


def state_names(formula: Formula) -> dict[str, str]:
    """What the states of all recurrences of a formula are called in its text: as people call them, with a number where
    that is the name of something else, too."""
    taken = {operand.name for operand in formula.operands}
    names: dict[str, str] = {}
    for node in in_text(*(output.expr for output in formula.outputs)):
        if isinstance(node, Recurrence) and state_name(node.label, 0) not in names:
            for which, name in enumerate(node.names):
                numbered = itertools.chain([name], (f"{name}_{at}" for at in itertools.count(2)))
                names[state_name(node.label, which)] = shown = next(each for each in numbered if each not in taken)
                taken.add(shown)
    return names


def axes_text(axes: Axes, flat: bool = False) -> str:
    if flat:
        *own, rest = axes[0]
        return f"[{', '.join([*own, 'flat ' + rest])}]"
    return (
        "["
        + ", ".join("1" if not axis else axis[0] if len(axis) == 1 else f"({' '.join(axis)})" for axis in axes)
        + "]"
    )


def _operand_text(operand: Operand) -> str:
    return f"{operand.name}{axes_text(operand.axes, operand.flat)}: {operand.dtype}"


def _output_text(output: Output) -> str:
    return f"{output.name}{axes_text(output.axes, output.flat)}: {output.dtype}"


def _tree_sizes(*roots: Expr) -> dict[Expr, int]:
    """How many nodes each subexpression has when it is written out as a tree."""
    sizes: dict[Expr, int] = {}
    for node in in_text(*roots):
        sizes[node] = 1 + sum(sizes[child] for child in _shown(node))
    return sizes


def in_text(*roots: Expr) -> list[Expr]:
    """Every distinct node of the text of these, children before parents."""
    found: set[Expr] = set()
    waiting = [*roots]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += _shown(node)
    return [node for node in subexpressions(*roots) if node in found]


def _shown(node: Expr) -> Sequence[Expr]:
    """The children that have a text: of what `use` stands around the value, but not what was declared for it."""
    return (*node.at, node.values[node.which]) if isinstance(node, Custom) else node.children


def shared_names(roots: list[Expr], states: Mapping[str, str]) -> dict[Expr, str]:
    """Names for what is used more than once and is worth one, and for the widest parts of what is too wide."""
    sizes = _tree_sizes(*roots)
    writer = Writer(dict.fromkeys(_shared(sizes), "t00"), states)
    for node in sizes:
        while len(writer.text(node, 0, itself=True)) > _WIDEST:
            parts = [each for each in _parts(node) if each.children and each not in writer.names]
            if not parts:
                break
            writer.names[max(parts, key=lambda each: len(writer.text(each, 0)))] = "t00"
    named = [node for node in sizes if node in writer.names and node not in roots]
    return {node: f"t{at}" for at, node in enumerate(named, 1)}


def _shared(sizes: Mapping[Expr, int]) -> Iterator[Expr]:
    """What is used more than once, of these in the order of their values, and is more than an element of a tensor."""
    uses = dict.fromkeys(sizes, 0)
    systems: set[int] = set()
    for node in sizes:
        told = isinstance(node, Recurrence) and node.label in systems
        for child in _parts(node) if told else _shown(node):
            uses[child] += 1
        if isinstance(node, Recurrence):
            systems.add(node.label)
    for node, size in sizes.items():
        simple = isinstance(node, (Read, Recurrence)) and all(isinstance(at, Position) for at in node.at)
        if uses[node] > 1 and size >= _WORTH_A_NAME and not simple:
            yield node


def _parts(node: Expr) -> Sequence[Expr]:
    """What stands in the line of a node: the equations of a recurrence have lines of their own."""
    return node.at if isinstance(node, Recurrence) else _shown(node)


def _own_names(node: Recurrence) -> dict[str, str]:
    return {state_name(node.label, which): name for which, name in enumerate(node.names)}


class Writer:
    """Writes expressions; `names` stand for the subexpressions that have one, `states` for the states of recurrences
    whose equations stand elsewhere, "…" for what is below `depth`."""

    def __init__(
        self, names: dict[Expr, str] | None = None, states: Mapping[str, str] | None = None, depth: int | None = None
    ) -> None:
        self.names = names or {}
        self.states = states or {}
        self.depth = depth

    def equations(self, node: Recurrence) -> Iterator[str]:
        """Of all states of a system."""
        for which, (axes, body) in enumerate(zip(node.axes, node.bodies, strict=True)):
            name = self.states[state_name(node.label, which)]
            yield f"{name}[{', '.join(axes)}] = {self.text(body, 0)}"

    def text(self, expr: Expr, level: int, itself: bool = False) -> str:
        """With parentheses where the operator around it (of precedence `level`) binds tighter."""
        if not itself and expr in self.names:
            return self.names[expr]
        if self.depth is not None:
            if self.depth == 0 and expr.children:
                return "…"
            self.depth -= 1
        text, own = self._piece(expr)
        if self.depth is not None:
            self.depth += 1
        return f"({text})" if own < level else text

    def _piece(self, expr: Expr) -> tuple[str, int]:
        if isinstance(expr, Number):
            text = number_text(expr)
            return text, 7 if text.startswith("-") else _TIGHTEST
        if isinstance(expr, Attribute):
            return expr.name, _TIGHTEST
        if isinstance(expr, Size):
            return f"size[{expr.index}]", _TIGHTEST
        if isinstance(expr, Position):
            return expr.index, _TIGHTEST
        if isinstance(expr, Read):
            name = self.states.get(expr.operand, expr.operand)
            return f"{name}[{', '.join(self.text(at, 0) for at in expr.at)}]", _TIGHTEST
        if isinstance(expr, Apply) and expr.function == "table":
            entries = [number_text(each) for each in expr.children[1:] if isinstance(each, Number)]
            rest = ", …" if len(entries) > 4 else ""
            return f"[{', '.join(entries[:4])}{rest}][{self.text(expr.children[0], 0)}]", _TIGHTEST
        if isinstance(expr, Reduce):
            return f"{expr.kind}[{', '.join(expr.over)}]({self.text(expr.body, 0)})", _TIGHTEST
        if isinstance(expr, Scan):
            sign = ">=" if expr.backward else "<="
            bodies = ", ".join(self.text(body, 0) for body in expr.bodies)
            return f"{expr.kind}[{expr.index} {sign} {self.text(expr.at, 5)}]({bodies})", _TIGHTEST
        if isinstance(expr, Recurrence):
            at = ", ".join(self.text(each, 0) for each in expr.at)
            named = state_name(expr.label, expr.which)
            if named in self.states:
                return f"{self.states[named]}[{at}]", _TIGHTEST
            within = Writer(self.names, {**self.states, **_own_names(expr)}, self.depth)
            return f"{expr.names[expr.which]}[{at}] where {{{'; '.join(within.equations(expr))}}}", 0
        if isinstance(expr, Materialised):
            text = f"materialised({self.text(expr.body, 0)})"
            if expr.at == tuple(map(position, expr.axes[0])):
                return text, _TIGHTEST
            bound = ", ".join(expr.axes[0])
            return f"{text}[{bound} = {', '.join(self.text(each, 0) for each in expr.at)}]", _TIGHTEST
        if isinstance(expr, Custom):
            value = self.text(expr.values[expr.which], 0)
            own = expr.axes[expr.which]
            if expr.at == tuple(map(position, own)):
                return f"use({value})", _TIGHTEST
            return f"use[{', '.join(own)}]({value})[{', '.join(self.text(each, 0) for each in expr.at)}]", _TIGHTEST
        assert isinstance(expr, Apply)
        if expr.function == "select":
            condition, first, second = expr.children
            return f"{self.text(condition, 1)} ? {self.text(first, 1)} : {self.text(second, 0)}", 0
        if expr.function in _INFIX:
            level, sign = _INFIX[expr.function]
            left, right = expr.children
            # comparisons do not chain and powers group to the right, as the language has them
            tighter = (level + 1, level) if expr.function == "pow" else (level + (level == 4), level + 1)
            return f"{self.text(left, tighter[0])} {sign} {self.text(right, tighter[1])}", level
        if expr.function in _UNARY:
            level, sign = _UNARY[expr.function]
            return f"{sign}{self.text(expr.children[0], level)}", level
        name = expr.dtype if expr.function == "cast" else expr.function
        return f"{name}({', '.join(self.text(child, 0) for child in expr.children)})", _TIGHTEST


_MOST_BITS = 256
"""Bits of a whole number that is written out; of more, about what it is."""


def number_text(node: Number) -> str:
    value = node.value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return f"{'-' * (value < 0)}2^{value.bit_length() - 1}"
    short = f"{value:g}"
    return short if value != value or float(short) == value else repr(value)


Expr.__repr__ = expression_text  # type: ignore[method-assign, assignment]
