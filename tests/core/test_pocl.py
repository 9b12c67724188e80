"""What the CPU runtime PoCL needs to be told and spared."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from netcl import core
from netcl.core import driver

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_the_number_of_threads_can_be_set(run: Run) -> None:
    code = "from netcl import core; print(core.default_device().compute_units)"
    assert run(code, NETCL_THREADS="1").stdout.strip() == "1"
    done = run(code, NETCL_THREADS="many")
    assert "NETCL_THREADS: 'many' is not a positive whole number" in done.stderr
    assert done.returncode == 1


_SMALL = "is not a number from 8 to 2147483647; unset it or write such as 4096"


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("NETCL_THREADS", "0", "is not a positive whole number"),
        ("NETCL_THREADS", "²", "is not a positive whole number"),
        ("NETCL_THREADS", "٣", "is not a positive whole number"),
        ("NETCL_THREADS", "40000", "is more than 1024; unset it or write such as 4"),
        ("NETCL_THREADS", "9" * 5000, "is more than 1024; unset it or write such as 4"),
        ("POCL_MAX_PTHREAD_COUNT", "-1", "is not a number from 1 to 1024; unset it or write such as 4"),
        ("POCL_MAX_PTHREAD_COUNT", "", "is not a number from 1 to 1024"),
        ("POCL_MAX_PTHREAD_COUNT", "9" * 5000, "is not a number from 1 to 1024"),
        ("POCL_PTHREAD_MIN_THREADS", "-1", "is not a number from 0 to 1024; unset it or write such as 1"),
        ("POCL_PTHREAD_MIN_THREADS", "many", "is not a number from 0 to 1024"),
        ("POCL_MAX_WORK_GROUP_SIZE", "0", _SMALL),
        ("POCL_MAX_WORK_GROUP_SIZE", "7", _SMALL),
        ("POCL_MAX_WORK_GROUP_SIZE", "many", _SMALL),
        ("POCL_MAX_WORK_GROUP_SIZE", str(2**32), _SMALL),
    ],
)
def test_a_number_with_which_pocl_ends_the_process_or_computes_garbage_is_refused_before(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, problem: str
) -> None:
    monkeypatch.delenv("NETCL_THREADS", raising=False)
    monkeypatch.setenv(name, value)
    with pytest.raises(core.NetclError) as caught:
        driver.prepare_environment()
    shown = value if len(value) < 40 else value[:40] + "…"
    assert str(caught.value).startswith(f"{name}: {shown!r} {problem}")
    assert os.environ[name] == value, "PoCL has been told of something"


def test_in_the_smallest_work_groups_that_are_taken_no_work_item_is_left_out(run: Run) -> None:
    code = """
        from netcl import core
        program = core.default_queue().program("kernel void f(global float *x) { x[get_global_id(0)] = 2; }")
        kernel = program.kernel("f", (None,))
        for size in (2, 7, 8, 64, 97, 1000):
            x = core.ones(size)
            kernel.launch((size,), None, (x.buffer.cl,))
            assert set(x.tolist()) == {2.0}, size
        print(core.default_device().max_work_group_size)
    """
    done = run(code, POCL_MAX_WORK_GROUP_SIZE="8")
    assert done.stdout == "8\n", done.stderr


@pytest.mark.parametrize("name", ["NETCL_THREADS", "POCL_MAX_PTHREAD_COUNT", "POCL_PTHREAD_MIN_THREADS"])
def test_there_may_be_more_threads_than_cores_where_a_process_inherits_that_each_is_kept_on_one(
    run: Run, name: str
) -> None:
    number = str((os.cpu_count() or 1) + 1)
    variables = {"NETCL_THREADS": None, "POCL_MAX_PTHREAD_COUNT": None, name: number, "POCL_AFFINITY": "1"}
    done = run("from netcl import core; print(core.ones(2).tolist())", **variables)
    assert done.stdout == "[1.0, 1.0]\n", done.stderr


_THERE_IS_NONE = "there is none on PATH; install it (Deb"


@pytest.mark.parametrize(
    ("linker", "problem"),
    [
        (None, _THERE_IS_NONE),
        ("", _THERE_IS_NONE),
        ("#!/bin/sh\nexit 3\n", "FOLDER/ld, the first on PATH, ends with code 3 for `ld -v`; take its folder out of "),
        ("nonsense", "FOLDER/ld, the first on PATH, cannot be run (Exec format error) for `ld -v`; take its folder "),
    ],
    ids=["no PATH", "no linker", "a linker that fails", "no program"],
)
def test_a_linker_that_is_missing_or_fails_is_a_sentence_and_not_the_end_of_the_process(
    run: Run, tmp_path: Path, linker: str | None, problem: str
) -> None:
    if linker:
        (tmp_path / "ld").write_text(linker)
        (tmp_path / "ld").chmod(0o700)
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
        PATH=None if linker is None else str(tmp_path),
    )
    assert done.returncode == 0, done.stderr
    said = f"PoCL needs the linker `ld` to compile a kernel, and {problem}".replace("FOLDER", str(tmp_path))
    assert done.stdout.startswith(said), done.stdout
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


KERNELS = """
    import os, shutil, time
    from netcl import core

    def kernel(name):
        source = "/* %d */ kernel void %s(global float *x) { x[0] += 1; }" % (time.time_ns(), name)
        return core.default_queue().program(source).kernel(name, (None,))

    def launched(kernel):
        x = core.ones(1)
        kernel.launch((1,), (1,), (x.buffer.cl,))
        return x.tolist()

    print(launched(kernel("first")))
    folder = os.environ["POCL_CACHE_DIR"]
