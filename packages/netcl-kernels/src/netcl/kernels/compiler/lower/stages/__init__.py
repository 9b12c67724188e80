"""What is computed together, and what gets a temporary: a formula becomes a sequence of stages.

A stage is one nest of loops: outputs over the same indices.

    tables          what has to be computed once, since it is compared: read from temporaries
    products        matrix products that are asked for in several places: temporaries, but beside states
    positions       matrix products at positions that are worked out: at all positions, where that is less
    shifted         reductions at places that several indices work out: temporaries over the places
    nested          reductions inside of larger loops, which would compute them again and again: temporaries
    beside_pairs    reductions over pairs, of which there is no table
    equations       states: what is the same in every step has temporaries
    temporaries     one for all that differs in the names of indices alone
    grouping        which outputs and temporaries share a stage
    down_columns    rows, with the sums down their columns

A Scan is a stage of its own: its value at every position, written once. What is read at the positions that a sort gives
is written with them.

Input: a formula and the extents of its indices. Output: stages in order, and the temporaries. Which decision is taken
depends on sizes and strides alone, so that results never depend on the device.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from netcl.kernels.compiler.ir import Expr, Formula, Operand, Output, Read, Reduce, Scan, subexpressions
from netcl.kernels.compiler.ir.binding import replace_nodes
from netcl.kernels.compiler.ir.choices import conditions_of, conjunction, is_zero, where
from netcl.kernels.compiler.ir.paths import on_every_way, paths
from netcl.kernels.compiler.lower import recurrences
from netcl.kernels.compiler.lower.accesses import Placed
from netcl.kernels.compiler.lower.exact_places import over_exact_places
from netcl.kernels.compiler.lower.loop_cost import Cost
from netcl.kernels.compiler.lower.scans import as_read, bodies_along, over, read_again, separated
from netcl.kernels.compiler.lower.stages.beside_pairs import BesidePairs
from netcl.kernels.compiler.lower.stages.down_columns import with_sums_down
from netcl.kernels.compiler.lower.stages.equations import Equations
from netcl.kernels.compiler.lower.stages.grouping import Grouping, Stage, of_one_step
from netcl.kernels.compiler.lower.stages.nested import Nested
from netcl.kernels.compiler.lower.stages.positions import at_positions
from netcl.kernels.compiler.lower.stages.products import asked_for_again, where_asked_for
from netcl.kernels.compiler.lower.stages.shifted import at_places
from netcl.kernels.compiler.lower.stages.tables import Tables, reads_any
from netcl.kernels.compiler.lower.stages.temporaries import Temporaries
from netcl.kernels.compiler.target import Target

__all__ = ["Stage", "Stages", "of_one_step", "staged"]


@dataclass(frozen=True)
class Stages:
    """The stages in order; `operands` has the temporaries as operands of later stages."""

    stages: tuple[Stage, ...]
    temporaries: tuple[Operand, ...]


def staged(formula: Formula, sizes: Mapping[str, int], places: Mapping[str, Placed], target: Target) -> Stages:
    """The stages of `formula`."""
    return _Stager(formula, sizes, places, target).staged()


class _Stager:
    def __init__(
        self, formula: Formula, sizes: Mapping[str, int], places: Mapping[str, Placed], target: Target
    ) -> None:
        self.formula = formula
        self.cost = Cost({operand.name: operand for operand in formula.operands}, sizes, places, target)
        self.temporaries = Temporaries(self.cost, self._task)
        self.nested = Nested(self.cost, self.temporaries)
        self.pairs = BesidePairs(self.cost, self.temporaries, self.nested)
        self.equations = Equations(self.cost, self.temporaries, self.nested)
        self.own: dict[str, recurrences.Together] = {}
        self.tasks: list[Output] = []

    def staged(self) -> Stages:
        plain, kept, systems = recurrences.separated(self.formula.outputs)
        self.own = {name: system for system in systems for name in system.names}
        outputs, running = separated(replace(self.formula, outputs=tuple(plain)), self.cost.sizes)
        self.cost.operands.update(read_again(outputs))
        self.cost.operands.update({each.name: as_read(each) for each in outputs if each.name in self.own})
        for operand in (*kept, *running):
            self.temporaries.add(operand)
        tables = Tables(outputs, self.cost, self.temporaries)
        for output in outputs:
            if output.partial is not None:
                self.temporaries.partial[output.name] = tables.read_from(output.partial)
        # beside states one after the other: what the tables of a later output are read from may wait for them
        tasks = (self._with_tables(output, tables) for output in outputs)
        for task in tasks if self.own else self._with_shared_products([*tasks]):
            self._task(task)
        stages = Grouping(self.own, self.cost, self.nested).stages(self.tasks)
        stages = with_sums_down(stages, [each.name for each in self.temporaries.operands], self.cost)
        return Stages(stages, (*kept, *running, *self.temporaries.operands))

    def _with_tables(self, output: Output, tables: Tables) -> Output:
        states = self.own[output.name].names if output.name in self.own else ()
        return replace(output, expr=tables.read_from(output.expr, states))

    def _with_shared_products(self, tasks: Sequence[Output]) -> Sequence[Output]:
        """The same, after the products that several of them ask for have a temporary, with 0 where none asks."""
        found = [*asked_for_again([(task.expr, task.indices) for task in tasks], self.cost)]
        ways = paths(*(task.expr for task in tasks)) if found else {}
        for node, order in found:
            if not reads_any(node, (*self.temporaries.partial,)):
                table = self.temporaries.of(where_asked_for(node, ways.get(node, [()])), False, order)
                self.temporaries.known[node] = table
                self.cost.products |= {each.operand for each in subexpressions(table) if isinstance(each, Read)}
        return tasks

    def _task(self, output: Output) -> None:
        """Compute one output, after whatever temporaries it needs."""
        if output.name in self.own:
            expr = self._with_known_products(output.expr)
            expr = self.equations.settled(expr, self.own[output.name], output.indices)
            self.tasks.append(replace(output, expr=expr))
            return
        expr = self._with_known_products(over_exact_places(output.expr, self.cost.sizes))
        expr = self._with_products_at_positions(expr, output.indices)
        expr = self._with_sums_at_places(expr, output.indices)
        asked, value = conditions_of(expr, is_zero)
        if isinstance(expr, Scan):
            expr = over(expr, [self._settled(body, output.indices) for body in bodies_along(expr)])
        elif isinstance(value, Reduce) and self.cost.apart(value) and not self.cost.pairs(value):
            value = self.nested.within(value, frozenset(output.indices), bool(asked), output.indices)
            expr = where(conjunction(asked), value)
        else:
            expr = self._settled(expr, output.indices)
        self.tasks.append(replace(output, expr=expr))

    def _with_known_products(self, expr: Expr) -> Expr:
        """`expr`, with the contractions in it that have a temporary read from there."""
        known = self.temporaries.known
        found: dict[Expr, Expr] = {
            node: known[node] for node in self.cost.reduces(expr) if node in known and self.cost.contracts(node)
        }
        return replace_nodes(expr, found) if found else expr

    def _with_products_at_positions(self, expr: Expr, order: tuple[str, ...]) -> Expr:
        """`expr`, with sums over what there is of all positions instead of products that are worked out for each."""
        found: dict[Expr, Expr] = {}
        for node in self.cost.reduces(expr):
            everywhere = at_positions(node, order, self.cost)
            if everywhere is not None:
                table = self.temporaries.of(everywhere.sums, True, everywhere.order)
                found[node] = everywhere.summed(table)
        return replace_nodes(expr, found) if found else expr

    def _with_sums_at_places(self, expr: Expr, indices: tuple[str, ...]) -> Expr:
        """`expr`, with reductions that are asked for at places that several indices work out read from temporaries."""
        found: dict[Expr, Expr] = {}
        ways = paths(expr)
        for node in self.cost.reduces(expr):
            order = (*indices, *(index for index in sorted(node.free) if index not in indices))
            known = on_every_way(ways[node]) if node in ways else ()
            made = at_places(node, indices, order, known, self.cost, self._table_of)
            if made is not None:
                found[node] = made
        return replace_nodes(expr, found) if found else expr

    def _table_of(self, expr: Expr, order: tuple[str, ...]) -> Expr:
        return self.temporaries.of(expr, True, order)

    def _settled(self, expr: Expr, indices: tuple[str, ...]) -> Expr:
        if any(self.cost.pairs(node) for node in self.cost.reduces(expr)):
            return self.pairs.replaced(expr, frozenset(indices), False, indices)
        return (
            expr if self.cost.fused(expr, indices) else self.nested.replaced(expr, frozenset(indices), False, indices)
        )
