"""What the programs of the gallery share: their arguments, and how their pictures look."""

from __future__ import annotations

import argparse
from pathlib import Path

from cycler import cycler
from matplotlib import rcParams
from matplotlib.figure import Figure

COLOURS = ("#0b6e8a", "#d9742b", "#5b8c3e", "#8a4f9e")
rcParams["axes.prop_cycle"] = cycler(color=COLOURS)
rcParams.update({"axes.spines.top": False, "axes.spines.right": False, "font.size": 9, "savefig.dpi": 120})


def options(text: str | None) -> argparse.Namespace:
    """The arguments of a program: `small` for a few seconds of the same, and `out`, the folder for its picture."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="a small case of the same, in a few seconds")
    parser.add_argument("--out", type=Path, default=Path("gallery-output"), help="folder for the picture")
    return parser.parse_args()


def figure(width: float = 8, height: float = 3.2) -> Figure:
    """An empty picture, in inches."""
    return Figure(figsize=(width, height), layout="constrained")


def save(picture: Figure, folder: Path, name: str) -> None:
    """Write `name`.png into the folder and say so."""
    folder.mkdir(parents=True, exist_ok=True)
    picture.savefig(folder / f"{name}.png")
    print(f"picture: {folder / name}.png")
