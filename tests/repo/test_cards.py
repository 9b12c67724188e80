"""The benchmark of cards runs wherever there is a device, with sizes of a test."""

from __future__ import annotations

import os
import subprocess
import sys

from repository import ROOT


def test_the_benchmark_of_cards_measures_each_kind_of_work() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks/cards.py"), "--small"],
        capture_output=True, text=True, check=False, env={**os.environ, "NETCL_TARGET": "gpu"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    first, _, *lines = done.stdout.splitlines()
    assert first.startswith("on ")
    assert [line.split()[0] for line in lines] == ["matmul", "softmax", "layer_norm", "pointwise,", "kernel"]
    assert all(float(line.split()[-2]) > 0 for line in lines)
