"""Every op as a step among others, on the evaluator: the fused formula gives what the formulas give one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from forms import FORMS, Arrays, Form, drawn, gradients_on_the_evaluator, values_on_the_evaluator

from netcl import core
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.fusion.fuse import Step, Value, attribute_name, fused, joins
from netcl.kernels.compiler.fusion.unify import INPUT
from netcl.kernels.compiler.ir import FLOATS, Formula
from netcl.kernels.namespace import catalogue
from netcl.kernels.tools.sampling import Case, Wish

WISH = Wish(rank=2, dtype="float64", lengths=(2, 3), vary=True)


def fusible(case: Case) -> bool:
    return joins(case.formula) and not any(output.hidden for output in case.formula.outputs)


FUSIBLE = [form for form in FORMS if any(fusible(case) for case in drawn(form, WISH))]


def formula_of(name: str, *shapes: tuple[int, ...]) -> Formula:
    return catalogue[name].bind([core.zeros(shape, "float64") for shape in shapes], {}).formula


class Chain:
    """The op of negated operands, each of its outputs multiplied by itself."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.names = [operand.name for operand in case.formula.operands]
        self.outputs = values_on_the_evaluator(case.formula, case.operands, case.attributes)
        steps: list[Step] = []
        sources: list[Value] = []
        for n, operand in enumerate(case.formula.operands):
            sources.append((INPUT, n))
            if operand.dtype == "float64":
                steps.append(Step(formula_of("neg", case.operands[operand.name].shape), ((INPUT, n),)))
                sources[-1] = (len(steps) - 1, 0)
        self.at = len(steps)
        steps.append(Step(case.formula, tuple(sources)))
        self.results: list[Value] = []
        for n, output in enumerate(case.formula.outputs):
            if output.dtype == "float64" and not output.hidden:
                shape = self.outputs[output.name].shape
                steps.append(Step(formula_of("mul", shape, shape), ((self.at, n), (self.at, n))))
                self.results.append((len(steps) - 1, 0))
        self.results.append((self.at, 0))
        self.wanted = [self.names.index(name) for name in pipeline.differentiable(case.formula)]
        if case.formula.outputs[0].dtype not in FLOATS:
            self.wanted = []
        self.formula = fused("chain", steps, self.results, self.wanted)

    def operands(self) -> Arrays:
        given = {}
        for n, name in enumerate(self.names):
            array = self.case.operands[name]
            given[f"x{n}"] = -array if self.case.formula.operand(name).dtype == "float64" else array
        return given

    def attributes(self) -> dict[str, Any]:
        return {attribute_name(self.at, name): self.case.attributes[name] for name in self.case.formula.attributes}


@pytest.mark.promise("F24")
@pytest.mark.parametrize("form", FUSIBLE, ids=repr)
@pytest.mark.sample(108)
def test_a_fused_formula_is_its_steps_one_by_one(form: Form) -> None:
    for case in filter(fusible, drawn(form, WISH)):
        chain = Chain(case)
        found = values_on_the_evaluator(chain.formula, chain.operands(), chain.attributes())
        floats = [output for output in case.formula.outputs if output.dtype == "float64"]
        for n, output in enumerate(floats):
            expected = chain.outputs[output.name] ** 2
            np.testing.assert_allclose(found[f"y{n}"], expected, rtol=1e-12, err_msg=f"{form}: {output.name}")
        first = case.formula.outputs[0].name
        np.testing.assert_allclose(found[f"y{len(floats)}"], chain.outputs[first], rtol=1e-12)
        if chain.wanted:
            _compare_gradients(form, chain, found)


def _compare_gradients(form: Form, chain: Chain, found: Arrays) -> None:
    case, random = chain.case, np.random.default_rng(2)
    seeds = {"d" + name: random.uniform(0.5, 1.5, array.shape) for name, array in found.items()}
    known = dict(case.operands)
    for output in case.formula.outputs:
        known[output.name] = chain.outputs[output.name]
        known["d" + output.name] = np.zeros(chain.outputs[output.name].shape)
    for n, output in enumerate(each for each in case.formula.outputs if each.dtype == "float64"):
        known["d" + output.name] += seeds[f"dy{n}"] * 2 * known[output.name]
    known["d" + case.formula.outputs[0].name] += seeds[f"dy{len(chain.results) - 1}"]
    wanted = tuple(chain.names[n] for n in chain.wanted)
    expected = gradients_on_the_evaluator(case.formula, wanted, known, case.operands, case.attributes)
    operands = chain.operands()
    own = tuple(f"x{n}" for n in chain.wanted)
    made = gradients_on_the_evaluator(chain.formula, own, {**operands, **found, **seeds}, operands, chain.attributes())
    for name, mine in zip(wanted, own, strict=True):
        np.testing.assert_allclose(made[mine], -expected[name], rtol=1e-9, atol=1e-12, err_msg=f"{form}: by {name}")
