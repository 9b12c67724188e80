"""The arguments of a call as one form of an op takes them: tensors, numbers, and the signature that chooses the code.

Every mistake of a caller that shows without shapes is found here and said in the words of the call.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from netcl.core.arguments import kind_of
from netcl.core.dtypes import canonical, name_of
from netcl.core.errors import DtypeError, ShapeError
from netcl.core.hints import argument_hint
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.specialise.scope import unknown_word
from netcl.kernels.compiler.specialise.signature import REDUCTIONS, NumberSignature, Signature, TensorSignature

_NUMBERS = {bool: "bool", int: "int", float: "float"}
_KINDS = {"b": bool, "i": int, "u": int, "f": float}
_PADDING = {
    "same": "; for 'same' write half of the window, as in padding=1 of a window of 3",
    "valid": "; 'valid' is 0",
}
_LIMITS = {each: (int(np.iinfo(each).min), int(np.iinfo(each).max)) for each in "uint8 int8 int16 int32 int64".split()}
Types = tuple[type, ...]


def named(
    op: str, form: syntax.Declaration, args: Sequence[Any], kwargs: Mapping[str, Any], tensors: Types
) -> dict[str, Any]:
    """The arguments by name. `tensors` are the types that count as a Tensor."""
    names = [each.name for each in form.operands] + [each.name for each in form.attributes]
    if form.operands and form.operands[0].variadic and args and isinstance(args[0], tensors):
        members = [value for value in args if isinstance(value, tensors)]
        args = [members, *args[len(members) :]]
    if len(args) > len(names):
        raise TypeError(f"{op} takes at most {len(names)} arguments ({', '.join(names)}), but {len(args)} were given")
    given = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names:
            raise TypeError(f"{op} has no argument {name!r}; it takes {', '.join(names)}{argument_hint(name, names)}")
        if name in given:
            raise TypeError(f"{op}: argument {name!r} is given twice")
        given[name] = value
    return given


def separate(
    op: str, form: syntax.Declaration, given: Mapping[str, Any], tensors: Types
) -> tuple[tuple[Any, ...], dict[str, Any], Signature]:
    """Tensors in the order of the formula's operands, numbers by name, and the signature."""
    operands: list[Any] = []
    numbers: dict[str, Any] = {}
    kinds: dict[str, Any] = {}
    for operand in form.operands:
        name, value = operand.name, given.get(operand.name)
        if operand.variadic:
            members = _members(op, name, value, tensors)
            kinds[name] = tuple(map(_tensor_signature, members))
            operands.extend(members)
        elif value is None:
            if operand.default is None:
                raise TypeError(f"{op}: operand {name} is missing; it takes {_signature_text(form)}")
        elif isinstance(value, tensors):
            kinds[name] = _tensor_signature(value)
            operands.append(value)
        else:
            misplaced = isinstance(value, (list, tuple)) and operand is not form.operands[0]
            takes = f"; it takes {_signature_text(form)}" if misplaced else ""
            numbers[name] = _plain_number(op, name, value, takes)
            kinds[name] = NumberSignature(_NUMBERS[type(numbers[name])])
    static = [
        found
        for attribute in form.attributes
        if (found := _Attribute(op, form, attribute, given, tensors).bound(kinds, numbers)) is not None
    ]
    return tuple(operands), numbers, Signature(tuple(kinds.items()), tuple(static))


def check_words(op: str, forms: Sequence[syntax.Declaration], given: Mapping[str, Any]) -> None:
    """Refuse a word that no form knows, with the words there are."""
    for attribute in forms[0].attributes:
        value = given.get(attribute.name)
        if attribute.type == "word" and isinstance(value, str):
            problem = unknown_word(forms, attribute.name, value)
            if problem:
                raise ValueError(f"{op}: {problem}")


def described(given: Mapping[str, Any], tensors: Types) -> str:
    """The arguments in few words: shapes and dtypes of tensors, other values as they are."""
    shown = []
    for name, value in given.items():
        if isinstance(value, tensors):
            shown.append(f"{name} {tuple(value.shape)} {name_of(value.dtype)}")
        elif isinstance(value, (list, tuple)) and any(isinstance(each, tensors) for each in value):
            shown.append(f"{name} of shapes {', '.join(str(tuple(each.shape)) for each in value)}")
        else:
            shown.append(f"{name}={value!r}")
    return ", ".join(shown)


# --- operands ---------------------------------------------------------------------------------------------------------


