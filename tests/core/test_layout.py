"""Tensors that kernels treat alike have one layout object in common."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from netcl import core


def test_tensors_that_are_alike_have_one_layout() -> None:
    assert core.zeros((2, 3)).layout is core.ones((2, 3)).layout


@pytest.mark.parametrize(
    "other",
    [
        lambda: core.zeros((3, 2)),
        lambda: core.zeros((2, 3), "float64"),
        lambda: core.zeros((2, 3), queue=core.Queue()),
        lambda: core.zeros((2, 3)).alias((2, 3), (1, 2), 0),
    ],
    ids=["shape", "dtype", "queue", "strides"],
)
def test_tensors_that_differ_in_what_kernels_depend_on_have_not(other: object) -> None:
    assert other().layout is not core.zeros((2, 3)).layout  # type: ignore[operator]


def test_views_at_other_places_have_the_same_layout() -> None:
    whole = core.zeros(10)
    first, second = whole.alias((4,), (1,), 0), whole.alias((4,), (1,), 6)
    assert first.layout is second.layout
    assert (first.offset, second.offset) == (0, 6)


def test_a_layout_says_what_tensors_say() -> None:
    tensor = core.from_host(np.zeros((4, 1, 5), np.int32))
    layout = tensor.layout
    assert (layout.shape, layout.strides, layout.size) == ((4, 1, 5), (5, 5, 1), 20)
    assert (layout.shape, layout.strides, layout.size) == (tensor.shape, tensor.strides, tensor.size)
    assert layout.dtype is tensor.dtype is core.int32
    assert layout.queue is tensor.queue
    assert layout.is_contiguous
    assert not tensor.alias((5, 4), (1, 5), 0).layout.is_contiguous


def test_layouts_that_nobody_holds_are_forgotten() -> None:
    queue = core.Queue()
    kept = core.zeros((7, 11), queue=queue)
    for length in range(100, 200):
        core.zeros(length, queue=queue)
    gc.collect()
    assert len(queue.layouts) == 1
    assert queue.layouts.contiguous((7, 11), core.float32) is kept.layout
