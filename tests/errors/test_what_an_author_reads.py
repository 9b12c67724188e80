"""Each file under author/ has one mistake; the .txt beside it is what its author reads, word for word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from netcl.core.errors import KernelLanguageError
from netcl.kernels.library.registry import Catalogue

FILES = sorted(Path(__file__).with_name("author").glob("*.netcl"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_mistake_is_explained_where_it_is(path: Path, golden: Callable[[str, str], None]) -> None:
    with pytest.raises(KernelLanguageError) as caught:
        Catalogue().load_text(path.read_text(encoding="utf-8"), path.name)
    error = caught.value
    assert str(error).startswith(f"{path.name}:{error.line}:{error.column}: ")
    golden(f"author/{path.stem}.txt", f"{error}\n")


def test_every_message_has_its_mistake() -> None:
    messages = {path.stem for path in Path(__file__).with_name("author").glob("*.txt")}
    assert messages == {path.stem for path in FILES}
