"""Anomaly mode names the op, the gradient, the element, the counts, and the user's line."""

from __future__ import annotations

import gc
import math
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core
from netcl.autograd.debugging.nonfinite import _compiled, scan
from netcl.core.census import Census, answers


def sqrt(a: object) -> ag.Node:
    return ag.apply_op(
        lambda a: math.sqrt(a) if a >= 0 else math.nan,
        lambda saved, needs, dy: [dy / (2 * saved[0]) if saved[0] else dy * math.inf],
        a, op_name="sqrt", saves=(("output", 0),), metadata={"declared_at": "roots.netcl:7"},
    )  # fmt: skip


def times(a: object, b: object) -> ag.Node:
    return ag.apply_op(lambda a, b: a * b, lambda s, n, dy: [dy * s[1], dy * s[0]], a, b, op_name="times", saves=BOTH)


BOTH = (("input", 0), ("input", 1))


@pytest.mark.promise("N28", "F5")
@pytest.mark.parametrize(("number", "kind"), [(-1.0, "NaN"), (0.0, "Inf")])
def test_the_report_has_the_op_the_line_and_the_declaration(number: float, kind: str) -> None:
    x = ag.Node(number, requires_grad=True)
    with ag.detect_anomaly():
        y = sqrt(x)  # the user's line
        with pytest.raises(RuntimeError, match="Anomaly detected: sqrt") as caught:
            y.backward()
    text = str(caught.value)
    for part in (kind, "the gradient of operand 0", "index ()", "the user's line", "roots.netcl:7"):
        assert part in text, f"{part!r} is not in {text!r}"
    assert text.count("\n") > 1


@pytest.mark.promise("P50")
def test_the_op_that_made_the_nan_first_is_named() -> None:
    x = ag.Node(0.0, requires_grad=True)
    with ag.detect_anomaly():
        y = times(sqrt(times(x, 3.0)), 0.0)
        with pytest.raises(ag.AnomalyError, match="Anomaly detected: sqrt"):
            y.backward()


@pytest.mark.promise("A22", "F5")
def test_forward_results_are_looked_at_on_request() -> None:
    with ag.detect_anomaly(check_forward=True), pytest.raises(ag.AnomalyError, match="sqrt produced NaN in output 0"):
        sqrt(ag.Node(-1.0, requires_grad=True))


MANY = 1_000_000  # elements; the device is still at work when their op returns


@pytest.mark.promise("A22", "F5")
@pytest.mark.parametrize(
    "sees",
    [
        lambda x: x.sum().item(),
        lambda x: x.to_host(),
        lambda x: core.synchronize(),
        lambda x: x.sum().backward(),
        lambda x: ag.grad(x.sum(), x),
        lambda x: [x + i for i in range(100)],
    ],
)
@pytest.mark.sample(3)
def test_a_result_is_reported_before_anybody_sees_what_came_of_it(sees: Callable[[ag.Node], object]) -> None:
    numbers = np.ones(MANY, np.float32)
    numbers[4321] = -1
    x = ag.tensor(numbers, requires_grad=True)
    with ag.detect_anomaly(check_forward=True):
        for _ in range(2):
            z = ag.sqrt(x) * 2.0  # the line of the root
            with pytest.raises(ag.AnomalyError, match=r"sqrt produced NaN in output 0 at index \(4321,\)") as caught:
                sees(z)
        assert "the line of the root" in str(caught.value)
        assert x.grad is None
        core.synchronize()  # it is said once


@pytest.mark.promise("A22", "N27")
def test_what_nobody_has_seen_is_reported_where_anomaly_mode_ends() -> None:
    x = ag.tensor(np.full(MANY, -1, np.float32), requires_grad=True)
    with pytest.raises(ag.AnomalyError, match="sqrt"), ag.detect_anomaly(check_forward=True):
        ag.sqrt(x)

    def interrupted(error: BaseException) -> None:
        with ag.detect_anomaly(check_forward=True):
            ag.log(x)
            raise error

    with pytest.raises(ag.AnomalyError, match="log") as caught:
        interrupted(ValueError("what comes of a NaN"))
    assert isinstance(caught.value.__context__, ValueError)
    with pytest.raises(KeyboardInterrupt):
        interrupted(KeyboardInterrupt())
    ag.set_detect_anomaly(True, check_forward=True)
    ag.sqrt(x)
    with pytest.raises(ag.AnomalyError, match="sqrt"):
        ag.set_detect_anomaly(False)
    with pytest.raises(ag.AnomalyError, match="sqrt"), ag.set_detect_anomaly(True, check_forward=True):
        ag.sqrt(x)
    assert ag.sqrt(x).creation_trace is None


