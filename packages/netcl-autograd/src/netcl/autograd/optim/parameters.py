"""What optimizers, clipping and averages are given: leaves in any tree, and the names of their places in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from netcl.autograd.graph.node import Node
from netcl.autograd.transforms import trees
from netcl.core.errors import DtypeError

Params = Any
"""Leaves, or a tree of them: dicts, lists, dataclasses; an iterator of them, too."""


def leaves(what: str, given: Any) -> list[Any]:
    """The leaves of a tree of parameters, which may be an iterator."""
    return trees.leaves_of(_tree(what, given))


def named(what: str, given: Any, first: int) -> tuple[list[str], list[Any]]:
    """The names and the leaves of a tree: "encoder.w" for a place in dicts, numbers from `first` on in lists."""
    tree = _tree(what, given)
    found, structure = trees.flatten(tree)
    if isinstance(tree, list):
        return [str(at) for at in range(first, first + len(found))], found
    return [".".join(re.findall(r"[^][.']+", path)) for path in structure.paths()], found


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
