"""Kernels that need nothing of each other share a launch; those that do come one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from launched import assert_agrees, element, formula, operand, schedules

from netcl import core
from netcl.kernels.compiler.ir import position, read, reduce
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.given import Looped
from netcl.kernels.compiler.loops.ir import LoopNest
from netcl.kernels.compiler.loops.positions import ONE
from netcl.kernels.compiler.lower.kernel import Access, Computation, Kernel, Write
from netcl.kernels.compiler.lower.nest import Nest
from netcl.kernels.compiler.lower.sharing import shared as shared_by
from netcl.kernels.compiler.target import CPU, GPU
from netcl.kernels.compiler.targets.cpu.loops import Loops
from netcl.kernels.compiler.targets.cpu.nested import made
from netcl.kernels.runtime import launch

rng = np.random.default_rng(5)


def kernel(name: str, reads: str, writes: str, **more: Any) -> Kernel:
    """One that reads and writes the buffers of these letters."""
    accesses = {each: Access(each, each, "float32", 0, {}) for each in reads}
    written = tuple(Write(read("x", (), "float32"), Access(each, each, "float32", 0, {}), ()) for each in writes)
    computation = Computation(name, "", written, accesses, {}, {})
    nest = LoopNest(name, "group", ONE, "item", 1, (), ())
    return Looped(computation=computation, schedule="map", nest=nest, given={}, groups=1, **more)


def shared(kernels: Sequence[Kernel], arguments: Sequence[int]) -> list[list[int]]:
    """The launches of kernels with so many arguments, of which no two mean the same."""
    return shared_by(kernels, [{(at, each) for each in range(many)} for at, many in enumerate(arguments)], CPU.launches)


def test_kernels_share_a_launch_unless_one_needs_what_another_writes() -> None:
    a, b, c, d = kernel("a", "x", "p"), kernel("b", "x", "q"), kernel("c", "pq", "y"), kernel("d", "x", "z")
    assert shared([a, b, c, d], [5] * 4) == [[0, 1, 3], [2]]
    assert shared([a, c, b, d], [5] * 4) == [[0, 3], [1], [2]]  # c wants q as it was
    chain = [kernel("1", "x", "p"), kernel("2", "p", "q"), kernel("3", "q", "r")]
    assert shared(chain, [5] * 3) == [[0], [1], [2]]


def test_a_kernel_that_overwrites_what_another_reads_or_writes_comes_after_it() -> None:
    assert shared([kernel("a", "x", "y"), kernel("b", "z", "x")], [5] * 2) == [[0], [1]]
    assert shared([kernel("a", "x", "y"), kernel("b", "z", "y")], [5] * 2) == [[0], [1]]
    pieces = [kernel("a", "x", "y", piece=1), kernel("b", "z", "y", piece=2), kernel("c", "z", "y", piece=2)]
    assert shared(pieces, [5] * 3) == [[0, 1], [2]]
    assert shared([kernel("a", "x", "y", piece=1), kernel("b", "z", "y")], [5] * 2) == [[0], [1]]


def test_what_a_kernel_does_then_counts_as_its_own() -> None:
    first = kernel("a", "x", "p", then=kernel("then", "p", "y"))
    assert shared([first, kernel("b", "y", "z")], [5] * 2) == [[0], [1]]
    assert shared([first, kernel("b", "x", "z")], [5] * 2) == [[0, 1]]


def test_a_launch_has_no_more_arguments_than_every_device_takes() -> None:
    many = [kernel(str(at), "x", "abcdefgh"[at]) for at in range(8)]
    assert shared(many, [40] * 8) == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert shared(many[:2], [300, 3]) == [[0], [1]]
    assert [len(each) for each in shared([kernel(str(at), "x", f"y{at}"[1:]) for at in range(9)], [1] * 9)] == [9]


def test_an_argument_that_means_the_same_for_several_kernels_counts_once() -> None:
    many = [kernel(str(at), "x", "abcdefgh"[at]) for at in range(8)]
    given = [{*range(90), f"own {at}"} for at in range(8)]
    assert shared_by(many, given, CPU.launches) == [[0, 1, 2, 3, 4, 5, 6, 7]]
    assert shared_by(many, [{*range(at, at + 98)} for at in range(8)], CPU.launches) == [[0, 1, 2], [3, 4, 5], [6, 7]]


def test_kernels_of_a_launch_are_given_a_tensor_and_its_strides_once() -> None:
    x = operand("x", "i j")
    outputs = {
        "rows": ("i", reduce("sum", ("j",), element(x))),
        "largest": ("i", reduce("max", ("j",), call("mul", element(x), element(x)))),
        "columns": ("j", reduce("sum", ("i",), element(x))),
    }
    plan = assert_agrees(formula("several", [x], outputs), [rng.random((5, 7)).astype(np.float32)])
    (launched,) = plan.kernels
    head = launched.text[launched.text.index("__kernel") :].split(") {")[0]
    assert head.count("*x") == 1
    assert head.count("x_offset") == 1
    assert head.count("stride") == 1


@pytest.mark.parametrize("size", [1, 3, 1000, 70_001])
def test_outputs_of_other_shapes_are_computed_in_one_launch(size: int) -> None:
    a, b, c = operand("a", "i k"), operand("b", "j"), operand("c", "items")
    outputs = {
        "rows": ("i", reduce("sum", ("k",), element(a))),
        "total": ("", reduce("max", ("j",), element(b))),
        "root": ("j", call("exp", element(b))),
        "least": ("", reduce("min", ("items",), element(c))),
        "turned": ("k i", element(a)),
    }
    given = [rng.random(shape).astype(np.float32) for shape in ((5, 7), (size,), (size,))]
    plan = assert_agrees(formula("several", [a, b, c], outputs), given)
    assert len(plan.kernels) == 1
    assert len(schedules(plan)) == 4  # the last output is a view
    before = core.counters()["kernels_launched"]
    plan.run([core.from_host(each) for each in given], {})
    assert core.counters()["kernels_launched"] == before + 1


def test_names_of_one_kernel_do_not_meet_those_of_another() -> None:
    x, x_of_2, item, finished = (operand(name, f"{name}i") for name in ("x", "x_of_2", "item", "finished"))
    outputs = {
        "y": ("xi", call("exp", element(x))),
        "items": ("xi x_of_2i", call("add", element(x), element(x_of_2))),
        "y_of_2": ("", reduce("sum", ("itemi",), element(item))),
        "z": ("", reduce("sum", ("finishedi",), element(finished))),
    }
    given = [rng.random(size).astype(np.float32) for size in (3, 4, 300_000, 400_001)]
    assert_agrees(formula("names", [x, x_of_2, item, finished], outputs), given)


def test_reductions_in_one_launch_count_their_own_work_items() -> None:
    operands = [operand(name, f"i{name}") for name in "abc"]
    outputs = {f"y{of.name}": ("", reduce("sum", of.indices, element(of))) for of in operands}
    given = [rng.random(size).astype(np.float32) for size in (300_000, 1_000_001, 70_000)]
    plan = assert_agrees(formula("sums", operands, outputs), given)
    assert len(plan.kernels) == 1
    tensors = [core.from_host(each) for each in given]
    first = [y.to_host() for y in plan.run(tensors, {})]
    for _ in range(200):
        results = plan.run(tensors, {})
    assert [y.to_host() for y in results] == first


def test_a_device_that_is_no_cpu_has_a_launch_for_each_kernel() -> None:
    from netcl.kernels.compiler.emit import emit

    emitted = emit([_squares("a"), _squares("b")], GPU)
    assert [entry.name for entry in emitted.entries] == ["a__kernel", "b__kernel"]
    assert [entry.name for entry in emit([_squares("a"), _squares("b")], CPU).entries] == ["a__kernel"]


def _squares(name: str) -> Kernel:
    x = read("x", (position("i"),), "float32")
    write = Write(call("mul", x, x), Access(f"y{name}", f"y{name}", "float32", 0, {"i": 1}), ("i",))
    accesses = {"x": Access("x", "x", "float32", 0, {"i": 1})}
    nest = Nest(name, "", (write,), accesses, {"i": 50}, ("i",), {}, CPU)
    return made(nest, Loops("map", parallel=("i",), vector="i"))


def test_a_plan_says_how_each_kernel_of_a_launch_computes() -> None:
    a = operand("a", "i")
    of = formula("two", [a], {"y": ("i", call("exp", element(a))), "z": ("", reduce("sum", ("i",), element(a)))})
    plan = launch.prepare(of, [core.from_host(np.ones(4, np.float32))], {})
    (kernels,) = plan.kernels
    assert len(kernels.schedules) == 2
    assert kernels.text in plan.text
