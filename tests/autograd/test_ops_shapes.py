"""Functions that only move elements: values as numpy has them, and each element's gradient back where it came from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core
from netcl.core.errors import IndexOutOfRangeError, ShapeError

Array = np.ndarray[Any, Any]
MASK = np.array([True, False, True])

MOVES: dict[str, tuple[Callable[[Any], Any], Callable[[Array], Array]]] = {
    "reshape": (lambda x: x.reshape(4, -1), lambda a: a.reshape(4, -1)),
    "permute": (lambda x: ag.permute(x, 2, 0, 1), lambda a: a.transpose(2, 0, 1)),
    "T": (lambda x: x.T, lambda a: a.T),
    "swapaxes": (lambda x: ag.swapaxes(x, 0, -1), lambda a: a.swapaxes(0, -1)),
    "moveaxis": (lambda x: ag.moveaxis(x, 0, 2), lambda a: np.moveaxis(a, 0, 2)),
    "squeeze": (lambda x: ag.squeeze(x[:1], 0), lambda a: a[:1].squeeze(0)),
    "unsqueeze": (lambda x: ag.unsqueeze(x, -1), lambda a: a[..., None]),
    "flatten": (lambda x: ag.flatten(x, 1), lambda a: a.reshape(2, 12)),
    "unflatten": (lambda x: ag.unflatten(x, -1, (2, 2)), lambda a: a.reshape(2, 3, 2, 2)),
    "broadcast_to": (lambda x: ag.broadcast_to(x[0, 0], (5, 4)), lambda a: np.broadcast_to(a[0, 0], (5, 4))),
    "narrow": (lambda x: ag.narrow(x, 2, 1, 2), lambda a: a[:, :, 1:3]),
    "split": (lambda x: ag.split(x, [1, 3], 2)[1], lambda a: a[:, :, 1:]),
    "chunk": (lambda x: ag.chunk(x, 3, 2)[1], lambda a: a[:, :, 2:4]),
    "unbind": (lambda x: ag.unbind(x, 1)[2], lambda a: a[:, 2]),
    "flip": (lambda x: ag.flip(x, (0, 2)), lambda a: np.flip(a, (0, 2))),
    "roll": (lambda x: ag.roll(x, (1, -2), (1, 2)), lambda a: np.roll(a, (1, -2), (1, 2))),
    "roll flat": (lambda x: ag.roll(x, 5), lambda a: np.roll(a, 5)),
    "repeat": (lambda x: ag.repeat(x, (2, 1, 3)), lambda a: np.tile(a, (2, 1, 3))),
    "repeat nothing": (lambda x: ag.repeat(x, (0, 1)), lambda a: np.tile(a, (0, 1))),
    "repeat_interleave": (lambda x: ag.repeat_interleave(x, 3, 1), lambda a: np.repeat(a, 3, 1)),
    "stack": (lambda x: ag.stack([x[0], x[1]], axis=-1), lambda a: np.stack([a[0], a[1]], -1)),
    "cat": (lambda x: ag.cat([x[0], x[1, :1]], axis=0), lambda a: np.concatenate([a[0], a[1, :1]])),
    "transpose": (lambda x: ag.transpose(x), lambda a: a.swapaxes(-1, -2)),
    "index_select": (
        lambda x: ag.index_select(x, 1, core.from_host(np.array([2, -3]))), lambda a: a[:, [2, -3]],
    ),
    "masked_select": (
        lambda x: ag.masked_select(x, core.from_host(MASK[:, None])), lambda a: a[:, MASK].reshape(-1),
    ),
    "diagonal": (lambda x: ag.diagonal(x, 1), lambda a: np.diagonal(a, 1)),
    "diagonal below, of other axes": (lambda x: ag.diagonal(x, -1, 2, 0), lambda a: np.diagonal(a, -1, 2, 0)),
    "no diagonal": (lambda x: ag.diagonal(x, 9), lambda a: np.diagonal(a, 9)),
    "pad that reflects": (
        lambda x: ag.pad(x, [(1, 0), (0, 2), (3, 1)], "reflect"),
        lambda a: np.pad(a, [(1, 0), (0, 2), (3, 1)], "reflect"),
    ),
    "pad that repeats the ends": (
        lambda x: ag.pad(x, [(2, 0), (0, 0), (3, 5)], "replicate"),
        lambda a: np.pad(a, [(2, 0), (0, 0), (3, 5)], "edge"),
    ),
    "pad that goes round": (
        lambda x: ag.pad(x, [(0, 2), (3, 0), (1, 1)], "circular"),
        lambda a: np.pad(a, [(0, 2), (3, 0), (1, 1)], "wrap"),
    ),
    "pad that goes round and takes away": (
        lambda x: ag.pad(x, [(0, 0), (-1, 2), (2, -1)], "circular"),
        lambda a: np.pad(a[:, 1:, :-1], [(0, 0), (0, 2), (2, 0)], "wrap"),
    ),
    "pad that reflects and takes away": (
        lambda x: ag.pad(x, [(0, 0), (-1, 0), (2, -1)], "reflect"),
        lambda a: np.pad(a[:, 1:], [(0, 0), (0, 0), (2, 0)], "reflect")[..., :-1],
    ),
    "pixel_shuffle": (
        lambda x: ag.pixel_shuffle(x.reshape(1, 4, 2, 3), 2),
        lambda a: a.reshape(1, 2, 2, 2, 3).transpose(0, 3, 1, 4, 2).reshape(1, 1, 4, 6),
    ),
    "interpolate to the nearest": (
        lambda x: ag.interpolate(x, (5, 2)), lambda a: a[:, [0, 0, 1, 1, 2]][:, :, [0, 2]],
    ),
    "contiguous": (lambda x: ag.contiguous(x[:, ::2]), lambda a: a[:, ::2]),
    "an int": (lambda x: x[1], lambda a: a[1]),
    "ints": (lambda x: x[-1, 0, 2], lambda a: a[-1, 0, 2]),
    "a slice": (lambda x: x[:, 1:], lambda a: a[:, 1:]),
    "a step backwards": (lambda x: x[::-1, ::-2, 3:0:-1], lambda a: a[::-1, ::-2, 3:0:-1]),
    "nothing": (lambda x: x[:, 2:1], lambda a: a[:, 2:1]),
    "an ellipsis": (lambda x: x[..., 1], lambda a: a[..., 1]),
    "a new axis": (lambda x: x[None, :, None, 0], lambda a: a[None, :, None, 0]),
    "a list": (lambda x: x[:, [2, 0, 0, -1]], lambda a: a[:, [2, 0, 0, -1]]),
    "two lists": (lambda x: x[:, [0, 2], [1, -1]], lambda a: a[:, [0, 2], [1, -1]]),
    "lists apart": (lambda x: x[[0, 1], :, [1, 3]], lambda a: a[[0, 1], :, [1, 3]]),
    "a mask": (lambda x: x[:, MASK], lambda a: a[:, MASK]),
    "an array of arrays": (lambda x: x[np.array([[0, 1], [1, 0]])], lambda a: a[np.array([[0, 1], [1, 0]])]),
    "an empty list": (lambda x: x[[]], lambda a: a[np.array([], int)]),
}  # fmt: skip


@pytest.mark.parametrize("name", MOVES)
@pytest.mark.sample(15)
def test_values_and_gradients_go_where_numpy_puts_them(name: str, rng: np.random.Generator) -> None:
    ours, theirs = MOVES[name]
    host = rng.normal(size=(2, 3, 4)).astype(np.float32)
    x = ag.tensor(host, requires_grad=True)
    y = ours(x)
    np.testing.assert_array_equal(y.to_host(), theirs(host))
    np.testing.assert_array_equal(ours(core.from_host(host)).to_host(), theirs(host))
    seed = rng.normal(size=y.shape).astype(np.float32)
    y.backward(core.from_host(seed))
    expected = np.zeros(host.size)
    np.add.at(expected, theirs(np.arange(host.size).reshape(host.shape)).reshape(-1), seed.reshape(-1))
    np.testing.assert_allclose(x.grad.to_host().reshape(-1), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.promise("P27")
@pytest.mark.parametrize("name", ["reshape", "permute", "a slice", "a step backwards", "a new axis", "unbind"])
def test_views_share_the_memory_of_what_they_show(name: str) -> None:
    x = core.from_host(np.zeros((2, 3, 4), np.float32))
    assert MOVES[name][0](x).buffer is x.buffer


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda x: x.reshape(5, 5), ShapeError), (lambda x: x.reshape(-1, -1), ShapeError),
        (lambda x: ag.permute(x, 0, 0, 1), ShapeError), (lambda x: ag.permute(x, 0, 1), ShapeError),
        (lambda x: ag.squeeze(x, 0), ShapeError), (lambda x: ag.broadcast_to(x, (2, 3, 5)), ShapeError),
        (lambda x: ag.narrow(x, 1, 2, 2), IndexOutOfRangeError), (lambda x: x[2], IndexOutOfRangeError),
        (lambda x: x[:, :, :, 0], IndexOutOfRangeError), (lambda x: x[..., ...], IndexOutOfRangeError),
        (lambda x: x[[0, 2]], IndexOutOfRangeError), (lambda x: ag.stack([x, x[0]]), ShapeError),
        (lambda x: ag.cat([x, x[:, :2]]), ShapeError), (lambda x: ag.split(x, [1, 1], 2), ShapeError),
        (lambda x: ag.pad(x, [(1, 1)]), ShapeError), (lambda x: ag.unflatten(x, 2, (3, 2)), ShapeError),
        (lambda x: ag.bmm(x, x), ShapeError), (lambda x: ag.tensordot(x, x, 1), ShapeError),
        (lambda x: ag.topk(x, 5), ShapeError), (lambda x: ag.median(x[:0]), ShapeError),
        (lambda x: ag.diagonal(x, 0, 1, 1), ShapeError), (lambda x: ag.pad(x, [(2, 0)] * 3, "reflect"), ShapeError),
        (lambda x: ag.pad(x, [(0, 0)] * 3, "mirror"), ShapeError), (lambda x: ag.index_put(x, [], 1.0), ShapeError),
        (lambda x: ag.glu(x, 1), ShapeError), (lambda x: ag.roll(x, (1, 2), 0), ShapeError),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(call: Callable[[Any], Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        call(ag.tensor(np.zeros((2, 3, 4)), requires_grad=True))


def test_items_assigned_into_a_node_without_a_gradient_give_it_one() -> None:
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    y = ag.Node(core.zeros((3,)))
    y[0] = 5.0
    assert not y.requires_grad
    y[:2] = x
    y[1:] = x * 3
    (y * y).sum().backward()
    np.testing.assert_array_equal(y.to_host(), np.float32([1, 3, 6]))
    np.testing.assert_array_equal(x.grad.to_host(), np.float32([2 * 1 + 2 * 3 * 3, 2 * 6 * 3]))


def test_one_element_of_any_shape_needs_no_seed_and_unused_inputs_are_zeros_or_refused_not_both() -> None:
    x = ag.tensor([3.0], requires_grad=True)
    assert ag.grad(x * x, x).tolist() == [6]
    with pytest.raises(core.GraphError, match="allow_unused=False refuses"):
        ag.grad(x * x, x, allow_unused=False, materialize_grads=True)


@pytest.mark.parametrize(
    "joined",
    [lambda x: ag.cat([x]), lambda x: ag.stack([x]), lambda x: x.repeat(1), lambda x: ag.tile(x, (1, 1))],
    ids=["cat", "stack", "repeat", "tile"],
)
def test_what_several_tensors_make_is_no_view_where_there_is_one(joined: Any) -> None:
    x = ag.tensor(np.array([1.0, 2.0], np.float32), requires_grad=True)
    y = joined(x)
    (y * y).sum().backward()
    assert x.grad.tolist() == [2, 4]
    with ag.no_grad():
        y.mul_(100)
    assert x.tolist() == [1, 2]
    doubled = ag.jit(lambda x: (joined(x) * 2).sum())(x)
    assert doubled.item() == 6
    assert ag.vmap(joined)(core.from_host(np.array([[1.0], [2.0]], np.float32))).flatten().tolist() == [1, 2]
