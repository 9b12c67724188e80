"""`netcl ops check` compares what a device computes: with itself, with the evaluator, and with differences of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from netcl import kernels
from netcl.core.errors import IndexOutOfRangeError
from netcl.core.tensor import Tensor
from netcl.kernels.compiler.ir import Formula
from netcl.kernels.runtime import launch
from netcl.kernels.tools.check import WrongDerivative, check_form
from netcl.kernels.tools.device_check import Device

RUNNING = "op f(x[n, c]: float) -> y[n] { y = max[c](sum[r <= c](x[n, r]) ^ 2); }"
Change = Callable[[Formula, list[np.ndarray], int], None]


def checked(text: str) -> int:
    return check_form(kernels.compile(text).f.forms[0], on=Device())


def changed(monkeypatch: pytest.MonkeyPatch, change: Change) -> None:
    """Have every launch give what `change(formula, outputs, number of the launch)` makes of its outputs."""
    run, count = launch.run, iter(range(10**9))

    def wrong(formula: Formula, *args: Any, **kwargs: Any) -> tuple[Tensor, ...]:
        outputs = run(formula, *args, **kwargs)
        arrays = [np.array(each.to_host()) for each in outputs]
        change(formula, arrays, next(count))
        return tuple(Tensor.from_host(each.queue, array) for each, array in zip(outputs, arrays, strict=True))

    monkeypatch.setattr(launch, "run", wrong)


def test_what_a_device_gets_right_is_right() -> None:
    assert checked(RUNNING) > 40
    assert checked("op f(x[n]: float, at[m]: int) -> (y[m], z[]) { y = x[at] ^ 2; z = sum[n](sin(x)); }") > 10


LINEAR = """op f(table[k]: float, x[n]: float) -> y[n] WHERE {
    i[n] = int(floor(x));
    y = table[i] * (1 - x + i) + table[i + 1] * (x - i);
    SAMPLE
}"""


def linear(sample: str, where: str = "") -> str:
    return LINEAR.replace("SAMPLE", sample).replace("WHERE", where)


def test_draws_that_lead_out_of_an_axis_are_drawn_again_and_said_where_none_fits() -> None:
    assert checked(linear("sample x in [0.1, 2.9];")) > 40
    assert checked(linear("sample x in [0, size[k] - 1];", "where size[k] >= 2")) > 40
    with pytest.raises(
        IndexOutOfRangeError, match=r"what is drawn for x leads out of axis k of table; say what to draw"
    ):
        checked(linear("sample x in [30, 40];"))


def test_what_rounds_to_fewer_digits_than_it_is_checked_in_is_right() -> None:
    for name in ("astype", "uniform", "rsample_normal"):
        for form in kernels.catalogue[name].forms:
            check_form(form, on=Device())


def test_a_value_that_the_evaluator_does_not_have_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def change(formula: Formula, outputs: list[np.ndarray], _: int) -> None:
        outputs[0].flat[-1:] *= 1.001

    changed(monkeypatch, change)
    with pytest.raises(WrongDerivative, match=r"f on .*, y: element \(\d+,\) is \S+, but \S+ by its formula"):
        checked(RUNNING)


def test_another_value_at_the_second_time_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def change(formula: Formula, outputs: list[np.ndarray], number: int) -> None:
        if number % 2:
            outputs[0].flat[:1] += 1e-12

    changed(monkeypatch, change)
    with pytest.raises(WrongDerivative, match="the second time; something is read that was never written"):
        checked(RUNNING)


def test_a_gradient_that_the_evaluator_does_not_have_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def change(formula: Formula, outputs: list[np.ndarray], _: int) -> None:
        if "grad" in formula.name:
            outputs[0][...] = 0

    changed(monkeypatch, change)
    with pytest.raises(WrongDerivative, match=r"the gradient by x: element .* is 0, but"):
        checked(RUNNING)


def test_small_thresholds_bring_small_arrays_to_the_kernels_of_large_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows in blocks; what such a kernel gets wrong is named with the thresholds."""
    text = "op f(x[n, c]: float) -> y[n] { y = sum[c](x ^ 2); }"
    prepared, names = launch.prepare_for, set[str]()

    def watched(*args: Any, **kwargs: Any) -> launch.Plan:
        plan = prepared(*args, **kwargs)
        names.update(each.name for each in plan.kernels)
        return plan

    monkeypatch.setattr(launch, "prepare_for", watched)
    form = kernels.compile(text).f.forms[0]
    assert check_form(form, on=Device(small=True)) > 40
    assert "f_blocks__kernel" in names
    monkeypatch.setattr(Device, "_plan", lambda *args: _Zeros())
    with pytest.raises(WrongDerivative, match=r"f on .* with small thresholds, y: element"):
        check_form(form, on=Device(small=True))


class _Zeros:
    """A plan that gives zeros, in the shape of the first axis."""

    def run(self, tensors: list[Tensor], attributes: Any) -> tuple[Tensor, ...]:
        return (Tensor.from_host(tensors[0].queue, np.zeros(tensors[0].shape[0])),)


STIFF = """
op f(x[n]: float, lam[n]: float; steps: int, it: int, h: float) -> y[t, n] where t = steps, k = it {
    prev[t, n] = y[t - 1, n] else (x[n]);
    z[t, k, n] = k == 0 ? prev : w[t, k - 1, n];
    w[t, k, n] = z - (z - prev + h * lam * z ^ 3) / (1 + 3 * h * lam * z ^ 2);
    y = w[t, size[k] - 1, n];
}
"""


def test_a_formula_whose_differences_change_with_the_step_is_not_called_wrong() -> None:
    """Newton's method where it does not converge."""
    form = kernels.compile(STIFF).f.forms[0]
    assert check_form(form) > 0
    assert check_form(form, on=Device()) > 0
    wrong = kernels.compile(STIFF.replace("y = w", "grad lam = 0; y = w")).f.forms[0]
    with pytest.raises(WrongDerivative, match="the declared gradient of f by lam is wrong at"):
        check_form(wrong)
