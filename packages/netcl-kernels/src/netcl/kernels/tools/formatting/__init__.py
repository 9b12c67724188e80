"""`netcl ops fmt`: one layout for .netcl texts. Words, comments and docstrings stay; spaces and line ends change.

    words     a text as a tree of words, each with the comments before it
    pieces    a heading or an expression as words, with the places where a line may break
    lines     chooses the breaks, so that lines have at most 120 characters
    layout    declarations and statements, one below the other

The parser's tree says where a word stands, so a new construct of the grammar is laid out without a rule of its own.
"""

from __future__ import annotations

from netcl.kernels.tools.formatting.layout import laid_out as formatted

__all__ = ["formatted"]
