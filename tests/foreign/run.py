"""Random programs, chains of shipped ops, recurrences, extremes of sums, or formulas over graphs, in netcl and in
PyTorch: `python tests/foreign/run.py 1000 --what chains`.

Prints each that fails, made smaller, with its seed and operands; then how many were right, were refused with a
documented error, or are doubtful: rounding decides what comes out.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from multiprocessing.connection import wait
from multiprocessing.pool import ThreadPool
from pathlib import Path

import chains
import making
from cases import case
from programs import Program
from shrinking import shrunk
from trials import Fault, judged, trial
from workers import Died, Worker, settled

KINDS = ("wrong", "undocumented", "death")
TARGETS = ("", "", "", "small-cpu", "small-cpu", "small-gpu", "", "small-cpu")
"""By the seed: the device's own; one for which arrays of a few elements reach all schedules, and so for a card."""
MOST = 60
"""So many failures are made smaller and printed; of the others there are the seeds."""


def main(
    count: int,
    seed: int = 0,
    jobs: int = 2,
    *,
    what: str = "programs",
    only: Sequence[int] = (),
    shrink: float = 30,
    folder: str = "",
    optimised: bool = False,
) -> Counter[str]:
    """Put the programs of these seeds to the test; the counter has how they went, and the faults by their kind."""
    settled(optimised)
    numbers = only or range(seed, seed + count)
    tally: Counter[str] = Counter()
    failed: list[tuple[int, list[Fault]]] = []
    began = time.monotonic()
    for done, (number, verdict, faults) in enumerate(results(numbers, jobs, WORK[what]), 1):
        tally[verdict] += 1
        tally.update({fault.kind for fault in faults})
        if faults:
            failed.append((number, faults))
            print(f"seed {number}: {faults[0].kind}, {faults[0].where}: {faults[0].message[:160]}", flush=True)
        if done % 100 == 0:
            print(f"# {done} in {time.monotonic() - began:.0f} s, {len(failed)} with faults", flush=True)
    print(f"# {len(numbers)} {what} in {time.monotonic() - began:.0f} s")
    for name, many in sorted(tally.items()):
        print(f"# {many:6} {name}")
    with ThreadPool(jobs) as pool:
        report = REPORTS[what]
        for number, text in pool.imap(lambda each: (each[0], report(*each, shrink)), failed[:MOST]):
            print(text)
            if folder:
                Path(folder, f"{number}.txt").write_text(text, encoding="utf-8")
    return tally


def target_of(seed: int) -> str:
    """The target for which the kernels of a program are made."""
    return TARGETS[seed % len(TARGETS)]


def results(numbers: Sequence[int], jobs: int, work: str) -> Iterator[tuple[int, str, list[Fault]]]:
    """What became of each, in the order in which they are done."""
    left = {target: [each for each in reversed(numbers) if target_of(each) == target] for target in TARGETS}
    busy: dict[Worker, tuple[int, float]] = {}

    def next_job(worker: Worker) -> None:
        if not left[worker.target]:
            worker.stop()
            most = max(left, key=lambda target: len(left[target]))
            if not left[most]:
                return
            worker.target = most
        number = left[worker.target].pop()
        worker.start(number)
        busy[worker] = (number, time.monotonic())

    for at in range(jobs):
        next_job(Worker(work, TARGETS[at % len(TARGETS)]))
    while busy:
        ready = wait([each.connection for each in busy], timeout=5)
        for worker, (number, began) in list(busy.items()):
            late = time.monotonic() - began > worker.patience
            if worker.connection in ready or late:
                del busy[worker]
                try:
                    verdict, faults = worker.answer(late)
                except Died as reason:
                    verdict, faults = "fault", [Fault("death", "the process", str(reason))]
                yield number, verdict, faults
                next_job(worker)


def tried(number: int) -> tuple[str, list[Fault]]:
    return trial(making.program(number), number)


# --- reports ----------------------------------------------------------------------------------------------------------


