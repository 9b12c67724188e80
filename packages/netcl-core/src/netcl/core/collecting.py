"""Without Python's search for circles, for as long as many objects are made and nearly all of them are kept.

The search goes through all that there is each time the number of objects has grown by a quarter. A compiler makes
trees, which go when nobody holds them, and adds nothing that it could find.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def uncollected(function: Callable[P, R]) -> Callable[P, R]:
    """`function`, during which the search rests. It is on again afterwards, if it was before."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        was_on = gc.isenabled()
        gc.disable()
        try:
            return function(*args, **kwargs)
        finally:
            if was_on:
                gc.enable()

    return called
