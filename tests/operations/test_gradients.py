"""Every gradient is that of the formula, on the device as on the evaluator, and what differences say, twice over."""

from __future__ import annotations

import numpy as np
import pytest
from forms import (
    FIRST_FORMS,
    FORMS,
    PRIMES,
    ROOMY,
    USUAL,
    Form,
    as_tensors,
    close,
    drawn,
    gradients_agree,
    in_double,
    layout_of,
    recorded,
    reference_gradients,
    shown,
    sixths,
)  # fmt: skip

from netcl import autograd as ag
from netcl import core
from netcl.core.errors import IndexOutOfRangeError
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import FLOATS
from netcl.kernels.compiler.ir.evaluate import evaluate
from netcl.kernels.tools.check import value_of
from netcl.kernels.tools.sampling import STRESS, Wish, is_pointwise, stressed

every_form = pytest.mark.parametrize("form", FORMS, ids=repr)


def some_forms(at: int) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("form", sixths(FORMS, at), ids=repr)


@pytest.mark.promise("L31")
@every_form
def test_backward_gives_the_gradients_of_the_evaluator(form: Form) -> None:
    for case in drawn(form, USUAL):
        gradients_agree(form.op, case.arguments())


@some_forms(0)
def test_backward_in_double_gives_the_gradients_of_the_evaluator(form: Form) -> None:
    for case in drawn(form, in_double(form)):
        gradients_agree(form.op, case.arguments())


@pytest.mark.promise("F16", "L30")
@some_forms(1)
def test_gradients_of_long_rows_and_columns_are_right_and_the_same_bits_again(form: Form) -> None:
    for lengths in (PRIMES, ROOMY):
        found = drawn(form, Wish(rank=2, dtype="float32", lengths=lengths, most=400_000))
        for case in found:
            once, again = (gradients_agree(form.op, case.arguments(), tolerance=1e-4) for _ in range(2))
            assert {name: each.tobytes() for name, each in once.items()} == {
                name: each.tobytes() for name, each in again.items()
            }
        if found:
            return
    pytest.fail(f"{form}: no case fits")


@pytest.mark.promise("N36")
@some_forms(2)
def test_gradients_have_the_shape_of_operands_without_elements(form: Form) -> None:
    for wish in (Wish(rank=2, dtype="float32", lengths=(0,)), Wish(rank=2, dtype="float32", lengths=(0, 3))):
        for case in drawn(form, wish):
            try:
                gradients_agree(form.op, case.arguments())
            except IndexOutOfRangeError:
                assert 0 in case.bindings.sizes.values()


@pytest.mark.parametrize("form", sixths(FIRST_FORMS, 3), ids=repr)
def test_gradients_through_views_are_those_through_copies(form: Form) -> None:
    for case in drawn(form, Wish(rank=2, dtype="float32", lengths=(5, 19, 3), most=300_000)):
        gradients_agree(form.op, case.arguments(), layout_of(form), tolerance=1e-4)


@pytest.mark.promise("F1")
@some_forms(4)
@pytest.mark.filterwarnings("ignore:gradcheck. an input is not float64")
def test_second_derivatives_agree_with_differences_of_first_ones(form: Form) -> None:
    for case in drawn(form, in_double(form)):
        run = recorded(form.op, case.arguments())
        if run is None or not run.outputs:
            continue
        names = list(run.leaves)
        given = case.arguments()
        fixed = as_tensors(given)

        def function(*leaves, given=given, names=names, fixed=fixed):  # type: ignore[no-untyped-def]
            return form.op(**with_leaves(given, names, leaves, fixed))

        leaves = [ag.Node(leaf.value, True) for leaf in run.leaves.values()]
        assert ag.gradgradcheck(function, leaves, fast=True, rtol=1e-3, atol=1e-4), shown(given)


