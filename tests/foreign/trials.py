"""One program put to the test: numbers to call it with, what PyTorch expects, what netcl gives, and where they part."""

from __future__ import annotations

import random
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from programs import Program
from torch_oracle import Outside, outputs

from netcl import autograd as ag
from netcl import core, kernels

Array = np.ndarray[Any, Any]
Results = dict[str, Array]
Seeds = dict[str, Array]


@dataclass(frozen=True)
class Case:
    """Lengths of the axes and arrays to call a program with; `style` says where the numbers are from."""

    style: str
    lengths: dict[str, int]
    arrays: dict[str, Array]
    dtype: str = "float64"


STYLES = ("grid", "spread")


def case(program: Program, style: str, seed: int, dtype: str = "float64") -> Case:
    """`grid`: quarters, many of them equal; `spread`: none equal; `ones`: axes of length 1; `none`: one of length 0."""
    rng = np.random.default_rng([seed, len(style), ord(style[0])])
    lengths = dict(program.lengths)
    fixed = fixed_axes(program)
    if style == "ones":
        lengths = {axis: length if axis in fixed else int(rng.choice([1, length])) for axis, length in lengths.items()}
    if style == "none":
        free = [axis for axis in lengths if axis not in fixed]
        if free:
            lengths[free[int(rng.integers(len(free)))]] = 0
    arrays: dict[str, Array] = {}
    for each in program.operands():
        shape = [lengths[axis] for axis in each.axes]
        if each.kind == "int":
            arrays[each.name] = rng.integers(0, max(lengths[each.target], 1), shape)
        elif each.kind == "bool":
            arrays[each.name] = rng.random(shape) < 0.6
        else:
            numbers = rng.uniform(-2, 2, shape)
            if style != "spread":
                numbers = rng.choice([-1.5, -1.0, -0.5, -0.25, -0.0, 0.0, 0.25, 0.5, 0.5, 1.0, 1.0, 1.5, 2.0], shape)
            numbers = np.asarray(numbers, dtype)
            if each.kind == "hole":
                odd = np.asarray(rng.choice([np.inf, -np.inf, np.nan, 1e30, -1.0], shape), dtype)
                numbers = np.where(arrays[each.target], numbers, odd)
            arrays[each.name] = numbers
    return Case(style, lengths, arrays, dtype)


def fixed_axes(program: Program) -> set[str]:
    """The axes whose length is a number in the text."""
    owned = [{axis for operand in op.operands for axis in operand.axes} for op in program.ops]
    found = {index for op, has in zip(program.ops, owned, strict=True) for index in op.indices() if index not in has}
    return found & set(program.lengths)


def seeds(program: Program, given: Case) -> Seeds:
    """Output gradients, and directions for tangents and second gradients, all of them quarters."""
    rng = np.random.default_rng(1)

    def draw(shape: tuple[int, ...]) -> Array:
        return np.asarray(rng.integers(-8, 9, shape) / 4, given.dtype)

    found = {f"direction {name}": draw(each.shape) for name, each in given.arrays.items() if each.dtype.kind == "f"}
    for output in program.ops[-1].outputs:
        found[output.name] = draw(tuple(given.lengths[axis] for axis in output.axes))
    return found


# --- PyTorch ----------------------------------------------------------------------------------------------------------


