"""Every task of the repository, each in an environment of its own; `nox -l` lists them, `nox -s demo` runs one."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import nox

nox.needs_version = ">=2025.2.9"
nox.options.sessions = ["lint", "tests"]
nox.options.default_venv_backend = "virtualenv"
nox.options.reuse_venv = "yes"
nox.options.error_on_external_run = True

ROOT = Path(__file__).parent
GROUPS = nox.project.load_toml(ROOT / "pyproject.toml")
# In the order of their dependencies: each is useful with only those before it.
PACKAGES = ["netcl-core", "netcl-kernels", "netcl-autograd"]
TOGETHER = ["--numprocesses=auto", "--dist=worksteal"]
# Of the tests of what is computed, those for which the driver optimises what it compiles; for the others it takes what
# is fastest to compile.
FOLDERS = ["operations", "kernels", "autograd", "errors", "foreign"]
OPTIMISED = [
    "test_values.py", "test_emit_functions.py", "test_special_functions.py", "test_lanes.py", "test_cpu_products.py",
    "test_optimizers.py", "test_training.py", "test_threads_that_train.py",
]  # fmt: skip
PLAIN = {"POCL_EXTRA_BUILD_FLAGS": "-cl-opt-disable", "POCL_WORK_GROUP_METHOD": "loops"}


def install(session: nox.Session, *groups: str) -> None:
    """The three packages as editable installs, with the dependency groups of pyproject.toml that are named."""
    packages = [argument for name in PACKAGES for argument in ("-e", f"packages/{name}")]
    session.install(*packages, *group(*groups))


def group(*names: str) -> list[str]:
    return list(nox.project.dependency_groups(GROUPS, *names))


def quickly(session: nox.Session) -> dict[str, str]:
    """The environment in which processes start in less time, as Python keeps what it has compiled, and in which the
    driver links its kernels in half the time: with gold, where that is installed."""
    kept = {"PYTHONDONTWRITEBYTECODE": ""}
    gold = shutil.which("ld.gold")
    if gold is None:
        return kept
    folder = Path(session.virtualenv.location, "linker")
    folder.mkdir(exist_ok=True)
    (folder / "ld").unlink(missing_ok=True)
    (folder / "ld").symlink_to(gold)
    return {**kept, "COMPILER_PATH": str(folder)}


@nox.session
def tests(session: nox.Session) -> None:
    """The test suite; arguments after `--` go to pytest.

    The driver optimises the kernels of some of them: the values of all operations, training, the documentation. For the
    others it does not, which takes a third of the time; in `thorough` it does for all.
    """
    install(session, "tests")
    if session.posargs:
        session.run("pytest", *TOGETHER, *session.posargs)
        return
    every = [path for folder in FOLDERS for path in sorted(ROOT.glob(f"tests/{folder}/test_*.py"))]
    left = [path for path in every if not any(path.match(pattern) for pattern in OPTIMISED)]
    plain = [str(path.relative_to(ROOT)) for path in left]
    session.run("pytest", *TOGETHER, *plain, env={**PLAIN, **quickly(session)})
    session.run("pytest", *TOGETHER, *(f"--ignore={path}" for path in plain), env=quickly(session))


@nox.session
def thorough(session: nox.Session) -> None:
    """The test suite with all combinations of dtypes, shapes and kinds, of which `tests` has a part; all optimised."""
    install(session, "tests")
    session.run("pytest", *(session.posargs or TOGETHER), env={"NETCL_THOROUGH": "1"})


@nox.session
def mpi(session: nox.Session) -> None:
    """Data-parallel training: processes of their own under mpiexec, with the MPI library from PyPI."""
    install(session, "mpi")
    session.run("pytest", "tests/mpi", *session.posargs)


@nox.session
def compare(session: nox.Session) -> None:
    """Every program of benchmarks/ in all libraries, in turns; writes docs/reference/speed.md, about 40 minutes."""
    install(session, "compare")
    libraries = ["netcl", "torch", "jax", "scipy"]
    arguments = session.posargs or ["--write", "docs/reference"]
    session.run("python", "benchmarks/peers/compare.py", *libraries, *arguments)


@nox.session(name="compare-torch")
def compare_torch(session: nox.Session) -> None:
    """Values, gradients and the engine's behaviour beside PyTorch's, case by case; arguments go to pytest."""
    install(session, "compare-torch")
    session.run("pytest", "tests/compare_torch", *(session.posargs or TOGETHER))


@nox.session
def frameworks(session: nox.Session) -> None:
    """Ops as functions of PyTorch, JAX and NumPy, by their own checks of derivatives, over the catalogue."""
    install(session, "frameworks")
    session.run("pytest", "tests/frameworks", *(session.posargs or TOGETHER))


@nox.session
def fuzz(session: nox.Session) -> None:
    """40,000 texts for the compiler, other ones each time: an op or an explanation comes out, nothing else."""
    install(session, "tests")
    session.run("pytest", "tests/errors/test_any_text.py", "--hypothesis-profile=fuzz", "--timeout=0", *session.posargs)


@nox.session
def formulas(session: nox.Session) -> None:
    """2,000 formulas at random on the device, other ones each time, with two orders of gradients: about an hour."""
    install(session, "tests")
    file = "tests/kernels/test_random_formulas.py"
    session.run("pytest", file, "--hypothesis-profile=formulas", "--timeout=0", "--numprocesses=auto", *session.posargs)


@nox.session
def reliability(session: nox.Session) -> None:
    """Attacks, wrong calls and random programs; writes docs/reference/reliability.md, about 20 minutes on two cores."""
    install(session, "compare-torch")
    session.run("python", "tests/reliability/report.py", *session.posargs, env=quickly(session))


@nox.session
def programs(session: nox.Session) -> None:
    """5,000 random programs and 1,000 chains of ops beside PyTorch, with an oracle that never sees the compiler."""
    install(session, "compare-torch")
    jobs = f"--jobs={os.cpu_count()}"
    session.run("python", "tests/foreign/run.py", "1000", "--what", "chains", jobs, *session.posargs)
    session.run("python", "tests/foreign/run.py", "1000", "--what", "recurrences", jobs, *session.posargs)
    session.run("python", "tests/foreign/run.py", "200", "--what", "extremes", jobs, *session.posargs)
    session.run("python", "tests/foreign/run.py", "500", "--what", "graphs", jobs, *session.posargs)
    session.run("python", "tests/foreign/run.py", "5000", jobs, *session.posargs)


@nox.session
def gpu(session: nox.Session) -> None:
    """Kernels for cards, on a card or, where there is none, on PoCL (hours): tests; `-- --measure` for the speed."""
    install(session, "tests")
    session.run("netcl", "doctor")
    for_cards = {"NETCL_TARGET": "gpu"}
    if "--measure" in session.posargs:
        rest = [each for each in session.posargs if each != "--measure"]
        session.run("python", "benchmarks/cards.py", *rest, env=for_cards)
        return
    places = ("tests/operations", "tests/autograd", "tests/kernels/test_random_formulas.py")
    arguments = session.posargs or TOGETHER
    session.run("pytest", *places, *arguments, env=for_cards)


@nox.session
def lint(session: nox.Session) -> None:
    """ruff on everything, mypy on the compiler, the engine and the examples."""
    session.install(*group("lint"))
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")


@nox.session
def types(session: nox.Session) -> None:
    """pyright on the examples and what makes the documentation, as an editor has it; it needs Node.js, or fetches it.

    The packages are no editable installs: of a namespace whose packages lie in several folders pyright sees only one.
    """
    session.install(*(f"packages/{name}" for name in PACKAGES), *group("types"))
    session.run("pyright", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Make a site of docs/ in docs/_build; a link that leads nowhere is an error. Its blocks are run by `tests`."""
    install(session, "docs")
    session.run("sphinx-build", "-W", "--keep-going", "-q", "docs", "docs/_build", *session.posargs)


