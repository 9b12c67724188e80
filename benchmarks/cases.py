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
    "celu": lambda x: np.where(x > 0, x, np.expm1(x)),
    "elu": lambda x: np.where(x > 0, x, np.expm1(x)),
    "addcmul": lambda c, a, b: c + a * b,
    "fma": lambda a, b, c: a * b + c,
    "frac": lambda x: x - np.trunc(x),
    "hinge_loss": lambda x, y: np.maximum(0, 1 - x * y).mean(),
    "hardsigmoid": lambda x: np.clip(x / 6 + np.float32(0.5), 0, 1),
    "hardswish": lambda x: x * np.clip(x / 6 + np.float32(0.5), 0, 1),
    "hardtanh": lambda x: np.clip(x, -1, 1),
    "huber_loss": lambda x, y: np.where(abs(x - y) < 1, (x - y) ** 2 / 2, abs(x - y) - np.float32(0.5)).mean(),
    "l1_loss": lambda x, y: abs(x - y).mean(),
    "kl_div": lambda x, y: (y * (np.log(y) - x)).mean(),
    "leaky_relu": lambda x: np.where(x > 0, x, np.float32(0.01) * x),
    "lerp": lambda a, b, w: a + w * (b - a),
    "logit": lambda x: np.log(x / (1 - x)),
    "logsigmoid": lambda x: -np.logaddexp(0, -x, dtype=np.float32),
    "mish": lambda x: x * np.tanh(np.logaddexp(0, x, dtype=np.float32)),
    "mse_loss": lambda x, y: ((x - y) ** 2).mean(),
    "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "nan_to_num": lambda x: np.nan_to_num(x),
    "safe_log": lambda x: np.log(np.maximum(x, np.float32(1e-12))),
    "sinc": np.sinc,
    "soft_margin_loss": lambda x, y: np.logaddexp(0, -x * y, dtype=np.float32).mean(),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "smooth_l1_loss": lambda x, y: np.where(abs(x - y) < 1, (x - y) ** 2 / 2, abs(x - y) - np.float32(0.5)).mean(),
    "softplus": lambda x: np.logaddexp(0, x, dtype=np.float32),
    "softsign": lambda x: x / (1 + abs(x)),
    "tanhshrink": lambda x: x - np.tanh(x),
}

# Where the samples of an op that is not defined on [-4, 4] come from.
DOMAINS = {
    **dict.fromkeys(("log", "log2", "log10", "sqrt", "rsqrt", "pow"), (0.1, 4.0)),
    **dict.fromkeys(("asin", "acos", "atanh"), (-0.9, 0.9)),
    "log1p": (-0.9, 4.0),
    **dict.fromkeys(("kl_div", "safe_log"), (0.1, 4.0)),
    "acosh": (1.1, 4.0),
    "logit": (0.1, 0.9),
}


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

    def larger(self, times: int) -> Case:
        """The same with its largest arrays so many times as long."""
        largest = max(np.size(array) for array in self.arrays)
        arrays = [np.concatenate([array] * times) if np.size(array) == largest else array for array in self.arrays]
        return replace(self, arrays=arrays)


def cases(ops: Iterable[str]) -> Iterator[Case]:
    """The cases of these ops; nothing for an op that numpy has no counterpart of."""
    for op in ops:
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


def integers(shape: int | tuple[int, ...], below: int) -> NDArray[np.int64]:
    return np.random.default_rng(0).integers(0, below, shape)


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
    "conv2d": lambda: [([uniform((16, 16, 64, 64)), uniform((16, 16, 3, 3))], conv2d)],
    "max_pool2d": lambda: [([uniform((16, 16, 64, 64))], lambda x: halves(x, np.max), {"kernel": 2})],
    "avg_pool2d": lambda: [([uniform((16, 16, 64, 64))], lambda x: halves(x, np.mean), {"kernel": 2})],
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
    "tril": lambda: [([uniform(SQUARE)], np.tril)],
    "triu": lambda: [([uniform(SQUARE)], np.triu)],
}
