"""Run every attack and every comparison of this folder, and write what came out into docs/reference/reliability.md.

    nox -s reliability                              # all but the long ones: twenty minutes
    nox -s reliability -- positions oclgrind        # those of these names

Each is a process of its own that prints its figure as its last line and ends with 0 when nothing got through. Its row
of the page says at which commit that was; the rows of trials that were not run stay as they are.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from dataclasses import dataclass
from multiprocessing.pool import ThreadPool
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


ONE = ("--jobs", "1")

TRIALS = (
    Trial("programs", "tests/foreign/run.py", ("150", *ONE), "random formulas against PyTorch in float64"),
    Trial("chains", "tests/foreign/run.py", ("80", "--what", "chains", *ONE), "random chains of ops against PyTorch"),
    Trial(
        "recurrences",
        "tests/foreign/run.py",
        ("80", "--what", "recurrences", *ONE),
        "random recurrences, by recursion",
    ),
    Trial("extremes", "tests/foreign/run.py", ("80", "--what", "extremes", *ONE), "gradients of extremes of long sums"),
    Trial("integers", "tests/foreign/whole_numbers.py", ("300",), "random formulas of whole numbers against NumPy"),
    Trial("replay", "replay.py", ("500",), "calls of all ops at random against PyTorch"),
    Trial("accuracy", "accuracy.py", ("20000",), "the worst error of each function, in units in the last place"),
    Trial("calls", "wrong_calls.py", ("8000",), "wrong calls: each works or says what is wrong"),
    Trial("injections", "injections.py", (), "code in names, texts, paths, words and the environment"),
    Trial("positions", "positions.py", ("300",), "positions that leave an axis, or wrap: none reads foreign memory"),
    Trial("cache", "cache.py", ("1000",), "damaged, swapped and foreign entries of the caches"),
    Trial("interrupts", "interrupts.py", ("300",), "alarms in a training loop: each is heard, nothing leaks"),
    Trial("exits", "exits.py", ("1",), "ways to end a process, with threads and work in flight"),
    Trial("soak", "soak.py", ("120",), "ever new shapes: memory stays"),
)
"""As many go at once as there are processors."""
LONG = (
    Trial("many programs", "tests/foreign/run.py", ("10000", "--seed", "2000000"), "as above, in one run"),
    Trial(
        "many chains", "tests/foreign/run.py", ("1000", "--what", "chains", "--seed", "2000000"), "as above, in one run"
    ),
    Trial(
        "many recurrences", "tests/foreign/run.py", ("2000", "--what", "recurrences", "--seed", "2000000"), "as above"
    ),
    Trial("many positions", "positions.py", ("5000", "1"), "as above"),
    Trial("long soak", "soak.py", ("600",), "as above, for ten minutes"),
    Trial("oclgrind", "oclgrind.py", (), "the catalogue on a device that watches each access of memory"),
    Trial("mutants", "mutants.py", (), "faults planted in the compiler and the engine: the tests find each"),
)
"""Ten minutes to two hours each; run when they are named. The last one has a page of its own."""

HEAD = """# What was tried to break it

Tests that are written beside the code share its habits. These do not: formulas that an oracle in PyTorch, which knows
nothing of the compiler, computes as well; wrong calls; attacks. `nox -s reliability` runs them and writes this page.
Each is a script in `tests/reliability` or `tests/foreign` that takes how many to try. The last column has the commit
that was tried; the long ones run when they are named.

| trial | what it tries | came to | took | at |
| --- | --- | --- | --- | --- |"""


def main(names: list[str]) -> int:
    """Run the trials of these names, or those that are not long, and write their rows. Returns how many failed."""
    chosen = [trial for trial in (*TRIALS, *LONG) if trial.name in names] if names else TRIALS
    failed = 0
    with ThreadPool(1 if any(trial in LONG for trial in chosen) else os.cpu_count()) as pool:
        for trial, row, done in pool.imap_unordered(_tried, chosen):
            failed += not done
            print(row, flush=True)
            _write(trial.name, row)
    return failed


def _tried(trial: Trial) -> tuple[Trial, str, bool]:
    """A trial, its row, and whether nothing got through."""
    begin = time.monotonic()
    script = ROOT / trial.script if "/" in trial.script else HERE / trial.script
    figure = ""
    command = [sys.executable, str(script), *trial.arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        for line in running.stdout or ():
            print(f"{trial.name}: {line}", end="", flush=True)
            figure = line.strip() or figure
    verdict = figure if not running.returncode else f"**failed**: {figure}"
    row = f"| {trial.name} | {trial.shows} | {verdict} | {time.monotonic() - begin:.0f} s | {_commit()} |"
    return trial, row, not running.returncode


def _write(name: str, row: str) -> None:
    """Put a row into the page, in the place of the one that this trial had."""
    rows = {}
    if PAGE.exists():
        lines = PAGE.read_text(encoding="utf-8").splitlines()
        rows = {line.split(" | ")[0].removeprefix("| "): line for line in lines if line.startswith("| ")}
    rows[name] = row
    table = [rows[each.name] for each in (*TRIALS, *LONG) if each.name in rows]
    where = f"On {platform.machine()}, Python {platform.python_version()}, the default device."
    PAGE.write_text("\n".join([HEAD, *table, "", where, ""]), encoding="utf-8")


def _commit() -> str:
    """The commit that is checked out, with a + where files other than the page differ from it."""

    def said(*command: str) -> str:
        return subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True).stdout.strip()

    changed = said("status", "--porcelain", "--", ".", f":!{PAGE.relative_to(ROOT)}")
    return f"{said('describe', '--always') or 'no commit'}{'+' if changed else ''}"


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
