"""Restore a photograph that is blurred and noisy and of which half of the pixels are missing.

Sought is the image that, blurred, is like the pixels that were seen, and that has little total variation: few changes
of colour, which may be sharp. The square root in the variation is softened, so that the whole has a gradient, which
Adam descends.

After Rudin, Osher and Fatemi, "Nonlinear total variation based noise removal algorithms", Physica D 60, 1992; with the
three colours in one root after Blomgren and Chan, "Color TV", IEEE Transactions on Image Processing 7, 1998.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from numpy.typing import NDArray
from rich.progress import track
from scipy.ndimage import correlate1d, distance_transform_edt
from shown import figure, options, save
from sklearn.datasets import load_sample_image

from netcl import autograd as ag
from netcl import core, kernels

Image = NDArray[np.float32]
TAPS = np.array([1, 8, 28, 56, 70, 56, 28, 8, 1]) / 256
NOISE = 0.01
WEIGHT = 0.001
SOFT = 0.01

mine = kernels.compile('''
"""Blurred along the axis before the last, by binomial weights; the rim goes on beyond the image."""
op blurred(x[*n, i, c]: float) -> y[*n, i, c] {
    taps[k] = [1, 8, 28, 56, 70, 56, 28, 8, 1];
    y = sum[k](taps * x[*n, min(max(i + k - 4, 0), size[i] - 1), c]) / 256;
}

"""Total variation of an image in colours, whose edges are shared by the colours."""
op variation(image[i, j, c]: float; soft: float) -> y {
    down[i, j, c] = (image[i + 1, j, c] else (image)) - image;
    right[i, j, c] = (image[i, j + 1, c] else (image)) - image;
    y = sum[i, j](sqrt(sum[c](down ^ 2 + right ^ 2) + soft ^ 2));
}
''')


def blur(image: ag.Node | core.Tensor) -> ag.Node | core.Tensor:
    """Along both sides: for the first, the other two axes are one."""
    height, width, colours = image.shape
    return mine.blurred(mine.blurred(image).reshape(height, width * colours)).reshape(height, width, colours)


def quality(image: Image, truth: Image) -> float:
    """Peak signal-to-noise ratio in dB."""
    return float(-10 * np.log10(np.mean((np.clip(image, 0, 1) - truth) ** 2)))


def main() -> None:
    arguments = options(__doc__)
    truth = (load_sample_image("flower.jpg") / 255).astype(np.float32)
    if arguments.small:
        truth = truth[120:280, 200:440].copy()
    rounds = 100 if arguments.small else 300

    rng = np.random.default_rng(0)
    known = rng.random((*truth.shape[:2], 1)) < 0.5
    smeared = correlate1d(correlate1d(truth, TAPS, axis=0, mode="nearest"), TAPS, axis=1, mode="nearest")
    seen = (known * (smeared + NOISE * rng.standard_normal(truth.shape))).astype(np.float32)
    nearest = distance_transform_edt(~known[..., 0], return_distances=False, return_indices=True)
    filled = seen[tuple(nearest)]

    error = np.abs(blur(core.from_host(truth)).to_host() - smeared).max()
    print(f"the blur of netcl and that of SciPy differ by {error:.1e}")
    target, counts = core.from_host(seen), core.from_host(known.astype(np.float32))

    @ag.jit
    def energy(image: ag.Node) -> ag.Node:
        return (counts * (blur(image) - target) ** 2).sum() / 2 + WEIGHT * mine.variation(image, soft=SOFT)

    image = ag.tensor(filled, requires_grad=True)
    optimizer = ag.optim.Adam([image], lr=0.02)
    schedule = ag.optim.CosineAnnealingLR(optimizer, rounds)
    began = time.perf_counter()
    for _ in track(range(rounds), "restoring", disable=not sys.stderr.isatty()):
        loss = energy(image)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    print(f"{rounds} steps by {image.size:,} values, to {loss.item():.4g}, in {time.perf_counter() - began:.1f} s")

    picture = figure(7, 3.5)
    layout = picture.add_gridspec(2, 3, height_ratios=(1.05, 1))
    found = np.clip(image.to_host(), 0, 1)
    images = {"what was seen": np.clip(seen, 0, 1), "restored": found, "the photograph": truth}
    part = slice(truth.shape[0] // 3, -truth.shape[0] // 3), slice(truth.shape[1] // 3, -truth.shape[1] // 3)
    for column, (title, shown) in enumerate(images.items()):
        axes = picture.add_subplot(layout[0, column])
        axes.imshow(shown)
        axes.set(title=title)
        axes.axis("off")
        axes = picture.add_subplot(layout[1, column])
        axes.imshow(shown[part])
        axes.axis("off")
    save(picture, arguments.out, "total_variation")

    before, after = quality(filled, truth), quality(found, truth)
    print(f"PSNR: {before:.1f} dB with missing pixels from their neighbours, {after:.1f} dB restored")
    if error > 1e-5 or after < before + 2.5:
        raise SystemExit("The photograph was not restored, or the blur is wrong.")


if __name__ == "__main__":
    main()
