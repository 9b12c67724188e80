"""`netcl ops new`: a file to begin with, which passes every check itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from netcl import core, kernels
from netcl.kernels.cli import main
from netcl.kernels.tools.formatting import formatted


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_new_file_passes_the_check_is_laid_out_and_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "squash"]) == 0
    text = (folder / "squash.netcl").read_text()
    assert main(["check", "squash.netcl"]) == 0
    assert "squash: right at" in capsys.readouterr().out
    assert formatted(text) == text
    squash = kernels.compile(text).squash
    assert squash(core.from_host([-1.0, 0.0, 3.0]), scale=1.0).tolist() == [-0.5, 0.0, 0.75]


def test_a_file_that_is_there_is_not_written_over(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "squash.netcl").write_text("mine")
    assert main(["new", "squash"]) == 1
    assert "squash.netcl exists already; name another one with --file" in capsys.readouterr().err
    assert (folder / "squash.netcl").read_text() == "mine"
    assert main(["new", "squash", "--file", "other.netcl"]) == 0


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("2x", "choose a word that Python has"),
        ("sigmoid", "there is an op sigmoid already"),
        ("glu", "there is a function glu already, which is made of ops; choose another name"),
        ("grad", "netcl.autograd has the name grad (ag.grad); choose another name"),
        ("item", "tensors have the name item (x.item); choose another name"),
        ("lambda", "choose a word that Python has"),
    ],
)
def test_a_name_that_no_op_can_have_is_refused(
    name: str, reason: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", name]) == 1
    assert reason in capsys.readouterr().err
    assert list(folder.iterdir()) == []