@pytest.mark.promise("A22")
def test_a_thread_is_not_told_of_what_another_has_computed() -> None:
    x = ag.tensor(np.full(MANY, -1, np.float32), requires_grad=True)
    with ag.detect_anomaly(check_forward=True):
        ag.sqrt(x)
        with ThreadPoolExecutor(1) as threads:
            threads.submit(core.synchronize).result()
        with pytest.raises(ag.AnomalyError, match="sqrt"):
            core.synchronize()


@pytest.mark.promise("A22")
def test_what_is_looked_for_keeps_nothing_alive() -> None:
    gc.collect()
    x = ag.tensor(np.ones(MANY, np.float32), requires_grad=True)
    with ag.detect_anomaly(check_forward=True):
        before = core.memory_stats()["live_bytes"]
        y = ag.exp(ag.sqrt(x) * 2.0)
        assert core.memory_stats()["live_bytes"] > before + 4 * MANY
        del y
        assert core.memory_stats()["live_bytes"] < before + 4 * MANY


@pytest.mark.promise("A22", "N28")
@pytest.mark.parametrize("check_forward", [False, True])
def test_a_report_keeps_nothing_alive_either(check_forward: bool) -> None:
    gc.collect()
    gc.disable()
    try:
        before = core.memory_stats()["live_bytes"]
        for _ in range(3):
            x = ag.tensor(np.full(MANY, -1.0 if check_forward else 0.0, np.float32), requires_grad=True)
            with ag.detect_anomaly(check_forward=check_forward), pytest.raises(ag.AnomalyError, match="sqrt"):
                (ag.sqrt(x) * 2.0).sum().backward()
            del x
        assert core.memory_stats()["live_bytes"] < before + MANY
    finally:
        gc.enable()


@pytest.mark.promise("P50")
def test_leaves_have_what_came_before_the_first_bad_gradient() -> None:
    x = ag.tensor(np.full(MANY, 1, np.float32), requires_grad=True)
    zero = ag.tensor(np.zeros(MANY, np.float32), requires_grad=True)
    beside = ag.tensor(np.ones(MANY, np.float32), requires_grad=True)
    told: list[ag.Node] = []
    beside.register_post_accumulate_grad_hook(told.append)
    with ag.detect_anomaly():
        loss = (beside * ag.sqrt(zero * 1.0) + x * 3.0).sum()
        with pytest.raises(ag.AnomalyError, match="sqrt produced Inf"):
            loss.backward()
        assert x.grad is not None
        assert x.grad[0].item() == 3.0
        assert zero.grad is None
        assert told == [beside]


@pytest.mark.promise("P53", "F5")
def test_what_is_looked_for_can_be_chosen() -> None:
    with ag.detect_anomaly(check_inf=False):
        sqrt(ag.Node(0.0, requires_grad=True)).backward()
    with ag.detect_anomaly(check_nan=False, check_inf=False):
        y = sqrt(ag.Node(-1.0, requires_grad=True))
        assert y.creation_trace is not None
        y.backward()


@pytest.mark.promise("N8")
def test_the_creation_trace_ends_with_the_calling_line_and_exists_in_anomaly_mode_only() -> None:
    x = ag.Node(1.0, requires_grad=True)
    assert sqrt(x).creation_trace is None
    with ag.detect_anomaly():
        trace = times(x, x).creation_trace
    assert isinstance(trace, list)
    assert "in times" in trace[-1]
    assert __file__ in trace[-1]


@pytest.mark.promise("P51")
def test_an_error_in_backward_shows_where_the_op_was_called() -> None:
    def fail(dy: float) -> list[float]:
        raise ValueError("planted")

    with ag.detect_anomaly():
        y = ag.apply_op(lambda a: a, fail, ag.Node(1.0, requires_grad=True), op_name="failing")  # called here
        with pytest.raises(ValueError, match="planted") as caught:
            y.backward()
    assert any("called here" in note for note in caught.value.__notes__)


@pytest.mark.promise("P52")
def test_a_nan_of_second_order_names_the_backward_that_made_the_op() -> None:
    x = ag.Node(1.0, requires_grad=True)

    def gradient(saved: object, needs: object, dy: object) -> list[object]:
        return [times(dy, sqrt(times(saved[0], 0.0)))]

    with ag.detect_anomaly(check_inf=False):
        y = ag.apply_op(lambda a: a, gradient, x, op_name="outer", saves=(("input", 0),))  # the outer line
        first = ag.grad(y, x, create_graph=True)
        with pytest.raises(ag.AnomalyError) as caught:
            first.backward()
    assert "in the backward of outer" in str(caught.value)
    assert "the outer line" in str(caught.value)


