"""What the functions of all frameworks have in common: a name, a signature, one copy, and what they refuse."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from netcl.core.arguments import kind_of
from netcl.core.errors import DtypeError
from netcl.core.tensor import Tensor
from netcl.kernels.interop.chains import Chain
from netcl.kernels.interop.tensors import Gradient, chain_of
from netcl.kernels.library.op import Op


class Function:
    """An op in another framework. A copy of it is itself, as of a Python function; it is pickled by what makes it."""

    framework = ""
    method = ""  # of the op, that makes it
    advice = ""  # how a value becomes an operand
    of_numbers = ""  # what to do where a number is wanted, and an operand is given

    def __init__(self, callee: Op | Gradient) -> None:
        self.callee = callee
        self.__name__ = callee.name
        self.__doc__ = callee.__doc__
        if isinstance(callee, Op):
            self.__signature__ = inspect.signature(callee)

    def __repr__(self) -> str:
        return f"<{self.callee!r} in {self.framework}>"

    def __copy__(self) -> Function:
        return self

    def __deepcopy__(self, memo: Any) -> Function:
        return self

    def __reduce__(self) -> Any:
        return _again, (self.callee, self.method)

    def named(self, convert: Callable[[Any], Any], value: Any) -> Any:
        """What `convert` makes of an argument; its DtypeError says of which op."""
        try:
            return convert(value)
        except DtypeError as error:
            raise DtypeError(f"{self.__name__}: {error}") from None

    def bound(self, convert: Callable[[Any], Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Chain, Any]:
        """The calls that a call comes to, and what they are given: Operands, which `convert` makes of values."""
        given = [self.named(convert, each) for each in args]
        named = {name: self.named(convert, each) for name, each in kwargs.items()}
        try:
            return chain_of(self.callee, given, named)
        except DtypeError as error:
            said, of_tensors, _ = re.split(r"(; \w+\.item\(\) makes one|$)", str(error), maxsplit=1)
            if not of_tensors:
                raise
            raise DtypeError(f"{said}; {self.of_numbers}") from None

    def refuse(self, value: Any) -> None:
        """Raise DtypeError for an array that is of another framework."""
        is_array = isinstance(value, (np.ndarray, Tensor)) or (hasattr(value, "shape") and hasattr(value, "dtype"))
        if is_array and not isinstance(value, np.generic):
            raise DtypeError(f"an argument is {kind_of(value)}, which is not of {self.framework}; {self.advice}")


def _again(callee: Op | Gradient, method: str) -> Any:
    return getattr(callee, method)()
