"""Text from outside is never code: a sample of the injections, and that the net would catch one."""

from __future__ import annotations

from pathlib import Path

import injections
import pytest

from netcl.kernels.compiler.opencl import comment as comments

HOSTILE = [
    *map(chr, [*range(32), 127, 0x85, 0x2028, 0x2029, 0xE9, 0x4E2D, 0xDCFF, 0x10FFFF]),
    "\\", "\\\n", "\\ ", "??/", "?\\?/",
    "??/\n", "*/", "/*", "*\\", "//", "\r\n#error", "x" * 10_000, "é" * 10_000, "\\" * 500, "?" * 500 + "/",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_a_comment_is_one_line_of_printable_characters(text: str) -> None:
    for quoted in (text, f"a{text}b", f"a{text}", f"{text}:1", f"b{text}" * 3):
        written = comments.comment(quoted)
        assert written.startswith("//")
        assert written.count("\n") == 1
        assert written.endswith("\n")
        assert all(" " <= each <= "~" for each in written[:-1])
        assert "\\" not in written
        assert "??" not in written
        assert "*/" not in written
        assert len(written) < 300


@pytest.fixture
def site(tmp_path: Path) -> injections.Site:
    return injections.Site(tmp_path)


def test_no_injection_of_a_sample_gets_through(site: injections.Site) -> None:
    chosen = [each for each in injections.attacks(site) if not each[0].startswith(("environment", "entry_point"))][::31]
    assert len(chosen) > 40
    for name, attack in chosen:
        assert injections.got_through(site, attack) is None, name


def test_what_gets_through_is_seen(site: injections.Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comments, "_plain", lambda text: text)
    seen = [
        injections.got_through(site, lambda payload=payload: injections._name_of_a_text(site, payload))
        for payload in (f"a\n#error {injections.SECRET}\n", f'a\n#include "{site.secret}"\n', "a\nint foreign;\n\\")
    ]
    assert all(seen[:2])
