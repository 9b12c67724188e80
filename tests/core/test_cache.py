"""The program cache on disk: what is kept, what is trusted, and that a second process compiles nothing."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from netcl import core
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


def test_all_that_is_compiled_is_saved_though_pocl_is_asked_for_few_of_its_kernels_while_they_run(
    run: Run, tmp_path: Path
) -> None:
    code = """
        from netcl import core
        from netcl.core import cache
        queue = core.default_queue()
        x = core.empty(1, core.int32)
        for each in range(48):
            source = "kernel void one(global int *x) { x[0] = %d; }" % each
            queue.program(source).kernel("one", (None,)).launch((1,), (1,), (x.buffer.cl,))
            core.synchronize()
        print(len(cache.entries()), core.counters()["programs_loaded"])
    """
    first, second = (run(code, NETCL_CACHE_DIR=str(tmp_path / "cache")) for _ in range(2))
    assert (first.stdout.split(), second.stdout.split()) == (["32", "0"], ["48", "48"]), first.stderr + second.stderr


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


def test_damaged_files_are_told_of_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(cache, "_told", [])
    for key in ("first", "second"):
        (folder / f"{key}.program").write_bytes(b"nothing")
        assert cache.load(key) is None
    (told,) = (record.getMessage() for record in caplog.records)
    assert told.startswith(f"cached program {folder / 'first.program'} is ignored: it is damaged; others like it ")


def test_a_file_under_the_name_of_another_is_ignored(folder: Path) -> None:
    cache.save("mine", b"binary", {})
    (folder / "mine.program").rename(folder / "other.program")
    assert cache.load("other") is None


@pytest.mark.skipif(os.name != "posix", reason="pipes, links and owners are of POSIX")
@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "open to all"])
def test_what_stands_in_the_place_of_a_file_is_ignored(folder: Path, kind: str) -> None:
    cache.save("key", b"binary", {})
    path = folder / "key.program"
    if kind == "open to all":
        path.chmod(0o666)
    else:
        path.rename(folder / "kept")
        if kind == "folder":
            path.mkdir()
        elif kind == "pipe":
            os.mkfifo(path)  # which nobody writes to: to open it waits for ever
        else:
            path.symlink_to(folder / "kept")
    before = os.listdir("/dev/fd")
    assert cache.load("key") is None
    assert os.listdir("/dev/fd") == before
    assert cache.save("key", b"binary", {}) is (kind != "folder")


ON_DISK = """
    from netcl.core import cache
    cache._ROOM = 1 << 62  # no file system has so much room
"""


@pytest.mark.parametrize("on_disk", [False, True])
def test_what_pocl_executes_is_of_this_process_alone_and_goes_with_it(run: Run, tmp_path: Path, on_disk: bool) -> None:
    code = (
        ON_DISK * on_disk
        + CODE
        + """
    import os, subprocess, sys
    print(os.environ["POCL_CACHE_DIR"], len(os.listdir(os.environ["POCL_CACHE_DIR"])) > 1, flush=True)
    if len(sys.argv) == 1:
        subprocess.run([sys.executable, "-c", sys.orig_argv[2], "child"], check=True)
    """
    )
    found = [line for line in run(code, NETCL_CACHE_DIR=str(tmp_path)).stdout.splitlines() if "netcl-process" in line]
    assert all(line.endswith(" True") for line in found), found
    assert not on_disk or all(line.startswith(f"{tmp_path}/pocl/") for line in found), found
    assert len(set(found)) == 2
    assert not any(Path(line.removesuffix(" True")).exists() for line in found)


def test_files_of_pocl_are_in_memory_where_they_may_be_executed_and_have_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    executes = SimpleNamespace(f_flag=0)

    def parent(flags: int, free: int) -> Path:
        about = SimpleNamespace(f_flag=flags, f_bavail=free, f_frsize=1)
        monkeypatch.setattr(os, "statvfs", lambda path: about if path == tmp_path else executes)
        return next(cache._parents())

    monkeypatch.setattr(cache, "_MEMORY", tmp_path)
    assert parent(0, cache._ROOM) == tmp_path
    assert parent(0, cache._ROOM - 1) == cache.folder() / "pocl"
    assert parent(os.ST_NOEXEC, cache._ROOM) == cache.folder() / "pocl"
    monkeypatch.undo()
    monkeypatch.setattr(cache, "_MEMORY", tmp_path / "nothing")
    assert next(cache._parents()) == cache.folder() / "pocl"


@pytest.mark.skipif(os.name != "posix", reason="how a folder is mounted is known on POSIX")
def test_files_of_pocl_are_kept_nowhere_where_they_may_not_be_executed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flags = {folder: os.ST_NOEXEC}
    monkeypatch.setattr(cache, "_MEMORY", folder / "nothing")
    monkeypatch.setattr(os, "statvfs", lambda path: SimpleNamespace(f_flag=flags.get(path, 0), f_bavail=0, f_frsize=1))
    assert list(cache._parents()) == [Path(tempfile.gettempdir())]
    flags[Path(tempfile.gettempdir())] = os.ST_NOEXEC
    with pytest.raises(core.DeviceError, match="can be written and is not mounted `noexec`"):
        cache.pocl_folder.__wrapped__()


NOWHERE = """
    import tempfile
    from pathlib import Path
    from netcl.core import cache, cli
    cache._MEMORY = Path("/nonexistent")
    tempfile._candidate_tempdir_list = lambda: ["/nonexistent"]
