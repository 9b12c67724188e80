"""Scatters among other reductions: each is a stage of its own; what is read at places from data is computed once."""

from __future__ import annotations

import numpy as np
import pytest
from differentiated import assert_op_agrees
from launched import schedules

from netcl import autograd as ag
from netcl import core, kernels
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import Materialised, subexpressions

rng = np.random.default_rng(7)

MEAN_OVER_EDGES = """op f(x[v, d]: float, source[e]: int, to[e]: int) -> y[v, d] {
    total[v, d] = sum[e](to[e] == v ? x[source[e], d] : 0);
    many[v] = sum[e](to[e] == v ? 1.0 : 0);
    y = total / max(many, 1);
}"""
SHARES = """op f(x[v]: float, source[e]: int, to[e]: int) -> y[e] {
    all[v] = sum[e](to[e] == v ? exp(x[source[e]]) : 0);
    y = exp(x[source]) / all[to];
}"""
BILINEAR = """op f(x[c, h, w]: float, row[i]: float, column[i]: float) -> y[c, i] {
    top[i] = int(floor(row));
    left[i] = int(floor(column));
    a[i] = row - floor(row);
    b[i] = column - floor(column);
    y = (1 - a) * (1 - b) * (x[c, top, left] else 0) + (1 - a) * b * (x[c, top, left + 1] else 0)
        + a * (1 - b) * (x[c, top + 1, left] else 0) + a * b * (x[c, top + 1, left + 1] else 0);
}"""

TWICE = """op f(x[v]: float, one[e]: int, other[e]: int) -> y[e] { y = x[one] * x[other]; }"""
TWO = """op f(a[v]: float, b[v]: float, one[e]: int) -> y[e] { y = a[one] * b[one]; }"""

SOFTMAX_OVER_EDGES = """op f(l[e]: float, to[e]: int, x[e, d]: float) -> y[v, d] where v = 60 {
    most[v] = max[e](to[e] == v ? l[e] : -inf);
    all[v] = sum[e](to[e] == v ? exp(l[e] - most[v]) : 0);
    y = sum[e](to[e] == v ? exp(l[e] - most[v]) / all[v] * x : 0);
}"""
LAYER = """op f(x[v, d]: float, w[d, h]: float, source[e]: int, to[e]: int, c[e]: float) -> y[v, h] {
    z[v, h] = sum[d](x * w);
    y = max(0, sum[e](to[e] == v ? c[e] * z[source[e], h] : 0));
}"""
BOTH_WAYS = """op f(x[v, d]: float, one[e]: int, other[e]: int) -> y[v, d] {
    y = sum[e]((one[e] == v ? x[other[e], d] : 0) + (other[e] == v ? x[one[e], d] : 0));
}"""


