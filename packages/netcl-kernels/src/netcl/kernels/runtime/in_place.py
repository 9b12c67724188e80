"""Ops that write into their first operand: `x.add_(y)`, for Tensors. netcl-autograd does the same for its Nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from netcl.core import dtypes
from netcl.core.errors import DtypeError, ShapeError
from netcl.kernels.library.op import Op
from netcl.kernels.runtime import launch

IN_PLACE = ("add", "sub", "mul", "div", "assign", "lerp")
"""The ops that are methods in place, too."""


def in_place(op: Op) -> Callable[..., Any]:
    """`x.add_(y)`: the op's value written into x, which is returned."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        write(op, self, args, kwargs)
        return self

    return described(method, op)


def described(method: Callable[..., Any], op: Op) -> Callable[..., Any]:
    """The method with the name and the docstring that an op in place has; `assign_` converts what it is given."""
    if op.name == "assign":
        writes = method

        def method(self: Any, b: Any) -> Any:
            return writes(self, converted(b, self))

    method.__name__ = op.name + "_"
    method.__doc__ = f"{op.__doc__} In place: writes into x and returns it."
    return method


def converted(value: Any, target: Any) -> Any:
    """A tensor in the dtype of what it is written into; itself where that would lose a fraction."""
    dtype = getattr(value, "dtype", None)
    if dtype is None or dtype == target.dtype or (dtypes.is_float(dtype) and not dtypes.is_float(target.dtype)):
        return value
    return value.astype(target.dtype)


def write(op: Op, target: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Write the op's value into its first operand, a Tensor."""
    given = (target, *args)
    if kwargs:
        kwargs = op.spelled(kwargs)
    recall = op.recall(given, kwargs)
    run = None if recall is None else recall.beside.get(write)
    if recall is None or run is None:
        bound = op.bind(given, kwargs)
        plan = launch.prepare(bound.formula, bound.operands, bound.attributes)
        output = bound.formula.outputs[0]
        check_target(op, target, plan.bindings.shapes[output.name], output.dtype)
        plan.run(bound.operands, bound.attributes, [target])
        if recall is not None and recall.has_one_plan(plan.static):
            recall.beside[write] = plan.run  # calls like this one need not be checked again
    else:
        run(*recall.bind(given, kwargs), [target])
    target.bump_version()


def check_target(op: Op, target: Any, shape: tuple[int, ...], dtype: str) -> None:
    """Raise ShapeError or DtypeError where a result of this shape and dtype cannot be written into the target."""
    check_result(f"{op.name}_", target, shape, dtype)
    if target.layout.repeats:
        raise ShapeError(
            f"{op.name}_: x is a broadcast view that shows elements more than once; write to a copy (x.clone())"
        )


def check_result(name: str, target: Any, shape: tuple[int, ...], dtype: str) -> None:
    """The part of `check_target` that holds for a target of any kind."""
    if shape != tuple(target.shape):
        raise ShapeError(
            f"{name}: the result has shape {shape}, which does not fit into x of shape {tuple(target.shape)}"
        )
    own = dtypes.name_of(target.dtype)
    if dtype != own:
        raise DtypeError(
            f"{name}: the result is {dtype}, but x is {own}; convert what is written, as with y.astype({own!r})"
        )
