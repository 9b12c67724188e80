"""What a formula computes step by step, as text: for `ops show` and the page of recurrences.

Of each system of states the loops in their order (`recurrences`), what each step computes, and what that reads of the
states: `h[t - 1]` is of an earlier step, `z[t]` of the same one. Or the equations of the states.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from netcl.kernels.compiler.ir import Expr, Formula, Read, Recurrence, read, state_name, subexpressions
from netcl.kernels.compiler.ir.recurrences import Along, order_of, replaced
from netcl.kernels.compiler.ir.show import expression_text


def steps_text(formula: Formula) -> str:
    """The steps of each system of a formula; empty where there is none."""
    return "\n".join(line for node in _systems(formula) for line in _lines(node))


def equations_text(formula: Formula) -> str:
    """The equations of each system of a formula."""
    return "\n".join(
        f"{_state(node, which)} = {expression_text(_named(node, node.bodies[which]))}"
        for node in _systems(formula)
        for which in order_of(node).states
    )


def _systems(formula: Formula) -> Iterable[Recurrence]:
    """One of the states of each."""
    found: dict[tuple[int, tuple[Expr, ...]], Recurrence] = {}
    for node in subexpressions(*(output.expr for output in formula.outputs)):
        if isinstance(node, Recurrence):
            found.setdefault((node.label, node.bodies), node)
    return found.values()


def _lines(node: Recurrence) -> Iterator[str]:
    order = order_of(node)
    indent = ""
    if order.apart:
        yield f"side by side for {', '.join(order.apart)}:"
        indent = "    "
    yield from _inside(node, order.inside, indent)


def _inside(node: Recurrence, inside: Iterable[int | Along], indent: str) -> Iterator[str]:
    for each in inside:
        if isinstance(each, Along):
            yield f"{indent}for {each.index}{', backward' if each.backward else ''}:"
            yield from _inside(node, each.inside, indent + "    ")
        else:
            yield f"{indent}{_state(node, each)}{_reads(node, each)}"


def _state(node: Recurrence, which: int) -> str:
    return f"{node.names[which]}[{', '.join(node.axes[which])}]"


def _reads(node: Recurrence, which: int) -> str:
    """What an equation reads of the states, in the order in which it is met."""
    body = _named(node, node.bodies[which])
    found = [each for each in subexpressions(body) if isinstance(each, Read) and each.operand in node.names]
    return f" reads {', '.join(dict.fromkeys(map(expression_text, found)))}" if found else ""


def _named(node: Recurrence, body: Expr) -> Expr:
    """An equation in which the states are read under the names that they have for people. So are those of other systems
    in it, whose equations stand elsewhere."""

    def visit(each: Expr, new: Expr) -> Expr:
        if isinstance(each, Read) and each.operand in names:
            return read(names[each.operand], new.children, new.dtype)
        if isinstance(each, Recurrence):
            return read(each.names[each.which], new.children[: len(each.at)], new.dtype)
        return new

    names = {state_name(node.label, each): name for each, name in enumerate(node.names)}
    return replaced(body, node.label, visit)
