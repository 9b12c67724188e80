"""vmap: the results of a loop over the examples, without the loop; through gradients, tangents and other vmaps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core
from netcl.core import GraphError, ShapeError

RANDOM = np.random.default_rng(0)


def floats(*shape: int) -> Any:
    return core.from_host(RANDOM.uniform(-1, 1, shape))


def ints(below: int, *shape: int) -> Any:
    return core.from_host(RANDOM.integers(0, below, shape))


def like_a_loop(fn: Callable[..., Any], *args: Any, in_axes: Any = 0, out_axes: int = 0, **options: Any) -> None:
    """Compare with calls for one example after the other."""
    axes = in_axes if isinstance(in_axes, tuple) else (in_axes,) * len(args)
    size = next(x.shape[axis] for x, axis in zip(args, axes, strict=True) if axis is not None)
    found = ag.vmap(fn, in_axes, out_axes, **options)(*args)
    calls = [
        fn(*[x if axis is None else ag.select(x, axis, at) for x, axis in zip(args, axes, strict=True)])
        for at in range(size)
    ]
    for at, each in enumerate(found if isinstance(found, tuple) else (found,)):
        assert isinstance(each, core.Tensor)
        expected = [(call[at] if isinstance(call, tuple) else call).to_host() for call in calls]
        np.testing.assert_allclose(each.to_host(), np.stack(expected, out_axes), rtol=1e-10, atol=1e-12)


FORMS: dict[str, Callable[[], None]] = {
    "pointwise": lambda: like_a_loop(lambda x, y: ag.sigmoid(x) * y, floats(5, 3), floats(3), in_axes=(0, None)),
    "pointwise of another rank": lambda: like_a_loop(lambda x, y: x + y, floats(5), floats(5, 2, 3)),
    "reduction": lambda: like_a_loop(lambda x: x.sum(0), floats(4, 5, 3), in_axes=1),
    "softmax": lambda: like_a_loop(ag.softmax, floats(4, 5, 3), out_axes=1),
    "argmax": lambda: like_a_loop(lambda x: ag.argmax(x, 1), floats(4, 5, 3), in_axes=-1),
    "matmul with shared weight": lambda: like_a_loop(ag.matmul, floats(5, 2, 3), floats(3, 4), in_axes=(0, None)),
    "matmul of vectors": lambda: like_a_loop(ag.matmul, floats(5, 3), floats(5, 3)),
    "linear": lambda: like_a_loop(ag.linear, floats(2, 3), floats(5, 4, 3), in_axes=(None, 0)),
    "conv2d": lambda: like_a_loop(
        lambda x, w: ag.conv2d(x, w, padding=1), floats(3, 1, 2, 5, 5), floats(4, 2, 3, 3), in_axes=(0, None)
    ),
    "conv2d with a weight for each": lambda: like_a_loop(
        lambda x, w: ag.conv2d(x, w, padding=1), floats(1, 2, 5, 5), floats(3, 4, 2, 3, 3), in_axes=(None, 0)
    ),
    "max_pool2d": lambda: like_a_loop(lambda x: ag.max_pool2d(x, 2), floats(3, 1, 2, 4, 4)),
    "embedding": lambda: like_a_loop(ag.embedding, floats(7, 3), ints(7, 5, 4), in_axes=(None, 0)),
    "embedding with a table for each": lambda: like_a_loop(ag.embedding, floats(5, 7, 3), ints(7, 5, 4)),
    "cross_entropy": lambda: like_a_loop(ag.cross_entropy, floats(5, 6, 4), ints(4, 5, 6)),
    "layer_norm": lambda: like_a_loop(lambda x, w: ag.layer_norm(x, w), floats(5, 3, 4), floats(4), in_axes=(0, None)),
    "getitem": lambda: like_a_loop(lambda x: x[1, ::2], floats(5, 3, 6)),
    "getitem by an index for each": lambda: like_a_loop(lambda x, i: x[:, i], floats(5, 3, 7), ints(7, 5, 4)),
    "reshape": lambda: like_a_loop(lambda x: x.reshape(2, 6).T.reshape(12), floats(5, 3, 4)),
    "cat": lambda: like_a_loop(lambda x, y: ag.cat([x, y]), floats(5, 3, 4), floats(2, 4), in_axes=(0, None)),
    "attention": lambda: like_a_loop(lambda x: ag.attention(x, x, x, causal=True), floats(5, 3, 4)),
    "several results": lambda: like_a_loop(lambda x: (x * x, x.sum()), floats(5, 3)),
    "the same for all": lambda: like_a_loop(lambda x, y: y * 2.0, floats(5), floats(3), in_axes=(0, None)),
    "writes in place": lambda: like_a_loop(_written, floats(5, 3)),
}


def _written(x: Any) -> Any:
    y = x * 2.0
    y.mul_(x)
    y[1] = x[0] * 3.0
    y[2:].add_(1.0)
    return y


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.sample(12)
def test_a_batch_is_a_loop_over_its_examples(form: str) -> None:
    FORMS[form]()


def test_no_examples_give_results_without_elements() -> None:
    assert ag.vmap(lambda x: ag.matmul(x, floats(3, 2)))(floats(0, 4, 3)).shape == (0, 4, 2)


# --- with derivatives -------------------------------------------------------------------------------------------------


def loss(w: Any, x: Any, y: Any) -> Any:
    return ag.cross_entropy(ag.matmul(ag.tanh(x), w), y)


def energy(x: Any) -> Any:
    return (ag.sin(x) * x.sum()).sum()


@pytest.mark.promise("F15")
def test_gradients_for_each_example() -> None:
    w, x, y = floats(3, 4), floats(5, 2, 3), ints(4, 5, 2)
    like_a_loop(ag.grad(loss), w, x, y, in_axes=(None, 0, 0))
    like_a_loop(lambda *args: ag.value_and_grad(loss, argnums=(0, 1))(*args)[1], w, x, y, in_axes=(None, 0, 0))
    total = ag.grad(lambda w: ag.vmap(loss, (None, 0, 0))(w, x, y).sum())(w)
    each = ag.vmap(ag.grad(loss), (None, 0, 0))(w, x, y)
    np.testing.assert_allclose(total.to_host(), each.to_host().sum(0), rtol=1e-12)


def test_gradients_for_each_example_come_as_a_tree() -> None:
    params = {"w": floats(3, 2), "b": floats(2)}

    def error(params: Any, x: Any) -> Any:
        return ((ag.matmul(x, params["w"]) + params["b"]) ** 2).sum()

    x = floats(5, 3)
    found = ag.vmap(ag.grad(error), in_axes=(None, 0))(params, x)
    out = x.to_host() @ params["w"].to_host() + params["b"].to_host()
    np.testing.assert_allclose(found["b"].to_host(), 2 * out, rtol=1e-12)
    np.testing.assert_allclose(found["w"].to_host(), 2 * np.einsum("ni,nj->nij", x.to_host(), out), rtol=1e-12)


@pytest.mark.parametrize(
    "transform",
    [
        lambda x, v: ag.jvp(energy, x, v),
        lambda x, v: ag.hvp(energy, x, v),
        lambda x, v: ag.vhp(energy, x, v),
        lambda x, v: ag.linearize(energy, x)[1](v),
        lambda x, v: ag.jacfwd(lambda x: ag.sin(x) * (x * v).sum())(x),
        lambda x, v: ag.jacrev(lambda x: ag.sin(x) * (x * v).sum())(x),
        lambda x, v: ag.hessian(lambda x: energy(x * v), x),
    ],
    ids=["jvp", "hvp", "vhp", "linearize", "jacfwd", "jacrev", "hessian"],
)
@pytest.mark.parametrize("in_axes", [(0, 0), (0, None), (None, 0)], ids=str)
@pytest.mark.sample(7)
def test_every_transform_runs_inside_a_vmap(transform: Any, in_axes: Any) -> None:
    shapes = [(4, 3) if axis == 0 else (3,) for axis in in_axes]
    like_a_loop(transform, *(floats(*shape) for shape in shapes), in_axes=in_axes)


def test_a_vmap_runs_inside_every_transform() -> None:
    x, v, w = floats(4, 3), floats(4, 3), ag.Node(floats(3), True)

    def fn(x: Any) -> Any:
        return ag.vmap(lambda each: energy(each * w))(x)

    def looped(x: Any) -> Any:
        return ag.stack([energy(x[at] * w) for at in range(4)])

    for transform in (
        lambda fn: ag.jvp(fn, x, v)[1],
        lambda fn: ag.vjp(lambda x: fn(x).sum(), x)[1],
        lambda fn: ag.hvp(lambda x: fn(x).sum(), x, v)[1],
        lambda fn: ag.jacrev(fn)(x),
        lambda fn: ag.jacfwd(fn)(x),
        lambda fn: ag.grad(fn(x).sum(), w),
    ):
        one, other = transform(fn), transform(looped)
        np.testing.assert_allclose(one.to_host(), other.to_host(), rtol=1e-10, atol=1e-12)


def test_a_gradient_with_a_history_inside_a_vmap() -> None:
    def third(x: Any) -> Any:
        return ag.grad(lambda x: (ag.grad(lambda x: (x**4).sum())(x) ** 2).sum())(x)

    like_a_loop(third, floats(4, 3))


def test_vmaps_inside_each_other() -> None:
    x, y = floats(5, 3), floats(4, 3)
    found = ag.vmap(lambda a: ag.vmap(lambda b: (a * b).sum())(y))(x)
    np.testing.assert_allclose(found.to_host(), x.to_host() @ y.to_host().T, rtol=1e-12)
    like_a_loop(lambda x, y: ag.vmap(ag.grad(lambda z: (z * x * z).sum()))(y), floats(5, 3), floats(5, 4, 3))


# --- axes and trees ---------------------------------------------------------------------------------------------------


def test_axes_are_given_for_each_argument_and_inside_of_trees() -> None:
    data = {"x": floats(3, 5), "scale": floats(3)}

    def fn(data: Any, y: Any, *, z: Any = None) -> Any:
        return {"sum": data["x"] * data["scale"] + y + z, "same": data["scale"]}

    y, z = floats(5), floats(5)
    found = ag.vmap(fn, in_axes=({"x": 1, "scale": None}, 0), out_axes={"sum": 1, "same": None})(data, y, z=z)
    expected = data["x"].to_host() * data["scale"].to_host()[:, None] + (y.to_host() + z.to_host())
    np.testing.assert_allclose(found["sum"].to_host(), expected, rtol=1e-12)
    assert found["same"] is data["scale"]


def test_axes_that_do_not_fit_are_named() -> None:
    with pytest.raises(ShapeError, match="vmap: argument 0 has 5 examples, argument 1 has 4"):
        ag.vmap(lambda x, y: x)(floats(5), floats(4))
    with pytest.raises(ShapeError, match=r"argument 1 is of shape \(5,\) and has no axis 1; give it None in in_axes"):
        ag.vmap(lambda x, y: x, in_axes=(0, 1))(floats(5), floats(5))
    with pytest.raises(ShapeError, match="argument 1 is a str and has no axis 0"):
        ag.vmap(lambda x, y: x)(floats(5), "text")
    with pytest.raises(ShapeError, match="in_axes is for 1 arguments, but there are 2"):
        ag.vmap(lambda x, y: x, in_axes=(0,))(floats(5), floats(5))
    with pytest.raises(ShapeError, match="no argument has examples"):
        ag.vmap(lambda x: x, in_axes=None)(floats(5))
    with pytest.raises(GraphError, match="its out_axes cannot be None"):
        ag.vmap(lambda x: x, out_axes=None)(floats(5))
    with pytest.raises(GraphError, match="the function returned a float"):
        ag.vmap(lambda x: 1.0)(floats(5))


# --- what it cannot do ------------------------------------------------------------------------------------------------


def test_random_ops_draw_as_they_are_told_to() -> None:
    x = core.from_host(np.ones((3, 64)))

    def drop(x: Any) -> Any:
        return ag.dropout(x, 0.5, seed=3)

    with pytest.raises(GraphError, match="dropout: inside a vmap a random op draws either different numbers"):
        ag.vmap(drop)(x)
    like_a_loop(drop, x, randomness="same")
    different = ag.vmap(drop, randomness="different")(x).to_host()
    assert not np.array_equal(different[0], different[1])
    assert set(np.unique(different)) == {0.0, 2.0}
    gradient = ag.vmap(ag.grad(lambda x: drop(x).sum()), randomness="different")(x).to_host()
    np.testing.assert_array_equal(gradient, different)
    tangent = ag.vmap(lambda x: ag.jvp(drop, x, x)[1], randomness="different")(x).to_host()
    np.testing.assert_array_equal(tangent, different)
    shared = ag.vmap(lambda x, y: drop(y) + x * 0.0, (0, None), randomness="different")(x, x[0]).to_host()
    np.testing.assert_array_equal(shared, different)
    along = ag.vmap(lambda x, y: ag.jvp(drop, y, y)[1] + x * 0.0, (0, None), randomness="different")(x, x[0])
    np.testing.assert_array_equal(along.to_host(), different)
    drawn = ag.vmap(lambda x: x + ag.normal((64,), seed=1), randomness="different")(x).to_host() - 1
    assert len(np.unique(drawn)) == drawn.size
    np.testing.assert_allclose(drawn[0], ag.normal((64,), seed=1).to_host(), rtol=1e-6, atol=1e-6)
    with pytest.raises(ValueError, match="randomness is 'some'"):
        ag.vmap(drop, randomness="some")


def test_values_of_an_example_cannot_be_looked_at() -> None:
    def branch(x: Any) -> Any:
        return x if x.sum() > 0 else -x

    with pytest.raises(GraphError, match="it cannot decide what Python does next"):
        ag.vmap(branch)(floats(5, 3))
    kept: list[Any] = []
    ag.vmap(lambda x: kept.append(x) or x)(floats(5, 3))
    with pytest.raises(GraphError, match="of a call of a vmap that has ended"):
        kept[0] + 1.0
    assert repr(kept[0]) == "Batched(shape=(3,), dtype=float64, calls=5)"
    assert len(kept[0]) == 3


def test_an_op_of_ones_own_is_refused_inside_a_vmap() -> None:
    with pytest.raises(GraphError, match="mine: inside a vmap only declared ops can run"):
        ag.vmap(lambda x: ag.apply_op(lambda x: x, None, x, op_name="mine"))(floats(5))


def test_gradients_that_are_not_those_of_an_example_are_refused() -> None:
    w = ag.Node(floats(3), True)
    with pytest.raises(GraphError, match="input 0 is the same for all, so that its gradient would be a sum"):
        ag.vmap(lambda x: ag.grad((x * w).sum(), w))(floats(5, 3))
    with pytest.raises(GraphError, match=r"inside a vmap there is a gradient for each call"):
        ag.vmap(lambda x: (x * w).sum().backward() or x)(floats(5, 3))


def doubled_in_part(x: Any) -> Any:
    y = x.clone()
    y[0:2].mul_(2.0)
    return y * y


def set_in_part(x: Any) -> Any:
    y = x.clone()
    y[0] = x[1] * x[2]
    return y * y


def written_by_views_of_views(x: Any) -> Any:
    y = x * 1.0
    part = y[0:2]
    part[1:2].mul_(x[2:3])
    part.add_(y[1:3])
    return y * part[0]


def read_by_a_view_from_before(x: Any) -> Any:
    y = x * x
    part = y[1:]
    y.mul_(x)
    return part * x[0]


WRITES: dict[Callable[[Any], Any], Callable[[Any, Any, Any], Any]] = {
    doubled_in_part: lambda a, b, c: np.diag([8 * a, 8 * b, 2 * c]),
    set_in_part: lambda a, b, c: [[0, 2 * b * c * c, 2 * b * b * c], [0, 2 * b, 0], [0, 0, 2 * c]],
    written_by_views_of_views: lambda a, b, c: [
        [2 * (a + b * c), 2 * c * (a + b * c), 2 * b * (a + b * c)],
        [b * c + c, c * (a + b * c) + c * (b * c + c), b * (b * c + c) + (b + 1) * (a + b * c)],
        [c, c * c, a + 2 * b * c],
    ],
    read_by_a_view_from_before: lambda a, b, c: [[b**3, 3 * a * b**2, 0], [c**3, 0, 3 * a * c**2]],
}


@pytest.mark.parametrize("write", WRITES)
def test_what_is_written_to_a_part_has_its_derivatives_in_and_around_a_vmap(write: Any) -> None:
    x, rows = core.from_host(np.array([1.0, 2.0, 3.0])), core.from_host(np.array([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]]))
    expected = [WRITES[write](*row) for row in rows.to_host()]
    for jacobian in (ag.jacrev, ag.jacfwd):
        np.testing.assert_allclose(jacobian(write)(x).to_host(), expected[0])
        np.testing.assert_allclose(ag.vmap(jacobian(write))(rows).to_host(), expected)
        np.testing.assert_allclose(ag.vmap(ag.vmap(jacobian(write)))(rows.reshape(2, 1, 3)).to_host()[:, 0], expected)
    by_rows = ag.jacrev(lambda x: ag.vmap(write)(x), vectorize=False)(rows).to_host()
    np.testing.assert_allclose([by_rows[0, :, 0], by_rows[1, :, 1]], expected)


def test_a_part_has_tangents_once_something_with_tangents_is_written_to_it_in_a_vmap() -> None:
    def write(x: Any) -> Any:
        y = x.detach() * 1.0
        y[0:2] = x[1:] * x[0]
        return y * y

    found = ag.vmap(ag.jacfwd(write))(core.from_host(np.array([[1.0, 2.0, 3.0]])))
    np.testing.assert_allclose(found.to_host(), [[[8, 4, 0], [18, 0, 6], [0, 0, 0]]])


def test_second_derivatives_of_what_is_written_to_a_part_are_not_lost_in_a_vmap() -> None:
    rows = core.from_host(np.array([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]]))
    expected = np.diag([8.0, 8.0, 2.0])[None].repeat(2, 0)
    for hessian in (
        ag.hessian(lambda x: doubled_in_part(x).sum()),
        ag.jacfwd(lambda x: ag.jacfwd(doubled_in_part)(x).sum(0)),
    ):
        np.testing.assert_allclose(ag.vmap(hessian)(rows).to_host(), expected)


def test_a_write_that_cannot_hold_all_examples_is_refused() -> None:
    def collect(x: Any) -> Any:
        total = ag.Node(core.from_host(np.zeros(3)))
        total.add_(x)
        return total

    with pytest.raises(GraphError, match="the place it is written to cannot take that"):
        ag.vmap(collect)(floats(5, 3))


@pytest.mark.parametrize("draw", [lambda: ag.uniform(()), lambda: ag.normal(()), lambda: ag.normal((2,))])
@pytest.mark.sample(2)
def test_calls_of_a_vmap_within_a_vmap_draw_apart(draw: Callable[[], Any]) -> None:
    def rows(outer: str, inner: str, count: int = 20) -> Any:
        def of(a: Any) -> Any:
            return ag.vmap(lambda b: draw() + 0 * a.sum() + 0 * b.sum(), randomness=inner)(ag.ones(count))

        return ag.vmap(of, randomness=outer)(ag.ones(count)).to_host()

    found = rows("different", "different")
    assert len(np.unique(found)) > found.size - 3
    assert [len(np.unique(each, axis=0)) for each in rows("different", "same")] == [1] * 20
    assert len(np.unique(rows("different", "same"), axis=0)) == 20
    assert len(np.unique(rows("same", "different"), axis=0)) == 1
    with pytest.raises(GraphError, match="inside a vmap"):
        rows("error", "same")


def test_what_is_drawn_on_the_host_is_refused_in_a_vmap() -> None:
    with pytest.raises(GraphError, match="randn: inside a vmap it draws once"):
        ag.vmap(lambda a: a + ag.randn((2,)), randomness="different")(ag.ones((3, 2)))
    seeded = ag.vmap(lambda a: a * 0 + ag.rand((2,), seed=3))(ag.ones((3, 2))).to_host()
    assert np.array_equal(seeded[0], seeded[2])
