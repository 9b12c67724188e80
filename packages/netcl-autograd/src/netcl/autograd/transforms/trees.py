"""Trees: dicts, lists, tuples, dataclasses and classes of one's own, as transforms of functions take and return them.

`flatten` gives the leaves in a fixed order (that of a dict's keys as they stand) and the structure, which puts leaves
of its number together again. None is a tree without leaves; whatever else is not a container is a leaf. The fields of
a dataclass are its parts, but those with `field(metadata={"static": True})`, which belong to the structure.
"""

from __future__ import annotations

import re
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from netcl.core.arguments import explained
from netcl.core.errors import ShapeError


class Structure:
    """The containers of a tree. Equal structures hold as many leaves, in the same places."""

    __slots__ = ("_hash", "_keys", "_kind", "_parts", "_static", "count")

    def __init__(self, kind: Any, keys: tuple[Any, ...], parts: tuple[Structure, ...], static: Any = None) -> None:
        self._kind = kind  # the class of the container; LEAF; None for None
        self._keys = keys  # of a dict; the fields of a class
        self._parts = parts
        self._static = static  # what else an object of a class is made of
        self._hash = hash((kind, keys, parts, static))
        self.count: int = 1 if kind is _LEAF else sum(part.count for part in parts)

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Structure)
            and (self._kind, self._keys, self._parts, self._static)
            == (other._kind, other._keys, other._parts, other._static)
        )

    def __hash__(self) -> int:
        return self._hash

    def build(self, leaves: Sequence[Any]) -> Any:
        """Return the tree with these leaves."""
        return self._built(iter(leaves))

    def holding(self, held: Mapping[int, Any]) -> Structure:
        """Return this structure with values in the place of some leaves, by number: it holds them itself."""
        return self._holding(iter(range(self.count)), held) if held else self

    def paths(self) -> list[str]:
        """Return where each leaf is, as Python writes it: "", "[0]", "['weight'][1]"."""
        if self._kind is _LEAF:
            return [""]
        keys = self._keys or tuple(range(len(self._parts)))
        shown = [f".{key}" if self._kind in _CLASSES else f"[{key!r}]" for key in keys]
        return [f"{key}{path}" for key, part in zip(shown, self._parts, strict=True) for path in part.paths()]

    def flatten_as(self, tree: Any, what: str) -> list[Any]:
        """Return the leaves of a tree that must have this structure; `what` names it in the error."""
        if self._kind is _LEAF:
            return [tree]
        leaves, structure = flatten(tree)
        if isinstance(tree, dict) and set(tree) == set(self._keys):
            pairs = zip(self._keys, self._parts, strict=True)
            return [leaf for key, part in pairs for leaf in part.flatten_as(tree[key], what)]
        if structure != self:
            raise ShapeError(f"{what} is {structure}, expected {self}")
        return leaves

    def spread(self, tree: Any, what: str) -> list[Any]:
        """Return a value per leaf from a tree that may end earlier: a leaf of it stands for all below it."""
        if self._kind in _CLASSES and type(tree) is self._kind:
            tree = dict(_CLASSES[self._kind].parts(tree)[0])
        if self._kind is _LEAF or not isinstance(tree, (dict, list, tuple)):
            return [tree] * self.count
        given = [tree[key] for key in self._keys] if isinstance(tree, dict) and set(tree) == set(self._keys) else tree
        if isinstance(given, dict) or len(given) != len(self._parts):
            raise ShapeError(f"{what}: {tree!r} does not go with {self}")
        return [x for part, each in zip(self._parts, given, strict=True) for x in part.spread(each, what)]

    def __repr__(self) -> str:
        if self._kind is _LEAF:
            return "*"
        parts = [repr(part) for part in self._parts]
        if isinstance(self._kind, type) and issubclass(self._kind, dict):
            return "{" + ", ".join(f"{key!r}: {part}" for key, part in zip(self._keys, parts, strict=True)) + "}"
        if self._kind is list:
            return f"[{', '.join(parts)}]"
        if self._kind in _CLASSES:
            fields = [f"{key}={part}" for key, part in zip(self._keys, parts, strict=True)]
            return f"{self._kind.__name__}({', '.join(fields)})"
        return "None" if self._kind is None else f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"

    def _holding(self, numbers: Iterator[int], held: Mapping[int, Any]) -> Structure:
        if self._kind is _LEAF:
            at = next(numbers)
            return _Held(held[at]) if at in held else self
        return Structure(
            self._kind, self._keys, tuple([part._holding(numbers, held) for part in self._parts]), self._static
        )

    def _built(self, leaves: Iterator[Any]) -> Any:
        if self._kind is _LEAF:
            return next(leaves)
        if self._kind is None:
            return None
        parts = [next(leaves) if part._kind is _LEAF else part._built(leaves) for part in self._parts]
        if self._kind is tuple:
            return tuple(parts)
        if self._kind in _CLASSES:
            return _CLASSES[self._kind].build(dict(zip(self._keys, parts, strict=True)), self._static)
        if issubclass(self._kind, dict):
            pairs = zip(self._keys, parts, strict=True)
            return defaultdict(self._static, pairs) if self._kind is defaultdict else self._kind(pairs)
        return self._kind(*parts) if hasattr(self._kind, "_fields") else self._kind(parts)


