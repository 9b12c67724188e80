"""The command `netcl`: `netcl doctor` lives here, other commands come from the entry-point group `netcl.commands`.

A command is a callable that takes the arguments after its name and returns an exit code.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import EntryPoint, entry_points
from io import TextIOWrapper

import netcl.core.alone  # noqa: F401
from netcl.core.errors import NetclError
from netcl.core.installed import loaded
from netcl.core.version import __version__

Command = Callable[[Sequence[str]], int]

GROUP = "netcl.commands"
_DOCTOR = "what netcl finds on this machine, and whether it works"
_ELSEWHERE = dict.fromkeys(("ops", "tune"), "netcl-kernels")
"""Commands of the other packages of netcl, for who asks for them without."""
_NOBODY_READS = 128 + 13
"""The exit code of a process that SIGPIPE ended, which is what a shell expects of `netcl ops list | head`."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; 2 when there is none, or no such command, 1 when it ends in an error of netcl or of a file.

    Where the reader of a pipe has gone away, whatever the command, it ends quietly with the code of SIGPIPE.
    Characters that the output cannot show are replaced.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")
    try:
        try:
            return _run(list(sys.argv[1:] if argv is None else argv))
        finally:
            if sys.stdout is not None:  # as where it was closed
                sys.stdout.flush()
    except BrokenPipeError:
        _write_nowhere()
        return _NOBODY_READS
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        print(f"netcl: {error.strerror or error}{where}", file=sys.stderr)
        if error.filename is None:  # that of the output
            _write_nowhere()
        return 1


def _write_nowhere() -> None:
    """What is still buffered is flushed at exit: to nowhere, or Python would complain once more."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: list[str]) -> int:
    if not arguments:
        print(f"netcl: say which command\n{_usage()}", file=sys.stderr)
        return 2
    if arguments[0] in ("-h", "--help", "help"):
        print(_usage())
        return 0
    if arguments[0] in ("-V", "--version"):
        print(f"netcl {__version__}")
        return 0
    name, *rest = arguments
    try:
        if name == "doctor":
            from netcl.core import doctor

            return doctor.main(rest)
        installed = _installed()
        if name in installed:
            command: Command = loaded(installed[name])
            return command(rest)
    except NetclError as error:
        print(f"netcl {name}: {error}", file=sys.stderr)
        return 1
    if name in _ELSEWHERE:
        print(f"netcl {name}: the command comes with {_ELSEWHERE[name]}, which is not installed", file=sys.stderr)
        return 2
    print(f"netcl: there is no command {name!r}\n{_usage()}", file=sys.stderr)
    return 2


def _installed() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def _usage() -> str:
    lines = ["usage: netcl COMMAND …", "", "commands:", f"  {'doctor':12} {_DOCTOR}"]
    for name, point in sorted(_installed().items()):
        package = point.dist.name if point.dist is not None else point.value
        lines.append(f"  {name:12} from {package}; `netcl {name} --help` says more")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
