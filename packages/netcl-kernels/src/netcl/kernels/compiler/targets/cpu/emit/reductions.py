"""The loops of Reduces: accumulators before, runs inside, results after.

Reduces over the same indices that do not need each other share their loops. Where no output index is being computed in
lanes, the innermost loop itself may run sixteen values at a time (`Loops.reduce_vectors`), with a scalar tail. There
an arg-reduction is two: the extreme value, then the search for its first place, which stops when it is found.
"""

from __future__ import annotations

from collections.abc import Sequence

from netcl.kernels.compiler.ir import FLOATS, Apply, Expr, Reduce, reduce, subexpressions
from netcl.kernels.compiler.lower.reductions import BLOCK
from netcl.kernels.compiler.lower.words import is_extreme, worded
from netcl.kernels.compiler.opencl import elementary
from netcl.kernels.compiler.opencl.scope import Lines, Scope
from netcl.kernels.compiler.opencl.types import LANES, WORD, Value, from_mask, unwrapped
from netcl.kernels.compiler.targets.cpu.emit.accumulate import Accumulator, Arg, Extremum, PairSum
from netcl.kernels.compiler.targets.cpu.emit.body import Body
from netcl.kernels.compiler.targets.cpu.emit.columns import reduce_in_columns

Group = tuple[Reduce, ...]

_SUMS = 4
_SHORT = 8
"""A sum or extreme of values of at most so many nodes is taken in `_SUMS` accumulators at a time."""

_WORDS = 4
"""Words of bools between two tests whether the result is known."""

_EXACT = frozenset(
    (
        "add sub mul div neg abs sqrt select cast copy detach maximum minimum sign floor ceil round trunc "
        "eq ne lt le gt ge and or not"
    ).split()
)


