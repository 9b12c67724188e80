"""What every op does with the tape, whichever it is: read off a trace, so nothing is compiled or run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from forms import FORMS, Form, as_tensors, drawn

from netcl import autograd as ag
from netcl import core
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import FLOATS
from netcl.kernels.tools.sampling import Wish

every_form = pytest.mark.parametrize("form", FORMS, ids=repr)


def traced(form: Form, wants_gradients: bool) -> tuple[ag.Trace, list[Any]]:
    """A call of the op, written down; and its results."""
    case = drawn(form, Wish(rank=1, dtype="float32"))[0]
    with ag.tracing() as trace:

        def stand_in(array: np.ndarray[Any, Any]) -> Any:
            dtype = core.dtypes.canonical(array.dtype)
            return trace.input(array.shape, dtype, wants_gradients and dtype.kind == "f")

        results = form.op(**as_tensors(case.arguments(), stand_in))
    return trace, list(results) if isinstance(results, tuple) else [results]


@pytest.mark.promise("N7", "N19", "N20", "P15", "P20", "L28")
@every_form
@pytest.mark.sample(143)
def test_an_op_enters_the_graph_once_and_under_its_name_and_a_trace_runs_nothing(form: Form) -> None:
    before = core.counters()
    trace, _ = traced(form, wants_gradients=True)
    assert core.counters() == before
    assert [op.name for op in trace.ops] == [form.op.name]


@pytest.mark.promise("P13", "A2", "P18")
@every_form
@pytest.mark.sample(152)
def test_an_op_wants_gradients_where_an_operand_does_and_nowhere_else(form: Form) -> None:
    _, constant = traced(form, wants_gradients=False)
    assert not any(result.requires_grad for result in constant)
    _, results = traced(form, wants_gradients=True)
    case = drawn(form, Wish(rank=1, dtype="float32"))[0]
    refused = any(not each.differentiable for each in case.formula.operands)  # nograd: backward says so, never silently
    differentiable = refused or bool(pipeline.differentiable(case.formula))
    for result, output in zip(results, case.formula.outputs, strict=False):
        assert result.requires_grad is (differentiable and output.dtype in FLOATS), output.name


@pytest.mark.promise("N23")
def test_numbers_that_belong_to_an_op_are_in_its_trace() -> None:
    x = ag.ones((2, 3), requires_grad=True)
    with ag.tracing() as trace:
        ag.clamp(x, -1.0, 2.0)
        ag.elu(x, alpha=0.7)
        ag.leaky_relu(x, 0.2)
        ag.pow(x, 3)
    numbers = [list(op.attrs.values()) for op in trace.ops]
    assert numbers == [[-1.0, 2.0], [0.7], [0.2], [3]]


@pytest.mark.promise("A15", "L31", "P15")
def test_the_ops_of_a_small_framework_are_all_there() -> None:
    names = """add sub mul div neg matmul permute sum mean amax relu sigmoid tanh softmax gelu mse_loss cross_entropy
    bce_loss reshape squeeze unsqueeze log exp pow linear conv2d max_pool2d batch_norm dropout flatten swapaxes"""
    assert [name for name in names.split() if not callable(getattr(ag, name, None))] == []
