"""Functions that compute something out of several ops: spellings that people expect, and ops that need a choice first.

Each takes what the ops take, and is differentiable because they are.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from netcl.core import dtypes
from netcl.core.arguments import Axes, Numbers, Operand, Pairs, Widths
from netcl.core.creation import full
from netcl.core.errors import DtypeError, GraphError, ShapeError
from netcl.core.shapes import broadcast, normalize_axis
from netcl.kernels.compiler.ir.interval import LONGEST
from netcl.kernels.library.composites import broadcast_to, call_op, composite, permute, reshape
from netcl.kernels.library.indexing import getitem
from netcl.kernels.library.randomness import dropout
from netcl.kernels.runtime.arguments import is_list

LARGEST_TABLE = 1 << 26
"""The scores of attention that are put into a table: its gradient is about twice as fast with one as without, and needs
four of them."""


@composite()
def norm(x: Operand, ord: float = 2, axis: Axes = None, keepdims: bool = False) -> Any:
    """The vector norm along the axes: (sum |x|^ord)^(1/ord), the largest |x| for ord inf, the smallest for -inf, and
    how many are not 0 for ord 0. Powers do not overflow on the way, but for those of ord 2, which is sqrt(sum x^2).
    Raises ShapeError for ord inf and -inf when there are no elements."""
    if ord == 2:
        return call_op("norm", x, axis, keepdims)
    if ord == 0:
        return call_op("sum", call_op("abs", call_op("sign", x)), axis, keepdims)
    if ord == 1:
        return call_op("sum", call_op("abs", x), axis, keepdims)
    if ord in (math.inf, -math.inf):
        return call_op("amax" if ord > 0 else "amin", call_op("abs", x), axis, keepdims)
    return call_op("power_norm", x, ord, axis, keepdims)


@composite()
def cosine_similarity(a: Operand, b: Operand, axis: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between a and b, which broadcast, along an axis; each length counts as eps at least."""
    shape = broadcast(a.shape, b.shape)
    a, b = (x if tuple(x.shape) == shape else broadcast_to(x, shape) for x in (a, b))
    return call_op("sum", call_op("mul", call_op("normalize", a, axis, eps), call_op("normalize", b, axis, eps)), axis)


@composite()
def glu(x: Operand, axis: int = -1) -> Any:
    """The first half along an axis times the sigmoid of the second."""
    at = normalize_axis(axis, len(x.shape))
    if x.shape[at] % 2:
        raise ShapeError(f"glu: axis {at} of {tuple(x.shape)} must have an even length")
    half, before = x.shape[at] // 2, (slice(None),) * at
    return call_op(
        "mul", getitem(x, (*before, slice(half))), call_op("sigmoid", getitem(x, (*before, slice(half, None))))
    )


@composite()
def diff(x: Operand, axis: int = -1) -> Any:
    """Each element less the one before it along an axis."""
    before = (slice(None),) * normalize_axis(axis, len(x.shape))
    return call_op("sub", getitem(x, (*before, slice(1, None))), getitem(x, (*before, slice(None, -1))))


# --- products ---------------------------------------------------------------------------------------------------------


@composite()
def bmm(a: Operand, b: Operand) -> Any:
    """Matrix products of two batches, each of three axes."""
    if len(a.shape) != 3 or len(b.shape) != 3 or a.shape[0] != b.shape[0]:
        raise ShapeError(f"bmm: needs (n, i, k) and (n, k, j), got a {tuple(a.shape)} and b {tuple(b.shape)}")
    return call_op("matmul", a, b)


@composite("baddbmm")
def addmm(c: Operand | float, a: Operand, b: Operand, beta: float = 1, alpha: float = 1) -> Any:
    """beta * c + alpha * (a @ b), of batches, too; c broadcasts."""
    product = call_op("matmul", a, b)
    return call_op(
        "add", c if beta == 1 else call_op("mul", c, beta), product if alpha == 1 else call_op("mul", product, alpha)
    )


