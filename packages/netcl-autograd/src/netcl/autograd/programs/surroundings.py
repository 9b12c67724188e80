"""What a traced function read of Python's own objects around it, and whether all of that is still so.

A trace has the numbers, flags and tensors that Python found then: the attributes of a model, variables of the module
or of a function around it, what a dict or a list of them holds. Each is noted when it is read, or where the function
names it, and looked at again at each call: where one has become another, the function is traced anew.

An attribute is seen to be read by a class that stands in for the object's own while the function is traced.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from types import BuiltinFunctionType, CellType, FunctionType, MethodType, ModuleType
from typing import Any

from netcl.autograd.graph.node import Node
from netcl.autograd.graph.state import LOCAL
from netcl.core.bounded import remembered
from netcl.core.tensor import Tensor

_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_CODE = (type, FunctionType, BuiltinFunctionType, MethodType, ModuleType)
_MOST = 10_000
"""A container with more in it is taken to stay as it is: to look at all of it would take longer than what it is for."""

_LIBRARY = re.compile(r"[\\/](?:site|dist)-packages[\\/]")
_ABSENT = object()


class Surroundings:
    """What was read: `still_so` says at each call whether it would be read again."""

    def __init__(self) -> None:
        self._variables: dict[tuple[int, str], _Variable] = {}
        self._cells: dict[int, _Cell] = {}
        self._stood_in: list[Any] = []
        self._seen: set[int] = set()
        self._read: list[_Variable | _Cell] = []

    def still_so(self) -> bool:
        """Whether every variable has the value, and every container the contents, that were read."""
        return all(each.still_so() for each in self._read)

    @contextmanager
    def noted(self, fn: Any, arguments: Sequence[Any]) -> Iterator[None]:
        """Note what is read of the arguments, and of what the function names, while it is traced."""
        try:
            for each in arguments:
                self._look_at(each)
            self._look_at(fn)
            yield
        finally:
            for thing in self._stood_in:
                _restore(thing)
            self._stood_in.clear()
            noted: list[_Variable | _Cell] = [*self._variables.values(), *self._cells.values()]
            self._read = [each for each in noted if each.still_so()]  # others the function itself has written

    def note(self, holder: Mapping[str, Any], name: str) -> None:
        """A variable or an attribute is read."""
        place = (id(holder), name)
        value = holder.get(name, _ABSENT)
        if place not in self._variables and value is not _ABSENT and self._look_at(value):
            self._variables[place] = _Variable(holder, name, value)

    def _look_at(self, value: Any) -> bool:
        """Have what is read of a value noted; whether it may become another one."""
        if isinstance(value, (*_PLAIN, Tensor, Node)):
            return True
        module = getattr(value if isinstance(value, FunctionType) else type(value), "__module__", "")
        if isinstance(value, (ModuleType, type)) or (module or "").startswith("netcl."):
            return self._look_at(value.__wrapped__) if hasattr(value, "__wrapped__") else False
        if id(value) in self._seen:
            return True
        self._seen.add(id(value))
        if isinstance(value, FunctionType):
            self._look_into(value)
        elif isinstance(value, MethodType):
            self._look_at(value.__func__)
            self._look_at(value.__self__)
        elif isinstance(value, Mapping):
            for each in list(value.values())[:_MOST]:
                self._look_at(each)
        elif isinstance(value, (list, tuple, set, frozenset)):
            for each in list(value)[:_MOST]:
                self._look_at(each)
        elif not isinstance(value, _CODE) and _stand_in(value):
            self._stood_in.append(value)
        return True

    def _look_into(self, fn: FunctionType) -> None:
        """The variables that a function names, unless it is of a library: of its module, and of functions around it."""
        if (fn.__module__ or "").partition(".")[0] in sys.stdlib_module_names or _LIBRARY.search(
            fn.__code__.co_filename
        ):
            return
        for name in _names(fn.__code__):
            if name in fn.__globals__:
                self.note(fn.__globals__, name)
        for cell in fn.__closure__ or ():
            try:
                value = cell.cell_contents
            except ValueError:  # of a variable that has no value yet
                continue
            if self._look_at(value):
                self._cells[id(cell)] = _Cell(cell, value)


_lock = Lock()
_standing_in: dict[int, tuple[type, int]] = {}
"""Objects, by id, of which a trace is noting what is read: their class, and how many traces do."""


def _stand_in(thing: Any) -> bool:
    """Give an object, while a function is traced, a class that notes which attributes are read; whether it has one."""
    if not isinstance(getattr(thing, "__dict__", None), dict):
        return False
    with _lock:
        kind, traces = _standing_in.get(id(thing), (type(thing), 0))
        if kind.__flags__ & _IMMUTABLE:
            return False
        if not traces:
            try:
                object.__setattr__(thing, "__class__", _noting(kind))
            except TypeError:  # a class that cannot be derived from, or of another layout
                return False
        _standing_in[id(thing)] = (kind, traces + 1)
    return True


def _restore(thing: Any) -> None:
    with _lock:
        kind, traces = _standing_in.pop(id(thing))
        if traces > 1:
            _standing_in[id(thing)] = (kind, traces - 1)
        else:
            object.__setattr__(thing, "__class__", kind)


@remembered("classes that note what is read", 256)
def _noting(kind: Any) -> Any:
    """A class whose objects are those of `kind`, and tell the trace of this thread which attributes are read."""

    def read(thing: Any, name: str) -> Any:
        if LOCAL.state.tracer is not None:
            attributes = object.__getattribute__(thing, "__dict__")
            if name in attributes:
                LOCAL.state.tracer.surroundings.note(attributes, name)
        return kind.__getattribute__(thing, name)

    names = {
        "__getattribute__": read,
        "__slots__": (),
        "__module__": kind.__module__,
        "__qualname__": kind.__qualname__,
    }
    return type(kind)(kind.__name__, (kind,), names)


_IMMUTABLE = 1 << 8
"""Py_TPFLAGS_IMMUTABLETYPE: objects of a class that is not Python's own code keep it."""


