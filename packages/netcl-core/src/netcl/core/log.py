"""What netcl says while it works, through Python's `logging`: the loggers below `netcl`, such as `netcl.program`.

`debug`: a program was built or loaded, memory came from the driver. `info`: something goes another way than usual.
`warning`: something is wrong and was worked around. Unless NETCL_LOG is set, netcl adds no handler and sets no level,
as becomes a library.
"""

from __future__ import annotations

import logging
from functools import cache

from netcl.core import settings
from netcl.core.errors import NetclError

_LEVELS = {
    "none": logging.CRITICAL + 1,
    "error": logging.ERROR,
    "warning": logging.WARNING,
    "info": logging.INFO,
    "debug": logging.DEBUG,
}


def logger(part: str) -> logging.Logger:
    """The logger of a part of netcl."""
    _follow_setting()
    return logging.getLogger(f"netcl.{part}")


@cache
def _follow_setting() -> None:
    """Print what is logged from the level in NETCL_LOG on, if it is set."""
    level = settings.LOG.read()
    if level is None:
        return
    if level.lower() not in _LEVELS:
        raise NetclError(f"NETCL_LOG: {level!r} is no level; write one of {', '.join(_LEVELS)}")
    top = logging.getLogger("netcl")
    top.setLevel(_LEVELS[level.lower()])
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(name)s: %(levelname)s: %(message)s"))
    top.addHandler(handler)
