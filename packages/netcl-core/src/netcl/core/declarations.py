"""The built-in functions that a program names, declared; PoCL reads the declarations of all 1,200 otherwise.

PoCL 3 puts Clang's opencl-c.h, 18,000 lines, before every program, which takes three quarters of the time of a
build (docs/decisions/0008). The guard of that header, defined as an option, keeps it out; what it would have said of
the names in the source is put before the source instead: the same lines, of the same file.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

from netcl.core.bounded import remembered

# Keeps the header out.
OPTION = "-D_OPENCL_H_"

_IN_WHEEL = Path(".libs/share/pocl/include/opencl-c.h")
_OF_DEBIAN = Path("/usr/share/pocl/include/opencl-c.h")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
# A line for the preprocessor, or all up to the semicolon of a declaration.
_PIECE = re.compile(r"^[ \t]*#(?P<directive>[^\n]*)\n|(?P<declaration>[^;#]+;)", re.MULTILINE)
_NAME = re.compile(r"(\w+)\s*\([^()]*\)\s*;\Z")
_WORD = re.compile(r"[A-Za-z_]\w*")
# The name for what every program needs.
_ALWAYS = ""


def declared(source: str, platform_version: str) -> str | None:
    """The source after the declarations it needs, its lines numbered as before; None where the driver has no such
    header. A program that needs anything else of the header does not compile.
    """
    pieces = _pieces(_header(platform_version))
    if not pieces:
        return None
    used = pieces.keys() & {_ALWAYS, *_WORD.findall(source)}
    needed = sorted(piece for name in used for piece in pieces[name])
    return "\n".join([*(text for _, text in needed), "#line 1", source])


def _header(platform_version: str) -> Path | None:
    """Where the driver that says this of its platform has the header, as far as that is known."""
    if " PoCL 3.1+debian " in platform_version:
        return _OF_DEBIAN
    package = find_spec("pocl_binary_distribution") if " PoCL 3.0" in platform_version else None
    return Path(package.origin).parent / _IN_WHEEL if package is not None and package.origin is not None else None


@remembered("declarations of headers", 4)
def _pieces(header: Path | None) -> dict[str, list[tuple[int, str]]]:
    """What the header declares, by the names of its functions, and what is always kept; each with its place in it."""
    try:
        text = "" if header is None else header.read_text("utf-8")
    except OSError:
        text = ""
    if not text:
        return {}
    # The option has defined the guard; the base header has been read by then.
    found: dict[str, list[tuple[int, str]]] = {_ALWAYS: [(-1, "#undef _OPENCL_H_")]}
    for place, match in enumerate(_PIECE.finditer(_COMMENT.sub("", text).replace("\\\n", " "))):
        directive, declaration = match.groups()
        if directive is None:
            name = _NAME.search(declaration)
            found.setdefault(name[1] if name else _ALWAYS, []).append((place, declaration.strip()))
        elif not directive.startswith("include"):
            found[_ALWAYS].append((place, f"#{directive}"))
    return found
