"""An op as a person holds it: declared forms, a Python signature, and calls bound to formulas.

`Op.bind` turns the arguments of a call into a `Call`: the formula of the form that fits, the operands in the formula's
order and the caller's numbers. `Op.__call__` runs it. What an op does not know is a tape: packages that have handles of
their own (netcl-autograd's Node) register them with `register_handle`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from netcl.core.dtypes import canonical
from netcl.core.errors import DtypeError, ShapeError
from netcl.core.tensor import Tensor
from netcl.kernels import launch
from netcl.kernels.bounds import require_in_range
from netcl.kernels.compiler import syntax
from netcl.kernels.compiler.ir import Formula
from netcl.kernels.compiler.pipeline import visible
from netcl.kernels.compiler.signature import STATIC_TYPES, NumberSignature, Signature, TensorSignature
from netcl.kernels.compiler.specialise import DoesNotFit, specialise
from netcl.kernels.remember import Key, Keys, Recall

_handles: dict[type, Callable[[Op, tuple[Any, ...], dict[str, Any]], Any]] = {}
_tensor_types: tuple[type, ...] = (Tensor,)
_NUMBERS = {bool: "bool", int: "int", float: "float"}


def register_handle(kind: type, caller: Callable[[Op, tuple[Any, ...], dict[str, Any]], Any]) -> None:
    """Let ops take values of `kind` (with the shape and dtype of a Tensor): `caller(op, arguments, keywords)` runs them."""
    global _tensor_types
    _handles[kind] = caller
    _tensor_types = (Tensor, *_handles)


@dataclass
class Call:
    """One call, bound: `operands` (Tensors or handles, in the formula's order) and `attributes` by name."""

    op: Op
    formula: Formula
    operands: tuple[Any, ...]
    attributes: Mapping[str, Any]

    def run(self, tensors: Sequence[Tensor], out: Sequence[Tensor] | None = None) -> tuple[Tensor, ...]:
        """Launch on the operands' Tensors. With `out` the results are written there."""
        formula = visible(self.formula)
        plan = launch.prepare(formula, tensors, self.attributes)
        require_in_range(formula, tensors, self.attributes, plan.bindings)
        return plan.run(tensors, self.attributes, out)


class Op:
    """A differentiable operation. Call it with Tensors and numbers; `help(op)` shows its signature and formula."""

    def __init__(self, name: str, forms: Sequence[syntax.Declaration]) -> None:
        self.name = self.__name__ = name
        self.forms = tuple(forms)
        self.__doc__ = next((form.doc for form in self.forms if form.doc), "")
        self._keys = Keys(self.forms)
        self._calls: dict[Key, Recall] = {}

    def __repr__(self) -> str:
        return f"<op {self.name}{self.__signature__}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        for value in args:
            if type(value) in _handles:
                return _handles[type(value)](self, args, kwargs)
            if isinstance(value, (list, tuple)):
                for each in value:
                    if type(each) in _handles:
                        return _handles[type(each)](self, args, kwargs)
        for value in kwargs.values():
            if type(value) in _handles:
                return _handles[type(value)](self, args, kwargs)
        call = self.bind(args, kwargs)
        outputs = call.run(call.operands)
        return outputs[0] if len(outputs) == 1 else outputs

    @cached_property
    def __signature__(self) -> inspect.Signature:
        """The Python signature: operands first, then attributes, as the first form declares them."""
        form = self.forms[0]
        parameters = []
        for operand in form.operands:
            default = inspect.Parameter.empty if operand.default is None else None
            parameters.append(inspect.Parameter(operand.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default))
        for attribute in form.attributes:
            default = attribute.default
            shown: Any = inspect.Parameter.empty
            if isinstance(default, tuple):
                shown = tuple(each.value for each in default)
            elif isinstance(default, (syntax.Literal, syntax.Text)):
                shown = default.value
            elif isinstance(default, syntax.Name):
                shown = None
            parameters.append(inspect.Parameter(attribute.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=shown))
        seen_default = False
        for at, parameter in enumerate(parameters):
            if seen_default and parameter.default is inspect.Parameter.empty:
                parameters[at] = parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            seen_default = seen_default or parameter.default is not inspect.Parameter.empty
        parameters.sort(key=lambda parameter: parameter.kind)
        return inspect.Signature(parameters)

    # --- binding ------------------------------------------------------------------------------------------------------

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Call:
        """The call for these arguments. Raises the error of the form that comes nearest when no form fits."""
        key = self._keys.key(args, kwargs, _handles)
        if key is not None:
            try:
                recall = self._calls[key]
            except KeyError:
                pass
            except TypeError:  # an argument that cannot be a key
                key = None
            else:
                return Call(self, recall.formula, *recall.bind(args, kwargs))
        given = self._given(args, kwargs)
        misfits: list[str] = []
        for form in self.forms:
            try:
                operands, numbers, signature = _separate(self.name, form, given)
                formula = formula_of(form, signature)
            except DoesNotFit as misfit:
                misfits.append(str(misfit))
                continue
            if key is not None:
                self._calls[key] = Recall(formula, form, self._keys.names, args, kwargs, numbers)
            return Call(self, formula, operands, numbers)
        reasons = misfits[0] if len(misfits) == 1 else "; or ".join(dict.fromkeys(misfits))
        raise ShapeError(f"{self.name}: {reasons}. Given: {_described(given)}")

    def _given(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        form = self.forms[0]
        variadic = next((operand.name for operand in form.operands if operand.variadic), None)
        names = [operand.name for operand in form.operands] + [attribute.name for attribute in form.attributes]
        if variadic is not None and args and not isinstance(args[0], (list, tuple)):
            tensors = [value for value in args if isinstance(value, _tensor_types)]
            args = [tensors, *args[len(tensors) :]]
        if len(args) > len(names):
            raise TypeError(f"{self.name} takes at most {len(names)} arguments ({', '.join(names)}), but {len(args)} were given")
        given = dict(zip(names, args, strict=False))
        for name, value in kwargs.items():
            if name not in names:
                raise TypeError(f"{self.name} has no argument {name!r}; it takes {', '.join(names)}")
            if name in given:
                raise TypeError(f"{self.name}: argument {name!r} is given twice")
            given[name] = value
        return given


_formulas: dict[tuple[int, Signature], Formula] = {}
_declarations: dict[int, syntax.Declaration] = {}


def formula_of(form: syntax.Declaration, signature: Signature) -> Formula:
    """The specialised formula, remembered for each signature."""
    key = (id(form), signature)
    found = _formulas.get(key)
    if found is None:
        _declarations[id(form)] = form
        found = _formulas[key] = specialise(form, signature)
    return found


def _separate(
    op: str, form: syntax.Declaration, given: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any], Signature]:
    """Tensors, numbers and the signature of the arguments as one form takes them."""
    operands: list[Any] = []
    numbers: dict[str, Any] = {}
    kinds: list[tuple[str, Any]] = []
    for operand in form.operands:
        value = given.get(operand.name)
        if operand.variadic:
            members = tuple(value or ())
            if not members:
                raise ShapeError(f"{op}: {operand.name} is empty; give at least one tensor")
            kinds.append((operand.name, tuple(_tensor_signature(op, operand.name, each) for each in members)))
            operands.extend(members)
        elif value is None:
            if operand.default is None:
                raise TypeError(f"{op}: operand {operand.name} is missing")
        elif isinstance(value, _tensor_types):
            kinds.append((operand.name, _tensor_signature(op, operand.name, value)))
            operands.append(value)
        elif type(value) in _NUMBERS or hasattr(value, "__float__") and getattr(value, "ndim", 0) == 0:
            plain = value if type(value) in _NUMBERS else value.item()
            kinds.append((operand.name, NumberSignature(_NUMBERS[type(plain)])))
            numbers[operand.name] = plain
        else:
            raise DtypeError(
                f"{op}: {operand.name} is a {type(value).__name__}; give a Tensor (core.from_host makes one of an array) "
                "or a number"
            )
    static: list[tuple[str, Any]] = []
    for attribute in form.attributes:
        _bind_attribute(op, form, attribute, given, dict(kinds), numbers, static)
    return tuple(operands), numbers, Signature(tuple(kinds), tuple(static))


def _tensor_signature(op: str, name: str, value: Any) -> TensorSignature:
    if not isinstance(value, _tensor_types):
        raise DtypeError(f"{op}: {name} holds a {type(value).__name__}; give Tensors")
    return TensorSignature(value.dtype.name, tuple(length == 1 for length in value.shape))


def _bind_attribute(
    op: str,
    form: syntax.Declaration,
    attribute: syntax.AttributeSyntax,
    given: Mapping[str, Any],
    kinds: Mapping[str, Any],
    numbers: dict[str, Any],
    static: list[tuple[str, Any]],
) -> None:
    name = attribute.name
    value = given[name] if given.get(name) is not None else _default(op, attribute, given, name in given)
    if attribute.type == "ints":
        values = (value,) * (attribute.count or 1) if isinstance(value, int) else tuple(int(each) for each in value)
        if attribute.count is not None and len(values) != attribute.count:
            raise ShapeError(f"{op}: {name} has {len(values)} numbers, but it takes {attribute.count}")
        static.append((name, len(values)))
        numbers.update({f"{name}.{at}": each for at, each in enumerate(values)})
    elif attribute.type == "float":
        numbers[name] = _number(op, name, value, float)
    elif attribute.type == "int":
        numbers[name] = _number(op, name, value, int)
    elif attribute.type in STATIC_TYPES:
        static.append((name, _static_value(op, form, attribute, value, kinds)))
    else:
        types = ", ".join([*STATIC_TYPES, "int", "ints", "float"])
        raise attribute.span.error(f"'{attribute.type}' is not a type of attribute; write one of {types}")


def _number(op: str, name: str, value: Any, kind: type) -> Any:
    try:
        if kind is int and isinstance(value, float):
            raise TypeError
        return kind(value)
    except (TypeError, ValueError):
        wanted = "a whole number" if kind is int else "a number"
        raise DtypeError(f"{op}: {name} must be {wanted}, but it is {value!r}") from None


def _default(op: str, attribute: syntax.AttributeSyntax, given: Mapping[str, Any], explicit_none: bool) -> Any:
    default = attribute.default
    if isinstance(default, (syntax.Literal, syntax.Text)):
        return None if explicit_none and attribute.type in ("axes",) else default.value
    if isinstance(default, tuple):
        return tuple(each.value for each in default)
    if isinstance(default, syntax.Name):
        return None if default.name == "all" else given[default.name]
    if attribute.type == "rank" or (explicit_none and attribute.type == "axes"):
        return None
    raise TypeError(f"{op}: {attribute.name} is missing")


def _static_value(
    op: str, form: syntax.Declaration, attribute: syntax.AttributeSyntax, value: Any, kinds: Mapping[str, Any]
) -> Any:
    if attribute.type == "word":
        if not isinstance(value, str):
            raise DtypeError(f"{op}: {attribute.name} must be a word in quotes, but it is {value!r}")
        return value
    if attribute.type == "bool":
        return bool(value)
    if attribute.type == "dtype":
        return canonical(value).name
    if attribute.type in ("axis", "rank"):
        return None if value is None else _number(op, attribute.name, value, int)
    rank = _pack_rank(form, attribute, kinds)
    axes = tuple(range(rank)) if value is None else (value,) if isinstance(value, int) else tuple(value)
    normal = []
    for axis in axes:
        if not isinstance(axis, int) or not -rank <= axis < rank:
            raise ShapeError(f"{op}: axis {axis} does not exist; there are {rank} axes")
        normal.append(axis % rank)
    if len(set(normal)) != len(normal):
        raise ShapeError(f"{op}: {attribute.name} {axes} names one axis twice")
    if attribute.type == "order":
        if len(normal) != rank:
            raise ShapeError(f"{op}: {attribute.name} {axes} must name each of the {rank} axes once")
        return tuple(normal)
    return tuple(sorted(normal))


def _pack_rank(form: syntax.Declaration, attribute: syntax.AttributeSyntax, kinds: Mapping[str, Any]) -> int:
    """How many axes the pack has that an `axes` or `order` attribute speaks of."""
    best = 0
    for operand in form.operands:
        found = kinds.get(operand.name)
        if not isinstance(found, TensorSignature):
            continue
        if operand.axes is None:
            best = max(best, found.rank)
            continue
        packs = [axis.names[0] for axis in operand.axes if axis.kind == "pack"]
        if len(packs) == 1 and attribute.of in (None, packs[0]):
            best = max(best, found.rank - len(operand.axes) + 1)
    return best


def _described(given: Mapping[str, Any]) -> str:
    shown = []
    for name, value in given.items():
        if isinstance(value, _tensor_types):
            shown.append(f"{name} {tuple(value.shape)} {value.dtype}")
        elif isinstance(value, (list, tuple)) and any(isinstance(each, _tensor_types) for each in value):
            shown.append(f"{name} of shapes {', '.join(str(tuple(each.shape)) for each in value)}")
        else:
            shown.append(f"{name}={value!r}")
    return ", ".join(shown)


