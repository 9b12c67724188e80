"""Sums over states that equations ask for more than once in a step: values against plain loops, derivatives against
differences, which of them become states, and how much a second derivative says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from evaluated import assert_derivatives, compiled, value

from netcl import autograd as ag
from netcl import core, kernels
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import Formula, Recurrence, root, subexpressions

Array = Any
HEAD = "op f(x[t, k]: float, w[k, j]: float) -> h[t, k] where size[j] == size[k]"


def loops(step: Callable[[Array, Array, Array, int], Array]) -> Callable[[Array, Array], Array]:
    """The states of steps that are given x, w, the states before and behind, and the number of the step."""

    def run(x: Array, w: Array) -> Array:
        h = np.zeros_like(x)
        for t in range(len(x)):
            h[t] = step(x, w, h, t)
        return h

    return run


def before(h: Array, t: int, steps: int = 1) -> Array:
    return h[t - steps] if t >= steps else np.zeros(h.shape[1])


def of_the_last(x: Array, w: Array, h: Array, t: int) -> Array:
    if t == 0:
        return x[0] / (1 + x[0] ** 2)
    energy = (h[t - 1 if t % 2 else t - 2] ** 2).sum()
    return np.tanh(x[t] + energy) * energy


def asked_for_by_two(x: Array, w: Array) -> Array:
    h, c, before = np.zeros_like(x), np.ones(x.shape[1]), np.zeros(x.shape[1])
    for t, each in enumerate(x):
        m = w @ before
        c = 0.5 * c + np.sin(m)
        before = h[t] = each + np.cos(m) * c
    return h


PARTS = {
    "within a sum": 1, "within a sum within a sum": 2, "part of a summand": 1,
    "part of a summand, behind a condition": 1,
}  # fmt: skip
"""How many parts of summands become states."""
CASES: dict[str, tuple[str, Callable[[Array, Array], Array], int]] = {
    "fewer elements than the equation": (
        "h = (x + 0.5 * (h[t - 1, k] else 0)) / (1 + sum[i]((h[t - 1, i] else 0) ^ 2));",
        loops(lambda x, w, h, t: (x[t] + 0.5 * before(h, t)) / (1 + (before(h, t) ** 2).sum())),
        1,
    ),
    "asked for by two": (
        """
        m[t, k] = sum[j](w * (h[t - 1, j] else 0));
        c[t, k] = 0.5 * (c[t - 1, k] else 1) + sin(m);
        h = x + cos(m) * c;
        """,
        asked_for_by_two,
        1,
    ),
    "within a sum": (
        "h = x + sum[j](w * tanh(sum[i](w[j, i] * (h[t - 1, i] else 0))));",
        loops(lambda x, w, h, t: x[t] + w @ np.tanh(w @ before(h, t))),
        1,
    ),
    "within a sum within a sum": (
        "h = x + sum[j](w * sin(sum[i](w[j, i] * tanh(sum[l](w[i, l] * (h[t - 1, l] else 0))))));",
        loops(lambda x, w, h, t: x[t] + w @ np.sin(w @ np.tanh(w @ before(h, t)))),
        2,
    ),
    "behind a condition": (
        "h = t == 0 ? x / (1 + x ^ 2) : x / (1 + sum[j](h[t - 1, j] ^ 2 + w * h[t - 1, j])) + sum[j](h[t - 1, j]);",
        loops(
            lambda x, w, h, t: (
                x[t] / (1 + x[t] ** 2) if t == 0 else x[t] / (1 + (h[t - 1] ** 2).sum() + w @ h[t - 1]) + h[t - 1].sum()
            )
        ),
        1,
    ),
    "with conditions of its own": (
        """
        energy = sum[j]((t % 2 == 1 ? h[t - 1, j] : h[t - 2, j]) ^ 2);
        h = t == 0 ? x / (1 + x ^ 2) : tanh(x + energy) * energy;
        """,
        loops(of_the_last),
        1,
    ),
    "the largest": (
        "h = x - max[j](sin(3 * (h[t - 1, j] else 0.1)) + (h[t - 1, j] else 0));",
        loops(lambda x, w, h, t: x[t] - (np.sin(3 * (before(h, t) + (0.1 if t == 0 else 0))) + before(h, t)).max()),
        1,
    ),
    "part of a summand": (
        "h = x + sum[j](w * tanh(2 * (h[t - 1, j] else 0.1)));",
        loops(lambda x, w, h, t: x[t] + w @ np.tanh(2 * (before(h, t) + (0.1 if t == 0 else 0)))),
        0,
    ),
    "part of a summand, behind a condition": (
        "h = t == 0 ? x : x + sum[j](w * exp(-(h[t - 1, j] ^ 2)));",
        loops(lambda x, w, h, t: x[t] if t == 0 else x[t] + w @ np.exp(-(h[t - 1] ** 2))),
        0,
    ),
    "none": (
        "h = tanh(x + sum[j](w * (h[t - 1, j] else 0)));",
        loops(lambda x, w, h, t: np.tanh(x[t] + w @ before(h, t))),
        0,
    ),
}


def drawn(steps: int, width: int) -> tuple[Array, Array]:
    random = np.random.default_rng(steps * 100 + width)
    return 0.7 * random.standard_normal((steps, width)), 0.5 * random.standard_normal((width, width))


def states(formula: Formula) -> set[str]:
    exprs = (output.expr for output in formula.outputs)
    return {name for node in subexpressions(*exprs) if isinstance(node, Recurrence) for name in node.names}


@pytest.mark.parametrize("name", CASES)
def test_sums_that_are_asked_for_again_are_states(name: str) -> None:
    text, of_loops, sums = CASES[name]
    op = compiled(f"{HEAD} {{ {text} }}")
    call = op.bind([core.from_host(each) for each in drawn(4, 3)], {})
    assert len([each for each in states(call.formula) if each.startswith("sum_")]) == sums
    assert len([each for each in states(call.formula) if each.startswith("part_")]) == PARTS.get(name, 0)
    x, w = drawn(4, 3)
    np.testing.assert_allclose(value(op, x, w), of_loops(x, w), rtol=1e-12, atol=1e-14)
    assert_derivatives(op, [x, w])


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("steps", [0, 1, 2, 4, 7])
@pytest.mark.parametrize("width", [1, 3, 17])
@pytest.mark.sample(20)
def test_a_device_gives_what_loops_give(name: str, steps: int, width: int) -> None:
    text, of_loops, _ = CASES[name]
    x, w = drawn(steps, width)
    found = kernels.compile(f"{HEAD} {{ {text} }}").f(core.from_host(x), core.from_host(w))
    np.testing.assert_allclose(found.to_host(), of_loops(x, w), rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.sample(2)
def test_first_and_second_derivatives_on_a_device_are_those_of_differences(name: str) -> None:
    op = kernels.compile(f"{HEAD} {{ {CASES[name][0]} }}").f
    given = [ag.tensor(each, requires_grad=True) for each in drawn(4, 3)]
    assert ag.gradcheck(op, given)
    assert ag.gradgradcheck(op, given)


@pytest.mark.parametrize(
    ("formula", "of"),
    [
        ("h = x / (1 + sum[j](h[t - 1, j] ^ 2));", "h"),
        ("m[t] = sum[j](c[t - 1, j] ^ 2); c[t, k] = x / (1 + m); h = 2 * c;", "c"),
    ],
)
def test_a_sum_of_what_is_out_of_range_is_a_mistake_also_where_it_is_a_state(formula: str, of: str) -> None:
    op = kernels.compile(f"{HEAD} {{ {formula} }}").f
    with pytest.raises(IndexError, match=rf"the positions -1 to 2, t - 1, are not all in axis t of {of}"):
        op(*(core.from_host(each) for each in drawn(4, 3)))


def test_a_sum_at_places_from_data_is_checked_where_it_is_asked_for() -> None:
    op = kernels.compile(
        """op f(x[t, k]: float, p[t]: int) -> h[t, k]
        { h = t > 0 ? x / (1 + sum[j]((p < t ? h[p, j] : 0) ^ 2)) : x; }"""
    ).f
    x = drawn(3, 2)[0]
    wanted = [x[0], x[1] / (1 + (x[0] ** 2).sum())]
    wanted.append(x[2] / (1 + (wanted[1] ** 2).sum()))
    found = op(core.from_host(x), core.from_host(np.array([-9, 0, 1])))  # that of t = 0 is not asked for
    np.testing.assert_allclose(found.to_host(), wanted, rtol=1e-12)
    with pytest.raises(IndexError, match="the index -9"):
        op(core.from_host(x), core.from_host(np.array([0, -9, 1])))


def test_a_sum_for_each_pair_is_no_state() -> None:
    """Bodies that attract each other: a state of all distances in all steps would be larger than all else."""
    op = compiled("""op f(x0[i, c]: float, steps[t]: float) -> x[t, i, c] where size[j] == size[i], size[e] == size[c] {
        from[t, i, c] = x[t - 1, i, c] else (x0);
        square = sum[e]((from[t, j, e] - from[t, i, e]) ^ 2);
        x = from + 0.1 * steps * sum[j]((from[t, j, c] - from) / (0.5 + square));
    }""")
    random = np.random.default_rng(4)
    x0, steps = random.standard_normal((3, 2)), random.uniform(0.5, 1, 4)
    call = op.bind([core.from_host(x0), core.from_host(steps)], {})
    gradient = pipeline.gradient(call.formula, ("x0", "steps"))
    for formula in (call.formula, gradient):
        nodes = (node for output in formula.outputs for node in subexpressions(output.expr))
        for system in (node for node in nodes if isinstance(node, Recurrence)):
            assert not any({"i", "j"} <= {root(index) for index in axes} for axes in system.axes)
            assert not any(len([index for index in axes if root(index) == "i"]) > 1 for axes in system.axes)
    found, at = [], x0
    for step in steps:
        apart = at[None] - at[:, None]
        at = at + 0.1 * step * (apart / (0.5 + (apart**2).sum(-1, keepdims=True))).sum(1)
        found.append(at)
    np.testing.assert_allclose(value(op, x0, steps), found, rtol=1e-12)
    assert_derivatives(op, [x0, steps])


def layered(count: int, index: str = "k") -> str:
    """So many layers of the state before, at a place of the last one."""
    if not count:
        return f"(h[t - 1, {index}] else 0)"
    inner = f"i{count}"
    return f"tanh(sum[{inner}](w[{index}, {inner}] * {layered(count - 1, inner)}))"


def test_a_derivative_of_a_derivative_grows_as_the_formula_does() -> None:
    sizes = []
    for count in (2, 4):
        op = kernels.compile(f"{HEAD} {{ h = x + {layered(count)}; }}").f
        call = op.bind([core.from_host(each) for each in drawn(4, 3)], {})
        first = pipeline.gradient(call.formula, ("x", "w"))
        second = pipeline.gradient(first, pipeline.differentiable(first))
        sizes.append([len(list(subexpressions(*(each.expr for each in of.outputs)))) for of in (first, second)])
    (first, second), (first_of_twice, second_of_twice) = sizes
    assert first_of_twice < 2.2 * first
    assert second_of_twice < 2.2 * second


def test_a_sum_that_is_a_state_is_read_where_it_stands_outside_as_well() -> None:
    """Its indices are met in another order there."""
    op = compiled(
        """op f(x[t, k, b]: float, w[b, c]: float) -> y[c, t] where size[c] == size[b]
        {
            m = sum[k](x[t, k, b] * (h[t - 1, k, b] else 0.3));
            h[t, k, b] = x / (1 + m ^ 2);
            y = sum[b](w * sum[k](x[t, k, b] * (h[t - 1, k, b] else 0.3)));
        }"""
    )
    random = np.random.default_rng(5)
    x, w = random.standard_normal((4, 2, 3)), random.standard_normal((3, 3))
    call = op.bind([core.from_host(x), core.from_host(w)], {})
    (read,) = (node for node in subexpressions(call.formula.outputs[0].expr) if isinstance(node, Recurrence))
    assert read.names[read.which] == "sum_1"
    h, m = np.full((2, 3), 0.3), np.zeros((4, 3))
    for t, each in enumerate(x):
        m[t] = (each * h).sum(0)
        h = each / (1 + m[t] ** 2)
    np.testing.assert_allclose(value(op, x, w), (m @ w).T, rtol=1e-12)
    assert_derivatives(op, [x, w])


SPRINGS = """
op springs(start[n]: float, a[s]: int, b[s]: int; steps: int) -> x[t, n] where t = steps {
    p[t, n] = x[t - 1, n] else (start);
    pull[t, s] = tanh(p[t, b] - p[t, a]);
    x = p + sum[s](a == n ? pull : 0) - sum[s](b == n ? pull : 0);
}
"""


def of_springs(start: Array, a: Array, b: Array, steps: int) -> Array | None:
    """In plain loops; None where a spring has only one end that is there."""
    found = np.zeros((steps, len(start)))

    def here(i: int) -> bool:
        return 0 <= i < len(start)

    for t in range(steps):
        before = found[t - 1] if t else start
        found[t] = before
        for i, j in zip(a, b, strict=True):
            if here(i) != here(j):
                return None
            if here(i):
                pull = np.tanh(before[j] - before[i])
                found[t, i] += pull
                found[t, j] -= pull
    return found


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([0, 1, 2, 3], [1, 2, 3, 4]),
        ([0, -7, 2, 3], [1, -7, 3, 4]),
        ([0, 9, 2, 3], [1, 9, 3, 4]),
        ([0, 1, 2, 9], [1, 2, 3, 4]),
        ([0, 1, 2, 3], [1, 9, 3, 4]),
    ],
)
def test_places_from_data_are_checked_where_they_are_asked_for(a: list[int], b: list[int]) -> None:
    start = np.random.default_rng(0).standard_normal(5)
    call = compiled(SPRINGS).bind([core.from_host(np.array(each)) for each in (start, a, b)], {"steps": 4})
    assert "part_1" in states(call.formula), "the pull of each spring is computed once"
    expected = of_springs(start, np.array(a), np.array(b), 4)
    op = kernels.compile(SPRINGS).springs
    given = [core.from_host(np.array(each)) for each in (start, a, b)]
    if expected is None:
        with pytest.raises(core.IndexOutOfRangeError, match="is out of range"):
            op(*given, steps=4).to_host()
    else:
        np.testing.assert_allclose(op(*given, steps=4).to_host(), expected, rtol=1e-12)
