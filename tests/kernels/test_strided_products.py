"""Products with a stride: what is multiplied at positions is multiplied once for each, and sums go over what counts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from differentiated import assert_op_agrees
from launched import schedules

from netcl import autograd as ag
from netcl import kernels
from netcl.kernels.compiler.ir import Output, Reduce, root, subexpressions
from netcl.kernels.compiler.lower import stages

rng = np.random.default_rng(0)

Arrays = tuple[np.ndarray, ...]


def convolved(x: np.ndarray, w: np.ndarray, dy: np.ndarray, stride: int, padding: int, dilation: int) -> Arrays:
    """A convolution along one axis, x[n, c, i] with w[f, c, r], and its gradients for dy, by loops over elements."""
    y, dx, dw = np.zeros(dy.shape), np.zeros(x.shape), np.zeros(w.shape)
    for p in range(dy.shape[2]):
        for r in range(w.shape[2]):
            i = p * stride + r * dilation - padding
            if 0 <= i < x.shape[2]:
                y[:, :, p] += x[:, :, i] @ w[:, :, r].T
                dx[:, :, i] += dy[:, :, p] @ w[:, :, r]
                dw[:, :, r] += dy[:, :, p].T @ x[:, :, i]
    return y, dx, dw


def there(size: int, side: int, stride: int, padding: int, dilation: int) -> int:
    return (size + 2 * padding - dilation * (side - 1) - 1) // stride + 1


CASES = {  # size, side, stride, padding, dilation
    "stride 2": (41, 5, 2, 0, 1),
    "stride 2 with padding": (40, 4, 2, 1, 1),
    "stride 3 with dilation": (53, 3, 3, 2, 2),
    "patches": (64, 8, 8, 0, 1),
    "places that nothing reads": (49, 2, 5, 0, 1),
    "one step along the window": (37, 1, 2, 0, 1),
    "a window wider than what it is in": (5, 9, 2, 4, 1),
    "stride 1": (24, 3, 1, 1, 1),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.sample(2)
def test_convolutions_are_those_of_loops(name: str) -> None:
    size, side, stride, padding, dilation = CASES[name]
    many = there(size, side, stride, padding, dilation)
    x, w, dy = rng.normal(size=(3, 12, size)), rng.normal(size=(16, 12, side)), rng.normal(size=(3, 16, many))
    given = [ag.tensor(each, requires_grad=True) for each in (x, w)]
    y = ag.conv1d(*given, stride=stride, padding=padding, dilation=dilation)
    found = [y, *ag.grad(y, given, grad_outputs=[ag.tensor(dy)])]
    for one, other in zip(found, convolved(x, w, dy, stride, padding, dilation), strict=True):
        np.testing.assert_allclose(one.to_host(), other, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.sample(2)
def test_transposed_convolutions_are_those_of_loops(name: str) -> None:
    size, side, stride, padding, dilation = CASES[name]
    many = there(size, side, stride, padding, dilation)
    x, w = rng.normal(size=(3, 16, many)), rng.normal(size=(16, 12, side))
    whole = (many - 1) * stride - 2 * padding + dilation * (side - 1) + 1
    dy = rng.normal(size=(3, 12, whole))
    given = [ag.tensor(each, requires_grad=True) for each in (x, w)]
    y = ag.conv_transpose1d(*given, stride=stride, padding=padding, dilation=dilation)
    found = [y, *ag.grad(y, given, grad_outputs=[ag.tensor(dy)])]
    dx, value, dw = convolved(dy, w, x, stride, padding, dilation)
    for one, other in zip(found, (value, dx, dw), strict=True):
        np.testing.assert_allclose(one.to_host(), other, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("what", ["x", "w", "dy"])
def test_what_is_infinite_reaches_what_reads_it_alone(what: str) -> None:
    size, side, stride = 37, 3, 4
    many = there(size, side, stride, 0, 1)
    arrays = {"x": rng.normal(size=(2, 8, size)), "w": rng.normal(size=(16, 8, side)), "dy": np.ones((2, 16, many))}
    arrays[what][1, 3, 2] = np.inf
    given = [ag.tensor(arrays[each], requires_grad=True) for each in ("x", "w")]
    y = ag.conv1d(*given, stride=stride)
    found = [y, *ag.grad(y, given, grad_outputs=[ag.tensor(arrays["dy"])])]
    with np.errstate(invalid="ignore"):
        wanted = convolved(*(arrays[each] for each in ("x", "w", "dy")), stride, 0, 1)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one.to_host(), other, rtol=1e-11, atol=1e-11)


def test_second_derivatives_are_those_of_differences() -> None:
    op = kernels.compile(
        """op f(x[n, c, i]: float, w[f, c, r]: float; step: int) -> y[n, f, p]
            where p = (size[i] - size[r]) // step + 1
        {
            y = tanh(sum[c, r](x[n, c, p * step + r] * w));
        }"""
    ).f
    x, w = rng.normal(size=(2, 8, 33)), rng.normal(size=(16, 8, 3))
    assert_op_agrees(op, x, w, step=2)
    for run, weights in (
        (lambda *of: op(*of, step=2), w),
        (lambda *of: ag.conv_transpose1d(*of, stride=3), w.swapaxes(0, 1)),
    ):
        given = [ag.tensor(np.ascontiguousarray(each), requires_grad=True) for each in (x, weights)]
        assert ag.gradgradcheck(run, given, fast=True)


def sums(run: Callable[[], object]) -> dict[str, set[tuple[str, ...]]]:
    """The indices that each output of a stage is summed over."""
    found: dict[str, set[tuple[str, ...]]] = {}
    made = stages._Stager.staged

    def over(output: Output) -> set[tuple[str, ...]]:
        reduces = (each for each in subexpressions(output.expr) if isinstance(each, Reduce))
        return {tuple(sorted(map(root, each.over))) for each in reduces}

    def noted(stager: stages._Stager) -> stages.Stages:
        result = made(stager)
        found.update({output.name: over(output) for stage in result.stages for output in stage.outputs})
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stages._Stager, "staged", noted)
        run()
    return found


def test_patches_are_multiplied_once() -> None:
    x, w = (ag.tensor(rng.normal(size=s), requires_grad=True) for s in ((2, 3, 32, 32), (48, 3, 8, 8)))
    y = ag.conv2d(x, w, stride=8)
    found = sums(lambda: ag.grad(y.sum(), [x]))
    assert found["part.1"] == {("f",)}, "the product of filters and what arrives at all positions"
    assert found["grad_x"] == {("r", "s")}, "which are added where windows overlap"


def test_weights_of_a_transposed_convolution_are_summed_over_what_there_is() -> None:
    x, w = (ag.tensor(rng.normal(size=s), requires_grad=True) for s in ((2, 16, 9, 9), (16, 12, 4, 4)))
    y = ag.conv_transpose2d(x, w, stride=3, padding=1)
    assert sums(lambda: ag.grad(y.sum(), [w]))["grad_w"] == {("i", "j", "n0")}


def test_windows_that_overlap_everywhere_are_one_product() -> None:
    x, w = (ag.tensor(rng.normal(size=s), requires_grad=True) for s in ((2, 16, 24, 24), (16, 16, 3, 3)))
    y = ag.conv2d(x, w, padding=1)
    assert "part.1" not in sums(lambda: ag.grad(y.sum(), [x])), "a table would be nine times what it is made of"


@pytest.mark.parametrize(("filters", "schedule"), [(1, "columns"), (4, "contraction")])
def test_windows_of_a_row_of_its_own_are_read_where_they_lie(filters: int, schedule: str) -> None:
    x, w = rng.normal(size=(2, 3, 20, 37)).astype("f"), rng.normal(size=(3 * filters, 1, 5, 5)).astype("f")
    forward, _ = assert_op_agrees("conv2d", x, w, groups=3, padding=2)
    assert forward.kernels[-1].schedules == (schedule,)


def test_no_zeros_are_put_between_what_one_row_reads() -> None:
    x, w = rng.normal(size=(2, 3, 20, 37)).astype("f"), rng.normal(size=(3, 1, 5, 5)).astype("f")
    _, gradient = assert_op_agrees("conv2d", x, w, groups=3, padding=2, stride=2)
    assert not any("grad_x.factor" in each.text for each in gradient.kernels)


@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize(("size", "to"), [((5, 7), (11, 7)), ((9, 40), (4, 90)), ((1, 6), (5, 1)), ((33, 3), (100, 2))])
@pytest.mark.sample(4)
def test_gradients_between_pixels_are_those_of_loops(size: tuple[int, int], to: tuple[int, int], align: bool) -> None:
    def weights(size: int, to: int) -> np.ndarray:
        found = np.zeros((to, size))
        for p in range(to):
            at = p * (size - 1) / max(to - 1, 1) if align else max((p + 0.5) * size / to - 0.5, 0)
            low = min(int(at + 1e-12), size - 1)
            found[p, low] += 1 - (at - low)
            found[p, min(low + 1, size - 1)] += at - low
        return found

    rows, columns = weights(size[0], to[0]), weights(size[1], to[1])
    x, dy = rng.normal(size=(2, 3, *size)), rng.normal(size=(2, 3, *to))
    given = ag.tensor(x, requires_grad=True)
    y = ag.interpolate(given, to, mode="bilinear", align_corners=align)
    (found,) = ag.grad(y, [given], grad_outputs=[ag.tensor(dy)])
    np.testing.assert_allclose(y.to_host(), rows @ x @ columns.T, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(found.to_host(), rows.T @ dy @ columns, rtol=1e-11, atol=1e-11)


def test_one_row_of_a_product_is_not_packed() -> None:
    forward, _ = assert_op_agrees(
        "interpolate", rng.normal(size=(2, 3, 20, 33)).astype("f"), output_size=(40, 70), mode="bilinear"
    )
    assert schedules(forward) == ["columns"]