class _Variable:
    """A variable of a module, or an attribute of an object."""

    __slots__ = ("form", "holder", "name", "value")

    def __init__(self, holder: Mapping[str, Any], name: str, value: Any) -> None:
        self.holder, self.name, self.value = holder, name, value
        self.form = _contents(value, set())

    def still_so(self) -> bool:
        return _is_still(self.holder.get(self.name, _ABSENT), self.value, self.form)


class _Cell:
    """A variable of a function around the traced one."""

    __slots__ = ("cell", "form", "value")

    def __init__(self, cell: CellType, value: Any) -> None:
        self.cell, self.value = cell, value
        self.form = _contents(value, set())

    def still_so(self) -> bool:
        try:
            return _is_still(self.cell.cell_contents, self.value, self.form)
        except ValueError:
            return False


def _is_still(now: Any, value: Any, form: Any) -> bool:
    """Whether a variable has the value that it had, with the same contents."""
    if now is value:
        return form is None or bool(_contents(now, set()) == form)
    if value.__class__ in _PLAIN:
        return now.__class__ is value.__class__ and (now == value or repr(now) == repr(value))
    return form is not None and now.__class__ is value.__class__ and bool(_contents(now, set()) == form)


def _contents(value: Any, seen: set[int]) -> Any:
    """What a container holds: plain values, and which tensors and objects; None of what is no container."""
    if not isinstance(value, (dict, list, tuple, set, frozenset)) or len(value) > _MOST or id(value) in seen:
        return None
    seen.add(id(value))
    each = value.items() if isinstance(value, dict) else value
    return tuple([_entry(one, seen) for one in each])


def _entry(value: Any, seen: set[int]) -> Any:
    if value.__class__ in _PLAIN:
        return (value.__class__, repr(value) if value.__class__ is float else value)
    held = _contents(value, seen)
    return id(value) if held is None else (value.__class__, held)


def _names(code: Any) -> Iterator[str]:
    """The names that a function has of variables of its module; those of functions inside it, too."""
    yield from code.co_names
    for each in code.co_consts:
        if hasattr(each, "co_names"):
            yield from _names(each)
