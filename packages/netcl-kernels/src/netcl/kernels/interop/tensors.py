"""Derivatives of ops on Tensors, without a tape: `op.vjp`, `op.jvp`, `op.gradient`.

Source: vector-Jacobian and Jacobian-vector products of a function, as in Griewank & Walther, Evaluating Derivatives
(2008), chapter 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from netcl.core import creation, dtypes
from netcl.core.arguments import kind_of
from netcl.core.errors import DtypeError, ShapeError
from netcl.core.tensor import Tensor
from netcl.kernels.interop.applied import Applied, Spec, bound
from netcl.kernels.interop.chains import Chain
from netcl.kernels.library.op import Op, Portable

Args = Sequence[Any]
Kwargs = Mapping[str, Any]
Pull = Callable[..., tuple[Any, ...]]


def chain_of(callee: Op | Gradient, args: Args, kwargs: Kwargs) -> tuple[Chain, list[Any]]:
    """The calls that a call of an op, or of the gradient of one, comes to, and what they are given."""
    if kwargs.get("out") is not None:
        raise TypeError(f"{callee.name}: out= goes with a plain call of the op on Tensors; here the result is returned")
    chain, operands, left = _taken(callee, args, {name: each for name, each in kwargs.items() if name != "out"})
    if left:
        raise TypeError(f"{callee.name} takes {len(args) - len(left)} positional arguments, {len(args)} were given")
    return chain, operands


def _taken(callee: Op | Gradient, args: Args, kwargs: Kwargs) -> tuple[Chain, list[Any], Args]:
    """The chain, its operands, and the arguments that are left over."""
    if isinstance(callee, Op):
        call, operands = bound(callee, args, kwargs)
        return Chain.of(call, operands), operands, ()
    op = callee.op
    names = [each.name for each in op.forms[0].operands]
    count = sum(name not in op.spelled(kwargs) for name in names)
    call, operands = bound(op, args[:count], kwargs)
    chain, left = Chain.of(call, operands), args[count:]
    for _ in range(callee.order):
        seeds = chain.seeds
        given, left = left[: len(seeds)], left[len(seeds) :]
        require_fit(callee.name, "gradient", given, seeds)
        operands.extend(given)
        chain = chain.gradient(chain.differentiable)
    return chain, operands, left


def on_tensors(call: Applied, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """All outputs of a call, of Tensors."""
    return call.run(tensors)


def vjp(callee: Op | Gradient, args: Args, kwargs: Kwargs) -> tuple[Any, Pull]:
    """The value of a call, and the function that pulls gradients back through it."""
    chain, tensors = chain_of(callee, args, kwargs)
    require_tensors(callee.name, tensors)
    value = chain.run(tensors, on_tensors)
    gradient = chain.gradient(chain.differentiable)

    def pull(*gradients: Any) -> tuple[Any, ...]:
        """The gradient of each Tensor of the call, in the op's order; None for one that has none, as integers."""
        require_fit(callee.name, "gradient", gradients, chain.seeds)
        found = iter(gradient.run((*tensors, *gradients), on_tensors))
        return tuple([next(found) if each else None for each in chain.differentiable])

    return one_or_all(value), pull


def jvp(op: Op, args: Args, tangents: Args, kwargs: Kwargs) -> tuple[Any, Any]:
    """The value of a call, and its tangent along `tangents`."""
    args, tangents = ((each,) if isinstance(each, Tensor) else each for each in (args, tangents))
    call, tensors = bound(op, args, kwargs)
    require_tensors(op.name, tensors)
    if len(tangents) != len(tensors):
        raise ShapeError(f"{op.name}: {len(tensors)} tensors take as many tangents, {len(tangents)} were given")
    for operand, tensor, tangent, can in zip(
        call.formula.operands, tensors, tangents, call.differentiable, strict=True
    ):
        if tangent is not None and not can:
            raise DtypeError(f"{op.name}: operand {operand.name} has no tangent; give None")
        if tangent is not None:
            require_fit(op.name, "tangent", (tangent,), ((tensor.shape, tensor.dtype),))
    outputs = call.run(tensors)
    found: list[Any] = [
        None if at in call.constant else creation.zeros(each.shape, dtype=each.dtype, queue=each.queue)
        for at, each in enumerate(outputs)
    ]
    along = tuple(each is not None for each in tangents)
    derived = call.tangent([each.shape for each in tensors], along) if any(along) else None
    if derived is not None:
        known = {"input": tensors, "output": outputs, "seed": tangents}
        made = derived.call.run([known[kind][at] for kind, at in derived.sources])
        for at, each in zip(derived.places, made, strict=True):
            found[at] = each
    return one_or_all([outputs[at] for at in call.shown]), one_or_all([found[at] for at in call.shown])


class Gradient(Portable):
    """The gradient of an op, as an op: called with the operands, then the gradients of the results that are floats.

    Attributes go by keyword. `gradient(x, dy)` is the gradient by x; of an op with several operands it is a tuple, with
    one for each that has a gradient. `gradient.gradient(x, dy, ddx)` has those by x and by dy, and so on.
    """

    def __init__(self, op: Op, order: int = 1) -> None:
        self.op = op
        self.order = order
        self.name = self.__name__ = op.name + "_gradient" * order

    def __repr__(self) -> str:
        return f"<op {self.name}, the gradient of {self.op!r}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The gradients, of Tensors. Raises ShapeError and DtypeError for what does not fit, GraphError where the op
        has no gradient."""
        chain, tensors = chain_of(self, args, kwargs)
        require_tensors(self.name, tensors)
        return one_or_all(chain.run(tensors, on_tensors))

    @property
    def gradient(self) -> Gradient:
        """The gradient of this one."""
        return Gradient(self.op, self.order + 1)

    def vjp(self, *args: Any, **kwargs: Any) -> tuple[Any, Pull]:
        """As `Op.vjp`."""
        return vjp(self, args, kwargs)


def one_or_all(values: Sequence[Any]) -> Any:
    """What a call returns: its one result, or a tuple."""
    return values[0] if len(values) == 1 else tuple(values)


def require_tensors(name: str, operands: Sequence[Any]) -> None:
    """Raise DtypeError where an operand is no Tensor but, say, a Node, whose derivatives its own package has."""
    for each in operands:
        if not isinstance(each, Tensor):
            raise DtypeError(
                f"{name}: derivatives of an op are of Tensors, but an operand is {kind_of(each)}; with Nodes use "
                "ag.vjp, ag.jvp and ag.grad"
            )


def require_fit(name: str, what: str, given: Sequence[Any], specs: Sequence[Spec]) -> None:
    """Raise ShapeError or DtypeError for gradients or tangents that are not like what they belong to."""
    if len(given) != len(specs):
        raise ShapeError(f"{name}: takes {len(specs)} {what}s, but {len(given)} were given")
    for each, (shape, dtype) in zip(given, specs, strict=True):
        if not hasattr(each, "shape") or not hasattr(each, "dtype"):
            raise DtypeError(f"{name}: a {what} is {kind_of(each)}; give a tensor of shape {tuple(shape)}")
        if tuple(each.shape) != tuple(shape):
            raise ShapeError(f"{name}: a {what} has shape {tuple(each.shape)}, what it belongs to {tuple(shape)}")
        if _dtype_of(each) != dtype:
            shown = dtypes.name_of(dtype)
            found = dtypes.name_of(_dtype_of(each))
            raise DtypeError(f"{name}: a {what} is {found}, what it belongs to {shown}; convert it to {shown}")


def _dtype_of(value: Any) -> np.dtype[Any]:
    return dtypes.canonical(value.dtype)
