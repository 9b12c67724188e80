"""Conditions, written down with nothing in them that follows from the rest.

    negated, joined     not; and, or
    follows             whether it is seen that one condition holds wherever another one does
    is_read_elsewhere   whether an expression reads what may be there under some condition only

The adjoint of a branch is zero where the branch was not taken, and a sum of such adjoints where none was: what says so
says the same many times over, and grows with each derivative. Input and output are expressions of bools.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable

from netcl.core.bounded import remembered
from netcl.core.weak import WeakKeys
from netcl.kernels.compiler.ir.construct import apply, number
from netcl.kernels.compiler.ir.nodes import Apply, Expr, Number, Position, Read, Reduce, Size, subexpressions, unknown

_DUAL = {"and": "or", "or": "and"}
_WITH_EQUAL = {"gt": "ge", "lt": "le"}
_EITHER = {frozenset(("eq", each)): both for each, both in _WITH_EQUAL.items()}


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
            _put(function, rest, parts)
        elif bool(rest.value) is decided:
            return rest
    return _one_of(parts) if function == "or" else _chain(function, parts)


def _one_of(parts: list[Expr]) -> Expr:
    """One of these, with what they all say said once, before the rest: `(g and a) or (g and b)` is `g and (a or b)`."""
    if len(parts) < 2:
        return _chain("or", parts)
    sides = [_chained("and", each) for each in parts]
    every = list(itertools.chain.from_iterable(sides))
    common = [each for each in sides[0] if all(each in side for side in sides) and _is_there(each, every)]
    if not common:
        return _chain("or", parts)
    beside = [_chain("and", [each for each in side if each not in common]) for side in sides]
    return joined("and", _chain("and", common), functools.reduce(functools.partial(joined, "or"), beside))


def _chained(function: str, node: Expr) -> list[Expr]:
    """The parts of a chain of one function, in order."""
    last_first, left_most = [], node
    while _is(left_most, function):
        left_most, part = left_most.children
        last_first.append(part)
    return [left_most, *reversed(last_first)]


def _chain(function: str, parts: list[Expr]) -> Expr:
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
    return _chain(dual, left) if out and all(_is_there(each, out) for each in left) else new


def _put(function: str, new: Expr, parts: list[Expr]) -> None:
    """Put a condition into a chain, unless it adds nothing, in place of what adds nothing beside it."""
    for at, part in enumerate(parts):
        if follows(new, part) if function == "or" else follows(part, new):
            return
        if function == "or" and part.children == new.children:
            both = _EITHER.get(frozenset((_name(part), _name(new))))
            if both:
                parts[at] = apply(both, new.children, "bool")
                return
    if _is_there(new, parts):
        rest = [_rest(function, each, [new]) for each in parts]
        parts[:] = [each for each in rest if not (follows(each, new) if function == "or" else follows(new, each))]
    parts.append(new)


_MOST_ASKED = 200
"""After so many questions about parts of two conditions nothing more is seen."""


def follows(premise: Expr, conclusion: Expr) -> bool:
    """Whether it is seen that `conclusion` holds wherever `premise` does."""
    return _follows(premise, conclusion, {})


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
    if _is(premise, "or"):
        return all(_follows(each, conclusion, known) for each in _chained("or", premise))
    if _is(conclusion, "and"):
        return all(_follows(premise, each, known) for each in _chained("and", conclusion))
    if _is(conclusion, "or") and any(_follows(premise, each, known) for each in _chained("or", conclusion)):
        return True
    if _is(premise, "and"):
        return any(_follows(each, conclusion, known) for each in _chained("and", premise))
    if _is(premise, "not") and _is(conclusion, "not"):
        return _follows(conclusion.children[0], premise.children[0], known)
    if isinstance(premise, Reduce) and isinstance(conclusion, Reduce) and premise.kind in ("any", "all"):
        same = premise.kind == conclusion.kind and premise.over == conclusion.over
        return same and _follows(premise.body, conclusion.body, known)
    return _is_seen_of(premise, conclusion)


def _has_parts(node: Expr) -> bool:
    return _name(node) in ("and", "or", "not") or isinstance(node, Reduce)


def _is_seen_of(premise: Expr, conclusion: Expr) -> bool:
    """The same of two conditions that are made of no others."""
    if premise.children != conclusion.children:
        return False
    one, other = _name(premise), _name(conclusion)
    return other == _WITH_EQUAL.get(one) or (one == "eq" and other in _WITH_EQUAL.values())


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
    """Whether what is read in `node` is there whatever these conditions say."""
    may_guard = _guards_of(node)
    return may_guard is None or not any(map(may_guard, subexpressions(*conditions)))


def _any(condition: Expr) -> bool:
    return True


def _of_sizes(condition: Expr) -> bool:
    is_known = not condition.free and condition.dtype == "bool"
    return is_known and any(isinstance(each, Size) for each in condition.children)


def _is(node: Expr, function: str) -> bool:
    return _name(node) == function


def _name(node: Expr) -> str:
    return node.function if isinstance(node, Apply) else ""
