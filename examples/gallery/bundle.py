"""Bundle adjustment: where cameras stood and where the points are that they saw, from the pictures alone.

Each camera has a rotation, a translation, a focal length and a coefficient of distortion. All of them, and all points,
are moved until the points appear where they were seen, by Levenberg and Marquardt's method. Each picture of a point
depends on one camera and one point alone, so the Jacobian is made of blocks: that of one picture, for all by `ag.vmap`.

After Agarwal and others, "Bundle Adjustment in the Large", ECCV 2010, whose model of a camera it is.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import spsolve
from scipy.spatial import procrustes
from scipy.spatial.transform import Rotation
from shown import COLOURS, figure, options, save

from netcl import autograd as ag
from netcl import core, kernels

Array = NDArray[np.float64]
NOISE = 0.5  # pixels

mine = kernels.compile('''
"""Pictures of points: cameras are rotation vector, translation, focal length and distortion, and look along -z."""
op seen(camera[*n, k]: float, point[*n, i]: float) -> pixel[*n, e] where size[k] == 8, size[i] == 3, e = 2 {
    w[*n, i] = camera[*n, i];
    angle[*n] = sqrt(sum[i](w ^ 2) + 1e-24);
    axis[*n, i] = w / angle;
    cross[*n, i] = axis[*n, (i + 1) % 3] * point[*n, (i + 2) % 3] - axis[*n, (i + 2) % 3] * point[*n, (i + 1) % 3];
    along[*n] = sum[i](axis * point);
    turned[*n, i] = cos(angle) * point + sin(angle) * cross + (1 - cos(angle)) * along * axis;
    moved[*n, i] = turned + camera[*n, i + 3];
    plane[*n, e] = -moved[*n, e] / moved[*n, 2];
    square[*n] = sum[e](plane ^ 2);
    pixel = camera[*n, 6] * (1 + camera[*n, 7] * square) * plane;
}
''')

# Derivatives of each picture by its camera and by its point, for all pictures at once.
blocks = ag.jit(ag.vmap(ag.jacfwd(mine.seen, argnums=(0, 1))))


@dataclass
class Bundle:
    """Pictures: camera `which[n]` saw point `what[n]` at `pixels[n]`. Unknowns are all cameras, then all points."""

    cameras: int
    which: NDArray[np.int64]
    what: NDArray[np.int64]
    pixels: Array

    def split(self, unknowns: Array) -> tuple[Array, Array]:
        """Camera and point of each picture."""
        cut = 8 * self.cameras
        return unknowns[:cut].reshape(-1, 8)[self.which], unknowns[cut:].reshape(-1, 3)[self.what]

    def residuals(self, unknowns: Array) -> Array:
        """The same projection in NumPy and SciPy."""
        camera, point = self.split(unknowns)
        x = Rotation.from_rotvec(camera[:, :3]).apply(point) + camera[:, 3:6]
        plane = -x[:, :2] / x[:, 2:]
        square = np.sum(plane**2, axis=1, keepdims=True)
        return (camera[:, 6:7] * (1 + camera[:, 7:] * square) * plane - self.pixels).ravel()

    def linearized(self, unknowns: Array) -> tuple[Array, csr_array]:
        """Residuals and their Jacobian."""
        camera, point = (core.from_host(array) for array in self.split(unknowns))
        values = np.concatenate([block.to_host() for block in blocks(camera, point)], axis=2)
        columns = [8 * self.which[:, None] + np.arange(8), 8 * self.cameras + 3 * self.what[:, None] + np.arange(3)]
        places = np.repeat(np.concatenate(columns, axis=1), 2, axis=0)
        pointers = np.arange(0, values.size + 1, 11)
        jacobian = csr_array((values.ravel(), places.ravel(), pointers), shape=(len(pointers) - 1, len(unknowns)))
        return (mine.seen(camera, point).to_host() - self.pixels).ravel(), jacobian


def adjusted(bundle: Bundle, unknowns: Array) -> tuple[Array, list[float]]:
    """Levenberg and Marquardt's method; and the root mean square of the residuals of each round."""
    damping = 1e-3
    errors: list[float] = []
    r, jacobian = bundle.linearized(unknowns)
    while len(errors) < 50:
        errors.append(float(np.sqrt(np.mean(r**2))))
        normal = (jacobian.T @ jacobian).tocsc()
        move = spsolve(normal + damping * diags_array(normal.diagonal()).tocsc(), -jacobian.T @ r)
        moved = bundle.linearized(unknowns + move)
        if moved[0] @ moved[0] < r @ r:
            gain = 1 - moved[0] @ moved[0] / (r @ r)
            unknowns, damping, (r, jacobian) = unknowns + move, damping / 5, moved
            if gain < 1e-9:
                break
        else:
            damping *= 10
    return unknowns, errors


