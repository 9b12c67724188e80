"""One program put to the test: both sides, and where they part."""

from __future__ import annotations

import random
import re
import warnings
from dataclasses import dataclass

import numpy as np
import torch
from cases import STYLES, Case, Results, case
from netcl_results import Runner
from programs import Program
from torch_results import expected
from torch_values import Outside

from netcl import core


@dataclass(frozen=True)
class Fault:
    """`kind` is wrong, undocumented, or death; `where` is a result or a stage."""

    kind: str
    where: str
    message: str


def apart(program: Program, given: Case, ours: Results, theirs: Results) -> list[str]:
    """The results that part, with both numbers.

    What PyTorch has no number for is compared in values alone, second derivatives and tangents only where gradients and
    values are finite: infinity times a constant is NaN for some. Where something comes near the end of float32's range,
    terms on the way may be beyond it: what is finite is compared. A sum that cancels to nothing has the rounding of
    what was as large as anything there is.
    """
    told = []
    infinite = any(not np.isfinite(each).all() for name, each in theirs.items() if name.startswith("gradient"))
    rounding: Results | None = None
    largest = max((float(np.max(np.abs(each[np.isfinite(each)]), initial=0)) for each in theirs.values()), default=0.0)
    for name, found in ours.items():
        wanted = theirs[name]
        if found.shape != wanted.shape:
            told.append(f"{name}: shape {found.shape}, expected {wanted.shape}")
            continue
        if not found.size or (infinite and name.startswith("second")):
            continue
        defined = np.isfinite(wanted)
        if name.startswith("tangent"):
            defined &= np.isfinite(theirs[name.replace("tangent", "value")])
        single = given.dtype == "float32"
        if single and largest > 1e30:
            defined &= np.isfinite(found)
        scale = 1 + np.max(np.abs(wanted[defined]), initial=0)
        near = np.abs(np.where(defined, found, 0) - np.where(defined, wanted, 0)) <= (2e-5 if single else 1e-10) * scale
        if not near.all() and np.isfinite(found[defined]).all():
            if rounding is None:
                rounding = expected(program, given, torch.float32)[0]
            noise = np.abs(np.where(defined, rounding[name], 0) - np.where(defined, wanted, 0))
            noise = np.nan_to_num(noise, nan=1e30, posinf=1e30).max(initial=0)
            limit = (1e-3 * scale + 30 * noise) if single else (1e-9 * scale + 1e-6 * noise + 4e-16 * largest)
            near = np.abs(np.where(defined, found, 0) - np.where(defined, wanted, 0)) <= limit
        ok = np.where(defined, near, True)
        if name.startswith("value"):
            ok = ok & np.where(defined, True, (found == wanted) | (np.isnan(found) & np.isnan(wanted)))
        if not ok.all():
            told.append(f"{name}: netcl {found.tolist()}, expected {wanted.tolist()}")
    return told


def trial(program: Program, seed: int) -> tuple[str, list[Fault]]:
    """Run a program on some cases: how it went (`right`, `refused: …`, `doubtful`, `fault`), and the faults."""
    rng = random.Random(seed)
    extra = [style for style, share in (("ones", 0.25), ("none", 0.1)) if rng.random() < share]
    cases = [case(program, style, seed) for style in (*STYLES, *extra)]
    if rng.random() < 0.08:
        cases.append(case(program, "spread", seed, "float32"))
    return judged(program, cases, jit=len(program.ops) > 1)


def judged(program: Program, cases: list[Case], jit: bool = False) -> tuple[str, list[Fault]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        usable = []
        for each in cases:
            try:
                theirs, doubt = expected(program, each)
            except Outside:
                continue
            if not doubt:
                usable.append((each, theirs))
        if not usable:
            return "doubtful", []
        try:
            runner = Runner(program)
        except core.NetclError as error:
            return "refused: " + kind_of(error), []
        except Exception as error:
            return "fault", [Fault("undocumented", "compile", f"{type(error).__name__}: {error}")]
        faults = []
        for each, theirs in usable:
            for jitted in (False, True) if jit else (False,):
                where = f"{each.style} {each.dtype}{' jit' if jitted else ''}"
                try:
                    ours = runner.found(each, jit=jitted)
                except core.NetclError as error:
                    if not isinstance(error, core.errors.DeviceError):
                        return "refused: " + kind_of(error), []
                    faults.append(Fault("undocumented", where, f"the driver refused it: {error}"))
                    continue
                except Exception as error:
                    faults.append(Fault("undocumented", where, f"{type(error).__name__}: {error}"))
                    continue
                faults += [Fault("wrong", where, told) for told in apart(program, each, ours, theirs)]
        return ("fault" if faults else "right"), faults


def kind_of(error: Exception) -> str:
    """The sentence of an error without the names and numbers in it."""
    first = str(error).splitlines()[0]
    first = re.sub(r"^\S*:\d+:\d+: ", "", first)
    return re.sub(r"\d+", "#", first)[:160]
