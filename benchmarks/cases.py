"""Calls of catalogue ops on about a million elements, each with what a numpy user would write instead.

An op whose name, or the name in `RENAMED`, is a ufunc of numpy needs no entry. The others have a numpy formula in
`FORMULAS` (pointwise) or in `CALLS` (with shapes of their own). What is in none of them has no counterpart in numpy.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netcl import core, kernels

SIZE = 1_000_000
SQUARE = (1000, 1000)
IMAGES = (16, 16, 64, 64)
SIGNALS = (16, 64, 1024)
GENERATOR = np.random.default_rng(0)

RENAMED = {
    "sub": "subtract",
    "mul": "multiply",
    "div": "divide",
    "neg": "negative",
    "pow": "power",
    "atan2": "arctan2",
    "round": "rint",
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}

FORMULAS: dict[str, Callable[..., Any]] = {
    "add_relu": lambda a, b: np.maximum(a + b, 0),
    "addcdiv": lambda c, a, b: c + a / b,
    "bce_loss": lambda x, y: -(y * np.log(x) + (1 - y) * np.log1p(-x)).mean(),
    "bce_with_logits": lambda x, y: (np.maximum(x, 0) - x * y + np.log1p(np.exp(-abs(x)))).mean(),
    "celu": lambda x: np.where(x > 0, x, np.expm1(x)),
    "elu": lambda x: np.where(x > 0, x, np.expm1(x)),
    "addcmul": lambda c, a, b: c + a * b,
    "fma": lambda a, b, c: a * b + c,
    "frac": lambda x: x - np.trunc(x),
    "hinge_loss": lambda x, y: np.maximum(0, 1 - x * y).mean(),
    "hardsigmoid": lambda x: np.clip(x / 6 + np.float32(0.5), 0, 1),
    "hardswish": lambda x: x * np.clip(x / 6 + np.float32(0.5), 0, 1),
    "hardtanh": lambda x: np.clip(x, -1, 1),
    "hardshrink": lambda x: np.where(abs(x) > 0.5, x, np.float32(0)),
    "hinge_embedding_loss": lambda x, y: np.where(y == 1, x, np.maximum(0, 1 - x)).mean(),
    "gaussian_nll_loss": lambda x, y, v: (np.log(np.maximum(v, np.float32(1e-6))) + (x - y) ** 2 / v).mean() / 2,
    "huber_loss": lambda x, y: np.where(abs(x - y) < 1, (x - y) ** 2 / 2, abs(x - y) - np.float32(0.5)).mean(),
    "l1_loss": lambda x, y: abs(x - y).mean(),
    "kl_div": lambda x, y: (y * (np.log(y) - x)).mean(),
    "leaky_relu": lambda x: np.where(x > 0, x, np.float32(0.01) * x),
    "lerp": lambda a, b, w: a + w * (b - a),
    "logit": lambda x: np.log(x / (1 - x)),
    "logsigmoid": lambda x: -np.logaddexp(0, -x, dtype=np.float32),
    "margin_ranking_loss": lambda a, b, y: np.maximum(0, -y * (a - b)).mean(),
    "mish": lambda x: x * np.tanh(np.logaddexp(0, x, dtype=np.float32)),
    "mse_loss": lambda x, y: ((x - y) ** 2).mean(),
    "poisson_nll_loss": lambda x, y: (np.exp(x) - y * x).mean(),
    "prelu": lambda x, slope: np.where(x > 0, x, slope * x),
    "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "nan_to_num": lambda x: np.nan_to_num(x),
    "safe_log": lambda x: np.log(np.maximum(x, np.float32(1e-12))),
    "sinc": np.sinc,
    "soft_margin_loss": lambda x, y: np.logaddexp(0, -x * y, dtype=np.float32).mean(),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "selu": lambda x: np.float32(1.0507) * np.where(x > 0, x, np.float32(1.6733) * np.expm1(x)),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "smooth_l1_loss": lambda x, y: np.where(abs(x - y) < 1, (x - y) ** 2 / 2, abs(x - y) - np.float32(0.5)).mean(),
    "softplus": lambda x: np.logaddexp(0, x, dtype=np.float32),
    "softshrink": lambda x: np.sign(x) * np.maximum(abs(x) - np.float32(0.5), 0),
    "softsign": lambda x: x / (1 + abs(x)),
    "tanhshrink": lambda x: x - np.tanh(x),
    "xlogy": lambda x, y: x * np.log(y),
}

# Where the samples of an op that is not defined on [-4, 4] come from.
DOMAINS = {
    **dict.fromkeys(("log", "log2", "log10", "sqrt", "rsqrt", "pow"), (0.1, 4.0)),
    **dict.fromkeys(("asin", "acos", "atanh"), (-0.9, 0.9)),
    "log1p": (-0.9, 4.0),
    **dict.fromkeys(("gaussian_nll_loss", "kl_div", "safe_log", "xlogy"), (0.1, 4.0)),
    "acosh": (1.1, 4.0),
    **dict.fromkeys(("bce_loss", "logit"), (0.1, 0.9)),
}


# Ops that are also measured with arrays of bytes, where a call weighs more and numpy has instructions of its own.
IN_BYTES = set("add sub mul maximum minimum eq ne lt le gt ge clone amax amin argmax".split())


@dataclass
class Case:
    """One call of an op: its arrays, its attributes, and the same in numpy."""

    op: str
    arrays: list[NDArray[Any]]
    in_numpy: Callable[..., Any]
    attributes: dict[str, Any] = field(default_factory=dict)
    note: str = ""
    as_square: bool = False  # each array is a column, and is given as the square matrix of such columns, a view

    @property
    def name(self) -> str:
        return f"{self.op} {self.note}".strip()

    @property
    def elements(self) -> int:
        """Of the largest array or of the output, whichever is larger."""
        return max(np.size(array) for array in [*self.arrays, self.in_numpy(*self.arrays)])

    def given(self) -> list[NDArray[Any]]:
        """What numpy is called with."""
        return [self._shown(array, np.broadcast_to) for array in self.arrays]

    def tensors(self) -> list[core.Tensor]:
        """The same on the default device."""
        return [self._shown(core.from_host(array), kernels.ops.broadcast_to) for array in self.arrays]

    def _shown(self, array: Any, broadcast_to: Callable[..., Any]) -> Any:
        return broadcast_to(array, (len(array), len(array))) if self.as_square else array

    def in_bytes(self) -> Case:
        """The same of arrays of uint8."""
        arrays = [integers(each.shape, 256, seed).astype(np.uint8) for seed, each in enumerate(self.arrays)]
        return replace(self, arrays=arrays, note=f"{self.note} (bytes)".strip())

    def larger(self, times: int) -> Case:
        """The same with its largest arrays so many times as long, and the whole numbers that there are for its rows."""
        largest = max(self.arrays, key=np.size)
        alike = [
            each.size == largest.size or (each.dtype.kind == "i" and len(each) == len(largest)) for each in self.arrays
        ]
        arrays = [
            np.concatenate([each] * times) if long else each for each, long in zip(self.arrays, alike, strict=True)
        ]
        return replace(self, arrays=arrays)


def cases(ops: Iterable[str]) -> Iterator[Case]:
    """The cases of these ops; nothing for an op that numpy has no counterpart of."""
    for op in ops:
        for case in of_floats(op):
            yield case
            if op in IN_BYTES:
                yield case.in_bytes()


def of_floats(op: str) -> Iterator[Case]:
    """The cases of an op, of floats wherever they may be."""
    if op in CALLS:
        yield from (Case(op, *call) for call in CALLS[op]())
    elif (function := FORMULAS.get(op) or ufunc(op)) is not None:
        count = function.nin if isinstance(function, np.ufunc) else len(inspect.signature(function).parameters)
        yield Case(op, [uniform(SIZE, *DOMAINS.get(op, (-4.0, 4.0)), seed=seed) for seed in range(count)], function)


def ufunc(op: str) -> np.ufunc | None:
    found = getattr(np, RENAMED.get(op, op), None)
    return found if isinstance(found, np.ufunc) and found.nout == 1 else None


def uniform(shape: int | tuple[int, ...], low: float = -4.0, high: float = 4.0, seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).uniform(low, high, shape).astype(np.float32)


def integers(shape: int | tuple[int, ...], below: int, seed: int = 0) -> NDArray[np.int64]:
    return np.random.default_rng(seed).integers(0, below, shape)


def reductions(
    function: Callable[..., Any], low: float = -4.0, high: float = 4.0
) -> Callable[[], list[tuple[Any, ...]]]:
    """Of everything, along rows and along columns."""
    return lambda: [
        ([uniform(SQUARE, low, high)], function, {}, "(all)"),
        ([uniform(SQUARE, low, high)], lambda x: function(x, axis=-1), {"axis": -1}, "(rows)"),
        ([uniform(SQUARE, low, high)], lambda x: function(x, axis=0), {"axis": 0}, "(columns)"),
    ]


def logsumexp(x: NDArray[np.float32], axis: int | None = None) -> NDArray[np.float32]:
    m = x.max(axis=axis, keepdims=True)
    return np.log(np.exp(x - m).sum(axis=axis)) + m.squeeze(axis)


def softmax(x: NDArray[np.float32]) -> NDArray[np.float32]:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def log_softmax(x: NDArray[np.float32]) -> NDArray[np.float32]:
    shifted = x - x.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def layer_norm(x: NDArray[np.float32], w: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + np.float32(1e-5)) * w + b


def rms_norm(x: NDArray[np.float32], w: NDArray[np.float32]) -> NDArray[np.float32]:
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(1e-6)) * w


def cross_entropy(x: NDArray[np.float32], y: NDArray[np.int64]) -> np.floating[Any]:
    return -log_softmax(x)[np.arange(len(x)), y].mean()


def stable_sort(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """What netcl's sort does: it gives the positions, too, and equal ones stay as they stood."""
    return np.take_along_axis(x, np.argsort(x, kind="stable"), -1)


