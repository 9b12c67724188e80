"""The page on other frameworks: every block runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import WITH_FRAMEWORKS, Reader, name


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of what PyTorch itself calls
@pytest.mark.parametrize("page", WITH_FRAMEWORKS, ids=name)
def test_every_block_of_the_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Reader(page, tmp_path).read()
