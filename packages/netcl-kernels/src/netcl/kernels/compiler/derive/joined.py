"""Systems of equations that read the states of another one, in whose equations they stand, join it.

So it is where `use h = rec(v[t, n])` is given what depends on h[t - 1]: each step of h needs all steps of rec, and
those need what h was before. Taken together they are one system, whose order is found as that of any other. A running
sum in an equation becomes a sum with a condition there, over whatever the states are by then.

Input: expressions. Output: the same values; no system in them reads a state of another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from netcl.core.weak import WeakKeys
from netcl.kernels.compiler.derive.formula import NoDerivative
from netcl.kernels.compiler.ir import (
    Custom,
    Expr,
    Formula,
    Read,
    Recurrence,
    Scan,
    fresh,
    indices_of,
    is_state,
    position,
    read,
    recurrence,
    root,
    state_name,
    subexpressions,
)
from netcl.kernels.compiler.ir.binding import neutral, rebuilt, rename, total
from netcl.kernels.compiler.ir.recurrences import System, system_of
from netcl.kernels.compiler.ir.simplify import call

_States = frozenset[str]
_NONE: _States = frozenset()
_free: WeakKeys[Expr, _States] = WeakKeys()


def free_states(expr: Expr) -> _States:
    """The states that are read in `expr`, of systems in whose equations it stands."""
    if expr not in _free:
        for node in subexpressions(expr):
            if node not in _free:
                _free[node] = _read_in(node)
    return _free[expr]


def _read_in(node: Expr) -> _States:
    found = _NONE.union(*(_free[child] for child in node.children))
    if isinstance(node, Read) and is_state(node.operand):
        return found | {node.operand}
    if isinstance(node, Recurrence) and found:
        within = _NONE.union(*(_free[body] for body in node.bodies)).difference(_own(node))
        return within.union(*(_free[at] for at in node.at))
    return found


def with_joined_systems(formula: Formula) -> Formula:
    """`formula`, a derivative, in which no system reads a state of another. Raises NoDerivative where one cannot be
    without."""
    if not any(map(_is_nested, subexpressions(*formula.exprs))):
        return formula
    memo: dict[Expr, Expr] = {}
    found = {expr: joined(expr, memo) for expr in formula.exprs}
    for node in subexpressions(*found.values()):
        kind = left_running(node) if isinstance(node, Recurrence) else None
        if kind is not None:
            raise NoDerivative(
                f"{formula.name}: a running {kind} in it goes over adjoints that depend on it; within a recurrence a "
                "declared gradient has sums, products and extremes alone"
            )
    return formula.rewritten(found)


def joined(expr: Expr, memo: dict[Expr, Expr] | None = None) -> Expr:
    """`expr`, in which no system reads a state of another."""
    memo = {} if memo is None else memo
    for node in subexpressions(expr):
        if node not in memo:
            new = rebuilt(node, tuple(memo[child] for child in node.children))
            memo[node] = _whole(new) if isinstance(new, Recurrence) and not free_states(new) else new
    return memo[expr]


def left_running(system: Recurrence) -> str | None:
    """The kind of a running value in an equation that runs over states, of which there is no other form."""
    running = (node for node in _of_states(system.bodies) if isinstance(node, Scan))
    return next((node.kind for node in running if any(map(free_states, node.bodies))), None)


def _is_nested(node: Expr) -> bool:
    return isinstance(node, (Recurrence, Scan)) and any(map(free_states, node.children))


def _own(node: Recurrence) -> set[str]:
    return {state_name(node.label, which) for which in range(len(node.axes))}


def _whole(node: Recurrence) -> Expr:
    """A system that reads no state of another, with those that read its states."""
    inner = _within(node.bodies)
    if not inner and not any(_is_nested(each) for each in subexpressions(*node.bodies)):
        return node
    names, axes, bodies = [*node.names], [*node.axes], [*node.bodies]
    states = {name: name for name in _own(node)}
    places: dict[System, int] = {}
    for each in inner:
        places[system_of(each)] = len(axes)
        other = _named_alike(each, node)
        for which, body in enumerate(each.bodies):
            states[state_name(each.label, which)] = state_name(node.label, len(axes))
            bodies.append(rename(body, other))
            axes.append(tuple(other.get(index, index) for index in each.axes[which]))
            names.append(each.names[which])
    memo: dict[Expr, Expr] = {}
    equations = tuple(_with_states(body, node.label, places, states, memo) for body in bodies)
    return recurrence(node.label, tuple(names), tuple(axes), node.which, node.at, equations)


def _within(bodies: Iterable[Expr]) -> list[Recurrence]:
    """The systems in these equations that read states of another, each once, but for what is declared of a used op:
    that is of derivatives, and joins those."""
    found: dict[System, Recurrence] = {}
    for node in _of_states(bodies):
        if isinstance(node, Recurrence) and any(map(free_states, node.bodies)) and free_states(_system(node)):
            found.setdefault(system_of(node), node)
    return [*found.values()]


def _of_states(bodies: Iterable[Expr]) -> Iterator[Expr]:
    """What reads states in these equations, but for what is declared of a used op."""
    seen: set[Expr] = set()
    waiting = [*bodies]
    while waiting:
        node = waiting.pop()
        if node not in seen and free_states(node):
            seen.add(node)
            yield node
            waiting += _valued(node)


def _system(node: Recurrence) -> Expr:
    """A state at its own indices: what is read there is read in the equations."""
    return recurrence(node.label, node.names, node.axes, 0, tuple(map(position, node.axes[0])), node.bodies)


def _valued(node: Expr) -> tuple[Expr, ...]:
    return node.children[: len(node.children) - len(node.gradients)] if isinstance(node, Custom) else node.children


def _named_alike(node: Recurrence, outer: Recurrence) -> Mapping[str, str]:
    """The indices of a system by the names that they have in the outer one: an order is found along those that have
    one name."""
    known = {index for own in outer.axes for index in own}
    mine = {index for own in node.axes for index in own}
    found: dict[str, str] = {}
    for index in sorted(mine - known):
        same = [each for each in sorted(known - mine) if root(each) == root(index) and each not in found.values()]
        if len(same) == 1:
            found[index] = same[0]
    return found


def _with_states(
    body: Expr, label: int, places: Mapping[System, int], states: Mapping[str, str], memo: dict[Expr, Expr]
) -> Expr:
    """An equation that reads the states of other systems as those of this one."""
    for node in subexpressions(body):
        if node in memo:
            continue
        new = rebuilt(node, (*(memo[each] for each in _valued(node)), *node.children[len(_valued(node)) :]))
        if isinstance(node, Recurrence) and system_of(node) in places:
            which = places[system_of(node)] + node.which
            new = read(state_name(label, which), tuple(memo[at] for at in node.at), node.dtype)
        elif isinstance(new, Read) and new.operand in states:
            new = read(states[new.operand], new.at, new.dtype)
        elif isinstance(new, Scan) and any(map(free_states, new.bodies)):
            new = _as_sum(new)
        memo[node] = new
    return memo[body]


def _as_sum(node: Scan) -> Expr:
    """A running value as a reduction of all that is before it, and nothing of what is behind."""
    if node.kind == "scan" or node.kind.startswith("arg"):
        return node
    index = fresh(node.index, node.at.free | indices_of(node))
    body = rename(node.bodies[0], {node.index: index})
    is_before = call("ge" if node.backward else "le", position(index), node.at)
    first = "last_" if node.backward else "first_"  # of equal ones, the one that is met first
    kind = first + node.kind if node.kind in ("max", "min") else node.kind
    return total(kind, (index,), call("select", is_before, body, neutral(node.kind, body.dtype)))
