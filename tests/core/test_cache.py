"""The program cache on disk: what is kept, what is trusted, and that a second process compiles nothing."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from netcl.core import cache

Run = Callable[..., "subprocess.CompletedProcess[str]"]

CODE = """
    import json
    import numpy as np
    from netcl import core
    queue = core.default_queue()
    source = "kernel void twice(global float *x) { x[get_global_id(0)] *= 2; }"
    kernel = queue.program(source).kernel("twice", (None,))
    x = core.ones(70000)
    kernel.launch((70000,), (1,), (x.buffer.cl,))
    kernel.launch((3,), (1,), (x.buffer.cl,))
    print(json.dumps([x.to_host()[[0, 3]].tolist(), core.counters()]))
"""


@pytest.fixture
def counts(run: Run, tmp_path: Path):  # type: ignore[no-untyped-def]
    """Runs CODE with a cache of its own; the counts it ends with."""

    def go(**variables: str) -> dict[str, int]:
        done = run(CODE, NETCL_CACHE_DIR=str(tmp_path / "cache"), **variables)
        assert done.returncode == 0, done.stderr
        values, counted = json.loads(done.stdout)
        assert values == [4, 2]
        return counted

    return go


def program_files(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "cache").glob("*.program"))


def test_a_second_process_compiles_nothing(counts, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    first, second = counts(), counts()
    assert (first["programs_built"], first["programs_loaded"], first["kernels_compiled"]) == (1, 0, 1)
    assert (second["programs_built"], second["programs_loaded"], second["kernels_compiled"]) == (0, 1, 0)
    (file,) = program_files(tmp_path)
    assert not list(file.parent.glob(".*")), "no half-written file is left"

    # A damaged file is built again, and is good again afterwards.
    text = file.read_bytes()
    file.write_bytes(text[:-100] + bytes(100))
    assert counts()["programs_built"] == 1
    file.write_bytes(b"not a program")
    assert counts()["programs_built"] == 1
    assert counts()["programs_built"] == 0

    assert counts(NETCL_CACHE="0")["programs_built"] == 1


def test_where_the_user_has_pocl_specialize_kernels_each_form_is_kept(counts) -> None:  # type: ignore[no-untyped-def]
    assert counts()["kernels_compiled"] == 1
    specialized = [counts(POCL_WORK_GROUP_SPECIALIZATION="1")["kernels_compiled"] for _ in range(2)]
    assert specialized == [2, 0]
    assert counts()["kernels_compiled"] == 0


def test_a_process_that_leaves_without_waiting_has_saved_what_it_compiled(run: Run, tmp_path: Path) -> None:
    code = """
        from netcl import core
        kernel = core.default_queue().program("kernel void one(global int *x) { x[0] = 1; }").kernel("one", (None,))
        x = core.empty(1, core.int32)
        kernel.launch((1,), (1,), (x.buffer.cl,))
        print(core.counters()["kernels_compiled"], core.counters()["finishes"])
    """
    outputs = [run(code, NETCL_CACHE_DIR=str(tmp_path / "cache")).stdout for _ in range(2)]
    assert outputs == ["1 0\n", "0 0\n"]


def test_what_is_saved_is_loaded(folder: Path) -> None:
    assert cache.load("key") is None
    assert cache.save("key", b"\x00binary\n\xff", {"forms": []})
    assert cache.load("key") == (b"\x00binary\n\xff", {"forms": []})


@pytest.mark.parametrize("text", [b"", b"netcl program 1\n", b"netcl program 1\n" + b"0" * 64 + b"\n{}\n", b"\x7fELF"])
def test_a_file_that_is_not_ours_is_ignored(folder: Path, text: bytes) -> None:
    (folder / "key.program").write_bytes(text)
    assert cache.load("key") is None
    assert cache.save("key", b"binary", {})
    assert cache.load("key") == (b"binary", {})


def test_a_full_disk_costs_nothing_but_the_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert not cache.save("key", b"binary", {})
    assert not list(folder.glob(".*"))


def test_files_that_nobody_used_for_months_are_deleted(folder: Path) -> None:
    cache.save("old", b"binary", {})
    cache.save("new", b"binary", {})
    os.utime(folder / "old.program", (1e9, 1e9))
    cache._remove_unused.cache_clear()
    cache.save("third", b"binary", {})
    assert [path.stem for path in cache.entries()] == ["new", "third"]


def test_keys_of_different_parts_differ() -> None:
    assert cache.key_of("ab", "c") != cache.key_of("a", "bc") != cache.key_of("a", "b", "c")
