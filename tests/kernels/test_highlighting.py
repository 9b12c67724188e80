"""Colours for .netcl: the Pygments lexer and the TextMate grammar know every word of the language."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pygments.token import Comment, Error, Keyword, Name, String, Token

from netcl.kernels.compiler.language.parse import _parser
from netcl.kernels.compiler.specialise.check_names import RESERVED
from netcl.kernels.highlighting import NetclLexer
from netcl.kernels.library.registry import dsl_folder
from netcl.kernels.tools import vocabulary

ROOT = Path(__file__).resolve().parents[2]
TEXTMATE = json.loads((ROOT / "editors/vscode/netcl.tmLanguage.json").read_text())["patterns"]
TERMINALS = {terminal.name: terminal.pattern for terminal in _parser().terminals}


@pytest.mark.parametrize("file", sorted(dsl_folder().glob("*.netcl")), ids=lambda file: file.name)
def test_a_shipped_file_has_no_part_that_the_lexer_does_not_know(file: Path) -> None:
    text = file.read_text()
    tokens = list(NetclLexer(stripnl=False, ensurenl=False).get_tokens(text))
    assert "".join(part for _, part in tokens) == text
    assert [part for kind, part in tokens if kind in Error] == []


def test_every_word_of_the_grammar_is_a_keyword_for_the_lexer_the_editors_and_the_compiler() -> None:
    written = {pattern.value for pattern in TERMINALS.values() if pattern.type == "str" and pattern.value.isalpha()}
    assert set(vocabulary.keywords()) == written
    assert set(vocabulary.constants()) == {"inf", "nan", "pi", "true", "false"}
    assert {*vocabulary.keywords(), *vocabulary.constants()} <= RESERVED
    control = next(each["match"] for each in TEXTMATE if each.get("name") == "keyword.control.netcl")
    for word in vocabulary.keywords():
        assert lexed(word) in Keyword
        assert re.fullmatch(control, word)


def test_every_sign_of_the_grammar_is_known() -> None:
    signs = [pattern.value for pattern in TERMINALS.values() if pattern.type == "str" and not pattern.value.isalpha()]
    assert len(signs) > 10
    for sign in signs:
        assert lexed(sign) not in Error


@pytest.mark.parametrize(
    ("text", "word", "kind", "scope"),
    [
        ("op f(x: float) -> y", "f", Name.Function, "entity.name.function.netcl"),
        ("op f(x: float) -> y", "float", Keyword.Type, "storage.type.netcl"),
        ("y = sum[k](x);", "sum", Name.Builtin, "support.function.reducer.netcl"),
        ("y = exp(x);", "exp", Name.Builtin, "support.function.netcl"),
        ("y = inf;", "inf", Keyword.Constant, "constant.language.netcl"),
        ("y = inflow;", "inflow", Name, None),
        ("y = x; # sum", "# sum", Comment.Single, "comment.line.number-sign.netcl"),
        ('where r == "mean"', '"mean"', String.Double, "string.quoted.double.netcl"),
        ("y = x ^ 1.5e-3;", "1.5e-3", Token.Literal.Number.Float, "constant.numeric.netcl"),
    ],
)
def test_a_word_has_its_colour(text: str, word: str, kind: object, scope: str | None) -> None:
    assert (kind, word) in list(NetclLexer().get_tokens(text))
    assert scoped(text).get(word) == scope


def test_pygments_finds_the_lexer_and_netcl_does_not_import_pygments() -> None:
    project = (ROOT / "packages/netcl-kernels/pyproject.toml").read_text()
    points = '[project.entry-points."pygments.lexers"]\nnetcl = "netcl.kernels.highlighting:NetclLexer"\n'
    assert points in project
    assert "pygments" not in project.replace(points, "")
    program = "import sys; import netcl.kernels.namespace; print('pygments' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "False\n"
    )


def lexed(word: str) -> object:
    return next(iter(NetclLexer().get_tokens(word)))[0]


def scoped(line: str) -> dict[str, str]:
    """What a TextMate grammar makes of a line: the leftmost match, of several the first pattern, again and again."""
    found: dict[str, str] = {}
    at = 0
    while at < len(line):
        matches = [(match.start(), number, match) for number, match in enumerate(tried(line, at)) if match is not None]
        if not matches:
            break
        _, number, match = min(matches, key=lambda each: each[:2])
        pattern = TEXTMATE[number]
        if "name" in pattern:
            found[match[0]] = pattern["name"]
        for group, capture in pattern.get("captures", {}).items():
            found[match[int(group)]] = capture["name"]
        at = max(match.end(), at + 1)
    return found


def tried(line: str, at: int) -> list[re.Match[str] | None]:
    return [re.compile(pattern.get("match", pattern.get("begin"))).search(line, at) for pattern in TEXTMATE]
