"""Random programs of up to 60 steps, with fan-out, views, writes in place and hooks: every gradient is exact."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import forwards
import pytest
from exact import add, add_in_place, dot, mul_in_place, product, scale_by, vector, vector_leaf, window
from hypothesis import given, settings
from hypothesis import strategies as st
from thorough import examples

from netcl import autograd as ag

LENGTH = 4
MOST_FACTORS = 12
"""Of a product: more would make the numbers longer, and nothing else."""

KINDS = ("product", "sum", "multiple", "window", "add_in_place", "mul_in_place", "hook", "function")
small = st.integers(-3, 3)
step = st.tuples(st.sampled_from(KINDS), *[st.integers(0, 63)] * 3, small)
steps = st.integers(1, 60).flatmap(lambda length: st.lists(step, min_size=length, max_size=length))
starts = st.lists(st.lists(small, min_size=LENGTH, max_size=LENGTH), min_size=1, max_size=3)


class Square(ag.Function):
    """x * x, as a function of one's own."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, dy: Any) -> Any:
        (x,) = ctx.saved_tensors
        return scale_by(product(dy, x), 2)


class Item:
    """One value of a program: in the engine, and in the oracle."""

    def __init__(self, node: Any, row: forwards.Row, factors: int, leaf: bool = False) -> None:
        self.node = node
        self.row = row
        self.factors = factors  # how many factors the longest product in it has
        self.leaf = leaf  # a leaf, or a view of one: must not be written


