"""An index out of range is an error that names it, and never a foreign read."""

from __future__ import annotations

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core
from netcl.core.errors import IndexOutOfRangeError
from netcl.kernels.namespace import catalogue, ops

TABLE = np.arange(12, dtype=np.float32).reshape(4, 3)
WRONG = [[4], [0, -5], [2**31], [-(2**40)], [0, 1, 2, 3, 4]]


def positions(values: list[int], dtype: str = "int64") -> core.Tensor:
    return core.from_host(np.array(values, dtype))


@pytest.mark.parametrize("index", WRONG, ids=str)
def test_take_and_getitem_refuse_positions_outside(index: list[int]) -> None:
    x = core.from_host(TABLE)
    with pytest.raises(IndexOutOfRangeError, match=r"take.*4"):
        ops.take(x, positions(index), 0)
    with pytest.raises(IndexOutOfRangeError):
        x[positions(index)]


@pytest.mark.parametrize("index", [[4], [-1], [0, 9]], ids=str)
def test_embedding_refuses_positions_outside_and_negative_ones(index: list[int]) -> None:
    with pytest.raises(IndexOutOfRangeError, match="embedding"):
        ops.embedding(core.from_host(TABLE), positions(index))


@pytest.mark.parametrize("target", [[0, 3], [-1, 0]], ids=str)
@pytest.mark.parametrize("loss", ["cross_entropy", "nll_loss"])
def test_losses_refuse_class_numbers_that_are_no_class(loss: str, target: list[int]) -> None:
    with pytest.raises(IndexOutOfRangeError, match=loss):
        getattr(ops, loss)(core.from_host(TABLE[:2]), positions(target))


def test_the_class_number_to_ignore_is_no_error() -> None:
    assert np.isfinite(ops.cross_entropy(core.from_host(TABLE[:2]), positions([0, -100])).item())


def test_recorded_calls_refuse_them_as_well_and_leave_the_process_usable() -> None:
    x = ag.tensor(TABLE, requires_grad=True)
    with pytest.raises(IndexOutOfRangeError):
        ag.take(x, positions([7]), 0)
    ag.take(x, positions([3, 3]), 0).sum().backward()
    np.testing.assert_array_equal(x.grad.to_host(), np.float32([[0] * 3, [0] * 3, [0] * 3, [2] * 3]))


def test_negative_positions_count_from_the_end() -> None:
    x = core.from_host(TABLE)
    for dtype in ("int32", "int64"):
        np.testing.assert_array_equal(ops.take(x, positions([-1, 0, -4], dtype), 0).to_host(), TABLE[[-1, 0, -4]])
        np.testing.assert_array_equal(x[:, positions([-1, 1], dtype)].to_host(), TABLE[:, [-1, 1]])


@pytest.mark.parametrize("key", [4, -5, (0, 3), (slice(None), -4)], ids=str)
def test_whole_numbers_outside_are_refused(key: object) -> None:
    with pytest.raises(IndexOutOfRangeError):
        core.from_host(TABLE)[key]