def expected(program: Program, given: Case, precision: torch.dtype = torch.float64) -> tuple[Results, bool]:
    """Values, gradients, second gradients and tangents by PyTorch, and whether rounding decided about one."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(precision)
    try:
        return _expected(program, given, precision)
    finally:
        torch.set_default_dtype(before)


def _expected(program: Program, given: Case, precision: torch.dtype) -> tuple[Results, bool]:
    arrays = {name: torch.tensor(each) for name, each in given.arrays.items()}
    floats = {name: each.to(precision).requires_grad_() for name, each in arrays.items() if each.is_floating_point()}
    drawn = {name: torch.tensor(each).to(precision) for name, each in seeds(program, given).items()}
    values, doubt = outputs(program, arrays | floats, given.lengths)
    names = [each.name for each in program.ops[-1].outputs]
    found: Results = {f"value {name}": value.numpy(force=True) for name, value in zip(names, values, strict=True)}
    smooth = [(name, value) for name, value in zip(names, values, strict=True) if value.requires_grad]
    # The output gradients are variables, too: the gradient is linear in them, and its transpose gives the tangents.
    weights = {name: drawn[name].clone().requires_grad_() for name, _ in smooth}
    total = sum(((value * weights[name]).sum() for name, value in smooth), torch.zeros(()))
    gradients = _gradient(total, floats)
    second = sum((each * drawn[f"direction {name}"]).sum() for name, each in gradients.items())
    found |= {f"gradient {name}": each.numpy(force=True) for name, each in gradients.items()}
    found |= {f"second {name}": each.numpy(force=True) for name, each in _gradient(second, floats).items()}
    tangents = _gradient(second, weights)
    for name in names:
        zero = torch.zeros_like(values[names.index(name)], dtype=precision)
        found[f"tangent {name}"] = tangents.get(name, zero).numpy(force=True)
    return found, doubt


def _gradient(total: Any, inputs: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    if not inputs:
        return {}
    if not isinstance(total, torch.Tensor) or not total.requires_grad:
        return {name: torch.zeros_like(each) for name, each in inputs.items()}
    found = torch.autograd.grad(total, list(inputs.values()), create_graph=True, allow_unused=True)
    return {
        name: torch.zeros_like(inputs[name]) if each is None else each for name, each in zip(inputs, found, strict=True)
    }


# --- netcl ------------------------------------------------------------------------------------------------------------


class Runner:
    """A program as netcl runs it: compiled once, called for each case."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.ops = kernels.compile(program.text())

    def call(self, given: Mapping[str, Any]) -> tuple[Any, ...]:
        value: Any = None
        for op in self.program.ops:
            arguments = [given.get(each.name, value) for each in op.operands]
            made = getattr(self.ops, op.name)(*arguments)
            results = made if isinstance(made, tuple) else (made,)
            value = results[0]
        return results

    def found(self, given: Case, orders: int = 2, jit: bool = False) -> Results:
        """The results that `expected` has, as far as `orders` goes: 0 is the value alone."""
        drawn = {name: core.from_host(each) for name, each in seeds(self.program, given).items()}
        arrays: dict[str, Any] = {}
        for name, each in given.arrays.items():
            arrays[name] = ag.tensor(each, requires_grad=True) if each.dtype.kind == "f" else core.from_host(each)
        floats = {name: each for name, each in arrays.items() if isinstance(each, ag.Node)}
        names = [each.name for each in self.program.ops[-1].outputs]
        call = self.call
        if jit:
            order = list(arrays)
            traced = ag.jit(lambda *args: self.call(dict(zip(order, args, strict=True))))
            call = lambda given: traced(*(given[name] for name in order))  # noqa: E731
        spoil()
        values = call(arrays)
        found: Results = {f"value {name}": host(value) for name, value in zip(names, values, strict=True)}
        spoil()
        again = call(arrays)
        for name, value in zip(names, again, strict=True):
            if not np.array_equal(host(value), found[f"value {name}"], equal_nan=True):
                found[f"value {name}"] = np.full_like(found[f"value {name}"], 12345)  # not the same twice
        if not orders:
            return found
        smooth = [(name, value) for name, value in zip(names, values, strict=True) if isinstance(value, ag.Node)]
        spoil()
        gradients = gradient([v for _, v in smooth], [drawn[name] for name, _ in smooth], floats, orders > 1)
        found |= {f"gradient {name}": host(each) for name, each in gradients.items()}
        if orders > 1:
            spoil()
            nodes = {name: each for name, each in gradients.items() if isinstance(each, ag.Node)}
            second = gradient(list(nodes.values()), [drawn[f"direction {name}"] for name in nodes], floats, False)
            found |= {f"second {name}": host(each) for name, each in second.items()}
            spoil()
            found |= self.tangents(call, arrays, floats, drawn, names)
        return found

    def tangents(self, call: Any, arrays: Any, floats: Any, drawn: Any, names: list[str]) -> Results:
        order = list(floats)

        def function(*inputs: Any) -> Any:
            return call({**arrays, **dict(zip(order, inputs, strict=True))})

        point = tuple(floats[name].value for name in order)
        _, tangents = ag.jvp(function, point, tuple(drawn[f"direction {name}"] for name in order))
        return {f"tangent {name}": host(each) for name, each in zip(names, tangents, strict=True)}


def gradient(outputs: list[Any], weights: list[Any], inputs: dict[str, Any], create_graph: bool) -> dict[str, Any]:
    zeros = {name: np.zeros(each.shape, each.dtype) for name, each in inputs.items()}
    if not outputs:
        return zeros
    found = ag.grad(
        outputs, list(inputs.values()), grad_outputs=weights, create_graph=create_graph, allow_unused=True,
        retain_graph=True,
    )  # fmt: skip
    return {name: zeros[name] if each is None else each for name, each in zip(inputs, found, strict=True)}


def host(value: Any) -> Array:
    value = getattr(value, "value", value)
    return value.copy() if isinstance(value, np.ndarray) else np.array(value.to_host())


def spoil() -> None:
    """Fill freed memory of the sizes that small tensors have, so that what nobody wrote is no zero by chance."""
    for size in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512):
        held = [core.full((size,), 1e77 if n % 2 else float("nan"), dtype="float64") for n in range(3)]
        del held


# --- side by side -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fault:
    """`kind` is wrong, undocumented, or death; `where` is a result or a stage."""

    kind: str
    where: str
    message: str


def apart(program: Program, given: Case, ours: Results, theirs: Results) -> list[str]:
    """The results that part, with both numbers; what PyTorch has no number for is compared in values alone."""
    told = []
    rounding: Results | None = None
    for name, found in ours.items():
        wanted = theirs[name]
        if found.shape != wanted.shape:
            told.append(f"{name}: shape {found.shape}, expected {wanted.shape}")
            continue
        if not found.size:
            continue
        defined = np.isfinite(wanted)
        single = given.dtype == "float32"
        scale = 1 + np.max(np.abs(wanted[defined]), initial=0)
        near = np.abs(np.where(defined, found, 0) - np.where(defined, wanted, 0)) <= (2e-5 if single else 1e-10) * scale
        if not near.all() and np.isfinite(found[defined]).all():
            if rounding is None:
                rounding = expected(program, given, torch.float32)[0]
            noise = np.abs(np.where(defined, rounding[name], 0) - np.where(defined, wanted, 0))
            noise = np.nan_to_num(noise, nan=1e30, posinf=1e30).max(initial=0)
            limit = (1e-3 * scale + 30 * noise) if single else (1e-9 * scale + 1e-6 * noise)
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
                    return "refused: " + kind_of(error), []
                except Exception as error:
                    faults.append(Fault("undocumented", where, f"{type(error).__name__}: {error}"))
                    continue
                faults += [Fault("wrong", where, told) for told in apart(program, each, ours, theirs)]
        return ("fault" if faults else "right"), faults


def kind_of(error: Exception) -> str:
    """The sentence of an error without the names and numbers in it."""
    import re

    first = str(error).splitlines()[0]
    first = re.sub(r"^\S*:\d+:\d+: ", "", first)
    return re.sub(r"\d+", "#", first)[:160]
