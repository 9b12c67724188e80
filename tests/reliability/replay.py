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
from collections import Counter
from multiprocessing import get_context
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1] / "compare_torch"))

from replayed import FINE, judged


def main(count: int, seed: int, jobs: int) -> int:
    """Replay so many calls; returns how many were faults."""
    tally: Counter[str] = Counter()
    told: Counter[tuple[str, str]] = Counter()
    faults = 0
    with get_context("spawn").Pool(jobs, torch.set_num_threads, (1,), maxtasksperchild=100) as pool:
        for at, (verdict, what) in enumerate(pool.imap(judged, range(seed, seed + count), chunksize=8), seed):
            tally[verdict] += 1
            if verdict not in FINE:
                faults += 1
                print(f"seed {at}: {verdict}: {what[:600]}", flush=True)
            elif what:
                told[verdict, kind(what)] += 1
    for (verdict, what), many in sorted(told.items()):
        print(f"# {many:5} {verdict}: {what}")
    shown = ", ".join(f"{many} {name}" for name, many in tally.most_common())
    print(f"{count} calls: {shown}; {faults} faults")
    return faults


def kind(sentence: str) -> str:
    """A sentence without its numbers."""
    return re.sub(r"-?\d+(\.\d+)?", "#", sentence)[:160]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    asked = parser.parse_args()
    sys.exit(1 if main(asked.count, asked.seed, asked.jobs) else 0)
