"""Running a formula on the device and comparing it with the reference evaluator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from netcl import core
from netcl.core.bounded import Limit, Recent
from netcl.kernels.compiler.ir import Axes, Expr, Formula, Operand, Output, position, read
from netcl.kernels.compiler.ir.evaluate import evaluate
from netcl.kernels.compiler.ir.quantity import plain
from netcl.kernels.compiler.lower.kernel import Kernel
from netcl.kernels.compiler.target import Target
from netcl.kernels.runtime import launch, schemes
from netcl.kernels.runtime.partition import chunks

Arrays = Sequence[np.ndarray[Any, Any]]


def axes(text: str) -> Axes:
    """`"i k"` is two axes; `"(g c) ."` a split one and one of length 1."""
    found: list[tuple[str, ...]] = []
    group: list[str] | None = None
    for word in text.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            group = []
        elif word == ")":
            found.append(tuple(group or ()))
            group = None
        elif group is not None:
            group.append(word)
        else:
            found.append(() if word == "." else (word,))
    return tuple(found)


def operand(name: str, where: str, dtype: str = "float32", flat: bool = False) -> Operand:
    return Operand(name, dtype, axes(where), flat)


def element(of: Operand) -> Expr:
    """The operand read at its own indices."""
    return read(of.name, tuple(map(position, of.indices)), of.dtype)


def formula(name: str, operands: Sequence[Operand], outputs: Mapping[str, tuple[str, Expr]], **more: Any) -> Formula:
    """A formula with outputs `name -> (axes, expression)`."""
    made = tuple(Output(key, expr, axes(where)) for key, (where, expr) in outputs.items())
    return Formula(name, tuple(operands), more.pop("attributes", {}), made, **more)


def reference(
    of: Formula, arrays: Arrays, attributes: Mapping[str, Any], plan: launch.Plan
) -> tuple[np.ndarray[Any, Any], ...]:
    named = {each.name: array for each, array in zip(of.operands, arrays, strict=True)}
    return evaluate(of, named, attributes, plan.bindings.sizes, plan.bindings.shapes)


def assert_agrees(
    of: Formula,
    arrays: Arrays,
    attributes: Mapping[str, Any] | None = None,
    tensors: Sequence[core.Tensor] | None = None,
    tolerance: float = 3e-6,
    bindings: launch.Bindings | None = None,
) -> launch.Plan:
    """The device and the evaluator give the same; returns the plan."""
    attributes = attributes or {}
    given = [core.from_host(array) for array in arrays] if tensors is None else tensors
    plan = launch.prepare(of, given, attributes, bindings)
    outputs = plan.run(given, attributes)
    for output, found, expected in zip(of.outputs, outputs, reference(of, arrays, attributes, plan), strict=True):
        assert found.dtype.name == output.dtype
        assert found.shape == expected.shape
        if found.dtype.kind == "f":
            with np.errstate(over="ignore"):
                expected = expected.astype(found.dtype)
            np.testing.assert_allclose(found.to_host(), expected, rtol=tolerance, atol=tolerance, err_msg=plan.text)
        else:
            np.testing.assert_array_equal(found.to_host(), expected, err_msg=plan.text)
    return plan


def schedules(plan: launch.Plan) -> list[str]:
    return [schedule for kernel in plan.kernels for schedule in kernel.schedules]


def on_many_cores(patch: pytest.MonkeyPatch) -> list[tuple[Kernel, int]]:
    """Has kernels launched as on a device with 10,000 cores; gets the kernels that are, with their work-items."""
    launched: list[tuple[Kernel, int]] = []

    def many(kernel: Kernel, target: Target) -> tuple[int, int]:
        items, chunk = chunks(kernel, replace(target, compute_units=10_000))
        launched.append((kernel, plain(items)))
        return items, chunk

    patch.setattr(schemes, "_schemes", Recent(Limit("schemes of many cores")))
    patch.setattr(schemes, "chunks", many)
    return launched
