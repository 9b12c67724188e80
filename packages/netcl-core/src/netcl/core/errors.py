"""The errors that netcl raises: one family, each also the builtin error that a Python user would catch.

A message names the thing, the place and the next step. Nothing here knows how an error comes about.
"""

from __future__ import annotations


class NetclError(Exception):
    """Base of every error that netcl raises on purpose."""


class ShapeError(NetclError, ValueError):
    """Shapes or axes that do not fit together."""


class DtypeError(NetclError, TypeError):
    """A dtype that is unknown, unsupported by the device, or does not fit the others."""


class DeviceError(NetclError, RuntimeError):
    """A device, driver or kernel build that fails. `build_log` and `source` are set when a kernel did not compile."""

    def __init__(self, message: str, *, build_log: str | None = None, source: str | None = None) -> None:
        super().__init__(message)
        self.build_log = build_log
        self.source = source


class OutOfMemoryError(NetclError, MemoryError):
    """The device has no room for an allocation; raised at the allocation, and the process stays usable."""


class GraphError(NetclError, RuntimeError):
    """A graph that cannot be differentiated as asked: released, changed in place, or foreign."""


class IndexOutOfRangeError(NetclError, IndexError):
    """An index outside of the axis that it points into."""


class KernelLanguageError(NetclError, ValueError):
    """A mistake in a kernel-language text, at a line and column (both from 1) of a file or of a string."""

    def __init__(
        self, message: str, *, file: str | None = None, line: int | None = None, column: int | None = None
    ) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.column = column
