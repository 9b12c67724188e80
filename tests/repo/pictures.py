"""Pictures of recurrences for their page: which elements each one reads, and how early it can be computed.

Every element of the states is a square of a small example. It is looked up for each what its equation reads there, of
conditions and positions that only data know anything that may be; the number in a square is 1 more than that of all
that it reads, so that squares with one number can be computed side by side. Arrows lead to one of the elements.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape

from netcl.kernels.compiler.ir import (
    INDEX_DTYPE,
    Apply,
    Enclosed,
    Expr,
    Formula,
    Read,
    Recurrence,
    Reduce,
    Scan,
    Size,
    host,
    number,
    root,
    state_name,
    subexpressions,
)
from netcl.kernels.compiler.ir.binding import substitute
from netcl.kernels.compiler.ir.recurrences import order_of
from netcl.kernels.compiler.ir.show import state_names
from netcl.kernels.compiler.ir.show_steps import systems

Element = tuple[str, tuple[int, ...]]
Places = Mapping[str, int]
STEPS, OTHERS = 5, 2
"""Lengths of the axes of an example: of one that is gone along, of any other."""


@dataclass
class System:
    """States of an example: by name their axes, those of the rows of a grid, and what each element reads."""

    axes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    down: dict[str, tuple[str, ...]] = field(default_factory=dict)
    reads: dict[Element, set[Element]] = field(default_factory=dict)

    def numbers(self) -> dict[Element, int]:
        """When each element can be computed: 1 are those that read none."""
        found: dict[Element, int] = {}
        left = dict(self.reads)
        for at in range(1, len(left) + 1):
            ready = [each for each, reads in left.items() if reads <= found.keys()]
            assert ready or not left, f"elements read each other: {next(iter(left.items()))}"
            found |= dict.fromkeys(ready, at)
            for each in ready:
                del left[each]
        return found


def is_recurrence(formula: Formula) -> bool:
    """Whether it has steps or running values; those that a sort is written with are none."""
    return any(
        isinstance(each, Recurrence) or (isinstance(each, Scan) and each.kind != "argsort") for each in _nodes(formula)
    )


def systems_of(formula: Formula) -> list[System]:
    """An example of each system of a formula, and of each of its running values."""
    names = state_names(formula)
    along = {index for node in systems(formula) for index in order_of(node).along}
    example = _Example(formula, along)
    found = [example.system(node, names) for node in systems(formula)]
    scans = {(root(each.index), each.backward) for each in _nodes(formula) if isinstance(each, Scan)}
    return found + [_running(*scan) for scan in sorted(scans)]


def _nodes(formula: Formula) -> Iterable[Expr]:
    return subexpressions(*(output.expr for output in formula.outputs))


def _running(index: str, backward: bool) -> System:
    """A running value: each reads the one before it."""
    step = -1 if backward else 1
    places = range(STEPS)
    reads = {("", (at,)): {("", (at - step,))} if at - step in places else set() for at in places}
    return System({"": (index,)}, {"": ()}, reads)


class _Example:
    def __init__(self, formula: Formula, along: Collection[str]) -> None:
        self.sizes: dict[str, int] = {}
        self.along = {root(each) for each in along}
        for index in dict.fromkeys(root(each) for each in _indices(formula)):
            self.sizes[index] = STEPS if index in self.along else OTHERS
        for index, expr in formula.sizes.items():
            known = self.value(expr, {})
            if known is not None:
                self.sizes[index] = known

    def system(self, node: Recurrence, names: Mapping[str, str]) -> System:
        order, found = order_of(node), System()
        own = {state_name(node.label, which): names[state_name(node.label, which)] for which in range(len(node.axes))}
        for which, (axes, body) in enumerate(zip(node.axes, node.bodies, strict=True)):
            name = names[state_name(node.label, which)]
            shown = [each for each in axes if each not in order.apart]
            steps = [each for each in shown if each in order.along]
            across = steps if len(steps) < len(shown) else shown[-1:]
            found.axes[name] = axes
            found.down[name] = tuple(each for each in shown if each not in across)
            spans = [range(1) if each in order.apart else range(self.sizes[root(each)]) for each in axes]
            for at in itertools.product(*spans):
                reads = self.reads(body, dict(zip(axes, at, strict=True)), own)
                found.reads[name, at] = {(own[state], place) for state, place in reads}
        for element, those in found.reads.items():  # a condition that only data know keeps inside
            found.reads[element] = those & found.reads.keys()
        return found

    def reads(self, expr: Expr, places: Places, own: Collection[str]) -> Iterator[Element]:
        """The elements of the states that an expression reads at a place."""
        if isinstance(expr, Read) and expr.operand in own:
            given = [self.value(each, places) for each in expr.at]
            spans = [range(STEPS) if each is None else [each] for each in given]
            yield from ((expr.operand, at) for at in itertools.product(*spans))
        if isinstance(expr, Apply) and expr.function == "select":
            condition, *ways = expr.children
            yield from self.reads(condition, places, own)
            chosen = self.value(condition, places)
            for way in ways if chosen is None else [ways[not chosen]]:
                yield from self.reads(way, places, own)
        elif isinstance(expr, Reduce):
            for at in itertools.product(*(range(self.sizes[root(each)]) for each in expr.over)):
                yield from self.reads(expr.body, {**places, **dict(zip(expr.over, at, strict=True))}, own)
        elif isinstance(expr, Enclosed) and not isinstance(expr, Recurrence):
            within = {index: self.value(at, places) for index, at in zip(expr.axes[expr.which], expr.at, strict=True)}
            known = {index: at for index, at in within.items() if at is not None}
            for each in expr.children[len(expr.at) :]:
                yield from self.reads(each, {**places, **known}, own)
        else:
            for each in expr.at if isinstance(expr, Enclosed) else expr.children:
                yield from self.reads(each, places, own)

    def value(self, expr: Expr, places: Places) -> int | None:
        """What an integer expression comes to at a place; None where only data know."""
        if isinstance(expr, Apply) and expr.function in ("and", "or"):
            given = {self.value(each, places) for each in expr.children}
            deciding = expr.function == "or"
            return deciding if deciding in given else None if None in given else not deciding
        at = {index: number(place, INDEX_DTYPE) for index, place in places.items()}
        sizes = {index: self.sizes[root(index)] for index in _sizes(expr)}
        return host.known(substitute(expr, at), host.Numbers(sizes, {}))


def _sizes(expr: Expr) -> Iterator[str]:
    return (each.index for each in subexpressions(expr) if isinstance(each, Size))


def _indices(formula: Formula) -> Iterator[str]:
    for axes in (*(each.axes for each in formula.operands), *(each.axes for each in formula.outputs)):
        yield from itertools.chain(*axes)
    for node in _nodes(formula):
        if isinstance(node, Enclosed):
            yield from itertools.chain(*node.axes)
        elif isinstance(node, Reduce):
            yield from node.over


CELL, GAP = 18, 36


def picture(formulas: Mapping[str, Formula]) -> str:
    """The systems of each formula, one below the other, under its title, as an SVG."""
    width, top, pieces = 0, 8, []
    for title, formula in formulas.items():
        systems = [_Drawn(each) for each in systems_of(formula)]
        if systems:
            pieces.append(f'<text x="8" y="{top + 10}" fill="#888" text-anchor="start">{escape(title)}</text>')
            width, top = max(width, 6 * len(title) + 16), top + 18
        for each in systems:
            pieces.append(f'<g transform="translate(8 {top})">{each.text}</g>')
            width, top = max(width, each.width + 16), top + each.height + 12
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{top}" viewBox="0 0 {width} {top}" '
        'role="img" font-family="sans-serif" font-size="10" text-anchor="middle">\n'
        '<defs><marker id="tip" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="5" markerHeight="5" orient="auto">'
        '<path d="M0 0 6 3 0 6z" fill="#e8590c"/></marker></defs>\n' + "\n".join(pieces) + "\n</svg>\n"
    )


class _Drawn:
    """The grids of a system beside each other."""

    def __init__(self, system: System) -> None:
        self.centres: dict[Element, tuple[float, float]] = {}
        self.width = self.height = 0
        numbers = system.numbers()
        grids = [self._grid(system, name, numbers) for name in system.axes]
        arrows = [self._arrows(system, name) for name in system.axes]
        self.text = "".join([*grids, *arrows])

    def _grid(self, system: System, name: str, numbers: Mapping[Element, int]) -> str:
        axes, down, last = system.axes[name], system.down[name], max(numbers.values())
        left = self.width + GAP if self.width else 0
        places = {
            each: (
                tuple(at for at, axis in zip(each[1], axes, strict=True) if axis in down),
                tuple(at for at, axis in zip(each[1], axes, strict=True) if axis not in down),
            )
            for each in numbers
            if each[0] == name
        }
        rows = {row: rank for rank, row in enumerate(sorted({row for row, _ in places.values()}))}
        columns = {column: rank for rank, column in enumerate(sorted({column for _, column in places.values()}))}
        squares: dict[int, list[str]] = {}
        texts: dict[bool, list[str]] = {False: [], True: []}
        for element, (row, column) in places.items():
            x, y, at = left + columns[column] * CELL, rows[row] * CELL, numbers[element]
            self.centres[element] = (x + CELL / 2, y + CELL / 2)
            squares.setdefault(at, []).append(f"M{x} {y}h17v17h-17z")
            texts[_shade(at, last) > 0.5].append(f'<text x="{x + CELL // 2}" y="{y + 13}">{at}</text>')
        pieces = [f'<path fill="{_colour(_shade(at, last))}" d="{"".join(each)}"/>' for at, each in squares.items()]
        pieces += [
            f'<g fill="{"#fff" if dark else "#123"}">{"".join(each)}</g>' for dark, each in texts.items() if each
        ]
        text = f"{name}[{', '.join(axes)}]" if name else f"along {axes[0]}"
        wide, high = max(len(columns) * CELL, 6 * len(text)), len(rows) * CELL + 14
        label = f'<text x="{left}" y="{high - 2}" fill="#888" text-anchor="start">{escape(text)}</text>'
        self.width, self.height = left + wide, max(self.height, high)
        return "".join([*pieces, label])

    def _arrows(self, system: System, name: str) -> str:
        """To one element of a state, from all that it reads: of those that read most the one in the middle."""
        own = [each for each in system.reads if each[0] == name]
        most = max(len(system.reads[each]) for each in own)
        candidates = [each for each in own if len(system.reads[each]) == most]
        target = candidates[len(candidates) // 2]
        return "".join(
            f'<path d="M{self._centre(each)}L{self._centre(target)}" stroke="#e8590c" stroke-opacity="0.7" '
            'marker-end="url(#tip)"/>'
            for each in sorted(system.reads[target])
        )

    def _centre(self, element: Element) -> str:
        x, y = self.centres[element]
        return f"{x:g} {y:g}"


def _shade(at: int, last: int) -> float:
    return (at - 1) / max(last - 1, 1)


def _colour(shade: float) -> str:
    """Between a light blue and a dark one."""
    return "#" + "".join(f"{round(a + (b - a) * shade):02x}" for a, b in ((219, 8), (233, 81), (246, 156)))
