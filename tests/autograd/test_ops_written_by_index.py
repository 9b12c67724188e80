"""Writing by index: what numpy would hold afterwards, duplicates in order, gradients to the elements that stayed."""

from __future__ import annotations

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core
from netcl.core.errors import IndexOutOfRangeError

INDEX = np.array([[0, 2, -1], [3, 2, 0], [0, 1, 0]])


def operands(rng: np.random.Generator) -> tuple[ag.Node, core.Tensor, ag.Node]:
    x, src = (ag.tensor(rng.normal(size=shape), requires_grad=True) for shape in ((4, 3), (3, 3)))
    return x, core.from_host(INDEX), src


def written(x: np.ndarray, src: np.ndarray, how: str) -> np.ndarray:
    """Element by element, in order."""
    found = x.copy()
    for (i, j), value in np.ndenumerate(src):
        old = found[INDEX[i, j], j]
        found[INDEX[i, j], j] = {"scatter": value, "scatter_add": old + value, "scatter_amax": max(old, value)}[how]
    return found


@pytest.mark.parametrize("name", ["scatter", "scatter_add", "scatter_amax"])
@pytest.mark.sample(2)
def test_each_element_goes_where_its_index_points(name: str, rng: np.random.Generator) -> None:
    x, index, src = operands(rng)
    op = getattr(ag, name)
    np.testing.assert_allclose(op(x, index, src, 0).to_host(), written(x.to_host(), src.to_host(), name), rtol=1e-12)
    assert ag.gradcheck(lambda x, src: op(x, index, src, 0), [x, src])
    assert ag.gradgradcheck(lambda x, src: op(x, index, src, 0) ** 2, [x, src], fast=True)


def test_of_several_elements_for_one_place_the_last_has_the_gradient() -> None:
    x = ag.tensor(np.zeros(2), requires_grad=True)
    src = ag.tensor(np.array([1.0, 2.0, 3.0]), requires_grad=True)
    y = ag.scatter(x, core.from_host(np.array([1, 1, 1])), src, 0)
    assert y.tolist() == [0, 3]
    y.sum().backward()
    assert x.grad.tolist() == [1, 0]
    assert src.grad.tolist() == [0, 0, 1]


def test_equal_largest_values_share_the_gradient() -> None:
    x = ag.tensor(np.array([1.0, 0.0]), requires_grad=True)
    src = ag.tensor(np.array([1.0, 1.0, 5.0]), requires_grad=True)
    ag.scatter_amax(x, core.from_host(np.array([0, 0, 1])), src, 0).sum().backward()
    np.testing.assert_allclose(x.grad.to_host(), [1 / 3, 0])
    np.testing.assert_allclose(src.grad.to_host(), [1 / 3, 1 / 3, 1])


def test_many_values_for_few_places_are_put_together_as_one_by_one(rng: np.random.Generator) -> None:
    index, src = rng.integers(0, 50, 20_000), rng.normal(size=20_000).astype(np.float32)
    x = np.full(50, -0.5, np.float32)
    tensors = core.from_host(x), core.from_host(index), core.from_host(src)
    largest, last = x.copy(), x.copy()
    np.maximum.at(largest, index, src)
    last[index] = src
    np.testing.assert_array_equal(ag.scatter_amax(*tensors, 0).to_host(), largest)
    np.testing.assert_array_equal(ag.scatter(*tensors, 0).to_host(), last)
    tensors[2].mul_(0.0).add_(float("nan"))
    assert np.isnan(ag.scatter_amax(*tensors, 0).to_host()).all()


@pytest.mark.parametrize("accumulate", [False, True])
def test_index_put_writes_what_numpy_would(accumulate: bool, rng: np.random.Generator) -> None:
    x, v = rng.normal(size=(3, 4, 2)), rng.normal(size=(2, 1, 1))
    rows, columns = np.array([[0], [2]]), np.array([1, -1, 1])
    expected = x.copy()
    if accumulate:
        np.add.at(expected, (rows, columns), v)
    else:
        expected[rows, columns] = v
    leaves = [ag.tensor(each, requires_grad=True) for each in (x, v)]
    index = core.from_host(rows), core.from_host(columns)
    np.testing.assert_allclose(ag.index_put(*leaves[:1], index, leaves[1], accumulate).to_host(), expected)
    assert ag.gradcheck(lambda x, v: ag.index_put(x, index, v, accumulate), leaves)
    assert ag.index_put(core.from_host(x), index, 7.0).to_host()[0, 3, 1] == 7


