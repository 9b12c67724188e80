"""Operands broadcast by numpy's rules on every side, numbers stand for tensors, and dtypes promote together."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from forms import FORMS, Array, Form, agrees, drawn, gradients_agree, sixths, turn_of

from netcl.core.errors import ShapeError
from netcl.kernels.tools.sampling import Case, Wish, is_pointwise

POINTWISE = [form for form in FORMS if is_pointwise(form.declaration) and len(form.declaration.operands) > 1]
SHAPES: list[tuple[tuple[int, ...], ...]] = [
    ((3, 1), (1, 17), (17,)), ((4,), (3, 4), ()), ((), (2, 3), (3,)), ((2, 1, 5), (3, 1), (5,)), ((0, 3), (3,), ()),
    ((1,), (0,), (1, 1)),
]  # fmt: skip
PAIRS = list(zip(SHAPES, SHAPES[3:] + SHAPES[:3], strict=True))
"""Each op has two of the shapes; how operands broadcast does not depend on the formula."""


def reshaped(case: Case, shapes: tuple[tuple[int, ...], ...]) -> dict[str, object]:
    """The case's arguments, each operand with values of its own under one of the shapes."""
    arguments = case.arguments()
    for at, operand in enumerate(case.form.operands):
        if operand.name in arguments:
            shape = shapes[at % len(shapes)]
            arguments[operand.name] = np.resize(np.asarray(arguments[operand.name]), shape)
    return arguments


@pytest.mark.promise("A9")
@pytest.mark.parametrize("form", POINTWISE, ids=repr)
@pytest.mark.sample(11)
def test_pointwise_operands_broadcast_on_either_side(form: Form) -> None:
    case = drawn(form, Wish(rank=2, dtype="float32", lengths=(7,)))[0]
    for shapes in turn_of(form, PAIRS):
        agrees(form.op, reshaped(case, shapes))


@pytest.mark.promise("A9", "P36")
@pytest.mark.parametrize("form", POINTWISE, ids=repr)
@pytest.mark.sample(18)
def test_gradients_are_summed_over_the_axes_that_an_operand_lacks(form: Form) -> None:
    case = drawn(form, Wish(rank=2, dtype="float32", lengths=(7,)))[0]
    gradients_agree(form.op, reshaped(case, turn_of(form, PAIRS)[0]))


@pytest.mark.parametrize("form", POINTWISE, ids=repr)
def test_shapes_that_do_not_broadcast_are_refused_with_both_named(form: Form) -> None:
    case = drawn(form, Wish(rank=2, dtype="float32", lengths=(7,)))[0]
    with pytest.raises(ShapeError) as caught:
        agrees(form.op, reshaped(case, ((2, 3), (2, 4), (2, 5))))
    assert form.op.name in str(caught.value)
    assert "(2, 3)" in str(caught.value)
    assert "(2, 4)" in str(caught.value)


@pytest.mark.parametrize("form", POINTWISE, ids=repr)
@pytest.mark.sample(8)
def test_a_number_stands_for_a_tensor_without_axes(form: Form) -> None:
    case = drawn(form, Wish(rank=2, dtype="float32", lengths=(3,)))[0]
    for operand in case.form.operands:
        arguments = case.arguments()
        first = np.asarray(arguments[operand.name]).reshape(-1)[0]
        [with_tensor] = agrees(form.op, {**arguments, operand.name: first.reshape(())})[:1]
        [with_number] = agrees(form.op, {**arguments, operand.name: first.item()})[:1]
        np.testing.assert_array_equal(with_number, with_tensor)


@pytest.mark.parametrize("form", sixths(FORMS, 1, 3), ids=repr)
@pytest.mark.sample(24)
def test_packs_broadcast_like_batches(form: Form) -> None:
    """An operand that shares its pack with another may have length 1 there, or lack the axis."""
    for case in drawn(form, Wish(rank=2, dtype="float32", lengths=(3, 4, 2))):
        operands = [each for each in case.form.operands if not each.variadic and shares_a_pack(form, each.name)]
        for operand in [turn_of(form, operands)] if operands else []:
            packed = [at for at, axis in enumerate(operand.axes or ()) if axis.kind == "pack"]
            arguments = case.arguments()
            array: Array = arguments[operand.name]
            taken = (slice(None),) * packed[0]
            for other, compare in ((array[(*taken, 0)], agrees), (array[(*taken, slice(0, 1))], gradients_agree)):
                # a table that is read at positions must have all its axes, and says so
                with contextlib.suppress(ShapeError):
                    compare(form.op, {**arguments, operand.name: np.ascontiguousarray(other)})


def shares_a_pack(form: Form, name: str) -> bool:
    """Whether the operand has packs, and each is a pack of another operand, too."""
    packs = {
        operand.name: {axis.names[0] for axis in operand.axes or () if axis.kind == "pack"}
        for operand in form.declaration.operands
    }
    others = set().union(*(each for other, each in packs.items() if other != name))
    return set() < packs[name] <= others
