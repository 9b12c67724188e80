"""Sums over an axis of a few places that the formula tells apart are terms: values, derivatives, what is left of the
sums, and what a wrong length is told."""

from __future__ import annotations

import numpy as np
import pytest
from evaluated import assert_derivatives, compiled, value

from netcl import core
from netcl.core.errors import ShapeError
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import Formula, Reduce, Size, subexpressions
from netcl.kernels.library.op import Op

RNG = np.random.default_rng(3)

TURNED = """op turned(p[n, d]: float, q[n, k]: float) -> y[n, d] where size[d] == 3, size[k] == 4 {
    u[n, i] = i == 0 ? q[n, 0] : i == 1 ? q[n, 1] : q[n, 2];
    dot[n] = sum[i](u[n, i] * p[n, i]);
    cross[n, d] = d == 0 ? u[n, 1] * p[n, 2] - u[n, 2] * p[n, 1]
        : d == 1 ? u[n, 2] * p[n, 0] - u[n, 0] * p[n, 2] : u[n, 0] * p[n, 1] - u[n, 1] * p[n, 0];
    y = 2 * dot * u[n, d] + (q[n, 3] ^ 2 - sum[i](u[n, i] ^ 2)) * p + 2 * q[n, 3] * cross[n, d];
}"""
CHOSEN = """op chosen(x[n, k]: float, w[k]: float) -> y[n] where size[k] == 3 {
    part[n, k] = k == 1 ? sin(x[n, 0] * w[2]) : k == 0 ? x[n, 2] ^ 2 : x[n, 1] * w[0];
    y = sum[k](part[n, k] * w[k]) * (any[k](k == 1 and x[n, k] > 0) ? 2 : 1) + max[k](part[n, k]);
}"""
UNKNOWN = """op unknown(x[n, k]: float) -> y[n] {
    y = sum[k](k == 0 ? x ^ 2 : k == 1 ? sin(x) : x);
}"""
SIX = """op six(x[n, k]: float) -> y[n] where size[k] == 6 { y = sum[k](k == 0 ? x ^ 2 : k == 1 ? sin(x) : x); }"""


def turned(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    u, w = q[:, :3], q[:, 3:]
    dot = (u * p).sum(1, keepdims=True)
    return 2 * dot * u + (w**2 - (u**2).sum(1, keepdims=True)) * p + 2 * w * np.cross(u, p)


def chosen(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    part = np.stack([x[:, 2] ** 2, np.sin(x[:, 0] * w[2]), x[:, 1] * w[0]], 1)
    return (part * w).sum(1) * np.where(x[:, 1] > 0, 2, 1) + part.max(1)


def formula(op: Op, *shapes: tuple[int, ...]) -> Formula:
    return op.bind([core.from_host(np.ones(each)) for each in shapes], {}).formula


def summed(of: Formula) -> set[str]:
    """The indices that something is added up over."""
    nodes = subexpressions(*(output.expr for output in of.outputs))
    return {
        index.rstrip("'") for node in nodes if isinstance(node, Reduce) and node.kind == "sum" for index in node.over
    }


@pytest.mark.parametrize("rows", [0, 1, 5])
def test_values_are_those_of_numpy(rows: int) -> None:
    p, q, x, w = (RNG.normal(size=each) for each in ((rows, 3), (rows, 4), (rows, 3), (3,)))
    for op, arrays, expected in (
        (compiled(TURNED), (p, q), turned(p, q)),
        (compiled(CHOSEN), (x, w), chosen(x, w)),
    ):
        np.testing.assert_allclose(value(op, *arrays), expected, rtol=1e-12)
        np.testing.assert_allclose(op(*map(core.from_host, arrays)).to_host(), expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "shapes"), [(TURNED, ((2, 3), (2, 4))), (CHOSEN, ((2, 3), (3,))), (UNKNOWN, ((2, 5),)), (SIX, ((2, 6),))]
)
def test_derivatives_are_those_of_differences(text: str, shapes: tuple[tuple[int, ...], ...]) -> None:
    assert_derivatives(compiled(text), [RNG.normal(size=each) for each in shapes])


def test_sums_over_places_that_are_told_apart_are_gone_from_values_and_gradients() -> None:
    for text, shapes in ((TURNED, ((2, 3), (2, 4))), (CHOSEN, ((2, 3), (3,)))):
        of = formula(compiled(text), *shapes)
        first = pipeline.gradient(of, pipeline.differentiable(of))
        assert summed(of) == set()
        for each in (first, pipeline.gradient(first, pipeline.differentiable(first))):
            assert summed(each) <= {"n", "d"}, "a summand with dy[n, d] and p[n, d] tells no places apart"
    for text, shape in ((UNKNOWN, (2, 5)), (SIX, (2, 6))):
        assert summed(formula(compiled(text), shape)) == {"k"}, "its length is not known, or more places than are named"


def test_a_product_of_matrices_stays_one() -> None:
    op = compiled("""op gated(x[n, k]: float, w[g, k, i]: float) -> y[n, i] where size[g] == 2 {
        gate[n, g, k] = g == 0 ? sin(x) : x ^ 2;
        y = sum[g, k](gate[n, g, k] * w);
    }""")
    assert summed(formula(op, (2, 3), (2, 3, 4))) == {"g", "k"}
    x, w = RNG.normal(size=(5, 3)), RNG.normal(size=(2, 3, 4))
    expected = np.einsum("gnk,gki->ni", np.stack([np.sin(x), x**2]), w)
    np.testing.assert_allclose(op(core.from_host(x), core.from_host(w)).to_host(), expected, rtol=1e-12)
    assert_derivatives(op, [x, w])


def test_a_length_that_is_required_is_a_number_in_the_formulas() -> None:
    of = formula(compiled(TURNED), (2, 3), (2, 4))
    first = pipeline.gradient(of, pipeline.differentiable(of))
    sizes = {node.index for each in (of, first) for node in subexpressions(*(output.expr for output in each.outputs))
             if isinstance(node, Size)}  # fmt: skip
    assert sizes <= {"n"}


def test_another_length_is_told_what_is_needed() -> None:
    with pytest.raises(ShapeError, match=r"turned: needs size\[k\] == 4, but size\[k\] is 5"):
        compiled(TURNED)(core.from_host(np.ones((2, 3))), core.from_host(np.ones((2, 5))))