def scene(count: int, points: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Cameras that look at a trefoil knot from all sides, and points around the knot."""
    s = np.linspace(0, 2 * np.pi, points, endpoint=False)
    knot = np.stack([np.sin(s) + 2 * np.sin(2 * s), np.cos(s) - 2 * np.cos(2 * s), -np.sin(3 * s)], axis=1)
    cameras = np.zeros((count, 8))
    cameras[:, :3] = Rotation.random(count, rng).as_rotvec()
    cameras[:, 5:] = rng.normal([-9, 800, -0.1], [1, 20, 0.02], (count, 3))
    return cameras, knot + 0.1 * rng.standard_normal(knot.shape)


def main() -> None:
    arguments = options(__doc__)
    rng = np.random.default_rng(0)
    cameras, points = scene(*((8, 150) if arguments.small else (16, 600)), rng)
    visible = rng.random((len(cameras), len(points))) < 0.6
    visible[:2] = True
    which, what = np.nonzero(visible)
    bundle = Bundle(len(cameras), which, what, np.zeros((len(which), 2)))
    truth = np.concatenate([cameras.ravel(), points.ravel()])
    exact = bundle.residuals(truth).reshape(-1, 2)
    bundle.pixels = exact + NOISE * rng.standard_normal(exact.shape)
    spread = np.array([0.1, 0.1, 0.1, 0.5, 0.5, 0.5, 60, 0.05])
    guess = [cameras + spread * rng.standard_normal(cameras.shape), points + 0.6 * rng.standard_normal(points.shape)]
    first = np.concatenate([array.ravel() for array in guess])

    every = len(points) // 40
    chosen = what % every == 0
    part = Bundle(len(cameras), which[chosen], what[chosen] // every, bundle.pixels[chosen])
    some = np.concatenate([guess[0].ravel(), guess[1][::every].ravel()])
    expected = least_squares(part.residuals, some, method="lm", x_scale="jac", ftol=1e-12, xtol=1e-12)
    _, errors = adjusted(part, some)
    apart = np.sqrt(np.mean(expected.fun**2)) / errors[-1] - 1
    print(f"some of the points: {errors[-1]:.5f} pixels are left; with SciPy's least squares {apart:+.1e} of that")

    began = time.perf_counter()
    found, errors = adjusted(bundle, first)
    print(f"{len(first)} unknowns, {len(which)} pictures: {len(errors)} rounds, {time.perf_counter() - began:.1f} s")

    cut = 8 * len(cameras)
    # Pictures tell neither place nor direction nor size, so points are compared after a similarity.
    _, standard, disparity = procrustes(points, found[cut:].reshape(-1, 3))
    size = np.linalg.norm(points - points.mean(axis=0))
    result = points.mean(axis=0) + size * standard
    picture = figure(8, 3.2)
    layout = picture.add_gridspec(1, 3)
    for column, (cloud, title) in enumerate([(guess[1], "points at first"), (result, "points found")]):
        axes = picture.add_subplot(layout[column], projection="3d")
        axes.scatter(*cloud.T, c=np.arange(len(cloud)), cmap="viridis", s=3)
        axes.set(title=title, xlim=(-3, 3), ylim=(-3, 3), zlim=(-2, 2))
        axes.view_init(elev=65, azim=-60)
        axes.set_box_aspect((6, 6, 4), zoom=1.35)
        axes.axis("off")
    curve = picture.add_subplot(layout[2])
    curve.semilogy(errors, ".-")
    curve.axhline(NOISE, color=COLOURS[1], linestyle="--", linewidth=1, label="noise of the pictures")
    curve.set(xlabel="round", ylabel="error in the pictures (pixels)", title="Convergence")
    curve.legend(frameon=False)
    save(picture, arguments.out, "bundle")

    off = size * np.sqrt(disparity / len(points))
    due = NOISE * (1 - (len(first) - 7) / bundle.pixels.size) ** 0.5
    print(f"error in the pictures: {errors[0]:.1f} pixels at first, {errors[-1]:.3f} now, {due:.3f} expected")
    print(f"points are {off:.4f} from where they are, on a knot that is 6 wide")
    if abs(apart) > 1e-6 or not 0.9 < errors[-1] / due < 1.1:
        raise SystemExit("The adjustment does not explain the pictures as it should.")


if __name__ == "__main__":
    main()
