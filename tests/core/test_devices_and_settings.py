"""Finding devices, reading settings, and the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace

import pytest

from netcl import core
from netcl.core import cli, doctor, driver, operators, settings
from netcl.core.device import find_device
from netcl.core.installed import PACKAGES


def test_a_device_says_what_it_is() -> None:
    device = core.default_device()
    assert device in core.devices()
    assert device.device_class in ("cpu", "gpu")
    assert device.compute_units >= 1
    assert all(isinstance(text, str) and text for text in (device.name, device.platform, device.driver, device.version))
    assert isinstance(device.has_float64, bool)
    assert isinstance(device.has_float16, bool)
    assert device.name in repr(device)


def test_a_device_is_found_by_class_index_and_part_of_its_name() -> None:
    device = core.devices()[0]
    assert find_device(device.index) is device
    assert find_device(device.name[:6].upper()).name[:6] == device.name[:6]
    assert find_device(device.device_class).device_class == device.device_class


def test_the_name_of_a_platform_comes_before_that_of_a_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    def device(platform: str, name: str) -> SimpleNamespace:
        return SimpleNamespace(platform=platform, name=name, device_class="cpu", index=platform)

    portable, makers = device("Portable Computing Language", "cpu Intel Xeon"), device("Intel(R) OpenCL", "Xeon")
    monkeypatch.setattr("netcl.core.device.devices", lambda: [portable, makers])
    assert find_device("intel") is makers
    assert find_device("portable") is portable
    assert find_device("XEON") is portable


def test_the_default_queue_is_one_queue_on_the_default_device() -> None:
    assert core.default_queue() is core.default_queue()
    assert core.default_queue().device is core.default_device()


@pytest.mark.parametrize(
    ("text", "nbytes"), [("1024", 1024), ("2KiB", 2048), ("1.5 MiB", 3 << 19), ("2g", 2 << 30), ("3 GB", 3 << 30)]
)
def test_an_amount_of_memory_is_read_with_its_unit(text: str, nbytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NETCL_MEMORY_LIMIT", text)
    assert settings.memory_limit() == nbytes
    assert core.Queue().pool.limit_bytes == nbytes


@pytest.mark.parametrize("amount", ["plenty", "inf", "nan", "-1", "-2GiB", "1e9", "²", "9" * 400])
def test_an_amount_of_memory_without_sense_is_refused(monkeypatch: pytest.MonkeyPatch, amount: str) -> None:
    monkeypatch.setenv("NETCL_MEMORY_LIMIT", amount)
    shown = amount if len(amount) < 40 else amount[:40] + "…"
    with pytest.raises(core.NetclError, match=f"'{shown}' is not an amount of memory; write such as 512MiB"):
        core.Queue()


def test_a_misspelt_setting_is_told_of_with_the_one_that_was_meant(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("NETCL_THREAD", "1")
    monkeypatch.setenv("NETCL_OF_SOMEBODY_ELSE", "1")
    found = settings.unknown()
    assert found["NETCL_THREAD"] == "NETCL_THREADS"
    assert found["NETCL_OF_SOMEBODY_ELSE"] is None
    with caplog.at_level("WARNING", logger="netcl"):
        driver.prepare_environment()
    told = [record.getMessage() for record in caplog.records if "is no setting" in record.getMessage()]
    assert told == ["the environment has NETCL_THREAD, which is no setting; did you mean NETCL_THREADS?"]
    program = "import os; os.environ['NETCL_DEVCE'] = 'cpu'; from netcl import core; core.default_device()"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "NETCL_DEVCE" in run.stderr
    assert "NETCL_DEVICE?" in run.stderr


def test_a_switch_that_is_neither_on_nor_off_is_told_of(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for setting, value in ((settings.CACHE, "flase"), (settings.VERIFY, "No"), (settings.POISON, "TRUE")):
        monkeypatch.setenv(setting.name, value)
    with caplog.at_level("WARNING", logger="netcl"):
        driver.prepare_environment()
    told = [record.getMessage() for record in caplog.records]
    assert told == ["NETCL_CACHE is 'flase', which is neither 1 (on) nor 0 (off), and counts as on"]


def test_where_no_driver_is_found_the_setting_that_hides_them_is_named() -> None:
    program = "from netcl import core; core.default_device()"
    environment = {**os.environ, "OCL_ICD_VENDORS": "/nonexistent"}
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert run.stderr.endswith("; OCL_ICD_VENDORS is '/nonexistent', where there is no driver: unset it, and those "
                               "that are installed are found\n")  # fmt: skip


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="/proc is a folder in which nobody can make one")
@pytest.mark.parametrize(
    ("name", "value"), [("POCL_DEVICES", "bla"), ("POCL_DEVICES", ""), ("POCL_CACHE_DIR", "/proc/no")]
)
def test_where_pocl_has_no_device_the_variable_that_may_be_why_is_named(name: str, value: str) -> None:
    program = "from netcl import core; core.default_device()"
    run = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, name: value}, capture_output=True, text=True, check=False
    )
    assert f"there is no OpenCL device; {name} is {value!r}" in run.stderr


def test_characters_that_the_output_cannot_show_are_replaced() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "netcl.core.cli", "--help"]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("usage: netcl COMMAND ?\n")


def test_the_doctor_names_what_is_missing(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    here = f"sys_platform == '{sys.platform}'"
    needed = ["no_such-thing>=1.2", "numpy>=2.0", f"no-driver>=3; {here}", "jacks; extra == 'jax'"]
    needed.append(f"no-other>=3; {here.replace('==', '!=')}")
    unknown = ("platform_system == 'Linux'", "'a' ~= 'b'", "'a' < 'b'", "exit(3)", "(lambda: 1)() == 1", "sys_platform")
    needed += [f"no-{at}; {marker}" for at, marker in enumerate(unknown)]
    monkeypatch.setattr(doctor.metadata, "requires", lambda package: needed if package == "netcl-kernels" else None)
    assert cli.main(["doctor"]) == 1
    lines = [line for line in capfd.readouterr().out.splitlines() if "pip install" in line]
    assert lines == [
        "no_such-thing is missing, which netcl-kernels needs: `pip install no_such-thing`",
        "no-driver is not installed, which netcl-kernels uses where it is: `pip install no-driver`",
    ]


@pytest.mark.parametrize("name", ["numpy", "platformdirs", "pyopencl"])
def test_the_doctor_names_what_it_cannot_do_without_itself(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "is_installed", lambda package: package != name)
    monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delenv("NETCL_CACHE_DIR", raising=False)
    assert cli.main(["doctor"]) == 1
    _, *said = capsys.readouterr().out.splitlines()
    assert said == ["", f"{name} is missing, which netcl-core needs: `pip install {name}`"]


def test_the_doctor_knows_what_machines_each_requirement_is_for(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {name: marker for package in PACKAGES for name, marker in doctor._requirements(package) if marker}
    for system, machine, expected in (
        ("linux", "x86_64", {"numba", "pocl-binary-distribution"}), ("darwin", "x86_64", set()),
        ("darwin", "arm64", {"numba"}),
    ):  # fmt: skip
        monkeypatch.setattr(doctor.sys, "platform", system)
        monkeypatch.setattr(doctor.platform, "machine", lambda machine=machine: machine)
        assert {name for name, marker in found.items() if doctor._holds(marker)} == expected


def test_the_doctor_names_a_file_that_is_imported_in_the_place_of_netcl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "netcl").mkdir()
    assert cli.main(["doctor"]) == 0
    assert "rename it" not in capsys.readouterr().out
    (tmp_path / "netcl.py").write_text("x = 1\n")
    assert cli.main(["doctor"]) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == f"{tmp_path / 'netcl.py'} has the name of netcl, and Python imports it in its place: rename it"


@pytest.mark.parametrize("use", ["netcl.core.ones((2,))", "sys.exit(netcl.core.cli.main(['doctor']))"])
def test_a_folder_by_the_name_of_pyopencl_is_not_taken_for_it(tmp_path: Path, use: str) -> None:
    """PoCL's wheel has its libraries in such a folder, which Python takes for a package where pyopencl is missing."""
    (tmp_path / "pyopencl/.libs").mkdir(parents=True)
    first = f"import sys; path = sys.path[:]; sys.path[:] = [{str(tmp_path)!r}]; import pyopencl; sys.path[:] = path"
    program = f"{first}; import netcl.core.cli; {use}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    said = f"pyopencl cannot be imported ({tmp_path / 'pyopencl'} is all there is of it); install it with `pip install"
    assert done.returncode == 1
    assert said in (done.stdout if "doctor" in use else done.stderr)
    assert "Traceback" not in done.stdout
    assert ("no pyopencl" in done.stdout) is ("doctor" in use)


def test_the_doctor_reports_settings_devices_and_a_trial(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor"]) == 0
    report = capfd.readouterr().out
    for setting in settings.ALL:
        assert setting.name in report
        assert setting.meaning in report
    assert core.default_device().name in report
    assert "a kernel was compiled and gave the right values" in report


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("NETCL_TARGET", "bla", "  NETCL_TARGET: there is no target 'bla'; the targets are cpu, gpu"),
        ("NETCL_REMEMBER", "-1", "NETCL_REMEMBER: '-1' is not a positive whole number"),
        ("NETCL_MEMORY_LIMIT", "inf", "  NETCL_MEMORY_LIMIT: 'inf' is not an amount of memory"),
    ],
)
def test_the_doctor_finds_a_setting_that_programs_refuse(
    name: str, value: str, said: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    assert not doctor._trial()
    report = capfd.readouterr().out
    assert said in report
    assert "Traceback" not in report


def test_the_trial_of_the_doctor_leaves_nothing_of_its_own_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NETCL_CACHE_DIR", str(tmp_path))
    left = []
    for _ in range(2):
        assert doctor._trial(), capsys.readouterr().out
        left.append({file.name for file in tmp_path.glob("*.program")})
    assert left[0] == left[1], "a text that no cache can hold was kept"


def test_the_doctor_says_when_the_driver_ends_the_process(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    aborted = subprocess.CompletedProcess([], -6, stdout="", stderr="linker failed")
    monkeypatch.setattr(doctor.subprocess, "run", lambda *arguments, **options: aborted)
    assert cli.main(["doctor"]) == 1
    report = capsys.readouterr().out
    assert "linker failed" in report
    assert "signal 6" in report


def test_an_unknown_command_is_answered_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["banana"]) == 2
    said = capsys.readouterr().err
    assert "there is no command 'banana'" in said
    assert "doctor" in said


def test_without_a_command_it_is_called_wrongly(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("netcl: say which command\nusage: netcl COMMAND")
    assert "  doctor " in told.err


def test_what_another_package_brings_says_which(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "entry_points", lambda group: [])
    monkeypatch.setattr(operators, "_found", [])
    monkeypatch.setattr(operators, "_loaded", [])
    monkeypatch.setattr(operators, "entry_points", lambda group: [])
    assert cli.main(["ops", "list"]) == 2
    assert capsys.readouterr().err == "netcl ops: the command comes with netcl-kernels, which is not installed\n"
    with pytest.raises(AttributeError, match="no attribute 'sigmiod'; netcl-core does not compute; install netcl-kern"):
        core.from_host([1.0]).sigmiod  # noqa: B018


# What netcl-core alone says of tensors: a comparison is refused as other operators are, and identity is left.
ALONE = """\
from netcl.core import operators
operators.entry_points = lambda group: []
import numpy as np
from netcl import core
a, b = core.ones(2), core.ones(2)
for use in (lambda: a == b, lambda: a != b, lambda: a == 1, lambda: a != a, lambda: 1.0 == a, lambda: a + b):
    try:
        print(use())
    except TypeError as error:
        print(error)
print(a in [a, b], {a: 1, b: 2}[b], len({a, b, a}), a is a, a == None, a != "x", [a, b].index(a))
for use in (np.sin, lambda a: np.ones(2) + a, np.add.reduce):
    try:
        print(use(a))
    except TypeError as error:
        print(error)
for name in ("copy_", "clamp_", "to", "t", "new_zeros", "numpy"):
    try:
        getattr(a, name)
    except AttributeError as error:
        print(str(error).partition("; here it is ")[2])
"""


def test_netcl_core_alone_refuses_comparisons_and_says_what_else_a_hint_needs() -> None:
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=False)
    said = "netcl-core does not compute; install netcl-kernels for arithmetic on tensors"
    names = ["eq", "ne", "eq", "ne", "eq", "add"]
    assert done.stdout.splitlines() == [
        *(f"__{name}__: {said}" for name in names),
        "True 2 2 True False True 0",
        *(f"np.{name}: {said}, or give NumPy x.to_host(), which is an array" for name in ("sin", "add", "add")),
        "assign_(other) with netcl-kernels",
        "x = x.clamp(...) with netcl-kernels",
        "astype(dtype) with netcl-kernels, and a device comes with the queue that it is made with (or NETCL_DEVICE)",
        "T with netcl-kernels",
        "core.zeros(shape, dtype=x.dtype)",
        "to_host()",
    ], done.stderr


def test_without_netcl_autograd_a_gradient_is_said_to_come_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "netcl.autograd", None)
    for name in ("grad", "backward", "register_hook"):
        with pytest.raises(AttributeError, match=rf"'{name}': it is a .* with netcl-autograd: `pip install netcl-auto"):
            getattr(core.zeros(1), name)


