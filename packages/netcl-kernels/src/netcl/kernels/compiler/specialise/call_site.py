"""What a `use` gives to the op that it uses: arguments with their axes, attributes as values and as expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from netcl.core.dtypes import canonical
from netcl.kernels.compiler.ir import Expr, Number, Read, subexpressions
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.specialise.context import Context
from netcl.kernels.compiler.specialise.scope import Scope, axes_of_definition
from netcl.kernels.compiler.specialise.signature import NUMBER_TYPES

Translate = Callable[[syntax.Expression], Expr]


class _Named(str):
    """The length of an axis that is only known by its index; messages show it as that."""

    __repr__ = str.__str__


@dataclass(frozen=True)
class Given:
    """An argument in the place of a tensor: an expression, and the index that each of its axes has (None: length 1)."""

    expr: Expr
    axes: tuple[str | None, ...]
    span: syntax.Span

    @property
    def dtype(self) -> np.dtype[Any]:
        return canonical(self.expr.dtype)

    @property
    def shape(self) -> tuple[str | int, ...]:
        return tuple(1 if axis is None else _Named(axis) for axis in self.axes)


class Supplied:
    """What one use gives to one form of an op."""

    def __init__(
        self, use: syntax.Use, form: syntax.Declaration, setting: Context, scope: Scope, translate: Translate
    ) -> None:
        self.use = use
        self.form = form
        self.setting = setting
        self.scope = scope
        self._translate = translate

    def arguments(self) -> dict[str, Given | tuple[Given, ...]]:
        """The operands by name, of a variadic one all that no other operand takes. Raises KernelLanguageError where one
        is not what the op takes."""
        operands, op = self.form.operands, self.use.op
        waiting = list(self.use.arguments)
        given: dict[str, Given | tuple[Given, ...]] = {}
        for at, operand in enumerate(operands):
            if operand.variadic:
                count = len(waiting) - (len(operands) - at - 1)
                if count < 1:
                    raise self.use.span.error(f"{op} takes at least one {operand.name}, one behind the other")
                given[operand.name] = tuple(self._argument(operand, waiting.pop(0)) for _ in range(count))
            elif waiting:
                given[operand.name] = self._argument(operand, waiting.pop(0))
        if waiting:
            names = ", ".join(each.name for each in operands)
            named = "".join(f"; {each.name} = …" for each in self.form.attributes[:1])
            more = f"; attributes stand behind ';' with their names: {op}({names}{named})" if named else ""
            raise self.use.span.error(
                f"{op} has {len(operands)} {'operand' if len(operands) == 1 else 'operands'} ({names}), "
                f"but {len(self.use.arguments)} are given{more}"
            )
        return given

    def _argument(self, operand: syntax.OperandSyntax, argument: syntax.Expression) -> Given:
        return self._indexed(operand, argument) if operand.axes else Given(self._translate(argument), (), argument.span)

    def _indexed(self, operand: syntax.OperandSyntax, argument: syntax.Expression) -> Given:
        """An argument whose axes are named: `e[*i, k]`, or an operand that has brackets itself."""
        axes: list[str | None] = []
        if isinstance(argument, syntax.Name) and argument.name in self.setting.tensors:
            own = self.setting.axes[argument.name]
            if argument.name in self.setting.flat or any(len(axis) > 1 for axis in own):
                raise argument.span.error(f"the axes of {argument.name} are split or flat; name them one by one")
            axes += [axis[0] if axis else None for axis in own]
            expr = self._translate(argument)
        elif isinstance(argument, syntax.Subscripted):
            for entry in argument.subscripts:
                if not isinstance(entry, (syntax.Name, syntax.Every)):
                    raise argument.span.error(self._wanted(operand))
                axes += self.scope.bound(entry)
            is_read = argument.name in self.setting.tensors or axes_of_definition(self.setting, argument.name)
            expr = self._translate(argument if is_read else syntax.Name(argument.name, argument.span))
        else:
            raise argument.span.error(self._wanted(operand))
        loose = sorted(expr.free - set(axes))
        if loose:
            raise argument.span.error(
                f"index {loose[0]} is in {argument.name}, but not among its axes; write it there, or bind it with a "
                f"reducer such as sum[{loose[0]}](…)"
            )
        named = [axis for axis in axes if axis is not None]
        if len(set(named)) < len(named):
            raise argument.span.error("each axis of an argument has an index of its own")
        return Given(expr, tuple(axes), argument.span)

    def _wanted(self, operand: syntax.OperandSyntax) -> str:
        return (
            f"{operand.name} of {self.use.op} has axes: give an operand that has brackets, or a definition with its "
            "indices, as in e[*i, k]"
        )

    def settings(self, arguments: Mapping[str, Given | tuple[Given, ...]]) -> tuple[dict[str, object], dict[str, Expr]]:
        """The attributes as Python values, and those that are numbers as expressions, too: a call gives them later."""
        tensors = [one for each in arguments.values() for one in (each if isinstance(each, tuple) else (each,))]
        declared = {each.name: each for each in self.form.attributes}
        values: dict[str, object] = {}
        numbers: dict[str, Expr] = {}
        for each in self.use.settings:
            found = declared.get(each.name)
            if found is None:
                known = ", ".join(declared) or "none"
                raise each.span.error(f"{self.use.op} has no attribute {each.name}; it has {known}")
            if each.name in values:
                raise each.span.error(f"{each.name} is given twice")
            if found.type in NUMBER_TYPES:
                numbers[each.name] = self._number(each.value, each.span)
                values[each.name] = 0
            elif found.type == "ints":
                several = each.value if isinstance(each.value, tuple) else (each.value,) * (found.count or 1)
                for at, one in enumerate(several):
                    numbers[f"{each.name}.{at}"] = self._number(one, each.span)
                values[each.name] = (0,) * len(several)
            else:
                values[each.name] = self._static(each, tensors)
        for attribute in self.form.attributes:  # as in `stride: ints[2] = kernel`
            other = attribute.default.name if isinstance(attribute.default, syntax.Name) else ""
            if attribute.name not in values and other in values:
                values[attribute.name] = values[other]
                for name in [name for name in numbers if name.split(".")[0] == other]:
                    numbers[attribute.name + name[len(other) :]] = numbers[name]
        return values, numbers

    def _number(self, value: syntax.Expression | tuple[syntax.Expression, ...], span: syntax.Span) -> Expr:
        found = None if isinstance(value, tuple) else self._translate(value)
        if found is None or found.free or any(isinstance(each, Read) for each in subexpressions(found)):
            raise span.error("this attribute is a number: give a literal, an attribute or a size")
        return found

    def _static(self, each: syntax.SettingSyntax, arguments: Sequence[Given]) -> object:
        """The value of an attribute that chooses the code."""
        if isinstance(each.value, tuple):
            return tuple(self._axis(one, arguments) for one in each.value)
        if isinstance(each.value, syntax.Text):
            return each.value.value
        if isinstance(each.value, syntax.Name):
            if each.value.name == "all":
                return None
            found = self.setting.attribute(each.value.name)
            if found is not None:
                if found.name not in self.setting.static:
                    raise each.span.error(f"{each.name} chooses the code, but {found.name} is a number of the caller")
                return self.setting.static[found.name]
        return self._axis(each.value, arguments)

    def _axis(self, value: syntax.Expression, arguments: Sequence[Given]) -> object:
        """A literal; or an index, which stands for its place among the axes of the first argument that has it."""
        if isinstance(value, syntax.Name):
            for given in arguments:
                if value.name in given.axes:
                    return given.axes.index(value.name)
        found = self._translate(value)
        if not isinstance(found, Number):
            raise value.span.error("this attribute chooses the code: give a literal, or the index of an argument")
        return found.value
