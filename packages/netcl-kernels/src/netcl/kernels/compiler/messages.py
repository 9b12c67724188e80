"""What the parser's error becomes for the author: human names for terminals, and sentences for the usual slips."""

from __future__ import annotations

from collections.abc import Iterable

WORDS = {
    "NAME": "a name", "INTEGER": "a whole number", "DECIMAL": "a number", "CONSTANT": "inf, nan, pi, true or false",
    "TEXT": "a word in quotes", "DOC": "a docstring", "EQUAL": "'='", "COLON": "':'", "SEMICOLON": "';'", "COMMA": "','",
    "LPAR": "'('", "RPAR": "')'", "LSQB": "'['", "RSQB": "']'", "LBRACE": "'{'", "RBRACE": "'}'", "ARROW": "'->'",
    "QUESTION": "'?'", "STAR": "'*'", "PLUS": "'+'", "MINUS": "'-'", "SLASH": "'/'", "DOUBLE_SLASH": "'//'",
    "PERCENT": "'%'", "CARET": "'^'", "COMPARISON": "a comparison", "OP": "'op'", "WHERE": "'where'", "GRAD": "'grad'",
    "NOGRAD": "'nograd'", "SAVING": "'saving'", "SAMPLE": "'sample'", "IN": "'in'", "ELSE": "'else'", "OR": "'or'", "AND": "'and'",
    "NOT": "'not'", "WITHOUT": "'without'", "UNLESS": "'unless'", "BY": "'by'", "FLAT": "'flat'", "AS": "'as'",
    "$END": "the end of the text",
}  # fmt: skip

_OPERATORS = {
    "OR", "AND", "COMPARISON", "PLUS", "MINUS", "STAR", "SLASH", "DOUBLE_SLASH", "PERCENT", "CARET", "QUESTION", "ELSE",
}  # fmt: skip


def unexpected(found_type: str, found: str, expected: Iterable[str], before: str) -> str:
    """The sentence for a word that cannot stand where it stands. `before` is the text up to it."""
    wanted = set(expected)
    slip = _slip(found_type, found, wanted, before.rstrip())
    if slip:
        return slip
    if wanted >= {"PLUS", "SLASH"}:
        wanted = (wanted - _OPERATORS) | {"operator"}
    names = sorted("an operator" if each == "operator" else WORDS.get(each, each) for each in wanted)
    shown = "the end of the text" if found_type == "$END" else f"'{found}'"
    return f"{shown} cannot stand here; expected {_or(names)}"


def _slip(found_type: str, found: str, wanted: set[str], before: str) -> str | None:
    if "SEMICOLON" in wanted and found_type in ("NAME", "GRAD", "SAMPLE", "NOGRAD", "RBRACE") and before[-1:] != ";":
        return f"a ';' is missing before '{found}': every statement ends with ';'"
    if found_type == "STAR" and before.endswith("*"):
        return "a power is written x ^ 2, not x ** 2"
    if found_type == "LBRACE" and "ARROW" in wanted:
        return "the result is missing: write '-> y' (or '-> y[i, j]') before '{'"
    if found_type == "EQUAL" and before.endswith("="):
        return "a comparison is written with two signs, as in a == b, inside an expression only"
    if found_type == "EQUAL" and "COMPARISON" in wanted:
        return "'=' defines a name; to compare write '=='"
    if found_type in ("NAME", "LPAR", "INTEGER", "DECIMAL") and wanted >= {"PLUS", "STAR"}:
        return f"an operator is missing before '{found}': a product is written a * b"
    return None


def _or(names: list[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]
