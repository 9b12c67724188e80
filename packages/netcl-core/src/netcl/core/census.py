"""Counting NaN and Inf on the device, in the queue, without a wait for each tensor.

Input: tensors of floats, one after another (`Census.ask`). Output: for each of them how many NaN and Inf it has and
where the first of each stands (`Census.answer`), read for many tensors with one wait. Nothing of a tensor is kept, so
that it may be overwritten as soon as it was asked about.

The kernel is written by hand (`census.cl`): it goes through blocks by the largest of their bits, at the speed of
memory, and looks at single elements only in a block that has something to count. The language of netcl-kernels has no
such step.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from netcl.core import dtypes
from netcl.core.arenas import keep
from netcl.core.creation import zeros
from netcl.core.queue import Queue
from netcl.core.tensor import Tensor
from netcl.core.transfer import readable

_ANSWERS = 64  # in one tensor, which is read at once
LARGEST = 2**31 - 1
_INLINE = 1 << 14  # elements that one core goes through in less time than it takes to wake another
_BITS = {
    "float16": ("ushort", "0x7FFF", "0x7C00"),
    "bfloat16": ("ushort", "0x7FFF", "0x7F80"),
    "float32": ("uint", "0x7FFFFFFF", "0x7F800000"),
    "float64": ("ulong", "0x7FFFFFFFFFFFFFFF", "0x7FF0000000000000"),
}
"""Dtype -> its bits as an integer type, all of them but the sign, and those of infinity: NaN lies above."""

_SHARES = {"cpu": (8, 1 << 14), "gpu": (1 << 15, 1)}
"""Device class -> work-items, and elements in a row that one of them goes through."""


class Counts(NamedTuple):
    """What a tensor has of NaN and Inf; flat positions, None where there is none."""

    nan_count: int
    inf_count: int
    first_nan: int | None
    first_inf: int | None


class Census:
    """Asks a queue's device about tensors."""

    def __init__(self, queue: Queue) -> None:
        self.queue = queue
        self._found: Tensor | None = None
        self._used = 0

    def ask(self, tensor: Tensor) -> Ticket:
        """Have a contiguous tensor of at most `LARGEST` floats gone through. Does not wait."""
        if self._found is None or self._used == _ANSWERS:
            self._found, self._used = keep(zeros((_ANSWERS, 4), dtypes.int32, self.queue)), 0
        slot, self._used = self._used, self._used + 1
        queue = self.queue
        is_small = tensor.size <= _INLINE and queue.inline is not None and queue.main.is_idle
        stream = queue.inline if is_small and queue.inline is not None else queue.main
        items, _ = _SHARES[queue.device.device_class]
        if tensor.size:
            kernel = stream.program(_source(dtypes.name_of(tensor.dtype), queue.device.device_class)).kernel(
                "census", (None, np.int64, np.int64, None, np.int32)
            )
            numbers = (tensor.buffer.cl, tensor.offset, tensor.size, self._found.buffer.cl, slot)
            kernel.launch((items,), (1,) if items < 64 else None, numbers)
        return Ticket(self._found, slot)


class Ticket(NamedTuple):
    """Where the answer for one tensor will be."""

    found: Tensor
    slot: int


def answers(tickets: list[Ticket]) -> list[Counts]:
    """What was found, for each ticket. Waits for the device."""
    tensors = {id(ticket.found): ticket.found for ticket in tickets}
    read = {key: readable(found).tolist() for key, found in tensors.items()}
    counts = []
    for ticket in tickets:
        nans, infs, nan, inf = read[id(ticket.found)][ticket.slot]
        counts.append(Counts(nans, infs, LARGEST - nan if nans else None, LARGEST - inf if infs else None))
    return counts


@cache
def _source(dtype: str, device_class: str) -> str:
    bits, all_bits, infinite = _BITS[dtype]
    names = {
        "BITS": bits,
        "ALL": all_bits,
        "INFINITE": infinite,
        "BLOCK": _SHARES[device_class][1],
        "LARGEST": LARGEST,
    }
    kernel = Path(__file__).with_name("census.cl").read_text(encoding="utf-8")
    return "".join(f"#define {name} {value}\n" for name, value in names.items()) + kernel
