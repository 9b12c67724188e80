"""Parsed files where files have an owner and a mode."""

from __future__ import annotations

from pathlib import Path

from netcl.core import cache
from netcl.kernels.compiler.language.syntax import Source
from netcl.kernels.library import syntax_cache


def kept_file(source: Source) -> Path:
    return cache.folder() / (cache.key_of("syntax", syntax_cache._parser_key(), source.file, source.text) + ".program")


def test_a_kept_file_that_others_can_write_is_not_believed(tmp_path: Path) -> None:
    f, g = (Source(f"op {name}(x: float) -> y {{ y = x; }}", str(tmp_path)) for name in "fg")
    assert [syntax_cache.declarations(each)[0].name for each in (f, g)] == ["f", "g"]
    key = kept_file(f).stem
    cache.save(key, cache.load(kept_file(g).stem)[0], {})  # type: ignore[index]
    assert syntax_cache.declarations(f)[0].name == "g", "a file of one's own is believed"
    kept_file(f).chmod(0o622)
    assert syntax_cache.declarations(f)[0].name == "f"


def test_a_file_kept_for_another_text_is_not_believed(tmp_path: Path) -> None:
    f, g = (Source(f"op {name}(x: float) -> y {{ y = 2 * x; }}", str(tmp_path)) for name in "fg")
    assert [syntax_cache.declarations(each)[0].name for each in (f, g)] == ["f", "g"]
    kept_file(f).write_bytes(kept_file(g).read_bytes())
    assert syntax_cache.declarations(f)[0].name == "f"
