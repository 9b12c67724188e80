"""Formulas at random: device, evaluator, text and differences agree about values and two orders of gradients.

A few here, thousands in `nox -s formulas`, which takes a while: each has three programs to build.
"""

from __future__ import annotations

import numpy as np
import pytest
import random_formulas
from formula_trials import against_differences, as_written, on_the_device
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_formulas import Choice, Made, Pick, Seeded


class _Drawn(Pick):
    """Decisions that Hypothesis takes, and makes simpler when one of them fails."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw

    def one(self, among: list[Choice]) -> Choice:  # type: ignore[override]
        return self.draw(st.sampled_from(among))


@st.composite
def formulas(draw: st.DrawFn) -> Made:
    return random_formulas.formulas(_Drawn(draw))


SCALE = 400 if settings().max_examples > 1000 else 1
"""`nox -s formulas` computes 2,000 of them on the device, and compares 8,000 and 4,000 without one."""

PARTS = range(10 if SCALE > 1 else 1)
"""Those on the device are shared out over the processes of a run."""

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]


@pytest.mark.parametrize("part", PARTS)
@settings(max_examples=5 * SCALE // len(PARTS), suppress_health_check=SLOW)
@given(made=formulas())
def test_the_device_is_within_the_error_bounds_of_the_evaluator(part: int, made: Made) -> None:
    on_the_device(made)


@settings(max_examples=20 * SCALE, suppress_health_check=SLOW)
@given(formulas())
def test_the_evaluator_computes_what_is_written(made: Made) -> None:
    as_written(made)


@settings(max_examples=10 * SCALE, suppress_health_check=SLOW)
@given(formulas())
def test_gradients_of_two_orders_are_slopes(made: Made) -> None:
    if made.smooth:
        against_differences(made)


def test_bounds_and_differences_have_something_to_say() -> None:
    made = [random_formulas.formulas(Seeded(seed)) for seed in range(12)]
    assert sum(against_differences(each) for each in made if each.smooth) > 8
    assert sum(on_the_device(each, order=0) for each in made[:4]) > 3


# Formulas that once came out wrong, each with the shapes of its operands.
ONCE_WRONG = {
    "sums that a largest one is taken of are computed once": (
        """op f(a[]: float, b[i, k, l]: float, c[l, i, k]: float, d[l]: float) -> (y[i, j, k], z[i]) where j = 3 {
            y = a[];
            z = sum[k](max[l](b[i, k, l])) + max[k](sum[l](c[l, i, k] * d[l]));
        }""",
        {"a": (), "b": (3, 3, 48), "c": (48, 3, 3), "d": (48,)},
        {"i": 3, "j": 3, "k": 3, "l": 48},
    ),
    "a condition on an index that is not summed, in a sum that is cut into blocks": (
        """op f(a[l]: float, b[k]: float) -> y[i, j, k] where i = 3, j = 5 {
            y = sum[l]((a[l + i - 1] else 0) * b[l]);
        }""",
        {"a": (1,), "b": (33,)},
        {"i": 3, "j": 5, "k": 33, "l": 1},
    ),
    "a sum in a least value whose blocks would be cut into blocks again": (
        """op f(a[r, i, j]: float, b[r]: float, c[j, k, r]: float) -> z[i, j] where l = 48 {
            z = min[k, l](sum[r]((a[r, i, j] * b[r]) * c[j, k, r]));
        }""",
        {"a": (1, 70, 17), "b": (1,), "c": (17, 3, 1)},
        {"i": 70, "j": 17, "k": 3, "l": 48, "r": 1},
    ),
    "a product that is the largest value, whatever the index": (
        """op f(a[]: float, b[]: float, c[k, l]: float) -> y[] {
            y = max[k](2 > a[] and b[] < 2 ? prod[k, l](1 + 0.1 * sin(c[k, l])) : 2);
        }""",
        {"a": (), "b": (), "c": (2, 17)},
        {"k": 2, "l": 17},
    ),
    "the position of a largest value among one": (
        """op f(a[x, j]: float, b[i, r, l]: float) -> z[i, j, x] {
            z = min[l](first_max[r](a[x, j])) / (1 + prod[l](1 + 0.1 * sin(first_max[r](b[i, r, l]))) ^ 2);
        }""",
        {"a": (3, 2), "b": (17, 1, 2)},
        {"i": 17, "j": 2, "l": 2, "r": 1, "x": 3},
    ),
}


@pytest.mark.parametrize("name", ONCE_WRONG)
@pytest.mark.sample(2)
def test_a_formula_that_was_wrong_is_right(name: str) -> None:
    text, shapes, lengths = ONCE_WRONG[name]
    rng = np.random.default_rng(0)
    arrays = {each: rng.uniform(-2, 2, shape).astype(np.float32) for each, shape in shapes.items()}
    made = Made(text, arrays, {}, lengths, {}, True, True)
    assert on_the_device(made) > 0.9
