"""Which readings of its own a definition may have: of which it is known that they look back, and which are refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from recurrence_cases import Array, normal
from thorough import spread

from netcl import autograd as ag
from netcl import core, kernels
from netcl.core.errors import KernelLanguageError, ShapeError
from netcl.kernels.compiler.target import Target, named

LOOKING_BACK: dict[str, tuple[str, Callable[[Array, Array, int], float]]] = {
    "a heap": ("y = x + (t > 0 ? y[(t - 1) // 2] ^ 2 : 0);", lambda x, y, t: x[t] + (y[(t - 1) // 2] ** 2 if t else 0)),
    "from 1 on": ("y = x + (t > 0 ? y[t // 2] ^ 2 : 0);", lambda x, y, t: x[t] + y[t // 2] ** 2 * (t > 0)),
    "of three": ("y = x + (t > 2 ? y[t // 3 - 1] ^ 2 : 0);", lambda x, y, t: x[t] + y[t // 3 - 1] ** 2 * (t > 2)),
    "a heap with a value outside": (
        "y = x + (y[(t - 1) // 2] else 2) ^ 2;", lambda x, y, t: x[t] + (y[(t - 1) // 2] if t else 2) ** 2,
    ),
    "as far as a number says": (
        "y = x + 0.5 * (y[t - lag] else 2);", lambda x, y, t: x[t] + 0.5 * (y[t - 2] if t > 1 else 2),
    ),
    "the last of three places": (
        "y = t == 0 ? x : t == 1 ? x * y[0] : t == 2 ? x * y[1] : x * y[2] + y[0];",
        lambda x, y, t: x[t] * y[2] + y[0] if t > 2 else x[t] * (y[t - 1] if t else 1),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOKING_BACK)
@pytest.mark.sample(4)
def test_what_is_known_of_a_position_says_that_it_looks_back(name: str) -> None:
    """A half is before the whole; what `where` requires holds; what is none of 0, 1 and 2 is behind them."""
    text, step = LOOKING_BACK[name]
    op = kernels.compile(f"op f(x[t]: float; lag: int = 2) -> y[t] where lag > 0 {{ {text} }}").f
    x, y = normal(9) / 2, np.zeros(9)
    for t in range(9):
        y[t] = step(x, y, t)
    given = ag.tensor(x, requires_grad=True)
    np.testing.assert_allclose(op(given).to_host(), y, rtol=1e-12)
    assert ag.gradcheck(op, [given])
    assert ag.gradgradcheck(op, [given])


STEPS = (
    "p[t] = argmax[k](h[t - 1, k] else 0); h = w[p[t]] * x + 0.1 * k;",
    "p[t] = argmax[k](w[k] * (h[t - 1, k] else 0)); h = tanh(x + 0.5 * (h[t - 1, p] else (0.1 * k))) ^ 2;",
    "b[t] = sum[k](h[t - 1, k] else 0); h = first_max[v](w[v] * (b[t - 1] else 1)) + 0.1 * k * x;",
)


@pytest.mark.parametrize(("text", "target"), spread(STEPS, ("cpu", "small-cpu", "small-gpu")))
@pytest.mark.sample(2)
def test_a_step_reads_where_the_one_before_has_its_extreme(
    text: str, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Target, "of", staticmethod(lambda device: named(target)))
    op = kernels.compile(f"op f(x[t]: float, w[v]: float) -> h[t, k] where k = size[v] {{ {text} }}").f
    given = [ag.tensor(normal(*shape), requires_grad=True) for shape in ((4,), (3,))]
    assert ag.gradcheck(op, given)
    assert ag.gradgradcheck(op, given)
    along = [core.from_host(normal(*each.shape)) for each in given]
    _, tangent = ag.jvp(op, tuple(each.value for each in given), tuple(along))
    gradients = ag.grad(op(*given).sum(), given)
    expected = sum((one.to_host() * other.to_host()).sum() for one, other in zip(gradients, along, strict=True))
    np.testing.assert_allclose(tangent.to_host().sum(), expected, rtol=1e-12)


def test_a_reading_that_leaves_its_axis_is_an_error_of_the_call() -> None:
    op = kernels.compile("op f(x[n]: float) -> y[n] { y = x + y[n - 1]; }").f
    with pytest.raises(IndexError, match="the positions -1 to 2"):
        op(ag.tensor([1.0, 2.0, 3.0, 4.0]))
    inner = kernels.compile("op f(x[n]: float) -> y[n] { d[n] = x + d[n - 1]; y = 2 * d; }").f
    with pytest.raises(IndexError, match=r"the positions -1 to 2, .* axis n of d, which has length 4"):
        inner(ag.tensor([1.0, 2.0, 3.0, 4.0]))
    at = kernels.compile("op f(x[n]: float, p[n]: int) -> y[n] { y = x + (p < n ? y[p] : 0); }").f
    with pytest.raises(IndexError, match=r"the index -7 .* axis n of y"):
        at(ag.tensor([1.0, 2.0]), ag.tensor([-7, 0]))


@pytest.mark.parametrize(
    "formula",
    [
        "y[n - 1] + y[n + 1]", "y[p]", "y[n]", "p < n ? y[p + 1] : 0", "p <= n ? y[p] : 0", "sum[m <= n](y[m])",
        "n > 0 ? y[0] : y[size[n] - 1]",
    ],
)  # fmt: skip
def test_a_reading_of_which_nothing_says_that_it_looks_back_is_refused(formula: str) -> None:
    with pytest.raises(KernelLanguageError, match="nothing says that this element is computed before"):
        kernels.compile(f"op f(x[n]: float, p[n]: int) -> y[n] {{ y = x + ({formula}); }}")


@pytest.mark.parametrize("reading", ["y[n - lag] else 0", "n >= lag ? y[n - lag] : 0", "n < lag ? 0 : y[n - lag]"])
@pytest.mark.parametrize("required", ["lag > 0", "lag >= 1", "lag > 1 - 1"])
def test_a_lag_that_where_requires_to_be_positive_looks_back(reading: str, required: str) -> None:
    op = kernels.compile(f"op f(x[n]: float; lag: int = 2) -> y[n] where {required} {{ y = x + ({reading}) / 2; }}").f
    x = normal(9)
    for lag in (1, 2, 4, 20):
        expected = x.copy()
        for n in range(lag, 9):
            expected[n] += expected[n - lag] / 2
        np.testing.assert_allclose(op(core.from_host(x), lag=lag).to_host(), expected, rtol=1e-12)
        assert ag.gradcheck(lambda each, lag=lag: op(each, lag=lag), [core.from_host(x)])


def test_two_readings_that_each_look_back_along_another_axis_have_no_order() -> None:
    with pytest.raises(KernelLanguageError, match="nothing says that this element is computed before"):
        kernels.compile(
            "op f(x[i, j]: float, p[j]: int, q[i]: int) -> r[i, j] "
            "{ r = x + (r[i - 1, p] else 0) + (r[q, j - 1] else 0); }"
        )


def test_a_place_of_nothing_is_an_error() -> None:
    op = kernels.compile("op f(x[n, k]: float, z[k]: float) -> y[n] { y = z[argmax[k](x)]; }").f
    with pytest.raises(ShapeError, match=r"argmax\[k\] gives a place, which an axis without elements does not have"):
        op(core.from_host(normal(2, 0)), core.from_host(normal(0)))
    assert op(core.from_host(normal(0, 0)), core.from_host(normal(0))).shape == (0,)


ATTENTION = """op f(x[t]: float) -> h[t] {
    m[t] = t == 0 ? 0 : detach(max[u < t](x[t] * h[u]));
    z[t] = sum[u < t](exp(x[t] * h[u] - m[t]));
    h = x + (t == 0 ? 0 : 1 / z);
}"""


@pytest.mark.parametrize("steps", [1, 2, 15, 16, 17, 40])
@pytest.mark.sample(3)
def test_sums_of_what_came_before_go_over_steps_that_are_taken_in_lanes(steps: int) -> None:
    """A softmax over its own earlier states: the gradient has sums for each step that need no step before."""
    op = kernels.compile(ATTENTION).f
    x = ag.tensor(np.linspace(-1, 1, steps), requires_grad=True)
    expected = np.zeros(steps)
    for t, each in enumerate(x.to_host()):
        scores = each * expected[:t]
        expected[t] = each + (1 / np.exp(scores - scores.max()).sum() if t else 0)
    np.testing.assert_allclose(op(x).to_host(), expected, rtol=1e-12)
    given = x.to_host()
    by_state = np.zeros((steps, steps))  # of h[t] by x[s]; the largest value is a constant
    for t in range(steps):
        by_state[t, t] = 1
        if t:
            scores = given[t] * expected[:t]
            weights = np.exp(scores - scores.max())
            slope = -weights / weights.sum() ** 2
            by_state[t] += (slope * given[t]) @ by_state[:t]
            by_state[t, t] += slope @ expected[:t]
    np.testing.assert_allclose(ag.grad(op(x).sum(), [x])[0].to_host(), by_state.sum(0), rtol=1e-9, atol=1e-12)
