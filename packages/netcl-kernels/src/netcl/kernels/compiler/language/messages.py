"""What the parser's error becomes for the author: human names for terminals, and sentences for the usual slips."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from netcl.kernels.compiler.ir import REDUCERS
from netcl.kernels.compiler.ir.functions import FUNCTIONS

WORDS = {
    "NAME": "a name", "INTEGER": "a whole number", "DECIMAL": "a number", "CONSTANT": "inf, nan, pi, true or false",
    "TEXT": "a word in quotes", "DOC": "a docstring", "EQUAL": "'='", "COLON": "':'", "SEMICOLON": "';'",
    "COMMA": "','",
    "LPAR": "'('", "RPAR": "')'", "LSQB": "'['", "RSQB": "']'", "LBRACE": "'{'", "RBRACE": "'}'", "ARROW": "'->'",
    "QUESTION": "'?'", "STAR": "'*'", "PLUS": "'+'", "MINUS": "'-'", "SLASH": "'/'", "DOUBLE_SLASH": "'//'",
    "PERCENT": "'%'", "CARET": "'^'", "COMPARISON": "a comparison",
    "BAR": "'|'", "AMPERSAND": "'&'", "SHIFT": "'<<' or '>>'", "TILDE": "'~'",
    "OP": "'op'", "WHERE": "'where'", "GRAD": "'grad'",
    "USE": "'use'", "NOGRAD": "'nograd'", "SURROGATE": "'surrogate'", "SAVING": "'saving'", "ALSO": "'also'",
    "SAMPLE": "'sample'", "IN": "'in'", "ELSE": "'else'", "OR": "'or'",
    "AND": "'and'", "NOT": "'not'", "WITHOUT": "'without'", "UNLESS": "'unless'", "BY": "'by'", "FLAT": "'flat'",
    "AS": "'as'", "$END": "the end of the text",
}  # fmt: skip

_GROUPS = {
    "an expression": {"NAME", "LPAR", "INTEGER", "DECIMAL", "CONSTANT", "TEXT", "MINUS", "TILDE", "NOT"},
    "an operator": {"OR", "AND", "COMPARISON", "PLUS", "MINUS", "STAR", "SLASH", "DOUBLE_SLASH", "PERCENT", "CARET",
                    "QUESTION", "ELSE", "BAR", "AMPERSAND", "SHIFT"},
    "a number": {"INTEGER", "DECIMAL", "CONSTANT", "MINUS"},
    "a statement": {"NAME", "USE", "GRAD", "NOGRAD", "SURROGATE", "SAMPLE"},
}  # fmt: skip
"""Terminals that a message names together, when most of them are expected."""

_OPERANDS = ("NAME", "LPAR", "INTEGER", "DECIMAL", "CONSTANT", "TEXT", "NOT")
_CHARACTERS = {
    "'": 'a word is written between double quotes, as in "mean"',
    ".": "a function is called by its name alone, as in exp(x)",
    "!": "a condition is turned round by 'not'; unequal is a != b",
    '"': "a word in quotes ends on its line, with another '\"'",
    "{": "'{' opens the body of an op only; groups are made with (…)",
    "@": "a matrix product is written sum[k](a[i, k] * b[k, j])",
    "\N{NO-BREAK SPACE}": "it looks like a space, and is none",
    "\N{SQUARE ROOT}": "a square root is sqrt(x)",
    "\N{N-ARY SUMMATION}": "a sum is written sum[k](…)",
    "\N{N-ARY PRODUCT}": "a product is written prod[k](…)",
    "\N{SUPERSCRIPT TWO}": "a square is written x ^ 2",
}
_SPELLED = {
    "-": "\N{MINUS SIGN}\N{EN DASH}\N{EM DASH}\N{HYPHEN}\N{NON-BREAKING HYPHEN}",
    "*": "\N{MIDDLE DOT}\N{MULTIPLICATION SIGN}\N{DOT OPERATOR}\N{BULLET OPERATOR}\N{ASTERISK OPERATOR}",
    "/": "\N{DIVISION SIGN}\N{DIVISION SLASH}\N{FRACTION SLASH}",
    "<=": "\N{LESS-THAN OR EQUAL TO}\N{LESS-THAN OR SLANTED EQUAL TO}",
    ">=": "\N{GREATER-THAN OR EQUAL TO}\N{GREATER-THAN OR SLANTED EQUAL TO}",
    "!=": "\N{NOT EQUAL TO}",
    "->": "\N{RIGHTWARDS ARROW}\N{RIGHTWARDS ARROW FROM BAR}",
    "pi": "\N{GREEK SMALL LETTER PI}\N{MATHEMATICAL ITALIC SMALL PI}",
    "inf": "\N{INFINITY}",
    "and": "\N{LOGICAL AND}",
    "or": "\N{LOGICAL OR}",
    "not": "\N{NOT SIGN}",
    '"': "\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}\N{DOUBLE LOW-9 QUOTATION MARK}",
}
"""What the language writes for characters that other texts have."""


def nearest(name: str, known: Iterable[str], otherwise: str = "", alike: float = 0.6) -> str:
    """What a message about a name that nobody knows ends with: the names that are written like it, or `otherwise`.

    `alike` is how much of two names must be the same, of 1.
    """
    close = difflib.get_close_matches(name, list(known), cutoff=alike)
    if not close:
        return f"; {otherwise}" if otherwise else ""
    return f"; did you mean {' or '.join(close)}?"


def unexpected(found_type: str, found: str, expected: Iterable[str], before: str, after: str = "") -> str:
    """The sentence for a word that cannot stand where it stands. `before` is the text up to it, `after` the rest."""
    wanted = set(expected)
    slip = _slip(found_type, found, wanted, before, after)
    if slip:
        return slip
    names = []
    for group, members in _GROUPS.items():
        if len(wanted & members) >= max(3, len(members) - 1):
            names.append(group)
            wanted -= members
    names += sorted(WORDS.get(each, each) for each in wanted)
    shown = "the end of the text" if found_type == "$END" else f"'{found.splitlines()[0]}'"
    return f"{shown} cannot stand here; expected {_or(names)}"


def strange(character: str) -> str:
    """The sentence for a character that no word of the language has."""
    hint = _CHARACTERS.get(character)
    for spelling, characters in _SPELLED.items():
        if character in characters:
            hint = f"write {spelling}"
    if not hint and character.isalpha():
        hint = "a name has letters from a to z, digits and '_'"
    return f"the character {character!r} does not belong to the language" + (f"; {hint}" if hint else "")


def _slip(found_type: str, found: str, wanted: set[str], before: str, after: str) -> str | None:
    code = re.sub(r"#[^\n]*", "", before)
    last = code.rstrip()
    word = re.search(r"\w*$", last)
    previous = word[0] if word else ""
    if (found + after).startswith('"""') and not found.startswith('"""'):
        return 'a docstring starts here and never ends; close it with """'
    if (found + after).startswith(("//", "/*")) and "SLASH" not in wanted:
        return "a comment begins with '#' and ends with its line"
    in_body = code.count("{") > code.count("}")
    return (
        (None if in_body else _slip_of_declaration(found_type, found, wanted, previous))
        or _slip_of_use(found_type, found, wanted, last, after)
        or _slip_of_statement(found_type, found, wanted, last, previous, after, code)
        or (_slip_of_number(found_type, found, after, previous) if last == code else None)
        or _slip_of_expression(found_type, found, wanted, last, previous, "\n" in code[len(last) :])
    )


