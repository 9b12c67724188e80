"""A convolutional network with batch norm and dropout, whose training goes on from a checkpoint to the same bits.

Scikit-learn's 1,797 handwritten digits, a quarter held out. After half of the epochs everything that training depends
on is written to one file: parameters, running statistics, the state of the optimizer and that of the schedule. The
training that goes on and one that starts from the file end with the same bits in every parameter. A formula moves the
images by fractions of a pixel: each is read between its pixels.

Ioffe and Szegedy, Batch Normalization (2015); Smith and Topin, Super-Convergence (2018), for the schedule.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import track
from shown import figure, options, save
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from netcl import autograd as ag
from netcl import core, kernels

CHANNELS, BATCH, RATE = (1, 16, 32, 64), 64, 1e-2
State = dict[str, Any]

mine = kernels.compile('''
"""Images moved down and to the right by any part of a pixel, with zeros coming in."""
op moved(x[n, c, i, j]: float, down[n]: float, right[n]: float) -> y[n, c, i, j] {
    r[n, i] = int(floor(i - down));
    s[n, j] = int(floor(j - right));
    a[n, i] = i - down - floor(i - down);
    b[n, j] = j - right - floor(j - right);
    upper = (1 - b) * (x[n, c, r, s] else 0) + b * (x[n, c, r, s + 1] else 0);
    lower = (1 - b) * (x[n, c, r + 1, s] else 0) + b * (x[n, c, r + 1, s + 1] else 0);
    y = (1 - a) * upper + a * lower;
}
''')


def started(rng: np.random.Generator) -> State:
    """The network: what is learnt, and the running statistics of the batch norms."""
    learnt: dict[str, NDArray[np.float64]] = {}
    statistics: dict[str, core.Tensor] = {}
    for k, (before, after) in enumerate(pairwise(CHANNELS)):
        learnt[f"filter{k}"] = rng.normal(scale=np.sqrt(2 / (9 * before)), size=(after, before, 3, 3))
        learnt |= {f"scale{k}": np.ones(after), f"shift{k}": np.zeros(after)}
        statistics |= {f"mean{k}": core.zeros(after), f"variance{k}": core.ones(after)}
    learnt |= {"dense": rng.normal(scale=CHANNELS[-1] ** -0.5, size=(10, CHANNELS[-1])), "bias": np.zeros(10)}
    parameters = {name: ag.tensor(each.astype(np.float32), requires_grad=True) for name, each in learnt.items()}
    return {"parameters": parameters, "statistics": statistics}


def logits(state: State, images: core.Tensor, dropout_seed: int | None = None) -> ag.Node | core.Tensor:
    """Scores of the ten classes; with a seed as in training, which moves the running statistics."""
    p, statistics, training = state["parameters"], state["statistics"], dropout_seed is not None
    h: ag.Node | core.Tensor = images
    for k in range(len(CHANNELS) - 1):
        h = ag.conv2d(h, p[f"filter{k}"], padding=1)
        running = statistics[f"mean{k}"], statistics[f"variance{k}"]
        h = ag.relu(ag.batch_norm(h, p[f"scale{k}"], p[f"shift{k}"], *running, training=training))
        if k == 1:
            h = ag.max_pool2d(h, 2)
    h = h.mean(axis=(2, 3))
    if training:
        h = ag.dropout(h, 0.25, seed=dropout_seed)
    return ag.linear(h, p["dense"], p["bias"])


class Training:
    """A network, its optimizer and its schedule for so many steps; begun, or as `save` has written it."""

    def __init__(self, saved: State, steps: int) -> None:
        self.state = {part: saved[part] for part in ("parameters", "statistics")}
        self.optimizer = ag.optim.AdamW(saved["parameters"], lr=RATE, weight_decay=0.05)
        self.schedule = ag.optim.OneCycleLR(self.optimizer, max_lr=RATE, total_steps=steps)
        self.epoch = saved.get("epoch", 0)
        if "optimizer" in saved:
            self.optimizer.load_state_dict(saved["optimizer"])
            self.schedule.load_state_dict(saved["schedule"])
        self.losses: list[float] = []
        self.rates: list[float] = []
        self.accuracies: list[float] = []

    def save(self, path: Path) -> None:
        states = {"optimizer": self.optimizer.state_dict(), "schedule": self.schedule.state_dict()}
        ag.save(path, self.state | states | {"epoch": self.epoch})

    def run(self, data: tuple[NDArray[Any], ...], epochs: int) -> None:
        """Some more epochs. What an epoch draws depends on its number alone, so that nothing of it has to be saved."""
        images, labels, test_images, test_labels = data
        for _ in track(range(epochs), "training", disable=not sys.stderr.isatty()):
            rng = np.random.default_rng([1, self.epoch])
            for chosen in rng.permutation(len(images))[: len(images) // BATCH * BATCH].reshape(-1, BATCH):
                down, right = (core.from_host(each.astype(np.float32)) for each in rng.uniform(-1, 1, (2, BATCH)))
                seen = mine.moved(core.from_host(images[chosen]), down, right)
                scores = logits(self.state, seen, dropout_seed=int(rng.integers(2**31)))
                loss = ag.cross_entropy(scores, core.from_host(labels[chosen]), label_smoothing=0.1)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                self.losses.append(loss.item())
                self.rates.append(self.optimizer.lr)
                self.schedule.step()
            self.epoch += 1
            self.accuracies.append(float(np.mean(probabilities(self.state, test_images).argmax(axis=1) == test_labels)))


def probabilities(state: State, images: NDArray[np.float32]) -> NDArray[np.float32]:
    with ag.no_grad():
        return ag.softmax(logits(state, core.from_host(images))).to_host()


def main() -> None:
    arguments = options(__doc__)
    half, bound = (1, 0.5) if arguments.small else (10, 0.97)
    digits = load_digits()
    images, labels = (digits.images[:, None] / 16).astype(np.float32), digits.target.astype(np.int64)
    train_x, test_x, train_y, test_y = train_test_split(images, labels, test_size=0.25, stratify=labels, random_state=0)
    data, steps = (train_x, train_y, test_x, test_y), 2 * half * (len(train_x) // BATCH)

    whole = Training(started(np.random.default_rng(0)), steps)
    whole.run(data, half)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "half.safetensors"
        whole.save(path)
        size = path.stat().st_size
        whole.run(data, half)
        resumed = Training(ag.load(path), steps)
    resumed.run(data, half)

    ours, theirs = (each.state["parameters"] | each.state["statistics"] for each in (whole, resumed))
    equal = [each.to_host().tobytes() == theirs[name].to_host().tobytes() for name, each in ours.items()]
    chances = probabilities(whole.state, test_x)
    accuracy = np.mean(chances.argmax(axis=1) == test_y)
    draw(arguments.out, whole, resumed, chances, test_x, test_y)
    print(f"a checkpoint of {size / 1000:.0f} kB after {half} of {2 * half} epochs")
    print(f"arrays with the same bits, gone on and resumed: {sum(equal)} of {len(equal)}")
    print(f"test accuracy: {accuracy:.4f}, {np.sum(chances.argmax(axis=1) != test_y)} of {len(test_y)} wrong")
    if not (all(equal) and resumed.losses == whole.losses[len(whole.losses) // 2 :] and accuracy >= bound):
        raise SystemExit(f"the resumed training differs, or the accuracy is below {bound}")


def draw(
    out: Path, whole: Training, resumed: Training, chances: NDArray[Any], images: NDArray[Any], labels: NDArray[Any]
) -> None:
    picture = figure(8, 2.8)
    left, middle, right = picture.subplots(1, 3, width_ratios=[1.2, 1, 1.1])
    first = len(whole.losses) - len(resumed.losses)
    left.plot(whole.losses, linewidth=2.5, alpha=0.35, label="gone on")
    left.plot(range(first, len(whole.losses)), resumed.losses, color="C1", linewidth=0.7, label="resumed")
    left.axvline(first, color="gray", linewidth=0.8, linestyle=":")
    left.set(xlabel="step", ylabel="cross entropy, smoothed labels", title="training")
    left.legend(frameon=False, loc="upper right")
    rate = left.twinx()
    rate.fill_between(range(len(whole.rates)), whole.rates, color="C2", alpha=0.15, linewidth=0)
    rate.text(1.1 * first, 0.85 * max(whole.rates), "learning rate", color="C2", fontsize=8)
    rate.set(ylim=(0, 3 * max(whole.rates)), yticks=[])

    epochs = np.arange(1, len(whole.accuracies) + 1)
    middle.plot(epochs, whole.accuracies, "o-", markersize=6, linewidth=2.5, alpha=0.35)
    middle.plot(epochs[-len(resumed.accuracies) :], resumed.accuracies, "o-", color="C1", markersize=2.5, linewidth=0.8)
    middle.set(xlabel="epoch", title="accuracy on held-out digits")

    hardest = np.argsort(chances[np.arange(len(labels)), labels])[:12]
    rows = np.pad(1 - images[hardest, 0], ((0, 0), (4, 1), (1, 1)), constant_values=1).reshape(3, 4, 13, 10)
    right.imshow(rows.transpose(0, 2, 1, 3).reshape(39, 40), cmap="gray")
    for at, n in enumerate(hardest):
        guess, chance = chances[n].argmax(), chances[n].max()
        place = 10 * (at % 4) + 4.5, 13 * (at // 4) + 3
        colour = "C2" if guess == labels[n] else "C1"
        right.text(*place, f"{guess}: {chance:.0%}", color=colour, ha="center", va="bottom", fontsize=7)
    right.set_title("the hardest, and the guesses")
    right.axis("off")
    save(picture, out, "digits_cnn")


if __name__ == "__main__":
    main()
