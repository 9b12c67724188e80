"""`installed.py FORM NAME…`: run by `nox -s packages` where only the named distributions are installed.

Shows that each one does its work alone, and that it came from where it should. It is a script and not a test because
pytest itself may not be there.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import numpy as np

ALL = ["netcl-core", "netcl-kernels", "netcl-autograd"]


def check_core() -> None:
    from netcl import core

    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert (core.from_host(array).to_host() == array).all()
    netcl("doctor")


def check_kernels() -> None:
    from netcl import core, kernels

    x = core.from_host(np.array([1.0, 4.0], dtype=np.float32))
    assert kernels.ops.sqrt(x).tolist() == [1.0, 2.0]
    mine = kernels.compile('"""Twice."""  op twice(x: float) -> y { y = 2 * x; }')
    assert mine.twice(x).tolist() == [2.0, 8.0]
    assert "sigmoid" in netcl("ops", "list")


def check_autograd() -> None:
    from netcl import autograd as ag

    x = ag.tensor([1.0, 2.0], requires_grad=True)
    ag.sum(ag.sigmoid(x) * x).backward()
    assert x.grad.shape == (2,)


def netcl(*arguments: str) -> str:
    """The output of the console script, which must succeed."""
    script = Path(sysconfig.get_path("scripts")) / "netcl"
    return subprocess.run([script, *arguments], check=True, capture_output=True, text=True).stdout


CHECKS: dict[str, Callable[[], None]] = {
    "netcl-core": check_core,
    "netcl-kernels": check_kernels,
    "netcl-autograd": check_autograd,
}


def main(form: str, *installed: str) -> None:
    site = Path(sysconfig.get_path("purelib"))
    for name in ALL:
        module = name.replace("-", ".")
        if name not in installed:
            assert importlib.util.find_spec(module) is None, f"{module} is there although {name} was not installed"
            continue
        [place] = importlib.import_module(module).__path__
        assert Path(place).is_relative_to(site) == (form != "editable"), f"{module} comes from {place}"
        assert (Path(place) / "py.typed").exists(), f"{module} came without py.typed"
        CHECKS[name]()
        print(f"{name} {importlib.metadata.version(name)} from {form}: works with {', '.join(installed)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
