"""`op.numpy()`: an op on numpy arrays, with its derivatives: for scipy.optimize, scikit-learn, or a plain loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from netcl.core import dtypes, transfer
from netcl.core.errors import DtypeError
from netcl.core.tensor import Tensor
from netcl.kernels.interop import tensors
from netcl.kernels.interop.arrays import array_of, tensor_on
from netcl.kernels.interop.functions import Function
from netcl.kernels.interop.tensors import Pull, chain_of, on_tensors, one_or_all, require_tensors
from netcl.kernels.library.op import Op


class NumpyFunction(Function):
    """An op whose operands and results are numpy arrays. Integers, floats and strings are what they are to the op."""

    framework = "numpy"
    method = "numpy"
    advice = "give an array: np.asarray(x)"
    operand = "an array"
    maker = "np.asarray makes one"
    integers = "{name}.astype(int)"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result, or a tuple of them. Arrays of the op's dtypes are read where they lie, others are refused with a
        DtypeError."""
        chain, operands = self.told(chain_of, self.callee, *self._given(args, kwargs))
        require_tensors(self.callee.name, operands)
        return one_or_all([_array(each) for each in chain.run(operands, on_tensors)])

    def vjp(self, *args: Any, **kwargs: Any) -> tuple[Any, Pull]:
        """The value, and a function from the gradients of the results to those of the arrays: at what the arrays have
        now, whatever is written into them later."""
        value, pull = self.told(tensors.vjp, self.callee, *self._given(args, kwargs, copy=True))

        def pull_arrays(*gradients: Any) -> tuple[Any, ...]:
            """The gradient of each array of the call, in the op's order; None for one that has none, as integers."""
            given, _ = self._given(gradients, {})
            return tuple([None if each is None else _array(each) for each in self.told(pull, *given)])

        return _arrays(value), pull_arrays

    def jvp(self, args: Sequence[Any], tangents: Sequence[Any], **kwargs: Any) -> tuple[Any, Any]:
        """The value, and its tangent along one tangent for each array (None: it does not move)."""
        if not isinstance(self.callee, Op):
            raise TypeError(f"{self.callee.name} has no jvp; its gradient has its derivative")
        given, rest = self._given(args, kwargs)
        value, tangent = self.told(tensors.jvp, self.callee, given, self._given(tangents, {})[0], rest)
        return _arrays(value), _arrays(tangent)

    def _given(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], copy: bool = False
    ) -> tuple[list[Any], dict[str, Any]]:
        """Arguments with a Tensor for each array."""

        def as_tensor(value: Any) -> Any:
            if isinstance(value, np.ma.MaskedArray):
                raise DtypeError("an argument is a masked array, and netcl has no masks; give x.filled(value)")
            if isinstance(value, np.floating):  # a number with a dtype of its own
                value = np.asarray(value)
            if isinstance(value, np.ndarray):
                return tensor_on(value.copy() if copy else value)
            if isinstance(value, (list, tuple)) and any(isinstance(each, np.ndarray) for each in value):
                return [as_tensor(each) for each in value]
            self.refuse(value)
            return value

        found = [self.named(as_tensor, each) for each in args]
        return found, {name: self.named(as_tensor, each) for name, each in kwargs.items()}


def _arrays(values: Any) -> Any:
    return tuple([_array(each) for each in values]) if isinstance(values, tuple) else _array(values)


def _array(tensor: Tensor | None) -> Any:
    if tensor is None:
        return None
    return transfer.to_host(tensor) if tensor.dtype is dtypes.bfloat16 else array_of(tensor)
