"""An op from a string, a file or an installed package has the rights of a shipped one."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from netcl import autograd as ag
from netcl import core, kernels
from netcl.core import operators
from netcl.kernels.library import registry

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


MODULE = "from pathlib import Path\n\nkernels = sorted(Path(__file__).parent.glob('*.netcl'))\n"


def package(
    folder: Path, ops: str | bytes, points: str = "sparkle:kernels", *, name: str = "sparkle", module: str = MODULE
) -> dict[str, str]:
    """Install a package that brings ops into a folder; the environment of a process that finds it there."""
    (folder / name).mkdir()
    (folder / name / "mine.netcl").write_bytes(ops if isinstance(ops, bytes) else ops.encode())
    (folder / name / "__init__.py").write_text(module)
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[netcl.kernels]\n{name} = {points}\n")
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


# What goes on working beside a package whose ops cannot be loaded, and what is said of a name that nobody has.
BESIDE = """\
from netcl import autograd as ag
from netcl import core, kernels

print((core.from_host([1.0]) + 1).tolist(), core.from_host([0.0]).exp().tolist(), core.from_host([3.0]).dim_().tolist())
for look in (lambda: kernels.ops.softn, lambda: ag.softn, lambda: core.zeros(1).softn, lambda: ag.tensor([1.0]).softn):
    try:
        look()
    except AttributeError as error:
        print(error)
"""


@pytest.mark.parametrize(
    ("ops", "points", "module", "reason"),
    [
        (TEXT.replace("soften", "sigmoid"), "sparkle:kernels", MODULE, "the op sigmoid is declared already, at kernel"),
        ("op f(x: float) -> y { y = z; }", "sparkle:kernels", MODULE, "mine.netcl:1:27:"),
        (
            TEXT.replace("soften", "glu"),
            "sparkle:kernels",
            MODULE,
            "mine.netcl:2:4: there is a function glu already, which is made of ops; give the op another name",
        ),
        (TEXT.replace("soften", "soften also grad"), "sparkle:kernels", MODULE, "netcl.autograd has the name grad"),
        (TEXT.replace("soften", "shape"), "sparkle:kernels", MODULE, "tensors have the name shape (x.shape)"),
        (b"\xff\x00", "sparkle:kernels", MODULE, "mine.netcl is not text in UTF-8: byte 0 is 0xff"),
        (TEXT, "sparkle:missing", MODULE, "has no attribute 'missing'"),
        (TEXT, "glitter:kernels", MODULE, "No module named 'glitter'"),
        (TEXT, "sparkle:kernels", "kernels = None", "paths of .netcl files are asked for, but it names None"),
        (TEXT, "sparkle:kernels", "kernels = [1]", "paths of .netcl files are asked for, but it names [1]"),
        (
            TEXT,
            "sparkle:kernels",
            "kernels = []",
            "it names no .netcl file; were they left out when the package was built?",
        ),
        (TEXT, "sparkle:kernels", "1 / 0", "ZeroDivisionError: division by zero"),
        (TEXT, "sparkle:kernels", "import sys\n\nsys.exit('no licence')", "SystemExit: no licence"),
    ],
)
def test_a_package_whose_ops_cannot_be_loaded_is_named_and_the_others_go_on_working(
    tmp_path: Path, ops: str | bytes, points: str, module: str, reason: str
) -> None:
    package(tmp_path, "op dim_(x: float) -> y { y = x / 2; }", "other:kernels", name="other")
    environment = package(tmp_path, ops, points, module=module)
    done = run(environment, "-c", BESIDE)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("cannot be loaded") == 1
    assert f"the ops of the package sparkle ({points}) cannot be loaded: " in done.stderr
    assert reason in done.stderr
    assert "Mend or uninstall sparkle." in done.stderr
    values, *said = done.stdout.splitlines()
    assert values == "[2.0] [1.0] [1.5]"
    assert len(said) == 4
    assert all(f"(the ops of sparkle ({points}) could not be loaded; `netcl doctor` says why)" in each for each in said)


def test_an_entry_point_that_names_nothing_is_shown_with_how_one_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue = registry.Catalogue()
    for value in ("not valid !!", ""):
        point = EntryPoint("sparkle", value, registry.ENTRY_POINT_GROUP)
        monkeypatch.setattr(registry, "entry_points", lambda group, point=point: [point])
        catalogue.load_packages()
        said = f"the entry point sparkle is {value!r}; write such as 'package.module:name'"
        assert catalogue.failed[f"sparkle ({value})"] == said


# What a package may do while it is imported: take ops that are shipped, and those of a package loaded before it.
USING = f"""\
from netcl import core, kernels
from netcl.autograd import sin, tensor

