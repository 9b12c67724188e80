"""The catalogue of shipped ops, these and the composites by name, and the same as operators and methods of Tensor.

`attach(cls)` gives a class Python's operators and a method for each op; netcl-autograd does the same to its Node. The
ops of packages come after that (`namespace`), so that a package can use the others while it is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from netcl.core import hints
from netcl.core.arguments import Operand, described
from netcl.core.errors import DtypeError
from netcl.core.tensor import Tensor
from netcl.kernels.library import (
    einsum,  # noqa: F401  (some make functions public)
    indexing,
    losses,  # noqa: F401  (some make functions public)
    randomness,  # noqa: F401  (some make functions public)
    recipes,  # noqa: F401  (some make functions public)
    resampling,  # noqa: F401  (some make functions public)
)
from netcl.kernels.library.composites import COMPOSITES
from netcl.kernels.library.elsewhere import ELSEWHERE
from netcl.kernels.library.op import Op
from netcl.kernels.library.registry import Catalogue
from netcl.kernels.library.ufuncs import METHODS, universal
from netcl.kernels.runtime import in_place

OPERATORS = {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "pow": "pow", "matmul": "matmul", "mod": "remainder",
    "floordiv": "floor_divide",
}  # fmt: skip
"""Python's binary operators: `__add__` and `__radd__` call add, and so on."""

COMPARISONS = {"lt": "lt", "le": "le", "gt": "gt", "ge": "ge", "eq": "eq", "ne": "ne"}
UNARY = {"neg": "neg", "abs": "abs"}
LOGICAL = {"and": ("&", "logical_and"), "or": ("|", "logical_or"), "xor": ("^", "ne")}
"""For bools; netcl computes nothing with the bits of integers."""
_NUMBERS = (bool, int, float)

catalogue = Catalogue.shipped()

_attached: list[type] = []
"""The classes that have operators and methods; ops that come later are given to all of them."""


class Ops:
    """The ops as attributes: `ops.sigmoid(x)`."""

    def __getattr__(self, name: str) -> Any:
        found = COMPOSITES.get(name) or catalogue[name]
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        return sorted({*COMPOSITES, *(name for op in catalogue for name in (op.name, *op.also))})


ops = Ops()


def attach(cls: type) -> None:
    """Give `cls` the operators and, under every name it does not have yet, a method for each op and composite."""
    known = (Tensor, cls, np.ndarray, *_NUMBERS)  # ops say what to do with an array, and with a list
    for python_name, name in OPERATORS.items():
        op = catalogue[name]
        setattr(cls, f"__{python_name}__", _binary(op, (*known, list, tuple)))
        setattr(cls, f"__r{python_name}__", _reflected(op, (*known, list, tuple)))
    for python_name, name in COMPARISONS.items():
        setattr(cls, f"__{python_name}__", _comparison(catalogue[name], known))
    for python_name, name in UNARY.items():
        setattr(cls, f"__{python_name}__", _method(catalogue[name]))
    for python_name, (sign, name) in LOGICAL.items():
        setattr(cls, f"__{python_name}__", _logical(sign, catalogue[name]))
        setattr(cls, f"__r{python_name}__", _logical(sign, catalogue[name]))
    cls.__invert__ = _logical("~", catalogue["logical_not"])  # type: ignore[attr-defined]
    cls.__getitem__ = _method(COMPOSITES["getitem"])  # type: ignore[attr-defined]
    cls.__iter__ = _iterated  # type: ignore[attr-defined]
    cls.mT = property(lambda x: ops.swapaxes(x, -1, -2))  # type: ignore[attr-defined]
    cls.__array_ufunc__ = universal  # type: ignore[attr-defined]
    cls.__array_namespace__ = _array_namespace  # type: ignore[attr-defined]
    cls.T = property(lambda x: ops.permute(x))  # type: ignore[attr-defined]
    _attached.append(cls)
    attach_methods()


def attach_methods() -> None:
    """Give the classes that have methods those for ops that have come since."""
    for name in dir(ops):
        for cls in _attached:
            if not hasattr(cls, name):
                function = OWN_METHODS.get(name) or getattr(ops, name)
                setattr(cls, name, _method(function, METHODS.get(name)))


