"""`op.numpy()`: an op on numpy arrays, with its derivatives: for scipy.optimize, scikit-learn, or a plain loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from netcl.core import dtypes, transfer
from netcl.core.tensor import Tensor
from netcl.kernels.interop import tensors
from netcl.kernels.interop.arrays import array_of, tensor_on
from netcl.kernels.interop.tensors import Gradient, Pull, chain_of, on_tensors, one_or_all, require_tensors
from netcl.kernels.library.op import Op


class NumpyFunction:
    """An op whose operands and results are numpy arrays. Integers, floats and strings are what they are to the op."""

    def __init__(self, callee: Op | Gradient) -> None:
        self.callee = callee
        self.__name__ = callee.name
        self.__doc__ = callee.__doc__

    def __repr__(self) -> str:
        return f"<{self.callee!r} on numpy arrays>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result, or a tuple of them. Arrays of the op's dtypes are read where they lie, others are refused with a
        DtypeError."""
        chain, operands = chain_of(self.callee, _given(args), _given_by_name(kwargs))
        require_tensors(self.callee.name, operands)
        return one_or_all([_array(each) for each in chain.run(operands, on_tensors)])

    def vjp(self, *args: Any, **kwargs: Any) -> tuple[Any, Pull]:
        """The value, and a function from the gradients of the results to those of the arrays."""
        value, pull = tensors.vjp(self.callee, _given(args), _given_by_name(kwargs))

        def pull_arrays(*gradients: Any) -> tuple[Any, ...]:
            """The gradient of each array of the call, in the op's order; None for one that has none, as integers."""
            return tuple([None if each is None else _array(each) for each in pull(*_given(gradients))])

        return _arrays(value), pull_arrays

    def jvp(self, args: Sequence[Any], tangents: Sequence[Any], **kwargs: Any) -> tuple[Any, Any]:
        """The value, and its tangent along one tangent for each array (None: it does not move)."""
        if not isinstance(self.callee, Op):
            raise TypeError(
                f"{self.callee.name}: jvp is of an op; the tangent of its gradient comes of gradient.gradient"
            )
        value, tangent = tensors.jvp(self.callee, _given(args), _given(tangents), _given_by_name(kwargs))
        return _arrays(value), _arrays(tangent)


def _given(args: Sequence[Any]) -> list[Any]:
    return [_as_tensor(each) for each in args]


def _given_by_name(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _as_tensor(each) for name, each in kwargs.items()}


def _as_tensor(value: Any) -> Any:
    """A Tensor on an array, also in a list; everything else as it is."""
    if isinstance(value, np.ndarray):
        return tensor_on(value)
    if isinstance(value, (list, tuple)) and any(isinstance(each, np.ndarray) for each in value):
        return [_as_tensor(each) for each in value]
    return value


def _arrays(values: Any) -> Any:
    return tuple([_array(each) for each in values]) if isinstance(values, tuple) else _array(values)


def _array(tensor: Tensor | None) -> Any:
    if tensor is None:
        return None
    return transfer.to_host(tensor) if tensor.dtype is dtypes.bfloat16 else array_of(tensor)
