"""Calls of the shipped ops at random beside PyTorch's: `python tests/reliability/replay.py 5000`.

`tests/compare_torch/generated.py` draws them. A call is right if value, gradients and second gradients are PyTorch's,
or if both refuse it. What netcl alone refuses has to be in the table of docs/reference/differences.md. Anything else is
a fault.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import warnings
from collections import Counter
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parents[1] / "compare_torch"))

from both import Case, disagreement, expected, found
from differences import PAGE
from generated import call

from netcl.core import NetclError

Array = np.ndarray[Any, Any]


def refusals() -> list[str]:
    """What netcl refuses and PyTorch takes: the sentences of the table on the page of differences."""
    section = PAGE.read_text(encoding="utf-8").split("\n## Calls that are refused\n")[1].split("\n## ")[0]
    return [line.split("`")[1] for line in section.splitlines() if line.startswith("| `")]


def judged(seed: int) -> tuple[str, str]:
    """(right, refused, more, wrong or undocumented; what happened)."""
    case = call(seed)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            theirs = expected(case)
        except Exception as error:
            theirs = {}
            refusal = f"{type(error).__name__}: {error}"
        try:
            ours = found(case)
        except NetclError as error:
            return ("right", "") if not theirs else ("refused", f"{case.op}: {error}".splitlines()[0])
        except Exception as error:
            return "undocumented", f"{case.op}: {type(error).__name__}: {error}"
        if not theirs:
            return "more", f"{case.op}: {refusal}".splitlines()[0]
        for name, result in ours.items():
            try:
                apart = disagreement(result, theirs[name], pointwise=False)
            except AssertionError as error:
                return "wrong", f"{case}: {name}: {error}"
            if (
                name.startswith("second")
                and not np.isfinite(theirs[name.replace("second ", "").split(" by ")[0]]).all()
            ):
                continue
            if apart.any() and not rounded(case, name, result, theirs[name]):
                return "wrong", f"{case}: {name}: netcl {result.tolist()}, PyTorch {theirs[name].tolist()}"
    return "right", ""


def rounded(case: Case, name: str, ours: Array, theirs: Array) -> bool:
    """Whether the two differ by rounding alone: sums of operands of about 1 cancel, and in float32 PyTorch itself is as
    far from float64."""
    if ours.dtype.kind != "f" or not np.array_equal(np.isfinite(ours), np.isfinite(theirs)):
        return False
    ours, theirs = np.nan_to_num(ours), np.nan_to_num(theirs)
    if ours.dtype == np.float64:
        return bool((np.abs(ours - theirs) < 1e-10).all())
    exact = expected(
        replace(case, inputs=[each.astype("float64") if each.dtype.kind == "f" else each for each in case.inputs])
    )
    exact_value = np.nan_to_num(exact[name].astype(np.float64))
    noise = np.abs(theirs - exact_value).max(initial=0)
    scale = np.abs(exact_value).max(initial=0)
    return bool((np.abs(ours - exact_value) <= 2e-5 * scale + 10 * noise + 1e-7).all())


def kind(sentence: str) -> str:
    """A sentence without its numbers."""
    return re.sub(r"-?\d+(\.\d+)?", "#", sentence)[:160]


def main(count: int, seed: int, jobs: int) -> int:
    """Replay so many calls; returns how many were faults."""
    tally: Counter[str] = Counter()
    told: Counter[tuple[str, str]] = Counter()
    faults, known = 0, refusals()
    with get_context("spawn").Pool(jobs, settled, maxtasksperchild=800) as pool:
        for at, (verdict, what) in enumerate(pool.imap(judged, range(seed, seed + count), chunksize=8), seed):
            if verdict == "refused" and not any(each in what for each in known):
                verdict = "refused without a reason"
            tally[verdict] += 1
            if verdict not in ("right", "refused", "more"):
                faults += 1
                print(f"seed {at}: {verdict}: {what[:600]}", flush=True)
            elif what:
                told[verdict, kind(what)] += 1
    for (verdict, what), many in sorted(told.items()):
        print(f"# {many:5} {verdict}: {what}")
    shown = ", ".join(f"{many} {name}" for name, many in tally.most_common())
    print(f"{count} calls: {shown}")
    return faults


def settled() -> None:
    torch.set_num_threads(1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    asked = parser.parse_args()
    sys.exit(1 if main(asked.count, asked.seed, asked.jobs) else 0)
