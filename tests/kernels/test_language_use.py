"""`use`: another op inside a formula is what one gets by writing its formula there, and so are its derivatives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from evaluated import assert_derivatives, call, catalogue, compiled, value
from launched import assert_agrees, schedules

from netcl import core, kernels
from netcl.core.errors import KernelLanguageError
from netcl.kernels.library import linking
from netcl.kernels.library.registry import Catalogue

RNG = np.random.default_rng(5)
ATTENTION = """op attention(q[*b, i, d]: float, k[*b, j, d]: float, v[*b, j, e]: float) -> y[*b, i, e] {
    s = sum[d](q * k);
    use p = softmax(s[*b, i, j]; axis = j);
    y = sum[j](p * v);
}"""


def test_a_pointwise_op_takes_any_expression() -> None:
    op = compiled(
        "op f(x: float, w: float; slope: float = 0.5) -> y "
        "{ use g = tanh(x * w + 1); use h = leaky_relu(g - w; slope = 2 * slope); y = g + h; }"
    )
    x, w = RNG.normal(size=(2, 3)), RNG.normal(size=3)
    g = np.tanh(x * w + 1)
    np.testing.assert_allclose(value(op, x, w), g + np.where(g - w > 0, g - w, g - w), rtol=1e-12)
    np.testing.assert_allclose(value(op, x, w, slope=2.0), g + np.where(g - w > 0, 1, 4) * (g - w), rtol=1e-12)
    assert_derivatives(op, [x, w], slope=2.0)


def test_an_op_with_axes_is_used_over_the_indices_that_are_named() -> None:
    q, k, v = (RNG.normal(size=shape) for shape in ((2, 3, 2), (2, 4, 2), (2, 4, 3)))
    scores = np.exp(np.einsum("bid,bjd->bij", q, k))
    expected = np.einsum("bij,bje->bie", scores / scores.sum(-1, keepdims=True), v)
    op = compiled(ATTENTION)
    np.testing.assert_allclose(value(op, q, k, v), expected, rtol=1e-12)
    assert_derivatives(op, [q[:1, :2], k[:1, :3], v[:1, :3, :1]])
    arrays = [each.astype(np.float32) for each in (q, k, v)]
    assert_agrees(op.bind([core.from_host(each) for each in arrays], {}).formula, arrays, tolerance=1e-5)


def test_a_result_may_be_called_what_the_used_op_calls_an_index() -> None:
    op = compiled(
        "op f(x[i, j]: float, w[j]: float) -> y[i] "
        "{ use (s[i, j], t[i, j]) = sort(x[i, j]); y = sum[j](w * s[i, j] ^ 2 + t[i, j] * x); }"
    )
    x, w = RNG.normal(size=(3, 5)), RNG.normal(size=5)
    np.testing.assert_allclose(value(op, x, w), (w * np.sort(x) ** 2 + np.argsort(x) * x).sum(1), rtol=1e-12)
    assert_derivatives(op, [x, w])
    arrays = [each.astype(np.float32) for each in (x, w)]
    assert_agrees(op.bind([core.from_host(each) for each in arrays], {}).formula, arrays, tolerance=1e-5)


CAPTURES = {
    "the bound index of the used op is one of the argument's": (
        "op f(x[i, k]: float) -> y[i] { e = x + k; use t = total(e[i, k]); y = t; }",
        lambda x: (x + np.arange(3)).sum(1),
    ),
    "the used op's index is the caller's other one": (
        "op f(x[i, k]: float) -> y[i, k] { use t = total(x[k, i]); y = t * x; }",
        lambda x: x.sum(1) * x,
    ),
    "a pointwise argument has the index that the used op sums over": (
        "op f(x[i, k]: float) -> y[i, k] { use t = weighted(x[i, k], k + x[i, i]); y = t; }",
        lambda x: x.sum(1)[:, None] * (np.arange(3) + np.diag(x)[:, None]),
    ),
    "a used op is used by a used op": (
        "op f(x[i, k]: float) -> y[i] { use t = twice(x); y = t; }", lambda x: 2 * x.sum(1)),
    "a scan is used, and read where it ends": (
        "op f(x[i, k]: float) -> y[i, k] { e = x * x; use t = cumsum(e[i, k]; axis = i); y = t; }",
        lambda x: np.cumsum(x * x, 0),
    ),
}  # fmt: skip
USED = """
op total(x[*j, k]: float) -> y[*j] { y = sum[k](x); }
op weighted(x[*j, k]: float, w[]: float) -> y[*j] { y = sum[k](x * w); }
op twice(x[*j, k]: float) -> y[*j] { use a = total(x); y = a + a; }
"""


@pytest.mark.parametrize("name", CAPTURES)
def test_no_index_of_a_used_op_is_taken_for_one_of_the_formula(name: str) -> None:
    text, expected = CAPTURES[name]
    op = kernels.compile(USED + text).f
    x = RNG.normal(size=(3, 3))
    np.testing.assert_allclose(value(op, x), expected(x), rtol=1e-12)
    assert_derivatives(op, [x])


def test_a_variadic_op_takes_as_many_arguments_as_are_written() -> None:
    op = compiled(
        "op f(a[i, k]: float, b[i, l]: float) -> y[i, m] "
        "{ e = a * a; use c[i, m] = cat(e[i, k], b, a; axis = k); y = c * (m + 1); }"
    )
    a, b = RNG.normal(size=(2, 3)), RNG.normal(size=(2, 4))
    np.testing.assert_allclose(value(op, a, b), np.concatenate([a * a, b, a], 1) * np.arange(1, 11), rtol=1e-12)
    assert_derivatives(op, [a, b])
    op = compiled("op f(a[i]: float, b[j]: float, c[k]: float) -> y[] { use t = cat(a, b; axis = 0); y = sum[i](a); }")
    assert value(op, np.ones(2), np.ones(3), np.ones(4)).tolist() == 2


def test_a_variadic_operand_may_stand_behind_others() -> None:
    text = """
    op scaled_cat(s[]: float, *xs[n]: float, t[]: float) -> y[m] where m = size[n] { y = join[m](xs) * s + t; }
    op f(a[i]: float, b[j]: float) -> y[m] { use y[m] = scaled_cat(2, a, b, a, 1); }"""
    op = kernels.compile(text).f
    a, b = RNG.normal(size=2), RNG.normal(size=3)
    np.testing.assert_allclose(value(op, a, b), 2 * np.concatenate([a, b, a]) + 1, rtol=1e-12)


CONVOLUTION = """op f(x[n, c, i, j]: float, w[f, c, r, s]: float, b[f]: float) -> y[n, f, p, q] {
    use z[n, f, p, q] = conv2d(x, w, b; padding = [1, 0], stride = 2);
    y = z <= 0 ? 0 : z;
}"""


def test_an_op_that_splits_an_axis_is_used_where_all_but_one_of_the_parts_have_length_1() -> None:
    op = compiled(CONVOLUTION)
    x, w, b = RNG.normal(size=(2, 2, 5, 6)), RNG.normal(size=(3, 2, 3, 3)), RNG.normal(size=3)
    expected = value(catalogue["conv2d_relu"], x, w, b, padding=(1, 0), stride=2)
    np.testing.assert_allclose(value(op, x, w, b), expected, rtol=1e-12)
    assert_derivatives(op, [x[:1], w[:2], b[:2]])


def test_a_used_convolution_is_the_contraction_that_the_op_is() -> None:
    given = [RNG.normal(size=shape).astype(np.float32) for shape in ((2, 8, 17, 16), (16, 8, 3, 3), (16,))]
    call = compiled(CONVOLUTION).bind([core.from_host(each) for each in given], {})
    assert schedules(assert_agrees(call.formula, given, tolerance=1e-4))[-1] == "contraction"


def test_a_flat_op_is_used_where_its_axes_are_those_of_its_argument() -> None:
    op = compiled(
        "op f(a[i, k]: float, p: float = 0.5; draw: int) -> y[k] "
        "{ e = a * a; use d = dropout(e[i, k]; p = 0.3, seed = draw + 1); y = sum[i](d * a); }"
    )
    a = RNG.normal(size=(3, 4))
    np.testing.assert_allclose(
        value(op, a, draw=3), (value(catalogue["dropout"], a * a, p=0.3, seed=4) * a).sum(0), rtol=1e-12
    )
    assert_derivatives(op, [a], [0], draw=0)
    turned = compiled("op f(a[i, k]: float) -> y[k, i] { e = a; use d = dropout(e[k, i]; seed = 0); y = d; }")
    np.testing.assert_allclose(value(turned, a), value(catalogue["dropout"], a.T, seed=0), rtol=1e-12)


def test_all_outputs_of_an_op_get_names() -> None:
    op = compiled("op f(x[t]: float) -> (y[t], z[t]) { use (y, at) = cummax(x); z = x - x[at]; }")
    x = np.array([1.0, 3.0, 2.0])
    y, z = call(op, x)
    assert (y.array.tolist(), z.array.tolist()) == ([1, 3, 3], [0, 0, -1])


def test_an_axis_with_a_size_of_its_own_is_named_by_the_use() -> None:
    text = """
    op windows(x[n]: float; length: int) -> y[p, r] where p = size[n] - length + 1, r = length { y = x[p + r]; }
    op f(x[n]: float; wide: int = 2) -> y[p] where p = size[n] - 1 {
        use w[a, b] = windows(x; length = wide);
        y = sum[a, b](a <= p ? w : 0);
    }"""
    x = RNG.normal(size=5)
    inner = np.cumsum(x[:-1] + x[1:])
    np.testing.assert_allclose(value(kernels.compile(text).f, x), inner, rtol=1e-12)


def test_what_a_used_op_requires_is_required_where_it_is_used() -> None:
    text = """
    op need(x[n]: float) -> y[n] where size[n] > 2 { y = x; }
    op f(x[n]: float) -> y[n] { use y = need(x); }"""
    op = kernels.compile(text).f
    assert value(op, np.ones(3)).tolist() == [1, 1, 1]
    with pytest.raises(core.ShapeError, match=r"f: needs size\[n\] > 2 \(need\)"):
        op(core.ones((2,)))


def test_an_op_may_be_used_before_it_is_declared_and_across_files(tmp_path: Path) -> None:
    first, second = tmp_path / "a.netcl", tmp_path / "b.netcl"
    first.write_text("op f(x: float) -> y { use y = later(x); }")
    second.write_text("op later(x: float) -> y { use e = exp(x); y = e - 1; }")
    shipped_and_these = Catalogue()
    shipped_and_these.load_files([first, second])
    np.testing.assert_allclose(value(shipped_and_these["f"], np.array([1.0])), [np.e - 1])


def test_a_chain_of_uses_is_cut_off_and_a_doubling_one_is_no_hang() -> None:
    chain = "\n".join(f"op f{at}(x: float) -> y {{ use y = f{at + 1}(x); }}" for at in range(40))
    last = "\nop f40(x: float) -> y { y = x; }"
    with pytest.raises(KernelLanguageError, match=f"more than {linking.MOST_NESTED} deep"):
        Catalogue().load_text(chain + last)
    doubling = [f"op g{at}(x: float) -> y {{ use a = g{at + 1}(x + 1); use b = g{at + 1}(2 * x); y = a * b; }}"
                for at in range(15)]  # fmt: skip
    with pytest.raises(KernelLanguageError, match="becomes too large"):
        Catalogue().load_text("\n".join(doubling) + "\nop g15(x: float) -> y { y = exp(x); }")


def test_the_derivative_is_that_of_the_formula_also_where_the_used_op_declares_one() -> None:
    op = compiled("op f(x[k]: float) -> y[k] { use p = softmax(x); y = p * p; }")
    assert catalogue["softmax"].forms[0].grads
    assert_derivatives(op, [RNG.normal(size=4)], order=2)


def test_a_file_is_checked_where_it_uses_other_ops_too(tmp_path: Path) -> None:
    path = tmp_path / "mine.netcl"
    path.write_text("op f(x: float) -> y { use e = exp(x); y = e + z; }\nop g(x: float) -> y { y = q; }\n")
    for _ in range(2):
        with pytest.raises(KernelLanguageError, match=r"mine\.netcl:\d:\d+: [zq] is no operand"):
            Catalogue().load_file(path)
    path.write_text("op f(x: float) -> y { use e = exp(x); y = e + z; }\n")
    for _ in range(2):
        with pytest.raises(KernelLanguageError, match=r"mine\.netcl:1:47: z is no operand"):
            Catalogue().load_file(path)
