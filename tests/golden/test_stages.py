"""Every op can be shown at every stage, on a machine without OpenCL."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from thorough import THOROUGH

from netcl.kernels.namespace import catalogue
from netcl.kernels.tools.describe import STAGES, describe

ops = pytest.mark.parametrize("op", list(catalogue), ids=lambda op: op.name)
EVERY = 1 if THOROUGH else 8
"""For what does not depend on the op: one of so many."""


@ops
@pytest.mark.sample(40)
def test_every_stage_of_an_op_has_a_text_and_kernels_are_the_same_the_second_time(op) -> None:  # type: ignore[no-untyped-def]
    shown = {stage: describe(op, stage) for stage in STAGES}
    for stage, text in shown.items():
        assert text.strip(), stage
        assert not re.search(r"\b(seed|value|state) \d", text), "names that only the compiler has"
    assert describe(op, "opencl") == shown["opencl"]


def test_no_stage_touches_a_device() -> None:
    program = (
        "import sys; sys.modules['pyopencl'] = None\n"
        "from netcl.kernels.namespace import catalogue\n"
        "from netcl.kernels.tools.describe import STAGES, describe\n"
        f"ops = list(catalogue)[:: {EVERY}]\n"
        "print(sum(len(describe(op, stage)) > 0 for op in ops for stage in STAGES))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(list(catalogue)[::EVERY]) * len(STAGES)
