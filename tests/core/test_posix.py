"""Forked children, and who may write the program cache: what only POSIX systems have."""

from __future__ import annotations

import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from netcl.core import cache

Run = Callable[..., "subprocess.CompletedProcess[str]"]


FORK = """
    import os, sys, warnings
    warnings.simplefilter("ignore")
    def attempt(*calls):
        for call in calls:
            try:
                call()
                print("worked")
            except core.DeviceError as error:
                print(all(word in str(error) for word in (
                    "set_start_method('spawn')", "forkserver", "multiprocessing_context='spawn'")))
        sys.stdout.flush()
    child = os.fork()
    if child == 0:
        attempt(
            lambda: slow.launch((1,), (1,), (x.buffer.cl,)), x.to_host, lambda: core.empty(10**6), core.Queue,
            lambda: queue.program("kernel void new() {}"), core.synchronize, lambda: core.ones(10**6),
            lambda: x.copy_from_host([1.0]), lambda: queue.program(source).kernel("slow", (None,)),
        )
        del x
        sys.exit(7)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    print(x.to_host().shape)
"""


def test_a_forked_child_is_told_to_be_spawned_and_never_hangs(run: Run, slow: str) -> None:
    done = run(slow + FORK, seconds=30)
    assert done.stdout.split("\n") == ["True"] * 9 + ["7", "(1,)", ""], done.stderr


def test_a_child_that_was_forked_before_the_driver_was_used_works(run: Run) -> None:
    done = run("""
        import os, sys
        from netcl import core
        core.Tensor
        child = os.fork()
        if child == 0:
            print(core.ones(2).tolist(), flush=True)
            sys.exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """)
    assert done.stdout.split("\n") == ["[1.0, 1.0]", "0", ""], done.stderr


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_spawned_children_of_a_process_that_used_the_driver_work(run: Run, tmp_path: Path, method: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(f"""
import multiprocessing
from netcl import core

def work(tensor):
    return tensor.tolist() + core.ones(1).tolist()

if __name__ == "__main__":
    tensor = core.full(2, 5.0)
    with multiprocessing.get_context("{method}").Pool(1) as pool:
        print(pool.map(work, [tensor]))
""")
    done = run(f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')")
    assert done.stdout.strip() == "[[5.0, 5.0, 1.0]]", done.stderr


def test_what_is_cached_is_private(folder: Path) -> None:
    cache.save("key", b"binary", {})
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "key.program").stat().st_mode) == 0o600


def test_a_file_that_others_could_have_written_is_not_trusted(folder: Path) -> None:
    cache.save("key", b"binary", {})
    (folder / "key.program").chmod(0o622)
    assert cache.load("key") is None


def test_a_link_is_not_followed(folder: Path) -> None:
    cache.save("key", b"binary", {})
    (folder / "other.program").symlink_to(folder / "key.program")
    assert cache.load("other") is None


def test_a_folder_that_others_can_write_is_refused_and_a_temporary_one_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    cache.folder.cache_clear()
    monkeypatch.setattr(cache, "_temporary", [])  # the folder that PoCL uses in this process stays
    monkeypatch.setenv("NETCL_CACHE_DIR", str(shared))
    with pytest.warns(RuntimeWarning, match=f"{shared} is not used: others can write it.*chmod 700"):
        chosen = cache.folder()
    assert chosen != shared
    assert stat.S_IMODE(chosen.stat().st_mode) == 0o700
    cache.remove_temporary()
    assert not chosen.exists()
    cache.folder.cache_clear()
