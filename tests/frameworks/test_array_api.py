"""The array API on Tensors, beside array-api-strict; einops, which asks for it."""

from __future__ import annotations

import inspect
from typing import Any

import array_api_compat
import array_api_strict as strict
import einops
import einops.array_api
import numpy as np
import opt_einsum
import pytest
import torch
from array_api_page import STANDARD

from netcl import autograd as ag
from netcl import core
from netcl.kernels import array_api

Array = np.ndarray[Any, Any]
Call = tuple[str, tuple[Any, ...], dict[str, Any]]

random = np.random.default_rng(0)
F, G = random.normal(size=(2, 3, 4)), random.normal(size=(3, 1))
V, W = random.normal(size=6), random.integers(-3, 9, size=(2, 3))
B = random.random((2, 3)) > 0.5
POSITIVE = (np.abs(F) + 0.1, np.abs(G) + 0.1)

POINTWISE = (
    "abs acos acosh asin asinh atan atanh ceil conj cos cosh exp expm1 floor isfinite isinf isnan log log10 log1p log2 "
    "negative positive real reciprocal round sign signbit sin sinh sqrt square tan tanh trunc"
).split()
PAIRS = (
    "add atan2 copysign divide equal floor_divide greater greater_equal hypot less less_equal logaddexp maximum "
    "minimum multiply not_equal pow remainder subtract"
).split()
REDUCTIONS = ("sum", "prod", "max", "min", "mean", "std", "var")
AXES: list[dict[str, Any]] = [{}, {"axis": 1}, {"axis": -1, "keepdims": True}]

CALLS: list[Call] = [
    *((name, (0.4 * F,), {}) for name in POINTWISE),
    *((name, POSITIVE, {}) for name in PAIRS),
    *((name, (F,), each) for name in REDUCTIONS for each in [*AXES, {"axis": (0, 2)}]),
    *((name, (F,), each) for name in ("argmax", "argmin") for each in AXES),
    *((name, (given,), each) for name in ("all", "any") for given in (B, F, W) for each in AXES),
    *((name, (F,), each) for name in ("sort", "argsort") for each in ({}, {"axis": 0}, {"descending": True})),
    *((f"{kind}_{name}", (B, ~B), {}) for kind in ("logical", "bitwise") for name in ("and", "or", "xor")),
    *((name, (B,), {}) for name in ("logical_not", "bitwise_invert")),
    ("std", (F,), {"correction": 1, "axis": 0}), ("sum", (W,), {}), ("sum", (F,), {"dtype": "float32"}),
    ("prod", (W,), {"axis": 0}),
    *(("concat", ([F, F],), each) for each in ({}, {"axis": -1}, {"axis": None})), ("stack", ([F, F],), {"axis": 1}),
    ("reshape", (F, (4, 6)), {}), ("reshape", (F, (-1,)), {}), ("squeeze", (G,), {"axis": -1}),
    ("expand_dims", (F,), {"axis": 1}), ("expand_dims", (F,), {"axis": -1}), ("permute_dims", (F, (2, 0, 1)), {}),
    ("broadcast_to", (G, (2, 3, 4)), {}), *(("flip", (F,), each) for each in ({}, {"axis": 1}, {"axis": (0, 2)})),
    ("roll", (F, 1), {}), ("roll", (F, (1, 2)), {"axis": (0, 1)}), ("tile", (G, (2, 3)), {}),
    ("tile", (G, (2, 1, 3)), {}),
    ("repeat", (F, 2), {}), ("repeat", (F, 2), {"axis": 1}), ("clip", (F, -0.5, 0.5), {}), ("clip", (F,), {"min": 0.0}),
    ("clip", (F,), {"max": 0.0}), ("where", (B, W, 2 * W), {}), ("matmul", (F, np.swapaxes(F, 1, 2)), {}),
    ("matmul", (V, V), {}), ("tensordot", (F, F), {"axes": 3}), ("tensordot", (F, F), {"axes": ((1, 2), (1, 2))}),
    ("vecdot", (F, F), {}), ("vecdot", (F, F), {"axis": -2}), ("matrix_transpose", (F,), {}),
    ("take", (F, np.array([1, 0, 1])), {"axis": 1}), ("take_along_axis", (F, np.zeros((2, 1, 4), int)), {"axis": 1}),
    *(("cumulative_sum", (F,), each) for each in ({"axis": 1}, {"axis": 1, "include_initial": True})),
    ("cumulative_sum", (V,), {}), ("cumulative_prod", (F,), {"axis": 0}),
    ("cumulative_prod", (F,), {"axis": 0, "include_initial": True}),
    ("moveaxis", (F, 0, 2), {}), ("moveaxis", (F, (0, 1), (2, 0)), {}), ("tril", (F,), {}), ("triu", (F,), {"k": 1}),
    ("diff", (F,), {}), ("diff", (F,), {"axis": 0}), ("diff", (F,), {"n": 2}), ("diff", (F,), {"prepend": F[..., :1]}),
    ("count_nonzero", (W,), {}), ("count_nonzero", (W,), {"axis": 0}), ("unstack", (F,), {"axis": 1}),
    ("meshgrid", (V, V[:3]), {}), ("meshgrid", (V, V[:3]), {"indexing": "ij"}), ("meshgrid", (V, V[:3], V[:2]), {}),
    ("broadcast_arrays", (F, G), {}), ("isin", (W, W[0]), {}),
    ("searchsorted", (np.sort(V), np.append(V, 0)), {}), ("searchsorted", (np.sort(V), V), {"side": "right"}),
    ("searchsorted", (V, V), {"sorter": np.argsort(V)}),
]  # fmt: skip


