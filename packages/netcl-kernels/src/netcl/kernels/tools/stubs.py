"""Python stubs (`.pyi`) of ops, for editors and type checkers: signatures and help from the declarations.

At run time ops are found by name, so there is no `def` that a type checker could read; here they are written out.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from netcl.core.dtypes import name_of
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.specialise.scope import words_of
from netcl.kernels.compiler.specialise.signature import REDUCTIONS
from netcl.kernels.library.op import Op

_TYPES = {
    "float": "float", "int": "int", "ints": "Numbers", "bool": "bool", "dtype": "Any", "axes": "Axes", "axis": "int",
    "order": "Sequence[int] | None", "rank": "int",
}  # fmt: skip
"""The Python type of an attribute; that of a word, or of a reduction, is its words."""

NUMBER = "float | np.generic"
"""A number of Python's or numpy's, which an op takes in the place of a Tensor."""

Thing = Op | Callable[..., Any]


def functions(things: Iterable[tuple[str, Thing]], method: bool = False, out: bool = True) -> list[str]:
    """The stub of each op and composite, by name; as methods, the first operand is `self`. `out`: ops take `out=`.

    An op is written as a function that `_op` makes an `Op` of: so editors show its signature and its help, and know
    `op.torch()` and `op.vjp`.
    """
    lines: list[str] = []
    for name, thing in things:
        parameters, result = _of_op(thing, out) if isinstance(thing, Op) else _of_function(thing)
        if method:
            own = "self"
            while any(each.startswith(f"{own}:") for each in parameters[1:]):
                own = f"_{own}"
            parameters = [own, *parameters[1:]]
        indent = "    " if method else ""
        if isinstance(thing, Op) and not method:
            lines.append("@_op")
        lines.append(f"{indent}def {name}({', '.join(parameters)}) -> {result}:")
        lines.append(f'{indent}    """{_summary(thing)}"""')
    return lines


def quoted(text: str) -> str:
    """A text as Python has it between double quotes."""
    return '"' + _escaped(text).replace('"', '\\"') + '"'


def _escaped(text: str) -> str:
    """Without characters that end a line or cannot stand in a file of Python."""
    return "".join(
        each if each.isprintable() and each != "\\" else each.encode("unicode_escape").decode("ascii") for each in text
    )


def _of_op(op: Op, out: bool) -> tuple[list[str], str]:
    form = op.forms[0]
    types = {each.name: "Sequence[Operand]" if each.variadic else "Operand" for each in form.operands}
    types |= {each.name: _attribute_type(op, each) for each in form.attributes}
    parameters = []
    for each in op.__signature__.parameters.values():
        kind = types[each.name]
        if each.kind is inspect.Parameter.KEYWORD_ONLY and "*" not in parameters:
            parameters.append("*")
        if each.default is None and "None" not in kind:
            kind += " | None"
        parameters.append(_parameter(each.name, kind, each.default))
    count = len(form.outputs)
    if out:
        parameters += [] if "*" in parameters else ["*"]
        parameters.append(f"out: {'Tensor' if count == 1 else 'Sequence[Tensor]'} | None = None")
    return parameters, "Value" if count == 1 else f"tuple[{', '.join(['Value'] * count)}]"


def overloads(name: str, function: Callable[..., Any], switch: str, off: str, on: str) -> list[str]:
    """The stubs of a function that gives `on` where its flag `switch` is set, `off` where it is not."""
    parameters = list(inspect.signature(function).parameters.values())
    at = next(at for at, each in enumerate(parameters) if each.name == switch)
    before, after = (
        [_parameter(each.name, str(each.annotation), each.default) for each in part]
        for part in (parameters[:at], parameters[at + 1 :])
    )
    by_name = ["*"] if any(" = " in each for each in before) else []
    lines = []
    for flag, result in (
        ([f"{switch}: Literal[False] = False"], off),
        ([*by_name, f"{switch}: Literal[True]"], on),
        ([*by_name, f"{switch}: bool"], f"{on} | {off}"),
    ):
        lines += ["@overload", f"def {name}({', '.join([*before, *flag, *after])}) -> {result}:"]
        lines.append(f'    """{_summary(function)}"""')
    return lines


def _of_function(function: Callable[..., Any]) -> tuple[list[str], str]:
    signature = inspect.signature(function)
    parameters = []
    for at, each in enumerate(signature.parameters.values()):
        kind = "Operand" if at == 0 and each.annotation == "Any" else str(each.annotation)
        star = "*" if each.kind is inspect.Parameter.VAR_POSITIONAL else ""
        if star and kind == "int":
            kind = "Numbers"  # one sequence of them, too
        parameters.append(star + _parameter(each.name, kind, each.default))
    return parameters, str(signature.return_annotation).replace("Any", "Value")


def _attribute_type(op: Op, attribute: syntax.AttributeSyntax) -> str:
    if attribute.type not in ("word", "reduction"):
        return _TYPES.get(attribute.type, "Any")
    words = list(REDUCTIONS if attribute.type == "reduction" else words_of(op.forms, attribute.name))
    if isinstance(attribute.default, syntax.Text):
        words.insert(0, attribute.default.value)
    shown = dict.fromkeys(map(quoted, words))
    return f"Literal[{', '.join(shown)}]" if len(shown) > 1 else "str"


def _parameter(name: str, kind: str, default: Any) -> str:
    if default is inspect.Parameter.empty:
        return f"{name}: {kind}"
    return f"{name}: {kind} = {_shown(default)}"


def _shown(default: Any) -> str:
    if isinstance(default, str):
        return quoted(default)
    if isinstance(default, np.dtype):
        return f"core.{name_of(default)}"
    numbers = default if isinstance(default, tuple) else (default,)
    finite = all(not isinstance(each, float) or math.isfinite(each) for each in numbers)
    return repr(default) if finite else "..."


def _summary(thing: Thing) -> str:
    text = thing.summary if isinstance(thing, Op) else (thing.__doc__ or "")
    line = _escaped(" ".join(text.split("\n\n")[0].split())).replace('"""', '\\"\\"\\"')
    return f'{line[:-1]}\\"' if line.endswith('"') else line


