"""Numbers that know how they were computed: what was made with them serves others of which the same would be known."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import pytest

from netcl import kernels
from netcl.core.shapes import strides_of
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.derive.formula import NoDerivative
from netcl.kernels.compiler.ir import Formula
from netcl.kernels.compiler.ir.host import Numbers
from netcl.kernels.compiler.ir.quantity import Questions, plain
from netcl.kernels.compiler.lower.accesses import Layouts, Placed, static_attributes
from netcl.kernels.compiler.lower.kernel import Kernel
from netcl.kernels.compiler.target import CPU
from netcl.kernels.runtime.bindings import Bindings, bind
from netcl.kernels.runtime.partition import chunks
from netcl.kernels.runtime.schemes import flattened, quantities
from netcl.kernels.tools.sampling import Wish, sizes


def test_what_was_computed_is_computed_again() -> None:
    questions = Questions((6, 4))
    rows, columns = questions.given
    again = questions.function([rows * columns, -(-rows // columns), 7 - rows % columns, prod([rows, 2, columns]), 5])
    assert again((6, 4)) == (24, 2, 5, 48, 5)
    assert again((9, 5)) == (45, 2, 3, 90, 5)


def test_other_answers_need_something_else() -> None:
    questions = Questions((6, 4))
    rows, columns = questions.given
    most = max(rows, columns)
    if columns != 1 and rows * columns < 100:
        most += 1
    again = questions.function([most])
    assert again((8, 3)) == (9,)
    assert again((3, 8)) is None
    assert again((8, 1)) is None
    assert again((50, 40)) is None


def test_a_division_by_what_is_zero_elsewhere_needs_something_else() -> None:
    questions = Questions((6, 4))
    again = questions.function([questions.given[0] // questions.given[1]])
    assert again((6, 0)) is None


@pytest.mark.parametrize("ask", [int, float, str, bool, range, lambda n: [0] * n, lambda n: n.bit_length()])
def test_who_asks_for_the_number_gets_it_and_what_is_made_holds_for_such_numbers_alone(ask: Any) -> None:
    questions = Questions((6,))
    (number,) = questions.given
    assert ask(number) == ask(6)
    again = questions.function([number])
    assert again((6,)) == (6,)
    for other in (0, 1, 3, 5, 7, 8):
        assert again((other,)) is None or ask(other) == ask(6)


def test_a_number_is_no_key() -> None:
    (number,) = Questions((6,)).given
    with pytest.raises(TypeError, match="unhashable"):
        hash(number)


def test_numbers_alone_are_plain_and_serve_no_others() -> None:
    questions = Questions((6, 4), alone=True)
    assert {*questions.given} == {6, 4}
    again = questions.function([questions.given[0]])
    assert again((6, 4)) == (6,)
    assert again((6, 5)) is None


WISHES = tuple(
    Wish(dtype="float32", lengths=(length,), windows=(3,), numbers_of={"kernel": 2, "padding": 1}, most=2**62)
    for length in (36, 60)
)


@pytest.mark.parametrize("op", list(kernels.catalogue), ids=lambda op: op.name)
@pytest.mark.sample(64)
def test_what_serves_several_shapes_is_what_each_of_them_would_have_had(op: kernels.Op) -> None:
    for form in op.forms:
        first, second = (sizes(form, wish, Wish(dtype="float32")) for wish in WISHES)
        if first.signature != second.signature:
            continue
        assert_alike(first.formula, (first.bindings, first.attributes), (second.bindings, second.attributes))
        for gradient in gradients(first.formula):
            assert_alike(gradient, *(inherited(gradient, each.bindings, each.attributes) for each in (first, second)))


def assert_alike(formula: Formula, *cases: tuple[Bindings, Mapping[str, Any]]) -> None:
    """What is made with the numbers of the first case gives for the second, if it fits, what that comes to alone."""
    (numbers, kinds), other = (flattened(*known(formula, *case)) for case in cases)
    questions = Questions(numbers)
    left = list(questions.given)
    text, found = made(formula, *[quantities(each, left) for each in known(formula, *cases[0])])
    again = questions.function(found)
    assert again(numbers) == tuple(map(plain, found)), "the numbers that it was made with"
    for (given, same), case in ((other, cases[1]), ((numbers, kinds), cases[0])):
        values = again(given) if same == kinds else None
        if values is not None:
            of = Questions(given)
            left = list(of.given)
            text_of_case, numbers_of_case = made(formula, *[quantities(each, left) for each in known(formula, *case)])
            assert (text, values) == (text_of_case, tuple(map(plain, numbers_of_case)))


def made(formula: Formula, sizes: Any, shapes: Any, attributes: Any, strides: Any) -> tuple[str, tuple[Any, ...]]:
    """The text that is launched, and all numbers that go with it."""
    places = {name: Placed(0, each) for name, each in strides.items()}
    program = pipeline.compile(formula, Layouts(Numbers(sizes, attributes), places, shapes), CPU)
    done = program.recipe
    numbers: list[Any] = [length for each in done.temporaries for length in each.shape]
    kernels = [each for each in done.steps if isinstance(each, Kernel)]
    for kernel in kernels:
        accesses = (*kernel.accesses.values(), *(write.access for write in kernel.writes))
        numbers += [kernel.units, kernel.work_per_unit, kernel.multiple, *kernel.numbers.values()]
        numbers += kernel.extents.values()
        numbers += [number for each in accesses for number in (each.offset, *each.strides.values(), *each.dynamic)]
        numbers += [*chunks(kernel, CPU), *kernel.numbers.values()]
    return program.emitted.text if program.emitted else "", tuple(numbers)


def known(formula: Formula, bindings: Bindings, attributes: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    static = {name: attributes[name] for name in static_attributes(formula)}
    strides = {each.name: (1,) if each.flat else strides_of(bindings.shapes[each.name]) for each in formula.operands}
    return bindings.sizes, bindings.shapes, static, strides


def inherited(
    gradient: Formula, bindings: Bindings, attributes: Mapping[str, Any]
) -> tuple[Bindings, Mapping[str, Any]]:
    names = [each.name if each.name in bindings.shapes else each.name[1:] for each in gradient.operands]
    return bind(gradient, [bindings.shapes[name] for name in names], attributes, bindings), attributes


def gradients(formula: Formula) -> list[Formula]:
    wanted = pipeline.differentiable(formula)
    try:
        return [pipeline.gradient(formula, wanted)] if wanted else []
    except NoDerivative:
        return []
