"""The programs of this folder's neighbours side by side: `python benchmarks/peers/compare.py netcl torch`.

Each library runs each program in a process of its own, and the libraries take turns, so that a machine whose speed
drifts is the same to all of them. Prints a table of medians in milliseconds; with `--write` it becomes a page of the
documentation with a picture. A library is a module `with_NAME.py` in this folder; install those that you name. A
program that a library does not have is a dash. `NAME_jit` is NAME as one function under `ag.jit`.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LIBRARIES = sorted(path.stem.removeprefix("with_") for path in HERE.glob("with_*.py"))
JIT = "_jit"

Row = dict[str, float]
"""The milliseconds of a program, by library; those of netcl under jit are of "netcl jit"."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("libraries", nargs="+", choices=LIBRARIES)
    parser.add_argument("--programs", nargs="+", metavar="NAME", help="default: all that the first library has")
    parser.add_argument("--rounds", type=int, default=3, help="turns that each library takes (default: 3)")
    parser.add_argument("--seconds", type=float, default=2.0, help="time of one turn (default: 2)")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write speed.md and speed.svg there")
    options = parser.parse_args()
    known = {library: json.loads(in_a_process("names", library)) for library in options.libraries}
    programs = options.programs or known[options.libraries[0]]
    columns = [*options.libraries]
    if any(program.endswith(JIT) for program in programs):
        columns.insert(1, "netcl jit")
    rows: dict[str, Row] = {}
    print("\n".join(heading(columns)))
    for program in (each for each in programs if not each.endswith(JIT) or each.removesuffix(JIT) not in programs):
        rows[program] = measured(program, known, options.rounds, options.seconds)
        print(line(program, rows[program], columns), flush=True)
    if options.write:
        write(options.write, rows, columns, options)


def measured(program: str, known: dict[str, list[str]], rounds: int, seconds: float) -> Row:
    """The medians of all libraries that have a program, which take turns."""
    turns = {library: (library, program) for library, names in known.items() if program in names}
    if program + JIT in known.get("netcl", ()):
        turns["netcl jit"] = ("netcl", program + JIT)
    times: dict[str, list[float]] = {column: [] for column in turns}
    for _ in range(rounds):
        for column, (library, name) in turns.items():
            times[column].append(float(in_a_process("time", library, name, str(seconds))))
    return {column: 1e3 * statistics.median(each) for column, each in times.items()}


def in_a_process(*arguments: str) -> str:
    """The last line that `measure` prints in a fresh process."""
    command = [sys.executable, str(HERE / "measure.py"), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(arguments)} failed:\n{result.stderr}")
    return result.stdout.splitlines()[-1]


def heading(columns: Sequence[str]) -> list[str]:
    return [f"| program | {' | '.join(columns)} | ahead |", f"| --- |{' --- |' * (len(columns) + 1)}"]


def line(program: str, row: Row, columns: Sequence[str]) -> str:
    found = (f"{row[column]:.4g}" if column in row else "-" for column in columns)
    ratio = ahead(row)
    return f"| {program} | {' | '.join(found)} | {'-' if ratio is None else f'{ratio:.2f}'} |"


def ahead(row: Row) -> float | None:
    """How many times as long the fastest of the others takes as netcl, in the faster of its two ways."""
    ours = [time for column, time in row.items() if column.startswith("netcl")]
    others = [time for column, time in row.items() if not column.startswith("netcl")]
    return min(others) / min(ours) if ours and others else None


def write(folder: Path, rows: dict[str, Row], columns: Sequence[str], options: argparse.Namespace) -> None:
    """The table as a page, and how far ahead netcl is as a picture."""
    table = "\n".join([*heading(columns), *(line(program, row, columns) for program, row in rows.items())])
    said = textwrap.fill(SAID.format(where=where(options), rounds=options.rounds), 120, break_on_hyphens=False)
    page = ["# Speed", said, "![How far ahead netcl is](speed.svg)", table]
    (folder / "speed.md").write_text("\n\n".join(page) + "\n")
    picture(folder / "speed.svg", {program: ratio for program, row in rows.items() if (ratio := ahead(row))})


def where(options: argparse.Namespace) -> str:
    """The machine and the versions of the libraries."""
    from importlib.metadata import PackageNotFoundError, version

    from netcl.core import default_queue

    def versions() -> list[str]:
        found = []
        for library in options.libraries:
            try:
                found.append(f"{library} {version('netcl-core' if library == 'netcl' else library)}")
            except PackageNotFoundError:
                found.append(library)
        return found

    device = default_queue().device
    python = ".".join(map(str, sys.version_info[:3]))
    return f"{device.compute_units} cores of {device.name}, Python {python}, {', '.join(versions())}"


def picture(path: Path, ratios: dict[str, float]) -> None:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    names = sorted(ratios, key=lambda program: ratios[program])
    grey = "#767e86"  # to be read on white and on black, as the page behind the picture may be either
    figure, axes = pyplot.subplots(figsize=(8, 0.24 * len(names) + 0.8))
    colours = ["#1c8fac" if ratios[name] >= 1 else "#b07d4a" for name in names]
    axes.barh(names, [ratios[name] - 1 for name in names], left=1, color=colours)
    axes.set_xscale("log")
    axes.axvline(1, color=grey, linewidth=0.8)
    axes.set_xlabel("time of the fastest other library / time of netcl", color=grey)
    axes.tick_params(which="both", colors=grey)
    axes.tick_params(axis="y", labelsize=8)
    for spine in axes.spines.values():
        spine.set_color(grey)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None}, transparent=True)


SAID = """\
What `nox -s compare` measured last: value and gradients unless a name says otherwise, on {where}. Milliseconds, medians
of {rounds} turns in processes of their own; `netcl jit` is the same program as one function under `ag.jit`, JAX runs
under `jax.jit`, PyTorch as it is written. `ahead` is the time of the fastest other library over that of netcl, which is
the smaller one of `netcl` and `netcl jit`: above 1, netcl is faster. The
[programs](../how-to/watch-performance.md#beside-other-libraries) lie in `benchmarks/`; a machine
with other cores orders them otherwise."""


if __name__ == "__main__":
    main()
