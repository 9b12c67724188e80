"""Recurrences of which each element reads its neighbours above and beside it: against plain loops, in strips of rows
that go along diagonals and one by one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from differentiated import assert_op_agrees
from interpreted import ran_op
from recurrence_cases import PLANES, normal
from thorough import spread

from netcl import autograd as ag
from netcl import core, kernels
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import Read, subexpressions
from netcl.kernels.compiler.loops.ir import Loop, LoopNest, Store, exprs, statements
from netcl.kernels.compiler.target import Target, named
from netcl.kernels.runtime import launch

Array = Any


@pytest.mark.parametrize("name", PLANES)
@pytest.mark.parametrize("sizes", [(32, 32), (33, 47), (47, 33), (95, 64), (31, 200), (1, 40), (40, 1)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.sample(16)
def test_steps_over_a_plane_are_those_of_loops(name: str, sizes: tuple[int, int], dtype: str) -> None:
    text, loops = PLANES[name]
    d = normal(*sizes).astype(dtype)
    op = kernels.compile(f"op f(d[i, j]: float) -> y[i, j] {{ {text} }}").f
    found = op(core.from_host(d)).to_host()
    np.testing.assert_allclose(found, loops(d), rtol=1e-12 if dtype == "float64" else 1e-4, atol=1e-5)


@pytest.mark.parametrize("name", PLANES)
@pytest.mark.sample(5)
def test_steps_over_a_plane_go_along_its_diagonals(name: str) -> None:
    text, loops = PLANES[name]
    op = kernels.compile(f"op f(d[*n, i, j]: float) -> y[*n, i, j] {{ {text.replace('[i', '[*n, i')} }}").f
    for sizes, found in (((3, 40, 37), True), ((3, 40, 31), False), ((3, 31, 40), False)):
        d = normal(*sizes)
        call = op.bind([core.from_host(d)], {})
        plan = launch.prepare(call.formula, call.operands, call.attributes)
        assert ("strip" in plan.text) == found
        np.testing.assert_allclose(op(core.from_host(d)).to_host(), [loops(each) for each in d], rtol=1e-12, atol=1e-13)


def soft(d: Array) -> float:
    """The soft minimum over all alignments, of which those through infinite costs are none."""
    r = np.full((len(d) + 1, d.shape[1] + 1), np.inf)
    r[0, 0] = 0
    for i, j in np.ndindex(d.shape):
        r[i + 1, j + 1] = d[i, j] - np.logaddexp.reduce([-r[i, j + 1], -r[i + 1, j], -r[i, j]])
    return float(r[-1, -1])


@pytest.mark.parametrize("sizes", [(9, 12), (40, 37), (64, 33)])
def test_no_alignment_goes_through_a_pair_that_costs_infinity(sizes: tuple[int, int]) -> None:
    d = abs(normal(*sizes))
    rows, columns = np.indices(sizes)
    d[abs(rows / sizes[0] - columns / sizes[1]) > 0.3] = np.inf
    given = ag.tensor(d, requires_grad=True)
    y = ag.soft_dtw(given)
    y.backward()
    np.testing.assert_allclose(y.value.to_host(), soft(d), rtol=1e-12)
    gradient = given.grad.to_host()
    assert not gradient[np.isinf(d)].any()
    for at in list(zip(*np.nonzero(np.isfinite(d)), strict=True))[:: sizes[0]]:
        more, less = d.copy(), d.copy()
        more[at], less[at] = d[at] + 3e-5, d[at] - 3e-5  # closer, what rounding leaves of the difference is too much
        np.testing.assert_allclose(gradient[at], (soft(more) - soft(less)) / 6e-5, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    ("name", "sizes"), spread(list(PLANES), [(3, 5), (16, 19), (16, 40), (19, 37), (33, 34)], rounds=2)
)
@pytest.mark.sample(4)
def test_turns_are_legal_and_lanes_do_not_read_again_what_they_or_their_neighbours_have(
    name: str, sizes: tuple[int, int]
) -> None:
    text, loops = PLANES[name]
    d = normal(*sizes)
    op = kernels.compile(f"op f(d[i, j]: float) -> y[i, j] {{ {text} }}").f
    found = ran_op(op, d, target=named("small-cpu"))
    np.testing.assert_allclose(found["y"], loops(d), rtol=1e-12, atol=1e-13)
    (kernel,) = (each for each in found.kernels if each.schedule == "recurrence")
    read = read_in_turns(kernel.nest)
    assert (read["d"], read["y"]) == (1, 1 if name == "far apart" else 0)  # two rows away nobody has it


@pytest.mark.parametrize(
    ("name", "sizes"),
    spread(
        ["a soft minimum", "two behind", "products"],
        [(1, 1), (5, 3), (17, 33), (36, 41), (64, 32), (33, 70)],
        rounds=2,
    ),
)
@pytest.mark.sample(2)
def test_first_and_second_derivatives_over_a_plane_are_slopes_of_loops(name: str, sizes: tuple[int, int]) -> None:
    text, loops = PLANES[name]
    op = kernels.compile(f"op f(d[i, j]: float) -> y[i, j] {{ {text} }}").f
    d, weights, along = (normal(*sizes) / 3 for _ in range(3))

    def value(at: Array) -> float:
        return float((weights * loops(at)).sum())

    def slope(at: Array) -> tuple[ag.Node, ag.Node]:
        given = ag.tensor(at, requires_grad=True)
        (gradient,) = ag.grad((op(given) * ag.tensor(weights)).sum(), [given], create_graph=True)
        return (gradient * ag.tensor(along)).sum(), given

    found, given = slope(d)
    h = 1e-6
    expected = (value(d + h * along) - value(d - h * along)) / (2 * h)
    np.testing.assert_allclose(found.item(), expected, rtol=1e-6, atol=1e-8)
    (second,) = ag.grad(found, [given])
    curvature = (slope(d + h * along)[0].item() - slope(d - h * along)[0].item()) / (2 * h)
    np.testing.assert_allclose((second * ag.tensor(along)).sum().item(), curvature, rtol=1e-5, atol=1e-7)


def test_what_partial_derivatives_have_in_common_is_computed_once_and_kept_in_registers() -> None:
    text, _ = PLANES["a soft minimum"]
    op = kernels.compile(f"op f(d[i, j]: float) -> y[i, j] {{ {text} }}").f
    tensors = [core.from_host(normal(40, 37).astype("float32"))]
    gradient = pipeline.gradient(op.bind(tensors, {}).formula, ("d",))
    tensors *= len(gradient.operands)
    plan = launch.prepare(gradient, tensors, {})
    (kernel,) = plan.kernels
    assert kernel.schedules == ("recurrence",)
    turn = plan.text[plan.text.index("turn_2 < together") :]
    assert turn.count("exp_float16(") == 3
    stored = re.findall(r"^ *(state_\d+)_\[.*\] = (.*);$", turn, re.MULTILINE)
    assert len(stored) == 3
    assert all(value.endswith(".sf") for _, value in stored), "the last lane's, for the next strip"


FOLLOWING: dict[str, tuple[str, str, Callable[[Array, Array], tuple[Array, ...]]]] = {
    "at each place": ("y[i, j]", "y = 3 * r + d;", lambda r, d: (3 * r + d,)),
    "and elsewhere": (
        "(y[i, j], z[i])", "y = r > 1 ? r : 0; z = sum[j](r);", lambda r, d: (np.where(r > 1, r, 0), r.sum(1)),
    ),
    "turned over": ("(y[i, j], z[j, i])", "y = r; z = exp(-r);", lambda r, d: (r, np.exp(-r).T)),
    "a question": ("y[i, j]", "y = r > 1;", lambda r, d: (r > 1,)),
    "at other places": (
        "(y[i, j], z[i])", "y = r * r[size[i] - 1, j]; z = r[i, 0];", lambda r, d: (r * r[-1], r[:, 0]),
    ),
    "of two planes": (
        "y[i, j]",
        "s[i, j] = d + tanh((s[i - 1, j] else 0) + (r[i, j - 1] else 0) + (s[i, j - 1] else 0)); y = r + s;",
        lambda r, d: (r + twice(r, d),),
    ),
}  # fmt: skip
"""The outputs, what says them of the states r of a plane, and what they are."""


def twice(r: Array, d: Array) -> Array:
    """A plane that reads another one."""
    s, r = np.zeros((len(d) + 1, d.shape[1] + 1)), np.pad(r, ((0, 0), (1, 0)))
    for i, j in np.ndindex(d.shape):
        s[i + 1, j + 1] = d[i, j] + np.tanh(s[i, j + 1] + r[i, j] + s[i + 1, j])
    return s[1:, 1:]


@pytest.mark.parametrize("name", FOLLOWING)
@pytest.mark.parametrize("sizes", [(3, 5), (33, 47), (48, 32)])
@pytest.mark.sample(9)
def test_what_follows_of_a_plane_is_that_of_loops(name: str, sizes: tuple[int, int]) -> None:
    outputs, following, expected = FOLLOWING[name]
    text, loops = PLANES["a soft minimum"]
    states = re.sub(r"\by\b", "r", text).replace("r = d", "r[i, j] = d")
    op = kernels.compile(f"op f(d[i, j]: float) -> {outputs} {{ {states} {following} }}").f
    d = normal(*sizes)
    found = op(core.from_host(d))
    found = found if isinstance(found, tuple) else (found,)
    for each, right in zip(found, expected(loops(d), d), strict=True):
        np.testing.assert_allclose(each.to_host(), right, rtol=1e-12, atol=1e-13)


def read_in_turns(nest: LoopNest) -> Counter[str]:
    """How many readings of each tensor there are in the lanes, where all of them have a step."""
    whole = [
        loop
        for loop in statements(nest.body)
        if isinstance(loop, Loop) and loop.kind == "serial"
        if any(isinstance(each, Store) and each.buffer == "y" and each.where is None for each in statements(loop.body))
    ]
    lanes = tuple(each for each in whole[-1].body if isinstance(each, Loop) and each.kind == "lanes")
    nodes = subexpressions(*(expr for each in statements(lanes) for expr in exprs(each)))
    return Counter(node.operand for node in nodes if isinstance(node, Read) and node.at)


@pytest.mark.parametrize(
    ("name", "sizes"), spread(list(PLANES), [(5, 5), (17, 16), (16, 33), (38, 21), (2, 34, 36)], rounds=2)
)
@pytest.mark.sample(3)
def test_gradients_of_steps_over_a_plane_agree_with_the_evaluator(
    name: str, sizes: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Target, "of", staticmethod(lambda device: named("small-cpu")))
    text, _ = PLANES[name]
    op = kernels.compile(f"op f(d[*n, i, j]: float) -> y[*n, i, j] {{ {text.replace('[i', '[*n, i')} }}").f
    assert_op_agrees(op, normal(*sizes).astype(np.float32), tolerance=1e-4)
