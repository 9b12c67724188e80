"""In a notebook: `%%netcl` binds the ops of a cell, says what is wrong with it, and ops show what they are."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from IPython.core.interactiveshell import ExecutionResult, InteractiveShell
from shells import new_shell

from netcl import core, kernels

CUBE = '"""A <cube>."""\nop cube(x: float) -> y { y = x ^ 3; }\n'
TWO = CUBE + "op twice also double(x: float; factor: float = 2) -> y { y = x * factor; }\n"

Run = Callable[[str], ExecutionResult]


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> InteractiveShell:
    shell = new_shell(tmp_path_factory.mktemp("shell"))
    shell.run_cell("%load_ext netcl.kernels").raise_error()
    return shell


@pytest.fixture
def run(shell: InteractiveShell) -> Run:
    shell.reset()
    return lambda cell: shell.run_cell(cell, store_history=True)


def test_each_op_of_a_cell_is_bound_to_its_names(run: Run, shell: InteractiveShell) -> None:
    shown = run(f"%%netcl\n{TWO}").result
    names = shell.user_ns
    assert names["cube"](core.from_host([2.0])).tolist() == [8.0]
    assert names["twice"] is names["double"] is shown.twice
    assert run(f"%%netcl\n{CUBE}").result is names["cube"], "of one op, that is what the cell shows"


def test_with_a_name_all_ops_are_bound_to_it(run: Run, shell: InteractiveShell) -> None:
    shown = run(f"%%netcl mine\n{CUBE}").result
    assert shell.user_ns["mine"] is shown
    assert run("mine.cube.name").result == "cube"
    assert "cube" not in shell.user_ns


def test_the_ops_of_a_cell_can_be_used_in_the_cells_after_it(run: Run, shell: InteractiveShell) -> None:
    run(f"%%netcl\n{TWO}").raise_error()
    run("%%netcl\nop sixfold(x: float) -> y { use c = cube(x); use d = double(c); y = 3 * d; }").raise_error()
    run("%%netcl\nop more(x: float) -> y { use s = sixfold(x); y = s + 1; }").raise_error()
    assert shell.user_ns["more"](core.from_host([1.0, 2.0])).tolist() == [7.0, 49.0]
    again = pickle.loads(pickle.dumps(shell.user_ns["more"]))
    assert again(core.from_host([2.0])).tolist() == [49.0]
    run("%%netcl mine\nop thrice(x: float) -> y { y = 3 * x; }").raise_error()
    run("%%netcl\nop ninefold(x: float) -> y { use t = thrice(x); y = 3 * t; }").raise_error()
    assert shell.user_ns["ninefold"](core.from_host([1.0])).tolist() == [9.0]


def test_the_cell_that_was_run_last_is_the_one_whose_op_is_used(
    run: Run, shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    for factor in (2, 5):
        run(f"%%netcl\nop exp(x: float) -> y {{ y = {factor} * x; }}").raise_error()
        run("%%netcl\nop f(x: float) -> y { use e = exp(x); y = e; }").raise_error()
        assert shell.user_ns["f"](core.from_host([1.0])).tolist() == [factor]
    run("del f").raise_error()
    run("%%netcl\nop g(x: float) -> y { use e = f(x); y = e; }")
    assert "there is no op f to use" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("%%netcl\n\nop f(x: float) -> y { y = z; }", "In [1]:3:27: z is no operand"),
        ("%%netcl\n# an op follows\n", "%%netcl: the cell declares no op; write one, as in op cube("),
        ("%%netcl --file a\nop", "%%netcl: there is no option --file; write %%netcl, or %%netcl NAME"),
        ("%%netcl a b\nop", "%%netcl: one name is enough, but there are 2: a, b"),
        ("%%netcl 2d\nop", "%%netcl: '2d' cannot be the name of a variable; write %%netcl NAME, as %%netcl mine"),
        ("%%netcl for\nop", "%%netcl: 'for' cannot be the name of a variable"),
        ("%%netcl", "%%netcl is a cell magic, but the cell body is empty"),
    ],
)
@pytest.mark.sample(2)
def test_what_is_wrong_is_shown_and_where_it_stands_and_no_traceback(
    run: Run, capsys: pytest.CaptureFixture[str], cell: str, message: str
) -> None:
    done = run(cell)
    assert not done.success
    told = capsys.readouterr()
    assert message in told.out + told.err
    assert "Traceback" not in told.out + told.err
    assert ".py" not in told.out + told.err


def test_the_error_of_a_cell_has_the_line_and_a_caret(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    error = run("%%netcl\nop f(x: float) -> y { y = x + z; }\nop g(x: float) -> y { y = w; }").error_in_exec
    assert isinstance(error, core.KernelLanguageError)
    assert [each.line for each in error.mistakes] == [2, 3]
    told = capsys.readouterr().out
    assert "\n    op f(x: float) -> y { y = x + z; }\n                                  ^\n" in told
    assert told.rstrip().endswith("2 mistakes")


def test_an_op_shows_its_formula_derivative_and_kernels() -> None:
    picture = kernels.compile(CUBE).cube._repr_html_()
    assert "<b>Op</b> cube(x)</div><div>A &lt;cube&gt;.</div>" in picture
    assert "op cube(x: float) -&gt; y { y = x ^ 3; }" in picture
    assert "grad_x[i0]: float32 = " in picture
    assert "__kernel void cube_grad__kernel(" in picture


@pytest.mark.parametrize("name", ["kalman_filter", "argmax", "conv2d"])
def test_kernels_that_are_long_are_not_made(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("netcl.kernels.tools.op_html.bodies", lambda op: "")
    picture = kernels.catalogue[name]._repr_html_()
    assert "They are long: print its source()." in picture
    assert len(picture) < 20_000


def test_compiled_ops_are_a_list_and_nothing_is_said_of_names_that_a_notebook_asks_for() -> None:
    mine: Any = kernels.compile(TWO)
    told: list[str] = []
    before = core.set_error_handler(lambda code, message: told.append(message))
    try:
        assert not hasattr(mine, "_ipython_display_")
    finally:
        core.set_error_handler(before)
    assert told == []
    picture = mine._repr_html_()
    assert "<b>Compiled</b> 2 ops" in picture
    assert ">twice(x, factor=2) also double</td>" in picture
    assert "A &lt;cube&gt;." in picture


def test_netcl_does_not_import_ipython() -> None:
    program = (
        "import sys; from netcl import kernels; kernels.ops.exp._repr_html_(); import netcl.kernels.tools.notebook; "
        "print('IPython' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
