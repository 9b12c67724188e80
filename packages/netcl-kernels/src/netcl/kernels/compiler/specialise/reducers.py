"""Reducers of a declaration, translated to the IR: `sum[k](…)`, `sum[s <= t](…)`, `scan[s <= t](a, b)`, `join[m](xs)`,
`within[v](at)`.

A reducer that goes as far as another index of the same length is a scan, unless what it reduces depends on that index:
then each value is a reduction of its own, in which what lies beyond the end changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from netcl.kernels.compiler.derive.joined import free_states
from netcl.kernels.compiler.ir import (
    FLOATS,
    INDEX_DTYPE,
    REDUCERS,
    Apply,
    Expr,
    Position,
    fresh,
    indices_of,
    number,
    position,
    size,
    without_ties,
)
from netcl.kernels.compiler.ir.binding import neutral, rename, running, total
from netcl.kernels.compiler.ir.simplify import as_position, call, cast
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.language.messages import nearest
from netcl.kernels.compiler.specialise.context import Context
from netcl.kernels.compiler.specialise.lengths import same_length
from netcl.kernels.compiler.specialise.scope import Scope

_ELSEWHERE = {
    **dict.fromkeys(("mean", "average", "avg"), "a mean is sum[k](x) / size[k]"),
    "count": "to count is to add ones, as in sum[k](x > 0 ? 1 : 0)",
    **dict.fromkeys(("maximum", "minimum"), "the largest is max[k](x), the least min[k](x)"),
    "product": "a product is prod[k](x)",
    "cumsum": "a running sum is sum[s <= t](x[s])",
    "cumprod": "a running product is prod[s <= t](x[s])",
}
"""How what is a reducer elsewhere is written here."""
_COMPARED = {"<=": "le", "<": "lt", ">=": "ge", ">": "gt"}


class Reducers:
    """Translates the reducers of one specialisation; `translate` does the expressions in them. What they require of
    lengths is added to `checks`."""

    def __init__(
        self,
        setting: Context,
        scope: Scope,
        translate: Callable[[syntax.Expression], Expr],
        checks: list[tuple[Expr, str]],
    ) -> None:
        self.setting = setting
        self.scope = scope
        self._translate = translate
        self.checks = checks

    def translate(self, node: syntax.Reduction) -> Expr:
        """The expression that a reducer means."""
        if node.kind == "join":
            return self._join(node)
        if node.kind == "within":
            return self._within(node)
        if node.kind not in ("scan", "argsort") and node.kind not in REDUCERS:
            raise node.span.error(self._unknown(node.kind))
        runs = [each for each in node.over if isinstance(each, syntax.Along)]
        named = [each for each in node.over if not isinstance(each, syntax.Along)]
        over = tuple(index for each in named for index in self.scope.bound(each))
        every = over + tuple(index for each in runs for index in self.scope.bound(each.index))
        twice = next((index for at, index in enumerate(every) if index in every[:at]), None)
        if twice is not None:
            raise node.span.error(f"{node.kind}[…] names index {twice} twice")
        if node.kind == "scan" and (len(runs), len(over), len(node.bodies)) != (1, 0, 2):
            raise node.span.error(
                "scan[s <= t](a, b) is the recurrence h = a * h + b: it runs along one index, and takes two expressions"
            )
        if node.kind == "argsort" and (len(runs), len(over)) != (1, 0):
            raise node.span.error("argsort[s <= t](…) is the position that comes t-th in ascending order; write s <= t")
        if node.kind != "scan" and len(node.bodies) > 1:
            raise node.bodies[1].span.error(f"{node.kind}[…] takes one expression, not {len(node.bodies)}")
        if node.kind.startswith("arg") and runs and len(every) > 1:
            raise node.span.error(f"{node.kind}[s <= t](…) gives a position along one index, not along {len(every)}")
        bodies = tuple(map(self._translate, node.bodies))
        if node.kind.startswith("arg") and not runs:
            self._require_a_place(node.kind, over, bodies[0])
        if over or not runs:
            polynomial = self._polynomial(over, bodies[0]) if node.kind == "sum" else None
            bodies = (polynomial or total(node.kind, over, bodies[0]),)
        for run in reversed(runs):
            bodies = (self._run(without_ties(node.kind), run, bodies),)
        return bodies[0]

    def _require_a_place(self, kind: str, over: tuple[str, ...], body: Expr) -> None:
        """Of nothing there is no place. Where nothing asks for one, since another axis is empty too, none is needed."""
        for index in over:
            condition = call("lt", 0, size(index))
            for other in sorted(body.free - {*over}):
                condition = call("or", call("eq", size(other), 0), condition)
            check = condition, f"{kind}[{', '.join(over)}] gives a place, which an axis without elements does not have"
            if check not in self.checks:
                self.checks.append(check)

    def _polynomial(self, over: tuple[str, ...], body: Expr) -> Expr | None:
        """`sum[k](c * x ^ k)` with a table c, by Horner's rule: c[0] + x * (c[1] + x * …)."""
        if len(over) != 1 or not (isinstance(body, Apply) and body.function == "mul"):
            return None
        at = position(over[0])
        extent = self.setting.sizes.get(over[0])
        for factor, power in (body.children, body.children[::-1]):
            table = factor.children[0] if isinstance(factor, Apply) and factor.function == "cast" else factor
            if not (isinstance(table, Apply) and table.function == "table" and table.children[0] is at):
                continue
            entries = table.children[1:]
            if not (
                isinstance(power, Apply) and power.function == "pow" and power.children[1] is cast(at, power.dtype)
            ):
                continue
            x = power.children[0]
            if over[0] in x.free or extent is not number(len(entries), INDEX_DTYPE):
                continue
            found = cast(entries[-1], body.dtype)
            for each in reversed(entries[:-1]):
                found = call("add", cast(each, body.dtype), call("mul", x, found))
            return found
        return None

    def _run(self, kind: str, run: syntax.Along, bodies: tuple[Expr, ...]) -> Expr:
        """The reduction of `bodies` over an index that goes as far as the end of `run`."""
        index, end = run.index.name, self._translate(run.end)
        if end.dtype in FLOATS or end.dtype == "bool":
            raise run.end.span.error(f"{index} goes as far as a whole number, but this is {end.dtype}")
        if index in end.free:
            raise run.end.span.error(f"{index} goes as far as something that depends on {index} itself")
        own = any(map(free_states, bodies))
        if isinstance(end, Position) and not own and not any(end.index in body.free for body in bodies):
            like = same_length(self.setting, index)
            if like == same_length(self.setting, end.index) and not (kind == "argsort" and run.sign in ("<", ">")):
                return _scan(kind, index, run.sign, end, bodies, like)
        if kind == "scan" or kind.startswith("arg"):
            if own:
                raise run.index.span.error(
                    f"{kind}[{index} {run.sign} …] runs over a definition that depends on it; here that has sums, "
                    "products and extremes alone"
                )
            if isinstance(end, Position) and any(end.index in body.free for body in bodies):
                raise run.end.span.error(
                    f"what {kind}[{index} {run.sign} {end.index}](…) runs over has the index {end.index} itself; "
                    f"read it at {index} there, as in x[…, {index}]"
                )
            raise run.end.span.error(
                f"{kind}[{index} {run.sign} …] goes as far as another index of the same length, "
                "which does not occur in what it runs over"
            )
        if kind in ("max", "min"):
            kind = ("first_" if run.sign in ("<=", "<") else "last_") + kind  # the one that is met first
        inside = call(_COMPARED[run.sign], position(index), cast(end, INDEX_DTYPE))
        return total(kind, (index,), call("select", inside, bodies[0], neutral(without_ties(kind), bodies[0].dtype)))

    def _unknown(self, kind: str) -> str:
        known = [*REDUCERS, "argsort", "join", "scan", "within"]
        definitions = {each.name for each in self.setting.declaration.definitions}
        if self.setting.operand(kind) or self.setting.attribute(kind) or kind in definitions:
            return f"a product is written with '*': {kind}[…] * (…)"
        if kind in _ELSEWHERE:
            return f"{kind} is no reducer; {_ELSEWHERE[kind]}"
        return f"{kind} is no reducer{nearest(kind, known, 'there are ' + ', '.join(known))}"

    def _within(self, node: syntax.Reduction) -> Expr:
        """`within[v](at)`: at, from the end of v where it is negative; outside of v it is an error."""
        plain = [each for each in node.over if not isinstance(each, syntax.Along)]
        over = [index for each in plain for index in self.scope.bound(each)]
        if len(over) != 1 or len(plain) != len(node.over) or len(node.bodies) > 1:
            raise node.span.error("within takes one index, the axis that is pointed into, as in within[v](index)")
        found = self._translate(node.bodies[0])
        if found.dtype in FLOATS or found.dtype == "bool":
            raise node.bodies[0].span.error(f"a position is a whole number, but this is {found.dtype}")
        at, extent = as_position(found), size(over[0])
        return call("within", call("select", call("lt", at, 0), at + extent, at), extent)

    def _join(self, node: syntax.Reduction) -> Expr:
        """`join[m](xs)`: the members of a variadic operand end to end along m."""
        index, body = (node.over[0] if len(node.over) == 1 else None), node.bodies[0]
        if not isinstance(index, syntax.Name) or not isinstance(body, syntax.Name) or len(node.bodies) > 1:
            raise node.span.error("join takes one index and the name of a variadic operand, as in join[m](xs)")
        members = self.setting.variadic.get(body.name)
        if members is None:
            raise body.span.error(f"{body.name} is not variadic; declare it *{body.name}[…]")
        (along,) = self.scope.bound(index) or ("",)
        start: Expr = number(0, INDEX_DTYPE)
        pieces = []
        for name in members:
            own = [each for each in self.setting.indices_of(name) if each not in self.setting.elements()]
            if len(own) != 1:
                raise body.span.error(f"join needs one index of {body.name} that is of no pack, to join along")
            here = position(along) - start
            at = tuple(here if each == own[0] else position(each) for each in self.setting.indices_of(name))
            start = start + size(own[0])
            pieces.append((call("lt", position(along), start), self.scope.element(name, at)))
        if len(pieces) == 1:
            return call("copy", pieces[0][1])  # what several make is never a view of one, and nor is this
        result = pieces[-1][1]
        for condition, piece in reversed(pieces[:-1]):
            result = call("select", condition, piece, result)
        return result


def _scan(kind: str, index: str, sign: str, end: Position, bodies: tuple[Expr, ...], like: str) -> Expr:
    """The running value at the position `end`, or one step before it; the bound index becomes a copy of `like`."""
    new = fresh(like, end.free | indices_of(*bodies))
    bodies = tuple(rename(body, {index: new}) for body in bodies)
    backward = sign in (">=", ">")
    if sign in ("<=", ">="):
        return running(kind, new, backward, end, *bodies)
    step = call("add" if backward else "sub", end, 1)
    found = running(kind, new, backward, step, *bodies)
    inside = call("lt", step, size(end.index)) if backward else call("ge", step, 0)
    return call("select", inside, found, neutral(kind, found.dtype))
