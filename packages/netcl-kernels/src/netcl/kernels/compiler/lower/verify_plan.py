"""What is legal of a plan: whatever a launch reads was written whole by an earlier one, each output exactly once, and
a tensor has the same dtype for all.

Input: the kernels of each launch in order, which tensors are there from the start, how many elements the others have.
Output: nothing, or an InvalidPlan. That a kernel does write what its loops say is not looked at here: the tests run on
memory that is poisoned before it is handed out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import prod

from netcl.kernels.compiler.ir import root
from netcl.kernels.compiler.lower.kernel import Kernel, Write


class InvalidPlan(AssertionError):
    """A plan would read what nobody wrote, or leave something unwritten: a defect of the compiler."""


def verify_plan(
    name: str,
    launches: Sequence[Sequence[Kernel]],
    given: Collection[str],
    elements: Mapping[str, int],
    outputs: Iterable[str],
) -> None:
    """Raise InvalidPlan where the launches of the formula `name` are not legal. A kernel in a launch runs beside the
    others, and what it does `then` runs when all of its own work is done."""
    every = [kernel for launch in launches for kernel in launch]
    _require_one_dtype(name, [*every, *(kernel.then for kernel in every if kernel.then is not None)])
    whole = set(given)
    written: dict[str, int] = {}
    for number, launch in enumerate(launches):
        where = f"launch {number + 1} of {name}"
        for kernel in launch:
            _require(_read(kernel) <= whole, where, f"{kernel.name} reads {sorted(_read(kernel) - whole)} unwritten")
        for kernel in launch:
            _take(kernel, where, whole, written, elements)
            if kernel.then is not None:
                done = whole | {each for each in _written(kernel) if written.get(each) == elements[each]}
                missing = _read(kernel.then) - done
                _require(not missing, where, f"{kernel.then.name} reads {sorted(missing)} unwritten")
                _take(kernel.then, where, whole, written, elements)
        whole |= {each for each, count in written.items() if count == elements[each]}
    for output in outputs:
        _require(output in whole, name, f"{output} is not written, or not all of it")


def _require_one_dtype(name: str, kernels: Iterable[Kernel]) -> None:
    """That all kernels take a tensor for one of the same dtype."""
    dtypes: dict[str, str] = {}
    for kernel in kernels:
        for access in (*kernel.accesses.values(), *(write.access for write in kernel.writes)):
            known = dtypes.setdefault(access.buffer, access.dtype)
            _require(access.dtype == known, name, f"{kernel.name} has {access.buffer} of {access.dtype}, not {known}")


def _take(
    kernel: Kernel, where: str, whole: Collection[str], written: dict[str, int], elements: Mapping[str, int]
) -> None:
    """Count what a kernel writes."""
    for write in {each.access.name: each for each in kernel.writes}.values():
        buffer = write.access.buffer
        _require(buffer in elements, where, f"{kernel.name} writes {buffer}, which is no output or temporary")
        if not elements[buffer] or write.passing:  # nothing else reads it, and each step may write it again
            continue
        is_part = kernel.piece or write.access.name != buffer
        if not is_part and _is_own_layout(write, elements[buffer]):
            written[buffer] = elements[buffer]
            continue
        _require(buffer not in whole, where, f"{kernel.name} writes {buffer} a second time")
        written[buffer] = written.get(buffer, 0) + _count(kernel, write)
        _require(written[buffer] <= elements[buffer], where, f"{kernel.name} writes {buffer} more than once")


def _is_own_layout(write: Write, count: int) -> bool:
    """Whether a schedule writes a scratch tensor in a way of its own: as a write it moves along no index. (So does a
    piece that is one element.)"""
    return not write.access.strides and not write.indices and count != 1


def _count(kernel: Kernel, write: Write) -> int:
    """How many different elements a write goes to."""
    moving = [(abs(step), kernel.extents[root(index)]) for index, step in write.access.strides.items()]
    reach = 1
    for step, extent in sorted(each for each in moving if each[1] != 1):
        _require(step >= reach, kernel.name, f"writes elements of {write.access.buffer} more than once")
        reach = step * (extent - 1) + reach
    return prod(extent for _, extent in moving)


def _read(kernel: Kernel) -> set[str]:
    return {access.buffer for access in kernel.accesses.values()}.difference(kernel.computation.states)


def _written(kernel: Kernel) -> set[str]:
    return {write.access.buffer for write in kernel.writes}


def _require(holds: bool, where: str, what: str) -> None:
    if not holds:
        raise InvalidPlan(f"{where}: {what}")
