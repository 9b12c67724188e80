"""An op from a string, a file or an installed package has the rights of a shipped one."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

from netcl import autograd as ag
from netcl import core, kernels

TEXT = '"""Softens large values."""\nop soften(x: float; much: float = 1) -> y { y = x / (1 + much * abs(x)); }\n'

# What the package below is used for: the same three ways as a shipped op, and the command line.
PROGRAM = """\
import inspect
from netcl import autograd as ag
from netcl import core, kernels

x = ag.tensor([1.0, -3.0], requires_grad=True)
ag.soften(x, much=1.0).sum().backward()
print(x.grad.tolist())
print(x.soften().tolist(), core.from_host([3.0]).soften(much=0.0).tolist())
print(inspect.signature(x.soften), kernels.ops.soften.summary, "soften" in dir(ag))
print(kernels.catalogue.families["soften"])
"""


def package(folder: Path, ops: str, points: str = "sparkle:kernels") -> dict[str, str]:
    """Install a package that brings ops into a folder; the environment of a process that finds it there."""
    (folder / "sparkle").mkdir()
    (folder / "sparkle/mine.netcl").write_text(ops)
    (folder / "sparkle/__init__.py").write_text(
        "from pathlib import Path\n\nkernels = sorted(Path(__file__).parent.glob('*.netcl'))\n"
    )
    info = folder / "sparkle-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sparkle\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[netcl.kernels]\nsparkle = {points}\n")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *filter(None, sys.path)])}


def run(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False)


def test_the_ops_of_an_installed_package_are_functions_methods_and_listed(tmp_path: Path) -> None:
    environment = package(tmp_path, TEXT)
    done = run(environment, "-c", PROGRAM)
    assert done.stdout.splitlines() == [
        "[0.25, 0.0625]",
        "[0.5, -0.75] [3.0]",
        "(much=1) Softens large values. True",
        "mine",
    ], done.stderr
    listed = run(environment, "-m", "netcl.core.cli", "ops", "show", "soften", "--stage", "derivative")
    assert "grad_x" in listed.stdout


@pytest.mark.parametrize(
    ("ops", "points", "reason"),
    [
        (TEXT.replace("soften", "sigmoid"), "sparkle:kernels", "the op sigmoid is declared already, at kernels_dsl/"),
        ("op f(x: float) -> y { y = z; }", "sparkle:kernels", "mine.netcl:1:27:"),
        (TEXT, "sparkle:missing", "has no attribute 'missing'"),
        (TEXT, "glitter:kernels", "No module named 'glitter'"),
    ],
)
def test_a_package_whose_ops_cannot_be_loaded_is_named(tmp_path: Path, ops: str, points: str, reason: str) -> None:
    done = run(package(tmp_path, ops, points), "-m", "netcl.core.cli", "ops", "list")
    assert done.returncode == 1
    assert f"the ops of the package sparkle ({points}) cannot be loaded" in done.stderr
    assert reason in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_is_loaded_like_a_string(tmp_path: Path) -> None:
    file = tmp_path / "mine.netcl"
    file.write_text(TEXT)
    x = ag.tensor([1.0, -3.0], requires_grad=True)
    for mine in (kernels.load(file), kernels.load(str(file)), kernels.compile(TEXT)):
        assert mine.soften(core.from_host([3.0]), much=0.0).tolist() == [3.0]
        x.grad = None
        mine.soften(x).sum().backward()
        assert x.grad.tolist() == [0.25, 0.0625]
    with pytest.raises(core.NetclError, match="there is no file"):
        kernels.load(tmp_path / "other.netcl")


def test_help_shows_the_signature_and_the_formula_of_an_op_and_of_a_method() -> None:
    soften = kernels.compile(TEXT).soften
    assert str(inspect.signature(soften)) == "(x, much=1)"
    assert soften.__doc__ == (
        "Softens large values.\n\nop soften(x: float; much: float = 1) -> y { y = x / (1 + much * abs(x)); }"
    )
    method = core.from_host([1.0]).softmax
    assert str(inspect.signature(method)) == "(axis=-1)"
    assert method.__doc__ == "Softmax along the given axes."
