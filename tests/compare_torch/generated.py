"""Calls of the catalogue's ops at random, in netcl's and in PyTorch's spelling: `call(seed)` gives a `Case`.

Sizes are 0, 1, odd and prime; operands broadcast on either side, are views, have ties and repeated indices; axes are
counted from both ends; every word and option is drawn. `FAMILIES` has the ops; a family draws one of its ops and its
operands. PyTorch may refuse a call, and so may netcl: `tests/reliability/replay.py` says when that is a fault.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from both import Case
from pairs import CORNERS, LINE, PLANE, POINTS

from netcl import autograd as ag
from netcl import core

Array = np.ndarray[Any, Any]
Call = Callable[..., Any]
Drawn = tuple[str, Call, Call, list[Array], int]
"""An op, the call in both spellings, its operands, and how often it is differentiated."""

SIZES = (0, 1, 2, 3, 5, 7, 4, 2, 3)
WORDS = ("mean", "sum", "none")


class Draw:
    """Random operands and options of one call."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.numbers = np.random.default_rng(seed)

    def choice(self, among: Sequence[Any]) -> Any:
        return self.rng.choice(among)

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def shape(self, least: int = 0, most: int = 4, empty: bool = True) -> tuple[int, ...]:
        found = [self.choice(SIZES) for _ in range(self.rng.randint(least, most))]
        if not empty or self.chance(0.8):
            found = [size or 1 for size in found]
        return tuple(found)

    def sizes(self, count: int, most: int = 5) -> list[int]:
        return [self.rng.randint(1, most) for _ in range(count)]

    def floats(self, *shape: int, low: float = -2.0, high: float = 2.0) -> Array:
        return np.asarray(self.numbers.uniform(low, high, shape))

    def tied(self, *shape: int) -> Array:
        return np.asarray(self.numbers.integers(-2, 3, shape), np.float64)

    def some(self, *shape: int) -> Array:
        """Ordinary numbers, or many equal ones."""
        return self.tied(*shape) if self.chance(0.3) else self.floats(*shape)

    def whole(self, *shape: int, below: int, least: int = 0) -> Array:
        return np.asarray(self.numbers.integers(least, max(below, least + 1), shape))

    def broadcast(self, count: int, least: int = 0, most: int = 3) -> list[tuple[int, ...]]:
        """Shapes that broadcast against each other, each with some axes of length 1 or without its first ones."""
        whole = self.shape(least, most)
        return [self.part(whole) for _ in range(count)]

    def part(self, whole: tuple[int, ...]) -> tuple[int, ...]:
        kept = whole[self.rng.randint(0, len(whole)) if self.chance(0.4) else 0 :]
        return tuple(1 if self.chance(0.25) else size for size in kept)

    def axis(self, ndim: int) -> int:
        return self.rng.randint(-ndim, ndim - 1)

    def axes(self, ndim: int) -> Any:
        """None, an axis, or several."""
        if ndim == 0 or self.chance(0.2):
            return None
        if self.chance(0.6):
            return self.axis(ndim)
        found = self.rng.sample(range(ndim), self.rng.randint(1, ndim))
        return tuple(at - ndim if self.chance(0.4) else at for at in found)


def call(seed: int) -> Case:
    """The call of a seed."""
    draw = Draw(seed)
    family = draw.choice(FAMILIES)
    op, ours, theirs, inputs, orders = family(draw)
    dtype = "float32" if draw.chance(0.2) else "float64"
    inputs = [each.astype(dtype) if each.dtype.kind == "f" else each for each in inputs]
    for at, each in enumerate(inputs):
        if each.ndim > 1 and draw.chance(0.2):
            ours, theirs, inputs[at] = _as_view(draw, ours, theirs, at, each)
    return Case(op, f"{family.__name__}-{seed}", ours, theirs, inputs, orders if dtype == "float64" else min(orders, 1))


def _as_view(draw: Draw, ours: Call, theirs: Call, at: int, array: Array) -> tuple[Call, Call, Array]:
    """The call on a permuted view of an operand that lies otherwise."""
    order = list(range(array.ndim))
    draw.rng.shuffle(order)
    back = tuple(int(each) for each in np.argsort(order))

    def seen(function: Call, view: Call) -> Call:
        return lambda *xs: function(*xs[:at], view(xs[at], back), *xs[at + 1 :])

    return seen(ours, ag.permute), seen(theirs, _permuted), np.ascontiguousarray(array.transpose(order))