@pytest.mark.promise("N27", "P53")
def test_anomaly_mode_is_given_back_after_an_error() -> None:
    x = ag.Node(1.0, requires_grad=True)
    with pytest.raises(KeyError), ag.detect_anomaly():
        raise KeyError
    assert sqrt(x).creation_trace is None
    with ag.set_detect_anomaly(True):
        assert sqrt(x).creation_trace is not None
    assert sqrt(x).creation_trace is None
    ag.set_detect_anomaly(True)
    assert sqrt(x).creation_trace is not None
    ag.set_detect_anomaly(False)
    assert sqrt(x).creation_trace is None


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("size", [10, 200_001])
def test_the_scan_counts_and_finds_the_first(dtype: type, size: int) -> None:
    array = np.full(size, -np.finfo(dtype).max, dtype)
    assert scan(array) is None
    array[7], array[8], array[9] = np.inf, -np.nan, -np.inf
    assert scan(array)[:3] == (1, 2, 7)
    assert scan(array, check_inf=False)[:3] == (1, 2, 8)
    array[8] = 0
    assert scan(array, check_inf=False) is None
    array[-1] = np.nan
    assert scan(array[::-1].reshape(1, -1), check_inf=False)[2] == 0
    assert scan(array[:0]) is None
    assert scan(np.arange(3)) is None


def test_what_a_broadcast_view_shows_is_counted_as_often_as_it_shows_it() -> None:
    row = np.array([1.0, np.nan, 3.0], np.float32)
    assert scan(np.broadcast_to(row, (4, 3)))[:3] == (4, 0, 1)
    assert scan(np.broadcast_to(np.float32(np.inf), (2, 2)))[:3] == (0, 4, 0)
    assert scan(np.broadcast_to(np.float32(1), (1 << 40,))) is None  # one element is looked at


@pytest.mark.promise("P50", "N28")
@pytest.mark.parametrize(("number", "kind"), [(-1.0, "NaN"), (0.0, "Inf")])
def test_an_op_of_the_catalogue_is_reported_with_its_line_in_both_languages(number: float, kind: str) -> None:
    x = ag.tensor(np.array([[1.0, 4.0], [9.0, number]], np.float32), requires_grad=True)
    with ag.detect_anomaly():
        y = ag.sqrt(x * 1.0)  # the line of the root
        loss = (y * 2.0).sum()
        with pytest.raises(ag.AnomalyError) as caught:
            loss.backward()
    text = str(caught.value)
    counts = "1 NaN, 0 Inf of 4" if kind == "NaN" else "0 NaN, 1 Inf of 4"
    for part in ("sqrt produced " + kind, "at index (1, 1)", "float32", counts, "the line of the root", ".netcl:"):
        assert part in text, f"{part!r} is not in {text!r}"
    with ag.detect_anomaly(check_forward=True):
        if kind == "NaN":
            with pytest.raises(ag.AnomalyError, match=r"sqrt produced NaN in output 0 at index \(1, 1\)"):
                ag.sqrt(x)


@pytest.mark.promise("N29", "F5")
def test_looking_through_gradients_copies_nothing_to_the_host_where_memory_is_shared() -> None:
    x = ag.ones((300_000,), requires_grad=True)
    core.synchronize()
    before = core.counters()
    with ag.detect_anomaly(check_forward=True):
        (ag.exp(x) * x).sum().backward()
    after = core.counters()
    if core.default_queue().shares_host_memory:
        assert after["bytes_to_host"] == before["bytes_to_host"]
    assert after["kernels_launched"] > before["kernels_launched"]


@pytest.mark.promise("N29")
def test_the_scan_does_without_numba() -> None:
    program = (
        "import sys; sys.modules['numba'] = None\n"
        "import numpy as np\nfrom netcl.autograd.debugging.nonfinite import scan\n"
        "a = np.zeros(10**6, np.float32); a[-1] = np.nan\nprint(scan(a).first)"
    )
    result = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert result.stdout.strip() == "999999"
    assert _compiled(4) is _compiled(4)


@pytest.fixture
def far() -> core.Queue:
    """A queue whose memory the host reads by commands, as on a graphics card."""
    queue = core.Queue()
    queue.pool.shares_host_memory = False
    return queue


@pytest.mark.promise("F5", "N29")
def test_gradients_in_memory_of_the_device_stay_there(far: core.Queue) -> None:
    numbers = np.ones(1000, np.float32)
    numbers[777:779] = 0
    x = ag.tensor(numbers, requires_grad=True, queue=far)
    with ag.detect_anomaly(check_forward=True):
        loss = ag.sqrt(x).sum()
        before = core.counters()["bytes_to_host"]
        with pytest.raises(ag.AnomalyError, match=r"Inf in .* at index \(777,\).* 0 NaN, 2 Inf of 1000"):
            loss.backward()
        assert core.counters()["bytes_to_host"] - before <= 2048
        with pytest.raises(ag.AnomalyError, match=r"Inf in output 0 at index \(777,\)"):
            (1 / x).to_host()
    with ag.detect_anomaly(check_inf=False):
        ag.sqrt(x).sum().backward()


