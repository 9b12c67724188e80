"""A small transformer learns Python's own documentation, character by character.

Its attention is an op of its own, written as it stands in a book: scores lose `slope` for each character of distance,
as in ALiBi (Press and others, Train Short, Test Long, ICLR 2022), and here each head learns its slope. So the network
needs no embedding of positions. The text is that of `pydoc_data.topics` in the standard library, the last twentieth of
it held out. The measure is the cross entropy of held-out characters, beside that of counted frequencies.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from pydoc_data.topics import topics
from textwrap import wrap

import numpy as np
from numpy.typing import NDArray
from rich.progress import track
from shown import figure, options, save

from netcl import autograd as ag
from netcl import core, kernels

WIDTH, HEADS, LAYERS = 96, 4, 2
TEMPERATURE = 0.6
PROMPT = "The function "
Parameters = dict[str, ag.Node]
SHOWN = 'an "IndexError"; the "Inde'

mine = kernels.compile('''
"""Causal attention in which each head prefers what is near, by its slope."""
op attention(q[n, h, i, d]: float, k[n, h, j, d]: float, v[n, h, j, e]: float, slope[h]: float) -> y[n, h, i, e] {
    score[n, h, i, j] = j > i ? -inf : sum[d](q * k) / sqrt(float(size[d])) - slope * (i - j);
    weight = exp(score - detach(max[j](score)));
    y = sum[j](weight * v) / sum[j](weight);
}
''')


def initialised(characters: int, rng: np.random.Generator) -> Parameters:
    """The parameters by name; matrices have rows of about unit length."""
    arrays = {"embedding": rng.normal(scale=0.1, size=(characters, WIDTH)), "scale": np.ones(WIDTH)}
    for layer in range(LAYERS):
        for name, (rows, columns) in {"qkv": (3, 1), "out": (1, 1), "up": (4, 1), "down": (1, 4)}.items():
            drawn = rng.normal(size=(rows * WIDTH, columns * WIDTH))
            arrays[f"{name}{layer}"] = drawn / np.sqrt(columns * WIDTH)
        arrays |= {f"scale_a{layer}": np.ones(WIDTH), f"scale_b{layer}": np.ones(WIDTH)}
        arrays[f"slope{layer}"] = np.geomspace(0.5, 0.01, HEADS)
    return {name: ag.tensor(array.astype(np.float32), requires_grad=True) for name, array in arrays.items()}


def logits(p: Parameters, text: core.Tensor, maps: list[core.Tensor] | None = None) -> ag.Node | core.Tensor:
    """Scores of each next character, (n, length, characters); what each layer attends to is appended to `maps`."""
    n, length = text.shape
    h = ag.embedding(p["embedding"], text)
    for k in range(LAYERS):
        parts = ag.linear(ag.layer_norm(h, p[f"scale_a{k}"]), p[f"qkv{k}"]).reshape(n, length, 3, HEADS, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
        attended = mine.attention(query, key, value, p[f"slope{k}"])
        h = h + ag.linear(attended.permute(0, 2, 1, 3).reshape(n, length, WIDTH), p[f"out{k}"])
        h = h + ag.linear(ag.gelu(ag.linear(ag.layer_norm(h, p[f"scale_b{k}"]), p[f"up{k}"])), p[f"down{k}"])
        if maps is not None:
            identity = ag.broadcast_to(core.eye(length), (n, HEADS, length, length))
            maps.append(mine.attention(query, key, identity, p[f"slope{k}"]))
    return ag.linear(ag.layer_norm(h, p["scale"]), p["embedding"])


@ag.jit
def loss_of(p: Parameters, text: core.Tensor) -> ag.Node | core.Tensor:
    scores = logits(p, text[:, :-1])
    return ag.cross_entropy(scores.reshape(-1, scores.shape[-1]), text[:, 1:].reshape(-1))


def main() -> None:
    arguments = options(__doc__)
    steps, batch, length, contexts = (40, 16, 32, (0,)) if arguments.small else (600, 16, 96, (1, 2, 3))
    text = "".join(topics.values())
    alphabet = np.unique([*text])
    codes = np.searchsorted(alphabet, [*text]).astype(np.int64)
    known, held_out = codes[: len(codes) * 19 // 20], codes[len(codes) * 19 // 20 :]
    rng = np.random.default_rng(0)
    parameters = initialised(len(alphabet), rng)
    off = check(rng)
    print(f"{len(text):,} characters; attention: {off:.1e} from NumPy's")

    optimizer = ag.optim.AdamW(parameters, lr=6e-3)
    schedule = ag.optim.OneCycleLR(optimizer, max_lr=6e-3, total_steps=steps, pct_start=0.1)
    losses, rates = [], []
    for _ in track(range(steps), "training", disable=not sys.stderr.isatty()):
        places = rng.integers(len(known) - length, size=(batch, 1)) + np.arange(length + 1)
        loss = loss_of(parameters, core.from_host(known[places]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        rates.append(optimizer.lr)
        schedule.step()
        losses.append(loss.item())

    rows = held_out[: len(held_out) // (batch * (length + 1)) * batch * (length + 1)].reshape(-1, batch, length + 1)
    maps: list[core.Tensor] = []
    with ag.no_grad():
        entropy = np.mean([loss_of(parameters, core.from_host(each)).item() for each in rows])
        written = sample(parameters, PROMPT.rjust(length), 40 if arguments.small else 400, alphabet, rng)
        logits(parameters, core.from_host(np.searchsorted(alphabet, [*SHOWN.rjust(length)])[None]), maps)
    counts = {k: counted(text[: len(known)], text[len(known) :], k) for k in contexts}
    draw(arguments.out, losses, rates, counts, maps[-1].to_host()[0, :, -len(SHOWN) :, -len(SHOWN) :], written)
    print(" ".join(written.split()))
    print("cross entropy of held-out characters, in nats:")
    for k, count in counts.items():
        print(f"  frequencies after {k} characters: {count:.3f}")
    print(f"  transformer: {entropy:.3f}")
    if not (off < 1e-5 and entropy < counts[contexts[-1]]):
        raise SystemExit("the attention is wrong, or the transformer no better than counting")


def check(rng: np.random.Generator) -> float:
    """How far the attention is from NumPy's."""
    q, k, v = rng.normal(size=(3, 2, HEADS, 20, 8))
    slope, distance = rng.uniform(size=(HEADS, 1, 1)), np.subtract.outer(np.arange(20), np.arange(20))
    scores = np.where(distance < 0, -np.inf, q @ k.swapaxes(2, 3) / np.sqrt(8) - slope * distance)
    due = np.exp(scores) @ v / np.exp(scores).sum(axis=-1, keepdims=True)
    found = mine.attention(*(core.from_host(each.astype(np.float32)) for each in (q, k, v, slope.ravel())))
    return float(abs(found.to_host() - due).max())


