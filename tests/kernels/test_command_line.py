"""`netcl ops`: what it prints of ops and files, and its exit codes. `new`, `fmt` and `bench` are tested elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from netcl import core, kernels
from netcl.core.cli import main as netcl
from netcl.core.errors import NetclError
from netcl.kernels.cli import main
from netcl.kernels.library.registry import dsl_folder


def test_the_list_has_each_op_with_its_other_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines() if line.startswith("  ")}
    assert lines["silu"].endswith("(also swish)")
    assert "also" not in lines["sigmoid"]


@pytest.mark.parametrize(
    "arguments", [["list"], ["check"], ["stub"], ["fmt"], ["doc"], ["show", "f", "--file"], ["bench", "f", "--file"]]
)
def test_a_file_that_does_not_exist_is_wrong_usage(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*arguments, str(tmp_path / "none.netcl")])
    assert ended.value.code == 2
    assert f"there is no file {tmp_path / 'none.netcl'}" in capsys.readouterr().err


def test_a_function_made_of_ops_is_said_to_be_one(capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["show", "glu"], ["bench", "glu"], ["check", "--no-device", "--only", "glu"]):
        assert main(command) == 1
        assert capsys.readouterr().err.startswith("netcl ops: glu is a function that is made of ops, and has neither ")
    assert main(["show", "cumsum", "--stage", "steps"]) == 0
    assert capsys.readouterr().out == "# nothing of cumsum is computed step by step: sums and scans go in blocks\n"


def test_an_op_that_no_drawn_sizes_fit_is_said_not_to_be_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    large = "op large(x[n]: float) -> y[n] where size[n] > 100000 { y = x * 2; }\n"
    file = tmp_path / "mine.netcl"
    file.write_text(large + large.replace("op large", "op two") + "op two(x[n, m]: float) -> y[n, m] { y = x * 2; }\n")
    assert main(["check", "--no-device", str(file)]) == 0
    first, second, third, *more = capsys.readouterr().out.splitlines()
    unfit = "not checked: of the sizes and numbers that were drawn none fit its conditions, at"
    assert first.startswith(f"large: {unfit} {file}:1; let small sizes fit, or say with `sample`")
    assert second.startswith("two: right at ")
    assert third.startswith(f"two: {unfit} {file}:2;")
    assert more == []


def test_a_file_without_an_op_is_not_all_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "empty.netcl"
    file.write_text("# nothing yet\n")
    assert main(["check", str(file)]) == 1
    assert f"{file}: no op is declared; `netcl ops new NAME` writes one" in capsys.readouterr().err


def test_an_empty_file_among_others_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.netcl").write_text("op right(x: float) -> y { y = x * x; }")
    (tmp_path / "b.netcl").write_text("")
    assert main(["check", str(tmp_path)]) == 1
    assert f"{tmp_path / 'b.netcl'}: no op is declared" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "reason"), [(b"op \xff", "is not text in UTF-8: byte 3 is 0xff"), (None, "be read")]
)
def test_what_is_no_text_is_named(content: bytes | None, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.netcl"
    file.mkdir() if content is None else file.write_bytes(content)
    with pytest.raises(NetclError, match=f"mine.netcl .*{reason}"):
        kernels.load(file)


def test_the_mark_that_some_editors_begin_a_file_with_is_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "mine.netcl"
    file.write_text("op right(x: float) -> y { y = x * x; }", encoding="utf-8-sig")
    assert kernels.load(file).right(core.from_host([3.0])).tolist() == [9.0]


def test_a_wrong_derivative_is_shown_with_the_words_and_switches_of_the_call(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.netcl"
    file.write_text('op f(x: float; how: word = "a", flip: bool = false) -> y {'
                    ' y = how != "a" and flip ? x * x : x; grad x = dy; }')  # fmt: skip
    assert main(["check", str(file)]) == 1
    assert re.search(r"\(element \(\d+,\)\) with how = '', flip = True: it gives", capsys.readouterr().out)


def test_a_check_shows_the_reading_that_leaves_its_axis(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.netcl"
    file.write_text(
        "op back(x[n]: float) -> y[n] { y = (y[n - 2] else 0) + y[n - 1] + x; }\n"
        "op ahead(x[n]: float) -> y[n] { y = x[n] + x[n + 1]; }\n"
    )
    assert main(["check", "--no-device", str(file)]) == 1
    printed = capsys.readouterr().out
    first, second = file.read_text().splitlines()
    column = first.index("y[n - 1]")
    assert f"back: WRONG\n{file}:1:{column + 1}: back: the positions -1 to " in printed
    assert " are not all in axis n of y (" in printed
    assert f"{first}\n    {' ' * column}^^^^^^^^\n" in printed
    assert f"ahead: WRONG\n{file}:2:{second.index('x[n + 1]') + 1}: ahead: the positions 1 to " in printed


def test_a_check_names_the_wrong_op_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.netcl"
    file.write_text("op wrong(x: float) -> y { y = x * x; grad x = dy; }\nop right(x: float) -> y { y = x * x; }")
    assert main(["check", str(file)]) == 1
    printed = capsys.readouterr().out
    assert f"wrong: WRONG\n{file}:1:43: the declared gradient of wrong by x is wrong at x = " in printed
    assert "right: right at" in printed


def test_a_right_derivative_of_what_swings_fast_is_not_called_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """At the 100 of the stress grid, differences of the usual step are too coarse for it."""
    file = tmp_path / "swings.netcl"
    file.write_text(
        "op f(x: float) -> y { y = sin(x * x) * x * x + x; }\n"
        "op g(x: float) -> y { z = x * x; y = sin(z); grad z = dy * cos(z); }\n"
    )
    assert main(["check", str(file)]) == 0
    file.write_text(
        "op f(x: float) -> y { y = sin(x * x); grad x = dy * (2 * x * cos(x * x) + (x == 100 ? 0.1 : 0)); }\n"
    )
    assert main(["check", str(file)]) == 1
    assert "the declared gradient of f by x is wrong at x = 100 " in capsys.readouterr().out


def test_a_check_refuses_names_that_there_are_already(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.netcl"
    file.write_text(
        "op sigmoid(x: float) -> y { y = x; }\nop mine also reshape(x: float) -> y { y = x; }\n"
        "op other(x: float) -> y { y = x; }\nop einsum also jit(x: float) -> y { y = x; }\n"
    )
    assert main(["check", str(file), "--no-device"]) == 1
    printed = capsys.readouterr().out
    assert f"sigmoid: WRONG\n{file}:1:4: there is an op sigmoid already, at kernels_dsl/" in printed
    assert f"mine: WRONG\n{file}:2:4: there is an op reshape already" in printed
    assert f"einsum: WRONG\n{file}:4:4: there is a function einsum already, which is made of ops; give" in printed
    assert f"einsum: WRONG\n{file}:4:4: netcl.autograd has the name jit (ag.jit); give this one another" in printed
    assert "other: WRONG" not in printed
    shipped = dsl_folder() / "shape.netcl"
    assert main(["check", str(shipped), "--no-device", "--only", "permute"]) == 0


@pytest.mark.parametrize("command", [["check"], ["fmt", "--check"], ["list"], ["doc"], ["stub"]], ids=lambda it: it[0])
def test_a_folder_without_declarations_is_a_mistake(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, str(tmp_path)]) == 1
    assert f"{tmp_path}: there is no .netcl file in this folder" in capsys.readouterr().err


def test_more_elements_than_a_tensor_may_have_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "sigmoid", "--elements", str(10**13)]) == 1
    assert "a tensor of 10000000000000 elements has no room on this device" in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "nowhere" / "mine.netcl"
    assert netcl(["ops", "new", "mine", "--file", str(file)]) == 1
    assert capsys.readouterr().err == f"netcl: No such file or directory: {file}\n"


def test_pages_of_files_are_written_into_the_folder_that_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder, op in (("here", "first"), ("there", "second")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "my_ops.netcl").write_text(f"op {op}(x: float) -> y {{ y = x * x; }}")
    given = [str(tmp_path / folder / "my_ops.netcl") for folder in ("here", "there")]
    assert main(["doc", *given, "--out", str(tmp_path / "pages")]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here", "pages", "there"]
    assert sorted(path.name for path in (tmp_path / "pages").iterdir()) == ["index.md", "my_ops.md"]
    text = (tmp_path / "pages/my_ops.md").read_text()
    assert text.startswith("# My ops\n")
    assert all(f"Declared in `{file}`." in text for file in given)
    assert main(["list", *given]) == 0
    assert capsys.readouterr().out.startswith("my_ops:\n  first ")


@pytest.mark.parametrize("elements", ["0", "-3", "many"])
def test_a_number_of_elements_is_positive(elements: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["bench", "sigmoid", f"--elements={elements}"])
    assert ended.value.code == 2
    assert f"{elements!r} is not a positive whole number" in capsys.readouterr().err


def test_all_ops_of_a_file_are_measured_where_none_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.netcl"
    file.write_text("op first(x: float) -> y { y = x * x; }\nop second(x: float) -> y { y = x + x; }")
    assert main(["bench", "--file", str(file), "--elements", "64"]) == 0
    printed = capsys.readouterr().out
    assert "first" in printed
    assert "second" in printed
    with pytest.raises(SystemExit) as ended:
        main(["bench"])
    assert ended.value.code == 2
    assert "name an op, or a file with --file" in capsys.readouterr().err


@pytest.mark.parametrize(
    "code",
    [
        "kernels.compile('op f(x: float) -> y { y = x * 2; }')",
        "raise SystemExit(cli.main(['ops', 'list']))",
        "raise SystemExit(cli.main(['ops', 'fmt', 'FILE']))",
    ],
)
def test_without_what_reads_the_language_a_sentence_says_so(code: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.netcl"
    file.write_text("op f(x: float) -> y { y = x * 2; }")
    before = "import sys; sys.modules['lark'] = None; from netcl import kernels; from netcl.core import cli; "
    done = subprocess.run(
        [sys.executable, "-c", before + code.replace("FILE", str(file))],
        env={**os.environ, "NETCL_CACHE_DIR": str(tmp_path / "cache")}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "lark, which reads the kernel language, cannot be imported" in done.stderr.splitlines()[-1]
    assert "pip install lark" in done.stderr
    assert ("Traceback" in done.stderr) is ("compile" in code)
