"""Every environment variable that netcl reads, each in one place with its meaning.

Values are read when they are needed, not at import. Nothing here acts on a value.
"""

from __future__ import annotations

import difflib
import math
import os
import re
from dataclasses import dataclass

from netcl.core.errors import NetclError


@dataclass(frozen=True)
class Setting:
    """One environment variable: its name, what happens when it is unset, and what it means."""

    name: str
    default: str
    meaning: str

    def read(self) -> str | None:
        """The value, stripped, or None when the variable is unset or empty."""
        return os.environ.get(self.name, "").strip() or None


DEVICE = Setting(
    "NETCL_DEVICE",
    "a GPU if there is one, else a CPU",
    "`cpu`, `gpu`, an index such as `0:1`, or part of the name of a platform or device",
)
TARGET = Setting(
    "NETCL_TARGET",
    "what the device is",
    "generate code for another kind of device, to try it: `cpu`, `gpu`, `nvidia`, …",
)
CACHE_DIR = Setting("NETCL_CACHE_DIR", "the user's cache folder", "folder for compiled programs; must be private")
CACHE = Setting("NETCL_CACHE", "1", "`0` keeps compiled programs in memory only")
THREADS = Setting("NETCL_THREADS", "the cores that this process may use", "number of threads of a PoCL device")
MEMORY_LIMIT = Setting(
    "NETCL_MEMORY_LIMIT", "the memory of the device", "most device memory of one queue, such as `512MiB` or `2GiB`"
)
VERIFY = Setting(
    "NETCL_VERIFY",
    "0",
    "`1` verifies every plan before its first launch: nothing is read before it is written, or outside of its tensor",
)
REMEMBER = Setting(
    "NETCL_REMEMBER", "4096", "how many calls of ops, and how many launch plans, are remembered; the rest is made anew"
)
POISON = Setting(
    "NETCL_POISON", "0", "`1` fills memory that is handed out unwritten with NaN and odd numbers, to find who reads it"
)
LOG = Setting(
    "NETCL_LOG", "Python's `logging` decides", "print what netcl logs: `debug`, `info`, `warning`, `error` or `none`"
)

POCL_THREADS = "POCL_MAX_PTHREAD_COUNT"
_POCL_FEWEST_THREADS = "POCL_PTHREAD_MIN_THREADS"
_POCL_WORK_GROUP = "POCL_MAX_WORK_GROUP_SIZE"
_MOST_THREADS = 1024
"""With some tens of thousands PoCL ends the process."""
_FEWEST_ITEMS = 8
"""PoCL chooses multiples of 8 where a launch leaves the local size to it: 0 where the most is less."""
_MOST_ITEMS = 2**31 - 1
_LARGEST = 10**18 - 1
_MOST_SHOWN = 40

ALL = (DEVICE, TARGET, CACHE_DIR, CACHE, THREADS, MEMORY_LIMIT, VERIFY, REMEMBER, POISON, LOG)

_PREFIX = "NETCL_"
_ON = frozenset({"1", "true", "yes", "on"})
_OFF = frozenset({"0", "false", "no", "off"})
_UNITS = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def unknown() -> dict[str, str | None]:
    """The variables of the environment that are named as settings are and are none, with the setting that each may have
    been meant to be."""
    found: dict[str, str | None] = {}
    short = {setting.name.removeprefix(_PREFIX): setting.name for setting in ALL}
    for name in sorted(os.environ):
        if name.startswith(_PREFIX) and name not in short.values():
            near = difflib.get_close_matches(name.removeprefix(_PREFIX), short, n=1)
            found[name] = short[near[0]] if near else None
    return found


def unclear() -> dict[str, str]:
    """The settings that are on or off and have a value that says neither, which counts as on."""
    given = {setting.name: setting.read() or "0" for setting in (CACHE, VERIFY, POISON)}
    return {name: value for name, value in given.items() if value.lower() not in _ON | _OFF}


def cache_enabled() -> bool:
    """Whether compiled programs are kept on disk."""
    return _is_on(CACHE.read() or "1")


def verifies() -> bool:
    """Whether plans are verified before they are launched."""
    return _is_on(VERIFY.read() or "0")


def poisons_memory() -> bool:
    """Whether memory is filled with what no result can be mistaken for before it is handed out."""
    return _is_on(POISON.read() or "0")


def _is_on(text: str) -> bool:
    return text.lower() not in _OFF


def threads() -> int | None:
    """The number of threads that was asked for, or None."""
    return _count(THREADS, 4, _MOST_THREADS)


def remembered() -> int:
    """The most entries that memos of calls and of plans have."""
    return _count(REMEMBER, 4096) or 4096


def memory_limit() -> int | None:
    """The limit in bytes that was asked for, or None."""
    text = MEMORY_LIMIT.read()
    if text is None:
        return None
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)(?:i?b)?", text.lower())
    amount = float(match[1]) * _UNITS[match[2]] if match else math.inf
    if amount == math.inf:
        raise NetclError(
            f"{MEMORY_LIMIT.name}: {_shown(text)} is not an amount of memory; write such as 512MiB or 2GiB"
        )
    return int(amount)


def pocl_threads() -> int | None:
    """The number of threads that the environment asks PoCL itself for, or None. Raises NetclError for a number with
    which PoCL ends the process."""
    return _number(POCL_THREADS, 1, _MOST_THREADS, 4)


def pocl_fewest_threads() -> int:
    """How many threads PoCL was told to have at least. Raises NetclError as `pocl_threads` does."""
    return _number(_POCL_FEWEST_THREADS, 0, _MOST_THREADS, 1) or 1


def require_pocl_work_groups() -> None:
    """Raise NetclError where the environment has PoCL make work-groups that are too small for it: it then leaves out
    work-items of a launch without a local size."""
    _number(_POCL_WORK_GROUP, _FEWEST_ITEMS, _MOST_ITEMS, 4096)


def _count(setting: Setting, such_as: int, most: int | None = None) -> int | None:
    text = setting.read()
    if text is None:
        return None
    number = _read_number(text)
    if number == 0:
        raise NetclError(
            f"{setting.name}: {_shown(text)} is not a positive whole number; unset it or write such as {such_as}"
        )
    if number > (most or _LARGEST):
        raise NetclError(
            f"{setting.name}: {_shown(text)} is more than {most or _LARGEST}; unset it or write such as {such_as}"
        )
    return number


def _number(name: str, least: int, most: int, such_as: int) -> int | None:
    """The number that a variable of PoCL has, which takes a text that is none for 0; None where it is unset."""
    text = os.environ.get(name)
    if text is None:
        return None
    number = _read_number(text)
    if not least <= number <= most or (number == 0 and text.strip("0")):
        raise NetclError(
            f"{name}: {_shown(text)} is not a number from {least} to {most}; unset it or write such as {such_as}"
        )
    return number


def _read_number(text: str) -> int:
    """A whole number in plain digits; 0 where it is none, and more than `_LARGEST` where it has too many digits."""
    if not (text.isascii() and text.isdecimal()):
        return 0
    digits = text.lstrip("0") or "0"
    return int(digits) if len(digits) <= len(str(_LARGEST)) else _LARGEST + 1


def _shown(text: str) -> str:
    """A value in a message, of which a long one has its beginning there."""
    return repr(text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…")
