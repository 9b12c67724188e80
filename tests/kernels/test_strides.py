"""Windows of which every s-th place counts: loops go over these places alone, and give what a loop over all gives."""

from __future__ import annotations

import numpy as np
import pytest
from differentiated import assert_op_agrees
from evaluated import compiled

from netcl import core, kernels
from netcl.kernels.compiler.pipeline import visible
from netcl.kernels.runtime import launch

rng = np.random.default_rng(21)

GAPS = compiled(
    """
    op gaps(x[p, r]: float; stride: int, padding: int, dilation: int = 1, length: int) -> y[i]
        where i = length, stride > 0, dilation > 0, padding > -9
    {
        at = i + padding - r * dilation;
        y = sum[r](at % stride == 0 ? x[at // stride, r] else 100 : 0);
    }"""
)


def gaps(x: np.ndarray, stride: int, padding: int, dilation: int, length: int) -> np.ndarray:
    y = np.zeros(length, np.float32)
    for i in range(length):
        for r in range(x.shape[1]):
            at = i + padding - r * dilation
            if at % stride == 0:
                y[i] += x[at // stride, r] if 0 <= at // stride < len(x) else 100
    return y


@pytest.mark.parametrize("length", [1, 16, 37])
@pytest.mark.parametrize("window", [1, 2, 3, 5, 7, 16])
@pytest.mark.parametrize("stride", [1, 2, 3, 5, 9])
@pytest.mark.sample(15)
def test_a_sum_with_gaps_is_the_sum(stride: int, window: int, length: int) -> None:
    x = rng.normal(size=(6, window)).astype(np.float32)
    for padding in (-4, 0, 1, 6):
        for dilation in (1, 2):
            attributes = {"stride": stride, "padding": padding, "dilation": dilation, "length": length}
            found = GAPS(core.from_host(x), **attributes).to_host()
            np.testing.assert_allclose(found, gaps(x, **attributes), rtol=1e-6, atol=1e-5, err_msg=str(attributes))


@pytest.mark.parametrize(("stride", "dilation", "shorter"), [(1, 1, False), (2, 1, True), (7, 1, True), (2, 2, False)])
def test_only_places_that_count_are_gone_through(stride: int, dilation: int, shorter: bool) -> None:
    tensors = [core.from_host(np.ones((20, 6), np.float32))]
    call = GAPS.bind(tensors, {"stride": stride, "padding": 0, "dilation": dilation, "length": 60})
    plan = launch.prepare(visible(call.formula), tensors, call.attributes)
    assert ("r_step" in plan.text) == shorter


def test_what_does_not_count_may_be_anything() -> None:
    x = np.full((5, 4), np.nan, np.float32)
    x[2, 0] = np.inf
    found = GAPS(core.from_host(x), stride=4, padding=0, length=20).to_host()
    expected = gaps(x, 4, 0, 1, 20)
    np.testing.assert_array_equal(found, expected)
    assert np.isinf(expected[8])


def test_several_sums_may_have_steps_of_their_own() -> None:
    op = compiled(
        """
        op f(x[p, r]: float; a: int, b: int, length: int) -> (y[i], z[i]) where i = length, a > 0, b > 0 {
            y = sum[r]((i - r) % a == 0 ? x[(i - r) // a, r] else 1 : 0) *
                sum[r]((i - r) % b == 0 ? x[(i - r) // b, r] else 2 : 0)
                + sum[r]((i - r) % a == 0 ? sum[p](x[p, r]) : 0);
            z = sum[r]((i - r) % b == 0 ? x[(i - r) // b, r] else 3 : 0);
        }"""
    )
    x = rng.normal(size=(7, 12)).astype(np.float32)
    places = np.subtract.outer(np.arange(40), np.arange(12))

    def summed(step: int, values: np.ndarray) -> np.ndarray:
        return np.where(places % step == 0, values, 0).sum(1)

    def read(step: int, outside: float) -> np.ndarray:
        at = places // step
        return np.where((at >= 0) & (at < 7), x[np.clip(at, 0, 6), np.arange(12)], outside)

    for a, b in ((2, 3), (3, 2), (4, 4), (1, 5), (13, 2)):
        y, z = op(core.from_host(x), a=a, b=b, length=40)
        expected = summed(a, read(a, 1)) * summed(b, read(b, 2)) + summed(a, np.broadcast_to(x.sum(0), (40, 12)))
        np.testing.assert_allclose(y.to_host(), expected, rtol=1e-4, atol=1e-4, err_msg=f"{a} {b}")
        np.testing.assert_allclose(z.to_host(), summed(b, read(b, 3)), rtol=1e-5, atol=1e-5, err_msg=f"{a} {b}")


@pytest.mark.parametrize("kernel", [1, 2, 3, 5])
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.sample(7)
def test_gradients_of_means_over_windows_with_a_stride(kernel: int, stride: int) -> None:
    x = rng.normal(size=(2, 3, 11, 17)).astype(np.float32)
    for padding in range(kernel // 2 + 1):
        assert_op_agrees("avg_pool2d", x, kernel=(kernel, kernel), stride=(stride, stride), padding=(padding, padding))


@pytest.mark.parametrize(("image", "kernel", "stride"), [(12, 2, 2), (13, 3, 2), (14, 2, 3), (9, 3, 3), (11, 4, 1)])
def test_columns_are_folded_where_they_were_unfolded(image: int, kernel: int, stride: int) -> None:
    count = (image - kernel) // stride + 1
    columns = rng.normal(size=(2, 3 * kernel**2, count**2)).astype(np.float32)
    expected = np.zeros((2, 3, image, image), np.float32)
    parts = columns.reshape(2, 3, kernel, kernel, count, count)
    for r, s, p, q in np.ndindex(kernel, kernel, count, count):
        expected[:, :, p * stride + r, q * stride + s] += parts[:, :, r, s, p, q]
    forward, _ = assert_op_agrees("fold", columns, output_size=(image, image), kernel=kernel, stride=stride)
    assert ("r_step" in forward.text) == (stride > 1)
    found = kernels.ops.fold(core.from_host(columns), (image, image), kernel, stride).to_host()
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
