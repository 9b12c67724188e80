"""Transforms of functions on the device: closed forms, trees, arguments, auxiliary results, Jacobians both ways."""

from __future__ import annotations

import array
import dataclasses
from typing import Any, NamedTuple

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core
from netcl.autograd.transforms import trees
from netcl.core import GraphError, ShapeError
from netcl.core.errors import DtypeError

A = np.array([[1.0, 2.0], [3.0, 5.0], [-1.0, 0.5]])
X = np.array([0.5, -1.5])


def place(array: Any) -> Any:
    return core.from_host(np.asarray(array, np.float64))


def same(found: Any, expected: Any, tolerance: float = 1e-12) -> None:
    np.testing.assert_allclose(found.to_host(), expected, rtol=tolerance, atol=tolerance)


def quadratic(x: Any) -> Any:
    """|A x|^2 / 2: its gradient is A^T A x, its Hessian A^T A."""
    y = ag.matmul(place(A), x)
    return (y * y).sum() * 0.5


def field(x: Any) -> Any:
    """sin(A x) * x[0], of shape (3,)."""
    return ag.sin(ag.matmul(place(A), x)) * x[0]


def jacobian_of_field(x: Any) -> Any:
    inner = A @ x
    jacobian = np.cos(inner)[:, None] * A * x[0]
    jacobian[:, 0] += np.sin(inner)
    return jacobian


@pytest.mark.promise("P41")
def test_products_of_derivatives_are_those_of_the_closed_form() -> None:
    x, v, u = place(X), place([0.3, 2.0]), place([1.0, -2.0, 0.5])
    jacobian = jacobian_of_field(X)
    same(ag.jvp(field, x, v)[1], jacobian @ v.to_host())
    same(ag.vjp(field, x, u)[1], u.to_host() @ jacobian)
    for product in (ag.hvp, ag.vhp):
        value, found = product(quadratic, x, v)
        same(value, 0.5 * ((A @ X) ** 2).sum())
        same(found, A.T @ A @ v.to_host())
    same(ag.grad(quadratic)(x), A.T @ A @ X)
    _, push = ag.linearize(field, x)
    same(push(v), jacobian @ v.to_host())


@pytest.mark.parametrize("vectorize", [True, False], ids=["vectorized", "loop"])
def test_jacobians_and_hessians_by_every_way_are_the_closed_form(vectorize: bool) -> None:
    x = place(X)
    for found in (
        ag.jacobian(field, x, vectorize=vectorize),
        ag.jacrev(field, vectorize=vectorize)(x),
        ag.jacfwd(field, vectorize=vectorize)(x),
    ):
        same(found, jacobian_of_field(X))
    same(ag.hessian(quadratic, x, vectorize=vectorize), A.T @ A)


def test_a_hessian_is_any_nesting_of_jacobians() -> None:
    def cubic(x: Any) -> Any:
        return (x * x * x).sum() + x[0] * x[1]

    expected = np.diag(6 * X) + np.array([[0, 1], [1, 0]])
    for outer in (ag.jacfwd, ag.jacrev):
        for inner in (ag.jacfwd, ag.jacrev):
            same(outer(inner(cubic))(place(X)), expected)


@pytest.mark.promise("L25")
def test_forward_and_reverse_jacobians_agree_in_single_precision() -> None:
    random = np.random.default_rng(0)
    w, x = (core.from_host(random.standard_normal(shape).astype(np.float32)) for shape in ((4, 3), (2, 3)))

    def layer(w: Any, x: Any) -> Any:
        return ag.softmax(ag.linear(x, w)) @ w

    forward = ag.jacfwd(layer, argnums=(0, 1))(w, x)
    reverse = ag.jacrev(layer, argnums=(0, 1))(w, x)
    assert [each.shape for each in forward] == [(2, 3, 4, 3), (2, 3, 2, 3)]
    for one, other in zip(forward, reverse, strict=True):
        np.testing.assert_allclose(one.to_host(), other.to_host(), rtol=1e-5, atol=1e-5)


