"""Gradients inside of ag.jit: a whole step is traced, and is what the step is without it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core, kernels
from netcl.autograd.transforms.trees import leaves_of
from netcl.core.errors import DtypeError, GraphError, ShapeError
from netcl.kernels.compiler.target import Target

Function = Callable[..., Any]


def array(*shape: int, seed: int = 0) -> core.Tensor:
    return core.from_host(np.random.default_rng(seed).normal(size=shape) * 0.5)


def same(function: Function, *arguments: Any, seed: int = 3) -> list[np.ndarray]:
    """What a function gives, which is what it gives when it is jitted: values, shapes, and whether there is a graph."""
    results = []
    for each in (function, ag.jit(function)):
        core.manual_seed(seed)
        results.append(leaves_of(each(*arguments)))
    for plain, fused in zip(*results, strict=True):
        assert isinstance(fused, ag.Node) is isinstance(plain, ag.Node)
        assert (fused.shape, fused.dtype) == (plain.shape, plain.dtype)
        expected = plain.to_host()
        np.testing.assert_allclose(fused.to_host(), expected, rtol=1e-9, atol=1e-11 * np.abs(expected).max(initial=1))
    return [each.to_host() for each in results[0]]


def wave(x: Any) -> Any:
    return (ag.sin(x) * x * x).sum()


def hidden_layer(parameters: dict[str, Any], x: Any, labels: Any) -> Any:
    hidden = ag.layer_norm(ag.gelu(ag.linear(x, parameters["w"], parameters["b"])), parameters["g"], parameters["b"])
    return ag.cross_entropy(ag.linear(hidden, parameters["v"]), labels)


def picture_net(parameters: dict[str, Any], x: Any, labels: Any) -> Any:
    hidden = ag.max_pool2d(ag.relu(ag.conv2d(x, parameters["k"], parameters["d"], padding=1)), 2)
    return ag.cross_entropy(ag.linear(ag.dropout(hidden, 0.3).reshape((4, -1)), parameters["v"]), labels)


def attention(parameters: dict[str, Any], x: Any) -> Any:
    q, k, v = (x @ parameters[name] for name in ("q", "k", "v"))
    return ((ag.softmax(q @ ag.transpose(k)) @ v) ** 2).mean()


@pytest.mark.promise("F24")
def test_a_value_and_its_gradients_are_those_of_the_function() -> None:
    labels = core.from_host(np.array([0, 2, 1, 2]))
    layer = {"w": array(6, 5), "b": array(6, seed=1), "g": array(6, seed=2), "v": array(3, 6, seed=3)}
    same(ag.value_and_grad(hidden_layer), layer, array(4, 5), labels)
    net = {"k": array(3, 2, 3, 3), "d": array(3, seed=1), "v": array(3, 48, seed=2)}
    same(ag.value_and_grad(picture_net), net, array(4, 2, 8, 8), labels)
    matrices = {name: array(5, 5, seed=at) for at, name in enumerate("qkv")}
    same(ag.value_and_grad(attention, argnums=(0, 1)), matrices, array(7, 5))


@pytest.mark.promise("F24")
@pytest.mark.parametrize(
    "transformed",
    [
        lambda x: ag.grad(lambda y: (ag.grad(wave)(y) ** 2).sum())(x),
        lambda x: ag.grad(lambda y: ag.grad(lambda z: ag.grad(wave)(z).sum())(y).sum())(x),
        lambda x: ag.hvp(wave, x, x),
        lambda x: ag.vhp(wave, x, x),
        lambda x: ag.hessian(wave, x),
        lambda x: ag.jacobian(lambda y: y * ag.cumsum(y), x),
        lambda x: ag.vjp(lambda y: (y * y, ag.exp(y)), x, (x, x)),
        lambda x: ag.jvp(wave, x, x),
        lambda x: ag.jvp(ag.grad(wave), x, x),
        lambda x: ag.linearize(wave, x)[1](x),
        lambda x: ag.vmap(ag.grad(wave))(x),
        lambda x: ag.grad(lambda y: ag.checkpoint(wave, y))(x),
        lambda x: ag.grad(ag.jit(wave))(x),
        lambda x: ag.grad(lambda y: ag.prod(y) + ag.sort(y)[0].sum())(x[0]),
    ],
    ids=["grad grad", "grad grad grad", "hvp", "vhp", "hessian", "jacobian", "vjp", "jvp", "jvp grad", "linearize",
         "vmap", "checkpoint", "jit", "prod and sort"],
)  # fmt: skip
@pytest.mark.sample(6)
def test_transforms_inside_are_the_transforms(transformed: Function) -> None:
    same(transformed, array(2, 3))


def test_what_is_given_back_can_be_differentiated_where_it_could_without() -> None:
    x = ag.tensor(array(3, 4).to_host(), requires_grad=True)
    seconds = []
    for step in (ag.grad(wave), ag.jit(ag.grad(wave))):
        first = step(x)
        assert isinstance(first, ag.Node)
        seconds.append(ag.grad((first * first).sum(), [x])[0].to_host())
    np.testing.assert_allclose(seconds[1], seconds[0], rtol=1e-9)
    same(lambda x: ag.grad(wave(x), [x], create_graph=True), x)
    assert isinstance(ag.jit(lambda x: ag.grad(wave(x), [x]))(x)[0], core.Tensor)
    with ag.no_grad():
        assert isinstance(ag.jit(ag.grad(wave))(x), core.Tensor)


def test_gradients_may_be_asked_for_anything_in_the_function() -> None:
    w = ag.tensor(array(3, 3, seed=4).to_host(), requires_grad=True)
    x = ag.tensor(array(2, 3).to_host(), requires_grad=True)

    def step(x: Any) -> Any:
        middle = ag.tanh(x @ w)
        loss = (middle * middle).sum() + (x.detach() * x).sum()
        gradients = ag.grad(loss, [w, middle, x])
        return loss, gradients

    same(step, x)
    fused = ag.jit(step)
    before = fused(x)[1][0].to_host()
    with ag.no_grad():
        w.assign_(w * 2)
    assert not np.allclose(fused(x)[1][0].to_host(), before), "a node that is closed over is read at each call"


def test_a_node_has_one_gradient_by_whichever_name_it_is_asked_for() -> None:
    a, w = (ag.tensor(array(3, seed=at).to_host(), requires_grad=True) for at in (0, 1))
    both = ag.jit(lambda p, q: ag.grad((p * q).sum(), [p])[0])
    for p, q, expected in ((a, a, a * 2), (a, w, w), (a, a, a * 2), (w, a, a)):
        np.testing.assert_array_equal(both(p, q).to_host(), expected.to_host())
    closed = ag.jit(lambda p: ag.grad((p * w).sum(), [w])[0])
    for p, expected in ((w, w * 2), (a, a), (w, w * 2)):
        np.testing.assert_array_equal(closed(p).to_host(), expected.to_host())


def test_functions_are_differentiated_at_what_is_closed_over() -> None:
    w = ag.tensor(array(2, 3, seed=4).to_host(), requires_grad=True)
    v = array(2, 3, seed=5)
    x = ag.tensor(array(2, 3).to_host(), requires_grad=True)
    for at in (w, v):
        for inside in (ag.grad(wave), lambda y: ag.hvp(wave, y, y)[1], lambda y: ag.vhp(wave, y, y)[1],
                       lambda y: ag.hessian(wave, y).sum(0), ag.vmap(ag.grad(wave))):  # fmt: skip

            def function(x: Any, at: Any = at, inside: Function = inside) -> Any:
                return (inside(at) * x).sum()

            same(function, x)
            wanted = [w, x] if at is w else [x]
            plain, fused = (ag.grad(each(x), wanted) for each in (function, ag.jit(function)))
            for expected, found in zip(plain, fused, strict=True):
                np.testing.assert_allclose(found.to_host(), expected.to_host(), rtol=1e-9)


@pytest.mark.parametrize("inside", [
    lambda y: ag.jvp(ag.sin, y, y)[1], lambda y: ag.hvp(wave, y, y)[1], lambda y: ag.linearize(ag.sin, y)[1](y),
    lambda y: ag.jacfwd(ag.sin)(y), lambda y: ag.hessian(wave, y), lambda y: ag.jvp(lambda z: z.detach() * z, y, y)[1],
], ids=["jvp", "hvp", "linearize", "jacfwd", "hessian", "detach"])  # fmt: skip
@pytest.mark.sample(2)
def test_forward_mode_inside_a_vmap_inside(inside: Function) -> None:
    x = ag.tensor(array(3, 2).to_host(), requires_grad=True)
    same(lambda x: ag.vmap(inside)(x), x)
    same(ag.grad(lambda x: (ag.vmap(inside)(x) ** 2).sum()), array(3, 2))
    plain, fused = (ag.grad(each(x).sum(), [x])[0] for each in (ag.vmap(inside), ag.jit(ag.vmap(inside))))
    np.testing.assert_allclose(fused.to_host(), plain.to_host(), rtol=1e-9)


def test_what_is_given_without_its_history_has_none_in_any_order() -> None:
    x = ag.tensor(array(5).to_host(), requires_grad=True)

    def function(x: Any) -> Any:
        y, g = ag.vjp(lambda y: ag.sin(y) * y, x, x, create_graph=False)
        return (ag.tanh(y * x) + g * x * x + y * y).sum()

    found = []
    for each in (function, ag.jit(function)):
        (first,) = ag.grad(each(x), [x], create_graph=True)
        found.append([first.to_host(), ag.grad((first * first).sum(), [x])[0].to_host()])
    np.testing.assert_allclose(found[1], found[0], rtol=1e-9)


def test_a_transform_that_has_ended_leaves_nothing_to_ask_for() -> None:
    x = array(3)

    def function(x: Any) -> Any:
        return ag.grad(ag.jvp(ag.grad(wave), x, x)[1].sum(), [x])

    for each in (function, ag.jit(function)):
        with pytest.raises(GraphError, match="grad: output 0"):
            each(x)


def test_results_without_a_history_are_tensors() -> None:
    x, n = array(3), ag.tensor(array(3, seed=1).to_host(), requires_grad=True)

    def nested(d: Any) -> Any:
        return ag.grad(lambda d: (ag.grad(lambda d: (d[0] ** 2).sum() + (d[1] ** 3).sum())(d)[0] ** 3).sum())(d)

    same(nested, [x, n])
    same(lambda y: (ag.hvp(wave, x, x)[0], ag.vmap(ag.grad(ag.square))(x)), x)


def test_seeds_unused_inputs_and_none_are_as_ever() -> None:
    x, y = (ag.tensor(array(3, seed=at).to_host(), requires_grad=True) for at in (0, 1))
    same(lambda x, y: ag.grad(x * y, [x], grad_outputs=y * 2), x, y)
    same(lambda x, y: ag.grad([x * y, x.sum()], [x, y], grad_outputs=[np.ones(3), None]), x, y)
    same(lambda x, y: ag.grad(x.sum(), [x, y], materialize_grads=True), x, y)
    assert ag.jit(lambda x, y: ag.grad(x.sum(), [x, y], allow_unused=True))(x, y)[1] is None
    for wrong, error, text in (
        (lambda x, y: ag.grad(x.sum(), [x, y]), GraphError, "input 1 was not used"),
        (lambda x, y: ag.grad(x * y, [x]), GraphError, r"output 0 has shape \(3,\); only one element"),
        (lambda x, y: ag.grad(x * y, [x], grad_outputs=core.ones(4)), ShapeError, "its gradient"),
        (lambda x, y: ag.grad(x * y, [x], grad_outputs=core.ones(3, "float32")), DtypeError, "its gradient float32"),
        (
            lambda x, y: ag.grad(x.detach().sum(), [x]),
            GraphError,
            "expected a Node, got a Tensor|does not require a gradient",
        ),
    ):
        for each in (wrong, ag.jit(wrong)):
            with pytest.raises(error, match=text):
                each(x, y)


def test_a_result_that_is_the_same_each_time_is_in_memory_of_its_own() -> None:
    fused = ag.jit(ag.value_and_grad(lambda x, y: x.sum(), argnums=(0, 1)))
    x, y = array(3), array(4)
    fused(x, y)[1][1].add_(7)
    np.testing.assert_array_equal(fused(x, y)[1][1].to_host(), np.zeros(4))


def test_random_ops_draw_the_same_forward_and_back_and_anew_at_each_call() -> None:
    x = core.ones(1000)
    fused = ag.jit(ag.value_and_grad(lambda x: ag.dropout(x, 0.5).sum()))
    (first, gradient), (second, _) = fused(x), fused(x)
    assert first.item() == gradient.to_host().sum()
    assert first.item() != second.item()


def test_a_small_step_is_one_launch_and_a_chain_keeps_nothing() -> None:
    fused = ag.jit(ag.value_and_grad(lambda x, w: (ag.sigmoid(x * w) * ag.tanh(x)).sum(), argnums=(0, 1)))
    x, w = array(16), array(16, seed=1)
    fused(x, w)
    before = core.counters()
    fused(x, w)
    after = core.counters()
    together = Target.of(core.default_device()).launches.together  # on a card items of other groups compute the sum
    assert after["kernels_launched"] - before["kernels_launched"] == (1 if together else 2)
    large = core.ones(250_000)
    fused(large, large)
    before = core.memory_stats()["live_bytes"]
    kept = fused(large, large)
    assert core.memory_stats()["live_bytes"] - before <= 2 * large.nbytes + 1000
    assert len(kept) == 2


def test_another_shape_compiles_nothing() -> None:
    fused = ag.jit(ag.value_and_grad(lambda x, w: (ag.softmax(x * w) * x).mean(), argnums=(0, 1)))
    for length in (300, 300, 320):
        x, w = array(200, length), array(length, seed=1)
        core.synchronize()  # small kernels may run elsewhere while something is queued
        before = core.counters()["programs_built"] + core.counters()["programs_loaded"]
        fused(x, w)
        built = core.counters()["programs_built"] + core.counters()["programs_loaded"] - before
    assert built == 0


def test_a_deep_network_takes_the_groups_of_a_few_layers() -> None:
    groups = []
    for layers in (6, 12):

        def deep(x: Any, w: Any, layers: int = layers) -> Any:
            for _ in range(layers):
                x = ag.layer_norm(ag.gelu(x * w) + x, w, w)
            return (x * x).mean()

        step, x, w = ag.value_and_grad(deep, argnums=(0, 1)), array(5, 8), array(8, seed=1)
        same(step, x, w)
        groups.append(set(ag.jit(step).describe(x, w).splitlines()[1:]))
    assert groups[0] == groups[1]


def test_what_belongs_outside_is_said() -> None:
    x = ag.tensor([1.0, 2.0], requires_grad=True)

    def adds_up(x: Any) -> Any:
        loss = (x * x).sum()
        loss.backward()
        return loss

    with pytest.raises(GraphError, match=r"backward: a traced function adds to no \.grad; return what ag\.grad"):
        ag.jit(adds_up)(x)
    assert x.grad is None
    with pytest.raises(GraphError, match="register_hook: there is no graph while a function is traced"):
        ag.jit(lambda x: x.register_hook(print))(x)

    optimizer = ag.optim.SGD([x], lr=0.1)
    for write in (optimizer.step, optimizer.zero_grad, x.zero_grad, lambda: setattr(x, "grad", core.ones(2))):
        with pytest.raises(GraphError, match="a traced function cannot write in place"):
            ag.jit(lambda x, write=write: write() or x)(x)
    kept: list[Any] = []
    with pytest.raises(GraphError, match="puts a value that it computes into the variable kept, which is done only"):
        ag.jit(lambda x: kept.append(x * 2) or x)(x)
    assert kept == []
    hidden = np.array([None])  # which is not looked into

    def hides(x: Any) -> Any:
        hidden[0] = x * 2
        return x

    ag.jit(hides)(x)
    with pytest.raises(GraphError, match="the result of mul has no value yet, and its trace has ended; return it"):
        hidden[0].to_host()

    def own(x: Any) -> Any:
        return ag.apply_op(lambda v: v, lambda dy: [dy], x, op_name="own", abstract=lambda x: (x.shape, x.dtype)).sum()

    with pytest.raises(GraphError, match="own: its rule is a function of its own, which cannot be traced"):
        ag.jit(ag.grad(own))(x)
    outside = x * x
    with pytest.raises(GraphError, match="grad: sin reads the result of mul, which was computed outside"):
        ag.jit(lambda: ag.grad(ag.sin(outside).sum(), [x], allow_unused=True))()
    same(lambda: ag.grad(ag.sin(outside).sum(), [outside]))
    assert ag.jit(ag.grad(lambda x: (x * x).sum()))(x).tolist() == [2.0, 4.0], "nothing of it stays"


@pytest.mark.parametrize("equation", ["ii->", "ii->i", "iij->j", "ijj->i", "iijj->ij"])
@pytest.mark.sample(2)
def test_gradients_of_diagonals_are_used_further(equation: str) -> None:
    x = array(*(3 if letter in "ij" else 2 for letter in equation.split("->")[0]))

    def loss(x: Any) -> Any:
        return 2.0 * ag.tanh(ag.einsum(equation, x)).sum()

    same(lambda x: ag.grad(loss)(x) * x + 1, x)
    same(ag.value_and_grad(loss), x)
    same(lambda x: ag.hvp(lambda x: loss(x * x), x, x), x)
    same(lambda x: ag.vjp(loss, x), x)


RUNNING = "op running(x[n]: float) -> y[n] { s[n] = x + (s[n - 1] else 0); y = s[n + 1]; }"


def test_positions_are_looked_at_where_a_gradient_alone_is_asked_for() -> None:
    x, inside = ag.tensor([1.0, 2.0, 3.0], requires_grad=True), core.from_host(np.array([2, 0, 2]))
    running = kernels.compile(RUNNING).running
    for fn in (
        lambda x, p: ag.take(x, p, 0).sum(), lambda x, p: x[p].sum(), lambda x, p: ag.embedding(x[:, None], p).sum(),
    ):  # fmt: skip
        gradient = ag.jit(ag.grad(fn))
        assert gradient(x, inside).tolist() == [1, 0, 2]
        with pytest.raises(core.IndexOutOfRangeError, match="out of range for axis"):
            gradient(x, core.from_host(np.array([0, 3, 0])))
    with pytest.raises(core.IndexOutOfRangeError, match="out of range for axis"):
        ag.jit(ag.grad(lambda x: running(x).sum()))(x)
