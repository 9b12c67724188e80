"""What the CPU runtime PoCL needs to be told and spared."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_the_number_of_threads_can_be_set(run: Run) -> None:
    code = "from netcl import core; print(core.default_device().compute_units)"
    assert run(code, NETCL_THREADS="1").stdout.strip() == "1"
    done = run(code, NETCL_THREADS="many")
    assert "NETCL_THREADS: 'many' is not a positive whole number" in done.stderr


def test_a_missing_linker_is_a_sentence_and_not_the_end_of_the_process(run: Run, tmp_path: Path) -> None:
    done = run(
        f"""
        from netcl import core
        queue = core.default_queue()
        try:
            queue.program("/* {time.time_ns()} */ kernel void nothing() {{}}")
        except core.DeviceError as error:
            print(error)
        print(core.ones(2).tolist())
        """,
        PATH=str(tmp_path),
    )
    assert done.returncode == 0, done.stderr
    assert "needs the linker `ld`" in done.stdout
    assert "apt install binutils" in done.stdout
    assert done.stdout.endswith("[1.0, 1.0]\n")


def test_what_was_compiled_with_other_options_of_the_driver_is_compiled_anew(run: Run) -> None:
    code = f"""
        from netcl import core
        program = core.default_queue().program("/* {time.time_ns()} */ kernel void nothing(global float *x) {{}}")
        program.kernel("nothing", (None,)).launch((1,), (1,), (core.ones(1).buffer.cl,))
        core.synchronize()
        print(program.was_cached)
    """
    for options in (None, "-cl-opt-disable"):
        for cached in ("False", "True"):
            assert run(code, POCL_EXTRA_BUILD_FLAGS=options).stdout.strip() == cached
