"""Every form gives what the reference evaluator gives on axes of length 0 and 1, on views, and of whole numbers: what
hangs on shapes, layouts and dtypes, whatever the driver optimises."""

from __future__ import annotations

import pytest
from forms import (
    FIRST_FORMS,
    FORMS,
    PRIMES,
    ROOMY,
    Form,
    agrees,
    drawn,
    layout_of,
    sixths,
)  # fmt: skip
from thorough import spread

from netcl.core.errors import IndexOutOfRangeError
from netcl.kernels.tools.sampling import Wish


def takes_integers(form: Form) -> bool:
    """Whether it computes with integers as they are."""
    return any(operand.type in ("number", "any") for operand in form.declaration.operands)


WITH_INTEGERS = [form for form in FORMS if takes_integers(form)]


@pytest.mark.promise("N36")
@pytest.mark.parametrize("form", sixths(FORMS, 2, 5), ids=repr)
def test_axes_of_length_0_and_1_and_no_axes_at_all_work(form: Form) -> None:
    wishes = [
        Wish(rank=0, dtype="float32"), Wish(rank=2, dtype="float32", lengths=(1,)),
        Wish(rank=2, dtype="float32", lengths=(0,)), Wish(rank=2, dtype="float32", lengths=(0, 3)),
    ]  # fmt: skip
    for wish in wishes:
        for case in drawn(form, wish):
            try:
                agrees(form.op, case.arguments())
            except IndexOutOfRangeError:
                assert 0 in case.bindings.sizes.values(), "only an axis without elements has no valid index"


@pytest.mark.parametrize("form", sixths(FIRST_FORMS, 1), ids=repr)
def test_views_give_what_copies_give(form: Form) -> None:
    layout = layout_of(form)
    for case in drawn(form, Wish(rank=2, dtype="float32", lengths=(5, 19, 3), most=300_000)):
        agrees(form.op, case.arguments(), layout)


@pytest.mark.parametrize(
    ("form", "dtype"), spread(sixths(WITH_INTEGERS, 0, 4), ["bool", "uint8", "int32", "int64"]), ids=str
)
def test_integers_and_bools_stay_exact_in_lanes_and_beside_them(form: Form, dtype: str) -> None:
    wishes = [
        Wish(rank=1, dtype=dtype, lengths=(213,)),
        Wish(rank=2, dtype=dtype, lengths=PRIMES, most=300_000),
        Wish(rank=2, dtype=dtype, lengths=ROOMY, most=300_000),
    ]
    found = [drawn(form, wish) for wish in wishes]
    for case in (*found[0], *(found[1] or found[2])):
        agrees(form.op, case.arguments())
