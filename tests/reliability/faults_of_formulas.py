"""Faults of what formulas mean: expressions, positions, recurrences, the stages of a plan."""

from __future__ import annotations

from planted import Mutant, compiler

FAULTS: list[Mutant] = [
    *compiler(
        "ir/binding.py",
        ('call("select", call("gt", times, 0), many, 0)', "many", "infinity times none is NaN"),
    ),
    *compiler(
        "ir/simplify.py",
        ('dtypes = (*dtypes, "float32")', "pass", "the two kinds of half floats make one of them"),
        (
            'if each.function == "cast" and each.children[0].dtype in ("uint8", "int32"):',
            "if False:",
            "positions wrap in 32 bits",
        ),
    ),
    *compiler(
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
    *compiler(
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
    *compiler(
        "ir/recurrences.py",
        (
            "if any(each is None or each > 0 for each in ahead):",
            "if any(each is not None and each > 0 for each in ahead):",
            "what is not known to be before counts as before",
        ),
        (
            "return (None if least is None else -least) if backward else most",
            "return most",
            "steps that run backward look the other way",
        ),
    ),
    *compiler(
        "ir/inequalities.py",
        ('"lt": [poly.plus(below, step)], "le": [below]', '"lt": [below], "le": [below]', "j < k says that j <= k"),
        (
            "for each, opposite in ends if _is_never(each, opposite, known)]",
            "for each, opposite in ends]",
            "what is not equal is less",
        ),
        ("below = least - least // divisor[()]", "below = least", "half of it is below it by all of it"),
    ),
    *compiler(
        "derive/jacobians.py",
        (
            "all(isinstance(each, Number) for each in apart)",
            "bool([*apart])",
            "partial derivatives of readings that data places are computed where the equation is",
        ),
    ),
    *compiler(
        "lower/recurrences.py",
        (
            "tuple(states[which].name for which in order.states)",
            "tuple(each.name for each in states)",
            "a step computes its states as they stand",
        ),
        (
            "for operand in self.temporaries} - elsewhere",
            "for operand in self.temporaries}",
            "a state that others read stays in the registers of its steps",
        ),
    ),
    *compiler(
        "lower/merge_indices.py",
        (
            "if not any((self.order, *(write.indices for write in self.writes), *self.overs.values())):",
            "if not self.order and not any(self.overs.values()):",
            "beside a state of one element all have one",
        ),
    ),
    *compiler(
        "lower/stages/tables.py",
        (
            "if isinstance(node, Materialised) and not (within and _is_plain(node)):",
            "if isinstance(node, Materialised) and not _is_plain(node):",
            "of pairs there is no table, whoever asks",
        ),
    ),
    *compiler(
        "lower/stages/grouping.py",
        (
            "if not isinstance(at, Position) or at.index != along:",
            "if False:",
            "a state that a later step reads has room for one step",
        ),
        (
            "if not isinstance(steps, Along) or any(isinstance(each, Along) for each in steps.inside):",
            "if not isinstance(steps, Along):",
            "so has one that later loops over the steps read",
        ),
        ("else at + 1", "else at", "what reads a temporary is queued beside what writes it"),
        (
            "waiting = [by_name[name] for name in sorted(read_here - done.keys()) if name in by_name]",
            "waiting: list[Output] = []",
            "and before it",
        ),
        (
            "if first.indices != second.indices:",
            "if len(first.indices) != len(second.indices):",
            "stages are shared over different indices",
        ),
    ),
    *compiler(
        "lower/stages/temporaries.py",
        (
            "        if chosen:\n            node = self._written(node)\n",
            "",
            "a temporary has values of what nobody wrote",
        ),
    ),
    *compiler(
        "ir/logic.py",
        (
            "return all(_follows(each, conclusion, known) for each in premise.children)",
            "return any(_follows(each, conclusion, known) for each in premise.children)",
            "a condition follows from others one of which says it",
        ),
        (
            "return chain(dual, left) if out and",
            "return chain(dual, left[:1]) if out and",
            "of what another condition decides in part the rest is left out",
        ),
        (
            '"ne": _LESS | _GREATER | _UNORDERED,',
            '"ne": _LESS | _GREATER,',
            "a NaN is equal to something",
        ),
        (
            "return every & ~_outcomes(node.children[0], pair, not most)",
            "return every & ~_outcomes(node.children[0], pair, most)",
            "what is not known of a condition is known of its opposite",
        ),
        (
            "return not _reads_of(node) <= _reads_of(condition)",
            "return False",
            "an element is read before the condition that it is there",
        ),
    ),
    *compiler(
        "ir/forms.py",
        (
            "met.setdefault(index, len(met)) for index in free",
            "0 for index in free",
            "sums over other indices are taken for one",
        ),
    ),
    *compiler(
        "ir/interval.py",
        (
            "return [(node, (least + (value == least), most - (value == most)))]",
            "return [(node, (least + (value != least), most - (value != most)))]",
            "what is not at one end of an axis is not at the other",
        ),
        (
            "(min(least for least, _ in ends), max(most for _, most in ends))",
            "(max(least for least, _ in ends), max(most for _, most in ends))",
            "of alternatives one holds that need not",
        ),
        (
            "return possible[0] if possible else None",
            "return possible[0] if possible else []",
            "what no alternative may be may be",
        ),
    ),
    *compiler(
        "lower/stages/products.py",
        (
            "if cost.contracts(node):",
            "if cost.reduces(node):",
            "what is asked for again is computed before, whatever it is",
        ),
        ("waiting.append((node.body, (*order, *node.over)))", "", "within sums no product is asked for again"),
    ),
    *compiler(
        "lower/by_place.py",
        (
            "Placed(placed.offset + place * stride, strides)",
            "Placed(placed.offset + place, strides)",
            "the places of an output lie beside each other",
        ),
    ),
    *compiler(
        "derive/like_conditions.py",
        (
            " and commutes(found)",
            "",
            "a condition stands for one with its guard before it",
        ),
    ),
    *compiler(
        "derive/selected.py",
        (
            'return call("select", conjunction(map(is_alive, chosen)), call("mul", adjoint, factor), 0)',
            'return call("mul", adjoint, factor)',
            "an adjoint of several branches that is zero is multiplied with infinity",
        ),
    ),
    *compiler(
        "derive/saved_states.py",
        (
            "which not in saved and _leads_to(which, read_by)",
            "False and _leads_to(which, read_by)",
            "a state that leads back to itself is a formula of what is saved",
        ),
        (
            "return substitute(value, dict(zip(own, at, strict=True)))",
            "return value",
            "a state that follows from saved ones is taken at the place of its equation",
        ),
    ),
    *compiler(
        "derive/written_out.py",
        (
            "terms = [substitute(body, {index: place}) for place in places]",
            "terms = [substitute(body, {index: place}) for place in places[:2]]",
            "of a sum that is written out two terms are kept",
        ),
    ),
    *compiler(
        "lower/kernel.py",
        (
            'return "offset", access.buffer, computed_as(access.offset) or plain(access.offset), *parts',
            'return "offset", access.buffer, *parts',
            "places of one tensor that are as far apart everywhere are taken for one",
        ),
        (
            'return "buffer", argument.of, any(write.access.buffer == argument.of for write in self.writes)',
            'return "buffer", any(write.access.buffer == argument.of for write in self.writes)',
            "tensors that are read share one argument",
        ),
    ),
    *compiler(
        "derive/custom.py",
        ("guarded(there, adjoint), node.axes", "adjoint, node.axes", "used ops add what belongs to other places"),
    ),
    *compiler(
        "ir/bounds.py",
        ("* (length - 1)", "* (length - 2)", "the last place is not checked"),
        (
            'call("lt", self.position, size(self.index))',
            'call("le", self.position, size(self.index))',
            "one place behind the end is taken",
        ),
    ),
    *compiler(
        "ir/paths.py",
        ("yield second, (negated(condition),)", "yield second, ()", "the other branch is taken everywhere"),
        ("if mask & other != mask}", "if mask & other != other}", "of two ways the one that says less goes"),
        ("low.bit_length() % 2 == 1", "True", "two conditions are taken for opposites"),
    ),
    *compiler(
        "lower/narrow_sums.py",
        (
            'condition = call("and", call("lt", place, size(index)), condition)',
            "condition = call('and', condition, condition)",
            "a window reaches over the end",
        ),
    ),
    *compiler("ir/overflow.py", ("if node.function in _CHECKED:", "if False:", "positions that wrap are not seen")),
    *compiler(
        "loops/stepped.py",
        (
            "end = least(end, plus(row, each.before))",
            "end = least(end, minus(plus(row, each.before), 1))",
            "a sum in a step leaves out the last one before",
        ),
    ),
    *compiler(
        "lower/strided_sums.py",
        (
            "substitute(replace_free(each, instead), {index: place})",
            "substitute(replace_nodes(each, instead), {index: place})",
            "what is known of an index is taken to hold for one that is bound again",
        ),
        (
            'new_index(f"{root(index)}.step", -(-length // step)',
            'new_index(f"{root(index)}.step", length // step',
            "steps end early",
        ),
    ),
    *compiler(
        "specialise/reducers.py",
        ('call("lt", position(along), start)', 'call("le", position(along), start)', "cat reads past each part"),
        ('(">=", ">")\n    if sign', '(">=",)\n    if sign', "s > t runs forward"),
    ),
    *compiler(
        "lower/exact_places.py",
        (
            'there = [call("le", 0, at), call("lt", at, size(root(long)))]',
            'there = [call("le", 0, at)]',
            "places behind the end of the longer index count",
        ),
        (
            "number(int(factor.value), INDEX_DTYPE)",
            "number(1, INDEX_DTYPE)",
            "a place that falls as the index grows is taken for one that grows",
        ),
        (
            "if each is not test and each not in bounds]",
            "if each is not test and each in bounds]",
            "other conditions of a sum over the shorter index are forgotten",
        ),
    ),
    *compiler(
        "lower/stages/positions.py",
        (
            'call("select", self.condition, value, number(0, value.dtype))',
            "value",
            "a product counts where its condition does not hold",
        ),
        (
            "value = substitute(table, self.at)",
            "value = table",
            "a table of products is read where it was written",
        ),
    ),
]
