"""Every op beside numpy, in one run: `python benchmarks/against_numpy.py [OP…]`.

The two take turns, so that a machine whose speed drifts is the same to both; the median of the turns counts. Prints
nanoseconds per element of the largest array, and for matmul the rate that netcl reaches relative to numpy's. A call
that is slower than numpy's is measured with four times the elements, too: the price of each further one tells the work
from what every call costs.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from netcl import core, kernels

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.cases import Case, cases

ROUNDS = 9
PAUSE = 0.25  # seconds in which the threads of numpy's BLAS stop waiting for work, which they do on a core of their own
LARGER = 4  # times as many elements, for calls that are slower than numpy's
CALLS = 40  # netcl queues its work: a turn is so many calls at least, and one wait at the end
TURN = 0.01  # seconds that a turn takes at least: in less, what the other has left in the caches counts


def main(*ops: str) -> None:
    try:
        names = [kernels.catalogue[name].name for name in ops] or sorted(op.name for op in kernels.catalogue)
    except core.NetclError as error:
        sys.exit(f"against_numpy: {error}")
    print(f"on {core.default_device().name}\n")
    print(f"{'op':24} {'numpy':>9} {'netcl':>9}  netcl / numpy   (ns per element)")
    slower: list[str] = []
    compared: set[str] = set()
    rates: list[str] = []
    for case in cases(names):
        in_numpy, in_netcl = measure(case)
        compared.add(case.op)
        per_element = 1e9 / case.elements
        ratio = in_netcl / in_numpy
        print(f"{case.name:24} {in_numpy * per_element:9.3f} {in_netcl * per_element:9.3f}  {ratio:.2f}", flush=True)
        if case.op == "matmul":
            rates.append(f"{case.name}: {1 / ratio:.2f} of numpy's rate")
        elif ratio > 1:
            slower.append(f"{case.name} ({ratio:.2f}, {further(case, in_numpy, in_netcl)})")
    print(f"\ncalls slower than numpy: {', '.join(slower) or 'none'}")
    print(f"without a counterpart in numpy: {', '.join(sorted(set(names) - compared)) or 'none'}")
    print("\n".join(rates))


def further(case: Case, in_numpy: float, in_netcl: float) -> str:
    """What more elements than those of `case`, which took so many seconds, cost relative to numpy."""
    more_in_numpy, more_in_netcl = measure(case.larger(LARGER))
    if more_in_numpy < 2 * in_numpy:
        return "which does not read all elements"
    return f"each further element {(more_in_netcl - in_netcl) / (more_in_numpy - in_numpy):.2f}"


def measure(case: Case) -> tuple[float, float]:
    """Median seconds of a call in numpy and in netcl."""
    op = getattr(kernels.ops, case.op)
    arrays, tensors = case.given(), case.tensors()

    def in_netcl(calls: int) -> None:
        for _ in range(calls):
            op(*tensors, **case.attributes)
        core.synchronize()

    def in_numpy(calls: int) -> None:
        for _ in range(calls):
            case.in_numpy(*arrays)

    in_netcl(CALLS)
    calls = max(CALLS, round(TURN / seconds(in_numpy, CALLS)))
    turns = [(seconds(in_numpy, calls), seconds(in_netcl, calls, after=PAUSE)) for _ in range(ROUNDS)]
    numpy_time, netcl_time = (statistics.median(turn[which] for turn in turns) for which in (0, 1))
    return numpy_time, netcl_time


def seconds(run: Callable[[int], None], calls: int, after: float = 0.0) -> float:
    """Seconds of a call, when as many before it have given the caches what it needs and the core its speed."""
    time.sleep(after)
    run(calls)
    start = time.perf_counter()
    run(calls)
    return (time.perf_counter() - start) / calls


if __name__ == "__main__":
    main(*sys.argv[1:])
