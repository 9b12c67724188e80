"""An op that nobody has seen before, in a file of its own: nothing else is edited, and everything works."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from repository import ROOT

from netcl import autograd as ag
from netcl import core, kernels
from netcl.core.cli import main as netcl

WOBBLE = '''"""A wobble that fades."""
op wobble(x: float, w: float; fade: float = 1) -> y {
    y = w * sin(x) / (1 + fade * x ^ 2);
    sample x in [-2, 2];
    sample w in [-1, 1];
}
'''
STAGES = ["syntax", "ir", "derivative", "opencl", "grad_fn"]
PAGE = """\
### wobble

`wobble(x, w, fade=1)`

A wobble that fades.
"""
STUB = "def wobble(x: Operand, w: Operand, fade: float = 1, *, out: Tensor | None = None) -> Value:"
SHAPES = [(), (0,), (7,), (3, 0, 5), (13, 17), (1, 1, 3, 1)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "made_up.netcl"
    path.write_text(WOBBLE)
    return path


def reference(x: np.ndarray, w: np.ndarray, fade: float = 1.0) -> np.ndarray:
    return w * np.sin(x) / (1 + fade * x**2)


def test_it_is_listed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert netcl(["ops", "list", str(file)]) == 0
    printed = capsys.readouterr().out
    assert "wobble" in printed
    assert "A wobble that fades." in printed


@pytest.mark.parametrize("stage", STAGES)
def test_it_is_shown_at_every_stage(stage: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert netcl(["ops", "show", "wobble", "--file", str(file), "--stage", stage]) == 0
    assert "sin" in capsys.readouterr().out


def test_its_page_and_its_stub_follow_from_the_file(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert netcl(["ops", "doc", str(file)]) == 0
    page = capsys.readouterr().out
    assert PAGE in page
    assert f"Declared in `{file}`." in page
    assert "Derivative, derived; it saves `x`, `w`, `y`:" in page
    assert netcl(["ops", "stub", str(file)]) == 0
    assert f'{STUB}\n    """A wobble that fades."""\n' in capsys.readouterr().out


@pytest.mark.promise("F2", "A16")
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_its_value_and_gradients_are_right_on_any_shape(shape: tuple[int, ...], rng: np.random.Generator) -> None:
    mine = kernels.compile(WOBBLE)
    x_host, w_host = rng.uniform(-2, 2, (2, *shape)).astype(np.float32)
    x, w = ag.tensor(x_host, requires_grad=True), ag.tensor(w_host, requires_grad=True)
    y = mine.wobble(x, w, fade=0.5)
    assert y.shape == shape
    np.testing.assert_allclose(y.to_host(), reference(x_host, w_host, 0.5), rtol=1e-5, atol=1e-6)
    y.sum().backward()
    np.testing.assert_allclose(w.grad.to_host(), reference(x_host, np.ones_like(w_host), 0.5), rtol=1e-5, atol=1e-6)


def test_it_broadcasts_and_reads_strided_views(rng: np.random.Generator) -> None:
    mine = kernels.compile(WOBBLE)
    x_host = rng.uniform(-2, 2, (8, 6)).astype(np.float32)
    x, w = core.from_host(x_host), ag.tensor(0.5, requires_grad=True)
    y = mine.wobble(x[1::2, ::-1], w)
    np.testing.assert_allclose(y.to_host(), reference(x_host[1::2, ::-1], np.float32(0.5)), rtol=1e-5, atol=1e-6)
    y.sum().backward()
    assert w.grad.shape == ()


@pytest.mark.promise("F2")
def test_it_is_differentiable_twice(rng: np.random.Generator) -> None:
    mine = kernels.compile(WOBBLE)
    x, w = (ag.tensor(rng.uniform(-2, 2, (3, 4)), requires_grad=True, dtype="float64") for _ in range(2))
    assert ag.gradcheck(mine.wobble, [x, w])
    assert ag.gradgradcheck(mine.wobble, [x, w])


def test_a_right_declared_derivative_passes_the_check(file: Path) -> None:
    file.write_text(WOBBLE.replace("    sample x", "    grad w = dy * sin(x) / (1 + fade * x ^ 2);\n    sample x"))
    assert netcl(["ops", "check", str(file)]) == 0


def test_a_wrong_declared_derivative_fails_the_check(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(WOBBLE.replace("    sample x", "    grad w = dy * cos(x) / (1 + fade * x ^ 2);\n    sample x"))
    assert netcl(["ops", "check", str(file)]) != 0
    printed = capsys.readouterr()
    report = printed.out + printed.err
    assert "wobble" in report
    assert "made_up.netcl:4" in report, "the report names the line of the derivative"


def test_the_check_is_of_the_ops_that_are_named(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = WOBBLE.replace("    sample x", "    grad w = dy * cos(x) / (1 + fade * x ^ 2);\n    sample x")
    file.write_text(f"{wrong}\nop twice(x: float) -> y {{ y = 2 * x; }}\n")
    assert netcl(["ops", "check", str(file), "--only", "twice", "--no-device"]) == 0
    assert "wobble" not in capsys.readouterr().out
    assert netcl(["ops", "check", str(file), "--only", "thrice"]) == 1
    assert "'thrice'; did you mean twice" in capsys.readouterr().err


def test_the_file_beside_the_examples_passes_the_check() -> None:
    assert netcl(["ops", "check", str(ROOT / "examples/bump.netcl")]) == 0
