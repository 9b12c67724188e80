"""The forms of the catalogue that have derivatives, with arguments: floats that move, and all else that stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from forms import FORMS, Form, drawn, in_double

from netcl.kernels.compiler import pipeline

Array = np.ndarray[Any, Any]

DIFFERENTIABLE = [
    form
    for form in FORMS
    if not form.op.draws
    for case in drawn(form, in_double(form))
    if pipeline.differentiable(case.formula) and any(output.dtype == "float64" for output in case.formula.outputs)
]


def call_of(form: Form) -> tuple[dict[str, Any], list[str]]:
    """The arguments of a call, and the names of the operands that have a gradient."""
    (case,) = drawn(form, in_double(form))
    arguments = case.arguments()
    moving = set(pipeline.differentiable(case.formula))
    names = [name for name in arguments if {name, f"{name}0"} & moving]
    return arguments, names


def of_floats(function: Callable[..., Any], form: Form, convert: Callable[[Array], Any]) -> tuple[Any, list[Any]]:
    """A function of the operands that have a gradient alone, which gives the results in double precision; and where
    to evaluate it."""
    arguments, names = call_of(form)
    given: list[Any] = []
    for name in names:
        value = arguments[name]
        given += [convert(each) for each in value] if isinstance(value, list) else [convert(value)]
    rest = {name: _converted(value, convert) for name, value in arguments.items() if name not in names}

    def of(*values: Any) -> tuple[Any, ...]:
        left = list(values)
        moving = {}
        for name in names:
            count = len(arguments[name]) if isinstance(arguments[name], list) else None
            moving[name] = left.pop(0) if count is None else [left.pop(0) for _ in range(count)]
        found = function(**moving, **rest)
        found = found if isinstance(found, tuple) else (found,)
        return tuple(each for each in found if "float64" in str(each.dtype))

    return of, given


def _converted(value: Any, convert: Callable[[Array], Any]) -> Any:
    if isinstance(value, np.ndarray):
        return convert(value)
    return [convert(each) for each in value] if isinstance(value, list) else value
