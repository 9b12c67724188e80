"""README, documentation and examples: Python blocks run, outputs are as printed, links lead somewhere."""

from __future__ import annotations

import contextlib
import io
import itertools
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from repository import ROOT

PAGES = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "packages/*/README.md", "kernels_dsl/*.md", "examples/*.md", "tests/*.md")
    for path in ROOT.glob(pattern)
)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")
CODE = re.compile(r"`[^`\n]+`|^    .*$", re.MULTILINE)  # brackets behind a name are indices there


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def python_blocks(page: Path) -> Iterator[tuple[int, str, str | None]]:
    """(line, code, expected output or None) of each Python block; the output is the `text` block right after it."""
    text = page.read_text(encoding="utf-8")
    matches = list(BLOCK.finditer(text))
    for match, following in itertools.zip_longest(matches, matches[1:]):
        if match[1] == "python":
            printed = following and following[1] == "text" and not text[match.end() : following.start()].strip()
            yield text.count("\n", 0, match.start()) + 2, match[2], following[2] if following and printed else None


@pytest.mark.parametrize("page", [page for page in PAGES if any(python_blocks(page))], ids=name)
def test_the_python_blocks_of_a_page_run_and_print_what_the_page_says(page: Path) -> None:
    namespace: dict[str, object] = {
        "__name__": page.stem
    }  # one for the page: a later block goes on from an earlier one
    for line, code, expected in python_blocks(page):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            # Blank lines in front, so that a traceback shows the line of the page.
            exec(compile("\n" * (line - 1) + code, str(page), "exec"), namespace)
        if expected is not None:
            assert printed.getvalue() == expected, f"{name(page)}:{line}"


def test_the_readme_shows_a_gradient_and_an_op_of_ones_own() -> None:
    assert len(list(python_blocks(ROOT / "README.md"))) >= 2


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


@pytest.mark.parametrize(
    "example", [path for path in sorted(ROOT.glob("examples/*.py")) if path.name != "digits.py"], ids=name
)
def test_each_example_runs(example: Path, tmp_path: Path) -> None:
    """digits.py is the demo: it needs scikit-learn and half a minute, and has a nox session of its own."""
    subprocess.run([sys.executable, str(example)], cwd=tmp_path, check=True, capture_output=True, text=True)


def test_each_changelog_fragment_starts_with_the_name_of_a_package() -> None:
    for fragment in ROOT.glob("changelog.d/[0-9]*.md"):
        for entry in fragment.read_text(encoding="utf-8").strip().split("\n\n"):
            assert re.match(r"(netcl-core|netcl-kernels|netcl-autograd|repository): \S", entry), (
                f"{name(fragment)}: {entry}"
            )
