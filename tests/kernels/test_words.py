"""Bytes go sixty-four at a time: what is left of a row, and what lies across the rows, comes out as in NumPy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from thorough import spread

from netcl import core, kernels
from netcl.kernels import ops
from netcl.kernels.library.op import Op
from netcl.kernels.runtime import launch

rng = np.random.default_rng(17)

LENGTHS = (0, 1, 15, 16, 63, 64, 65, 79, 80, 127, 128, 255, 256, 257, 1000, 70_001)
SHAPES = ((1, 64), (3, 65), (70, 3), (130, 131), (600, 70), (2, 1000), (5000, 64), (300, 1000))
ORDERED = {
    "maximum": np.maximum, "minimum": np.minimum, "eq": np.equal, "ne": np.not_equal, "lt": np.less,
    "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip
ARITHMETIC = {"add": np.add, "sub": np.subtract, "mul": np.multiply}
EXTREMES = {"amax": np.max, "amin": np.min, "any": np.any, "all": np.all}


def drawn(dtype: str, *shape: int) -> np.ndarray:
    values = rng.integers(0, 256, shape).astype(np.uint8)
    return values > 100 if dtype == "bool" else values


def same(found: core.Tensor, expected: np.ndarray) -> None:
    assert found.dtype.name == expected.dtype.name
    np.testing.assert_array_equal(found.to_host(), expected)


@pytest.mark.parametrize(("dtype", "length"), spread(["bool", "uint8"], LENGTHS))
@pytest.mark.sample(3)
def test_pointwise_formulas_of_bytes_are_those_of_numpy(dtype: str, length: int) -> None:
    a, b = drawn(dtype, length), drawn(dtype, length)
    x, y = core.from_host(a), core.from_host(b)
    for name, function in (ORDERED if dtype == "bool" else ORDERED | ARITHMETIC).items():
        same(getattr(ops, name)(x, y), function(a, b))
        if length:
            same(getattr(ops, name)(x, y[:1]), function(a, b[:1]))
    condition = drawn("bool", length)
    same(ops.where(core.from_host(condition), x, y), np.where(condition, a, b))
    same(ops.clone(x), a)
    other = "uint8" if dtype == "bool" else "bool"
    same(ops.astype(x, other), a.astype(other))


@pytest.mark.parametrize(("dtype", "shape"), spread(["bool", "uint8"], SHAPES), ids=str)
@pytest.mark.sample(2)
def test_extremes_of_bytes_are_those_of_numpy(dtype: str, shape: tuple[int, int]) -> None:
    a = drawn(dtype, *shape)
    x = core.from_host(a)
    for axis in (0, 1, None):
        for name, function in EXTREMES.items():
            same(getattr(ops, name)(x, axis=axis), np.asarray(function(a, axis=axis)))
        same(ops.argmax(x, axis=axis), np.asarray(a.argmax(axis)))
        same(ops.argmin(x, axis=axis), np.asarray(a.argmin(axis)))


@pytest.mark.parametrize("length", [65, 320, 70_001])
def test_one_byte_is_found_wherever_it_is(length: int) -> None:
    for at in (0, 62, 64, length // 2, length - 1):
        a = np.zeros(length, np.uint8)
        a[at] = 255
        x = core.from_host(a)
        assert ops.amax(x).item() == 255
        assert ops.argmax(x).item() == at
        assert ops.any(ops.eq(x, 255)).item()
        assert not ops.all(ops.lt(x, 255)).item()
        assert ops.amin(ops.sub(255, x)).item() == 0


@pytest.mark.parametrize("layout", [lambda a: a[:, 1:], lambda a: a[:, ::2], lambda a: a.T, lambda a: a[::-1]])
def test_views_of_bytes_are_read_where_they_lie(layout: Callable[[np.ndarray], np.ndarray]) -> None:
    a = drawn("uint8", 130, 131)
    x = layout(core.from_host(a))
    view = layout(a)
    same(ops.add(x, x), view + view)
    same(ops.amax(x, axis=0), view.max(0))
    same(ops.amax(x, axis=1), view.max(1))
    same(ops.eq(x, x[:1]), view == view[:1])
    same(ops.eq(x, x[:, :1]), view == view[:, :1])


def text_of(op: Op, *tensors: core.Tensor) -> str:
    call = op.bind(tensors, {})
    return launch.prepare(call.formula, call.operands, call.attributes).text


def test_only_what_is_bytes_throughout_is_taken_in_words() -> None:
    a = core.from_host(drawn("uint8", 100))
    wide = core.from_host(np.arange(100))
    assert "load_word" in text_of(ops.add, a, a)
    assert "load_word" in text_of(ops.amax, a)
    assert "load_word" not in text_of(ops.add, a, wide)
    assert "load_word" not in text_of(ops.sum, a)


RUNNING = {"any": np.logical_or, "all": np.logical_and, "max": np.maximum, "min": np.minimum}


@pytest.mark.parametrize("shape", [(1, 17), (4, 64), (33, 131), (5, 1000)], ids=str)
@pytest.mark.parametrize("kind", list(RUNNING))
@pytest.mark.sample(6)
def test_running_values_of_bytes_are_those_of_numpy(kind: str, shape: tuple[int, int]) -> None:
    dtype, of = ("bool", "bool") if kind in ("any", "all") else ("uint8", "number")
    b, asked = drawn(dtype, *shape), drawn("bool", shape[1])
    ends = {"<=": RUNNING[kind].accumulate(b, 0), ">=": RUNNING[kind].accumulate(b[::-1], 0)[::-1]}
    for sign, expected in ends.items():
        running = f"{kind}[r {sign} c](b[r, n])"
        op = kernels.compile(f"op f(b[c, n]: {of}) -> y[c, n] {{ y = {running}; }}").f
        same(op(core.from_host(b)), expected)
        op = kernels.compile(
            f"op f(b[c, n]: {of}, asked[n]: bool) -> y[c, n] {{ y = asked[n] ? {running} : b[c, n]; }}"
        ).f
        same(op(core.from_host(b), core.from_host(asked)), np.where(asked, expected, b))


def test_the_greater_of_chosen_bytes_is_that_of_numpy() -> None:
    a, b, c, asked = drawn("uint8", 67), drawn("uint8", 67), drawn("uint8", 67), drawn("bool", 67)
    operands = "a[n]: number, b[n]: number, c[n]: number, asked[n]: bool"
    op = kernels.compile(f"op f({operands}) -> y[n] {{ y = max(c, asked ? a : b); }}").f
    found = op(*(core.from_host(each) for each in (a, b, c, asked)))
    same(found, np.maximum(c, np.where(asked, a, b)))
