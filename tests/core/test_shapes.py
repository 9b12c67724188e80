"""Arithmetic of shapes, axes and strides, against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netcl import core
from netcl.core import shapes

SHAPES = st.lists(st.sampled_from([0, 1, 2, 3]), max_size=4).map(tuple)


@given(st.lists(SHAPES, min_size=1, max_size=3))
def test_shapes_broadcast_exactly_as_in_numpy(several: list[tuple[int, ...]]) -> None:
    try:
        expected = np.broadcast_shapes(*several)
    except ValueError:
        with pytest.raises(core.ShapeError):
            shapes.broadcast(*several)
    else:
        assert shapes.broadcast(*several) == expected


def test_shapes_that_do_not_broadcast_are_both_named_with_the_axis() -> None:
    with pytest.raises(core.ShapeError, match=r"\(2, 3\) and \(4, 3\) do not broadcast: axis -2 is 2 .* 4"):
        shapes.broadcast((2, 3), (4, 3))


@given(SHAPES)
def test_contiguous_strides_are_those_of_numpy(shape: tuple[int, ...]) -> None:
    strides = shapes.contiguous_strides(shape)
    if 0 not in shape:
        assert strides == tuple(stride // 8 for stride in np.empty(shape).strides)
    assert shapes.is_contiguous(shape, strides)


@given(SHAPES, st.permutations(range(4)))
def test_a_permuted_view_is_contiguous_when_numpy_says_so(shape: tuple[int, ...], order: list[int]) -> None:
    axes = [axis for axis in order if axis < len(shape)]
    array = np.empty(shape).transpose(axes)
    strides = tuple(stride // 8 for stride in array.strides)
    assert shapes.is_contiguous(array.shape, strides) == array.flags.c_contiguous


@pytest.mark.parametrize(("axis", "ndim", "result"), [(0, 1, 0), (-1, 3, 2), (np.int64(1), 2, 1)])
def test_an_axis_counts_from_either_end(axis: int, ndim: int, result: int) -> None:
    assert shapes.normalize_axis(axis, ndim) == result


@pytest.mark.parametrize(("axis", "ndim", "words"), [(2, 2, "in -2..1"), (-3, 2, "in -2..1"), (0, 0, "no axes")])
def test_an_axis_that_does_not_exist_is_named_with_those_that_do(axis: int, ndim: int, words: str) -> None:
    with pytest.raises(core.ShapeError, match=f"axis {axis} does not exist.*{words}"):
        shapes.normalize_axis(axis, ndim)


def test_several_axes_come_sorted_and_none_means_all() -> None:
    assert shapes.normalize_axes((-1, 0), 3) == (0, 2)
    assert shapes.normalize_axes(None, 3) == (0, 1, 2)
    assert shapes.normalize_axes(1, 3) == (1,)
    assert shapes.normalize_axes((), 3) == ()


def test_an_axis_named_twice_is_refused() -> None:
    with pytest.raises(core.ShapeError, match="twice"):
        shapes.normalize_axes((0, -2), 2)


@pytest.mark.parametrize("shape", [(2, -1), (2.0, 3), "ab", -1])
def test_what_is_no_shape_is_refused(shape: object) -> None:
    with pytest.raises(core.ShapeError):
        shapes.canonical_shape(shape)  # type: ignore[arg-type]


@pytest.mark.parametrize(("shape", "result"), [(3, (3,)), ([2, 3], (2, 3)), ((np.int32(2),), (2,)), ((), ())])
def test_a_shape_may_be_a_number_or_any_sequence(shape: object, result: tuple[int, ...]) -> None:
    assert shapes.canonical_shape(shape) == result  # type: ignore[arg-type]


def test_the_span_of_a_view_covers_what_it_touches_and_no_more() -> None:
    assert shapes.element_span((2, 3), (3, 1), 4) == (4, 10)
    assert shapes.element_span((3,), (-2,), 4) == (0, 5)
    assert shapes.element_span((0, 3), (3, 1), 4) == (4, 4)
