"""Gaussian-process regression ("kriging") of a mountain range from 20,000 noisy measurements of height.

The kernel matrix has 400 million entries and is never stored: its product with a vector is an op, a sum over pairs.
Conjugate gradients solve (K + noise I) a = heights, and an `ag.Function` gives that solution its derivative, by the
implicit function theorem: one more solve with the same matrix. So the length scales and the noise are fitted by
descending the squared error at measurements that were left out.

Rasmussen and Williams, Gaussian Processes for Machine Learning (2006), chapters 2 and 5; the heights, in matplotlib's
sample data, are those around Jacksboro, Tennessee, by the US Geological Survey.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import cbook
from matplotlib.colors import LightSource
from numpy.typing import NDArray
from rich.progress import track
from scipy.interpolate import LinearNDInterpolator
from scipy.linalg import solve
from scipy.optimize import approx_fprime
from scipy.spatial.distance import cdist
from shown import figure, options, save

from netcl import autograd as ag
from netcl import core, kernels

NOISE = 10.0  # metres
Floats = NDArray[np.float32]
Tensor = core.Tensor

gp = kernels.compile('''
"""Product of the matrix exp(-|(x - z) / scale|^2 / 2), a row for each x and a column for each z, with v."""
op kernel_times(x[i, d]: float, z[j, d]: float, scale[d]: float, v[j]: float) -> y[i] {
    distance[i, j] = sum[d](((x - z) / scale) ^ 2);
    y = sum[j](exp(-distance / 2) * v);
}
''')


@ag.jit
def iterate(
    points: Tensor, scale: Tensor, noise: Tensor, a: Tensor, residual: Tensor, direction: Tensor
) -> tuple[Tensor, ...]:
    """One step of conjugate gradients, and the square of the residual after it."""
    product = gp.kernel_times(points, points, scale, direction) + noise * direction
    before = (residual * residual).sum()
    length = before / (direction * product).sum()
    residual, a = residual - length * product, a + length * direction
    after = (residual * residual).sum()
    return a, residual, residual + after / before * direction, after


def conjugate_gradients(points: Tensor, scale: Tensor, noise: Tensor, b: Tensor) -> Tensor:
    """The a for which (K + noise I) a = b, to 1 part in 1,000."""
    state, goal = [core.zeros_like(b), b, b], 1e-6 * (b * b).sum().item()
    for k in range(500):
        *state, square = iterate(points, scale, noise, *state)
        if k % 5 == 0 and square.item() <= goal:
            return state[0]
    raise SystemExit("conjugate gradients did not converge")


class Solution(ag.Function):
    """The same with a gradient: if s solves it for the gradient of a, that of b is s, and that of the matrix -s a^T."""

    @staticmethod
    def forward(ctx: Any, points: Tensor, scale: Tensor, noise: Tensor, b: Tensor) -> Tensor:
        a = conjugate_gradients(points, scale, noise, b)
        ctx.save_for_backward(points, scale, noise, a)
        return a

    @staticmethod
    def backward(ctx: Any, da: Tensor) -> tuple[Tensor | None, ...]:
        points, scale, noise, a = ctx.saved_tensors
        s = conjugate_gradients(points, scale, noise, da)

        def product(scale: Tensor, noise: Tensor) -> Tensor:
            return -(s * (gp.kernel_times(points, points, scale, a) + noise * a)).sum()

        return None, *ag.grad(product, argnums=(0, 1))(scale, noise), s


def left_out_error(logs: ag.Node, points: Floats, heights: Floats) -> ag.Node:
    """The squared error at the last fifth of the points, from the others; `logs` are those of both scales and noise."""
    known = len(points) * 4 // 5
    x, z, y, due = map(core.from_host, (points[:known], points[known:], heights[:known], heights[known:]))
    scale, noise = ag.exp(logs[:2]), ag.exp(logs[2])
    return ag.mse_loss(gp.kernel_times(z, x, scale, Solution.apply(x, scale, noise, y)), due)


def dense_error(logs: Floats, points: Floats, heights: Floats) -> np.floating[Any]:
    """The same from the whole matrix, in float64."""
    known = len(points) * 4 // 5
    scaled = points / np.exp(logs[:2])
    matrix = np.exp(-cdist(scaled, scaled[:known], "sqeuclidean") / 2)
    a = solve(matrix[:known] + np.exp(logs[2]) * np.eye(known), heights[:known], assume_a="pos")
    return np.mean((matrix[known:] @ a - heights[known:]) ** 2)


def main() -> None:
    arguments = options(__doc__)
    window, count = ((86, 100), 1_000) if arguments.small else ((344, 403), 20_000)
    terrain: Any = cbook.get_sample_data("jacksboro_fault_dem.npz")
    truth = terrain["elevation"][: window[0], : window[1]].astype(np.float32)
    grid = np.moveaxis(np.indices(window, np.float32), 0, -1).reshape(-1, 2)
    rng = np.random.default_rng(0)
    chosen = rng.choice(truth.size, count, replace=False)
    points, measured = grid[chosen], truth.flat[chosen] + NOISE * rng.standard_normal(count).astype(np.float32)
    heights = (measured - measured.mean()) / measured.std()
    near = rng.permutation(np.argsort((points**2).sum(axis=1))[:2_500])  # a corner, as densely measured as the whole
    logs = ag.tensor(np.log(np.array([6, 6, 0.2], np.float32)), requires_grad=True)
    few = points[near[:600]], heights[near[:600]]
    left_out_error(logs, *few).backward()
    due = approx_fprime(logs.to_host(), dense_error, 1e-4, *few)
    assert logs.grad is not None
    off = np.linalg.norm(logs.grad.to_host() - due) / np.linalg.norm(due)
    print(f"gradient at 600 points: {off:.1e} from differences of the dense solution")

    optimizer = ag.optim.Adam([logs], lr=0.1)
    for _ in track(range(25), "fitting", disable=not sys.stderr.isatty()):
        optimizer.zero_grad()
        left_out_error(logs, points[near], heights[near]).backward()
        optimizer.step()
    *scale, noise = np.exp(logs.to_host())
    print(f"fitted scales: {scale[0]:.2f} and {scale[1]:.2f} cells, noise: {noise:.3f} of the variance")

    x, scale = core.from_host(points), core.from_host(np.array(scale))
    a = conjugate_gradients(x, scale, core.from_host(noise), core.from_host(heights))
    field = measured.mean() + measured.std() * gp.kernel_times(core.from_host(grid), x, scale, a).to_host()
    field = field.reshape(window)

    linear = LinearNDInterpolator(points, measured)(grid).reshape(window)
    new = np.isfinite(linear) & ~np.isin(np.arange(truth.size), chosen).reshape(window)
    error, other = (np.sqrt(np.mean((each - truth)[new] ** 2)) for each in (field, linear))
    draw(arguments.out, truth, field, points, measured)
    print(f"error at the other places: {error:.1f} m, linear interpolation {other:.1f} m, ratio {error / other:.2f}")
    if not (off < 0.02 and error < 0.95 * other):
        raise SystemExit("the gradient is wrong, or the process is no better than linear interpolation")


def draw(out: Path, truth: Floats, field: Floats, points: Floats, measured: Floats) -> None:
    picture = figure(8, 2.9)
    panels = picture.subplots(1, 3, sharex=True, sharey=True)
    colours = {"cmap": "gist_earth", "vmin": truth.min() - 250, "vmax": truth.max() + 100}
    dots = panels[0].scatter(*points.T[::-1], c=measured, s=2000 / len(points) + 0.15, linewidths=0, **colours)
    panels[0].set(title=f"{len(points):,} measurements", ylabel="south (cells)", xlim=(0, truth.shape[1] - 1))
    for axes, heights, title in (panels[1], field, "Gaussian process"), (panels[2], truth, "truth"):
        axes.imshow(LightSource(315, 40).shade(heights, dots.cmap, dots.norm, vert_exag=0.05, blend_mode="soft"))
        axes.set_title(title)
    for axes in panels:
        axes.set(xlabel="east (cells)", aspect="equal")
    picture.colorbar(dots, ax=panels, label="height (m)", shrink=0.8, pad=0.02)
    save(picture, out, "gaussian_process")


if __name__ == "__main__":
    main()
