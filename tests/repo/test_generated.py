"""Files that follow from the declarations are what follows from them now; `nox -s goldens` writes them anew."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from generated import FILES, pictures
from repository import PACKAGES, ROOT

from netcl.kernels import cli

PROGRAM = """\
from typing import Any

import numpy as np

from netcl import autograd as ag
from netcl import core, kernels

x = ag.tensor([1.0, 2.0], requires_grad=True)
w = core.from_host([0.5, 0.5])
with ag.Tape() as tape:
    y = ag.softmax(ag.linear(x, w) * 2 + w, axis=-1)
    loss = ag.mse_loss(y, w, reduction="sum") + y.sum()
tape.backward(loss)
plain: core.Tensor = kernels.ops.cat([w, w], axis=0)
kernels.ops.exp(w, out=w)
optimizer = ag.optim.SGD([x], lr=0.1)
with ag.no_grad():
    first = (-plain[0] / 2).item()

# What is a leaf, by the arguments; what operators give.
leaf: ag.Node = ag.zeros((2, 3), requires_grad=True)
also: ag.Node = ag.tensor([1.0], True)
value: core.Tensor = ag.tensor([1.0, 2.0])
either: ag.Node | core.Tensor = ag.ones(2, requires_grad=bool(first))
doubled: core.Tensor = 1 - value * 2 // np.float32(3)
nodes: list[ag.Node] = [x * w, w * x, 2 @ x, x[0], -x, x < w, x == w, *x]
tensors: list[core.Tensor] = [w[0], w == value, abs(w), *w]
if x.grad is not None:
    host = x.grad.to_host() + x.detach().to_host()

# An op is an object, too.
module = ag.sigmoid.torch(), ag.sigmoid.jax(), kernels.ops.sigmoid.numpy()
result, pull = kernels.ops.sigmoid.vjp(w)
text: str = ag.softmax.gradient.name + ag.softmax.source("opencl")
mine = kernels.compile("op cube(x: float) -> y { y = x ^ 3; }")
cube: ag.Node = mine.cube(x)


@ag.no_grad
def silent(x: ag.Node) -> ag.Node:
    return x * 2


@ag.inference_mode()
def quick(x: ag.Node) -> ag.Node:
    return silent(x)


# A function of a function has the parameters of that one.
def energy(x: ag.Node, scale: float = 1.0) -> ag.Node:
    return (x * x).sum() * scale


def with_more(x: ag.Node) -> tuple[ag.Node, str]:
    return x.sum(), "more"


fused: ag.Node = ag.jit(energy)(x, scale=2.0)
found, gradient = ag.jit(ag.value_and_grad(energy))(x, 2.0)
found.backward()
many: ag.Node = ag.vmap(energy, in_axes=(0, None))(x, 2.0)
slopes, more = ag.grad(with_more, has_aux=True)(x)
out, slope, string = ag.vjp(with_more, x, has_aux=True)
string.upper()
rows, hessian = ag.jacrev(energy)(x), ag.hessian(energy)(x)
by_name: dict[str, Any] = ag.grad(loss, {"x": x})


class Model:
    @ag.jit
    def step(self, x: ag.Node) -> ag.Node:
        return x * 2


stepped: ag.Node = Model().step(x)


class Twice(ag.Function):
    @staticmethod
    def forward(ctx: Any, x: core.Tensor, times: int) -> core.Tensor:
        return x * times

    @staticmethod
    def backward(ctx: Any, dy: core.Tensor) -> tuple[core.Tensor, None]:
        return dy, None


