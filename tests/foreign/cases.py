"""Numbers to call a program with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from programs import Program, Reduce

Array = np.ndarray[Any, Any]
Results = dict[str, Array]
Seeds = dict[str, Array]


@dataclass(frozen=True)
class Case:
    """Lengths of the axes and arrays to call a program with; `style` says where the numbers are from."""

    style: str
    lengths: dict[str, int]
    arrays: dict[str, Array]
    dtype: str = "float64"
    pack: tuple[int, ...] = ()
    """The shape of the axes that the pack of the program stands for."""

    def shape(self, program: Program, axes: tuple[str, ...]) -> tuple[int, ...]:
        """As netcl sees it, where a pack is any number of axes."""
        found: tuple[int, ...] = ()
        for axis in axes:
            found += self.pack if axis == program.pack else (self.lengths[axis],)
        return found


STYLES = ("grid", "spread")


def case(program: Program, style: str, seed: int, dtype: str = "float64") -> Case:
    """`grid`: quarters, many of them equal; `spread`: none equal; `ones`: axes of length 1; `none`: one of length 0."""
    rng = np.random.default_rng([seed, len(style), ord(style[0])])
    lengths = dict(program.lengths)
    fixed = fixed_axes(program)
    if style == "ones":
        lengths = {axis: length if axis in fixed else int(rng.choice([1, length])) for axis, length in lengths.items()}
    if style == "none":
        free = [axis for axis in lengths if axis not in fixed | axes_with_places(program)]
        if free:
            lengths[free[int(rng.integers(len(free)))]] = 0
    arrays: dict[str, Array] = {}
    for each in program.operands():
        shape = [lengths[axis] for axis in each.axes]
        if each.kind == "int":
            arrays[each.name] = rng.integers(0, max(lengths[each.target], 1), shape)
        elif each.kind == "bool":
            arrays[each.name] = rng.random(shape) < 0.6
        else:
            numbers = rng.uniform(-2, 2, shape)
            if style != "spread":
                numbers = rng.choice([-1.5, -1.0, -0.5, -0.25, -0.0, 0.0, 0.25, 0.5, 0.5, 1.0, 1.0, 1.5, 2.0], shape)
            numbers = np.asarray(numbers, dtype)
            if each.kind == "hole":
                odd = np.asarray(rng.choice([np.inf, -np.inf, np.nan, 1e30, -1.0], shape), dtype)
                numbers = np.where(arrays[each.target], numbers, odd)
            arrays[each.name] = numbers
    length = lengths.get(program.pack, 1)
    shapes = [
        (length,),
        (1, length),
        (length, 1),
        *([()] if length == 1 else []),
        *([(2, length // 2)] if length % 2 == 0 else []),
    ]
    return Case(style, lengths, arrays, dtype, shapes[seed % len(shapes)])


def fixed_axes(program: Program) -> set[str]:
    """The axes whose length is a number in the text."""
    owned = [{axis for operand in op.operands for axis in operand.axes} for op in program.ops]
    found = {index for op, has in zip(program.ops, owned, strict=True) for index in op.indices() if index not in has}
    return found & set(program.lengths)


def axes_with_places(program: Program) -> set[str]:
    """The axes along which the place of an extreme is asked for: an error where they have no elements."""
    return {
        op.aliases.get(index, index)
        for op in program.ops
        for node in op.nodes()
        if isinstance(node, Reduce) and node.kind in ("argmax", "argmin")
        for index in node.over
    }


def seeds(program: Program, given: Case) -> Seeds:
    """Output gradients, and directions for tangents and second gradients, all of them quarters."""
    rng = np.random.default_rng(1)

    def draw(shape: tuple[int, ...]) -> Array:
        return np.asarray(rng.integers(-8, 9, shape) / 4, given.dtype)

    found = {f"direction {name}": draw(each.shape) for name, each in given.arrays.items() if each.dtype.kind == "f"}
    for output in program.ops[-1].outputs:
        found[output.name] = draw(tuple(given.lengths[axis] for axis in output.axes))
    return found