@pytest.mark.parametrize(
    "call",
    [
        lambda x: catalogue["select"](x, 0, 4),
        lambda x: catalogue["select"](x, 0, -1),
        lambda x: catalogue["slice"](x, (0, 0), (1, 1), (5, 3)),
        lambda x: catalogue["slice"](x, (3, 0), (-1, 1), (5, 3)),
        lambda x: catalogue["slice"](x, (0, 2), (1, 2), (4, 2)),
    ],
)
def test_positions_that_follow_from_numbers_are_refused_too(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises((IndexOutOfRangeError, ValueError)):
        call(core.from_host(TABLE))


def test_an_index_that_is_not_whole_is_refused() -> None:
    with pytest.raises((TypeError, IndexError)):
        core.from_host(TABLE)[core.from_host(np.float32([0.5]))]


@pytest.mark.promise("F16")
def test_repeated_positions_add_up_in_the_gradient_the_same_on_every_run(rng: np.random.Generator) -> None:
    index = rng.integers(0, 50, 5000)
    host = rng.normal(size=(50, 7)).astype(np.float32)
    seed = rng.normal(size=(5000, 7)).astype(np.float32)
    expected = np.zeros((50, 7))
    np.add.at(expected, index, seed.astype(np.float64))
    found = []
    for _ in range(3):
        table = ag.tensor(host, requires_grad=True)
        ag.embedding(table, core.from_host(index)).backward(core.from_host(seed))
        found.append(table.grad.to_host())
    np.testing.assert_allclose(found[0], expected, rtol=1e-4, atol=1e-4)
    assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", ["rnn", "gru", "lstm"])
def test_a_layer_refuses_rows_that_are_longer_than_the_sequence_or_shorter_than_nothing(
    name: str, reverse: bool, rng: np.random.Generator
) -> None:
    gates = {"rnn": 1, "gru": 3, "lstm": 4}[name]
    x, *weights = (core.from_host(rng.normal(size=shape)) for shape in ((2, 2, 3), (4 * gates, 3), (4 * gates, 4)))
    for wrong in ([9, 1], [1, 3], [-1, 1], [1, -2], [-9, 0]):
        with pytest.raises(IndexOutOfRangeError, match=rf"{name}: the index .* \(lengths at .*axis t of x"):
            getattr(ops, name)(x, *weights, lengths=positions(wrong), reverse=reverse)
    last = getattr(ops, name)(x, *weights, lengths=positions([0, 2]), reverse=reverse)[1].to_host()
    assert not last[0].any()
    whole = getattr(ops, name)(x, *weights, reverse=reverse)[1].to_host()
    np.testing.assert_array_equal(last[1], whole[1])


@pytest.mark.parametrize("name", ["hmm_forward", "viterbi"])
def test_a_markov_model_refuses_rows_that_are_longer_than_what_was_seen_or_shorter_than_nothing(
    name: str, rng: np.random.Generator
) -> None:
    start, transition, seen = (core.from_host(rng.normal(size=shape)) for shape in ((3,), (3, 3), (2, 2, 3)))
    for wrong in ([9, 1], [1, 3], [-1, 1], [1, -2]):
        with pytest.raises(IndexOutOfRangeError, match=rf"{name}: the index .* \(lengths at .*axis t of emission"):
            getattr(ops, name)(start, transition, seen, lengths=positions(wrong))
    outputs = [
        getattr(ops, name)(start, transition, seen, lengths=positions([0, 2])),
        getattr(ops, name)(start, transition, seen),
    ]
    ended, whole = (next(each for each in found if each.shape == (2,)).to_host() for found in outputs)
    assert ended.tolist() == [0, whole[1]]


def test_a_labelling_refuses_counts_below_0() -> None:
    rows = core.from_host(np.log(np.full((2, 1, 3), 1 / 3)))
    for steps, labels in ((-1, 1), (9, 1), (1, -1), (1, 9)):
        with pytest.raises(IndexOutOfRangeError, match="ctc_loss: the index"):
            ops.ctc_loss(rows, positions([[1]]), positions([steps]), positions([labels]))


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "bool"])
def test_what_adds_at_positions_keeps_the_dtype_of_what_it_adds_to(dtype: str) -> None:
    given = np.array([250, 3]) if dtype != "bool" else np.array([True, False])
    x, source, index = core.from_host(given.astype(dtype)), core.from_host(np.ones(2, dtype)), positions([1, 1])
    expected = given.copy().astype(dtype)
    np.add.at(expected, [1, 1], np.ones(2, dtype))
    calls = ops.index_add(x, index, source), ops.scatter_add(x, index, source, 0)
    for found in (*calls, ag.index_put(x, [index], source, accumulate=True)):
        assert found.dtype == dtype
        np.testing.assert_array_equal(found.to_host(), expected)
    wider = ops.index_add(x, index, core.from_host(np.ones(2, np.float32)))
    assert wider.dtype == "float32"
