"""`netcl ops bench`: what an op cannot do without is counted from its formula; how long it takes is never asserted."""

from __future__ import annotations

from pathlib import Path

import pytest

from netcl.kernels.cli import main
from netcl.kernels.compiler import pipeline
from netcl.kernels.namespace import catalogue
from netcl.kernels.tools import measuring
from netcl.kernels.tools.measuring import Device, Measurement
from netcl.kernels.tools.sampling import Wish, sizes


def operations(op: str, form: int, gradient: bool = False, **lengths: int) -> int:
    wish = Wish(rank=1, dtype="float32", lengths=(4,), lengths_of=lengths, windows=(3,), numbers_of={"padding": 1})
    found = sizes(catalogue[op].forms[form], wish)
    formula = pipeline.visible(found.formula)
    if gradient:
        formula = pipeline.gradient(found.formula, pipeline.differentiable(found.formula))
    return measuring._operations(formula, found.bindings.sizes)


@pytest.mark.parametrize(
    ("op", "form", "gradient", "expected"),
    [
        ("add", 0, False, 4),
        ("matmul", 3, False, 2 * 4**4),
        ("matmul", 3, True, 2 * 2 * 4**4),
        ("sum", 0, False, 4),
        ("conv2d", 0, False, 2 * 4**2 * 4**3 * 9 + 4**4),
        ("embedding", 0, False, 0),
        ("embedding", 0, True, 4 * 4),
    ],
)
def test_each_operation_of_a_formula_counts_once_for_each_point_of_its_indices(
    op: str, form: int, gradient: bool, expected: int
) -> None:
    assert operations(op, form, gradient) == expected


def test_the_least_time_is_that_of_the_bytes_or_of_the_arithmetic_whichever_is_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    device = Device()
    monkeypatch.setattr(device, "copying", lambda nbytes: 10.0)
    monkeypatch.setattr(device, "reading", lambda nbytes: 100.0)
    monkeypatch.setattr(device, "operations_per_second", lambda: 1000.0)

    def one(read: int, written: int, operations: int) -> tuple[float, str]:
        return device.least(Measurement("", "value", 1.0, read, written, operations))

    assert one(40, 40, 0) == (8.0, "bytes")
    assert one(140, 40, 0) == (9.0, "bytes")
    assert one(0, 40, 0) == (4.0, "bytes")
    assert one(40, 40, 9000) == (9.0, "arithmetic")


def test_a_table_has_a_line_for_value_and_gradient_of_each_form(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "_ROUND", 1e-4)
    monkeypatch.setattr(measuring, "_SQUARE", 16)
    assert main(["bench", "sigmoid", "argmax", "permute", "--elements", "1000"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[2:28].strip() for line in lines[2:] if line.startswith("  ")] == ["value", "gradient of x", "value"]
    assert lines[2] == "sigmoid(x[1000])"
    assert lines[-1] == "permute: a view, nothing is computed"
    file = tmp_path / "mine.netcl"
    file.write_text("op triple(x[i, j]: float) -> y[i, j] { y = 3 * x; }")
    assert main(["bench", "triple", "--file", str(file), "--elements", "4096"]) == 0
    assert "triple(x[64, 64])" in capsys.readouterr().out
    assert main(["bench", "tripel"]) == 1
