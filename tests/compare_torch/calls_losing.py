"""Losses, dtypes and broadcasting, in both spellings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from arrays import HARD, LARGE, MASKED, Array, floats, placed, whole
from both import Case

from netcl import autograd as ag


def losses() -> Iterator[Case]:
    for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "kl_div"):
        for reduction in ("mean", "sum"):
            for tag, shape in (("array", (3, 4)), ("0-d", ()), ("nothing", (0,))):
                y = floats(*shape, low=0.1, high=1)
                yield Case(
                    name,
                    f"{reduction}-{tag}",
                    lambda x, y, n=name, r=reduction: getattr(ag, n)(x, y, reduction=r),
                    lambda x, y, n=name, r=reduction: getattr(F, n)(x, y, reduction=r),
                    [floats(*shape), y],
                )
    for reduction in ("mean", "sum"):
        yield Case(
            "bce_loss",
            reduction,
            lambda x, y, r=reduction: ag.bce_loss(x, y, reduction=r),
            lambda x, y, r=reduction: F.binary_cross_entropy(x, y, reduction=r),
            [floats(3, 4, low=0.1, high=0.9), floats(3, 4, low=0, high=1)],
        )
        yield Case(
            "bce_with_logits",
            reduction,
            lambda x, y, r=reduction: ag.bce_with_logits(x, y, reduction=r),
            lambda x, y, r=reduction: F.binary_cross_entropy_with_logits(x, y, reduction=r),
            [floats(3, 4), floats(3, 4, low=0, high=1)],
        )
        weight = floats(4, low=0.5, high=2)
        yield Case(
            "bce_with_logits",
            f"{reduction}-weight",
            lambda x, y, r=reduction, w=weight: ag.bce_with_logits(x, y, placed(w), reduction=r),
            lambda x, y, r=reduction, w=weight: F.binary_cross_entropy_with_logits(
                x, y, pos_weight=torch.tensor(w), reduction=r
            ),
            [floats(3, 4), floats(3, 4, low=0, high=1)],
        )
    weights = floats(3, 1, low=0.5, high=2), floats(4, low=0.5, high=2)
    for reduction in ("mean", "sum", "none"):
        yield Case(
            "bce_with_logits",
            f"{reduction}-weights",
            lambda x, y, r=reduction: ag.bce_with_logits(x, y, placed(weights[1]), r, placed(weights[0])),
            lambda x, y, r=reduction: F.binary_cross_entropy_with_logits(
                x, y, torch.tensor(weights[0]), pos_weight=torch.tensor(weights[1]), reduction=r
            ),
            [floats(3, 4), floats(3, 4, low=0, high=1)],
        )
    weight = floats(4, low=0.5, high=2)
    images = whole(2, 3, 2, below=4)
    classes = {"plain": np.array([0, 3, 1]), "ignored": np.array([-100, 2, -100]), "all-ignored": np.full(3, -100)}
    for reduction in ("mean", "sum", "none"):
        for tag, target in classes.items():
            for how, keywords in {
                "": {},
                "-weight": {"weight": weight},
                "-smooth": {"label_smoothing": 0.2},
                "-both": {"weight": weight, "label_smoothing": 0.2},
            }.items():
                ours = lambda x, t=target, k=keywords, r=reduction: ag.cross_entropy(
                    x, placed(t), reduction=r, **_with(k, placed)
                )
                theirs = lambda x, t=target, k=keywords, r=reduction: F.cross_entropy(
                    x, torch.tensor(t), reduction=r, **_with(k, torch.tensor)
                )
                yield Case("cross_entropy", f"{reduction}-{tag}{how}", ours, theirs, [floats(3, 4)])
            for how, keywords in {"": {}, "-weight": {"weight": weight}}.items():
                ours = lambda x, t=target, k=keywords, r=reduction: ag.nll_loss(
                    x, placed(t), reduction=r, **_with(k, placed)
                )
                theirs = lambda x, t=target, k=keywords, r=reduction: F.nll_loss(
                    x, torch.tensor(t), reduction=r, **_with(k, torch.tensor)
                )
                yield Case("nll_loss", f"{reduction}-{tag}{how}", ours, theirs, [floats(3, 4)])
        yield Case(
            "cross_entropy",
            f"{reduction}-images",
            lambda x, r=reduction: ag.cross_entropy(x, placed(images), reduction=r),
            lambda x, r=reduction: F.cross_entropy(x, torch.tensor(images), reduction=r),
            [floats(2, 4, 3, 2)],
        )
    for tag, logits in (("large", LARGE), ("masked", MASKED), ("hard", HARD[:3, :3])):
        yield Case(
            "cross_entropy",
            tag,
            lambda x: ag.cross_entropy(x, placed(np.array([0, 1, 2])), reduction="none"),
            lambda x: F.cross_entropy(x, torch.tensor([0, 1, 2]), reduction="none"),
            [logits],
        )


def ranking() -> Iterator[Case]:
    """Losses of pairs and triples, and those with probabilities."""
    signs = np.array([1.0, -1.0, 1.0])
    rows = [floats(3, 4), floats(3, 4), floats(3, 4)]
    for reduction in ("mean", "sum", "none"):
        keywords = {"reduction": reduction}
        pairs: dict[str, tuple[str, list[Array], dict[str, Any]]] = {
            "hinge_embedding_loss": ("hinge_embedding_loss", [floats(3), signs], {"margin": 0.5}),
            "margin_ranking_loss": ("margin_ranking_loss", [floats(3), floats(3), signs], {"margin": 0.1}),
            "cosine_embedding_loss": ("cosine_embedding_loss", [*rows[:2], signs], {"margin": 0.1}),
            "triplet_margin_loss": ("triplet_margin_loss", rows, {"margin": 2.0}),
            "gaussian_nll_loss": ("gaussian_nll_loss", [*rows[:2], floats(3, 4, low=0.5)], {"full": True}),
            "poisson_nll_loss": ("poisson_nll_loss", [rows[0], floats(3, 4, low=0.5, high=4)], {"full": True}),
            "kl_div": ("kl_div", rows[:2], {"log_target": True}),
        }
        for name, (other, inputs, options) in pairs.items():
            yield Case(
                name,
                f"{reduction}-options",
                lambda *xs, n=name, k={**options, **keywords}: getattr(ag, n)(*xs, **k),
                lambda *xs, n=other, k={**options, **keywords}: getattr(F, n)(*xs, **k),
                [each for each in inputs if each is not signs] + [each for each in inputs if each is signs],
                orders=1,
            )
        for degree in (1, 1.5, 2, 3, np.inf):
            for swap in (False, True):
                given = {"p": degree, "swap": swap, "margin": 1.5, **keywords}
                yield Case(
                    "triplet_margin_loss",
                    f"{reduction}-{degree}-{swap}",
                    lambda *xs, k=given: ag.triplet_margin_loss(*xs, **k),
                    lambda *xs, k=given: F.triplet_margin_loss(*xs, **k),
                    rows,
                )
        yield Case(
            "soft_margin_loss",
            reduction,
            lambda x, k=keywords: ag.soft_margin_loss(x, placed(signs), **k),
            lambda x, k=keywords: F.soft_margin_loss(x, torch.tensor(signs), **k),
            [floats(3)],
        )
        shares = floats(3, 4, low=0.1, high=1)
        for tag, options in {"plain": {}, "smooth": {"label_smoothing": 0.2}}.items():
            yield Case(
                "cross_entropy",
                f"{reduction}-probabilities-{tag}",
                lambda x, y, k={**options, **keywords}: ag.cross_entropy(x, y, **k),
                lambda x, y, k={**options, **keywords}: F.cross_entropy(x, y, **k),
                [floats(3, 4), shares],
            )


def _with(keywords: dict[str, Any], place: Callable[[Array], Any]) -> dict[str, Any]:
    return {key: place(value) if isinstance(value, np.ndarray) else value for key, value in keywords.items()}


def held() -> Iterator[Case]:
    """A logit of what is held away from 0 and 1, on both sides and at the ends of where it is held."""
    hold = lambda eps: (lambda x: ag.logit(x, eps), lambda x: torch.logit(x, eps))
    for eps in (0.125, 0.0, 1e-6):
        yield Case("logit", f"held-{eps}", *hold(eps), [np.array([-0.5, 0.125, 0.1, 0.3, 0.5, 0.875, 1.5])])
    yield Case("logit", "held-ends", *hold(0.125), [np.array([0.0, 1.0, np.inf, -np.inf])])
    yield Case("logit", "held-nan", *hold(0.125), [np.array([np.nan, 0.5])])


def integers() -> Iterator[Case]:
    number = np.array([0, 1, -1, 2, -2, 3, 7, -7, 100])
    x, y = (each.ravel().copy() for each in np.meshgrid(number, number, indexing="ij"))
    divisor = np.where(y == 0, 3, y)
    names = ("add", "sub", "mul", "maximum", "minimum", "eq", "lt", "ge")
    for dtype in ("int64", "int32"):
        for name in names:
            yield Case(name, dtype, getattr(ag, name), getattr(torch, name), [x.astype(dtype), y.astype(dtype)])
        for name in ("floor_divide", "remainder", "fmod", "div"):
            yield Case(name, dtype, getattr(ag, name), getattr(torch, name), [x.astype(dtype), divisor.astype(dtype)])
        for name in ("neg", "abs", "sign", "square", "relu"):
            yield Case(name, dtype, getattr(ag, name), getattr(torch, name), [number.astype(dtype)])
        yield Case("pow", dtype, ag.pow, torch.pow, [x.astype(dtype), np.abs(y % 8).astype(dtype)])
        yield Case(
            "clamp", dtype, lambda x: ag.clamp(x, -2, 3), lambda x: torch.clamp(x, -2, 3), [number.astype(dtype)]
        )
        for name in ("sqrt", "exp", "sigmoid"):
            yield Case(name, dtype, getattr(ag, name), getattr(torch, name), [np.abs(number[:7]).astype(dtype)])
    truth = np.array([True, False, True, False])
    other = np.array([True, True, False, False])
    for name in ("logical_and", "logical_or", "eq", "ne"):
        yield Case(name, "bool", getattr(ag, name), getattr(torch, name), [truth, other])
    yield Case("logical_not", "bool", ag.logical_not, torch.logical_not, [truth])
    mixed = {
        "int64-float32": ("int64", "float32"),
        "bool-int32": ("bool", "int32"),
        "uint8-int32": ("uint8", "int32"),
        "int32-int64": ("int32", "int64"),
        "float32-float64": ("float32", "float64"),
        "bool-float32": ("bool", "float32"),
    }
    for tag, (first, second) in mixed.items():
        for name in ("add", "mul", "div", "maximum", "gt"):
            yield Case(
                name,
                tag,
                getattr(ag, name),
                getattr(torch, name),
                [whole(5).astype(first), (whole(5) + 1).astype(second)],
            )
    yield Case(
        "where",
        "dtypes",
        lambda a, b: ag.where(a > 1, a, b),
        lambda a, b: torch.where(a > 1, a, b),
        [whole(5).astype("int32"), floats(5)],
    )


def broadcasting() -> Iterator[Case]:
    shapes = {
        "0-d": ((), (3, 4)),
        "row": ((4,), (3, 4)),
        "column": ((3, 1), (1, 4)),
        "nothing": ((0, 4), (1, 4)),
        "missing": ((2, 1, 4), (3, 1)),
        "both-0-d": ((), ()),
    }
    for name in ("add", "sub", "mul", "div", "pow", "maximum", "logaddexp", "atan2"):
        for tag, (a, b) in shapes.items():
            yield Case(name, tag, getattr(ag, name), getattr(torch, name), [floats(*a, low=0.5), floats(*b, low=0.5)])
    yield Case("lerp", "tensors", ag.lerp, torch.lerp, [floats(3, 1), floats(1, 4), floats(4)])
    yield Case(
        "where",
        "broadcast",
        lambda a, b: ag.where(placed(np.array([[True], [False]])), a, b),
        lambda a, b: torch.where(torch.tensor([[True], [False]]), a, b),
        [floats(3), floats(2, 1)],
    )
    yield Case(
        "addcmul",
        "broadcast",
        lambda c, a, b: ag.addcmul(c, a, b, value=0.5),
        lambda c, a, b: torch.addcmul(c, a, b, value=0.5),
        [floats(3), floats(2, 1), floats(1, 3)],
    )
    yield Case(
        "prelu", "per-channel", lambda x, w: ag.prelu(x, ag.reshape(w, (3, 1))), F.prelu, [floats(2, 3, 4), floats(3)]
    )
    yield Case("clamp", "tensors", ag.clamp, torch.clamp, [floats(3, 4), np.full(4, -0.5), np.full((3, 1), 0.5)])