@nox.session
def demo(session: nox.Session) -> None:
    """Train a small convolutional network on handwritten digits, on the default device."""
    install(session, "demo")
    session.run("python", "examples/digits.py", *session.posargs)


@nox.session
def notebooks(session: nox.Session) -> None:
    """Execute the notebooks of docs/notebooks anew, and write what they show into them."""
    install(session, "notebooks")
    session.run("python", "docs/notebooks/execute.py")


@nox.session
def gallery(session: nox.Session) -> None:
    """A small case of every program of the gallery; each checks its own result. With names, those in full."""
    install(session, "demo")
    out = session.create_tmp()
    if session.posargs:
        for name in session.posargs:
            session.run("python", f"examples/gallery/{name}.py")
        return
    for path in sorted(ROOT.glob("examples/gallery/*.py")):
        if path.stem != "shown":
            session.run("python", str(path.relative_to(ROOT)), "--small", "--out", out, env=quickly(session))


@nox.session
def goldens(session: nox.Session) -> None:
    """Rewrite all generated text: tests/golden, stubs, the page of all ops; read the difference before you commit."""
    install(session, "tests")
    places = ("tests/golden", "tests/repo/test_generated.py")
    session.run("pytest", *places, "--rewrite-goldens", "-q", *session.posargs)


@nox.session
def promises(session: nox.Session) -> None:
    """Write docs/reference/promises.md: what netcl promises, beside the tests that show it."""
    session.install(*group("tests"))
    session.run("python", "docs/reference/promises.py")


