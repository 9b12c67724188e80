"""Every environment variable that netcl reads, each in one place with its meaning.

Values are read when they are needed, not at import. Nothing here acts on a value.
"""

from __future__ import annotations

import difflib
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
_MOST_THREADS = 1024
"""With some tens of thousands PoCL ends the process."""

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
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", text.lower())
    if match is None:
        raise NetclError(f"NETCL_MEMORY_LIMIT: {text!r} is not an amount of memory; write such as 512MiB or 2GiB")
    return int(float(match[1]) * _UNITS[match[2]])


def pocl_threads() -> str | None:
    """What the environment asks PoCL itself for, which ends the process where that is no number of threads."""
    text = os.environ.get(POCL_THREADS)
    if text is not None and not (text.isdigit() and 0 < int(text) <= _MOST_THREADS):
        numbers = f"from 1 to {_MOST_THREADS}"
        raise NetclError(f"{POCL_THREADS}: {text!r} is not a number {numbers}; unset it or write such as 4")
    return text


def _count(setting: Setting, such_as: int, most: int | None = None) -> int | None:
    text = setting.read()
    if text is None:
        return None
    if not text.isdigit() or int(text) == 0:
        raise NetclError(
            f"{setting.name}: {text!r} is not a positive whole number; unset it or write such as {such_as}"
        )
    if most is not None and int(text) > most:
        raise NetclError(f"{setting.name}: {text} is more than {most}; unset it or write such as {such_as}")
    return int(text)