def report_program(number: int, faults: list[Fault], seconds: float) -> str:
    program = making.program(number)
    small, again = smaller(program, number, faults, seconds) if seconds else (program, [])
    target = target_of(number) or "the device"
    lines = [f"seed {number}, for {target}", program.text(), *told(faults), "made smaller:", small.text(), *told(again)]
    style, dtype = style_of(faults[0])
    for each in (number, number + 1):
        given = case(small, style, each, dtype)
        lines += [f"  {name} = {array.tolist()}" for name, array in given.arrays.items()]
    return "\n".join(lines) + "\n"


def report_chain(number: int, faults: list[Fault], seconds: float) -> str:
    worker = Worker("chains:made_smaller", target_of(number), patience=seconds)
    try:
        small = worker.ask(number)
    except Died as reason:
        small = f"not made smaller: {reason}"
    finally:
        worker.stop()
    return "\n".join([f"seed {number}", chains.chain(number).text(), *told(faults), "made smaller:", small, ""])


def report_text(number: int, faults: list[Fault], seconds: float) -> str:
    """Of what has its text in its message."""
    return "\n".join([f"seed {number}, for {target_of(number) or 'the device'}", *told(faults), ""])


def told(faults: list[Fault]) -> list[str]:
    return [f"  {fault.kind}, {fault.where}: {fault.message}" for fault in faults[:4]]


def style_of(fault: Fault) -> tuple[str, str]:
    words = fault.where.split()
    return (words[0], words[1]) if len(words) > 1 and words[1].startswith("float") else ("grid", "float64")


def smaller(program: Program, number: int, faults: list[Fault], seconds: float) -> tuple[Program, list[Fault]]:
    """A smaller program with a fault of the same kind, and that fault."""
    first = faults[0]
    worker = Worker("run:judged_again", target_of(number), patience=300)
    last: list[Fault] = []

    def fails(candidate: Program) -> bool:
        nonlocal last
        try:
            found = worker.ask((candidate, *style_of(first), number, "jit" in first.where))
        except Died as reason:
            found = [Fault("death", "the process", str(reason))]
        alike = [each for each in found if each.kind == first.kind and kin(each) == kin(first)]
        last = alike or last
        return bool(alike)

    try:
        return shrunk(program, fails, seconds), last
    finally:
        worker.stop()


def judged_again(job: tuple[Program, str, str, int, bool]) -> list[Fault]:
    program, style, dtype, number, jit = job
    return judged(program, [case(program, style, each, dtype) for each in (number, number + 1)], jit)[1]


def kin(fault: Fault) -> str:
    """What stays the same while a program is made smaller."""
    return fault.message.split()[0] if fault.kind == "wrong" else fault.message[:40]


WORK = {"programs": "run:tried", "chains": "chains:tried", "recurrences": "recurrences:tried",
        "extremes": "extremes:tried", "graphs": "graphs:tried"}  # fmt: skip
"""What each worker does: a function of a seed, which gives how it went, and the faults."""

REPORTS = {"programs": report_program, "chains": report_chain, "recurrences": report_text, "extremes": report_text,
           "graphs": report_text}  # fmt: skip

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--what", choices=WORK, default="programs", help="what is drawn at random")
    parser.add_argument("--only", type=int, nargs="*", default=[], help="these seeds alone")
    parser.add_argument("--shrink", type=float, default=30, help="seconds for making a failing program smaller")
    parser.add_argument("--folder", default="", help="where each failing program is written to")
    parser.add_argument("--optimised", action="store_true", help="let the driver optimise what it compiles")
    asked = parser.parse_args()
    tally = main(
        asked.count,
        asked.seed,
        asked.jobs,
        what=asked.what,
        only=asked.only,
        shrink=asked.shrink,
        folder=asked.folder,
        optimised=asked.optimised,
    )
    others = sum(many for name, many in tally.items() if name not in (*KINDS, "right", "fault"))
    faults = ", ".join(f"{tally[kind]} {kind}" for kind in KINDS)
    print(f"{tally['right']} right, {others} refused or doubtful, {tally['fault']} with faults: {faults}")
    raise SystemExit(any(tally[kind] for kind in KINDS))