"""


@pytest.mark.parametrize("own", [False, True])
def test_the_folder_of_pocl_may_be_deleted_while_it_is_used(run: Run, tmp_path: Path, own: bool) -> None:
    code = """
    shutil.rmtree(folder)
    print(launched(kernel("second")))
    print(os.path.exists(folder + "/lock"))
    """
    done = run(KERNELS + code, POCL_CACHE_DIR=str(tmp_path / "pocl") if own else None)
    assert done.stdout.splitlines() == ["[2.0]", "[2.0]", str(not own)], done.stderr


def test_damaged_files_in_a_folder_that_pocl_was_told_of_are_said_to_be(run: Run, tmp_path: Path) -> None:
    code = """
        from netcl import core
        program = core.default_queue().program("kernel void damaged(global float *x) { x[0] = 2; }")
        for name in ("damaged", "absent"):
            try:
                program.kernel(name, (None,)).launch((1,), (1,), (core.ones(1).buffer.cl,))
            except core.DeviceError as error:
                print(error)
    """
    folder = tmp_path / "pocl"
    place = f"{folder} (POCL_CACHE_DIR)"
    end = f"; if its source has that kernel, what PoCL keeps in {place} is damaged: delete that folder"
    variables = {"POCL_CACHE_DIR": str(folder), "NETCL_CACHE": "0"}
    absent = run(code, **variables).stdout
    assert absent.startswith("kernel 'absent' is not in its program: ")
    assert absent.endswith(end + "\n")
    for file in folder.rglob("*.bc"):
        file.write_bytes(b"damaged")
    said = run(code, **variables).stdout.splitlines()
    assert said[0].startswith("kernel 'damaged' is not in its program: ")
    assert said[0].endswith(end)
    assert "delete" not in run(code, POCL_CACHE_DIR=None, NETCL_CACHE="0").stdout


def test_the_environment_may_be_emptied_while_kernels_are_compiled(run: Run) -> None:
    code = """
    del os.environ["POCL_CACHE_DIR"]
    print(launched(kernel("second")))
    """
    done = run(KERNELS + code, POCL_CACHE_DIR=None)
    assert done.stdout.splitlines() == ["[2.0]", "[2.0]"], done.stderr


@pytest.mark.skipif(os.name != "posix", reason="limits of a process are of POSIX")
@pytest.mark.parametrize("made", ["before", "after"])
def test_a_kernel_that_pocl_cannot_write_is_an_error_that_names_the_folder(run: Run, made: str) -> None:
    code = f"""
    import resource
    made = kernel("second") if {made == "before"} else None
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        launched(made or kernel("second"))
    except core.DeviceError as error:
        print(str(error).replace(folder, "FOLDER"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    print(launched(made or kernel("second")))
    """
    done = run(KERNELS + code, POCL_CACHE_DIR=None)
    assert done.stdout.splitlines() == [
        "[2.0]",
        "PoCL cannot write the kernels that it compiles to FOLDER: File too large; make room there, or set "
        "POCL_CACHE_DIR to a folder that can be written before the process starts",
        "[2.0]",
    ], done.stderr


def test_a_device_compiles_for_the_cpu_that_it_is_told_where_the_compiler_does_not_know_its_own(run: Run) -> None:
    """With the name `generic` nothing compiles; once that is replaced, everything does."""
    done = run(
        """
        import ctypes, os
        from types import SimpleNamespace
        import pyopencl as cl
        from netcl.core import driver, unknown_cpu

        driver.prepare_environment()
        devices = [each for platform in cl.get_platforms() for each in platform.get_devices()]
        device = next(each for each in devices if "PoCL" in each.version)
        source = "kernel void f(global float *x) { x[get_global_id(0)] += 1; }"
        memory = os.open("/proc/self/mem", os.O_RDONLY)
        unknown_cpu._UNKNOWN = device.version.strip().rpartition("-")[2].encode() + bytes(1)
        place = unknown_cpu._place_of_name(memory, device.int_ptr)
        unknown = ctypes.create_string_buffer(b"generic")
        ctypes.c_void_p.from_address(place).value = ctypes.addressof(unknown)
        try:
            cl.Program(cl.Context([device]), source).build(cache_dir=False)
        except cl.Error as error:
            print("unknown target CPU 'generic'" in str(error))
        unknown_cpu._UNKNOWN = b"generic" + bytes(1)
        version = "OpenCL 3.0 PoCL HSTR: pthread-x86_64-unknown-linux-gnu-generic"
        as_found = SimpleNamespace(version=version, int_ptr=device.int_ptr)
        print(unknown_cpu.name_cpu(as_found, "x86-64"))
        cl.Program(cl.Context([device]), source).build(cache_dir=False)
        """
    )
    assert done.stdout.split() == ["True", "x86-64"], done.stderr