def _members(op: str, name: str, value: Any, tensors: Types) -> tuple[Any, ...]:
    if isinstance(value, tensors):
        value = (value,)
    if not isinstance(value, (list, tuple)):
        raise DtypeError(f"{op}: {name} is {kind_of(value)}; give a list of Tensors, as in {op}([a, b])")
    if not value:
        raise ShapeError(f"{op}: {name} is empty; give at least one Tensor, as in {op}([a, b])")
    for at, each in enumerate(value):
        if not isinstance(each, tensors):
            raise DtypeError(f"{op}: {name}[{at}] is {kind_of(each)}; give a Tensor (core.from_host makes one)")
    return tuple(value)


def _tensor_signature(value: Any) -> TensorSignature:
    return TensorSignature(name_of(value.dtype), tuple(length == 1 for length in value.shape))


def _plain_number(op: str, name: str, value: Any, takes: str = "") -> bool | int | float:
    """A Python or numpy number; anything else is refused, as it would have to be copied to the device."""
    if type(value) in _NUMBERS:
        return value  # type: ignore[no-any-return]
    if isinstance(value, (np.generic, np.ndarray)) and value.ndim == 0 and value.dtype.kind in _KINDS:
        return _KINDS[value.dtype.kind](value)  # type: ignore[no-any-return]
    raise DtypeError(
        f"{op}: {name} is {kind_of(value)}; give a Tensor (core.from_host makes one of an array) or a number{takes}"
    )


def fitted(op: str, name: str, value: Any, dtype: str) -> Any:
    """A number as an attribute of a formula takes it: a Python number in the range of the dtype; whether it is not 0,
    where that is bool."""
    if isinstance(value, (np.generic, np.ndarray)):
        value = _plain_number(op, name, value)
    if dtype == "bool":
        return value != 0
    if type(value) is not int:  # one of a class of its own may stand for a number that is not known yet
        return value
    if dtype in _LIMITS:
        least, most = _LIMITS[dtype]
        if not least <= value <= most:
            raise DtypeError(
                f"{op}: {name} is {value}, which {dtype} does not have ({least} to {most}); a tensor of a wider dtype, "
                "x.astype('int64'), or a float takes more"
            )
        return value
    try:
        float(value)
    except OverflowError:
        raise DtypeError(f"{op}: {name} has {len(str(value))} digits, which is more than a float holds") from None
    return value


def targets(op: str, out: Any, tensors: Types) -> Sequence[Any]:
    """What `out=` names, one for each result."""
    found = out if isinstance(out, (tuple, list)) else (out,)
    for each in found:
        if not isinstance(each, tensors):
            raise DtypeError(f"{op}: out is {kind_of(each)}; give the Tensor that the result goes into")
    return found


def _signature_text(form: syntax.Declaration) -> str:
    return ", ".join(
        each.name if each.default is None else f"{each.name} (optional)" for each in (*form.operands, *form.attributes)
    )


# --- attributes -------------------------------------------------------------------------------------------------------