@nox.session
@nox.parametrize("form", ["checkout", "editable", "wheel", "sdist"])
def packages(session: nox.Session, form: str) -> None:
    """Install each package with only those before it, in every form; the wheels are built from the sdists."""
    built = Path(session.create_tmp()) / form
    if form in ("wheel", "sdist"):
        session.install(*group("build"))
        for name in PACKAGES:
            # `build` makes the sdist, then the wheel out of that sdist and not out of the checkout.
            session.run("python", "-m", "build", "--outdir", str(built), f"packages/{name}", silent=True)
    session.run("python", "-m", "pip", "uninstall", "--yes", *PACKAGES, silent=True)
    for count in range(1, len(PACKAGES) + 1):
        session.install(*[argument for name in PACKAGES[:count] for argument in requirement(name, form, built)])
        session.run("python", "-I", str(ROOT / "tests/repo/installed.py"), form, *PACKAGES[:count])


@nox.session
def release(session: nox.Session) -> None:
    """Build sdists and wheels of all three packages into dist/; with `-- --check` only show that they are good: their
    metadata, and that each works in an environment of its own with only those before it."""
    session.install(*group("release"))
    session.run("towncrier", "build", "--draft", "--version", "next", silent=True)
    target = Path(session.create_tmp()) / "release" if "--check" in session.posargs else ROOT / "dist"
    shutil.rmtree(target, ignore_errors=True)
    root = with_addresses(session)
    for name in PACKAGES:
        session.run("python", "-m", "build", "--outdir", str(target), str(root / "packages" / name), silent=True)
    built = sorted(map(str, target.iterdir()))
    session.run("twine", "check", "--strict", *built)
    for count in range(1, len(PACKAGES) + 1):
        session.install(*[argument for name in PACKAGES[:count] for argument in requirement(name, "wheel", target)])
        session.run("python", "-I", str(ROOT / "tests/repo/installed.py"), "wheel", *PACKAGES[:count])


def with_addresses(session: nox.Session) -> Path:
    """The root of what is released: a copy in which each package says where the repository and its pages are, which a
    checkout does not know; the workflow that releases it does."""
    repository = os.environ.get("GITHUB_REPOSITORY")
    if repository is None:
        session.log("no GITHUB_REPOSITORY: the packages do not say where their repository is")
        return ROOT
    copy = Path(session.create_tmp()) / "root"
    shutil.rmtree(copy, ignore_errors=True)
    for name in ("packages", "kernels_dsl"):
        shutil.copytree(ROOT / name, copy / name)
    owner, _, name = repository.partition("/")
    home = f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{repository}"
    addresses = {
        "Documentation": f"https://{owner.lower()}.github.io/{name}/", "Repository": home, "Issues": f"{home}/issues",
        "Changelog": f"{home}/blob/main/CHANGELOG.md",
    }  # fmt: skip
    table = "".join(f'{label} = "{address}"\n' for label, address in addresses.items())
    for package in PACKAGES:
        with (copy / "packages" / package / "pyproject.toml").open("a") as file:
            file.write(f"\n[project.urls]\n{table}")
    return copy


@nox.session
def version(session: nox.Session) -> None:
    """`nox -s version -- 0.2.0`: give all packages that version, and move the fragments into CHANGELOG.md."""
    [new] = session.posargs or [None]
    if new is None:
        session.error("which version? nox -s version -- 0.2.0")
    session.install(*group("release"))
    [old] = {line for name in PACKAGES for line in re.findall(r'^version = "(.+)"$', pyproject(name).read_text(), re.M)}
    known = ("CITATION.cff", "tests/repo/test_packages.py", "packages/netcl-core/src/netcl/core/version.py")
    for path in (*map(pyproject, PACKAGES), *(ROOT / each for each in known)):
        path.write_text(re.sub(rf'(?<=[= :"]){re.escape(old)}\b', new, path.read_text()))
    session.run("towncrier", "build", "--yes", "--version", new)


@nox.session
def elsewhere(session: nox.Session) -> None:
    """What needs no OpenCL device: the compiler as far as the text of kernels; and which devices there are."""
    install(session, "tests")
    session.run("netcl", "doctor", success_codes=[0, 1])
    session.run("pytest", "tests/golden", "tests/kernels/test_mathematics.py", "tests/repo/test_language_page.py")


def pyproject(name: str) -> Path:
    return ROOT / "packages" / name / "pyproject.toml"


def requirement(name: str, form: str, built: Path) -> list[str]:
    """What to give pip for this package in this form."""
    if form == "checkout":
        return [f"packages/{name}"]
    if form == "editable":
        return ["-e", f"packages/{name}"]
    [file] = built.glob(f"{name.replace('-', '_')}-*{'.whl' if form == 'wheel' else '.tar.gz'}")
    return [str(file)]


@nox.session
def bench(session: nox.Session) -> None:
    """Run the benchmarks once in this environment, and every op beside numpy."""
    install(session, "bench")
    session.run("asv", "machine", "--yes", silent=True)
    session.run("asv", "run", "--environment", "existing:python", "--quick", "--show-stderr", *session.posargs)
    session.run("python", "benchmarks/against_numpy.py")
