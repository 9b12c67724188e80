"""Teach a soft body to walk, by gradients through every step of its simulation.

Twenty-seven masses and the springs between them make a body with two feet. Springs are driven: each changes its length
at rest with a sine of its own, of which the amplitude and the phase are sought that bring the body to a flag in time.
The loss is how far its centre is from the flag after the last step; its gradient goes back through all steps, contacts
with the ground included.

After Hu and others, "DiffTaichi: Differentiable Programming for Physical Simulation", ICLR 2020.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from numpy.typing import NDArray
from rich.progress import track
from shown import COLOURS, figure, options, save

from netcl import autograd as ag
from netcl import core, kernels

Array = NDArray[np.float64]
H, STIFFNESS, DAMPING, GRAVITY, GROUND, OMEGA = 0.003, 3000.0, 3.0, 9.8, 5000.0, 12.0
REACHED = 0.01

mine = kernels.compile('''
"""Where masses are that springs from a to b pull: semi-implicit Euler's method, on soft, sticky ground."""
op walk(start[n, d]: float, a[s]: int, b[s]: int, rest[s]: float, wave[s, k]: float;
        steps: int, h: float, stiffness: float, damping: float, gravity: float, ground: float, omega: float)
    -> x[t, n, d]
    where t = steps, d = 2, k = 2
{
    p[t, n, d] = x[t - 1, n, d] else (start);
    q[t, n, d] = v[t - 1, n, d] else 0;
    drive[t, s] = 0.3 * tanh(wave[s, 0] * sin(omega * h * t) + wave[s, 1] * cos(omega * h * t));
    along[t, s, d] = p[t, b, d] - p[t, a, d];
    length[t, s] = sqrt(sum[d](along ^ 2));
    pull[t, s, d] = stiffness * (1 - rest * (1 + drive) / length) * along;
    depth[t, n] = max(-p[t, n, 1], 0);
    floor[t, n, d] = ground * depth * ((d == 1 ? 1 : 0) - q);
    force[t, n, d] = sum[s](a == n ? pull : 0) - sum[s](b == n ? pull : 0) + floor - (d == 1 ? gravity : 0);
    v[t, n, d] = (1 - h * damping) * q + h * force;
    x = p + h * v;
}
''')


def body() -> tuple[Array, NDArray[np.int64]]:
    """Masses at the corners of squares, and the ends of the springs along their sides and diagonals."""
    squares = [(i, j) for j in (1, 2) for i in range(6)] + [(i, 0) for i in (0, 1, 4, 5)]
    corners = [[(i + u, j + v) for u in (0, 1) for v in (0, 1)] for i, j in squares]
    places = sorted({place for square in corners for place in square})
    pairs = {(places.index(p), places.index(q)) for square in corners for p in square for q in square if p < q}
    return 0.1 * np.array(places, dtype=np.float64), np.array(sorted(pairs), dtype=np.int64)


def simulated(start: Array, springs: NDArray[np.int64], rest: Array, wave: Array, steps: int) -> Array:
    """The last step of the same in NumPy."""
    ends = np.eye(len(start))[springs[:, 1]] - np.eye(len(start))[springs[:, 0]]
    x, v, up = start, np.zeros_like(start), np.array([0.0, 1.0])
    for t in range(steps):
        along = ends @ x
        lengths = rest * (1 + 0.3 * np.tanh(wave @ [np.sin(OMEGA * H * t), np.cos(OMEGA * H * t)]))
        pull = STIFFNESS * (1 - lengths / np.linalg.norm(along, axis=1))[:, None] * along
        depth = np.maximum(-x[:, 1:], 0)
        v = (1 - H * DAMPING) * v + H * (-ends.T @ pull + GROUND * depth * (up - v) - GRAVITY * up)
        x = x + H * v
    return x


def draw(axes: Axes, path: Array, springs: NDArray[np.int64], target: float, title: str) -> None:
    for shade, x in zip((0.3, 0.6, 1), path[np.linspace(0, len(path) - 1, 3).astype(int)], strict=True):
        axes.add_collection(LineCollection(x[springs], color=COLOURS[0], alpha=shade, linewidth=0.8))
    axes.plot(*path.mean(axis=1).T, color=COLOURS[1], linewidth=1, label="path of the centre")
    axes.plot([target, target], [0, 0.5], color=COLOURS[2], linewidth=2)
    axes.fill([target, target, target + 0.15], [0.5, 0.38, 0.44], color=COLOURS[2])
    axes.axhspan(-0.08, 0, color="0.85")
    axes.set(xlim=(-0.2, 2.4), ylim=(-0.08, 0.6), aspect="equal", ylabel="height (m)", title=title)


def main() -> None:
    arguments = options(__doc__)
    steps, target = (400, 0.5) if arguments.small else (1000, 1.8)
    start, springs = body()
    rest = np.linalg.norm(start[springs[:, 0]] - start[springs[:, 1]], axis=1)
    given = [core.from_host(array) for array in (start, springs[:, 0].copy(), springs[:, 1].copy(), rest)]
    numbers = {"h": H, "stiffness": STIFFNESS, "damping": DAMPING, "gravity": GRAVITY, "ground": GROUND, "omega": OMEGA}
    first = 0.1 * np.random.default_rng(0).standard_normal((len(springs), 2))
    wave = ag.tensor(first, requires_grad=True)

    def walk(wave: ag.Node | core.Tensor) -> Any:
        return mine.walk(*given, wave, steps=steps, **numbers)

    @ag.jit
    def missed(wave: ag.Node) -> ag.Node:
        return (walk(wave)[-1, :, 0].mean() - target) ** 2

    (slope,) = ag.grad(missed(wave), [wave])
    direction = slope.to_host() / np.linalg.norm(slope.to_host())
    ahead, behind = (simulated(start, springs, rest, first + e * direction, steps)[:, 0].mean() for e in (1e-5, -1e-5))
    expected = ((ahead - target) ** 2 - (behind - target) ** 2) / 2e-5
    error = abs(np.sum(slope.to_host() * direction) / expected - 1)
    print(f"slope through {steps} steps and {len(springs)} springs: {error:.1e} from differences of NumPy's simulation")

    optimizer, distances, began = ag.optim.Adam([wave], lr=0.02), [], time.perf_counter()
    for _ in track(range(100), "learning to walk", disable=not sys.stderr.isatty()):
        loss = missed(wave)
        distances.append(loss.item() ** 0.5)
        if distances[-1] < REACHED:
            break
        optimizer.zero_grad()
        loss.backward()
        ag.optim.clip_grad_norm([wave], 1.0)
        optimizer.step()
    print(f"{len(distances)} simulations and gradients in {time.perf_counter() - began:.1f} s")

    before, after = walk(core.from_host(first)).to_host(), walk(wave).to_host()
    picture = figure(8, 3.6)
    layout = picture.add_gridspec(2, 2, width_ratios=(1.7, 1))
    draw(picture.add_subplot(layout[0, 0]), before, springs, target, "at first")
    lower = picture.add_subplot(layout[1, 0])
    draw(lower, after, springs, target, f"after {len(distances)} simulations")
    lower.set_xlabel("distance (m)")
    lower.legend(loc="upper left", frameon=False, fontsize=7)
    curve = picture.add_subplot(layout[:, 1])
    curve.semilogy(distances, ".-")
    curve.axhline(REACHED, color="0.6", linestyle="--", linewidth=1)
    curve.set(xlabel="simulation", ylabel="distance from the flag (m)", title="Learning")
    save(picture, arguments.out, "soft_body")

    left = abs(simulated(start, springs, rest, wave.to_host(), steps)[:, 0].mean() - target)
    print(f"distance from the flag, in NumPy's simulation: {distances[0]:.2f} m at first, {left:.4f} m now")
    if left > 1.01 * REACHED or error > 1e-4:
        raise SystemExit("The body did not get to the flag, or its gradient is wrong.")


if __name__ == "__main__":
    main()
