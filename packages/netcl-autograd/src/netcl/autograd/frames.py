"""Which line of the user's code is running: for anomaly mode and for messages about in-place writes.

Frames of netcl itself are left out. Looking at frames costs microseconds, so recording an op never does it.
"""

from __future__ import annotations

import os
import sys
import traceback

_PARTS = tuple(os.path.join("netcl", name, "") for name in ("autograd", "kernels", "core"))


def user_line() -> str:
    """Return "file:line" of the innermost frame that is not netcl's."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def user_stack() -> list[str]:
    """Return the stack as lines of text, outermost first, ending with the user's line."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return traceback.format_list(traceback.extract_stack(frame))


def _is_ours(filename: str) -> bool:
    return any(part in filename for part in _PARTS) and f"{os.sep}tests{os.sep}" not in filename
