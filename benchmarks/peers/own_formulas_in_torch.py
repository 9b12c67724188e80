"""The programs of benchmarks/own_formulas.py in PyTorch: a transform of its own, or a composition of its ops."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from benchmarks.own_formulas import CHANNELS, FEATURES, FILTERS, IMAGES, SIZE, VERTICES, edges, places
from torch.nn import functional

Step = Callable[[], object]


def variable(*shape: int, seed: int = 0) -> torch.Tensor:
    numbers = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    return torch.from_numpy(numbers).requires_grad_()


def spectrum_16384x512() -> Step:
    x, window = variable(16_384), torch.from_numpy(np.hanning(512).astype(np.float32))

    def step() -> object:
        found = torch.stft(x, 512, 128, window=window, center=False, return_complex=True)
        return torch.autograd.grad((found.real**2 + found.imag**2).sum(), [x])

    return step


def messages_80000x32() -> Step:
    x = variable(VERTICES, FEATURES)
    source, target = (torch.from_numpy(each) for each in edges())

    def step() -> object:
        counts = torch.zeros(VERTICES).index_add(0, target, torch.ones(len(target))).clamp(min=1)
        found = torch.zeros(VERTICES, FEATURES).index_add(0, target, x[source]) / counts[:, None]
        return torch.autograd.grad((found**2).sum(), [x])

    return step


def deformed_4x16x32x32() -> Step:
    x, w = variable(IMAGES, CHANNELS, SIZE, SIZE), variable(FILTERS, CHANNELS, 9, seed=1)
    to_i, to_j = (torch.from_numpy(each).requires_grad_() for each in places())

    def step() -> object:
        grid = torch.stack([to_j, to_i], -1) * (2 / (SIZE - 1)) - 1  # corners are aligned: -1 is place 0, 1 the last
        grid = grid.reshape(IMAGES, 9 * SIZE, SIZE, 2)
        sampled = functional.grid_sample(x, grid, padding_mode="zeros", align_corners=True)
        sampled = sampled.reshape(IMAGES, CHANNELS, 9, SIZE, SIZE)
        found = torch.einsum("ocr,ncrab->noab", w, sampled)
        return torch.autograd.grad(found.sum(), [x, w, to_i, to_j])

    return step


OWN: dict[str, Callable[[], Step]] = {
    "spectrum_16384x512": spectrum_16384x512,
    "messages_80000x32": messages_80000x32,
    "deformed_4x16x32x32": deformed_4x16x32x32,
}
