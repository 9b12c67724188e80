"""Derivatives of whole formulas: first, second and third order and forward mode against float64 differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from evaluated import Value, assert_derivatives, call, catalogue, compiled, gradient_of, value, vjp

from netcl import core
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import Reduce, subexpressions

RNG = np.random.default_rng(7)


def normal(*shape: int) -> Any:
    return RNG.normal(size=shape)


def positive(*shape: int) -> Any:
    return RNG.uniform(0.5, 2, size=shape)


@pytest.mark.parametrize(
    ("a", "b"),
    [((3,), (3,)), ((3,), (3, 2)), ((2, 3), (3,)), ((2, 3), (3, 4)), ((2, 1, 2, 3), (3, 3, 2)), ((1, 2, 3), (2, 3, 1)),
     ((4, 2, 3), (3,)), ((3,), (4, 3, 2)), ((2, 3), (0, 3, 2))],
)  # fmt: skip
def test_matmul_in_every_form_is_numpys_and_its_derivatives_are_right(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    left, right = normal(*a), normal(*b)
    matmul = catalogue["matmul"]
    np.testing.assert_allclose(value(matmul, left, right), left @ right, rtol=1e-12)
    assert_derivatives(matmul, [left, right])


@pytest.mark.parametrize(
    "options",
    [{}, {"stride": 2}, {"padding": 1}, {"dilation": 2, "padding": 2}, {"stride": (2, 1), "padding": (0, 1)},
     {"groups": 2}, {"groups": 2, "stride": 2, "padding": 1}],
)  # fmt: skip
@pytest.mark.sample(5)
def test_conv2d_is_right_with_every_option(options: dict[str, Any]) -> None:
    groups = options.get("groups", 1)
    x, w, b = normal(1, 2, 4, 5), normal(2, 2 // groups, 2, 3 if options.get("stride") != 2 else 2), normal(2)
    conv2d = catalogue["conv2d"]
    np.testing.assert_allclose(value(conv2d, x, w, b, **options), convolved(x, w, b, **options), rtol=1e-10)
    assert_derivatives(conv2d, [x, w, b], **options)


def convolved(
    x: Any, w: Any, b: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> np.ndarray[Any, Any]:
    """Cross-correlation by loops."""
    (sh, sw), (ph, pw), (dh, dw) = (
        (each, each) if isinstance(each, int) else each for each in (stride, padding, dilation)
    )
    x = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))
    height = (x.shape[2] - dh * (w.shape[2] - 1) - 1) // sh + 1
    width = (x.shape[3] - dw * (w.shape[3] - 1) - 1) // sw + 1
    result = np.zeros((x.shape[0], w.shape[0], height, width)) + b[None, :, None, None]
    each = w.shape[0] // groups
    for n, f, p, q in np.ndindex(result.shape):
        for c, r, s in np.ndindex(w.shape[1:]):
            channel = f // each * w.shape[1] + c
            result[n, f, p, q] += x[n, channel, p * sh + r * dh, q * sw + s * dw] * w[f, c, r, s]
    return result


@pytest.mark.parametrize(
    "options", [{"kernel": 2}, {"kernel": (2, 3), "stride": 1, "padding": 1}, {"kernel": 3, "stride": 2}]
)
@pytest.mark.parametrize("name", ["max_pool2d", "avg_pool2d"])
def test_pooling_is_right_for_overlapping_and_padded_windows(name: str, options: dict[str, Any]) -> None:
    x = RNG.permutation(30).reshape(1, 1, 5, 6) / 7.0
    assert_derivatives(catalogue[name], [x], **options)


def test_the_first_of_equal_values_of_a_window_takes_the_gradient() -> None:
    (found,) = gradient_of(catalogue["max_pool2d"], np.ones((1, 1, 2, 2)), kernel=2)
    np.testing.assert_array_equal(found.ravel(), [1, 0, 0, 0])


def test_ties_of_max_share_the_gradient() -> None:
    (found,) = gradient_of(catalogue["amax"], np.array([1.0, 3, 3, 0, 3]))
    np.testing.assert_allclose(found, [0, 1 / 3, 1 / 3, 0, 1 / 3])
    left, right = gradient_of(catalogue["maximum"], np.array([1.0, 2, 3]), np.array([1.0, 5, 0]))
    np.testing.assert_array_equal(left, [0.5, 0, 1])
    np.testing.assert_array_equal(right, [0.5, 1, 0])


def test_a_nan_that_is_the_maximum_gives_a_gradient_of_nan_and_not_of_zero() -> None:
    (found,) = gradient_of(catalogue["amax"], np.array([1.0, np.nan, 2]))
    assert np.isnan(found).any()


def test_gather_adds_up_the_gradients_of_an_element_that_is_read_twice() -> None:
    table, index = normal(3, 2), np.array([[0, 2], [2, 2]])
    embedding = catalogue["embedding"]
    np.testing.assert_array_equal(value(embedding, table, index), table[index])
    assert_derivatives(embedding, [table, index])
    take = catalogue["take"]
    x = normal(2, 3, 2)
    np.testing.assert_array_equal(value(take, x, index, axis=1), np.take(x, index, axis=1))
    assert_derivatives(take, [x, np.array([-1, 0, -1])], axis=1)


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp", "var", "std"])
def test_the_softmax_family_is_right_to_the_second_order_along_each_axis(name: str) -> None:
    for axis in (0, -1, (0, 1)):
        assert_derivatives(catalogue[name], [normal(3, 2)], axis=axis)


@pytest.mark.parametrize("zeros", [(), (1,), (0, 2), (0, 1, 2)])
def test_prod_is_right_with_any_number_of_zeros(zeros: tuple[int, ...]) -> None:
    x = np.array([1.5, -2.0, 0.5])
    x[list(zeros)] = 0
    assert_derivatives(catalogue["prod"], [x], order=2 if zeros else 3)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_cross_entropy_is_right_with_ignored_classes_smoothing_and_weights(reduction: str) -> None:
    x, y, w = normal(3, 4, 2), RNG.integers(0, 4, (3, 2)), positive(4)
    y[0, 0] = 3
    y[1, 1] = -100
    options = {"reduction": reduction, "label_smoothing": 0.1}
    assert_derivatives(catalogue["cross_entropy"], [x, y, w], **options)


LENNARD_JONES = """
op lennard_jones(pos[n, d]: float; sigma: float = 1, epsilon: float = 1) -> e[] {
    r2 = sum[d]((pos[i, d] - pos[j, d]) ^ 2);
    s6 = (sigma ^ 2 / r2) ^ 3;
    e = sum[i, j](i < j ? 4 * epsilon * (s6 ^ 2 - s6) : 0);
}
"""

GAUSSIAN = """
op gaussian(x[i, k]: float, z[j, k]: float, b[j, d]: float) -> y[i, d] {
    y = sum[j](exp(-sum[k]((x[i, k] - z[j, k]) ^ 2)) * b[j, d]);
}
"""


def test_lennard_jones_is_the_sum_over_pairs_and_differentiates_past_the_diagonal() -> None:
    pos = np.array([[0.0, 0.1, 0], [1.3, 0, 0.2], [0.1, 1.4, 0.1]])
    expected = 0.0
    for i in range(3):
        for j in range(i + 1, 3):
            s6 = (1.1**2 / ((pos[i] - pos[j]) ** 2).sum()) ** 3
            expected += 4 * 0.7 * (s6**2 - s6)
    op = compiled(LENNARD_JONES)
    np.testing.assert_allclose(value(op, pos, sigma=1.1, epsilon=0.7), expected)
    assert_derivatives(op, [pos], order=3, sigma=1.1, epsilon=0.7)


def test_a_gaussian_kernel_sum_is_right_to_the_third_order() -> None:
    x, z, b = normal(2, 2), normal(3, 2), normal(3, 1)
    op = compiled(GAUSSIAN)
    expected = np.exp(-((x[:, None] - z[None]) ** 2).sum(-1)) @ b
    np.testing.assert_allclose(value(op, x, z, b), expected)
    assert_derivatives(op, [x, z, b], order=3)


FORMULAS = {
    "a pointwise chain": ("y = tanh(x) * exp(-x * x) + log1p(x ^ 2);", "x: float", "y", [normal(3)]),
    "a definition over free indices": (
        "s = sum[k](x[i, k] * x[j, k]); y = sum[i, j](s * s);", "x[n, m]: float", "y[]", [normal(2, 3)]
    ),
    "nested reductions": ("y = sum[i](exp(sum[k](x)) * sum[k](x * x));", "x[i, k]: float", "y[]", [normal(2, 3)]),
    "a diagonal": ("y = sum[i](x * x);", "x[i, i]: float", "y[]", [normal(3, 3)]),
    "a repeated and a free index": ("y = x[i, i, k] * x[i, i, k];", "x[i, j, k]: float", "y[i, k]", [normal(3, 3, 2)]),
    "a strided window": ("y = sum[r](x[2 * p + r] * w[r]);", "x[n]: float, w[r]: float", "y[p] where p = 2",
                         [normal(5), normal(2)]),
    "a reversed reading": ("y = x[size[n] - 1 - n] * x;", "x[n]: float", "y[n]", [normal(4)]),
    "a transposed reading": ("y = x[j, i] * x[i, j];", "x[n, m]: float", "y[i, j]", [normal(3, 3)]),
    "a product of positions": ("y = sum[j](x[i * j] * x[j]);", "x[n]: float", "y[i] where i = 2, j = 3", [normal(4)]),
    "a flattened reading": ("y = x[i * size[j] + j] ^ 2;", "x[n]: float", "y[i, j] where i = 2, j = 3", [normal(7)]),
    "a padding": ("y = x[p - 2] else 1;", "x[n]: float", "y[p] where p = size[n] + 4", [normal(3)]),
    "a padding by a gathered value": ("y = x[p - 1] else (x[0] ^ 2);", "x[n]: float", "y[p] where p = 4", [normal(3)]),
    "a mean over a broadcast": ("m = sum[i](x) / size[i]; y = (x - m) ^ 3;", "x[i]: float", "y[i]", [normal(4)]),
    "the norm": ("y = sqrt(sum[i](x * x));", "x[i]: float", "y[]", [normal(4)]),
    "min and max together": ("y = max[i](x) - min[i](x) * max[i](x);", "x[i]: float", "y[]", [normal(4)]),
    "a maximum of roots": ("y = max[i](sqrt(x));", "x[i]: float", "y[]", [positive(4)]),
    "a power with a varying exponent": ("y = a ^ b;", "a: float, b: float", "y", [positive(3), normal(3)]),
    "a value that broadcasts": ("y = a / (1 + b * b);", "a: float, b: float", "y", [normal(2, 1), normal(3)]),
    "a first maximum": ("y = first_max[i](x * x);", "x[i]: float", "y[]", [normal(4)]),
    "special functions": ("y = lgamma(x) + erf(x) * erfc(x) + cbrt(x) + rsqrt(x);", "x: float", "y", [positive(3)]),
    "inverse functions": ("y = asin(x / 3) + atan2(x, 2) + asinh(x) + acosh(x + 1);", "x: float", "y", [positive(3)]),
    "steps": ("y = x * floor(x) + fmod(x, 0.7) + remainder(-x, 0.9) + copysign(x, -1);", "x: float", "y",
              [positive(3)]),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_are_differentiated_to_the_second_order_and_forward(name: str) -> None:
    body, operands, outputs, arrays = FORMULAS[name]
    assert_derivatives(compiled(f"op f({operands}) -> {outputs} {{ {body} }}"), arrays)


def test_a_third_order_derivative_of_a_contraction_with_a_nonlinear_body_is_right() -> None:
    op = compiled("op f(a[i, k]: float, b[k, j]: float) -> y[i, j] { y = sum[k](sin(a * b)) ^ 2; }")
    assert_derivatives(op, [normal(2, 2), normal(2, 2)], order=3)


def test_every_output_sends_its_gradient_back() -> None:
    op = compiled("op f(a[i]: float, b[j]: float) -> (s[], p[i, j], c[i]) { s = sum[i](a); p = a * b; c = 3; }")
    assert_derivatives(op, [normal(2), normal(3)])
    shared = compiled("op f(a[i]: float) -> (s[i], p[i]) { s = exp(a); p = s * s; }")
    assert_derivatives(shared, [normal(2)])


def test_what_is_only_saved_is_no_output_and_changes_no_derivative() -> None:
    op = compiled("op f(x[i]: float) -> y[i] saving e[i] { e = exp(x); y = e * e + x; }")
    assert_derivatives(op, [normal(3)])


def test_a_number_in_the_place_of_an_operand_and_a_default_have_no_gradient() -> None:
    op = compiled("op f(x: float, w: float = 2, b: float = 0) -> y { y = x * w * w + b * x * x; }")
    assert_derivatives(op, [normal(3)])
    assert_derivatives(op, [normal(3), 5.0])
    assert_derivatives(op, [normal(3), normal(3), normal(1)])


def test_a_gradient_is_summed_over_each_axis_that_its_operand_lacks() -> None:
    add = catalogue["mul"]
    a, b = normal(2, 3), normal(4, 1, 3)
    first, second = gradient_of(add, a, b)
    np.testing.assert_allclose(first, np.broadcast_to(b, (4, 2, 3)).sum(0))
    np.testing.assert_allclose(second, np.broadcast_to(a, (4, 2, 3)).sum(1, keepdims=True))
    w = compiled("op f(x[*i, n]: float, w[n]: float) -> y[*i, n] { y = x * w; grad w = dy * x; grad x = dy * w; }")
    assert_derivatives(w, [normal(2, 2, 3), normal(3)])


def test_pieces_joined_end_to_end_each_get_their_part() -> None:
    cat = catalogue["cat"]
    pieces = [normal(2, 3), normal(2, 1), normal(2, 2)]
    np.testing.assert_array_equal(value(cat, pieces, axis=1), np.concatenate(pieces, axis=1))
    values = [Value(each) for each in pieces]
    (joined,) = call(cat, values, axis=1)
    seed = normal(2, 6)
    found = vjp([joined], [Value(seed)], values)
    np.testing.assert_array_equal(np.concatenate([each.array for each in found], axis=1), seed)


def test_nothing_is_differentiated_over_an_axis_of_length_zero() -> None:
    for name, shape in [("sum", (0, 3)), ("mean", (3, 0)), ("prod", (0,)), ("softmax", (0, 2)), ("logsumexp", (2, 0))]:
        (found,) = gradient_of(catalogue[name], np.zeros(shape))
        assert found.shape == shape


# --- what a select chooses not to compute -----------------------------------------------------------------------------


@pytest.mark.promise("F4")
@pytest.mark.parametrize(
    "body",
    [
        "y = x > 0 ? sqrt(x) : 0;",
        "s = sqrt(x); y = (x > 0 ? s : 0) + (x > 1 ? s * s : 0);",
        "s = sqrt(x); y = x > 0 ? 3 * -s / 7 + 3 * s / 7 : 0;",
        "y = x > 0 ? log(sqrt(x)) * x : 0;",
        "y = 0 < x ? (2 < x ? x ^ 0.5 : sqrt(x)) : 0;",
    ],
)
def test_the_gradient_of_a_branch_that_is_not_taken_is_zero_and_never_nan(body: str) -> None:
    op = compiled(f"op f(x: float) -> y {{ {body} }}")
    (found,) = gradient_of(op, np.array([-1.0, 0.0, -4.0, 4.0]))
    np.testing.assert_array_equal(found[:3], 0)
    assert np.isfinite(found[3])


def test_a_masked_sum_over_roots_has_no_gradient_where_all_is_masked() -> None:
    op = compiled("op f(x[i]: float, m[i, j]: bool) -> y[j] { s = sqrt(x); y = sum[i](m ? s : 0); }")
    (found,) = gradient_of(op, np.array([0.0, 4.0]), np.array([[False, False], [True, False]]))
    np.testing.assert_array_equal(found, [0, 0.25])


def test_a_value_below_the_maximum_has_gradient_zero_even_where_its_slope_is_infinite() -> None:
    (found,) = gradient_of(compiled("op f(x[i]: float) -> y[] { y = max[i](sqrt(x)); }"), np.array([0.0, 4.0]))
    np.testing.assert_array_equal(found, [0, 0.25])


def test_where_gives_no_gradient_to_the_branch_not_taken() -> None:
    where = catalogue["where"]
    a, b = gradient_of(where, np.array([True, False]), np.array([1.0, np.nan]), np.array([np.inf, 2.0]))
    np.testing.assert_array_equal(a, [1, 0])
    np.testing.assert_array_equal(b, [0, 1])


def test_detach_stops_the_gradient_and_the_tangent() -> None:
    op = compiled("op f(x: float) -> y { y = x * detach(x); }")
    (found,) = gradient_of(op, np.array([3.0]))
    np.testing.assert_array_equal(found, [3])


@pytest.mark.parametrize("reducer", ["sum", "prod", "max", "min", "first_max"])
def test_a_reduction_over_an_index_that_its_body_lacks_has_the_right_slope(reducer: str) -> None:
    op = compiled(f"op f(a[i]: float, b[i, k]: float) -> y[i] {{ y = {reducer}[k](a) + sum[k](b); }}")
    assert_derivatives(op, [positive(3), normal(3, 4)])


@pytest.mark.parametrize("size", [0, 1, 3])
def test_any_and_all_over_an_index_that_the_condition_lacks_are_the_condition_if_there_is_one(size: int) -> None:
    op = compiled("op f(x[n]: float, z[k]: float) -> (a[n], b[n]) { a = any[k](x > 0); b = all[k](x > 0); }")
    some, every = call(op, np.array([1.0, -1.0]), np.zeros(size))
    np.testing.assert_array_equal(some.array, [size > 0, False])
    np.testing.assert_array_equal(every.array, [True, size == 0])


def test_an_output_may_have_an_index_that_its_formula_lacks() -> None:
    op = compiled("op f(a[i]: float) -> (y[i, k], z[k]) where k = 3 { y = exp(a); z = max[i](a); }")
    assert_derivatives(op, [normal(4)])


def test_no_sum_goes_over_places_of_which_one_counts() -> None:
    """The equation stands below another condition."""
    op, x = catalogue["diag_embed"], positive(4)
    assert_derivatives(op, [x], row=2, column=1)
    gradient = pipeline.gradient(op.bind([core.from_host(x)], {"row": 2, "column": 1}).formula, ("x",))
    assert not any(isinstance(node, Reduce) for node in subexpressions(gradient.outputs[0].expr))


def test_an_adjoint_is_summed_at_its_own_indices_whatever_it_is_multiplied_with() -> None:
    """The zeros of a select in it are no reason to sum once more for each element of the factor."""
    op = compiled("op f(x[n]: float, w[c]: float) -> y[] { s = sum[n](x ^ 2); y = sum[c](c > 0 ? s * w : 0); }")
    assert_derivatives(op, [normal(4), normal(3)])
    gradient = pipeline.gradient(op.bind([core.from_host(normal(4)), core.from_host(normal(3))], {}).formula, ("x",))
    sums = [node for node in subexpressions(gradient.outputs[0].expr) if isinstance(node, Reduce)]
    assert sums
    assert all("n" not in node.free for node in sums)
    found, _ = gradient_of(op, np.array([np.nan, 2.0]), np.array([5.0]))
    np.testing.assert_array_equal(found, [0, 0])


@pytest.mark.parametrize(
    "end",
    ["k > 0 ? x[k - 1] : a[i]", "k >= 1 ? x[k - 1] : a[i]", "k == 0 ? a[i] : x[k - 1]",
     "k < size[k] - 1 ? x[k + 1] : a[i]", "k <= size[k] - 2 ? x[k + 1] : a[i]", "size[k] - 1 > k ? x[k + 1] : a[i]"],
)  # fmt: skip
def test_what_is_at_one_end_of_an_index_is_read_there_and_not_summed(end: str) -> None:
    op = compiled(f"op f(x[k]: float, a[i]: float) -> y[k, i] {{ y = ({end}) * x[k]; }}")
    arrays = [core.from_host(normal(3)), core.from_host(normal(2))]
    gradient = pipeline.gradient(op.bind(arrays, {}).formula, ("a",))
    assert not any(isinstance(node, Reduce) for node in subexpressions(gradient.outputs[0].expr))
    for size in (0, 1, 3):
        assert_derivatives(op, [normal(size), normal(2)])


@pytest.mark.parametrize("size", [0, 1, 4])
def test_whether_any_is_at_one_end_of_an_index_is_whether_there_is_an_end(size: int) -> None:
    op = compiled("op f(x[k]: float, a[k]: float) -> y[] { s = sum[k](k > 0 ? 0 : sqrt(a)); y = sum[k](x) * s * s; }")
    of_x, of_a = gradient_of(op, np.arange(size, dtype=float), np.full(size, 4.0))
    np.testing.assert_allclose(of_x, np.full(size, 4.0), rtol=1e-12)
    np.testing.assert_allclose(of_a, np.arange(size).sum() * (np.arange(size) == 0), rtol=1e-12)
