"""Exact counts of what the runtime did, for tests and for benchmarks that must not depend on a clock.

One process has one set of counts. `x.n += 1` on a plain attribute is a single uninterrupted step of CPython with
the global interpreter lock (no call and no loop lies inside it), so the counts are exact under threads as well.
"""

from __future__ import annotations

NAMES = (
    "programs_built",  # programs compiled from source
    "programs_loaded",  # programs loaded from the disk cache
    "kernels_compiled",  # first launches of a kernel form that no cached binary held
    "kernels_launched",
    "allocations",  # buffers handed out
    "bytes_allocated",  # bytes handed out, as asked for
    "driver_allocations",  # buffers that the pool did not have and the driver made
    "finishes",  # times the host waited for a queue
    "bytes_to_host",
    "bytes_from_host",
)


class Counters:
    """The counts, and the bytes that live buffers hold now (`live_bytes`) and held at most (`peak_bytes`)."""

    __slots__ = (*NAMES, "live_bytes", "peak_bytes")

    def __init__(self) -> None:
        for name in self.__slots__:
            setattr(self, name, 0)

    programs_built: int
    programs_loaded: int
    kernels_compiled: int
    kernels_launched: int
    allocations: int
    bytes_allocated: int
    driver_allocations: int
    finishes: int
    bytes_to_host: int
    bytes_from_host: int
    live_bytes: int
    peak_bytes: int


total = Counters()


def counters() -> dict[str, int]:
    """All counts of this process as a dictionary; subtract two of them to see what happened between."""
    return {name: getattr(total, name) for name in NAMES}
