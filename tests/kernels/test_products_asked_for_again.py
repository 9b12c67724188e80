"""Matrix products that several sums, or several outputs, ask for: there is one stage that computes them."""

from __future__ import annotations

import numpy as np
import pytest
from differentiated import assert_op_agrees

from netcl import autograd as ag
from netcl import kernels
from netcl.kernels.compiler.lower import stages

rng = np.random.default_rng(0)

GATHERED = """op f(x[n, c, i]: float, at[n, b]: int, w[o, c]: float, s[n, b]: float) -> y[n, o, b] {
    y = sum[c](w * (x[n, c, at[n, b]] * (1 - s[n, b]) + (x[n, c, at[n, b] + 1] else 0) * s[n, b]));
}"""


def products(op: object, arrays: list[np.ndarray], gradient: bool = False) -> list[str]:
    """The outputs of all stages with a matrix product in them, by their names."""
    found: list[str] = []
    made = stages._Stager.staged

    def noted(stager: stages._Stager) -> stages.Stages:
        result = made(stager)
        outputs = [output for stage in result.stages for output in stage.outputs]
        found.extend(each.name for each in outputs if any(map(stager.cost.contracts, stager.cost.reduces(each.expr))))
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stages._Stager, "staged", noted)
        given = [ag.tensor(each, requires_grad=gradient and each.dtype.kind == "f") for each in arrays]
        y = op(*given)  # type: ignore[operator]
        if gradient:
            found.clear()
            ag.grad((y * y).sum(), [each for each, array in zip(given, arrays, strict=True) if array.dtype.kind == "f"])
    return found


def test_two_outputs_of_one_product_have_one_stage_of_it() -> None:
    op = kernels.compile(
        """op f(a[i, k]: float, b[k, j]: float) -> (y[i, j], z[i, j]) {
            p[i, j] = sum[k](a[i, k] * b[k, j]);
            y = tanh(p);
            z = p ^ 2 + 1;
        }"""
    ).f
    a, b = rng.normal(size=(37, 64)), rng.normal(size=(64, 41))
    assert len(products(op, [a, b])) == 1
    for found, wanted in zip(op(ag.tensor(a), ag.tensor(b)), (np.tanh(a @ b), (a @ b) ** 2 + 1), strict=True):
        np.testing.assert_allclose(found.to_host(), wanted, rtol=1e-12)


def test_what_is_gathered_around_a_product_has_one_stage_of_it_in_its_gradients() -> None:
    op = kernels.compile(GATHERED).f
    x, w, s = rng.normal(size=(4, 16, 33)), rng.normal(size=(16, 16)), rng.random((4, 70))
    at = rng.integers(0, 33, (4, 70))
    found = products(op, [x, at, w, s], gradient=True)
    assert len(found) == 2, "what arrives times w, and the gradient by w"
    assert_op_agrees(op, x, at, w, s)


RUNNING = {
    "two running values": "max[l <= j](p[i, l]) + sum[l <= j](p[i, l])",
    "forward and backward": "sum[l <= j](p[i, l]) * sum[l >= j](p[i, l])",
    "a running value and the product": "p * sum[l <= j](p[i, l])",
    "a function of it": "sum[l <= j](tanh(p[i, l]))",
}


@pytest.mark.parametrize("name", RUNNING)
@pytest.mark.sample(2)
def test_running_values_ask_for_a_product_along_an_index_of_their_own(name: str) -> None:
    op = kernels.compile(
        f"op f(a[i, k]: float, b[k, j]: float) -> y[i, j] {{ p[i, j] = sum[k](a * b); y = {RUNNING[name]}; }}"
    ).f
    a, b = rng.normal(size=(31, 32)), rng.normal(size=(32, 37))
    assert_op_agrees(op, a, b)
    given = [ag.tensor(each, requires_grad=True) for each in (a, b)]
    gradients = ag.grad((op(*given) ** 2).sum(), given, create_graph=True)
    second = ag.grad(sum((each * each).sum() for each in gradients), given)
    directions = [rng.normal(size=each.shape) for each in (a, b)]

    def squares(step: float) -> float:
        moved = [ag.tensor(each + step * way, requires_grad=True) for each, way in zip((a, b), directions, strict=True)]
        return float(sum((each.to_host() ** 2).sum() for each in ag.grad((op(*moved) ** 2).sum(), moved)))

    slope = sum(float((each.to_host() * way).sum()) for each, way in zip(second, directions, strict=True))
    assert slope == pytest.approx((squares(1e-6) - squares(-1e-6)) / 2e-6, rel=1e-5)
