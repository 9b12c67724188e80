"""What a Tensor is: values, views, version, numbers, and how it shows itself."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from netcl import core
from netcl.core.dtypes import OF_NUMPY


@pytest.fixture
def matrix() -> core.Tensor:
    return core.from_host(np.arange(12, dtype=np.float32).reshape(3, 4))


def test_a_tensor_knows_its_shape_size_dtype_and_place(matrix: core.Tensor, queue: core.Queue) -> None:
    assert matrix.shape == (3, 4)
    assert matrix.strides == (4, 1)
    assert (matrix.ndim, matrix.size, matrix.nbytes, matrix.offset, len(matrix)) == (2, 12, 48, 0, 3)
    assert matrix.dtype is core.float32
    assert matrix.queue is queue
    assert matrix.device is queue.device
    assert matrix.is_contiguous


@pytest.mark.parametrize(
    "view",
    [
        lambda array: array.T,
        lambda array: array[1:],
        lambda array: array[:, 1:3],
        lambda array: array[::-1, ::2],
        lambda array: array[1],
        lambda array: array[:, :0],
        lambda array: array[2, 3],
        lambda array: np.broadcast_to(array[:, :1], (3, 5)),
    ],
    ids=["transposed", "rows", "columns", "reversed", "one row", "empty", "one element", "broadcast"],
)
def test_a_view_shows_what_the_same_view_in_numpy_shows(matrix: core.Tensor, view: object) -> None:
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    part = np.asarray(view(array))  # type: ignore[operator]
    start = part.__array_interface__["data"][0] - array.__array_interface__["data"][0] if part.base is not None else 44
    strides = tuple(stride // 4 for stride in part.strides)
    shown = matrix.alias(part.shape, strides, start // 4)
    np.testing.assert_array_equal(shown.to_host(), part)
    assert shown.to_host().flags.c_contiguous
    assert shown.is_contiguous == part.flags.c_contiguous


@pytest.mark.promise("P27")
def test_views_share_memory_and_version(matrix: core.Tensor) -> None:
    row = matrix.alias((4,), (1,), 4)
    assert (matrix.version, row.version) == (0, 0)
    row.copy_from_host([40.0, 50.0, 60.0, 70.0])
    assert (matrix.version, row.version) == (1, 1)
    assert matrix.tolist()[1] == [40, 50, 60, 70]
    matrix.bump_version()
    assert row.version == 2


def test_two_tensors_do_not_share_a_version(matrix: core.Tensor) -> None:
    other = core.empty_like(matrix)
    matrix.bump_version()
    assert other.version == 0


def test_a_version_counter_of_ones_own_can_be_given(matrix: core.Tensor) -> None:
    class Counter:
        version = 5

    tensor = core.Tensor(matrix.buffer, matrix.layout, version=Counter())
    tensor.bump_version()
    assert (tensor.version, matrix.version) == (6, 0)


@pytest.mark.parametrize("dtype", OF_NUMPY, ids=str)
def test_one_element_is_a_python_number(dtype: np.dtype) -> None:
    tensor = core.full((1, 1), 1, dtype)
    assert tensor.item() == 1
    assert type(tensor.item()) is type(np.ones(1, dtype).item())
    assert bool(tensor)
    assert float(tensor) == 1.0
    assert int(tensor) == 1


def test_only_a_tensor_of_one_element_is_a_number(matrix: core.Tensor) -> None:
    for convert in (bool, float, int, core.Tensor.item):
        with pytest.raises(core.ShapeError, match=r"\(3, 4\)"):
            convert(matrix)  # type: ignore[operator]


def test_only_an_integer_without_axes_is_an_index() -> None:
    assert [10, 20, 30][core.from_host(1)] == 20  # type: ignore[call-overload]
    for value in (1.0, True, [1]):
        with pytest.raises(TypeError, match="is not an index"):
            range(3)[core.from_host(value)]  # type: ignore[call-overload]


def test_a_tensor_without_axes_has_no_length() -> None:
    with pytest.raises(TypeError, match="without axes"):
        len(core.from_host(1.0))


def test_iterating_gives_the_parts_along_the_first_axis() -> None:
    assert [row.tolist() for row in core.from_host([[1.0, 2.0], [3.0, 4.0]])] == [[1.0, 2.0], [3.0, 4.0]]
    assert list(core.from_host(np.empty((0, 2)))) == []
    with pytest.raises(TypeError, match="without axes"):
        iter(core.from_host(1.0))


def test_a_tensor_equals_only_itself_and_can_be_a_key(matrix: core.Tensor) -> None:
    assert hash(matrix) == hash(matrix)
    assert {matrix: 1}[matrix] == 1


def test_numpy_reads_a_tensor_and_leaves_operators_to_it(matrix: core.Tensor) -> None:
    np.testing.assert_array_equal(np.asarray(matrix), matrix.to_host())
    assert np.asarray(matrix, dtype=np.float64).dtype == np.float64
    with pytest.raises(ValueError, match="copy"):
        np.asarray(matrix, copy=False)
    with pytest.raises(TypeError):
        np.ones(4) + core.from_host([1.0])


def test_the_representation_shows_values_shape_dtype_and_device(queue: core.Queue) -> None:
    text = repr(core.from_host([[1.5, 2.0]]))
    assert text == f"tensor([[1.5, 2. ]], shape=(1, 2), dtype=float32, device={queue.device.name!r})"
    assert len(repr(core.zeros((1000, 1000)))) < 1000


def test_a_tensor_is_pickled_and_copied_by_value(matrix: core.Tensor) -> None:
    for twin in (pickle.loads(pickle.dumps(matrix)), copy.deepcopy(matrix)):
        np.testing.assert_array_equal(twin.to_host(), matrix.to_host())
        assert twin.buffer is not matrix.buffer


def test_an_unknown_attribute_is_an_attribute_error(matrix: core.Tensor) -> None:
    with pytest.raises(AttributeError, match="no attribute 'banana'"):
        matrix.banana  # noqa: B018
