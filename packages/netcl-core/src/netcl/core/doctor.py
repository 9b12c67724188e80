"""`netcl doctor`: what netcl finds on this machine, and whether a kernel compiles and computes the right thing.

The trial runs in a process of its own, because a driver with a broken installation may end the process it is in.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from importlib import metadata

from netcl.core import settings
from netcl.core.installed import PACKAGES, is_installed, lost_files, reinstall
from netcl.core.version import __version__

_MANY = 5
"""So many lost files of a package are not named one by one."""
_TRIAL_SECONDS = 120


def main(argv: Sequence[str]) -> int:
    """Print the report; 0 when the trial kernel ran, 1 when something must be repaired first.

    Where files of netcl are gone, the report is about these alone.
    """
    parser = argparse.ArgumentParser(
        prog="netcl doctor", description="Report what netcl finds here, and try a kernel on the default device."
    )
    parser.parse_args(argv)
    if _print_lost():
        return 1
    _print_versions()
    _print_settings()
    complete = _print_missing()
    if complete:
        _print_failed()
    usable = _print_devices()
    return 0 if usable and _trial() and complete else 1


def trial() -> None:
    """Compile, launch and check one kernel on the default device."""
    import time

    import numpy as np

    from netcl import core

    start = time.perf_counter()
    queue = core.default_queue()
    # A text that no cache can hold: the compiler itself is on trial.
    source = f"/* {time.time_ns()} */ kernel void twice(global float *x) {{ x[get_global_id(0)] *= 2; }}"
    kernel = queue.program(source).kernel("twice", (None,))
    tensor = core.from_host([1.5, -2.0], queue)
    kernel.launch((2,), (1,), (tensor.buffer.cl,))
    values = tensor.to_host()
    if not np.array_equal(values, [3.0, -4.0]):
        raise core.DeviceError(f"{queue.device.name!r} computed {values.tolist()} where [3.0, -4.0] is right")
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
    print(f"netcl {__version__}, Python {platform.python_version()} on {platform.platform()}")
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
    for name in ("POCL_MAX_PTHREAD_COUNT", "POCL_CACHE_DIR", "OCL_ICD_VENDORS"):
        print(f"  {name:20} {os.environ.get(name, 'unset')}")
    files = cache.entries()
    size = sum(file.stat().st_size for file in files)
    print(f"\nCompiled programs\n  {cache.folder()}: {len(files)} files, {size} bytes")


def _print_missing() -> bool:
    """What the packages of netcl need and is not installed; whether that is nothing. What only some machines need is
    left out: there are other ways where it is not."""
    complete = True
    for package in PACKAGES:
        for requirement in _requirements(package):
            name = re.split(r"[^\w.-]", requirement)[0]
            if ";" not in requirement and not is_installed(name):
                print(f"\n{name} is missing, which {package} needs: `pip install {name}`")
                complete = False
    return complete


def _requirements(package: str) -> Sequence[str]:
    return (metadata.requires(package) or ()) if is_installed(package) else ()


def _print_failed() -> None:
    """The packages whose ops could not be loaded: whoever loads them notes them."""
    from netcl.core import operators

    operators.load()
    for package, problem in operators.failed.items():
        print(f"\nThe ops of {package} cannot be loaded; mend or uninstall it\n{textwrap.indent(problem, '  ')}")


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
