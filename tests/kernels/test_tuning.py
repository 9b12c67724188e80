"""`netcl tune`: the menu is measured, what is wrong is left out, the fastest is kept and used."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from netcl import core
from netcl.core import cache
from netcl.core.errors import NetclError
from netcl.kernels.compiler.target import CPU, GPU, POCL, Target
from netcl.kernels.compiler.target.products import STRIPS, TILES, LocalProducts
from netcl.kernels.compiler.target.tuned import _key, chosen, keep, tuned
from netcl.kernels.tools import tuning


@pytest.fixture(autouse=True)
def empty_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cache, "folder", lambda: tmp_path)
    monkeypatch.setenv("NETCL_CACHE", "1")


def test_what_was_found_is_used_and_what_is_damaged_is_not(tmp_path: Path) -> None:
    device, usual = core.default_device(), LocalProducts()
    assert tuned(usual, device) is usual
    tile = next(each for each in TILES if (each.rows, each.columns) == (64, 64))
    assert keep(device, tile, STRIPS[3])
    found = tuned(usual, device)
    assert found == chosen(usual, tile, STRIPS[3])
    assert found.tiles[0] == tile
    assert len(found.tiles) > 1
    assert all(each.rows * each.columns < 64 * 64 for each in found.tiles[1:])
    assert (found.skinny_items, found.skinny_ways) == STRIPS[3]
    cache.save(_key(device), b"", {"tile": [1, 2, 3, 4, 5], "strip": STRIPS[3]})
    assert tuned(usual, device) is usual
    (file,) = tmp_path.glob("*.program")
    file.write_bytes(b"something else")
    assert tuned(usual, device) is usual


def test_all_of_the_menu_is_measured_and_the_fastest_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = POCL if core.default_device().is_pocl else GPU.driver
    monkeypatch.setattr(Target, "of", staticmethod(lambda device: replace(GPU, driver=driver)))
    monkeypatch.setattr(tuning, "TILES", TILES[-2:])
    monkeypatch.setattr(tuning, "STRIPS", ((64, 1), (64, 4)))
    said: list[str] = []
    times = iter([3e-3, 2e-3, 1e-3, 1e-3, 2e-3, 2e-3])
    monkeypatch.setattr(tuning, "seconds_of", lambda run: next(times))
    assert tuning.tune(140, said.append)
    assert said[-1] == "kept: tiles of 32x32x16, 2x2 for each item; 64 items, 1 to a sum"
    assert tuned(LocalProducts(), core.default_device()).tiles[0] == TILES[-1]


def test_what_gives_a_wrong_result_or_does_not_run_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    found: dict[int, Any] = {1: None, 2: 3.0, 3: 4.0}
    said: list[str] = []

    def seconds(each: int) -> float | None:
        if each not in found:
            raise core.DeviceError("too large")
        return found[each]  # type: ignore[no-any-return]

    assert tuning._fastest((0, 1, 3, 2), seconds, str, said.append) == 2
    assert said[:2] == ["  0: does not run (too large)", "  1: left out"]
    assert tuning._fastest((0, 1), seconds, str, said.append) is None


def test_a_cpu_has_nothing_to_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Target, "of", staticmethod(lambda device: CPU))
    with pytest.raises(NetclError, match="is no graphics card"):
        tuning.main([])
