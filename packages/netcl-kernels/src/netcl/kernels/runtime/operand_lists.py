"""Calls with many tensors in one list: each is a few arguments of a kernel, whose text grows with them.

Devices take 1,024 bytes of arguments, and a compiler's time grows faster than the number of tensors. What only joins
them is done in groups, and then with their results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from netcl.core.errors import DtypeError, ShapeError
from netcl.kernels.compiler.language import syntax

TOGETHER = 24
"""So many are joined at once: of each a buffer, an offset, a stride and a length, of 8 bytes each."""

MOST = 128
"""So many an op takes that does more than to join them."""


def joins_alone(form: syntax.Declaration) -> bool:
    """Whether a declaration is `y = join[m](xs)` and nothing else, with all other axes where they were."""
    if len(form.operands) != 1 or len(form.definitions) != 1 or form.grads or form.uses or form.saving:
        return False
    (operand,), (output,), value = form.operands, form.outputs, form.definitions[0].value
    if not isinstance(value, syntax.Reduction) or value.kind != "join" or len(value.bodies) != 1:
        return False
    if not isinstance(value.bodies[0], syntax.Name) or output.by is not None:
        return False
    before, after = ([(axis.kind, axis.names) for axis in each.axes or ()] for each in (operand, output))
    moved = [pair for pair in zip(before, after, strict=False) if pair[0] != pair[1]]
    return len(before) == len(after) and len(moved) == 1 and {kind for kind, _ in moved[0]} == {"index"}


def in_few(
    op: Callable[..., Any], name: str, joins: bool, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call of `op`, whose first operand `name` takes a list, with a list that is short enough.

    Raises ShapeError where it is too long for an op that does more than to join.
    """
    given = args[0] if args else kwargs.get(name)
    if not isinstance(given, (list, tuple)) or len(given) <= (TOGETHER if joins else MOST):
        return args, dict(kwargs)
    if not joins:
        raise ShapeError(
            f"{getattr(op, 'name', name)}: {name} has {len(given)} tensors, and at most {MOST} are taken at once, "
            "since each is an argument of its kernel; join some of them before, with cat"
        )
    others = {key: value for key, value in kwargs.items() if key not in (name, "out")}
    while len(given) > TOGETHER:
        groups = -(-len(given) // TOGETHER)
        ends = [at * len(given) // groups for at in range(groups + 1)]
        given = [_joined(op, given, first, last, args[1:], others) for first, last in pairwise(ends)]
    return ((given, *args[1:]), dict(kwargs)) if args else (args, {**kwargs, name: given})


def _joined(
    op: Callable[..., Any], given: Any, first: int, last: int, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Any:
    try:
        return op(list(given[first:last]), *args, **kwargs)
    except (ShapeError, DtypeError) as error:
        raise type(error)(f"{error} (of those from number {first} to {last - 1})") from None
