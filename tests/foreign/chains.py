"""Chains of shipped ops at random, through `ag` and through PyTorch: values and gradients, eager and under `ag.jit`.

A chain is a list of steps over numbered values, the leaves first. PyTorch runs while it is drawn, so that each step
fits the shapes that are there; netcl then runs the list. `python tests/foreign/run.py 1000 --what chains` runs many.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from chain_steps import Step, drawn
from netcl_results import host, spoil
from trials import Fault, kind_of

from netcl import autograd as ag
from netcl import core

Array = np.ndarray[Any, Any]
Tensor = torch.Tensor
F = torch.nn.functional
SHAPES = ((3, 4), (4,), (2, 3, 4), (3, 1), (), (1, 4), (5,), (4, 4), (2, 2, 3), (1,), (3, 0), (0, 4), (2, 1, 5))
LONGEST = 40
"""Of every second chain the leaves have one axis of 16 elements or more, so that vectors and what is left are met."""


@dataclass(frozen=True)
class Chain:
    leaves: list[Array]
    steps: list[Step]
    values: list[Tensor]

    def text(self) -> str:
        lines = [f"v{at} = {leaf.tolist()}  # {leaf.shape}" for at, leaf in enumerate(self.leaves)]
        for at, step in enumerate(self.steps, len(self.leaves)):
            operands = ", ".join(f"v{number}" for number in step.operands)
            lines.append(f"v{at} = {step.name}({operands})  # {tuple(self.values[at].shape)}")
        return "\n".join(lines)


def chain(seed: int) -> Chain:
    """The chain of a seed."""
    rng = random.Random(seed)
    numbers = np.random.default_rng(seed)
    shapes = [rng.choice(SHAPES[: 11 if rng.random() < 0.8 else 13]) for _ in range(rng.choice((1, 2, 3)))]
    most = 300
    if seed % 2:
        n, most = rng.randint(16, LONGEST), 4000
        shapes = [rng.choice(((n,), (3, n), (n, 3), (n, 1), (1, n), (2, 3, n), (3, 1, n), (n, n))) for _ in shapes]
    leaves = [np.asarray(numbers.uniform(-2, 2, shape)) for shape in shapes]
    values = [torch.tensor(leaf) for leaf in leaves]
    steps: list[Step] = []
    wanted = rng.choice(range(5, 11))
    while len(steps) < wanted:
        step = drawn(rng, values)
        try:
            made = step.theirs(*(values[number] for number in step.operands))
        except (RuntimeError, IndexError, ValueError):
            continue
        if made.numel() > most or not torch.isfinite(made).all() or (made.numel() and float(made.abs().max()) > 1e4):
            continue
        steps.append(step)
        values.append(made)
    return Chain(leaves, steps, values)


# --- the trial --------------------------------------------------------------------------------------------------------


def judged(made: Chain) -> tuple[str, list[Fault]]:
    """How a chain went, as `trials.judged` says it."""
    weights = np.random.default_rng(3)
    read = {number for step in made.steps for number in step.operands}
    ends = [at for at in range(len(made.leaves), len(made.values)) if at not in read]
    seeds = {at: np.asarray(weights.integers(-8, 9, tuple(made.values[at].shape)) / 4) for at in ends}
    theirs, steady = expected(made, ends, seeds)
    if not steady:
        return "doubtful", []
    faults: list[Fault] = []
    forms = (False, True) if all(step.traced for step in made.steps) else (False,)
    for jit in forms:
        where = "jit" if jit else "eager"
        try:
            ours = found(made, ends, seeds, jit)
        except core.NetclError as error:
            if not isinstance(error, core.errors.DeviceError):
                return f"refused: {kind_of(error)}", []
            faults.append(Fault("undocumented", where, f"the driver refused it: {error}"))
            continue
        except Exception as error:
            faults.append(Fault("undocumented", where, f"{type(error).__name__}: {error}"))
            continue
        for name, wanted in theirs.items():
            told = apart(name, ours[name], wanted)
            if told:
                faults.append(Fault("wrong", where, told))
    return ("fault" if faults else "right"), faults


def apart(name: str, ours: Array, wanted: Array) -> str:
    if ours.shape != wanted.shape:
        return f"{name}: shape {ours.shape}, expected {wanted.shape}"
    defined = np.isfinite(wanted)
    if not defined.any():
        return ""
    scale = 1 + np.abs(wanted[defined]).max(initial=0)
    with np.errstate(invalid="ignore"):
        near = np.abs(np.where(defined, ours, 0) - np.where(defined, wanted, 0)) <= 1e-9 * scale
    return "" if near.all() else f"{name}: netcl {ours.tolist()}, expected {wanted.tolist()}"


def expected(made: Chain, ends: list[int], seeds: dict[int, Array]) -> tuple[dict[str, Array], bool]:
    """Values and gradients by PyTorch, and whether they stay where they are when the leaves move by a rounding."""
    exact, moved = (_expected(made, ends, seeds, shift) for shift in (0.0, 1e-12))
    steady = all(
        np.allclose(
            np.nan_to_num(exact[name]), np.nan_to_num(moved[name]), rtol=1e-7, atol=1e-9 * (1 + size(exact[name]))
        )
        for name in exact
    )
    return exact, steady


def size(array: Array) -> float:
    return float(np.nan_to_num(np.abs(array)).max(initial=0))


def _expected(made: Chain, ends: list[int], seeds: dict[int, Array], shift: float) -> dict[str, Array]:
    noise = np.random.default_rng(4)
    values = [
        torch.tensor(leaf * (1 + shift * noise.uniform(-1, 1, leaf.shape))).requires_grad_() for leaf in made.leaves
    ]
    leaves = list(values)
    for step in made.steps:
        values.append(step.theirs(*(values[number] for number in step.operands)))
    total = sum((values[at] * torch.tensor(seeds[at])).sum() for at in ends)
    gradients = torch.autograd.grad(total, leaves, allow_unused=True) if total.requires_grad else [None] * len(leaves)
    found = {f"value v{at}": values[at].detach().numpy().copy() for at in ends}
    for at, each in enumerate(gradients):
        found[f"gradient v{at}"] = np.zeros(made.leaves[at].shape) if each is None else each.numpy()
    return found


def found(made: Chain, ends: list[int], seeds: dict[int, Array], jit: bool) -> dict[str, Array]:
    spoil()
    leaves = [ag.tensor(leaf, requires_grad=True) for leaf in made.leaves]

    def run(*values: Any) -> tuple[Any, ...]:
        every = list(values)
        for step in made.steps:
            every.append(step.ours(*(every[number] for number in step.operands)))
        return tuple(every[at] for at in ends)

    results = ag.jit(run)(*leaves) if jit else run(*leaves)
    got = {f"value v{at}": host(value) for at, value in zip(ends, results, strict=True)}
    spoil()
    nodes = [
        (at, value)
        for at, value in zip(ends, results, strict=True)
        if isinstance(value, ag.Node) and value.requires_grad
    ]
    gradients: Any = [None] * len(leaves)
    if nodes:
        weights = [core.from_host(seeds[at]) for at, _ in nodes]
        gradients = ag.grad([value for _, value in nodes], leaves, grad_outputs=weights, allow_unused=True)
    for at, each in enumerate(gradients):
        got[f"gradient v{at}"] = np.zeros(made.leaves[at].shape) if each is None else host(each)
    return got


def tried(seed: int) -> tuple[str, list[Fault]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return judged(chain(seed))


def made_smaller(seed: int) -> str:
    """The text of a chain that fails as that of the seed does, and has fewer steps."""
    made = chain(seed)
    kinds = {fault.kind for fault in judged(made)[1]}
    small = shortened(made, lambda each: any(fault.kind in kinds for fault in judged(each)[1]))
    return "\n".join([small.text(), *(f"  {fault.kind}, {fault.where}: {fault.message}" for fault in judged(small)[1])])


def shortened(made: Chain, fails: Callable[[Chain], bool]) -> Chain:
    """The chain with as few steps as fail still: each value in turn becomes a leaf, or goes where nothing reads it."""
    smaller = True
    while smaller:
        smaller = False
        for candidate in (*unread(made), *cut(made)):
            if fails(candidate):
                made, smaller = candidate, True
                break
    return made


def unread(made: Chain) -> list[Chain]:
    """Without one of the ends."""
    first = len(made.leaves)
    read = {number for step in made.steps for number in step.operands}
    ends = [at for at in range(first, len(made.values)) if at not in read]
    return [without(made, at) for at in ends] if len(made.steps) > 1 else []


def without(made: Chain, gone: int) -> Chain:
    first = len(made.leaves)
    steps = [
        Step(s.name, tuple(n - (n > gone) for n in s.operands), s.ours, s.theirs, s.traced)
        for at, s in enumerate(made.steps, first) if at != gone
    ]  # fmt: skip
    return Chain(made.leaves, steps, [value for at, value in enumerate(made.values) if at != gone])


def cut(made: Chain) -> list[Chain]:
    """With the first step, whose operands are leaves, replaced by a leaf that has its value."""
    if len(made.steps) < 2:
        return []
    first = len(made.leaves)
    return [Chain([*made.leaves, made.values[first].detach().numpy().copy()], made.steps[1:], made.values)]
