"""Parsed files are kept by content: read back they are the same, and a warm start needs no parser."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from netcl.core import cache
from netcl.kernels.compiler.language.parse import parse
from netcl.kernels.compiler.language.syntax import Source
from netcl.kernels.compiler.specialise.scope import walk
from netcl.kernels.library import syntax_cache

FILES = sorted((Path(__file__).parents[2] / "kernels_dsl").glob("*.netcl"))
TEXT = '"""Doc."""\nop f(x[*i]: float; axis: axes = -1, k: float = -inf) -> y[*i] { y = x * 1.0 + (k > 2 ? 1 : .5); }\n'


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_read_back_is_the_file_parsed(path: Path) -> None:
    source = Source(path.read_text(encoding="utf-8"), f"stored test of {path.name}")
    first, again, parsed = syntax_cache.declarations(source), syntax_cache.declarations(source), parse(source)
    assert first == again == parsed
    places = [[getattr(node, "span", None) for node in walk(each)] for each in (tuple(again), tuple(parsed))]
    assert places[0] == places[1]
    assert all(declaration.source is source for declaration in again)


def test_numbers_keep_their_kind(tmp_path: Path) -> None:
    source = Source(TEXT, str(tmp_path))
    kept = [syntax_cache.declarations(source) for _ in range(2)][1]
    assert repr(kept) == repr(parse(source)), "1 is not 1.0 and true is not 1"


def test_a_kept_file_that_is_damaged_is_parsed_again(tmp_path: Path) -> None:
    source = Source(TEXT, str(tmp_path))
    expected = syntax_cache.declarations(source)
    path = cache.folder() / (cache.key_of("syntax", syntax_cache._parser_text(), source.file, source.text) + ".program")
    path.write_bytes(path.read_bytes()[:-3])
    assert syntax_cache.declarations(source) == expected


def kept_file(source: Source) -> Path:
    return cache.folder() / (cache.key_of("syntax", syntax_cache._parser_text(), source.file, source.text) + ".program")


@pytest.mark.parametrize(
    "planted",
    [b"[]x", b"{}", b'[["system", "x"]]', b'[["Declaration", "f"]]', b'[["Span", 1, 1, 2]]', b"[1]", b"\x80\x04."],
)
def test_a_kept_file_that_holds_something_else_is_parsed_again(planted: bytes, tmp_path: Path) -> None:
    source = Source(TEXT, str(tmp_path))
    expected = syntax_cache.declarations(source)
    cache.save(kept_file(source).stem, planted, {"file": source.file})
    assert syntax_cache.declarations(source) == expected == parse(source)


def test_nothing_that_is_kept_is_unpickled() -> None:
    for path in (Path(syntax_cache.__file__).parent, Path(cache.__file__).parent):
        for module in path.rglob("*.py"):
            assert not re.search(
                r"^\s*(import|from) (pickle|marshal|shelve|dill)\b", module.read_text(), re.MULTILINE
            ), module


def test_a_warm_start_imports_no_lark() -> None:
    load = "from netcl.kernels.library.registry import Catalogue; Catalogue.shipped()"
    script = f"import sys; {load}; print('lark' in sys.modules)"
    found = [
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True) for _ in range(2)
    ]
    assert found[1].stdout.strip() == "False"
