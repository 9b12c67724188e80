"""Anomaly mode: say where a NaN or an Inf came from.

While it is on in a thread, each record keeps the stack that made it, and each gradient is looked through. The report
names the op, which gradient, where in it, how many, the user's line that made the node, and the declaration of the
op if it says where that is (`declared_at` in its metadata).

What the device is still computing it looks through in its turn (`netcl.core.census`), and nobody waits for it. The
counts are read together, and always before anything that is not netcl's own could see a value (`Checks.settle`): a
hook, a leaf, a rule of the user's, the caller, whoever waits for the device. So the error is the one that looking at
once would give, and nothing has been done that it would have prevented. What is there already, numbers of the host and
memory that it shares with a device that has nothing to do, the host looks at at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from threading import get_ident
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from netcl import core
from netcl.autograd.debugging.nonfinite import Finding, scan
from netcl.autograd.engine.contract import note
from netcl.autograd.graph import values
from netcl.autograd.graph.frames import as_text, user_stack
from netcl.autograd.graph.node import Node, unwrap
from netcl.autograd.graph.record import Extra, Record
from netcl.autograd.graph.state import LOCAL
from netcl.core.census import LARGEST, Census, Counts, Ticket, answers
from netcl.core.errors import NetclError
from netcl.core.transfer import readable
from netcl.core.weak import WeakKeys

__all__ = ["AnomalyError", "detect_anomaly", "set_detect_anomaly"]


_MOST_WAITING = 64
"""So many results that nobody knows yet are waited for: a loop that never waits should learn of a NaN all the same."""


class _Origin(NamedTuple):
    """What a report says of a record, without what the record keeps alive."""

    name: str
    number: int
    extra: Extra | None
    info: Mapping[str, Any] | None


class _Look(NamedTuple):
    """A value that the device was asked about."""

    origin: _Origin
    what: str  # which gradient or output of the record it is
    is_gradient: bool
    shape: tuple[int, ...]
    dtype: Any
    asked: tuple[int, ...]  # the shape of what the device goes through: 1 where a broadcast view shows an element again
    ticket: Ticket


class AnomalyError(NetclError, RuntimeError):
    """A NaN or Inf was found in anomaly mode."""

    code = "anomaly"


class Checks:
    """What anomaly mode looks for in one thread, and what it has not seen the answer of yet."""

    def __init__(self, check_nan: bool = True, check_inf: bool = True, check_forward: bool = False) -> None:
        self.check_nan = check_nan
        self.check_inf = check_inf
        self.check_forward = check_forward
        # Buffer -> the view and version of it that was found clean last: many rules hand on what they were given.
        self._clean: WeakKeys[Any, tuple[Any, ...]] = WeakKeys()
        self._waiting: list[_Look | Callable[[], None]] = []  # looks, and what is done once those before it are clean
        self._censuses: dict[Any, Census] = {}  # by queue
        self._thread = 0  # whose looks are waiting

    def created(self, record: Record, result: Any) -> None:
        """Keep the stack of a new record, and which record's backward made it; look at the result if asked to."""
        extra = record.extra
        extra.stack = user_stack()
        run = LOCAL.state.run
        extra.creator = None if run is None else run.record
        if self.check_forward:
            outputs = result if isinstance(result, tuple) else (result,)
            for index, output in enumerate(outputs):
                self._look(record, f"output {index}", False, output)
            if len(self._waiting) >= _MOST_WAITING:
                self.settle()

    def produced(self, record: Record, needs: Sequence[bool], gradients: Sequence[Any]) -> None:
        """Look through the input gradients of a record."""
        names = _said(record.extra, record._info).get("operands", ())
        for index, gradient in enumerate(gradients):
            if gradient is not None and needs[index]:
                name = f" ({names[index]})" if index < len(names) else ""
                self._look(record, f"the gradient of operand {index}{name}", True, unwrap(gradient))

    def then(self, action: Callable[[], None]) -> None:
        """Do something as soon as everything that was looked at before is known to be clean."""
        if self._waiting:
            self._waiting.append(action)
        else:
            action()

    def __enter__(self) -> None:
        """A backward begins."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """It ends, or fails: what was found before an error is what the error comes of."""
        if error is None or isinstance(error, Exception):
            self.settle()
        else:
            self._forget()

    def settle(self) -> None:
        """Read what the device has counted; the first value that has what is looked for is an AnomalyError."""
        if not self._waiting:
            return
        waiting = self._forget()
        found = iter(answers([each.ticket for each in waiting if isinstance(each, _Look)]))
        for each in waiting:
            if not isinstance(each, _Look):
                each()
                continue
            finding = _finding(next(found), each, self.check_nan, self.check_inf)
            if finding is not None:
                del waiting  # the error keeps this frame, and must keep neither itself nor gradients
                raise self._late(each, finding)

    def _late(self, look: _Look, finding: Finding) -> AnomalyError:
        error = self._report(look.origin, look.what, look.shape, look.dtype, finding)
        place = f"of {look.origin.name} (record {look.origin.number})"
        note(error, f"in the backward {place}" if look.is_gradient else f"in what came {place}, seen later")
        return error

    def failed(self, error: BaseException, record: Record) -> None:
        """Add to an error in backward where the op was called."""
        if not isinstance(error, AnomalyError):
            note(error, _story(_origin(record)))

    def _forget(self) -> list[_Look | Callable[[], None]]:
        waiting, self._waiting = self._waiting, []
        for queue in self._censuses:
            queue.watchers.discard(self._host_waited)
        return waiting

    def _host_waited(self) -> None:
        """Somebody has waited for the device; only in the thread of the looks may it learn what they found."""
        if get_ident() == self._thread:
            self.settle()

    def _look(self, record: Record, what: str, is_gradient: bool, value: Any) -> None:
        if not (self.check_nan or self.check_inf):
            return
        by_host = not values.is_device_tensor(value)
        if not by_host:
            if not core.dtypes.is_float(value.dtype):
                return
            state = (value.version, value.offset, value.shape, value.strides)
            if self._clean.get(value.buffer) == state:
                return
            self._clean[value.buffer] = state
            by_host = _is_there(value) or value.size > LARGEST
        if not by_host:
            self._ask(record, what, is_gradient, value)
            return
        self.settle()
        finding = find(value, self.check_nan, self.check_inf)
        if finding is not None:
            shape, dtype = values.shape_of(value), values.dtype_of(value) or type(value)
            raise self._report(_origin(record), what, shape, dtype, finding)

    def _ask(self, record: Record, what: str, is_gradient: bool, value: Any) -> None:
        queue = value.queue
        census = self._censuses.get(queue)
        if census is None:
            census = self._censuses[queue] = Census(queue)
        distinct = _distinct(value)
        ticket = census.ask(distinct if distinct.is_contiguous else distinct.clone())
        look = _Look(_origin(record), what, is_gradient, value.shape, value.dtype, distinct.shape, ticket)
        self._waiting.append(look)
        self._thread = get_ident()
        queue.watchers.add(self._host_waited)

    def _report(self, origin: _Origin, what: str, shape: tuple[int, ...], dtype: Any, finding: Finding) -> AnomalyError:
        self._clean.clear()
        self._forget()
        index = tuple(int(i) for i in np.unravel_index(finding.first, shape)) if shape else ()
        return AnomalyError(
            f"Anomaly detected: {origin.name} produced {_kind(finding.value)} in {what} at index {index} "
            f"(shape {shape}, dtype {_dtype_text(dtype)}; "
            f"{finding.nan_count} NaN, {finding.inf_count} Inf of {max(1, math.prod(shape))})\n{_story(origin)}"
        )


class detect_anomaly:  # noqa: N801  (a context is called like a function)
    """Look for NaN and Inf in this thread inside a `with` block; `check_forward` looks at results of ops as well.

    A gradient is reported by its backward, a result when the host next waits for the device, at the end of the block
    at the latest; results that are there already are reported by the op itself.
    """

    def __init__(self, check_nan: bool = True, check_inf: bool = True, check_forward: bool = False) -> None:
        self._checks = Checks(check_nan, check_inf, check_forward)
        self._before: list[Any] = []

    def __enter__(self) -> None:
        self._before.append(LOCAL.state.anomaly)
        LOCAL.state.anomaly = self._checks

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        LOCAL.state.anomaly = self._before.pop()
        self._checks.__exit__(kind, error, trace)


class set_detect_anomaly:  # noqa: N801
    """Switch anomaly mode on or off in this thread, at the call; a `with` block gives the earlier mode back."""

    def __init__(self, mode: bool, check_nan: bool = True, check_inf: bool = True, check_forward: bool = False) -> None:
        self._before = LOCAL.state.anomaly
        LOCAL.state.anomaly = Checks(check_nan, check_inf, check_forward) if mode else None
        if self._before is not None:
            self._before.settle()

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        mine, LOCAL.state.anomaly = LOCAL.state.anomaly, self._before
        if mine is not None:
            mine.__exit__(kind, error, trace)


def find(value: Any, check_nan: bool = True, check_inf: bool = True) -> Finding | None:
    """Return what NaN and Inf a value has; None if there are none, and for values that cannot have any."""
    value = value.value if isinstance(value, Node) else value
    if isinstance(value, float):
        bad = (check_nan and math.isnan(value)) or (check_inf and math.isinf(value))
        return Finding(int(math.isnan(value)), int(math.isinf(value)), 0, value) if bad else None
    if isinstance(value, np.ndarray):
        return scan(value, check_nan, check_inf)
    if not values.is_device_tensor(value) or not core.dtypes.is_float(value.dtype):
        return None
    return scan(readable(value), check_nan, check_inf)


def _finding(counts: Counts, look: _Look, check_nan: bool, check_inf: bool) -> Finding | None:
    """What was counted in the elements of a value that the device went through, as of all that it shows."""
    places = [
        (place, number)
        for place, number, wanted in ((counts.first_nan, math.nan, check_nan), (counts.first_inf, math.inf, check_inf))
        if place is not None and wanted
    ]
    if not places:
        return None
    place, number = min(places)
    times = math.prod(look.shape) // math.prod(look.asked)
    first = np.ravel_multi_index(np.unravel_index(place, look.asked), look.shape) if look.shape else 0
    return Finding(times * counts.nan_count, times * counts.inf_count, int(first), number)


def _is_there(value: Any) -> bool:
    """Whether the host can read a tensor where it is, without waiting."""
    return value.buffer.host is not None and value.dtype is not core.bfloat16 and value.queue.main.is_idle


def _distinct(value: Any) -> Any:
    """The elements of a tensor, those that a broadcast view shows many times once."""
    if 0 not in value.strides:
        return value
    shape = tuple([1 if stride == 0 else length for length, stride in zip(value.shape, value.strides, strict=True)])
    return value.alias(shape, value.strides, value.offset)


def _dtype_text(dtype: Any) -> str:
    return dtype.__name__ if isinstance(dtype, type) else core.dtypes.name_of(dtype)


def _kind(value: float) -> str:
    return "NaN" if math.isnan(value) else "Inf"


def _origin(record: Record) -> _Origin:
    return _Origin(record.name, record.sequence_nr, record._extra, record._info)


def _said(extra: Any, info: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """What an op said of itself."""
    return (extra and extra.metadata) or info or {}


def _story(origin: _Origin) -> str:
    """Where an op was called: the lines of its creation, and of the backward that made it."""
    extra = origin.extra
    lines = [f"{origin.name} was called here:"]
    if extra is None or extra.stack is None:
        lines.append("  (not known: it was called outside anomaly mode)\n")
    else:
        lines += as_text(extra.stack)
    declared = _said(extra, origin.info).get("declared_at")
    if declared:
        lines.append(f"it is declared at {declared}\n")
    creator = extra and extra.creator
    if creator:
        lines += [f"in the backward of {creator.name}, which was called here:", *(creator.creation_trace or [])]
    return "\n".join(line.rstrip("\n") for line in lines)
