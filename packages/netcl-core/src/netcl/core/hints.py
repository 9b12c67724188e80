"""What people who come from other libraries look for on a value, and what it is called here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from importlib.util import find_spec
from typing import Any

from netcl.core import operators

_LEAF = "netcl.autograd's tensor(x, requires_grad=True)"
_VALUE = (
    "it is a value alone, which is what ops give that got no node, that have no gradient, or under no_grad(); "
    f"a gradient is had with {_LEAF}"
)
_NO_GRADIENTS = "it is a value alone; gradients come with netcl-autograd: `pip install netcl-autograd`"
_QUEUE = "the queue that it is made with (or NETCL_DEVICE)"
_OF_NODES = frozenset(
    ("backward", "grad", "grad_fn", "is_leaf", "register_hook", "requires_grad", "retain_grad", "zero_grad")
)

_INSTEAD = {
    "numpy": "to_host()", "cpu": "to_host()", "numel": "size", "dim": "ndim", "nelement": "size", "t": "T",
    "view": "reshape(...)", "view_as": "reshape(other.shape)",
    "expand_as": "expand(other.shape)", "reshape_as": "reshape(other.shape)",
    "to": f"astype(dtype), and a device comes with {_QUEUE}",
    "type": "astype(dtype)", "float": 'astype("float32")', "double": 'astype("float64")', "half": 'astype("float16")',
    "bfloat16": 'astype("bfloat16")', "long": 'astype("int64")', "int": 'astype("int32")', "bool": 'astype("bool")',
    "data": "the value itself, which x.sub_(y) and its like write to under no_grad()",
    "zero_": "assign_(0)", "fill_": "assign_(value)", "copy_": "assign_(other)",
    "clamp_": "x = x.clamp(...)", "pow_": "x = x ** y",
    "normal_": "assign_(ag.normal(x.shape))", "uniform_": "assign_(ag.uniform(x.shape))",
    "requires_grad_": f"x.requires_grad = False, or {_LEAF}",
    "cuda": _QUEUE, "new_zeros": "core.zeros(shape, dtype=x.dtype)",
    "new_ones": "core.ones(shape, dtype=x.dtype)", "new_full": "core.full(shape, value, x.dtype)",
    "detach_": "x = x.detach()",
    "type_as": "astype(other.dtype)", "copy": "clone()",
    "indices": "argmax(axis) or argmin(axis) of what max or min was taken of, which give values alone",
    "values": "the value itself: max, min and median along an axis give values alone",
    "ravel": "flatten()", "mm": "matmul(other)",
    "at": "x[key] = value in place, or index_put(...) for a new one",
    "nonzero": "np.nonzero(x.to_host()): its shape depends on values", "block_until_ready": "core.synchronize()",
}  # fmt: skip

elsewhere: dict[str, str] = {}
"""Functions of other libraries, and what does the same; packages that compute note theirs here."""

_ARGUMENTS = {
    "argnum": ("argnums",), "ddof": ("correction",), "device": ("queue",), "diagonal": ("k",), "gradient": ("grad",),
    "in_dims": ("in_axes",), "out_dims": ("out_axes",), "p": ("ord",), "train": ("training",),
}  # fmt: skip
"""Arguments as they are called elsewhere, each with what ours may be called."""

_CONVERTED = "; give it x.astype(dtype)"

_SAID = {
    "alpha": ("b", "; write alpha * b for b"),
    "rounding_mode": ("b", "; 'floor' is floor_divide(a, b), and 'trunc' is trunc(a / b)"),
    "training": ("seed", "; it draws at each call: write dropout(x, p) if training else x"),
    "unbiased": ("correction", "; unbiased=True is correction=1, and unbiased=False is correction=0"),
}
"""Arguments of other libraries that are written otherwise: by the one that the function has, what is said."""

_CLOSE = 0.75
"""How alike an attribute must be to be proposed; `device` for `indices` is below."""

_STATIC = "; what is no tensor is static already: each value of it is traced once"


def argument_hint(name: str, names: Sequence[str]) -> str:
    """What a message about an argument that a function does not have ends with; `names` are those that it has."""
    if name.startswith("static_arg"):
        return _STATIC
    beside, said = _SAID.get(name, ("", ""))
    if beside in names:
        return said
    if name == "dtype" and names[:1] == ["x"]:
        return _CONVERTED
    ours = [each for each in _ARGUMENTS.get(name, ()) if each in names] or get_close_matches(name, names)
    return f"; did you mean {' or '.join(ours)}?" if ours else ""


def missing(value: Any, name: str, otherwise: str = "") -> AttributeError:
    """The error for an attribute that a value does not have; `otherwise` is said of a name that nobody knows."""
    hint = _INSTEAD.get(name) or _written(value, name)
    if hint is None and name in elsewhere:
        otherwise = f"; {elsewhere[name]}"
    elif not otherwise and hint is None and name not in _OF_NODES and not name.startswith("_"):
        close = _near(value, name) or _near(value, name.rstrip("_"))
        otherwise = f"; did you mean {' or '.join(close)}?" if close else ""
        otherwise += operators.without(operators.failed)
    if hint is not None:
        text = f"; here it is {_placed(value, hint)}"
    elif name in _OF_NODES:
        text = f": {_VALUE if find_spec('netcl.autograd') else _NO_GRADIENTS}"
    else:
        text = otherwise
    return AttributeError(f"{type(value).__name__!r} object has no attribute {name!r}{text}", name=name, obj=value)


def _near(value: Any, name: str) -> list[str]:
    return get_close_matches(name, dir(type(value)), cutoff=_CLOSE)


def _written(value: Any, name: str) -> str | None:
    """What does the same as a method in place: `relu_` is `x = x.relu(...)`, which may need the old value for a
    gradient."""
    method = name.removesuffix("_")
    exists = method not in (name, "") and not method.startswith("_") and hasattr(type(value), method)
    again = f"x = x.{method}(...), or x.assign_(x.{method}(...)) under no_grad()"
    return again if exists and callable(getattr(type(value), method)) else None


def _placed(value: Any, hint: str) -> str:
    """The hint; a method that it names and that comes with another package is said to, where none is installed."""
    from netcl import core

    method = re.match(r"(?:x = x\.)?(\w+)(\(.*?\))?(?=,|$)", hint)
    if method is None or hasattr(type(value), method[1]) or method[1] in core.__all__ or not operators.absent():
        return hint
    return f"{method[0]} with {operators.COMPUTES}{hint[method.end() :]}"