"""
WRONG = {
    "ag.sotfmax(x)": "has no attribute",
    'ag.mse_loss(x, w, reduction="average")': "arg-type",
    "kernels.ops.softmax(w, axes=1)": "call-arg",
    "ag.clamp('x')": "arg-type",
    "x + 'x'": "operator",
    "w - 'x'": "operator",
    "x.grad.to_host()": "union-attr",
    "ag.zeros(2, requires_grad='yes')": "call-overload",
    "leaf = ag.tensor([1.0])": "assignment",
    "ag.sigmoid.trch()": "attr-defined",
    "mine.cube.vpj(w)": "attr-defined",
    "ag.jit(energy)(x, scales=2.0)": "call-arg",
    "ag.value_and_grad(energy)('x')": "arg-type",
    "ag.vmap(energy)()": "call-arg",
    "Model().step(x, 2)": "call-arg",
    "silent(x, 2)": "call-arg",
}


@pytest.mark.parametrize("path", FILES)
def test_a_generated_file_is_what_follows_from_the_declarations(path: str, golden: Callable[[str, str], None]) -> None:
    golden(str(ROOT / path), FILES[path]())


def test_the_pictures_of_recurrences_are_those_of_the_declarations(golden: Callable[[str, str], None]) -> None:
    found = pictures()
    for path, picture in found.items():
        golden(str(ROOT / path), picture)
    [folder] = {(ROOT / path).parent for path in found}
    assert sorted(each.relative_to(ROOT).as_posix() for each in folder.iterdir()) == sorted(found)


def test_mypy_reads_the_stubs_accepts_a_program_and_refuses_its_mistakes(tmp_path: Path) -> None:
    lines = [*PROGRAM.splitlines(), *WRONG]
    (tmp_path / "program.py").write_text("\n".join(lines) + "\n")
    done = _mypy(tmp_path)
    found = {int(line.split(":")[1]): line for line in done.stdout.splitlines() if ": error:" in line}
    assert list(found) == list(range(len(lines) - len(WRONG) + 1, len(lines) + 1)), done.stdout + done.stderr
    for line, reason in zip(found.values(), WRONG.values(), strict=True):
        assert reason in line


# A module that hands on the ops of a package, used with its stub.
OF_A_PACKAGE = """\
from netcl import autograd as ag
from netcl import core
from ripples.functions import snake, wave

y: ag.Node = snake(ag.tensor([1.0], requires_grad=True), a=2.0)
wave(wave(core.ones(2)), out=core.ones(2)).sum().backward()
snake.vjp
"""
NO_OPS = {"snake([1.0])": "list[float]", "snake(y, b=2.0)": "Unexpected keyword argument"}


def test_mypy_reads_the_stub_of_the_ops_of_a_package_for_tensors_and_for_nodes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "ripples"
    folder.mkdir()
    (folder / "ops.netcl").write_text("op snake also wave(x: float; a: float = 1) -> y { y = x + sin(a * x); }")
    (folder / "__init__.py").write_text("")
    (folder / "functions.py").write_text("")
    assert cli.main(["stub", "--nodes", str(folder / "ops.netcl")]) == 0
    (folder / "functions.pyi").write_text(capsys.readouterr().out)
    assert cli.main(["stub", str(folder / "ops.netcl")]) == 0
    (folder / "of_tensors.pyi").write_text(capsys.readouterr().out)
    lines = [*OF_A_PACKAGE.splitlines(), *NO_OPS, "from ripples import of_tensors", "of_tensors.snake(y)"]
    (tmp_path / "program.py").write_text("\n".join(lines) + "\n")
    done = _mypy(tmp_path)
    found = {int(line.split(":")[1]): line for line in done.stdout.splitlines() if ": error:" in line}
    first = len(OF_A_PACKAGE.splitlines()) + 1
    assert list(found) == [*range(first, first + len(NO_OPS)), len(lines)], done.stdout + done.stderr
    for line, reason in zip(found.values(), [*NO_OPS.values(), '"Node"; expected "Tensor'], strict=True):
        assert reason in line


def _mypy(folder: Path) -> subprocess.CompletedProcess[str]:
    """What mypy says of program.py in this folder."""
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "--strict", "program.py"],
        env={**os.environ, "MYPYPATH": os.pathsep.join(str(package / "src") for package in PACKAGES.values())},
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