class Program:
    """Runs steps on both sides; a step that may not be done is done out of place, or left out."""

    def __init__(self, numbers: list[list[int]], direction: list[list[int]]) -> None:
        self.leaves = [vector_leaf(*each) for each in numbers]
        rows = forwards.leaves(numbers, direction)
        self.items = [Item(node, row, 1, leaf=True) for node, row in zip(self.leaves, rows, strict=True)]
        self.saved: set[int] = set()  # memories that backward will read: a write to them would be refused

    def step(self, kind: str, i: int, j: int, k: int, number: int) -> None:
        first = self.items[i % len(self.items)]
        fitting = [item for item in self.items if item.node.shape == first.node.shape]
        second = fitting[j % len(fitting)]
        {
            "product": self.product, "sum": self.sum, "multiple": self.multiple, "window": self.window,
            "add_in_place": self.add_in_place, "mul_in_place": self.mul_in_place, "hook": self.hook,
            "function": self.function,
        }[kind](first, second, k, number)  # fmt: skip

    def product(self, a: Item, b: Item, k: int, number: int) -> None:
        if a.factors + b.factors > MOST_FACTORS:
            return self.sum(a, b, k, number)
        self._save(a, b)
        cells = [x.times(y) for x, y in zip(a.row.cells, b.row.cells, strict=True)]
        return self._add(product(a.node, b.node), cells, a.factors + b.factors)

    def sum(self, a: Item, b: Item, k: int, number: int) -> None:
        cells = [x.plus(y) for x, y in zip(a.row.cells, b.row.cells, strict=True)]
        self._add(add(a.node, b.node), cells, max(a.factors, b.factors))

    def multiple(self, a: Item, b: Item, k: int, number: int) -> None:
        self._add(scale_by(a.node, number), [x.multiple(number, number) for x in a.row.cells], a.factors)

    def window(self, a: Item, b: Item, k: int, number: int) -> None:
        length = a.node.shape[0]
        start = k % length
        stop = start + 1 + (k // length) % (length - start)
        self.items.append(Item(window(a.node, start, stop), a.row.window(start, stop), a.factors, a.leaf))

    def add_in_place(self, a: Item, b: Item, k: int, number: int) -> None:
        if not self._may_write(a):
            return
        cells = [x.plus(y) for x, y in zip(a.row.cells, b.row.cells, strict=True)]
        assert add_in_place(a.node, b.node) is a.node
        self._written(a, cells, max(a.factors, b.factors))

    def mul_in_place(self, a: Item, b: Item, k: int, number: int) -> None:
        if not self._may_write(a) or a.factors + b.factors > MOST_FACTORS:
            return
        cells = [x.times(y) for x, y in zip(a.row.cells, b.row.cells, strict=True)]
        if b.row.memory is not a.row.memory:  # what is overwritten is copied
            self._save(b)
        mul_in_place(a.node, b.node)
        self._written(a, cells, a.factors + b.factors)

    def hook(self, a: Item, b: Item, k: int, number: int) -> None:
        """A new value whose gradient is multiplied on its way."""
        node = scale_by(a.node, 1)
        node.register_hook(lambda gradient: scale_by(gradient, number))
        self._add(node, [x.multiple(1, number) for x in a.row.cells], a.factors)

    def function(self, a: Item, b: Item, k: int, number: int) -> None:
        if 2 * a.factors > MOST_FACTORS:
            return
        self._save(a)
        self._add(Square.apply(a.node), [x.times(x) for x in a.row.cells], 2 * a.factors)

    def loss(self) -> tuple[Any, forwards.Cell]:
        """A sum of multiples of all elements of the last values."""
        node: Any = None
        cell: Any = None
        for at, item in enumerate(self.items[-4:]):
            numbers = [at + 2 * i + 1 for i in range(item.node.shape[0])]
            part, same = dot(item.node, vector(*numbers)), forwards.dot(item.row, numbers)
            node, cell = (part, same) if node is None else (add(node, part), cell.plus(same))
        return node, cell

    def _add(self, node: Any, cells: list[forwards.Cell], factors: int) -> None:
        self.items.append(Item(node, forwards.fresh(cells), factors))

    def _save(self, *items: Item) -> None:
        self.saved |= {id(item.row.memory) for item in items}

    def _may_write(self, item: Item) -> bool:
        return not item.leaf and id(item.row.memory) not in self.saved

    def _written(self, item: Item, cells: list[forwards.Cell], factors: int) -> None:
        item.row.write(cells)
        for each in self.items:
            if each.row.memory is item.row.memory:
                each.factors = max(each.factors, factors)


def check(program: Program) -> None:
    """Values and gradients of the engine are those of the oracle."""
    for item in program.items:
        assert item.node.value.numbers == [cell.value.a for cell in item.row.cells]
    loss, cell = program.loss()
    assert loss.value == cell.value.a
    found = ag.grad(loss, program.leaves, retain_graph=True, materialize_grads=True)
    expected = [slope.a for slope in cell.slopes]
    assert [number for each in found for number in each.numbers] == expected
    loss.backward()
    kept = [[0] * LENGTH if each.grad is None else each.grad.numbers for each in program.leaves]
    assert [number for each in kept for number in each] == expected


@pytest.mark.promise("L26", "L27", "P28")
@settings(max_examples=examples(1000))
@given(numbers=starts, program=steps)
def test_gradients_of_a_random_program_are_exact(numbers: list[list[int]], program: list[Any]) -> None:
    run = Program(numbers, numbers)
    for each in program:
        run.step(*each)
    check(run)


@settings(max_examples=examples(200))
@given(numbers=starts, direction=starts, program=steps)
def test_second_derivatives_of_a_random_program_are_exact(
    numbers: list[list[int]], direction: list[list[int]], program: list[Any]
) -> None:
    """Along a direction v: the derivative of v . gradient, which is the Hessian times v."""
    direction = (direction * 3)[: len(numbers)]
    run = Program(numbers, direction)
    for each in program:
        if each[0] != "hook":  # a hook would be called again by the second backward
            run.step(*each)
    loss, cell = run.loss()
    found = ag.grad(loss, run.leaves, create_graph=True, materialize_grads=True)
    along: Any = 0
    for gradient, speeds in zip(found, direction, strict=True):
        along = add(along, dot(gradient, vector(*speeds)))
    second = [vector(*[0] * LENGTH)] * len(numbers)
    if isinstance(along, ag.Node):
        second = ag.grad(along, run.leaves, materialize_grads=True)
    assert [number for each in second for number in each.numbers] == [slope.b for slope in cell.slopes]


def test_the_oracle_knows_a_derivative_by_hand() -> None:
    [x] = forwards.leaves([[3, 5]], [[1, 10]])
    y = forwards.fresh([x.cells[0].times(x.cells[1]), x.cells[1].times(x.cells[1])])
    y.window(0, 1).write([y.cells[0].plus(y.cells[1])])  # x0 x1 + x1^2
    cell = forwards.dot(y, [1, 0])
    assert (cell.value.a, [slope.a for slope in cell.slopes]) == (40, [5, 13])
    assert [slope.b for slope in cell.slopes] == [10, 21]


@pytest.mark.parametrize("mistake", [lambda g: scale_by(g, 2), lambda g: add(g, g)])
def test_the_check_finds_a_wrong_gradient(mistake: Callable[[Any], Any]) -> None:
    run = Program([[1, 2, 3, 1]], [[0, 0, 0, 0]])
    run.step("multiple", 0, 0, 0, 3)
    run.items[-1].node.register_hook(mistake)
    with pytest.raises(AssertionError):
        check(run)
