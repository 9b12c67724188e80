"""The programs over pairs of points in PyKeOps (lazy tensors of PyTorch), on the CPU."""

from __future__ import annotations

from collections.abc import Callable

import torch
from benchmarks.peers.with_torch import Step, constant, variable
from pykeops.torch import LazyTensor


def gaussian_kernel_sum(points: int) -> Step:
    x, z, b = variable(points, 3), constant(points, 3, seed=1), constant(points, 3, seed=2)
    seed = constant(points, 3, seed=3)

    def step() -> object:
        r2 = ((LazyTensor(x[:, None, :]) - LazyTensor(z[None, :, :])) ** 2).sum(-1)
        return torch.autograd.grad((-r2).exp() @ b, [x], [seed])

    return step


PROGRAMS: dict[str, Callable[[], Step]] = {
    "gaussian_kernel_sum_20000": lambda: gaussian_kernel_sum(20_000),
}