def _slip_of_number(found_type: str, found: str, after: str, previous: str) -> str | None:
    """The sentence for what touches the digits before it."""
    if not previous.isdigit():
        return None
    if found_type == "COMMA" and after[:1].isdigit():
        return f"a decimal number has a point: {previous}.{after[0]}"
    if found_type != "NAME":
        return None
    digits = previous + found
    if re.fullmatch("0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+", digits):
        return f"a whole number is written with the digits 0 to 9: {digits} is {int(digits, 0)}"
    if re.fullmatch(r"[0-9]+(_[0-9]+)+", digits):
        return f"the digits of a number stand side by side: {digits.replace('_', '')}"
    if re.fullmatch("[fFhHlLuUdDjJ]+", found):
        return f"a number is written without the '{found}' behind it; its type is that of the formula"
    return None


def _slip_of_declaration(found_type: str, found: str, wanted: set[str], previous: str) -> str | None:
    if "OP" in wanted:
        if found_type == "SEMICOLON":
            return "no ';' stands behind the '}' of an op"
        if found_type == "DOC":
            return "a docstring stands before 'op', and only once"
        return f"a declaration starts with 'op', as in op f(x: float) -> y {{ … }}, not with '{found}'"
    if wanted in ({"COLON"}, {"COLON", "LSQB"}):
        if previous:
            return f"the type of {previous} is missing: write {previous}: float"
        return "the type is missing: each operand has one of its own, as in x[n]: float, w[k]: float"
    if found_type == "ARROW" and "RPAR" in wanted:
        return "the ')' behind the operands is missing before '->'"
    if wanted == {"ARROW"}:
        if found_type == "LBRACE":
            return "the result is missing: write '-> y' (or '-> y[i, j]') before '{'"
        return "the result is written '-> y' (or '-> y[i, j]')"
    if "LBRACE" in wanted and found_type == "COMMA":
        return f"several results stand in parentheses: -> ({previous or 'y[i]'}, …)"
    if "LBRACE" in wanted and found_type in ("NAME", "USE", "GRAD", "SAMPLE", "NOGRAD", "SURROGATE"):
        return f"a '{{' is missing before '{found}': the formulas of an op stand between braces"
    if found_type in ("INTEGER", "DECIMAL") and wanted <= {"NAME", "STAR"}:
        return f"a name begins with a letter, not with '{found}'"
    return None


