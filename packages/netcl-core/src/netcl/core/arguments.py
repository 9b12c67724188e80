"""Arguments that a function cannot take, said in the words of the call: `flip: x must be a Tensor, but it is a list`.

A function under `explained` runs as it is written. Only when it fails with an error of the inside are its arguments
held against its annotations, so that a right call pays nothing. What an annotation allows stands in `KINDS`; one that
is not there, such as `Any`, allows everything.
"""

from __future__ import annotations

import dis
import functools
import inspect
import numbers
import operator
import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from netcl.core.bounded import remembered
from netcl.core.errors import DtypeError, NetclError, OutOfMemoryError
from netcl.core.hints import argument_hint

Operand: TypeAlias = Any
"""A Tensor, or what another package has in its place."""
Operands: TypeAlias = Any
"""A list of them."""
Numbers: TypeAlias = Any
"""A whole number, or a list of them."""
Widths: TypeAlias = Any
"""A list of two whole numbers for each axis."""
Pairs: TypeAlias = Any
"""How many axes, or two lists of them."""
Axes: TypeAlias = Any
"""None, an axis or a list of axes."""

Wrapped = TypeVar("Wrapped", bound=Callable[..., Any])


class Kind(NamedTuple):
    """What an annotation allows, in words, and the test for it."""

    words: str
    holds: Callable[[Any], bool]


def explained(function: Wrapped) -> Wrapped:
    """The function, with a DtypeError that names the argument in the place of an error of the inside."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            if hasattr(error, "argument") or not _on_purpose(error):  # an argument that a function inside has named
                _explain(error, function, args, kwargs)
            raise

    return called  # type: ignore[return-value]


def require(call: str, argument: str, annotation: str, value: Any) -> None:
    """Refuse an argument that is kept now and used later, when its error could no longer name the call."""
    kinds = _kinds(annotation)
    if not any(kind.holds(value) for kind in kinds):
        raise DtypeError(_wrong(call, argument, kinds, value))


def _wrong(call: str, argument: str, kinds: Iterable[Kind], value: Any) -> str:
    """What an argument must be, and what it is."""
    words = " or ".join(dict.fromkeys(kind.words for kind in kinds))
    for kind in kinds:
        at, wrong = _first_wrong(kind.holds, value)
        if at:
            return f"{call}: {argument} must be {words}, but {argument}{at} is {described(wrong)}"
    return f"{call}: {argument} must be {words}, but it is {described(value)}"


def _first_wrong(test: Callable[[Any], bool], value: Any) -> tuple[str, Any]:
    """What a test says no to, and where it is in a list: `[2][0]`, or nothing where it is the value itself."""
    if isinstance(test, _Every) and isinstance(value, (list, tuple)):
        for at, member in enumerate(value):
            if not test.holds(member):
                inside, wrong = _first_wrong(test.holds, member)
                return f"[{at}]{inside}", wrong
    return "", value


def _on_purpose(error: Exception) -> bool:
    """Whether a `raise` of netcl has said this."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    if place is None or not str(place.tb_frame.f_globals.get("__name__")).startswith("netcl."):
        return isinstance(error, NetclError)
    if isinstance(error, AttributeError):  # which says something of a Tensor, nothing of the call
        return False
    return place.tb_frame.f_code.co_code[place.tb_lasti] == dis.opmap["RAISE_VARARGS"]


