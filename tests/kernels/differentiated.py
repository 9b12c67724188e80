"""An op and its gradient on the device, compared with the reference evaluator; used by the tests of schedules."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from launched import assert_agrees

from netcl import core, kernels
from netcl.core.bounded import Limit, Recent
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.target import Target
from netcl.kernels.library.op import Op
from netcl.kernels.runtime import launch, schemes

Array = np.ndarray[Any, Any]


def assert_op_agrees(
    op: str | Op, *given: Any, tolerance: float = 3e-5, seed: int = 0, **attributes: Any
) -> tuple[launch.Plan, launch.Plan]:
    """Value and gradients of an op for arrays (or Tensors) equal those of the evaluator; returns both plans."""
    rng = np.random.default_rng(seed)
    op = kernels.catalogue[op] if isinstance(op, str) else op
    call = op.bind([_tensor(each) for each in given], attributes)
    of = call.formula
    arrays = [tensor.to_host() for tensor in call.operands]
    forward = assert_agrees(of, arrays, call.attributes, call.operands, tolerance)
    known = {operand.name: tensor for operand, tensor in zip(of.operands, call.operands, strict=True)}
    for output, tensor in zip(of.outputs, forward.run(call.operands, call.attributes), strict=True):
        known[output.name] = tensor
        if tensor.dtype.kind == "f":
            known["d" + output.name] = core.from_host(rng.standard_normal(tensor.shape).astype(tensor.dtype))
    gradient = pipeline.gradient(of, pipeline.differentiable(of))
    tensors = [known[operand.name] for operand in gradient.operands]
    arrays = [tensor.to_host() for tensor in tensors]
    return forward, assert_agrees(gradient, arrays, call.attributes, tensors, tolerance, forward.bindings)


def gradients(name: str, *given: Any, **attributes: Any) -> tuple[Array, ...]:
    """The gradients of the sum of an op's outputs, computed on the device."""
    call = kernels.catalogue[name].bind([_tensor(each) for each in given], attributes)
    plan = launch.prepare(call.formula, call.operands, call.attributes)
    known = {operand.name: tensor for operand, tensor in zip(call.formula.operands, call.operands, strict=True)}
    for output, tensor in zip(call.formula.outputs, plan.run(call.operands, call.attributes), strict=True):
        known[output.name] = tensor
        known["d" + output.name] = core.ones_like(tensor)
    gradient = pipeline.gradient(call.formula, pipeline.differentiable(call.formula))
    tensors = [known[operand.name] for operand in gradient.operands]
    return tuple(each.to_host() for each in launch.run(gradient, tensors, call.attributes, plan.bindings))


def plans_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """No plan from before, and none that is left for later: for tests that change what schedules decide by."""
    monkeypatch.setattr(launch, "_plans", Recent(Limit("plans of a trial")))
    monkeypatch.setattr(schemes, "_schemes", Recent(Limit("schemes of a trial")))


@contextmanager
def compute_units(monkeypatch: pytest.MonkeyPatch, count: int) -> Iterator[None]:
    """Plans as a device with `count` compute units would have them."""
    with monkeypatch.context() as patch:
        plans_of_its_own(patch)
        target = replace(Target.of(core.default_device()), compute_units=count)
        patch.setattr(Target, "of", staticmethod(lambda device: target))
        yield


def _tensor(each: Any) -> Any:
    return core.from_host(each) if isinstance(each, np.ndarray) else each