def test_jacobians_of_scalars_and_of_nothing_have_the_right_shapes() -> None:
    assert ag.jacrev(lambda x: x * x)(place(3.0)).item() == ag.jacfwd(lambda x: x * x)(place(3.0)).item() == 6
    for jacobian in (ag.jacrev, ag.jacfwd):
        assert jacobian(lambda x: x.sum())(place([1.0, 2.0])).shape == (2,)
        assert jacobian(lambda x: x * 2.0)(place(np.ones((0, 2)))).shape == (0, 2, 0, 2)
        same(jacobian(lambda x: place([1.0]))(place(X)), np.zeros((1, 2)))


# --- arguments --------------------------------------------------------------------------------------------------------


def loss(params: Any, x: Any, scale: float = 1.0) -> Any:
    w, b = params["layers"][0]
    return ((ag.matmul(x, w) + b) ** 2).sum() * (params["gain"] * scale)


def params() -> dict[str, Any]:
    return {"layers": [(place(A.T), place(np.ones(3)))], "gain": place(2.0), "nothing": None}


@pytest.mark.promise("F14")
def test_gradients_come_as_the_tree_of_the_parameters() -> None:
    x = place(np.array([[1.0, 2.0]]))
    value, gradients = ag.value_and_grad(loss)(params(), x, scale=3.0)
    out = np.array([[1.0, 2.0]]) @ A.T + 1
    same(value, (out**2).sum() * 6)
    assert list(gradients) == ["layers", "gain", "nothing"]
    assert isinstance(gradients["layers"][0], tuple)
    same(gradients["layers"][0][1], (2 * out * 6)[0])
    same(gradients["gain"], (out**2).sum() * 3)
    assert gradients["nothing"] is None


def test_argnums_may_be_one_or_several_and_count_from_the_end() -> None:
    x = place(np.array([[1.0, 2.0]]))
    one = ag.grad(loss, argnums=1)(params(), x)
    same(ag.grad(loss, argnums=-1)(params(), x), one.to_host())
    both = ag.grad(loss, argnums=(1, 0))(params(), x)
    assert isinstance(both, tuple)
    same(both[0], one.to_host())
    with pytest.raises(GraphError, match="argnums is 2, but there are 2 arguments by position"):
        ag.grad(loss, argnums=2)(params(), x)
    with pytest.raises(GraphError, match="argnums by name"):
        ag.grad(loss, 1)


def test_auxiliary_results_are_handed_on() -> None:
    def fn(x: Any) -> Any:
        return (x * x).sum(), {"double": x * 2.0, "text": "kept"}

    x = place(X)
    (value, aux), gradient = ag.value_and_grad(fn, has_aux=True)(x)
    assert aux["text"] == "kept"
    assert isinstance(aux["double"], core.Tensor)
    same(aux["double"], 2 * X)
    assert ag.grad(fn, has_aux=True)(x)[1]["text"] == "kept"
    for transform in (ag.jacrev, ag.jacfwd):
        found, aux = transform(fn, has_aux=True)(x)
        same(found, 2 * X)
        same(aux["double"], 2 * X)
    assert ag.vjp(fn, x, has_aux=True)[2]["text"] == "kept"
    assert isinstance(ag.jvp(fn, x, x, has_aux=True)[2]["double"], core.Tensor)
    assert ag.linearize(fn, x, has_aux=True)[2]["text"] == "kept"
    same(value, (X**2).sum())
    same(gradient, 2 * X)
    with pytest.raises(GraphError, match="value_and_grad: with has_aux the function must return a pair"):
        ag.value_and_grad(quadratic, has_aux=True)(x)


def test_outputs_may_be_trees() -> None:
    def fn(x: Any) -> Any:
        return {"square": x * x, "parts": [x[0], x[1] * 3.0]}

    x, t = place(X), place([1.0, 2.0])
    outputs, tangents = ag.jvp(fn, x, t)
    same(tangents["square"], 2 * X * [1, 2])
    same(tangents["parts"][1], 6)
    back = ag.vjp(fn, x, {"parts": [place(1.0), place(2.0)], "square": place([1.0, 1.0])})[1]
    same(back, 2 * X + [1, 6])
    same(ag.jacfwd(fn)(x)["parts"][1], [0, 3])
    same(ag.jacrev(fn)(x)["parts"][1], [0, 3])
    with pytest.raises(ShapeError, match=r"vjp: the tree of output gradients is \[\*\], expected"):
        ag.vjp(fn, x, [place(1.0)])
    same(outputs["square"], X**2)