def _permuted(x: Any, order: tuple[int, ...]) -> Any:
    """Laid out anew: gradients of PyTorch 2.13's batch_norm are wrong for some views."""
    return x.permute(order).contiguous()


def placed(array: Array) -> Any:
    return core.from_host(array)


# --- pointwise --------------------------------------------------------------------------------------------------------

INSIDE = {"erfinv": (-0.9, 0.9), "acosh": (1.1, 3), "atanh": (-0.9, 0.9), "asin": (-0.9, 0.9), "acos": (-0.9, 0.9)}
POSITIVE = ("log", "log2", "log10", "log1p", "sqrt", "rsqrt", "lgamma", "logit", "cbrt")
INTEGERS = (
    "add",
    "sub",
    "mul",
    "maximum",
    "minimum",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "div",
    "where",
    "floor_divide",
)
MIXED = ("int64", "int32", "uint8", "bool", "float32", "float64")


def line(draw: Draw) -> Drawn:
    name = draw.choice(list(LINE))
    pair = LINE[name]
    ours, theirs = pair if isinstance(pair, tuple) else (getattr(ag, name), pair)
    low, high = INSIDE.get(name, (0.05, 0.95) if name in POSITIVE else (-3, 3))
    return name, ours, theirs, [draw.floats(*draw.shape(), low=low, high=high)], 2


def plane(draw: Draw) -> Drawn:
    name = draw.choice(list(PLANE))
    pair = PLANE[name]
    ours, theirs = pair if isinstance(pair, tuple) else (getattr(ag, name), pair)
    first, second = draw.broadcast(2)
    if name.split("-")[0].endswith(("loss", "div")) and name != "div":
        second = first
    low = 0.2 if name in ("pow", "xlogy", "kl_div") else -2.0
    if "clamp" in name or name == "masked_fill" or "addc" in name:
        second = second if np.broadcast_shapes(first, second) == first else first
    if name == "prelu":
        second = first
    return name, ours, theirs, [draw.floats(*first, low=low), draw.floats(*second, low=low)], 2


def of_integers(draw: Draw) -> Drawn:
    name = draw.choice(INTEGERS)
    first, second = draw.broadcast(2)
    kinds = [draw.choice(MIXED), draw.choice(MIXED)]
    x = draw.whole(*first, below=6, least=0).astype(kinds[0])
    y = draw.whole(*second, below=6, least=1).astype(kinds[1])
    if name == "where":
        return name, lambda a, b: ag.where(a > 1, a, b), lambda a, b: torch.where(a > 1, a, b), [x, y], 1
    return name, getattr(ag, name), getattr(torch, name), [x, y], 1


def corners(draw: Draw) -> Drawn:
    """Infinities, NaN and zeros of both signs: values alone."""
    if draw.chance(0.5):
        name = draw.choice([each for each in LINE if each not in ("polygamma", "digamma", "nan_to_num")])
        pair, inputs = LINE[name], [draw.numbers.choice(POINTS, draw.shape(1, 3))]
    else:
        name = draw.choice(list(PLANE))
        shape = draw.shape(1, 3)
        pair, inputs = PLANE[name], [draw.numbers.choice(CORNERS, shape), draw.numbers.choice(CORNERS, shape)]
    ours, theirs = pair if isinstance(pair, tuple) else (getattr(ag, name), pair)
    return name, ours, theirs, inputs, 0


def of_three(draw: Draw) -> Drawn:
    name = draw.choice(("lerp", "where", "addcmul", "addcdiv", "clamp", "fma"))
    shapes = draw.broadcast(3)
    xs = [draw.floats(*shape, low=0.3) for shape in shapes]
    value = draw.choice((1, 0.5, -2, 3))
    pairs: dict[str, tuple[Call, Call]] = {
        "lerp": (ag.lerp, torch.lerp),
        "where": (lambda c, a, b: ag.where(c > 1, a, b), lambda c, a, b: torch.where(c > 1, a, b)),
        "addcmul": (
            lambda c, a, b: ag.addcmul(c, a, b, value=value), lambda c, a, b: torch.addcmul(c, a, b, value=value),
        ),
        "addcdiv": (
            lambda c, a, b: ag.addcdiv(c, a, b, value=value), lambda c, a, b: torch.addcdiv(c, a, b, value=value),
        ),
        "clamp": (ag.clamp, torch.clamp),
        "fma": (ag.fma, lambda a, b, c: a * b + c),
    }  # fmt: skip
    return name, *pairs[name], xs, 2


