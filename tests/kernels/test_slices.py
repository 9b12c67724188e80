"""Formulas whose tables are computed slice by slice: the same numbers, little memory, and where there is no slice."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from differentiated import assert_op_agrees, plans_of_its_own
from launched import formula, operand
from thorough import spread

from netcl import autograd as ag
from netcl import core, kernels
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.derive.sliced import slices_of
from netcl.kernels.compiler.ir import position, read, reduce
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.target import CPU, Target
from netcl.kernels.library.op import Op

rng = np.random.default_rng(0)

ATTENTION = """
op attention(q[n, i, d]: float, k[n, j, d]: float, v[n, j, e]: float; causal: bool = false) -> y[n, i, e] {
    score[n, i, j] = causal and j > i ? -inf : sum[d](q * k);
    top = detach(max[j](score));
    weight = exp(score - top);
    y = sum[j](weight * v) / sum[j](weight);
}
op to_distance(x[i, d]: float, z[j, d]: float, w[i]: float) -> (y[i], total[j]) {
    near[i, j] = exp(-sum[d]((x - z) ^ 2)) * (i + 1) / size[i];
    y = sum[j](near) / (1 + sum[j](near ^ 2));
    total = sum[i](w * near) - 2 * sum[i](near);
}
op shifted(x[i, d]: float, z[j, d]: float) -> y[i] {
    product[i, j] = sum[d](x * z);
    y = max[j](product) + sum[j](j < i ? product ^ 2 : 0) + (x[i - 1, 0] else 0);
}
op normed(x[i, d]: float, z[j, d]: float) -> y[i, j] {
    product[i, j] = sum[d](x * z);
    y = product / sum[i](product ^ 2);
}
op counted(q[n, i, d]: float, k[n, j, d]: float; shift: int = 0) -> (y[n, i], total[j]) {
    near[n, i, j] = exp(sum[d](q * k)) * (n + 1) / (i + size[n]);
    y = sum[j](j < i + n + shift ? near : 0) / size[i] + max[j](near);
    total = sum[n, i](j + n < i ? near : 0);
}
op twice(x[i, d]: float, z[j, d]: float) -> (y[i, j], total[j]) {
    own[j] = sum[i](x[i, 0] * z[j, 0]);
    y = sum[d](x * z) * own;
    total = own * own + sum[i](own * x[i, 0]) + (own > 0 ? own : 0);
}
"""
OPS = kernels.compile(ATTENTION, "slices")


def slices(op: Op, *given: Any, gradient: bool = False) -> dict[str, frozenset[str]]:
    """The indices along which there are slices, each with the outputs that are added up."""
    of = op.bind([core.from_host(each) for each in given], {}).formula
    if gradient:
        of = pipeline.gradient(of, pipeline.differentiable(of))
    return {each.index: each.added for each in slices_of(of)}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Target:
    """A CPU on which temporaries of more than 2,000 bytes are large, and slices have 500."""
    few = replace(CPU.with_small_thresholds("slices"), slices=replace(CPU.slices, most=2000, bytes=500))
    monkeypatch.setattr(Target, "of", staticmethod(lambda device: few))
    plans_of_its_own(monkeypatch)
    return few


def heads(n: int, i: int, j: int, d: int = 5, e: int = 3, dtype: Any = np.float32) -> tuple[Any, ...]:
    return tuple(rng.normal(size=shape).astype(dtype) for shape in ((n, i, d), (n, j, d), (n, j, e)))


def test_what_has_slices() -> None:
    q, k, v = heads(2, 4, 6)
    x, z, w = rng.normal(size=(4, 3)), rng.normal(size=(6, 3)), rng.normal(size=4)
    assert slices(OPS.attention, q, k, v) == dict.fromkeys("nie", frozenset()), "rows of j are all read for each i"
    assert slices(OPS.attention, q, k, v, gradient=True) == {"n": frozenset(), "i": frozenset({"grad_k", "grad_v"})}
    assert slices(OPS.to_distance, x, z, w) == {"i": frozenset({"total"})}
    assert slices(OPS.shifted, x, z) == {}, "x is read a row before, too"
    assert slices(OPS.normed, x, z) == {"j": frozenset()}
    assert slices(OPS.twice, x, z) == {"j": frozenset()}, "a sum over i is no part of another, nor of a product of two"


def test_a_sum_over_all_pairs_of_rows_has_no_slice() -> None:
    """As second derivatives have: two indices along one axis, both bound by one sum."""
    x = operand("x", "i d")
    one, other = (read("x", (position(each), position("d")), "float32") for each in ("i", "i'"))
    pairs = reduce("sum", ("i", "i'"), call("mul", one, other))
    assert [each.index for each in slices_of(formula("f", [x], {"y": ("d", pairs)}))] == ["d"]
    single = reduce("sum", ("i",), one)
    assert [each.index for each in slices_of(formula("g", [x], {"y": ("d", single)}))] == ["d", "i"]


LENGTHS = [(3, 37, 41), (1, 64, 29), (7, 5, 31), (2, 1, 300), (1, 300, 1)]


@pytest.mark.parametrize(("lengths", "causal"), spread(LENGTHS, [False, True]))
@pytest.mark.sample(2)
def test_sliced_formulas_equal_the_evaluator(small: Target, lengths: tuple[int, int, int], causal: bool) -> None:
    n, i, j = lengths
    for dtype in (np.float32, np.float64):
        forward, gradient = assert_op_agrees(OPS.attention, *heads(n, i, j, dtype=dtype), causal=causal)
        if n * i * j > 1000:
            assert forward.kernels == gradient.kernels == ()  # those of the slices are in other plans


@pytest.mark.parametrize(("i", "j"), [(37, 41), (64, 64), (1, 900), (900, 1), (101, 7)])
@pytest.mark.sample(2)
def test_outputs_that_are_summed_over_slices(small: Target, i: int, j: int) -> None:
    x, z, w = (rng.normal(size=shape).astype(np.float32) for shape in ((i, 3), (j, 3), (i,)))
    assert_op_agrees(OPS.to_distance, x, z, w)
    assert_op_agrees(OPS.shifted, x, z)
    assert_op_agrees(OPS.normed, x, z, tolerance=1e-3)
    assert_op_agrees(OPS.twice, x, z, tolerance=1e-3)


@pytest.mark.parametrize(("n", "i", "j"), [(3, 37, 41), (5, 30, 200), (1, 300, 17), (40, 3, 19)])
@pytest.mark.sample(2)
def test_places_count_on_from_where_a_slice_begins(small: Target, n: int, i: int, j: int) -> None:
    q, k, _ = heads(n, i, j)
    assert_op_agrees(OPS.counted, q / 3, k / 3, shift=2)


@pytest.mark.parametrize(("most", "nbytes"), [(64, 1000), (500, 4000), (500, 1 << 30)])
def test_a_slice_that_is_sliced_again_counts_from_where_both_begin(
    monkeypatch: pytest.MonkeyPatch, most: int, nbytes: int
) -> None:
    few = replace(CPU.with_small_thresholds("slices"), slices=replace(CPU.slices, most=most, bytes=nbytes))
    monkeypatch.setattr(Target, "of", staticmethod(lambda device: few))
    plans_of_its_own(monkeypatch)
    q, k, v = heads(3, 37, 41)
    assert_op_agrees(OPS.counted, q / 3, k / 3, shift=2)
    assert_op_agrees(OPS.attention, q, k, v, causal=True)
    x, z, w = (rng.normal(size=shape).astype(np.float32) for shape in ((37, 3), (41, 3), (37,)))
    assert_op_agrees(OPS.to_distance, x, z, w)


def test_slices_of_views(small: Target) -> None:
    q, k, v = heads(2, 40, 33, dtype=np.float64)
    strided = core.from_host(np.ascontiguousarray(q.transpose(2, 0, 1))).permute((1, 2, 0))
    found = OPS.attention(strided, core.from_host(k), core.from_host(v)).to_host()
    np.testing.assert_array_equal(found, OPS.attention(*map(core.from_host, (q, k, v))).to_host())


def test_second_derivatives_and_tangents_are_those_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    arrays = heads(2, 23, 29, dtype=np.float64)
    seeds = [rng.normal(size=each.shape) for each in arrays]

    def found() -> list[np.ndarray]:
        inputs = [ag.tensor(each, requires_grad=True) for each in arrays]
        first = ag.grad(OPS.attention(*inputs, causal=True).sum(), inputs, create_graph=True)
        second = ag.grad(first, inputs, grad_outputs=[core.from_host(each) for each in seeds])
        tangents = tuple(core.from_host(each) for each in seeds)
        _, along = ag.jvp(lambda *xs: OPS.attention(*xs, causal=True), tuple(map(core.from_host, arrays)), tangents)
        return [each.to_host() for each in (*first, *second, along)]

    whole = found()
    few = replace(CPU.with_small_thresholds("slices"), slices=replace(CPU.slices, most=2000, bytes=500))
    monkeypatch.setattr(Target, "of", staticmethod(lambda device: few))
    plans_of_its_own(monkeypatch)
    for sliced, at_once in zip(found(), whole, strict=True):
        np.testing.assert_allclose(sliced, at_once, rtol=1e-9, atol=1e-9)


def test_slices_are_written_where_the_caller_wants_them(small: Target) -> None:
    q, k, v = map(core.from_host, heads(2, 40, 33))
    wanted = OPS.attention(q, k, v).to_host()
    out = core.from_host(np.full((2, 40, 6), 7, np.float32))
    OPS.attention(q, k, v, out=out[:, :, 1:4])
    np.testing.assert_array_equal(out.to_host()[:, :, 1:4], wanted)
    assert (out.to_host()[:, :, [0, 4, 5]] == 7).all()


def test_attention_over_many_positions_needs_little_memory() -> None:
    q, k, v = (ag.tensor(rng.normal(size=(1, 4096, 16)).astype(np.float32), requires_grad=True) for _ in range(3))
    core.reset_peak_memory()
    before = core.memory_stats()["live_bytes"]
    y = OPS.attention(q, k, v)
    gradients = ag.grad(y, [q, k, v], grad_outputs=core.ones_like(y.detach()))
    assert core.memory_stats()["peak_bytes"] - before < 50 << 20, "a table of all pairs has 64 MiB"
    top = q.to_host() @ k.to_host().swapaxes(1, 2)
    weights = np.exp(top - top.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    np.testing.assert_allclose(y.to_host(), weights @ v.to_host(), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(gradients[2].to_host(), weights.swapaxes(1, 2) @ np.ones((1, 4096, 16)), rtol=1e-4)


def test_contractions_share_the_factors_that_they_have_in_common() -> None:
    q, k, v = heads(2, 70, 66, 16, 16)
    _, gradient = assert_op_agrees(OPS.attention, q, k, v)
    factors = {
        line for kernel in gradient.kernels for line in kernel.text.splitlines() if ".factor_" in line and " = " in line
    }
    written = [line.split(" = ")[1] for line in factors if line.startswith("//") and "exp(" in line.split(" = ")[1]]
    assert len(written) == 2, "what comes to q and k, and the weights of v"