def test_floats_and_arrays_are_taken_as_tensors_and_integers_refused() -> None:
    assert ag.grad(lambda x: x * x)(3.0).item() == 6
    assert ag.grad(lambda x: (x * x).sum())(X).dtype == np.float64
    with pytest.raises(DtypeError, match="argument 0 is int, and only floats have a derivative"):
        ag.grad(lambda x: x * x)(3)


# --- history ----------------------------------------------------------------------------------------------------------


def test_results_are_plain_unless_they_depend_on_a_node_outside() -> None:
    x, w = place(X), ag.Node(place(X), True)
    for transform in (
        lambda: ag.vjp(quadratic, x)[1],
        lambda: ag.hvp(quadratic, x, x)[1],
        lambda: ag.hessian(quadratic, x),
        lambda: ag.jacfwd(field)(x),
    ):
        assert isinstance(transform(), core.Tensor)
    inner = ag.grad(lambda x: (x * x * w).sum())(x)
    same(ag.grad(inner.sum(), w), 2 * X)
    with ag.no_grad():
        assert isinstance(ag.grad(lambda x: (x * x * w).sum())(x), core.Tensor)
    assert isinstance(ag.jvp(lambda x: x * w, x, x, create_graph=False)[1], core.Tensor)


def test_a_hessian_is_a_function_like_a_jacobian() -> None:
    x, w = place([1.0, 2.0]), place([3.0, 4.0])
    same(ag.hessian(lambda x: (x * x * x).sum())(x), np.diag([6.0, 12.0]))
    same(ag.hessian(lambda x, w: (x * x * w).sum(), argnums=1)(x, w), np.zeros((2, 2)))
    same(ag.hessian(lambda x, w: (x * x * w).sum())(x, w=w), np.diag([6.0, 8.0]))


def test_an_hvp_is_differentiated_by_its_vector() -> None:
    v = ag.Node(place([1.0, 2.0]), True)
    _, product = ag.hvp(lambda x: (x * x * x).sum(), place(X), v)
    same(ag.grad(product.sum(), v), 6 * X)


# --- trees ------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Affine:
    w: Any
    b: Any
    name: str = dataclasses.field(default="affine", metadata={"static": True})


class Ring:
    def __init__(self, inner: Any, sides: int) -> None:
        self.inner, self.sides = inner, sides


ag.register_tree(
    Ring, lambda ring: ({"inner": ring.inner}, ring.sides), lambda values, rest: Ring(values["inner"], rest)
)


def test_dataclasses_and_registered_classes_are_trees() -> None:
    model = Affine(place([2.0, 3.0]), [place([1.0, 1.0]), None], "first")

    def loss(model: Affine, ring: Ring) -> Any:
        assert model.name == "first"
        return (model.w * model.w * ring.inner + model.b[0]).sum() * ring.sides

    of_model, of_ring = ag.grad(loss, argnums=(0, 1))(model, Ring(place([1.0, 2.0]), 3))
    assert (type(of_model), of_model.name, type(of_ring), of_ring.sides) == (Affine, "first", Ring, 3)
    same(of_model.w, 3 * 2 * np.array([2.0, 6.0]))
    same(of_model.b[0], [3.0, 3.0])
    same(of_ring.inner, 3 * np.array([4.0, 9.0]))
    structure = trees.flatten(model)[1]
    assert structure.paths() == [".w", ".b[0]"]
    assert repr(structure) == "Affine(w=*, b=[*, None])"
    assert structure != trees.flatten(Affine(model.w, model.b, "second"))[1]
    rows = ag.vmap(lambda model: (model.w * model.b).sum())(Affine(place(np.ones((3, 2))), place(np.ones((3, 2)))))
    same(rows, [2.0, 2.0, 2.0])
    jitted = ag.jit(loss)
    same(jitted(model, Ring(place([1.0, 2.0]), 3)), loss(model, Ring(place([1.0, 2.0]), 3)))


@dataclasses.dataclass
class Net:
    w: Any
    b: Any
    act: str = "tanh"
    depth: int = 2
    bias: bool = True


def net(w: Any, b: Any, act: Any = None, depth: Any = None, bias: Any = None) -> Net:
    return Net(w, b, act, depth, bias)


