"""The faults that `mutants.py` plants: a file, what stands there once, what stands there instead.

In the order of what they are in: derivatives, expressions and stages, loop nests and targets, the engine.
"""

from __future__ import annotations

from typing import NamedTuple

COMPILER = "netcl-kernels/src/netcl/kernels/compiler/"
ENGINE = "netcl-autograd/src/netcl/autograd/"


class Mutant(NamedTuple):
    """One fault: `says` is what is wrong then."""

    file: str
    old: str
    new: str
    says: str


def _compiler(file: str, *faults: tuple[str, str, str]) -> list[Mutant]:
    return [Mutant(COMPILER + file, *fault) for fault in faults]


def _engine(file: str, *faults: tuple[str, str, str]) -> list[Mutant]:
    return [Mutant(ENGINE + file, *fault) for fault in faults]


MUTANTS: list[Mutant] = [
    # --- derivatives ---
    *_compiler(
        "derive/partials.py",
        ("lambda y, a, b: -y / b)", "lambda y, a, b: y / b)", "a quotient's slope by the divisor has the wrong sign"),
        ('"cos": (lambda y, a: -_sin(a),)', '"cos": (lambda y, a: _sin(a),)', "so has the slope of cos"),
        ("lambda y, a, b: -_turn(a, a, b)", "lambda y, a, b: _turn(a, a, b)", "and that of atan2"),
        ("_select(_eq(mine, other), 0.5,", "_select(_eq(mine, other), 1,", "both of two equal values get all of it"),
        ("_select(_ge(b, 0), 0, y * _log(a))", "y * _log(a)", "0 ^ b has the slope of log(0) by b"),
        ("(1 / y) * (1 / y) / 3", "(1 / y) * (1 / y) / 2", "cbrt has another slope"),
        ("-_floor_divide(a, b))", "-_trunc(a / b))", "remainder has the slope of fmod"),
        ("_exp(-0.5 * a * a)", "_exp(-a * a)", "the normal density is another"),
        ("lambda y, a: _sign(a),)", "lambda y, a: _one(a),)", "abs has the slope 1"),
    ),
    *_compiler(
        "derive/differentiate.py",
        (
            'adjoints[of] = call("add", adjoints[of], part) if of in adjoints else part',
            "adjoints[of] = part",
            "of two uses of a value only one counts",
        ),
        (
            'yield second, call("select", condition, 0, adjoint)',
            'yield second, call("select", condition, adjoint, 0)',
            "the second branch gets the first one's gradient",
        ),
        (
            "yield child, scaled(adjoint, factor)",
            'yield child, call("mul", adjoint, factor)',
            "0 * NaN in what no select took",
        ),
        ('adjoint = call("copy", formula.adjoints[node])', "pass", "the gradient declared for a definition is ignored"),
        (
            "for own, target in pairs if own != target",
            "for own, target in pairs if False",
            "beside a diagonal it is not 0",
        ),
        (
            "transposed += [_along_definition(formula, each, derived) for each in formula.adjoints]",
            "transposed += []",
            "tangents pass definitions with declared gradients by",
        ),
        (
            "if costly and expr.free == frozenset(output.indices):",
            "if costly and expr.free <= frozenset(output.indices):",
            "an output that is repeated is read back as if it were not",
        ),
    ),
    *_compiler(
        "derive/reductions.py",
        ('call("div", adjoint, _ties(node, equal))', "adjoint", "each of several equal extremes gets all of it"),
        (
            'call("or", call("eq", node.body, 0), call("not", call("isfinite", node)))',
            'call("not", call("isfinite", node))',
            "a product divides by zeros in it",
        ),
        ("(backward[index] if last else position(index))", "position(index)", "last_max takes the first"),
        ('call("isnan", extreme), lost, 0)', 'call("isnan", extreme), 0, 0)', "an extreme that is NaN has slope 0"),
    ),
    *_compiler(
        "derive/selected.py",
        ('call("and", call("not", condition), parts[1])', "parts[1]", "the branch not taken counts as alive"),
        (
            'return call("select", is_alive(node), call("mul", node, factor), 0)',
            'return call("mul", node, factor)',
            "running zeros that a select chose are multiplied",
        ),
    ),
    *_compiler(
        "derive/solve.py",
        (
            "guards += [*exact, in_range(value, index, sizes)]",
            "guards += [*exact]",
            "a solution may lie outside its axis",
        ),
        (
            "guards += [*exact, in_range(value, index, sizes)]",
            "guards += [in_range(value, index, sizes)]",
            "a solution may lie between two places",
        ),
        ('return call("and", call("le", 0, value), below)', "return below", "a solution may be negative"),
        (
            "if factor.free:\n                continue",
            "if False:\n                continue",
            "i * j == t is solved by dividing by 0",
        ),
        ('index, call("mul", rest, int(factor.value)), []', "index, rest, []", "-i == t is solved as i == t"),
        ("    adjoint = rename(adjoint, names)\n", "", "an index of the adjoint is taken for one of the operand"),
    ),
    *_compiler(
        "derive/scans.py",
        (
            'number(1 if node.kind == "prod" else 0, node.dtype)',
            "number(0, node.dtype)",
            "products before the first are 0",
        ),
        (
            'step = call("add" if node.backward else "sub", here, 1)',
            'step = call("sub", here, 1)',
            "backward scans look ahead",
        ),
        (
            'call("sub" if node.backward else "add", position(node.index), 1)',
            'call("add", position(node.index), 1)',
            "adjoints of backward recurrences go the wrong way",
        ),
        (
            'yield bodies[0], running("sum", node.index, not node.backward, here, arriving)',
            'yield bodies[0], running("sum", node.index, node.backward, here, arriving)',
            "the adjoint of a running sum runs the way of the sum",
        ),
        ("for backward in (False, True):", "for backward in (False,):", "products of the others lack those behind"),
        ('else call("add", added, moved)', "else added", "the tangent of a recurrence forgets its factor"),
        (
            'where = running("arg" + new.kind, new.index, new.backward, new.at, *new.bodies)',
            'where = running("arg" + new.kind, new.index, False, new.at, *new.bodies)',
            "backward extremes are looked for among those before",
        ),
    ),
    # --- expressions ---
    *_compiler(
        "ir/binding.py",
        ('call("select", call("gt", times, 0), many, 0)', "many", "infinity times none is NaN"),
    ),
    *_compiler(
        "ir/simplify.py",
        ('dtypes = (*dtypes, "float32")', "pass", "the two kinds of half floats make one of them"),
        (
            'if each.function == "cast" and each.children[0].dtype in ("uint8", "int32"):',
            "if False:",
            "positions wrap in 32 bits",
        ),
    ),
    *_compiler(
        "lower/scans.py",
        (
            "bodies_along(node), index, frozenset(indices))",
            "bodies_along(node), frozenset())",
            "two scans share a temporary",
        ),
        (
            "position(each) for each in found.indices)",
            "position(each) for each in indices)",
            "a scan is not read in the order in which it was stored",
        ),
        (
            'condition if place == 1 else call("not", condition)',
            "condition",
            "a scan is made where the other branch is taken",
        ),
        (
            "known = tuple(each for each in conditions if each.free.isdisjoint(binds(node)))",
            "known = conditions",
            "a condition is taken for one on an index that is bound anew",
        ),
    ),
    *_compiler(
        "derive/recurrences.py",
        (
            'whole = part if arrives is None else call("add", arrives, part)',
            "whole = part if arrives is None else arrives",
            "an adjoint has nothing of later steps",
        ),
        (
            "floats = [which for which, body in enumerate(node.bodies) if body.dtype in FLOATS]",
            "floats = [node.which]",
            "of several states one has an adjoint",
        ),
    ),
    *_compiler(
        "ir/recurrences.py",
        (
            "if any(each is None or each > 0 for each in ahead):",
            "if any(each is not None and each > 0 for each in ahead):",
            "what is not known to be before counts as before",
        ),
        ('"lt": [poly.plus(below, step)], "le": [below]', '"lt": [below], "le": [below]', "j < k says that j <= k"),
        (
            "return (None if least is None else -least) if backward else most",
            "return most",
            "steps that run backward look the other way",
        ),
    ),
    *_compiler(
        "lower/recurrences.py",
        (
            "tuple(states[which].name for which in order.states)",
            "tuple(each.name for each in states)",
            "a step computes its states as they stand",
        ),
    ),
    *_compiler(
        "loops/recurrent.py",
        (
            "minus(minus(self.values.given.size(steps.index), 1), step)",
            "step",
            "steps that run backward run forward",
        ),
    ),
    *_compiler(
        "lower/stages.py",
        (
            "if isinstance(node, Materialised) and not (within and _is_plain(node)):",
            "if isinstance(node, Materialised) and not _is_plain(node):",
            "of pairs there is no table, whoever asks",
        ),
        ("else at + 1", "else at", "what reads a temporary is queued beside what writes it"),
        (
            "waiting = [by_name[name] for name in sorted(read_here - done.keys()) if name in by_name]",
            "waiting: list[Output] = []",
            "and before it",
        ),
        (
            "        if chosen:\n            node = self._written(node)\n",
            "",
            "a temporary has values of what nobody wrote",
        ),
        (
            "return first.indices == second.indices and {node.over",
            "return len(first.indices) == len(second.indices) and {node.over",
            "stages are shared over different indices",
        ),
    ),
    *_compiler(
        "derive/custom.py",
        ("guarded(there, adjoint), node.axes", "adjoint, node.axes", "used ops add what belongs to other places"),
    ),
    *_compiler(
        "ir/bounds.py",
        ("* (length - 1)", "* (length - 2)", "the last place is not checked"),
        (
            'call("lt", self.position, size(self.index))',
            'call("le", self.position, size(self.index))',
            "one place behind the end is taken",
        ),
    ),
    *_compiler("ir/overflow.py", ("if node.function in _CHECKED:", "if False:", "positions that wrap are not seen")),
    *_compiler(
        "targets/cpu/stepped.py",
        (
            "end = least(end, plus(row, each.before))",
            "end = least(end, minus(plus(row, each.before), 1))",
            "a sum in a step leaves out the last one before",
        ),
    ),
    *_compiler(
        "lower/strided_sums.py",
        (
            "substitute(replace_free(each, instead), {index: place})",
            "substitute(replace_nodes(each, instead), {index: place})",
            "what is known of an index is taken to hold for one that is bound again",
        ),
        (
            'extent = f"{root(index)}.step", -(-length // step)',
            'extent = f"{root(index)}.step", length // step',
            "steps end early",
        ),
    ),
    *_compiler(
        "specialise/reducers.py",
        ('call("lt", position(along), start)', 'call("le", position(along), start)', "cat reads past each part"),
        ('(">=", ">")\n    if sign', '(">=",)\n    if sign', "s > t runs forward"),
    ),
    *_compiler(
        "loops/accumulate.py",
        ('apply("or", (self.met, met), "bool")', "self.met", "extremes skip NaN"),
        (
            "return [self._store(self.run, self._add(self.run, other.run))]",
            "return []",
            "of the sums that are taken side by side one counts",
        ),
        ("*single._nearest(best, first)]", "]", "the best of the lanes is forgotten"),
    ),
    *_compiler(
        "loops/lanes.py",
        (
            '[Loop(left.index, count, "serial"',
            '[Loop(left.index, quotient(count, 2), "serial"',
            "half of what is left behind vectors is forgotten",
        ),
    ),
    *_compiler(
        "targets/cpu/folding.py",
        (
            "start = plus(plus(begin, times(step, width)), each * LANES)",
            "start = plus(begin, times(step, width))",
            "searches look at the first lanes only",
        ),
        ("in_step(lanes, _each(at, lambda each: each.leave())),\n", "", "runs of vectors are not added up"),
    ),
    *_compiler(
        "loops/text.py",
        (
            "node.dtype, divided.lanes)\n            if self._is_positive(divisor",
            "node.dtype, 1)\n            if self._is_positive(divisor",
            "the rest of a vector is taken for one number",
        ),
    ),
    *_compiler(
        "targets/cpu/nested.py",
        (
            "Store(*self._target(write, scope), value, self.is_inside)",
            "Store(*self._target(write, scope), value)",
            "lanes behind the last row are stored",
        ),
    ),
    *_compiler(
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
    *_compiler(
        "targets/cpu/schedules/pairs.py",
        (
            "self.nest.accesses[each.operand].condition is None for each in below",
            "True for each in below",
            "what only some rows read is copied for all",
        ),
    ),
    *_compiler(
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
    *_compiler(
        "targets/cpu/products/tiling.py",
        (
            "== access.strides.get(indices[first], 0) * nest.extent(indices[first])",
            ">= access.strides.get(indices[first], 0) * nest.extent(indices[first])",
            "indices with gaps between them are taken as one",
        ),
    ),
    *_compiler(
        "targets/cpu/products/factor.py",
        (
            "Let(here.index, plus(at, least(times(square, GROUP), minus(many, GROUP))))",
            "Let(here.index, plus(at, times(square, GROUP)))",
            "the last square of a run of steps goes beyond it",
        ),
        ('select", at_least(lane, where), later', 'select", before(where, lane), later', "a row ends one too late"),
    ),
    *_compiler(
        "targets/cpu/products/tile.py",
        (
            'call("gt", remaining, sums.width // 4)',
            'call("gt", remaining, sums.width // 2)',
            "of the last columns of a product a quarter is computed",
        ),
    ),
    *_compiler(
        "targets/cpu/products/kernels.py",
        (
            'If(call("eq", plus(chunk, 1), end), tuple(stored))',
            'If(call("eq", chunk, begin), tuple(stored))',
            "sums are stored before they have all chunks",
        ),
    ),
    *_compiler(
        "targets/cpu/products/results.py",
        (
            "            Store(sums.buffer, one, read(again, (ZERO,), sums.dtype)),\n",
            "",
            "0 * infinity stays in a sum that leaves it out",
        ),
    ),
    *_compiler(
        "targets/cpu/sorting/network.py",
        ("apart //= 2\n        size *= 2", "apart //= 4\n        size *= 2", "a network compares too little"),
        ('(is_upper, call("not", is_upper))', "(is_upper, is_upper)", "lanes that are turned are compared as if not"),
        ("Assume(at_least(mirrored, 0)), Let(high.index, mirrored),", "Let(high.index, low),", "a block meets itself"),
    ),
    *_compiler(
        "targets/cpu/sorting/keys.py",
        (
            'return call("sub", -1, found) if backward',
            'return call("neg", found) if backward',
            "the least integer is its own opposite",
        ),
    ),
    *_compiler(
        "targets/cpu/sorting/digits.py",
        ("digit * VALUES)\n", "VALUES)\n", "digits share their counts"),
    ),
    *_compiler(
        "targets/cpu/sorting/deal.py",
        (
            'plus(self.places.bins, 1), "serial"',
            'self.places.bins, "serial"',
            "one count begins with what was there",
        ),
    ),
    *_compiler(
        "targets/cpu/sorting/bins.py",
        ("for each in (0, MOST)]", "for each in (MOST, MOST)]", "zeros lose their signs"),
        (
            "behind = plus(less, same)\n",
            "behind = plus(same, 1)\n",
            "what comes behind the most frequent is not sorted",
        ),
    ),
    *_compiler(
        "fusion/fuse.py",
        ("len({root(index) for index in each.indices})", "len(set(each.indices))", "diagonals are joined"),
    ),
    *_compiler(
        "targets/gpu/rows.py",
        (
            "body: list[Statement] = [Barrier()] if self.shared else []",
            "body: list[Statement] = []",
            "a total is written over before all items have read the one before",
        ),
        ("half = shape.width // 2\n", "half = shape.width // 4\n", "half of the items are left out of a total"),
    ),
    *_compiler(
        "targets/gpu/tiles.py",
        (
            "Barrier(), self._steps(depth, {}), Barrier())",
            "Barrier(), self._steps(depth, {}))",
            "a tile is written over before all items have read it",
        ),
    ),
    # --- the engine ---
    *_engine(
        "engine/engine.py",
        (
            "                    merge(box, 1, gradient, create_graph)\n",
            "                    box[1] = gradient\n",
            "of two gradients one counts",
        ),
        (
            "                    merge(box[1], output, gradient, create_graph)\n",
            "                    box[1][output] = gradient\n",
            "so with several outputs",
        ),
        ("        if not retain_graph:\n", "        if False:\n", "what was saved stays"),
        ("run.create_graph and not state.inference, run", "True, run", "every backward records itself"),
        (
            "place[at] = replaced(record, output, replacement, run.create_graph)",
            "pass",
            "a tensor hook changes nothing",
        ),
        (
            "        for callback in run.callbacks:  # the list may grow meanwhile\n            callback()\n",
            "",
            "callbacks are dropped",
        ),
        ("gradients = _after(record, gradients, dy)", "_after(record, gradients, dy)", "a post hook changes nothing"),
        (
            "                if plan is None:\n                    key = -target.sequence_nr\n",
            "                if plan is None:\n                    key = target.sequence_nr\n",
            "records run before all that they need has arrived",
        ),
    ),
    *_engine(
        "engine/accumulation.py",
        ("leaf._grad = owned(box, 1)", "leaf._grad = box[1]", "two leaves share the memory of a gradient"),
        ("elif values.is_alone(box, index):", "elif True:", "sums are written into what others see"),
    ),
    *_engine(
        "engine/plan.py",
        (
            "(-self._keys.get(number, number), number + 1)",
            "(-number, number + 1)",
            "a leaf is seen before all has arrived",
        ),
        (
            "if target in self.wanted or target in self._needed:",
            "if target in self.wanted:",
            "what leads to it is not run",
        ),
    ),
    *_engine(
        "graph/saved.py",
        ("if version is not None and saved[index].version != version:", "if False:", "writes to saved values pass"),
    ),
    *_engine(
        "graph/inplace.py",
        ("            value.bump_version()\n", "            pass\n", "writes are not counted"),
        (
            "_move(base, replaced._edge)",
            "_move(base, base._edge)",
            "a write to a view is lost",
        ),
        ("if _overlap(plain[i], plain[0])}", "if False}", "what a write needs of itself is overwritten"),
    ),
    *_engine(
        "transforms/forward.py",
        ("if at in constant or not is_floating(output):", "if False:", "integers have tangents"),
    ),
]
