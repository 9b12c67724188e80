"""What `netcl tune` found on a device, in the cache folder: which tile of the menu is fastest, which strip.

Nothing is there unless the command was run. What is damaged, or is none of the menu, is as if it were not there.
"""

from __future__ import annotations

from dataclasses import astuple, replace
from typing import TYPE_CHECKING

from netcl.core import cache
from netcl.core.version import __version__
from netcl.kernels.compiler.target.products import STRIPS, TILES, LocalProducts, LocalTile

if TYPE_CHECKING:
    from netcl.core.device import Device


def tuned(local: LocalProducts, device: Device) -> LocalProducts:
    """The sizes of products for a device: the usual ones, or with what was found."""
    entry = cache.load(_key(device))
    if entry is None:
        return local
    notes = entry[1]
    tiles = {astuple(tile): tile for tile in TILES}
    tile, strip = tiles.get(tuple(notes.get("tile", ()))), tuple(notes.get("strip", ()))
    return local if tile is None or strip not in STRIPS else chosen(local, tile, strip)


def chosen(local: LocalProducts, tile: LocalTile, strip: tuple[int, ...]) -> LocalProducts:
    """With this tile for long sides, in front of the smaller ones, and this strip."""
    smaller = [each for each in local.tiles if each.rows * each.columns < tile.rows * tile.columns]
    return replace(local, tiles=(tile, *smaller), skinny_items=strip[0], skinny_ways=strip[1])


def keep(device: Device, tile: LocalTile, strip: tuple[int, ...]) -> bool:
    """Whether it could be written."""
    return cache.save(_key(device), b"", {"tile": astuple(tile), "strip": strip})


def _key(device: Device) -> str:
    return cache.key_of("tuned products", __version__, device.platform, device.name, device.driver)