# --- along axes -------------------------------------------------------------------------------------------------------


def reduction(draw: Draw) -> Drawn:
    name = draw.choice(("sum", "mean", "amax", "amin", "logsumexp", "nansum", "count_nonzero", "any", "all"))
    shape = draw.shape()
    axes, kept = draw.axes(len(shape)), draw.chance(0.3)
    x = draw.some(*shape)
    whole = tuple(range(len(shape))) if axes is None else axes
    if name in ("any", "all"):
        x = x > draw.choice((-3, 0, 3))
    if name == "count_nonzero":
        return name, lambda x: ag.count_nonzero(x, axis=axes), lambda x: torch.count_nonzero(x, dim=axes), [x], 0

    def theirs(x: Any) -> Any:
        return getattr(torch, name)(x, dim=whole, keepdim=kept)

    return name, lambda x: getattr(ag, name)(x, axis=axes, keepdims=kept), theirs, [x], 2


def one_axis(draw: Draw) -> Drawn:
    name = draw.choice(("prod", "argmax", "argmin", "softmax", "log_softmax", "softmin", "cumsum", "cumprod",
                        "logcumsumexp", "median", "glu", "normalize"))  # fmt: skip
    shape = draw.shape(1)
    axis, kept = draw.axis(len(shape)), draw.chance(0.3)
    x = draw.floats(*shape)
    if name in ("prod", "argmax", "argmin", "cumprod") and draw.chance(0.4):
        x = draw.tied(*shape)
    if name in ("prod", "argmax", "argmin"):
        return (
            name,
            lambda x: getattr(ag, name)(x, axis=axis, keepdims=kept),
            lambda x: getattr(torch, name)(x, dim=axis, keepdim=kept),
            [x],
            2,
        )
    if name == "median":
        return name, lambda x: ag.median(x, axis, kept), lambda x: torch.median(x, axis, kept)[0], [x], 1
    if name == "normalize":
        return name, lambda x: ag.normalize(x, axis=axis), lambda x: F.normalize(x, dim=axis), [x], 2
    if name in ("softmax", "log_softmax", "softmin", "glu"):
        theirs = getattr(F, name)
        return name, lambda x: getattr(ag, name)(x, axis=axis), lambda x: theirs(x, dim=axis), [x], 2
    return name, lambda x: getattr(ag, name)(x, axis), lambda x: getattr(torch, name)(x, axis), [x], 2


def extremes_so_far(draw: Draw) -> Drawn:
    name = draw.choice(("cummax", "cummin"))
    shape = draw.shape(1)
    axis = draw.axis(len(shape))
    return name, lambda x: getattr(ag, name)(x, axis), lambda x: getattr(torch, name)(x, axis), [draw.floats(*shape)], 1


def spread(draw: Draw) -> Drawn:
    name = draw.choice(("var", "std", "var_mean"))
    shape = draw.shape(1, empty=False)
    axes, kept, correction = draw.axes(len(shape)), draw.chance(0.3), draw.choice((0, 1, 1, 2, 0.5))
    whole = tuple(range(len(shape))) if axes is None else axes
    return (
        name,
        lambda x: getattr(ag, name)(x, axis=axes, correction=correction, keepdims=kept),
        lambda x: getattr(torch, name)(x, dim=whole, correction=correction, keepdim=kept),
        [draw.floats(*shape)],
        2,
    )


