"""What optimizers, clipping and averages are given: leaves in any tree, and the names of their places in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from netcl.autograd.graph.node import Node
from netcl.autograd.transforms import trees
from netcl.core.arguments import kind_of
from netcl.core.errors import DtypeError, GraphError

Params = Any
"""Leaves, or a tree of them: dicts, lists, dataclasses; an iterator of them, too."""


def leaves(what: str, given: Any) -> list[Any]:
    """The leaves of a tree of parameters, which may be an iterator, at all its places. Raises GraphError for what is no
    node."""
    return named_places(what, given)[1]


def named_places(what: str, given: Any) -> tuple[list[str], list[Any]]:
    """The names of all places of a tree and the leaves there, as those of `named`."""
    tree = _tree(what, given)
    found, structure = trees.flatten(tree)
    names = [*map(str, range(len(found)))] if isinstance(tree, list) else [*map(_dotted, structure.paths())]
    return names, _nodes(what, names, found)


def distinct(what: str, given: Any) -> list[Any]:
    """The leaves of a tree, each once; a list of leaves as it is. Raises GraphError for what is no node."""
    return _nodes(what, *named(what, given, 0))


def named(what: str, given: Any, first: int) -> tuple[list[str], list[Any]]:
    """The names and the leaves of a tree: "encoder.w" for a place in dicts, numbers from `first` on in lists.

    A leaf that stands at several places of a tree is there once, under its first name. A list of leaves says itself
    what is in it.
    """
    tree = _tree(what, given)
    found, structure = trees.flatten(tree)
    is_list = isinstance(tree, list)
    is_tree = not is_list or any(map(trees.is_container, tree))
    places: dict[int, tuple[str, Any]] = {}
    for at, (path, leaf) in enumerate(zip(structure.paths(), found, strict=True)):
        places.setdefault(id(leaf) if is_tree else at, (path, leaf))
    kept = [leaf for _, leaf in places.values()]
    if is_list:
        return [str(at) for at in range(first, first + len(kept))], kept
    return [_dotted(path) for path, _ in places.values()], kept


def paired(what: str, given: Sequence[str], own: Sequence[str]) -> list[int]:
    """For each of one's own parameters the place of what is given for it: by name where both have names, else in their
    order. Raises ValueError where these are not as many, or others."""
    if not (_tell_apart(given) and _tell_apart(own)):
        if len(given) != len(own):
            raise ValueError(f"{what} {len(given)} parameters, but there are {len(own)}")
        return [*range(len(own))]
    others = sorted({*given} ^ {*own})
    if others:
        has = "but there is none here" if others[0] in given else "which is here"
        verb = "has" if others[0] in given else "does not have"
        raise ValueError(f"{what} other parameters: it {verb} {others[0]}, {has}; give those that it was made with")
    return [given.index(name) for name in own]


def _tell_apart(names: Sequence[str]) -> bool:
    """Whether these are names, each of one parameter, and not numbers alone."""
    return len({*names}) == len(names) and not all(map(str.isdigit, names))


def _dotted(path: str) -> str:
    return ".".join(re.findall(r"[^][.']+", path))


def _nodes(what: str, names: Iterable[str], found: list[Any]) -> list[Any]:
    for name, each in zip(names, found, strict=True):
        if not isinstance(each, Node):
            raise GraphError(
                f"{what}: parameter {name} is {kind_of(each)}, which has no gradient; make it with ag.tensor(data, "
                "requires_grad=True), or leave it out, as what is not learnt"
            )
    return found


def _tree(what: str, given: Any) -> Any:
    if isinstance(given, Node):
        return [given]
    if isinstance(given, Mapping):
        return dict(given)
    if isinstance(given, Iterable):
        return list(given)
    if not trees.is_container(given):
        raise DtypeError(
            f"{what}: the parameters are {type(given).__name__}; give leaves, or a tree of them: dicts, dataclasses"
        )
    return given
