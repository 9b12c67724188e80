"""`netcl ops fmt`: the layout changes, nothing else does; a file in its layout stays as it is."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thorough import examples

from netcl.core.errors import KernelLanguageError
from netcl.kernels.cli import main
from netcl.kernels.compiler.language.parse import parse
from netcl.kernels.compiler.language.syntax import Source, Span
from netcl.kernels.library.registry import dsl_folder
from netcl.kernels.tools.formatting import formatted
from netcl.kernels.tools.formatting.lines import WIDTH
from netcl.kernels.tools.formatting.words import Branch, branches

FILES = sorted(dsl_folder().glob("*.netcl"))
GAPS = ("", " ", " ", "  ", "\n", "\n\n\n", "\t", " # aside\n", "\n    # above\n", "\n\n# apart\n\n")
SHIPPED: list[Branch] = [each for file in FILES for each in branches(Source(file.read_text()))[0]]


def meaning(node: Any) -> Any:
    """A syntax tree without the places of its words."""
    if isinstance(node, (Span, Source)):
        return None
    if is_dataclass(node):
        return type(node).__name__, *(meaning(getattr(node, each.name)) for each in fields(node))
    return [meaning(each) for each in node] if isinstance(node, (list, tuple)) else repr(node)


def comments(text: str) -> list[str]:
    _, end = branches(Source(text))
    words = [word for branch in branches(Source(text))[0] for word in branch.words()] + [end]
    return [note.text for word in words for note in word.notes]


@st.composite
def scrambled(draw: st.DrawFn) -> str:
    """Shipped declarations with other spaces, line ends and comments between their words."""
    gaps = st.sampled_from(
        ["", " ", " ", "  ", "\n", "\n\n\n", "\t", " # aside\n", "\n    # above\n", "\n\n# apart\n\n"]
    )
    text = draw(gaps).lstrip(" \t")
    for branch in draw(st.lists(st.sampled_from(SHIPPED), min_size=1, max_size=3)):
        for word in branch.words():
            gap = draw(gaps)
            text += (gap or " ") + word.text
    return text + draw(gaps)


@settings(max_examples=examples(100))
@given(scrambled())
def test_a_text_in_its_layout_means_the_same_keeps_its_comments_and_is_in_its_layout(text: str) -> None:
    once = formatted(text)
    assert meaning(parse(Source(once))) == meaning(parse(Source(text)))
    assert comments(once) == comments(text)
    assert formatted(once) == once
    assert all(line == line.rstrip() for line in once.splitlines() if '"""' not in line)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_shipped_declarations_are_in_their_layout(file: Path) -> None:
    assert main(["fmt", "--check", str(file)]) == 0, f"run: netcl ops fmt {file}"


def test_lines_break_in_brackets_behind_commas_and_before_operators() -> None:
    term = "coefficient_of_the_first_kind * argument_of_the_first_kind"
    text = f"op f(x: float) -> y {{ y = exp({term} + {term} + x) + 1; z = {term} + {term} + {term}; }}"
    assert formatted(text) == (
        "op f(x: float) -> y {\n"
        "    y = exp(\n"
        f"        {term}\n"
        f"        + {term}\n"
        "        + x\n"
        "    ) + 1;\n"
        f"    z = {term}\n"
        f"        + {term}\n"
        f"        + {term};\n"
        "}\n"
    )


def test_a_long_heading_breaks_before_its_result_and_keeps_the_lines_of_its_author() -> None:
    names = ", ".join(f"operand_{number}[*i]: float" for number in range(5))
    heading = f"op f({names};\n  rate: float = 1) -> y[*i] where size[i] > 0"
    assert formatted(heading.replace("[i]", "[*i]") + " { y = operand_0; }") == (
        "op f(operand_0[*i]: float, operand_1[*i]: float, operand_2[*i]: float, operand_3[*i]: float, "
        "operand_4[*i]: float;\n"
        "     rate: float = 1) -> y[*i] where size[*i] > 0\n"
        "{\n"
        "    y = operand_0;\n"
        "}\n"
    )


def test_signs_stand_close_to_one_value_and_apart_from_two() -> None:
    text = "op f(x[ * i,n ] :float;a:ints [2]=1)->y[*i]{y=-(x[*(i-1),-n]else(-1))*a[0]^-2>0?not true:sum[ n ](x);}"
    assert formatted(text) == (
        "op f(x[*i, n]: float; a: ints[2] = 1) -> y[*i] {\n"
        "    y = -(x[*(i - 1), -n] else (-1)) * a[0] ^ -2 > 0 ? not true : sum[n](x);\n"
        "}\n"
    )


def test_no_line_is_longer_than_the_width_where_it_can_be_broken() -> None:
    long = [line for file in FILES for line in formatted(file.read_text()).splitlines() if len(line) > WIDTH]
    assert long == []


def test_a_text_that_is_not_of_the_language_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "broken.netcl"
    file.write_text("op f(x: float) -> y { y = x }")
    with pytest.raises(KernelLanguageError, match=r"broken.netcl:1:29: a ';' is missing"):
        formatted(file.read_text(), str(file))
    assert main(["fmt", str(file)]) == 1
    assert file.read_text() == "op f(x: float) -> y { y = x }"


def test_check_names_the_files_that_would_change_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.netcl").write_text("op f(x: float)->y { y=x; }\n")
    (tmp_path / "b.netcl").write_text("op f(x: float) -> y { y = x; }\n")
    assert main(["fmt", "--check", str(tmp_path)]) == 1
    assert capsys.readouterr().out == f"would lay out {tmp_path / 'a.netcl'}\n"
    assert main(["fmt", str(tmp_path)]) == 0
    assert (tmp_path / "a.netcl").read_text() == (tmp_path / "b.netcl").read_text()
    assert main(["fmt", "--check", str(tmp_path)]) == 0
