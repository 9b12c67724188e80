"""Writing by index, order, windows put elsewhere, resampling and products of many: in both spellings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from arrays import HARD, TIES, ZEROS, floats, placed, whole
from both import Case

from netcl import autograd as ag

ROWS = np.array([2, 0, 2, -1])
PLACES = np.array([[0, 2, 1], [3, 2, 0]])


def writing() -> Iterator[Case]:
    x, src = floats(4, 3), floats(2, 3)
    at = torch.tensor(PLACES)
    yield Case(
        "scatter", "distinct", lambda x, s: ag.scatter(x, placed(PLACES[:1]), s, 0),
        lambda x, s: torch.scatter(x, 0, at[:1], s), [x, src[:1]],
    )  # fmt: skip
    yield Case(
        "scatter_add", "repeated", lambda x, s: ag.scatter_add(x, placed(PLACES), s, 0),
        lambda x, s: torch.scatter_add(x, 0, at, s), [x, src],
    )  # fmt: skip
    yield Case(
        "scatter_amax", "repeated", lambda x, s: ag.scatter_amax(x, placed(PLACES), s, 0),
        lambda x, s: torch.scatter_reduce(x, 0, at, s, "amax"), [x, src], orders=1,
    )  # fmt: skip
    ties = np.ones((4, 3)), np.ones((2, 3))
    yield Case(
        "scatter_amax", "ties", lambda x, s: ag.scatter_amax(x, placed(PLACES), s, 0),
        lambda x, s: torch.scatter_reduce(x, 0, at, s, "amax"), ties, orders=1,
    )  # fmt: skip
    yield Case(
        "index_add", "repeated", lambda x, s: ag.index_add(x, placed(ROWS), s),
        lambda x, s: torch.index_add(x, 0, torch.tensor(ROWS % 4), s), [floats(4, 3), floats(4, 3)],
    )  # fmt: skip
    yield Case(
        "index_copy", "distinct", lambda x, s: ag.index_copy(x, placed(ROWS[1:]), s, axis=1),
        lambda x, s: torch.index_copy(x, 1, torch.tensor(ROWS[1:] % 4), s), [floats(2, 4), floats(2, 3)],
    )  # fmt: skip
    rows, columns = np.array([0, 2]), np.array([1, 0])
    for accumulate in (False, True):
        yield Case(
            "index_put", f"{accumulate}",
            lambda x, v, a=accumulate: ag.index_put(x, (placed(rows), placed(columns)), v, a),
            lambda x, v, a=accumulate: torch.index_put(x, (torch.tensor(rows), torch.tensor(columns)), v, a),
            [floats(3, 2, 2), floats(2, 2)],
        )  # fmt: skip
    mask = whole(3, 4, below=2).astype(bool)
    yield Case(
        "masked_select", "mask", lambda x: ag.masked_select(x, placed(mask)),
        lambda x: torch.masked_select(x, torch.tensor(mask)), [floats(3, 4)],
    )  # fmt: skip
    yield Case(
        "index_select", "rows", lambda x: ag.index_select(x, 1, placed(ROWS)),
        lambda x: torch.index_select(x, 1, torch.tensor(ROWS % 4)), [floats(3, 4)],
    )  # fmt: skip
    yield Case(
        "embedding", "padding", lambda w: ag.embedding(w, placed(np.array([0, 1, 1])), padding_idx=1),
        lambda w: F.embedding(torch.tensor([0, 1, 1]), w, padding_idx=1), [floats(3, 2)],
    )  # fmt: skip


def order() -> Iterator[Case]:
    for descending in (False, True):
        for tag, x in (("ties", TIES), ("hard", HARD), ("long", floats(2, 100)), ("one", floats(1))):
            yield Case(
                "sort", f"{tag}-{descending}", lambda x, d=descending: ag.sort(x, descending=d),
                lambda x, d=descending: torch.sort(x, descending=d, stable=True), [x],
            )  # fmt: skip
            yield Case(
                "argsort", f"{tag}-{descending}", lambda x, d=descending: ag.argsort(x, 0, d),
                lambda x, d=descending: torch.argsort(x, dim=0, descending=d, stable=True), [x], orders=0,
            )  # fmt: skip
        yield Case(
            "topk", f"{descending}", lambda x, d=descending: ag.topk(x, 3, 1, d),
            lambda x, d=descending: torch.topk(x, 3, 1, d), [floats(3, 7)],
        )  # fmt: skip
    yield Case("median", "all", ag.median, torch.median, [floats(4, 5)])
    yield Case("median", "hard", lambda x: ag.median(x, 1), lambda x: torch.median(x, 1)[0], [HARD], orders=0)
    yield Case("median", "kept", lambda x: ag.median(x, 0, True), lambda x: torch.median(x, 0, True)[0], [floats(4, 5)])


def resampling() -> Iterator[Case]:
    for size in ((5, 9), (2, 3), (1, 1), (3, 4)):
        shown = "x".join(map(str, size))
        yield Case(
            "interpolate", f"nearest-{shown}", lambda x, s=size: ag.interpolate(x, s),
            lambda x, s=size: F.interpolate(x, s), [floats(2, 2, 3, 4)],
        )  # fmt: skip
        for corners in (False, True):
            yield Case(
                "interpolate", f"bilinear-{shown}-{corners}",
                lambda x, s=size, c=corners: ag.interpolate(x, s, "bilinear", c),
                lambda x, s=size, c=corners: F.interpolate(x, s, mode="bilinear", align_corners=c),
                [floats(2, 2, 3, 4)],
            )  # fmt: skip
    for scale in (2, 0.5, 1.5, (2, 3), (1.37, 0.41), 0.7, (1.05, 2.06), (2.15, 1.13)):
        for shape in ((1, 2, 5, 7), (2, 1, 4, 6)):
            for tag, options in {
                "nearest": {},
                "nearest-recomputed": {"recompute_scale_factor": True},
                "bilinear": {"mode": "bilinear"},
                "corners": {"mode": "bilinear", "align_corners": True},
                "recomputed": {"mode": "bilinear", "recompute_scale_factor": True},
            }.items():
                yield Case(
                    "interpolate", f"by-{scale}-{shape[-1]}-{tag}",
                    lambda x, s=scale, k=options: ag.interpolate(x, scale_factor=s, **k),
                    lambda x, s=scale, k=options: F.interpolate(x, scale_factor=s, **k), [floats(*shape)],
                )  # fmt: skip
    for mode in ("bilinear", "nearest"):
        for beyond in ("zeros", "border", "reflection"):
            for corners in (False, True):
                given: dict[str, Any] = {"mode": mode, "padding_mode": beyond, "align_corners": corners}
                places = np.concatenate(
                    [floats(1, 4, 5, 2) * 1.5, [[[[1, 1], [-1, -1], [0, 0], [1e9, -1e9], [2, 3]]]]], 1
                )
                yield Case(
                    "grid_sample", f"{mode}-{beyond}-{corners}", lambda x, g, k=given: ag.grid_sample(x, g, **k),
                    lambda x, g, k=given: F.grid_sample(x, g, **k), [floats(1, 2, 4, 6), places.astype(np.float64)],
                )  # fmt: skip
    keywords: dict[str, Any] = {"stride": (1, 2), "padding": 1, "dilation": (2, 1)}
    yield Case(
        "unfold", "all", lambda x: ag.unfold(x, (2, 3), **keywords),
        lambda x: F.unfold(x, (2, 3), **keywords), [floats(2, 3, 5, 4)],
    )  # fmt: skip
    yield Case(
        "fold", "all", lambda x: ag.fold(x, (5, 4), (2, 3), **keywords),
        lambda x: F.fold(x, (5, 4), (2, 3), **keywords), [floats(2, 18, 10)],
    )  # fmt: skip
    yield Case(
        "pixel_shuffle", "two", lambda x: ag.pixel_shuffle(x, 2), lambda x: F.pixel_shuffle(x, 2), [floats(2, 8, 2, 3)]
    )
    widths = [(0, 0), (0, 0), (1, 2), (2, 1)]
    for mode in ("reflect", "replicate", "circular"):
        yield Case(
            "pad", mode, lambda x, m=mode: ag.pad(x, widths, m),
            lambda x, m=mode: F.pad(x, (2, 1, 1, 2), mode=m), [floats(2, 1, 3, 4)],
        )  # fmt: skip
    for offset in (-1, 0, 2):
        yield Case(
            "diagonal", f"{offset}", lambda x, o=offset: ag.diagonal(x, o, 0, 2),
            lambda x, o=offset: torch.diagonal(x, o, 0, 2), [floats(3, 2, 4)],
        )  # fmt: skip
        yield Case(
            "diag_embed", f"{offset}", lambda x, o=offset: ag.diag_embed(x, o),
            lambda x, o=offset: torch.diag_embed(x, o), [floats(2, 3)],
        )  # fmt: skip
    images = (floats(1, 2, 5, 6), floats(2, 1, 4, 7))
    for tag, options in {
        "ceil": {"stride": 2, "ceil_mode": True},
        "ceil-padded": {"stride": 3, "padding": 1, "ceil_mode": True},
        "ceil-overlapping": {"stride": 2, "padding": 1, "ceil_mode": True},
    }.items():
        for at, x in enumerate(images):
            yield Case(
                "max_pool2d", f"{tag}-{at}", lambda x, k=options: ag.max_pool2d(x, 3, **k),
                lambda x, k=options: F.max_pool2d(x, 3, **k), [x],
            )  # fmt: skip
            for count in (True, False):
                yield Case(
                    "avg_pool2d", f"{tag}-{at}-{count}",
                    lambda x, k=options, c=count: ag.avg_pool2d(x, 3, count_include_pad=c, **k),
                    lambda x, k=options, c=count: F.avg_pool2d(x, 3, count_include_pad=c, **k), [x],
                )  # fmt: skip


def many() -> Iterator[Case]:
    specs = {
        "ij,jk->ik": [(2, 3), (3, 4)], "ii->i": [(3, 3)], "...ij,...jk": [(2, 1, 3, 4), (5, 4, 2)],
        "ij,jk,kl->il": [(2, 3), (3, 4), (4, 2)], "abc,cba->": [(2, 3, 4), (4, 3, 2)],
    }  # fmt: skip
    for spec, shapes in specs.items():
        yield Case(
            "einsum", spec, lambda *xs, s=spec: ag.einsum(s, *xs), lambda *xs, s=spec: torch.einsum(s, *xs),
            [floats(*shape) for shape in shapes],
        )  # fmt: skip
    three = [floats(5), floats(2, 3, 4), floats(2, 4, 5)]
    yield Case(
        "addmm", "batches", lambda c, a, b: ag.baddbmm(c, a, b, 0.5, 2.0),
        lambda c, a, b: torch.baddbmm(c, a, b, beta=0.5, alpha=2.0), three,
    )  # fmt: skip
    yield Case("bilinear", "plain", ag.bilinear, F.bilinear, [floats(2, 3), floats(2, 4), floats(5, 3, 4), floats(5)])
    yield Case(
        "conv3d", "strided", lambda x, w, b: ag.conv3d(x, w, b, stride=(1, 2, 1), padding=1),
        lambda x, w, b: F.conv3d(x, w, b, stride=(1, 2, 1), padding=1),
        [floats(1, 2, 3, 4, 3), floats(2, 2, 2, 3, 2), floats(2)],
    )  # fmt: skip
    options = {"stride": 2, "padding": 1, "output_padding": 1, "groups": 2, "dilation": 2}
    yield Case(
        "conv_transpose1d", "all", lambda x, w, b: ag.conv_transpose1d(x, w, b, **options),
        lambda x, w, b: F.conv_transpose1d(x, w, b, **options), [floats(2, 4, 3), floats(4, 3, 3), floats(6)],
    )  # fmt: skip
    yield Case(
        "conv2d_relu", "padded", lambda x, w, b: ag.conv2d_relu(x, w, b, padding=1),
        lambda x, w, b: F.relu(F.conv2d(x, w, b, padding=1)), [floats(1, 2, 4, 3), floats(3, 2, 3, 2), floats(3)],
    )  # fmt: skip
    yield Case(
        "batch_norm2d_relu", "training", ag.batch_norm2d_relu,
        lambda x, w, b: F.relu(F.batch_norm(x, None, None, w, b, True)), [floats(2, 3, 2, 2), floats(3), floats(3)],
    )  # fmt: skip
    for name in ("cumsum", "cumprod", "cummax", "cummin", "logcumsumexp"):
        extremes = [("ties", TIES), ("hard", HARD)] if name in ("cummax", "cummin") else []
        zeros = [("zeros", ZEROS)] if name in ("cumsum", "cumprod") else []
        for tag, x in (("array", floats(3, 5)), *zeros, *extremes):
            yield Case(
                name, tag, lambda x, n=name: getattr(ag, n)(x, 1), lambda x, n=name: getattr(torch, n)(x, 1), [x]
            )
    yield Case("transpose", "axes", lambda x: ag.transpose(x, 0, 2), lambda x: x.transpose(0, 2), [floats(2, 3, 4)])
    yield Case("fma", "plain", ag.fma, lambda a, b, c: a * b + c, [floats(3, 4), floats(4), floats(3, 1)])
    yield Case(
        "safe_log", "clamped", lambda x: ag.safe_log(x, 0.5), lambda x: torch.log(torch.clamp(x, min=0.5)),
        [floats(3, 4, low=0.1)],
    )  # fmt: skip
    signs = np.array([[1.0], [-1.0]])
    yield Case(
        "hinge_loss", "mean", lambda x: ag.hinge_loss(x, placed(signs)),
        lambda x: torch.relu(1 - x * torch.tensor(signs)).mean(), [floats(2, 3)],
    )  # fmt: skip
    for correction in (0, 1):
        yield Case(
            "var_mean", f"{correction}", lambda x, c=correction: ag.var_mean(x, 1, c),
            lambda x, c=correction: torch.var_mean(x, 1, correction=c), [floats(3, 4)],
        )  # fmt: skip