@composite()
def tensordot(a: Operand, b: Operand, axes: Pairs = 2) -> Any:
    """The sum of products over pairs of axes: as many of the last of a and first of b, or a list for each."""
    if not is_list(axes):
        if not 0 <= axes <= min(len(a.shape), len(b.shape)):
            raise ShapeError(
                f"tensordot: {axes} axes are to be summed, but a {tuple(a.shape)} has {len(a.shape)} and "
                f"b {tuple(b.shape)} has {len(b.shape)}"
            )
        axes = (range(len(a.shape) - axes, len(a.shape)), range(axes))
    if len(axes) != 2:
        raise ShapeError(f"tensordot: axes needs a list for a and one for b, as in ([0, 1], [1, 0]), got {axes}")
    of_a, of_b = (
        [normalize_axis(axis, len(x.shape)) for axis in (wanted if is_list(wanted) else (wanted,))]
        for x, wanted in zip((a, b), axes, strict=True)
    )
    if len(of_a) != len(of_b) or len(set(of_a)) != len(of_a) or len(set(of_b)) != len(of_b):
        raise ShapeError(f"tensordot: axes {of_a} of a and {of_b} of b must be as many, each named once")
    lengths = [a.shape[axis] for axis in of_a]
    if lengths != [b.shape[axis] for axis in of_b]:
        raise ShapeError(
            f"tensordot: axes {of_a} of a {tuple(a.shape)} and {of_b} of b {tuple(b.shape)} differ in length"
        )
    kept_a = [axis for axis in range(len(a.shape)) if axis not in of_a]
    kept_b = [axis for axis in range(len(b.shape)) if axis not in of_b]
    shape = (*(a.shape[axis] for axis in kept_a), *(b.shape[axis] for axis in kept_b))
    rows = math.prod(a.shape[axis] for axis in kept_a)
    columns = math.prod(b.shape[axis] for axis in kept_b)
    left = reshape(permute(a, (*kept_a, *of_a)) if a.shape else a, (rows, math.prod(lengths)))
    right = reshape(permute(b, (*of_b, *kept_b)) if b.shape else b, (math.prod(lengths), columns))
    return reshape(call_op("matmul", left, right), shape)


@composite()
def attention(
    q: Operand,
    k: Operand,
    v: Operand,
    causal: bool = False,
    mask: Operand | None = None,
    scale: float | None = None,
) -> Any:
    """softmax(q @ k^T * scale) @ v over the last two axes (Vaswani et al., 2017), with a scale of 1 / sqrt(d).

    `mask` broadcasts to the scores: True may be looked at; one of floats is added to them. `causal` hides what lies
    behind each row. A row that may look at nothing gives zeros. Of more than 64 million scores there is no table:
    `fused_attention` computes them slice by slice, and again for the gradient.
    Raises ShapeError for an operand with fewer than two axes.
    """
    return _attended("attention", q, k, v, causal, mask, scale)