def loss_of(net: Net) -> Any:
    assert (net.act, net.depth, net.bias) == ("tanh", 2, True)
    return (getattr(ag, net.act)(net.w * net.b) ** net.depth).sum()


def test_what_is_no_number_in_a_tree_stays_and_has_no_gradient() -> None:
    w, b = np.array([0.5, -0.25]), np.array([2.0, 3.0])
    t, model = np.tanh(w * b), Net(place(w), place(b))
    slope = 2 * t * (1 - t * t)
    for found in (
        ag.grad(loss_of)(model),
        ag.value_and_grad(loss_of)(model)[1],
        ag.vjp(loss_of, model)[1],
        ag.pullback(loss_of, model)[1](),
        ag.jacrev(loss_of)(model),
        ag.jacfwd(loss_of)(model),
        ag.jit(ag.grad(loss_of))(model),
    ):
        same(found.w, slope * b)
        same(found.b, slope * w)
        assert (found.act, found.depth, found.bias) == (None, None, None)
    listed = ag.grad(lambda parts: parts[1](parts[0]["w"] * 3.0).sum())([{"w": place(w)}, ag.sin])
    same(listed[0]["w"], 3 * np.cos(3 * w))
    assert listed[1] is None


def test_tangents_and_second_derivatives_of_a_tree_with_more_than_numbers() -> None:
    w, b = np.array([0.5, -0.25]), np.array([2.0, 3.0])
    t, model = np.tanh(w * b), Net(place(w), place(b))
    due = (2 * t * (1 - t * t) * b).sum()
    for tangents in (Net(place([1.0, 1.0]), place([0.0, 0.0])), net(place([1.0, 1.0]), place([0.0, 0.0]))):
        same(ag.jvp(loss_of, model, tangents)[1], due)
        same(ag.linearize(loss_of, model)[1](tangents), due)
        second = 2 * (1 - t * t) * (1 - 3 * t * t) * b * b
        for product in (ag.hvp(loss_of, model, tangents)[1], ag.vhp(loss_of, model, tangents)[1]):
            same(product.w, second)
            assert product.act is None
        rows = ag.hessian(loss_of)(model)
        same(rows.w.w, np.diag(second))
        assert rows.act is None
        assert rows.w.act is None
    value, along = ag.jvp(lambda m: dataclasses.replace(m, w=m.w * m.b), model, tangents)
    assert (value.act, along.act, along.bias) == ("tanh", None, None)


def test_a_batch_of_a_tree_has_the_rest_in_each_call() -> None:
    model = Net(place(np.ones((3, 2))), place(np.ones((3, 2))))
    same(ag.vmap(loss_of)(model), np.full(3, 2 * np.tanh(1.0) ** 2))
    doubled = ag.vmap(lambda m: dataclasses.replace(m, w=m.w * 2.0))(model)
    same(doubled.w, np.full((3, 2), 2.0))
    assert (doubled.act, doubled.depth) == ("tanh", 2)


def test_what_is_given_alone_or_might_be_a_number_is_refused_as_ever() -> None:
    x = place([1.0])
    with pytest.raises(DtypeError, match="argument 0 is str, and only floats have a derivative; close over it"):
        ag.grad(lambda x, act: x.sum(), argnums=1)(x, "tanh")
    with pytest.raises(
        DtypeError, match=r"argument 0\['n'\] is int, and only floats have a derivative; make it a float"
    ):
        ag.grad(lambda tree: tree["x"].sum() * tree["n"])({"x": x, "n": 2})
    with pytest.raises(ShapeError, match="argument 0 is a str and has no axis 0"):
        ag.vmap(lambda act: act)("tanh")


def test_several_tangents_or_gradients_are_one_tuple() -> None:
    x = place([2.0, 3.0])
    _, push = ag.linearize(lambda a, b: a * b, (x, x))
    same(push((x, x)), 2 * np.array([4.0, 9.0]))
    with pytest.raises(TypeError, match=r"linearize: .* several tangents are one tuple, \(\(da, db\)\)"):
        push(x, x)
    _, pull = ag.pullback(lambda a: (a, a * a), x)
    same(pull((x, x)), np.array([2.0, 3.0]) * (1 + 2 * np.array([2.0, 3.0])))
    with pytest.raises(TypeError, match=r"pullback: .* several output gradients are one tuple, \(\(u, v\)\)"):
        pull(x, x)