def placed(value: Any, place: Any) -> Any:
    if isinstance(value, np.ndarray):
        return place(value)
    return [placed(each, place) for each in value] if isinstance(value, list) else value


def arrays(found: Any) -> list[Array]:
    return [np.asarray(each) for each in (found if isinstance(found, (tuple, list)) else [found])]


def called(module: Any, call: Call, place: Any) -> list[Array]:
    name, args, given = call
    kwargs = {key: getattr(module, value) if key == "dtype" else placed(value, place) for key, value in given.items()}
    return arrays(getattr(module, name)(*[placed(each, place) for each in args], **kwargs))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of numpy, outside of the domain of a function
@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call[0]}-{len(call[1])}-{'-'.join(map(str, call[2]))}")
def test_functions_are_those_of_the_standard(call: Call) -> None:
    due, found = called(strict, call, strict.asarray), called(array_api, call, core.from_host)
    assert [each.dtype for each in found] == [each.dtype for each in due]
    for one, other in zip(found, due, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-12)


def test_every_name_of_the_standard_is_here_or_says_why_not() -> None:
    names = [name for name in dir(strict) if name[0].islower() and "flags" not in name]
    absent = {name for name in names if not hasattr(array_api, name)}
    assert absent == {
        "bitwise_left_shift", "bitwise_right_shift", "complex128", "complex64", "imag", "int16", "int8", "nextafter",
        "nonzero", "uint16", "uint32", "uint64", "unique_all", "unique_counts", "unique_inverse", "unique_values",
    }  # fmt: skip
    for name in absent:
        with pytest.raises(AttributeError, match=r": (its shape|netcl|whole numbers)"):
            getattr(array_api, name)


def test_what_is_not_among_others_is_the_other_half() -> None:
    x, among = core.from_host(W), core.from_host(W[0])
    np.testing.assert_array_equal(array_api.isin(x, among, invert=True).to_host(), ~np.isin(W, W[0]))


@pytest.mark.parametrize("name", ["zeros", "ones", "empty"])
def test_arrays_are_made_as_the_standard_says(name: str) -> None:
    found = getattr(array_api, name)((2, 3), dtype=array_api.int32)
    assert (found.shape, found.dtype) == ((2, 3), core.int32)
    like = getattr(array_api, f"{name}_like")(found)
    assert (like.shape, like.dtype) == ((2, 3), core.int32)
    np.testing.assert_array_equal(array_api.eye(3, 4, k=1).to_host(), np.eye(3, 4, 1))
    np.testing.assert_allclose(array_api.linspace(0, 1, 4, endpoint=False).to_host(), [0, 0.25, 0.5, 0.75])
    assert array_api.full_like(found, 7).tolist() == [[7] * 3] * 2
    assert array_api.arange(1, 4).tolist() == [1, 2, 3]
    assert array_api.asarray(found) is found
    assert array_api.asarray([1.0, 2.0], dtype=array_api.float64).dtype == core.float64


