"""Plant one fault after another in the compiler and the engine, and see whether the tests notice.

    python tests/reliability/mutants.py             # all of `mutant_list`, and docs/reference/mutants.md
    python tests/reliability/mutants.py 3 17        # these alone, and no page

Each runs in a copy of the repository, up to the first test that fails: first the one that has noticed it before, which
the page says, then the tests of the file and of its folder, then all others but those that compare generated text,
which any change would fail.
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

from mutant_list import ENGINE, MUTANTS, Mutant

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/reference/mutants.md"
LIMIT = 900
"""Seconds of processor time for one."""

PYTEST = "import resource, sys, pytest; resource.setrlimit(resource.RLIMIT_CPU, ({0}, {0})); sys.exit(pytest.main())"
"""What a process does that may take so many seconds."""

REST = ["tests/kernels", "tests/operations", "tests/autograd", "tests/errors", "tests/core"]
NEAR = {
    True: ["tests/autograd", "tests/foreign", *REST],
    False: [
        "tests/kernels/test_wrong_numbers.py", "tests/foreign", "tests/kernels/test_derivatives_of_formulas.py",
        "tests/operations/test_gradients.py", "tests/operations/test_values.py", *REST,
    ],
}  # fmt: skip
"""The order of the tests, for a fault in the engine and for one in the compiler."""

BESIDE = {
    "derive/": ["test_derivatives_of_formulas", "test_wrong_numbers"],
    "ir/": ["test_language_simplification", "test_positions", "test_positions_that_wrap", "test_bfloat16"],
    "lower/": ["test_wrong_numbers", "test_scans", "test_verified_plans"],
    "specialise/": ["test_language_reductions_and_positions", "test_language_meaning"],
    "loops/": ["test_cpu_nests", "test_loop_nests", "test_cpu_products"],
    "targets/cpu/products/": ["test_cpu_products", "test_conditions_of_products", "test_contraction"],
    "targets/cpu/sorting/": ["test_cpu_sorts", "test_sorts", "test_long_sorts"],
    "targets/cpu/": ["test_cpu_nests", "test_units"],
    "targets/gpu/": ["test_gpu_reductions", "test_gpu_products", "test_gpu_scans"],
    "engine/": ["test_closed_forms", "test_tape", "test_hooks", "test_leaks", "test_repeated_backward"],
    "graph/": ["test_saved_values", "test_in_place"],
    "transforms/": ["test_forward_mode", "test_transforms"],
}
"""The tests that are about what is in a folder."""

HEAD = """# Faults that the tests notice

{count} faults were planted in the compiler and the engine, one at a time; the tests noticed {caught}. Tests that
compare generated text were left out. `python tests/reliability/mutants.py` does it again and writes this page.

| file | fault | noticed by |
| --- | --- | --- |
"""


class Outcome(NamedTuple):
    mutant: Mutant
    caught_by: str
    seconds: float


def main(only: list[int], jobs: int) -> int:
    """Try these mutants, or all and write the page; returns how many nobody noticed."""
    chosen = [MUTANTS[at] for at in only] if only else MUTANTS
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

        outcomes = []
        with ThreadPool(jobs) as pool:
            for outcome in pool.imap_unordered(attempt, chosen):
                outcomes.append(outcome)
                name = outcome.mutant.file.rsplit("/", 1)[-1]
                said = outcome.caught_by or "NOBODY"
                print(
                    f"{MUTANTS.index(outcome.mutant):3} {name}: {outcome.mutant.says}: {said} ({outcome.seconds:.0f} s)"
                )
                sys.stdout.flush()
    outcomes.sort(key=lambda each: MUTANTS.index(each.mutant))
    caught = sum(bool(each.caught_by) for each in outcomes)
    if not only:
        rows = [
            f"| {shown(each.mutant.file)} | {each.mutant.says} | {each.caught_by or 'nobody'} |" for each in outcomes
        ]
        PAGE.write_text(HEAD.format(count=len(outcomes), caught=caught) + "\n".join(rows) + "\n", encoding="utf-8")
    print(f"{caught} of {len(outcomes)} planted faults noticed")
    return len(outcomes) - caught


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
        for tests in (noticed_before(mutant, copy), [*beside(mutant, copy), *NEAR[mutant.file.startswith(ENGINE)]]):
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
    rows = [line.split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines()] if PAGE.exists() else []
    named = [row[2].rstrip(" |") for row in rows if row[:2] == [f"| {shown(mutant.file)}", mutant.says]]
    file, _, rest = named[0].partition(", ") if named else ("", "", "")
    test = rest.partition(":")[0]
    there = test and (copy / file).is_file() and f"def {test}(" in (copy / file).read_text(encoding="utf-8")
    return [f"{file}::{test}"] if there else []


def beside(mutant: Mutant, copy: Path) -> list[str]:
    """The tests whose names have that of the file in them, and those of its folder."""
    folder = "autograd" if mutant.file.startswith(ENGINE) else "kernels"
    found = sorted(copy.glob(f"tests/{folder}/test_*{Path(mutant.file).stem.rstrip('s')}*.py"))
    named = (
        copy / "tests" / folder / f"{name}.py" for key in BESIDE if f"/{key}" in mutant.file for name in BESIDE[key]
    )
    return list(dict.fromkeys(str(each.relative_to(copy)) for each in (*found, *named)))


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
    named = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", found.stdout, re.MULTILINE)
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
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    asked = parser.parse_args()
    sys.exit(1 if main(asked.only, asked.jobs) else 0)
