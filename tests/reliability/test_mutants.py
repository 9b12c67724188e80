"""The planted faults stand where they are said to stand; `mutants.py` runs the tests with each of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from mutant_list import MUTANTS
from mutants import ALL, BESIDE
from planted import Mutant

PACKAGES = Path(__file__).parents[2] / "packages"


def test_there_are_enough() -> None:
    assert len(MUTANTS) >= 60
    assert len({(each.file, each.old, each.new) for each in MUTANTS}) == len(MUTANTS)


def test_the_tests_of_each_folder_are_there() -> None:
    tests = {each.stem for folder in ALL for each in PACKAGES.parent.glob(f"{folder}/*.py")}
    assert {name for names in BESIDE.values() for name in names} <= tests


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda each: f"{Path(each.file).stem}-{each.says}")
def test_a_fault_changes_one_place_to_python_that_compiles(mutant: Mutant) -> None:
    text = (PACKAGES / mutant.file).read_text(encoding="utf-8")
    assert text.count(mutant.old) == 1
    assert mutant.old != mutant.new
    compile(text.replace(mutant.old, mutant.new), mutant.file, "exec")
