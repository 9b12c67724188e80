"""What may import what, read off the import statements of the source."""

from __future__ import annotations

import ast
import graphlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from repository import AUTOGRAD, CORE, KERNELS, PACKAGES, ROOT, imported, modules


def importers(folder: Path, prefix: str) -> set[str]:
    """The files in the folder that import the module `prefix` or something from it."""
    return {
        str(path.relative_to(folder))
        for path in modules(folder)
        if any(name == prefix or name.startswith(prefix + ".") for name in imported(path))
    }


def test_core_knows_neither_kernels_nor_autograd() -> None:
    assert importers(CORE, "netcl.kernels") == set()
    assert importers(CORE, "netcl.autograd") == set()


def test_kernels_does_not_know_autograd() -> None:
    assert importers(KERNELS, "netcl.autograd") == set()


def test_the_compiler_never_imports_pyopencl() -> None:
    assert importers(KERNELS / "compiler", "pyopencl") == set()


def test_modules_of_the_compiler_import_in_one_direction_also_for_types() -> None:
    source = PACKAGES["netcl-kernels"] / "src"
    paths = {
        ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__"): path
        for path in modules(KERNELS / "compiler")
    }
    imports = {
        module: {name if name in paths else name.rpartition(".")[0] for name in imported(path)} & paths.keys()
        for module, path in paths.items()
    }
    graphlib.TopologicalSorter(imports).prepare()  # raises CycleError
    nests = "netcl.kernels.compiler.loops"
    below, waiting = set[str](), [f"{nests}.values", f"{nests}.folding"]
    while waiting:
        module = waiting.pop()
        waiting += imports[module] - below
        below |= imports[module]
    assert f"{nests}.ir" in below
    assert f"{nests}.text" not in below, "what makes a nest knows nothing of its text"


def test_folders_of_the_compiler_import_in_one_direction() -> None:
    here = "netcl.kernels.compiler."
    imports: dict[str, set[str]] = {}
    for path in modules(KERNELS / "compiler"):
        folder = path.relative_to(KERNELS / "compiler").with_suffix("").parts[0]
        used = {name[len(here) :].partition(".")[0] for name in imported(path) if name.startswith(here)}
        imports[folder] = imports.get(folder, set()) | used - {folder}
    order = list(graphlib.TopologicalSorter(imports).static_order())
    stages = ["ir", "derive", "lower", "loops", "targets", "schedule", "pipeline"]
    assert sorted(stages, key=order.index) == stages


def test_what_targets_share_lies_above_them() -> None:
    """A scan or sort that no schedule of a card takes has that of a CPU, which is the one thing it asks for."""
    gpu = KERNELS / "compiler" / "targets" / "gpu"
    of_cpu = {name for path in modules(gpu) for name in imported(path) if ".targets.cpu" in name}
    assert of_cpu == {"netcl.kernels.compiler.targets.cpu.choose"}
    assert importers(KERNELS / "compiler" / "targets" / "cpu", "netcl.kernels.compiler.targets.gpu") == set()


@pytest.mark.parametrize(
    "page", [KERNELS / "compiler" / "pipeline.py", ROOT / "docs" / "explanation" / "architecture.md"], ids=str
)
def test_every_schedule_is_named_where_one_begins_to_read(page: Path) -> None:
    schedules = {path.stem for path in modules(KERNELS / "compiler" / "targets" / "cpu" / "schedules")} - {"__init__"}
    text = page.read_text(encoding="utf-8")
    assert [name for name in sorted(schedules) if not re.search(rf"^\W*{name}\b", text, re.MULTILINE)] == []


def test_of_autograd_only_the_binding_of_the_catalogue_and_jit_know_kernels() -> None:
    knowing = {Path(file).parts[0] for file in importers(AUTOGRAD, "netcl.kernels")}
    assert knowing == {"ops", "programs"}
    assert {file for file in importers(AUTOGRAD, "netcl.kernels") if file.startswith("programs")} == {
        "programs/assembled.py", "programs/jitted.py", "programs/replay.py",
    }  # fmt: skip


def test_importing_autograd_loads_no_compiler_and_no_driver() -> None:
    program = "import sys, netcl.autograd; print(*[m for m in ('lark', 'numba', 'pyopencl') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert result.stdout.split() == []


