"""`netcl doctor`: what netcl finds on this machine, and whether a kernel compiles and computes the right thing.

The trial runs in a process of its own, because a driver with a broken installation may end the process it is in.
"""

from __future__ import annotations

import argparse
import ast
import logging
import os
import platform
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from importlib.machinery import PathFinder

from netcl.core import settings
from netcl.core.installed import PACKAGES, is_installed, lost_files, reinstall
from netcl.core.version import __version__

_MANY = 5
"""So many lost files of a package are not named one by one."""
_TRIAL_SECONDS = 120
_GROUND = PACKAGES[0]
"""Without what this one needs, nothing else can be looked at."""


def main(argv: Sequence[str]) -> int:
    """Print the report; 0 when the trial kernel ran, 1 when something must be repaired first.

    Where files of netcl are gone, or what netcl-core needs, the report is about these alone.
    """
    parser = argparse.ArgumentParser(
        prog="netcl doctor", description="Report what netcl finds here, and try a kernel on the default device."
    )
    parser.parse_args(argv)
    if _print_lost():
        return 1
    print(f"netcl {__version__}, Python {platform.python_version()} on {platform.platform()}")
    missing = _missing()
    has_ground = _GROUND not in missing.values()
    if has_ground:
        _print_versions()
        _print_settings()
    _print_missing(missing)
    if not has_ground:
        return 1
    sound = not missing and not _print_failed()
    usable = _print_devices()
    return 0 if usable and not _print_namesake() and _trial() and sound else 1


def trial() -> None:
    """Compile, launch and check one kernel on the default device, and an op where netcl-kernels has any. Ends the
    process with 1, and a sentence, where netcl refuses."""
    from netcl.core.errors import NetclError

    try:
        _try()
    except NetclError as error:
        sys.exit(str(error))


def _try() -> None:
    import time

    import numpy as np

    from netcl import core

    start = time.perf_counter()
    queue = core.default_queue()
    # A text that no cache can hold: the compiler itself is on trial.
    source = f"/* {time.time_ns()} */ kernel void twice(global float *x) {{ x[get_global_id(0)] *= 2; }}"
    program = queue.program(source)
    kernel = program.kernel("twice", (None,))
    tensor = core.from_host([1.5, -2.0], queue)
    kernel.launch((2,), (1,), (tensor.buffer.cl,))
    queue.main.unsaved.pop(program, None)  # nobody asks for it again
    values = tensor.to_host()
    if not np.array_equal(values, [3.0, -4.0]):
        raise core.DeviceError(f"{queue.device.name!r} computed {values.tolist()} where [3.0, -4.0] is right")
    if is_installed("netcl-kernels"):
        values = (tensor + 1).to_host()
        if not np.array_equal(values, [4.0, -3.0]):
            raise core.DeviceError(f"x + 1 on {queue.device.name!r} is {values.tolist()} where [4.0, -3.0] is right")
    seconds = time.perf_counter() - start
    print(f"  a kernel was compiled and gave the right values on {queue.device.name} ({seconds:.2f} s)")


def _print_lost() -> bool:
    """The files of the packages of netcl that are gone; whether there are any."""
    lost = {package: files for package in PACKAGES if (files := lost_files(package))}
    for package, files in lost.items():
        shown = ", ".join([*files[:_MANY], "…"] if len(files) > _MANY else files)
        print(f"{package} has lost {len(files)} of its files: {shown}")
    if lost:
        print(f"Another package may have had files of the same names. Bring them back: `{reinstall()}`")
    return bool(lost)


def _print_versions() -> None:
    import numpy

    from netcl.core.driver import opencl, usable_cores
    from netcl.core.errors import DeviceError

    try:
        pyopencl = f"pyopencl {opencl().VERSION_TEXT}"
    except DeviceError:  # which the devices say, too
        pyopencl = "no pyopencl"
    print(f"  numpy {numpy.__version__}, {pyopencl}, {usable_cores()} usable cores")


def _print_settings() -> None:
    from netcl.core import cache

    print("\nSettings (environment variables)")
    for setting in settings.ALL:
        value = setting.read()
        shown = repr(value) if value is not None else f"unset: {setting.default}"
        print(f"  {setting.name:20} {shown}\n  {'':20}   {setting.meaning}")
    for name, near in settings.unknown().items():
        print(f"  {name:20} is no setting" + (f"; did you mean {near}?" if near else ""))
    for name in (settings.POCL_THREADS, "POCL_CACHE_DIR", "OCL_ICD_VENDORS"):
        print(f"  {name:20} {os.environ.get(name, 'unset')}")
    files = cache.entries()
    size = sum(file.stat().st_size for file in files)
    print(f"\nCompiled programs\n  {cache.folder()}: {len(files)} files, {size} bytes")


