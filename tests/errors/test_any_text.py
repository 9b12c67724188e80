"""Whatever is written, the compiler gives ops or a KernelLanguageError: no other exception, no hang."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from thorough import examples

from netcl.core.errors import KernelLanguageError
from netcl.kernels.compiler.derive.formula import NoDerivative
from netcl.kernels.compiler.ir.show import formula_text
from netcl.kernels.compiler.pipeline import differentiable, gradient, tangent
from netcl.kernels.compiler.specialise.canonical import canonical_signature
from netcl.kernels.compiler.specialise.specialise import specialise
from netcl.kernels.library.registry import Catalogue, dsl_folder

WORDS = (
    "op f x y z i k n axis float int bool word ints axes dtype any sum max prod join exp sqrt size where saving grad "
    "use scan argmax softmax cumsum sigmoid all "
    "nograd sample in else or and not without unless by flat as inf nan true 0 1 2 0.5 ( ) [ ] { } ; , : = == < > -> "
    '* + - / // % ^ ? "a" """d""" dy random detach cast'
).split()
"""`nox -s fuzz` tries 20,000 texts of words and characters and 20,000 changed declarations."""

SHIPPED = [
    each for path in sorted(dsl_folder().glob("*.netcl")) for each in re.split(r"\n(?=\"\"\")", path.read_text())
]
SHIPPED += [
    "op f(x: float, w: float) -> y { use g = gelu(x * w); use (y, z) = g(g, w); }",
    "op f(q[*b, i, d]: float, k[*b, j, d]: float, v[*b, j, e]: float; scale: float = 2) -> y[*b, i, e] {\n"
    "    s = sum[d](q * k) * scale; use p = softmax(s[*b, i, j]; axis = j); y = sum[j](p * v); }",
    "op f(x[n]: float; wide: int = 2) -> y[p] where p = size[n] - 1 {\n"
    "    use w[a, b] = g(x; length = wide); y = sum[a, b](a <= p ? w : 0); }\n"
    "op g(x[n]: float; length: int) -> y[p, r] where p = size[n] - length + 1, r = length { y = x[p + r]; }",
    "op f(x[t, u]: float) -> (y[t, u], z[t, u]) {\n"
    "    y = sum[s <= t, r < u](x[s, r]); a = max[s >= t](x[s, u]); z = scan[s <= t](exp(a), x[s, u]); }",
]
TOKEN = re.compile(r'"""(?:.|\n)*?"""|\w+|->|[<>=!]=|//|\S|\s+')


def compile_and_differentiate(text: str) -> None:
    try:
        ops = Catalogue().load_text(text)
    except KernelLanguageError as error:
        message, ops = str(error), []
    else:
        message = "<string>:1:1: ops"
    assert re.match(r"<string>:\d+:\d+: \S", message)
    for op in ops:
        for form in op.forms:
            formula = specialise(form, canonical_signature(form))
            formula_text(formula)
            try:
                formula_text(gradient(formula, differentiable(formula)))
                formula_text(tangent(formula, differentiable(formula)))
            except NoDerivative:
                pass


def drawn(count: int) -> int:
    """How many of so many texts: fifty times as many under `nox -s fuzz`."""
    return 50 * count if settings().max_examples > 100 else examples(count)


@settings(max_examples=drawn(100))
@given(st.text())
def test_any_characters_give_ops_or_an_explanation(text: str) -> None:
    compile_and_differentiate(text)


@settings(max_examples=drawn(150))
@given(st.lists(st.sampled_from(WORDS), max_size=25))
def test_any_words_of_the_language_give_ops_or_an_explanation(words: list[str]) -> None:
    compile_and_differentiate(" ".join(words))


@settings(max_examples=drawn(150))
@given(st.lists(st.sampled_from(WORDS), max_size=14))
def test_any_formula_gives_an_op_or_an_explanation(words: list[str]) -> None:
    compile_and_differentiate(
        f"op f(x[i, k]: float, z[*n]: int; axis: axes = all) -> y[i] {{ y = {' '.join(words)}; }}"
    )


@settings(max_examples=drawn(400), suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_shipped_declaration_with_words_changed_gives_ops_or_an_explanation(data: st.DataObject) -> None:
    tokens = TOKEN.findall(data.draw(st.sampled_from(SHIPPED)))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(tokens) - 1))
        kind = data.draw(st.sampled_from(["drop", "replace", "repeat", "swap"]))
        other = data.draw(st.one_of(st.sampled_from(WORDS), st.sampled_from(tokens)))
        tokens[at : at + 1] = {"drop": [], "replace": [other], "repeat": [tokens[at]] * 2, "swap": [other, tokens[at]]}[
            kind
        ]
        tokens = tokens or [other]
    compile_and_differentiate("".join(tokens))


@pytest.mark.parametrize(
    "text",
    [
        "op f(x: float) -> y { y = " + "+".join(["x"] * 5000) + "; }",
        "op f(x: float) -> y { y = " + "(" * 3000 + "x" + ")" * 3000 + "; }",
        "op f(x: float) -> y { y = " + "-" * 5000 + "x; }",
        "op f(x: float) -> y { y = " + "x ? " * 2000 + "x" + " : x" * 2000 + "; }",
        "op f(x: float) -> y { a0 = x; "
        + " ".join(f"a{at + 1} = a{at} * a{at};" for at in range(400))
        + " y = a400; }",
        "op f(x: float) -> y { a0 = x; "
        + " ".join(f"a{at + 1} = sin(a{at}) + a{at};" for at in range(50))
        + " y = a60; }",
        "op f(x[n]: float) -> y[n] { a0 = n; "
        + " ".join(f"a{at + 1} = a{at} * a{at} + n;" for at in range(40))
        + " y = x[a40 % size[n]]; }",
        "op f(x: float) -> y { y = x; }" * 50,
    ],
    ids=["a long sum", "parentheses", "signs", "choices", "definitions", "shared parts", "a huge polynomial", "forms"],
)
@pytest.mark.sample(4)
def test_depth_and_length_cost_no_more_than_a_message(text: str) -> None:
    compile_and_differentiate(text)


def test_a_file_with_a_mistake_adds_none_of_its_ops(tmp_path: Path) -> None:
    path = tmp_path / "mine.netcl"
    path.write_text("op good(x: float) -> y { y = x; }\nop bad(x: float) -> y { y = x }\n")
    catalogue = Catalogue()
    with pytest.raises(KernelLanguageError, match=r"mine\.netcl:2:31: a ';' is missing"):
        catalogue.load_file(path)
    assert len(catalogue) == 0


def test_an_op_that_is_known_already_is_refused_with_both_places(tmp_path: Path) -> None:
    catalogue = Catalogue()
    catalogue.load_text("op mine(x: float) -> y { y = x; }", "first.netcl")
    with pytest.raises(
        KernelLanguageError, match=r"second\.netcl:1:4: the op mine is declared already, at first\.netcl:1"
    ):
        catalogue.load_text("op mine(x: float) -> y { y = 2 * x; }", "second.netcl")
    assert catalogue["mine"].forms[0].source.file == "first.netcl"
