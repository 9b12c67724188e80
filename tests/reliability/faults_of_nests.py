"""Faults of loop nests, and of the schedules of CPUs and cards that make them."""

from __future__ import annotations

from planted import Mutant, compiler

FAULTS: list[Mutant] = [
    *compiler(
        "loops/accumulate.py",
        ('apply("or", (self.met, met), "bool")', "self.met", "extremes skip NaN"),
        (
            "return [self._store(self.run, self._add(self.run, other.run))]",
            "return []",
            "of the sums that are taken side by side one counts",
        ),
        ("*single._nearest(best, first)]", "]", "the best of the lanes is forgotten"),
    ),
    *compiler(
        "loops/lanes.py",
        (
            '[Loop(left.index, count, "serial"',
            '[Loop(left.index, quotient(count, 2), "serial"',
            "half of what is left behind vectors is forgotten",
        ),
    ),
    *compiler(
        "loops/searching.py",
        (
            "plus(plus(start, each * LANES), position(lanes.index))",
            "plus(start, position(lanes.index))",
            "searches look at the first lanes only",
        ),
    ),
    *compiler(
        "loops/folding.py",
        ("in_step(lanes, _each(at, lambda each: each.leave())),\n", "", "runs of vectors are not added up"),
    ),
    *compiler(
        "targets/cpu/schedules/scan.py",
        (
            "slot = minus(LANES - 1, step) if self.backward else step\n        place",
            "slot = step\n        place",
            "tiles of rows that are gone along backwards are gone along forwards",
        ),
    ),
    *compiler(
        "targets/cpu/schedules/down_columns.py",
        (
            'call("gt", scope.place(self.row), self.part.first)',
            'call("ge", scope.place(self.row), self.part.first)',
            "sums down columns begin with what a block finds in memory",
        ),
    ),
    *compiler(
        "opencl/apart.py",
        ('"from += 4 * step; "', '"from += 3 * step; "', "of what is read a step apart every fifth is read twice"),
    ),
    *compiler(
        "loops/text.py",
        (
            "node.dtype, divided.lanes)\n            if self._is_positive(divisor",
            "node.dtype, 1)\n            if self._is_positive(divisor",
            "the rest of a vector is taken for one number",
        ),
    ),
    *compiler(
        "targets/cpu/nested.py",
        (
            "Store(*self._target(write, scope), value, self.is_inside)",
            "Store(*self._target(write, scope), value)",
            "lanes behind the last row are stored",
        ),
    ),
    *compiler(
        "targets/cpu/units.py",
        (
            "left = minus(least(minus(end, here), length), start)",
            "left = minus(length, start)",
            "a share ends with its row",
        ),
        (
            "Let(start.index, most(minus(begin, here), 0)),",
            "Let(start.index, number(0, INDEX_DTYPE)),",
            "and begins with it",
        ),
    ),
    *compiler(
        "targets/cpu/schedules/pairs.py",
        (
            "self.nest.accesses[each.operand].condition is None for each in below",
            "True for each in below",
            "what only some rows read is copied for all",
        ),
    ),
    *compiler(
        "targets/cpu/schedules/scatter.py",
        (
            'tests += [call("ge", row, low), before(row, end)]',
            "tests += [before(row, end)]",
            "a unit adds to rows before its own",
        ),
        ("                Store(many, ZERO, ZERO),\n", "", "a run of values adds those of the runs before it again"),
        ("begin, count = first, many", "begin, count = ZERO, many", "every part of the values is the first"),
        (
            'call("gt" if kind == "max" else "lt", value, best)',
            'call("gt", value, best)',
            "the least of what goes to a row is the largest",
        ),
        ("is_nan(value)) if value.dtype in FLOATS else beyond", "is_nan(value)) if False else beyond", "and skips NaN"),
        (
            "asked.value, number(asked.start, asked.value.dtype))",
            "asked.value, number(0, asked.value.dtype))",
            "what a condition leaves out is a 0 among others",
        ),
    ),
    *compiler(
        "targets/cpu/products/tiling.py",
        (
            "== access.strides.get(indices[first], 0) * nest.extent(indices[first])",
            ">= access.strides.get(indices[first], 0) * nest.extent(indices[first])",
            "indices with gaps between them are taken as one",
        ),
    ),
    *compiler(
        "targets/cpu/products/factor.py",
        (
            "Let(here.index, plus(at, least(times(square, GROUP), minus(many, GROUP))))",
            "Let(here.index, plus(at, times(square, GROUP)))",
            "the last square of a run of steps goes beyond it",
        ),
        ('select", at_least(lane, where), later', 'select", before(where, lane), later', "a row ends one too late"),
    ),
    *compiler(
        "targets/cpu/products/tile.py",
        (
            'call("gt", remaining, sums.width // 4)',
            'call("gt", remaining, sums.width // 2)',
            "of the last columns of a product a quarter is computed",
        ),
    ),
    *compiler(
        "targets/cpu/products/kernels.py",
        (
            'If(call("eq", plus(chunk, 1), end), tuple(stored))',
            'If(call("eq", chunk, begin), tuple(stored))',
            "sums are stored before they have all chunks",
        ),
    ),
    *compiler(
        "targets/cpu/products/results.py",
        (
            "            Store(sums.buffer, one, read(again, (ZERO,), sums.dtype)),\n",
            "",
            "0 * infinity stays in a sum that leaves it out",
        ),
    ),
    *compiler(
        "targets/cpu/sorting/network.py",
        ("apart //= 2\n        size *= 2", "apart //= 4\n        size *= 2", "a network compares too little"),
        ('(is_upper, call("not", is_upper))', "(is_upper, is_upper)", "lanes that are turned are compared as if not"),
        ("Assume(at_least(mirrored, 0)), Let(high.index, mirrored),", "Let(high.index, low),", "a block meets itself"),
    ),
    *compiler(
        "targets/cpu/sorting/keys.py",
        (
            'return call("sub", -1, found) if backward',
            'return call("neg", found) if backward',
            "the least integer is its own opposite",
        ),
    ),
    *compiler(
        "targets/cpu/sorting/digits.py",
        ("digit * VALUES)\n", "VALUES)\n", "digits share their counts"),
    ),
    *compiler(
        "targets/cpu/sorting/deal.py",
        (
            'plus(self.places.bins, 1), "serial"',
            'self.places.bins, "serial"',
            "one count begins with what was there",
        ),
    ),
    *compiler(
        "targets/cpu/sorting/bins.py",
        ("for each in (0, MOST)]", "for each in (MOST, MOST)]", "zeros lose their signs"),
        (
            "behind = plus(less, same)\n",
            "behind = plus(same, 1)\n",
            "what comes behind the most frequent is not sorted",
        ),
    ),
    *compiler(
        "fusion/fuse.py",
        ("len({root(index) for index in each.indices})", "len(set(each.indices))", "diagonals are joined"),
    ),
    *compiler(
        "targets/gpu/rows.py",
        (
            "body: list[Statement] = [Barrier()] if self.shared else []",
            "body: list[Statement] = []",
            "a total is written over before all items have read the one before",
        ),
        ("half = shape.width // 2\n", "half = shape.width // 4\n", "half of the items are left out of a total"),
    ),
    *compiler(
        "targets/gpu/recurrence.py",
        (
            "scope.statements += [shared, Barrier()]",
            "scope.statements += [shared]",
            "items go on before the others have their part of a step",
        ),
        (
            "plus(within, times(outer, steps.skew))",
            "plus(within, times(minus(outer, 2), steps.skew))",
            "the last diagonals of a plane are forgotten",
        ),
    ),
    *compiler(
        "loops/recurrent.py",
        (
            "moves = all(strides) and strides == [access.strides.get(index) for index in loops]",
            "moves = True",
            "a state that reads another one turned round is computed in the loops of that one",
        ),
        (
            "return moves and all(found.get(index) == 0 for index in loops)",
            "return moves",
            "a state that reads what another one has beside its place is computed in the loops of that one",
        ),
        (
            "each * self.lanes), position(lanes.index)",
            "each), position(lanes.index)",
            "the second vector of a row begins one element behind the first",
        ),
    ),
    *compiler(
        "opencl/entry.py",
        (
            "item -= {begin};",
            "item -= 0;",
            "work-items of the second run do what is beyond their kernels",
        ),
    ),
    *compiler(
        "loops/stepped.py",
        (
            "asked=self._looking_back(nest)",
            "asked={}",
            "an element is read before the condition holds that shows that it is there",
        ),
    ),
    *compiler(
        "targets/gpu/tiles.py",
        (
            "Barrier(), self._steps(depth, {}), Barrier())",
            "Barrier(), self._steps(depth, {}))",
            "a tile is written over before all items have read it",
        ),
    ),
    *compiler(
        "loops/windows.py",
        (
            "next_lane = rest(plus(own, window.across % self.width), self.width)",
            "next_lane = rest(plus(own, -window.across % self.width), self.width)",
            "a lane of a diagonal takes what the neighbour on its other side has",
        ),
        (
            '"lt": lambda least, most: _known(_over(least, 1)',
            '"lt": lambda least, most: _known(_over(least, 0)',
            "the last inner step counts as one before the last",
        ),
        (
            "return minus(minus(length, 1), step) if along.backward else step",
            "return step",
            "steps that run backward run forward",
        ),
        (
            "last = number(self.width - 1, INDEX_DTYPE)",
            "last = number(self.width - 2, INDEX_DTYPE)",
            "the next strip finds nothing where it reads what the last lane has computed",
        ),
    ),
    *compiler(
        "lower/nest.py",
        (
            "along = {STEPS} if self.steps is None else {STEPS, *self.steps.along}",
            "along = set() if self.steps is None else {*self.steps.along}",
            "states of one element are read before they are computed, where there are no steps",
        ),
    ),
    *compiler(
        "targets/cpu/nested.py",
        (
            "and not in_words and not self.loops.run:",
            "and not in_words:",
            "what a run adds is added twice where vectors overlap",
        ),
    ),
    *compiler(
        "targets/cpu/products/asked.py",
        (
            "ends[atom.index][(coefficient < 0) is least]",
            "ends[atom.index][(coefficient > 0) is least]",
            "tiles on the diagonal are taken for those beside it",
        ),
        ('number(not holds, "bool")', 'number(holds, "bool")', "what is negated is taken as it is"),
    ),
    *compiler(
        "targets/cpu/products/kernels.py",
        (
            'If(call("eq", chunk, begin), (self._nothing(sums),))',
            'If(call("ne", chunk, begin), (self._nothing(sums),))',
            "sums that nobody adds to are whatever was there",
        ),
    ),
    *compiler(
        "lower/stages/products.py",
        ("each.free <= node.free]", "each.free]", "a condition of other indices stands around a table"),
    ),
    *compiler(
        "loops/text.py",
        (
            "function = node.function if factor > 0 else _TURNED[node.function]",
            "function = node.function",
            "lanes that are subtracted compare the other way",
        ),
    ),
]
