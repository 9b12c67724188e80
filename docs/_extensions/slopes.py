"""Pictures of the functions of one number on the pages of operations: the value and its slope.

Both are what the reference evaluator makes of the declaration, so a picture shows what the op computes.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from sphinx.application import Sphinx

from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.derive.formula import NoDerivative
from netcl.kernels.compiler.ir.evaluate import evaluate
from netcl.kernels.compiler.specialise.canonical import canonical_signature
from netcl.kernels.library.op import Op
from netcl.kernels.library.registry import Catalogue

PAGES = "reference/operations/"
FAMILIES = ("activation", "arithmetic", "elementary", "special")
POINTS = 401
X = np.linspace(-4, 4, POINTS)
GREY = "#8a8f98"
"""Readable on a light page and on a dark one."""
Values = np.ndarray[Any, np.dtype[np.float64]]
_HEADING = re.compile(r"^## (\w+)$", re.MULTILINE)

rcParams.update({"svg.hashsalt": "netcl", "svg.fonttype": "none", "font.family": "sans-serif"})


def draw(app: Sphinx) -> None:
    """An SVG of each op of one number whose line is not straight, beside the pages."""
    folder = Path(app.srcdir, PAGES, "slopes")
    folder.mkdir(exist_ok=True)
    catalogue = Catalogue.shipped()
    for op in catalogue:
        target = folder / f"{op.name}.svg"
        if catalogue.families[op.name] in FAMILIES and _is_of_one_number(op) and not target.exists():
            value, slope = _lines(op)
            steps = np.diff(value[np.isfinite(value)])
            if np.ptp(steps) > 1e-9:
                _picture(op.name, value, slope).savefig(target, transparent=True, metadata={"Date": None})


def show(app: Sphinx, page: str, content: list[str]) -> None:
    """A heading of an op that has a picture is followed by it."""
    if page.startswith(PAGES):
        there = Path(app.srcdir, PAGES, "slopes")

        def followed(heading: re.Match[str]) -> str:
            name = heading[1]
            image = f"![{name} and its slope](slopes/{name}.svg)"
            return f"{heading[0]}\n\n{image}" if (there / f"{name}.svg").exists() else heading[0]

        content[0] = _HEADING.sub(followed, content[0])


def _is_of_one_number(op: Op) -> bool:
    form = op.forms[0]
    signature = canonical_signature(form)
    formula = pipeline.forward(form, signature)
    if len(formula.operands) != 1 or len(formula.outputs) != 1 or formula.outputs[0].dtype != "float32":
        return False
    given = [each for each in form.attributes if each.default is None]
    return formula.operands[0].axes == formula.outputs[0].axes and not given and formula.operands[0].dtype == "float32"


def _lines(op: Op) -> tuple[Values, Values | None]:
    """The values along X and, where there is one, their derivative."""
    form = op.forms[0]
    formula = pipeline.forward(form, canonical_signature(form))
    operand, output = formula.operands[0].name, formula.outputs[0].name
    attributes = {name: _default(op, name) for name in formula.attributes}
    sizes = {index: POINTS for axis in formula.outputs[0].axes for index in axis}
    with np.errstate(all="ignore"):
        [y] = evaluate(formula, {operand: X}, attributes, sizes)
        try:
            gradient = pipeline.gradient(formula, pipeline.differentiable(formula))
        except NoDerivative:
            return y, None
        [slope] = evaluate(gradient, {operand: X, output: y, f"d{output}": np.ones(POINTS)}, attributes, sizes)
    return y, np.broadcast_to(slope, POINTS)


def _picture(name: str, value: Values, slope: Values | None) -> Figure:
    figure = Figure(figsize=(4.2, 2.2), layout="constrained")
    axes = figure.subplots()
    axes.plot(X, _shown(value), color="#0b7fa3", linewidth=2, label=name)
    if slope is not None:
        axes.plot(X, _shown(slope), color="#e07b39", linewidth=1.5, linestyle="--", label="its slope")
    axes.set_ylim(*_limits(np.concatenate([value, value if slope is None else slope])))
    axes.spines[["top", "right"]].set_visible(False)
    for spine in axes.spines.values():
        spine.set_color(GREY)
    axes.tick_params(colors=GREY, labelsize=8)
    axes.axhline(0, color=GREY, linewidth=0.5)
    axes.axvline(0, color=GREY, linewidth=0.5)
    axes.legend(frameon=False, labelcolor=GREY, fontsize=8)
    return figure


def _default(op: Op, name: str) -> float:
    [default] = [each.default for each in op.forms[0].attributes if each.name == name]
    return float(getattr(default, "value", 0))


def _shown(values: Values) -> Values:
    """Without what no line can be drawn to, and without lines across jumps."""
    shown = np.where(np.abs(values) < 50, values, np.nan)
    shown[1:][np.abs(np.diff(shown)) > 0.9] = np.nan
    return shown


def _limits(values: Values) -> tuple[float, float]:
    known = np.sort(values[np.isfinite(values)])
    spared = len(known) // 50
    low, high = np.clip([known[spared], known[-1 - spared]], -4, 4)
    room = 0.06 * (high - low)
    return low - room, high + room


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", draw)
    app.connect("source-read", show)
    return {"parallel_read_safe": True}
