"""Run every attack and every comparison of this folder, and write what came out into docs/reference/reliability.md.

    nox -s reliability                  # as the page has it
    nox -s reliability -- positions     # one of them, and no page

Each is a process of its own that prints its figure as its last line and ends with 0 when nothing got through.
"""

from __future__ import annotations

import platform
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs/reference/reliability.md"


@dataclass(frozen=True)
class Trial:
    """A script beside this one (or a file in the repository), its arguments, and what it shows."""

    name: str
    script: str
    arguments: tuple[str, ...]
    shows: str


TRIALS = (
    Trial("programs", "tests/foreign/run.py", ("1000",), "random formulas against PyTorch in float64"),
    Trial("chains", "tests/foreign/run.py", ("300", "--chains"), "random chains of ops against PyTorch"),
    Trial("integers", "tests/foreign/whole_numbers.py", ("500",), "random formulas of whole numbers against NumPy"),
    Trial("replay", "replay.py", ("1000",), "calls of all ops at random against PyTorch"),
    Trial("accuracy", "accuracy.py", ("20000",), "the worst error of each function, in units in the last place"),
    Trial("calls", "wrong_calls.py", ("8000",), "wrong calls: each works or says what is wrong"),
    Trial("injections", "injections.py", (), "code in names, texts, paths, words and the environment"),
    Trial("positions", "positions.py", ("2000",), "positions that leave an axis, or wrap: none reads foreign memory"),
    Trial("cache", "cache.py", ("1000",), "damaged, swapped and foreign entries of the caches"),
    Trial("interrupts", "interrupts.py", ("300",), "alarms in a training loop: each is heard, nothing leaks"),
    Trial("exits", "exits.py", ("1",), "ways to end a process, with threads and work in flight"),
    Trial("soak", "soak.py", ("120",), "ever new shapes: memory stays"),
    Trial("oclgrind", "oclgrind.py", (), "the catalogue on a device that watches each access of memory"),
    Trial("mutants", "mutants.py", (), "faults planted in the compiler and the engine: the tests find each"),
)
SLOW = frozenset({"oclgrind", "mutants"})
"""An hour or so; run when they are named. The second has a page of its own."""

HEAD = """# What was tried to break it

Tests that are written beside the code share its habits. These do not: formulas that an oracle in PyTorch, which knows
nothing of the compiler, computes as well; wrong calls; attacks. `nox -s reliability` runs them and writes this page.
Each is a script in `tests/reliability` or `tests/foreign` that takes how many to try.

"""


def main(names: list[str]) -> int:
    """Run the trials of these names, or all of them and write the page. Returns how many failed."""
    chosen = [trial for trial in TRIALS if trial.name in names or (not names and trial.name not in SLOW)]
    rows, failed = [], 0
    for trial in chosen:
        begin = time.monotonic()
        script = ROOT / trial.script if "/" in trial.script else HERE / trial.script
        command = [sys.executable, str(script), *trial.arguments]
        found = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
        figure = next((line for line in reversed(found.stdout.splitlines()) if line.strip()), "")
        failed += found.returncode != 0
        verdict = figure if not found.returncode else f"**failed**: {figure}"
        rows.append(f"| {trial.name} | {trial.shows} | {verdict} | {time.monotonic() - begin:.0f} s |")
        print(rows[-1], flush=True)
    if not names:
        table = "\n".join(["| trial | what it tries | came to | took |", "| --- | --- | --- | --- |", *rows])
        where = f"\n\nOn {platform.machine()}, Python {platform.python_version()}, the default device.\n"
        PAGE.write_text(HEAD + table + where, encoding="utf-8")
    return failed


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