class _Held(Structure):
    """The place of a value that is no leaf: like None, it has none, and building gives the value."""

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        super().__init__(None, (), ())
        self._value = value

    def _built(self, leaves: Iterator[Any]) -> Any:
        return self._value


class _LeafMark:
    """Stands for the class of a leaf."""


_LEAF = _LeafMark()


class _Class(NamedTuple):
    """How objects of a class are taken apart, into parts by name and what else they are made of, and made again."""

    parts: Callable[[Any], tuple[Mapping[str, Any], Any]]
    build: Callable[[dict[str, Any], Any], Any]


_CLASSES: dict[type, _Class] = {}


@explained
def register_tree(
    kind: type,
    parts: Callable[[Any], Mapping[str, Any] | tuple[Mapping[str, Any], Any]],
    build: Callable[..., Any],
) -> None:
    """Let objects of a class be containers of values, as dicts and lists are.

    `parts(x)` gives the values in an object by name or, where it is made of more than these, a pair with that, which
    must be hashable; `build(values)` or `build(values, rest)` makes an object of them. Dataclasses need no register:
    a field with `metadata={"static": True}` is such a rest, and texts, flags and whole numbers in the others are given
    to the function as they are.
    """

    def both(tree: Any) -> tuple[Mapping[str, Any], Any]:
        found = parts(tree)
        return found if isinstance(found, tuple) else (found, None)

    def made(values: dict[str, Any], rest: Any) -> Any:
        return build(values) if rest is None else build(values, rest)

    _CLASSES[kind] = _Class(both, made)


def _of_dataclass(kind: Any) -> _Class:
    """That of a dataclass: the fields, of which static ones are told apart."""
    moving = [each.name for each in fields(kind) if not each.metadata.get("static")]
    static = [each.name for each in fields(kind) if each.metadata.get("static")]

    def parts(tree: Any) -> tuple[Mapping[str, Any], Any]:
        return {name: getattr(tree, name) for name in moving}, tuple([getattr(tree, name) for name in static])

    def build(values: dict[str, Any], rest: Any) -> Any:
        made = object.__new__(kind)
        for name, value in (*values.items(), *zip(static, rest, strict=True)):
            object.__setattr__(made, name, value)
        return made

    return _Class(parts, build)


def flatten(tree: Any) -> tuple[list[Any], Structure]:
    """Return the leaves of a tree and its structure."""
    leaves: list[Any] = []
    return leaves, _flatten(tree, leaves)


def flatten_call(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Sequence[Any], Structure]:
    """Return the leaves of the arguments of a call and the structure of (args, kwargs)."""
    if kwargs:
        return flatten((args, kwargs))
    for each in args:
        if is_container(each):
            return flatten((args, kwargs))
    return args, _of_leaves(len(args))


def is_container(tree: Any) -> bool:
    """Whether it is a tree, and no leaf."""
    kind = type(tree)
    return tree is None or isinstance(tree, (dict, list, tuple)) or kind in _CLASSES or is_dataclass(kind)


@lru_cache(maxsize=64)
def _of_leaves(count: int) -> Structure:
    """The structure of a call with so many arguments that are leaves: the same one each time."""
    return flatten(((_LEAF,) * count, {}))[1]


def argument_names(structure: Structure) -> list[str]:
    """Return what an error calls each leaf of a tuple of arguments: "argument 0['weight']"."""
    return [re.sub(r"^\[(.+?)\]", r"argument \1", path) for path in structure.paths()]


def leaves_of(tree: Any) -> list[Any]:
    """Return the leaves of a tree."""
    return flatten(tree)[0]


def mapped(function: Callable[[Any], Any], tree: Any) -> Any:
    """Return the tree with `function` of each leaf in its place."""
    leaves, structure = flatten(tree)
    return structure.build([function(leaf) for leaf in leaves])


def _flatten(tree: Any, leaves: list[Any]) -> Structure:
    if tree is None:
        return Structure(None, (), ())
    if isinstance(tree, dict):
        kind = type(tree) if type(tree) in (OrderedDict, defaultdict) else dict
        static = getattr(tree, "default_factory", None)
        return Structure(kind, tuple(tree), tuple([_flatten(each, leaves) for each in tree.values()]), static)
    if isinstance(tree, (list, tuple)):
        return Structure(type(tree), (), tuple([_flatten(each, leaves) for each in tree]))
    kind = type(tree)
    if kind not in _CLASSES and is_dataclass(kind):
        _CLASSES[kind] = _of_dataclass(kind)
    if kind in _CLASSES:
        parts, static = _CLASSES[kind].parts(tree)
        return Structure(kind, tuple(parts), tuple([_flatten(each, leaves) for each in parts.values()]), static)
    leaves.append(tree)
    return Structure(_LEAF, (), ())
