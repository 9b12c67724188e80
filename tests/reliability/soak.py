"""A loop whose shapes never come again: memory must not grow with it.

    python tests/reliability/soak.py 600

Each turn runs, with gradients and in ever new shapes, an elementwise program, matrix products with a softmax, a
convolution, writes into tensors and a traced function. After a warm-up, in which memos fill and the pool gets a block
of each size, the resident memory of the process stays as it is.
"""

from __future__ import annotations

import gc
import logging
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np

from netcl import autograd as ag
from netcl import core

WARM_UP = 0.4
"""The part of the time that is not measured."""


def main(seconds: float = 600) -> float:
    """Run for so long, and print the resident memory as it goes. Returns by which part it grew after the warm-up."""
    logging.getLogger("netcl").setLevel(logging.ERROR)  # that shapes keep changing is known here
    begin = time.monotonic()
    measured: list[tuple[float, float]] = []
    shown = 0.0
    for turns, shape in enumerate(shapes()):
        turn(*shape)
        now = time.monotonic() - begin
        if now >= shown or now >= seconds:
            core.synchronize()
            gc.collect()
            measured.append((now, resident_mib()))
            pool, built = core.memory_stats()["pool_bytes"] / 2**20, core.counters()["programs_built"]
            print(
                f"{now:6.0f} s  {turns + 1:7d} turns  {measured[-1][1]:7.1f} MiB, of which {pool:.1f} in the pool; "
                f"{built} programs built",
                flush=True,
            )
            shown = now + seconds / 20
        if now >= seconds:
            break
    after = [each for at, each in measured if at >= WARM_UP * seconds]
    half = len(after) // 2
    growth = max(after[half:]) / max(after[:half] or after) - 1
    print(f"growth after the warm-up: {growth:+.2%}")
    for name, found in core.cache_stats().items():
        if found["made"]:
            print(f"  {name}: {found}")
    return growth


def shapes() -> Iterator[tuple[int, int, int]]:
    """Sizes that hardly ever come again; always the same ones."""
    random = Random(0)
    while True:
        yield random.randrange(2, 20000), random.randrange(2, 300), random.randrange(6, 40)


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
