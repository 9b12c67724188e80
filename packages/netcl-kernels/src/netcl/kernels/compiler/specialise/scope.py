"""What a name means within one specialisation: an operand, attribute, pack or index, as an expression of the IR.

Local definitions are expressions themselves and are the business of `translate`, as is everything around a name. Every
mistake is reported at its place in the text.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from netcl.kernels.compiler.ir import INDEX_DTYPE, INTEGERS, Expr, attribute, number, position, read, size
from netcl.kernels.compiler.ir.simplify import cast
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.specialise.context import Context
from netcl.kernels.compiler.specialise.signature import STATIC_TYPES


class Scope:
    """The names of a setting; `attributes` collects name -> dtype of the numbers that become kernel arguments."""

    def __init__(self, setting: Context) -> None:
        self.setting = setting
        self.attributes: dict[str, str] = {}
        self.indices = set(setting.own_indices())

    # operands

    def element(self, name: str, at: tuple[Expr, ...] | None = None) -> Expr:
        """An element of a tensor operand, at its own indices or at others, in the dtype that is computed with."""
        setting = self.setting
        if at is None:
            at = tuple(map(position, setting.indices_of(name)))
        reading = read(name, at, setting.tensors[name].dtype)
        kind = setting.declared(name).type
        if kind == "bool":
            return cast(reading, "bool")
        return cast(reading, setting.compute) if kind in ("float", "number") else reading

    def number(self, operand: syntax.OperandSyntax, span: syntax.Span) -> Expr:
        """An operand given as a Python number, or absent with a default."""
        dtype = {"bool": "bool", "int": INDEX_DTYPE}.get(operand.type, self.setting.compute)
        if operand.name in self.setting.numbers:
            return self._attribute(operand.name, dtype)
        if operand.default is None:
            what = "is variadic: join[m](…) reads it" if operand.variadic else "is absent and has no default"
            raise span.error(f"operand {operand.name} {what}")
        return number(_within(operand.default, dtype), dtype)

    # attributes

    def attribute(self, found: syntax.AttributeSyntax, span: syntax.Span) -> Expr:
        """The value of an attribute that is a number or a switch."""
        if found.type == "bool":
            return number(self.setting.static[found.name], "bool")
        if found.type == "int":
            return self._attribute(found.name, INDEX_DTYPE)
        if found.type == "float":
            return self._attribute(found.name, self.setting.float_dtype())
        raise span.error(f"{found.name} is no number: {_use_of(found)}")

    def list_element(self, found: syntax.AttributeSyntax, at: int) -> Expr:
        """One number of an attribute of type ints."""
        return self._attribute(f"{found.name}.{at}", INDEX_DTYPE)

    def list_at(self, found: syntax.AttributeSyntax, node: syntax.Subscripted) -> Expr:
        """`stride[0]`."""
        if found.type != "ints":
            raise node.span.error(f"{found.name} is of type {found.type}; only attributes of type ints have elements")
        place = node.subscripts[0] if len(node.subscripts) == 1 else None
        if not isinstance(place, syntax.Literal) or type(place.value) is not int:
            raise node.span.error(f"an element of {found.name} is named by one whole number, as in {found.name}[0]")
        length = self.setting.static[found.name]
        if place.value >= length:
            raise node.span.error(
                f"{found.name} has {length} elements, counted from 0; there is no {found.name}[{place.value}]"
            )
        return self.list_element(found, place.value)

    def _attribute(self, name: str, dtype: str) -> Expr:
        self.attributes[name] = dtype
        return attribute(name, dtype)

    # indices

    def has_index(self, name: str) -> bool:
        return name in self.indices or name in self.setting.sizes

    def pack(self, name: str, span: syntax.Span) -> tuple[str, ...]:
        if name not in self.setting.packs:
            known = ", ".join(f"*{each}" for each in self.setting.packs if each.isalnum())
            raise span.error(f"no operand has the pack *{name}" + (f"; there is {known}" if known else ""))
        return self.setting.packs[name]

    def bound(self, each: syntax.Name | syntax.Every) -> tuple[str, ...]:
        """The indices that an entry between the brackets of a reducer or of size[…] names."""
        if isinstance(each, syntax.Every):
            return self.pack(each.pack, each.span)
        found = self.setting.attribute(each.name)
        if found is not None and found.type == "axes":
            pack = self._pack_of(found, each.span)
            return tuple(pack[at] for at in self.setting.static[found.name])
        if found is not None:
            raise each.span.error(
                f"{each.name} is an attribute of type {found.type}; "
                "here stand indices, packs (*i) and attributes of type axes"
            )
        if self.has_index(each.name):
            return (each.name,)
        if each.name in self.setting.packs:
            raise each.span.error(f"{each.name} is a pack of indices; write *{each.name}")
        raise each.span.error(
            f"index {each.name} has no size: no operand has it, and no 'where {each.name} = …' gives it one"
        )

    def indices_of(self, axis: syntax.Axis) -> tuple[str, ...]:
        """The indices that an index or a pack between the brackets of a definition stands for."""
        kind = syntax.Every if axis.kind == "pack" else syntax.Name
        return self.bound(kind(axis.names[0], axis.span))

    def extent(self, node: syntax.Subscripted) -> Expr:
        """`size[k]`, `size[*i]`, `size[axis]`: the product of the extents."""
        result: Expr = number(1, INDEX_DTYPE)
        for each in node.subscripts:
            if not isinstance(each, (syntax.Name, syntax.Every)):
                raise node.span.error("size[…] takes names of indices, a pack *i or an attribute of type axes")
            joined = self._joined(each.name) if isinstance(each, syntax.Name) else ()
            if joined:
                result = result * functools.reduce(operator.add, map(size, joined))
                continue
            for index in self.bound(each):
                result = result * size(index)
        return result

    def place(self, node: syntax.Subscripted) -> Expr:
        """`position[*i]`: the place of an element in row-major order over the indices."""
        result: Expr = number(0, INDEX_DTYPE)
        for each in node.subscripts:
            if not isinstance(each, (syntax.Name, syntax.Every)):
                raise node.span.error("position[…] takes names of indices, or a pack *i")
            for index in self.bound(each):
                result = result * size(index) + position(index)
        return result

    def _pack_of(self, found: syntax.AttributeSyntax, span: syntax.Span) -> tuple[str, ...]:
        if found.of is not None:
            return self.pack(found.of, span)
        if len(self.setting.packs) != 1:
            raise span.error(f"which pack has the axes? say it where {found.name} is declared: {found.name}: axes(i)")
        return next(iter(self.setting.packs.values()))

    def _joined(self, index: str) -> tuple[str, ...]:
        """The indices of the members of a variadic operand that is declared with `index`."""
        return tuple(
            f"{index}{at}"
            for members in self.setting.variadic.values()
            for at in range(len(members))
            if f"{index}{at}" in self.indices
        )


def walk(node: object) -> Iterator[object]:
    """Every piece of syntax below one, itself included."""
    stack = [node]
    while stack:
        each = stack.pop()
        if isinstance(each, tuple):
            stack.extend(reversed(each))
        elif hasattr(each, "__dataclass_fields__") and not isinstance(each, (syntax.Span, syntax.Source)):
            yield each
            stack.extend(getattr(each, name) for name in reversed(each.__dataclass_fields__))


def words_of(forms: Iterable[syntax.Declaration], attribute: str) -> tuple[str, ...]:
    """The words that the forms of an op name for an attribute: its default, what it is compared with, and those of an
    op that it is handed on to."""
    found: dict[str, None] = {}
    for form in forms:
        for node in walk(replace(form, linked=())):
            if isinstance(node, syntax.AttributeSyntax) and node.name == attribute:
                if isinstance(node.default, syntax.Text):
                    found[node.default.value] = None
                elif isinstance(node.default, syntax.Name):
                    found.update(dict.fromkeys(words_of([form], node.default.name)))
            elif isinstance(node, syntax.Infix) and isinstance(node.right, syntax.Text):
                if isinstance(node.left, syntax.Name) and node.left.name == attribute:
                    found[node.right.value] = None
            elif isinstance(node, syntax.Use):
                inner = next((inner for op, inner in form.linked if op == node.op), ())
                for each in node.settings:
                    if isinstance(each.value, syntax.Name) and each.value.name == attribute:
                        found.update(dict.fromkeys(words_of(inner, each.name)))
    return tuple(found)


def unknown_word(forms: Iterable[syntax.Declaration], attribute: str, word: object) -> str:
    """What is wrong with a word for an attribute; "" where the op takes it. Where an op names two words or more, it
    takes these; where it names one, any other is the other branch."""
    words = words_of(forms, attribute)
    if len(words) < 2 or word in words:
        return ""
    *others, last = map(repr, words)
    return f"{attribute} is {word!r}, but it must be {', '.join(others)} or {last}"


def axes_of_definition(setting: Context, name: str) -> list[tuple[str, ...]]:
    """The index of each axis of a definition, an output or the result of a use, where brackets say them."""
    axes = setting.declaration.named_axes().get(name) or ()
    if any(axis.kind not in ("index", "pack") for axis in axes):
        return []
    return [(index,) for axis in axes for index in setting.packs.get(axis.names[0], axis.names)]


def _use_of(found: syntax.AttributeSyntax) -> str:
    """How an attribute of each other type is used."""
    uses = {
        "ints": f"it is a list; take one of its numbers, as in {found.name}[0]",
        "word": f'it is a word; compare it, as in {found.name} == "mean"',
        "axes": f"it names axes; use it in a reducer, as in sum[{found.name}](…)",
        "axis": f"it says where index {found.of} stands; use the index {found.of} itself",
        "order": f"it is an order of axes; use it in an output, as in y[*i by {found.name}]",
        "rank": "it says how many axes a pack has",
        "dtype": f"it is a dtype; use it in cast(x, {found.name})",
    }
    return uses.get(found.type, f"it is {STATIC_TYPES.get(found.type, found.type)}")


def _within(value: bool | int | float, dtype: str) -> bool | int | float:
    """A default of inf stands for the largest integer where the formula computes with integers; nan has none."""
    if dtype in INTEGERS and isinstance(value, float) and not math.isfinite(value):
        limits = np.iinfo(dtype)
        return int(limits.max if value > 0 else limits.min)
    return value
