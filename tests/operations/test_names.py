"""Every name that people look for is there: the ops, other names of theirs, PyTorch's spellings of arguments."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core
from netcl.core import operators
from netcl.kernels.namespace import OPERATORS, catalogue, ops

AICRAFT = (
    "add sub mul div neg matmul transpose sum mean max relu sigmoid tanh softmax gelu mse cross_entropy bce reshape "
    "squeeze unsqueeze log exp pow scale bias_add conv2d maxpool batchnorm dropout flatten"
).split()
OTHERS = {
    "clip": "clamp", "swish": "silu", "multiply": "mul", "subtract": "sub", "divide": "div", "negative": "neg",
    "power": "pow", "absolute": "abs", "arctan2": "atan2", "arcsin": "asin", "radians": "deg2rad", "max": "amax",
    "min": "amin", "mse": "mse_loss", "bce": "bce_loss", "scale": "mul", "bias_add": "add", "maxpool": "max_pool2d",
}  # fmt: skip


@pytest.mark.promise("A15")
def test_the_ops_of_another_small_framework_are_all_there() -> None:
    assert [name for name in AICRAFT if not callable(getattr(ag, name))] == []
    assert len(AICRAFT) == 31


@pytest.mark.parametrize("name", OTHERS)
def test_another_name_is_the_same_op(name: str) -> None:
    assert getattr(ops, name) is catalogue[OTHERS[name]]
    assert name in dir(ops)
    assert hasattr(core.Tensor, name)


def test_spellings_of_pytorch_are_understood() -> None:
    x = ag.tensor(np.arange(6.0).reshape(2, 3), requires_grad=True)
    assert ag.sum(x, dim=1, keepdim=True).tolist() == [[3], [12]]
    assert x.softmax(dim=0).shape == (2, 3)
    assert ag.unbind(x, dim=1)[2].tolist() == [2, 5]
    assert ag.linear(x, core.ones((4, 3), dtype="float64"), bias=core.ones((4,), dtype="float64")).shape == (2, 4)
    assert ag.adaptive_avg_pool2d(x.reshape(1, 1, 2, 3), size=1).shape == (1, 1, 1, 1)
    assert ag.transpose(x, 0, 1).shape == (3, 2)
    assert ag.tile(x, (2, 1)).shape == (4, 3)


def test_ints_are_given_one_by_one_in_a_sequence_or_by_name() -> None:
    x = ag.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
    for each in (x.reshape(3, 1), x.reshape([3, 1]), x.reshape(np.array([3, -1])), ag.reshape(x, shape=(3, 1))):
        assert each.shape == (3, 1)
    for each in (x.permute(1, 0), x.permute((1, 0)), ag.permute(x, axes=(1, 0)), ag.permute(x, dims=[1, 0])):
        assert each.tolist() == [[1], [2], [3]]
    for each in (x.expand(2, 3), x.expand((2, -1)), x.broadcast_to([2, 3]), ag.broadcast_to(x, shape=(2, 3))):
        assert each.tolist() == [[1, 2, 3], [1, 2, 3]]
    for each in (x.tile(2, 1), x.repeat((2, 1)), ag.repeat(x, reps=[2, 1])):
        assert each.tolist() == [[1, 2, 3], [1, 2, 3]]
    assert x.expand(4, -1, -1).shape == (4, 1, 3)
    assert x.reshape(np.int64(3)).shape == x.reshape(3).shape == (3,)
    assert x.sum().reshape().shape == x.sum().expand(()).shape == ()
    for wrong in ((1.5,), ("a",), ((3, 1), 2), (3.0, 1), (x,)):
        with pytest.raises(TypeError, match="reshape takes ints, or one sequence of ints, but got"):
            x.reshape(*wrong)
    for shape in ((-1, 1, 3), (3,), (2, 2), (2, -2)):
        with pytest.raises(core.ShapeError, match=r"broadcast_to: \(1, 3\) does not broadcast to \("):
            x.expand(*shape)


@pytest.mark.promise("N7")
def test_a_record_has_the_public_name_of_its_op() -> None:
    x = ag.tensor(np.ones((1, 2, 4, 4), np.float32), requires_grad=True)
    calls = {
        "norm": ag.norm(x), "batch_norm": ag.batch_norm(x), "dropout": ag.dropout(x), "pad": ag.pad(x, [(1, 1)] * 4),
        "roll": ag.roll(x, 1, 3), "interpolate": ag.interpolate(x, (2, 2)), "nan_to_num": ag.nan_to_num(x),
        "gumbel_softmax": ag.gumbel_softmax(x), "diagonal": ag.diagonal(x, 0, 2, 3), "einsum": ag.einsum("abcd->", x),
        "silu": ag.swish(x),
    }  # fmt: skip
    assert {name: node.op_name for name, node in calls.items()} == {name: name for name in calls}


def test_equality_is_that_of_the_elements_and_a_tensor_hashes_as_itself() -> None:
    x = core.from_host(np.array([1.0, 2.0, 0.0], np.float32))
    for each in (x, ag.Node(x, requires_grad=True)):
        assert (each == 0).tolist() == [False, False, True]
        assert (each != core.from_host(np.float32(2.0))).tolist() == [True, False, True]
        assert (each == 2).tolist() == [False, True, False]
        assert {each: 1}[each] == 1
        assert [each].index(each) == 0
        assert (each == None) is False  # noqa: E711
        assert each != "a"
    assert (ag.Node(3.0) == ag.Node(3.0)) is False  # a node of a number is itself


def test_elements_are_written_by_position_without_a_tape() -> None:
    x = core.from_host(np.arange(6, dtype=np.float32).reshape(2, 3))
    x[0] = 7.0
    x[1, ::2] = np.array([8, 9])
    x[:, 1:2] = x[:, :1]
    assert x.tolist() == [[7.0, 7.0, 7.0], [8.0, 8.0, 9.0]]
    assert x.version == 3
    x[core.from_host(np.array([0]))] = 1.0
    x[x > 8] = 0.0
    assert x.tolist() == [[1.0, 1.0, 1.0], [8.0, 8.0, 0.0]]
    assert x.version == 5


def test_the_first_thing_computed_may_be_any_operator() -> None:
    names = {f"__{prefix}{name}__" for name in OPERATORS for prefix in ("", "r")}
    assert names <= set(operators.NAMES)  # those that import what computes


def test_operators_of_bools() -> None:
    x = ag.tensor(np.array([1.0, 2.0, 3.0], np.float32), requires_grad=True)
    for each in (x, x.value):
        assert ((each > 1) & (each < 3)).tolist() == [False, True, False]
        assert ((each > 2) | (each < 2)).tolist() == [True, False, True]
        assert ((each > 1) ^ (each < 3)).tolist() == [True, False, True]
        assert (True & ~(each > 2)).tolist() == ((each < 3) & True).tolist() == [True, True, False]


def test_one_element_is_formatted_as_a_number() -> None:
    x = ag.tensor([0.5, 1.0], requires_grad=True)
    assert f"{x.sum():.2f} {x.value.sum():6.1f}|{x.value.sum()}" == f"1.50    1.5|{x.value.sum()!r}"


def test_what_is_said_in_the_place_of_a_function_of_numpy_computes_it() -> None:
    random = np.random.default_rng(3)
    a, b, x, w = random.normal(size=(6, 3)), random.normal(size=(6, 2)), random.normal(size=8), random.normal(size=3)
    ta, tb, tx, tw = map(core.from_host, (a, b, x, w))
    d = ta - ag.mean(ta, 1, keepdims=True)
    whole = ag.conv1d(tx[None, None], ag.flip(tw, 0)[None, None], padding=len(w) - 1)
    for found, due in (
        (ag.solve(ta.T @ ta, ta.T @ tb), np.linalg.lstsq(a, b, rcond=None)[0]),
        (ag.inv(ta.T @ ta) @ ta.T, np.linalg.pinv(a)),
        (whole[0, 0], np.convolve(x, w)),
        (ag.conv1d(tx[None, None], tw[None, None])[0, 0], np.correlate(x, w)),
        (d @ d.T / (3 - 1), np.cov(a)),
        (ag.sum((tx[1:] + tx[:-1]) / 2 * (tx[1:] - tx[:-1])), np.sum((x[1:] + x[:-1]) / 2 * np.diff(x))),
        (ag.flip(ta, 0), np.flipud(a)),
        (ag.flip(ta, 1), np.fliplr(a)),
        (ag.where(tx == 0, 0.5, tx > 0), np.heaviside(x, 0.5)),
    ):
        np.testing.assert_allclose(found.to_host(), due, rtol=1e-9, atol=1e-9)


def test_what_is_said_in_the_place_of_a_function_of_pytorch_computes_it() -> None:
    random = np.random.default_rng(4)
    x, table, keys = random.normal(size=(2, 8, 4)), np.sort(random.normal(size=7)), random.normal(size=5)
    images, square = random.normal(size=(2, 3, 8, 12)), random.normal(size=(3, 3))
    square = square @ square.T
    tx, timages, tsquare = map(core.from_host, (x, images, square))
    apart = ag.reshape(timages, (2, 3, 4, 2, 6, 2)).permute(0, 1, 3, 5, 2, 4).reshape(2, 12, 4, 6)
    parts = [images[:, c, i::2, j::2] for c in range(3) for i in range(2) for j in range(2)]
    shuffled = ag.reshape(tx, (2, 2, 4, 4)).swapaxes(1, 2).reshape(2, 8, 4)
    for found, due in (
        (apart, np.stack(parts, 1)),
        (shuffled, x[:, [0, 4, 1, 5, 2, 6, 3, 7]]),
        (ag.sum(core.from_host(table)[:, None] < core.from_host(keys), 0), np.searchsorted(table, keys)),
        (ag.sort(tx)[0][..., 2], np.sort(x)[..., 2]),
        (ag.log(ag.erfc(-tx / 2**0.5) / 2), np.log(np.vectorize(NormalDist().cdf)(x))),
        (ag.slogdet(tsquare)[1], np.log(np.linalg.det(square))),
        (ag.norm(tx, axis=(-2, -1)), np.linalg.norm(x, axis=(-2, -1))),
        (ag.clamp(tx, hi=0.3), np.minimum(x, 0.3)),
    ):
        np.testing.assert_allclose(found.to_host(), due, rtol=1e-9, atol=1e-9)
