"""Leaves from nothing, and results written into tensors that are there already."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core


@pytest.mark.promise("P19")
def test_every_factory_makes_leaves_on_request_and_tensors_otherwise() -> None:
    like = core.zeros((2, 3))
    made = {
        "zeros": lambda **k: ag.zeros((2, 3), **k),
        "ones": lambda **k: ag.ones((2, 3), **k),
        "full": lambda **k: ag.full((2, 3), 2.5, **k),
        "arange": lambda **k: ag.arange(0.0, 3.0, **k),
        "linspace": lambda **k: ag.linspace(0.0, 3.0, 7, **k),
        "eye": lambda **k: ag.eye(2, 3, **k),
        "rand": lambda **k: ag.rand((2, 3), seed=1, **k),
        "randn": lambda **k: ag.randn((2, 3), seed=1, **k),
        "zeros_like": lambda **k: ag.zeros_like(like, **k),
        "ones_like": lambda **k: ag.ones_like(ag.Node(like), **k),
        "full_like": lambda **k: ag.full_like(like, 4.0, **k),
    }
    for name, make in made.items():
        plain, node = make(), make(requires_grad=True)
        assert isinstance(plain, core.Tensor), name
        assert node.is_leaf, name
        assert node.requires_grad, name
        assert (node.to_host() == plain.to_host()).all(), name
        node.sum().backward()
        assert (node.grad.to_host() == 1).all(), name
        with pytest.raises(core.DtypeError, match="only floating dtypes have gradients, this is int32"):
            make(dtype="int32", requires_grad=True)


@pytest.mark.promise("P19", "L30")
def test_random_numbers_are_a_function_of_shape_and_seed() -> None:
    first, again = ag.randn((1000,), seed=7).to_host(), ag.randn((1000,), seed=7).to_host()
    assert first.tobytes() == again.tobytes()
    assert (ag.randn((1000,), seed=8).to_host() != first).any()
    assert abs(first.mean()) < 4 / np.sqrt(1000)
    assert abs(first.std() - 1) < 4 / np.sqrt(2000)
    core.manual_seed(5)
    drawn = [ag.randn((3,)).tolist(), ag.dropout(ag.ones((20,)), 0.5).tolist()]
    core.manual_seed(5)
    assert [ag.randn((3,)).tolist(), ag.dropout(ag.ones((20,)), 0.5).tolist()] == drawn
    assert ag.randn((), seed=1).shape == ()
    assert ag.randn((0, 2), seed=1).shape == (0, 2)


def test_random_numbers_go_on_from_a_state_that_was_kept(tmp_path: Path) -> None:
    def step(x: Any) -> Any:
        return ag.dropout(x, 0.5) + ag.normal((64,))

    x, jitted = ag.ones(64), ag.jit(step)
    core.manual_seed(11)
    first, kept = step(x).to_host(), core.get_rng_state()
    ag.save(tmp_path / "state.npz", {"random": kept})
    due = [step(x).to_host() for _ in range(3)]
    for state in (kept, json.loads(json.dumps(kept)), ag.load(tmp_path / "state.npz")["random"]):
        for function in (step, jitted, jitted):
            core.set_rng_state(state)
            np.testing.assert_array_equal([function(x).to_host() for _ in range(3)], due)
    assert core.get_rng_state() != kept
    core.manual_seed(11)
    np.testing.assert_array_equal(step(x).to_host(), first)
    assert core.get_rng_state() == kept
    with pytest.raises(core.DtypeError, match="set_rng_state: state must be the two whole numbers that get_rng_state"):
        core.set_rng_state(7)  # type: ignore[arg-type]


def test_even_steps_and_the_identity_are_those_of_numpy() -> None:
    for start, stop, num in ((0, 1, 5), (2.5, -1, 4), (3, 3, 1), (0, 1, 0)):
        np.testing.assert_array_equal(
            ag.linspace(start, stop, num).to_host(), np.linspace(start, stop, num, dtype="f4")
        )
    for n, m in ((3, None), (2, 4), (4, 2), (0, 3), (1, 1)):
        np.testing.assert_array_equal(ag.eye(n, m, dtype="int32").to_host(), np.eye(n, m))
    with pytest.raises(core.ShapeError, match="linspace: num is -1"):
        ag.linspace(0, 1, -1)


def test_numbers_between_0_and_1_and_whole_ones_are_drawn_evenly() -> None:
    even = ag.rand((100, 100), seed=3).to_host()
    assert 0 <= even.min() < even.max() < 1
    assert abs(even.mean() - 0.5) < 4 / np.sqrt(12 * even.size)
    whole = ag.randint(-2, 3, (1000,), seed=3)
    assert whole.dtype == core.int64
    assert set(whole.tolist()) == {-2, -1, 0, 1, 2}
    assert whole.tolist() == ag.randint(-2, 3, (1000,), seed=3).tolist() != ag.randint(-2, 3, (1000,), seed=4).tolist()
    with pytest.raises(ValueError, match="there is no number from 3 to below 3"):
        ag.randint(3, 3, (2,))


@pytest.mark.promise("P17")
def test_out_writes_into_a_tensor_and_counts_as_a_write() -> None:
    a, b, target = core.from_host([1.0, 2.0]), core.from_host([3.0, 4.0]), core.zeros((2,))
    memory = target.buffer
    assert ag.add(a, b, out=target) is target
    assert (target.tolist(), target.version, target.buffer) == ([4.0, 6.0], 1, memory)
    ag.mul(target, target, out=target)
    assert target.tolist() == [16.0, 36.0]
    turned = core.zeros((2, 2)).alias((2,), (2,), 1)
    assert ag.add(a, 1.0, out=turned).tolist() == [2.0, 3.0]
    for wrong, error in ((core.zeros((3,)), core.ShapeError), (core.zeros((2,), "float64"), core.DtypeError)):
        with pytest.raises(error, match="add"):
            ag.add(a, b, out=wrong)
    with pytest.raises(core.ShapeError, match="shows elements more than once"):
        ag.add(a, b, out=core.zeros((1,)).alias((2,), (0,), 0))


@pytest.mark.promise("P17")
def test_out_never_swallows_a_gradient() -> None:
    x, target = ag.tensor([1.0, 2.0], requires_grad=True), core.zeros((2,))
    with pytest.raises(core.GraphError, match=r"add: out= records nothing, and an operand requires a gradient"):
        ag.add(x, 1.0, out=target)
    with pytest.raises(core.GraphError, match="out= records nothing"):
        ag.add(target, 1.0, out=x)
    assert target.tolist() == [0.0, 0.0]
    with ag.no_grad():
        assert ag.add(x, 1.0, out=target).tolist() == [2.0, 3.0]
    constant = ag.Node(core.ones((2,)))
    ag.add(constant, 1.0, out=constant)
    assert constant.tolist() == [2.0, 2.0]


@pytest.mark.promise("P17")
def test_the_in_place_form_has_the_gradient_of_the_op() -> None:
    x, y = ag.tensor([1.0, 2.0], requires_grad=True), ag.tensor([3.0, 4.0], requires_grad=True)
    z = x * 1.0
    assert z.add_(y).mul_(y) is z
    z.sum().backward()
    assert x.grad.tolist() == [3.0, 4.0]
    assert y.grad.tolist() == [1.0 + 2 * 3.0, 2.0 + 2 * 4.0]


def test_a_tensor_is_copied_into_a_leaf() -> None:
    given = core.from_host(np.array([1.0, 2.0], np.float32))
    for leaf in (ag.tensor(given, requires_grad=True), ag.tensor(ag.Node(given, True), requires_grad=True)):
        leaf.value.add_(1)
        assert (given.tolist(), leaf.tolist()) == ([1, 2], [2, 3])
    ag.tensor(given).mul_(3)
    assert given.tolist() == [1, 2]
    ag.Node(given, True).value.mul_(3)
    assert given.tolist() == [3, 6]