class _Attribute:
    """One attribute of one call. `bound` puts numbers among the others, or returns what belongs to the signature."""

    def __init__(
        self,
        op: str,
        form: syntax.Declaration,
        declared: syntax.AttributeSyntax,
        given: Mapping[str, Any],
        tensors: Types,
    ) -> None:
        self.place = f"{op}: {declared.name}"
        self.op = op
        self.form = form
        self.declared = declared
        self.given = given
        value = given.get(declared.name)
        if isinstance(value, tensors):
            numeric = declared.type in ("float", "int", "ints")
            takes = ", ".join(each.name for each in (*form.operands, *form.attributes))
            hint = f"{op} takes {takes}"
            if numeric:
                hint = f"{declared.name}.item() makes one of one element"
            if declared.type == "float":
                hint += ", which has no gradient; for one, the op must declare it as an operand"
            raise DtypeError(
                f"{self.place} must be a {'number' if numeric else 'value of Python'}, but it is a Tensor of shape "
                f"{tuple(value.shape)}; {hint}"
            )
        self.value = self._default(declared) if value is None else value

    def bound(self, kinds: Mapping[str, Any], numbers: dict[str, Any]) -> tuple[str, Any] | None:
        name, kind = self.declared.name, self.declared.type
        if kind == "ints":
            values = self._ints()
            numbers.update({f"{name}.{at}": each for at, each in enumerate(values)})
            return name, len(values)
        if kind == "float":
            numbers[name] = self._float()
            return None
        if kind == "int":
            numbers[name] = self._whole(self.value)
            return None
        return name, self._static(kinds)

    def _default(self, declared: syntax.AttributeSyntax) -> Any:
        explicit_none = declared.name in self.given
        default = declared.default
        if isinstance(default, (syntax.Literal, syntax.Text)):
            return None if explicit_none and declared.type == "axes" else default.value
        if isinstance(default, tuple):
            return tuple(each.value for each in default)
        if isinstance(default, syntax.Name):
            if default.name == "all":
                return None
            other = self.given.get(default.name)
            found = next(each for each in self.form.attributes if each.name == default.name)
            return self._default(found) if other is None else other
        if declared.type == "rank" or (explicit_none and declared.type == "axes"):
            return None
        raise TypeError(f"{self.op}: {self.declared.name} is missing; it takes {_signature_text(self.form)}")

    def _whole(self, value: Any) -> int:
        if isinstance(value, int) and not isinstance(value, bool):
            return value  # as it is: one of a class of its own may stand for a number that is not known yet
        try:
            return operator.index(value)
        except TypeError:
            hint = _PADDING.get(value, "") if isinstance(value, str) and self.declared.name == "padding" else ""
            raise DtypeError(f"{self.place} must be a whole number, but it is {value!r}{hint}") from None

    def _float(self) -> float:
        try:
            if isinstance(self.value, (str, bytes)):
                raise TypeError
            return float(self.value)
        except OverflowError:
            raise DtypeError(f"{self.place} has more digits than a float holds") from None
        except (TypeError, ValueError):
            raise DtypeError(f"{self.place} must be a number, but it is {self.value!r}") from None

    def _ints(self) -> tuple[int, ...]:
        count = self.declared.count
        if not is_list(self.value):
            return (self._whole(self.value),) * (count or 1)
        values = tuple(map(self._whole, self.value))
        if count is not None and len(values) != count:
            raise ShapeError(f"{self.place} has {len(values)} numbers {values}, but it takes {count}")
        return values

    def _static(self, kinds: Mapping[str, Any]) -> Any:
        value, kind = self.value, self.declared.type
        if kind == "word":
            if not isinstance(value, str):
                raise DtypeError(f'{self.place} must be a word in quotes, such as "mean", but it is {value!r}')
            return value
        if kind == "reduction":
            require_reduction(self.place, value)
            return value
        if kind == "bool":
            if not isinstance(value, (bool, np.bool_)):
                raise DtypeError(f"{self.place} must be True or False, but it is {value!r}")
            return bool(value)
        if kind == "dtype":
            return name_of(canonical(value))
        if kind in ("axis", "rank"):
            return None if value is None else self._whole(value)
        return self._axes(kinds)

    def _axes(self, kinds: Mapping[str, Any]) -> tuple[int, ...]:
        operand, rank = self._pack(kinds)
        if self.value is None:
            return tuple(range(rank))
        axes = tuple(map(self._whole, self.value if is_list(self.value) else (self.value,)))
        for axis in axes:
            if not -rank <= axis < rank:
                has = f"{operand} {tuple(self.given[operand].shape)} has" if operand else "there are"
                raise ShapeError(
                    f"{self.op}: axis {axis} does not exist; {has} {rank} {'axis' if rank == 1 else 'axes'}"
                )
        normal = tuple(axis % rank for axis in axes)
        if len(set(normal)) != len(normal):
            raise ShapeError(f"{self.place} {axes} names one axis twice")
        if self.declared.type == "order":
            if len(normal) != rank:
                raise ShapeError(f"{self.place} {axes} must name each of the {rank} axes once")
            return normal
        return tuple(sorted(normal))

    def _pack(self, kinds: Mapping[str, Any]) -> tuple[str, int]:
        """(the operand with most axes in the pack that the attribute speaks of, how many)."""
        best = ("", 0)
        for operand in self.form.operands:
            found = kinds.get(operand.name)
            if not isinstance(found, TensorSignature):
                continue
            if operand.axes is None:
                best = max(best, (operand.name, found.rank), key=lambda each: each[1])
                continue
            packs = [axis.names[0] for axis in operand.axes if axis.kind == "pack"]
            if len(packs) == 1 and self.declared.of in (None, packs[0]):
                best = max(best, (operand.name, found.rank - len(operand.axes) + 1), key=lambda each: each[1])
        return best


def _or(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def require_reduction(place: str, value: Any) -> None:
    """Raise ValueError for what is no way to reduce losses."""
    if not isinstance(value, str) or value not in REDUCTIONS:
        hint = "; it is that of 'sum', divided by x.shape[0]" if value == "batchmean" else ""
        raise ValueError(f"{place} is {value!r}, but it must be {_or(map(repr, REDUCTIONS))}{hint}")


def is_list(value: Any) -> bool:
    """Whether an argument has several numbers; an array without axes has one."""
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes)) and getattr(value, "ndim", 1) != 0
