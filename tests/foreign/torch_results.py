"""What PyTorch gives for a program: values, gradients, second gradients and tangents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from cases import Case, Results, seeds
from programs import Program
from torch_oracle import outputs


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
