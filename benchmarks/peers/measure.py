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
    """The median in seconds over as many warm repeats as fit into the given time."""
    for _ in range(3):
        step()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < LEAST_REPEATS or time.perf_counter() < end:
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


if __name__ == "__main__":
    main(*sys.argv[1:])