def test_every_environment_variable_is_declared_in_settings() -> None:
    pattern = re.compile(r"\bNETCL_[A-Z][A-Z_]*")
    declared = set(pattern.findall((CORE / "settings.py").read_text()))
    assert "NETCL_DEVICE" in declared
    for package in PACKAGES.values():
        for path in modules(package / "src"):
            undeclared = set(pattern.findall(path.read_text())) - declared
            assert not undeclared, f"{path.relative_to(ROOT)} uses {undeclared}, unknown to core/settings.py"


def test_every_module_says_what_it_is() -> None:
    without = [
        str(path.relative_to(ROOT))
        for package in PACKAGES.values()
        for path in modules(package / "src")
        if not re.match(r'\s*[rR]?"""\S', path.read_text())
    ]
    assert without == []


@pytest.mark.parametrize("word", ["TODO", "FIXME", "NotImplementedError", "mark.skip(", "mark.xfail"])
def test_nothing_is_left_for_later(word: str) -> None:
    here = Path(__file__)
    files = [path for folder in ("packages", "tests", "examples", "benchmarks") for path in modules(ROOT / folder)]
    assert [str(path.relative_to(ROOT)) for path in files if path != here and word in path.read_text()] == []


def test_hand_written_kernels_stay_few() -> None:
    """A `.cl` file may stand beside a `.netcl` only where the language cannot say it: name it here."""
    assert [path.name for path in ROOT.glob("kernels_dsl/**/*.cl")] == []
    assert [str(path.relative_to(ROOT)) for path in ROOT.glob("packages/**/*.cl")] == [
        "packages/netcl-core/src/netcl/core/census.cl",
    ]
    texts = {path: path.read_text(encoding="utf-8") for each in (CORE, KERNELS, AUTOGRAD) for path in modules(each)}
    assert [path.name for path, text in texts.items() if re.search(r"^\s*(__)?kernel void \w+\(", text, re.M)] == []


def test_modules_of_autograd_import_downwards_and_only_two_methods_reach_up() -> None:
    """`record(dy)` and `node.backward()` are methods for the user's sake; what they do is the engine's."""
    reaching, imports = set(), {}
    for path in modules(AUTOGRAD):
        module = ".".join(path.relative_to(AUTOGRAD).with_suffix("").parts)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imports[module] = {
            name
            for statement in tree.body
            if isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith("netcl.autograd")
            for alias in statement.names
            for name in (f"{statement.module}.{alias.name}"[len("netcl.autograd.") :], statement.module[15:])
        }
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef) and any(
                isinstance(inner, ast.ImportFrom) and "netcl" in (inner.module or "") for inner in ast.walk(function)
            ):
                reaching.add(f"{module}.{function.name}")
    assert reaching == {"graph.record.__call__", "graph.node.backward"}
    order = list(graphlib.TopologicalSorter({m: n & imports.keys() for m, n in imports.items()}).static_order())
    begins = ["graph.state", "graph.record", "engine.engine", "engine.tape"]
    assert sorted(begins, key=order.index) == begins


def test_what_functions_remember_of_their_arguments_has_a_bound() -> None:
    """`functools.cache` is for what there are few of: processes, dtypes, sizes of a float."""
    few = {"_source", "_threads", "_compiled"}
    found = {
        f"{path.name}: {node.name}"
        for folder in (CORE, KERNELS, AUTOGRAD)
        for path in modules(folder)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.args.args and node.name not in few
        if any(ast.unparse(each) in ("cache", "functools.cache") for each in node.decorator_list)
    }
    assert not found, "netcl.core.bounded.remembered keeps those that were used last"


def test_no_python_runs_when_something_goes() -> None:
    """What a signal handler raises in a finaliser, or in the callback of a weak reference, is lost (decision 0022)."""
    pattern = re.compile(r"def __del__|Weak(Key|Value)Dictionary|WeakSet|weakref\.finalize|import .*\bfinalize\b")
    found = [
        f"{path.name}: {line.strip()}"
        for folder in (CORE, KERNELS, AUTOGRAD)
        for path in modules(folder)
        for line in path.read_text(encoding="utf-8").splitlines()
        if pattern.search(line)
    ]
    assert found == []
