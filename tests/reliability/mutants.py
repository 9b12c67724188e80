"""Plant one fault after another in the compiler and the engine, and see whether the tests notice.

    python tests/reliability/mutants.py             # all of `mutant_list`
    python tests/reliability/mutants.py 3 17        # these alone
    python tests/reliability/mutants.py --left      # those that docs/reference/mutants.md has not

A fault's row of the page is written when it has been tried, with the commit that was tried; the other rows stay. Each
runs in a copy of the repository, up to the first test that fails: first the one that has noticed it before, which
the page says, then the tests of the file and of its folder, then all.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from multiprocessing.pool import ThreadPool
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from mutant_list import MUTANTS
from planted import Mutant

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/reference/mutants.md"
LIMIT = 900
"""Seconds of processor time for one."""

PYTEST = "import resource, sys, pytest; resource.setrlimit(resource.RLIMIT_CPU, ({0}, {0})); sys.exit(pytest.main())"
"""What a process does that may take so many seconds."""

ALL = ["tests/foreign", "tests/kernels", "tests/operations", "tests/autograd", "tests/errors", "tests/core"]
"""All but those that compare generated text, which any change would fail."""

OWN = {"netcl-autograd/": ["tests/autograd"], "netcl-core/": ["tests/core"]}
"""The tests of a package, which are tried before all."""

BESIDE = {
    "derive/": [
        "test_known_values",
        "test_beside_loops",
        "test_derivatives_of_formulas",
        "test_declared_gradients",
        "test_extremes_and_branches",
        "test_wrong_numbers",
        "test_saved_states",
        "test_sums_at_shifted_places",
        "test_written_out",
    ],
    "ir/": [
        "test_conditions",
        "test_forms",
        "test_language_simplification",
        "test_positions",
        "test_positions_that_wrap",
        "test_paths",
        "test_intervals",
        "test_bfloat16",
    ],
    "lower/narrow": ["test_narrow_sums"],
    "lower/exact_places": ["test_strided_products"],
    "lower/stages/positions": ["test_strided_products"],
    "lower/stages/products": ["test_products_asked_for_again"],
    "lower/": [
        "test_by_place",
        "test_beside_loops",
        "test_extremes_and_branches",
        "test_wrong_numbers",
        "test_scans",
        "test_verified_plans",
    ],
    "specialise/": ["test_language_reductions_and_positions", "test_language_meaning"],
    "fusion/": ["test_ops_fused", "test_jit", "test_jit_gradients"],
    "loops/recurrent": ["test_recurrences", "test_recurrent_systems", "test_recurrences_over_planes"],
    "loops/windows": ["test_recurrences_over_planes", "test_recurrences"],
    "loops/stepped": ["test_gpu_recurrences", "test_recurrences", "test_looking_back"],
    "loops/": ["test_cpu_nests", "test_loop_nests", "test_cpu_products"],
    "targets/cpu/products/": ["test_cpu_products", "test_conditions_of_products", "test_contraction"],
    "targets/cpu/sorting/": ["test_cpu_sorts", "test_sorts", "test_long_sorts"],
    "targets/cpu/": ["test_cpu_nests", "test_units"],
    "targets/gpu/recurrence": ["test_gpu_recurrences"],
    "targets/gpu/": ["test_gpu_reductions", "test_gpu_products", "test_gpu_scans"],
    "engine/": [
        "test_modes_and_threads",
        "test_closed_forms",
        "test_tape",
        "test_hooks",
        "test_leaks",
        "test_repeated_backward",
    ],
    "graph/": ["test_saved_values", "test_in_place"],
    "transforms/": ["test_forward_mode", "test_transforms"],
}
"""The tests that are about what is in a folder."""

HEAD = """# Faults that the tests notice

Of {count} faults, {tried} were planted in the compiler and the engine, one at a time; the tests noticed {caught}. Tests
that compare generated text were left out, and a test counts that passes without the fault. `python
tests/reliability/mutants.py` does it again and writes this page; the last column has the commit that was tried.

