"""Which line of the user's code is running: for anomaly mode and for messages about in-place writes.

Frames of netcl itself are left out. Looking at frames costs microseconds, so recording an op never does it; turning
them into text reads files, so anomaly mode does it only for what is reported.
"""

from __future__ import annotations

import os
import sys
import traceback
from types import FrameType

from netcl.core.bounded import remembered

_PARTS = tuple(os.path.join("netcl", name, "") for name in ("autograd", "kernels", "core"))


def user_line() -> str:
    """Return "file:line" of the innermost frame that is not netcl's."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


Stack = list[tuple[str, int, str]]
"""File, line and function of each frame, innermost first."""


def user_stack() -> Stack:
    """Return the stack from the user's line outwards."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_back is not None and _is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    stack = []
    while frame is not None:
        stack.append((frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
        frame = frame.f_back
    return stack


def as_text(stack: Stack) -> list[str]:
    """Return a stack as lines of text as in a traceback: outermost first, the user's line last."""
    return traceback.format_list([traceback.FrameSummary(*frame) for frame in reversed(stack)])


@remembered("files", 4096)
def _is_ours(filename: str) -> bool:
    return any(part in filename for part in _PARTS) and f"{os.sep}tests{os.sep}" not in filename
