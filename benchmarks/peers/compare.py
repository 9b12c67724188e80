"""The programs of ../programs.py, ../recurrences.py and ../own_formulas.py side by side:
`python benchmarks/peers/compare.py netcl torch`.

Each library runs each program in a process of its own, and the libraries take turns, so that a machine whose speed
drifts is the same to all of them. Prints a table of medians in milliseconds. A library is a module `with_NAME.py` in
this folder; install those that you name. A program that a library does not have is a dash.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LIBRARIES = sorted(path.stem.removeprefix("with_") for path in HERE.glob("with_*.py"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("libraries", nargs="+", choices=LIBRARIES)
    parser.add_argument("--programs", nargs="+", metavar="NAME", help="default: all that the first library has")
    parser.add_argument("--rounds", type=int, default=3, help="turns that each library takes (default: 3)")
    parser.add_argument("--seconds", type=float, default=2.0, help="time of one turn (default: 2)")
    options = parser.parse_args()
    known = {library: json.loads(in_a_process("names", library)) for library in options.libraries}
    programs = options.programs or known[options.libraries[0]]
    print("| program |", " | ".join(options.libraries), "|")
    print("| --- |", " | ".join("---" for _ in options.libraries), "|")
    for program in programs:
        medians: dict[str, list[float]] = {library: [] for library in options.libraries if program in known[library]}
        for _ in range(options.rounds):
            for library, times in medians.items():
                times.append(float(in_a_process("time", library, program, str(options.seconds))))
        row = [
            f"{1e3 * statistics.median(medians[library]):.4g}" if library in medians else "-"
            for library in options.libraries
        ]
        print(f"| {program} |", " | ".join(row), "|", flush=True)


def in_a_process(*arguments: str) -> str:
    """The last line that `measure` prints in a fresh process."""
    command = [sys.executable, str(HERE / "measure.py"), *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(arguments)} failed:\n{result.stderr}")
    return result.stdout.splitlines()[-1]


if __name__ == "__main__":
    main()
