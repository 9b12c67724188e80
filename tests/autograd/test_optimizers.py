"""Optimizers: the updates of the language against the published formulas in NumPy, and their manners."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core
from netcl.core.errors import GraphError

STEPS = 5


def gradients(rng: np.random.Generator) -> list[np.ndarray]:
    return [rng.normal(size=(3, 5)) for _ in range(STEPS)]


def sgd(p: np.ndarray, grads: list[np.ndarray], lr: float, momentum: float, decay: float, nesterov: bool) -> np.ndarray:
    m = np.zeros_like(p)
    for g in grads:
        d = g + decay * p
        m = momentum * m + d
        p = p - lr * (d + momentum * m if nesterov else m)
    return p


def adam(p: np.ndarray, grads: list[np.ndarray], lr: float, decay: float, decoupled: bool) -> np.ndarray:
    m, v = np.zeros_like(p), np.zeros_like(p)
    for t, g in enumerate(grads, 1):
        if decoupled:
            p = p * (1 - lr * decay)
        else:
            g = g + decay * p
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        p = p - lr * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return p


def rmsprop(
    p: np.ndarray, grads: list[np.ndarray], lr: float, decay: float, momentum: float, centered: bool
) -> np.ndarray:
    v, mean, buffer = np.zeros_like(p), np.zeros_like(p), np.zeros_like(p)
    for g in grads:
        g = g + decay * p
        v, mean = 0.99 * v + 0.01 * g * g, 0.99 * mean + 0.01 * g
        step = g / (np.sqrt(v - mean * mean if centered else v) + 1e-8)
        buffer = momentum * buffer + step
        p = p - lr * (buffer if momentum > 0 else step)
    return p


def adagrad(p: np.ndarray, grads: list[np.ndarray], lr: float, lr_decay: float, decay: float) -> np.ndarray:
    s = np.zeros_like(p)
    for t, g in enumerate(grads, 1):
        g = g + decay * p
        s = s + g * g
        p = p - lr / (1 + (t - 1) * lr_decay) * g / (np.sqrt(s) + 1e-10)
    return p


def lion(p: np.ndarray, grads: list[np.ndarray], lr: float, decay: float) -> np.ndarray:
    m = np.zeros_like(p)
    for g in grads:
        p = p * (1 - lr * decay) - lr * np.sign(0.9 * m + 0.1 * g)
        m = 0.99 * m + 0.01 * g
    return p


def run(make: Callable[[list[ag.Node]], ag.optim.Optimizer], start: np.ndarray, grads: list[np.ndarray]) -> np.ndarray:
    p = ag.tensor(start, requires_grad=True)
    optimizer = make([p])
    for g in grads:
        p.grad = core.from_host(g)
        optimizer.step()
    return p.to_host()


@pytest.mark.promise("A25", "N6")
@pytest.mark.parametrize(
    ("momentum", "decay", "nesterov"), [(0, 0, False), (0.9, 0, False), (0.9, 0.1, False), (0.8, 0.1, True)]
)
def test_sgd_follows_its_formula(rng: np.random.Generator, momentum: float, decay: float, nesterov: bool) -> None:
    start, grads = rng.normal(size=(3, 5)), gradients(rng)
    found = run(lambda ps: ag.optim.SGD(ps, 0.1, momentum, decay, nesterov), start, grads)
    np.testing.assert_allclose(found, sgd(start, grads, 0.1, momentum, decay, nesterov), rtol=1e-12)


@pytest.mark.promise("A25")
@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_adam_and_adamw_follow_their_formulas(rng: np.random.Generator, decay: float) -> None:
    start, grads = rng.normal(size=(3, 5)), gradients(rng)
    found = run(lambda ps: ag.optim.Adam(ps, lr=0.01, weight_decay=decay), start, grads)
    np.testing.assert_allclose(found, adam(start, grads, 0.01, decay, False), rtol=1e-10)
    found = run(lambda ps: ag.optim.AdamW(ps, lr=0.01, weight_decay=decay), start, grads)
    np.testing.assert_allclose(found, adam(start, grads, 0.01, decay, True), rtol=1e-10)


@pytest.mark.parametrize(
    ("decay", "momentum", "centered"), [(0, 0, False), (0.1, 0, True), (0, 0.9, False), (0.1, 0.9, True)]
)
def test_rmsprop_follows_its_formula(rng: np.random.Generator, decay: float, momentum: float, centered: bool) -> None:
    start, grads = rng.normal(size=(3, 5)), gradients(rng)
    found = run(lambda ps: ag.optim.RMSprop(ps, 0.01, 0.99, 1e-8, decay, momentum, centered), start, grads)
    np.testing.assert_allclose(found, rmsprop(start, grads, 0.01, decay, momentum, centered), rtol=1e-10)


@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_adagrad_and_lion_follow_their_formulas(rng: np.random.Generator, decay: float) -> None:
    start, grads = rng.normal(size=(3, 5)), gradients(rng)
    found = run(lambda ps: ag.optim.Adagrad(ps, 0.1, lr_decay=0.2, weight_decay=decay), start, grads)
    np.testing.assert_allclose(found, adagrad(start, grads, 0.1, 0.2, decay), rtol=1e-10)
    found = run(lambda ps: ag.optim.Lion(ps, 0.1, weight_decay=decay), start, grads)
    np.testing.assert_allclose(found, lion(start, grads, 0.1, decay), rtol=1e-10)


@pytest.mark.promise("A25")
def test_single_precision_follows_the_formulas_to_five_digits(rng: np.random.Generator) -> None:
    start, grads = rng.normal(size=(3, 5)), gradients(rng)
    single = start.astype(np.float32), [g.astype(np.float32) for g in grads]
    for make, expected in [
        (lambda ps: ag.optim.SGD(ps, 0.1, 0.9, 0.1, True), sgd(start, grads, 0.1, 0.9, 0.1, True)),
        (lambda ps: ag.optim.AdamW(ps, lr=0.01), adam(start, grads, 0.01, 0.01, True)),
        (lambda ps: ag.optim.RMSprop(ps, 0.01, momentum=0.9), rmsprop(start, grads, 0.01, 0, 0.9, False)),
        (lambda ps: ag.optim.Adagrad(ps, 0.1), adagrad(start, grads, 0.1, 0, 0)),
    ]:
        np.testing.assert_allclose(run(make, *single), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.promise("A25")
def test_gradients_are_clipped_by_their_common_norm(rng: np.random.Generator) -> None:
    params = [ag.tensor(np.zeros(shape), requires_grad=True) for shape in ((3,), (2, 2), ())]
    hosts = [rng.normal(size=param.shape) for param in params[:2]]
    for limit in (0.5, 100.0):
        for param, host in zip(params, hosts, strict=False):
            param.grad = core.from_host(host)
        total = float(np.sqrt(sum((host**2).sum() for host in hosts)))
        assert ag.optim.clip_grad_norm(params, limit).item() == pytest.approx(total)
        factor = min(1.0, limit / (total + 1e-6))
        for param, host in zip(params, hosts, strict=False):
            np.testing.assert_allclose(param.grad.to_host(), host * factor, rtol=1e-12)
    assert params[2].grad is None
    largest = max(abs(host).max() for host in hosts)
    assert ag.optim.clip_grad_norm(params, 1.0, np.inf).item() == pytest.approx(largest)
    assert ag.optim.clip_grad_norm(params[2:], 1.0).item() == 0


def test_gradients_are_clipped_by_value_in_place() -> None:
    p = ag.tensor(np.zeros(4), requires_grad=True)
    p.grad = core.from_host(np.array([-3.0, -0.1, 0.2, np.nan]))
    buffer = p.grad.buffer
    ag.optim.clip_grad_value(p, 0.15)
    np.testing.assert_array_equal(p.grad.to_host(), [-0.15, -0.1, 0.15, np.nan])
    assert p.grad.buffer is buffer


def test_an_average_of_parameters_follows_them_and_can_be_put_in_their_place() -> None:
    p = ag.tensor(np.array([0.0, 2.0]), requires_grad=True)
    average = ag.optim.EMA([p], decay=0.75)
    p.value.add_(4.0)
    average.update()
    average.update()
    expected = 0.75**2 * np.array([0, 2]) + (1 - 0.75**2) * np.array([4, 6])
    np.testing.assert_allclose(average.averages[0].to_host(), expected)
    assert p.tolist() == [4, 6]
    average.copy_to([p])
    np.testing.assert_allclose(p.to_host(), expected)
    with pytest.raises(ValueError, match="decay must lie between 0 and 1"):
        ag.optim.EMA([p], 1.5)


def test_groups_have_options_of_their_own() -> None:
    slow, fast = (ag.tensor([1.0], requires_grad=True) for _ in range(2))
    optimizer = ag.optim.SGD([{"params": [slow]}, {"params": {"fast": fast}, "lr": 1.0}], lr=0.1)
    schedule = ag.optim.ExponentialLR(optimizer, 0.5)
    for _ in range(2):
        (slow + fast).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
    np.testing.assert_allclose([slow.item(), fast.item()], [1 - 0.1 - 0.05, 1 - 1.0 - 0.5], rtol=1e-6)
    assert [group["lr"] for group in optimizer.groups] == [0.025, 0.25]
    assert optimizer.names == ["0", "fast"]
    other = ag.optim.SGD([{"params": [slow]}, {"params": [fast]}], lr=3.0)
    other.load_state_dict(optimizer.state_dict())
    assert [group["lr"] for group in other.groups] == [0.025, 0.25]
    optimizer.add_param_group({"params": ag.tensor([1.0], requires_grad=True), "momentum": 0.9})
    assert repr(optimizer).count("1 parameter, ") == 3
    assert "momentum=0.9" in repr(optimizer)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        (lambda w: [{"params": [w], "rate": 1}], "a group has 'rate', but the options are lr, momentum"),
        (lambda w: [{"lr": 1}], "has no 'params', only 'lr'"),
        (lambda w: [{"params": [w]}, {"params": [w]}], "parameter 1 is listed twice"),
        (lambda w: [{"params": [w], "lr": -1}], "lr is -1, but it must be at least 0"),
        (lambda w: {}, "there are no parameters"),
    ],
)
def test_groups_that_make_no_sense_are_refused(params: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ag.optim.SGD(params(ag.tensor([1.0], requires_grad=True)), lr=0.1)


def test_parameters_may_be_a_tree() -> None:
    def leaf() -> ag.Node:
        return ag.tensor([1.0], requires_grad=True)

    model = {"embed": leaf(), "layers": [{"w": leaf(), "b": leaf()}, {"w": leaf(), "b": leaf()}]}
    optimizer = ag.optim.SGD(model, lr=0.5)
    assert optimizer.names == ["embed", "layers.0.w", "layers.0.b", "layers.1.w", "layers.1.b"]
    averages = ag.optim.EMA(model, decay=0.5)
    for each in optimizer.params:
        (each * 3.0).sum().backward()
    assert ag.optim.clip_grad_norm(model, 3.0).item() == pytest.approx(3 * 5**0.5)
    optimizer.step()
    for each in optimizer.params:
        assert each.item() == pytest.approx(1 - 0.5 * 3 / 5**0.5)
    averages.update()
    averages.copy_to(model)
    assert model["embed"].item() == pytest.approx((1 + 1 - 0.5 * 3 / 5**0.5) / 2)
    assert ag.optim.SGD([[leaf()], [leaf()]], lr=1).names == ["0", "1"]
    assert ag.optim.SGD([{"w": leaf()}], lr=1).names == ["0"]
    with pytest.raises(core.GraphError, match=r"parameter a\.b is not a leaf"):
        ag.optim.SGD({"a": {"b": ag.tensor([1.0])}}, lr=1)


@dataclass
class Tied:
    embed: Any
    head: Any


@pytest.mark.parametrize("tree", [lambda w: {"embed": w, "head": w}, lambda w: Tied(w, [w]), lambda w: [[w], {"w": w}]])
def test_a_leaf_at_two_places_of_a_tree_is_one_parameter(tree: Callable[[Any], Any]) -> None:
    w, factor = ag.tensor([3.0, 4.0], requires_grad=True), ag.tensor([3.0, 4.0])
    params = tree(w)
    (w * factor).sum().backward()
    assert ag.optim.clip_grad_norm(params, 1.0).item() == 5
    np.testing.assert_allclose(w.grad.to_host(), [0.6, 0.8], rtol=1e-5)
    optimizer = ag.optim.SGD(params, lr=0.5)
    assert len(optimizer.params) == len(optimizer.names) == 1
    optimizer.step()
    np.testing.assert_allclose(w.to_host(), [2.7, 3.6], rtol=1e-5)


def test_a_list_that_names_a_leaf_twice_counts_it_twice_as_pytorch_does() -> None:
    w = ag.tensor([3.0, 4.0], requires_grad=True)
    (w * w / 2).sum().backward()
    np.testing.assert_allclose(ag.optim.clip_grad_norm([w, w], 100.0).item(), 50**0.5, rtol=1e-6)
    with pytest.raises(ValueError, match="parameter 1 is listed twice; leave it out the second time"):
        ag.optim.SGD([w, w], lr=0.1)


def test_names_of_pytorch_say_what_is_there() -> None:
    with pytest.raises(AttributeError, match="'param_groups'; it is groups"):
        _ = ag.optim.SGD([ag.tensor([1.0], requires_grad=True)], lr=0.1).param_groups
    with pytest.raises(AttributeError, match="'CyclicLR'; LambdaLR takes a formula"):
        _ = ag.optim.CyclicLR
    with pytest.raises(AttributeError, match="'CosineAnealingLR'; did you mean CosineAnnealingLR"):
        _ = ag.optim.CosineAnealingLR


def test_an_optimizer_says_what_it_does() -> None:
    w = ag.tensor([1.0], requires_grad=True)
    shown = "1 parameter, lr=0.1, momentum=0.0, weight_decay=0.0, nesterov=False"
    assert repr(ag.optim.SGD({"w": w}, lr=0.1)) == f"SGD({shown})"
    assert repr(ag.optim.StepLR(ag.optim.SGD([w], lr=0.1), 5)) == "StepLR(steps=0, step_size=5, gamma=0.1)"


@pytest.mark.promise("A10", "N6")
def test_a_parameter_without_a_gradient_is_left_alone() -> None:
    p = ag.tensor([1.0, 2.0], requires_grad=True)
    optimizer = ag.optim.Adam([p])
    optimizer.step()
    assert p.to_host().tolist() == [1.0, 2.0]
    assert optimizer.steps == [0]


def test_the_update_is_in_place_and_one_launch() -> None:
    p = ag.tensor([1.0, 2.0], requires_grad=True)
    buffer = p.value.buffer
    optimizer = ag.optim.Adam([p], lr=0.1)
    for _ in range(2):
        p.grad = core.from_host(np.ones(2, np.float32))
        before = core.counters()["kernels_launched"]
        optimizer.step()
    assert core.counters()["kernels_launched"] - before == 1
    assert p.value.buffer is buffer
    assert p.version == 2


def test_a_state_of_another_optimizer_and_a_wrong_number_of_betas_are_refused_at_once() -> None:
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    adam, sgd = ag.optim.Adam([x], lr=0.1), ag.optim.SGD([x], lr=0.1)
    with pytest.raises(ValueError, match=r"of another optimizer: it has lr, momentum, .*, and Adam has lr, betas"):
        adam.load_state_dict(sgd.state_dict())
    with pytest.raises(ValueError, match=r"Lion: betas is \(0.9,\), but it must be two numbers"):
        ag.optim.Lion([x], lr=0.1, betas=(0.9,))


@pytest.mark.parametrize(
    "function",
    [
        lambda params: ag.optim.clip_grad_norm(params, 1.0),
        lambda params: ag.optim.clip_grad_value(params, 1.0),
        lambda params: ag.optim.EMA(params),
        lambda params: ag.optim.EMA([ag.tensor([1.0], requires_grad=True)]).copy_to(params),
        lambda params: ag.gradient_report(params),
    ],
    ids="clip_grad_norm clip_grad_value EMA copy_to gradient_report".split(),
)
def test_what_takes_parameters_says_which_of_them_is_no_node(function: Callable[[Any], Any]) -> None:
    x = ag.tensor([1.0], requires_grad=True)
    with pytest.raises(GraphError, match=r"parameter 0 is a Tensor, which has no gradient; .*ag\.tensor\(data, req"):
        function([ag.ones(2)])
    with pytest.raises(GraphError, match=r"parameter b is a numpy array of shape \(2,\), which has no gradient; "):
        function({"w": x, "b": np.ones(2)})


def test_averages_are_copied_to_as_many_parameters() -> None:
    x, y = (ag.tensor([1.0], requires_grad=True) for _ in range(2))
    with pytest.raises(ValueError, match="EMA: the averages are of 1 parameters, but there are 2"):
        ag.optim.EMA([x]).copy_to([x, y])
    wide = ag.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(ValueError, match=r"average of parameter 1 has shape \(1,\), the parameter \(2,\)"):
        ag.optim.EMA([ag.tensor([3.0], requires_grad=True), y]).copy_to([x, wide])
    assert x.tolist() == [1.0]
    assert wide.tolist() == [1.0, 2.0]


def named_leaves(*names: str, **values: float) -> dict[str, ag.Node]:
    return {name: ag.tensor([values.get(name, 0.0)], requires_grad=True) for name in (*names, *values)}


def test_averages_and_states_of_named_parameters_go_by_name(tmp_path: Path) -> None:
    params = named_leaves(w=1.0, b=2.0)
    averages = ag.optim.EMA(params, decay=0.5)
    turned = named_leaves("b", "w")
    averages.copy_to(turned)
    assert [turned[name].item() for name in "wb"] == [1.0, 2.0]
    optimizer = ag.optim.Adam(params, lr=0.1)
    (params["w"] * 100 + params["b"]).sum().backward()
    optimizer.step()
    averages.update()
    again = ag.optim.Adam(turned, lr=0.1)
    averages_again = ag.optim.EMA(named_leaves("b", "w"))
    for suffix in (".npz", ".safetensors"):
        file = tmp_path / f"state{suffix}"
        ag.save(file, {"optimizer": optimizer.state_dict(), "averages": averages.state_dict()})
        saved = ag.load(file)
        again.load_state_dict(saved["optimizer"])
        assert [each["mean"].item() for each in again.state] == [pytest.approx(0.1), pytest.approx(10.0)]
        averages_again.load_state_dict(saved["averages"])
        assert averages_again.decay == 0.5
        found = dict(zip(averages_again.names, averages_again.averages, strict=True))
        for name, average in zip(averages.names, averages.averages, strict=True):
            assert found[name].item() == average.item()
    listed = ag.optim.Adam([*turned.values()], lr=0.1)
    listed.load_state_dict(optimizer.state_dict())  # which has no names: in their order
    assert listed.state[0]["mean"].item() == pytest.approx(10.0)
    twice = [{"params": named_leaves("w")}, {"params": named_leaves("w")}]
    ag.optim.Adam(twice).load_state_dict(ag.optim.Adam(twice).state_dict())


def test_states_of_other_parameters_are_refused_and_change_nothing() -> None:
    averages = ag.optim.EMA(named_leaves("w", "b"))
    optimizer = ag.optim.Adam(named_leaves("w", "b"), lr=0.5)
    with pytest.raises(ValueError, match="the averages are of other parameters: it has b, but there is none here"):
        averages.copy_to(named_leaves("w"))
    with pytest.raises(ValueError, match="the state is of other parameters: it does not have v, which is here"):
        ag.optim.EMA(named_leaves("v", "w", "b")).load_state_dict(averages.state_dict())
    with pytest.raises(ValueError, match="the state is of other parameters: it has b"):
        ag.optim.Adam(named_leaves("w"), lr=0.1).load_state_dict(optimizer.state_dict())
    with pytest.raises(ValueError, match="EMA: give what state_dict"):
        averages.load_state_dict(optimizer.state_dict())
    wide = {"w": ag.tensor([1.0, 2.0], requires_grad=True), "b": ag.tensor([1.0], requires_grad=True)}
    (wide["w"].sum() + wide["b"].sum()).backward()
    other = ag.optim.Adam(wide, lr=0.1)
    other.step()
    with pytest.raises(ValueError, match=r"state mean of parameter w has shape \(2,\), the parameter \(1,\)"):
        optimizer.load_state_dict(other.state_dict())
    assert optimizer.lr == 0.5


def test_training_over_ranks_says_which_parameter_is_no_node() -> None:
    with pytest.raises(GraphError, match=r"DataParallel: parameter 0 is a Tensor, which has no gradient; give a list"):
        ag.DataParallel([ag.ones(2)])  # type: ignore[list-item]


def test_training_continues_from_a_state_dict(rng: np.random.Generator) -> None:
    start, grads = rng.normal(size=(3, 5)), gradients(rng)
    whole = run(lambda ps: ag.optim.Adam(ps, lr=0.01), start, grads)
    p = ag.tensor(start, requires_grad=True)
    first = ag.optim.Adam([p], lr=0.01)
    for g in grads[:2]:
        p.grad = core.from_host(g)
        first.step()
    second = ag.optim.Adam([p], lr=1.0)
    second.load_state_dict(first.state_dict())
    for g in grads[2:]:
        p.grad = core.from_host(g)
        second.step()
    assert np.array_equal(p.to_host(), whole)


def test_what_cannot_be_optimized_is_refused() -> None:
    with pytest.raises(core.GraphError, match="parameter 0 is not a leaf of floats"):
        ag.optim.SGD([core.ones((2,))], 0.1)
    with pytest.raises(core.GraphError, match="parameter 0 is not a leaf of floats"):
        ag.optim.SGD([ag.Node(ag.ones(2, dtype="int32"))], 0.1)
    p = ag.tensor([1.0], requires_grad=True)
    with pytest.raises(ValueError, match="parameter 1 is listed twice"):
        ag.optim.SGD([p, p], 0.1)
    with pytest.raises(ValueError, match="there are no parameters"):
        ag.optim.SGD([], 0.1)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda p: ag.optim.Adam([p], lr=-1), ValueError, "Adam: lr is -1, but it must be at least 0"),
        (lambda p: ag.optim.Adam([p], betas=(0.9, 1.0)), ValueError, "Adam: betas is .* at least 0 and below 1"),
        (lambda p: ag.optim.SGD([p], lr=float("nan")), ValueError, "SGD: lr is nan"),
        (lambda p: ag.optim.RMSprop([p], lr=0.1, alpha=1.5), ValueError, "RMSprop: alpha is 1.5"),
        (lambda p: ag.optim.Adam([p], lr="0.1"), TypeError, "Adam: lr is '0.1', but it must be a number"),
        (lambda p: ag.optim.Adam(p), TypeError, r"Adam: the parameters are one node; pass a list of nodes, \[x\]"),
    ],
)
def test_settings_that_make_no_sense_are_refused(
    make: Callable[[ag.Node], object], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        make(ag.tensor([1.0], requires_grad=True))


def test_a_step_takes_a_closure_that_computes_the_gradients() -> None:
    p = ag.tensor([2.0], requires_grad=True)
    o = ag.optim.SGD([p], 0.25)

    def closure() -> ag.Node:
        o.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        return loss

    with ag.no_grad():
        assert o.step(closure).item() == 4
    assert (p.tolist(), o.step()) == ([1.0], None)
    with pytest.raises(TypeError, match=r"SGD.step: closure must be a function or None, but it is a Node"):
        o.step(p)


def test_a_norm_that_is_not_finite_is_an_error_where_one_is_wanted() -> None:
    p = ag.tensor([2.0, 1.0], requires_grad=True)
    p.grad = ag.tensor([float("inf"), 1.0])
    with pytest.raises(GraphError, match="clip_grad_norm: the norm of the gradients is inf, so they cannot be scaled"):
        ag.optim.clip_grad_norm([p], 1.0, error_if_nonfinite=True)
    assert p.grad.tolist() == [float("inf"), 1.0]
    p.grad = ag.tensor([3.0, 4.0])
    assert ag.optim.clip_grad_norm([p], 1.0, error_if_nonfinite=True).item() == 5
