"""Optimal transport: a cloud of points in the shape of a sum sign flows into an integral sign.

The cloud descends the Sinkhorn divergence to the other one, which is the cost of entropic transport less its bias
(Feydy and others, Interpolating between optimal transport and MMD using Sinkhorn divergences, AISTATS 2019). Its core
is an op of its own, a softened minimum over all pairs in log space. There is never a table of pairs, and the gradient
by the points follows from the formula. SciPy's exact assignment says how good the gradient and the flow are.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath
from numpy.typing import NDArray
from rich.progress import track
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from shown import figure, options, save

from netcl import autograd as ag
from netcl import core, kernels

Floats = NDArray[np.float32]
Values = ag.Node | core.Tensor
BLUR = 2e-4  # a cost: ways that differ by less are about as good as each other
RATE = 0.25
STEPS = 20

transport = kernels.compile('''
"""Softened minimum over j of the cost of a way from x to y less the price that y pays, all y weighing the same."""
op soft_minimum(x[i, d]: float, y[j, d]: float, price[j]: float; blur: float) -> f[i] {
    score[i, j] = (price - sum[d]((x - y) ^ 2) / 2) / blur;
    top[i] = detach(max[j](score));
    f = -blur * (top + log(sum[j](exp(score - top)) / size[j]));
}
''')
soft_minimum = transport.soft_minimum


def shape(letter: str, count: int, rng: np.random.Generator) -> Floats:
    """Points drawn evenly from the inside of a letter of unit height."""
    path = TextPath((0, 0), letter, size=100, prop=FontProperties("DejaVu Sans"))
    low, high = path.get_extents().get_points()
    points = rng.uniform(low, high, (40 * count, 2))
    points = points[path.contains_points(points)][:count]
    return ((points - (low + high) / 2) / (high - low)[1]).astype(np.float32)


def prices_within(x: core.Tensor, p: core.Tensor, blurs: list[float]) -> core.Tensor:
    """Optimal prices of ways from x to itself."""
    for blur in blurs:
        p = (p + soft_minimum(x, x, p, blur=blur)) / 2
    return p


def prices_between(x: core.Tensor, y: core.Tensor, g: core.Tensor, blurs: list[float]) -> core.Tensor:
    """Optimal prices at y of ways from x to y: Sinkhorn's iterations, which go to and fro."""
    for blur in blurs:
        g = soft_minimum(y, x, soft_minimum(x, y, g, blur=blur), blur=blur)
    return g


def divergence(x: Values, y: core.Tensor, g: core.Tensor, p: core.Tensor, q: core.Tensor) -> Values:
    """The Sinkhorn divergence. Its prices are optimal, so that it has a slope only where x is written out."""
    along_x = soft_minimum(x, y, g, blur=BLUR) - soft_minimum(x, x.detach(), p, blur=BLUR)
    return along_x.mean() + (g - q).mean()


def main() -> None:
    arguments = options(__doc__)
    count = 600 if arguments.small else 2_500
    rng = np.random.default_rng(0)
    start, due = shape("\N{N-ARY SUMMATION}", count, rng), shape("\N{INTEGRAL}", count, rng)
    x, y, nothing = core.from_host(start), core.from_host(due), core.zeros(count)
    best, places = assignment(start, due)

    cooling = [*np.geomspace(0.5, BLUR, 30).tolist(), *[BLUR] * 20]
    g = prices_between(x, y, nothing, cooling)
    p, q = prices_within(x, nothing, cooling), prices_within(y, nothing, cooling)
    value, slope = ag.value_and_grad(divergence)(x, y, g, p, q)
    print(f"cost of transport: {best:.5f}, Sinkhorn divergence: {value.item():.5f}, ratio {value.item() / best:.3f}")
    ways = due[places] - start
    off = np.linalg.norm(count * slope.to_host() + ways) / np.linalg.norm(ways)
    print(f"gradient: {off:.1%} from the ways of the exact assignment")

    clouds, values = [start], [value.item()]
    for _ in track(range(STEPS), "flowing", disable=not sys.stderr.isatty()):
        x = x - RATE * count * slope
        # On a straight way to y, the best prices at y shrink as what is left of the way does.
        g, p = prices_between(x, y, (1 - RATE) * g, [BLUR] * 10), prices_within(x, p, [BLUR] * 5)
        value, slope = ag.value_and_grad(divergence)(x, y, g, p, q)
        clouds.append(x.to_host())
        values.append(value.item())
    draw(arguments.out, clouds, values, best)
    left = assignment(clouds[-1], due)[0] / best
    moved = np.mean(np.sum((clouds[-1] - start) ** 2, axis=1)) / 2 / best
    print(f"after {STEPS} steps: {left:.2%} of the cost left, the points' ways cost {moved:.3f} of the best")
    if not (abs(values[0] / best - 1) < 0.03 and off < 0.15 and left < 0.01 and abs(moved - 1) < 0.05):
        raise SystemExit("the flow is not that of optimal transport")


def assignment(x: Floats, y: Floats) -> tuple[np.float64, NDArray[np.int64]]:
    """The mean cost of the best way to send each x to a y of its own, and which."""
    cost = cdist(x, y, "sqeuclidean") / 2
    rows, columns = linear_sum_assignment(cost)
    return cost[rows, columns].mean(), columns


def draw(out: Path, clouds: list[Floats], values: list[float], best: np.float64) -> None:
    picture = figure(8, 2.1)
    shown = (0, 2, 4, 7, STEPS)
    panels = picture.subplots(1, len(shown) + 1, width_ratios=[1] * len(shown) + [1.8])
    for axes, k in zip(panels[:-1], shown, strict=True):
        axes.scatter(*clouds[k].T, c=clouds[0][:, 1], s=2500 / len(clouds[k]), cmap="turbo", linewidths=0)
        axes.set(title="start" if k == 0 else f"step {k}", xlim=(-0.4, 0.4), ylim=(-0.52, 0.52), aspect="equal")
        axes.axis("off")
    panels[-1].semilogy(values, "o-", markersize=3)
    panels[-1].axhline(best, color="C1", linestyle="--", linewidth=1)
    panels[-1].text(STEPS, best, "exact cost at the start", color="C1", ha="right", va="bottom", fontsize=8)
    panels[-1].set(xlabel="step", title="Sinkhorn divergence", ylim=(None, 8 * best))
    save(picture, out, "transport")


if __name__ == "__main__":
    main()
