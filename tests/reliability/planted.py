"""A fault that `mutants.py` plants: a file, what stands there once, what stands there instead."""

from __future__ import annotations

from typing import NamedTuple

COMPILER = "netcl-kernels/src/netcl/kernels/compiler/"
ENGINE = "netcl-autograd/src/netcl/autograd/"


class Mutant(NamedTuple):
    """One fault: `says` is what is wrong then."""

    file: str
    old: str
    new: str
    says: str


def compiler(file: str, *faults: tuple[str, str, str]) -> list[Mutant]:
    return [Mutant(COMPILER + file, *fault) for fault in faults]


def engine(file: str, *faults: tuple[str, str, str]) -> list[Mutant]:
    return [Mutant(ENGINE + file, *fault) for fault in faults]
