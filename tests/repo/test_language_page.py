"""The page about the language has every word of it."""

from __future__ import annotations

import re

import pytest
from repository import KERNELS, ROOT

from netcl.kernels.compiler.ir import REDUCERS, SCANS
from netcl.kernels.compiler.ir.functions import FUNCTIONS
from netcl.kernels.compiler.specialise.check import ATTRIBUTE_TYPES
from netcl.kernels.compiler.specialise.context import OPERAND_TYPES

PAGE = (ROOT / "kernels_dsl" / "README.md").read_text(encoding="utf-8")
CODE = set(re.findall(r"\w+", " ".join(re.findall(r"```.*?```|`[^`]+`", PAGE, re.DOTALL))))
GRAMMAR = (KERNELS / "compiler" / "language" / "grammar.lark").read_text(encoding="utf-8")
OPERATORS = set(
    "add sub mul div neg pow floor_divide floor_div mod exact_div maximum minimum select eq ne lt le gt ge "
    "bit_and bit_or bit_xor shift_left shift_right".split()
)
"""Functions that are written with signs, or under another name."""

MARKS = {"materialised", "named", "add_fits", "sub_fits", "mul_fits"}
"""Functions that only the compiler writes."""

WORDS = {
    "keywords": set(re.findall(r'^[A-Z]+(?:\.\d+)?: "([a-z]+)"$', GRAMMAR, re.MULTILINE)),
    "constants": {"inf", "nan", "pi", "true", "false"},
    "types of operands": set(OPERAND_TYPES),
    "types of attributes": set(ATTRIBUTE_TYPES),
    "reducers": {*REDUCERS, *SCANS, "join", "size"},
    "functions": {*FUNCTIONS} - OPERATORS - MARKS,
}


@pytest.mark.parametrize("kind", WORDS)
def test_the_page_about_the_language_has_all(kind: str) -> None:
    assert WORDS[kind]
    assert WORDS[kind] - CODE == set()
