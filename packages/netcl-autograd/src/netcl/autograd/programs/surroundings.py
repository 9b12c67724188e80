"""What a traced function can read of Python's own objects around it, and whether all of that is still so.

A trace has the numbers, flags and tensors that Python found then: the attributes of a model, variables of the module
or of a function around it, what a dict or a list of them holds. Nothing says which of these are read, but the code
says by which names: what goes by a name that is in the function, or in a function or method that goes by such a name,
is looked at again at each call. Where one has become another, the function is traced anew.
"""

from __future__ import annotations

import contextlib
import re
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from functools import partial
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

from netcl.autograd.graph.node import Node
from netcl.core.tensor import Tensor

_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_CONTAINERS = (dict, list, tuple, set, frozenset, deque)
_CALLED = (FunctionType, BuiltinFunctionType, MethodType, classmethod, staticmethod, property, partial)
_MOST = 10_000
"""A container with more in it, and what more objects lead to, is taken to stay as it is: to look at all of it would
take longer than what it is for."""

_LIBRARY = re.compile(r"[\\/](?:site|dist)-packages[\\/]")
_NOT_CALLED = {"__init__", "__new__", "__del__", "__repr__", "__reduce__", "__init_subclass__", "__class_getitem__"}
"""Methods of objects that are there which a traced function does not call without naming them."""

_ABSENT = object()


class Surroundings:
    """What a function and its arguments lead to: `still_so` says at each call whether they lead to the same."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, str], _Variable] = {}
        self._read: list[_Variable | _Absent] = []
        self._names: set[str] = set()
        self._reached: dict[int, Any] = {}
        self._waiting: list[Any] = []
        self._own = ""  # the package of the function

    def still_so(self) -> bool:
        """Whether every variable has the value, and every container the contents, that were found."""
        return all(each.still_so() for each in self._read)

    def look_around(self, fn: Any, arguments: Sequence[Any]) -> None:
        """Find what may be read, when the function has been traced: what it has changed itself is as it left it."""
        self._own = getattr(fn, "__module__", None) or ""
        self._waiting += [*arguments, fn]
        looked_into = known = 0
        while self._waiting:
            while self._waiting:
                self._try(self._reach, self._waiting.pop())
            if len(self._names) > known:  # a new name may be one of what was there before
                looked_into, known = 0, len(self._names)
            for each in [*self._reached.values()][looked_into:]:
                self._try(self._look_into, each)
            looked_into = len(self._reached)
        self._read += self._found.values()
        for each in self._reached.values():
            attributes = _attributes(each)
            if attributes is not None:
                self._read.append(_Absent(attributes, frozenset(self._names.difference(attributes))))
        self._reached = {}

    def _try(self, look: Callable[[Any], None], value: Any) -> None:
        """Objects may refuse to be looked at, by any error; the function itself may have no such trouble with them."""
        with contextlib.suppress(Exception):
            look(value)

    def _reach(self, value: Any) -> None:
        """Something is there: what it leads to by itself waits, and the names that are in it are known."""
        if isinstance(value, (*_PLAIN, Tensor, Node, Enum)) or id(value) in self._reached or len(self._reached) > _MOST:
            return
        self._reached[id(value)] = value
        if isinstance(value, FunctionType):
            if not _is_of_python(value.__globals__.get("__name__")):
                self._names.update(_names(value.__code__))
            self._waiting += [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
        elif isinstance(value, MethodType):
            self._waiting += [value.__func__, value.__self__]
        elif isinstance(value, (classmethod, staticmethod)):
            self._waiting.append(value.__func__)
        elif isinstance(value, property):
            self._waiting.append(value.fget)
        elif isinstance(value, partial):
            self._waiting += [value.func, *value.args, *value.keywords.values()]
        elif isinstance(value, _CONTAINERS) and len(value) <= _MOST:
            self._waiting += [*(value.values() if isinstance(value, dict) else value)]
        if isinstance(value, _CALLED) or _is_wrapper(value):
            self._waiting.append(getattr(value, "__wrapped__", None))

    def _look_into(self, value: Any) -> None:
        """Note what goes by a known name in something that is there."""
        if isinstance(value, FunctionType):
            self._look_into_function(value)
        elif isinstance(value, ModuleType):
            if not self._is_of_library(value.__name__, getattr(value, "__file__", None)):
                self._note_named(value.__dict__)
        elif isinstance(value, type):
            self._look_into_class(value, None)
        elif isinstance(value, _CONTAINERS):
            self._note(value, "", lambda: value)
        elif not isinstance(value, _CALLED):
            attributes = _attributes(value)
            if attributes is not None:
                self._note_named(attributes)
            self._look_into_class(type(value), value)

    def _look_into_function(self, fn: FunctionType) -> None:
        self._note_named(fn.__dict__)
        if not self._is_of_library(fn.__globals__.get("__name__"), fn.__code__.co_filename):
            for name in {*_names(fn.__code__)}.intersection(fn.__globals__):
                self._note(fn.__globals__, name, partial(fn.__globals__.get, name, _ABSENT))
        for cell in fn.__closure__ or ():
            self._note(cell, "", partial(_in_cell, cell))

    def _look_into_class(self, kind: type, of: Any) -> None:
        """Attributes of a class, its methods, which may be called, and what an object of it has in slots."""
        for base in kind.__mro__:
            if _is_of_python(base.__module__):
                continue
            for name, value in [*vars(base).items()]:
                is_special = name.startswith("__") and name.endswith("__")
                if name in self._names or (is_special and name not in _NOT_CALLED):
                    if isinstance(value, MemberDescriptorType):
                        if of is not None:
                            self._note(of, name, partial(getattr, of, name, _ABSENT))
                    elif not is_special:
                        self._note(kind, name, partial(_in_class, kind, name))
                    elif isinstance(value, _CALLED):
                        self._waiting.append(value)

    def _note_named(self, holder: dict[str, Any]) -> None:
        for name in self._names.intersection(holder):
            self._note(holder, name, partial(holder.get, name, _ABSENT))

    def _note(self, holder: Any, name: str, read: Callable[[], Any]) -> None:
        if (id(holder), name) in self._found:
            return
        with contextlib.suppress(Exception):  # others beside it are noted all the same
            value = read()
            self._waiting.append(value)
            if value is not _ABSENT and not isinstance(value, (ModuleType, BuiltinFunctionType)):
                self._found[(id(holder), name)] = _Variable(holder, read, value)

    def _is_of_library(self, module: str | None, file: str | None) -> bool:
        """Whether a module is Python's own, netcl's, or one of a package that is installed and not the function's."""
        of_another = (module or "").partition(".")[0] != self._own.partition(".")[0]
        return _is_of_python(module) or (of_another and _LIBRARY.search(file or "") is not None)


