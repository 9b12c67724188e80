"""Expressions of a declaration, translated to the IR within what names mean in one specialisation.

A name is, in this order: an operand (read at its own indices), an attribute, a local definition or output, an index.
A local definition is a macro over its free indices. Every mistake is reported at its place in the text.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from netcl.kernels.compiler import syntax
from netcl.kernels.compiler.functions import FUNCTIONS
from netcl.kernels.compiler.ir import (
    FLOATS,
    INDEX_DTYPE,
    INTEGERS,
    REDUCERS,
    Expr,
    Output,
    attribute,
    number,
    position,
    read,
    size,
)
from netcl.kernels.compiler.simplify import call, cast, total
from netcl.kernels.compiler.solve import in_range

if TYPE_CHECKING:
    from netcl.kernels.compiler.specialise import Setting

_INFIX = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "//": "floor_divide", "%": "remainder", "^": "pow", "==": "eq",
    "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "and": "and", "or": "or",
}  # fmt: skip
_ALIASES = {"max": "maximum", "min": "minimum"}
_CASTS = ("float", "int", "bool")


class Scope:
    """Translates expressions; `attributes` collects name -> dtype of the numbers that become kernel arguments."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.attributes: dict[str, str] = {}
        self.within: list[str] = []
        self.reading_back: dict[str, Output] = {}
        self.definitions = {each.name: each for each in setting.declaration.definitions}
        self.known = _indices(setting)
        self.elements: dict[str, Expr] = {}
        self.translated: dict[str, Expr] = {}
        for each in setting.declaration.sizes:
            self._size(each)

    def _size(self, each: syntax.SizeOf) -> None:
        if not each.pack:
            self.setting.sizes[each.index] = cast(self.translate(each.value), INDEX_DTYPE)
            return
        assert isinstance(each.value, syntax.Name)
        elements = self.setting.packs[each.index]
        length = self.setting.static[each.value.name]
        for at, element in enumerate(elements[len(elements) - length :]):
            self.setting.sizes[element] = self._attribute(f"{each.value.name}.{at}", INDEX_DTYPE)

    def definition(self, name: str, span: syntax.Span) -> Expr:
        """The expression of a local definition or output."""
        if name in self.translated:
            return self.translated[name]
        if name not in self.definitions:
            raise span.error(f"{name} is never defined; write {name} = …; in the body")
        if name in self.within:
            raise span.error(f"{name} is defined by itself; a formula has no recursion")
        self.within.append(name)
        self.translated[name] = self.translate(self.definitions[name].value)
        self.within.pop()
        return self.translated[name]

    def gradient(self, grad: syntax.Definition, outputs: tuple[Output, ...]) -> Expr:
        """A declared gradient over the operand's own indices; the axes that the operand was broadcast along are summed."""
        self.reading_back = {output.name: output for output in outputs}
        self.reading_back.update({"d" + output.name: output for output in outputs})
        expr = self.translate(grad.value)
        self.reading_back = {}
        own = {index for axis in self.setting.axes[grad.name] for index in axis}
        packed = {element for elements in self.setting.packs.values() for element in elements}
        beyond = {index for output in outputs for index in output.indices if index in packed and index not in own}
        loose = sorted(expr.free - own - beyond)
        if loose:
            raise grad.span.error(
                f"index {', '.join(loose)} is free in grad {grad.name}, but {grad.name} does not have it; "
                f"bind it with sum[{loose[0]}](…)"
            )
        return total("sum", tuple(sorted(beyond)), expr)

    def translate(self, node: syntax.Expression) -> Expr:
        try:
            return getattr(self, "_" + type(node).__name__.lower())(node)
        except (TypeError, ZeroDivisionError, OverflowError) as error:
            raise node.span.error(str(error)) from error

    # one method per construct

    def _literal(self, node: syntax.Literal) -> Expr:
        if isinstance(node.value, bool):
            return number(node.value, "bool")
        if isinstance(node.value, int):
            return number(node.value, INDEX_DTYPE)
        return number(node.value, self._float())

    def _text(self, node: syntax.Text) -> Expr:
        raise node.span.error(f'"{node.value}" is a word: compare an attribute of type word with it')

    def _name(self, node: syntax.Name) -> Expr:
        name, setting = node.name, self.setting
        if name in self.elements:
            return self.elements[name]
        if name in self.reading_back:
            output = self.reading_back[name]
            return cast(read(name, tuple(map(position, output.indices)), output.dtype), self.setting.compute)
        if name in setting.tensors:
            return self._operand(name, node.span)
        operand = next((each for each in setting.declaration.operands if each.name == name), None)
        if operand is not None:
            return self._no_tensor(operand, node.span)
        found = next((each for each in setting.declaration.attributes if each.name == name), None)
        if found is not None:
            return self._attribute_value(found, node.span)
        if name in self.definitions:
            return self.definition(name, node.span)
        if name in self.known or name in setting.sizes:
            return position(name)
        if name in setting.packs:
            raise node.span.error(f"*{name} is a pack of indices; it stands between brackets, as in x[*{name}]")
        raise node.span.error(f"the name {name} means nothing here; it is no operand, attribute, definition or index")

    def _operand(self, name: str, span: syntax.Span) -> Expr:
        indices = [index for axis in self.setting.axes[name] for index in axis]
        tensor = self.setting.tensors[name]
        return self._typed(name, read(name, tuple(map(position, indices)), tensor.dtype))

    def _typed(self, name: str, reading: Expr) -> Expr:
        """An operand's element in the dtype that the formula computes with."""
        from netcl.kernels.compiler.specialise import declared

        operand = declared(self.setting, name)
        assert operand is not None
        if operand.type == "bool":
            return cast(reading, "bool")
        return cast(reading, self.setting.compute) if operand.type in ("float", "number") else reading

    def _no_tensor(self, operand: syntax.OperandSyntax, span: syntax.Span) -> Expr:
        """An operand given as a Python number, or absent with a default."""
        given = self.setting.numbers.get(operand.name)
        if given is not None:
            dtype = "bool" if operand.type == "bool" else INDEX_DTYPE if operand.type == "int" else self.setting.compute
            return self._attribute(operand.name, dtype)
        if operand.default is None:
            raise span.error(f"operand {operand.name} is absent and has no default")
        dtype = "bool" if operand.type == "bool" else INDEX_DTYPE if operand.type == "int" else self.setting.compute
        return number(_within(operand.default, dtype), dtype)

    def _attribute_value(self, found: syntax.AttributeSyntax, span: syntax.Span) -> Expr:
        if found.type == "bool":
            return number(self.setting.static[found.name], "bool")
        if found.type == "int":
            return self._attribute(found.name, INDEX_DTYPE)
        if found.type == "float":
            return self._attribute(found.name, self._float())
        if found.type == "axis" and found.of is not None:
            raise span.error(f"{found.name} says where index {found.of} stands; use the index {found.of} itself")
        raise span.error(f"attribute {found.name} is of type {found.type} and is not a number")

    def _attribute(self, name: str, dtype: str) -> Expr:
        self.attributes[name] = dtype
        return attribute(name, dtype)

    def _float(self) -> str:
        return self.setting.compute if self.setting.compute in FLOATS else "float32"

    def _subscripted(self, node: syntax.Subscripted) -> Expr:
        if node.name == "size":
            return self._size_of(node)
        found = next((each for each in self.setting.declaration.attributes if each.name == node.name), None)
        if found is not None:
            return self._element(found, node)
        absent = next((each for each in self.setting.declaration.operands if each.name == node.name), None)
        if absent is not None and node.name not in self.setting.tensors:
            return self._no_tensor(absent, node.span)
        reading, _ = self._reading(node)
        return reading

    def _element(self, found: syntax.AttributeSyntax, node: syntax.Subscripted) -> Expr:
        if found.type != "ints" or len(node.subscripts) != 1 or not isinstance(node.subscripts[0], syntax.Literal):
            raise node.span.error(f"{found.name} is of type {found.type}; only ints have elements, as in stride[0]")
        at = int(node.subscripts[0].value)
        if not 0 <= at < self.setting.static[found.name]:
            raise node.span.error(f"{found.name} has {self.setting.static[found.name]} elements; there is no element {at}")
        return self._attribute(f"{found.name}.{at}", INDEX_DTYPE)

    def _size_of(self, node: syntax.Subscripted) -> Expr:
        result: Expr = number(1, INDEX_DTYPE)
        for each in node.subscripts:
            if not isinstance(each, (syntax.Name, syntax.Every)):
                raise node.span.error("size[…] takes names of indices, a pack or an attribute of type axes")
            joined = self._joined(each.name) if isinstance(each, syntax.Name) else ()
            if joined:
                result = result * functools.reduce(operator.add, map(size, joined))
                continue
            for index in self._bound(each):
                result = result * size(index)
        return result

    def _joined(self, index: str) -> tuple[str, ...]:
        """The indices of the members of a variadic operand that is declared with `index`."""
        known = _indices(self.setting)
        return tuple(
            f"{index}{at}" for members in self.setting.variadic.values() for at in range(len(members)) if f"{index}{at}" in known
        )

    def _reading(self, node: syntax.Subscripted) -> tuple[Expr, list[tuple[str, Expr]]]:
        """The Read and, for each position, the index whose range it must keep."""
        name, setting = node.name, self.setting
        if name not in setting.tensors:
            raise node.span.error(f"{name} is no operand; only operands and attributes of type ints take positions")
        at = [each for subscript in node.subscripts for each in self._positions(subscript)]
        indices = [index for axis in setting.axes[name] for index in axis]
        units = [not axis for axis in setting.axes[name]]
        if any(units) and len(at) == len(units):
            at = [each for each, unit in zip(at, units, strict=True) if not unit]
        if len(at) != len(indices):
            raise node.span.error(f"{name} has {len(indices)} indices ({', '.join(indices)}), but {len(at)} positions are given")
        at = [cast(each, INDEX_DTYPE) for each in at]
        return self._typed(name, read(name, tuple(at), setting.tensors[name].dtype)), list(zip(indices, at, strict=True))

    def _positions(self, subscript: syntax.Expression | syntax.Every | syntax.Each) -> Iterator[Expr]:
        if isinstance(subscript, syntax.Every):
            if subscript.pack not in self.setting.packs:
                raise subscript.span.error(f"no operand has the pack *{subscript.pack}")
            yield from map(position, self.setting.packs[subscript.pack])
        elif isinstance(subscript, syntax.Each):
            yield from self._each(subscript)
        else:
            found = self.translate(subscript)
            if found.dtype in FLOATS or found.dtype == "bool":
                raise subscript.span.error(f"a position is an integer, but this is {found.dtype}")
            yield found

    def _each(self, subscript: syntax.Each) -> Iterator[Expr]:
        names = {node.name for node in walk(subscript.expr) if isinstance(node, syntax.Name)}
        packs = {name: self.setting.packs[name] for name in names if name in self.setting.packs}
        lists = {
            each.name: self.setting.static[each.name]
            for each in self.setting.declaration.attributes
            if each.name in names and each.type == "ints"
        }
        lengths = {len(elements) for elements in packs.values()} | set(lists.values())
        if len(lengths) != 1:
            raise subscript.span.error(f"packs and lists of different lengths ({', '.join(map(str, sorted(lengths)))}) meet")
        outer = self.elements
        for at in range(lengths.pop()):
            self.elements = {name: position(elements[at]) for name, elements in packs.items()}
            self.elements.update({name: self._attribute(f"{name}.{at}", INDEX_DTYPE) for name in lists})
            yield self.translate(subscript.expr)
        self.elements = outer

    def _guarded(self, node: syntax.Guarded) -> Expr:
        reading, places = self._reading(node.reading)
        inside: Expr = number(True, "bool")
        for index, at in places:
            inside = call("and", inside, in_range(at, index, self.setting.sizes))
        return call("select", inside, reading, self.translate(node.alternative))

    def _reduction(self, node: syntax.Reduction) -> Expr:
        if node.kind == "join":
            return self._join(node)
        if node.kind not in REDUCERS:
            raise node.span.error(f"{node.kind} is no reducer; there are {', '.join(REDUCERS)} and join")
        over = tuple(index for each in node.over for index in self._bound(each))
        return total(node.kind, over, self.translate(node.body))

    def _bound(self, each: syntax.Name | syntax.Every) -> tuple[str, ...]:
        setting = self.setting
        if isinstance(each, syntax.Every):
            if each.pack not in setting.packs:
                raise each.span.error(f"no operand has the pack *{each.pack}")
            return setting.packs[each.pack]
        found = next((item for item in setting.declaration.attributes if item.name == each.name), None)
        if found is not None and found.type == "axes":
            return tuple(self._pack_of(found, each.span)[at] for at in setting.static[found.name])
        if each.name in self.known or each.name in setting.sizes:
            return (each.name,)
        raise each.span.error(f"index {each.name} has no size; no operand has it, and no 'where {each.name} = …' gives it one")

    def _pack_of(self, found: syntax.AttributeSyntax, span: syntax.Span) -> tuple[str, ...]:
        if found.of is not None:
            return self.setting.packs[found.of]
        if len(self.setting.packs) != 1:
            raise span.error(f"which pack has the axes? write {found.name}: axes(i)")
        return next(iter(self.setting.packs.values()))

    def _join(self, node: syntax.Reduction) -> Expr:
        """`join[m](xs)`: the members of a variadic operand end to end along m."""
        index = node.over[0]
        if len(node.over) != 1 or not isinstance(index, syntax.Name) or not isinstance(node.body, syntax.Name):
            raise node.span.error("join takes one index and the name of a variadic operand, as in join[m](xs)")
        members = self.setting.variadic.get(node.body.name)
        if members is None:
            raise node.body.span.error(f"{node.body.name} is not variadic; declare it *{node.body.name}[…]")
        start: Expr = number(0, INDEX_DTYPE)
        pieces = []
        for name in members:
            own = next(each for axis in self.setting.axes[name] for each in axis if each not in self._packed())
            at = tuple(
                position(index.name) - start if each == own else position(each)
                for axis in self.setting.axes[name]
                for each in axis
            )
            start = start + size(own)
            pieces.append((call("lt", position(index.name), start), self._typed(name, read(name, at, self.setting.tensors[name].dtype))))
        result = pieces[-1][1]
        for condition, piece in reversed(pieces[:-1]):
            result = call("select", condition, piece, result)
        return result

    def _packed(self) -> set[str]:
        return {element for elements in self.setting.packs.values() for element in elements}

    def _call(self, node: syntax.Call) -> Expr:
        if node.function == "cast":
            return self._cast_to(node)
        arguments = [self.translate(each) for each in node.arguments]
        if node.function in _CASTS and len(arguments) == 1:
            return cast(arguments[0], {"float": self._float(), "int": INDEX_DTYPE, "bool": "bool"}[node.function])
        name = _ALIASES.get(node.function, node.function)
        if name not in FUNCTIONS:
            raise node.span.error(f"the function {node.function} is unknown{_nearest(node.function)}")
        if len(arguments) != FUNCTIONS[name].arity:
            raise node.span.error(f"{node.function} takes {FUNCTIONS[name].arity} arguments, not {len(arguments)}")
        if name in ("random",):
            return cast(call(name, *arguments), self._float())
        return call(name, *arguments)

    def _cast_to(self, node: syntax.Call) -> Expr:
        if len(node.arguments) != 2 or not isinstance(node.arguments[1], syntax.Name):
            raise node.span.error("cast takes an expression and an attribute of type dtype")
        return cast(self.translate(node.arguments[0]), self.setting.static[node.arguments[1].name])

    def _infix(self, node: syntax.Infix) -> Expr:
        word = node.left if isinstance(node.left, syntax.Name) else None
        if word is not None and isinstance(node.right, syntax.Text) and word.name in self.setting.static:
            return number((self.setting.static[word.name] == node.right.value) is (node.sign == "=="), "bool")
        left, right = self.translate(node.left), self.translate(node.right)
        function = _INFIX[node.sign]
        if left.dtype == right.dtype == INDEX_DTYPE and function in ("floor_divide", "remainder"):
            function = {"floor_divide": "floor_div", "remainder": "mod"}[function]
        return call(function, left, right)

    def _prefix(self, node: syntax.Prefix) -> Expr:
        return call("neg" if node.sign == "-" else "not", self.translate(node.operand))

    def _select(self, node: syntax.Select) -> Expr:
        condition = self.translate(node.condition)
        return call("select", condition, self.translate(node.first), self.translate(node.second))


