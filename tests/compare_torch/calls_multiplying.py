"""Products, convolutions and pooling, in both spellings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from arrays import HARD, INF, NAN, Array, floats, placed, whole
from both import Case

from netcl import autograd as ag


def products() -> Iterator[Case]:
    shapes = {
        "vectors": ((4,), (4,)),
        "matrix-vector": ((3, 4), (4,)),
        "vector-matrix": ((4,), (4, 3)),
        "matrices": ((3, 4), (4, 5)),
        "batch": ((2, 3, 4), (2, 4, 5)),
        "broadcast": ((2, 1, 3, 4), (3, 4, 5)),
        "batch-vector": ((2, 3, 4), (4,)),
        "vector-batch": ((4,), (2, 4, 3)),
        "nothing-summed": ((3, 0), (0, 2)),
        "nothing": ((0, 3), (3, 2)),
        "one": ((1, 1), (1, 1)),
        "odd": ((17, 33), (33, 19)),
    }
    for tag, (a, b) in shapes.items():
        yield Case("matmul", tag, ag.matmul, torch.matmul, [floats(*a), floats(*b)])
    yield Case(
        "matmul", "with-nan", ag.matmul, torch.matmul, [np.array([[1.0, NAN], [0.0, 2.0]]), np.array([[1.0], [0.0]])]
    )
    yield Case(
        "matmul", "transposed", lambda a, b: ag.matmul(a.T, b.T), lambda a, b: a.T @ b.T, [floats(4, 3), floats(5, 4)]
    )
    yield Case("matmul", "int64", ag.matmul, torch.matmul, [whole(3, 4), whole(4, 2)])
    yield Case("bmm", "plain", ag.bmm, torch.bmm, [floats(2, 3, 4), floats(2, 4, 5)])
    yield Case("outer", "plain", ag.outer, torch.outer, [floats(3), floats(4)])
    yield Case("vecdot", "broadcast", ag.vecdot, torch.linalg.vecdot, [floats(2, 1, 4), floats(3, 4)])
    yield Case("linear", "bias", ag.linear, F.linear, [floats(2, 3, 4), floats(5, 4), floats(5)])
    yield Case("linear", "plain", ag.linear, F.linear, [floats(4), floats(5, 4)])
    yield Case(
        "linear_relu",
        "bias",
        ag.linear_relu,
        lambda x, w, b: F.relu(F.linear(x, w, b)),
        [floats(3, 4), floats(5, 4), floats(5)],
    )
    yield Case(
        "addmm",
        "scaled",
        lambda c, a, b: ag.addmm(c, a, b, beta=0.5, alpha=2.0),
        lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=2.0),
        [floats(5), floats(3, 4), floats(4, 5)],
    )
    yield Case(
        "tensordot",
        "number",
        lambda a, b: ag.tensordot(a, b, 2),
        lambda a, b: torch.tensordot(a, b, 2),
        [floats(2, 3, 4), floats(3, 4, 5)],
    )
    yield Case(
        "tensordot",
        "axes",
        lambda a, b: ag.tensordot(a, b, ([0, -1], [1, 0])),
        lambda a, b: torch.tensordot(a, b, ([0, 2], [1, 0])),
        [floats(2, 3, 4), floats(4, 2, 5)],
    )
    qkv = [floats(2, 3, 4), floats(2, 5, 4), floats(2, 5, 6)]
    for tag, options in {"scaled": {"scale": 0.3}, "shared": {"enable_gqa": True, "is_causal": True}}.items():
        heads = 2 if tag == "shared" else 6
        yield Case(
            "scaled_dot_product_attention", tag,
            lambda *xs, k=options: ag.scaled_dot_product_attention(*xs, **k),
            lambda *xs, k=options: F.scaled_dot_product_attention(*xs, **k),
            [floats(2, 6, 3, 4), floats(2, heads, 3, 4), floats(2, heads, 3, 5)],
        )  # fmt: skip
    yield Case(
        "scaled_dot_product_attention",
        "by-position",
        lambda q, k, v: ag.scaled_dot_product_attention(q, k, v, None, 0.0, True),
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, None, 0.0, True),
        [floats(2, 4, 3), floats(2, 4, 3), floats(2, 4, 3)],
    )
    yield Case("attention", "plain", ag.attention, F.scaled_dot_product_attention, qkv)
    yield Case(
        "attention",
        "causal",
        lambda q, k, v: ag.attention(q, k, v, causal=True),
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        [floats(2, 4, 3), floats(2, 4, 3), floats(2, 4, 3)],
    )
    mask = np.array([[1, 1, 0, 0, 1], [1, 0, 0, 0, 0], [0, 1, 1, 1, 1]], dtype=bool)
    yield Case(
        "attention",
        "mask",
        lambda q, k, v: ag.attention(q, k, v, mask=placed(mask)),
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=torch.tensor(mask)),
        qkv,
    )
    yield Case(
        "fused_attention",
        "causal",
        lambda q, k, v: ag.fused_attention(q, k, v, scale=0.5, causal=True),
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        [floats(2, 4, 4), floats(2, 4, 4), floats(2, 4, 3)],
    )
    yield Case(
        "fused_attention",
        "mask",
        lambda q, k, v: ag.fused_attention(q, k, v, mask=placed(mask), scale=0.5),
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=torch.tensor(mask)),
        qkv,
    )
    yield Case(
        "fused_attention",
        "bias",
        lambda q, k, v, bias: ag.fused_attention(q, k, v, bias, scale=0.5),
        lambda q, k, v, bias: F.scaled_dot_product_attention(q, k, v, attn_mask=bias),
        [*qkv, floats(2, 3, 5)],
    )
    for k in (-1, 0, 2):
        yield Case("tril", f"{k}", lambda x, k=k: ag.tril(x, k), lambda x, k=k: torch.tril(x, k), [floats(2, 3, 4)])
        yield Case("triu", f"{k}", lambda x, k=k: ag.triu(x, k), lambda x, k=k: torch.triu(x, k), [HARD])
    for axis in (1, 0, -1):
        yield Case(
            "cosine_similarity",
            f"{axis}",
            lambda a, b, axis=axis: ag.cosine_similarity(a, b, axis=axis),
            lambda a, b, axis=axis: F.cosine_similarity(a, b, dim=axis),
            [floats(3, 4), floats(3, 4)],
        )
    yield Case(
        "cosine_similarity",
        "zero",
        ag.cosine_similarity,
        F.cosine_similarity,
        [np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([[1.0, 2.0], [0.0, 0.0]])],
    )


def convolutions() -> Iterator[Case]:
    options: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
        "plain": ((2, 3, 5, 4), (4, 3, 3, 2), {}),
        "strided": ((1, 2, 7, 6), (3, 2, 3, 3), {"stride": (2, 3), "padding": (1, 2)}),
        "dilated": ((1, 2, 7, 7), (2, 2, 3, 2), {"dilation": (2, 3), "padding": 1}),
        "groups": ((2, 4, 4, 4), (6, 2, 2, 2), {"groups": 2}),
        "depthwise": ((1, 3, 4, 4), (3, 1, 3, 3), {"groups": 3, "padding": 1}),
        "one": ((1, 1, 1, 1), (1, 1, 1, 1), {}),
        "empty-batch": ((0, 2, 4, 4), (3, 2, 2, 2), {}),
    }
    for tag, (x, w, keywords) in options.items():
        yield Case(
            "conv2d",
            tag,
            lambda x, w, b, k=keywords: ag.conv2d(x, w, b, **k),
            lambda x, w, b, k=keywords: F.conv2d(x, w, b, **k),
            [floats(*x), floats(*w), floats(w[0])],
        )
    yield Case(
        "conv1d",
        "plain",
        lambda x, w, b: ag.conv1d(x, w, b, stride=2, padding=1),
        lambda x, w, b: F.conv1d(x, w, b, stride=2, padding=1),
        [floats(2, 3, 7), floats(4, 3, 3), floats(4)],
    )
    yield Case(
        "conv1d",
        "groups",
        lambda x, w: ag.conv1d(x, w, groups=2, dilation=2),
        lambda x, w: F.conv1d(x, w, groups=2, dilation=2),
        [floats(2, 4, 7), floats(4, 2, 3)],
    )
    yield Case(
        "conv1d",
        "one-image-tuples",
        lambda x, w: ag.conv1d(x, w, stride=(2,), padding=(1,)),
        lambda x, w: F.conv1d(x, w, stride=(2,), padding=(1,)),
        [floats(3, 7), floats(4, 3, 3)],
    )
    images: dict[str, tuple[Any, Any, Any]] = {
        "conv2d": (lambda x, w: ag.conv2d(x, w, padding=1), lambda x, w: F.conv2d(x, w, padding=1), (4, 3, 3, 3)),
        "conv_transpose2d": (ag.conv_transpose2d, F.conv_transpose2d, (3, 4, 3, 2)),
        "max_pool2d": (lambda x, w: ag.max_pool2d(x, 2) * w, lambda x, w: F.max_pool2d(x, 2) * w, (1,)),
        "avg_pool2d": (lambda x, w: ag.avg_pool2d(x, 2) * w, lambda x, w: F.avg_pool2d(x, 2) * w, (1,)),
        "unfold": (lambda x, w: ag.unfold(x, 2) * w, lambda x, w: F.unfold(x, 2) * w, (1,)),
        "adaptive_avg_pool2d": (
            lambda x, w: ag.adaptive_avg_pool2d(x, (2, None)) * w, lambda x, w: F.adaptive_avg_pool2d(x, (2, None)) * w,
            (1,),
        ),
    }  # fmt: skip
    for name, (ours, theirs, weight) in images.items():
        yield Case(name, "one-image", ours, theirs, [floats(3, 5, 6), floats(*weight)])
    for tag, keywords in {
        "plain": {},
        "strided": {"stride": 2, "padding": 1, "output_padding": 1},
        "dilated": {"dilation": 2, "stride": (1, 2)},
    }.items():
        yield Case(
            "conv_transpose2d",
            tag,
            lambda x, w, b, k=keywords: ag.conv_transpose2d(x, w, b, **k),
            lambda x, w, b, k=keywords: F.conv_transpose2d(x, w, b, **k),
            [floats(2, 3, 4, 3), floats(3, 2, 3, 2), floats(2)],
        )
    yield Case(
        "conv_transpose2d",
        "groups",
        lambda x, w: ag.conv_transpose2d(x, w, groups=2),
        lambda x, w: F.conv_transpose2d(x, w, groups=2),
        [floats(1, 4, 3, 3), floats(4, 3, 2, 2)],
    )
    pools: dict[str, tuple[Array, dict[str, Any]]] = {
        "plain": (floats(2, 3, 4, 6), {"kernel": 2}),
        "overlapping": (floats(1, 2, 5, 5), {"kernel": 3, "stride": 1, "padding": 1}),
        "uneven": (floats(1, 1, 5, 7), {"kernel": (2, 3), "stride": (2, 1)}),
        "ties": (np.ones((1, 1, 4, 4)), {"kernel": 2}),
        "with-nan": (np.array([[[[1.0, NAN, 3.0, 4.0], [0.0, 1.0, 2.0, INF]]]]), {"kernel": 2}),
        "only-minus-inf": (np.full((1, 1, 2, 2), -INF), {"kernel": 2, "padding": 1, "stride": 1}),
    }
    for tag, (x, keywords) in pools.items():
        theirs = {"kernel_size" if key == "kernel" else key: value for key, value in keywords.items()}
        yield Case(
            "max_pool2d",
            tag,
            lambda x, k=keywords: ag.max_pool2d(x, **k),
            lambda x, k=theirs: F.max_pool2d(x, **k),
            [x],
        )
        yield Case(
            "avg_pool2d",
            tag,
            lambda x, k=keywords: ag.avg_pool2d(x, **k),
            lambda x, k=theirs: F.avg_pool2d(x, **k),
            [x],
        )
    yield Case(
        "max_pool2d",
        "dilated",
        lambda x: ag.max_pool2d(x, 2, 1, 0, 2),
        lambda x: F.max_pool2d(x, 2, 1, 0, 2),
        [floats(1, 2, 5, 5)],
    )
    yield Case(
        "max_pool1d",
        "plain",
        lambda x: ag.max_pool1d(x, 3, 2, 1),
        lambda x: F.max_pool1d(x, 3, 2, 1),
        [floats(2, 3, 7)],
    )
    yield Case(
        "avg_pool1d",
        "plain",
        lambda x: ag.avg_pool1d(x, 3, 2, 1),
        lambda x: F.avg_pool1d(x, 3, 2, 1),
        [floats(2, 3, 7)],
    )
    for size in ((1, 1), (2, 3), (5, 7)):
        yield Case(
            "adaptive_avg_pool2d",
            "x".join(map(str, size)),
            lambda x, s=size: ag.adaptive_avg_pool2d(x, s),
            lambda x, s=size: F.adaptive_avg_pool2d(x, s),
            [floats(2, 2, 5, 7)],
        )
