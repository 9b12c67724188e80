"""The benchmarks run: one turn of the comparison, and what asv calls, with little of it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from repository import ROOT

from netcl import kernels


def test_the_comparison_prints_a_row_for_each_program() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks/peers/compare.py"), "netcl", "--rounds", "1", "--seconds", "0",
         "--programs", "square_sum_16", "square_sum_16_jit", "segment_mean_100000x64"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    head, _, *rows = (line.strip("| ").split(" | ") for line in done.stdout.splitlines())
    assert head == ["program", "netcl", "netcl jit", "ahead"]
    assert [row[0] for row in rows] == ["square_sum_16", "segment_mean_100000x64"]
    assert all(0 < float(time) < 60_000 for time in rows[0][1:3])
    assert rows[1][2:] == ["-", "-"], "nobody else was asked"


def test_the_comparison_with_numpy_knows_the_ops_it_is_asked_for() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks/against_numpy.py"), "expp"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("against_numpy: there is no op 'expp'; did you mean exp")


@pytest.mark.parametrize("name", ["square_sum_16", "cumsum_100x10000", "messages_80000x32", "lstm_64x32"])
def test_what_asv_counts_of_a_program_is_the_same_each_time(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.steps import Steps

    steps = Steps()
    assert name in Steps.params
    steps.setup(name)
    steps.time_step(name)
    launched = steps.track_kernels_launched(name)
    assert launched == steps.track_kernels_launched(name) > 0
    assert steps.track_programs_built(name) == 0
    assert steps.track_bytes_allocated(name) == steps.track_bytes_allocated(name) > 0
    assert steps.track_peak_bytes(name) > 0
    assert steps.track_live_bytes_kept(name) == 0


def test_cases_that_draw_numbers_draw_as_many_as_they_are_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.cases import cases
    from benchmarks.operations import Operations

    drawing = [op.name for op in kernels.catalogue if op.draws]
    found = list(cases(drawing))
    assert found, "NumPy draws some of what netcl does"
    for case in found:
        longer = case.larger(2)
        assert longer.elements == 2 * case.elements, case.name
    operations = Operations()
    operations.setup(found[0].name)
    operations.time_call(found[0].name)