def test_dtypes_are_told_apart_as_the_standard_says() -> None:
    names = "bool uint8 int32 int64 float32 float64".split()
    kinds = ["bool", "signed integer", "unsigned integer", "integral", "real floating", "numeric", ("integral", "bool")]
    for name in names:
        for kind in kinds:
            assert array_api.isdtype(getattr(array_api, name), kind) == strict.isdtype(getattr(strict, name), kind)
    assert array_api.result_type(core.float32, core.ones(2, dtype="float64")) == core.float64
    assert array_api.can_cast(core.int32, core.int64)
    assert not array_api.can_cast(core.float64, core.float32)
    assert array_api.finfo(core.float32).eps == np.finfo("f4").eps
    assert set(array_api.__array_namespace_info__().dtypes(kind="integral")) == {"int32", "int64", "uint8"}


def test_libraries_find_the_namespace() -> None:
    for x in (core.ones((2, 3)), ag.tensor(np.ones((2, 3)), requires_grad=True)):
        assert array_api_compat.array_namespace(x) is array_api
        assert x.__array_namespace__(api_version="2024.12") is array_api
        assert x.mT.shape == (3, 2)
    with pytest.raises(ValueError, match="not 2021"):
        core.ones(2).__array_namespace__(api_version="2021.12")


@pytest.mark.parametrize(
    ("pattern", "lengths"), [("a b c -> c (a b)", {}), ("a (b d) c -> a b d c", {"d": 3}), ("a b c -> b a c", {})]
)
def test_einops_rearranges_and_is_differentiated(pattern: str, lengths: dict[str, int]) -> None:
    node = ag.tensor(F, requires_grad=True)
    found = einops.array_api.rearrange(node, pattern, **lengths)
    due = einops.rearrange(F, pattern, **lengths)
    np.testing.assert_array_equal(np.asarray(found), due)
    (found * found).sum().backward()
    np.testing.assert_allclose(node.grad.to_host(), 2 * F)


@pytest.mark.parametrize("kind", ["sum", "mean", "max", "min", "prod"])
def test_einops_reduces_and_repeats(kind: str) -> None:
    x = core.from_host(F)
    np.testing.assert_allclose(
        einops.array_api.reduce(x, "a b c -> c a", kind).to_host(), einops.reduce(F, "a b c -> c a", kind)
    )
    np.testing.assert_array_equal(
        einops.array_api.repeat(x, "a b c -> a (r b) c", r=2).to_host(), einops.repeat(F, "a b c -> a (r b) c", r=2)
    )


@pytest.mark.parametrize("equation", ["ij,jk,kl->il", "ij,jk,ki->", "ij,kj->jik", "ij,jk,kl->li", "bij,bjk,kl->bil"])
def test_opt_einsum_contracts_and_is_differentiated(equation: str) -> None:
    rng = np.random.default_rng(0)
    lengths = dict(zip("bijkl", (2, 3, 4, 5, 3), strict=True)) | ({"k": 3} if equation.endswith("->") else {})
    arrays = [rng.standard_normal([lengths[each] for each in term]) for term in equation.split("->")[0].split(",")]
    nodes = [ag.tensor(array, requires_grad=True) for array in arrays]
    found = opt_einsum.contract(equation, *nodes, backend="netcl.autograd")
    np.testing.assert_allclose(found.to_host(), np.einsum(equation, *arrays), rtol=1e-12, atol=1e-12)
    found.sum().backward()
    leaves = [torch.tensor(array, requires_grad=True) for array in arrays]
    torch.einsum(equation, *leaves).sum().backward()
    for node, leaf in zip(nodes, leaves, strict=True):
        np.testing.assert_allclose(node.grad.to_host(), leaf.grad.numpy(), rtol=1e-12, atol=1e-12)


def test_the_page_lists_the_standard() -> None:
    listed = {name for names in STANDARD.values() for name in names.split()}
    functions = {name for name in strict.__all__ if inspect.isfunction(getattr(strict, name))}
    assert {name for name in functions if "array_api_strict" not in name and not name.startswith("__")} == listed