def edges(vertices: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    return rng.integers(0, vertices, count), rng.integers(0, vertices, count)


@pytest.mark.parametrize(("vertices", "count", "width"), [(60, 300, 5), (7, 40, 3), (40, 0, 2), (1, 1, 1)])
def test_means_over_edges_are_those_of_the_evaluator_and_of_numpy(vertices: int, count: int, width: int) -> None:
    op = kernels.compile(MEAN_OVER_EDGES).f
    x, (source, to) = rng.normal(size=(vertices, width)), edges(vertices, count)
    assert_op_agrees(op, x, source, to, tolerance=1e-10)
    total, many = np.zeros((vertices, width)), np.zeros(vertices)
    np.add.at(total, to, x[source])
    np.add.at(many, to, 1)
    found = op(*map(core.from_host, (x, source, to))).to_host()
    np.testing.assert_allclose(found, total / np.maximum(many, 1)[:, None], rtol=1e-12, atol=1e-14)


def test_shares_among_the_edges_of_a_vertex_are_those_of_loops() -> None:
    op, (to, _) = kernels.compile(SOFTMAX_OVER_EDGES).f, edges(50, 300)
    score, x = rng.normal(size=300), rng.normal(size=(300, 3))
    for plan in assert_op_agrees(op, score, to, x, tolerance=1e-9):
        assert schedules(plan).count("scatter") >= 3
    expected = np.zeros((60, 3))
    for v in range(50):
        here = to == v
        share = np.exp(score[here] - score[here].max(initial=-np.inf))
        expected[v] = (share[:, None] * x[here]).sum(0) / (share.sum() or 1)
    found = op(*map(core.from_host, (score, to, x))).to_host()
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize(("vertices", "count"), [(60, 300), (3, 5)])
def test_a_layer_over_a_graph_and_its_gradients(vertices: int, count: int) -> None:
    arrays = rng.normal(size=(vertices, 4)), rng.normal(size=(4, 3)), *edges(vertices, count), rng.normal(size=count)
    assert_op_agrees(kernels.compile(LAYER).f, *arrays, tolerance=1e-9)


def test_terms_that_go_to_different_places_are_scatters_of_their_own() -> None:
    x, (one, other) = rng.normal(size=(60, 3)), edges(60, 300)
    for plan in assert_op_agrees(kernels.compile(BOTH_WAYS).f, x, one, other, tolerance=1e-10):
        assert schedules(plan).count("scatter") == 2


@pytest.mark.parametrize("text", [BILINEAR, TWICE])
def test_a_gradient_that_is_the_same_everywhere_is_scattered_too(text: str) -> None:
    """The gradient of a sum is one number for all elements, in a tensor whose strides are 0."""
    op = kernels.compile(text).f
    arrays = (rng.normal(size=60), *edges(60, 300))
    if text is BILINEAR:
        arrays = (rng.normal(size=(3, 8, 8)), rng.uniform(0, 7, 50), rng.uniform(0, 7, 50))
    tensors = [ag.tensor(arrays[0], requires_grad=True), *map(core.from_host, arrays[1:])]
    y = op(*tensors)
    (summed,) = ag.grad(y.sum(), tensors[:1])
    (seeded,) = ag.grad((op(*tensors) * core.ones(y.shape, dtype="float64")).sum(), tensors[:1])
    np.testing.assert_allclose(summed.to_host(), seeded.to_host(), rtol=1e-12, atol=1e-14)


def test_each_sum_over_edges_is_a_scatter() -> None:
    x, (source, to) = rng.normal(size=(60, 5)), edges(60, 300)
    forward, backward = assert_op_agrees(kernels.compile(MEAN_OVER_EDGES).f, x, source, to, tolerance=1e-10)
    assert schedules(forward).count("scatter") == 2
    assert schedules(backward).count("scatter") == 2


def test_what_an_edge_reads_of_a_vertex_is_a_table_of_the_gradient() -> None:
    call = kernels.compile(MEAN_OVER_EDGES).f.bind(
        [core.zeros((4, 2)), *(core.zeros(3, dtype="int64") for _ in range(2))], {}
    )
    (output,) = pipeline.gradient(call.formula, ("x",)).outputs
    tables = [node for node in subexpressions(output.expr) if isinstance(node, Materialised)]
    assert [(node.axes, node.body.kind) for node in tables] == [((("v'",),), "sum")]


@pytest.mark.parametrize(("vertices", "count"), [(60, 300), (5, 11)])
def test_shares_of_what_leaves_a_vertex(vertices: int, count: int) -> None:
    op = kernels.compile(SHARES).f
    x, (source, to) = rng.normal(size=vertices), edges(vertices, count)
    assert_op_agrees(op, x, source, to, tolerance=1e-10)


@pytest.mark.parametrize("size", [(1, 1, 1), (2, 5, 7), (2, 16, 12)])
def test_samples_between_pixels(size: tuple[int, int, int]) -> None:
    op = kernels.compile(BILINEAR).f
    x = rng.normal(size=size)
    row, column = (rng.uniform(-1.5, extent + 0.5, 211) for extent in size[1:])
    _, backward = assert_op_agrees(op, x, row, column, tolerance=1e-9)
    if size[1] > 10:
        assert schedules(backward).count("scatter") == 4


def test_tensors_read_at_several_places_are_scattered_place_by_place() -> None:
    x, (one, other) = rng.normal(size=60), edges(60, 300)
    _, backward = assert_op_agrees(kernels.compile(TWICE).f, x, one, other, tolerance=1e-10)
    assert schedules(backward).count("scatter") == 2
    _, backward = assert_op_agrees(kernels.compile(TWO).f, x, x[::-1].copy(), one, tolerance=1e-10)
    assert schedules(backward).count("scatter") == 2


@pytest.mark.parametrize("text", [MEAN_OVER_EDGES, SHARES])
def test_derivatives_of_both_orders_are_those_of_differences(text: str) -> None:
    op = kernels.compile(text).f
    source, to = (core.from_host(each) for each in edges(4, 6))
    x = ag.tensor(rng.normal(size=(4, 2) if "d" in text.split("]")[0] else 4), requires_grad=True)
    assert ag.gradcheck(lambda x: op(x, source, to), [x])
    assert ag.gradgradcheck(lambda x: op(x, source, to), [x])
