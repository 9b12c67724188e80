"""Random programs in netcl and in PyTorch: `python tests/foreign/run.py 1000 --seed 0 --jobs 2`.

Prints seed, text and results of each program that fails, made smaller, and how many were right, refused with a
documented error, or left out because rounding decides about their results.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from multiprocessing.connection import wait
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Any

import making
from programs import Program
from shrinking import shrunk
from trials import Fault, case, judged, trial
from workers import Died, Worker, settled


def main(
    numbers: Sequence[int], jobs: int = 2, shrink: float = 30, folder: str = "", fast: bool = False
) -> Counter[str]:
    """Put the programs of these seeds to the test; the counter has how they went."""
    settled(quick=not fast)
    tally: Counter[str] = Counter()
    failed: list[tuple[int, list[Fault]]] = []
    began = time.monotonic()
    for done, (number, verdict, faults) in enumerate(results(numbers, jobs), 1):
        tally[verdict] += 1
        tally.update({fault.kind for fault in faults})
        if faults:
            failed.append((number, faults))
            print(f"seed {number}: {faults[0].kind}, {faults[0].where}: {faults[0].message[:160]}")
        if done % 100 == 0:
            print(f"# {done} programs, {done / (time.monotonic() - began):.2f} a second, {dict(tally)}")
    print(f"# {len(numbers)} programs in {time.monotonic() - began:.0f} s")
    for name, many in sorted(tally.items()):
        print(f"# {many:6} {name}")
    with ThreadPool(jobs) as pool:
        for _ in pool.imap(lambda each: report(*each, shrink, folder), failed[:MOST]):
            pass
    return tally


MOST = 60
"""Failures that are made smaller and printed; the others are there by their seeds."""

KINDS = ("wrong", "undocumented", "death")


def results(seeds: Any, jobs: int) -> Iterator[tuple[int, str, list[Fault]]]:
    """What became of each program, in the order in which they are done."""
    left = iter(seeds)
    workers = [Worker("run:tried") for _ in range(jobs)]
    busy: dict[Worker, tuple[int, float]] = {}

    def next_job(worker: Worker) -> None:
        number = next(left, None)
        if number is None:
            worker.stop()
            return
        worker.start(number)
        busy[worker] = (number, time.monotonic())

    for worker in workers:
        next_job(worker)
    while busy:
        ready = wait([each.connection for each in busy], timeout=5)
        for worker, (number, began) in list(busy.items()):
            late = time.monotonic() - began > worker.patience
            if worker.connection not in ready and not late:
                continue
            del busy[worker]
            try:
                worker.patience, patience = (0 if late else worker.patience), worker.patience
                verdict, faults = worker.answer()
            except Died as reason:
                verdict, faults = "fault", [Fault("death", "the process", str(reason))]
            finally:
                worker.patience = patience
            yield number, verdict, faults
            next_job(worker)


def tried(number: int) -> tuple[str, list[Fault]]:
    return trial(making.program(number), number)


def judged_once(job: tuple[Program, str, str, int, bool]) -> tuple[str, list[Fault]]:
    program, style, dtype, number, jit = job
    return judged(program, [case(program, style, each, dtype) for each in (number, number + 1)], jit)


def report(number: int, faults: list[Fault], seconds: float, folder: str) -> None:
    program = making.program(number)
    lines = [f"seed {number}", program.text()]
    lines += [f"  {fault.kind}, {fault.where}: {fault.message}" for fault in faults[:4]]
    if seconds:
        small, again = smaller(program, number, faults, seconds)
        lines += ["made smaller:", small.text()]
        for fault in again[:3]:
            lines.append(f"  {fault.kind}, {fault.where}: {fault.message}")
        style = (
            faults[0].where.split()[0] if faults[0].where.split()[0] in ("grid", "spread", "ones", "none") else "grid"
        )
        for each in (number, number + 1):
            given = case(small, style, each)
            lines += [f"  operands {name} = {array.tolist()}" for name, array in given.arrays.items()]
    text = "\n".join(lines) + "\n"
    print(text)
    if folder:
        Path(folder, f"{number}.txt").write_text(text, encoding="utf-8")


def smaller(program: Program, number: int, faults: list[Fault], seconds: float) -> tuple[Program, list[Fault]]:
    first = faults[0]
    words = first.where.split()
    style, dtype = (words[0], words[1]) if len(words) > 1 and words[1].startswith("float") else ("grid", "float64")
    worker = Worker("run:judged_once", patience=60)
    last: list[Fault] = []

    def fails(candidate: Program) -> bool:
        nonlocal last
        try:
            _, found = worker.ask((candidate, style, dtype, number, "jit" in words))
        except Died as reason:
            found = [Fault("death", "the process", str(reason))]
        alike = [each for each in found if each.kind == first.kind and kin(each) == kin(first)]
        if alike:
            last = alike
        return bool(alike)

    try:
        return shrunk(program, fails, seconds), last
    finally:
        worker.stop()


def kin(fault: Fault) -> str:
    """What must stay the same while a program is made smaller."""
    return fault.message.split()[0] if fault.kind == "wrong" else fault.message[:40]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--shrink", type=float, default=60, help="seconds for making a failing program smaller")
    parser.add_argument("--folder", default="", help="where each failing program is written to")
    parser.add_argument("--only", type=int, nargs="*", default=[], help="these seeds alone")
    parser.add_argument("--fast", action="store_true", help="let the driver optimise what it compiles")
    asked = parser.parse_args()
    numbers = asked.only or range(asked.seed, asked.seed + asked.count)
    tally = main(numbers, asked.jobs, asked.shrink, asked.folder, asked.fast)
    raise SystemExit(any(tally[kind] for kind in KINDS))
