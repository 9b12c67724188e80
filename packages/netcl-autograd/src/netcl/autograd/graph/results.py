"""Errors as values: for code that goes on after a mistake, every tape method has a `try_` form.

    value, error = tape.try_require_value(7, (2, 3))
    value = ag.ok_or_raise(tape.try_require_value(7, (2, 3)))    # the same as tape.require_value(7, (2, 3))

Only errors that netcl raises on purpose become values; a bug stays an exception.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from netcl.core.arguments import explained
from netcl.core.errors import NetclError

__all__ = ["Result", "TryForms", "attempt", "ok_or_raise"]


class Result(NamedTuple):
    """What a call returned, or the error that it ended with; the other one is None."""

    value: Any
    error: NetclError | None


@explained
def attempt(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Result:
    """Call, and return (value, None) or (None, error)."""
    try:
        return Result(call(*args, **kwargs), None)
    except NetclError as error:
        return Result(None, error)


def ok_or_raise(result: Result) -> Any:
    """Return the value of a result, or raise its error."""
    value, error = result
    if error is not None:
        raise error
    return value


class TryForms:
    """Gives every method `name` of a class the form `try_name`, which returns a Result."""

    def __getattr__(self, name: str) -> Callable[..., Result]:
        if name.startswith("try_") and callable(getattr(type(self), name[4:], None)):
            return functools.partial(attempt, getattr(self, name[4:]))
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
