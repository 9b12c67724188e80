"""An arena takes back what was allocated since a mark, whoever holds it; what was there before stays."""

from __future__ import annotations

import contextlib
import threading

import numpy as np
import pytest

from netcl import core


def live() -> int:
    return core.memory_stats()["live_bytes"]


@pytest.mark.promise("A11", "A13")
def test_restoring_a_mark_frees_what_was_made_since_and_nothing_else() -> None:
    before = core.ones((7,))
    start = live()
    mark = core.memory_checkpoint()
    for _ in range(3):  # a mark is good for many restores
        held = [core.ones((100,)), core.zeros((0,)), core.full((), 3.0)]
        assert live() == start + 404
        core.memory_restore(mark)
        assert live() == start
        assert all(tensor.buffer.freed for tensor in held)
    assert before.to_host().tolist() == [1.0] * 7
    del held
    assert live() == start


@pytest.mark.promise("A11")
def test_a_freed_tensor_says_so_wherever_it_is_used() -> None:
    with core.arena():
        x = core.ones((3, 4))
        view = x.alias((4,), (1,), 0)
    ones = np.ones((3, 4), np.float32)
    for use in (x.to_host, view.to_host, x.tolist, lambda: core.host_view(x), lambda: x.copy_from_host(ones)):
        with pytest.raises(core.FreedError, match=r"48 bytes was freed.*core\.keep"):
            use()
    assert repr(x) == "tensor(freed, shape=(3, 4), dtype=float32)"
    assert (x.shape, x.nbytes, x.version) == ((3, 4), 48, 0)


def test_marks_nest_and_an_error_restores_all_the_same() -> None:
    with core.arena():
        outer = core.ones((5,))
        with contextlib.suppress(KeyError), core.arena():
            inner = core.ones((5,))
            raise KeyError
        assert inner.buffer.freed
        assert outer.to_host().sum() == 5
    assert outer.buffer.freed


def test_what_is_kept_outlives_every_arena_around_it() -> None:
    with core.arena(), core.arena():
        kept = core.keep(core.full((3,), 2.0))
    assert kept.to_host().tolist() == [2.0] * 3
    assert core.keep(kept) is kept  # outside of an arena there is nothing to except it from


def test_memory_that_numpy_borrowed_is_not_used_again_before_numpy_has_done_with_it(own_queue: core.Queue) -> None:
    with core.arena():
        lent = np.from_dlpack(core.full((64,), 7.0, queue=own_queue))
        copied = core.host_view(core.full((64,), 8.0, queue=own_queue))
    others = [core.full((64,), 9.0, queue=own_queue) for _ in range(4)]
    assert lent.tolist() == [7.0] * 64
    assert copied is None or copied.tolist() == [8.0] * 64
    free = own_queue.pool.free_bytes()
    del lent, copied, others
    assert own_queue.pool.free_bytes() > free


def test_an_arena_leaves_what_other_threads_make_alone() -> None:
    made = []
    with core.arena():
        thread = threading.Thread(target=lambda: made.append(core.ones((3,))))
        thread.start()
        thread.join()
    assert made[0].to_host().tolist() == [1.0] * 3
    marks = []
    thread = threading.Thread(target=lambda: marks.append(core.memory_checkpoint()))
    thread.start()
    thread.join()
    with pytest.raises(core.GraphError, match="made by another thread"):
        core.memory_restore(marks[0])


def test_nothing_is_listed_once_the_last_mark_is_gone() -> None:
    from netcl.core.memory import NOTING

    first, second = core.memory_checkpoint(), core.memory_checkpoint()
    del first
    assert threading.get_ident() in NOTING
    del second
    assert threading.get_ident() not in NOTING


@pytest.mark.promise("A12")
def test_used_and_free_make_the_capacity_and_the_peak_is_reported(own_queue: core.Queue) -> None:
    empty = core.memory_stats(own_queue)
    assert empty["capacity_bytes"] == empty["free_bytes"] + empty["used_bytes"] == own_queue.pool.limit_bytes
    x = core.ones((1000,), queue=own_queue)
    full = core.memory_stats(own_queue)
    assert full["used_bytes"] - empty["used_bytes"] >= x.nbytes
    assert full["used_bytes"] + full["free_bytes"] == full["capacity_bytes"] == empty["capacity_bytes"]
    assert full["peak_bytes"] >= full["live_bytes"] >= 4000
    del x
    assert core.memory_stats(own_queue)["used_bytes"] == empty["used_bytes"]
