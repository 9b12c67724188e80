"""The pool, the account of live bytes, and what happens when there is no room."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest

from netcl import core
from netcl.core.memory import block_size


def live() -> int:
    return core.memory_stats()["live_bytes"]


def test_live_bytes_count_what_is_alive_to_the_byte() -> None:
    gc.collect()
    start = live()
    tensor = core.empty((10, 10))
    assert live() == start + 400
    view = tensor.alias((10,), (1,), 0)
    assert live() == start + 400
    del tensor
    assert live() == start + 400, "a view keeps the memory"
    del view
    assert live() == start, "no garbage collector is needed"


def test_the_peak_is_the_most_there_ever_was() -> None:
    core.reset_peak_memory()
    start = live()
    for _ in range(5):
        core.empty(1000)
    first, second = core.empty(1000), core.empty(1000)
    del first, second
    assert core.memory_stats()["peak_bytes"] == start + 8000


def test_memory_is_used_again_and_the_driver_is_asked_once(own_queue: core.Queue) -> None:
    before = core.counters()
    for _ in range(100):
        core.empty(12345, queue=own_queue)
    after = core.counters()
    assert after["allocations"] - before["allocations"] == 100
    assert after["bytes_allocated"] - before["bytes_allocated"] == 100 * 4 * 12345
    assert after["driver_allocations"] - before["driver_allocations"] == 1


def test_a_new_size_of_the_same_block_needs_no_new_memory(own_queue: core.Queue) -> None:
    core.empty(1000, queue=own_queue)
    before = core.counters()["driver_allocations"]
    core.empty(1001, queue=own_queue)
    assert core.counters()["driver_allocations"] == before


def test_a_block_of_up_to_twice_the_size_is_lent_and_comes_back(own_queue: core.Queue) -> None:
    core.empty(20_000, queue=own_queue)
    before = core.counters()["driver_allocations"]
    lent = core.empty(11_000, queue=own_queue)
    assert core.counters()["driver_allocations"] == before
    del lent
    core.empty(20_000, queue=own_queue)
    assert core.counters()["driver_allocations"] == before, "it has come back"
    core.empty(9_000, queue=own_queue)
    assert core.counters()["driver_allocations"] == before + 1, "less than half of it would be used"


def test_sizes_that_keep_changing_do_not_make_the_pool_grow(own_queue: core.Queue) -> None:
    rng = np.random.default_rng(0)
    for _ in range(3000):
        held = [core.empty(int(rng.integers(1, 100_000)), queue=own_queue) for _ in range(4)]
        del held
    assert core.memory_stats(own_queue)["pool_bytes"] < 3 * 4 * 400_000


def test_an_upload_takes_a_larger_block_that_no_kernel_uses(own_queue: core.Queue) -> None:
    core.from_host(np.zeros(20_000, np.float32), queue=own_queue)
    own_queue.finish()
    before = core.counters()["driver_allocations"]
    core.from_host(np.zeros(15_000, np.float32), queue=own_queue)
    assert core.counters()["driver_allocations"] == before


def test_pool_bytes_are_what_trimming_gives_back(own_queue: core.Queue) -> None:
    core.empty(1 << 20, queue=own_queue)
    core.from_host([1.0], own_queue)
    assert core.memory_stats(own_queue)["pool_bytes"] == own_queue.pool.reserved_bytes >= 4 << 20
    own_queue.pool.trim()
    assert core.memory_stats(own_queue)["pool_bytes"] == own_queue.pool.reserved_bytes == 0


@pytest.mark.parametrize("nbytes", [0, 1, 255, 256, 257, 4096, 4097, 10**6, 2**30 + 1])
def test_a_block_is_large_enough_and_wastes_at_most_an_eighth(nbytes: int) -> None:
    size = block_size(nbytes)
    assert size >= max(nbytes, 256)
    assert size <= max(nbytes + 256, nbytes * 1.125)
    assert size % 256 == 0


def test_rounding_up_stops_at_the_largest_allocation(own_queue: core.Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_queue.device, "max_allocation_bytes", 1_000_000)
    assert block_size(990_000) > 1_000_000
    own_queue.allocate(990_000)
    assert own_queue.allocate(999_999).cl.size == 1_000_000, "the block of the first serves the second"
    with pytest.raises(core.OutOfMemoryError, match="in one piece"):
        own_queue.allocate(1_000_001)


def test_a_buffer_of_no_bytes_works(own_queue: core.Queue) -> None:
    buffer = own_queue.allocate(0)
    assert buffer.nbytes == 0
    assert buffer.cl.size > 0


@pytest.mark.parametrize("shape", [(10**6, 10**6), (1 << 40,)])
def test_memory_that_is_not_there_is_an_error_at_the_allocation_and_work_goes_on(shape: tuple[int, ...]) -> None:
    nbytes = 4 * int(np.prod(shape, dtype=object))
    with pytest.raises(core.OutOfMemoryError) as caught:
        core.empty(shape)
    for word in (str(shape), "float32", f"{nbytes} bytes"):
        assert word in str(caught.value)
    assert isinstance(caught.value, MemoryError)
    assert core.ones(3).tolist() == [1, 1, 1]


def test_the_limit_counts_all_memory_and_free_memory_makes_room(own_queue: core.Queue) -> None:
    own_queue.pool.limit_bytes = own_queue.pool.reserved_bytes + (8 << 20)
    kept = [core.empty(1 << 19, queue=own_queue) for _ in range(3)]
    core.empty((1 << 19) - 1000, queue=own_queue)  # stays in the pool, in the way of the next
    kept.append(core.empty(300_000, queue=own_queue))
    with pytest.raises(core.OutOfMemoryError, match=r"shape \(1048576,\).*are in use; drop tensors"):
        core.empty(1 << 20, queue=own_queue)
    kept.clear()
    assert core.full(1 << 20, 2.0, queue=own_queue).to_host()[-1] == 2


def test_a_driver_without_memory_is_asked_again_after_the_pool_is_empty(
    own_queue: core.Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    working = own_queue.pool._from_driver
    monkeypatch.setattr(own_queue.pool, "_from_driver", lambda size: working(size) if asked else asked.append(size))
    assert core.full(5, 1.0, queue=own_queue).tolist() == [1] * 5
    monkeypatch.setattr(own_queue.pool, "_from_driver", lambda size: None)
    with pytest.raises(core.OutOfMemoryError, match="float32"):
        core.empty(1 << 22, queue=own_queue)


def test_trimming_while_kernels_are_queued_frees_nothing_that_they_use(own_queue: core.Queue, axpy: str) -> None:
    kernel = own_queue.program(axpy).kernel("axpy", (None, None, np.int64, np.float32))
    total = core.zeros(100_000, queue=own_queue)
    for _ in range(20):
        term = core.ones(100_000, queue=own_queue)
        kernel.launch((100_000,), (1,), (total.buffer.cl, term.buffer.cl, 100_000, 1.0))
        del term
        own_queue.pool.trim()
    assert (total.to_host() == 20).all()
    assert core.memory_stats(own_queue)["pool_bytes"] == 0


def test_the_account_is_exact_with_many_threads(own_queue: core.Queue) -> None:
    gc.collect()
    before, start = core.counters(), live()

    def work() -> None:
        for size in range(3000):
            core.empty(size % 50, queue=own_queue)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert live() == start
    assert core.counters()["allocations"] - before["allocations"] == 8 * 3000


def test_two_live_buffers_never_share_memory(own_queue: core.Queue) -> None:
    tensors = [core.full(10, float(i), queue=own_queue) for i in range(200)]
    tensors += [core.full(20_000, float(i), queue=own_queue) for i in range(200, 220)]
    assert all((tensor.to_host() == i).all() for i, tensor in enumerate(tensors))
