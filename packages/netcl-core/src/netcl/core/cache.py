"""The program cache on disk: binaries of built programs, one file each, in a private folder.

A file is used only when this user owns it, nobody else can write it, and the digest of its key and content is right;
anything else is ignored and built again. Files are written beside and renamed, so that readers and writers never meet.
Not here: what goes into a key, and when a program is worth saving (see `program`).
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from netcl.core import settings
from netcl.core.errors import DeviceError
from netcl.core.log import logger

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

log = logger("cache")

_MAGIC = b"netcl program 2\n"
_SUFFIX = ".program"
_PROCESS = "netcl-process-"
POCL_DIR = "POCL_CACHE_DIR"
_LOCK = "lock"
_MEMORY = Path("/dev/shm")  # files in memory, on Linux
_ROOM = 1 << 30  # bytes: 10,000 programs have 600 MB
_KERNEL = 1 << 18  # bytes: what PoCL writes for a kernel is less, in all its files
_UNUSED_DAYS = 60  # files that nobody loaded for so long are deleted

_NOT_OF_USERS = ("netcl", "importlib", "functools")

_told: list[str] = []  # why programs are not kept, or not used, once that has been said
_temporary: list[tuple[int, Path]] = []  # process and folder
_locks: list[int] = []  # open for as long as the process lives

_HOUR = 3600


@cache
def folder() -> Path:
    """The private folder of this process: NETCL_CACHE_DIR, the user's cache folder, or else a temporary one."""
    chosen = settings.CACHE_DIR.read()
    path = Path(chosen).expanduser() if chosen else _default_folder()
    problem = _prepare(path)
    if problem is None:
        return path
    try:
        temporary = Path(tempfile.mkdtemp(prefix="netcl-"))
    except OSError as error:
        raise DeviceError(
            f"there is no folder for compiled programs: {path} is not used, since {problem}, and {error.strerror}; "
            "set NETCL_CACHE_DIR to a private folder that can be written"
        ) from error
    _temporary.append((os.getpid(), temporary))
    _warn(
        f"cache folder {path} is not used: {problem}. Compiled programs of this process go to {temporary}, and each "
        "process compiles them anew; set NETCL_CACHE_DIR to a private folder that can be written"
    )
    return temporary


def _warn(message: str) -> None:
    """Warn at the line of the user that led here, rather than at one of netcl."""
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _NOT_OF_USERS:
        frame = frame.f_back
    warnings.warn_explicit(message, RuntimeWarning, frame.f_code.co_filename, frame.f_lineno)


def remove_temporary() -> None:
    """Delete the temporary folder, if this process made one; called when it leaves."""
    for owner, path in _temporary:
        if owner == os.getpid():
            shutil.rmtree(path, ignore_errors=True)


@cache
def pocl_folder() -> Path:
    """Where PoCL keeps its own files: a folder of this process alone, since it executes what it finds there.

    In memory, where that can be: PoCL waits for the disk after each file that it writes, three times for a kernel.
    """
    path = next(filter(None, map(_own_folder, _parents())), None)
    if path is None:
        raise DeviceError(
            "there is no folder that PoCL can write its files to and execute them from; set NETCL_CACHE_DIR to a "
            "private one that can be written and is not mounted `noexec`"
        )
    _temporary.append((os.getpid(), path))
    _hold(path)
    return path


def keep_pocl_folder() -> None:
    """Make PoCL's folder again where somebody deleted it, as cleaners of temporary files do."""
    path = _used_by_pocl()
    if path.exists():
        return
    try:
        path.mkdir(mode=0o700, parents=True)
    except OSError as error:
        raise _unwritable(path, error) from error
    log.info("the folder of PoCL's files %s was gone and is made again", path)
    if is_of_a_process(str(path)):
        _hold(path)


def require_room() -> None:
    """Raise DeviceError when PoCL could not write a kernel: it blames the program then, or aborts the process."""
    path = _used_by_pocl()
    try:
        with tempfile.TemporaryFile(dir=path) as file:
            file.write(bytes(_KERNEL))
    except OSError as error:
        raise _unwritable(path, error) from error


def _used_by_pocl() -> Path:
    """The folder that PoCL was told of, whatever has become of the environment since."""
    return Path(os.environ.get(POCL_DIR) or pocl_folder())


def perhaps_damaged() -> str:
    """What a message ends with that is about a program of PoCL's: in a folder that other processes wrote to, it does
    not see whether a file is damaged."""
    path = _used_by_pocl()
    if is_of_a_process(str(path)):
        return ""
    return f"; if its source has that kernel, what PoCL keeps in {path} ({POCL_DIR}) is damaged: delete that folder"


def _unwritable(path: Path, error: OSError) -> DeviceError:
    return DeviceError(
        f"PoCL cannot write the kernels that it compiles to {path}: {error.strerror}; make room there, or set "
        f"{POCL_DIR} to a folder that can be written before the process starts"
    )


