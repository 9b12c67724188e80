"""The model of memory says of a loop nest what can be counted by hand."""

from __future__ import annotations

import pytest

from netcl.kernels.compiler.ir import Expr, attribute, number, position, read
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.ir import Barrier, Buffer, If, Loop, LoopNest, Statement, Store
from netcl.kernels.compiler.loops.memory import Measured, lines, measured

ITEM, GROUP = position("item"), position("group")
COUNT = attribute("count", "int64")
ELEMENT = call("add", call("mul", GROUP, 64), ITEM)


def of(*body: Statement, dtype: str = "float32", groups: int = 1000, tile: int = 4096) -> Measured:
    """The model of a nest over x and y of 64,000 elements each, and a tile of local memory."""
    empty = number(0, "int64")
    buffers = (
        Buffer("x", dtype, "global", empty), Buffer("y", dtype, "global", empty),
        Buffer("a tile", dtype, "local", number(tile, "int64")),
        Buffer("own one", dtype, "private", number(4, "int64")),
    )  # fmt: skip
    nest = LoopNest("copy", "group", COUNT, "item", 64, buffers, body)
    return measured(nest, {"count": groups}, {"x": 64_000, "y": 64_000})


def copied(at: Expr, dtype: str = "float32") -> Store:
    return Store("y", ELEMENT, read("x", (at,), dtype))


def test_neighbours_that_read_neighbours_touch_as_few_segments_as_there_can_be() -> None:
    found = of(copied(ELEMENT))
    assert [each.ratio for each in found.accesses] == [1, 1]
    assert found.traffic_bytes == found.compulsory_bytes == 2 * 64_000 * 4


@pytest.mark.parametrize(("apart", "ratio"), [(2, 2), (32, 32), (1000, 32)])
def test_neighbours_that_read_far_apart_touch_a_segment_each(apart: int, ratio: int) -> None:
    load, store = of(copied(call("mul", ITEM, apart))).accesses
    assert (load.ratio, store.ratio) == (ratio, 1)


def test_narrow_values_are_more_to_a_segment() -> None:
    assert of(copied(ELEMENT, "uint8"), dtype="uint8").accesses[0].segments == 2000  # of 32 bytes each, so one per load
    assert of(copied(ELEMENT, "float64"), dtype="float64").accesses[0].segments == 4000


def test_what_one_item_does_and_what_many_turns_do_is_counted_as_often_as_it_is_done() -> None:
    one = of(If(call("eq", ITEM, 0), (copied(ELEMENT),)))
    assert [each.segments for each in one.accesses] == [1000, 1000]
    assert [each.lanes for each in one.accesses] == [1000, 1000]
    many = of(Loop("turn", number(100, "int64"), "serial", (copied(ELEMENT),)))
    assert [each.segments for each in many.accesses] == [200_000, 200_000]
    assert many.compulsory_bytes == 2 * 64_000 * 4


def test_what_two_runs_of_neighbours_touch_is_moved_once_for_their_group() -> None:
    load, _ = of(copied(call("add", call("mul", GROUP, 64), call("add", ITEM, 1)))).accesses
    assert load.ratio == 2  # each run of 32 lies across two segments
    assert (load.segments, load.moved) == (4000, 3000)


def test_what_a_condition_keeps_from_memory_is_not_counted() -> None:
    value = call("select", call("lt", ITEM, 32), read("x", (ELEMENT,), "float32"), 0)
    load, store = of(Store("y", ELEMENT, value)).accesses
    assert (load.segments, store.segments) == (1000, 2000)


@pytest.mark.parametrize(("apart", "banks"), [(1, 1), (2, 2), (16, 16), (32, 32), (33, 1)])
def test_items_that_ask_for_one_bank_wait_for_each_other(apart: int, banks: int) -> None:
    put = Store("a tile", call("mul", ITEM, apart), number(0, "float32"))
    assert of(put, Barrier()).worst_banks == banks
    assert of(Store("y", ELEMENT, read("a tile", (number(0, "int64"),), "float32"))).worst_banks == 1


def test_operations_and_memory_of_an_item_are_counted() -> None:
    value = read("x", (ELEMENT,), "float32")
    found = of(Store("y", ELEMENT, call("mul", value, call("exp", value))))
    assert found.operations == 2 * 64_000
    assert found.local_bytes == 4096 * 4
    assert found.registers >= 4
    assert "    load  x              1.00x   256.0 kB" in lines("copy", found)
