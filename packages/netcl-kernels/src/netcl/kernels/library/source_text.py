"""What an author wrote: the text of a declaration, for help(), `netcl ops show` and the reference page."""

from __future__ import annotations

import re

from netcl.kernels.compiler.language import syntax

_NO_CODE = re.compile(r'#.*|"[^"]*"')


def declaration_text(form: syntax.Declaration) -> str:
    """The lines from `op` to the closing brace."""
    lines = form.source.text.splitlines()[form.span.line - 1 :]
    opened = closed = 0
    for at, line in enumerate(lines):
        code = _NO_CODE.sub("", line)
        opened, closed = opened + code.count("{"), closed + code.count("}")
        if closed and closed == opened:
            return "\n".join(lines[: at + 1])
    return "\n".join(lines)


def about(source: syntax.Source) -> str:
    """The comment at the head of a file, as one paragraph."""
    found = []
    for line in source.text.splitlines():
        if not line.startswith("#"):
            break
        found.append(line.lstrip("# "))
    return " ".join(found)
