"""What notebooks show of nodes: the value, the gradient, and the history, of a long one the newest part."""

from __future__ import annotations

import gc
import weakref

import pytest
from exact import add, dot, leaf, vector, vector_leaf

from netcl import autograd as ag
from netcl import core


def test_a_node_shows_its_value_its_history_and_its_gradient() -> None:
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    loss = (x * 3.0).sum()
    picture = loss._repr_html_()
    assert picture.startswith("<div><b>Node</b> shape () · float32 · 4 bytes · ")
    assert " · requires a gradient · made by sum</div>" in picture
    assert ">9</pre>" in picture
    assert "<details open><summary>history</summary>" in picture
    assert [picture.count(part) for part in ("<rect", "<line", ">leaf<", ">mul<", ">sum<")] == [3, 2, 1, 1, 1]
    assert picture.count(">(2,) float32<") == 2
    assert "<summary>gradient</summary>" not in x._repr_html_()
    loss.backward()
    assert "<summary>gradient</summary>" in x._repr_html_()
    assert x._repr_html_().count(">3</td>") == 2
    assert "history" in loss._repr_html_(), "also of a graph that is released"


def test_a_node_without_a_history_says_so_by_its_words() -> None:
    picture = ag.Node(core.ones((2,)))._repr_html_()
    assert "requires no gradient</div>" in picture
    assert "history" not in picture
    assert ag.Node(vector(1), requires_grad=True, label="a<b>")._repr_html_().count("a&lt;b&gt;") == 1


def test_values_that_are_no_tensors_are_shown_as_text() -> None:
    picture = dot(vector_leaf(1, 2), vector(3, 4))._repr_html_()
    assert "<b>Node</b> shape () · requires a gradient · made by dot</div>" in picture
    assert ">(2,) exact<" in picture


def test_names_in_a_history_are_escaped() -> None:
    x = ag.Node(vector(1, 2), requires_grad=True, label="<script>")
    picture = dot(x, vector(3, 4))._repr_html_()
    assert ">leaf &lt;script&gt;<" in picture
    assert "<script" not in picture


@pytest.mark.parametrize(
    ("length", "said"), [(29, None), (1_000, "… and 971 more,"), (20_000, "… and at least 10,000 more,")]
)
def test_of_a_long_history_the_newest_records_are_drawn(length: int, said: str | None) -> None:
    y = leaf(1)
    for _ in range(length):
        y = add(y, 1)
    picture = y._repr_html_()
    assert picture.count("<rect") == 30
    assert picture.count("<line") == 29
    assert (said or "history") in picture
    assert ("more," in picture) == (said is not None)
    assert len(picture) < 20_000


def test_a_picture_keeps_nothing_alive_and_changes_nothing() -> None:
    x = ag.tensor([1.0, 2.0], requires_grad=True)
    assert "leaf" not in x._repr_html_()
    assert x._edge is None, "a leaf that was only looked at has no place in a graph"
    y = ag.exp(x).sum()
    gone = [weakref.ref(each) for each in (y, y.grad_fn, y.value)]
    gc.disable()
    try:
        picture = y._repr_html_()
        del y
        assert [each() for each in gone] == [None] * 3
    finally:
        gc.enable()
    assert "exp" in picture


def test_saved_values_are_not_unpacked_to_be_looked_at() -> None:
    unpacked: list[object] = []
    with ag.saved_tensors_hooks(lambda value: value, lambda value: unpacked.append(value) or value):
        y = ag.exp(ag.tensor([1.0], requires_grad=True))
    y._repr_html_()
    assert unpacked == []


def test_what_has_no_value_is_shown_as_a_sentence() -> None:
    seen = []

    @ag.jit
    def twice(x: ag.Node) -> ag.Node:
        seen.append((x * 2.0)._repr_html_())
        return x * 2.0

    twice(ag.tensor([1.0]))
    assert "cannot be shown: GraphError: tracing: the result of mul has no value yet" in seen[0]


def test_a_graph_names_its_dtypes_as_netcl_does() -> None:
    x = ag.tensor([1.0], requires_grad=True, dtype="bfloat16")
    assert ag.print_graph(x * x).endswith("= leaf (1,) bfloat16")
    assert core.dtypes.name_of(x.dtype) == "bfloat16"


def test_what_is_jitted_shows_its_groups_and_what_they_compute() -> None:
    @ag.jit
    def loss(x: ag.Node, w: ag.Node) -> ag.Node:
        return (ag.sigmoid(x * 2.0) @ w < 0.5).sum()

    assert "loss · not traced yet" in loss._repr_html_()
    loss(ag.ones((2, 3)), ag.ones((3, 4)))
    picture = loss._repr_html_()
    assert "<b>jit</b> loss · 5 ops in " in picture
    assert ">mul, sigmoid</td>" in picture
    assert "y0[i0, i1]: float32 = " in picture
    assert "x0[i0, i1] &lt; s0.b" in picture