def _slip_of_use(found_type: str, found: str, wanted: set[str], last: str, after: str) -> str | None:
    """The sentence for an argument of `use s = step(…)`: a number without a name, or a name before the ';'."""
    used = re.search(r"\buse\b[^;{}]*=\s*(\w+)\s*\(([^;{}]*?)(?:,?\s*(\w+)|(;)[^;{}]*)$", last)
    if used is None:
        return None
    op, operands, name, numbers = used.groups()
    if numbers and found_type in ("INTEGER", "DECIMAL") and "NAME" in wanted:
        setting = f"name = {found}"
    elif name and found_type == "EQUAL":
        value = re.match(r"\s*([\w.+-]+)", after)
        setting = f"{name} = {value[1] if value else '…'}"
    else:
        return None
    return (
        "operands stand in their order, without names, and numbers and words behind ';' with their names: "
        f"{op}({operands.strip() or '…'}; {setting})"
    )


def _slip_of_statement(
    found_type: str, found: str, wanted: set[str], last: str, previous: str, after: str, code: str
) -> str | None:
    if found_type == "DOC":
        return "a docstring stands before 'op', not here; behind '#' a comment may stand anywhere"
    if found_type == "EQUAL" and last.endswith("="):
        return "a definition has one '='; '==' compares, and stands inside an expression"
    if previous == "op" and "EQUAL" in wanted and found_type == "NAME":
        return "an op begins here, but the one before is not closed: a '}' is missing"
    if re.search(r"\buse\s+\w+$", last) and found_type == "LPAR":
        return f"what is used gets a name: use p = {previous}(…);"
    if wanted <= {"EQUAL", "LSQB"}:
        if re.search(r"\bgrad\s+\w+$", last):
            return f"the gradient of {previous} needs its formula: grad {previous} = …;"
        if previous in ("for", "while"):
            return "nothing loops: a formula holds at every place of its indices; a reducer adds up, as in sum[k](…)"
        if previous == "return":
            return "nothing is returned: the output is defined by its name, as in y = …;"
        if found_type == "NAME" and previous in ("float", "int", "bool", "double", "half", "const", "let", "var"):
            return f"what is defined has no type in front: {found} = …;"
        if after.startswith("="):
            return f"a name is defined once, with '='; there is no '{found}='"
        if found_type == "SEMICOLON" or found_type in _GROUPS["an operator"] | {"LPAR"}:
            return (
                f"an expression alone does nothing: define a name, as in y = {previous}{'' if found == ';' else ' …'};"
            )
    if "RSQB" in wanted and re.search(r"[;{]\s*\w+\s*\[[\w\s,*]*$", last):
        return "what is defined has its indices alone between the brackets, and its formula reads at positions"
    if found_type == "EQUAL" and wanted & {"COMPARISON", "AND"}:
        return "'=' defines a name; to compare write '=='"
    if found_type == "$END" and "RBRACE" in wanted:
        return "the text ends inside an op; close it with '}'"
    if "SEMICOLON" in wanted and found_type in ("USE", "GRAD", "SAMPLE", "NOGRAD", "SURROGATE", "RBRACE", "$END", "OP"):
        return f"a ';' is missing{f' before {found!r}' if found else ''}: every statement ends with ';'"
    if "SEMICOLON" in wanted and found_type in ("RPAR", "RSQB"):
        return f"this '{found}' closes nothing"
    return None


