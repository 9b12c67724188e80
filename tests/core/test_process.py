"""What a process does once: import, start, environment, fork, exit. Each test runs a process of its own."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from netcl import core

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_importing_core_imports_neither_numpy_nor_a_driver(run: Run) -> None:
    done = run("""
        import sys
        from netcl import core
        assert not {"numpy", "pyopencl", "netcl.core.tensor"} & set(sys.modules)
        core.float32, core.Tensor, core.DeviceError, core.memory_stats
        assert "pyopencl" not in sys.modules
        core.default_device()
        assert "pyopencl" in sys.modules
    """)
    assert done.returncode == 0, done.stderr


def test_every_public_name_is_there(run: Run) -> None:
    for name in core.__all__:
        assert getattr(core, name) is not None
    assert set(dir(core)) == set(core.__all__)
    with pytest.raises(AttributeError, match="'banana'"):
        core.banana  # noqa: B018


def test_counters_is_a_function_whatever_was_imported_first(run: Run) -> None:
    done = run("""
        import netcl.core.memory, netcl.core.queue
        from netcl import core
        assert core.counters()["finishes"] == 0
        assert core.memory_stats()["live_bytes"] == 0
    """)
    assert done.returncode == 0, done.stderr


def test_drivers_find_their_settings_before_the_first_query(run: Run) -> None:
    done = run(
        """
        import os
        from netcl import core
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        device = core.default_device()
        assert os.environ["PYOPENCL_NO_CACHE"] == "1"
        assert os.environ["POCL_CACHE_DIR"] == str(core.cache.pocl_folder())
        if hasattr(os, "sched_setaffinity"):
            assert os.environ["POCL_MAX_PTHREAD_COUNT"] == "1"
            assert device.compute_units == 1 or not device.is_pocl
        """,
        POCL_MAX_PTHREAD_COUNT=None, POCL_CACHE_DIR=None, PYOPENCL_NO_CACHE=None, NETCL_THREADS=None,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_what_the_user_has_set_for_a_driver_stays(run: Run, tmp_path: Path) -> None:
    code = "from netcl import core; core.default_device(); import os; print(os.environ['POCL_CACHE_DIR'])"
    assert run(code, POCL_CACHE_DIR=str(tmp_path)).stdout.strip() == str(tmp_path)


def test_an_unwritable_home_is_no_obstacle(run: Run, tmp_path: Path) -> None:
    nowhere = tmp_path / "file"
    nowhere.write_text("no folder can be made below a file")
    done = run(
        """
        from netcl import core
        print(core.ones(3).tolist(), core.cache.folder())
        """,
        HOME=str(nowhere), XDG_CACHE_HOME=None, NETCL_CACHE_DIR=None, POCL_CACHE_DIR=None, LOCALAPPDATA=str(nowhere),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    values, folder = done.stdout.strip().rsplit(" ", 1)
    assert values == "[1.0, 1.0, 1.0]"
    assert not Path(folder).exists(), "the temporary folder goes when the process goes"


def test_an_unknown_device_is_answered_with_those_there_are(run: Run) -> None:
    done = run(
        """
        from netcl import core
        try:
            core.default_device()
        except core.DeviceError as error:
            print(error)
        """,
        NETCL_DEVICE="nonsense",
    )
    assert "there is no device 'nonsense'" in done.stdout
    assert core.devices()[0].name in done.stdout


@pytest.mark.parametrize("leave", ["", "raise SystemExit(3)", "raise ValueError('boom')"], ids=["end", "exit", "error"])
def test_leaving_with_work_queued_is_quiet(run: Run, slow: str, leave: str) -> None:
    done = run(slow + f"    {leave}\n", NETCL_CACHE="0")
    assert done.returncode == {"": 0, "raise SystemExit(3)": 3}.get(leave, 1), done.stderr
    assert ("boom" in done.stderr) == ("boom" in leave)
    assert "netcl:" not in done.stderr
