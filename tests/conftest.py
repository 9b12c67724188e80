"""What all tests share: a program cache of their own, a seeded generator, golden files, and a check that each test
leaves the thread as it found it.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import numpy as np
import pytest
from thorough import left_for_thorough_runs

ROOT = Path(__file__).resolve().parents[1]

# Before netcl reads its settings, and for the processes that tests start. Kept between runs, so that only what changed
# is built.
os.environ.setdefault("NETCL_CACHE_DIR", str(ROOT / ".netcl-cache"))
# Whoever reads memory that nobody has written finds NaN there, and numbers that no test expects.
os.environ.setdefault("NETCL_POISON", "1")

# Every plan that a test makes is verified.
os.environ.setdefault("NETCL_VERIFY", "1")

# Kernels are built at the first example, so an example may take any time; the same examples are drawn every time.
hypothesis.settings.register_profile("netcl", deadline=None, derandomize=True)
hypothesis.settings.register_profile("fuzz", deadline=None, max_examples=1000)
hypothesis.settings.register_profile("formulas", deadline=None, max_examples=2000)
hypothesis.settings.load_profile("netcl")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite-goldens", action="store_true", help="write the generated text into tests/golden instead of comparing"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left = left_for_thorough_runs(items)
    config.hook.pytest_deselected(items=[item for item in items if item in left])
    items[:] = [item for item in items if item not in left]


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)` asserts that the text is that of the file `name` beside the test, or rewrites the file."""
    folder = request.path.parent

    def compare(name: str, text: str) -> None:
        path = folder / name
        if request.config.getoption("--rewrite-goldens"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"no golden file {path.relative_to(ROOT)}; run `nox -s goldens` and read what it wrote"
        assert text == path.read_text(encoding="utf-8"), f"{path.relative_to(ROOT)} differs; see `nox -s goldens`"

    return compare


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture(autouse=True)
def _numbers_of_its_own(request: pytest.FixtureRequest) -> None:
    """A test draws the same numbers whichever tests its worker ran before: the `rng` of a module starts anew."""
    if isinstance(getattr(request.module, "rng", None), np.random.Generator):
        request.module.rng = np.random.default_rng(zlib.crc32(request.node.nodeid.encode()))


@pytest.fixture(autouse=True)
def _thread_left_as_found() -> Iterator[None]:
    yield
    if "netcl.autograd" in sys.modules:
        from netcl import autograd as ag

        assert ag.is_grad_enabled(), "the test left gradients disabled"
        assert ag.get_current_tape() is None, "the test left a tape open"
