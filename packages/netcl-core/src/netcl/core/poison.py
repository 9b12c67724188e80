"""Memory that is handed out unwritten is filled with what no result can be mistaken for: NETCL_POISON.

A kernel that reads what nobody has written then gives NaN, or a number that nobody would choose, every time, instead
of what happened to lie there.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from netcl.core.blocks import Buffer
from netcl.core.stream import Stream

PATTERN = np.uint16(0xFFF1)
"""NaN as float16, bfloat16, float32 and float64; -917519 as int32; 241 and 255 as uint8, and as bool."""


def poisoned(allocate: Callable[[int], Buffer], stream: Stream) -> Callable[[int], Buffer]:
    """The same `allocate(nbytes)`, with the whole block poisoned before anything that is queued later uses it."""

    def allocate_poisoned(nbytes: int) -> Buffer:
        buffer = allocate(nbytes)
        (block,) = buffer.__del__.args
        if block.host is not None and stream.is_idle:
            block.host.view(np.uint16)[:] = PATTERN
        else:
            stream.fill(block.cl, PATTERN, block.size)
        return buffer

    return allocate_poisoned
