"""One generated call in both libraries: what came of it."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
from both import Array, Case, disagreement, expected, found
from differences import PAGE
from generated import call

from netcl.core import NetclError

FINE = ("right", "refused", "more")
"""PyTorch's numbers, or both refuse; netcl alone refuses, as the page says; PyTorch alone refuses."""


def judged(seed: int) -> tuple[str, str]:
    """(one of `FINE`, or what is wrong; the sentence)."""
    case = call(seed)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            theirs = expected(case)
        except Exception as error:
            theirs, refusal = {}, f"{type(error).__name__}: {error}"
        try:
            ours = found(case)
        except NetclError as error:
            told = f"{case.op}: {error}".splitlines()[0]
            if not theirs:
                return "right", ""
            return ("refused" if any(each in told for each in refusals()) else "refused without a reason"), told
        except Exception as error:
            return "undocumented", f"{case.op}: {type(error).__name__}: {error}"
        if not theirs:
            return "more", f"{case.op}: {refusal}".splitlines()[0]
        finite = all(np.isfinite(each).all() for name, each in theirs.items() if name.startswith("value"))
        for name, result in ours.items():
            try:
                apart = disagreement(result, theirs[name], pointwise=False)
            except AssertionError as error:
                return "wrong", f"{case}: {name}: {error}"
            if not name.startswith("value") and not finite:
                continue  # the slope of what is no number
            if apart.any() and not rounded(case, name, result, theirs[name]):
                return "wrong", f"{case}: {name}: netcl {result.tolist()}, PyTorch {theirs[name].tolist()}"
    return "right", ""


def rounded(case: Case, name: str, ours: Array, theirs: Array) -> bool:
    """Whether the two differ by rounding alone: sums of operands of about 1 cancel, and in float32 PyTorch itself is as
    far from float64."""
    if ours.dtype.kind != "f" or not np.array_equal(np.isfinite(ours), np.isfinite(theirs)):
        return False
    ours, theirs = np.nan_to_num(ours), np.nan_to_num(theirs)
    if ours.dtype == np.float64:
        return bool((np.abs(ours - theirs) < 1e-10).all())
    wide = [each.astype("float64") if each.dtype.kind == "f" else each for each in case.inputs]
    exact = np.nan_to_num(expected(replace(case, inputs=wide))[name].astype(np.float64))
    noise = np.abs(theirs - exact).max(initial=0)
    scale = np.abs(exact).max(initial=0)
    return bool((np.abs(ours - exact) <= 2e-5 * scale + 10 * noise + 1e-7).all())


def refusals() -> list[str]:
    """What netcl refuses and PyTorch takes: the sentences of the table on the page of differences."""
    section = PAGE.read_text(encoding="utf-8").split("\n## Calls that are refused\n")[1].split("\n## ")[0]
    return [line.split("`")[1] for line in section.splitlines() if line.startswith("| `")]