def length(draw: Draw) -> Drawn:
    shape = draw.shape(1, empty=False)
    axes, kept = draw.axes(len(shape)), draw.chance(0.3)
    order = draw.choice((0, 0.5, 1, 1.5, 2, 3, -1, -2, math.inf, -math.inf))
    whole = tuple(range(len(shape))) if axes is None else axes
    x = draw.floats(*shape, low=0.3) * np.sign(draw.floats(*shape))
    return (
        "norm",
        lambda x: ag.norm(x, order, axis=axes, keepdims=kept),
        lambda x: torch.linalg.vector_norm(x, order, dim=whole, keepdim=kept),
        [x],
        2,
    )


def sorting(draw: Draw) -> Drawn:
    name = draw.choice(("sort", "argsort", "topk"))
    shape = draw.shape(1)
    axis, falling = draw.axis(len(shape)), draw.chance(0.5)
    if name == "topk":
        k = draw.rng.randint(0, shape[axis])
        x = draw.floats(*shape)
        return name, lambda x: ag.topk(x, k, axis, falling), lambda x: torch.topk(x, k, axis, falling), [x], 2
    x = draw.some(*shape)
    return (
        name,
        lambda x: getattr(ag, name)(x, axis, falling),
        lambda x: getattr(torch, name)(x, dim=axis, descending=falling, stable=True),
        [x],
        2 if name == "sort" else 0,
    )


# --- products ---------------------------------------------------------------------------------------------------------


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


# --- places -----------------------------------------------------------------------------------------------------------


def indexing(draw: Draw) -> Drawn:
    shape = draw.shape(1, 4, empty=False)
    name = draw.choice(("getitem", "getitem", "take", "gather", "index_select", "embedding", "masked_select"))
    x, axis = draw.floats(*shape), draw.axis(len(shape))
    size = shape[axis]
    if name == "getitem":
        key = _key(draw, shape)
        return name, lambda x: x[_placed(key)], lambda x: _torch_getitem(x, key), [x], 2
    if name == "take":
        at = draw.whole(*draw.shape(0, 2), below=size, least=-size)
        lead = (slice(None),) * (axis % len(shape))
        return name, lambda x: ag.take(x, placed(at), axis=axis), lambda x: x[(*lead, torch.tensor(at))], [x], 2
    if name == "gather":
        where = list(shape)
        where[axis] = draw.choice(SIZES)
        at = draw.whole(*where, below=size)
        return (
            name,
            lambda x: ag.gather(x, placed(at), axis=axis),
            lambda x: torch.gather(x, axis, torch.tensor(at)),
            [x],
            2,
        )
    if name == "index_select":
        at = draw.whole(draw.choice(SIZES), below=size)
        return (
            name, lambda x: ag.index_select(x, axis, placed(at)),
            lambda x: torch.index_select(x, axis, torch.tensor(at)), [x], 2,
        )  # fmt: skip
    if name == "embedding":
        at = draw.whole(*draw.shape(0, 3), below=shape[0])
        table = draw.floats(shape[0], draw.choice(SIZES) or 1)
        return name, lambda w: ag.embedding(w, placed(at)), lambda w: F.embedding(torch.tensor(at), w), [table], 2
    mask = draw.whole(*shape, below=2).astype(bool)
    return (
        name,
        lambda x: ag.masked_select(x, placed(mask)),
        lambda x: torch.masked_select(x, torch.tensor(mask)),
        [x],
        2,
    )


