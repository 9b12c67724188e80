"""Conditions behind `where`, sizes that follow from the caller's numbers, and the dtypes that formulas compute with."""

from __future__ import annotations

import math

import numpy as np
import pytest
from evaluated import compiled, value

from netcl import core
from netcl.core import DtypeError, KernelLanguageError, ShapeError
from netcl.kernels.library.registry import Catalogue

KEEP = compiled("op keep(x: float; p: float = 0.5) -> y where p > 0, p <= 1 { y = x * p; }")


@pytest.mark.parametrize("p", [0.5, 1.0, 1e-30, 0.999])
def test_a_number_within_its_bounds_is_taken(p: float) -> None:
    np.testing.assert_allclose(value(KEEP, np.ones(2), p=p), [p, p])
    assert KEEP(core.ones((1,)), p=p).to_host() == np.float32(p)


@pytest.mark.parametrize("p", [0.0, -0.5, 1.5, 1 + 1e-9, math.inf, math.nan])
def test_a_number_beyond_its_bounds_is_refused_with_the_bound_and_the_number(p: float) -> None:
    bound = "p <= 1" if p > 1 else "p > 0"
    with pytest.raises(ShapeError) as caught:
        KEEP(core.ones((2,)), p=p)
    assert str(caught.value) == f"keep: needs {bound}, but p is {p}"


def test_a_condition_may_use_any_function() -> None:
    op = compiled("op f(x: float; p: float) -> y where exp(p) < 2, floor(p) == p or p < 0.5 { y = x + p; }")
    assert op(core.ones((1,)), p=0.25).to_host() == 1.25
    with pytest.raises(ShapeError, match=r"f: needs exp\(p\) < 2, but p is 1"):
        op(core.ones((1,)), p=1)
    with pytest.raises(ShapeError, match=r"f: needs floor\(p\) == p or p < 0\.5, but p is 0\.6"):
        op(core.ones((1,)), p=0.6)


def test_a_size_may_follow_from_a_float() -> None:
    text = "op f(x[n]: float; scale: float) -> y[p] where p = int(size[n] * scale) { y = x[int(p / scale)]; }"
    op = compiled(text)
    x = np.array([1, 2, 3, 4], np.float32)
    assert op(core.from_host(x), scale=1.5).to_host().tolist() == [1, 1, 2, 3, 3, 4]
    assert op(core.from_host(x), scale=0.5).to_host().tolist() == [1, 3]


def test_a_condition_on_sizes_says_what_they_are() -> None:
    op = compiled("op f(x[n]: float; k: ints[2] = 3) -> y[p] where p = size[n], size[n] >= k[1] { y = x[p]; }")
    with pytest.raises(ShapeError, match=r"f: needs size\[n\] >= k\[1\], but size\[n\] is 2 and k\[1\] is 3"):
        op(core.ones((2,)))


def test_a_word_that_the_op_does_not_allow_fits_no_form() -> None:
    op = compiled('op f(x: float; m: word = "a") -> y where m == "a" or m == "b" { y = m == "a" ? x : -x; }')
    assert op(core.ones((1,)), m="b").to_host() == -1
    with pytest.raises(ValueError, match=r"f: m is 'c', but it must be 'a' or 'b'"):
        op(core.ones((1,)), m="c")


def test_a_misspelt_word_is_no_other_branch() -> None:
    text = """
    op f(x: float; m: word = "mean") -> y { y = m == "max" ? x * 2 : m == "sum" ? x * 3 : x; }
    op g(x: float; how: word) -> y { use y = f(x; m = how); }
    """
    catalogue = Catalogue()
    catalogue.load_text(text)
    for word, factor in {"mean": 1, "max": 2, "sum": 3}.items():
        assert catalogue["f"](core.ones((1,)), m=word).to_host() == factor
        assert catalogue["g"](core.ones((1,)), how=word).to_host() == factor
    for name in ("f", "g"):
        with pytest.raises(ValueError, match=rf"{name}: (m|how) is 'summ', but it must be 'mean', 'max' or 'sum'"):
            catalogue[name](core.ones((1,)), "summ")
    with pytest.raises(KernelLanguageError, match=r"f: m is 'men', but it must be 'mean', 'max' or 'sum'"):
        catalogue.load_text('op wrong(x: float) -> y { use y = f(x; m = "men"); }')


def test_where_one_word_is_named_all_others_are_the_other_branch() -> None:
    op = compiled('op f(x: float; m: word = "a") -> y { y = m == "a" ? x : -x; }')
    assert op(core.ones((1,)), m="b").to_host() == -1


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
def test_integers_stay_integers_until_they_are_divided(dtype: str) -> None:
    op = compiled("op f(x: number) -> (a, b, c, d) { a = x * 2 + 1; b = x / 2; c = x // 2; d = x > 2; }")
    a, b, c, d = op(core.from_host(np.array([1, 3, 7], dtype)))
    assert [each.dtype.name for each in (a, b, c, d)] == [dtype, "float32", dtype, "bool"]
    assert [each.to_host().tolist() for each in (a, b, c, d)] == [
        [3, 7, 15],
        [0.5, 1.5, 3.5],
        [0, 1, 3],
        [False, True, True],
    ]


def test_a_float_literal_makes_floats_of_integers_and_none_of_doubles() -> None:
    op = compiled("op f(x: number) -> y { y = x * 0.5; }")
    given = {"int32": "float32", "bool": "float32", "float16": "float16", "float32": "float32", "float64": "float64"}
    for dtype, expected in given.items():
        found = op(core.from_host(np.array([1, 0, 1], dtype)))
        assert (found.dtype.name, found.to_host().tolist()) == (expected, [0.5, 0, 0.5]), dtype


def test_bools_add_up_as_integers_and_integer_operands_refuse_floats() -> None:
    op = compiled("op f(m: bool, i: int) -> y { y = m + i; }")
    bools, integers = core.from_host(np.array([True, False])), core.from_host(np.array([2, 3], np.int32))
    assert op(bools, integers).to_host().tolist() == [3, 3]
    with pytest.raises(DtypeError, match="f: i must hold integers, but it is float32; convert it with astype"):
        op(bools, core.ones((2,)))


def test_halves_are_stored_and_computed_with_as_floats() -> None:
    op = compiled("op f(x[n]: float) -> (t[], y[n]) { t = sum[n](x); y = x * 3 - x * 2.9990234375; }")
    x = np.full(4096, 0.1, np.float16)
    total, difference = op(core.from_host(x))
    assert total.dtype.name == difference.dtype.name == "float16"
    assert total.to_host() == np.float16(x.astype(np.float64).sum()), "a sum in float16 would stop at 256"
    np.testing.assert_array_equal(
        difference.to_host(), (x.astype(np.float32) * np.float32(0.0009765625)).astype(np.float16)
    )
