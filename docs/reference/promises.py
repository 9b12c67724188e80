"""Writes promises.md: what netcl promises (promises.toml) beside the tests that show it.

A test shows a promise by its marker, `@pytest.mark.promise("P28")`. Nothing is imported or run here: the markers are
read from the text of the tests.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
PAGE = Path(__file__).with_name("promises.md")

HEAD = """# What netcl promises, and the tests that show it

Each row is a promise in a sentence. The tests behind it are named as sentences that can turn out false; a row without a
test, and a test that names an unknown row, fail the build. This page is written by `nox -s promises`.
"""


class Promise(NamedTuple):
    """One row: its id, what is promised, and where the promise comes from."""

    id: str
    text: str
    source: str


class Shown(NamedTuple):
    """A test that shows promises."""

    path: Path
    name: str
    ids: tuple[str, ...]


def promises() -> list[Promise]:
    """The rows of promises.toml, in its order."""
    sections = tomllib.loads(Path(__file__).with_name("promises.toml").read_text(encoding="utf-8"))
    return [
        Promise(id, text, section["from"])
        for section in sections.values()
        for id, text in section.items()
        if id != "from"
    ]


def shown() -> Iterator[Shown]:
    """The tests that carry a marker, file by file in the order of their names."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                ids = tuple(id for decorator in node.decorator_list for id in _ids(decorator))
                if ids:
                    yield Shown(path.relative_to(ROOT), node.name, ids)


def page() -> str:
    """The text of promises.md."""
    tests = list(shown())
    lines = [HEAD]
    source = None
    for promise in promises():
        if promise.source != source:
            source = promise.source
            lines += [f"\n## From {source}\n", "| | promise | tests |", "| --- | --- | --- |"]
        links = [f"[{_sentence(test.name)}](../../{test.path})" for test in tests if promise.id in test.ids]
        lines.append(f"| {promise.id} | {promise.text} | {'<br>'.join(links)} |")
    return "\n".join(lines) + "\n"


def _ids(decorator: ast.expr) -> list[str]:
    """The ids in `pytest.mark.promise(…)`; none in any other decorator."""
    if not isinstance(decorator, ast.Call) or ast.unparse(decorator.func) != "pytest.mark.promise":
        return []
    return [ast.literal_eval(argument) for argument in decorator.args]


def _sentence(name: str) -> str:
    return name.removeprefix("test_").replace("_", " ")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