def conv2d(x: NDArray[np.float32], w: NDArray[np.float32]) -> NDArray[np.float32]:
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3))
    return np.tensordot(windows, w, ([1, 4, 5], [1, 2, 3])).transpose(0, 3, 1, 2)


def halves(x: NDArray[np.float32], reduce: Callable[..., Any]) -> NDArray[np.float32]:
    """Pooling by two along the last two axes."""
    n, c, h, w = x.shape
    return reduce(x.reshape(n, c, h // 2, 2, w // 2, 2), axis=(3, 5))


def normalized(x: NDArray[np.float32], axis: Any) -> NDArray[np.float32]:
    """Less the mean, over the standard deviation."""
    return (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + np.float32(1e-5))


def grouped(x: NDArray[np.float32], groups: int) -> NDArray[np.float32]:
    """Each group of channels of each image `normalized`."""
    return normalized(x.reshape(len(x), groups, -1), 2).reshape(x.shape)


def windows(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Columns of windows of 3 x 3."""
    found = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3))
    return np.ascontiguousarray(found.transpose(0, 1, 4, 5, 2, 3))


def squares(x: NDArray[np.float32], order: tuple[int, ...]) -> NDArray[np.float32]:
    """Images from four channels each, or from columns, which fill squares of 2 x 2."""
    n, c, h, w = x.shape
    return x.reshape(n, c // 4, 2, 2, h, w).transpose(order).reshape(n, c // 4, 2 * h, 2 * w)


def turned(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rotary positions."""
    length = x.shape[-1]
    speed = np.float32(10000) ** (-np.arange(0, length, 2, dtype=np.float32) / length)
    angle = np.arange(x.shape[-2], dtype=np.float32)[:, None] * speed
    cosine, sine, even, odd = np.cos(angle), np.sin(angle), x[..., ::2], x[..., 1::2]
    result = np.empty_like(x)
    result[..., ::2], result[..., 1::2] = even * cosine - odd * sine, even * sine + odd * cosine
    return result


def adam(p: Any, g: Any, m: Any, v: Any) -> NDArray[np.float32]:
    """The new parameters alone."""
    m = np.float32(0.9) * m + np.float32(0.1) * g
    v = np.float32(0.999) * v + np.float32(0.001) * g * g
    return p - np.float32(0.1) * m / (np.sqrt(v) + np.float32(1e-8))


def rms(p: Any, g: Any, v: Any) -> NDArray[np.float32]:
    """The new parameters alone."""
    return p - np.float32(0.1) * g / (np.sqrt(np.float32(0.99) * v + np.float32(0.01) * g * g) + np.float32(1e-8))


def dropped(x: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.where(GENERATOR.random(x.shape, np.float32) < 0.5, 2 * x, np.float32(0))


def largest(x: NDArray[np.float32], index: NDArray[np.int64], src: NDArray[np.float32]) -> NDArray[np.float32]:
    result = x.copy()
    np.maximum.at(result, index, src)
    return result


def added(x: NDArray[np.float32], index: NDArray[np.int64], src: NDArray[np.float32]) -> NDArray[np.float32]:
    result = x.copy()
    np.add.at(result, index, src)
    return result


def written(x: NDArray[np.float32], index: NDArray[np.int64], src: NDArray[np.float32]) -> NDArray[np.float32]:
    result = x.copy()
    result[index] = src
    return result


# For each op the arguments of its cases: arrays, the numpy function, attributes and a note.
CALLS: dict[str, Callable[[], list[tuple[Any, ...]]]] = {
    "sum": reductions(np.sum),
    "mean": reductions(np.mean),
    "prod": reductions(np.prod, 0.99, 1.01),
    "amax": reductions(np.max),
    "amin": reductions(np.min),
    "var": reductions(np.var),
    "std": reductions(np.std),
    "all": lambda: [([uniform(SIZE) < 5], np.all)],
    "any": lambda: [([uniform(SIZE) > 5], np.any)],
    "logical_and": lambda: [([uniform(SIZE) > 0, uniform(SIZE, seed=1) > 0], np.logical_and)],
    "logical_or": lambda: [([uniform(SIZE) > 0, uniform(SIZE, seed=1) > 0], np.logical_or)],
    "logical_not": lambda: [([uniform(SIZE) > 0], np.logical_not)],
    "argmax": reductions(np.argmax),
    "argmin": reductions(np.argmin),
    "logsumexp": reductions(logsumexp),
    "cumsum": lambda: [([uniform(SQUARE)], lambda x: np.cumsum(x, axis=-1), {"axis": -1})],
    "cumprod": lambda: [([uniform(SQUARE, 0.99, 1.01)], lambda x: np.cumprod(x, axis=-1), {"axis": -1})],
    "softmax": lambda: [([uniform(SQUARE)], softmax)],
    "log_softmax": lambda: [([uniform(SQUARE)], log_softmax)],
    "layer_norm": lambda: [([uniform(SQUARE), uniform(1000), uniform(1000)], layer_norm)],
    "rms_norm": lambda: [([uniform(SQUARE), uniform(1000)], rms_norm)],
    "cross_entropy": lambda: [([uniform((10_000, 100)), integers(10_000, 100)], cross_entropy)],
    "sort": lambda: [
        ([uniform(SQUARE)], stable_sort),
        ([uniform(SQUARE)], np.sort, {}, "(values alone)"),
        ([uniform(100_000)], stable_sort, {}, "(one row)"),
        ([uniform(100_000)], np.sort, {}, "(one row, values alone)"),
        ([uniform(1_000_000)], np.sort, {}, "(one row of 1e6, values alone)"),
    ],
    "argsort": lambda: [([uniform(SQUARE)], lambda x: np.argsort(x, kind="stable"))],
    "topk": lambda: [([uniform(SQUARE)], lambda x: -np.sort(-x)[:, :10], {"k": 10})],
    "median": lambda: [([uniform((1000, 999))], lambda x: np.median(x, 1), {"axis": 1})],
    "var_mean": lambda: [([uniform(SQUARE)], lambda x: x.var(1), {"axis": 1})],
    "norm": reductions(lambda x, axis=None: np.sqrt((x * x).sum(axis=axis))),
    "nansum": reductions(np.nansum),
    "count_nonzero": reductions(np.count_nonzero),
    "trace": lambda: [
        ([uniform(SQUARE)], np.trace, {}, "(1000 of 1e6)"),
        ([uniform((SIZE, 1))], np.trace, {}, "(1e6 of 1e12)", True),
    ],
    "clamp": lambda: [([uniform(SIZE)], lambda x: np.clip(x, -1, 1), {"lo": -1.0, "hi": 1.0})],
    "where": lambda: [([uniform(SIZE) > 0, uniform(SIZE, seed=1), uniform(SIZE, seed=2)], np.where)],
    "masked_fill": lambda: [([uniform(SIZE), uniform(SIZE) > 0], lambda x, m: np.where(m, 0, x), {"value": 0.0})],
    "matmul": lambda: [([uniform((n, n)), uniform((n, n), seed=1)], np.matmul, {}, f"({n})") for n in (512, 1024)],
    "linear": lambda: [([uniform(SQUARE), uniform((100, 1000)), uniform(100)], lambda x, w, b: x @ w.T + b)],
    "outer": lambda: [([uniform(1000), uniform(1000, seed=1)], np.outer)],
    "conv2d": lambda: [([uniform(IMAGES), uniform((16, 16, 3, 3))], conv2d)],
    "max_pool2d": lambda: [([uniform(IMAGES)], lambda x: halves(x, np.max), {"kernel": 2})],
    "avg_pool2d": lambda: [([uniform(IMAGES)], lambda x: halves(x, np.mean), {"kernel": 2})],
    "embedding": lambda: [([uniform((10_000, 64)), integers(16_000, 10_000)], lambda w, i: w[i])],
    "take": lambda: [([uniform((10_000, 64)), integers(16_000, 10_000)], lambda x, i: x[i])],
    "gather": lambda: [
        ([uniform(SQUARE), integers(SQUARE, 1000)], lambda x, i: np.take_along_axis(x, i, 1), {"axis": 1})
    ],
    "scatter_add": lambda: [
        ([uniform(10_000), integers(SIZE, 10_000), uniform(SIZE)], added, {"axis": 0}, "(elements)"),
    ],
    "scatter": lambda: [([uniform(10_000), integers(SIZE, 10_000), uniform(SIZE)], written, {"axis": 0})],
    "index_add": lambda: [([uniform((10_000, 64)), integers(16_000, 10_000), uniform((16_000, 64))], added)],
    "one_hot": lambda: [([integers(10_000, 100)], lambda i: np.eye(100, dtype=np.int64)[i], {"n": 100})],
    "repeat_interleave": lambda: [
        ([uniform((1000, 500))], lambda x: np.repeat(x, 2, 1), {"n": 2, "axis": 1}),
    ],
    "roll": lambda: [([uniform(SQUARE)], lambda x: np.roll(x, 3, 1), {"shift": 3, "axis": 1})],
    "pad": lambda: [([uniform(SQUARE)], lambda x: np.pad(x, 3), {"widths": [(3, 3), (3, 3)]})],
    "cat": lambda: [([uniform(SIZE // 2), uniform(SIZE // 2, seed=1)], lambda *xs: np.concatenate(xs))],
    "stack": lambda: [([uniform(SIZE // 2), uniform(SIZE // 2, seed=1)], lambda *xs: np.stack(xs))],
    "flip": lambda: [([uniform(SQUARE)], lambda x: np.flip(x, -1).copy(), {"axis": -1})],
    "clone": lambda: [([uniform(SIZE)], np.copy)],
    "astype": lambda: [
        ([uniform(SIZE)], lambda x, to=to: x.astype(to), {"dtype": to}, f"({to})") for to in ("float64", "int32")
    ],
    "threshold": lambda: [
        ([uniform(SIZE)], lambda x: np.where(x > 1, x, np.float32(2)), {"threshold": 1.0, "value": 2.0})
    ],
    "softmin": lambda: [([uniform(SQUARE)], lambda x: softmax(-x))],
    "normalize": lambda: [([uniform(SQUARE)], lambda x: x / np.sqrt((x * x).sum(-1, keepdims=True)))],
    "batch_norm": lambda: [([uniform(IMAGES)], lambda x: normalized(x, (0, 2, 3)))],
    "group_norm": lambda: [([uniform(IMAGES)], lambda x: grouped(x, 4), {"groups": 4})],
    "instance_norm": lambda: [([uniform(IMAGES)], lambda x: grouped(x, 16))],
    "cummax": lambda: [([uniform(SQUARE)], lambda x: np.maximum.accumulate(x, -1), {}, "(numpy: values alone)")],
    "cummin": lambda: [([uniform(SQUARE)], lambda x: np.minimum.accumulate(x, -1), {}, "(numpy: values alone)")],
    "logcumsumexp": lambda: [([uniform(SQUARE)], lambda x: np.logaddexp.accumulate(x, -1))],
    "index_copy": lambda: [([uniform((10_000, 64)), integers(8000, 10_000), uniform((8000, 64))], written)],
    "scatter_amax": lambda: [([uniform(10_000), integers(SIZE, 10_000), uniform(SIZE)], largest, {"axis": 0})],
    "wrap_index": lambda: [([integers(SIZE, 2000) - 1000], lambda i: np.where(i < 0, i + 1000, i), {"length": 1000})],
    "pixel_shuffle": lambda: [([uniform(IMAGES)], lambda x: squares(x, (0, 1, 4, 2, 5, 3)), {"factor": 2})],
    "fold": lambda: [
        (
            [uniform((4, 64, 1024))],
            lambda x: squares(x.reshape(4, 64, 32, 32), (0, 1, 4, 2, 5, 3)),
            {"output_size": (64, 64), "kernel": 2, "stride": 2},
        ),
    ],
    "unfold": lambda: [([uniform(IMAGES)], windows, {"kernel": 3})],
    "interpolate": lambda: [
        ([uniform((16, 16, 32, 32))], lambda x: x.repeat(2, 2).repeat(2, 3), {"size": (64, 64)}),
    ],
    "adaptive_avg_pool2d": lambda: [
        ([uniform(IMAGES)], lambda x: halves(x, np.mean), {"output_size": (32, 32)}, "(32, 32)"),
        ([uniform(IMAGES)], lambda x: x.mean((2, 3), keepdims=True), {"output_size": 1}, "(1)"),
    ],
    "max_pool1d": lambda: [([uniform(SIGNALS)], lambda x: x.reshape(16, 64, 512, 2).max(3), {"kernel": 2})],
    "avg_pool1d": lambda: [([uniform(SIGNALS)], lambda x: x.reshape(16, 64, 512, 2).mean(3), {"kernel": 2})],
    "pad_axis": lambda: [
        (
            [uniform(SQUARE)],
            lambda x, mode=mode: np.pad(x, ((0, 0), (3, 3)), mode=mode),
            {"before": 3, "length": 1006, "axis": 1, "mode": name},
            f"({name})",
        )
        for name, mode in (("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap"))
    ],
    "diag_embed": lambda: [([uniform(1000)], np.diag)],
    "nll_loss": lambda: [
        ([uniform((10_000, 100)), integers(10_000, 100)], lambda x, y: -x[np.arange(len(x)), y].mean())
    ],
    "cosine_embedding_loss": lambda: [
        (
            [uniform(SQUARE), uniform(SQUARE, seed=1), np.ones(1000, np.float32)],
            lambda a, b, y: (1 - (a * b).sum(-1) / np.sqrt((a * a).sum(-1) * (b * b).sum(-1))).mean(),
        )
    ],
    "triplet_margin_loss": lambda: [
        (
            [uniform(SQUARE, seed=seed) for seed in range(3)],
            lambda a, p, n: np.maximum(0, np.sqrt(((a - p) ** 2).sum(-1)) - np.sqrt(((a - n) ** 2).sum(-1)) + 1).mean(),
        )
    ],
    "rope": lambda: [([uniform(SIGNALS)], turned)],
    "dropout": lambda: [([uniform(SIZE)], dropped)],
    "bernoulli": lambda: [
        ([uniform(SIZE, 0, 1)], lambda p: (GENERATOR.random(len(p), np.float32) < p).astype(np.float32))
    ],
    "sgd_update": lambda: [([uniform(SIZE)] * 3, lambda p, g, m: p - np.float32(0.1) * g, {"lr": 0.1})],
    "adam_update": lambda: [
        ([uniform(SIZE)] * 3 + [uniform(SIZE, 0.1)], adam, {"lr": 0.1, "c1": 1.0, "c2": 1.0}, "(numpy: p alone)")
    ],
    "rmsprop_update": lambda: [
        (
            [uniform(SIZE)] * 2 + [uniform(SIZE, 0.1)] * 3,
            lambda p, g, v, mean, m: rms(p, g, v),
            {"lr": 0.1},
            "(numpy: p alone)",
        )
    ],
    "tril": lambda: [([uniform(SQUARE)], np.tril)],
    "triu": lambda: [([uniform(SQUARE)], np.triu)],
}