@pytest.mark.promise("F12")
@some_forms(5)
def test_jvp_is_what_the_evaluator_and_differences_say_and_the_transpose_of_backward(form: Form) -> None:
    for case in drawn(form, in_double(form)):
        formula = case.formula
        wanted = pipeline.differentiable(formula)
        if not wanted or not any(output.dtype in FLOATS for output in formula.outputs):
            return
        random = np.random.default_rng(2)
        along = {name: random.uniform(-1, 1, case.operands[name].shape) for name in wanted}
        given = case.arguments()
        fixed = as_tensors(given)

        def function(*leaves, given=given, wanted=wanted, fixed=fixed):  # type: ignore[no-untyped-def]
            return form.op(**with_leaves(given, list(wanted), leaves, fixed))

        inputs = tuple(core.from_host(case.operands[name]) for name in wanted)
        found = ag.jvp(function, inputs, tuple(core.from_host(along[name]) for name in wanted))[1]
        found = found if isinstance(found, tuple) else (found,)
        step = 1e-6
        ends = [value_of(case, **{n: case.operands[n] + sign * step * along[n] for n in wanted}) for sign in (1, -1)]
        visible = [at for at, output in enumerate(formula.outputs) if not output.hidden]
        seeds = [random.uniform(-1, 1, each.shape).astype(each.dtype) for each in found]
        for at, tangent, expected in zip(visible, found, tangent_of(case, along), strict=True):
            if formula.outputs[at].dtype in FLOATS:
                close(tangent.to_host(), expected, f"{form} tangent")
                known = np.isfinite(ends[0][at]) | (
                    ends[0][at] != ends[1][at]
                )  # an infinity has no difference to itself
                difference = (ends[0][at][known] - ends[1][at][known]) / (2 * step)
                np.testing.assert_allclose(expected[known], difference, rtol=1e-4, atol=1e-6)
        pulled = ag.vjp(function, inputs, tuple(map(core.from_host, seeds)) if len(seeds) > 1 else seeds[0])[1]
        pushed = sum(float((seed * each.to_host()).sum()) for seed, each in zip(seeds, found, strict=True))
        back = sum(float((each.to_host() * along[name]).sum()) for each, name in zip(pulled, wanted, strict=True))
        np.testing.assert_allclose(pushed, back, rtol=1e-6, atol=1e-7)


@every_form
def test_gradients_of_pointwise_formulas_hold_at_the_ends_of_the_range(form: Form) -> None:
    if not is_pointwise(form.declaration):
        return
    for case in drawn(form, Wish(dtype="float32")):
        ends = stressed(case, STRESS)
        arguments = {
            name: value.astype(np.float32) if isinstance(value, np.ndarray) and value.dtype.kind == "f" else value
            for name, value in ends.arguments().items()
        }
        run = recorded(form.op, arguments)
        if run is None or not run.outputs:
            continue

        seeds = {name: np.ones(node.shape, np.float32) for name, node in run.outputs.items()}
        found = ag.grad(
            list(run.outputs.values()), list(run.leaves.values()), [core.from_host(seed) for seed in seeds.values()],
            allow_unused=True, materialize_grads=True,
        )  # fmt: skip
        expected = reference_gradients(run, tuple(run.leaves), seeds)
        for name, gradient in zip(run.leaves, found, strict=True):
            with np.errstate(over="ignore"):
                wanted = expected[name].astype(np.float32)
            np.testing.assert_allclose(
                gradient.to_host(), wanted, rtol=1e-4, atol=1e-6, err_msg=f"{form} by {name} of {arguments}"
            )


def with_leaves(given, names, leaves, fixed):  # type: ignore[no-untyped-def]
    """The arguments with the leaves in their places, also inside the list of a variadic operand."""
    leaf = dict(zip(names, leaves, strict=True))
    result = {}
    for name, value in fixed.items():
        if isinstance(value, list):
            result[name] = [leaf.get(f"{name}{at}", each) for at, each in enumerate(value)]
        else:
            result[name] = leaf.get(name, value)
    return result


def tangent_of(case, along):  # type: ignore[no-untyped-def]
    """The tangent formula on the evaluator, for each visible output; zeros for those that have none."""
    formula = case.formula
    tangent = pipeline.tangent(formula, tuple(along))
    values = {**case.operands, **{f"tangent_{name}": each for name, each in along.items()}}
    values.update(zip((output.name for output in formula.outputs), value_of(case), strict=True))
    shapes = dict(case.bindings.shapes)
    shapes.update({f"tangent_{output.name}": shapes[output.name] for output in formula.outputs})
    found = dict(
        zip(
            (output.name for output in tangent.outputs),
            evaluate(tangent, values, case.attributes, case.bindings.sizes, shapes),
            strict=True,
        )
    )
    names = [output.name for output in formula.outputs if not output.hidden]
    return [found.get(f"tangent_{name}", np.zeros(shapes[name])) for name in names]
