"""Formulas of twenty lines, as people write them who have the documentation alone: each a file beside this one.

`formula(name)` is the text of one, `arrays(name)` has values for its operands, and `attributes(name)` for the rest.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

NAMES = tuple(sorted(path.stem for path in Path(__file__).parent.glob("*.netcl")))
ATTRIBUTES: dict[str, dict[str, Any]] = {"bicycle": {"steps": 4, "h": 0.2}, "march": {"steps": 4}}


def formula(name: str) -> str:
    return (Path(__file__).parent / f"{name}.netcl").read_text()


def attributes(name: str) -> dict[str, Any]:
    return ATTRIBUTES.get(name, {})


def arrays(name: str) -> dict[str, NDArray[np.float64]]:
    """Each operand's values, in float64 and in the order of the declaration."""
    rng = np.random.default_rng(0)

    def drawn(low: float, high: float, *shape: int) -> NDArray[np.float64]:
        return rng.uniform(low, high, shape)

    ahead = np.array([0.0, 0, 1])
    if name == "bicycle":
        path = np.stack([np.linspace(0, 2, 5), drawn(-0.3, 0.3, 5)], 1)
        start = drawn(-0.5, 0.5, 3, 4) + np.array([0, 0, 0, 1])
        return {"start": start, "path": path, "gain": np.array([1.2, 0.5, 1.5]), "length": np.array(0.7)}
    if name == "camera":
        lens = np.concatenate([drawn(0.8, 1.2, 4), drawn(-0.1, 0.1, 5)])
        return {"point": drawn(-1, 1, 5, 3) + 4 * ahead, "pose": drawn(-0.3, 0.3, 5, 6), "lens": lens}
    if name == "fisheye":
        lens = np.concatenate([drawn(0.8, 1.2, 2, 2), drawn(0.4, 0.6, 2, 2), drawn(-0.05, 0.05, 2, 4)], 1)
        point, pose = drawn(-1, 1, 4, 3) + 3 * ahead, drawn(-0.2, 0.2, 2, 6)
        return {"x": point, "lens": lens, "pose": pose, "seen": drawn(0, 1, 4, 2, 2)}
    if name == "ggx":
        light = drawn(-0.7, 0.7, 4, 2, 3) + ahead
        around = {"normal": drawn(-0.3, 0.3, 4, 3) + ahead, "view": drawn(-0.5, 0.5, 4, 3) + ahead, "light": light}
        surface = {"base": drawn(0.1, 0.9, 4, 3), "rough": drawn(0.2, 0.8, 4), "metal": drawn(0, 1, 4)}
        return {**around, "power": drawn(0.5, 2, 2, 3), **surface}
    if name == "march":
        rays = {"eye": drawn(-0.2, 0.2, 4, 3) - 3 * ahead, "to": drawn(-0.4, 0.4, 4, 3) + ahead}
        return {**rays, "ball": drawn(-0.5, 0.5, 3, 3), "radius": drawn(0.2, 0.5, 3), "blend": np.array(0.1)}
    assert name == "slerp", name
    return {"p": drawn(-1, 1, 6, 4), "q": drawn(-1, 1, 6, 4), "t": drawn(0, 1, 6), "v": drawn(-1, 1, 6, 3)}
