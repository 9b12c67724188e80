"""A card beside its memory: `python benchmarks/cards.py [--small]`, or `nox -s gpu -- --measure`.

Each line is one kind of work: the time of a call, what it moves at least per second (each operand and result once) as a
share of the rate at which this device copies memory, and its operations per second. Pointwise work, softmax and layer
norm should come near the copy; matrix products and sums over pairs are about operations. With `--small` the sizes are
those of a test: the script is tried with them where there is no card.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from netcl import autograd as ag
from netcl import core, kernels
from netcl.kernels.tools.measuring import seconds_of

ROUND = 0.1  # seconds that one round of calls takes at least: a card is quick, and waiting for it is not


@dataclass(frozen=True)
class Work:
    """`run` is one call; the bytes that it has to move, and the operations on floats that it has to do."""

    name: str
    run: Callable[[], Any]
    nbytes: int
    operations: int


@dataclass(frozen=True)
class Sizes:
    """The side of matrices, rows of 1,024 values, elements of pointwise work and of a copy, points."""

    side: int = 4096
    rows: int = 1 << 15
    elements: int = 1 << 26
    points: int = 100_000


SMALL = Sizes(side=128, rows=128, elements=1 << 16, points=512)
WIDTH = 1024


def drawn(*shape: int) -> core.Tensor:
    return core.from_host(np.random.default_rng(0).random(shape, dtype=np.float32))


def works(sizes: Sizes) -> Iterator[Work]:
    """All that is measured, one after the other: each has its tensors to itself."""
    ops = kernels.ops
    a, b = drawn(sizes.side, sizes.side), drawn(sizes.side, sizes.side)
    yield Work(f"matmul {sizes.side}", lambda: ops.matmul(a, b), 3 * a.nbytes, 2 * sizes.side**3)
    rows, weight, bias = drawn(sizes.rows, WIDTH), drawn(WIDTH), drawn(WIDTH)
    count = sizes.rows * WIDTH
    yield Work(f"softmax {sizes.rows}x{WIDTH}", lambda: ops.softmax(rows), 2 * rows.nbytes, 4 * count)
    yield Work(
        f"layer_norm {sizes.rows}x{WIDTH}", lambda: ops.layer_norm(rows, weight, bias), 2 * rows.nbytes, 8 * count
    )
    yield chain(sizes.elements)
    x, z, w = drawn(sizes.points, 3), drawn(sizes.points, 3), drawn(sizes.points, 1)
    pairs = sizes.points**2
    yield Work(f"kernel sum of {sizes.points}", lambda: ops.gaussian_kernel_sum(x, z, w), 8 * x.nbytes // 3, 12 * pairs)


def chain(elements: int) -> Work:
    """tanh(x w) x + b and its gradients by x and w: three operands and a result, then those, dy and two gradients."""
    x, w = (ag.tensor(drawn(elements), requires_grad=True) for _ in range(2))
    bias, dy = drawn(elements), drawn(elements)

    def run() -> Any:
        return ag.grad(ag.tanh(x * w) * x + bias, [x, w], grad_outputs=dy)

    return Work(f"pointwise, with gradients, of {elements}", run, 9 * 4 * elements, 14 * elements)


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="sizes of a test")
    arguments = parser.parse_args(argv)
    sizes, least = (SMALL, 0.0) if arguments.small else (Sizes(), ROUND)
    device = core.default_device()
    source = drawn(sizes.elements)
    copying = 2 * source.nbytes / seconds_of(lambda: kernels.ops.clone(source), least)
    print(f"on {device.name} ({device.device_class}); it copies {copying / 1e9:.1f} GB/s")
    print(f"{'':44} {'time':>11} {'moved':>13} {'of copying':>11} {'operations':>17}")
    for work in works(sizes):
        taken = seconds_of(work.run, least)
        rate = work.nbytes / taken
        print(
            f"{work.name:44} {taken * 1e3:8.3f} ms {rate / 1e9:8.3g} GB/s {rate / copying:11.2f} "
            f"{work.operations / taken / 1e9:10.3g} GFLOP/s",
            flush=True,
        )


if __name__ == "__main__":
    main()
