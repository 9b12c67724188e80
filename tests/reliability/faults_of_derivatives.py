"""Faults of derivatives."""

from __future__ import annotations

from planted import Mutant, compiler

FAULTS: list[Mutant] = [
    *compiler(
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
    *compiler(
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
    *compiler(
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
    *compiler(
        "derive/selected.py",
        ('call("and", call("not", condition), parts[1])', "parts[1]", "the branch not taken counts as alive"),
        (
            'return call("select", is_alive(node), call("mul", node, factor), 0)',
            'return call("mul", node, factor)',
            "running zeros that a select chose are multiplied",
        ),
    ),
    *compiler(
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
    *compiler(
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
    *compiler(
        "derive/shared_sums.py",
        (
            "outside = [part for part in conditions if not facts and part.free <= node.free]",
            "outside = [part for part in conditions if part.free <= node.free]",
            "a shared sum is 0 where only one of its branches would read what is out of range",
        ),
        (
            "yield node if name in asked else self._where_there_is(node, axes)",
            "yield self._where_there_is(node, axes)",
            "a shared sum hides a reading that is out of range",
        ),
        (
            "yield node if name in asked else self._where_there_is(node, axes)",
            "yield node",
            "a shared sum reads what is out of range where nobody asks for it",
        ),
        (
            "            if one not in rest:\n                return False\n            rest.remove(one)",
            "            if one in rest:\n                rest.remove(one)",
            "sums for each pair are states, larger than all else",
        ),
        (
            "return not any(is_data(at) for each in nodes if isinstance(each, Read) for at in each.at)",
            "return True",
            "a shared sum reads at places from data that nobody asks for",
        ),
    ),
    *compiler(
        "derive/materialised.py",
        (
            "and (True, True) not in sides and",
            "and",
            "what is no matrix product has a table at solved places",
        ),
        (
            "{node: _table(node) for node in sums if node.free",
            "{node: node for node in sums if node.free",
            "what arrives at a window is computed for each element of what it looks at",
        ),
    ),
    *compiler(
        "derive/sliced.py",
        (
            "once and not _binds(expr.body, index)",
            "once",
            "a sum over slices is added up that has another sum over all of them in it",
        ),
        (
            "not _binds(others[0], index) and _adds_up(first, index)",
            "_adds_up(first, index)",
            "a product of two sums over slices is added up",
        ),
        (
            'return node if self.counted or root(node.index) != self.index else call("add", node, self.begin)',
            "return node",
            "every slice counts its places from 0",
        ),
        (
            "return node if self.counted or root",
            "return node if root",
            "a slice of a slice counts its places from where it begins, twice",
        ),
        (
            "return self.whole if root(node.index) == self.index else node",
            "return node",
            "a slice takes its own length for that of the whole",
        ),
        (
            "self.succeeds &= isinstance(place, Position) and root(place.index) == self.index",
            "pass",
            "an operand that is read a row before has slices",
        ),
    ),
    *compiler(
        "derive/custom.py",
        (
            "memo[each] = with_own_label(new)",
            "pass",
            "a system within another of its op reads the states of that one",
        ),
    ),
    *compiler(
        "derive/joined.py",
        (
            "found[index] = same[0]",
            "pass",
            "the indices of a system that joins another are others",
        ),
        (
            'is_before = call("ge" if node.backward else "le"',
            'is_before = call("gt" if node.backward else "lt"',
            "a running sum in an equation lacks the last of what it adds",
        ),
        (
            "which = places[system_of(node)] + node.which",
            "which = places[system_of(node)]",
            "of a system that joins another only the first state is read",
        ),
    ),
]