def infer_sizes(setting: Setting) -> None:
    """`pos[i, d]` of an operand `pos[n, d]` gives the index i the size of n, where nothing else does."""
    known = _indices(setting) | {each.index for each in setting.declaration.sizes}
    names = known | set(setting.tensors) | {each.name for each in setting.declaration.attributes}
    names |= {each.name for each in setting.declaration.definitions}
    for definition in (*setting.declaration.definitions, *setting.declaration.grads):
        for node in walk(definition.value):
            if isinstance(node, syntax.Subscripted) and node.name in setting.tensors:
                indices = [index for axis in setting.axes[node.name] for index in axis]
                for index, subscript in zip(indices, node.subscripts, strict=False):
                    if isinstance(subscript, syntax.Name) and subscript.name not in names:
                        setting.sizes.setdefault(subscript.name, size(index))


def walk(node: object) -> Iterator[syntax.Expression]:
    """Every expression below a piece of syntax."""
    if isinstance(node, tuple):
        for each in node:
            yield from walk(each)
    elif hasattr(node, "__dataclass_fields__") and not isinstance(node, (syntax.Span, syntax.Source)):
        yield node  # type: ignore[misc]
        for name in node.__dataclass_fields__:
            yield from walk(getattr(node, name))


def _indices(setting: Setting) -> set[str]:
    return {index for axes in setting.axes.values() for axis in axes for index in axis}


def _within(value: bool | int | float, dtype: str) -> bool | int | float:
    """A default of inf stands for the largest integer where the formula computes with integers."""
    if dtype in INTEGERS and isinstance(value, float) and math.isinf(value):
        limits = np.iinfo(dtype)
        return int(limits.max if value > 0 else limits.min)
    return value


def _nearest(name: str) -> str:
    import difflib

    close = difflib.get_close_matches(name, FUNCTIONS, 1)
    return f"; did you mean {close[0]}?" if close else ""