def _parents() -> Iterator[Path]:
    """Where that folder may be, from the best to the last."""
    if _has_room(_MEMORY) and _executes(_MEMORY):
        yield _MEMORY
    if _executes(folder()):
        yield folder() / "pocl"
    with suppress(OSError):  # there is none that can be written
        if _executes(temporary := Path(tempfile.gettempdir())):
            yield temporary


def _has_room(path: Path) -> bool:
    """Whether there is such a folder, with room for much."""
    try:
        about = os.statvfs(path)
    except (OSError, AttributeError):  # no such folder; not on Windows
        return False
    return about.f_bavail * about.f_frsize >= _ROOM


def _executes(path: Path) -> bool:
    """Whether what lies in a folder may be executed: PoCL aborts the process where it may not."""
    return os.name != "posix" or not os.statvfs(path).f_flag & getattr(os, "ST_NOEXEC", 0)


def _own_folder(parent: Path) -> Path | None:
    """A folder of this process alone; None where none can be made."""
    try:
        parent.mkdir(mode=0o700, exist_ok=True)
        _remove_left(parent)
        return Path(tempfile.mkdtemp(dir=parent, prefix=_PROCESS))
    except OSError as error:
        log.info("files of PoCL are not kept in %s: %s", parent, error)
        return None


def is_of_a_process(path: str) -> bool:
    """Whether it is the `pocl_folder` of some process."""
    return Path(path).name.startswith(_PROCESS)


def load(key: str) -> tuple[bytes, dict[str, Any]] | None:
    """The binary under the key and what was noted with it, or None when there is none that can be trusted."""
    if not settings.cache_enabled():
        return None
    path = folder() / (key + _SUFFIX)
    try:
        text = _read(path)
    except OSError:
        return None
    if text is None:
        _ignore(path, "another user owns it or can write it, or it is no file")
        return None
    entry = _unpack(key, text)
    if entry is None:
        _ignore(path, "it is damaged")
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
    if not path.parent.exists():  # somebody deleted it
        _prepare(path.parent)
    try:
        descriptor, temporary = tempfile.mkstemp(dir=folder(), prefix=".", suffix=".part")  # mode 0600
        try:
            with open(descriptor, "wb") as file:
                file.write(_MAGIC + _digest(key, payload) + b"\n" + payload)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        _tell_once(path.parent, error.strerror or str(error))
        return False
    _remove_unused()
    return True


def _ignore(path: Path, problem: str) -> None:
    """Say that a program is built again; once, where many files are like this one."""
    if problem not in _told:
        _told.append(problem)
        log.warning("cached program %s is ignored: %s; others like it are built again without a word", path, problem)


def _tell_once(path: Path, problem: str) -> None:
    """Say that programs are not kept; it would be the same for each of them."""
    if problem in _told:
        return
    _told.append(problem)
    log.warning(
        "compiled programs are not kept in %s (%s), and each process compiles them anew; make room there, or set "
        "NETCL_CACHE_DIR to a private folder that can be written", path, problem,
    )  # fmt: skip


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
                return "another user owns it"
            if status.st_mode & 0o022:
                return "others can write it; make it private with `chmod 700`"
        descriptor, probe = tempfile.mkstemp(dir=path, prefix=".", suffix=".probe")
        os.close(descriptor)
        os.unlink(probe)
    except OSError as error:
        return f"it cannot be written ({error.strerror})"
    return None


def _read(path: Path) -> bytes | None:
    """What a file of ours has in it; None where it is something else. Never waits for the other end of a pipe."""
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
        flags |= getattr(os, name, 0)
    descriptor = os.open(path, flags)
    try:
        if not _trusted(os.fstat(descriptor)):
            return None
        with open(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)


def _trusted(status: os.stat_result) -> bool:
    if not stat.S_ISREG(status.st_mode):
        return False
    return os.name != "posix" or (status.st_uid == os.getuid() and not status.st_mode & 0o022)


def _digest(key: str, payload: bytes) -> bytes:
    """Of the key, too: a file under the name of another one is no entry."""
    return hashlib.sha256(key.encode() + b"\n" + payload).hexdigest().encode()


def _unpack(key: str, text: bytes) -> tuple[bytes, dict[str, Any]] | None:
    start = len(_MAGIC)
    digest, payload = text[start : start + 64], text[start + 65 :]
    if not text.startswith(_MAGIC) or text[start + 64 : start + 65] != b"\n" or digest != _digest(key, payload):
        return None
    header, _, binary = payload.partition(b"\n")
    return binary, json.loads(header)


def _hold(path: Path) -> None:
    """Let other processes see that the folder is in use, for as long as this one lives."""
    if fcntl is None:
        return
    with suppress(OSError):  # a full disk, or a file system without locks
        _locks.append(os.open(path / _LOCK, os.O_RDWR | os.O_CREAT, 0o600))
        fcntl.flock(_locks[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)


def _remove_left(parent: Path) -> None:
    """Delete the folders of processes that were killed."""
    for path in parent.glob(_PROCESS + "*") if fcntl is not None else ():
        with suppress(OSError):
            if path.stat().st_mtime > time.time() - _HOUR:  # its process may not have come to lock it
                continue
            descriptor = os.open(path / _LOCK, os.O_RDWR)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(descriptor)


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
