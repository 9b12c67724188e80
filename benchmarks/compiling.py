"""asv: how long a formula of twenty lines takes from its text to its first value and gradient, and to second order.
No other op is compiled meanwhile: what arrives at the outputs is given.

`python benchmarks/compiling.py [NAME…]` prints it. Each is measured in a process of its own, with an empty cache.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.formulas import NAMES

ROOT = Path(__file__).resolve().parents[1]
START = f"""
import os, sys, tempfile
folder = tempfile.TemporaryDirectory()
os.environ["NETCL_CACHE_DIR"] = folder.name
os.environ.pop("POCL_CACHE_DIR", None)
sys.path.insert(0, {str(ROOT)!r})
from netcl import autograd as ag, kernels
from benchmarks.formulas import arrays, attributes, formula
(ag.tensor([1.0], requires_grad=True) ** 2).sum().backward()  # the start of the process is no formula's
given = [ag.tensor(each, requires_grad=True) for each in arrays("NAME").values()]
"""
FIRST = """
(op,) = vars(kernels.compile(formula("NAME"))).values()
def outputs():
    found = op(*given, **attributes("NAME"))
    return found if isinstance(found, tuple) else (found,)
found = outputs()
seeds = [ag.tensor(each.to_host()) for each in found]
for each in ag.grad(found, given, grad_outputs=seeds): each.to_host()
"""
SECOND = """
gradients = ag.grad(outputs(), given, grad_outputs=seeds, create_graph=True)
seeds = [ag.tensor(each.to_host()) for each in gradients]
for each in ag.grad(gradients, given, grad_outputs=seeds): each.to_host()
"""


class Compiling:
    """A formula's first time."""

    params = NAMES
    param_names = ("formula",)
    timeout = 300
    number, repeat, warmup_time = 1, 3, 0

    def timeraw_value_and_gradient(self, name: str) -> tuple[str, str]:
        return FIRST.replace("NAME", name), START.replace("NAME", name)

    def timeraw_second_order(self, name: str) -> tuple[str, str]:
        return SECOND, (START + FIRST).replace("NAME", name)


def measured(name: str) -> list[float]:
    """Seconds to value and gradient, and from there to second order."""
    program = f"{START}import time\nat = [time.perf_counter()]\n"
    for part in (FIRST, SECOND):
        program += f"{part}at.append(time.perf_counter())\n"
    program += "print(at[1] - at[0], at[2] - at[1])"
    command = [sys.executable, "-c", program.replace("NAME", name)]
    return [*map(float, subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())]


if __name__ == "__main__":
    for each in sys.argv[1:] or NAMES:
        first, second = measured(each)
        print(f"{each:10} {first:6.2f} s to value and gradient, {second:6.2f} s to second order")
