"""Calls that do not fit: the sentence names the function, what it takes, and what an argument of elsewhere is here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import netcl.autograd as ag
from netcl import core, kernels

X = core.from_host(np.ones((2, 3)))
W = ag.tensor(np.ones(3), requires_grad=True)
OWN = kernels.compile("op scaled(x[n]: float; a: float = 2) -> y[n] { y = x * a; }")
CALLS: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: ag.vmap(ag.exp, in_dims=0),
        "vmap has no argument 'in_dims'; it takes fn, in_axes.*; did you mean in_axes?",
    ),
    (
        lambda: ag.jit(ag.exp, static_argnums=1),
        "jit has no argument 'static_argnums'; .*is no tensor is static already",
    ),
    (lambda: ag.grad(ag.exp, argnum=1), "grad has no argument 'argnum'; .*did you mean argnums?"),
    (lambda: (W * 2).sum().backward(gradient=W), "backward has no argument 'gradient'; .*did you mean grad?"),
    (lambda: core.zeros(3, device="cpu"), "zeros has no argument 'device'; .*did you mean queue?"),
    (lambda: ag.optim.Adam([W], weightdecay=1), "Adam has no argument 'weightdecay'; .*did you mean weight_decay?"),
    (lambda: ag.pullback(ag.exp), "pullback: missing a required argument: 'inputs'; it takes fn, inputs, has_aux"),
    (lambda: ag.pullback(ag.mul, X, X), r"pullback: several inputs are one tuple, pullback\(fn, \(x, y\)\)"),
    (lambda: ag.linearize(ag.mul, X, X), r"linearize: several inputs are one tuple, linearize\(fn, \(x, y\)\)"),
    (lambda: ag.vjp(ag.exp, X), r"vjp: the function returned shape \(2, 3\), .*; pass v"),
    (
        lambda: ag.pullback(ag.exp, X)[1](),
        r"pullback: the function returned shape \(2, 3\), .*; call the function with v",
    ),
    (
        lambda: ag.checkpoint(lambda x: x)(X),
        r"checkpoint: missing .*; it calls the function at once, checkpoint\(fn, x",
    ),
    (
        lambda: ag.index_put(X, (slice(0, 1),), X),
        r"index_put: idx holds tensors of positions or masks; for slices write",
    ),
    (lambda: ag.cat([X, X[0]]), r"cat: xs.1. has 1 axis and xs.0. has 2 axes, but all of xs have the same number"),
    (lambda: X[object()], r"an index must be whole numbers, slices or bools, but it is an object"),
    (lambda: OWN.scaled(X[0], b=1), "scaled has no argument 'b'; it takes x, a"),
]


@pytest.mark.parametrize(("call", "sentence"), CALLS, ids=[each[1][:28] for each in CALLS])
def test_the_sentence_says_what_there_is(call: Callable[[], Any], sentence: str) -> None:
    with pytest.raises((TypeError, core.NetclError), match=sentence):
        call()


def test_a_function_without_arguments_may_be_checkpointed() -> None:
    assert ag.checkpoint(lambda: W * 2).tolist() == [2, 2, 2]
    assert ag.checkpoint(partial(ag.exp, X)).shape == (2, 3)


def test_a_name_of_a_dtype_is_that_of_its_class() -> None:
    for kind in (float, int, bool):
        assert core.zeros(2, dtype=kind).dtype == core.zeros(2, dtype=kind.__name__).dtype


class Doubled(ag.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return gradient * 2


class Learnt:
    """As a parameter of PyTorch's."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")

    def detach(self) -> Any:
        return np.ones(2)

    def __len__(self) -> int:
        return 2


class DtypeOfOthers:
    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


