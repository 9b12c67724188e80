"""Losses and normalizations at random."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from arrays import placed
from drawing import SIZES, WORDS, Call, Draw, Drawn

from netcl import autograd as ag


def loss(draw: Draw) -> Drawn:
    names = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "kl_div", "bce_loss", "bce_with_logits",
             "gaussian_nll_loss", "poisson_nll_loss", "hinge_embedding_loss", "margin_ranking_loss",
             "cosine_embedding_loss", "triplet_margin_loss", "soft_margin_loss")  # fmt: skip
    name, reduction = draw.choice(names), draw.choice(WORDS)
    shape = draw.shape(0, 3)
    x, y = draw.floats(*shape), draw.floats(*shape)
    options: dict[str, Any] = {"reduction": reduction}
    inputs, theirs = [x, y], name
    signs = np.where(draw.floats(*shape) > 0, 1.0, -1.0)
    if name in ("bce_loss", "bce_with_logits"):
        theirs = {"bce_loss": "binary_cross_entropy", "bce_with_logits": "binary_cross_entropy_with_logits"}[name]
        inputs = [
            draw.floats(*shape, low=0.1, high=0.9) if name == "bce_loss" else x,
            draw.floats(*shape, low=0, high=1),
        ]
    elif name == "kl_div":
        options["log_target"] = draw.chance(0.5)
        inputs[1] = y if options["log_target"] else draw.floats(*shape, low=0.1, high=1)
    elif name == "smooth_l1_loss":
        options["beta"] = draw.choice((1.0, 0.5, 0.0))
    elif name == "huber_loss":
        options["delta"] = draw.choice((1.0, 0.5))
    elif name == "gaussian_nll_loss":
        options["full"] = draw.chance(0.5)
        inputs.append(draw.floats(*shape, low=0.5))
    elif name == "poisson_nll_loss":
        options |= {"full": draw.chance(0.5), "log_input": draw.chance(0.5)}
        inputs = [draw.floats(*shape, low=0.2), draw.floats(*shape, low=0.5, high=4)]
    elif name == "hinge_embedding_loss":
        options["margin"] = draw.choice((1.0, 0.5))
        inputs[1] = signs
    elif name == "margin_ranking_loss":
        options["margin"] = draw.choice((0.0, 0.3))
        inputs.append(signs)
    elif name == "soft_margin_loss":
        inputs[1] = signs
    elif name == "cosine_embedding_loss":
        n, d = draw.choice(SIZES), draw.rng.randint(1, 5)
        inputs = [draw.floats(n, d, low=0.2), draw.floats(n, d), np.where(draw.floats(n) > 0, 1.0, -1.0)]
        options["margin"] = draw.choice((0.0, 0.4))
    elif name == "triplet_margin_loss":
        n, d = draw.choice(SIZES), draw.rng.randint(1, 5)
        inputs = [draw.floats(n, d) for _ in range(3)]
        options["margin"] = draw.choice((1.0, 2.0))
    return (
        name,
        lambda *xs: getattr(ag, name)(*xs, **options),
        lambda *xs: getattr(F, theirs)(*xs, **options),
        inputs,
        1,
    )


def classes(draw: Draw) -> Drawn:
    name, reduction = draw.choice(("cross_entropy", "nll_loss")), draw.choice(WORDS)
    n, c = draw.choice(SIZES), draw.rng.randint(1, 6)
    rest = draw.shape(0, 2)
    x = draw.floats(n, c, *rest)
    target = draw.whole(n, *rest, below=c)
    ignored = draw.choice((-100, 0, 1))
    if draw.chance(0.4):
        target = np.where(draw.floats(n, *rest) > 1, ignored, target)
    ours: dict[str, Any] = {"reduction": reduction, "ignore_index": ignored}
    theirs = dict(ours)
    if draw.chance(0.4):
        weight = draw.floats(c, low=0.3)
        ours["weight"], theirs["weight"] = weight, weight
    if name == "cross_entropy" and draw.chance(0.4):
        ours["label_smoothing"] = theirs["label_smoothing"] = draw.choice((0.1, 0.5))

    def with_weight(options: dict[str, Any], place: Call, like: Any) -> dict[str, Any]:
        return {key: place(value.astype(like)) if key == "weight" else value for key, value in options.items()}

    return (
        name,
        lambda x: getattr(ag, name)(x, placed(target), **with_weight(ours, placed, _dtype(x))),
        lambda x: getattr(F, name)(x, torch.tensor(target), **with_weight(theirs, torch.tensor, _dtype(x))),
        [x],
        2,
    )


def _dtype(x: Any) -> str:
    return str(x.dtype).removeprefix("torch.")


def normalization(draw: Draw) -> Drawn:
    name = draw.choice(("layer_norm", "rms_norm", "group_norm", "instance_norm", "batch_norm"))
    eps = draw.choice((1e-5, 1e-3))
    many = draw.choice((0, 1, 2, 2))
    if name in ("layer_norm", "rms_norm"):
        shape = draw.shape(1, 3, empty=False)
        count = draw.rng.randint(1, len(shape)) if name == "layer_norm" else 1
        own = shape[len(shape) - count :]
        weights = [draw.floats(*own), draw.floats(*own)][: many if name == "layer_norm" else min(many, 1)]
        theirs = getattr(F, name)
        keyword = {"ndim": count} if name == "layer_norm" else {}
        return (
            name, lambda x, *w: getattr(ag, name)(x, *w, eps=eps, **keyword),
            lambda x, *w: theirs(x, own, *w, eps=eps), [draw.floats(*shape), *weights], 2,
        )  # fmt: skip
    groups = draw.choice((1, 2, 3))
    channels = groups * draw.choice((1, 2))
    shape = (draw.rng.randint(1, 3), channels, *draw.sizes(draw.choice((1, 2)), 4))
    x, weights = draw.floats(*shape), [draw.floats(channels), draw.floats(channels)][:many]
    if name == "group_norm":
        return (
            name, lambda x, *w: ag.group_norm(x, *w, groups=groups, eps=eps),
            lambda x, *w: F.group_norm(x, groups, *w, eps=eps), [x, *weights], 2,
        )  # fmt: skip
    if name == "instance_norm":
        return name, lambda x: ag.instance_norm(x, eps=eps), lambda x: F.instance_norm(x, eps=eps), [x], 2
    return (
        name, lambda x, *w: ag.batch_norm(x, *w, eps=eps),
        lambda x, *w: F.batch_norm(x, None, None, *w, training=True, eps=eps), [x, *weights], 2,
    )  # fmt: skip
