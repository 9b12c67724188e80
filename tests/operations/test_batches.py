"""A formula for a batch, on the evaluator: it gives what the formula gives for each call."""

from __future__ import annotations

import numpy as np
import pytest
from forms import FORMS, Arrays, Form, drawn, gradients_on_the_evaluator, values_on_the_evaluator

from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.derive.batch import batched, draws
from netcl.kernels.compiler.ir import FLOATS
from netcl.kernels.tools.sampling import Case, Wish

CALLS = 3

every_form = pytest.mark.parametrize("form", FORMS, ids=repr)


@every_form
@pytest.mark.sample(52)
def test_a_batch_of_a_formula_and_of_its_gradient_is_each_call_of_them(form: Form) -> None:
    for case in drawn(form, Wish(rank=2, dtype="float64", lengths=(2, 3), vary=True)):
        names = [operand.name for operand in case.formula.operands]
        if not names:
            return
        for carriers in {tuple(names), (names[0],)}:
            _compare(form, case, frozenset(carriers))


def _compare(form: Form, case: Case, carriers: frozenset[str]) -> None:
    formula = case.formula
    if any(operand.flat for operand in formula.operands):
        carriers = frozenset(operand.name for operand in formula.operands)
    calls = [_operands(case, carriers, call) for call in range(CALLS)]
    wide = batched(formula, carriers, False, None)
    together = {name: np.stack([each[name] for each in calls]) for name in carriers}
    together = {**calls[0], **together}
    found = values_on_the_evaluator(wide, together, case.attributes)
    each = [values_on_the_evaluator(formula, call, case.attributes) for call in calls]
    for output in formula.outputs:
        expected = np.stack([values[output.name] for values in each])
        np.testing.assert_allclose(found[output.name], expected, rtol=1e-12, err_msg=f"{form}: {output.name}")

    wanted = pipeline.differentiable(formula)
    if not wanted or not any(output.dtype in FLOATS for output in formula.outputs):
        return
    random = np.random.default_rng(3)
    seeds = {"d" + output.name: random.uniform(-1, 1, found[output.name].shape) for output in formula.outputs}
    gradients = gradients_on_the_evaluator(wide, wanted, {**together, **found, **seeds}, together, case.attributes)
    alone = []
    for at, (call, values) in enumerate(zip(calls, each, strict=True)):
        known = {**call, **values, **{name: seed[at] for name, seed in seeds.items()}}
        alone.append(gradients_on_the_evaluator(formula, wanted, known, call, case.attributes))
    for name in wanted:
        parts = np.stack([gradient[name] for gradient in alone])
        expected = parts if name in carriers else parts.sum(0)
        np.testing.assert_allclose(gradients[name], expected, rtol=1e-9, atol=1e-12, err_msg=f"{form}: by {name}")


def _operands(case: Case, carriers: frozenset[str], call: int) -> Arrays:
    """Other values in each call, from the same range: the elements in another order."""
    found = {}
    for name, array in case.operands.items():
        flat = np.roll(array.reshape(-1), call) if name in carriers else array
        found[name] = flat.reshape(array.shape)
    return found


def test_calls_of_a_batch_draw_the_same_numbers_or_each_its_own() -> None:
    form = next(form for form in FORMS if form.name == "dropout")
    (case,) = drawn(form, Wish(rank=1, dtype="float64", lengths=(64,)))
    assert draws(case.formula)
    x = {"x": np.ones((CALLS, 64))}
    same = values_on_the_evaluator(batched(case.formula, frozenset("x"), False, None), x, case.attributes)["y"]
    own = values_on_the_evaluator(batched(case.formula, frozenset("x"), True, None), x, case.attributes)["y"]
    np.testing.assert_array_equal(same[0], same[1])
    np.testing.assert_array_equal(own[0], same[0])
    assert not np.array_equal(own[0], own[1])
    assert not np.array_equal(own[1], own[2])
