"""What is computed together, and what gets a temporary: a formula becomes a sequence of stages.

A stage is one nest of loops: outputs over the same indices. A Reduce inside a larger nest would be computed again and
again, so the largest expression around it that is not larger itself becomes a temporary, computed by a stage before.
Reductions over the same indices, with rows enough to share out, stay in one stage with what uses them, as in softmax.
A Scan is a stage of its own: its value at every position, written once. What is read at the positions that a sort gives
is written with them.

Input: a formula and the extents of its indices. Output: stages in order, and the temporaries. Which decision is taken
depends on sizes and strides alone, so that results never depend on the device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from math import prod
from typing import Concatenate, ParamSpec

from netcl.kernels.compiler.derive.materialised import inlined
from netcl.kernels.compiler.ir import (
    Apply,
    Expr,
    Formula,
    Materialised,
    Operand,
    Output,
    Position,
    Read,
    Reduce,
    Scan,
    position,
    read,
    rebuild,
    reduce,
    root,
    subexpressions,
    unknown,
)
from netcl.kernels.compiler.ir.binding import in_order, rebuilt, replace_nodes, substitute, unnamed
from netcl.kernels.compiler.ir.functions import FUNCTIONS
from netcl.kernels.compiler.ir.host import Numbers
from netcl.kernels.compiler.ir.quantity import place_of
from netcl.kernels.compiler.ir.recurrences import Order
from netcl.kernels.compiler.ir.simplify import where
from netcl.kernels.compiler.lower import recurrences
from netcl.kernels.compiler.lower.accesses import Placed
from netcl.kernels.compiler.lower.loop_cost import Together
from netcl.kernels.compiler.lower.operand_packing import without_guards
from netcl.kernels.compiler.lower.pairs import Pairs, inner_reduces
from netcl.kernels.compiler.lower.scans import as_read, bodies_along, over, read_again, separated
from netcl.kernels.compiler.target import Target

Unnamed = tuple[Expr, tuple[int, ...]]
"""An expression whose free indices are numbered, and what stands for the extents of those."""

P = ParamSpec("P")
Visit = Callable[[Expr, frozenset[str], bool, tuple[str, ...]], Expr]
"""(node, indices around it, whether a select chooses it, order of indices) -> what stands for the node."""


@dataclass(frozen=True)
class Stage:
    """Outputs (of the formula, or temporaries) that one nest of loops computes; states, step by step in an `order`, of
    which nothing else reads those that are `passing`."""

    outputs: tuple[Output, ...]
    order: Order | None = None
    passing: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Stages:
    """The stages in order; `operands` has the temporaries as operands of later stages."""

    stages: tuple[Stage, ...]
    temporaries: tuple[Operand, ...]


def staged(formula: Formula, sizes: Mapping[str, int], places: Mapping[str, Placed], target: Target) -> Stages:
    """The stages of `formula`."""
    return _Stager(formula, sizes, places, target).staged()


def _once(method: Callable[Concatenate[_Stager, P], Expr]) -> Callable[Concatenate[_Stager, P], Expr]:
    """Gives what it gave before, asked again about a node in the same surroundings: parts of a formula are shared."""

    @wraps(method)
    def asked(stager: _Stager, *args: P.args, **options: P.kwargs) -> Expr:
        key = method, *args, *options.items()
        if key not in stager.visited:
            stager.visited[key] = method(stager, *args, **options)
        return stager.visited[key]

    return asked


class _Stager(Together):
    def __init__(
        self, formula: Formula, sizes: Mapping[str, int], places: Mapping[str, Placed], target: Target
    ) -> None:
        super().__init__({operand.name: operand for operand in formula.operands}, sizes, places, target)
        self.formula = formula
        self.tasks: list[Output] = []
        self.temporaries: dict[Unnamed, Operand] = {}
        self.known: dict[Expr, Expr] = {}
        """What has a temporary, and how that is read."""
        self._lengths: list[int] = []
        self.visited: dict[object, Expr] = {}
        self._tops: dict[Expr, frozenset[Reduce]] = {}
        self.over_pairs: set[Unnamed] = set()
        self.partial: dict[str, Expr] = {}

    def staged(self) -> Stages:
        plain, kept, self.systems = recurrences.separated(self.formula.outputs)
        self.own = {name: system for system in self.systems for name in system.names}
        outputs, running = separated(replace(self.formula, outputs=tuple(plain)), self.sizes)
        self.operands.update(read_again(outputs))
        self.operands.update({each.name: as_read(each) for each in outputs if each.name in self.own})
        running = [*kept, *running]
        for operand in running:
            self._add(operand)
        self._note_pairs(outputs)
        for output in outputs:
            if output.partial is not None:
                self.partial[output.name] = self._tabled(output.partial)
        for output in outputs:
            states = self.own[output.name].names if output.name in self.own else ()
            self._task(replace(output, expr=self._tabled(output.expr, states)))
        return Stages(self._grouped(), (*running, *self.temporaries.values()))

    # --- what is computed once -------------------------------------------------------------------------------------

    def _note_pairs(self, outputs: Sequence[Output]) -> None:
        """Note what is computed in reductions over pairs alone, and nowhere at other places: of that there is no table.
        It is computed by one nest of loops everywhere, in one order."""
        exprs = [output.expr for output in outputs]
        if not any(isinstance(node, Materialised) for node in subexpressions(*exprs)):
            return
        plain = [_without_tables(expr) for expr in exprs]
        paired = [node.body for node in subexpressions(*plain) if isinstance(node, Reduce) and self.pairs(node)]
        self.over_pairs.update(self._unnamed(node, in_order(node)) for node in subexpressions(*paired))
        waiting, seen = [(expr, False) for expr in exprs], set()
        while waiting:
            node, within = waiting.pop()
            if (node, within) in seen:
                continue
            seen.add((node, within))
            if isinstance(node, Materialised) and not (within and _is_plain(node)):
                self.over_pairs.discard(self._key(node))
            bare = _without_tables(node) if isinstance(node, Reduce) else node
            is_paired = isinstance(bare, Reduce) and self.pairs(bare) is not None
            waiting += ((child, within or is_paired) for child in node.children)

    def _key(self, node: Materialised) -> Unnamed:
        """What has a table in common with others of the same."""
        plain = _without_tables(node.body)
        return self._unnamed(plain, in_order(plain))

    def _tabled(self, expr: Expr, states: Sequence[str] = ()) -> Expr:
        """`expr`, with what is materialised read from temporaries; in an equation, where it reads none of the states:
        those have one value in a step, however often it is asked for."""
        memo: dict[Expr, Expr] = {}
        for node in subexpressions(expr):
            children = tuple(memo[child] for child in node.children)
            if isinstance(node, Materialised):
                *at, found = children
                if not (isinstance(found, Read) or _reads_any(found, states) or self._key(node) in self.over_pairs):
                    found = self._temporary(found, True, (*node.axes[0], *sorted(node.closure)))
                memo[node] = substitute(found, dict(zip(node.axes[0], at, strict=True)))
            else:
                memo[node] = rebuilt(node, children)
        return memo[expr]

    def _unnamed(self, node: Expr, indices: Sequence[str]) -> Unnamed:
        """What two expressions over `indices` have in common that differ in the names of these alone."""
        return unnamed(node, indices), tuple(place_of(self.sizes[root(index)], self._lengths) for index in indices)

    def _add(self, operand: Operand) -> None:
        """Note a temporary."""
        self.operands[operand.name] = operand
        extents = [self.sizes[root(index)] for index in operand.indices]
        strides = [prod(extents[at + 1 :]) for at in range(len(extents))]
        self.places = {**self.places, operand.name: Placed(0, tuple(strides))}

    def _task(self, output: Output) -> None:
        """Compute one output, after whatever temporaries it needs."""
        expr = self._with_known_products(output.expr)
        if output.name in self.own:
            system = self.own[output.name]
            expr = without_guards(expr, Numbers(self.sizes, {}))
            expr = self._beside_states(expr, system.names, False, output.indices)
            expr = self._before_steps(expr, system, output.indices)
            expr = self._in_lanes(expr, system.order, output.indices[-1]) if output.indices else expr
        elif isinstance(expr, Scan):
            expr = over(expr, [self._settled(body, output.indices) for body in bodies_along(expr)])
        elif isinstance(expr, Reduce) and self.contracts(expr) and not self.pairs(expr):
            expr = self._within(expr, frozenset(output.indices), False, output.indices)
        else:
            expr = self._settled(expr, output.indices)
        self.tasks.append(replace(output, expr=expr))

    def _with_known_products(self, expr: Expr) -> Expr:
        """`expr`, with the contractions in it that have a temporary read from there."""
        found: dict[Expr, Expr] = {
            node: self.known[node] for node in self.reduces(expr) if node in self.known and self.contracts(node)
        }
        return replace_nodes(expr, found) if found else expr

    @_once
    def _beside_states(
        self, node: Expr, states: Sequence[str], chosen: bool, order: tuple[str, ...], inside: bool = False
    ) -> Expr:
        """An equation, with temporaries for the reductions in it that read no state; `inside` of a reduction that does,
        for all that is computed from these as well."""
        if not self.reduces(node):
            return node
        if (inside or isinstance(node, Reduce)) and not _reads_any(node, states) and not self._spreads(node):
            return self._temporary(node, chosen, order)
        if isinstance(node, Reduce):
            inside, order = True, (*order, *node.over)

        def visit(child: Expr, _: frozenset[str], chosen: bool, order: tuple[str, ...]) -> Expr:
            return self._beside_states(child, states, chosen, order, inside)

        return self._rebuilt(node, visit, frozenset(), chosen, order)

    def _spreads(self, node: Expr) -> bool:
        """Whether `node` has more elements than its reductions, and next to nothing is computed for each of them."""
        return self._larger(node) and not any(_costs(each) and self._spread(each) for each in _around_reduces(node))

    def _spread(self, node: Expr) -> bool:
        return not self.reduces(node) or self._larger(node)

    def _before_steps(self, expr: Expr, system: recurrences.Together, indices: tuple[str, ...]) -> Expr:
        """An equation, with temporaries for what is the same in every step and costs more than a read."""
        order, nodes = system.order, list(subexpressions(expr))
        if self.extent(order.along) < self.target.stages.copied:
            return expr
        over = (index for each in nodes if isinstance(each, Reduce) for index in each.over)
        every, costly, moving = (*indices, *over), set[Expr](), set[Expr]()
        for node in nodes:
            if _costs(node) or not costly.isdisjoint(node.children):
                costly.add(node)
            if (isinstance(node, Read) and node.operand in system.names) or not moving.isdisjoint(node.children):
                moving.add(node)
        found: dict[Expr, Expr] = {}
        waiting, seen = [expr], set[Expr]()
        while waiting:
            node = waiting.pop()
            if node in seen or node not in costly:
                continue
            seen.add(node)
            is_fixed = node not in moving and node.free.isdisjoint(order.along)
            if is_fixed and not node.free <= {*order.apart}:
                found[node] = self._temporary(node, True, every)
            else:
                waiting += node.children
        return replace_nodes(expr, found) if found else expr

    def _in_lanes(self, expr: Expr, order: Order, lane: str) -> Expr:
        """An equation in which what reductions read in every step, as weights, lies along the last index of the
        state."""
        if lane in order.along or self.extent(order.along) < self.target.stages.copied:
            return expr
        found: dict[Expr, Expr] = {}
        reduces = [node for node in subexpressions(expr) if isinstance(node, Reduce)]
        for each in subexpressions(*(node.body for node in reduces)):
            places = [at.index for at in each.at if isinstance(at, Position)] if isinstance(each, Read) else []
            fixed = len(places) > 1 and len(places) == len(each.children) and len(set(places)) == len(places)
            if fixed and lane in places[:-1] and each.free.isdisjoint((*order.along, *order.apart)):
                indices = (*(index for index in places if index != lane), lane)
                found[each] = self._temporary(each, False, indices)
        return replace_nodes(expr, found) if found else expr

    def _settled(self, expr: Expr, indices: tuple[str, ...]) -> Expr:
        if any(self.pairs(node) for node in self.reduces(expr)):
            return self._beside_pairs(expr, frozenset(indices), False, indices)
        return expr if self.fused(expr, indices) else self._replaced(expr, frozenset(indices), False, indices)

    # --- pairs ------------------------------------------------------------------------------------------------------

    @_once
    def _beside_pairs(self, node: Expr, around: frozenset[str], chosen: bool, order: tuple[str, ...]) -> Expr:
        """`node`, with its reductions over pairs in a form that needs no table, and temporaries for what they share."""
        if not any(self.pairs(each) for each in self.reduces(node)):
            return self._replaced(node, around, chosen, order)
        if not isinstance(node, Reduce):
            return self._rebuilt(node, self._beside_pairs, around, chosen, order)
        found = self.pairs(node)
        if found is None:
            return self._replaced(node, around, chosen, order)
        if self.extent(around - node.free) > self.target.pairs.columns:
            return self._temporary(node, chosen, order)
        if not found.rows and len(found.long) > 1 and not node.kind.startswith("arg"):
            return self._row_by_row(node, found, chosen, order)
        body = self._alone(node, chosen, (*order, *node.over))
        if found.short and not node.kind.startswith("arg"):
            return reduce(node.kind, found.long, reduce(node.kind, found.short, body))
        return rebuild(node, (body,))

    def _row_by_row(self, node: Reduce, found: Pairs, chosen: bool, order: tuple[str, ...]) -> Expr:
        """A reduction of all pairs, as one of what each row comes to."""
        row = max(found.long, key=lambda index: self.sizes[root(index)])
        rest = tuple(index for index in node.over if index != row)
        part = self._temporary(reduce(node.kind, rest, node.body), chosen, (*order, row))
        return reduce(node.kind, (row,), part)

    def _alone(self, node: Reduce, chosen: bool, order: tuple[str, ...]) -> Expr:
        """The body of a reduction over pairs, with temporaries for the reductions that are of one side only."""
        inside = {each for each in inner_reduces(node) if not each.free <= frozenset(node.over)}

        def replaced(each: Expr, chosen: bool, order: tuple[str, ...]) -> Expr:
            if not self.reduces(each):
                return each
            if isinstance(each, Reduce):
                if each not in inside:
                    return self._temporary(each, chosen, order)
                return rebuild(each, (replaced(each.body, chosen, (*order, *each.over)),))
            return self._rebuilt(each, lambda child, _, *more: replaced(child, *more), frozenset(), chosen, order)

        return replaced(node.body, chosen, order)

    # --- temporaries ------------------------------------------------------------------------------------------------

    @_once
    def _replaced(self, node: Expr, around: frozenset[str], chosen: bool, order: tuple[str, ...]) -> Expr:
        """`node`, with what a loop over `around` would compute repeatedly read from temporaries."""
        if not self.reduces(node):
            return node
        if isinstance(node, Reduce) and self.contracts(node):
            return self._temporary(node, chosen, order)
        if isinstance(node, Reduce) and node.free == around:
            if self._shared_out(node, around) or not self.reduces(node.body) or self._all_small(node):
                return self._within(node, around, chosen, order)
        elif not self._larger(node) and node.free != around:
            return self._temporary(node, chosen, order)
        if isinstance(node, Reduce):
            return self._within(node, around, chosen, order)
        return self._rebuilt(node, self._replaced, around, chosen, order)

    def _within(self, node: Reduce, around: frozenset[str], chosen: bool, order: tuple[str, ...]) -> Expr:
        """A Reduce whose own loops stay here: what is nested in them may need temporaries."""
        inside = list(self.reduces(node.body))
        if not inside:
            return node
        if all(inner.free == around and inner.over == node.over for inner in inside) and self._shared_out(node, around):
            return node
        body = self._nested(node.body, chosen, (*order, *node.over))
        return rebuild(node, (body,))

    def _shared_out(self, node: Reduce, around: frozenset[str]) -> bool:
        return self.extent(around) >= self.target.stages.rows and not self.tall(node, frozenset(map(root, node.over)))

    @_once
    def _nested(self, node: Expr, chosen: bool, order: tuple[str, ...]) -> Expr:
        if not self.reduces(node):
            return node
        if not self._larger(node) or (isinstance(node, Reduce) and self.contracts(node)):
            return self._temporary(node, chosen, order)
        if isinstance(node, Reduce):
            return rebuild(node, (self._nested(node.body, chosen, (*order, *node.over)),))
        return self._rebuilt(node, lambda child, _, *more: self._nested(child, *more), frozenset(), chosen, order)

    def _rebuilt(self, node: Expr, visit: Visit, around: frozenset[str], chosen: bool, order: tuple[str, ...]) -> Expr:
        """`node` over what `visit` makes of its children, told whether a select chooses them."""
        children = []
        selects = isinstance(node, Apply) and node.function == "select"
        for place, child in enumerate(node.children):
            children.append(visit(child, around, chosen or (selects and place > 0), order))
        return rebuild(node, tuple(children))

    def _larger(self, node: Expr) -> bool:
        """Whether a temporary for `node` would be larger than what its outermost reductions give."""
        return self.extent(node.free) > max(self.extent(each.free) for each in self._outermost(node))

    def _outermost(self, node: Expr) -> frozenset[Reduce]:
        """The reductions in `node` that are in none of the others."""
        for each in unknown(self._tops, node):
            self._tops[each] = self._on_top(each)
        return self._tops[node]

    def _on_top(self, node: Expr) -> frozenset[Reduce]:
        """As `_outermost`, which the children of `node` were asked before."""
        if isinstance(node, Reduce):
            return frozenset((node,))
        found = frozenset[Reduce]().union(*(self._tops[child] for child in node.children))
        if len(found) < 2:
            return found
        return found.difference(*(self.reduces(each.body) for each in found))

    def _all_small(self, node: Reduce) -> bool:
        return self._steps(node, tuple(node.free)) <= self.target.stages.steps

    def _temporary(self, node: Expr, chosen: bool, order: tuple[str, ...]) -> Expr:
        """A read of the temporary that holds `node`. It has an element for all values of its indices, so what a select
        chooses there is 0 where nothing was written."""
        if chosen:
            node = self._written(node)
        if node in self.known:
            return self.known[node]
        indices = tuple(index for index in dict.fromkeys(order) if index in node.free)
        key = self._unnamed(node, indices)
        if key not in self.temporaries:
            name = f"part.{len(self.temporaries) + 1}"
            axes = tuple((index,) for index in indices)
            self.temporaries[key] = Operand(name, node.dtype, axes)
            self._add(self.temporaries[key])
            self._task(Output(name, node, axes))
        self.known[node] = read(self.temporaries[key].name, tuple(map(position, indices)), node.dtype)
        return self.known[node]

    def _written(self, node: Expr) -> Expr:
        """`node`, with 0 for reads of what has no value where nothing was written. A read at a position out of range is
        0 already, in whatever kernel it is."""
        guarded: dict[Expr, Expr] = {}
        for each in subexpressions(node):
            if isinstance(each, Read) and each.operand in self.partial:
                here = dict(zip(self.operands[each.operand].indices, each.at, strict=True))
                guarded[each] = where(substitute(self.partial[each.operand], here), each)
        return replace_nodes(node, guarded) if guarded else node

    # --- grouping ---------------------------------------------------------------------------------------------------

    def _grouped(self) -> tuple[Stage, ...]:
        """Tasks over the same indices share a stage where they have the same reductions, or have one in common and are
        computed row by row, unless one reads what another writes."""
        groups: list[list[Output]] = []
        for task in _in_turn(self.tasks, self.own):
            if task.name in self.own:
                if groups and groups[-1][0].name in self.own[task.name].names:
                    groups[-1].append(task)
                else:
                    groups.append([task])
                continue
            reads = _reads(task)
            first = 0
            for at, group in enumerate(groups):
                needed = reads & {member.name for member in group}
                if needed:
                    first = at if needed == {group[0].name} and _follows(group[0], task) else at + 1
            for group in groups[first:]:
                if any(self._alike(member, task) for member in group):
                    group.append(task)
                    break
            else:
                groups.append([task])
        return tuple(self._stage(group) for group in groups)

    def _stage(self, group: Sequence[Output]) -> Stage:
        system = self.own.get(group[0].name)
        if system is None:
            return Stage(tuple(group))
        by_name = {each.name: each for each in group}
        return Stage(tuple(by_name[name] for name in system.names), system.order, system.passing)

    def _alike(self, first: Output, second: Output) -> bool:
        if first.name in self.own:
            return False
        if isinstance(first.expr, Scan) or isinstance(second.expr, Scan):
            return _follows(first, second) and not self.reduces(second.expr)
        if any(self.contracts(node) for each in (first, second) for node in self.reduces(each.expr)):
            return False
        if first.indices != second.indices:
            return False
        one, other = self.reduces(first.expr), self.reduces(second.expr)
        if {node.over for node in one} == {node.over for node in other}:
            return True
        return not one.isdisjoint(other) and self._row_by_itself(first) and self._row_by_itself(second)

    def _row_by_itself(self, task: Output) -> bool:
        """Whether each row is reduced by itself, whatever is gone along."""
        if self._steps(task.expr, task.indices) <= self.target.stages.steps:
            return True
        around = frozenset(task.indices)
        return all(self._shared_out(node, around) for node in self.reduces(task.expr))


def _in_turn(tasks: Sequence[Output], systems: Mapping[str, recurrences.Together]) -> list[Output]:
    """The tasks, each behind those that write what it reads, and otherwise as they stand; states of one system one
    behind the other."""
    by_name = {task.name: task for task in tasks}
    done: dict[str, Output] = {}
    stack = list(reversed(tasks))
    while stack:
        task = stack[-1]
        names = systems[task.name].names if task.name in systems else (task.name,)
        read_here = frozenset().union(*(_reads(by_name[name]) for name in names)).difference(names)
        waiting = [by_name[name] for name in sorted(read_here - done.keys()) if name in by_name]
        if waiting and task.name not in done:
            stack += reversed(waiting)
        else:
            stack.pop()
            done.update({name: by_name[name] for name in names})
    return list(done.values())


def _reads(task: Output) -> set[str]:
    return {each.operand for each in subexpressions(task.expr) if isinstance(each, Read)} - {task.name}


def _reads_any(node: Expr, names: Sequence[str]) -> bool:
    return any(isinstance(each, Read) and each.operand in names for each in subexpressions(node))


def _costs(node: Expr) -> bool:
    """Whether it is a function of real numbers, or read at places that are no sums and multiples of indices."""
    if isinstance(node, Apply):
        return FUNCTIONS[node.function].result == "float"
    return isinstance(node, Read) and not all(map(_is_linear, subexpressions(*node.at)))


def _around_reduces(node: Expr) -> Iterator[Expr]:
    """The parts of `node` that are in none of its reductions."""
    waiting, seen = [node], set[Expr]()
    while waiting:
        each = waiting.pop()
        if each not in seen and not isinstance(each, Reduce):
            seen.add(each)
            yield each
            waiting += each.children


def _is_linear(at: Expr) -> bool:
    return not isinstance(at, Read) and (not isinstance(at, Apply) or at.function in ("add", "sub", "mul", "neg"))


def _without_tables(expr: Expr) -> Expr:
    """`expr` without a mark of what is materialised."""
    memo: dict[Expr, Expr] = {}
    for node in subexpressions(expr):
        children = tuple(memo[child] for child in node.children)
        new = rebuilt(node, children)
        memo[node] = inlined(new) if isinstance(new, Materialised) else new
    return memo[expr]


def _is_plain(node: Materialised) -> bool:
    """Whether it is read at plain places, each of one index."""
    at = {each.index for each in node.at if isinstance(each, Position)}
    return len(at) == len(node.at)


def _follows(first: Output, second: Output) -> bool:
    """Whether the one is a sort, and the other reads the positions that it gives, each just where it is given."""
    if not isinstance(first.expr, Scan) or first.expr.kind != "argsort" or first.indices != second.indices:
        return False
    reads = [each for each in subexpressions(second.expr) if isinstance(each, Read) and each.operand == first.name]
    here = tuple(map(position, first.indices))
    return bool(reads) and all(each.at == here for each in reads)