"""


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="/proc is a folder in which nobody can make one")
@pytest.mark.parametrize("code", ["from netcl import core; core.ones(1)", "raise SystemExit(cli.main(['doctor']))"])
def test_where_no_folder_can_be_written_the_way_out_is_named(run: Run, code: str) -> None:
    done = run(NOWHERE + "    " + code, NETCL_CACHE_DIR="/proc/netcl", POCL_CACHE_DIR=None)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert "there is no folder for compiled programs: /proc/netcl is not used, since it cannot be written" in last
    assert last.endswith(
        "No usable temporary directory found in ['/nonexistent']; set NETCL_CACHE_DIR to a private "
        "folder that can be written"
    )
    assert ("Traceback" in done.stderr) is ("doctor" not in code)


@pytest.mark.parametrize("in_memory", [False, True])
def test_the_folder_of_a_process_that_was_killed_is_removed_and_that_of_a_living_one_is_not(
    folder: Path, run: Run, in_memory: bool
) -> None:
    parent = folder / ("memory" if in_memory else "pocl")
    left, alive = (parent / f"netcl-process-{name}" for name in ("left", "alive"))
    for path in (left, alive):
        path.mkdir(parents=True)
        (path / "lock").touch()
        os.utime(path, (1e9, 1e9))
    cache._hold(alive)
    os.utime(alive, (1e9, 1e9))
    memory = f"""
    from pathlib import Path
    from netcl.core import cache
    cache._MEMORY, cache._ROOM = Path({str(parent)!r}), 0
    """
    code = (memory if in_memory else ON_DISK) + "\n    cache.pocl_folder()"
    done = run(code, NETCL_CACHE_DIR=str(folder))
    assert done.returncode == 0, done.stderr
    assert not left.exists()
    assert alive.exists()


def test_a_file_where_the_folder_of_pocl_should_be_costs_nothing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pocl").write_bytes(b"no folder")
    done = run(ON_DISK + CODE, NETCL_CACHE_DIR=str(tmp_path))
    assert done.returncode == 0, done.stderr


def test_a_full_disk_costs_nothing_but_the_cache_and_is_told_of_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    monkeypatch.setattr(cache, "_told", [])
    with caplog.at_level("WARNING", logger="netcl"):
        assert not cache.save("key", b"binary", {})
        assert not cache.save("another", b"binary", {})
    assert not list(folder.glob(".*"))
    (told,) = (record.getMessage() for record in caplog.records)
    assert told.startswith(f"compiled programs are not kept in {folder} (No space left on device), and each process ")
    assert "make room there, or set NETCL_CACHE_DIR to " in told


def test_a_folder_that_was_deleted_is_made_again(folder: Path) -> None:
    folder.rmdir()
    assert cache.load("key") is None
    assert cache.save("key", b"binary", {})
    assert cache.load("key") == (b"binary", {})
    assert os.name != "posix" or folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="/proc is a folder in which nobody can make one")
@pytest.mark.parametrize("use", ["core.default_queue().program('kernel void f() {}')", "ag.ones(3).exp()"])
def test_a_home_that_cannot_be_written_is_told_of_at_the_line_of_the_user(use: str, run: Run) -> None:
    done = run(
        f"from netcl import autograd as ag; from netcl import core\n{use}",
        HOME="/proc/nobody", XDG_CACHE_HOME=None, NETCL_CACHE_DIR=None,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (told,) = (line for line in done.stderr.splitlines() if "RuntimeWarning" in line)
    assert told.startswith("<string>:2: RuntimeWarning: cache folder /proc/nobody/.cache/netcl is not used: it cannot")
    assert "set NETCL_CACHE_DIR to a private folder that can be written" in told


def test_files_that_nobody_used_for_months_are_deleted(folder: Path) -> None:
    cache.save("old", b"binary", {})
    cache.save("new", b"binary", {})
    os.utime(folder / "old.program", (1e9, 1e9))
    cache._remove_unused.cache_clear()
    cache.save("third", b"binary", {})
    assert [path.stem for path in cache.entries()] == ["new", "third"]


def test_keys_of_different_parts_differ() -> None:
    assert cache.key_of("ab", "c") != cache.key_of("a", "bc") != cache.key_of("a", "b", "c")
