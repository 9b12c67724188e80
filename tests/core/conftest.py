"""What the tests of netcl.core share: a queue, and processes of their own for what a process does once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from netcl import core
from netcl.core import cache

collect_ignore = [] if hasattr(os, "fork") else ["test_posix.py"]
if not core.default_device().is_pocl:
    collect_ignore.append("test_pocl.py")

Run = Callable[..., subprocess.CompletedProcess[str]]

# Adds `scale` times b to a; the tests launch it in many ways.
AXPY = """
kernel void axpy(global float *a, global const float *b, long n, float scale) {
    size_t i = get_global_id(0);
    if (i < n) a[i] += scale * b[i];
}
"""

SLOW = """
    import time
    import numpy as np
    from netcl import core
    queue = core.default_queue()
    source = '''/* %d */
    kernel void slow(global float *x) {
        float s = x[0];
        for (int i = 0; i < 3000000; i++) s = sin(s) + 1;
        x[0] = s;
    }''' % time.time_ns()
    slow = queue.program(source).kernel("slow", (None,))
    x = core.ones(1)
    slow.launch((1,), (1,), (x.buffer.cl,))
"""


@pytest.fixture(scope="session")
def queue() -> core.Queue:
    return core.default_queue()


@pytest.fixture
def own_queue() -> core.Queue:
    """A queue that no other test uses, with an empty pool."""
    return core.Queue()


@pytest.fixture
def run() -> Run:
    """`run(code, NAME=value, …)` runs Python code in a new process with these variables; None removes one."""

    def run_code(code: str, seconds: float = 60, **variables: str | None) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, **{name: value for name, value in variables.items() if value is not None}}
        for name in [name for name, value in variables.items() if value is None]:
            environment.pop(name, None)
        return subprocess.run(
            [sys.executable, "-c", dedent(code)],
            env=environment, capture_output=True, text=True, timeout=seconds, check=False,
        )  # fmt: skip

    return run_code


@pytest.fixture
def axpy() -> str:
    return AXPY


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A new, empty folder of the program cache."""
    cache.folder.cache_clear()
    monkeypatch.setenv("NETCL_CACHE_DIR", str(tmp_path / "cache"))
    yield cache.folder()
    cache.folder.cache_clear()


@pytest.fixture
def slow() -> str:
    """Code that leaves `slow`, a kernel of a tenth of a second that has just been compiled, queued on `x`."""
    return SLOW
