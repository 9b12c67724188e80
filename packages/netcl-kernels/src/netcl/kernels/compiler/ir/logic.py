"""Conditions, written down with nothing in them that follows from the rest.

    negated, joined     not; and, or
    chain               and, or of many, as they stand
    follows             whether it is seen that one condition holds wherever another one does
    excludes            whether it is seen that one holds nowhere where another one does
    commutes            whether the parts of a condition may stand in another order
    is_read_elsewhere   whether an expression reads what may be there under some condition only

The adjoint of a branch is zero where the branch was not taken, and a sum of such adjoints where none was: what says so
says the same many times over, and grows with each derivative. Input and output are expressions of bools.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Sequence

from netcl.core.bounded import remembered
from netcl.core.weak import WeakKeys
from netcl.kernels.compiler.ir import polynomial as poly
from netcl.kernels.compiler.ir.construct import apply, number
from netcl.kernels.compiler.ir.inequalities import is_implied
from netcl.kernels.compiler.ir.nodes import (
    FLOATS,
    INDEX_DTYPE,
    Apply,
    Expr,
    Number,
    Position,
    Read,
    Reduce,
    Size,
    subexpressions,
    unknown,
)

_DUAL = {"and": "or", "or": "and"}

_LESS, _EQUAL, _GREATER, _UNORDERED = 1, 2, 4, 8
_ORDERED = _LESS | _EQUAL | _GREATER
_OUTCOMES = {
    "lt": _LESS, "eq": _EQUAL, "gt": _GREATER, "le": _LESS | _EQUAL, "ge": _GREATER | _EQUAL,
    "ne": _LESS | _GREATER | _UNORDERED,
}  # fmt: skip
"""Two numbers are one of four: less, equal, greater, or unordered, as with a NaN. A comparison is a set of these."""

_BY_OUTCOMES = {outcomes: function for function, outcomes in _OUTCOMES.items()}


def negated(node: Expr) -> Expr:
    """The opposite."""
    return node.children[0] if _is(node, "not") else apply("not", (node,), "bool")


@remembered("conditions", 4096)
def joined(function: str, left: Expr, right: Expr) -> Expr:
    """Both (`and`), or one of them (`or`). What is read at a place that is there only where another condition holds, or
    does not, stays behind that one."""
    decided = function == "or"
    parts: list[Expr] = []
    for part in (*_chained(function, left), *_chained(function, right)):
        rest = _rest(function, part, parts)
        if not isinstance(rest, Number):
            if any(_decides(function, each, rest) for each in parts):
                return number(decided, "bool")
            _put(function, rest, parts)
        elif bool(rest.value) is decided:
            return rest
    return _one_of(parts) if function == "or" else chain(function, parts)


def _one_of(parts: list[Expr]) -> Expr:
    """One of these, with what they all say said once, before the rest: `(g and a) or (g and b)` is `g and (a or b)`."""
    if len(parts) < 2:
        return chain("or", parts)
    sides = [_chained("and", each) for each in parts]
    every = list(itertools.chain.from_iterable(sides))
    common = [each for each in sides[0] if all(each in side for side in sides) and _is_there(each, every)]
    if not common:
        return chain("or", parts)
    beside = [chain("and", [each for each in side if each not in common]) for side in sides]
    return joined("and", chain("and", common), functools.reduce(functools.partial(joined, "or"), beside))


def _decides(function: str, one: Expr, other: Expr) -> bool:
    """Whether one of the two always holds (`or`), or they never both do (`and`)."""
    return follows(negated(one), other) if function == "or" else excludes(one, other)


def _chained(function: str, node: Expr) -> list[Expr]:
    """The parts of a chain of one function, in order."""
    last_first, left_most = [], node
    while _is(left_most, function):
        left_most, part = left_most.children
        last_first.append(part)
    return [left_most, *reversed(last_first)]


def chain(function: str, parts: Sequence[Expr]) -> Expr:
    """All of them (`and`), or one of them (`or`), as they stand."""
    if not parts:
        return number(function == "and", "bool")
    found, *others = parts
    for each in others:
        found = apply(function, (found, each), "bool")
    return found


def _rest(function: str, new: Expr, parts: list[Expr]) -> Expr:
    """What `new` comes to where the parts do not decide: `a or (not a and b)` is `a or b`."""
    dual = _DUAL[function]
    inner = _chained(dual, new)
    out = [each for each in inner if any(_are_opposite(each, part) for part in parts)]
    left = [each for each in inner if each not in out]
    return chain(dual, left) if out and all(_is_there(each, out) for each in left) else new


def _put(function: str, new: Expr, parts: list[Expr]) -> None:
    """Put a condition into a chain, unless it adds nothing, in place of what adds nothing beside it."""
    for at, part in enumerate(parts):
        if _adds_nothing(function, new, part):
            return
        if part.children == new.children and {_name(part), _name(new)} <= _OUTCOMES.keys():
            one, other = _OUTCOMES[_name(part)], _OUTCOMES[_name(new)]
            both = _BY_OUTCOMES.get(one | other if function == "or" else one & other)
            if both:
                parts[at] = apply(both, new.children, "bool")
                return
    if _is_there(new, parts):
        parts[:] = [_rest(function, each, [new]) for each in parts]
    parts[:] = [each for each in parts if not (_adds_nothing(function, each, new) and _is_there(new, [each]))]
    parts.append(new)


def _adds_nothing(function: str, one: Expr, beside: Expr) -> bool:
    return follows(one, beside) if function == "or" else follows(beside, one)


_subjects: WeakKeys[Expr, frozenset[object]] = WeakKeys()


def ask_about_the_same(one: Expr, other: Expr) -> bool:
    """Whether there is something that two conditions ask about, or the conditions of choices: otherwise none of them
    says anything of another."""
    return one is other or not _subjects_of(one).isdisjoint(_subjects_of(other))


def _subjects_of(node: Expr) -> frozenset[object]:
    """What a condition asks about, or those of a choice: numbers that are compared, indices of what is a place."""
    for each in unknown(_subjects, node):
        asked: Iterable[object] = ()
        if _name(each) in ("and", "or", "not", "select"):
            asked = frozenset[object]().union(*(_subjects[child] for child in each.children))
        elif isinstance(each, Reduce) and each.kind in ("any", "all"):
            asked = _subjects[each.body]
        elif each.dtype == "bool" and not isinstance(each, Number):
            places = all(child.dtype == INDEX_DTYPE for child in each.children)
            asked = (each.free or ("",)) if places else each.children
        _subjects[each] = frozenset(asked)
    return _subjects[node]


_MOST_ASKED = 200
"""After so many questions about parts of two conditions nothing more is seen."""


def follows(premise: Expr, conclusion: Expr) -> bool:
    """Whether it is seen that `conclusion` holds wherever `premise` does."""
    return ask_about_the_same(premise, conclusion) and _follows(premise, conclusion, {})


def excludes(premise: Expr, conclusion: Expr) -> bool:
    """Whether it is seen that `conclusion` holds nowhere where `premise` does."""
    return ask_about_the_same(premise, conclusion) and _follows(premise, negated(conclusion), {})


def _follows(premise: Expr, conclusion: Expr, known: dict[tuple[Expr, Expr], bool]) -> bool:
    if premise is conclusion:
        return True
    if not (_has_parts(premise) or _has_parts(conclusion)):
        return _is_seen_of(premise, conclusion)
    key = premise, conclusion
    if key not in known:
        if len(known) >= _MOST_ASKED:
            return False
        known[key] = False
        known[key] = _is_seen(premise, conclusion, known)
    return known[key]


def _is_seen(premise: Expr, conclusion: Expr, known: dict[tuple[Expr, Expr], bool]) -> bool:
    given, asked = _name(premise), _name(conclusion)
    if given == "or":
        return all(_follows(each, conclusion, known) for each in premise.children)
    if asked == "and":
        return all(_follows(premise, each, known) for each in conclusion.children)
    if asked == "or" and any(_follows(premise, each, known) for each in conclusion.children):
        return True
    if given == "and":
        return any(_follows(each, conclusion, known) for each in premise.children)
    if given == asked == "not":
        return _follows(conclusion.children[0], premise.children[0], known)
    if asked == "not" and _name(conclusion.children[0]) in _DUAL:
        return _follows(premise, _inside_out(conclusion), known)
    if given == "not" and _name(premise.children[0]) in _DUAL:
        return _follows(_inside_out(premise), conclusion, known)
    if isinstance(premise, Reduce) and isinstance(conclusion, Reduce) and premise.kind in ("any", "all"):
        same = premise.kind == conclusion.kind and premise.over == conclusion.over
        return same and _follows(premise.body, conclusion.body, known)
    return _is_seen_of(premise, conclusion)


def _has_parts(node: Expr) -> bool:
    return _name(node) in ("and", "or", "not") or isinstance(node, Reduce)


def _inside_out(node: Expr) -> Expr:
    """`not (a or b)` as `not a and not b`, `not (a and b)` as `not a or not b`."""
    (inner,) = node.children
    return apply(_DUAL[_name(inner)], tuple(map(negated, inner.children)), "bool")


def _is_seen_of(premise: Expr, conclusion: Expr) -> bool:
    """The same of two conditions that are made of no others, but for what negates them."""
    if _is_of_places(premise) and _is_of_places(conclusion):
        return is_implied(conclusion, (premise,))
    for pair in (_compared(premise), _compared(conclusion)):
        if pair is not None:
            return not _outcomes(premise, pair, True) & ~_outcomes(conclusion, pair, False)
    return False


def _is_of_places(node: Expr) -> bool:
    pair = _compared(node)
    return pair is not None and all(each.dtype == INDEX_DTYPE and poly.is_counted(each) for each in pair)


_Pair = tuple[Expr, ...]


def _compared(node: Expr) -> _Pair | None:
    """What a comparison, or its opposite, compares."""
    if _is(node, "not"):
        (node,) = node.children
    return node.children if _name(node) in _OUTCOMES else None


def _outcomes(node: Expr, pair: _Pair, most: bool) -> int:
    """The outcomes of comparing this pair where a condition may hold at `most`, or where it is seen to hold."""
    every = _ORDERED | _UNORDERED if pair[0].dtype in FLOATS else _ORDERED
    if _is(node, "not"):
        return every & ~_outcomes(node.children[0], pair, not most)
    if node.children == pair:
        return every & _OUTCOMES.get(_name(node), 0 if not most else every)
    if node.children == pair[::-1] and _name(node) in _OUTCOMES:
        found = _OUTCOMES[_name(node)]
        turned = (_LESS if found & _GREATER else 0) | (_GREATER if found & _LESS else 0)
        return every & (turned | found & (_EQUAL | _UNORDERED))
    if _is(node, "isnan") and node.children[0] in pair and (most or any(map(_is_ordered, pair))):
        return _UNORDERED
    return every if most else 0


def _is_ordered(node: Expr) -> bool:
    """Whether it is known to be no NaN."""
    return isinstance(node, Number) and not math.isnan(node.value)


def _are_opposite(one: Expr, other: Expr) -> bool:
    return (_is(one, "not") and one.children[0] is other) or (_is(other, "not") and other.children[0] is one)


_guards: WeakKeys[Expr, Callable[[Expr], bool] | None] = WeakKeys()


def _guards_of(node: Expr) -> Callable[[Expr], bool] | None:
    """Which conditions may guard what is read in `node`: none where that is read at indices alone, some on sizes where
    it is read at numbers, any where it is read elsewhere."""
    for each in unknown(_guards, node):
        found = {_guards[child] for child in each.children}
        if isinstance(each, Read):
            places = [at for at in each.at if not isinstance(at, Position)]
            found.update(_of_sizes if isinstance(at, Number) else _any for at in places)
        _guards[each] = _any if _any in found else _of_sizes if _of_sizes in found else None
    return _guards[node]


def is_read_elsewhere(node: Expr) -> bool:
    """Whether something is read in `node` neither at an index nor at a number, which may be there only where some
    condition holds."""
    return _guards_of(node) is _any


def _is_there(node: Expr, conditions: Iterable[Expr]) -> bool:
    """Whether what is read in `node` is there whatever each of these says, or is read to ask for that as well."""
    may_guard = _guards_of(node)
    return may_guard is None or not any(_guard(each, node, may_guard) for each in conditions if each is not node)


def _guard(condition: Expr, node: Expr, may_guard: Callable[[Expr], bool]) -> bool:
    if may_guard is _of_sizes and not any(map(may_guard, subexpressions(condition))):
        return False
    return not _reads_of(node) <= _reads_of(condition)


_reads: WeakKeys[Expr, frozenset[Expr]] = WeakKeys()


def _reads_of(node: Expr) -> frozenset[Expr]:
    """What is read in `node` that may be there only where some condition holds."""
    for each in unknown(_reads, node):
        is_elsewhere = isinstance(each, Read) and not all(isinstance(at, Position) for at in each.at)
        mine = (each,) if is_elsewhere else ()
        _reads[each] = frozenset(mine).union(*(_reads[child] for child in each.children))
    return _reads[node]


def commutes(condition: Expr) -> bool:
    """Whether the parts of a chain of `and` or `or` may as well stand in another order."""
    parts = parts_of(condition)
    return all(_is_there(each, parts) for each in parts)


def parts_of(condition: Expr) -> list[Expr]:
    """The parts of a chain of `and` or `or`."""
    return _chained(_name(condition), condition) if _name(condition) in _DUAL else [condition]


def _any(condition: Expr) -> bool:
    return True


def _of_sizes(condition: Expr) -> bool:
    is_known = not condition.free and condition.dtype == "bool"
    return is_known and any(isinstance(each, Size) for each in condition.children)


def _is(node: Expr, function: str) -> bool:
    return _name(node) == function


def _name(node: Expr) -> str:
    return node.function if isinstance(node, Apply) else ""
