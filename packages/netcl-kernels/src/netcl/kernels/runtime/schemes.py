"""Schemes: the launches of a formula for all shapes for which they come out alike.

    scheme, numbers = found(made, "add", given)        # (scheme of shapes like these, its numbers for these)
    run = scheme.run(numbers, into)                    # the function of a plan

What a plan launches, in which order and with which text, follows from questions that the compiler asks of sizes and
strides: is this one 1, are those neighbours, is that much work. The compiler is therefore run on quantities
(`compiler.quantity`). What comes out serves every shape for which the answers are the same; the rest, numbers that are
arguments of kernels, is computed for each shape by a few lines. A shape that asks for something new makes a new scheme.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from netcl.core.bounded import Limit, Recent
from netcl.core.errors import DeviceError
from netcl.core.launch import LARGE_GRID
from netcl.core.log import logger
from netcl.kernels.compiler.derive.sliced import Sliced
from netcl.kernels.compiler.ir import Formula, root
from netcl.kernels.compiler.ir.quantity import Quantity, Questions, plain
from netcl.kernels.compiler.lower.kernel import Argument, Entry
from netcl.kernels.compiler.opencl.comment import without_comments
from netcl.kernels.compiler.opencl.types import COMPUTED
from netcl.kernels.compiler.pipeline import Program
from netcl.kernels.compiler.target import Target
from netcl.kernels.runtime.blame import blamed
from netcl.kernels.runtime.launcher import Launcher
from netcl.kernels.runtime.partition import chunks, is_small, local_size
from netcl.kernels.runtime.plan_code import Launch, Made, Step

if TYPE_CHECKING:
    from netcl.core.queue import Queue
    from netcl.core.stream import Stream

log = logger("schemes")

_ALIKE = 64
"""So many schemes are remembered for calls that only differ in numbers."""


@dataclass(frozen=True)
class KernelText:
    """The name and OpenCL text of a launch of a plan; `schedules` says how it computes, for each kernel in it."""

    name: str
    schedules: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Scheme:
    """`numbers(given)` are those of a shape, None where it needs another scheme; `run(numbers, into)` its function, or
    None where there is no such way to run it, as `writing` is (`plan_code.Made`). Where it is run slice by slice,
    `sliced` says how, and its one number is how many bytes of temporaries that makes smaller."""

    numbers: Callable[[Sequence[int]], tuple[Any, ...] | None]
    run: Callable[..., Any] | None
    kernels: tuple[KernelText, ...] = ()
    text: str = ""
    is_view: bool = False
    sliced: Sliced | None = None
    writing: Callable[[], Callable[..., Any]] | None = None


_schemes: Recent[Any, Scheme] = Recent(Limit("schemes", 2048))


def found(
    key: tuple[Any, ...], given: Sequence[int], make: Callable[[Questions], Scheme]
) -> tuple[Scheme, tuple[Any, ...]]:
    """The scheme of calls that `key` tells apart, which fits the numbers `given`, and its numbers for these."""
    free = False
    for at in range(_ALIKE):
        place = (key, at)
        scheme = _schemes[place]
        free = scheme is None
        if scheme is None:
            break
        numbers = scheme.numbers(given)
        if numbers is not None:
            return scheme, numbers
    try:
        scheme = make(Questions(given))
    except TypeError as error:  # a number has become a key; with plain ones, what is made is for these alone
        log.info("%s is compiled for each shape: %s", key[0].name, error)
        scheme = make(Questions(given, alone=True))
    _schemes.keep((key, at if free else _schemes.limit.made % _ALIKE), scheme)
    numbers = scheme.numbers(given)
    assert numbers is not None, "a scheme is for the numbers that it was made with"
    return scheme, numbers


def _with_places(error: DeviceError, stream: Stream, text: str) -> DeviceError:
    """The same error, of the text with the comments that say where a kernel is from."""
    if error.source is None:
        return error
    try:
        stream.program(text)
    except DeviceError as same:
        return same
    return error


def built(
    formula: Formula, program: Program, queue: Queue, target: Target
) -> tuple[list[Step], tuple[KernelText, ...], str]:
    """The steps of a program, built for a queue, with the texts of its kernels."""
    steps: list[Step] = [*program.views]
    emitted = program.emitted
    if emitted is None:
        return steps, (), ""
    stream = queue.main
    inline = (
        queue.inline if is_small((kernel for entry in emitted.entries for kernel in entry.beside), target) else None
    )
    texts = []
    source = without_comments(emitted.text)  # which is the same for more formulas
    for entry in emitted.entries:
        types = [_argument_type(argument, entry) for argument in entry.arguments]
        _require_room(formula, len(types), target)
        items, values = _sized(entry, target)
        items > LARGE_GRID  # noqa: B015  # asked, since a driver may compile such a launch apart
        local = local_size(entry.beside[0])
        queued = Launcher(stream, source, entry.name, types, plain(items), local)
        at_once = Launcher(inline, source, entry.name, types, plain(items), local) if inline else None
        try:
            (at_once if at_once and stream.is_idle else queued).build()
        except DeviceError as error:
            raise blamed(_with_places(error, stream, emitted.text)) from error
        steps.append(Launch(queued, at_once, entry, items, values, local))
        texts.append(KernelText(entry.name, tuple(kernel.schedule for kernel in entry.beside), entry.text))
    return steps, tuple(texts), emitted.text


def _require_room(formula: Formula, count: int, target: Target) -> None:
    """Raise DeviceError where so many arguments are more than the device takes."""
    most = target.driver.argument_bytes
    if most is not None and 8 * count > most:
        raise DeviceError(
            f"{formula.name}: a kernel with {count} arguments of 8 bytes is too much for {target.name!r}, "
            f"which takes {most} bytes; use fewer tensors at once"
        )


def scheme_of(questions: Questions, made: Made, texts: tuple[KernelText, ...], text: str, is_view: bool) -> Scheme:
    """The scheme that runs what was `made`."""
    return Scheme(questions.function(made.numbers), made.function, texts, text, is_view, writing=made.writing)


def quantities(names: Mapping[str, Any], rest: list[Quantity]) -> dict[str, Any]:
    """The same mapping with the next quantities instead of its whole numbers (or tuples of those)."""
    return {name: _replaced(value, rest) for name, value in names.items()}


def _replaced(value: Any, rest: list[Quantity]) -> Any:
    if value.__class__ is tuple:
        return tuple([_replaced(each, rest) for each in value])
    return rest.pop(0) if value.__class__ is int else value


def flattened(*mappings: Mapping[str, Any]) -> tuple[list[int], tuple[Any, ...]]:
    """The whole numbers in mappings, in order; and what is left without them."""
    numbers: list[int] = []
    return numbers, tuple(
        [tuple([(name, _taken(value, numbers)) for name, value in each.items()]) for each in mappings]
    )


def _taken(value: Any, numbers: list[int]) -> Any:
    if value.__class__ is tuple:
        return tuple([_taken(each, numbers) for each in value])
    if value.__class__ is int:
        numbers.append(value)
        return int
    return (value.__class__, value)


def _sized(entry: Entry, target: Target) -> tuple[int, dict[Argument, Any]]:
    """The number of work-items, and the values of the arguments that are known now."""
    beside = entry.beside
    shares = {id(kernel): chunks(kernel, target) for kernel in beside}
    values: dict[Argument, Any] = {}
    for argument in entry.arguments:
        kernel = entry.kernels[argument.owner]
        items, chunk = shares.get(id(kernel), (1, kernel.units))
        if argument.kind == "size":
            values[argument] = kernel.extents[root(argument.index)]
        elif argument.kind == "stride":
            values[argument] = kernel.stride(argument.of, argument.index)
        elif argument.kind == "units":
            values[argument] = kernel.units
        elif argument.kind == "chunk":
            values[argument] = chunk
        elif argument.kind == "items":
            values[argument] = items
        elif argument.kind == "number":
            values[argument] = kernel.numbers[argument.of]
    return sum(items for items, _ in shares.values()), values


def _argument_type(argument: Argument, entry: Entry) -> Any:
    if argument.kind in ("buffer", "finished"):
        return None
    if argument.kind == "attribute":
        return {"float": np.float32, "double": np.float64, "int": np.int32, "uchar": np.uint8, "long": np.int64}[
            COMPUTED[entry.kernels[argument.owner].attributes[argument.of]]
        ]
    return np.int64