@pytest.mark.parametrize("wrong", [4, -5])
def test_a_place_outside_is_refused(wrong: int) -> None:
    x, rows = core.zeros((4, 3)), core.ones((1, 3))
    for name in ("scatter", "scatter_add", "scatter_amax"):
        with pytest.raises(IndexOutOfRangeError, match=f"{name}: the index {wrong}.*axis v of x"):
            getattr(ag, name)(x, core.from_host(np.array([[0, wrong, 1]])), rows, 0)
    for name in ("index_add", "index_copy"):
        with pytest.raises(IndexOutOfRangeError, match=name):
            getattr(ag, name)(x, core.from_host(np.array([wrong])), rows)
    with pytest.raises(IndexOutOfRangeError):
        ag.index_put(x, [core.from_host(np.array([wrong]))], 1.0)
    with pytest.raises(IndexOutOfRangeError, match="one_hot"):
        ag.one_hot(core.from_host(np.array([wrong])), 4)


def test_a_list_of_positions_outside_of_one_axis_does_not_read_another_row() -> None:
    x = core.from_host(np.arange(12.0).reshape(3, 4))
    with pytest.raises(IndexOutOfRangeError):
        x[[0, 1], [1, 5]]


def test_the_row_for_padding_has_no_gradient() -> None:
    table = ag.tensor(np.ones((3, 2)), requires_grad=True)
    y = ag.embedding(table, core.from_host(np.array([0, 1, 1, 2])), padding_idx=1)
    assert y.to_host().sum() == 8
    y.sum().backward()
    assert table.grad.tolist() == [[1, 1], [0, 0], [1, 1]]


@pytest.mark.promise("P18")
@pytest.mark.parametrize("descending", [False, True])
def test_sorting_is_stable_puts_nan_at_the_large_end_and_is_differentiable(
    descending: bool, rng: np.random.Generator
) -> None:
    host = np.array([[2.0, np.nan, 2.0, -np.inf, np.inf, 2.0, 0.0]])
    values, indices = ag.sort(core.from_host(host), descending=descending)
    order = [3, 6, 0, 2, 5, 4, 1]
    expected = [1, 4, 0, 2, 5, 6, 3] if descending else order
    assert indices.tolist() == [expected]
    np.testing.assert_array_equal(values.to_host(), host[:, expected])
    x = ag.tensor(rng.normal(size=(2, 5)), requires_grad=True)
    assert ag.gradcheck(lambda x: ag.sort(x, 0, descending)[0], [x])
    assert not ag.sort(x)[1].requires_grad


@pytest.mark.parametrize("length", [0, 1, 31, 32, 33, 100, 1000])
@pytest.mark.sample(4)
def test_rows_of_any_length_are_sorted_along_any_axis(length: int, rng: np.random.Generator) -> None:
    host = rng.integers(0, 20, (3, length)).astype(np.float32)
    for array, axis in ((host, -1), (np.ascontiguousarray(host.T), 0)):
        found = ag.argsort(core.from_host(array), axis).to_host()
        np.testing.assert_array_equal(found, np.argsort(array, axis, kind="stable"))


def test_the_largest_elements_come_in_order_with_their_places_and_gradients() -> None:
    x = ag.tensor(np.array([3.0, 1.0, 4.0, 1.0, 5.0]), requires_grad=True)
    values, indices = ag.topk(x, 2)
    assert values.tolist() == [5, 4]
    assert indices.tolist() == [4, 2]
    values.sum().backward()
    assert x.grad.tolist() == [0, 0, 1, 0, 1]
    assert ag.topk(x, 2, largest=False)[1].tolist() == [1, 3]


def test_the_median_is_the_lower_of_two_and_nan_where_there_is_one() -> None:
    x = ag.tensor(np.array([[3.0, 1.0, 2.0, 4.0], [1.0, np.nan, 0.0, 2.0]]), requires_grad=True)
    y = ag.median(x, axis=1, keepdims=True)
    np.testing.assert_array_equal(y.to_host(), [[2], [np.nan]])
    y.sum().backward()
    assert x.grad.tolist()[0] == [0, 0, 1, 0]
    assert ag.median(core.from_host(np.array([5, 7, 6]))).item() == 6
