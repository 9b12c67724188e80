"""Anomaly mode: say where a NaN or an Inf came from.

While it is on in a thread, each record keeps the stack that made it, and each gradient is looked through as soon as it
is there. The report names the op, which gradient, where in it, how many, the user's line that made the node, and the
declaration of the derivative if the op says where it is (`declared_at` in its metadata). Values in memory that the
device shares are read where they are; others come to the host block by block.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Sequence
from types import TracebackType
from typing import Any

import numpy as np

from netcl import core
from netcl.autograd import values
from netcl.autograd.frames import user_stack
from netcl.autograd.node import Node, unwrap
from netcl.autograd.record import Record
from netcl.autograd.scan import Finding, scan
from netcl.autograd.state import LOCAL
from netcl.core.errors import NetclError

__all__ = ["AnomalyError", "detect_anomaly", "set_detect_anomaly"]

_BLOCK = 1 << 22  # elements that come to the host at a time


class AnomalyError(NetclError, RuntimeError):
    """A NaN or Inf was found in anomaly mode."""

    code = "anomaly"


class Checks:
    """What anomaly mode looks for in one thread."""

    def __init__(self, check_nan: bool = True, check_inf: bool = True, check_forward: bool = False) -> None:
        self.check_nan = check_nan
        self.check_inf = check_inf
        self.check_forward = check_forward
        # Buffer -> the view and version of it that was found clean last: many rules hand on what they were given.
        self._clean: weakref.WeakKeyDictionary[Any, tuple[Any, ...]] = weakref.WeakKeyDictionary()

    def created(self, record: Record, result: Any) -> None:
        """Keep the stack of a new record, and which record's backward made it; look at the result if asked to."""
        extra = record.extra
        extra.stack = user_stack()
        run = LOCAL.state.run
        extra.creator = None if run is None else run.record
        if self.check_forward:
            outputs = result if isinstance(result, tuple) else (result,)
            for index, output in enumerate(outputs):
                self._look(record, f"output {index}", output)

    def produced(self, record: Record, needs: Sequence[bool], gradients: Sequence[Any]) -> None:
        """Look through the input gradients of a record."""
        for index, gradient in enumerate(gradients):
            if gradient is not None and needs[index]:
                self._look(record, f"the gradient of operand {index}", unwrap(gradient))

    def failed(self, error: BaseException, record: Record) -> None:
        """Add to an error in backward where the op was called."""
        if not isinstance(error, AnomalyError):
            text = _origin(record)
            if hasattr(error, "add_note"):
                error.add_note(text)
            else:
                error.__notes__ = [*getattr(error, "__notes__", []), text]  # type: ignore[attr-defined]

    def _look(self, record: Record, what: str, value: Any) -> None:
        if not (self.check_nan or self.check_inf):
            return
        state = None
        if values.is_device_tensor(value):
            state = (value.version, value.offset, value.shape, value.strides)
            if self._clean.get(value.buffer) == state:
                return
        finding = find(value, self.check_nan, self.check_inf)
        if finding is None:
            if state is not None:
                self._clean[value.buffer] = state
        else:
            shape = values.shape_of(value)
            index = tuple(int(i) for i in np.unravel_index(finding.first, shape)) if shape else ()
            raise AnomalyError(
                f"Anomaly detected: {record.name} produced {_kind(finding.value)} in {what} at index {index} "
                f"(shape {shape}, dtype {values.dtype_of(value) or type(value).__name__}; "
                f"{finding.nan_count} NaN, {finding.inf_count} Inf of {max(1, math.prod(shape))})\n{_origin(record)}"
            )


class detect_anomaly:  # noqa: N801  (a context is called like a function)
    """Look for NaN and Inf in this thread inside a `with` block; `check_forward` looks at results of ops as well."""

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


class set_detect_anomaly:  # noqa: N801
    """Switch anomaly mode on or off in this thread, at the call; a `with` block gives the earlier mode back."""

    def __init__(self, mode: bool, check_nan: bool = True, check_inf: bool = True, check_forward: bool = False) -> None:
        self._before = LOCAL.state.anomaly
        LOCAL.state.anomaly = Checks(check_nan, check_inf, check_forward) if mode else None

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        LOCAL.state.anomaly = self._before


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
    view = core.host_view(value)
    if view is not None:
        return scan(view, check_nan, check_inf)
    if not value.is_contiguous or value.size <= _BLOCK:
        return scan(value.to_host(), check_nan, check_inf)
    return _find_in_blocks(value, check_nan, check_inf)


def _find_in_blocks(value: Any, check_nan: bool, check_inf: bool) -> Finding | None:
    nan_count = inf_count = 0
    first: tuple[int, float] | None = None
    for start in range(0, value.size, _BLOCK):
        block = value.alias((min(_BLOCK, value.size - start),), (1,), value.offset + start)
        finding = scan(block.to_host(), check_nan, check_inf)
        if finding is not None:
            nan_count += finding.nan_count
            inf_count += finding.inf_count
            first = first or (start + finding.first, finding.value)
    return None if first is None else Finding(nan_count, inf_count, *first)


def _kind(value: float) -> str:
    return "NaN" if math.isnan(value) else "Inf"


def _origin(record: Record) -> str:
    """Where an op was called: the lines of its creation, and of the backward that made it."""
    lines = [f"{record.name} was called here:"]
    lines += record.creation_trace or ["  (not known: it was called outside anomaly mode)\n"]
    declared = record.metadata.get("declared_at")
    if declared:
        lines.append(f"its derivative is declared at {declared}\n")
    creator = None if record._extra is None else record._extra.creator
    if creator is not None:
        lines += [f"in the backward of {creator.name}, which was called here:", *(creator.creation_trace or [])]
    return "\n".join(line.rstrip("\n") for line in lines)