def _key(draw: Draw, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """A subscript of slices, numbers, new axes, an ellipsis and arrays that broadcast."""
    arrays, key = draw.broadcast(len(shape), 0, 2), []
    together = draw.chance(0.4)
    for size, part in zip(shape, arrays, strict=True):
        kind = draw.choice(("all", "slice", "slice", "number", "array" if together else "slice", "new"))
        if kind == "new":
            key.append(None)
        if kind == "number":
            key.append(draw.rng.randint(-size, size - 1))
        elif kind == "array":
            key.append(draw.whole(*part, below=size, least=-size))
        elif kind == "slice":
            ends = [draw.choice((None, draw.rng.randint(-size - 1, size + 1))) for _ in range(2)]
            key.append(slice(*ends, draw.choice((None, 1, 2, 3, -1, -2))))
        else:
            key.append(slice(None))
    if draw.chance(0.2):
        key = [*key[:-1], Ellipsis] if draw.chance(0.5) else [Ellipsis, *key[1:]]
    return tuple(key)


def _placed(key: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(placed(each) if isinstance(each, np.ndarray) else each for each in key)


def _torch_getitem(x: Any, key: tuple[Any, ...]) -> Any:
    """PyTorch has no negative steps: the axis is flipped first."""
    ndim = sum(each is not None and each is not Ellipsis for each in key)
    axis, made = 0, []
    for each in key:
        if each is Ellipsis:
            axis += x.ndim - ndim
        elif isinstance(each, slice) and (each.step or 1) < 0:
            found = range(*each.indices(x.shape[axis]))
            made.append((axis, found))
        if each is not None and each is not Ellipsis:
            axis += 1
    new = list(key)
    backward = iter(made)
    for at, each in enumerate(key):
        if isinstance(each, slice) and (each.step or 1) < 0:
            axis, found = next(backward)
            picked = torch.tensor(list(found), dtype=torch.int64)
            x = torch.index_select(x, axis, picked)
            new[at] = slice(None)
        elif isinstance(each, np.ndarray):
            new[at] = torch.tensor(each)
    return x[tuple(new)]


def writing(draw: Draw) -> Drawn:
    name = draw.choice(
        ("scatter", "scatter_add", "scatter_amax", "index_add", "index_copy", "index_put", "masked_fill")
    )
    shape = draw.shape(1, 3, empty=False)
    axis = draw.axis(len(shape))
    size, x = shape[axis], draw.floats(*shape)
    if name.startswith("scatter"):
        where = list(shape)
        where[axis] = draw.rng.randint(0, size) if name == "scatter" else draw.choice(SIZES)
        at = draw.whole(*where, below=size)
        if name == "scatter":  # what is written twice has no order
            ordered = np.argsort(draw.numbers.random((*shape,)), axis=axis)
            at = np.take(ordered, range(where[axis]), axis=axis)
        to = torch.tensor(at)
        theirs: dict[str, Call] = {
            "scatter": lambda x, s: torch.scatter(x, axis, to, s),
            "scatter_add": lambda x, s: torch.scatter_add(x, axis, to, s),
            "scatter_amax": lambda x, s: torch.scatter_reduce(x, axis, to, s, "amax"),
        }
        source = draw.floats(*where)
        orders = 1 if name == "scatter_amax" else 2
        return name, lambda x, s: getattr(ag, name)(x, placed(at), s, axis), theirs[name], [x, source], orders
    if name == "masked_fill":
        mask = draw.whole(*draw.part(shape), below=2).astype(bool)
        return (
            name, lambda x: ag.masked_fill(x, placed(mask), 0.5),
            lambda x: x.masked_fill(torch.tensor(mask), 0.5), [x], 2,
        )  # fmt: skip
    if name == "index_put":
        count = draw.rng.randint(1, len(shape))
        many = draw.choice(SIZES)
        accumulate = draw.chance(0.6)
        at = [draw.whole(many, below=each) for each in shape[:count]]
        if not accumulate:  # no place twice
            flat = draw.numbers.permutation(math.prod(shape[:count]))[:many]
            at = list(np.unravel_index(flat, shape[:count]))
        source = draw.floats(len(at[0]), *shape[count:])
        return (
            name,
            lambda x, v: ag.index_put(x, tuple(map(placed, at)), v, accumulate),
            lambda x, v: torch.index_put(x, tuple(map(torch.tensor, at)), v, accumulate),
            [x, source],
            2,
        )
    many = draw.choice(SIZES) if name == "index_add" else draw.rng.randint(0, size)
    at = draw.whole(many, below=size) if name == "index_add" else draw.numbers.permutation(size)[:many]
    where = list(shape)
    where[axis] = many
    return (
        name,
        lambda x, s: getattr(ag, name)(x, placed(at), s, axis=axis),
        lambda x, s: getattr(torch, name)(x, axis, torch.tensor(at), s),
        [x, draw.floats(*where)],
        2,
    )


def shaping(draw: Draw) -> Drawn:
    name = draw.choice(("reshape", "permute", "swapaxes", "moveaxis", "unsqueeze", "squeeze", "flatten", "unflatten",
                        "broadcast_to", "cat", "stack", "split", "chunk", "unbind", "narrow", "flip", "roll", "repeat",
                        "repeat_interleave", "diff", "select", "tril", "triu", "diagonal", "diag_embed"))  # fmt: skip
    shape = draw.shape(1, 4)
    ndim, x = len(shape), draw.floats(*shape)
    a, b = draw.axis(ndim), draw.axis(ndim)
    size, k = shape[a], draw.rng.randint(-3, 3)
    order = draw.rng.sample(range(ndim), ndim)
    some = sorted(draw.rng.sample(range(ndim), draw.rng.randint(1, ndim)))
    counts = draw.sizes(ndim, 3)
    whole = (*draw.shape(0, 1), *shape)
    part = draw.part(shape)
    start = draw.rng.randint(0, size)
    span = draw.rng.randint(0, size - start)
    piece = draw.rng.randint(1, 4)
    pairs: dict[str, tuple[Call, Call]] = {
        "reshape": (lambda x: ag.reshape(x, (-1,)), lambda x: x.reshape(-1)),
        "permute": (lambda x: ag.permute(x, order), lambda x: x.permute(order)),
        "swapaxes": (lambda x: ag.swapaxes(x, a, b), lambda x: x.swapaxes(a, b)),
        "moveaxis": (lambda x: ag.moveaxis(x, a, b), lambda x: torch.moveaxis(x, a, b)),
        "unsqueeze": (lambda x: ag.unsqueeze(x, a), lambda x: x.unsqueeze(a)),
        "squeeze": (lambda x: ag.squeeze(x, a), lambda x: x.squeeze(a)),
        "flatten": (lambda x: ag.flatten(x, some[0]), lambda x: x.flatten(some[0])),
        "unflatten": (lambda x: ag.unflatten(x, a, (1, size)), lambda x: x.unflatten(a, (1, size))),
        "cat": (lambda x: ag.cat([x, x * 2, x], a), lambda x: torch.cat([x, x * 2, x], a)),
        "stack": (lambda x: ag.stack([x, x * 2], a), lambda x: torch.stack([x, x * 2], a)),
        "split": (lambda x: ag.split(x, piece, a), lambda x: x.split(piece, a)),
        "chunk": (lambda x: ag.chunk(x, piece, a), lambda x: x.chunk(piece, a)),
        "unbind": (lambda x: ag.unbind(x, a), lambda x: x.unbind(a)),
        "narrow": (lambda x: ag.narrow(x, a, start, span), lambda x: x.narrow(a, start, span)),
        "flip": (lambda x: ag.flip(x, tuple(some)), lambda x: x.flip(some)),
        "roll": (lambda x: ag.roll(x, k, a), lambda x: x.roll(k, a)),
        "repeat": (lambda x: ag.repeat(x, counts), lambda x: x.repeat(counts)),
        "repeat_interleave": (lambda x: ag.repeat_interleave(x, piece, a), lambda x: x.repeat_interleave(piece, a)),
        "diff": (lambda x: ag.diff(x, a), lambda x: torch.diff(x, dim=a)),
        "select": (lambda x: ag.select(x, a, start), lambda x: x.select(a, start)),
        "tril": (lambda x: ag.tril(x, k), lambda x: torch.tril(x, k)),
        "triu": (lambda x: ag.triu(x, k), lambda x: torch.triu(x, k)),
        "diagonal": (lambda x: ag.diagonal(x, k, a, b), lambda x: torch.diagonal(x, k, a, b)),
        "diag_embed": (lambda x: ag.diag_embed(x, k), lambda x: torch.diag_embed(x, k)),
        "broadcast_to": (lambda x: ag.broadcast_to(x, whole), lambda x: x.expand(whole)),
    }
    return name, *pairs[name], [draw.floats(*part) if name == "broadcast_to" else x], 2


# --- losses and normalizations ----------------------------------------------------------------------------------------


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


FAMILIES: tuple[Callable[[Draw], Drawn], ...] = (
    line, line, plane, plane, of_integers, corners, of_three, reduction, reduction, one_axis, one_axis, extremes_so_far,
    spread, length, sorting, product, products, products, convolution, convolution, pooling, resampling, resampling,
    indexing, indexing, writing, writing, shaping, shaping, shaping, loss, loss, classes, normalization,
)  # fmt: skip
