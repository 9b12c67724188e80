"""The program cache on disk: binaries of built programs, one file each, in a private folder.

A file is used only when this user owns it, nobody else can write it, and its digest is right; anything else is
ignored and built again. Files are written beside and renamed, so that readers and writers never meet. Not here:
what goes into a key, and when a program is worth saving (see `program`).
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import tempfile
import time
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from netcl.core import settings
from netcl.core.log import logger

log = logger("cache")

_MAGIC = b"netcl program 1\n"
_SUFFIX = ".program"
_UNUSED_DAYS = 60  # files that nobody loaded for so long are deleted

_FOREIGN = "another user owns it"
_OPEN = "others can write it; make it private with `chmod 700`"

_temporary: list[tuple[int, Path]] = []  # process and folder


@cache
def folder() -> Path:
    """The private folder of this process: NETCL_CACHE_DIR, the user's cache folder, or else a temporary one."""
    chosen = settings.CACHE_DIR.read()
    path = Path(chosen).expanduser() if chosen else _default_folder()
    problem = _prepare(path)
    if problem is None:
        return path
    temporary = Path(tempfile.mkdtemp(prefix="netcl-"))
    _temporary.append((os.getpid(), temporary))
    message = f"cache folder {path} is not used: {problem}. Compiled programs of this process go to {temporary}"
    if chosen or problem in (_FOREIGN, _OPEN):
        warnings.warn(message, RuntimeWarning, stacklevel=2)
    else:
        log.info(message)
    return temporary


def remove_temporary() -> None:
    """Delete the temporary folder, if this process made one; called when it leaves."""
    for owner, path in _temporary:
        if owner == os.getpid():
            shutil.rmtree(path, ignore_errors=True)


def pocl_folder() -> Path:
    """Where PoCL keeps its own intermediate files."""
    path = folder() / "pocl"
    path.mkdir(mode=0o700, exist_ok=True)
    return path


def load(key: str) -> tuple[bytes, dict[str, Any]] | None:
    """The binary under the key and what was noted with it, or None when there is none that can be trusted."""
    if not settings.cache_enabled():
        return None
    path = folder() / (key + _SUFFIX)
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    except OSError:
        return None
    with open(descriptor, "rb") as file:
        if not _trusted(os.fstat(descriptor)):
            log.warning("cached program %s is ignored: another user owns it or can write it", path)
            return None
        text = file.read()
    entry = _unpack(text)
    if entry is None:
        log.warning("cached program %s is ignored: it is damaged", path)
        return None
    with suppress(OSError):  # the time of use; what nobody uses is deleted one day
        os.utime(path)
    return entry


def save(key: str, binary: bytes, notes: dict[str, Any]) -> bool:
    """Keep a binary and what belongs to it under the key; a full or read-only disk costs nothing but the cache."""
    if not settings.cache_enabled():
        return False
    path = folder() / (key + _SUFFIX)
    header = json.dumps(notes, sort_keys=True).encode() + b"\n"
    payload = header + binary
    try:
        descriptor, temporary = tempfile.mkstemp(dir=folder(), prefix=".", suffix=".part")  # mode 0600
        try:
            with open(descriptor, "wb") as file:
                file.write(_MAGIC + hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        log.warning("program is not cached in %s: %s", path, error)
        return False
    _remove_unused()
    return True


def entries() -> list[Path]:
    """The files of the cache."""
    return sorted(folder().glob("*" + _SUFFIX))


def key_of(*parts: str) -> str:
    """A file name for everything that a binary depends on."""
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")  # a path may have bytes that are no text
        digest.update(b"%d:" % len(encoded) + encoded)
    return digest.hexdigest()[:40]


def _default_folder() -> Path:
    import platformdirs

    return Path(platformdirs.user_cache_dir("netcl", appauthor=False))


def _prepare(path: Path) -> str | None:
    """Make the folder if need be; the reason why it cannot be used, or None."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode):
            status = os.stat(path)
        if not stat.S_ISDIR(status.st_mode):
            return "it is not a folder"
        if os.name == "posix":
            if status.st_uid != os.getuid():
                return _FOREIGN
            if status.st_mode & 0o022:
                return _OPEN
        descriptor, probe = tempfile.mkstemp(dir=path, prefix=".", suffix=".probe")
        os.close(descriptor)
        os.unlink(probe)
    except OSError as error:
        return f"it cannot be written ({error.strerror})"
    return None


def _trusted(status: os.stat_result) -> bool:
    if not stat.S_ISREG(status.st_mode):
        return False
    return os.name != "posix" or (status.st_uid == os.getuid() and not status.st_mode & 0o022)


def _unpack(text: bytes) -> tuple[bytes, dict[str, Any]] | None:
    start = len(_MAGIC)
    digest, payload = text[start : start + 64], text[start + 65 :]
    if not text.startswith(_MAGIC) or hashlib.sha256(payload).hexdigest().encode() != digest:
        return None
    header, _, binary = payload.partition(b"\n")
    return binary, json.loads(header)


@cache
def _remove_unused() -> None:
    """Delete what nobody used for a long time; once per process, when it saves something."""
    oldest = time.time() - _UNUSED_DAYS * 86400
    for path in entries():
        try:
            if path.stat().st_mtime < oldest:
                path.unlink()
        except OSError:
            continue