| file | fault | noticed by | at |
| --- | --- | --- | --- |
"""


class Outcome(NamedTuple):
    mutant: Mutant
    caught_by: str
    seconds: float


class Row(NamedTuple):
    """What the page says of a fault."""

    caught_by: str
    commit: str


def main(chosen: list[Mutant], jobs: int) -> int:
    """Try these mutants and write their rows; returns how many nobody noticed."""
    copies: SimpleQueue[Path] = SimpleQueue()
    with tempfile.TemporaryDirectory(prefix="netcl-mutants-") as folder:
        for number in range(jobs):
            copies.put(copied(Path(folder, str(number))))

        def attempt(mutant: Mutant) -> Outcome:
            copy = copies.get()
            try:
                return tried(mutant, copy)
            finally:
                copies.put(copy)

        caught = 0
        with ThreadPool(jobs) as pool:
            for mutant, caught_by, seconds in pool.imap_unordered(attempt, chosen):
                caught += bool(caught_by)
                name = mutant.file.rsplit("/", 1)[-1]
                print(f"{MUTANTS.index(mutant):3} {name}: {mutant.says}: {caught_by or 'NOBODY'} ({seconds:.0f} s)")
                sys.stdout.flush()
                write(mutant, Row(caught_by or "nobody", commit()))
    print(f"{caught} of {len(chosen)} planted faults noticed")
    return len(chosen) - caught


def write(mutant: Mutant, row: Row) -> None:
    """Put a row into the page, in the place of the one that this fault had."""
    known = rows()
    known[shown(mutant.file), mutant.says] = row
    each = [(shown(mutant.file), mutant.says) for mutant in MUTANTS]
    table = [(file, says, *known[file, says]) for file, says in each if (file, says) in known]
    caught = sum(row[2] != "nobody" for row in table)
    lines = [f"| {' | '.join(row)} |\n" for row in table]
    PAGE.write_text(HEAD.format(count=len(each), tried=len(table), caught=caught) + "".join(lines), encoding="utf-8")


def rows() -> dict[tuple[str, str], Row]:
    """The rows of the page, by the file and the fault."""
    if not PAGE.exists():
        return {}
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    cells = [line.removeprefix("| ").removesuffix(" |").split(" | ") for line in lines[2:]]
    return {(file, says): Row(*rest) for file, says, *rest in cells}


def commit() -> str:
    """The last commit that changed packages or tests, with a + where they differ from it."""
    where = ["--", "packages", "tests"]
    name = subprocess.run(["git", "log", "-1", "--format=%h", *where], cwd=ROOT, capture_output=True, text=True)
    changed = subprocess.run(["git", "diff", "--quiet", "HEAD", *where], cwd=ROOT).returncode
    return name.stdout.strip() + "+" * (changed != 0)


def copied(folder: Path) -> Path:
    """The files of the repository, in another place."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in listed.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def tried(mutant: Mutant, copy: Path) -> Outcome:
    """Run the tests with the fault in place. The one that fails has to pass without it, else it shows nothing."""
    file = copy / "packages" / mutant.file
    right = file.read_text(encoding="utf-8")
    file.write_text(right.replace(mutant.old, mutant.new), encoding="utf-8")
    begin = time.monotonic()
    try:
        failed = how = ""
        # one after another: pytest runs a file that stands beside its folder with the folder
        own = next((tests for package, tests in OWN.items() if mutant.file.startswith(package)), [])
        for tests in (noticed_before(mutant, copy), beside(mutant, copy), own, ALL):
            if tests and not failed:
                failed, how = noticed(tests, copy)
    finally:
        file.write_text(right, encoding="utf-8")
    if failed and noticed([failed], copy)[0]:
        print(f"{failed} fails without the fault, too, which was: {mutant.says}", flush=True)
        how = ""
    return Outcome(mutant, how, time.monotonic() - begin)


def noticed_before(mutant: Mutant, copy: Path) -> list[str]:
    """The test that the page says to notice it, if there still is one."""
    row = rows().get((shown(mutant.file), mutant.says))
    file, _, rest = row.caught_by.partition(", ") if row else ("", "", "")
    test = rest.partition(":")[0]
    there = test and (copy / file).is_file() and f"def {test}(" in (copy / file).read_text(encoding="utf-8")
    return [f"{file}::{test}"] if there else []


def beside(mutant: Mutant, copy: Path) -> list[str]:
    """The tests whose names have that of the file in them, and those of its folder."""
    names = [f"*{Path(mutant.file).stem.rstrip('s')}*"]
    names += [name for key in BESIDE if f"/{key}" in mutant.file for name in BESIDE[key]]
    found = (path for name in names for path in sorted(copy.glob(f"tests/*/{name}.py")))
    kept = (str(path.relative_to(copy)) for path in found if path.name.startswith("test_"))
    return [path for path in dict.fromkeys(kept) if path.startswith(tuple(ALL))]


def noticed(tests: list[str], copy: Path) -> tuple[str, str]:
    """The first of these tests that fails, and how to say so; nothing if none does in time."""
    options = ["-x", "-v", "--no-header", "-p", "no:cacheprovider", "-n0"]
    command = [sys.executable, "-c", PYTEST.format(LIMIT), *options, *tests]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(str(each) for each in sorted(copy.glob("packages/*/src"))),
        "NETCL_CACHE_DIR": os.environ.get("NETCL_CACHE_DIR", str(ROOT / ".netcl-cache")),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    found = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    if found.returncode in (0, -signal.SIGXCPU, -signal.SIGKILL):
        return "", ""
    named = re.search(r"^(tests/\S+::.+) (?:FAILED|ERROR) +\[", found.stdout, re.MULTILINE)
    named = named or re.search(r"^(?:FAILED|ERROR) (\S+)", found.stdout, re.MULTILINE)  # a file that was not collected
    begun = re.findall(r"^(tests/\S+::.+?)(?: [A-Z]+ +\[.*)?$", found.stdout, re.MULTILINE)
    if not named and not begun:
        raise RuntimeError(f"no test was run: {found.stdout[-500:]}{found.stderr[-500:]}")
    failed = named[1] if named else begun[-1].rstrip()
    file, _, test = failed.partition("::")
    told = f"{file}, {test.partition('[')[0]}" if test else file
    return failed, told if named else f"{told}: the process ended with {found.returncode}"


def shown(file: str) -> str:
    return file.partition("netcl/")[2].partition("/")[2] or file


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", type=int, nargs="*", help="the numbers of some")
    parser.add_argument("--left", action="store_true", help="those that have no row")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    asked = parser.parse_args()
    some = [MUTANTS[at] for at in asked.only] or MUTANTS
    done = rows() if asked.left else {}
    sys.exit(1 if main([each for each in some if (shown(each.file), each.says) not in done], asked.jobs) else 0)
