"""The labels of systems of equations, by which their states are read.

Where what a system reads is put into it, it becomes another system, which may come to stand in an equation of the one
that it was: in a formula of which one `use solve` feeds another, and in its derivatives. The states of the two would
have the same names. So it takes a label that is of its equations alone. Systems whose values are the same have the
same one, whatever has a derivative there or a declared one: they are computed once.
"""

from __future__ import annotations

from netcl.core.bounded import remembered
from netcl.kernels.compiler.ir import Apply, Expr, Read, Recurrence, new_label, read, recurrence, state_name, transform
from netcl.kernels.compiler.ir.binding import rebuilt
from netcl.kernels.compiler.ir.plain import expanded
from netcl.kernels.compiler.ir.recurrences import replaced


def with_own_label(node: Recurrence) -> Expr:
    """`node` by the label of its equations."""
    label, bodies = _labelled(node.label, len(node.axes), node.bodies)
    return recurrence(label, node.names, node.axes, node.which, node.at, bodies)


@remembered("systems by their labels", 4096)
def _labelled(old: int, count: int, bodies: tuple[Expr, ...]) -> tuple[int, tuple[Expr, ...]]:
    label = _label(old, tuple(map(_value, bodies)))
    names = {state_name(old, which): state_name(label, which) for which in range(count)}

    def visit(each: Expr, new: Expr) -> Expr:
        if isinstance(each, Read) and each.operand in names:
            return read(names[each.operand], new.children, each.dtype)
        return new

    memo: dict[Expr, Expr] = {}
    return label, tuple(replaced(body, old, visit, memo) for body in bodies)


@remembered("labels of systems", 4096)
def _label(old: int, values: tuple[Expr, ...]) -> int:
    """One for all systems that had this label and have these values."""
    return new_label()


def _value(body: Expr) -> Expr:
    """What is computed: nothing of what a derivative asks for."""

    def visit(node: Expr, children: tuple[Expr, ...]) -> Expr:
        is_mark = isinstance(node, Apply) and node.function in ("detach", "named")
        return children[0] if is_mark else rebuilt(node, children)

    return transform(expanded(body), visit)
