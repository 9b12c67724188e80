"""Every form gives what the reference evaluator gives, whatever the shape, dtype, layout or numbers."""

from __future__ import annotations

import numpy as np
import pytest
from forms import (
    FORMS,
    PRIMES,
    ROOMY,
    USUAL,
    Array,
    Form,
    agrees,
    as_tensors,
    close,
    drawn,
    in_double,
    reference_of,
    shown,
    sixths,
)  # fmt: skip

from netcl.kernels.tools.sampling import STRESS, Wish, is_pointwise, stressed

every_form = pytest.mark.parametrize("form", FORMS, ids=repr)


@pytest.mark.promise("L31", "F26")
@every_form
def test_values_are_those_of_the_evaluator(form: Form) -> None:
    for wish in (USUAL, in_double(form)):
        for case in drawn(form, wish):
            agrees(form.op, case.arguments())


@pytest.mark.promise("F16", "L30")
@pytest.mark.parametrize("form", sixths(FORMS, 3, 4), ids=repr)
def test_long_rows_and_columns_are_right_and_the_same_bits_again(form: Form) -> None:
    for lengths in (PRIMES, ROOMY):
        found = drawn(form, Wish(rank=2, dtype="float32", lengths=lengths, most=2_000_000))
        for case in found:
            once, again = (agrees(form.op, case.arguments()) for _ in range(2))
            assert [each.tobytes() for each in once] == [each.tobytes() for each in again]
        if found:
            return
    pytest.fail(f"{form}: no case fits")


@pytest.mark.promise("A28")
@every_form
def test_a_nan_is_never_lost_or_invented(form: Form) -> None:
    for case in drawn(form, Wish(rank=2, dtype="float32", lengths=(3, 5))):
        arguments = case.arguments()
        for name, value in arguments.items():
            if isinstance(value, np.ndarray) and value.dtype.kind == "f":
                agrees(form.op, {**arguments, name: with_one(value, np.nan)})
                agrees(form.op, {**arguments, name: with_one(value, np.inf)})


@every_form
def test_pointwise_formulas_hold_at_the_ends_of_the_range(form: Form) -> None:
    if not is_pointwise(form.declaration):
        return
    for case in drawn(form, Wish(dtype="float32")):
        ends = stressed(case, (*STRESS, np.inf, -np.inf, np.nan))
        arguments = {
            name: value.astype(np.float32) if isinstance(value, np.ndarray) and value.dtype.kind == "f" else value
            for name, value in ends.arguments().items()
        }
        call = form.op.bind((), as_tensors(arguments))
        for output, reference in zip(call.run(call.operands), reference_of(call), strict=True):
            close_at_the_ends(output.to_host(), reference, arguments)


def with_one(array: Array, value: float) -> Array:
    """A copy with one element in the middle replaced."""
    changed = array.copy()
    if changed.size:
        changed.reshape(-1)[changed.size // 2] = value
    return changed


def close_at_the_ends(found: Array, expected: Array, arguments: dict[str, object]) -> None:
    """Element by element: the same NaNs and infinities, and finite values to four digits."""
    if found.dtype.kind != "f":
        close(found, expected, shown(arguments))
        return
    with np.errstate(over="ignore"):
        expected = expected.astype(np.float32).astype(np.float64)
    np.testing.assert_allclose(found.astype(np.float64), expected, rtol=1e-4, atol=1e-6, err_msg=shown(arguments))
