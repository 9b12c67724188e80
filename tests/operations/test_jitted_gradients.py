"""Every op with its gradient inside of ag.jit: what it gives there is what it gives op by op."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from forms import FIRST_FORMS, USUAL, Form, as_tensors, close, drawn, sixths

from netcl import autograd as ag
from netcl import core
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import FLOATS
from netcl.kernels.tools.sampling import Case


def differentiable(form: Form) -> bool:
    formula = drawn(form, USUAL)[0].formula
    refused = any(not each.differentiable for each in formula.operands)
    return (
        not refused and bool(pipeline.differentiable(formula)) and any(out.dtype in FLOATS for out in formula.outputs)
    )


def weighted(form: Form, case: Case) -> tuple[Any, list[core.Tensor]]:
    """A function of the floating operands of a call: the sum of its outputs, each element with its own weight."""
    given = as_tensors(case.arguments())
    floats = [name for name, each in given.items() if isinstance(each, core.Tensor) and each.dtype.kind == "f"]

    def function(*values: Any) -> Any:
        results = form.op(**{**given, **dict(zip(floats, values, strict=True))})
        total: Any = 0.0
        for at, each in enumerate(results if isinstance(results, tuple) else (results,)):
            if each.dtype.kind == "f":
                weights = np.cos(np.arange(each.size) + at).reshape(each.shape).astype(each.dtype.name)
                total = (each * core.from_host(weights)).sum() + total
        return total

    return function, [given[name] for name in floats]


@pytest.mark.promise("F24")
@pytest.mark.parametrize("form", [form for form in sixths(FIRST_FORMS, 2) if differentiable(form)], ids=repr)
def test_a_jitted_gradient_is_the_gradient(form: Form) -> None:
    function, values = weighted(form, drawn(form, USUAL)[0])
    step = ag.value_and_grad(function, argnums=tuple(range(len(values))))
    results = []
    for each in (step, ag.jit(step)):
        core.manual_seed(5)
        value, gradients = each(*values)
        results.append([value.to_host(), *(gradient.to_host() for gradient in gradients)])
    for plain, fused, terms in zip(*results, (0.1, *[1e-3] * len(values)), strict=True):  # the value is a sum
        close(fused, plain.astype(np.float64), form.name, least=terms)
