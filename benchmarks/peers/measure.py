"""One turn of one library, for compare.py: `measure.py names LIBRARY` or `measure.py time LIBRARY PROGRAM SECONDS`."""

from __future__ import annotations

import importlib
import json
import statistics
import sys
import time
from collections.abc import Callable

LEAST_REPEATS = 5


def main(task: str, library: str, *rest: str) -> None:
    programs = importlib.import_module(f"benchmarks.peers.with_{library}").PROGRAMS
    if task == "names":
        print(json.dumps(list(programs)))
    else:
        program, seconds = rest
        print(median_time(programs[program](), float(seconds)))


def median_time(step: Callable[[], object], seconds: float) -> float:
    """The median in seconds over as many warm repeats as fit into the given time. A step that takes longer than that
    is done once more after the first."""
    step()
    again = timed(step)
    if again > seconds:
        return again
    step()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < LEAST_REPEATS or time.perf_counter() < end:
        times.append(timed(step))
    return statistics.median(times)


def timed(step: Callable[[], object]) -> float:
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


if __name__ == "__main__":
    main(*sys.argv[1:])
