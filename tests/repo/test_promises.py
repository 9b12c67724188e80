"""The promises of docs/reference: each has a test, each test names known ones, and the page tells the truth."""

from __future__ import annotations

import importlib.util
import re
import sys
from types import ModuleType

import pytest
from repository import ROOT


@pytest.fixture(scope="module")
def promises() -> ModuleType:
    """The script that writes the page."""
    spec = importlib.util.spec_from_file_location("promises", ROOT / "docs/reference/promises.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_every_promise_has_a_test(promises: ModuleType) -> None:
    shown = {id for test in promises.shown() for id in test.ids}
    assert [promise.id for promise in promises.promises() if promise.id not in shown] == []


def test_every_marker_names_a_promise_that_there_is(promises: ModuleType) -> None:
    known = {promise.id for promise in promises.promises()}
    unknown = [(str(test.path), test.name, id) for test in promises.shown() for id in test.ids if id not in known]
    assert unknown == []


def test_promises_have_ids_of_their_section_and_are_sentences(promises: ModuleType) -> None:
    rows = promises.promises()
    assert len({row.id for row in rows}) == len(rows)
    for row in rows:
        assert re.fullmatch(r"[NPLAF]\d+", row.id), row
        assert row.text[0].isalpha(), row
        assert row.text.endswith("."), row


def test_the_page_is_what_the_script_writes(promises: ModuleType) -> None:
    assert promises.PAGE.read_text(encoding="utf-8") == promises.page(), "run `nox -s promises`"
