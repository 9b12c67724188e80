"""Generated text does not change unless somebody means it; `nox -s goldens` rewrites the files: read the difference.

Kept are the bodies, without line numbers of the declarations; the helper functions they call have a file of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from netcl.kernels.namespace import catalogue
from netcl.kernels.tools.describe import bodies, describe, helpers

REPRESENTATIVE = (
    "sigmoid add where softmax sum logsumexp layer_norm lennard_jones matmul conv2d max_pool2d embedding permute cat "
    "adam_update lfilter soft_dtw solve_triangular"
).split()
STAGES = {"ir": "ir.txt", "derivative": "derivative.txt", "grad_fn": "grad_fn.txt", "opencl": "kernels.cl"}


@pytest.mark.parametrize("name", REPRESENTATIVE)
@pytest.mark.parametrize("stage", STAGES)
def test_generated_text_is_that_of_the_golden_file(name: str, stage: str, golden: Callable[[str, str], None]) -> None:
    op = catalogue[name]
    text = bodies(op) if stage == "opencl" else describe(op, stage)
    golden(f"{name}/{STAGES[stage]}", re.sub(r"(\.netcl):\d+(:\d+)?", r"\1", text).rstrip() + "\n")


def test_helper_functions_are_those_of_their_golden_file(golden: Callable[[str, str], None]) -> None:
    golden("helpers.cl", helpers(catalogue[name] for name in REPRESENTATIVE) + "\n")
