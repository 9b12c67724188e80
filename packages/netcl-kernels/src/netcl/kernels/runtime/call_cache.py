"""Remembering calls: the second call of an op with arguments like these skips binding.

A `Recall` says where in the arguments each operand and each number is found. It is kept under a key of what a plan
depends on (the layouts of the Tensors) and the values that choose the code; numbers are not in the key, so a
new number is no new entry. Arguments that have no such key (lists of tensors, arrays) are bound anew each time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from netcl.core.bounded import Limit, Recent, remembered
from netcl.core.tensor import Tensor
from netcl.kernels.compiler.ir import Formula
from netcl.kernels.compiler.language import syntax
from netcl.kernels.runtime.arguments import fitted, is_list

Key = tuple[Any, ...]
Source = int | str
"""An argument by position or by keyword."""

Number = tuple[str, Source, "int | None"]
"""The name that a formula has for it, the argument, and which of its elements, where that has several."""

Bound = tuple[tuple[Any, ...], Mapping[str, Any]]
"""Operands and numbers of a call."""


_WAYS = Limit("ways to call", 4096)


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
        self._written: Recent[Any, Callable[..., Key]] = Recent(_WAYS)

    def key(self, args: Sequence[Any], kwargs: Mapping[str, Any], handles: Collection[type] = ()) -> Key:
        """The key of these arguments. Those of a type in `handles` are told apart by shape and dtype. Raises TypeError
        where there is none."""
        given = (len(args), *kwargs) if kwargs else len(args)
        written = self._written[given]
        if written is None:
            written = self._written.keep(given, self._write(len(args), tuple(kwargs)))
        return written(args, kwargs, handles)

    def _write(self, count: int, names: tuple[str, ...]) -> Callable[..., Key]:
        """`key` for so many arguments in order, and those of these names. Every call makes a key, and a loop over the
        arguments takes longer than all else that is done before the launch."""
        if count > len(self._positional) or not self._kinds.keys() >= set(names):
            raise TypeError("a call with such arguments has no key")
        kinds = [*self._positional[:count], *(self._kinds[name] for name in names)]
        sources = [*(f"args[{at}]" for at in range(count)), *(f"kwargs[{name!r}]" for name in names)]
        parts = [repr(name) for name in names]
        for source, kind in zip(sources, kinds, strict=True):
            parts.append(f"each.layout if (each := {source}).__class__ is Tensor else part({kind!r}, each, handles)")
        text = f"lambda args, kwargs, handles: ({''.join(f'{part}, ' for part in parts)})"
        return eval(text, {"Tensor": Tensor, "part": _part})  # type: ignore[no-any-return]


_PLAIN = {bool, int, float, str, type(None)}


def _part(kind: str, value: Any, handles: Collection[type]) -> Any:
    kind_of = value.__class__
    if kind == "number" and (kind_of is float or kind_of is int or kind_of is bool):
        return kind_of
    if kind_of in handles:
        return (value.shape, value.dtype.num)
    if kind == "ints" and kind_of is int:
        return int
    if kind == "ints" and kind_of is tuple:
        return (tuple, *map(type, value))
    if isinstance(value, np.generic):
        return (kind_of, value if kind == "static" else value.dtype.num)
    if kind_of is tuple:
        return (value, *map(type, value))
    if kind_of in _PLAIN:
        return (kind_of, value)
    raise TypeError("a call with such an argument has no key")


class Recall:
    """How to bind a call whose like has been bound before.

    `bind(args, kwargs)` gives operands and numbers of a call. `run` is that of the plan that all such calls on Tensors
    have; None before the first, and where they differ. What else a caller of the op remembers of such calls, a tape for
    one, is in `beside`, under keys of its own.
    """

    __slots__ = ("beside", "bind", "constants", "formula", "in_order", "numbers", "operands", "run")

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
        numbers: list[Number] = []
        self.constants: dict[str, Any] = {}
        for name, value in bound.items():
            base, _, element = name.partition(".")
            source = sources.get(base, sources.get(instead.get(base, "")))
            if source is None:
                self.constants[name] = value
            else:
                several = element and is_list(given[base if base in given else instead[base]])
                numbers.append((name, source, int(element) if several else None))
        self.numbers = tuple(numbers)
        dtypes = tuple(formula.attributes.get(name, "") for name, _, _ in numbers)
        binds = _binds(op, None if self.in_order else self.operands, self.numbers, dtypes)
        self.bind: Callable[[Sequence[Any], Mapping[str, Any]], Bound] = partial(binds, self.constants)

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


@remembered("bindings of calls", 1024)
def _binds(
    op: str, operands: tuple[Source, ...] | None, numbers: tuple[Number, ...], dtypes: tuple[str, ...]
) -> Callable[..., Bound]:
    """`bind(constants, args, kwargs)` for calls whose operands (None: all arguments, in order) and numbers are found
    there. Written out for the same reason as a key."""

    def argument(source: Source) -> str:
        return f"args[{source}]" if isinstance(source, int) else f"kwargs[{source!r}]"

    chosen = "tuple(args)" if operands is None else f"({''.join(f'{argument(each)}, ' for each in operands)})"
    values = []
    for (name, source, element), dtype in zip(numbers, dtypes, strict=True):
        value = argument(source) + ("" if element is None else f"[{element}]")
        fit = f"fitted({op!r}, {name!r}, value, {dtype!r})"
        plain = "bool" if dtype == "bool" else "float"  # which is what it is; whole numbers have a range
        values.append(f"{name!r}: value if (value := {value}).__class__ is {plain} else {fit}, ")
    bound = f"{{**constants, {''.join(values)}}}" if values else "constants"
    return eval(f"lambda constants, args, kwargs: ({chosen}, {bound})", {"fitted": fitted})  # type: ignore[no-any-return]
