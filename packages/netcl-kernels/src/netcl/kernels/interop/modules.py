"""`netcl.kernels.torch`, `.jax` and `.numpy`: the catalogue by name, each op in the form of its framework."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from netcl.core.errors import NetclError
from netcl.kernels.library.composites import COMPOSITES
from netcl.kernels.library.op import Op
from netcl.kernels.namespace import catalogue


def attributes(module: dict[str, Any], convert: Callable[[Op], Any]) -> tuple[Callable[[str], Any], Callable[[], Any]]:
    """`__getattr__` and `__dir__` of a module with these names in it."""

    def get(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in COMPOSITES and name not in catalogue:
            raise AttributeError(f"{name} is made of several ops, and has no form for other frameworks; use theirs")
        try:
            found = module[name] = convert(catalogue[name])
        except NetclError as error:
            raise AttributeError(str(error)) from None
        return found

    def names() -> list[str]:
        return sorted({name for op in catalogue for name in (op.name, *op.also)} - COMPOSITES.keys())

    return get, names