def counted(known: str, held_out: str, context: int) -> float:
    """Cross entropy of a character after `context` others, by frequencies, mixed with those after fewer."""
    tables = [Counter(known[i : i + k] for i in range(len(known) - k)) for k in range(context + 2)]
    entropies = []
    for i in range(context, len(held_out)):
        chance = 1 / len(tables[1])
        for k in range(context + 1):
            before = tables[k][held_out[i - k : i]]
            chance = (tables[k + 1][held_out[i - k : i + 1]] + 5 * chance) / (before + 5)
        entropies.append(-np.log(chance))
    return float(np.mean(entropies))


def sample(p: Parameters, text: str, count: int, alphabet: NDArray[np.str_], rng: np.random.Generator) -> str:
    """The text with more of it drawn from the network, a character at a time."""
    length = len(text)
    for _ in range(count):
        window = core.from_host(np.searchsorted(alphabet, [*text[-length:]])[None])
        scores = logits(p, window).to_host()[0, -1] / TEMPERATURE
        text += alphabet[np.argmax(scores + rng.gumbel(size=len(alphabet)))]
    return text


def draw(
    out: Path, losses: list[float], rates: list[float], counts: dict[int, float], heads: NDArray[np.float32], text: str
) -> None:
    picture = figure(8, 2.9)
    left, middle, right = picture.subplots(1, 3, width_ratios=[1.15, 1, 1.15])
    left.plot(losses, linewidth=0.7)
    left.set(xlabel="step", ylabel="cross entropy (nats)", ylim=(min(0.8, *counts.values()), 3.6), title="training")
    for value in counts.values():
        left.axhline(value, color="gray", linewidth=0.8, linestyle=":")
    left.secondary_yaxis("right").set_yticks([*counts.values()], [f"counts\nafter {k}" for k in counts], fontsize=7)
    rate = left.twinx()
    rate.fill_between(range(len(rates)), rates, color="C1", alpha=0.15, linewidth=0)
    rate.text(len(rates) / 4, max(rates) / 3, "learning rate", color="C1", fontsize=7)
    rate.set(ylim=(0, 4 * max(rates)), yticks=[])

    middle.imshow(np.sqrt(heads[np.argmin(np.trace(heads, axis1=1, axis2=2))]), cmap="Blues")
    middle.set_xticks(range(len(SHOWN)), SHOWN, fontsize=7, family="monospace")
    middle.set_yticks(range(len(SHOWN)), SHOWN, fontsize=7, family="monospace")
    middle.tick_params(length=0, pad=1)
    middle.set(title="what a head looks at", xlabel="looked at", ylabel="looking")

    right.text(0, 1, "\n".join(wrap(" ".join(text.split()), 35)), family="monospace", fontsize=6.5, va="top")
    right.set_title("written by the network")
    right.axis("off")
    save(picture, out, "characters")


if __name__ == "__main__":
    main()
