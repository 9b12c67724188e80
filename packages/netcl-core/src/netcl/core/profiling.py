"""Kernel times, as the device's own clock has them.

    with core.profile() as profile:
        ...
    print(profile)                  # a row per kernel: calls, total, mean, share
    profile.save("trace.json")      # for chrome://tracing, ui.perfetto.dev or speedscope

The queues that there are get an OpenCL queue with profiling for the length of the block, which makes launches about a
fifth slower; outside of it nothing is measured and nothing is slower. Copies and fills by the driver are not kernels.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from netcl.core import guards
from netcl.core.errors import DeviceError
from netcl.core.queue import default_queue

if TYPE_CHECKING:
    from netcl.core.queue import Queue


@dataclass(frozen=True)
class Launched:
    """One launch of a kernel: where it ran, and when it started and ended in ns of the device's clock."""

    name: str
    device: str
    global_size: tuple[int, ...]
    start: int
    end: int


@dataclass(frozen=True)
class KernelTime:
    """All launches of the kernels of one name, in milliseconds."""

    name: str
    calls: int
    total: float
    share: float  # of the time of all kernels

    @property
    def mean(self) -> float:
        """Milliseconds per launch."""
        return self.total / self.calls


class Profile:
    """The launches inside a `with` block, in the order of their start; complete when the block has ended."""

    def __init__(self) -> None:
        self.launches: list[Launched] = []
        self._events: list[tuple[str, str, tuple[int, ...], Any]] = []
        self._queues: list[Queue] = []

    @property
    def summary(self) -> list[KernelTime]:
        """The kernels by name, the most expensive first."""
        totals: dict[str, list[int]] = {}
        for launch in self.launches:
            totals.setdefault(launch.name, []).append(launch.end - launch.start)
        whole = sum(sum(times) for times in totals.values()) or 1
        rows = [KernelTime(name, len(ns), sum(ns) / 1e6, sum(ns) / whole) for name, ns in totals.items()]
        return sorted(rows, key=lambda row: (-row.total, row.name))

    def save(self, path: str | Path) -> Path:
        """Write the launches in the Trace Event Format, which browsers' trace viewers open; return the path."""
        origin = min((launch.start for launch in self.launches), default=0)
        devices = list(dict.fromkeys(launch.device for launch in self.launches))
        events: list[dict[str, Any]] = [
            {"ph": "M", "name": "thread_name", "pid": 0, "tid": number, "args": {"name": device}}
            for number, device in enumerate(devices)
        ]
        for launch in self.launches:
            events.append({
                "ph": "X", "cat": "kernel", "name": launch.name, "pid": 0, "tid": devices.index(launch.device),
                "ts": (launch.start - origin) / 1e3, "dur": (launch.end - launch.start) / 1e3,
                "args": {"global size": list(launch.global_size)},
            })  # fmt: skip
        path = Path(path)
        path.write_text(json.dumps({"displayTimeUnit": "ns", "traceEvents": events}), encoding="utf-8")
        return path

    def note(self, name: str, device: str, global_size: tuple[int, ...], event: Any) -> None:
        """Keep the event of a launch; called by the launches of a queue that is being profiled."""
        self._events.append((name, device, global_size, event))

    def __enter__(self) -> Profile:
        if any(queue.profile is not None for queue in guards.queues):
            raise DeviceError("profile: a profile is running already; end it before another one starts")
        self._queues = list(guards.queues) or [default_queue()]
        for queue in self._queues:
            queue.measure(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for queue in self._queues:
            queue.measure(None)
        for name, device, global_size, event in self._events:
            self.launches.append(Launched(name, device, global_size, *times(event)))
        self._events.clear()
        self.launches.sort(key=lambda launch: launch.start)

    def __str__(self) -> str:
        rows = self.summary
        width = max([len(row.name) for row in rows] + [len("kernel")])
        lines = [f"{'kernel':{width}}  {'calls':>8}  {'total ms':>10}  {'mean ms':>10}  {'share':>6}"]
        for row in rows:
            lines.append(f"{row.name:{width}}  {row.calls:8}  {row.total:10.3f}  {row.mean:10.4f}  {row.share:6.1%}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """In a notebook: the same table."""
        from netcl.core.html import safely

        return safely(_html, self)


def _html(profile: Profile) -> str:
    from netcl.core.html import heading, joined, table

    rows = profile.summary
    total = sum(row.total for row in rows)
    facts = [f"{len(profile.launches):,} launches", f"{total:.3f} ms in kernels"]
    cells = [(row.name, f"{row.calls:,}", f"{row.total:.3f}", f"{row.mean:.4f}", f"{row.share:.1%}") for row in rows]
    columns = ("kernel", "calls", "total ms", "mean ms", "share")
    return joined(heading("Profile", *facts), table(columns, cells) if rows else "")


def profile() -> Profile:
    """Return a profile, to be entered with `with`. Raises DeviceError if another one is running."""
    return Profile()


def times(event: Any) -> tuple[int, int]:
    """Start and end of what an event stands for, which has ended."""
    return event.profile.start, event.profile.end
