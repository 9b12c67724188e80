"""The built-in functions that a program names, declared; PoCL 3.0 reads the declarations of all 1,200 otherwise.

PoCL 3.0 puts Clang's opencl-c.h, 18,000 lines, before every program, which takes three quarters of the time of a
build (docs/decisions/0008). The guard of that header, defined as an option, keeps it out; what it would have said of
the names in the source is put before the source instead: the same lines, of the same file.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

# Keeps the header out.
OPTION = "-D_OPENCL_H_"

_HEADER = Path(".libs/share/pocl/include/opencl-c.h")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
# A line for the preprocessor, or all up to the semicolon of a declaration.
_PIECE = re.compile(r"^[ \t]*#(?P<directive>[^\n]*)\n|(?P<declaration>[^;#]+;)", re.MULTILINE)
_NAME = re.compile(r"(\w+)\s*\([^()]*\)\s*;\Z")
_WORD = re.compile(r"[A-Za-z_]\w*")


def declared(source: str, platform_version: str) -> str | None:
    """The source after the declarations it needs, its lines numbered as before; None where the driver has no such
    header. A program that needs anything else of the header does not compile.
    """
    if " PoCL 3.0" not in platform_version:
        return None
    pieces = _pieces()
    if not pieces:
        return None
    used = set(_WORD.findall(source))
    needed = "\n".join(text for name, text in pieces if name is None or name in used)
    return f"{needed}\n#line 1\n{source}"


@cache
def _pieces() -> list[tuple[str | None, str]]:
    """The header in order: the declarations of functions with their names, and what is always kept, with None."""
    package = find_spec("pocl_binary_distribution")
    if package is None or package.origin is None:
        return []
    try:
        text = Path(package.origin).with_name(_HEADER.parts[0]).joinpath(*_HEADER.parts[1:]).read_text("utf-8")
    except OSError:
        return []
    # The option has defined the guard; the base header has been read by then.
    found: list[tuple[str | None, str]] = [(None, "#undef _OPENCL_H_")]
    for match in _PIECE.finditer(_COMMENT.sub("", text).replace("\\\n", " ")):
        directive, declaration = match.groups()
        if directive is None:
            name = _NAME.search(declaration)
            found.append((name and name[1], declaration.strip()))
        elif not directive.startswith("include"):
            found.append((None, f"#{directive}"))
    return found
