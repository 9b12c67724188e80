"""README, documentation and examples: blocks run, outputs are as printed, links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from pages import BLOCK, PAGES, WITH_FRAMEWORKS, Reader, blocks, name
from repository import ROOT

LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")
CODE = re.compile(r"`[^`\n]+`|^    .*$", re.MULTILINE)  # brackets behind a name are indices there


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(blocks(page)) and page not in WITH_FRAMEWORKS], ids=name
)
def test_every_block_of_a_page_runs_and_prints_what_the_page_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Reader(page, tmp_path).read()


def test_the_readme_shows_a_gradient_and_an_op_of_ones_own() -> None:
    assert [block.language for block in blocks(ROOT / "README.md")].count("python") >= 2


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_inside_the_repository_leads_somewhere(page: Path) -> None:
    for target in LINK.findall(CODE.sub("", BLOCK.sub("", page.read_text(encoding="utf-8")))):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{name(page)} links to {target}"


def test_the_map_in_the_readme_names_every_folder() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    folders = {path.split("/")[0] for path in listed if "/" in path and not path.startswith(".")}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [folder for folder in sorted(folders) if f"`{folder}/" not in readme] == []


ELSEWHERE = {"digits.py": "nox -s demo", "parallel.py": "nox -s mpi"}
"""Examples that need more than the packages, and the session that runs them."""


@pytest.mark.parametrize(
    "example", [path for path in sorted(ROOT.glob("examples/*.py")) if path.name not in ELSEWHERE], ids=name
)
def test_each_example_runs(example: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(example)], cwd=tmp_path, check=True, capture_output=True, text=True)


def test_each_changelog_fragment_is_of_a_package_and_short() -> None:
    for fragment in ROOT.glob("changelog.d/*.md"):
        if fragment.name != "README.md":
            assert re.fullmatch(r"\d+\.(core|kernels|autograd|repository)\.md", fragment.name), fragment.name
            text = fragment.read_text(encoding="utf-8").strip()
            assert text, fragment.name
            assert "\n\n" not in text, f"{fragment.name}: one paragraph is one change"
            assert len(text) <= 500, f"{fragment.name}: a sentence or two"


def test_each_decision_has_a_number_of_its_own() -> None:
    numbers = [path.name[:4] for path in ROOT.glob("docs/decisions/[0-9]*.md")]
    assert len(numbers) == len(set(numbers)) > 1
    for path in ROOT.glob("docs/decisions/[0-9]*.md"):
        if path.name != "0000-template.md":
            assert path.read_text(encoding="utf-8").startswith(f"# {path.name[:4]}: "), name(path)
