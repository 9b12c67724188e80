"""Products of matrices and more at random."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from drawing import SIZES, Draw, Drawn

from netcl import autograd as ag


def product(draw: Draw) -> Drawn:
    batch = draw.shape(0, 2)
    n, k, m = (draw.choice(SIZES) for _ in range(3))
    first, second = (*draw.part(batch), n, k), (*draw.part(batch), k, m)
    if draw.chance(0.15):
        first = (k,)
    if draw.chance(0.15):
        second = (k,)
    return "matmul", ag.matmul, torch.matmul, [draw.floats(*first), draw.floats(*second)], 2


def products(draw: Draw) -> Drawn:
    name = draw.choice(("bmm", "outer", "vecdot", "linear", "linear_relu", "addmm", "bilinear", "tensordot",
                        "cosine_similarity", "trace", "attention", "einsum"))  # fmt: skip
    b, n, k, m = (draw.choice(SIZES) for _ in range(4))
    if name == "bmm":
        return name, ag.bmm, torch.bmm, [draw.floats(b, n, k), draw.floats(b, k, m)], 2
    if name == "outer":
        return name, ag.outer, torch.outer, [draw.floats(n), draw.floats(m)], 2
    if name == "vecdot":
        shapes = draw.broadcast(2, 0, 2)
        return name, ag.vecdot, torch.linalg.vecdot, [draw.floats(*each, k) for each in shapes], 2
    if name in ("linear", "linear_relu"):
        xs = [draw.floats(*draw.shape(0, 2), k), draw.floats(m, k), draw.floats(m)][: draw.choice((2, 3))]
        theirs = F.linear if name == "linear" else lambda *xs: F.relu(F.linear(*xs))
        return name, getattr(ag, name), theirs, xs, 2
    if name == "addmm":
        c = draw.floats(*draw.part((n, m)))
        beta, alpha = draw.choice((0, 1, 0.5)), draw.choice((1, 2.0, -1))
        return (
            name,
            lambda c, x, y: ag.addmm(c, x, y, beta=beta, alpha=alpha),
            lambda c, x, y: torch.addmm(c, x, y, beta=beta, alpha=alpha),
            [c, draw.floats(n, k), draw.floats(k, m)],
            2,
        )
    if name == "bilinear":
        xs = [draw.floats(n, k), draw.floats(n, m), draw.floats(b, k, m), draw.floats(b)][: draw.choice((3, 4))]
        return name, ag.bilinear, F.bilinear, xs, 2
    if name == "tensordot":
        count = draw.choice((0, 1, 2))
        shared = draw.shape(count, count)
        return (
            name,
            lambda x, y: ag.tensordot(x, y, count),
            lambda x, y: torch.tensordot(x, y, count),
            [draw.floats(*draw.shape(0, 2), *shared), draw.floats(*shared, *draw.shape(0, 2))],
            2,
        )
    if name == "cosine_similarity":
        shape = draw.shape(1, 3)
        axis = draw.axis(len(shape))
        return (
            name,
            lambda x, y: ag.cosine_similarity(x, y, axis=axis),
            lambda x, y: F.cosine_similarity(x, y, dim=axis),
            [draw.floats(*shape, low=0.2), draw.floats(*shape, low=0.2)],
            2,
        )
    if name == "trace":
        return name, ag.trace, torch.trace, [draw.floats(n, m)], 2
    if name == "attention":
        causal, batch = draw.chance(0.4), draw.shape(0, 2)
        m = n if causal else m
        return (
            (
                name,
                lambda q, k, v: ag.attention(q, k, v, causal=causal),
                lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=causal),
                [
                    draw.floats(*batch, n, k or 1),
                    draw.floats(*batch, m or 1, k or 1),
                    draw.floats(*batch, m or 1, b or 1),
                ],
                2,
            )
            if not causal or n
            else products(draw)
        )
    letters = {each: draw.choice(SIZES) for each in "abcd"}
    parts = ["".join(draw.rng.sample("abcd", draw.rng.randint(0, 3))) for _ in range(draw.choice((1, 2, 2, 3)))]
    there = sorted(set("".join(parts)))
    text = ",".join(parts) + "->" + "".join(draw.rng.sample(there, draw.rng.randint(0, len(there))))
    xs = [draw.floats(*(letters[each] for each in part)) for part in parts]
    return name, lambda *xs: ag.einsum(text, *xs), lambda *xs: torch.einsum(text, *xs), xs, 2
