"""Random programs on the device beside plain loops in Python, and their gradients beside differences of the loops."""

from __future__ import annotations

from math import prod

import loop_oracle
import making
import numpy as np
import pytest
from cases import Array, Case, case, seeds
from netcl_results import Runner
from programs import Program

COUNT = 40
STEP = 1e-5


def programs() -> list[int]:
    """The seeds of the first programs that the loops know."""
    found = []
    for seed in range(10 * COUNT):
        program = making.program(seed)
        steps = prod(program.lengths.values())
        short = len(program.text()) < 250 and steps < 500 and steps * elements(program, seed) < 10_000
        if loop_oracle.speaks_of(program) and short and len(found) < COUNT:
            found.append(seed)
    return found


def elements(program: Program, seed: int) -> int:
    """How many numbers each slope is asked for by."""
    return sum(each.size for each in case(program, "spread", seed).arrays.values())


@pytest.mark.parametrize("seed", programs())
@pytest.mark.sample(12)
def test_a_program_gives_what_loops_give(seed: int) -> None:
    program = making.program(seed)
    runner = Runner(program)
    for style in ("grid", "spread"):
        given = case(program, style, seed)
        expected = loop_oracle.outputs(program, given.arrays, given.lengths)
        found = runner.found(given, orders=1 if style == "spread" else 0)
        for name, value in expected.items():
            np.testing.assert_allclose(found[f"value {name}"], value, rtol=1e-9, atol=1e-9, err_msg=program.text())
    for name, slope in differences(program, given).items():
        scale = 1 + np.abs(slope).max(initial=0)
        np.testing.assert_allclose(found[f"gradient {name}"], slope, atol=1e-5 * scale, err_msg=program.text())


def differences(program: Program, given: Case) -> dict[str, Array]:
    """The gradient of each float operand, for the output gradients of the case."""
    weights = seeds(program, given)

    def total(arrays: dict[str, Array]) -> float:
        values = loop_oracle.outputs(program, arrays, given.lengths)
        return float(sum((weights[name] * value).sum() for name, value in values.items()))

    found = {}
    for each in program.operands():
        if each.kind in ("float", "hole"):
            slope = np.zeros(given.arrays[each.name].shape)
            for place in np.ndindex(slope.shape):
                if each.kind == "hole" and not given.arrays[each.target][place]:
                    continue  # is never read
                ends = []
                for sign in (1, -1):
                    array = given.arrays[each.name].copy()
                    array[place] += sign * STEP
                    ends.append(total({**given.arrays, each.name: array}))
                slope[place] = (ends[0] - ends[1]) / (2 * STEP)
            found[each.name] = slope
    return found
