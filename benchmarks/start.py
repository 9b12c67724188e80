"""asv: what a process costs before its first gradient is there."""

from __future__ import annotations

import subprocess
import sys

FIRST_GRADIENT = """
from netcl import autograd as ag, core
x = ag.tensor([1.0, 2.0], requires_grad=True)
((x + 1.0) ** 2).sum().backward()
x.grad.to_host()
print(core.counters()["programs_built"])
"""


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout


class Start:
    """Processes after the first one, which has filled the cache of programs."""

    def setup(self) -> None:
        run(FIRST_GRADIENT)

    def track_programs_built_by_a_second_process(self) -> int:
        return int(run(FIRST_GRADIENT))

    track_programs_built_by_a_second_process.unit = "programs"  # type: ignore[attr-defined]

    def time_first_gradient(self) -> None:
        run(FIRST_GRADIENT)

    def time_import_autograd(self) -> None:
        run("import netcl.autograd")
