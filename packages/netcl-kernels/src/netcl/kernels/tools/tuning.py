"""`netcl tune`: which sizes of a small menu this device multiplies matrices with fastest.

Each is compiled, its result is compared with NumPy's, and then it is timed; what a device does not take, or computes
wrongly, is left out and said. The fastest are kept in the cache folder, for this device and this version of netcl, and
are used from then on. Without the command nothing is ever measured.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from netcl import core
from netcl.core.errors import DeviceError, NetclError
from netcl.kernels.compiler.target import Target
from netcl.kernels.compiler.target.products import STRIPS, TILES, LocalProducts, LocalTile
from netcl.kernels.compiler.target.tuned import keep
from netcl.kernels.library.registry import Catalogue
from netcl.kernels.runtime import launch
from netcl.kernels.tools.measuring import seconds_of

SIZE = 1024
_TOLERANCE = 1e-3
"""Of the largest result: float32 sums of some thousand terms are as near as that in any order."""

Choice = TypeVar("Choice")


def main(argv: Sequence[str] | None = None) -> int:
    """Run `netcl tune`; 0 when something was found and kept, 1 when not."""
    parser = argparse.ArgumentParser(prog="netcl tune", description=__doc__)
    parser.add_argument("--size", type=int, default=SIZE, help="of the matrices; default: %(default)s")
    return 0 if tune(parser.parse_args(argv).size, print) else 1


def tune(size: int, say: Callable[[str], Any]) -> bool:
    """Measure the menu on the default device, and keep what is fastest; whether that could be done."""
    device = core.default_device()
    target = Target.of(device)
    local = target.products.local
    if local is None:
        raise NetclError(f"{device.name} is no graphics card: what netcl runs there has no sizes to choose")
    say(f"on {device.name}, products of {size} by {size}")
    trial = _Trial(target, local, size)
    tile = _fastest(TILES, trial.tile, _tile_text, say)
    strip = _fastest(STRIPS, trial.strip, lambda each: f"{each[0]} items, {each[1]} to a sum", say)
    if tile is None or strip is None or not keep(device, tile, strip):
        say("nothing is kept")
        return False
    say(f"kept: {_tile_text(tile)}; {strip[0]} items, {strip[1]} to a sum")
    return True


def _tile_text(tile: LocalTile) -> str:
    return f"tiles of {tile.rows}x{tile.columns}x{tile.depth}, {tile.down}x{tile.across} for each item"


def _fastest(
    menu: Sequence[Choice],
    seconds: Callable[[Choice], float | None],
    text: Callable[[Choice], str],
    say: Callable[[str], Any],
) -> Choice | None:
    best: tuple[float, Choice] | None = None
    for each in menu:
        try:
            taken = seconds(each)
        except DeviceError as error:
            say(f"  {text(each)}: does not run ({str(error).splitlines()[0]})")
            continue
        say(f"  {text(each)}: {'left out' if taken is None else f'{taken * 1e3:.3f} ms'}")
        if taken is not None and (best is None or taken < best[0]):
            best = taken, each
    return None if best is None else best[1]


class _Trial:
    """Seconds of a product with other sizes than the usual; None where they are not used, or give a wrong result."""

    def __init__(self, target: Target, local: LocalProducts, size: int) -> None:
        self.target, self.local = target, local
        rng = np.random.default_rng(0)
        self.square = [rng.standard_normal((size, size)).astype(np.float32) for _ in range(2)]
        self.matmul = Catalogue.shipped()["matmul"]

    def tile(self, tile: LocalTile) -> float | None:
        return self._seconds("tiles", replace(self.local, tiles=(tile,)), *self.square)

    def strip(self, strip: tuple[int, int]) -> float | None:
        """One row with a matrix, and a matrix with one column."""
        local = replace(self.local, skinny_items=strip[0], skinny_ways=strip[1])
        left, right = self.square
        taken = [self._seconds("skinny", local, *pair) for pair in ((left[:1], right), (left, right[:, :1]))]
        return sum(each for each in taken if each is not None) if None not in taken else None

    def _seconds(self, schedule: str, local: LocalProducts, *arrays: np.ndarray[Any, Any]) -> float | None:
        target = replace(self.target, products=replace(self.target.products, local=local))
        call = self.matmul.bind([core.from_host(np.ascontiguousarray(each)) for each in arrays], {})
        plan = launch.prepare_for(target, call.formula, call.operands, call.attributes)
        if not plan.kernels or plan.kernels[0].schedules != (schedule,):
            return None
        (found,) = plan.run(call.operands, call.attributes)
        left, right = (each.astype(np.float64) for each in arrays)
        wanted = left @ right
        if not np.allclose(found.to_host(), wanted, rtol=0, atol=_TOLERANCE * np.abs(wanted).max()):
            return None
        return seconds_of(lambda: plan.run(call.operands, call.attributes))