def _explain(error: Exception, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Raise DtypeError for the first argument that the function's annotations do not allow, if there is one."""
    if isinstance(error, MemoryError):
        raise OutOfMemoryError(f"{_name(function, args)}: there is no room for this on the host: {error}") from error
    try:
        signature = _signature(function)
        given = signature.bind(*args, **kwargs)
    except TypeError as mismatch:
        raise TypeError(_does_not_fit(_name(function, args), list(signature.parameters), kwargs, mismatch)) from None
    for name, value in given.arguments.items():
        parameter = signature.parameters[name]
        kinds = _kinds(str(parameter.annotation))
        values = value if parameter.kind is parameter.VAR_POSITIONAL else (value,)
        if parameter.kind is parameter.VAR_KEYWORD or not kinds:
            continue
        for each in values:
            if not any(kind.holds(each) for kind in kinds):
                found = DtypeError(_wrong(_name(function, args), name, kinds, each))
                found.argument = name  # type: ignore[attr-defined]
                raise found from error


def _does_not_fit(call: str, names: list[str], kwargs: Iterable[str], mismatch: TypeError) -> str:
    """The sentence for a call that does not fit its function: the name that is unknown, and what there is."""
    names = names[1:] if names[:1] == ["self"] else names
    unknown = next((name for name in kwargs if name not in names), None)
    takes = f"it takes {', '.join(names)}" if names else "it takes nothing"
    if unknown is None:
        return f"{call}: {mismatch}; {takes}"
    return f"{call} has no argument {unknown!r}; {takes}{argument_hint(unknown, names)}"


def described(value: Any) -> str:
    """What a value is, in few words."""
    if isinstance(value, (bool, int, float, str, bytes, type(None))):
        text = repr(value) if not isinstance(value, int) or abs(value) < 10**20 else f"of {value.bit_length()} bits"
        return text if len(text) < 40 else f"{text[:36]}..."
    if isinstance(value, type):
        return f"the class {value.__name__}"
    name = type(value).__name__
    article = "an" if name[0] in "aeiouAEIOU" else "a"
    if is_operand(value) or isinstance(value, np.ndarray):
        return f"{article} {name} of shape {tuple(value.shape)}"
    return f"{article} {name}"


def is_operand(value: Any) -> bool:
    """Whether a value is a Tensor, or a handle that stands for one."""
    return not isinstance(value, type) and all(hasattr(value, name) for name in ("shape", "dtype", "queue"))


def is_whole(value: Any) -> bool:
    try:
        operator.index(value)
    except (TypeError, ValueError):
        return False
    return not isinstance(value, type)


def _is_number(value: Any) -> bool:
    if isinstance(value, (numbers.Real, np.bool_)):
        return True
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    return getattr(value, "shape", None) == () and kind in ("b", "i", "u", "f")


def _is_flag(value: Any) -> bool:
    return isinstance(value, (bool, np.bool_, int))


class _Every(NamedTuple):
    """The test for a list of values for which a test holds."""

    holds: Callable[[Any], bool]

    def __call__(self, values: Any) -> bool:
        is_list = isinstance(values, Iterable) and not isinstance(values, (str, bytes))
        return is_list and all(map(self.holds, _items(values)))


def _items(values: Iterable[Any]) -> Iterator[Any]:
    """The elements, unless they can be had only once."""
    if isinstance(values, Iterator):
        return iter(())
    try:
        return iter(list(values))
    except TypeError:  # a tensor or an array without axes
        return iter((values,))


def _is_class(name: str) -> Callable[[Any], bool]:
    return lambda value: any(each.__name__ == name for each in type(value).__mro__)


def _is_axes(value: Any) -> bool:
    return value is None or is_whole(value) or _Every(is_whole)(value)


def _is_dict_of_nodes(value: Any) -> bool:
    return isinstance(value, Mapping) and all(map(_is_node, value.values()))


def _is_params(value: Any) -> bool:
    return _is_node(value) or _is_dict_of_nodes(value) or _Every(lambda each: _is_node(each) or _is_dict(each))(value)


def _is_dict(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_pairs(value: Any) -> bool:
    return is_whole(value) or _Every(_is_axes)(value)


def _is_node(value: Any) -> bool:
    return not isinstance(value, type) and hasattr(value, "register_hook")


KINDS: dict[str, Kind] = {
    "Operand": Kind("a Tensor (core.from_host makes one of an array)", is_operand),
    "Tensor": Kind("a Tensor (core.from_host makes one of an array)", _is_class("Tensor")),
    "Operands": Kind("a list of Tensors", _Every(is_operand)),
    "int": Kind("a whole number", is_whole),
    "Pairs": Kind("a number of axes, or two lists of them", _is_pairs),
    "Numbers": Kind("whole numbers", lambda value: is_whole(value) or _Every(is_whole)(value)),
    "Sequence[int]": Kind("a list of whole numbers", _Every(is_whole)),
    "Widths": Kind("a list of (before, after), one for each axis", _Every(_Every(is_whole))),
    "Axes": Kind("an axis, a list of axes or None", _is_axes),
    "float": Kind("a number", _is_number),
    "tuple[float, float]": Kind("two numbers", _Every(_is_number)),
    "bool": Kind("True or False", _is_flag),
    "Sequence[str]": Kind("a list of texts", _Every(lambda value: isinstance(value, str))),
    "str": Kind("a text", lambda value: isinstance(value, str)),
    "TextIO": Kind("a file to write to", lambda value: hasattr(value, "write")),
    "Path": Kind("a path", lambda value: isinstance(value, os.PathLike)),
    "None": Kind("None", lambda value: value is None),
    "Queue": Kind("a Queue", _is_class("Queue")),
    "Node": Kind("a Node (ag.tensor(x, requires_grad=True) makes one)", _is_node),
    "Iterable[Node]": Kind("a list of Nodes", lambda value: _is_node(value) or _Every(_is_node)(value)),
    "Params": Kind("a list of Nodes, a dict of them, or a list of groups", _is_params),
    "Mapping[str, Any]": Kind("a dict", _is_dict),
    "Sequence[Node]": Kind("a list of Nodes", _Every(_is_node)),
    "Mapping[str, Node]": Kind("a dict of Nodes", _is_dict_of_nodes),
    "Optimizer": Kind("an optimizer", _is_class("Optimizer")),
    "Scheduler": Kind("a scheduler", _is_class("Scheduler")),
    "Sequence[Scheduler]": Kind("a list of schedulers", _Every(_is_class("Scheduler"))),
    "Fn": Kind("a function", callable),
    "Callable": Kind("a function", callable),
}
"""What an argument may be, by the words of its annotation; `A | B` allows both."""


def kind_of(value: Any) -> str:
    """What a value is, for a sentence that says it is not what is wanted: "a numpy array of shape (3,)", "an int"."""
    if isinstance(value, np.ndarray):
        return f"a numpy array of shape {value.shape}"
    if value is None:
        return "None"
    package, name = type(value).__module__.partition(".")[0], type(value).__name__
    if package in ("jax", "jaxlib") and hasattr(type(value), "__array__"):
        return "a tracer of JAX, which has no values yet" if name.endswith("Tracer") else "an array of JAX"
    if package in ("jax", "jaxlib", "numpy", "tensorflow", "torch"):  # whose Tensor is none of netcl's
        name = f"{package} {name}"
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def is_foreign_array(value: Any) -> bool:
    """Whether a value is an array, but neither numpy's nor netcl's: one of JAX, a tensor of PyTorch, a buffer."""
    if isinstance(value, (np.ndarray, np.generic)) or is_operand(value):
        return False
    kind = type(value)
    return hasattr(kind, "__array__") or hasattr(kind, "__dlpack__") or isinstance(value, (memoryview, array))


@remembered("kinds of arguments", 2048)
def _kinds(annotation: str) -> tuple[Kind, ...]:
    """The kinds that an annotation allows; none where it has a part that allows everything."""
    annotation = annotation.replace("core.", "")
    parts = [part.partition("[")[0] if part.startswith("Callable[") else part for part in annotation.split(" | ")]
    return tuple(KINDS[part] for part in parts) if all(part in KINDS for part in parts) else ()


@remembered("signatures of functions", 2048)
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def _name(function: Callable[..., Any], args: Sequence[Any]) -> str:
    return type(args[0]).__name__ if function.__name__ == "__init__" else function.__name__
