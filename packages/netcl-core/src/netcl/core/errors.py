"""The errors that netcl raises: one family, each also the builtin error that a Python user would catch.

A message names the thing, the place and the next step. Nothing here knows how an error comes about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

Handler = Callable[[str, str], object]

_handlers: list[Handler] = []  # the current one, if there is one


class NetclError(Exception):
    """Base of every error that netcl raises on purpose. `code` is a word for programs."""

    code = "error"

    def __init__(self, message: str = "") -> None:
        super().__init__(message)
        for handler in _handlers:
            try:
                handler(self.code, message)
            except Exception:  # the error itself must reach its caller whatever a handler does
                import logging

                logging.getLogger("netcl").exception("the error handler failed on a %s error", self.code)


class ShapeError(NetclError, ValueError):
    """Shapes or axes that do not fit together."""

    code = "shape"


class DtypeError(NetclError, TypeError):
    """A dtype that is unknown, unsupported by the device, or does not fit the others."""

    code = "dtype"


class DeviceError(NetclError, RuntimeError):
    """A device, driver or kernel build that fails.

    When a kernel did not compile, `build_log` and `source` are set, and `line` and `complaint` where the log names a
    line of the source.
    """

    code = "device"

    def __init__(
        self,
        message: str,
        *,
        build_log: str | None = None,
        source: str | None = None,
        line: int | None = None,
        complaint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.build_log = build_log
        self.source = source
        self.line = line
        self.complaint = complaint


class OutOfMemoryError(NetclError, MemoryError):
    """The device has no room for an allocation; raised at the allocation, and the process stays usable."""

    code = "out_of_memory"


class FreedError(NetclError, RuntimeError):
    """A tensor is used whose memory an arena has taken away."""

    code = "freed"


class GraphError(NetclError, RuntimeError):
    """A graph that cannot be differentiated as asked: released, changed in place, or foreign."""

    code = "graph"


class IndexOutOfRangeError(NetclError, IndexError):
    """An index outside of the axis that it points into.

    Of a declared op, `operand` is the name of what is read and `position` the text of a position computed in the
    declaration; empty where there are none.
    """

    code = "index"

    def __init__(self, message: str = "", *, operand: str = "", position: str = "") -> None:
        super().__init__(message)
        self.operand = operand
        self.position = position


class KernelLanguageError(NetclError, ValueError):
    """A mistake in a kernel-language text, at a line and column (both from 1) of a file or of a string.

    When a text has several, one error tells of all; `mistakes` has each on its own, in the order of their places.
    """

    code = "language"

    def __init__(
        self, message: str, *, file: str | None = None, line: int | None = None, column: int | None = None
    ) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.column = column
        self.mistakes: tuple[KernelLanguageError, ...] = (self,)

    @classmethod
    def of(cls, mistakes: Iterable[KernelLanguageError]) -> KernelLanguageError:
        """One error for all of these, each told once."""
        every = {str(each): each for error in mistakes for each in error.mistakes}
        found = sorted(every.values(), key=lambda each: (each.file or "", each.line or 0, each.column or 0))
        if len(found) == 1:
            return found[0]
        first = found[0]
        text = "\n".join([*map(str, found), f"{len(found)} mistakes"])
        error = cls(text, file=first.file, line=first.line, column=first.column)
        error.mistakes = tuple(found)
        return error


def set_error_handler(handler: Handler | None) -> Handler | None:
    """Call `handler(code, message)` for each NetclError when it is made, before it is raised; None for none.

    It is one for the process, and returns the handler that there was. An exception of the handler is logged.
    """
    if handler is not None and not callable(handler):
        raise TypeError(f"set_error_handler: handler must be a function or None, but it is {handler!r}")
    before = _handlers[0] if _handlers else None
    _handlers[:] = [] if handler is None else [handler]
    return before
