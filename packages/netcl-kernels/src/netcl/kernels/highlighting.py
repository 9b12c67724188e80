"""A Pygments lexer for .netcl, found by Pygments through its entry point; nothing in netcl imports this module."""

from __future__ import annotations

from pygments.lexer import RegexLexer, bygroups, words
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Whitespace,
)

from netcl.kernels.tools.vocabulary import REDUCTIONS, TYPES, constants, keywords

_NAME = r"[A-Za-z_][A-Za-z_0-9]*"


class NetclLexer(RegexLexer):
    """The kernel language of netcl."""

    name = "netcl"
    aliases = ("netcl",)
    filenames = ("*.netcl",)
    tokens = {  # noqa: RUF012
        "root": [
            (r"\s+", Whitespace),
            (r"#[^\n]*", Comment.Single),
            (r'"""(?:.|\n)*?"""', String.Doc),
            (r'"[^"\n]*"', String.Double),
            (rf"(op)(\s+)({_NAME})", bygroups(Keyword.Declaration, Whitespace, Name.Function)),
            (
                rf"(:)(\s*)({'|'.join(TYPES)})\b",
                bygroups(Punctuation, Whitespace, Keyword.Type),
            ),
            (words(keywords(), r"\b", r"\b"), Keyword),
            (words(constants(), r"\b", r"\b"), Keyword.Constant),
            (words(REDUCTIONS, r"\b", r"\b(?=\s*\[)"), Name.Builtin),
            (rf"{_NAME}(?=\s*\()", Name.Builtin),
            (_NAME, Name),
            (r"([0-9]+\.[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+", Number.Float),
            (r"[0-9]+", Number.Integer),
            (r"->|==|!=|<=|>=|<<|>>|//|[-+*/%^&|~<>=?:]", Operator),
            (r"[\[\](){},;]", Punctuation),
        ]
    }
