"""What the equations of a recurrence would compute more than once in a step, as states of its own: sums, and parts of
summands.

Such a sum has fewer elements than an equation that asks for it, or another equation asks for it as well, or it stands
within a sum that asks for it at each of its places. As a state it is computed once in a step, and its adjoint is one
equation. Otherwise each place where it stands, in each reading of what it is part of, would have a derivative of its
own, and a derivative of that would have as many for each of these.

A part of a summand that does not depend on the element of the equation, as `tanh(h[t - 1, j])` in the sum over j for
each i, would be computed again for each of these. It is a state where it has a function of real numbers or a sum in it.

Input: a formula. Output: the same values; systems in it may have more states.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy

from netcl.core.weak import WeakKeys
from netcl.kernels.compiler.derive.solve import in_range
from netcl.kernels.compiler.ir import (
    FLOATS,
    Apply,
    Axes,
    Enclosed,
    Expr,
    Formula,
    Number,
    Position,
    Read,
    Recurrence,
    Reduce,
    Scan,
    Size,
    position,
    read,
    recurrence,
    root,
    state_name,
    subexpressions,
)
from netcl.kernels.compiler.ir.binding import rebuilt, replace_nodes, substitute
from netcl.kernels.compiler.ir.choices import conjunction, conjuncts
from netcl.kernels.compiler.ir.forms import Form, in_order, unnamed
from netcl.kernels.compiler.ir.functions import is_of_reals
from netcl.kernels.compiler.ir.inequalities import is_implied
from netcl.kernels.compiler.ir.overflow import is_data
from netcl.kernels.compiler.ir.recurrences import (
    NoOrder,
    conditional_readings,
    element,
    order_of,
    replaced,
    state_of,
)
from netcl.kernels.compiler.ir.simplify import call

_Form = tuple[str, Form, tuple[str, ...]]
"""A kind of sum, the form of its summand, and the roots of its indices: what sums have in common that differ in
the names of indices alone. Of what is no sum, nothing and its own form."""

_FEW = 8
_Order = tuple[int, ...]
"""In which order a state has the free indices of a sum, which are met in another one."""


def with_shared_sums(formula: Formula) -> Formula:
    """`formula`, in which such sums are states."""
    if not any(isinstance(node, Recurrence) for node in subexpressions(*formula.exprs)):
        return formula
    return formula.rewritten(_Sharing(formula).applied(formula.exprs))


class _Sharing:
    def __init__(self, formula: Formula) -> None:
        self.formula = formula
        self._axes = {operand.name: operand.indices for operand in formula.operands}
        self._lengths = _Lengths(formula)
        self._systems: dict[tuple[int, tuple[Expr, ...]], Recurrence] = {}
        self._values: dict[_Form, tuple[Recurrence, int, _Order]] = {}
        """The sums that are states, as they stand outside of their system; but those that are 0 in places."""

    def applied(self, exprs: Sequence[Expr]) -> dict[Expr, Expr]:
        """What stands for each of these."""
        memo: dict[Expr, Expr] = {}
        for node in subexpressions(*exprs):
            children = tuple(memo[child] for child in node.children)
            if isinstance(node, Recurrence):
                at, bodies = children[: len(node.at)], children[len(node.at) :]
                key = (node.label, node.bodies)
                if key not in self._systems:
                    self._systems[key] = self._with_sums(node, bodies)
                memo[node] = element(self._systems[key], node.which, at)
            else:
                memo[node] = self._known(rebuilt(node, children))
        return memo

    def _known(self, node: Expr) -> Expr:
        """`node`, or the state that it is."""
        if not isinstance(node, Reduce) or not self._values:
            return node
        found = self._values.get(_form(node))
        if found is None:
            return node
        system, which, order = found
        return element(system, which, _places(node, order))

    def _with_sums(self, node: Recurrence, bodies: tuple[Expr, ...]) -> Recurrence:
        """The system of `node` with these equations, and with those of its sums."""
        plain = _system(node, (), node.axes, bodies)
        equations = _Equations(node.label, node.axes, bodies, self._lengths)
        self._lengths.note(bodies, {**self._axes, **equations.by_name})
        while found := equations.asked_for_again():
            for asked in found:
                equations.add(asked)
        few = [
            index for index, length in self.formula.sizes.items() if isinstance(length, Number) and length.value <= _FEW
        ]
        for part in equations.repeated(few):
            equations = self._with_part(equations, part)
        if not equations.sums:
            return plain
        system = _system(plain, equations.words, (*equations.axes,), (*equations.given, *self._guarded(equations)))
        try:
            order_of(system)
        except NoOrder:
            return plain

        def valued(each: Expr, new: Expr) -> Expr:
            of = state_of(each, system)
            return new if of is None else element(system, of, new.children[: len(system.axes[of])])

        for which, each in enumerate(equations.sums.values(), start=len(bodies)):
            value = replaced(each, node.label, valued)
            if isinstance(value, Reduce) and system.bodies[which] is each:
                met = in_order(value)
                order = tuple(met.index(index) for index in system.axes[which])
                self._values[_form(value)] = system, which, order
        return system

    def _with_part(self, equations: _Equations, part: Expr) -> _Equations:
        """The equations with this part as one of them. With a place from data in it, it is 0 where nobody asks for it,
        so that the place is checked where it was; where that cannot be said, the equations are as they were."""
        new = equations.copy()
        new.add(part)
        name, own = (*new.by_name.items(),)[-1]
        if not any(any(conditional_readings(body, {name: own})) for body in new.bodies):
            return equations  # a part of it has become an equation already
        if not any(is_data(at) for each in subexpressions(part) if isinstance(each, Read) for at in each.at):
            return new
        asked: list[Expr] = []
        for body, axes in zip(new.bodies, new.axes, strict=True):
            for each, facts in conditional_readings(body, {name: own}):
                if each.at != tuple(map(position, own)):
                    return equations
                conditions = [self._for_any(fact, own, {*axes} - {*own}) for fact in facts]
                asked.append(conjunction(each for each in conditions if each is not None))
                if None in conditions:
                    return equations
        new.asked[name] = functools.reduce(lambda one, other: call("or", one, other), asked)
        return new

    def _for_any(self, fact: Expr, own: Collection[str], free: Collection[str]) -> Expr | None:
        """What holds if the fact does at any place of the indices that are `free`, of indices that are its own."""
        if isinstance(fact, Number):
            return None
        if fact.free <= {*own}:
            return fact
        if isinstance(fact, Apply) and fact.function == "eq":
            for at, place in (fact.children, fact.children[::-1]):
                if isinstance(place, Position) and place.index in free and at.free <= {*own}:
                    return in_range(at, root(place.index), self.formula.sizes)
        return None

    def _guarded(self, equations: _Equations) -> Iterator[Expr]:
        """The sums, each 0 where what it reads is out of range, unless it is asked for there: that is a mistake of the
        formula, which is reported as any other."""
        asked = equations.asked_for_everywhere()
        axes = {**self._axes, **equations.by_name}
        for name, node in equations.sums.items():
            if name in equations.asked:
                yield call("select", equations.asked[name], node, 0)
            else:
                yield node if name in asked else self._where_there_is(node, axes)

    def _where_there_is(self, node: Expr, axes: Mapping[str, tuple[str, ...]]) -> Expr:
        """A sum where what it reads is in range, 0 elsewhere."""
        around: list[Expr] = []
        within: dict[Expr, Expr] = {}
        for each, facts in conditional_readings(node, axes):
            places = ((at, index) for at, index in zip(each.at, axes[each.operand], strict=False))
            conditions = [
                part
                for at, index in places
                if not isinstance(at, Position)
                for part in conjuncts(in_range(at, root(index), self.formula.sizes))
                if not is_implied(part, facts)
            ]
            outside = [part for part in conditions if not facts and part.free <= node.free]
            around += outside
            there = conjunction(part for part in conditions if part not in outside)
            within[each] = call("select", there, each, 0)
        return call("select", conjunction(around), replace_nodes(node, within), 0)


class _Lengths:
    """Which indices have one length, as far as that is known: that of an axis which one of them is a place in."""

    def __init__(self, formula: Formula) -> None:
        self._of: dict[str, str] = {}
        for condition, _ in formula.checks:
            for each in conjuncts(condition):
                sizes = [size.index for size in each.children if isinstance(size, Size)]
                if isinstance(each, Apply) and each.function == "eq" and len(sizes) == 2:
                    self._join(*sizes)

    def note(self, exprs: Sequence[Expr], axes: Mapping[str, tuple[str, ...]]) -> None:
        """Note what these read, with the indices of each axis."""
        for node in subexpressions(*exprs):
            if isinstance(node, Read) and node.operand in axes:
                for at, index in zip(node.at, axes[node.operand], strict=False):
                    if isinstance(at, Position):
                        self._join(root(at.index), root(index))

    def fit(self, free: Iterable[str], axes: Iterable[str]) -> bool:
        """Whether something over the one has no more elements than something over the other."""
        rest = [self._one(index) for index in axes]
        for index in free:
            one = self._one(index)
            if one not in rest:
                return False
            rest.remove(one)
        return True

    def _one(self, index: str) -> str:
        """One of the indices that have this length, always the same."""
        found = root(index)
        while found in self._of:
            found = self._of[found]
        return found

    def _join(self, first: str, second: str) -> None:
        first, second = self._one(first), self._one(second)
        if first != second:
            self._of[first] = second


class _Equations:
    """The equations of a system while sums in them become equations."""

    def __init__(self, label: int, axes: Axes, bodies: Iterable[Expr], lengths: _Lengths) -> None:
        self.label = label
        self.lengths = lengths
        self.axes = list(axes)
        self.bodies = list(bodies)
        self._given = len(self.bodies)
        self.words: list[str] = []
        """What those are called that have become equations."""
        self.asked: dict[str, Expr] = {}
        """Where those are asked for that are 0 elsewhere."""

    def copy(self) -> _Equations:
        """The same, to be changed."""
        other = copy(self)
        other.axes, other.bodies = list(self.axes), list(self.bodies)
        other.words, other.asked = list(self.words), dict(self.asked)
        return other

    @property
    def given(self) -> Sequence[Expr]:
        """The equations that there were before."""
        return self.bodies[: self._given]

    @property
    def sums(self) -> dict[str, Expr]:
        """Those that have become equations, by the names of their states."""
        names = (*self.by_name,)[self._given :]
        return dict(zip(names, self.bodies[self._given :], strict=True))

    @property
    def by_name(self) -> Mapping[str, tuple[str, ...]]:
        """The indices of each state."""
        return {state_name(self.label, which): axes for which, axes in enumerate(self.axes)}

    def asked_for_again(self) -> list[Reduce]:
        """The sums that are asked for more than once in a step, and have no such sum in them. Of a sum that would have
        more elements than the equation which asks for it, as one for each pair, there is no state."""
        asking: dict[_Form, set[int]] = {}
        found: dict[_Form, Reduce] = {}
        wanted: dict[_Form, None] = {}
        for which, (body, axes) in enumerate(zip(self.bodies, self.axes, strict=True)):
            for node, around in _sums(body, self.by_name):
                if not self.lengths.fit(node.free, axes):
                    continue
                form = _form(node)
                if form not in found or node.free <= {*axes}:
                    found[form] = node
                asking.setdefault(form, set()).add(which)
                if len(asking[form]) > 1 or not node.free >= {*axes} or not node.free.isdisjoint(around):
                    wanted[form] = None
        inner = {form: {_form(each) for each in _reduces(found[form].body)} for form in wanted}
        return [found[form] for form in wanted if inner[form].isdisjoint(wanted.keys())]

    def repeated(self, few: Collection[str]) -> list[Expr]:
        """The parts of summands that are the same for several elements of the equation, and cost something. They are no
        more than the equation has elements, as far as that is known; or they depend on no row of it, but for its steps
        and for indices with `few` places."""
        found: dict[_Form, Expr] = {}
        steps = self._steps()
        for body, axes in zip(self.bodies, self.axes, strict=True):
            for total in _of_its_own(body):
                if not isinstance(total, Reduce):
                    continue
                own, seen, waiting = total.free & {*axes}, set[Expr](), [total.body]
                while waiting:
                    node = waiting.pop()
                    if node in seen or node.dtype not in FLOATS or not isinstance(node, (Apply, Reduce)):
                        continue
                    seen.add(node)
                    is_part = own - node.free and not node.free.isdisjoint(total.over)
                    are_few = self.lengths.fit(node.free, axes) or node.free & {*axes} <= steps.union(few)
                    if is_part and are_few and _costs(node) and any(conditional_readings(node, self.by_name)):
                        found.setdefault(_form(node), node)
                    else:
                        waiting += node.children
        return [*found.values()]

    def _steps(self) -> frozenset[str]:
        """The indices that some reading of a state is at another place of."""
        reads = (
            node for node in subexpressions(*self.bodies) if isinstance(node, Read) and node.operand in self.by_name
        )
        moved = (at.free for read in reads for at in read.at if isinstance(at, Apply) and not is_data(at))
        return frozenset().union(*moved)

    def add(self, node: Expr) -> None:
        """Have this be a state, wherever it stands."""
        form, name = _form(node), state_name(self.label, len(self.axes))
        met, known = in_order(node), [*dict.fromkeys(index for axes in self.axes for index in axes)]
        names = self._names(met, [each for each in known if each not in node.bound])
        called = [names.get(index, index) for index in met]
        order = tuple(
            sorted(range(len(met)), key=lambda at: known.index(called[at]) if called[at] in known else len(known))
        )
        memo: dict[Expr, Expr] = {}

        def visit(each: Expr) -> Expr:
            new = rebuilt(each, tuple(memo[child] for child in each.children))
            is_it = type(new) is type(node) and new.dtype == node.dtype and _form(new) == form
            return read(name, _places(new, order), new.dtype) if is_it else new

        for each in subexpressions(*self.bodies):
            memo[each] = visit(each)
        self.bodies = [memo[body] for body in self.bodies]
        self.words.append("sum" if isinstance(node, Reduce) else "part")
        self.axes.append(tuple(called[at] for at in order))
        self.bodies.append(substitute(node, {index: position(name) for index, name in names.items()}))

    def _names(self, own: Sequence[str], known: Sequence[str]) -> dict[str, str]:
        """What the indices of a new state are called that only sums have: as those of other states that are as long,
        along which there may be an order of steps."""
        names: dict[str, str] = {}
        for index in own:
            taken = {*own, *names.values()}
            if index not in known:
                free = [each for each in known if each not in taken and self.lengths.fit((index,), (each,))]
                names |= dict(zip((index,), free, strict=False))
        return names

    def asked_for_everywhere(self) -> set[str]:
        """The sums that are read whatever the conditions are."""
        sums, found, waiting = self.sums, set[str](), [*self.given]
        while waiting:
            readings = conditional_readings(waiting.pop(), sums)
            new = {node.operand for node, facts in readings if not facts} - found
            found |= new
            waiting += (sums[name] for name in sorted(new))
        return found


def _system(node: Recurrence, words: Sequence[str], axes: Axes, bodies: tuple[Expr, ...]) -> Recurrence:
    """A state of the system that has these equations, of which those that are new are called so, with a number."""
    numbered = (f"{word}_{words[:at].count(word) + 1}" for at, word in enumerate(words))
    return recurrence(node.label, (*node.names, *numbered), axes, 0, tuple(map(position, axes[0])), bodies)


def _sums(body: Expr, states: Mapping[str, object]) -> Iterator[tuple[Reduce, frozenset[str]]]:
    """The sums of real numbers in an equation that read one of these, each with the indices bound around it."""
    waiting: list[tuple[Expr, frozenset[str]]] = [(body, frozenset())]
    seen: set[tuple[Expr, frozenset[str]]] = set()
    while waiting:
        node, around = waiting.pop()
        if (node, around) in seen or not isinstance(node, (Reduce, Apply, Read)):
            continue
        seen.add((node, around))
        if isinstance(node, Reduce):
            if node.dtype in FLOATS and _is_plain(node) and any(conditional_readings(node.body, states)):
                yield node, around
            around = around.union(node.over)
        waiting += ((child, around & child.free) for child in node.children)


def _costs(part: Expr) -> bool:
    """Whether it has a function of real numbers or a sum in it, of its own and not of a system that it reads; nothing
    but sums may have indices of its own there."""
    waiting, costs = [part], False
    seen: set[Expr] = set()
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, (Scan, Enclosed)) and not isinstance(node, Recurrence):
            return False
        costs = costs or isinstance(node, Reduce) or is_of_reals(node)
        waiting += node.at if isinstance(node, Recurrence) else node.children
    return costs


def _of_its_own(body: Expr) -> Iterator[Expr]:
    """The nodes of an equation, without those of systems within it, which have states and indices of their own."""
    waiting, seen = [body], set[Expr]()
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            yield node
            waiting += node.at if isinstance(node, Enclosed) else node.children


def _reduces(*exprs: Expr) -> Iterator[Reduce]:
    return (each for each in subexpressions(*exprs) if isinstance(each, Reduce))


def _is_plain(node: Reduce) -> bool:
    """Whether nothing but sums has indices of its own there, and no place is known from data alone: what is read there
    is checked where it is asked for."""
    nodes = list(subexpressions(node))
    if any(isinstance(each, (Scan, Enclosed)) and not isinstance(each, Recurrence) for each in nodes):
        return False
    return not any(is_data(at) for each in nodes if isinstance(each, Read) for at in each.at)


def _places(node: Expr, order: _Order) -> tuple[Expr, ...]:
    """The free indices as positions, in this order."""
    met = in_order(node)
    return tuple(position(met[at]) for at in order)


_forms: WeakKeys[Expr, _Form] = WeakKeys()


def _form(node: Expr) -> _Form:
    found = _forms.get(node)
    if found is None:
        over = node.over if isinstance(node, Reduce) else ()
        kind, body = (node.kind, node.body) if isinstance(node, Reduce) else ("", node)
        indices = (*in_order(node), *over)
        _forms[node] = found = kind, unnamed(body, indices), tuple(map(root, indices))
    return found
