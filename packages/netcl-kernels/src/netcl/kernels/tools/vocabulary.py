"""The words of the language, for whatever shows it in colours: read off the grammar and the tables of the compiler."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from netcl.kernels.compiler.ir import REDUCERS, SCANS
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.specialise.check import ATTRIBUTE_TYPES
from netcl.kernels.compiler.specialise.context import OPERAND_TYPES

TYPES = tuple(sorted({*OPERAND_TYPES, *ATTRIBUTE_TYPES}))
REDUCTIONS = tuple(sorted({*REDUCERS, *SCANS, "join"}))


@cache
def keywords() -> tuple[str, ...]:
    """Words that the grammar writes out."""
    return tuple(sorted(re.findall(r'^[A-Z]+(?:\.\d+)?: "([a-z]+)"$', _grammar(), re.MULTILINE)))


@cache
def constants() -> tuple[str, ...]:
    """Names of numbers."""
    [alternatives] = re.findall(r"^CONSTANT\S*: /\(([a-z|]+)\)", _grammar(), re.MULTILINE)
    return tuple(sorted(alternatives.split("|")))


def _grammar() -> str:
    return Path(syntax.__file__).with_name("grammar.lark").read_text(encoding="utf-8")