def other(arguments: list[str]) -> int:
    """A command of another package."""
    if arguments == ["fail"]:
        raise core.ShapeError("shapes differ")
    print("other", arguments)
    return 5


def test_commands_of_other_packages_are_found(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    point = EntryPoint("other", "netcl.core.settings:ALL", cli.GROUP)
    monkeypatch.setattr(cli, "entry_points", lambda group: [point] if group == "netcl.commands" else [])
    monkeypatch.setattr(EntryPoint, "load", lambda self: other)
    assert cli.main(["other", "a", "b"]) == 5
    assert capsys.readouterr().out == "other ['a', 'b']\n"
    assert cli.main(["--help"]) == 0
    assert "other" in capsys.readouterr().out
    assert cli.main(["other", "fail"]) == 1
    assert capsys.readouterr().err == "netcl other: shapes differ\n"


def test_a_command_whose_entry_point_names_nothing_says_how_one_is_written(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "entry_points", lambda group: [EntryPoint("other", "not valid !!", group)])
    assert cli.main(["other"]) == 1
    said = "netcl other: the entry point other is 'not valid !!'; write such as 'package.module:name'\n"
    assert capsys.readouterr().err == said
    assert cli.main(["--help"]) == 0


def test_operators_whose_entry_point_names_no_module_say_which_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operators, "_found", [])
    monkeypatch.setattr(operators, "_loaded", [])
    monkeypatch.setattr(operators, "entry_points", lambda group: [EntryPoint("mine", "not valid !!", group)])
    for _ in range(2):  # the next use says it again
        with pytest.raises(core.NetclError, match="the entry point mine is 'not valid !!'; write such as 'package"):
            operators.load()


