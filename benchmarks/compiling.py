"""asv: how long a formula of twenty lines takes from its text to its first value and gradient, and to second order."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.formulas import NAMES

ROOT = Path(__file__).resolve().parents[1]
FIRST_TIME = """
import sys, time
from netcl import autograd as ag, kernels
from benchmarks.formulas import arrays, attributes, formula

(ag.tensor([1.0], requires_grad=True) ** 2).sum().backward()  # the start of the process is no formula's
name = sys.argv[1]
began = time.perf_counter()
(op,) = vars(kernels.compile(formula(name))).values()
given = [ag.tensor(each, requires_grad=True) for each in arrays(name).values()]
found = op(*given, **attributes(name))
outputs = found if isinstance(found, tuple) else (found,)
gradients = ag.grad(sum((each * each).sum() for each in outputs), given, create_graph=True)
for each in gradients:
    each.to_host()
first = time.perf_counter()
for each in ag.grad(sum((each * each).sum() for each in gradients), given):
    each.to_host()
print(first - began, time.perf_counter() - first)
"""


def times(name: str) -> tuple[float, float]:
    """Seconds to value and gradient, and from there to second order, in a process whose cache is empty."""
    with tempfile.TemporaryDirectory() as folder:
        caches = {"NETCL_CACHE_DIR": f"{folder}/netcl", "POCL_CACHE_DIR": f"{folder}/pocl"}
        command = [sys.executable, "-c", FIRST_TIME, name]
        environment = {**os.environ, **caches, "PYTHONPATH": os.pathsep.join([str(ROOT), *_given()])}
        result = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    first, second = map(float, result.stdout.split())
    return first, second


def _given() -> list[str]:
    return [os.environ["PYTHONPATH"]] if "PYTHONPATH" in os.environ else []


class Compiling:
    """A formula's first time."""

    params = NAMES
    param_names = ("formula",)
    timeout = 120

    def track_value_and_gradient(self, name: str) -> float:
        return times(name)[0]

    def track_second_order(self, name: str) -> float:
        return times(name)[1]

    track_value_and_gradient.unit = track_second_order.unit = "s"  # type: ignore[attr-defined]


if __name__ == "__main__":
    for each in sys.argv[1:] or NAMES:
        first, second = times(each)
        print(f"{each:10} {first:6.2f} s to value and gradient, {second:6.2f} s to second order")
