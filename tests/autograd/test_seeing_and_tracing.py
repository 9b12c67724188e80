"""Graphs as text and pictures, memory reports, and traces of ops that were not run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from exact import add, dot, leaf, mul, product_and_sum, scale, total, vector, vector_leaf

from netcl import autograd as ag
from netcl import core
from netcl.core import GraphError


@pytest.mark.promise("A17", "F18")
def test_a_graph_is_printed_with_names_shapes_and_edges(capsys: pytest.CaptureFixture[str]) -> None:
    x = ag.Node(vector(1, 2), requires_grad=True, label="weights")
    text = ag.print_graph(add(dot(x, vector(3, 4)), 1))
    assert text == "%2 = add () <- %1, -\n%1 = dot () <- %0, -\n%0 = leaf weights (2,) exact"
    assert capsys.readouterr().out == text + "\n"


@pytest.mark.promise("A17", "F18")
def test_dot_and_svg_have_every_record_and_edge(tmp_path: Path) -> None:
    a, b = leaf(2), leaf(3)
    product, _ = product_and_sum(a, b)
    loss = mul(product, product)
    text = ag.to_dot(loss)
    assert text.startswith("digraph {")
    assert text.count("->") == 4
    vectors = ag.to_dot(dot(vector_leaf(1, 2, 3), vector(4, 5, 6)))
    assert r'[label="dot\n()\nsaves 48 bytes"]' in vectors
    assert "(3,) exact" in vectors
    assert '[label="0"]' in text
    svg = ag.draw(loss, tmp_path / "graph.svg").read_text()
    assert svg.count("<rect") == 4
    assert svg.count("<line") == 4
    assert ag.draw(loss, tmp_path / "graph.dot").read_text() == text


def test_a_deep_graph_is_walked_without_recursion() -> None:
    x = y = leaf(1)
    for _ in range(20_000):
        y = add(y, x)
    assert ag.to_dot(y).count("->") == 40_000


@pytest.mark.promise("F19")
def test_the_memory_report_counts_shared_memory_once() -> None:
    x = vector_leaf(1, 2, 3)
    y = dot(scale(x, 2), x)
    z = dot(x, x)
    report = ag.memory_report(add(y, z))
    assert report.bytes_by_op == {"add": 0, "dot": 24 + 24, "scale": 0}
    assert report.records_by_op == {"add": 1, "dot": 2, "scale": 1}
    assert report.peak_bytes >= report.live_bytes >= 0
    assert [line.split()[0] for line in str(report).splitlines()] == ["dot", "add", "scale", "total", "live"]
    y.backward()
    assert ag.memory_report(y).total_bytes == 0


def test_only_nodes_have_graphs() -> None:
    with pytest.raises(GraphError, match="a plain Tensor has no graph"):
        ag.print_graph(vector(1))


def traced_scale(x: Any, alpha: float, **options: Any) -> Any:
    return ag.apply_op(
        lambda x: ran.append(1) or scale(x, alpha), lambda dy: [dy], x,
        op_name="traced_scale", abstract=lambda x: (x.shape, x.dtype), **options,
    )  # fmt: skip


ran: list[int] = []


@pytest.mark.promise("N20", "P20", "N23", "L28")
def test_a_traced_op_is_written_down_and_not_run() -> None:
    ran.clear()
    x = vector_leaf(1, 2)
    with ag.tracing() as trace:
        first = traced_scale(x, 2.0)
        second = traced_scale(first, 3.0, attrs={"by": 3})
    assert ran == []
    assert [op.name for op in trace.ops] == ["traced_scale", "traced_scale"]
    assert (second.op_name, second.inputs, second.shape, second.requires_grad) == ("traced_scale", (first,), (2,), True)
    assert first.attrs["alpha"] == 2.0
    assert second.attrs == {"by": 3}
    with pytest.raises(GraphError, match="the result of traced_scale has no value yet"):
        second.item()
    assert isinstance(traced_scale(x, 2.0), ag.Node)


@pytest.mark.promise("N26")
def test_a_trace_under_no_grad_wants_no_gradients() -> None:
    with ag.tracing(), ag.no_grad():
        assert not traced_scale(vector_leaf(1), 2.0).requires_grad


def test_an_op_that_cannot_be_traced_says_so() -> None:
    with ag.tracing(), pytest.raises(GraphError, match="dot cannot be traced"):
        total(vector_leaf(1, 2))


def test_importing_autograd_and_recording_loads_nothing_heavy() -> None:
    program = (
        "import sys, netcl.autograd as ag\n"
        "x = ag.Node(2.0, requires_grad=True)\n"
        "ag.apply_op(lambda a: a, lambda dy: [dy], x, op_name='same').backward()\n"
        "print(x.grad, *[m for m in ('numba', 'pyopencl', 'lark', 'netcl.kernels') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert result.stdout.split() == ["1.0"]


@pytest.mark.promise("A18")
def test_gradients_are_printed_with_name_shape_norm_and_what_is_not_finite(capsys: pytest.CaptureFixture[str]) -> None:
    import numpy as np

    w = ag.tensor(np.ones((2, 2), np.float32), requires_grad=True)
    b, still, number = ag.ones((3,), requires_grad=True), ag.ones((5,), requires_grad=True), leaf(2)
    w.grad = core.from_host(np.array([[3.0, np.nan], [-4.0, np.inf]], np.float32))
    b.grad = ag.zeros((3,))
    mul(number, 7).backward()
    rows = ag.gradient_report({"w": w, "b": b, "still": still, "number": number})
    assert rows == [
        ("w", (2, 2), 5.0, 1, 1),
        ("b", (3,), 0.0, 0, 0),
        ("still", (5,), None, 0, 0),
        ("number", (), 7.0, 0, 0),
    ]
    text = ag.print_gradients([w, still])
    assert capsys.readouterr().out == text + "\n"
    assert [line.split() for line in text.splitlines()] == [
        ["name", "shape", "norm", "NaN", "Inf"],
        ["parameter", "0", "(2,", "2)", "5", "1", "1"],
        ["parameter", "1", "(5,)", "none", "0", "0"],
    ]
    with pytest.raises(GraphError, match="parameter 1 is a Tensor, which has no gradient"):
        ag.gradient_report([w, w.value])
