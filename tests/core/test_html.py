"""What notebooks show of tensors and profiles: the values at the corners, escaped, at the price of those alone."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable

import numpy as np
import pytest

from netcl import core
from netcl.core.html import code, folded, heading, html, safely, table


def cells(picture: str) -> list[list[str]]:
    """The texts of a table, row by row."""
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall("<tr>(.*?)</tr>", picture)]


def test_a_tensor_says_what_it_is_and_shows_its_values() -> None:
    tensor = core.from_host([[1.5, 2], [3, float("nan")]])
    picture = tensor._repr_html_()
    about = html(f" shape (2, 2) · float32 · 16 bytes · {tensor.device.name}")
    assert picture.startswith(f"<div><b>Tensor</b>{about}</div><table ")
    assert cells(picture) == [["", "0", "1"], ["0", "1.5", "2"], ["1", "3", "nan"]]


COLUMN = [["", "0"], *(line.split() for line in "0 0,1 9,2 18,… …,6 54,7 63,8 72".split(","))]


@pytest.mark.parametrize(
    ("tensor", "rows"),
    [
        (lambda: core.from_host([True, False]), [["", "0", "1"], ["", "True", "False"]]),
        (lambda: core.arange(9), [["", *"012…678"], ["", *"012…678"]]),
        (lambda: core.full((2, 1), 0.1, core.bfloat16), [["", "0"], ["0", "0.100098"], ["1", "0.100098"]]),
        (lambda: core.from_host(np.arange(12).reshape(3, 2, 2))[1:], [["[0, :, :]", *"01"], [*"045"], [*"167"]]),
        (lambda: core.from_host(np.arange(4).reshape(2, 2)).T, [["", *"01"], [*"002"], [*"113"]]),
        (lambda: core.arange(81).reshape(9, 9)[:, :1], COLUMN),
    ],
    ids=["bools", "many", "bfloat16", "three axes", "transposed", "a column"],
)
def test_a_table_has_the_last_two_axes_and_their_ends(tensor: Callable[[], core.Tensor], rows: list[list[str]]) -> None:
    assert cells(tensor()._repr_html_()) == rows


def test_a_number_nothing_and_freed_memory_are_said_in_words() -> None:
    assert ">0.25</pre>" in core.from_host(0.25)._repr_html_()
    assert core.zeros((3, 0))._repr_html_().endswith("no elements</div>")
    with core.arena():
        gone = core.ones((2,))
    assert "its memory was freed by an arena" in gone._repr_html_()


@pytest.mark.parametrize("shared", [True, False])
def test_of_a_large_tensor_only_the_corners_are_copied(own_queue: core.Queue, shared: bool) -> None:
    own_queue.pool.shares_host_memory &= shared
    tensor = core.zeros((10_000, 10_000), core.uint8, queue=own_queue)
    tensor.alias((1,), (1,), 9_999 * 10_000 + 9_998).copy_from_host([7])
    before = core.counters()["bytes_to_host"]
    assert cells(tensor._repr_html_())[-1] == ["9999", "0", "0", "0", "…", "0", "7", "0"]
    assert core.counters()["bytes_to_host"] - before <= 36


def test_a_picture_keeps_nothing_alive() -> None:
    tensor = core.ones((100, 100))
    gone, memory, picture = weakref.ref(tensor), weakref.ref(tensor.buffer), tensor._repr_html_()
    del tensor
    assert (gone(), memory()) == (None, None)
    assert len(picture) < 10_000


def test_a_profile_is_a_table_of_its_kernels(own_queue: core.Queue) -> None:
    kernel = own_queue.program("kernel void twice(global float *x) { x[0] *= 2; }").kernel("twice", (None,))
    x = core.ones((4,), queue=own_queue)
    with core.profile() as profile:
        for _ in range(2):
            kernel.launch((1,), (1,), (x.buffer.cl,))
    columns, row = cells(profile._repr_html_())
    assert columns == ["kernel", "calls", "total ms", "mean ms", "share"]
    assert (row[0], row[1], row[4]) == ("twice", "2", "100.0%")
    assert "2 launches" in profile._repr_html_()
    assert repr(profile) == str(profile), "in a shell without HTML"
    assert "<table" not in core.profile()._repr_html_()


def test_text_is_escaped_once_and_no_colour_is_fixed() -> None:
    wild = 'a<b> & "c"'
    pictures = [heading(wild, wild), code(wild), folded(wild, code(wild)), table([wild], [[wild]])]
    for picture in pictures:
        assert wild not in picture
        assert "a&lt;b&gt; &amp; &quot;c&quot;" in picture
        assert not re.search(r"#[0-9a-f]{3}|white\b(?!-space)|black|rgb|<script", picture)
    assert html(html(wild)) == html(wild)


def test_what_goes_wrong_is_shown_and_not_raised() -> None:
    def broken(value: str) -> str:
        raise ValueError(f"no <{value}>")

    assert safely(broken, "x") == "<div><b>str</b> cannot be shown: ValueError: no &lt;x&gt;</div>"
