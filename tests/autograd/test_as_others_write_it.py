"""What people write who come from PyTorch, JAX and NumPy: it does the same here, or says what to write."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import netcl.autograd as ag
from netcl import core

X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def written(key: Any, value: Any) -> Any:
    x = ag.tensor(X)
    x[key] = value
    return x.to_host()


def as_array(key: Any) -> Any:
    return key.to_host() if isinstance(key, core.Tensor) else key


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (ag.tensor(X) > 2, 0.0), (ag.tensor(X) > 20, 0.0), (X > 2, 7), (np.array([True, False]), 7.0), ([1], 9.0),
        (core.from_host(np.array([1, 0])), X), (core.from_host(np.array([1])), 3.0),
        ((core.from_host(np.array([0, 1])), core.from_host(np.array([2, 0]))), np.array([7.0, 8.0])),
        (ag.tensor(X) > 2, np.array([10.0, 11.0, 12.0, 13.0])), (np.array([False, True]), np.array([7.0, 8.0, 9.0])),
    ],
    ids=str,
)  # fmt: skip
def test_masks_and_positions_are_written_as_numpy_writes_them(key: Any, value: Any) -> None:
    expected = X.copy()
    expected[tuple(map(as_array, key)) if isinstance(key, tuple) else as_array(key)] = value
    np.testing.assert_array_equal(written(key, value), expected)


@pytest.mark.parametrize("value", [20, 2], ids=["nothing", "something"])
def test_a_mask_beside_a_slice_is_refused_whatever_it_has(value: float) -> None:
    with pytest.raises(core.IndexOutOfRangeError, match="for the first axes alone"):
        written((slice(0, 1), X[0] > value), 1.0)


def test_what_is_written_at_a_mask_has_its_gradient() -> None:
    a = ag.tensor(X, requires_grad=True)
    y = a * 2.0
    y[y > 5] = a.sum()
    (y**2).sum().backward()
    masked = 2 * X > 5
    expected = np.where(masked, 0, 8 * X) + 2 * X.sum() * masked.sum()
    np.testing.assert_allclose(a.grad.to_host(), expected, rtol=1e-12)


def test_a_mask_is_written_in_a_traced_function() -> None:
    def clipped(x: Any) -> Any:
        x[x > 2] = 2.0
        return x * 3

    x = ag.tensor(X)
    np.testing.assert_array_equal(ag.jit(clipped)(x).to_host(), np.minimum(X, 2) * 3)
    np.testing.assert_array_equal(x.to_host(), np.minimum(X, 2))


def test_neighbouring_seeds_have_no_draws_in_common() -> None:
    means, drawn = [], set()
    for seed in range(40):
        core.manual_seed(seed)
        draws = [ag.normal(()).item() for _ in range(50)]
        drawn |= {*draws}
        means.append(np.mean(draws))
    assert len(drawn) > 0.999 * 40 * 50  # float32 has few enough values for one to come twice
    assert 0.7 < np.std(means, ddof=1) * 50**0.5 < 1.35
    core.manual_seed(0)
    assert ag.randn((4,)).tolist() != ag.randn((4,), seed=0).tolist()


def test_a_mask_of_floats_is_added_to_the_scores() -> None:
    q, k = ag.randn((2, 4, 8), seed=0, dtype=float), ag.randn((2, 5, 8), seed=1, dtype=float)
    bias = np.random.default_rng(2).normal(size=(4, 5))
    bias[:, 3] = -np.inf
    scores = np.einsum("bid,bjd->bij", q.to_host(), k.to_host()) / 8**0.5 + bias
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    expected = weights / weights.sum(-1, keepdims=True) @ k.to_host()
    found = ag.scaled_dot_product_attention(q, k, k, attn_mask=ag.tensor(bias))
    np.testing.assert_allclose(found.to_host(), expected, rtol=1e-5)
    hidden = ag.scaled_dot_product_attention(q, k, k, attn_mask=core.from_host(np.arange(5) != 3))
    assert np.isfinite(hidden.to_host()).all()


def test_attention_by_the_name_of_pytorch_has_its_order_and_drops_weights_as_dropout_does() -> None:
    q, k, v = (ag.randn((2, 4, 3), seed=seed) for seed in range(3))
    causal = ag.attention(q, k, v, causal=True).to_host()
    np.testing.assert_array_equal(ag.scaled_dot_product_attention(q, k, v, None, 0.0, True).to_host(), causal)
    np.testing.assert_array_equal(
        ag.scaled_dot_product_attention(q, k, v, None, 0, True, 0.5).to_host(),
        ag.attention(q, k, v, True, scale=0.5).to_host(),
    )
    q, one = ag.tensor(np.zeros((1, 50, 2)), requires_grad=True), core.from_host(np.eye(50)[None])
    core.manual_seed(5)
    dropped = ag.scaled_dot_product_attention(q, ag.zeros((1, 50, 2), dtype="float64"), one, dropout_p=0.25)
    core.manual_seed(5)  # of weights 1 / 50 each, v here has the place that each goes to
    weights = ag.dropout(ag.full((1, 50, 50), 0.02, dtype="float64"), 0.25)
    np.testing.assert_allclose(dropped.to_host(), weights.to_host(), rtol=1e-12)
    assert 0.2 < (weights.to_host() == 0).mean() < 0.3
    dropped.sum().backward()
    assert q.grad is not None
    [every] = ag.scaled_dot_product_attention(q, q, one, None, 1.0).to_host()
    assert not every.any()


def test_what_is_no_flag_is_not_taken_for_one() -> None:
    x = ag.ones((1, 2, 4, 4))
    attended = ag.scaled_dot_product_attention
    for wrong in (0.0, "no", 1, None):
        with pytest.raises(core.DtypeError, match=f"is_causal must be True or False, but it is {wrong!r}"):
            attended(x, x, x, is_causal=wrong)
    for wrong in ({"scale": True}, {"dropout_p": True}, {"dropout_p": False}):
        with pytest.raises(core.DtypeError, match=r"must be a number, but it is (True|False); behind q, k and v stand"):
            attended(x, x, x, **wrong)
    with pytest.raises(core.ShapeError, match="dropout_p must lie between 0 and 1, but it is 2"):
        attended(x, x, x, dropout_p=2)
    with pytest.raises(core.DtypeError, match="batch_norm: training must be True or False, but it is 'no'"):
        ag.batch_norm(x, training="no")
    with pytest.raises(core.DtypeError, match="gumbel_softmax: hard must be True or False, but it is 'no'"):
        x.gumbel_softmax(1.0, "no")
    with pytest.raises(core.DtypeError, match="align_corners must be True or False or None, but it is 'no'"):
        ag.interpolate(x, size=(2, 2), mode="bilinear", align_corners="no")
    assert attended(x, x, x, is_causal=np.bool_(True)).shape == x.shape


def test_a_dict_of_another_class_comes_back_as_one() -> None:
    p = ag.tensor(X, requires_grad=True)
    for tree in (OrderedDict(a=p), defaultdict(list, a=p), {"a": p}):
        found = ag.grad(lambda tree: (tree["a"] ** 2).sum())(tree)
        assert type(found) is type(tree)
        np.testing.assert_array_equal(found["a"].to_host(), 2 * X)
    assert found is not tree


@pytest.mark.parametrize("like", [ag.randn_like, ag.rand_like])
def test_random_numbers_like_a_tensor(like: Callable[..., Any]) -> None:
    for x in (ag.tensor(X), ag.tensor(X, requires_grad=True)):
        found = like(x, seed=3)
        assert (found.shape, found.dtype) == (x.shape, x.dtype)
        assert found.tolist() == like(x, seed=3).tolist() != like(x, seed=4).tolist()


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: ag.dropout(ag.tensor(X), 0.5, True), "seed must be a whole number, but it is True"),
        (lambda: ag.randn((2,), seed=1.5), "seed must be a whole number, but it is 1.5"),
        (lambda: core.manual_seed(False), "seed must be a whole number, but it is False"),
        (lambda: ag.binary_cross_entropy, "there is no op 'binary_cross_entropy'; it is bce_loss"),
        (lambda: ag.mm, r"there is no op 'mm'; it is matmul\(a, b\), a @ b"),
        (lambda: ag.bincount, r"there is no op 'bincount'; np.bincount takes x.to_host\(\)"),
        (lambda: ag.quantile, "there is no op 'quantile'; .* np.quantile takes"),
        (lambda: ag.pairwise_distance, r"'pairwise_distance'; it is norm\(a - b, axis=-1\)"),
        (lambda: ag.optim.clip_grad_norm_, "no attribute 'clip_grad_norm_'; it is clip_grad_norm"),
        (lambda: ag.optim.Adamm, "no attribute 'Adamm'; did you mean Adam"),
        (lambda: ag.tensor(X).data, "which x.sub_"),
    ],
)
def test_the_sentence_says_what_to_write(call: Callable[[], Any], sentence: str) -> None:
    with pytest.raises((TypeError, AttributeError, core.NetclError), match=sentence):
        call()


def test_batch_norm_in_the_order_of_pytorch_is_refused_with_the_order() -> None:
    x, mean, variance = ag.randn((4, 3), seed=0), ag.zeros(3), ag.ones(3)
    w, b = (ag.ones(3, requires_grad=True) for _ in range(2))
    order = "the order is x, w, b, running_mean, running_var, training"
    for norm in (ag.batch_norm, lambda x, *rest: ag.batch_norm2d_relu(x.reshape(2, 3, 2, 1), *rest)):
        for training in (False, True):
            with pytest.raises(core.GraphError, match=f"running_mean requires a gradient, .*{order}"):
                norm(x, mean, variance, w, b, training)
            with pytest.raises(core.GraphError, match="running_var requires a gradient"):
                norm(x, w, None, mean, b, training)
        with pytest.raises(core.ShapeError, match=f"needs running_mean and running_var; {order}"):
            norm(x, mean, variance, None, None, False)
        with pytest.raises(core.DtypeError, match="momentum must be a number, but it is None; for the mean over all"):
            norm(x, w, b, mean, variance, True, None)
    assert mean.tolist() == [0, 0, 0]


def test_batch_norm_of_nothing_leaves_the_running_statistics_and_one_value_per_channel_is_refused() -> None:
    mean, variance = core.from_host([1.0, 2.0, 3.0]), core.from_host([4.0, 5.0, 6.0])
    assert ag.batch_norm(core.zeros((0, 3)), None, None, mean, variance).shape == (0, 3)
    assert (mean.tolist(), variance.tolist()) == ([1, 2, 3], [4, 5, 6])
    with pytest.raises(core.ShapeError, match=r"batch_norm: x \(1, 3\) has one value for each channel"):
        ag.batch_norm(core.zeros((1, 3)), None, None, mean, variance)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("of_floats", [False, True])
@pytest.mark.sample(2)
def test_a_row_that_may_look_at_nothing_gives_zeros_and_no_gradient(dtype: str, of_floats: bool) -> None:
    seen = np.tril(np.ones((4, 4), bool)) & np.array([False, False, True, True])
    mask = np.where(seen, 0.0, -np.inf).astype(dtype) if of_floats else seen
    random = np.random.default_rng(0)
    q, k, v = (ag.tensor(random.normal(size=(2, 4, 3)), requires_grad=True, dtype=dtype) for _ in range(3))
    y = ag.scaled_dot_product_attention(q, k, v, attn_mask=core.from_host(mask))
    assert y.tolist()[0][:2] == [[0, 0, 0], [0, 0, 0]]
    lower = ag.attention(q[:, 2:], k, v, mask=core.from_host(mask[2:]))
    np.testing.assert_array_equal(y.to_host()[:, 2:], lower.to_host())
    (y * y).sum().backward()
    assert all(np.isfinite(each.grad.to_host()).all() for each in (q, k, v))
    assert not q.grad.to_host()[:, :2].any()


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("relu_", "x = x.relu(...), or x.assign_(x.relu(...)) under no_grad()"), ("clamp_", "x = x.clamp(...)"),
        ("unsqueeze_", "x = x.unsqueeze(...), or x.assign_(x.unsqueeze(...)) under no_grad()"),
        ("pow_", "x = x ** y"), ("normal_", "assign_(ag.normal(x.shape))"), ("detach_", "x = x.detach()"),
        ("new_zeros", "core.zeros(shape, dtype=x.dtype)"), ("new_full", "core.full(shape, value, x.dtype)"),
    ],
)  # fmt: skip
def test_a_method_of_pytorch_that_writes_says_what_does_the_same(name: str, instead: str) -> None:
    for x in (ag.tensor(X), ag.tensor(X, requires_grad=True)):
        with pytest.raises(AttributeError) as found:
            getattr(x, name)
        assert str(found.value).endswith(f"has no attribute {name!r}; here it is {instead}")
    with pytest.raises(AttributeError, match="has no attribute 'rleu_'; did you mean"):
        ag.tensor(X).rleu_  # noqa: B018


def test_what_is_said_instead_does_what_pytorch_does() -> None:
    x = ag.tensor([0.5, 2.0], requires_grad=True)
    h = x * 1
    h = h.clamp(0, 1)
    (h**3).sum().backward()
    np.testing.assert_allclose(x.grad.to_host(), [0.75, 0])  # type: ignore[union-attr]
    y = ag.tensor([1.0, 2.0])
    assert y.assign_(ag.normal(y.shape)) is y
    assert core.full((2,), 3.0, y.dtype).tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("indices", "; here it is argmax(axis) or argmin(axis) of what max or min was taken of"),
        ("values", "; here it is the value itself: max, min and median along an axis give values alone"),
        ("type_as", "; here it is astype(other.dtype)"),
        ("unique", "; np.nonzero, np.unique and their like take x.to_host()"),
        ("bincount", "; np.bincount takes x.to_host()"),
        ("index_fill", "; y = clone(x), then y[key] = v"),
        ("diag", "; diagonal takes it, diag_embed makes a matrix of it"),
        ("quantile", "; sort(x)[0] has it"),
        ("sofmax", "; did you mean softmax"),
    ],
)
def test_a_value_knows_what_functions_of_other_libraries_are_here(name: str, instead: str) -> None:
    for x in (ag.tensor(X), ag.tensor(X, requires_grad=True)):
        with pytest.raises(AttributeError) as found:
            getattr(x, name)
        assert f"has no attribute {name!r}{instead}" in str(found.value)


@pytest.mark.parametrize("name", ["indexes", "quantify", "uniqueness"])
def test_an_attribute_is_proposed_only_to_a_name_that_is_near_it(name: str) -> None:
    with pytest.raises(AttributeError) as found:
        getattr(ag.tensor(X), name)
    assert str(found.value) == f"'Tensor' object has no attribute {name!r}"


@pytest.mark.parametrize(("name", "instead"), [("Parameter", "ag.tensor"), ("Module", "a function of its parameters")])
def test_classes_of_pytorch_say_what_takes_their_place(name: str, instead: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{name}': .*{instead}"):
        getattr(ag, name)


def test_a_tied_weight_has_a_gradient_at_each_place_of_a_functional_tree() -> None:
    def f(p: Any) -> Any:
        return p["a"] * p["b"] ** 2

    w = ag.tensor(3.0, requires_grad=True)
    tied = {"a": w, "b": w}
    f(tied).backward()
    parts = ag.grad(f)(tied)
    assert (parts["a"].item(), parts["b"].item(), w.grad.item()) == (9, 18, 27)


def test_where_as_a_method_keeps_x_where_the_condition_holds() -> None:
    for x in (ag.tensor(X), core.from_host(X)):
        found = x.where(x > 2, 0.0)
        np.testing.assert_array_equal(found.to_host(), np.where(X > 2, X, 0.0))
        assert found.dtype == np.float64
        with pytest.raises(core.DtypeError, match=r"keeps x where the condition holds, but the condition is a"):
            (x > 2).where(x, 0.0)


@pytest.mark.parametrize(("padding_idx", "row"), [(-1, 4), (-5, 0), (3, 3), (0, 0), (None, None)])
def test_the_row_for_padding_may_count_from_the_end_and_has_no_gradient(padding_idx: Any, row: Any) -> None:
    table = ag.tensor(np.ones((5, 2)), requires_grad=True)
    ag.embedding(table, ag.tensor(np.arange(5)), padding_idx=padding_idx).sum().backward()
    expected = np.ones((5, 2))
    expected[[] if row is None else row] = 0
    np.testing.assert_array_equal(table.grad.to_host(), expected)  # type: ignore[union-attr]
    for beyond in (5, -6):
        with pytest.raises(core.IndexOutOfRangeError, match=f"padding_idx {beyond} is out of range"):
            ag.embedding(table, ag.tensor(np.arange(5)), padding_idx=beyond)


@pytest.mark.parametrize("into", ["float16", "float32", "float64", "int32", "int64", "uint8", "bool"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool"])
def test_what_is_written_takes_the_dtype_that_is_there_unless_a_fraction_would_be_lost(into: str, dtype: str) -> None:
    values = np.array([0, 1.75, 2.5, 3]).astype(dtype)
    for key in (slice(None), slice(1, 3), np.array([3, 0, 2, 1]), np.array([True, True, True, True])):
        expected = np.zeros(4, into)
        expected[key] = values[: len(expected[key])]
        given = ag.tensor(values[: len(expected[key])])
        ways = (
            lambda x, y, key=key: x.__setitem__(key, y),
            ag.jit(lambda x, y, key=key: x.__setitem__(key, y)),
            lambda x, y, key=key: x.assign_(y) if key == slice(None) else x.__setitem__(key, y),
        )
        for write in ways[: 2 + isinstance(key, slice)]:
            x = ag.tensor(np.zeros(4, into))
            if "float" in dtype and "float" not in into:
                with pytest.raises(core.DtypeError, match=f"is {dtype}, but x is {into}"):
                    write(x, given)
                expected = np.zeros(4, into)
            else:
                write(x, given)
            np.testing.assert_array_equal(x.to_host(), expected)


def test_a_gradient_goes_through_a_write_of_another_dtype() -> None:
    def f(x: Any) -> Any:
        y = x.astype("float32") * 0
        y[1] = x[1] * x[1]
        y[0:1].assign_(x[2] * 3)
        return (y * y).sum()

    x = np.array([1.0, 2.0, 3.0])
    expected = np.array([0, 4 * x[1] ** 3, 18 * x[2]])
    np.testing.assert_allclose(ag.grad(f)(ag.tensor(x)).to_host(), expected, rtol=1e-6)
