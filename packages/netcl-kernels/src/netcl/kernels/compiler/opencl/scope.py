"""The scopes of a kernel as lines of OpenCL C."""

from __future__ import annotations

from collections.abc import Iterable

from netcl.kernels.compiler.lower import scope
from netcl.kernels.compiler.opencl.types import Value

Lines = list["str | Lines"]


class Scope(scope.Scope[str, Value]):
    """Lines, in which indices have names. `lanes` is more than 1 where its index stands for several values."""

    def __init__(self, parent: Scope | None = None, binds: Iterable[tuple[str, str]] = (), lanes: int = 1) -> None:
        super().__init__(parent, dict(binds))
        self.lanes = lanes
        self.lines: Lines = []

    def close(self, header: str, *footer: str) -> Lines:
        """This scope's statements as a block, to be put into the parent."""
        return [header + " {", self.lines, "}", *footer]


def text_of(lines: Lines, depth: int = 1) -> str:
    """Statements with their indentation."""
    parts = []
    for line in lines:
        parts.append(text_of(line, depth + 1) if isinstance(line, list) else "    " * depth + line + "\n")
    return "".join(parts)
