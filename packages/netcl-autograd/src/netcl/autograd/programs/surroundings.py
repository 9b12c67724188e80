"""What a traced function can read of Python's own objects around it, and whether all of that is still so.

A trace has the numbers, flags and tensors that Python found then: the attributes of a model, variables of the module
or of a function around it, what a dict or a list of them holds. Nothing says which of these are read, but the code
says by which names: what goes by a name that is in the function, or in a function or method that goes by such a name,
is looked at again at each call. Where one has become another, the function is traced anew. What the function itself
makes another while it is traced is a `Change`.
"""

from __future__ import annotations

import contextlib
import re
import sys
from array import array
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from enum import Enum
from functools import cached_property, partial
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any, NamedTuple

from netcl.autograd.graph.node import Node
from netcl.autograd.programs.only_written import only_written
from netcl.core.tensor import Tensor

_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_CONTAINERS = (dict, list, tuple, set, frozenset, deque)
_CALLED = (
    FunctionType, BuiltinFunctionType, MethodType, classmethod, staticmethod, property, cached_property, partial,
)  # fmt: skip
_MOST = 10_000
"""A container with more in it, and what more objects lead to, is taken to stay as it is: to look at all of it would
take longer than what it is for."""

_UNCHANGING = "netcl.core.", "netcl.kernels."
"""Modules whose objects lead to nothing that becomes another: devices, ops, what they are compiled from."""

_LIBRARY = re.compile(r"[\\/](?:site|dist)-packages[\\/]")
_NOT_CALLED = {"__init__", "__new__", "__del__", "__repr__", "__reduce__", "__init_subclass__", "__class_getitem__"}
"""Methods of objects that are there which a traced function does not call without naming them."""

ABSENT = object()


Place = tuple[int, str]
"""What holds a variable, by id, and its name there."""


class Change(NamedTuple):
    """What has become another: where it is, what it is called, what it was and is; `write` puts another value there."""

    place: Place
    what: str
    old: Any
    new: Any
    write: Callable[[Any], None]


class Surroundings:
    """What a function and its arguments lead to: `still_so` says at each call whether they lead to the same."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, str], _Variable] = {}
        self._read: list[_Variable | _Absent] = []
        self._added_to: list[_Variable] = []
        self._codes: list[CodeType] = []
        self._names: set[str] = set()
        self._reached: dict[int, Any] = {}
        self._waiting: list[Any] = []
        self._own = ""  # the package of the function

    def still_so(self) -> bool:
        """Whether every variable has the value, and every container the contents, that were found."""
        return all(each.still_so() for each in self._read)

    def changes(self) -> list[Change]:
        """What is another now."""
        return [change for each in self._read if not each.still_so() for change in each.changes()]

    def additions(self) -> list[Change]:
        """What is another now, and is only added to: what it has come to decides nothing."""
        return [change for each in self._added_to if not each.still_so() for change in each.changes()]

    def without(self, changes: Sequence[Change]) -> None:
        """What is written by each call, and not read, may be another."""
        written = {each.place for each in changes}
        self._read = [each for each in self._read if not isinstance(each, _Variable) or each.place not in written]

    def look_around(self, fn: Any, arguments: Sequence[Any]) -> None:
        """Find what may be read."""
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
        self._sort_out()
        for each in self._reached.values():
            attributes = attributes_of(each)
            if attributes is not None:
                names = frozenset(self._names.difference(attributes))
                self._read.append(_Absent(attributes, names, f"of {type(each).__name__}"))
        self._reached = {}

    def _sort_out(self) -> None:
        """Numbers and containers that the code only adds to, apart from what may be read."""
        written = only_written(self._codes)
        self._added_to = [
            each
            for each in self._found.values()
            if each.name in written and (each.value.__class__ in _PLAIN or isinstance(each.value, _CONTAINERS))
        ]
        apart = {id(each) for each in self._added_to}
        contents = {id(each.value) for each in self._added_to}
        self._read += [
            each
            for each in self._found.values()
            if id(each) not in apart and (each.name or id(each.holder) not in contents)
        ]

    def _try(self, look: Callable[[Any], None], value: Any) -> None:
        """Objects may refuse to be looked at, by any error; the function itself may have no such trouble with them."""
        with contextlib.suppress(Exception):
            look(value)

    def _reach(self, value: Any) -> None:
        """Something is there: what it leads to by itself waits, and the names that are in it are known."""
        if isinstance(value, (*_PLAIN, Tensor, Node, Enum)) or type(value).__module__.startswith(_UNCHANGING):
            return
        if id(value) in self._reached or len(self._reached) > _MOST:
            return
        self._reached[id(value)] = value
        if isinstance(value, FunctionType):
            if not _is_of_python(value.__globals__.get("__name__")):
                self._names.update(_names(value.__code__))
                self._codes.append(value.__code__)
            self._waiting += [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
        elif isinstance(value, MethodType):
            self._waiting += [value.__func__, value.__self__]
        elif isinstance(value, (classmethod, staticmethod)):
            self._waiting.append(value.__func__)
        elif isinstance(value, property):
            self._waiting.append(value.fget)
        elif isinstance(value, cached_property):
            self._waiting.append(value.func)
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
                self._note_named(value.__dict__, f"of module {value.__name__}")
        elif isinstance(value, type):
            self._look_into_class(value, None)
        elif isinstance(value, _CONTAINERS):
            self._note(value, "", lambda: value, f"what a {type(value).__name__} holds")
        elif not isinstance(value, _CALLED):
            attributes = attributes_of(value)
            if attributes is not None:
                if isinstance(value, Collection) and _is_of_python(type(value).__module__):
                    self._names.update(attributes)  # a UserDict, say: its code, which names them, is not looked into
                self._note_named(attributes, f"of {type(value).__name__}")
            self._look_into_class(type(value), value)

    def _look_into_function(self, fn: FunctionType) -> None:
        self._note_named(fn.__dict__, f"of {fn.__name__}")
        if not self._is_of_library(fn.__globals__.get("__name__"), fn.__code__.co_filename):
            for name in {*_names(fn.__code__)}.intersection(fn.__globals__):
                self._note(fn.__globals__, name, partial(fn.__globals__.get, name, ABSENT), f"the variable {name}")
        for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True):
            self._note(cell, name, partial(_in_cell, cell), f"the variable {name}")

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
                            self._note(of, name, partial(getattr, of, name, ABSENT), f"{name} of {kind.__name__}")
                    elif not is_special:
                        self._note(kind, name, partial(_in_class, kind, name), f"{name} of {kind.__name__}")
                        self._note(base, name, partial(_of_class, base, name), f"{name} of {base.__name__}")  # super()
                    elif isinstance(value, _CALLED):
                        self._waiting.append(value)

    def _note_named(self, holder: dict[str, Any], of: str) -> None:
        for name in self._names.intersection(holder):
            self._note(holder, name, partial(holder.get, name, ABSENT), f"{name} {of}")

    def _note(self, holder: Any, name: str, read: Callable[[], Any], what: str) -> None:
        if (id(holder), name) in self._found:
            return
        with contextlib.suppress(Exception):  # others beside it are noted all the same
            value = read()
            self._waiting.append(value)
            if value is not ABSENT and not isinstance(value, (ModuleType, BuiltinFunctionType)):
                self._found[(id(holder), name)] = _Variable(holder, name, read, value, what)

    def _is_of_library(self, module: str | None, file: str | None) -> bool:
        """Whether a module is Python's own, netcl's, or one of a package that is installed and not the function's."""
        of_another = (module or "").partition(".")[0] != self._own.partition(".")[0]
        return _is_of_python(module) or (of_another and _LIBRARY.search(file or "") is not None)


