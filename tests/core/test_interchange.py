"""DLPack, both ways."""

from __future__ import annotations

from threading import Thread

import numpy as np
import pytest

from netcl import core
from netcl.core.interchange import dtype_in


@pytest.fixture
def tensor(own_queue: core.Queue) -> core.Tensor:
    return core.from_host(np.arange(6, dtype=np.float32).reshape(2, 3), own_queue)


def test_a_tensor_is_lent_to_numpy_without_a_copy(tensor: core.Tensor) -> None:
    if not tensor.queue.shares_host_memory:
        assert np.from_dlpack(tensor, device="cpu").sum() == 15
        return
    lent = np.from_dlpack(tensor.alias((3, 2), (1, 3), 0))
    np.testing.assert_array_equal(lent, tensor.to_host().T)
    tensor.copy_from_host(np.zeros((2, 3), np.float32))
    assert not lent.any()


def test_lent_memory_is_not_used_again_while_it_is_lent(tensor: core.Tensor) -> None:
    queue = tensor.queue
    lent = np.from_dlpack(tensor, device="cpu")
    before = lent.copy()
    del tensor
    others = [core.full((2, 3), 9.0, queue=queue) for _ in range(100)]
    assert len(others) == 100
    np.testing.assert_array_equal(lent, before)


def test_a_copy_is_given_when_asked_for(tensor: core.Tensor) -> None:
    own = np.from_dlpack(tensor, copy=True, device="cpu")
    own[:] = -1
    assert tensor.to_host().sum() == 15


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.uint8, np.bool_])
def test_an_array_of_another_library_becomes_a_tensor(dtype: type, queue: core.Queue) -> None:
    array = np.ones((3, 2), dtype)
    tensor = core.from_dlpack(array)
    np.testing.assert_array_equal(tensor.to_host(), array, strict=True)
    array[1, 1] = 0
    assert (tensor.to_host()[1, 1] == 0) == queue.shares_host_memory


def test_a_kernel_writes_into_borrowed_memory(own_queue: core.Queue, axpy: str) -> None:
    array = np.ones(100, np.float32)
    tensor = core.from_dlpack(array, own_queue)
    kernel = own_queue.program(axpy).kernel("axpy", (None, None, np.int64, np.float32))
    kernel.launch((100,), (1,), (tensor.buffer.cl, tensor.buffer.cl, 100, 2.0))
    assert (tensor.to_host() == 3).all()
    assert (array == 3).all() == own_queue.shares_host_memory


@pytest.mark.parametrize("make", [lambda: np.ones((4, 4))[::2], lambda: np.broadcast_to(np.ones(2), (3, 2)), list])
def test_what_cannot_be_borrowed_is_copied_or_refused(make: object) -> None:
    source = make()  # type: ignore[operator]
    if isinstance(source, list):
        with pytest.raises(core.DtypeError, match="__dlpack__, but it is a list"):
            core.from_dlpack(source)
        return
    np.testing.assert_array_equal(core.from_dlpack(source).to_host(), source)


def test_a_tensor_comes_back_as_a_view_of_itself(tensor: core.Tensor) -> None:
    assert core.from_dlpack(tensor).buffer is tensor.buffer


def test_bfloat16_is_lent_and_borrowed(own_queue: core.Queue) -> None:
    class Other:
        """An array of another library that has a bfloat16."""

        dtype = "other.bfloat16"

        def __dlpack__(self, **options: object) -> object:
            return lent.__dlpack__(**options)

        def __dlpack_device__(self) -> tuple[int, int]:
            return lent.__dlpack_device__()

    lent = core.from_host(np.array([1.0, 2.5]), own_queue, "bfloat16")
    for version in (None, (1, 0)):
        said = dtype_in(lent.__dlpack__(max_version=version))
        assert (said.code, said.bits, said.lanes) == (4, 16, 1)
    borrowed = core.from_dlpack(Other(), own_queue)
    assert borrowed.dtype is core.bfloat16
    assert borrowed.tolist() == [1, 2.5]
    lent.copy_from_host(np.array([3.0, -1.0]))
    assert borrowed.tolist() == [3, -1]


def test_another_device_than_the_host_is_refused(tensor: core.Tensor) -> None:
    with pytest.raises(BufferError, match="not the host"):
        tensor.__dlpack__(dl_device=(2, 0))


def test_memory_that_the_host_cannot_see_is_exported_only_as_a_copy(own_queue: core.Queue) -> None:
    own_queue.pool.shares_host_memory = False
    tensor = core.ones(3, queue=own_queue)
    assert tensor.__dlpack_device__()[0] == 4
    with pytest.raises(BufferError, match="to_host"):
        tensor.__dlpack__()
    assert np.from_dlpack(tensor, device="cpu").tolist() == [1, 1, 1]


def test_memory_of_others_may_be_written_as_soon_as_an_op_has_returned(rng: np.random.Generator) -> None:
    host = rng.normal(size=(300, 300)).astype(np.float32)
    for _ in range(5):
        batch = host.copy()
        lent = core.from_dlpack(batch)
        results = [lent @ lent, lent[10:].T @ lent[10:], lent + 1]
        batch[:] = np.nan
        for found, expected in zip(results, [host @ host, host[10:].T @ host[10:], host + 1], strict=True):
            np.testing.assert_allclose(found.to_host(), expected, rtol=1e-3, atol=1e-3)


def test_launches_of_another_thread_between_do_not_take_the_wait() -> None:
    own, target = core.ones((1000, 1000)), core.zeros((1000, 1000))
    lent = core.from_dlpack(np.zeros(3, np.float32))
    for _ in range(5):
        assert lent.buffer.cl is not None  # asked for as just before a launch
        other = Thread(target=lambda: [own @ own for _ in range(4)])
        other.start()
        other.join()
        assert not own.queue.main.is_idle
        target.assign_(own)
        assert own.queue.main.is_idle
    assert (target.to_host() == 1).all()


def test_whoever_has_the_memory_of_a_tensor_sees_what_is_written_there_at_once() -> None:
    tensor = core.zeros((1000, 1000))
    others = np.from_dlpack(tensor)
    for step in range(1, 6):
        tensor.assign_(core.full((1000, 1000), step))
        assert (others == step).all()
    others[:] = 3
    doubled = tensor * 2
    others[:] = 0
    assert (doubled.to_host() == 6).all()
