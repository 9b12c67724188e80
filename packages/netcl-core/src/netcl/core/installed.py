"""Which packages of netcl pip has installed here, and which of their files are gone.

A package by the name of netcl, which is not this one, has files of the same names; pip removes them together with it.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from importlib import import_module, metadata
from typing import Any

from netcl.core.errors import NetclError

PACKAGES = ("netcl-core", "netcl-kernels", "netcl-autograd")

_OURS = "netcl/"
"""The folder that pip puts our files into."""


def is_installed(package: str) -> bool:
    """Whether pip knows this package here."""
    try:
        metadata.distribution(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def reinstall() -> str:
    """The command that brings back the files of the packages that are installed. Without --force-reinstall pip looks at
    the names alone, and does nothing."""
    packages = [each for each in PACKAGES if is_installed(each)] or PACKAGES
    return f"pip install --force-reinstall --no-deps {' '.join(packages)}"


def lost_files(package: str) -> Sequence[str]:
    """The files that pip has installed for this package and that are gone; those that Python compiles left out."""
    if not is_installed(package):
        return ()
    found = metadata.distribution(package)
    record = found.read_text("RECORD") or ""  # not `found.files`, which leaves out what is gone from Python 3.12 on
    names = [row[0] for row in csv.reader(record.splitlines()) if row]
    ours = [name for name in names if name.startswith(_OURS) and not name.endswith(".pyc")]
    return [name for name in ours if not found.locate_file(name).exists()]  # type: ignore[attr-defined]


def loaded(point: metadata.EntryPoint) -> Any:
    """What an entry point names. Raises NetclError where it is not written as one."""
    _require_written(point, point.name, "package.module:name")
    return point.load()


def imported(point: metadata.EntryPoint) -> Any:
    """The module that an entry point names. Raises NetclError where it is not written as one."""
    _require_written(point, _whose(point), "package.module")
    return import_module(point.module)


def _require_written(point: metadata.EntryPoint, name: str, example: str) -> None:
    if point.pattern.match(point.value) is None:
        raise NetclError(f"the entry point {name} is {point.value!r}; write such as {example!r}")


def _whose(point: metadata.EntryPoint) -> str:
    return point.name if point.dist is None else f"{point.name} of {point.dist.name}"