@pytest.mark.promise("A22")
def test_statistics_of_memory_of_the_device_are_read_in_blocks(
    far: core.Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("netcl.core.statistics._BLOCK", 7)
    numbers = np.random.default_rng(0).normal(size=(5, 6)).astype(np.float32)
    numbers[2, 3] = np.nan
    tensor = core.from_host(numbers, far)
    stats = core.tensor_stats(tensor)
    expected = numbers[np.isfinite(numbers)].astype(np.float64)
    assert (stats.nan_count, stats.inf_count, stats.size) == (1, 0, 30)
    assert (stats.mean, stats.std) == pytest.approx((expected.mean(), expected.std()), rel=1e-12)
    assert core.has_nan(tensor.alias((6, 5), (1, 6), 0))
    with core.arena():
        gone = core.full((10,), 2.0, queue=far)
        kept = core.keep(gone * 3.0)
    assert kept.tolist() == [6.0] * 10
    with pytest.raises(core.FreedError):
        gone.to_host()


@pytest.mark.promise("P50")
def test_nobody_sees_a_gradient_of_what_is_reported() -> None:
    seen: list[object] = []
    x = ag.tensor(np.array([4.0, 0.0], np.float32), requires_grad=True)
    beside = ag.tensor(np.array([1.0, 1.0], np.float32), requires_grad=True)
    with ag.detect_anomaly():
        y = x * beside  # its gradients come after the bad one
        y.register_hook(seen.append)
        loss = ag.sqrt(y).sum()
        with pytest.raises(ag.AnomalyError, match="sqrt produced Inf") as caught:
            loss.backward()
    assert seen == []
    assert x.grad is None
    assert beside.grad is None
    if hasattr(caught.value, "__notes__"):
        assert "in the backward of sqrt" in caught.value.__notes__[0]


@pytest.mark.promise("P50", "P51")
def test_an_error_after_the_first_bad_gradient_gives_way_to_it() -> None:
    def fail(dy: object) -> list[object]:
        raise ValueError("planted")

    x = ag.tensor(np.array([4.0, 0.0], np.float32), requires_grad=True)
    with ag.detect_anomaly():
        y = ag.apply_op(lambda a: a * 1.0, fail, x, op_name="failing")
        for _ in range(2):  # and once more: what was found bad is not taken for clean
            with pytest.raises(ag.AnomalyError, match=r"sqrt produced Inf .* at index \(1,\)"):
                ag.sqrt(y * 1.0).sum().backward(retain_graph=True)
        with pytest.raises(ValueError, match="planted"):
            (y * 1.0).sum().backward()


def test_what_a_broadcast_or_permuted_gradient_shows_is_counted_and_found() -> None:
    x = ag.tensor(np.ones((3, 70_000), np.float32), requires_grad=True)
    bad = np.ones((70_000, 3), np.float32)
    bad[5, 1], bad[2, 2], bad[60_000, 0] = np.nan, np.inf, -np.inf
    with ag.detect_anomaly():
        y = x.T
        with pytest.raises(ag.AnomalyError, match=r"at index \(0, 60000\) .*; 1 NaN, 2 Inf of 210000"):
            y.backward(core.from_host(bad))
        row = ag.tensor(np.array([1.0, 0.0, 1.0], np.float32), requires_grad=True)
        wide = ag.broadcast_to(ag.sqrt(row), (4, 3))
        with pytest.raises(ag.AnomalyError, match=r"clone produced Inf .* index \(0, 1\) .*; 0 NaN, 4 Inf of 12"):
            (wide * 1.0).clone().backward(ag.broadcast_to(core.from_host(np.array([1, np.inf, 1], np.float32)), (4, 3)))


@pytest.mark.parametrize("size", [1, 4095, 40_000, 300_001])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("device_class", ["cpu", "gpu"])
@pytest.mark.sample(6)
def test_the_device_counts_and_finds_the_first(
    device_class: str, dtype: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = core.Queue()
    monkeypatch.setattr(queue.device, "device_class", device_class)  # how the elements are shared out
    census = Census(queue)
    numbers = np.full(size, -3e4, np.float32)
    host = [numbers.copy() for _ in range(70)]  # more than one tensor of answers has
    for at, each in enumerate(host[1:]):
        each[at * 997 % size :: 1001] = -np.inf
        each[at * 13 % size] = np.nan
    tickets = [census.ask(core.from_host(each, queue).astype(dtype)) for each in host]
    for each, counts in zip(host, answers(tickets), strict=True):
        nan, inf = np.flatnonzero(np.isnan(each)), np.flatnonzero(np.isinf(each))
        expected = (nan.size, inf.size, nan[0] if nan.size else None, inf[0] if inf.size else None)
        assert counts == expected
