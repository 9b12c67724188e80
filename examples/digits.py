"""Train a small convolutional network on the 1,797 handwritten digits that scikit-learn carries.

One of its activations is written below as a formula; its kernels, and those of its derivative, are compiled from that
text. Writes loss_curve.png and confusion.png into the output folder.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from sklearn.datasets import load_digits
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import train_test_split

from netcl import autograd as ag
from netcl import core, kernels

SEED = 0
EPOCHS = 20
BATCH = 64
LEARNING_RATE = 2e-3

mine = kernels.compile('''
"""Swish with a slope of one's own."""
op swish2(x: float; beta: float = 1) -> y {
    y = x / 2 * (1 + tanh(beta * x / 2));
}
''')


class Network:
    """Two convolutions, one pooling, two dense layers: (n, 1, 8, 8) images to (n, 10) logits."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.parameters = [
            array
            for shape in [(16, 1, 3, 3), (32, 16, 3, 3), (64, 32 * 4 * 4), (10, 64)]
            for array in (he_initialised(rng, shape), ag.tensor(np.zeros(shape[0], np.float32), requires_grad=True))
        ]

    def __call__(self, images: core.Tensor, dropout_seed: int | None = None) -> ag.Node | core.Tensor:
        """Logits; with a seed as in training, with a quarter of the dense layer dropped out."""
        w1, b1, w2, b2, w3, b3, w4, b4 = self.parameters
        h = mine.swish2(ag.conv2d(images, w1, b1, padding=1), beta=1.5)
        h = ag.relu(ag.conv2d(h, w2, b2, padding=1))
        h = ag.max_pool2d(h, 2).reshape(images.shape[0], -1)
        h = ag.relu(ag.linear(h, w3, b3))
        if dropout_seed is not None:
            h = ag.dropout(h, 0.25, seed=dropout_seed)
        return ag.linear(h, w4, b4)


def he_initialised(rng: np.random.Generator, shape: tuple[int, ...]) -> ag.Node:
    """Normal weights of variance 2 / fan-in (He et al. 2015)."""
    scale = np.sqrt(2 / np.prod(shape[1:]))
    return ag.tensor((scale * rng.standard_normal(shape)).astype(np.float32), requires_grad=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--out", type=Path, default=Path("demo-output"), help="folder for the pictures")
    out: Path = arguments.parse_args().out
    out.mkdir(parents=True, exist_ok=True)

    digits = load_digits()
    images = (digits.images[:, None] / 16).astype(np.float32)
    labels = digits.target.astype(np.int64)
    train_x, test_x, train_y, test_y = train_test_split(
        images, labels, test_size=0.25, stratify=labels, random_state=SEED
    )
    rng = np.random.default_rng(SEED)
    network = Network(rng)
    console = Console()
    console.print(f"{len(train_x)} images to train on, {len(test_x)} held out, device: {core.default_device().name}")

    start = time.perf_counter()
    losses = train(network, train_x, train_y, rng, console)
    console.print(f"trained {len(losses)} steps in {time.perf_counter() - start:.1f} s")

    predicted = predict(network, test_x)
    draw_loss(losses, out / "loss_curve.png")
    draw_confusion(test_y, predicted, out / "confusion.png")
    console.print(f"pictures: {out / 'loss_curve.png'}, {out / 'confusion.png'}")
    print(f"test accuracy: {np.mean(predicted == test_y):.3f}")


def train(
    network: Network, images: NDArray[np.float32], labels: NDArray[np.int64], rng: np.random.Generator, console: Console
) -> list[float]:
    """The loss of every step."""
    optimizer = ag.optim.Adam(network.parameters, lr=LEARNING_RATE)
    losses: list[float] = []
    hits: list[float] = []
    state = "epoch {task.fields[epoch]:2}/{task.fields[epochs]}  loss {task.fields[loss]:.3f}  "
    columns = [BarColumn(), TextColumn(state + "accuracy {task.fields[accuracy]:.3f}"), TimeElapsedColumn()]
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        steps = EPOCHS * (len(images) // BATCH)
        task = bar.add_task("training", total=steps, epoch=1, epochs=EPOCHS, loss=float("nan"), accuracy=0.0)
        for epoch in range(1, EPOCHS + 1):
            for x, y in batches(images, labels, rng):
                with ag.Tape() as tape:
                    logits = network(core.from_host(x), dropout_seed=len(losses))
                    loss = ag.cross_entropy(logits, core.from_host(y))
                optimizer.zero_grad()
                tape.backward(loss)
                optimizer.step()
                losses.append(loss.item())
                hits.append(float(np.mean(logits.to_host().argmax(axis=1) == y)))
                mean_loss, accuracy = float(np.mean(losses[-20:])), float(np.mean(hits[-20:]))
                bar.update(task, advance=1, epoch=epoch, loss=mean_loss, accuracy=accuracy)
            if not console.is_terminal:
                console.print(f"epoch {epoch:2}/{EPOCHS}  loss {mean_loss:.3f}  accuracy {accuracy:.3f}")
    return losses


def batches(
    images: NDArray[np.float32], labels: NDArray[np.int64], rng: np.random.Generator
) -> Iterator[tuple[NDArray[np.float32], NDArray[np.int64]]]:
    """The whole batches of one epoch in random order, each image shifted by at most one pixel."""
    order = rng.permutation(len(images))
    for first in range(0, len(order) - BATCH + 1, BATCH):
        chosen = order[first : first + BATCH]
        padded = np.pad(images[chosen], ((0, 0), (0, 0), (1, 1), (1, 1)))
        shifts = rng.integers(0, 3, size=(BATCH, 2))
        yield np.stack([padded[n, :, i : i + 8, j : j + 8] for n, (i, j) in enumerate(shifts)]), labels[chosen]


def predict(network: Network, images: NDArray[np.float32]) -> NDArray[np.int64]:
    with ag.no_grad():
        return network(core.from_host(images)).to_host().argmax(axis=1)


def draw_loss(losses: list[float], path: Path) -> None:
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    axes.plot(losses, linewidth=0.6, alpha=0.5, label="each step")
    axes.plot(smoothed(losses, 20), label="mean of the last 20")
    axes.set(xlabel="step", ylabel="cross entropy", yscale="log", title="Training loss")
    axes.legend()
    figure.savefig(path, dpi=150)


def smoothed(values: list[float], width: int) -> NDArray[np.float64]:
    return np.convolve(np.pad(values, (width - 1, 0), mode="edge"), np.full(width, 1 / width), mode="valid")


def draw_confusion(expected: NDArray[np.int64], predicted: NDArray[np.int64], path: Path) -> None:
    figure = Figure(figsize=(5, 5), layout="constrained")
    axes = figure.subplots()
    ConfusionMatrixDisplay.from_predictions(expected, predicted, ax=axes, colorbar=False, cmap="Blues")
    axes.set_title("Held-out digits")
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    main()