_OP = "from netcl.kernels.library.op import Op"
_AN_OP = """\
_P = ParamSpec("_P")
_R = TypeVar("_R")

def _op(function: Callable[_P, _R]) -> Op[_P, _R]: ...
""".split("\n")


def module(docstring: str, operand: str, value: str, imports: Iterable[str], body: Sequence[str]) -> str:
    """A stub module: what an op takes is `operand`, what it gives is `value`."""
    lines = [
        f'"""{docstring} Made from the declarations; not edited by hand."""',
        "",
        "from collections.abc import Callable, Iterator, Sequence",
        "from typing import Any, Literal, ParamSpec, TypeAlias, TypeVar, overload",
        "",
        "import numpy as np",
        "",
        *sorted({*imports, *((_OP,) if "@_op" in body else ())}),
        "",
        f"Operand: TypeAlias = {operand}",
        f"Value: TypeAlias = {value}",
        "Numbers: TypeAlias = int | Sequence[int]",
        "Axes: TypeAlias = int | Sequence[int] | None",
        "Operands: TypeAlias = Sequence[Operand]",
        "Widths: TypeAlias = Sequence[Sequence[int]]",
        "Pairs: TypeAlias = int | Sequence[Axes]",
        "",
        *(_AN_OP if "@_op" in body else ()),
        *body,
    ]
    return "\n".join(lines) + "\n"


def module_of_ops(things: Iterable[tuple[str, Thing]], nodes: bool = False) -> str:
    """The stub of a module or object that has these ops as attributes. With `nodes` they are those of netcl.autograd:
    what they give is said to be a Node; where nothing wants a gradient it is a Tensor, with the same methods."""
    imports = ["from netcl.core.tensor import Tensor"]
    operand, value = f"Tensor | {NUMBER}", "Tensor"
    if nodes:
        imports.append("from netcl.autograd.graph.node import Node")
        operand, value = f"Node | {operand}", "Node"
    return module("Ops, as type checkers see them.", operand, value, imports, functions(things))
