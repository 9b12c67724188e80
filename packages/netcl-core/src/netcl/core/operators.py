"""Arithmetic of Tensors, found when it is first needed.

netcl-core computes nothing. A package that does (netcl-kernels) names a module under the entry-point group
`netcl.operators`; importing it gives Tensor its operators and methods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.metadata import entry_points
from threading import RLock
from typing import Any

from netcl.core.installed import imported

GROUP = "netcl.operators"

_BINARY = ("add", "sub", "mul", "truediv", "floordiv", "pow", "matmul", "mod", "and", "or", "xor")
_OTHERS = ("neg", "abs", "invert", "lt", "le", "gt", "ge", "eq", "ne", "getitem", "setitem")
NAMES = tuple(f"__{name}__" for name in (*_BINARY, *("r" + name for name in _BINARY), *_OTHERS))

COMPUTES = "netcl-kernels"
"""The package that computes, for who has none installed."""

_INSTALL = f"netcl-core does not compute; install {COMPUTES} for arithmetic"

_found: list[str] = []
_loaded: list[str] = []
_loading = RLock()

failed: dict[str, str] = {}
"""Packages whose ops could not be loaded, each with what is wrong; who loads them notes it here."""


def load() -> bool:
    """Import what gives Tensor its operators; whether they came now, from here or from another thread. Raises
    NetclError for an entry point that is not written as one."""
    if _loaded:
        return False
    with _loading:
        if not _found:  # else this thread is importing it, or another has
            points = list(entry_points(group=GROUP))
            _found.extend(point.value for point in points)
            try:
                for point in points:
                    imported(point)
            except BaseException:
                _found.clear()  # the next use says it again
                raise
            _loaded.extend(_found)
    return bool(_found)


def absent() -> str:
    """What a message about something that a Tensor cannot do ends with, where nothing is installed that computes."""
    return "" if _found else f"; {_INSTALL} and methods of tensors"


def without(packages: Iterable[str]) -> str:
    """What a message about a name that nobody has ends with, where the ops of these packages could not be loaded."""
    names = ", ".join(packages)
    return f" (the ops of {names} could not be loaded; `netcl doctor` says why)" if names else ""


def stand_in(name: str) -> Callable[..., Any]:
    """What stands on the class until the operators are there."""

    def operator(self: Any, *args: Any) -> Any:
        load()
        found = getattr(type(self), name)
        if found is operator:
            if name in ("__eq__", "__ne__") and not _is_operand(args[0]):
                return NotImplemented  # then Python compares identities, also where something is installed
            raise TypeError(f"{name}: {_INSTALL} on tensors")
        return found(self, *args)

    operator.__name__ = name
    return operator


def universal(self: Any, function: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
    """What numpy calls for a universal function of a Tensor, until the operators are there."""
    load()
    found = type(self).__array_ufunc__
    if found is universal:
        raise TypeError(f"np.{function.__name__}: {_INSTALL} on tensors, or give NumPy x.to_host(), which is an array")
    return found(self, function, method, *inputs, **keywords)


def _is_operand(other: Any) -> bool:
    """Whether a package that computes would compare it with the elements of a Tensor."""
    return isinstance(other, int | float) or hasattr(other, "dtype")