@composite()
def scaled_dot_product_attention(
    q: Operand,
    k: Operand,
    v: Operand,
    attn_mask: Operand | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    """`attention`, by PyTorch's name and arguments, in their order.

    With a `dropout_p` other than 0 each weight is dropped with that probability, as `dropout` drops elements: give 0
    outside of training. With `enable_gqa` several heads of q, along axis -3, share one of k and v (Ainslie et al.,
    2023).
    """
    for name, number in (("dropout_p", dropout_p), ("scale", scale)):
        if isinstance(number, (bool, np.bool_)):
            raise DtypeError(
                f"scaled_dot_product_attention: {name} must be a number, but it is {number}; behind q, k and v stand "
                "attn_mask, dropout_p, is_causal, scale and enable_gqa: give a flag by its name, as in is_causal=True"
            )
    if not 0 <= dropout_p <= 1:
        raise ShapeError(f"scaled_dot_product_attention: dropout_p must lie between 0 and 1, but it is {dropout_p}")
    if enable_gqa:
        k, v = _for_each_head("k", k, q), _for_each_head("v", v, q)
    dropped = float(dropout_p) or None
    return _attended("scaled_dot_product_attention", q, k, v, is_causal, attn_mask, scale, dropped)


def _attended(
    op: str, q: Any, k: Any, v: Any, causal: bool, mask: Any, scale: float | None, dropped: float | None = None
) -> Any:
    for name, each in (("q", q), ("k", k), ("v", v)):
        if len(each.shape) < 2:
            raise ShapeError(f"{op}: {name} has shape {tuple(each.shape)}, but rows of vectors are needed")
    scale = 1 / math.sqrt(max(q.shape[-1], 1)) if scale is None else float(scale)
    table = (*broadcast(q.shape[:-2], k.shape[:-2]), q.shape[-2], k.shape[-2])
    if math.prod(table) > LARGEST_TABLE and dropped is None:
        masks = {} if mask is None else {"bias" if dtypes.is_float(mask.dtype) else "mask": broadcast_to(mask, table)}
        return call_op("fused_attention", q, k, v, **masks, scale=scale, causal=causal)
    axes = tuple(range(len(k.shape)))
    scores = call_op("matmul", q, permute(k, (*axes[:-2], axes[-1], axes[-2])))
    scores = call_op("mul", scores, scale)
    if causal:
        seen = call_op("tril", full(scores.shape[-2:], 1, dtype="uint8", queue=q.queue))
        scores = call_op("where", seen, scores, -math.inf)
    if mask is not None:
        is_added = dtypes.is_float(mask.dtype)
        scores = call_op("add", scores, mask) if is_added else call_op("where", mask, scores, -math.inf)
    weights = call_op("softmax" if mask is None else "safe_softmax", scores)
    return call_op("matmul", weights if dropped is None else dropout(weights, dropped), v)


def _for_each_head(name: str, x: Any, q: Any) -> Any:
    """The heads of x, each repeated for those of q that share it."""
    if min(len(q.shape), len(x.shape)) < 3 or not x.shape[-3] or q.shape[-3] % x.shape[-3]:
        raise ShapeError(
            f"scaled_dot_product_attention: with enable_gqa the heads of q {tuple(q.shape)}, along axis -3, must be a "
            f"multiple of those of {name} {tuple(x.shape)}"
        )
    return call_op("repeat_interleave", x, q.shape[-3] // x.shape[-3], len(x.shape) - 3)


@composite()
def allclose(a: Operand, b: Operand, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Whether all elements are close (see isclose), as a Python bool; waits for the device."""
    return bool(call_op("all", call_op("isclose", a, b, rtol, atol, equal_nan)).item())


@composite()
def equal(a: Operand, b: Operand) -> bool:
    """Whether two tensors have one shape and the same elements, as a Python bool; waits for the device."""
    return tuple(a.shape) == tuple(b.shape) and bool(call_op("all", call_op("eq", a, b)).item())


# --- rearranging ------------------------------------------------------------------------------------------------------


@composite()
def roll(x: Operand, shift: Numbers, axis: Axes = None) -> Any:
    """The elements shifted along axes, or in row-major order when no axis is named; what leaves comes in again."""
    if axis is None:
        return reshape(roll(reshape(x, (-1,) if math.prod(x.shape) else (0,)), shift, 0), tuple(x.shape))
    shifts, axes = _pairs("roll", shift, axis)
    for amount, at in zip(shifts, axes, strict=True):
        at = normalize_axis(at, len(x.shape))
        if x.shape[at]:
            x = call_op("roll", x, operator.index(amount) % x.shape[at], at)
    return x


@composite("tile")
def repeat(x: Operand, *reps: int) -> Any:
    """x as often as `reps` says along each axis, as numpy's tile."""
    if any(each < 0 for each in reps):
        raise ShapeError(f"repeat: {reps} has a negative number")
    if all(each == 1 for each in reps):
        x = call_op("clone", x)
    lengths = (1,) * (len(reps) - len(x.shape)) + tuple(x.shape)
    reps = (1,) * (len(lengths) - len(reps)) + reps
    apart = [each for pair in zip(reps, lengths, strict=True) for each in pair]
    single = [each for length in lengths for each in (1, length)]
    result = [each * length for each, length in zip(reps, lengths, strict=True)]
    return reshape(broadcast_to(reshape(x, single), apart), result)


@composite()
def pad(x: Operand, widths: Widths, mode: str = "constant", value: float | None = 0) -> Any:
    """x with more around it; `widths` has one (before, after) per axis, and negative ones take away.

    The mode is "constant" (`value`, None for 0; x keeps a dtype that has it), "reflect" (around the first and last
    element), "replicate" (those themselves) or "circular" (the other end).
    """
    if not all(isinstance(each, (list, tuple)) for each in widths):
        raise ShapeError(f"pad: widths needs one (before, after) for each axis, as in ((0, 0), (1, 1)), got {widths}")
    pairs = [tuple(map(operator.index, each)) for each in widths]
    if mode not in ("constant", "reflect", "replicate", "circular"):
        raise ShapeError(f"pad: there is no mode {mode!r}; there are 'constant', 'reflect', 'replicate' and 'circular'")
    if len(pairs) != len(x.shape) or any(len(each) != 2 for each in pairs):
        raise ShapeError(f"pad: widths needs one (before, after) for each of the {len(x.shape)} axes, got {pairs}")
    lengths = tuple(before + length + after for (before, after), length in zip(pairs, x.shape, strict=True))
    for axis, length in enumerate(lengths):
        if length > LONGEST:
            raise ShapeError(f"pad: axis {axis} would have {length} elements; an axis has at most 2^48")
    taken = [(max(-before, 0), max(-after, 0)) for before, after in pairs]
    if any(sum(ends) > length for ends, length in zip(taken, x.shape, strict=True)):
        raise ShapeError(f"pad: {pairs} takes more away than {tuple(x.shape)} has")
    if mode == "constant":
        return call_op("pad", x, _as_element(value, x.dtype), tuple(before for before, _ in pairs), lengths)
    if mode == "circular" and any(map(any, taken)):  # what is taken away does not come in at the other end
        x = getitem(x, tuple(slice(before, x.shape[at] - after) for at, (before, after) in enumerate(taken)))
        pairs = [(max(before, 0), max(after, 0)) for before, after in pairs]
    for axis, (pair, length) in enumerate(zip(pairs, lengths, strict=True)):
        most = {"reflect": x.shape[axis] - 1, "circular": x.shape[axis], "replicate": math.inf if x.shape[axis] else 0}
        if any(pair) and max(pair) > most[mode]:
            raise ShapeError(f"pad: {max(pair)} elements of axis {axis} of {tuple(x.shape)} are asked for by {mode!r}")
        if any(pair):
            x = call_op("pad_axis", x, pair[0], length, axis, mode)
    return x


def _as_element(value: float | None, dtype: np.dtype) -> float:
    """A number as a bool or a whole number, where that is its value and the dtype has such elements."""
    if value is None:
        return 0
    if dtype.kind == "b" and value in (0, 1):
        return bool(value)
    return int(value) if dtype.kind in "iu" and float(value).is_integer() else value


@composite()
def adaptive_avg_pool2d(x: Operand, output_size: Numbers) -> Any:
    """Means of as many windows as asked for, which together cover each image; of one, the mean of all of it.

    None leaves an axis as long as it is.
    """
    if is_list(output_size) and len(output_size) == 2 and len(x.shape) >= 3:
        lengths = zip(x.shape[-2:], output_size, strict=True)
        output_size = tuple(length if each is None else each for length, each in lengths)
    if len(x.shape) >= 3 and output_size in (1, (1, 1)):
        return call_op("mean", x, (-2, -1), True)
    return call_op("adaptive_avg_pool2d", x, output_size)


@composite()
def logit(x: Operand, eps: float | None = None) -> Any:
    """log(x / (1 - x)), the inverse of sigmoid, of x held between eps and 1 - eps where that is given."""
    return call_op("logit", x if eps is None else call_op("clamp", x, float(eps), 1 - float(eps)))


@composite()
def nan_to_num(x: Operand, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Any:
    """x, with `nan` in the place of NaN and the dtype's ends, or what is given, in the place of the infinities.
    Integers and bools, which have none of these, stay as they are."""
    if not dtypes.is_float(x.dtype):
        return call_op("clone", x)
    most = dtypes.largest(x.dtype if dtypes.is_float(x.dtype) else dtypes.float32)
    return call_op("nan_to_num", x, nan, most if posinf is None else posinf, -most if neginf is None else neginf)


def _pairs(op: str, shift: Any, axis: Any) -> tuple[Sequence[int], Sequence[int]]:
    shifts = tuple(shift) if is_list(shift) else (shift,)
    axes = tuple(axis) if is_list(axis) else (axis,)
    if len(shifts) != len(axes):
        raise ShapeError(f"{op}: {len(shifts)} shifts were given for {len(axes)} axes; give one for each")
    return shifts, axes


# --- normalization with running statistics ----------------------------------------------------------------------------


@composite("batchnorm")
def batch_norm(
    x: Operand,
    w: Any = None,
    b: Any = None,
    running_mean: Any = None,
    running_var: Any = None,
    training: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Normalization of each channel (axis 1) over the batch and all positions.

    In training it uses the batch's own mean and variance and moves the running ones towards them, in place (the
    variance without bias); otherwise it uses the running ones. Raises ShapeError when those are needed and absent,
    and in training with one value for each channel; GraphError where a running one requires a gradient.
    """
    return _batch_norm("batch_norm", x, w, b, running_mean, running_var, training, momentum, eps)


@composite()
def batch_norm2d_relu(
    x: Operand,
    gamma: Any = None,
    beta: Any = None,
    running_mean: Any = None,
    running_var: Any = None,
    training: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """relu(batch_norm(x, …)) of images (batch, channel, height, width), as one op."""
    return _batch_norm("batch_norm2d_relu", x, gamma, beta, running_mean, running_var, training, momentum, eps)


_ORDER = "the order is x, w, b, running_mean, running_var, training, where PyTorch has the weights behind them"


def _batch_norm(
    op: str, x: Any, w: Any, b: Any, running_mean: Any, running_var: Any, training: bool, momentum: float, eps: float
) -> Any:
    for name, running in (("running_mean", running_mean), ("running_var", running_var)):
        if getattr(running, "requires_grad", False):  # which a weight does, in the order of PyTorch
            raise GraphError(
                f"{op}: {name} requires a gradient, which statistics do not; {_ORDER} (or give {name}.detach(), if it "
                "is what it should be)"
            )
    if momentum is None:
        raise DtypeError(
            f"{op}: momentum must be a number, but it is None; for the mean over all batches give 1 / n in the n-th one"
        )
    if not training:
        if running_mean is None or running_var is None:
            raise ShapeError(f"{op}: without training it needs running_mean and running_var; {_ORDER}")
        return call_op(op, x, w, b, running_mean, running_var, False, eps)
    y, mean, variance = call_op(op, x, w, b, None, None, True, eps)
    number = math.prod(x.shape) // max(x.shape[1], 1)
    if number == 1:
        raise ShapeError(
            f"{op}: x {tuple(x.shape)} has one value for each channel, which has no variance; train with more of them, "
            "or pass training=False"
        )
    for running, found, factor in ((running_mean, mean, 1.0), (running_var, variance, number / max(number - 1, 1))):
        if running is not None and number:  # of nothing there is no mean
            target = found.detach()
            running.lerp_(target if factor == 1 else call_op("mul", target, factor), float(momentum))
    return y
