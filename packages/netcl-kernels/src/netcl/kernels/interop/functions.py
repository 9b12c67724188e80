"""What the functions of all frameworks have in common: a name, a signature, one copy, and what they refuse."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from netcl.core.arguments import kind_of
from netcl.core.errors import DtypeError, ShapeError
from netcl.core.tensor import Tensor
from netcl.kernels.interop.chains import Chain
from netcl.kernels.interop.tensors import Gradient, chain_of
from netcl.kernels.library.op import Op
from netcl.kernels.namespace import COMPOSITES, catalogue

Result = TypeVar("Result")


class Function:
    """An op in another framework. A copy of it is itself, as of a Python function; it is pickled by what makes it."""

    framework = ""
    method = ""  # of the op, that makes it
    advice = ""  # how a value becomes an operand
    of_numbers = ""  # what to do where a number is wanted, and an operand is given
    operand = ""  # what an operand is called
    maker = ""  # what makes one of anything else
    integers = ""  # what makes integers of one that is called {name}
    converted = "x.astype(dtype)"

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
        return self.told(chain_of, self.callee, given, named)

    @classmethod
    def told(cls, function: Callable[..., Result], *args: Any) -> Result:
        """What a function gives; where it says of Tensors what is wrong, that is said in words of the framework."""
        try:
            return function(*args)
        except (DtypeError, ShapeError, TypeError) as error:
            text = cls._in_words(str(error))
            if type(error) is TypeError:  # the arguments are none of the op's
                text += _of_several(args[0]) if args else ""
            if text == str(error):
                raise
            raise type(error)(text) from None

    @classmethod
    def _in_words(cls, text: str) -> str:
        if cls.of_numbers:
            text = re.sub(r"; \w+\.item\(\) makes one.*", f"; {cls.of_numbers}", text)
        text = re.sub(
            r"(\w+)( must hold integers, but it is \w+); convert it with astype",
            lambda found: f"{found[1]}{found[2]}; convert it: {cls.integers.format(name=found[1])}",
            text,
        )
        text = text.replace("convert it with astype", f"convert it: {cls.converted}")
        text = text.replace("x.astype(dtype)", cls.converted).replace(
            "x.astype('int64')", cls.integers.format(name="x")
        )
        text = re.sub(r"\ba Tensor \(core\.from_host makes one( of an array)?\)", f"{cls.operand} ({cls.maker})", text)
        text = re.sub(r"\ba [Tt]ensor of shape", f"{cls.operand} of shape", text)
        return re.sub(r"\bTensor(?=s?, as in )", cls.operand.partition(" ")[2], text)

    def refuse(self, value: Any) -> None:
        """Raise DtypeError for an array that is of another framework."""
        is_array = isinstance(value, (np.ndarray, Tensor)) or (hasattr(value, "shape") and hasattr(value, "dtype"))
        if is_array and not isinstance(value, np.generic):
            raise DtypeError(f"an argument is {kind_of(value)}, which is not of {self.framework}; {self.advice}")


def _of_several(callee: Any) -> str:
    """What is said of an op of the catalogue whose name is also that of a function with other arguments."""
    name = callee.name if isinstance(callee, Op) else ""
    function = COMPOSITES.get(name)
    if function is None or name not in catalogue or catalogue[name] is not callee:
        return ""
    names = ", ".join(inspect.signature(function).parameters)
    return f"; it is the op alone here: kernels.ops.{name}({names}) is made of several ops, and takes Tensors"


def _again(callee: Op | Gradient, method: str) -> Any:
    return getattr(callee, method)()