class _Variable:
    """A variable of a module or a function, or an attribute; or a container, which is what it was but may hold else."""

    __slots__ = ("contents", "holder", "read", "value")

    def __init__(self, holder: Any, read: Callable[[], Any], value: Any) -> None:
        self.holder, self.read, self.value = holder, read, value  # the holder so stays where it is
        self.contents = _contents(value)

    def still_so(self) -> bool:
        now, value = self.read(), self.value
        if now is value:
            return self.contents is None or bool(_contents(now) == self.contents)
        if value.__class__ in _PLAIN:
            return now.__class__ is value.__class__ and (now == value or repr(now) == repr(value))
        return self.contents is not None and bool(_contents(now) == self.contents)


class _Absent:
    """An object that has no attributes of its own by these names: its class has them, or nobody."""

    __slots__ = ("holder", "names")

    def __init__(self, holder: dict[str, Any], names: frozenset[str]) -> None:
        self.holder, self.names = holder, names

    def still_so(self) -> bool:
        return self.names.isdisjoint(self.holder)


def _contents(value: Any, depth: int = 3) -> Any:
    """What a container holds: plain values, those of containers in it, and which tensors and objects; None of what is
    no container. What is in it further down is found as a container by itself."""
    if not depth or not isinstance(value, _CONTAINERS) or len(value) > _MOST:
        return None
    if isinstance(value, dict):
        return (value.__class__, [(_entry(key, depth), _entry(each, depth)) for key, each in value.items()])
    return (value.__class__, [_entry(each, depth) for each in value])


def _entry(value: Any, depth: int) -> Any:
    if value.__class__ in _PLAIN:
        return (value.__class__, repr(value) if value.__class__ is float else value)
    held = _contents(value, depth - 1)
    return id(value) if held is None else held


def _attributes(value: Any) -> dict[str, Any] | None:
    """The attributes of an object."""
    if isinstance(value, (type, ModuleType, *_CALLED, *_CONTAINERS)):
        return None
    found = getattr(value, "__dict__", None)
    return found if isinstance(found, dict) else None


def _in_cell(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # of a variable that has no value yet
        return _ABSENT


def _in_class(kind: type, name: str) -> Any:
    for base in kind.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return _ABSENT


def _is_wrapper(value: Any) -> bool:
    """Whether a value of netcl's is called in the place of a function, as what `ag.jit` gives."""
    return type(value).__module__.startswith("netcl.") and callable(value)


def _is_of_python(module: str | None) -> bool:
    """Whether code is of Python's own library, or of netcl."""
    first = (module or "").partition(".")[0]
    return first == "netcl" or (first in sys.stdlib_module_names and first != "__main__")


def _names(code: CodeType) -> Iterator[str]:
    """The names that code has of variables and attributes, and texts that may be such; those of code inside it, too."""
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _names(each)
        elif isinstance(each, str) and each.isidentifier():
            yield each