class Reductions:
    """The Reduces of one kernel, grouped; `write` emits a group where it is first needed."""

    def __init__(self, body: Body) -> None:
        roots = [write.expr for write in body.kernel.writes]
        self._body = body
        self._group_of: dict[Reduce, Group] = {}
        level: dict[Expr, int] = {}
        groups: dict[tuple[object, ...], list[Reduce]] = {}
        for node in body.guards.in_order(roots):
            level[node] = max((level[each] for each in body.guards.needs(node)), default=0)
            if isinstance(node, Reduce):
                level[node] += 1
                groups.setdefault((level[node], node.over, body.guards.depends(node)), []).append(node)
        for members in groups.values():
            for node in members:
                self._group_of[node] = tuple(members)

    def write(self, node: Reduce, home: Scope) -> None:
        """Emit the loops of the group of `node` into `home`, and note the results there."""
        group = self._group_of[node]
        body = self._body
        if home.beside:
            reduce_in_columns(body, group, home)
            return
        lanes = body.lanes(node, home)
        vector = body.kernel.loops.reduce_vectors.get(node.over) if lanes == 1 else None
        if vector and len(node.over) == 1 and any(self._sought(each) for each in group):
            self._by_search(group, home)
            return
        names = [body.names.fresh("_".join((each.kind, *each.over))) for each in group]
        order = [index for index in node.over if index != vector] + ([vector] if vector else [])
        single = self._declared(group, names, lanes, order, home)
        scope = home
        outer: list[tuple[str, Scope]] = []
        for index in order[:-1]:
            name = body.index_name(index)
            first, last = body.bounds(index, scope)
            scope = Scope(scope, [(index, name)])
            outer.append((f"for (long {name} = {first}; {name} < {last}; ++{name})", scope))
        lines: Lines = []
        after: Lines = []
        if vector:
            lines, after = self._in_lanes(group, names, single, order, scope, home)
        elif order:
            lines = self._one_by_one(group, single, order[-1], scope)
        else:  # an arg-reduction over nothing
            for each, accumulating in zip(group, single, strict=True):
                lines += accumulating.take(body.value(each.body, home), "0")
        for header, inner in reversed(outer):
            inner.lines += lines
            lines = list(inner.close(header))
        home.lines += [*lines, *after]
        for each, accumulating in zip(group, single, strict=True):
            home.values[each] = body.named(accumulating.result(), home, "total", accumulating.name, each)

    def _sought(self, node: Reduce) -> bool:
        """Whether the place can be found by comparing: every width must compute the same values."""
        exact = _EXACT if node.body.dtype == "float64" else _EXACT | elementary.WORST_ULP.keys()
        functions = {each.function for each in subexpressions(node.body) if isinstance(each, Apply)}
        return node.kind.startswith("arg") and node.body.dtype != "bool" and functions <= exact

    def _by_search(self, group: Group, home: Scope) -> None:
        """The group with extreme values in the place of those arg-reductions, then a search for each."""
        extremes = {each: reduce(each.kind[3:], each.over, each.body) for each in group if self._sought(each)}
        simpler = tuple(dict.fromkeys(extremes.get(each, each) for each in group))
        for each in simpler:
            self._group_of[each] = simpler
        self.write(simpler[0], home)
        body = self._body
        for each, extreme in extremes.items():
            (index,) = each.over
            name = body.index_name(index)
            first, last = self._body.bounds(index, home)
            best = home.values[extreme].text
            place = body.names.fresh("_".join((each.kind, *each.over)))
            wide, single = Scope(home, [(index, name)], LANES), Scope(home, [(index, name)])
            many = Scope(home, [(index, name)], LANES)
            tests = []
            for number in range(_SUMS):
                body.c_indices[index] = f"({name} + {number * LANES})" if number else name
                part = Scope(home, [(index, name)], LANES)
                tests.append(self._found(each, best, part))
                many.lines += part.lines
            body.c_indices[index] = name
            some = body.helpers.name("fold_any", "bool", LANES)
            many.lines.append(f"if ({some}({' | '.join(tests)})) break;")
            wide.lines.append(f"if ({some}({unwrapped(self._found(each, best, wide))})) break;")
            single.lines.append(f"if ({self._found(each, best, single)}) break;")
            home.lines += [
                f"long {place} = 0;",
                "{",
                [
                    f"long {name} = {first};",
                    *many.close(f"for (; {name} + {_SUMS * LANES} <= {last}; {name} += {_SUMS * LANES})"),
                    *wide.close(f"for (; {name} + {LANES} <= {last}; {name} += {LANES})"),
                    *single.close(f"for (; {name} < {last}; ++{name})"),
                    f"{place} = {name};",
                ],
                "}",
            ]
            home.values[each] = Value(place, "int64", atom=True)

    def _found(self, node: Reduce, best: str, scope: Scope) -> str:
        """Whether the value in `scope` is the extreme one; of sixteen, where it is."""
        body = self._body
        value = body.named(body.value(node.body, scope), scope, "value")
        found = f"{value.text} == {best}"
        if node.body.dtype in FLOATS:
            found = f"({found}) {'|' if value.lanes > 1 else '||'} ({value.text} != {value.text})"
        return from_mask(found, node.body.dtype, LANES).text if value.lanes > 1 else found

    def _one_by_one(self, group: Group, single: list[Accumulator], index: str, parent: Scope) -> Lines:
        name = self._body.index_name(index)
        first, last = self._body.bounds(index, parent)
        inner = Scope(parent, [(index, name)])
        inner.lines += self._taken(group, single, inner)
        enter = [line for each in single for line in each.enter()]
        leave = [line for each in single for line in each.leave()]
        if not any(each.blocked for each in single):
            return [*inner.close(f"for (long {name} = {first}; {name} < {last}; ++{name})")]
        run = Scope(parent)
        run.lines += [f"const long {name}_stop = min({name}_run + {BLOCK}, {last});", *enter]
        run.lines += inner.close(f"for (long {name} = {name}_run; {name} < {name}_stop; ++{name})")
        run.lines += leave
        return [*run.close(f"for (long {name}_run = {first}; {name}_run < {last}; {name}_run += {BLOCK})")]

    def _in_lanes(
        self, group: Group, names: list[str], single: list[Accumulator], order: list[str], parent: Scope, home: Scope
    ) -> tuple[Lines, Lines]:
        body, index = self._body, order[-1]
        name = body.index_name(index)
        first, last = self._body.bounds(index, parent)
        wide = self._declared(group, [body.names.fresh(f"{own}_lanes") for own in names], LANES, order, home)
        inner = Scope(parent, [(index, name)], LANES)
        inner.lines += self._taken(group, wide, inner)
        step = f"{name} += {LANES}"
        folded: Lines = []
        lines: Lines = [f"long {name} = {first};"]
        if any(each.blocked for each in wide):
            run = Scope(parent)
            run.lines.append(f"const long {name}_stop = min({name} + {BLOCK * LANES}, {last} - {LANES - 1});")
            run.lines += [line for each in wide for line in each.enter()]
            sums = [each for each in wide if isinstance(each, PairSum)]
            if len(sums) == len(wide) and self._short(group):
                run.lines += self._several(group, sums, index, run, f"{name}_stop + {LANES - 1}")
            run.lines += inner.close(f"for (; {name} < {name}_stop; {step})")
            run.lines += [line for each in wide for line in each.leave()]
            lines += run.close(f"while ({name} + {LANES} <= {last})")
        else:
            words, folded = self._in_words(group, names, single, index, parent, home)
            lines += words
            extremes = [each for each in wide if isinstance(each, Extremum)]
            if len(extremes) == len(wide) and self._short(group):
                lines += self._several(group, extremes, index, parent, last)
            lines += inner.close(f"for (; {name} + {LANES} <= {last}; {step})")
        tail = Scope(parent, [(index, name)])
        tail.lines += self._taken(group, single, tail)
        lines += [line for each in single for line in each.enter()]
        lines += tail.close(f"for (; {name} < {last}; ++{name})")
        lines += [line for each in single for line in each.leave()]
        folded += [line for each, own in zip(wide, single, strict=True) for line in each.fold_into(own)]
        return ["{", lines, "}"], folded

    def _declared(self, group: Group, names: list[str], lanes: int, order: list[str], home: Scope) -> list[Accumulator]:
        """Accumulators of so many lanes, declared in `home`, for loops in this order."""
        found = [self._body.accumulator(each, name, lanes) for each, name in zip(group, names, strict=True)]
        for node, each in zip(group, found, strict=True):
            if isinstance(each, Arg):
                each.in_order = order == [*node.over]
            home.lines += each.declare()
        return found

    def _short(self, group: Group) -> bool:
        """Whether the values cost less than the wait for the sum before."""
        nodes = {node for each in group for node in subexpressions(each.body)}
        functions = {node.function for node in nodes if isinstance(node, Apply)}
        return len(group) == 1 and len(nodes) <= _SHORT and not functions & elementary.WORST_ULP.keys()

    def _several(self, group: Group, wide: Sequence[PairSum | Extremum], index: str, parent: Scope, last: str) -> Lines:
        """Several steps into as many accumulators, which do not wait for each other; then these together."""
        name = self._body.index_name(index)
        first = Scope(parent, [(index, name)], LANES)
        first.lines += self._taken(group, wide, first)
        steps: Lines = []
        before: Lines = []
        after: Lines = []
        for number in range(1, _SUMS):
            others = [each.another(number + 1) for each in wide]
            before += [line for each in others for line in each.enter_beside()]
            after += [line for each, other in zip(wide, others, strict=True) for line in each.join(other)]
            scope = Scope(parent, [(index, name)], LANES)
            scope.lines.append(f"const long {name} = {name}_here + {number * LANES};")
            scope.lines += self._taken(group, others, scope)
            steps += ["{", scope.lines, "}"]
        together = _SUMS * LANES
        header = f"for (; {name} + {together} <= {last}; {name} += {together}) {{"
        return [*before, header, [f"const long {name}_here = {name};", *first.lines, *steps], "}", *after]

    def _in_words(
        self, group: Group, names: list[str], single: list[Accumulator], index: str, parent: Scope, home: Scope
    ) -> tuple[Lines, Lines]:
        """The loop over whole words, and what folds them, where all that is reduced is bytes."""
        body = self._body
        if not body.helpers.driver.own_functions:
            return [], []
        if not all(is_extreme(each) and worded(each.body, index, body.guards, body.kernel.accesses) for each in group):
            return [], []
        if len(group) == 1 and single[0].kind in ("any", "all"):
            return self._until_known(group[0], single[0], index, parent), []
        name = body.index_name(index)
        _, last = body.bounds(index, parent)
        words = self._declared(group, [body.names.fresh(f"{own}_words") for own in names], WORD, [index], home)
        scope = Scope(parent, [(index, name)], WORD)
        scope.lines += self._taken(group, words, scope)
        folded: Lines = [line for each, own in zip(words, single, strict=True) for line in each.fold_into(own)]
        return scope.close(f"for (; {name} + {WORD} <= {last}; {name} += {WORD})"), folded

    def _until_known(self, node: Reduce, single: Accumulator, index: str, parent: Scope) -> Lines:
        """The loop over whole words of one any or all; it stops as soon as the result is known."""
        body = self._body
        name = body.index_name(index)
        _, last = body.bounds(index, parent)
        together = Scope(parent, [(index, name)], WORD)
        texts = []
        for number in range(_WORDS):
            with body.standing_for(index, f"({name} + {number * WORD})" if number else name):
                scope = Scope(parent, [(index, name)], WORD)
                texts.append(body.value(node.body, scope).text)
                together.lines += scope.lines
        some = single.kind == "any"
        known = " | ".join(texts) if some else f"({' & '.join(texts)}) ^ (uchar)1"
        together.lines += [
            f"if ({body.helpers.some(known)}) {{",
            [f"{single.name} = {int(some)};", f"{name} = {last};"],
            "}",
        ]
        step = _WORDS * WORD
        return together.close(f"for (; {name} + {step} <= {last}; {name} += {step})")

    def _taken(self, group: Group, accumulators: Sequence[Accumulator], scope: Scope) -> Lines:
        """One step of every accumulator. The body's own statements go into the scopes they belong to."""
        body = self._body
        lines: Lines = []
        for node, accumulating in zip(group, accumulators, strict=True):
            value: Value = body.value(node.body, scope)
            lines += accumulating.take(value, body.place(node, scope))
        return lines
