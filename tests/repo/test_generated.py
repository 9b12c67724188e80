"""Files that follow from the declarations are what follows from them now; `nox -s goldens` writes them anew."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from generated import FILES, pictures
from repository import PACKAGES, ROOT

PROGRAM = """\
from netcl import autograd as ag
from netcl import core, kernels

x = ag.tensor([1.0, 2.0], requires_grad=True)
w = core.from_host([0.5, 0.5])
with ag.Tape() as tape:
    y = ag.softmax(ag.linear(x, w) * 2 + w, axis=-1)
    loss = ag.mse_loss(y, w, reduction="sum") + y.sum()
tape.backward(loss)
plain: core.Tensor = kernels.ops.cat([w, w], axis=0)
kernels.ops.exp(w, out=w)
optimizer = ag.optim.SGD([x], lr=0.1)
with ag.no_grad():
    first = (-plain[0] / 2).item()
"""
WRONG = {
    "ag.sotfmax(x)": "has no attribute",
    'ag.mse_loss(x, w, reduction="average")': "arg-type",
    "kernels.ops.softmax(w, axes=1)": "call-arg",
    "ag.clamp('x')": "arg-type",
}


@pytest.mark.parametrize("path", FILES)
def test_a_generated_file_is_what_follows_from_the_declarations(path: str, golden: Callable[[str, str], None]) -> None:
    golden(str(ROOT / path), FILES[path]())


def test_the_pictures_of_recurrences_are_those_of_the_declarations(golden: Callable[[str, str], None]) -> None:
    found = pictures()
    for path, picture in found.items():
        golden(str(ROOT / path), picture)
    [folder] = {(ROOT / path).parent for path in found}
    assert sorted(each.relative_to(ROOT).as_posix() for each in folder.iterdir()) == sorted(found)


def test_mypy_reads_the_stubs_accepts_a_program_and_refuses_its_mistakes(tmp_path: Path) -> None:
    lines = [*PROGRAM.splitlines(), *WRONG]
    (tmp_path / "program.py").write_text("\n".join(lines) + "\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "--strict", "program.py"],
        env={**os.environ, "MYPYPATH": os.pathsep.join(str(package / "src") for package in PACKAGES.values())},
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = {int(line.split(":")[1]): line for line in done.stdout.splitlines() if ": error:" in line}
    assert list(found) == list(range(len(lines) - len(WRONG) + 1, len(lines) + 1)), done.stdout + done.stderr
    for line, reason in zip(found.values(), WRONG.values(), strict=True):
        assert reason in line
