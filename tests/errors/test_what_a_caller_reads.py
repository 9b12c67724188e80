"""Calls that do not fit: the error names the op, the argument, what was given and what is wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from netcl import core, kernels
from netcl.core import DtypeError, IndexOutOfRangeError, ShapeError
from netcl.kernels.library.registry import UnknownOpError
from netcl.kernels.namespace import catalogue as op
from netcl.kernels.namespace import ops


def t(*shape: int, dtype: Any = np.float32) -> core.Tensor:
    return core.from_host(np.ones(shape, dtype))


def index(*values: int) -> core.Tensor:
    return core.from_host(np.array(values))


CALLS: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "lengths that do not meet": (
        lambda: op["matmul"](t(3, 4), t(5, 2)), ShapeError, "matmul: axis k is 4 in a (3, 4) but 5 in b (5, 2)"),
    "channels that do not meet": (
        lambda: op["conv2d"](t(1, 3, 8, 8), t(4, 2, 3, 3)), ShapeError,
        "conv2d: axis 1 of x (1, 3, 8, 8) is 3, but (g c) is 2: g is 1 and c is 2 in w (4, 2, 3, 3)"),
    "an image that is smaller than the kernel": (
        lambda: op["conv2d"](t(1, 3, 2, 2), t(4, 3, 3, 3)), ShapeError,
        "conv2d: needs size[p] > 0, but size[p] is 0 with x (1, 3, 2, 2), w (4, 3, 3, 3)"),
    "a stride of nothing": (
        lambda: op["max_pool2d"](t(1, 1, 4, 4), 2, stride=0), ShapeError,
        "max_pool2d: axis p = (dilation[0] + padding[0] * 2 + size[i] - dilation[0] * size[r] - 1) // stride[0] + 1 "
        "divides by zero: stride[0] must not be 0"),
    "a share of labels above all": (
        lambda: op["cross_entropy"](t(2, 3), index(0, 1), label_smoothing=2.0), ShapeError,
        "cross_entropy: needs label_smoothing <= 1, but label_smoothing is 2.0"),
    "a position beyond the axis": (
        lambda: op["embedding"](t(3, 2), index(0, 3)), IndexOutOfRangeError,
        "embedding: the index 3 (index at n0 = 1) is out of range for axis v of table, which has length 3; of 2 "
        "positions 1 is wrong"),
    "a position beyond one of two axes": (
        lambda: t(3, 4)[index(0, 2), index(1, 5)], IndexOutOfRangeError,
        "index tensor 1 of 2: the index 5 (index at n0 = 1) is out of range for an axis of length 4; of 2 positions 1 "
        "is wrong"),
    "a mask that is too short": (
        lambda: t(3)[core.from_host(np.array([True, False]))], IndexOutOfRangeError,
        "the mask has 2 elements for axis 0 of shape (3,), which has 3; a mask has as many as its axes"),
    "a mask of another width": (
        lambda: t(2, 3)[:, np.array([True, False, True, False])], IndexOutOfRangeError,
        "the mask has 4 elements for axis 1 of shape (2, 3), which has 3; a mask has as many as its axes"),
    "a mask of another height": (
        lambda: ops.index_put(t(2, 3), (np.array([True]),), 1.0), IndexOutOfRangeError,
        "the mask has 1 elements for axis 0 of shape (2, 3), which has 2; a mask has as many as its axes"),
    "no text to compile": (
        lambda: kernels.compile(3), TypeError, "compile takes a text, but got int; kernels.load reads a file"),
    "negative lengths": (
        lambda: ops.reshape(t(2, 3), -2, -3), ShapeError,
        "reshape: (-2, -3) has a negative length; one of -1 alone stands for what is left"),
    "a format for several elements": (
        lambda: f"{t(2):.3f}", ShapeError, "item: shape (2,) has 2 elements; only one element is a number"),
    "shapes that do not broadcast": (
        lambda: op["add"](t(2, 3), t(7, 4, 3)), ShapeError,
        "add: a (2, 3) and b (7, 4, 3) do not broadcast: axis 0 of a is 2, axis 1 of b is 4; they must be equal, or "
        "one of them 1"),
    "a bias of another length": (
        lambda: op["linear"](t(2, 3), t(4, 3), t(5)), ShapeError, "linear: axis o is 4 in w (4, 3) but 5 in b (5,)"),
    "no axes where one is needed": (
        lambda: op["vecdot"](t(), t(2)), ShapeError,
        "vecdot: a has 0 axes, but it is declared a[*i, k]. Given: a () float32, b (2,) float32"),
    "a number where axes are needed": (
        lambda: op["vecdot"](3.0, t(2)), ShapeError,
        "vecdot: a is a number, but it is declared a[*i, k]. Given: a=3.0, b (2,) float32"),
    "an operand too few": (
        lambda: op["where"](t(2), t(2)), TypeError, "where: operand b is missing; it takes c, a, b"),
    "an attribute too few": (
        lambda: op["max_pool2d"](t(1, 1, 4, 4)), TypeError,
        "max_pool2d: kernel is missing; it takes x, kernel, stride (optional), padding (optional), "
        "dilation (optional), ceil_mode (optional)"),
    "an argument too many": (
        lambda: op["add"](t(2), t(2), t(2)), TypeError, "add takes at most 2 arguments (a, b), but 3 were given"),
    "a keyword that is unknown": (
        lambda: op["add"](t(2), c=1), TypeError, "add has no argument 'c'; it takes a, b"),
    "an argument given twice": (
        lambda: op["add"](t(2), a=t(2)), TypeError, "add: argument 'a' is given twice"),
    "an op that is unknown": (
        lambda: op["sofmax"], UnknownOpError, "there is no op 'sofmax'; did you mean softmax"),
    "an array of numpy": (
        lambda: op["add"](t(2), np.ones(2)), DtypeError,
        "add: b is a numpy array of shape (2,); give a Tensor (core.from_host makes one of an array) or a number"),
    "an array of numpy after an operator": (
        lambda: t(2) * np.ones(2), DtypeError,
        "mul: b is a numpy array of shape (2,); give a Tensor (core.from_host makes one of an array) or a number"),
    "an array of numpy before an operator": (
        lambda: np.ones((3, 2)) @ t(2, 2), DtypeError,
        "matmul: a is a numpy array of shape (3, 2); give a Tensor (core.from_host makes one of an array) or a number"),
    "a list": (
        lambda: op["sum"]([1, 2]), DtypeError,
        "sum: x is a list; give a Tensor (core.from_host makes one of an array) or a number"),
    "a complex number": (
        lambda: op["add"](t(2), 1j), DtypeError,
        "add: b is a complex; give a Tensor (core.from_host makes one of an array) or a number"),
    "floats as an index": (
        lambda: op["embedding"](t(3, 2), t(2)), DtypeError,
        "embedding: index must hold integers, but it is float32; convert it with astype"),
    "an index and a table in the other order": (
        lambda: op["embedding"](index(0, 1), t(3, 2)), DtypeError,
        "embedding: index must hold integers, but it is float32; convert it with astype; or are index and table "
        "exchanged?"),
    "an axis and an index in the other order": (
        lambda: op["gather"](t(2, 2), 1, core.from_host([[0, 1]])), DtypeError,
        "gather: axis must be a value of Python, but it is a Tensor of shape (1, 2); gather takes x, index, axis"),
    "probabilities of the wrong rank": (
        lambda: op["cross_entropy"](t(2, 3), t(2)), DtypeError,
        "cross_entropy: y must hold integers, but it is float32; convert it with astype"),
    "an argument under two spellings": (
        lambda: op["sum"](t(2, 3), axis=0, dim=1), TypeError, "axis is given twice, once as dim"),
    "an axis that does not exist": (
        lambda: op["sum"](t(2, 3), axis=2), ShapeError, "sum: axis 2 does not exist; x (2, 3) has 2 axes"),
    "an axis to take along that does not exist": (
        lambda: op["take"](t(2, 3), index(0), axis=2), ShapeError,
        "take: axis 2 does not exist in x, which has 2 axes"),
    "an axis named twice": (
        lambda: op["sum"](t(2, 3), axis=(0, -2)), ShapeError, "sum: axis (0, -2) names one axis twice"),
    "an axis that is a float": (
        lambda: op["sum"](t(2, 3), axis=1.0), DtypeError, "sum: axis must be a whole number, but it is 1.0"),
    "an axis that is a word": (
        lambda: op["softmax"](t(2, 3), axis="last"), DtypeError,
        "softmax: axis must be a whole number, but it is 'last'"),
    "an order that leaves out an axis": (
        lambda: op["permute"](t(2, 3), (0,)), ShapeError, "permute: order (0,) must name each of the 2 axes once"),
    "a switch that is a number": (
        lambda: op["sum"](t(2, 3), keepdims=1), DtypeError, "sum: keepdims must be True or False, but it is 1"),
    "a word that is none of the words": (
        lambda: op["mse_loss"](t(2), t(2), reduction="avg"), ValueError,
        "mse_loss: reduction is 'avg', but it must be 'mean', 'sum' or 'none'"),
    "a number as a word": (
        lambda: op["gelu"](t(2), approximate=1), DtypeError,
        'gelu: approximate must be a word in quotes, such as "mean", but it is 1'),
    "a Tensor as an attribute": (
        lambda: op["leaky_relu"](t(2), slope=t(1)), DtypeError,
        "leaky_relu: slope must be a number, but it is a Tensor of shape (1,); slope.item() makes one of one element, "
        "which has no gradient; for one, the op must declare it as an operand"),
    "text as a number": (
        lambda: op["leaky_relu"](t(2), slope="0.1"), DtypeError,
        "leaky_relu: slope must be a number, but it is '0.1'"),
    "a fraction as a whole number": (
        lambda: op["dropout"](t(3), 0.5, 1.5), DtypeError, "dropout: seed must be a whole number, but it is 1.5"),
    "a fraction to roll by": (
        lambda: ops.roll(t(3), 1.5, 0), DtypeError, "roll: shift must be whole numbers, but it is 1.5"),
    "a fraction of an element around": (
        lambda: ops.pad(t(3), [(1.5, 0)]),
        DtypeError, "pad: widths must be a list of (before, after), one for each axis, but widths[0][0] is 1.5"),
    "more around than an axis has room for": (
        lambda: ops.pad(t(3), [(1 << 62, 1 << 62)]),
        ShapeError, f"pad: axis 0 would have {(1 << 63) + 3} elements; an axis has at most 2^48"),
    "fractions in a list": (
        lambda: op["max_pool2d"](t(1, 1, 4, 4), kernel=(2, 1.5)), DtypeError,
        "max_pool2d: kernel must be a whole number, but it is 1.5"),
    "a list of the wrong length": (
        lambda: op["conv2d"](t(1, 2, 4, 4), t(2, 2, 2, 2), stride=(1, 2, 3)), ShapeError,
        "conv2d: stride has 3 numbers (1, 2, 3), but it takes 2"),
    "nothing to join": (
        lambda: op["cat"]([]), ShapeError, "cat: xs is empty; give at least one Tensor, as in cat([a, b])"),
    "an array among Tensors": (
        lambda: op["cat"]([t(2, 3), np.ones((2, 3))]), DtypeError,
        "cat: xs[1] is a numpy array of shape (2, 3); give a Tensor (core.from_host makes one)"),
    "a negative number of axes": (
        lambda: op["expand_at"](t(2, 3), -1), ShapeError, "expand_at: before is -1; give a number of axes, 0 or more"),
    "a new axis beyond the last": (
        lambda: ops.unsqueeze(t(3), 3), ShapeError,
        "unsqueeze: of the result, axis 3 does not exist: there are 2 axes, so it must be in -2..1"),
    "tensors to stack one by one": (
        lambda: ops.stack(t(2), t(2)), DtypeError,
        "stack: xs is a Tensor; give a list of Tensors, as in stack([a, b])"),
    "tensors that a generator makes": (
        lambda: op["cat"](t(2) for _ in range(2)), DtypeError,
        "cat: xs is a generator; give a list of Tensors, as in cat([a, b])"),
    "a number among tensors to stack": (
        lambda: ops.stack([t(2), 1.5]), DtypeError, "stack: xs must be a list of Tensors, but xs[1] is 1.5"),
    "a specification in the second place": (
        lambda: ops.einsum(t(2, 3), "ij->ji"), TypeError,
        'einsum: the specification comes first, as in einsum("ij,jk->ik", a, b)'),
    "widths of one axis alone": (
        lambda: ops.pad(t(3), (1, 1)), ShapeError,
        "pad: widths needs one (before, after) for each axis, as in ((0, 0), (1, 1)), got (1, 1)"),
    "a function of NumPy that two ops do": (
        lambda: ops.lstsq, UnknownOpError, "there is no op 'lstsq'; it is solve(a.T @ a, a.T @ b), where the columns"),
    "a function of NumPy that nothing does": (
        lambda: ops.qr, UnknownOpError, "there is no op 'qr'; NumPy has it, of x.to_host()"),
    "a name of core among the ops": (
        lambda: ops.manual_seed, UnknownOpError, "there is no op 'manual_seed'; it is netcl.core's: core.manual_seed"),
    "floats between &": (
        lambda: t(2) & t(2), DtypeError,
        "& takes bools, but an operand is float32; compare first, as in (x != 0)"),
    "integers after ~": (
        lambda: ~index(1, 0), DtypeError, "~ takes bools, but an operand is int64; compare first, as in (x != 0)"),
    "a mask beside a slice to write at": (
        lambda: t(2, 3).__setitem__((slice(0, 1), t(3) > 0), 0), IndexOutOfRangeError,
        "x[key] = value takes positions and masks for the first axes alone, none beside slices, None or Ellipsis; "
        "write x[1:][mask] = value, or give positions for each axis"),
    "nothing written into a tensor": (
        lambda: t(3).__setitem__(0, None), DtypeError,
        "a tensor holds numbers and bools, but None was given; convert it first"),
    "nothing among numbers": (
        lambda: core.from_host([1.0, None]), DtypeError,
        "a tensor holds numbers and bools, but None was given; convert it first"),
    "a word among numbers": (
        lambda: core.from_host([[1.0, "one"]]), DtypeError,
        "a tensor holds numbers and bools, but 'one' was given; convert it first"),
    "a set": (lambda: core.from_host({1, 2}), DtypeError,
        "a tensor holds numbers and bools, but {1, 2} was given; convert it first"),
    "an int that no dtype holds": (
        lambda: core.from_host([1, 2**70]), DtypeError, f"{2**70} is beyond int64; convert it to a float"),
    "an array of objects": (
        lambda: core.from_host(np.array([1], object)), DtypeError,
        "an array of dtype object was given; convert it with array.astype"),
    "PyTorch's word for a copy on the host": (
        lambda: t(2).numpy(), AttributeError, "'Tensor' object has no attribute 'numpy'; here it is to_host()"),
    "a gradient of a value alone": (
        lambda: t(2).grad, AttributeError,
        "'Tensor' object has no attribute 'grad': it is a value alone, which is what ops give that got no node, that "
        "have no gradient, or under no_grad(); a gradient is had with netcl.autograd's tensor(x, requires_grad=True)"),
    "PyTorch's way to another device": (
        lambda: t(2).to("gpu"), AttributeError,
        "'Tensor' object has no attribute 'to'; here it is astype(dtype), and a device comes with the queue that it "
        "is made with (or NETCL_DEVICE)"),
    "an op that the text does not declare": (
        lambda: kernels.compile("op squash(x: float) -> y { y = tanh(x); }").sqash, UnknownOpError,
        "there is no op 'sqash'; did you mean squash?"),
    "an op of another text": (
        lambda: kernels.compile("op squash(x: float) -> y { y = tanh(x); }").exp, UnknownOpError,
        "there is no op 'exp'; the text declares squash"),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_does_not_fit_says_why(name: str) -> None:
    call, kind, message = CALLS[name]
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value).startswith(message) if kind is UnknownOpError else str(caught.value) == message


def test_an_op_works_after_a_call_that_did_not_fit() -> None:
    with pytest.raises(ShapeError):
        op["matmul"](t(3, 4), t(5, 2))
    np.testing.assert_array_equal(op["matmul"](t(3, 4), t(4, 2)).to_host(), np.full((3, 2), 4))


@pytest.mark.parametrize("number", [2, 2.0, True, np.float32(2), np.int64(2), np.array(2)])
def test_python_and_numpy_numbers_stand_in_the_place_of_an_operand(number: Any) -> None:
    np.testing.assert_array_equal(op["mul"](t(3), number).to_host(), np.full(3, float(number)))


@pytest.mark.parametrize("short", ["q", "k", "v"])
def test_attention_needs_rows_of_vectors(short: str) -> None:
    given = {name: core.ones((2,) if name == short else (2, 2)) for name in "qkv"}
    with pytest.raises(ShapeError, match=rf"attention: {short} has shape \(2,\), but rows of vectors are needed"):
        kernels.ops.attention(**given)