def _slip_of_expression(
    found_type: str, found: str, wanted: set[str], last: str, previous: str, new_line: bool
) -> str | None:
    if found_type == "STAR" and last.endswith("*"):
        return "a power is written x ^ 2, not x ** 2"
    if found_type == "AMPERSAND" and last.endswith("&"):
        return "two conditions are joined by 'and'"
    if found_type == "BAR":
        return "two conditions are joined by 'or'; an absolute value is abs(x)"
    if previous == "use":
        return f"'use' is a statement: use p = {found}(…); and then p stands in the formula"
    if found == "if" or previous == "if":
        return "a choice is written condition ? first : second"
    if found_type == "COMPARISON" and "AND" in wanted:
        if re.search(r"(==|!=|<=|>=|<|>)[^&|<>=,;(]*[&|]", last):
            return "two conditions are joined by 'and' or 'or'; '&' and '|' are of the bits of whole numbers"
        return "comparisons do not chain: write a < b and b < c"
    if found_type in ("SEMICOLON", "RPAR", "RBRACE") and "COLON" in wanted and "?" in last:
        return "a choice names both values: condition ? first : second"
    if found_type == "NAME" and re.search(r"\belse\s*-$", last):
        return f"behind 'else' stands a number, or an expression in parentheses: else (-{found})"
    if previous == "else":
        return "behind 'else' stands a number, or an expression in parentheses, as in x[p] else (y)"
    if found_type in _OPERANDS and wanted >= {"PLUS", "STAR"}:
        if new_line and "SEMICOLON" in wanted:
            return f"a ';' is missing before '{found}': every statement ends with ';'"
        reducer = re.search(r"(\w+)\s*\[[^\[\]]*\]$", last)
        if reducer and reducer[1] in REDUCERS:
            return f"what {reducer[1]}[…] runs over stands in parentheses, as in {reducer[1]}[k](x * y)"
        if previous in FUNCTIONS:
            return f"the argument of {previous} stands in parentheses, as in {previous}(x)"
        return f"an operator is missing before '{found}': a product is written a * b"
    if found_type == "LSQB" and (called := re.search(r"(\w+)\s*\((?:[^()]|\([^()]*\))*\)$", last)):
        if called[1] in FUNCTIONS:
            return f"positions stand behind the name of what is read, as in {called[1]}(x[i])"
        return f"the value of an op gets a name before it is read: use v = {called[1]}(…);"
    if found_type == "COLON" and "RSQB" in wanted and re.search(r"\{.*\w\s*\[[^\[\]?{]*$", last, re.DOTALL):
        return "there are no slices: x[i + 1] reads at a position, and `where` says the length of what i runs over"
    if found_type in _GROUPS["an operator"] and re.search(r"=\s*\[[^\[\]]*\]$", last):
        return "a table of numbers stands alone; compute with it where it is read, as in w[k] / 4"
    for opening, closing in (("LPAR", "RPAR"), ("LSQB", "RSQB")):
        if (
            closing in wanted
            and "NAME" not in wanted
            and found_type in ("SEMICOLON", "RBRACE", "RSQB", "RPAR", "COLON", "LBRACE", "$END", "EQUAL")
        ):
            return f"a {WORDS[opening]} before this is not closed: {WORDS[closing]} is missing"
    if wanted <= {"MINUS", "INTEGER", "DECIMAL", "CONSTANT", "LPAR", "TEXT", "NAME", "LSQB"} and found_type == "NAME":
        return f"a number is written out here; '{found}' is a name"
    return None


def _or(names: list[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]
