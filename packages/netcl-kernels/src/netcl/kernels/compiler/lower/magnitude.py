"""How large the numbers become that kernels compute positions with: they have 64 bits, and wrap without a word.

Input: the kernels of a recipe, what the host knows. Output: how far the attributes may go that the host does not know
yet. Arithmetic on positions and sizes (all of it) and on attributes (in positions, and in where an access lies) that
could leave 64 bits is refused, with as much of the expression as does. What is computed from the elements of tensors
wraps around, as the language says, unless it is a position: see `overflow`.

A bound is a sum of products of sizes, so that it is found without comparing one size with another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import prod
from typing import TypeGuard

from netcl.core.errors import IndexOutOfRangeError
from netcl.kernels.compiler.ir import (
    INDEX_DTYPE,
    Apply,
    Attribute,
    Expr,
    Number,
    Position,
    Size,
    root,
    subexpressions,
)
from netcl.kernels.compiler.ir.construct import MOST_BITS
from netcl.kernels.compiler.ir.host import Numbers
from netcl.kernels.compiler.ir.polynomial import is_counted
from netcl.kernels.compiler.ir.show import expression_text
from netcl.kernels.compiler.ir.simplify import COMPARISONS
from netcl.kernels.compiler.lower.kernel import Access, Kernel

_BITS = 64
_LIMIT = 1 << 63
_REACHES = (1 << 40, 1 << 20, 1)
"""How far, up and down, an attribute may go that moves a position: the first of these with which all else fits."""


def limits(name: str, kernels: Iterable[Kernel], numbers: Numbers) -> Mapping[str, int]:
    """How far each attribute that positions are computed with may go, where the host does not know it. Raises
    IndexOutOfRangeError where arithmetic on positions could leave 64 bits."""
    found: dict[str, int] = {}
    for kernel in kernels:
        for each in (kernel, kernel.then) if kernel.then else (kernel,):
            for attribute, reach in _Kernel(name, each, numbers).limits().items():
                found[attribute] = min(reach, found.get(attribute, reach))
    return found


class _Kernel:
    def __init__(self, name: str, kernel: Kernel, numbers: Numbers) -> None:
        self.name = name
        self.kernel = kernel
        self.numbers = numbers
        self.everywhere = [*subexpressions(*kernel.exprs)]
        self.positions = [*subexpressions(*kernel.positions, *_compared(self.everywhere))]
        computed = (node for node in self.positions if isinstance(node, Apply) and node.dtype == INDEX_DTYPE)
        parts = (child for node in computed for child in _parts(node))
        moved = {child.name for child in parts if isinstance(child, Attribute) and child.dtype == INDEX_DTYPE}
        moved.update(attribute for each in kernel.accesses.values() for attribute, _ in each.shift)
        self.moved = sorted(moved - numbers.attributes.keys())

    def limits(self) -> dict[str, int]:
        for reach in _REACHES if self.moved else (0,):
            sizes = self._sizes(reach)
            if sum(size for size, _ in sizes) < _LIMIT or all(size < _LIMIT for size, _ in sizes):
                return dict.fromkeys(self.moved, reach)
        size, what = next(each for each in sizes if each[0] >= _LIMIT)
        raise IndexOutOfRangeError(
            f"{self.name}: {expression_text(what) if isinstance(what, Expr) else what} may come to "
            f"2^{size.bit_length() - 1} and more, but the whole numbers of a kernel have 64 bits; use smaller ones"
        )

    def _sizes(self, reach: int) -> list[tuple[int, Expr | str]]:
        """A bound for each number that is computed for positions, and what it is."""
        found: list[tuple[int, Expr | str]] = [(abs(int(each.value)), each) for each in self._long_literals()]
        for nodes, of_attributes in ((self.everywhere, None), (self.positions, reach)):
            bounds = _Bounds(self.kernel, self.numbers, of_attributes)
            for node in nodes:
                size = bounds.of(node)
                if size is not None and isinstance(node, Apply):
                    found.append((size, node))
        for access in self.kernel.accesses.values():
            if access.condition is not None or access.shift:
                found.append((self._farthest(access, reach), f"the place of what is read of {access.buffer}"))
        for over in self.kernel.linearised:
            steps = prod(self.kernel.extents[root(index)] + 1 for index in over)
            found.append((steps, f"the number of steps over {', '.join(over)}"))
        return found

    def _long_literals(self) -> Iterator[Number]:
        """Those of more than 64 bits, but where what they are added to or multiplied with wraps around, and all whose
        last bits are not known."""
        yield from (each for each in self.everywhere if _is_long(each) and abs(each.value) >= 1 << MOST_BITS)
        for node in self.everywhere:
            if not isinstance(node, Apply) or node.function not in _WRAPPED or is_counted(node):
                yield from filter(_is_long, node.children)
        yield from filter(_is_long, (*self.kernel.exprs, *self.positions))

    def _farthest(self, access: Access, reach: int) -> int:
        far = abs(access.offset)
        far += sum(abs(stride) * self.kernel.extents[root(index)] for index, stride in access.strides.items())
        return far + sum(abs(factor) * self._reach(name, reach) for name, factor in access.shift)

    def _reach(self, attribute: str, reach: int) -> int:
        found = self.numbers.attributes.get(attribute)
        return reach if found is None else abs(found)


def _compared(nodes: Iterable[Expr]) -> Iterator[Expr]:
    """What is compared with positions: in a gradient, where a formula reads."""
    for node in nodes:
        compares = isinstance(node, Apply) and node.function in COMPARISONS
        if compares and node.free and all(map(is_counted, node.children)):
            yield from node.children


class _Bounds:
    """Bounds for the absolute values of index arithmetic; `reach` is that of unknown attributes, if they count."""

    def __init__(self, kernel: Kernel, numbers: Numbers, reach: int | None) -> None:
        self.kernel = kernel
        self.numbers = numbers
        self.reach = reach
        self._memo: dict[Expr, int | None] = {}

    def of(self, node: Expr) -> int | None:
        """None of what is not computed from positions, sizes and numbers alone. Children come before parents."""
        if node not in self._memo:
            self._memo[node] = self._found(node)
        return self._memo[node]

    def _found(self, node: Expr) -> int | None:
        if isinstance(node, Number):
            if node.dtype != INDEX_DTYPE:
                return None
            return abs(int(node.value)) if _is_long(node) else min(abs(int(node.value)), _LIMIT - 1)
        if isinstance(node, Position):
            return self._length(node.index)
        if isinstance(node, Size):
            return self._length(node.index)
        if isinstance(node, Attribute):
            if self.reach is None or node.dtype != INDEX_DTYPE:
                return None
            return abs(self.numbers.attributes[node.name]) if node.name in self.numbers.attributes else self.reach
        if not isinstance(node, Apply) or node.dtype != INDEX_DTYPE:
            return None
        if node.function == "cast":
            return 1 if node.children[0].dtype == "bool" and is_counted(node.children[0]) else None
        parts = [self.of(child) for child in _parts(node)]
        known = [each for each in parts if each is not None]
        if len(known) < len(parts):
            return None
        if node.function in ("add", "sub", "maximum", "minimum", "select"):
            return known[0] + known[1]
        if node.function in ("bit_and", "bit_or", "bit_xor"):
            return 2 * (known[0] + known[1] + 1)
        if node.function == "table":
            return max(known[1:])
        if node.function == "mul":
            return known[0] * known[1]
        if node.function == "shift_left":
            return known[0] << min(known[1], _BITS)
        if node.function == "pow":
            return known[0] ** min(known[1], _BITS) if known[0] > 1 else 1
        if node.function in ("mod", "remainder"):
            return known[1]
        return known[0] if node.function in _NO_LARGER else None

    def _length(self, index: str) -> int:
        return self.kernel.extents[root(index)]


def _parts(node: Apply) -> tuple[Expr, ...]:
    """What a number is computed from; with what a condition compares nothing is computed."""
    return node.children[1:] if node.function == "select" else node.children


def _is_long(node: Expr) -> TypeGuard[Number]:
    return isinstance(node, Number) and node.dtype == INDEX_DTYPE and not -_LIMIT <= node.value < _LIMIT


_WRAPPED = {"add", "sub", "mul", "neg"}
_NO_LARGER = {
    "neg",
    "abs",
    "floor_div",
    "floor_divide",
    "exact_div",
    "fmod",
    "sign",
    "within",
    "copy",
    "detach",
    "shift_right",
}
