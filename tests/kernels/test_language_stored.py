"""Parsed files are kept by content: read back they are the same, and a warm start needs no parser."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from netcl.core import cache
from netcl.core.errors import KernelLanguageError
from netcl.kernels.compiler.language.outline import outline
from netcl.kernels.compiler.language.parse import parse
from netcl.kernels.compiler.language.syntax import Source
from netcl.kernels.compiler.specialise.scope import walk
from netcl.kernels.library import syntax_cache
from netcl.kernels.library.registry import Catalogue

FILES = sorted((Path(__file__).parents[2] / "kernels_dsl").glob("*.netcl"))
TEXT = '"""Doc."""\nop f(x[*i]: float; axis: axes = -1, k: float = -inf) -> y[*i] { y = x * 1.0 + (k > 2 ? 1 : .5); }\n'


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.sample(10)
def test_a_file_read_back_is_the_file_parsed(path: Path) -> None:
    source = Source(path.read_text(encoding="utf-8"), f"stored test of {path.name}")
    first, again, parsed = syntax_cache.declarations(source), syntax_cache.declarations(source), parse(source)
    assert first == again == parsed
    places = [[getattr(node, "span", None) for node in walk(each)] for each in (tuple(again), tuple(parsed))]
    assert places[0] == places[1]
    assert all(declaration.source is source for declaration in again)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.sample(6)
def test_the_headings_of_a_file_are_those_of_what_stands_in_it(path: Path) -> None:
    source = Source(path.read_text(encoding="utf-8"), f"outline of {path.name}")
    headings, whole = outline(source), parse(source)
    assert [(each.name, each.also, each.doc) for each in headings] == [
        (each.name, tuple(other.name for other in each.also), each.doc) for each in whole
    ]
    for _ in range(2):  # parsed, and read back
        alone = tuple(syntax_cache.declaration(each) for each in headings)
        assert alone == tuple(whole)
        places = [[getattr(node, "span", None) for node in walk(each)] for each in (alone, tuple(whole))]
        assert places[0] == places[1]


def test_what_is_shipped_is_right_and_is_what_its_files_declare() -> None:
    loaded, shipped = Catalogue(), Catalogue.shipped()
    loaded.load_files(FILES)  # which checks every declaration
    assert [(op.name, op.also, op.summary, op.forms) for op in loaded] == [
        (op.name, op.also, op.summary, op.forms) for op in shipped
    ]
    assert loaded.families == shipped.families


def test_numbers_keep_their_kind(tmp_path: Path) -> None:
    source = Source(TEXT, str(tmp_path))
    kept = [syntax_cache.declarations(source) for _ in range(2)][1]
    assert repr(kept) == repr(parse(source)), "1 is not 1.0 and true is not 1"


def test_a_kept_file_that_is_damaged_is_parsed_again(tmp_path: Path) -> None:
    source = Source(TEXT, str(tmp_path))
    expected = syntax_cache.declarations(source)
    path = cache.folder() / (cache.key_of("syntax", syntax_cache._parser_key(), source.file, source.text) + ".program")
    path.write_bytes(path.read_bytes()[:-3])
    assert syntax_cache.declarations(source) == expected


def kept_file(source: Source) -> Path:
    return cache.folder() / (cache.key_of("syntax", syntax_cache._parser_key(), source.file, source.text) + ".program")


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
    load = "from netcl.kernels.library.registry import Catalogue; [op.forms for op in Catalogue.shipped()]"
    script = f"import sys; {load}; print('lark' in sys.modules)"
    found = [
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True) for _ in range(2)
    ]
    assert found[1].stdout.strip() == "False"


def test_only_what_is_called_is_parsed() -> None:
    script = """
from netcl.kernels.library import syntax_cache
read, parsed = syntax_cache.declaration, []
syntax_cache.declaration = lambda heading: parsed.append(heading.name) or read(heading)
from netcl import core, kernels
kernels.ops.tanh(core.from_host([1.0]))
print(len(parsed), parsed.count("tanh"))
"""
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    total, tanh = map(int, found.stdout.split())
    assert tanh == 1
    assert total < 20


def test_a_text_that_was_compiled_before_is_not_parsed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, name = 'op f(x: float) -> y { y = x + 1; }\n"""Two."""\nop g(x: float) -> y { y = 2 * x; }', str(tmp_path)
    first = Catalogue().load_text(text, name)
    monkeypatch.setattr(syntax_cache, "parsed", None)
    again = Catalogue().load_text(text, name)
    assert [(op.name, op.summary, op.forms) for op in again] == [(op.name, op.summary, op.forms) for op in first]


def test_mistakes_are_told_each_time(tmp_path: Path) -> None:
    text = "op f(x: float) -> y { y = x +; }\nop g(x: float) -> y { y = ; }"
    said = []
    for _ in range(2):
        with pytest.raises(KernelLanguageError) as error:
            Catalogue().load_text(text, str(tmp_path))
        said.append(str(error.value))
    assert said[0] == said[1]
    assert said[0].count(f"{tmp_path}:") == 2
