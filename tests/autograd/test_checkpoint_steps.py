"""checkpoint_steps: the values and gradients of all steps at once, in memory for the root of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core, kernels

MINE = kernels.compile(
    """
    op cell(x[t, n]: float, w[n]: float, h0[n]: float) -> (y[t, n], last[n]) {
        h[t, n] = tanh(w * (h[t - 1, n] else (h0)) + x);
        y = h * h;
        last = h[size[t] - 1, n] else (h0);
    }

    op final(x[t, n]: float, w[n]: float, h0[n]: float) -> last[n] {
        h[t, n] = tanh(w * (h[t - 1, n] else (h0)) + x);
        last = h[size[t] - 1, n] else (h0);
    }
    """,
    "steps",
)


def given(steps: int, rows: int = 5, dtype: str = "float64") -> tuple[ag.Node, ag.Node, ag.Node]:
    rng = np.random.default_rng(steps)
    arrays = rng.normal(size=(steps, rows)), rng.normal(size=rows), rng.normal(size=rows)
    x, w, h0 = (ag.tensor(each.astype(dtype), requires_grad=True) for each in arrays)
    return x, w, h0


def in_segments(x: Any, w: Any, h0: Any, every: int | tuple[int, ...] | None = None) -> tuple[Any, Any]:
    def segment(h: Any, part: Any) -> tuple[Any, Any]:
        y, last = MINE.cell(part, w, h)
        return last, y

    last, y = ag.checkpoint_steps(segment, h0, x, every=every)
    return y, last


def loss(parts: tuple[Any, Any]) -> Any:
    y, last = parts
    return (y * y).sum() + (last * last * last).sum()


@pytest.mark.parametrize("every", [None, 1, 3, 100, (7, 2), (16, 5, 1)])
@pytest.mark.parametrize("steps", [0, 1, 2, 16, 37])
@pytest.mark.sample(8)
def test_values_and_gradients_are_those_of_all_steps_at_once(steps: int, every: int | tuple[int, ...] | None) -> None:
    x, w, h0 = given(steps)
    whole, parts = MINE.cell(x, w, h0), in_segments(x, w, h0, every)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_allclose(other.to_host(), one.to_host(), rtol=1e-13)
    wanted, found = (ag.grad(loss(each), [x, w, h0]) for each in (whole, parts))
    for one, other in zip(wanted, found, strict=True):
        np.testing.assert_allclose(other.to_host(), one.to_host(), rtol=1e-11, atol=1e-12)


def test_second_derivatives_tangents_and_jit_go_through_segments() -> None:
    x, w, h0 = given(12)
    along = [core.from_host(np.cos(np.arange(each.size)).reshape(each.shape)) for each in (x, w, h0)]
    inputs = [each.value for each in (x, w, h0)]
    results = []
    for cell in (MINE.cell, in_segments):

        def total(*leaves: Any, cell: Callable[..., Any] = cell) -> Any:
            return loss(cell(*leaves))

        second = ag.hvp(total, tuple(inputs), tuple(along))[1]
        tangent = ag.jvp(total, inputs, along)[1]
        compiled = ag.jit(ag.grad(total, argnums=(0, 1, 2)))(*inputs)
        results.append([each.to_host() for each in (*second, tangent, *compiled)])
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-10, atol=1e-11)


def test_states_and_outputs_may_be_trees() -> None:
    x, w, h0 = given(10)

    def segment(state: dict[str, Any], pair: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
        y, last = MINE.cell(pair["x"] + pair["z"], w, state["h"])
        return {"h": last, "count": state["count"] + pair["x"].shape[0]}, [y, {"twice": 2 * y}]

    state, (y, more) = ag.checkpoint_steps(segment, {"h": h0, "count": 0}, {"x": x, "z": 0 * x})
    assert state["count"] == 10
    expected, last = MINE.cell(x, w, h0)
    np.testing.assert_allclose(y.to_host(), expected.to_host(), rtol=1e-13)
    np.testing.assert_allclose(more["twice"].to_host(), 2 * expected.to_host(), rtol=1e-13)
    np.testing.assert_allclose(state["h"].to_host(), last.to_host(), rtol=1e-13)


def test_memory_goes_with_the_root_of_the_steps() -> None:
    steps, rows = 2500, 200
    x, w, h0 = given(steps, rows, "float32")
    x = x.detach()

    def peak(cell: Callable[[], Any]) -> int:
        ag.grad(cell().sum(), [w, h0])
        core.synchronize()
        core.reset_peak_memory()
        before = core.memory_stats()["peak_bytes"]
        ag.grad(cell().sum(), [w, h0])
        core.synchronize()
        return core.memory_stats()["peak_bytes"] - before

    def segmented(every: int | None) -> int:
        return peak(lambda: ag.checkpoint_steps(lambda h, part: (MINE.final(part, w, h), None), h0, x, every=every)[0])

    states = 4 * rows * 50
    assert peak(lambda: MINE.final(x, w, h0)) > 4 * rows * steps
    assert segmented(None) <= 2 * states
    assert 2 * states < segmented(50) < 3.2 * states  # those between segments, those in one of them, their gradients


def test_random_ops_draw_the_same_in_every_run() -> None:
    def segment(h: Any, part: Any) -> tuple[Any, Any]:
        return ag.dropout(h * part, 0.5), None

    x, _, h0 = given(9)
    core.manual_seed(3)
    whole = h0
    for step in range(9):
        whole, _ = segment(whole, x[step])
    core.manual_seed(3)
    parts, _ = ag.checkpoint_steps(lambda h, part: segment(h, part[0]), h0, x, every=(4, 2, 1))
    np.testing.assert_array_equal(parts.to_host(), whole.to_host())
    wanted, found = (ag.grad(each.sum(), [x, h0]) for each in (whole, parts))
    for one, other in zip(wanted, found, strict=True):
        np.testing.assert_allclose(other.to_host(), one.to_host(), rtol=1e-12)


def test_what_cannot_be_gone_along_is_said() -> None:
    def segment(h: Any, *parts: Any) -> tuple[Any, Any]:
        return h, None

    h = ag.zeros(3)
    with pytest.raises(core.ShapeError, match="have one length, that of the steps; found 2, 4"):
        ag.checkpoint_steps(segment, h, ag.zeros((2, 3)), ag.zeros((4, 3)))
    with pytest.raises(core.ShapeError, match="that of the steps; found none"):
        ag.checkpoint_steps(segment, h)
    with pytest.raises(core.ShapeError, match="one of xs has no axes"):
        ag.checkpoint_steps(segment, h, 1.0)
    with pytest.raises(core.ShapeError, match="every is 0; a segment has at least one step"):
        ag.checkpoint_steps(segment, h, ag.zeros((4, 3)), every=0)
    with pytest.raises(core.ShapeError, match=r"every is \(2, 0\); a segment has at least one step"):
        ag.checkpoint_steps(segment, h, ag.zeros((4, 3)), every=(2, 0))
    with pytest.raises(core.GraphError, match="fn must return a pair"):
        ag.checkpoint_steps(lambda state, x: state, core.zeros((2,)), core.zeros((3, 2)))
