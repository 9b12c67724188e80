"""The notebooks: their cells run, and their files hold what was shown and nothing of the machine."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import matplotlib
import pytest
from pages import name
from repository import ROOT
from shells import new_shell

NOTEBOOKS = sorted(ROOT.glob("docs/notebooks/*.ipynb"))


def cells(path: Path, kind: str) -> list[dict[str, Any]]:
    found = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == kind]
    assert found, f"{name(path)} has no cells of the kind {kind}"
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_every_cell_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    matplotlib.use("agg")
    shell = new_shell(tmp_path)
    for cell in cells(path, "code"):
        shell.run_cell("".join(cell["source"]), store_history=True).raise_error()
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_a_notebook_is_kept_as_it_was_executed_once_from_its_top(path: Path) -> None:
    code = cells(path, "code")
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1)), "run `nox -s notebooks`"
    kinds = [output["output_type"] for cell in code for output in cell["outputs"]]
    assert "execute_result" in kinds
    assert "error" not in kinds
    assert any("image/png" in output.get("data", {}) for cell in code for output in cell["outputs"])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_a_notebook_is_small_and_holds_nothing_of_a_machine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text) < 150_000
    notebook = json.loads(text)
    assert notebook["metadata"] == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    assert [cell["metadata"] for cell in notebook["cells"] if cell["metadata"]] == []
    assert re.findall(r"/(?:home|tmp|root|Users|usr|opt)/|at 0x[0-9a-f]+|stderr", text) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_every_link_leads_somewhere(path: Path) -> None:
    for cell in cells(path, "markdown"):
        for target in re.findall(r"\]\(([^)#]+)\)", "".join(cell["source"])):
            assert "://" in target or (path.parent / target).exists(), f"{name(path)} links to {target}"
