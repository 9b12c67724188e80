"""ag.jit: a traced, fused function gives what the function gives; values, gradients of every order, seeds, errors."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core
from netcl.core.errors import GraphError

Function = Callable[..., Any]


def leaf(array: Any) -> ag.Node:
    return ag.tensor(np.asarray(array, np.float32), requires_grad=True)


def activation(x: Any, w: Any, b: Any) -> Any:
    return (ag.sigmoid(x * w + b) * ag.tanh(x) + ag.exp(-x * x)).sum()


def normalized(x: Any, w: Any, b: Any) -> Any:
    centred = x - x.mean(-1, keepdims=True)
    variance = (centred * centred).mean(-1, keepdims=True)
    return ((centred / ag.sqrt(variance + 1e-5) * w + b) ** 2).sum()


def across(x: Any, w: Any, b: Any) -> Any:
    square = x * w
    return (square * ag.transpose(square) + ag.amax(square, 0) - b).mean()


def mixed(x: Any, w: Any, b: Any) -> Any:
    hidden = ag.relu(ag.matmul(x, w) + b)
    return (ag.log_softmax(ag.matmul(hidden, ag.transpose(w))) * hidden.mean()).sum()


def repeated(x: Any, w: Any, b: Any) -> Any:
    y = x * x + x
    return (y * y * w).sum() + y.amax() * b.sum()


def extremes(x: Any, w: Any, b: Any) -> Any:
    return (ag.sigmoid(x * 100) * w + ag.softplus(x * 100) + ag.where(b > 0, ag.log(ag.abs(b)), b)).sum()


def rows_and_columns(x: Any, w: Any, b: Any) -> Any:
    return (ag.logsumexp(x * w, 0) * ag.var(x + b, 0)).sum() + ag.softmax(x - b).amax()


SQUARES: list[Function] = [activation, normalized, across, mixed, repeated, extremes, rows_and_columns]


def squares(rng: np.random.Generator, n: int = 5) -> list[ag.Node]:
    return [leaf(rng.normal(size=(n, n))) for _ in range(3)]


def value_and_gradients(function: Function, arguments: list[ag.Node]) -> list[np.ndarray]:
    value = function(*arguments)
    return [each.to_host() for each in (value, *ag.grad(value, arguments))]


@pytest.mark.promise("F24", "L28")
@pytest.mark.parametrize("function", SQUARES)
@pytest.mark.sample(2)
def test_values_and_gradients_are_those_of_the_function(function: Function, rng: np.random.Generator) -> None:
    arguments = squares(rng)
    plain, fused = (value_and_gradients(each, arguments) for each in (function, ag.jit(function)))
    for expected, found in zip(plain, fused, strict=True):
        np.testing.assert_allclose(found, expected, rtol=2e-6, atol=2e-6 * np.abs(expected).max())


@pytest.mark.parametrize("function", SQUARES)
@pytest.mark.sample(3)
def test_the_gradient_of_a_gradient_is_that_of_the_ops_one_by_one(function: Function, rng: np.random.Generator) -> None:
    arguments = squares(rng)
    vectors = [core.from_host(rng.normal(size=(5, 5)).astype(np.float32)) for _ in arguments]
    found = []
    for each in (function, ag.jit(function)):
        first = ag.grad(each(*arguments), arguments, create_graph=True)
        along = sum(((g * v).sum() for g, v in zip(first, vectors, strict=True)), start=ag.tensor(0.0))
        second = ag.grad(along, arguments, allow_unused=True, materialize_grads=True)
        found.append([g.to_host() for g in (*first, *second)])
    for expected, made in zip(*found, strict=True):
        np.testing.assert_allclose(made, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize(
    ("a", "b"), [((), ()), ((0,), (0,)), ((1,), (7,)), ((3, 1), (1, 5)), ((2, 3), (3,)), ((), (4,))]
)
@pytest.mark.sample(4)
def test_shapes_broadcast_as_ever(a: Any, b: Any, rng: np.random.Generator) -> None:
    def function(x: Any, y: Any) -> Any:
        return (ag.exp(x) * y + x / (ag.abs(y) + 1)).sum()

    arguments = [leaf(rng.normal(size=a)), leaf(rng.normal(size=b))]
    plain, fused = (value_and_gradients(each, arguments) for each in (function, ag.jit(function)))
    for expected, found in zip(plain, fused, strict=True):
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=2e-6, atol=1e-6)


@pytest.mark.promise("F24")
def test_a_chain_is_one_kernel_each_way(rng: np.random.Generator) -> None:
    fused = ag.jit(lambda x, w, b: ag.sigmoid(x * w + b) * ag.tanh(x) + ag.exp(-x * x))
    arguments = [leaf(rng.normal(size=(1000,))) for _ in range(3)]
    fused(*arguments).backward(ag.ones(1000))

    def launched(run: Callable[[], Any]) -> int:
        before = core.counters()["kernels_launched"]
        run()
        return core.counters()["kernels_launched"] - before

    ones = core.ones(1000)
    made: list[ag.Node] = []
    assert launched(lambda: made.append(fused(*arguments))) == 1
    assert launched(lambda: ag.grad(made[0], arguments, ones)) == 1
    assert fused.describe(*arguments).splitlines()[1].strip() == "mul, add, sigmoid, tanh, mul, neg, mul, exp, add"


@pytest.mark.parametrize(("size", "most"), [(16, 8), (10_000, 42)])
def test_a_long_chain_of_few_elements_is_in_fewer_kernels(size: int, most: int, rng: np.random.Generator) -> None:
    """For few elements a launch is what costs; for many it is what a kernel cannot hold in registers."""

    def loss(x: ag.Node, factor: ag.Node) -> ag.Node:
        for _ in range(1000):
            x = x * factor
        return x.sum()

    x, factor = (ag.tensor(rng.uniform(0.999, 1.001, size)) for _ in range(2))
    step = ag.jit(ag.value_and_grad(loss))
    step(x, factor)
    before = core.counters()["kernels_launched"]
    value, gradient = step(x, factor)
    assert core.counters()["kernels_launched"] - before == most
    factors = factor.to_host() ** 1000
    np.testing.assert_allclose(value.item(), (x.to_host() * factors).sum(), rtol=1e-11)
    np.testing.assert_allclose(gradient.to_host(), factors, rtol=1e-11)


def test_another_shape_is_traced_again_but_nothing_is_compiled(rng: np.random.Generator) -> None:
    calls = []

    @ag.jit
    def function(x: Any, factor: float) -> Any:
        calls.append(x.shape)
        return (x * x * factor).sum()

    for shape in ((50, 60), (50, 60), (50, 70)):
        x = leaf(rng.normal(size=shape))
        before = core.counters()["programs_built"] + core.counters()["programs_loaded"]
        function(x, 2.0).backward()
        built = core.counters()["programs_built"] + core.counters()["programs_loaded"] - before
        np.testing.assert_allclose(x.grad.to_host(), 4 * x.to_host(), rtol=1e-6)
    assert calls == [(50, 60), (50, 70)]
    assert built == 0
    function(x, 3.0)
    assert len(calls) == 3, "another number may lead Python elsewhere"


def test_ops_are_recorded_as_one_and_hooks_and_tapes_see_it(rng: np.random.Generator) -> None:
    fused = ag.jit(lambda x: (ag.exp(x) * x).sum())
    x = leaf(rng.normal(size=(6,)))
    with ag.Tape() as tape:
        y = fused(x)
    assert [record.name for record in (tape.node(i) for i in range(len(tape)))] == ["fused_exp_sum"]
    seen: list[Any] = []
    x.register_hook(seen.append)
    tape.backward(y)
    assert len(seen) == 1
    np.testing.assert_allclose(x.grad.to_host(), np.exp(x.to_host()) * (x.to_host() + 1), rtol=1e-6)


def test_arguments_and_results_are_trees(rng: np.random.Generator) -> None:
    @ag.jit
    def function(parameters: dict[str, Any], *, pair: Any) -> dict[str, Any]:
        first, second = pair
        total = parameters["w"] * first + second
        return {"total": total, "more": [total.sum(), 3, first], "same": parameters["w"]}

    w, first, second = (leaf(rng.normal(size=(4,))) for _ in range(3))
    found = function({"w": w}, pair=(first, second))
    np.testing.assert_allclose(found["total"].to_host(), w.to_host() * first.to_host() + second.to_host(), rtol=1e-6)
    assert found["more"][1] == 3
    assert found["more"][2] is first
    assert found["same"] is w
    found["more"][0].backward()
    np.testing.assert_allclose(w.grad.to_host(), first.to_host(), rtol=1e-6)


def test_a_node_that_is_closed_over_is_read_at_each_call(rng: np.random.Generator) -> None:
    w = leaf(rng.normal(size=(3,)))
    fused = ag.jit(lambda x: (x * w + w).sum())
    x = core.ones(3)
    fused(x).backward()
    np.testing.assert_allclose(w.grad.to_host(), [2, 2, 2])
    with ag.no_grad():
        w.assign_(core.full(3, 5.0))
    assert fused(x).item() == 30
    w.requires_grad = False
    assert not isinstance(fused(x), ag.Node)


def test_random_ops_draw_anew_and_as_the_function_would(rng: np.random.Generator) -> None:
    def function(x: Any) -> Any:
        return ag.dropout(x * 2, 0.5) + ag.dropout(x * 3, 0.5)

    fused, x = ag.jit(function), leaf(np.ones(1000))
    fused(x)
    core.manual_seed(7)
    expected = [function(x).to_host() for _ in range(2)]
    core.manual_seed(7)
    drawn = [fused(x) for _ in range(2)]
    for made, plain in zip(drawn, expected, strict=True):
        np.testing.assert_array_equal(made.to_host(), plain)
    assert (expected[0] != expected[1]).any()
    (gradient,) = ag.grad(drawn[1], [x], core.ones(1000))
    np.testing.assert_allclose(gradient.to_host(), expected[1], rtol=1e-6)


def test_large_integers_are_not_taken_for_seeds_and_noise_of_the_host_is_refused() -> None:
    x, i = leaf([0.0, 1.0, 2.0]), core.from_host(np.array([2**62 + 9, 5]))
    np.testing.assert_allclose(
        ag.jit(lambda x: ag.dropout(x + 1, 0.0) * 2**62 + 1)(x).to_host(), [2**62, 2**63, 1.5 * 2**63]
    )
    assert ag.jit(lambda i: ag.clip(i + 0, 0, 2**62))(i).tolist() == [2**62, 5]
    np.testing.assert_allclose(ag.jit(lambda x: x * 2**70 + 1)(x).to_host()[1:], [2.0**70, 2.0**71])
    with pytest.raises(GraphError, match="draws random numbers on the host"):
        ag.jit(lambda x: x + ag.randn(3))(x)
    drawn = ag.jit(lambda x: x + ag.normal((3,)))
    core.manual_seed(3)
    first = drawn(x).tolist()
    assert drawn(x).tolist() != first
    core.manual_seed(3)
    assert drawn(x).tolist() == first


def test_numbers_that_compare_equal_but_are_not_the_same_have_programs_of_their_own() -> None:
    inverse, x = ag.jit(lambda x, c: 1.0 / (x * c)), core.from_host(np.array([1.0, 2.0], np.float32))
    assert inverse(x, 0.0).tolist() == [np.inf] * 2
    assert inverse(x, -0.0).tolist() == [-np.inf] * 2
    for _ in range(3):
        inverse(x, float("nan"))
    assert repr(inverse).endswith("3 programs>")


def test_a_tensor_that_is_closed_over_is_read_at_each_call_and_what_is_computed_from_it_anew() -> None:
    std, scale = core.from_host([1.0, 2.0]), core.from_host([[3.0], [4.0]])
    functions: list[Function] = [
        lambda x: x * std,
        lambda x: (x - 1) / (std + 1) * (2 * std),
        lambda x: (ag.sum(scale * scale) * x, std * 2),
        lambda x: ag.stack([std, std, x]) + ag.where(std > 1.5, std, -std),
        lambda x: x * float(scale[0, 0]) + std.to_host()[1],
    ]
    for function in functions:
        jitted, x = ag.jit(function), leaf([0.5, -1.5])
        for value in (1.0, 2.0, 2.0, 5.0):
            std.assign_(value)
            scale[0, 0] = -value
            found, expected = (each if isinstance(each, tuple) else (each,) for each in (jitted(x), function(x)))
            assert [type(each) for each in found] == [type(each) for each in expected]
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_allclose(one.to_host(), other.to_host(), rtol=1e-6)


def test_what_python_reads_of_a_tensor_is_traced_anew_once_that_is_written() -> None:
    step = core.from_host([2.0, 9.0])
    calls = []

    @ag.jit
    def scaled(x: Any) -> Any:
        factor = float(ag.amin(step[:1] * 1))
        calls.append(factor)
        return x * factor

    x = leaf([1.0, 3.0])
    assert [scaled(x).tolist(), scaled(x).tolist()] == [[2.0, 6.0]] * 2
    step[0] = 5.0
    assert [scaled(x).tolist(), scaled(x).tolist()] == [[5.0, 15.0]] * 2
    assert calls == [2.0, 5.0]


def test_a_traced_function_writes_to_nothing() -> None:
    total = core.zeros(2)
    with pytest.raises(GraphError, match=r"add\(…, out=…\): a traced function cannot write in place"):
        ag.jit(lambda x: ag.add(total, 1, out=total) * x)(leaf([1.0, 2.0]))
    with pytest.raises(GraphError, match="sum has no value yet"):
        ag.jit(lambda x: x * ag.sum(total + x).item())(leaf([1.0, 2.0]))
    assert total.tolist() == [0.0, 0.0]


def test_a_detached_node_that_is_closed_over_is_read_at_each_call() -> None:
    w = leaf([1.0, 2.0])
    fused = ag.jit(lambda x: x * ag.exp(w.detach()))
    x = leaf([1.0, 1.0])
    fused(x)
    with ag.no_grad():
        w.add_(1.0)
    y = fused(x)
    np.testing.assert_allclose(y.to_host(), np.exp([2.0, 3.0]), rtol=1e-6)
    y.sum().backward()
    assert w.grad is None


def test_what_is_computed_under_no_grad_carries_none(rng: np.random.Generator) -> None:
    def function(x: Any) -> Any:
        with ag.no_grad():
            scale = ag.exp(x).sum()
        return (x * scale).sum()

    x = leaf(rng.normal(size=(4,)))
    expected, found = (ag.grad(each(x), [x])[0].to_host() for each in (function, ag.jit(function)))
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    np.testing.assert_allclose(found, np.full(4, np.exp(x.to_host()).sum()), rtol=1e-6)


@pytest.mark.promise("N26", "F24")
def test_under_no_grad_nothing_is_recorded(rng: np.random.Generator) -> None:
    fused = ag.jit(activation)
    with ag.no_grad():
        assert isinstance(fused(*squares(rng)), core.Tensor)
    assert isinstance(fused(*squares(rng)), ag.Node)


def test_transforms_and_anomaly_mode_see_the_function_itself(rng: np.random.Generator) -> None:
    def function(x: Any) -> Any:
        return (ag.sin(x) * x).sum()

    fused, x, v = ag.jit(function), leaf(rng.normal(size=(5,))), core.ones(5)
    for made, plain in zip(ag.jvp(fused, [x], [v]), ag.jvp(function, [x], [v]), strict=True):
        np.testing.assert_array_equal(made.to_host(), plain.to_host())
    batch = leaf(rng.normal(size=(3, 5)))
    np.testing.assert_array_equal(ag.vmap(fused)(batch).to_host(), ag.vmap(function)(batch).to_host())
    with ag.detect_anomaly(), pytest.raises(ag.AnomalyError, match="log"):
        ag.jit(lambda x: ag.log(x - x).sum())(x).backward()
    assert ag.gradcheck(fused, [ag.tensor(x.to_host().astype(np.float64), requires_grad=True)])


def test_results_that_have_nothing_in_common_are_differentiated_apart(rng: np.random.Generator) -> None:
    x = leaf(rng.normal(size=(5,)))
    first, second = ag.jit(lambda x: (ag.sin(x).sum(), ag.exp(x).sum()))(x)
    first.backward()
    second.backward()
    np.testing.assert_allclose(x.grad.to_host(), np.cos(x.to_host()) + np.exp(x.to_host()), rtol=1e-6)
    with ag.no_grad():
        assert ag.jit(lambda x: (ag.sin(x).sum(), ag.exp(x).sum())).describe(x).startswith("<lambda>: 4 ops in 1 group")


def test_memory_is_that_of_the_inputs_and_the_result(rng: np.random.Generator) -> None:
    x = leaf(rng.normal(size=(250_000,)))
    fused = ag.jit(lambda x: (ag.exp(ag.sin(x) * ag.cos(x)) + x).sum())
    fused(x)
    before = core.memory_stats()["live_bytes"]
    y = fused(x)
    assert core.memory_stats()["live_bytes"] - before < 1000
    y.backward()


def test_what_cannot_be_traced_is_said(rng: np.random.Generator) -> None:
    x = leaf(rng.normal(size=(3,)))

    def branching(x: Any) -> Any:
        return x if x.sum().item() > 0 else -x

    with pytest.raises(GraphError, match="the result of sum has no value yet"):
        ag.jit(branching)(x)

    def of_my_own(x: Any) -> Any:
        return ag.apply_op(lambda v: v, lambda dy: [dy], x, op_name="mine", abstract=lambda x: (x.shape, x.dtype))

    with pytest.raises(GraphError, match="jit: mine in of_my_own is not declared in the language"):
        ag.jit(of_my_own)(x)

    with pytest.raises(GraphError, match=r"jit: args\[1\] of <lambda> is a set, neither a tensor nor hashable"):
        ag.jit(lambda x, s: x)(x, {1, 2})
    for kept in (lambda x: {x * 2}, lambda x: iter([x]), lambda x: [1, {"a": lambda: x}]):
        with pytest.raises(GraphError, match=r"jit: <lambda> returned a (set|list_iterator|function at \[1\]\['a'\]),"):
            ag.jit(kept)(x)
    assert ag.jit(lambda x: x * 2)(x).shape == (3,), "nothing of it stays"


@ag.jit
def doubled(x: ag.Node) -> ag.Node:
    return x * 2


class Model:
    @ag.jit
    def step(self, x: ag.Node) -> ag.Node:
        return x * 3


def halved(x: ag.Node) -> ag.Node:
    return x / 2


def test_a_jitted_function_is_pickled_as_the_function_is() -> None:
    for function in (doubled, Model.step):
        assert pickle.loads(pickle.dumps(function)) is function
        assert copy.deepcopy(function) is function
    again = pickle.loads(pickle.dumps(ag.jit(halved)))
    assert type(again) is type(doubled)
    assert again(ag.tensor([3.0])).tolist() == [1.5]
    assert copy.copy(again)(ag.tensor([3.0])).tolist() == [1.5]
    with pytest.raises((AttributeError, pickle.PicklingError), match="local"):
        pickle.dumps(ag.jit(lambda x: x))


def test_a_tensor_in_the_place_of_a_shape_is_told_as_one_when_traced_as_when_not() -> None:
    x = ag.ones((2, 2))
    for function in (ag.normal, ag.zeros, lambda m: ag.uniform(m)):
        for call in (function, ag.jit(lambda m, function=function: function(m))):
            with pytest.raises(
                core.ShapeError, match=r"is not a shape; write a tuple of whole numbers such as \(2, 3\)"
            ):
                call(x)
