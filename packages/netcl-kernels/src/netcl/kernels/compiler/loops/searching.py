"""The first place along an index at which a reduction has its best value: `argmax` and its kin, once that is known.

It is looked for in blocks of several vectors, then in the vectors behind these, then one by one; which lane of a block
has it is the least of the numbers of those that have.
"""

from __future__ import annotations

from collections.abc import Iterator

from netcl.kernels.compiler.ir import FLOATS, INDEX_DTYPE, Expr, Position, Reduce, number, position, read
from netcl.kernels.compiler.ir.simplify import call, cast
from netcl.kernels.compiler.loops.accumulate import is_nan
from netcl.kernels.compiler.loops.ir import Assume, Buffer, Fold, If, Let, Loop, Statement, Store
from netcl.kernels.compiler.loops.lanes import in_step
from netcl.kernels.compiler.loops.positions import ZERO, before, plus, quotient, rest, times
from netcl.kernels.compiler.loops.scope import Lanes, Scope
from netcl.kernels.compiler.loops.values import Values
from netcl.kernels.compiler.opencl.types import LANES


class Search:
    """For the first place along `index` at which the body of `node` is `best`, in blocks of so many vectors. A NaN is
    the best of all."""

    def __init__(self, values: Values, node: Reduce, index: str, best: Expr, home: Scope, beside: int) -> None:
        self.values, self.body, self.index, self.best, self.home = values, node.body, index, best, home
        self.block = beside * LANES
        self.end = values.given.size(index)
        self._where, self._hit = self._variable("place", INDEX_DTYPE, 1), self._variable("is_here", "bool", 1)
        self._hits, self._nearest = self._variable("hits", "bool", LANES), self._variable("nearest", "int32", LANES)
        self.place = read(self._where, (ZERO,), INDEX_DTYPE)
        self.is_here = read(self._hit, (ZERO,), "bool")

    def through(self, first: Expr, count: Expr) -> list[Statement]:
        """Look through so many places from `first` on, one of which has it; then it is `place`."""
        values, block = self.values, self.block
        vectors, singles = (position(values.fresh("begin")) for _ in range(2))
        left = rest(count, block)
        return [
            *self._until_here(first, quotient(count, block), block),
            If(self.is_here, tuple(self._within(block))),
            If(call("not", self.is_here), (
                Let(vectors.index, plus(first, times(quotient(count, block), block))),
                *self._until_here(vectors, quotient(left, LANES), LANES),
                If(self.is_here, tuple(self._within(LANES))),
                If(call("not", self.is_here), (
                    Let(singles.index, plus(vectors, times(quotient(left, LANES), LANES))),
                    *self._until_here(singles, rest(left, LANES), 1),
                )),
            )),
        ]  # fmt: skip

    def _until_here(self, begin: Expr, steps: Expr, width: int) -> list[Statement]:
        """The first of so many blocks, vectors or places that has it."""
        step = position(self.values.fresh("step"))
        start = plus(begin, times(step, width))
        body = self._single(start) if width == 1 else self._any_of(start, width)
        body.append(If(self.is_here, (Store(self._where, ZERO, start),)))
        return [
            Store(self._where, ZERO, begin),
            Store(self._hit, ZERO, number(False, "bool")),
            Loop(step.index, steps, "serial", tuple(body), self.is_here),
        ]

    def _single(self, place: Expr) -> list[Statement]:
        at = position(self.values.index(self.index))
        is_best, statements = self._is_best(at, place, None)
        return [*statements, Store(self._hit, ZERO, is_best)]

    def _any_of(self, start: Expr, width: int) -> list[Statement]:
        """Whether a block, or a vector, has it."""
        lanes = Lanes(self.values.fresh("lane"), LANES)
        here: Expr = number(False, "bool")
        within: list[Statement] = []
        for is_best, statements in self._vectors(start, lanes, width):
            here = call("or", here, is_best)
            within += statements
        fold = Fold(self.values.fresh("hit"), "any", self._hits)
        within.append(Store(self._hits, position(lanes.index), here))
        return [in_step(lanes, within), fold, Store(self._hit, ZERO, read(fold.name, (), "bool"))]

    def _within(self, width: int) -> list[Statement]:
        """Where in the block, or vector, that has it."""
        lanes, start = Lanes(self.values.fresh("lane"), LANES), position(self.values.fresh("start"))
        nearest: Expr = number(width, "int32")
        vectors = list(self._vectors(start, lanes, width))
        within = [each for _, statements in vectors for each in statements]
        for number_of_it, (is_best, _) in reversed([*enumerate(vectors)]):
            lane = plus(position(lanes.index), number_of_it * LANES)
            nearest = call("select", is_best, cast(lane, "int32"), nearest)
        fold = Fold(self.values.fresh("lane_of_it"), "min", self._nearest)
        within.append(Store(self._nearest, position(lanes.index), nearest))
        found = plus(start, cast(read(fold.name, (), "int32"), INDEX_DTYPE))
        return [
            Assume(call("ge", self.place, 0)),
            Assume(before(self.place, self.end)),
            Let(start.index, self.place),
            in_step(lanes, within),
            fold,
            Store(self._where, ZERO, found),
        ]

    def _vectors(self, start: Expr, lanes: Lanes, width: int) -> Iterator[tuple[Expr, list[Statement]]]:
        """Of each vector of a block, which lanes have it, and the statements for that."""
        for each in range(width // LANES):
            at = position(self.values.index(self.index))
            yield self._is_best(at, plus(plus(start, each * LANES), position(lanes.index)), lanes)

    def _is_best(self, at: Position, place: Expr, lanes: Lanes | None) -> tuple[Expr, list[Statement]]:
        scope = Scope(self.home, {self.index: at}, lanes)
        value = self.values.named(self.values.value(self.body, scope), scope)
        equal = call("eq", value, self.best)
        is_best = call("or", equal, is_nan(value)) if self.body.dtype in FLOATS else equal
        return is_best, [Let(at.index, place), Assume(before(at, self.end)), *scope.statements]

    def _variable(self, word: str, dtype: str, count: int) -> str:
        name = f"own {self.values.fresh(word)}"
        self.values.buffers.append(Buffer(name, dtype, "private", number(count, INDEX_DTYPE)))
        return name
