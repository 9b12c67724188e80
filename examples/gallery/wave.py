"""Ultrasound tomography: the speed of sound inside a body, from the waves that went through it.

A ring of transducers stands in water around a body. One after the other sends a pulse, and all others record what
arrives. The map of speeds is sought with which a simulated wave is heard as it was recorded: full waveform inversion.
Thousands of unknowns are found together, because the gradient by all of them costs little more than a simulation.

After Tarantola, "Inversion of seismic reflection data in the acoustic approximation", Geophysics 49, 1984.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from numpy.typing import NDArray
from rich.progress import Progress
from scipy.optimize import minimize
from shown import COLOURS, figure, options, save

from netcl import autograd as ag
from netcl import core, kernels

Array = NDArray[np.float64]
WATER = 1.5  # mm/us, on a grid of 1 mm
STEP = 0.4  # us
PERIOD = 19  # steps
NOISE = 0.02  # of the root mean square of what is heard

mine = kernels.compile('''
"""What receivers at (rz, rx) hear of pulses sent at (sz, sx), on a grid that swallows waves at its rim."""
op heard(speed[z, x]: float, rim[z, x]: float, pulse[t]: float, sz[s]: int, sx[s]: int, rz[r]: int, rx[r]: int;
         step: float)
    -> p[s, t, r]
{
    now[s, t, z, x] = u[s, t - 1, z, x] else 0;
    old[s, t, z, x] = u[s, t - 2, z, x] else 0;
    above[s, t, z, x] = u[s, t - 1, z - 1, x] else 0;
    below[s, t, z, x] = u[s, t - 1, z + 1, x] else 0;
    left[s, t, z, x] = u[s, t - 1, z, x - 1] else 0;
    right[s, t, z, x] = u[s, t - 1, z, x + 1] else 0;
    curve = above + below + left + right - 4 * now;
    sent = z == sz and x == sx ? pulse : 0;
    u[s, t, z, x] = (2 * now - (1 - rim) * old + (step * speed) ^ 2 * curve + sent) / (1 + rim);
    p = u[s, t, rz, rx];
}
''')


def ring(count: int, radius: float, size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    angles = 2 * np.pi * np.arange(count) / count
    z, x = (np.rint(size / 2 + radius * f(angles)).astype(np.int64) for f in (np.cos, np.sin))
    return z, x


def phantom(x: Array, z: Array, scale: float) -> Array:
    """A body in water, with two tumours that sound is faster in and a cyst in which it is slower."""
    speed = np.full(x.shape, WATER)
    for a, b, width, height, inside in [
        (0, 0, 24, 20, 1.55), (-9, -6, 5, 5, 1.62), (-2, 9, 3, 6, 1.60), (10, 2, 6, 5, 1.46),
    ]:  # fmt: skip
        speed[((x / scale - a) / width) ** 2 + ((z / scale - b) / height) ** 2 < 1] = inside
    return speed


def simulated(speed: Array, rim: Array, pulse: Array, sources: tuple[NDArray[np.int64], ...]) -> Array:
    """The waves themselves, of each source at each step, in NumPy."""
    shots = np.arange(len(sources[0]))
    u = np.zeros((len(pulse) + 2, len(shots), *speed.shape))
    for t, sent in enumerate(pulse, 2):
        wide = np.pad(u[t - 1], ((0, 0), (1, 1), (1, 1)))
        curve = wide[:, :-2, 1:-1] + wide[:, 2:, 1:-1] + wide[:, 1:-1, :-2] + wide[:, 1:-1, 2:] - 4 * u[t - 1]
        u[t] = 2 * u[t - 1] - (1 - rim) * u[t - 2] + (STEP * speed) ** 2 * curve
        u[t, shots, sources[0], sources[1]] += sent
        u[t] /= 1 + rim
    return u[2:]


def main() -> None:
    arguments = options(__doc__)
    size, steps, shots, ears, rounds = (64, 150, 6, 24, 12) if arguments.small else (100, 260, 12, 48, 30)
    z, x = np.mgrid[:size, :size] - size / 2
    rim = 0.3 * np.clip(1 - (0.5 - np.maximum(abs(x), abs(z)) / size) / 0.12, 0, None) ** 2
    truth = phantom(x, z, size / 100)
    phase = np.pi * (np.arange(steps) / PERIOD - 1.2)
    pulse = (1 - 2 * phase**2) * np.exp(-(phase**2))
    radius = 0.35 * size
    sources, receivers = ring(shots, radius, size), ring(ears, radius, size)
    inside = np.hypot(x, z) < 0.31 * size

    waves = simulated(truth, rim, pulse, sources)
    clean = np.moveaxis(waves[:, :, receivers[0], receivers[1]], 0, 1)
    recorded = clean + NOISE * clean.std() * np.random.default_rng(0).standard_normal(clean.shape)

    def given(array: NDArray[np.generic]) -> core.Tensor:
        return core.from_host(array.astype(np.float32) if array.dtype == np.float64 else array)

    setting = [given(array) for array in (rim, pulse, *sources, *receivers)]
    target, mask = given(recorded), given(inside.astype(np.float64))
    error = np.abs(mine.heard(given(truth), *setting, step=STEP).to_host() - clean).max() / np.abs(clean).max()
    print(f"simulations by netcl and by NumPy differ by {error:.1e} of the largest value")

    @ag.jit
    def loss(change: core.Tensor) -> core.Tensor:
        return ((mine.heard(WATER + mask * change, *setting, step=STEP) - target) ** 2).sum()

    slope, misfits, began = ag.value_and_grad(loss), [], time.perf_counter()

    def descend(flat: Array) -> tuple[float, Array]:
        value, gradient = slope(given(flat.reshape(size, size)))
        misfits.append(value.item())
        return value.item(), gradient.to_host().astype(np.float64).ravel()

    limit = {"maxiter": rounds}
    with Progress(disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("inverting", total=rounds)
        found = minimize(
            descend, np.zeros(size**2), jac=True, method="L-BFGS-B", options=limit, callback=lambda _: bar.advance(task)
        )
    recovered = WATER + inside * found.x.reshape(size, size)
    print(f"{len(misfits)} simulations and gradients by {inside.sum()} speeds in {time.perf_counter() - began:.1f} s")

    picture = figure(8, 3)
    panels = picture.subplots(1, 3, sharey=True)
    extent = (-size / 2, size / 2, size / 2, -size / 2)
    field = waves[round(steps * 0.42), 0]
    peak = np.abs(field).max() / 2
    panels[0].imshow(field, cmap="RdBu", vmin=-peak, vmax=peak, extent=extent)
    panels[0].contour(x, z, truth, levels=[1.48, 1.53, 1.58], colors="0.3", linewidths=0.5)
    panels[0].plot(receivers[1] - size / 2, receivers[0] - size / 2, ".", color=COLOURS[2], markersize=3)
    panels[0].set(title="a pulse on its way", xlabel="mm", ylabel="mm")
    for axes, speed, title in zip(panels[1:], (truth, recovered), ("the body", "recovered"), strict=True):
        image = axes.imshow(speed, vmin=1.45, vmax=1.63, cmap="viridis", extent=extent)
        axes.set(title=title, xlabel="mm")
    picture.colorbar(image, ax=panels[1:], label="speed of sound (mm/µs)", shrink=0.8)
    save(picture, arguments.out, "wave")

    left = np.linalg.norm(recovered - truth) / np.linalg.norm(truth - WATER)
    print(f"misfit of the recordings: {misfits[0]:.3g} at first, {misfits[-1]:.3g} now")
    print(f"error of the speeds: {left:.0%} of what water alone leaves")
    if error > 1e-4 or left > (0.6 if arguments.small else 0.3):
        raise SystemExit("The speeds were not found, or the simulation is wrong.")


if __name__ == "__main__":
    main()