relu, dim = kernels.ops.relu, kernels.ops.dim_
started = (core.from_host([1.0, -2.0]) * 2).relu().tolist(), sin(tensor([0.0])).tolist()
{MODULE.replace("kernels", "files")}"""


@pytest.mark.parametrize(
    "first",
    ["from netcl import kernels; kernels.ops", "from netcl import autograd as ag; ag.sin",
     "from netcl import core; core.zeros(1).exp", "import netcl.kernels.array_api",
     "from netcl import autograd as ag; ag.tensor([1.0], requires_grad=True)"],
)  # fmt: skip
def test_a_package_uses_ops_while_it_is_imported(tmp_path: Path, first: str) -> None:
    package(tmp_path, "op dim_(x: float) -> y { y = x / 2; }", "brought:kernels", name="brought")
    environment = package(tmp_path, TEXT, "sparkle:files", module=USING)
    program = f"{first}\nimport sparkle\nprint(sparkle.started, sparkle.dim(core.ones(1)).tolist())\n"
    done = run(environment, "-c", f"from netcl import core\n{program}{PROGRAM}")
    assert done.stderr == ""
    started, *said = done.stdout.splitlines()
    assert started == "([2.0, 0.0], [0.0]) [0.5]"
    assert said[:3] == ["[0.25, 0.0625]", "[0.5, -0.75] [3.0]", "(much=1) Softens large values. True"]


def test_a_package_that_asks_for_ops_before_it_says_where_its_files_are_is_told_how_not_to(tmp_path: Path) -> None:
    environment = package(tmp_path, TEXT, "sparkle:files", module=USING.replace(", kernels.ops.dim_", ", None"))
    done = run(environment, "-c", "import sparkle")
    assert "the ops of the package sparkle (sparkle:files) cannot be loaded: AttributeError: partial" in done.stderr
    assert "point the entry point at a module that imports no netcl, or import netcl inside of functions" in done.stderr
    (tmp_path / "sparkle/files.py").write_text(MODULE)
    (tmp_path / "sparkle-1.0.dist-info/entry_points.txt").write_text(
        "[netcl.kernels]\nsparkle = sparkle.files:kernels\n"
    )
    done = run(environment, "-c", f"import sparkle\n{PROGRAM}")
    assert done.stdout.startswith("[0.25, 0.0625]"), done.stderr
    assert done.stderr == ""


def test_ops_are_listed_beside_a_package_that_cannot_be_loaded_and_the_doctor_tells_of_it(tmp_path: Path) -> None:
    environment = package(tmp_path, TEXT, module="kernels = None")
    listed = run(environment, "-m", "netcl.core.cli", "ops", "list")
    assert listed.returncode == 0
    assert "  sigmoid " in listed.stdout
    seen = run(environment, "-m", "netcl.core.cli", "doctor")
    assert "The ops of sparkle (sparkle:kernels) cannot be loaded; mend or uninstall it\n  paths of " in seen.stdout
    assert (seen.returncode, seen.stderr) == (1, "")


# Names that netcl.autograd has nothing for, or has for itself alone.
FREE = """\
from netcl import autograd as ag
from netcl import kernels

for name in ("remat", "write"):
    assert getattr(ag, name) is getattr(kernels.ops, name), name
    print(getattr(ag, name)(ag.tensor([1.0])).tolist(), getattr(ag.tensor([1.0]), name)().tolist())
