"""A profile has the device's times of every launch inside it, and leaves no trace outside."""

from __future__ import annotations

import itertools
import json
import threading
from pathlib import Path

import numpy as np
import pytest

from netcl import core


@pytest.fixture(scope="module")
def kernel(queue: core.Queue) -> core.Kernel:
    source = "kernel void twice(global float *x) { x[get_global_id(0)] *= 2; }"
    return queue.program(source).kernel("twice", (None,))


def test_each_launch_is_timed_and_summed_by_kernel(queue: core.Queue, kernel: core.Kernel) -> None:
    x = core.ones((4,))
    kernel.launch((4,), (1,), (x.buffer.cl,))
    with core.profile() as profile:
        for _ in range(3):
            kernel.launch((4,), (1,), (x.buffer.cl,))
    kernel.launch((4,), (1,), (x.buffer.cl,))
    assert x.to_host().tolist() == [32.0] * 4  # five launches, three of them measured
    (row,) = profile.summary
    assert (row.name, row.calls, row.share) == ("twice", 3, 1.0)
    assert row.mean == pytest.approx(row.total / 3)
    launches = profile.launches
    assert all(0 <= launch.start <= launch.end for launch in launches)
    assert [launch.global_size for launch in launches] == [(4,)] * 3
    assert [one.end <= other.start for one, other in itertools.pairwise(launches)] == [True, True]
    assert "twice" in str(profile)
    assert "3" in str(profile)


def test_a_profile_is_saved_as_a_trace_that_browsers_open(kernel: core.Kernel, tmp_path: Path) -> None:
    x = core.ones((4,))
    with core.profile() as profile:
        kernel.launch((4,), (1,), (x.buffer.cl,))
    trace = json.loads(profile.save(tmp_path / "trace.json").read_text())
    named, launched = trace["traceEvents"]
    assert (named["ph"], named["args"]["name"]) == ("M", core.default_device().name)
    assert (launched["ph"], launched["name"], launched["ts"], launched["tid"]) == ("X", "twice", 0.0, named["tid"])
    assert launched["dur"] > 0
    assert launched["args"] == {"global size": [4]}


def test_launches_of_all_threads_are_in_the_profile(kernel: core.Kernel) -> None:
    tensors = [core.ones((4,)) for _ in range(3)]

    def work(x: core.Tensor) -> None:
        for _ in range(10):
            kernel.launch((4,), (1,), (x.buffer.cl,))

    with core.profile() as profile:
        threads = [threading.Thread(target=work, args=(x,)) for x in tensors]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert profile.summary[0].calls == 30
    assert all((x.to_host() == np.float32(1024)).all() for x in tensors)


def test_an_empty_profile_has_no_rows_and_only_one_runs_at_a_time(tmp_path: Path) -> None:
    with core.profile() as profile, pytest.raises(core.DeviceError, match="running already"), core.profile():
        pass
    assert profile.summary == []
    assert json.loads(profile.save(tmp_path / "trace.json").read_text())["traceEvents"] == []