@pytest.mark.parametrize("command", [["doctor"], ["ops", "list"], ["--help"]], ids=" ".join)
def test_a_command_whose_reader_has_gone_ends_without_a_traceback(command: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([sys.executable, "-m", "netcl.core.cli", *command], stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert done.stderr == b""
    assert done.returncode == 141


@pytest.mark.promise("A23")
@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (core.ShapeError, ValueError), (core.DtypeError, TypeError), (core.DeviceError, RuntimeError),
        (core.OutOfMemoryError, MemoryError), (core.GraphError, RuntimeError),
        (core.IndexOutOfRangeError, IndexError), (core.KernelLanguageError, ValueError),
    ],
)  # fmt: skip
def test_each_error_is_also_the_builtin_one_that_users_catch(error: type, builtin: type) -> None:
    assert issubclass(error, core.NetclError)
    assert issubclass(error, builtin)


def test_what_is_no_device_source_or_mark_is_named() -> None:
    queue = core.default_queue()
    with pytest.raises(core.DtypeError, match="Queue: device must be a Device, its name or None, but it is 3"):
        core.Queue(3)  # type: ignore[arg-type]
    for source in (3, b"kernel void f() {}"):
        with pytest.raises(core.DtypeError, match="program: source must be a text, but it is "):
            queue.program(source)  # type: ignore[arg-type]
    with pytest.raises(core.DtypeError, match="mark must be what memory_checkpoint"):
        core.memory_restore(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="set_error_handler: handler must be a function or None, but it is 3"):
        core.set_error_handler(3)  # type: ignore[arg-type]
