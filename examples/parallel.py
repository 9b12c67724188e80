"""Fit a line on several ranks: `mpiexec -n 2 python examples/parallel.py`.

Each rank sees its own share of the points; the weights are the same on all of them after every step.
"""

from __future__ import annotations

import numpy as np

from netcl import autograd as ag


def main() -> None:
    """Train, and print the line from rank 0."""
    slope = ag.tensor([0.0], requires_grad=True)
    offset = ag.tensor([0.0], requires_grad=True)
    parallel = ag.DataParallel([slope, offset])
    optimizer = ag.optim.SGD([slope, offset], lr=0.5)

    points = np.linspace(0, 1, 64, dtype=np.float32)
    mine = points[parallel.rank :: parallel.size]
    x, y = ag.tensor(mine), ag.tensor(3 * mine + 1)
    for _ in range(200):
        optimizer.zero_grad()
        ag.mse_loss(slope * x + offset, y).backward()
        optimizer.step()
    if parallel.rank == 0:
        print(f"y = {slope.item():.2f} x + {offset.item():.2f} on {parallel.size} ranks")


if __name__ == "__main__":
    main()