IMAGES = ag.ones((1, 1, 4, 4))
AS_IN_PYTORCH: dict[str, tuple[Callable[[], Any], str]] = {
    "a Function that is called": (lambda: Doubled()(IMAGES), r"Doubled is a Function, .*: call Doubled.apply\(…\)"),
    "a Function that is traced": (
        lambda: ag.jit(lambda x: Doubled.apply(x))(IMAGES),
        "Doubled cannot be traced: .* declare it as an op with its grad",
    ),
    "padding by a word": (lambda: ag.conv2d(IMAGES, IMAGES, padding="same"), "but it is 'same'; .* half of the window"),
    "no padding by a word": (lambda: ag.max_pool2d(IMAGES, 2, padding="valid"), "but it is 'valid'; 'valid' is 0"),
    "the shape before the weights": (
        lambda: ag.layer_norm(IMAGES, (4,), ag.ones(4), ag.zeros(4)),
        r"w is a tuple; .* it takes x, w \(optional\), b",
    ),
    "an option of a checkpoint": (
        lambda: ag.checkpoint(ag.exp, IMAGES, use_reentrant=False),
        "checkpoint: use_reentrant is an option in PyTorch",
    ),
    "a variance without bias": (lambda: IMAGES.std(dim=1, unbiased=False), "unbiased=False is correction=0"),
    "a norm's order": (lambda: IMAGES.norm(p=2), "it takes x, ord, axis, keepdims; did you mean ord"),
    "a diagonal": (lambda: ag.triu(IMAGES, diagonal=1), "it takes x, k; did you mean k"),
    "dropout in training": (lambda: ag.dropout(IMAGES, 0.5, training=True), r"dropout\(x, p\) if training else x"),
    "a factor of a sum": (lambda: ag.add(IMAGES, IMAGES, alpha=2), r"it takes a, b; write alpha \* b for b"),
    "a quotient that is rounded": (
        lambda: ag.div(IMAGES, IMAGES, rounding_mode="floor"),
        r"'floor' is floor_divide\(a, b\), and 'trunc' is trunc\(a / b\)",
    ),
    "a mean over the batch": (
        lambda: ag.kl_div(IMAGES, IMAGES, reduction="batchmean"),
        r"'none'; it is that of 'sum', divided by x.shape\[0\]",
    ),
    "a mean over the batch, of several ops": (
        lambda: ag.triplet_margin_loss(IMAGES, IMAGES, IMAGES, p=1, reduction="batchmean"),
        r"'none'; it is that of 'sum', divided by x.shape\[0\]",
    ),
    "a dtype": (lambda: ag.ones(2, dtype=DtypeOfOthers("float32")), "torch.float32 is .* its name, dtype='float32'"),
    "a dtype that is not there": (
        lambda: ag.ones(2, dtype=DtypeOfOthers("int16")),
        "torch.int16 is not supported; convert to one of float32",
    ),
    "a parameter": (
        lambda: ag.tensor(Learnt()),
        r"this Learnt requires a gradient; .* x.detach\(\), or core.from_dlpack\(x.detach\(\)\)",
    ),
    "a list of parameters": (
        lambda: ag.tensor([Learnt(), Learnt()]),
        r"a member of the list requires a gradient; give its value, member.detach\(\)",
    ),
    "a loader": (lambda: ag.DataLoader, "no attribute 'DataLoader': core.from_dlpack takes a batch"),
    "mixed precision": (lambda: ag.autocast, r"'autocast': x.astype\('bfloat16'\) stores"),
    "a scaler": (lambda: ag.GradScaler, "'GradScaler': "),
    "initial values": (lambda: ag.init, "'init': a leaf is made of numbers"),
    "sequences": (lambda: ag.pad_sequence, "'pad_sequence': sequences are padded with numpy"),
    "packed sequences": (lambda: ag.pack_padded_sequence, "'pack_padded_sequence': sequences are padded with numpy"),
}


@pytest.mark.parametrize("name", AS_IN_PYTORCH)
def test_what_pytorch_takes_is_refused_with_what_to_write_here(name: str) -> None:
    call, words = AS_IN_PYTORCH[name]
    with pytest.raises((AttributeError, TypeError, ValueError, core.NetclError), match=words):
        call()


def test_a_function_that_takes_an_option_of_pytorch_gets_it_from_checkpoint() -> None:
    assert ag.checkpoint(lambda x, use_reentrant: x * use_reentrant, ag.ones(2), use_reentrant=3).tolist() == [3, 3]


def test_memory_with_a_history_is_asked_to_be_detached() -> None:
    class OfOthers:
        requires_grad = True

        def __dlpack__(self, **_: Any) -> Any:
            raise BufferError("no")

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

    with pytest.raises(core.DeviceError, match=r"from_dlpack: this OfOthers requires a gradient, .* source.detach\(\)"):
        core.from_dlpack(OfOthers())