class _Variable:
    """A variable of a module or a function, or an attribute; or a container, which is what it was but may hold else."""

    __slots__ = ("contents", "holder", "name", "read", "value", "what")

    def __init__(self, holder: Any, name: str, read: Callable[[], Any], value: Any, what: str) -> None:
        self.holder, self.name, self.read, self.value = holder, name, read, value  # the holder so stays where it is
        self.what = what
        self.contents = _contents(value)

    def still_so(self) -> bool:
        now, value = self.read(), self.value
        if now is value:
            return self.contents is None or bool(_contents(now) == self.contents)
        if value.__class__ in _PLAIN:
            return now.__class__ is value.__class__ and (now == value or repr(now) == repr(value))
        return self.contents is not None and bool(_contents(now) == self.contents)

    def changes(self) -> list[Change]:
        return [Change(self.place, self.what, self.value, self.read(), self._write)]

    @property
    def place(self) -> Place:
        return id(self.holder), self.name

    def _write(self, value: Any) -> None:
        if isinstance(self.holder, CellType):
            self.holder.cell_contents = value
        elif isinstance(self.holder, dict):
            self.holder[self.name] = value
        else:
            setattr(self.holder, self.name, value)


class _Absent:
    """An object that has no attributes of its own by these names: its class has them, or nobody."""

    __slots__ = ("holder", "names", "of")

    def __init__(self, holder: dict[str, Any], names: frozenset[str], of: str) -> None:
        self.holder, self.names, self.of = holder, names, of

    def still_so(self) -> bool:
        return self.names.isdisjoint(self.holder)

    def changes(self) -> list[Change]:
        names = sorted(self.names.intersection(self.holder))
        return [
            Change((id(self.holder), name), f"{name} {self.of}", ABSENT, self.holder[name], partial(self._write, name))
            for name in names
        ]

    def _write(self, name: str, value: Any) -> None:
        if value is ABSENT:
            self.holder.pop(name, None)
        else:
            self.holder[name] = value


def _contents(value: Any, depth: int = 3) -> Any:
    """What a container holds: plain values, those of containers in it, and which tensors and objects; None of what is
    no container. What is in it further down is found as a container by itself."""
    if isinstance(value, (bytearray, array)) and len(value) <= _MOST:
        return (value.__class__, bytes(value))
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


def attributes_of(value: Any) -> dict[str, Any] | None:
    """Return the attributes of an object; None for classes, modules, functions and containers."""
    if isinstance(value, (type, ModuleType, *_CALLED, *_CONTAINERS)):
        return None
    found = getattr(value, "__dict__", None)
    return found if isinstance(found, dict) else None


def _in_cell(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # of a variable that has no value yet
        return ABSENT


def _in_class(kind: type, name: str) -> Any:
    for base in kind.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return ABSENT


def _of_class(kind: type, name: str) -> Any:
    return kind.__dict__.get(name, ABSENT)


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
        else:
            for text in each if isinstance(each, tuple) else (each,):  # a tuple: the names of keywords
                if isinstance(text, str) and text.isidentifier():
                    yield text