def _binary(op: Callable[..., Any], known: tuple[type, ...]) -> Callable[[Any, Any], Any]:
    def operator(self: Any, other: Any) -> Any:
        return op(self, other) if isinstance(other, known) or _is_scalar(other) else _not_of(other)

    return operator


def _comparison(op: Callable[..., Any], known: tuple[type, ...]) -> Callable[[Any, Any], Any]:
    operator = _binary(op, known)

    def comparison(self: Any, other: Any) -> Any:
        return operator(self, other) if self.dtype is not None else NotImplemented

    return comparison


def _logical(sign: str, op: Callable[..., Any]) -> Callable[..., Any]:
    """An operator of bools, in either order of its operands."""

    def operator(*given: Any) -> Any:
        for each in given:
            dtype = np.bool_ if isinstance(each, bool) else getattr(each, "dtype", None)
            if dtype is None:
                return NotImplemented
            if dtype != np.bool_:
                raise DtypeError(f"{sign} takes bools, but an operand is {dtype}; compare first, as in (x != 0)")
        return op(*given)

    return operator


def _reflected(op: Callable[..., Any], known: tuple[type, ...]) -> Callable[[Any, Any], Any]:
    def operator(self: Any, other: Any) -> Any:
        return op(other, self) if isinstance(other, known) or _is_scalar(other) else _not_of(other)

    return operator


def _not_of(other: Any) -> Any:
    """NotImplemented, as Python wants it; of a tensor of another framework DtypeError, since its name is ours."""
    framework = type(other).__module__.partition(".")[0]
    if framework in ("jax", "jaxlib", "torch"):
        raise DtypeError(
            f"a tensor of {framework.removesuffix('lib')} stands beside one of netcl; core.from_dlpack(x) lends its "
            "memory"
        )
    return NotImplemented


def _iterated(self: Any) -> Iterator[Any]:
    """The parts along the first axis. Raises TypeError where there is no axis."""
    return map(self.__getitem__, range(len(self)))


def _array_namespace(self: Any, *, api_version: str | None = None) -> Any:
    """The functions of the Python array API standard."""
    from netcl.kernels import array_api

    if api_version not in (None, array_api.__array_api_version__):
        raise ValueError(f"the array API is here in version {array_api.__array_api_version__}, not {api_version}")
    return array_api


def _is_scalar(other: Any) -> bool:
    return getattr(other, "ndim", None) == 0 and hasattr(other, "item")


def _where(x: Operand, condition: Operand, other: Operand) -> Any:
    """x where the condition holds, else other: `where(condition, x, other)`, in PyTorch's order."""
    dtype = np.bool_ if isinstance(condition, bool) else getattr(condition, "dtype", None)
    if dtype != np.bool_:
        raise DtypeError(
            f"x.where(condition, other) keeps x where the condition holds, but the condition is "
            f"{described(condition)}; compare first, as in x.where(x > 0, 0), or write where(condition, a, b)"
        )
    return ops.where(condition, x, other)


OWN_METHODS = {"where": _where}
"""Methods whose first operand is not what stands first in the op."""


def _method(function: Callable[..., Any], by_numpy: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """The function as a method; `by_numpy` calls it where NumPy may have called the method."""

    def plain(self: Any, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs)

    def tolerant(self: Any, *args: Any, **kwargs: Any) -> Any:
        return by_numpy(function, self, *args, **kwargs)  # type: ignore[misc]

    method = plain if by_numpy is None else tolerant

    method.__doc__ = function.summary if isinstance(function, Op) else function.__doc__
    method.__name__ = getattr(function, "__name__", "method")
    method.__wrapped__ = function  # type: ignore[attr-defined]  # its signature is that of the method
    return method


attach(Tensor)
hints.elsewhere.update(ELSEWHERE)
Tensor.__setitem__ = indexing.set_item  # type: ignore[assignment]
for _name in in_place.IN_PLACE:
    setattr(Tensor, _name + "_", in_place.in_place(catalogue[_name]))