"""


def test_an_op_may_have_a_name_that_is_only_used_inside_or_in_other_libraries(tmp_path: Path) -> None:
    ops = "op remat(x: float) -> y { y = 2 * x; }\nop write(x: float) -> y { y = 3 * x; }\n"
    done = run(package(tmp_path, ops), "-c", FREE)
    assert done.stdout.splitlines() == ["[2.0] [2.0]", "[3.0] [3.0]"], done.stderr


def test_the_names_of_an_installed_package_are_checked_as_before_it_was(tmp_path: Path) -> None:
    environment = package(tmp_path, TEXT + "op glu(x: float) -> y { y = x; }\n")
    check = ["-m", "netcl.core.cli", "ops", "check", str(tmp_path / "sparkle/mine.netcl"), "--no-device"]
    for each in (dict(os.environ), environment):
        done = run(each, *check)
        assert done.returncode == 1
        assert "mine.netcl:3:4: there is a function glu already, which is made of ops; give this" in done.stdout
        assert "soften: WRONG" not in done.stdout
    (tmp_path / "sparkle/mine.netcl").write_text(TEXT)
    assert run(environment, *check).returncode == 0


@pytest.mark.parametrize("given", ["{file!r}", "Path({file!r})", "lambda: {file!r}"])
def test_a_package_with_one_file_may_name_it_alone(tmp_path: Path, given: str) -> None:
    file = str(tmp_path / "sparkle/mine.netcl")
    module = f"from pathlib import Path\n\nkernels = {given.format(file=file)}\n"
    done = run(package(tmp_path, TEXT, module=module), "-c", PROGRAM)
    assert done.stdout.startswith("[0.25, 0.0625]"), done.stderr


def test_what_gives_tensors_their_operators_says_each_time_why_it_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operators, "_found", [])
    monkeypatch.setattr(operators, "_loaded", [])
    point = EntryPoint("broken", "no_such_module_of_operators", operators.GROUP)
    monkeypatch.setattr(operators, "entry_points", lambda group: [point])
    for _ in range(2):
        with pytest.raises(ModuleNotFoundError, match="no_such_module_of_operators"):
            core.zeros(1).no_such_op  # noqa: B018


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


@pytest.mark.parametrize("names", [("above", "below"), ("below", "above")])
def test_a_package_may_use_ops_of_another_one_wherever_they_lie(tmp_path: Path, names: tuple[str, str]) -> None:
    declared, using = names
    for name, text in {
        declared: "op twice(x: float) -> y { y = 2 * x; }",
        using: "op four_times(x: float) -> y { use s = twice(x); y = 2 * s; }",
    }.items():
        (tmp_path / name).mkdir()
        package(tmp_path / name, text, f"{name}:kernels", name=name)
    for order in (names, names[::-1]):
        path = os.pathsep.join([*(str(tmp_path / each) for each in order), *filter(None, sys.path)])
        done = run({**os.environ, "PYTHONPATH": path}, "-c", "from netcl.kernels import ops; print(ops.four_times)")
        assert (done.stderr, "four_times" in done.stdout) == ("", True)


def test_of_two_packages_with_one_op_the_first_by_name_has_it_wherever_they_lie(tmp_path: Path) -> None:
    for name, factor in (("above", 2), ("below", 3)):
        (tmp_path / name).mkdir()
        package(tmp_path / name, f"op times(x: float) -> y {{ y = {factor} * x; }}", f"{name}:kernels", name=name)
    program = "from netcl import core; from netcl.kernels import ops; print(ops.times(core.ones(1)).tolist())"
    for order in (("above", "below"), ("below", "above")):
        path = os.pathsep.join([*(str(tmp_path / each) for each in order), *filter(None, sys.path)])
        done = run({**os.environ, "PYTHONPATH": path}, "-c", program)
        assert done.stdout == "[2.0]\n"
        assert "the ops of the package below (below:kernels) cannot be loaded" in done.stderr
