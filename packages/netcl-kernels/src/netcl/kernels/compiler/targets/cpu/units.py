"""Which work-item does what: all that is independent is counted through as units, and each has a run of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from netcl.kernels.compiler.ir import INDEX_DTYPE, Attribute, Expr, Position, number, position, root
from netcl.kernels.compiler.loops.given import Given, Unit, Units
from netcl.kernels.compiler.loops.ir import Assume, Let, Loop, LoopNest, Statement
from netcl.kernels.compiler.loops.positions import at_least, before, least, minus, most, plus, quotient, times
from netcl.kernels.compiler.loops.scope import Scope
from netcl.kernels.compiler.loops.values import Values, parted
from netcl.kernels.compiler.lower.kernel import positions
from netcl.kernels.compiler.lower.nest import Nest
from netcl.kernels.compiler.opencl.types import LINE
from netcl.kernels.compiler.targets.cpu.loops import Loops

ITEM = "item"

Inside = Callable[[Mapping[str, Expr]], Sequence[Statement]]
"""The statements of a unit, where its indices are."""

Run = Callable[[Mapping[str, Expr], Expr, Expr], Sequence[Statement]]
"""The statements of a run of an index: where the indices before it are, where it begins, and how many values it has."""


def block_of(given: Given, index: str) -> Expr:
    """How many values of an index a block has."""
    return given.number(f"block of {index}")


def in_units(nest: Nest, values: Values, loops: Loops, top: Scope, inside: Inside) -> Units:
    """The kernel that does what is `inside` for each block and each combination of the parallel indices, behind what is
    in `top`."""
    given = values.given
    extents = {index: given.size(index) for index in loops.parallel}
    if loops.blocked is not None:
        extents = {f"{loops.blocked}#": parted(given.size(loops.blocked), block_of(given, loops.blocked)), **extents}
    body = shares(values, extents, inside)
    return _kernel(nest, values, loops, (*top.statements, *body))


def in_range(
    nest: Nest, values: Values, loops: Loops, top: Scope, inside: Callable[[Expr, Expr], Sequence[Statement]]
) -> Units:
    """The kernel that does what is `inside` for the units from one on, so many. A work-item begins where a cache line
    does."""
    lets, begin, count = _share(values)
    body = (*lets, *inside(begin, count))
    return _kernel(nest, values, loops, (*top.statements, *body), LINE)


def _kernel(nest: Nest, values: Values, loops: Loops, body: Sequence[Statement], multiple: int = 1) -> Units:
    numbers = {f"block of {loops.blocked}": loops.block_size} if loops.blocked else {}
    unit = Unit(loops.steps(nest.extents, nest.reduces), loops.is_vectorised, multiple)
    return kernel_of(nest, values, body, loops.schedule, loops.units(nest.extents), unit, numbers, loops.parallel)


def kernel_of(
    nest: Nest, values: Values, body: Sequence[Statement], schedule: str, units: int, unit: Unit,
    numbers: Mapping[str, int], shared: Sequence[str],
) -> Units:  # fmt: skip
    """The kernel with this body. Where there are units, its `numbers` and the sizes of the indices that are `shared`
    out are not 0."""
    given = values.given
    groups = parted(given.share("units"), given.share("chunk"))
    bounded = {each.name for each in positions(nest.exprs, nest.accesses) if isinstance(each, Attribute)}
    positive = (*(f"number {each}" for each in numbers), *(f"size {root(index)}" for index in shared))
    made = LoopNest(
        nest.name, ITEM, groups, "alone", 1, (*given.buffers.values(), *values.buffers), tuple(body),
        frozenset(given.data - bounded), frozenset(positive),
    )  # fmt: skip
    return Units(
        computation=nest.computation(), schedule=schedule, numbers=numbers, nest=made, given=given.arguments,
        groups=units, unit=unit,
    )  # fmt: skip


def _share(values: Values) -> tuple[list[Statement], Position, Position]:
    """The first unit of a work-item, and how many it has."""
    units, chunk = (values.given.share(kind) for kind in ("units", "chunk"))
    begin, count = (position(values.fresh(word)) for word in ("begin", "count"))
    lets: list[Statement] = [
        Let(begin.index, times(position(ITEM), chunk)),
        Let(count.index, least(chunk, minus(units, begin))),
    ]
    return lets, begin, count


def shares(values: Values, extents: Mapping[str, Expr], inside: Inside) -> list[Statement]:
    """What is inside for each unit of a work-item, of which these indices say which it is."""
    lets, begin, count = _share(values)
    return [*lets, *in_order(values, extents, values.given.share("units"), inside, begin, count)]


def in_order(
    values: Values, extents: Mapping[str, Expr], total: Expr, inside: Inside, begin: Expr, count: Expr
) -> list[Statement]:
    """What is inside for `count` combinations of these indices from the one with the number `begin` on, of `total` that
    there are; the last index moves fastest."""
    if len(extents) < 2:
        step, unit = position(values.fresh("step")), position(values.fresh("unit"))
        inner = (
            Let(unit.index, plus(begin, step)),
            Assume(before(unit, total)),
            *inside(dict.fromkeys(extents, unit)),
        )
        return [Loop(step.index, count, "serial", inner)]
    last = [*extents][-1]

    def run(places: Mapping[str, Expr], start: Expr, count: Expr) -> Sequence[Statement]:
        step, at = position(values.fresh("step")), position(values.fresh("at"))
        lets = (Let(at.index, plus(start, step)), Assume(before(at, extents[last])))
        return [Loop(step.index, count, "serial", (*lets, *inside({**places, last: at})))]

    return in_runs(values, extents, begin, count, run)


def in_runs(values: Values, extents: Mapping[str, Expr], begin: Expr, count: Expr, inside: Run) -> list[Statement]:
    """What is inside for each run of the last of these indices: of `count` combinations from the one with the number
    `begin` on. Each index has a loop, in which only the first and the last step do not have all of the next index."""
    return _in_runs(values, list(extents.items()), begin, count, inside, {})


def _in_runs(
    values: Values, extents: Sequence[tuple[str, Expr]], begin: Expr, count: Expr, inside: Run,
    places: Mapping[str, Expr],
) -> list[Statement]:  # fmt: skip
    (index, size), *others = extents
    if not others:
        return [*inside(places, begin, count)]
    length: Expr = number(1, INDEX_DTYPE)
    for _, each in others:
        length = times(length, each)
    end = plus(begin, count)
    first, run, at, start = (position(values.fresh(each)) for each in ("first", "run", "at", "start"))
    here = times(at, length)
    left = minus(least(minus(end, here), length), start)
    many: Expr = left if len(others) < 2 else position(values.fresh("many"))
    return [
        Let(first.index, quotient(begin, length)),
        Loop(run.index, minus(parted(end, length), first), "serial", (
            Let(at.index, plus(first, run)),
            Assume(before(at, size)),
            Let(start.index, most(minus(begin, here), 0)),
            Assume(at_least(left, 0)),
            *([Let(many.index, left)] if isinstance(many, Position) else []),
            *_in_runs(values, others, start, many, inside, {**places, index: at}),
        )),
    ]  # fmt: skip
