"""What a formula computes step by step, as text: for `ops show` and the page of recurrences.

Of each system of states the loops in their order (`recurrences`), what each step computes, and what that reads of the
states: `h[t - 1]` is of an earlier step, `z[t]` of the same one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from netcl.kernels.compiler.ir import Formula, Read, Recurrence, state_name, subexpressions
from netcl.kernels.compiler.ir.recurrences import Along, order_of
from netcl.kernels.compiler.ir.show import Writer, in_text, state_names


def steps_text(formula: Formula) -> str:
    """The steps of each system of a formula; empty where there is none."""
    writer = Writer(states=state_names(formula))
    return "\n".join(line for node in systems(formula) for line in _lines(node, writer))


def systems(formula: Formula) -> Iterable[Recurrence]:
    """One of the states of each system of a formula."""
    found: dict[int, Recurrence] = {}
    for node in in_text(*(output.expr for output in formula.outputs)):
        if isinstance(node, Recurrence):
            found.setdefault(node.label, node)
    return found.values()


def _lines(node: Recurrence, writer: Writer) -> Iterator[str]:
    order = order_of(node)
    indent = ""
    if order.apart:
        yield f"side by side for {', '.join(order.apart)}:"
        indent = "    "
    yield from _inside(node, order.inside, indent, writer)


def _inside(node: Recurrence, inside: Iterable[int | Along], indent: str, writer: Writer) -> Iterator[str]:
    for each in inside:
        if isinstance(each, Along):
            yield f"{indent}for {each.index}{', backward' if each.backward else ''}:"
            yield from _inside(node, each.inside, indent + "    ", writer)
        else:
            name = writer.states[state_name(node.label, each)]
            yield f"{indent}{name}[{', '.join(node.axes[each])}]{_reads(node, each, writer)}"


def _reads(node: Recurrence, which: int, writer: Writer) -> str:
    """What an equation reads of the states, in the order in which it is met."""
    own = {state_name(node.label, each) for each in range(len(node.names))}
    found = [
        writer.text(each, 0)
        for each in subexpressions(node.bodies[which])
        if isinstance(each, Read) and each.operand in own
    ]
    return f" reads {', '.join(dict.fromkeys(found))}" if found else ""
