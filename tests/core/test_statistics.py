"""Statistics of tensors, what netcl logs, and the callback for errors."""

from __future__ import annotations

import logging
import subprocess
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from netcl import core
from netcl.core import statistics

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.promise("A22")
@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "bool"])
def test_statistics_are_those_of_numpy(dtype: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics, "_BLOCK", 7)  # so that a small tensor has many blocks
    array = (rng.normal(3, 2, (5, 6)) * 4).astype(dtype)
    found = core.tensor_stats(core.from_host(array))
    values = array.astype(np.float64)
    expected = (values.min(), values.max(), values.mean(), values.std(), 0, 0, 30)
    assert found == pytest.approx(expected, rel=1e-12)
    turned = core.from_host(array).alias((6, 5), (1, 6), 0)
    assert core.tensor_stats(turned) == pytest.approx(expected, rel=1e-12)


@pytest.mark.promise("A22")
def test_nan_and_inf_are_counted_and_left_out_of_the_statistics() -> None:
    x = core.from_host(np.array([1, np.nan, 3, np.inf, -np.inf, -np.nan], np.float32))
    assert core.tensor_stats(x) == (1.0, 3.0, 2.0, 1.0, 2, 2, 6)
    assert core.has_nan(x)
    assert core.has_inf(x)
    assert not core.has_nan(core.from_host([np.inf]))
    assert not core.has_inf(core.from_host([np.nan]))
    assert not core.has_nan(core.arange(3))
    for empty in (core.zeros((0, 3)), core.from_host([np.nan])):
        minimum, maximum, mean, std, *_ = core.tensor_stats(empty)
        assert np.isnan([minimum, maximum, mean, std]).all()
    assert core.tensor_stats(core.full((), 5)) == (5, 5, 5, 0, 0, 0, 1)


@pytest.fixture
def told() -> Iterator[list[tuple[str, str]]]:
    """What an error handler is told during the test."""
    calls: list[tuple[str, str]] = []
    before = core.set_error_handler(lambda code, message: calls.append((code, message)))
    yield calls
    core.set_error_handler(before)


@pytest.mark.promise("A23")
def test_an_error_handler_is_told_the_code_and_the_message_of_each_error(told: list[tuple[str, str]]) -> None:
    with pytest.raises(core.ShapeError, match="2 elements"):
        core.ones((2,)).item()
    with pytest.raises(core.OutOfMemoryError):
        core.ones((1 << 60,))
    with core.arena():
        x = core.ones((2,))
    with pytest.raises(core.FreedError):
        x.to_host()
    codes = [code for code, _ in told]
    assert codes[0] == "shape"
    assert "2 elements" in told[0][1]
    assert "out_of_memory" in codes
    assert codes[-1] == "freed"


def test_a_handler_that_fails_is_logged_and_hides_nothing(caplog: pytest.LogCaptureFixture) -> None:
    before = core.set_error_handler(lambda code, message: 1 / 0)
    with pytest.raises(core.ShapeError), caplog.at_level(logging.ERROR, "netcl"):
        core.ones((2,)).item()
    assert core.set_error_handler(before) is not None
    assert "the error handler failed on a shape error" in caplog.text


@pytest.mark.promise("A24")
def test_what_netcl_logs_goes_through_logging_with_its_levels(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "netcl"):
        core.Queue().program("kernel void nothing(void) {}")
    assert caplog.records == []
    with caplog.at_level(logging.DEBUG, "netcl"):
        core.Queue().program("kernel void nothing(void) {}")
    assert any(record.name == "netcl.program" and record.levelname == "DEBUG" for record in caplog.records)


@pytest.mark.promise("A24")
def test_a_variable_prints_what_is_logged(run: Run) -> None:
    code = "from netcl import core; core.ones((3,)).to_host()"
    assert "netcl.memory: DEBUG:" in run(code, NETCL_LOG="debug").stderr
    assert run(code, NETCL_LOG="warning").stderr == ""
    assert run(code, NETCL_LOG="none").stderr == ""
    wrong = run(code, NETCL_LOG="loud")
    assert "NETCL_LOG: 'loud' is no level; write one of none, error, warning, info, debug" in wrong.stderr