def _missing() -> dict[str, str]:
    """What is not installed and needed on every machine, each with the first package of netcl that needs it."""
    found: dict[str, str] = {}
    for package in PACKAGES:
        for name, marker in _requirements(package):
            if not marker and not is_installed(name):
                found.setdefault(name, package)
    return found


def _print_missing(needed: Mapping[str, str]) -> None:
    """What is needed, and what is only for machines like this one: there are other ways where that is not installed."""
    for name, package in needed.items():
        print(f"\n{name} is missing, which {package} needs: `pip install {name}`")
    for package in PACKAGES:
        for name, marker in _requirements(package):
            if marker and _holds(marker) and not is_installed(name):
                print(f"\n{name} is not installed, which {package} uses where it is: `pip install {name}`")


def _requirements(package: str) -> Iterator[tuple[str, str]]:
    """What the package asks for: names, and the condition of each, which may be empty."""
    for requirement in (metadata.requires(package) or ()) if is_installed(package) else ():
        asked, _, marker = requirement.partition(";")
        yield re.split(r"[^\w.-]", asked)[0], marker.strip()


def _holds(marker: str) -> bool:
    """Whether the condition of a requirement holds here; that of an extra does not, nor one that is written otherwise
    than those of netcl."""
    here = {"sys_platform": sys.platform, "platform_machine": platform.machine(), "os_name": os.name, "extra": ""}

    def value(node: ast.expr) -> str:
        return here[node.id] if isinstance(node, ast.Name) else str(ast.literal_eval(node))

    def holds(node: ast.expr) -> bool:
        if isinstance(node, ast.BoolOp):
            return (all if isinstance(node.op, ast.And) else any)(map(holds, node.values))
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq) and len(node.ops) == 1:
            return (value(node.left) == value(node.comparators[0])) is isinstance(node.ops[0], ast.Eq)
        raise ValueError(ast.dump(node))

    try:
        return holds(ast.parse(marker, mode="eval").body)  # conditions are written as Python's are
    except (SyntaxError, ValueError, KeyError):
        return False


def _print_failed() -> bool:
    """The packages whose ops could not be loaded: whoever loads them notes them, and their warnings are not needed
    beside it. Whether there are any."""
    from netcl.core import operators

    top = logging.getLogger("netcl")
    level = top.level
    top.setLevel(logging.ERROR)
    try:
        operators.load()
    finally:
        top.setLevel(level)
    for package, problem in operators.failed.items():
        print(f"\nThe ops of {package} cannot be loaded; mend or uninstall it\n{textwrap.indent(problem, '  ')}")
    return bool(operators.failed)


def _print_devices() -> bool:
    from netcl.core import device
    from netcl.core.errors import DeviceError

    print("\nDevices (* is the default)")
    try:
        default = device.default_device()
    except DeviceError as error:
        print(f"  {error}")
        return False
    for one in device.devices():
        mark = "*" if one is default else " "
        print(f"{mark} {one.index}  {one.name} ({one.device_class}, {one.compute_units} compute units)")
        print(f"       {one.platform}, {one.version}, driver {one.driver}")
        if one.compiled_for:
            print(f"       its compiler does not know this CPU, and compiles for {one.compiled_for}")
        print(
            f"       {one.memory_bytes >> 20} MiB, {one.max_allocation_bytes >> 20} MiB in one piece, "
            f"float64 {'yes' if one.has_float64 else 'no'}, float16 arithmetic {'yes' if one.has_float16 else 'no'}"
        )
    return True


def _print_namesake() -> bool:
    """A file that Python imports in the place of netcl when it is started in this folder; whether there is one."""
    if getattr(sys.flags, "safe_path", False):
        return False
    found = PathFinder.find_spec("netcl", [os.getcwd()])
    if found is None or found.origin is None:  # netcl itself is a namespace, without a file
        return False
    print(f"\n{found.origin} has the name of netcl, and Python imports it in its place: rename it")
    return True


def _trial() -> bool:
    print("\nTrial", flush=True)
    code = "from netcl.core import doctor; doctor.trial()"
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True, text=True, errors="replace", timeout=_TRIAL_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        print(f"  the trial did not end within {_TRIAL_SECONDS} s: the driver hangs")
        return False
    print(done.stdout, end="")
    if done.returncode == 0:
        return True
    last = done.stderr.strip().splitlines()[-12:]
    print("  the trial failed:")
    print("\n".join(f"  {line}" for line in last))
    if done.returncode < 0:
        print(f"  The driver ended the process with signal {-done.returncode}, so it lacks something.")
        print("  PoCL needs `ld`, libgcc and the C library's development files.")
    return False
