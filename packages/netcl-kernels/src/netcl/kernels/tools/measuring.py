"""`netcl ops bench`: the time of an op's kernels beside the least that this device could take for them.

The least is what moving the bytes or doing the arithmetic takes, whichever is longer: bytes over the rate of a copy (of
a sum, for what is only read) of as many, operations over the rate of a matrix product, all measured in the same run.
Each operand and output counts once, each operation of the formula once for each point of its own indices.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from netcl import core
from netcl.core.errors import NetclError
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.derive.formula import NoDerivative
from netcl.kernels.compiler.ir import FLOATS, Apply, Expr, Formula, Position, Read, Reduce, root
from netcl.kernels.compiler.ir.plain import plain
from netcl.kernels.compiler.language import syntax
from netcl.kernels.library.op import Op
from netcl.kernels.library.registry import Catalogue
from netcl.kernels.runtime import launch
from netcl.kernels.tools.sampling import Case, Sizes, Wish, sizes, with_values

ELEMENTS = 4_000_000
_MOST_OPERATIONS = 2**31 + 1
_LENGTHS = (4096, 2048, 1024, 512, 256, 128, 64, 32, 16, 8, 4)
_ROUNDS = 7
_ROUND = 0.03
"""Seconds that one round of calls takes at least."""

_SQUARE = 1024
_LEAST_BYTES = 1 << 20
_FREE = ("select", "cast", "detach")


@dataclass(frozen=True)
class Measurement:
    """One direction of one form: seconds of a call, and the bytes and operations that it cannot do without."""

    shapes: str
    direction: str
    seconds: float
    nbytes_read: int
    nbytes_written: int
    operations: int


class Device:
    """The rates of this device, measured when they are first asked for."""

    def __init__(self) -> None:
        self._shipped = Catalogue.shipped()
        self._rates: dict[tuple[str, int], float] = {}

    def copying(self, nbytes: int) -> float:
        """Bytes per second of a copy that moves about as many: caches serve small ones faster."""
        return 2 * self._rate("clone", nbytes // 2)

    def reading(self, nbytes: int) -> float:
        """Bytes per second of a sum over about as many."""
        return self._rate("sum", nbytes)

    def operations_per_second(self) -> float:
        """Of a product of square matrices: an addition and a multiplication count as two."""
        key = "matmul", _SQUARE
        if key not in self._rates:
            a = core.from_host(np.ones((_SQUARE, _SQUARE), dtype=np.float32))
            self._rates[key] = 2 * _SQUARE**3 / self._seconds("matmul", a, a)
        return self._rates[key]

    def least(self, one: Measurement) -> tuple[float, str]:
        """(seconds, what they are needed for)."""
        both = min(one.nbytes_read, one.nbytes_written)
        moving = 2 * both / self.copying(2 * both) + (one.nbytes_written - both) / self.copying(one.nbytes_written)
        moving += (one.nbytes_read - both) / self.reading(one.nbytes_read)
        computing = one.operations / self.operations_per_second()
        return (moving, "bytes") if moving >= computing else (computing, "arithmetic")

    def _rate(self, op: str, nbytes: int) -> float:
        key = op, max(nbytes, _LEAST_BYTES).bit_length()
        if key not in self._rates:
            x = core.from_host(np.ones(2 ** key[1] // 4, dtype=np.float32))
            self._rates[key] = x.nbytes / self._seconds(op, x)
        return self._rates[key]

    def _seconds(self, op: str, *tensors: core.Tensor) -> float:
        call = self._shipped[op].bind(tensors, {})
        return seconds_of(_runner(call.formula, tensors, call.attributes))


def measure(form: syntax.Declaration, elements: int = ELEMENTS) -> Iterator[Measurement]:
    """Value and gradient of a form, on tensors of about so many elements. Nothing for what only makes a view."""
    yield from _measured(with_values(largest_sizes(form, elements), np.random.default_rng(0)))


def report(ops: Iterable[Op], elements: int = ELEMENTS) -> Iterator[str]:
    """The lines of a table. Raises NetclError where no tensor may have so many elements here."""
    most = core.default_device().max_allocation_bytes // 4
    if elements > most:
        raise NetclError(
            f"a tensor of {elements} elements has no room on this device, one of {most} has; ask for fewer"
        )
    device = Device()
    yield f"on {core.default_device().name}; products reach {device.operations_per_second() / 1e9:.0f} GFLOP/s"
    yield f"{'':30} {'time':>10} {'least':>10} {'time/least':>10} {'reached':>16}   limited by"
    for op in ops:
        for form in op.forms:
            found = list(measure(form, elements))
            yield f"{op.name}{found[0].shapes}" if found else f"{op.name}: a view, nothing is computed"
            for one in found:
                least, by = device.least(one)
                nbytes = one.nbytes_read + one.nbytes_written
                rate = f"{nbytes / one.seconds / 1e9:.1f} GB/s"
                if by == "arithmetic":
                    rate = f"{one.operations / one.seconds / 1e9:.1f} GFLOP/s"
                times = f"{_time(one.seconds)} {_time(least)} {one.seconds / least:10.2f}"
                yield f"  {one.direction:28} {times} {rate:>16}   {by}"


def largest_sizes(form: syntax.Declaration, elements: int) -> Sizes:
    """The largest sizes of the menu with no tensor above `elements`, and no more operations than a second takes."""
    rank = _rank(form)
    for length in (elements, *_LENGTHS):
        try:
            found = sizes(form, Wish(rank=rank, dtype="float32", lengths=(length,), windows=(3,), most=2**62))
        except NetclError:
            continue
        largest = max((prod(shape) for shape in found.bindings.shapes.values()), default=1)
        if largest <= 1.1 * elements and _operations(found.formula, found.bindings.sizes) <= _MOST_OPERATIONS:
            return found
    return sizes(form, Wish(rank=rank, dtype="float32"), Wish(dtype="float32"))


def _rank(form: syntax.Declaration) -> int:
    """So many axes for each pack that operands which have one are matrices at least."""
    needed = 1
    for operand in form.operands:
        kinds = [axis.kind for axis in operand.axes or ()]
        packs = kinds.count("pack")
        if packs:
            needed = max(needed if needed > 1 else 0, -(-(2 - len(kinds) + packs) // packs))
    return needed


def _measured(case: Case) -> Iterator[Measurement]:
    formula = case.formula
    values = {each.name: core.from_host(case.operands[each.name]) for each in formula.operands}
    operands = list(values.values())
    shapes = "(" + ", ".join(f"{each.name}{list(values[each.name].shape)}" for each in formula.operands) + ")"
    visible = pipeline.visible(formula)
    if not launch.prepare(visible, operands, case.attributes).is_view:
        yield _one(shapes, "value", visible, operands, case)
    wanted = pipeline.differentiable(formula)
    if not wanted or not any(output.dtype in FLOATS for output in formula.outputs):
        return
    try:
        gradient = pipeline.gradient(formula, wanted)
    except NoDerivative:
        return
    outputs = launch.run(formula, operands, case.attributes)
    for output, tensor in zip(formula.outputs, outputs, strict=True):
        values[output.name] = tensor
        values["d" + output.name] = core.ones(tensor.shape, dtype=tensor.dtype)
    operands = [values[each.name] for each in gradient.operands]
    if not launch.prepare(gradient, operands, case.attributes, case.bindings).is_view:
        yield _one(shapes, f"gradient of {', '.join(wanted)}", gradient, operands, case, inherits=True)


def _one(
    shapes: str, direction: str, formula: Formula, operands: Sequence[core.Tensor], case: Case, inherits: bool = False
) -> Measurement:  # fmt: skip
    run = _runner(formula, operands, case.attributes, case.bindings if inherits else None)
    read, written = (sum(each.nbytes for each in tensors) for tensors in (operands, run()))
    return Measurement(shapes, direction, seconds_of(run), read, written, _operations(formula, case.bindings.sizes))


def _operations(formula: Formula, extents: Mapping[str, int]) -> int:
    """How many operations on floats the formula has; where things are read is not arithmetic of the formula."""
    found: set[Expr] = set()
    waiting = [output.expr for output in plain(formula).outputs]
    count = 0
    while waiting:
        node = waiting.pop()
        if node in found or isinstance(node, Read):
            continue
        found.add(node)
        waiting += node.children
        counts = isinstance(node, Reduce) or (isinstance(node, Apply) and node.function not in _FREE)
        if counts and node.dtype in FLOATS:
            count += prod(extents[root(index)] for index in _steps(node))
    return count


def _steps(node: Expr) -> frozenset[str]:
    """The indices over which a node is computed: of a scattered sum, those of what is scattered."""
    if not isinstance(node, Reduce):
        return node.free
    indices = node.body.free | frozenset(node.over)
    if isinstance(node.body, Apply) and node.body.function == "select":
        condition = node.body.children[0]
        if isinstance(condition, Apply) and condition.function == "eq":
            indices -= {each.index for each in condition.children if isinstance(each, Position)} - set(node.over)
    return indices


def _runner(
    formula: Formula, operands: Sequence[core.Tensor], attributes: Mapping[str, Any], bindings: Any = None
) -> Callable[[], tuple[core.Tensor, ...]]:
    plan = launch.prepare(formula, operands, attributes, bindings)
    return lambda: plan.run(operands, attributes)


def seconds_of(run: Callable[[], Any], least: float = _ROUND) -> float:
    """The median time of a call, over rounds of calls that are waited for together, each of `least` seconds or more."""
    calls = 1
    while (taken := _round(run, calls)) < least:
        calls = max(calls + 1, int(calls * min(10.0, 1.2 * least / max(taken, 1e-6))))
    return statistics.median(_round(run, calls) for _ in range(_ROUNDS)) / calls


def _round(run: Callable[[], Any], calls: int) -> float:
    core.synchronize()
    start = time.perf_counter()
    for _ in range(calls):
        run()
    core.synchronize()
    return time.perf_counter() - start


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:7.3f} ms" if seconds < 1 else f"{seconds:8.2f} s"
