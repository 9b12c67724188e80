"""Convolutions, pooling, resampling and padding at random."""

from __future__ import annotations

import math
from typing import Any

import torch.nn.functional as F  # noqa: N812
from drawing import Draw, Drawn

from netcl import autograd as ag


def convolution(draw: Draw) -> Drawn:
    nd = draw.choice((1, 2, 2, 3))
    name = draw.choice((f"conv{nd}d", *([f"conv_transpose{nd}d"] if nd < 3 else ())))
    groups = draw.choice((1, 1, 2, 3))
    into, out = draw.rng.randint(1, 3), draw.rng.randint(1, 2)
    window = draw.sizes(nd, 3)
    dilation, stride = draw.sizes(nd, 2), draw.sizes(nd, 3)
    padding = [draw.rng.randint(0, 2) for _ in range(nd)]
    size = [draw.rng.randint(1, 7 if nd < 3 else 4) for _ in range(nd)]
    if nd == 1 or draw.chance(0.5):
        window, dilation, stride, padding = ([each[0]] * nd for each in (window, dilation, stride, padding))
        options: dict[str, Any] = {"dilation": dilation[0], "stride": stride[0], "padding": padding[0]}
    else:
        options = {"dilation": tuple(dilation), "stride": tuple(stride), "padding": tuple(padding)}
    options["groups"] = groups
    x = draw.floats(draw.choice((0, 1, 2, 3)), into * groups, *size)
    if "transpose" in name:
        w = draw.floats(into * groups, out, *window)
        if draw.chance(0.4):
            options["output_padding"] = draw.rng.randint(0, 1)
    else:
        w = draw.floats(out * groups, into, *window)
    xs = [x, w, draw.floats(out * groups)][: draw.choice((2, 3))]
    return name, lambda *xs: getattr(ag, name)(*xs, **options), lambda *xs: getattr(F, name)(*xs, **options), xs, 2


def pooling(draw: Draw) -> Drawn:
    nd = draw.choice((1, 2))
    name = draw.choice((f"max_pool{nd}d", f"avg_pool{nd}d"))
    kernel = [draw.rng.randint(1, 4) for _ in range(nd)]
    padding = [draw.rng.randint(0, each // 2) for each in kernel]
    stride = draw.sizes(nd, 3)
    size = [draw.rng.randint(1, 8) for _ in range(nd)]
    pick = (lambda each: each[0]) if nd == 1 else tuple
    options: dict[str, Any] = {"stride": pick(stride), "padding": pick(padding)}
    if nd == 2:
        options["ceil_mode"] = draw.chance(0.4)
        if "avg" in name:
            options["count_include_pad"] = draw.chance(0.5)
        else:
            # PyTorch 2.13 writes outside of its memory where a dilated window is rounded up
            options["dilation"] = (1, 1) if options["ceil_mode"] else tuple(draw.sizes(2, 2))
    x = draw.floats(draw.choice((0, 1, 2)), draw.rng.randint(1, 3), *size)
    return (
        name,
        lambda x: getattr(ag, name)(x, pick(kernel), **options),
        lambda x: getattr(F, name)(x, pick(kernel), **options),
        [x],
        2,
    )


def resampling(draw: Draw) -> Drawn:
    name = draw.choice(("adaptive_avg_pool2d", "interpolate", "unfold", "fold", "pixel_shuffle", "pad"))
    n, c, h, w = draw.choice((0, 1, 2)), *draw.sizes(3, 6)
    x = draw.floats(n, c, h, w)
    size = tuple(draw.sizes(2, 8))
    if name == "adaptive_avg_pool2d":
        return name, lambda x: ag.adaptive_avg_pool2d(x, size), lambda x: F.adaptive_avg_pool2d(x, size), [x], 2
    if name == "interpolate":
        if draw.chance(0.4):
            return name, lambda x: ag.interpolate(x, size), lambda x: F.interpolate(x, size), [x], 2
        corner = draw.chance(0.5)
        return (
            name,
            lambda x: ag.interpolate(x, size, "bilinear", corner),
            lambda x: F.interpolate(x, size, mode="bilinear", align_corners=corner),
            [x],
            2,
        )
    if name in ("unfold", "fold"):
        window = tuple(draw.sizes(2, 3))
        options = {key: tuple(draw.sizes(2, 2)) for key in ("stride", "dilation")}
        options["padding"] = (draw.rng.randint(0, 2), draw.rng.randint(0, 2))
        if name == "unfold":
            return name, lambda x: ag.unfold(x, window, **options), lambda x: F.unfold(x, window, **options), [x], 2
        steps = [
            (each + 2 * p - d * (k - 1) - 1) // s + 1
            for each, p, d, k, s in zip(
                (h, w), options["padding"], options["dilation"], window, options["stride"], strict=True
            )
        ]
        x = draw.floats(n, c * math.prod(window), max(steps[0], 0) * max(steps[1], 0))
        return (
            name, lambda x: ag.fold(x, (h, w), window, **options), lambda x: F.fold(x, (h, w), window, **options),
            [x], 2,
        )  # fmt: skip
    if name == "pixel_shuffle":
        r = draw.choice((1, 2, 3))
        return (
            name,
            lambda x: ag.pixel_shuffle(x, r),
            lambda x: F.pixel_shuffle(x, r),
            [draw.floats(n, c * r * r, h, w)],
            2,
        )
    mode = draw.choice(("constant", "reflect", "replicate", "circular"))
    widths = [(draw.rng.randint(0, 2), draw.rng.randint(0, 2)) for _ in range(2)]
    flat = (*widths[1], *widths[0])
    return (
        name, lambda x: ag.pad(x, [(0, 0), (0, 0), *widths], mode), lambda x: F.pad(x, flat, mode=mode), [x], 2,
    )  # fmt: skip