@pytest.mark.parametrize("foreign", [array.array("f", [1.0, 2.0]), memoryview(np.ones(2, np.float32))])
def test_arrays_of_others_are_refused_with_what_to_do(foreign: Any) -> None:
    said = (
        rf"is an? {type(foreign).__name__}; ag\.tensor\(x\) makes a Tensor of it, core\.from_dlpack one in its memory"
    )

    def square(tree: Any) -> Any:
        x = tree["x"] if isinstance(tree, dict) else tree
        return (x * x).sum()

    for call, name in (
        (ag.grad(square), "grad: argument 0"),
        (ag.value_and_grad(square), "value_and_grad: argument 0"),
        (lambda x: ag.vjp(square, x), "vjp: argument 0"),
        (lambda x: ag.jvp(square, x, x), "jvp: argument 0"),
        (lambda x: ag.pullback(square, x), "pullback: argument 0"),
        (lambda x: ag.linearize(square, x), "linearize: argument 0"),
        (ag.hessian(square), "hessian: argument 0"),
        (ag.jacfwd(square), "jacfwd: argument 0"),
        (ag.vmap(square), "vmap: argument 0"),
        (ag.jit(square), r"jit: args\[0\]"),
    ):
        with pytest.raises(DtypeError, match=f"{name} (of square )?{said}"):
            call(foreign)
        with pytest.raises(DtypeError, match=rf"{name}\['x'\] (of square )?{said}"):
            call({"x": foreign})


class Pair(NamedTuple):
    first: Any
    second: Any


def test_a_tree_is_taken_apart_and_put_together() -> None:
    tree = {"a": [1, (2, None)], "b": Pair(3, {})}
    leaves, structure = trees.flatten(tree)
    assert leaves == [1, 2, 3]
    assert structure.build(leaves) == tree
    assert isinstance(structure.build(leaves)["b"], Pair)
    assert structure.paths() == ["['a'][0]", "['a'][1][0]", "['b'][0]"]
    assert structure == trees.flatten(trees.mapped(str, tree))[1]
    assert repr(structure) == "{'a': [*, (*, None)], 'b': (*, {})}"
    assert trees.flatten({"x": 1, "y": 2})[1].flatten_as({"y": 5, "x": 4}, "it") == [4, 5]
    assert structure.spread({"a": 0, "b": None}, "it") == [0, 0, None]
    with pytest.raises(ShapeError, match=r"it is \(\*, \*\), expected"):
        structure.flatten_as((1, 2), "it")
    with pytest.raises(ShapeError, match=r"it: .* does not go with"):
        structure.spread([1, 2, 3], "it")


def test_a_pullback_goes_back_as_often_as_it_is_called() -> None:
    a, b = np.array([1.0, 2.0]), np.array([3.0, -1.0])
    outputs, pull = ag.pullback(lambda a, b: {"product": a * b, "sum": a.sum()}, (ag.tensor(a), ag.tensor(b)))
    assert outputs["sum"].item() == 3
    for seed, one in ((np.array([1.0, 0.0]), 1.0), (np.array([-2.0, 0.5]), 0.0)):
        by_a, by_b = pull({"product": ag.tensor(seed), "sum": ag.tensor(np.float64(one))})
        np.testing.assert_allclose(by_a.to_host(), seed * b + one)
        np.testing.assert_allclose(by_b.to_host(), seed * a)
    value, pull, aux = ag.pullback(lambda a: ((a**3).sum(), "kept"), ag.tensor(a), has_aux=True)
    assert (value.item(), aux) == (9, "kept")
    np.testing.assert_allclose(pull().to_host(), 3 * a**2)
    columns = ag.jacrev(lambda a: ag.pullback(lambda c: c**3, a)[1](ag.tensor(np.array([1.0, 2.0]))))(ag.tensor(a))
    np.testing.assert_allclose(columns.to_host(), np.diag(6 * a * [1, 2]))


def test_a_pullback_refuses_what_was_written_meanwhile() -> None:
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    _, pull = ag.pullback(lambda a: (a * a).sum(), x)
    with ag.no_grad():
        x.add_(1.0)
    with pytest.raises(GraphError, match="was changed in place after it was saved"):
        pull()
