"""Whether schedules can work with the figures of a target: they halve, divide and share out by them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, Protocol

from netcl.core.errors import DeviceError
from netcl.kernels.compiler.target.thresholds import GroupThresholds

LEAST_ITEMS, LEAST_LOCAL_MEMORY = 8, 1 << 11
"""What groups need: local memory for the entries of a sort, or the parts of sums, of 64 items."""

_POWERS = ("sub_group_size", "groups.items", "groups.neighbours", "products.local.skinny_", "products.local.tiles")
_POSITIVE = ("compute_units", "work_group_size", "vector_bytes", "groups.run", "products.local.")
_KINDS: dict[str, tuple[type, str]] = {
    "int": (int, "a whole number"),
    "bool": (bool, "True or False"),
    "str": (str, "a word"),
}


class Target(Protocol):
    """What there is to be checked: the figures of the class of this name, and of all that they are in."""

    @property
    def name(self) -> str: ...
    @property
    def groups(self) -> GroupThresholds: ...
    @property
    def work_group_size(self) -> int: ...
    @property
    def local_memory(self) -> int: ...


def has_groups(items: int, local_memory: int) -> bool:
    """Whether a device has room for items that work together."""
    return items >= LEAST_ITEMS and local_memory >= LEAST_LOCAL_MEMORY


def check(target: Target) -> None:
    """Raise DeviceError for the first figure that is of another kind than it is declared, or cannot be."""
    for path, value, declared in _figures(target):
        kind, called = _KINDS.get(declared, (object, ""))
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise _error(target, path, value, f"it is {called}")
        if kind is not int or not isinstance(value, int):
            continue
        is_halved = path.startswith(_POWERS) and path != "products.local.skinny_steps"
        if is_halved and (value < 1 or value & (value - 1)):
            raise _error(target, path, value, "it is halved until one is left: a power of two, as 16 or 32")
        if value < path.startswith(_POSITIVE):
            raise _error(target, path, value, "it counts what there is: 1 or more")
    if target.groups.used and not has_groups(target.work_group_size, target.local_memory):
        need = f"groups need {LEAST_ITEMS} items and {LEAST_LOCAL_MEMORY} bytes of local memory; or groups.used=False"
        raise _error(target, "work_group_size", target.work_group_size, f"local_memory {target.local_memory}; {need}")


def _error(target: Target, path: str, value: object, what: str) -> DeviceError:
    return DeviceError(f"target {target.name!r}: {path} is {value!r}; {what}")


def _figures(of: Any, path: str = "", declared: str = "") -> Iterator[tuple[str, object, str]]:
    """The path of each figure, its value, and what it is declared to be."""
    if is_dataclass(of):
        for each in fields(of):
            yield from _figures(getattr(of, each.name), f"{path}.{each.name}".lstrip("."), str(each.type))
    elif isinstance(of, tuple):
        for at, one in enumerate(of):
            yield from _figures(one, f"{path}[{at}]")
    else:
        yield path, of, declared
