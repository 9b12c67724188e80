"""The three packages as distributions: the namespace, the versions, what travels in the sdist and the wheel.

Installing them in clean environments takes a minute and is `nox -s packages`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from repository import PACKAGES, ROOT

from netcl import autograd as ag
from netcl import core, kernels

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

VERSION = "0.1.0"


def project(name: str) -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads((PACKAGES[name] / "pyproject.toml").read_text())["project"]
    return table


def test_no_package_ships_a_netcl_init_file() -> None:
    assert not list(ROOT.glob("packages/*/src/netcl/__init__.py*"))
    assert [path.parent.name for path in sorted(ROOT.glob("packages/*/src/netcl/*/py.typed"))] == [
        "autograd",
        "core",
        "kernels",
    ]


@pytest.mark.parametrize("name", PACKAGES)
def test_versions_move_in_lockstep(name: str) -> None:
    table = project(name)
    assert table["version"] == VERSION
    for requirement in table["dependencies"]:
        if requirement.startswith("netcl-"):
            assert requirement.endswith(f"=={VERSION}")


def test_each_package_knows_its_version() -> None:
    assert core.__version__ == kernels.__version__ == ag.__version__ == VERSION


def test_each_package_depends_only_on_those_before_it() -> None:
    siblings = {
        name: {entry.split("==")[0] for entry in project(name)["dependencies"] if entry.startswith("netcl")}
        for name in PACKAGES
    }
    assert siblings == {
        "netcl-core": set(),
        "netcl-kernels": {"netcl-core"},
        "netcl-autograd": {"netcl-core", "netcl-kernels"},
    }


@pytest.mark.parametrize("name", PACKAGES)
def test_the_licence_travels_with_each_package(name: str) -> None:
    assert (PACKAGES[name] / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist of each package, and the wheel that was built from that sdist."""
    folder = tmp_path_factory.mktemp("built")

    def build(path: Path) -> None:
        command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(path)]
        result = subprocess.run(command, check=False, capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr

    with ThreadPoolExecutor() as pool:
        list(pool.map(build, PACKAGES.values()))
    return folder


def wheel_files(built: Path, name: str) -> set[str]:
    [file] = built.glob(f"{name.replace('-', '_')}-*.whl")
    return set(zipfile.ZipFile(file).namelist())


@pytest.mark.parametrize("name", PACKAGES)
def test_a_wheel_built_from_the_sdist_holds_exactly_the_source_tree(name: str, built: Path) -> None:
    source = PACKAGES[name] / "src"
    paths = [path.relative_to(source) for path in source.rglob("*") if path.is_file()]
    expected = {
        str(path) for path in paths if not any(part == "__pycache__" or part.startswith(".") for part in path.parts)
    }
    files = {file for file in wheel_files(built, name) if ".dist-info/" not in file and "/kernels_dsl/" not in file}
    assert files == expected


def test_kernels_dsl_travels_in_the_sdist_and_in_the_wheel_built_from_it(built: Path) -> None:
    declarations = {path.name for path in (ROOT / "kernels_dsl").glob("*.netcl")}
    assert declarations
    [sdist] = built.glob("netcl_kernels-*.tar.gz")
    with tarfile.open(sdist) as archive:
        in_sdist = {
            Path(file).name for file in archive.getnames() if "/kernels_dsl/" in file and file.endswith(".netcl")
        }
    in_wheel = {
        Path(file).name
        for file in wheel_files(built, "netcl-kernels")
        if file.startswith("netcl/kernels/kernels_dsl/") and file.endswith(".netcl")
    }
    assert in_sdist == declarations
    assert in_wheel == declarations


def test_each_wheel_carries_licence_and_entry_points(built: Path) -> None:
    for name in PACKAGES:
        assert any(file.endswith("/licenses/LICENSE") for file in wheel_files(built, name)), name
    [wheel] = built.glob("netcl_kernels-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        [entry_points] = [file for file in archive.namelist() if file.endswith("entry_points.txt")]
        assert "ops = netcl.kernels.cli:main" in archive.read(entry_points).decode()


@pytest.mark.parametrize(
    ("count", "files"),
    [
        (1, {"__init__.py": "class Tensor: pass\n"}),
        (2, {"__init__.py": "", "core/__init__.py": "class Tensor: pass\n"}),
        (3, {"__init__.py": "from netcl import autograd", "autograd/__init__.py": "from .engine import Node",
             "autograd/engine.py": "class Node: pass", "core/__init__.py": ""}),
    ],
)  # fmt: skip
def test_another_netcl_over_this_one_is_told_of(tmp_path: Path, count: int, files: dict[str, str]) -> None:
    """A package that was installed later has written over files of the same names."""
    folder = tmp_path / "site"
    for name in [*PACKAGES][:count]:
        shutil.copytree(ROOT / "packages" / name / "src/netcl", folder / "netcl", dirs_exist_ok=True)
    for name, text in files.items():
        (folder / "netcl" / name).write_text(text)
    last = [*PACKAGES][count - 1].replace("-", ".")
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); import {last}"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=False)
    assert "another package by the name of netcl lies over this one" in done.stderr
    assert "run `pip uninstall netcl`, and then `pip install --force-reinstall --no-deps netcl-" in done.stderr


def test_the_doctor_names_the_files_that_went_with_another_netcl(tmp_path: Path) -> None:
    """`pip uninstall` of the other package has removed what both had."""
    info = tmp_path / "netcl_autograd-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: netcl-autograd\nVersion: 0.1.0\n")
    names = ["__init__.py", "there.py", *(f"{each}.py" for each in "abcdef"), "__pycache__/there.cpython-311.pyc"]
    (info / "RECORD").write_text("".join(f"netcl/autograd/{name},sha256=abc,1\n" for name in names) + "../bin/x,,\n")
    (tmp_path / "netcl/autograd").mkdir(parents=True)
    (tmp_path / "netcl/autograd/there.py").touch()
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from netcl.core import cli; sys.exit(cli.main(['doctor']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    lost, then = done.stdout.splitlines()
    files = ", ".join(f"netcl/autograd/{each}.py" for each in ("__init__", *"abcd"))
    assert lost == f"netcl-autograd has lost 7 of its files: {files}, …"
    assert "Bring them back: `pip install --force-reinstall --no-deps netcl-" in then
    (info / "RECORD").write_text("netcl/autograd/there.py,sha256=abc,1\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "has lost" not in done.stdout
