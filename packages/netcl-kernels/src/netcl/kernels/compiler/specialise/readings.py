"""Readings at positions: of operands, of attributes that are lists, of definitions, and of outputs in a gradient.

Input: `x[p, q]`, with or without an `else`. Output: an expression. Of a definition it is its formula with the positions
in the place of its indices. Every mistake is reported at its place in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from netcl.kernels.compiler.derive.solve import in_range
from netcl.kernels.compiler.ir import (
    FLOATS,
    REDUCERS,
    Apply,
    Attribute,
    Enclosed,
    Expr,
    Number,
    Output,
    Read,
    Scan,
    number,
    position,
    read,
    size,
    subexpressions,
)
from netcl.kernels.compiler.ir.binding import substitute
from netcl.kernels.compiler.ir.bounds import is_place
from netcl.kernels.compiler.ir.choices import conjunction, conjuncts
from netcl.kernels.compiler.ir.functions import FUNCTIONS
from netcl.kernels.compiler.ir.host import Numbers
from netcl.kernels.compiler.ir.inequalities import says_of_places
from netcl.kernels.compiler.ir.interval import Intervals
from netcl.kernels.compiler.ir.paths import paths
from netcl.kernels.compiler.ir.simplify import as_position, call, cast
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.language.messages import nearest
from netcl.kernels.compiler.specialise.axes import elements_of
from netcl.kernels.compiler.specialise.context import Context, DoesNotFit, shape_text
from netcl.kernels.compiler.specialise.inline import MOST_NODES
from netcl.kernels.compiler.specialise.lengths import same_length
from netcl.kernels.compiler.specialise.scope import Scope, walk

Reading = tuple[Expr, tuple[tuple[str, Expr], ...]]
"""What is read, and the position along each of its indices."""


class State(NamedTuple):
    """A definition while the equations that it belongs to are translated."""

    name: str
    indices: tuple[str, ...]
    dtype: str


class Readings:
    """Translates the readings of one specialisation; `translate` does their positions, `definition` gives the
    expression of a local definition."""

    def __init__(
        self,
        setting: Context,
        scope: Scope,
        translate: Callable[[syntax.Expression], Expr],
        definition: Callable[[str, syntax.Span], Expr],
    ) -> None:
        self.setting = setting
        self.scope = scope
        self._translate = translate
        self._definition = definition
        self._axes = setting.declaration.named_axes()
        self.readable: dict[str, Output] = {}
        """The outputs, and their gradients, that the gradient which is translated may read."""
        self.states: dict[str, State] = {}
        """The definitions of the system that is translated, which are read from its states."""
        self.spans: dict[Expr, syntax.Span] = {}
        """Where an element of a state is read."""
        self.elements: dict[str, Expr] = {}
        """What the packs and lists in `x[*(…)]` stand for, while one of its positions is translated."""

    def at(self, node: syntax.Subscripted) -> Expr:
        """`x[p, q]`, `size[k]`, `position[*i]` or `stride[0]`."""
        if node.name == "size":
            return self.scope.extent(node)
        if node.name == "position":
            return self.scope.place(node)
        found = self.setting.attribute(node.name)
        if found is not None and node.name not in self.readable:
            return self.scope.list_at(found, node)
        value, places = self._read(node)
        if node.name in self.states:
            return call("select", self._required_of([where for _, where in places]), value, cast(0, value.dtype))
        return value

    def guarded(self, node: syntax.Guarded) -> Expr:
        """`x[p, q] else 0`."""
        found, places = self._read(node.reading, guarded=True)
        inside: Expr = number(True, "bool")
        for index, where in places:
            inside = call("and", inside, in_range(where, index, self.setting.sizes))
        if node.reading.name in self.states:
            inside = call("and", inside, self._required_of([where for _, where in places]))
        return call("select", inside, found, self._translate(node.alternative))

    def _required_of(self, places: Sequence[Expr]) -> Expr:
        """What `where` requires of the attributes in these positions: in `y[t - lag]`, that lag > 0 says that it looks
        back."""
        named = {each for each in subexpressions(*places) if isinstance(each, Attribute)}
        required: list[Expr] = []
        for requirement in self.setting.declaration.requirements if named else ():
            for each in conjuncts(self._translate(requirement)):
                asked = {node for node in subexpressions(each) if isinstance(node, Attribute)}
                if asked and asked <= named and says_of_places(each):
                    required.append(each)
        return conjunction(required)

    def state(self, name: str, span: syntax.Span) -> Expr:
        """An element of a state, at its own indices."""
        of = self.states[name]
        return self._element_of(of, tuple(map(position, of.indices)), span)

    def indices_of_state(self, name: str, span: syntax.Span) -> tuple[str, ...]:
        """The indices of a definition that reads itself. They stand between brackets."""
        if self._axes[name] is None:
            raise span.error(f"{name} reads itself, so its indices stand between brackets: {name}[t] = …;")
        return self._between_brackets(name, span)

    def _element_of(self, of: State, at: tuple[Expr, ...], span: syntax.Span) -> Expr:
        found = read(of.name, at, of.dtype)
        self.spans.setdefault(found, span)
        return found

    def computed(self, output: Output) -> str:
        """The dtype that an output, or its gradient, is computed with."""
        return self.setting.compute if output.dtype in FLOATS else output.dtype

    def _read(self, node: syntax.Subscripted, guarded: bool = False) -> Reading:
        """What is read at positions, and where along each index."""
        name, output = node.name, self.readable.get(node.name)
        if output is not None:
            at = self._places(node, output.indices)
            found = cast(read(name, at, output.dtype), self.computed(output))
            return found, tuple(zip(output.indices, at, strict=True))
        if name in self.states:
            of = self.states[name]
            at = self._places(node, of.indices)
            return self._element_of(of, at, node.span), tuple(zip(of.indices, at, strict=True))
        if name in self._axes:
            return self._definition_at(node, guarded)
        operand = self.setting.operand(name)
        if operand is not None and name not in self.setting.tensors:
            return self.scope.number(operand, node.span), ()
        at = self._places_of_operand(node)
        return self.scope.element(name, at), tuple(zip(self.setting.indices_of(name), at, strict=True))

    def _definition_at(self, node: syntax.Subscripted, guarded: bool) -> Reading:
        """A definition with positions in the place of its indices."""
        value, indices = self._definition(node.name, node.span), self._indices_of(node.name, node.span)
        places = tuple(zip(indices, self._places(node, indices), strict=True))
        if not guarded:
            unread = {index for index, at in places if at is not position(index) and not _is_read_along(value, index)}
            places = tuple((index, self._inside(index, at) if index in unread else at) for index, at in places)
        found = substitute(value, dict(places))
        for each in subexpressions(value) if found is not value else ():
            if isinstance(each, Apply) and each.function == "named" and not each.free.isdisjoint(indices):
                raise node.span.error(
                    f"{node.name} has a gradient of its own in it (grad …), and is only read at its own indices"
                )
        if sum(1 for _ in subexpressions(found)) > MOST_NODES:
            raise node.span.error(f"with {node.name} this formula becomes too large")
        return found, places

    def _inside(self, index: str, at: Expr) -> Expr:
        """A position that no reading of an operand checks: it is, unless it is seen to be in range."""
        index = same_length(self.setting, index)
        inside = in_range(at, index, self.setting.sizes)
        if (isinstance(inside, Number) and inside.value) or is_place(at, index, {}):
            return at
        lengths = {name: self.setting.sizes.get(same_length(self.setting, name)) for name in self.setting.sizes}
        sizes = {name: int(each.value) for name, each in lengths.items() if isinstance(each, Number)}
        least, most = Intervals(Numbers(sizes, {}), anything=True).of(at)
        return at if least >= 0 and most < sizes.get(index, 0) else call("within", at, size(index))

    def _indices_of(self, name: str, span: syntax.Span) -> tuple[str, ...]:
        """The indices of a definition, an output or the result of a use, in order."""
        axes, free = self._axes[name], sorted(self._definition(name, span).free)
        if axes is None:
            if len(free) > 1:
                shown = self.setting.in_text(free)
                raise span.error(
                    f"{name} has the indices {' and '.join(shown)}; to read it at positions, say their order between "
                    f"brackets where it gets its name: {name}[{', '.join(shown)}]"
                )
            return tuple(free)
        return self._between_brackets(name, span)

    def _between_brackets(self, name: str, span: syntax.Span) -> tuple[str, ...]:
        indices: list[str] = []
        for axis in self._axes[name] or ():
            if axis.kind not in ("index", "pack", "unit"):
                raise span.error(f"an axis of {name} is no index; give what is read here a definition with indices")
            if axis.kind != "unit":
                indices += self.scope.indices_of(axis)
        return tuple(indices)

    def _places_of_operand(self, node: syntax.Subscripted) -> tuple[Expr, ...]:
        """The position along each index of an operand; there may be one for an axis of length 1."""
        name, setting = node.name, self.setting
        if name not in setting.tensors:
            raise node.span.error(self._not_read(name))
        at = [each for entry in range(len(node.subscripts)) for each in self._along(node, entry)]
        units = [not axis for axis in setting.axes[name]]
        if any(units) and len(at) == len(units):
            at = [each for each, unit in zip(at, units, strict=True) if not unit]
        indices = setting.indices_of(name)
        if len(at) > len(indices) and any(isinstance(each, (syntax.Every, syntax.Each)) for each in node.subscripts):
            self._require_axes(node)
            raise DoesNotFit(
                f"operand {name} has {len(indices)} of the {len(at)} axes that it is read along here, where it does "
                "not broadcast; give it an axis of length 1 for each of the others, or another operand fewer axes"
            )
        return self._each_once(node, at, indices)

    def _along(self, node: syntax.Subscripted, entry: int) -> Sequence[Expr]:
        """The positions that an entry between the brackets gives; a pack those along the axes that the operand has."""
        found, declared = [*self._positions(node.subscripts[entry])], self.setting.axes_of(node.name)
        is_whole = isinstance(node.subscripts[entry], syntax.Every) and len(declared) == len(node.subscripts)
        if is_whole and declared[entry].kind == "pack" and not self.setting.is_member(node.name):
            own = elements_of(self.setting, node.name, declared[entry])
            return found[max(len(found) - len(own), 0) :]
        return found

    def _places(self, node: syntax.Subscripted, indices: Sequence[str]) -> tuple[Expr, ...]:
        """The position along each of these indices."""
        return self._each_once(node, [at for each in node.subscripts for at in self._positions(each)], indices)

    def _each_once(self, node: syntax.Subscripted, at: Sequence[Expr], indices: Sequence[str]) -> tuple[Expr, ...]:
        if len(at) != len(indices):
            given = f"{len(at)} {'position is' if len(at) == 1 else 'positions are'} given"
            shown = f" ({', '.join(indices)})" if indices else ""
            has = f"{node.name} has {len(indices)} {'index' if len(indices) == 1 else 'indices'}"
            raise node.span.error(f"{has}{shown}, but {given}")
        return tuple(as_position(each) for each in at)

    def _require_axes(self, node: syntax.Subscripted) -> None:
        """Refuse more positions beside the packs than the operand is declared with axes."""
        declared = self.setting.declared(node.name)
        single = [each for each in node.subscripts if not isinstance(each, (syntax.Every, syntax.Each))]
        axes = sum(max(len(each.names), 1) for each in declared.axes or () if each.kind in ("index", "split", "unit"))
        if declared.axes is not None and len(single) > axes:
            raise single[-1].span.error(
                f"{node.name} is declared {shape_text(declared)}, and has no axis for this position; "
                "leave it out, or give the operand one more axis"
            )

    def _not_read(self, name: str) -> str:
        if name in REDUCERS:
            return f"{name} is a reducer; what it runs over stands behind the brackets, as in {name}[k](…)"
        if name in FUNCTIONS:
            return f"{name} is a function; its arguments stand in parentheses, as in {name}(…)"
        return f"{name} is no operand{nearest(name, [*self.setting.tensors, *self._axes])}"

    def _positions(self, subscript: syntax.Expression | syntax.Every | syntax.Each) -> Iterator[Expr]:
        if isinstance(subscript, syntax.Every):
            yield from map(position, self.scope.pack(subscript.pack, subscript.span))
        elif isinstance(subscript, syntax.Each):
            yield from (self._checked_position(each, subscript.span) for each in self._each(subscript))
        else:
            yield self._checked_position(self._translate(subscript), subscript.span)

    def _checked_position(self, found: Expr, span: syntax.Span) -> Expr:
        if found.dtype in FLOATS or found.dtype == "bool":
            raise span.error(
                f"a position is a whole number, but this is {found.dtype}; // divides whole numbers, int(…) cuts"
            )
        return found

    def _each(self, subscript: syntax.Each) -> Iterator[Expr]:
        names = {node.name for node in walk(subscript.expr) if isinstance(node, syntax.Name)}
        packs = {name: self.setting.packs[name] for name in names if name in self.setting.packs}
        lists = [each for each in self.setting.declaration.attributes if each.name in names and each.type == "ints"]
        lengths = {len(elements) for elements in packs.values()} | {self.setting.static[each.name] for each in lists}
        if not packs and not lists:
            raise subscript.span.error("*(…) runs over the packs and lists of numbers in it, but there is none")
        if len(lengths) > 1:
            shown = " and ".join(map(str, sorted(lengths)))
            raise subscript.span.error(f"*(…) runs over packs and lists together, but their lengths are {shown}")
        outer = self.elements
        try:
            for at in range(lengths.pop()):
                self.elements = {name: position(elements[at]) for name, elements in packs.items()}
                self.elements.update({each.name: self.scope.list_element(each, at) for each in lists})
                yield self._translate(subscript.expr)
        finally:
            self.elements = outer


def _is_read_along(value: Expr, index: str) -> bool:
    """Whether operands are read at an index of a formula whenever it is asked for, which is checked. Where something is
    computed along it, step by step or in order, and in a function of positions alone, none is; and what is read only
    under a condition, or elsewhere, says nothing of the index itself."""
    if any(isinstance(each, (Scan, Enclosed)) and index in each.free for each in subexpressions(value)):
        return False
    place = position(index)
    return any(isinstance(each, Read) and place in each.at and () in ways for each, ways in paths(value).items())
