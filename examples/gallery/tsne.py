"""A map of handwritten digits: t-SNE, with all pairs of points and no table of them.

Each image has neighbours, the closer ones with larger probabilities, and points in the plane are moved until closeness
there says the same. What pulls is a sum over the edges to neighbours, what pushes is the logarithm of a sum over all
pairs. It is written as it stands and computed pair by pair, forward and backward; no table of the pairs is kept.

After van der Maaten and Hinton, "Visualizing Data using t-SNE", JMLR 9, 2008, with the rates of Linderman and
Steinerberger, "Clustering with t-SNE, provably", SIAM Journal on Mathematics of Data Science 1, 2019.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray
from rich.progress import track
from scipy.special import entr, softmax
from shown import figure, options, save
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors

from netcl import autograd as ag
from netcl import core, kernels

Array = NDArray[np.float64]
PERPLEXITY = 30

mine = kernels.compile('''
"""Divergence of closeness in the plane from the weights p of edges (i, near[i, k]), but for a constant."""
op divergence(y[i, d]: float, p[i, k]: float, near[i, k]: int) -> loss {
    edge[i, k] = sum[d]((y[i, d] - y[near, d]) ^ 2);
    pair[i, j] = sum[d]((y[i, d] - y[j, d]) ^ 2);
    loss = sum[i, k](p * log1p(edge)) + log(sum[i, j](i == j ? 0 : 1 / (1 + pair)));
}
''')


def affinities(x: Array) -> tuple[Array, NDArray[np.int64]]:
    """For each image the probabilities of its neighbours, of the given perplexity, and which they are."""
    distances, near = NearestNeighbors(n_neighbors=3 * PERPLEXITY).fit(x).kneighbors()
    low, high, p = np.full(len(x), -30.0), np.full(len(x), 10.0), np.zeros(distances.shape)
    for _ in range(50):
        middle = (low + high) / 2
        p = softmax(-np.exp(middle)[:, None] * distances**2, axis=1)
        wide = entr(p).sum(axis=1) > np.log(PERPLEXITY)
        low, high = np.where(wide, middle, low), np.where(wide, high, middle)
    return p / len(x), near


def tabulated(y: Array, p: Array, near: NDArray[np.int64]) -> tuple[float, float]:
    """Cross entropy of the probabilities in the plane and entropy of those of the images, by tables in NumPy."""
    table = np.zeros((len(y), len(y)))
    np.put_along_axis(table, near, p, axis=1)
    table = (table + table.T) / 2
    close = 1 / (1 + np.sum((y[:, None] - y) ** 2, axis=2))
    np.fill_diagonal(close, 0)
    some = table > 0
    weights = table[some]
    return float(-weights @ np.log(close[some] / close.sum())), float(-weights @ np.log(weights))


def agreement(y: Array, labels: NDArray[np.int64]) -> float:
    """How many points have a nearest neighbour with their label."""
    nearest = NearestNeighbors(n_neighbors=1).fit(y).kneighbors(return_distance=False)[:, 0]
    return float(np.mean(labels[nearest] == labels))


def main() -> None:
    arguments = options(__doc__)
    images, labels = load_digits(return_X_y=True)
    count, rounds = (500, (100, 200)) if arguments.small else (len(images), (250, 750))
    images, labels = images[:count], labels[:count]
    p, near = affinities(images)
    start = PCA(2, random_state=0).fit_transform(images)
    start = 1e-4 * start / start[:, 0].std()
    edges = core.from_host(near)
    y = ag.tensor(start.astype(np.float32), requires_grad=True)

    @ag.jit
    def loss(y: ag.Node, p: core.Tensor) -> ag.Node:
        return mine.divergence(y, p, edges)

    stages, began = [start], time.perf_counter()
    for exaggeration, momentum, steps in zip((12, 1), (0.5, 0.8), rounds, strict=True):
        optimizer = ag.optim.SGD([y], lr=count / exaggeration, momentum=momentum)
        weights = core.from_host((exaggeration * p).astype(np.float32))
        for _ in track(range(steps), f"exaggerated {exaggeration} times", disable=not sys.stderr.isatty()):
            optimizer.zero_grad()
            loss(y, weights).backward()
            optimizer.step()
        stages.append(y.to_host().astype(np.float64))
    print(f"{sum(rounds)} steps by {count:,} points in {time.perf_counter() - began:.1f} s")

    divergence = loss(y, core.from_host(p.astype(np.float32))).item()
    expected, entropy = tabulated(stages[-1], p, near)
    print(f"divergence: {divergence - entropy:.4f}; by tables in NumPy {expected - entropy:.4f}")

    picture = figure(8, 3)
    titles = ("principal components", f"exaggerated, {rounds[0]} steps", f"t-SNE, {sum(rounds)} steps")
    for axes, points, title in zip(picture.subplots(1, 3), stages, titles, strict=True):
        axes.scatter(*points.T, c=labels, cmap="tab10", s=3, linewidths=0)
        axes.set(title=title, xticks=[], yticks=[])
        axes.set_aspect("equal", adjustable="datalim")
        axes.spines[:].set_visible(False)
    for digit in range(10):
        place = np.median(stages[-1][labels == digit], axis=0)
        label = axes.text(*place, str(digit), fontsize=13, weight="bold", ha="center", va="center")
        label.set_path_effects([withStroke(linewidth=3, foreground="white")])
    save(picture, arguments.out, "tsne")

    before, after, images_agree = (agreement(x, labels) for x in (start, stages[-1], images))
    print(
        f"nearest neighbours with the same label: {images_agree:.3f} of images, {before:.3f} of principal components,"
    )
    print(f"{after:.3f} of this map")
    if after < 0.95 or abs(divergence - expected) > 1e-3:
        raise SystemExit("The map does not keep the digits apart, or its divergence is wrong.")


if __name__ == "__main__":
    main()
