"""Remembering calls: the second call of an op with arguments like these skips binding.

A `Recall` says where in the arguments each operand and each number is found. It is kept under a key of what a plan
depends on (the layouts of the Tensors) and the values that choose the code; numbers are not in the key, so a
new number is no new entry. Arguments that have no such key (lists of tensors, arrays) are bound anew each time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from netcl.core.tensor import Tensor
from netcl.kernels.arguments import fitted
from netcl.kernels.compiler import syntax
from netcl.kernels.compiler.ir import Formula

Key = tuple[Any, ...]
Source = int | str
"""An argument by position or by keyword."""


class Keys:
    """Makes the keys of one op's calls."""

    def __init__(self, forms: Sequence[syntax.Declaration]) -> None:
        first = forms[0]
        kinds = {operand.name: "number" for operand in first.operands}
        for attribute in first.attributes:
            kinds[attribute.name] = {"float": "number", "int": "number", "ints": "ints"}.get(attribute.type, "static")
        self.names = tuple(kinds)
        self._kinds = kinds
        variadic = any(operand.variadic for form in forms for operand in form.operands)
        self._positional = () if variadic else tuple(kinds.values())

    def key(self, args: Sequence[Any], kwargs: Mapping[str, Any], handles: Collection[type] = ()) -> Key | None:
        """The key of these arguments; None when they have none. Those of a type in `handles` are told apart by shape
        and dtype."""
        if len(args) > len(self._positional):
            return None
        parts: list[Any] = []
        for kind, value in zip(self._positional, args, strict=False):
            kind_of = value.__class__
            if kind_of is Tensor:
                parts.append(value.layout)
            elif kind == "number" and (kind_of is float or kind_of is int):
                parts.append(kind_of)
            elif kind_of in _PLAIN or isinstance(value, np.generic):
                parts.append(_part(kind, value))
            elif kind_of in handles:
                parts += (value.shape, value.dtype.num)
            else:
                return None
        for name, value in kwargs.items() if kwargs else ():
            kind_of = value.__class__
            if kind_of is Tensor:
                parts += (name, value.layout)
            elif kind_of in _PLAIN or isinstance(value, np.generic):
                parts += (name, _part(self._kinds.get(name, "static"), value))
            elif kind_of in handles:
                parts += (name, value.shape, value.dtype.num)
            else:
                return None
        return tuple(parts)


_PLAIN = {bool, int, float, str, tuple, type(None)}


def _part(kind: str, value: Any) -> Any:
    kind_of = type(value)
    if kind == "number" and kind_of in (int, float, bool):
        return kind_of
    if kind == "ints" and kind_of is int:
        return int
    if kind == "ints" and kind_of is tuple:
        return (tuple, *map(type, value))
    if kind != "static" and isinstance(value, np.generic):
        return (kind_of, value.dtype.num)
    return (kind_of, value)


class Recall:
    """How to bind a call whose like has been bound before.

    `run` is that of the plan that all such calls on Tensors have; None before the first, and where they differ. What
    else a caller of the op remembers of such calls, a tape for one, is in `beside`, under keys of its own.
    """

    __slots__ = ("beside", "constants", "formula", "in_order", "numbers", "op", "operands", "run")

    def __init__(
        self,
        op: str,
        formula: Formula,
        form: syntax.Declaration,
        names: Sequence[str],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        bound: Mapping[str, Any],
    ) -> None:
        sources: dict[str, Source] = {
            name: at for at, (name, value) in enumerate(zip(names, args, strict=False)) if value is not None
        }
        sources.update({name: name for name, value in kwargs.items() if value is not None})
        given = {name: args[at] if isinstance(at, int) else kwargs[at] for name, at in sources.items()}
        self.formula = formula
        self.operands = tuple(
            sources[each.name] for each in form.operands if each.name in given and each.name not in bound
        )
        self.in_order = self.operands == tuple(range(len(args))) and not kwargs
        self.run: Callable[..., tuple[Tensor, ...]] | None = None
        self.beside: dict[Any, Any] = {}
        instead = {each.name: each.default.name for each in form.attributes if isinstance(each.default, syntax.Name)}
        self.op = op
        self.numbers: list[tuple[str, Source, int | None]] = []
        self.constants: dict[str, Any] = {}
        for name, value in bound.items():
            base, _, element = name.partition(".")
            source = sources.get(base, sources.get(instead.get(base, "")))
            if source is None:
                self.constants[name] = value
            else:
                whole = isinstance(given[base if base in given else instead[base]], (int, float))
                self.numbers.append((name, source, None if whole or not element else int(element)))

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Sequence[Any], Mapping[str, Any]]:
        """Operands and numbers of a call."""
        if self.in_order and args.__class__ is tuple:
            return args, self.constants
        operands = self.chosen(args, kwargs)
        if not self.numbers:
            return operands, self.constants
        values = dict(self.constants)
        for name, source, element in self.numbers:
            value = args[source] if source.__class__ is int else kwargs[source]  # type: ignore[index,call-overload]
            values[name] = fitted(
                self.op, name, value if element is None else value[element], self.formula.attributes.get(name, "")
            )
        return operands, values

    def chosen(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
        """The operands among the arguments, in the order of the formula."""
        return tuple([args[each] if each.__class__ is int else kwargs[each] for each in self.operands])  # type: ignore[index,call-overload]

    def has_one_plan(self, static: Collection[str]) -> bool:
        """Whether all such calls have the same plan, when it depends on the attributes `static`."""
        return bool(self.operands) and not any(name in static for name, _, _ in self.numbers)

    def settle(self, run: Callable[..., tuple[Tensor, ...]], static: Collection[str]) -> None:
        """Keep the `run` of a plan that depends on the attributes `static`, if the key says all of it."""
        if self.has_one_plan(static):
            self.run = run
