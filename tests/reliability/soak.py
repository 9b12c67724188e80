"""A loop whose shapes never come again: memory must not grow with it.

    python tests/reliability/soak.py 600

Each turn runs, with gradients and in ever new shapes, an elementwise program, matrix products with a softmax, a
convolution, writes into tensors and a traced function. After a warm-up, in which memos fill, the pool gets a block of
each size and programs are compiled, the resident memory of the process stays as it is. Little is remembered
(NETCL_REMEMBER), so that what is forgotten is looked at soon.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np

os.environ.setdefault("NETCL_REMEMBER", "512")  # read when it is first asked for

from netcl import autograd as ag
from netcl import core

WARM_UP = 3000
"""So many turns are not measured."""


def main(seconds: float = 600) -> float:
    """Run for so long after the warm-up, and print the resident memory. Returns by which part it grew at most."""
    logging.getLogger("netcl").setLevel(logging.ERROR)  # that shapes keep changing is known here
    core.default_queue().program(f"__kernel void of_{time.time_ns()}() {{}}")  # the driver's compiler is there for good
    sizes = shapes()
    for _ in range(WARM_UP):
        turn(*next(sizes))
    begin = shown = time.monotonic()
    measured: list[float] = []
    turns = 0
    while shown - begin <= seconds:
        if time.monotonic() >= shown:
            measured.append(seen(time.monotonic() - begin, turns))
            shown += seconds / 20
        turn(*next(sizes))
        turns += 1
    growth = max(measured) / measured[0] - 1
    for name, found in core.cache_stats().items():
        if found["made"]:
            print(f"  {name}: {found}")
    print(f"{turns} turns in {seconds:.0f} s after a warm-up of {WARM_UP}: the process grew by {growth:+.2%} at most")
    return growth


def seen(now: float, turns: int) -> float:
    """The resident memory, printed with what of it is free in the pool."""
    core.synchronize()
    gc.collect()
    resident, pool = resident_mib(), core.memory_stats()["pool_bytes"] / 2**20
    built = core.counters()["programs_built"]
    print(f"{now:6.0f} s  {turns:7d} turns  {resident:7.1f} MiB, {pool:.1f} in the pool; {built} built", flush=True)
    return resident


def shapes() -> Iterator[tuple[int, int, int]]:
    """Sizes that hardly ever come again; always the same ones. They are not among the smallest, of which the compiler
    makes many kernels: the driver keeps a megabyte for each that it compiles, which would hide the rest."""
    random = Random(0)
    while True:
        yield random.randrange(1000, 20000), random.randrange(64, 300), random.randrange(16, 40)


def turn(n: int, rows: int, side: int) -> None:
    """One of everything in sizes that follow from these."""
    x, y = leaf(n), leaf(n)
    ag.sum(ag.tanh(x * y) + ag.exp(-x * x) / (1 + ag.abs(y))).backward()
    a, b = leaf(rows, side + 3), leaf(side + 3, side)
    ag.sum(ag.softmax(a @ b) * 0.5).backward()
    image, window = leaf(2, 3, side, side + rows % 7), leaf(4, 3, 3, 3)
    ag.mean(ag.relu(ag.conv2d(image, window))).backward()
    with ag.no_grad():
        x.value.add_(y.value)
        ag.mul(x.value, 2.0, out=y.value)
    traced(x, y).backward()


@ag.jit
def traced(x: ag.Node, y: ag.Node) -> ag.Node:
    return ag.mean(ag.sigmoid(x) * y + ag.sqrt(x * x + 1))


def leaf(*shape: int) -> ag.Node:
    return ag.tensor(np.full(shape, 0.5, np.float32), requires_grad=True)


def resident_mib() -> float:
    """The memory of this process that is there, from Linux."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 2**20


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 600) > 0.02)
