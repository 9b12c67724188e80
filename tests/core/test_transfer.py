"""Values to the device and back: every dtype, every layout, every size."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from netcl import core
from netcl.core.dtypes import OF_NUMPY


@pytest.mark.promise("N35")
@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 0, 2), (2, 3), (5, 1, 7), (300, 301)], ids=str)
@pytest.mark.parametrize("dtype", OF_NUMPY, ids=str)
def test_values_come_back_bit_for_bit(dtype: np.dtype, shape: tuple[int, ...], rng: np.random.Generator) -> None:
    array = np.asarray(rng.integers(0, 2 if dtype is core.bool_ else 200, shape)).astype(dtype)
    if dtype.kind == "f" and array.size > 4:
        array.flat[:4] = [np.nan, np.inf, -np.inf, -0.0]
    back = core.from_host(array).to_host()
    assert back.dtype == dtype
    assert back.shape == shape
    assert back.tobytes() == array.tobytes()


@pytest.mark.promise("N35")
@pytest.mark.parametrize("size", [8, 60_000])
def test_any_numpy_layout_is_read_right(size: int) -> None:
    base = np.arange(size, dtype=np.float32).reshape(4, -1)
    for array in (base.T, base[::-1], base[:, ::2], np.broadcast_to(base[:1], base.shape), base.astype(">f4")):
        np.testing.assert_array_equal(core.from_host(array).to_host(), array)


def test_the_tensor_and_its_array_do_not_share_memory() -> None:
    for size in (4, 100_000):
        array = np.zeros(size, np.float32)
        tensor = core.from_host(array)
        array[:] = 1
        back = tensor.to_host()
        assert not back.any()
        back[:] = 2
        assert not tensor.to_host().any()


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        (1.5, "float32"), ([1.5, 2], "float32"), ([[1.5], [2]], "float32"), ([np.float64(1.5), 2.0], "float64"),
        ([[np.float64(1.5)], [2.0]], "float64"), ([np.ones(2), np.ones(2)], "float64"),
        ([np.ones(2, np.float32), np.ones(2, np.float32)], "float32"), ([], "float32"), (3, "int64"),
        ([1, 2], "int64"), (True, "bool"),
        (np.float64(1.5), "float64"), (np.zeros(2), "float64"), (np.zeros(2, np.int32), "int32"),
        ([np.float16(1)], "float16"), (range(3), "int64"),
    ],
)  # fmt: skip
def test_python_numbers_take_the_default_dtype_and_arrays_keep_theirs(values: object, dtype: str) -> None:
    assert core.from_host(values).dtype.name == dtype


def test_a_dtype_that_is_asked_for_is_given() -> None:
    assert core.from_host([1.5], dtype="float64").dtype is core.float64
    assert core.from_host(np.arange(3), dtype=core.float16).tolist() == [0, 1, 2]


@pytest.mark.parametrize("values", [np.zeros(2, complex), np.zeros(2, np.int16), "text", [1, None], [2**70]], ids=str)
def test_values_that_netcl_has_no_dtype_for_are_refused(values: object) -> None:
    with pytest.raises(core.DtypeError, match="convert"):
        core.from_host(values)


def test_a_ragged_list_is_refused() -> None:
    with pytest.raises(core.ShapeError, match="inhomogeneous"):
        core.from_host([[1], [1, 2]])


def test_float64_is_refused_by_a_device_without_it(own_queue: core.Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(own_queue.device.__dict__, "has_float64", False)
    for make in (lambda: core.from_host(np.zeros(2), own_queue), lambda: core.zeros(2, "float64", own_queue)):
        with pytest.raises(core.DtypeError, match=r"no double precision; convert to float32 with .*astype"):
            make()
    assert core.from_host([1.5], own_queue).dtype is core.float32


def test_writing_in_place_works_for_any_view() -> None:
    for size in (6, 200_000):
        tensor = core.zeros((size, 2))
        column = tensor.alias((size,), (2,), 1)
        column.copy_from_host(np.arange(size, dtype=np.float32))
        expected = np.zeros((size, 2), np.float32)
        expected[:, 1] = np.arange(size)
        np.testing.assert_array_equal(tensor.to_host(), expected)


def test_writing_in_place_refuses_another_shape_or_dtype_before_it_writes() -> None:
    tensor = core.zeros(3)
    with pytest.raises(core.ShapeError, match=r"\(2,\) and the tensor \(3,\)"):
        tensor.copy_from_host([1.0, 2.0])
    with pytest.raises(
        core.DtypeError, match=r"float64 and the tensor float32; convert with array.astype\('float32'\)"
    ):
        tensor.copy_from_host(np.ones(3))
    assert (tensor.tolist(), tensor.version) == ([0, 0, 0], 0)


def test_uploading_does_not_wait_for_queued_work(own_queue: core.Queue) -> None:
    if own_queue.shares_host_memory:
        before = own_queue.finish_count
        for _ in range(3):
            core.from_host(np.zeros(1_000_000, np.float32), own_queue)
        assert own_queue.finish_count == before


def test_new_values_never_land_in_memory_that_a_queued_kernel_still_reads(own_queue: core.Queue, axpy: str) -> None:
    """Dropped memory is used again while kernels that read it wait; the host must not write over it."""
    kernel = own_queue.program(axpy).kernel("axpy", (None, None, np.int64, np.float32))
    total = core.zeros(1000, queue=own_queue)
    for value in range(1000):
        term = core.from_host(np.full(1000, value, np.float32), own_queue)
        kernel.launch((1000,), (1,), (total.buffer.cl, term.buffer.cl, 1000, 1.0))
    assert (total.to_host() == sum(range(1000))).all()
    assert own_queue.pool.reserved_bytes < 300 * 4096, "upload memory must be used again, not pile up"


def test_threads_that_upload_launch_and_wait_on_one_queue_do_not_mix_their_values(
    own_queue: core.Queue, axpy: str
) -> None:
    kernel = own_queue.program(axpy).kernel("axpy", (None, None, np.int64, np.float32))
    sums: dict[int, float] = {}

    def work(number: int) -> None:
        total = core.zeros(500, queue=own_queue)
        for step in range(200):
            term = core.from_host(np.full(500, number + step, np.float32), own_queue)
            kernel.launch((500,), (1,), (total.buffer.cl, term.buffer.cl, 500, 1.0))
            del term
            if step % (7 + number) == 0:
                own_queue.finish()
        values = set(total.tolist())
        sums[number] = values.pop() if len(values) == 1 else float("nan")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sums == {number: 200 * number + sum(range(200)) for number in range(4)}


def test_a_host_view_shows_the_memory_itself_and_keeps_it(own_queue: core.Queue) -> None:
    tensor = core.from_host(np.arange(5000, dtype=np.float32), own_queue)
    view = core.host_view(tensor)
    assert (view is not None) == own_queue.shares_host_memory
    if view is None:
        return
    assert not view.flags.writeable
    tensor.copy_from_host(np.arange(5000, 0, -1, dtype=np.float32))
    assert view[0] == 5000
    del tensor
    core.full(5000, 7.0, core.float32, own_queue).to_host()
    assert view[0] == 5000, "the memory went to another tensor while the view was alive"


def test_devices_that_do_not_share_memory_are_read_and_written_by_commands(
    own_queue: core.Queue, rng: np.random.Generator
) -> None:
    own_queue.pool.shares_host_memory = False
    array = rng.normal(size=(30, 40)).astype(np.float32)
    tensor = core.from_host(array, own_queue)
    assert tensor.buffer.host is None
    np.testing.assert_array_equal(tensor.to_host(), array)
    np.testing.assert_array_equal(tensor.alias((40, 30), (1, 40), 0).to_host(), array.T)
    np.testing.assert_array_equal(tensor.alias((30,), (-40,), 40 * 29 + 5).to_host(), array[::-1, 5])
    tensor.alias((30, 2), (40, 3), 1).copy_from_host(np.zeros((30, 2), np.float32))
    tensor.alias((3,), (1,), 0).copy_from_host(np.array([1, 0, 3], ">f4"))
    array[0, [0, 2]] = 1, 3
    array[:, [1, 4]] = 0
    np.testing.assert_array_equal(tensor.to_host(), array)
    assert core.full((2, 2), 3.0, queue=own_queue).tolist() == [[3, 3], [3, 3]]
    assert core.host_view(tensor) is None
    assert core.zeros((0, 3), queue=own_queue).to_host().shape == (0, 3)
