"""A recorded call like one before is recorded in one step: the same value, gradients and record as the first time."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from forms import FORMS, USUAL, Form, as_tensors, drawn, sixths

from netcl import autograd as ag
from netcl import core
from netcl.kernels import ops
from netcl.kernels.tools.sampling import Wish

A = np.arange(24, dtype=np.float32).reshape(4, 6) / 7 - 1.5


def leaf(array: np.ndarray[Any, Any]) -> Any:
    tensor = core.from_host(array)
    return ag.Node(tensor, True) if array.dtype.kind == "f" else tensor


def seen(result: Any, leaves: list[ag.Node]) -> tuple[Any, ...]:
    """All that a user sees of a call: values, gradients of first and second order, what the record says."""
    outputs = result if isinstance(result, tuple) else (result,)
    parts: list[Any] = [each.to_host().tobytes() for each in outputs]
    nodes = [each for each in outputs if isinstance(each, ag.Node) and each.requires_grad]
    for node in nodes:
        record = node.grad_fn
        assert record is not None
        parts += [record.name, dict(record.attrs or {}), record.metadata, list(record.saved), record.shape]
        parts.append(
            [None if parent is None else [id(each) for each in leaves].index(id(parent)) for parent in record.parents]
        )
    if nodes:
        seeds = [core.from_host(np.cos(np.arange(each.size)).reshape(each.shape).astype(each.dtype)) for each in nodes]
        try:
            for create in (False, True):
                found = ag.grad(nodes, leaves, seeds, retain_graph=True, create_graph=create, allow_unused=True)
                parts += [None if each is None else each.to_host().tobytes() for each in found]
        except core.GraphError as error:  # a declared problem: the same one each time
            parts.append(str(error))
    return tuple(parts)


@pytest.mark.parametrize("form", sixths(FORMS, 0), ids=repr)
@pytest.mark.parametrize("by_name", [False, True])
def test_the_third_call_of_an_op_is_recorded_as_the_first(form: Form, by_name: bool) -> None:
    (case,) = drawn(form, USUAL) or drawn(form, Wish(rank=1, dtype="float32"))
    given = as_tensors(case.arguments(), leaf)
    leaves = [each for each in given.values() if isinstance(each, ag.Node)]
    leaves += [each for some in given.values() if isinstance(some, list) for each in some if isinstance(each, ag.Node)]
    names = itertools.takewhile(given.__contains__, [operand.name for operand in form.declaration.operands])
    args = [] if by_name else [given.pop(name) for name in list(names)]
    first, *others = [seen(form.op(*args, **given), leaves) for _ in range(3)]
    for other in others:
        assert other == first


def test_the_third_call_and_its_backward_only_look_up_and_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    x = ag.Node(core.from_host(A), True)

    def step() -> list[Any]:
        return [each.to_host().tolist() for each in ag.grad(ag.sum(x * x * 0.5, axis=1), [x], core.ones(4))]

    first = step()
    assert step() == first
    monkeypatch.setattr("netcl.autograd.ops.record_formula", None)
    monkeypatch.setattr("netcl.autograd.ops.recording.record_formula", None)
    assert step() == first


def test_what_differs_from_call_to_call_is_not_taken_for_the_same() -> None:
    for _ in range(3):
        for array in (A, A.T.copy(), A.astype(np.float64)):
            for view in (slice(None), slice(None, None, 2), slice(None, None, -1)):
                for wanted in ((True, False), (False, True), (True, True)):
                    for factor in (2.0, -0.5):
                        host = array[view]
                        x, y = (ag.Node(core.from_host(array)[view], each) for each in wanted)
                        z = ag.leaky_relu(x * y, slope=factor)
                        inner = host * host
                        np.testing.assert_allclose(z.to_host(), np.where(inner > 0, inner, factor * inner), rtol=1e-6)
                        seed = np.broadcast_to(array.dtype.type(3), host.shape)
                        for dy in (core.from_host(seed.copy()), core.from_host(seed[:1]).expand(host.shape)):
                            leaves = [each for each in (x, y) if each.requires_grad]
                            for found in ag.grad(z, leaves, dy, retain_graph=True):
                                np.testing.assert_allclose(found.to_host(), 3 * host, rtol=1e-6)


def test_a_write_in_place_is_noticed_and_a_view_stays_a_view() -> None:
    for _ in range(3):
        x = ag.Node(core.from_host(A), True)
        y = x * 2.0
        z = y * y
        y.add_(1.0)
        with pytest.raises(core.GraphError, match="changed in place"):
            z.sum().backward()
        y = x * 2.0
        part = y.reshape((6, 4))
        part.mul_(3.0)
        y.sum().backward()
        np.testing.assert_array_equal(x.grad.to_host(), np.full_like(A, 6))


def test_tapes_hooks_anomaly_mode_and_transforms_see_every_call() -> None:
    packed: list[int] = []
    for _ in range(3):
        x = ag.Node(core.from_host(A), True)
        with ag.Tape() as tape:
            y = ag.exp(x)
        assert len(tape) == 1
        assert y.id == 0
        with ag.saved_tensors_hooks(lambda value: (packed.append(1), value)[1], lambda value: value):
            y = ag.exp(x)
        assert len(packed) == 1
        packed.clear()
        y.sum().backward()
        np.testing.assert_allclose(x.grad.to_host(), np.exp(A), rtol=1e-6)
        with ag.detect_anomaly(check_forward=True), pytest.raises(ag.AnomalyError):
            ag.log(ag.Node(core.from_host(-np.abs(A)), True)).to_host()
        _, tangent = ag.jvp(ag.exp, [core.from_host(A)], [core.from_host(np.ones_like(A))])
        np.testing.assert_allclose(tangent.to_host(), np.exp(A), rtol=1e-6)
        with ag.no_grad():
            assert not isinstance(ag.exp(x), ag.Node)
        with pytest.raises(core.DeviceError, match="another queue"):
            ops.add(x, ag.Node(core.from_host(A, core.Queue()), True))
