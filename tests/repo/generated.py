"""The files of the repository that follow from others: the page of all ops, the stubs, the grammar for editors.

`nox -s goldens` writes them, test_generated.py compares.
"""

from __future__ import annotations

import argparse
import inspect
import json
import pkgutil
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import array_api_page
from pictures import is_recurrence, picture

from netcl import autograd as ag
from netcl import core
from netcl.autograd import _MODULES
from netcl.autograd.graph.node import Node
from netcl.autograd.graph.views import ViewNode
from netcl.autograd.programs.trace_nodes import TraceNode
from netcl.autograd.transforms.batched import Batched
from netcl.core import operators, settings
from netcl.kernels import cli, namespace
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import FLOATS, Formula
from netcl.kernels.compiler.ir.show import formula_text
from netcl.kernels.compiler.ir.show_steps import steps_text
from netcl.kernels.compiler.specialise.canonical import canonical_signature
from netcl.kernels.library.attached import OWN_METHODS
from netcl.kernels.library.op import Op
from netcl.kernels.library.registry import Catalogue
from netcl.kernels.library.source_text import declaration_text
from netcl.kernels.namespace import COMPOSITES
from netcl.kernels.tools import stubs, vocabulary
from netcl.kernels.tools.reference import pages
from netcl.kernels.tools.stubs import functions, module, module_of_ops

SHIPPED = Catalogue.shipped()
OPS: dict[str, Any] = {name: op for op in SHIPPED for name in (op.name, *op.also)}
THINGS: dict[str, Any] = dict(sorted({**OPS, **COMPOSITES}.items()))


PAGES = pages(SHIPPED, COMPOSITES)


_RECURRENCES = """# Recurrences

An op whose elements depend on earlier ones of the same op says so as a formula, and netcl finds in which order they can
be computed ([how to write one](../how-to/own-op.md#with-elements-that-depend-on-earlier-ones),
[why it is done so](../decisions/0034-recurrences-are-systems-of-equations.md)). These are the shipped ones: the
formula, the steps that were found for the value, and those of the derived gradient, which go the other way.

"side by side" are rows along which nothing depends on another one: they are shared among the cores, and sixteen at a
time are the lanes of a vector. Steps along two sides of a plane go along its diagonals there, sixteen at a time. In a
step stands what it computes, one after the other, and what that reads: `h[t - 1]` comes from an earlier step, `z[t]`
from the same one. `netcl ops show NAME --stage steps` prints the same of any op, `--stage derivative` its gradient.

The pictures have a small example: each square is an element, its number says how many others have to be computed one
after the other until it can be, and arrows lead to one of the elements from all that it reads. Squares with one number
could be computed at once. `t1`, `t2`, … are parts that an equation has a name for.
"""
_PICTURES = "recurrences"


def _recurrences() -> Iterator[tuple[Op, Formula, Formula | None]]:
    """The ops that are recurrences, with their formulas and those of their gradients, where they have some."""
    for op in SHIPPED:
        form = op.forms[-1]
        formula = pipeline.forward(form, canonical_signature(form))
        if is_recurrence(formula):
            wanted = pipeline.differentiable(formula)
            floats = any(output.dtype in FLOATS for output in formula.outputs)
            yield op, formula, pipeline.gradient(formula, wanted) if wanted and floats else None


def recurrences_page() -> str:
    """Each recurrence with its formula, its picture, its steps and its gradient."""
    lines = [_RECURRENCES]
    for op, formula, gradient in _recurrences():
        lines += [f"## {op.name}", "", op.summary or "", "", "```netcl", declaration_text(op.forms[-1]), "```", ""]
        lines += [f"![What the elements of {op.name} read]({_PICTURES}/{op.name}.svg)", ""]
        for title, shown in (("Its steps:", steps_text(formula)), *_of_gradient(gradient)):
            lines += [title, "", *(f"    {line}".rstrip() for line in shown.splitlines()), ""] if shown else []
    return "\n".join(lines[:-1]) + "\n"


def _of_gradient(gradient: Formula | None) -> Iterable[tuple[str, str]]:
    if gradient is None:
        return ()
    text = textwrap.dedent("\n".join(formula_text(gradient).splitlines()[1:]))
    return ("Its gradient:", text), ("The steps of the gradient:", steps_text(gradient))


def pictures() -> dict[str, str]:
    """Of each recurrence, and of its gradient where that has states."""
    found = {}
    for op, formula, gradient in _recurrences():
        shown = {op.name: formula} | ({f"the gradient of {op.name}": gradient} if gradient else {})
        found[f"docs/reference/{_PICTURES}/{op.name}.svg"] = picture(shown)
    return found


def settings_page() -> str:
    lines = [
        "# Settings",
        "",
        "Environment variables, read when they are needed. `netcl doctor` prints them with their values.",
        "",
        "| variable | means | unset |",
        "| --- | --- | --- |",
        *(f"| `{each.name}` | {each.meaning} | {each.default} |" for each in settings.ALL),
    ]
    return "\n".join(lines) + "\n"


def command_line() -> str:
    """Every command with its arguments, from the parser that reads them."""
    lines = [
        "# The command line",
        "",
        "`netcl COMMAND --help` says the same. A command gives 0 when all is well, 1 when something is wrong with what",
        "it looked at, 2 when it was called wrongly. `netcl doctor` comes with netcl-core, the others with",
        "netcl-kernels.",
        "",
        "## netcl doctor",
        "",
        "What netcl finds on this machine: versions, settings, devices; and whether a kernel compiles and computes the",
        "right thing.",
        "",
        "## netcl tune",
        "",
        "Which sizes of a small menu a graphics card multiplies matrices with fastest: measured, compared with NumPy,",
        "and kept in the cache folder. Without the command nothing is ever measured.",
        "",
        "- `--size`: of the matrices; default: 1024",
    ]
    [commands] = [each for each in cli._parser()._actions if isinstance(each, argparse._SubParsersAction)]
    for choice in commands._choices_actions:
        lines += ["", f"## netcl ops {choice.dest}", "", f"{choice.help[0].upper()}{choice.help[1:]}.", ""]
        for each in commands.choices[choice.dest]._actions:
            if each.dest != "help":
                shown = each.option_strings[-1] if each.option_strings else each.metavar or each.dest.upper()
                several = " …" if each.nargs in ("*", "+") else ""
                help_text = (each.help or "").replace("%(default)s", str(each.default))
                choices = " or ".join(f"`{one}`" for one in each.choices or ())
                lines.append(f"- `{shown}{several}`: {'; '.join(filter(None, [choices, help_text]))}")
    return "\n".join(lines) + "\n"


def kernels_ops() -> str:
    return module_of_ops(THINGS.items())


def core_arithmetic() -> str:
    """What other packages attach to Tensor. A Tensor and a Node give a Node: that is for Node to say, which netcl-core
    does not know; it has the operators with their operands in the other order. Methods that take another operand may
    give a Node, and are Any."""
    body = ["class Arithmetic:", *operators_of("Tensor", operators.NAMES)]
    ag.tensor([1.0], requires_grad=True)  # attaches them
    for name, thing in THINGS.items():
        if hasattr(core.Tensor, name) and is_attached(name):
            lines = functions([(name, OWN_METHODS.get(name, thing))], method=True, out=False)
            body += [] if "Operand" in lines[0] else lines
    operand = f"Tensor | {stubs.NUMBER}"
    return module("Operators and methods of Tensor.", operand, "Tensor", ["from netcl.core.tensor import Tensor"], body)


def autograd_methods() -> str:
    ag.tensor([1.0], requires_grad=True)  # attaches them
    attached = [(name, OWN_METHODS.get(name, thing)) for name, thing in THINGS.items() if is_attached(name)]
    in_place = [(name, THINGS[name[:-1]]) for name in sorted(vars(ag.Node)) if name[:-1] in THINGS and name[-1] == "_"]
    body = ["class Methods:", *operators_of("Value", operators.NAMES)]
    methods = functions(attached, method=True) + functions(in_place, method=True, out=False)
    return autograd_module("What ops give to Node.", [*body, *methods])


def autograd_init() -> str:
    homes = {name: home for home in _MODULES for name in _MODULES[home]}
    made = [name for name in homes if homes[name] == "factories" and "requires_grad" in signature(name).parameters]
    names = [f"from netcl.autograd.{home} import {name} as {name}" for name, home in homes.items() if name not in made]
    names += ["from netcl import core", "from netcl.autograd import optim as optim"]
    body = ["__version__: str", "_MODULES: dict[str, tuple[str, ...]]"]
    for name in made:
        body += stubs.overloads(name, getattr(ag, name), "requires_grad", "Tensor", "Node")
    body += functions((name, thing) for name, thing in THINGS.items() if name not in homes)
    return autograd_module("Automatic differentiation.", body, names)


def signature(name: str) -> inspect.Signature:
    return inspect.signature(getattr(ag, name))


def autograd_module(docstring: str, body: Sequence[str], imports: Iterable[str] = ()) -> str:
    """What an op gives is said to be a Node; where nothing wants a gradient it is a Tensor, with the same methods."""
    node = "from netcl.autograd.graph.node import Node as Node"
    imports = {"from netcl.core.tensor import Tensor", node, *imports}
    return module(docstring, f"Node | Tensor | {stubs.NUMBER}", "Node", imports, body)


def operators_of(value: str, names: Iterable[str]) -> list[str]:
    """The stubs of the methods of Python's own, and of what goes with them."""
    lines = [operator(name, value) for name in names]
    lines.append(f"    def __iter__(self) -> Iterator[{value}]: ...")
    for name, text in {"T": "The axes reversed.", "mT": "The last two axes exchanged."}.items():
        lines += ["    @property", f"    def {name}(self) -> {value}:", f'        """{text}"""']
    return lines


def operator(name: str, value: str) -> str:
    """The stub of a method of Python's own: `x[key]` takes a key, `x + y` a value, `-x` nothing."""
    if name == "__setitem__":
        return f"    def {name}(self, key: Any, value: Operand) -> None: ..."
    if name == "__getitem__":
        return f"    def {name}(self, key: Any) -> {value}: ..."
    if name in ("__neg__", "__abs__", "__invert__"):
        return f"    def {name}(self) -> {value}: ..."
    if name in ("__eq__", "__ne__"):  # object's takes anything, and gives a bool
        return f"    def {name}(self, other: Any) -> {value}: ...  # type: ignore[override]"
    return f"    def {name}(self, other: Operand) -> {value}: ..."


def is_attached(name: str) -> bool:
    """Whether the method of that name is the op: Node has a few methods of its own that are named like one."""
    function = OWN_METHODS.get(name) or getattr(namespace.ops, name)
    return getattr(getattr(ag.Node, name, None), "__wrapped__", None) is function


def textmate() -> str:
    """The grammar that editors colour .netcl files with."""
    name = "[A-Za-z_][A-Za-z_0-9]*"

    def one_of(names: Iterable[str]) -> str:
        return f"\\b({'|'.join(names)})\\b"

    patterns = [
        {"name": "comment.line.number-sign.netcl", "match": "#.*$"},
        {"name": "string.quoted.docstring.netcl", "begin": '"""', "end": '"""'},
        {"name": "string.quoted.double.netcl", "match": '"[^"\\n]*"'},
        {
            "match": f"\\b(op)\\s+({name})",
            "captures": {"1": {"name": "keyword.declaration.netcl"}, "2": {"name": "entity.name.function.netcl"}},
        },
        {"match": f":\\s*{one_of(vocabulary.TYPES)}", "captures": {"1": {"name": "storage.type.netcl"}}},
        {"name": "keyword.control.netcl", "match": one_of(vocabulary.keywords())},
        {"name": "constant.language.netcl", "match": one_of(vocabulary.constants())},
        {"name": "support.function.reducer.netcl", "match": one_of(vocabulary.REDUCTIONS) + "(?=\\s*\\[)"},
        {"name": "support.function.netcl", "match": f"\\b{name}(?=\\s*\\()"},
        {
            "name": "constant.numeric.netcl",
            "match": "\\b[0-9]+(\\.[0-9]*)?([eE][+-]?[0-9]+)?|\\.[0-9]+([eE][+-]?[0-9]+)?",
        },
        {"name": "keyword.operator.netcl", "match": "->|==|!=|<=|>=|//|[-+*/%^<>=?:]"},
    ]
    grammar = {"name": "netcl", "scopeName": "source.netcl", "fileTypes": ["netcl"], "patterns": patterns}
    return json.dumps(grammar, indent=4) + "\n"


def reserved() -> str:
    """The names that netcl-kernels keeps from ops, so that those of netcl-autograd stay what they are."""
    ag.tensor([1.0], requires_grad=True)  # attaches the methods
    modules = [each.name for each in pkgutil.iter_modules(ag.__path__)]
    handles = (core.Tensor, Node, ViewNode, TraceNode, Batched)
    attributes = {name for each in handles for name in dir(each) if not (name.startswith("_") or name in THINGS)}
    autograd = {name for names in _MODULES.values() for name in names} | {*modules} - THINGS.keys()
    body = ['"""Names of netcl-autograd and of tensors, which no op can have; `nox -s goldens` writes them."""', ""]
    for title, names in {"AUTOGRAD": autograd, "TENSORS": attributes}.items():
        body += [f"{title} = frozenset(", '    """', *_lines(names), '    """.split()', ")"]
    return "\n".join(body) + "\n"


def _lines(names: Iterable[str]) -> Sequence[str]:
    return textwrap.wrap(" ".join(sorted(names)), 120, initial_indent="    ", subsequent_indent="    ")


FILES: dict[str, Callable[[], str]] = {
    **{f"docs/reference/operations/{name}": partial(PAGES.__getitem__, name) for name in PAGES},
    "docs/reference/recurrences.md": recurrences_page,
    "docs/reference/array-api.md": array_api_page.page,
    "docs/reference/settings.md": settings_page,
    "docs/reference/command-line.md": command_line,
    "editors/vscode/netcl.tmLanguage.json": textmate,
    "packages/netcl-core/src/netcl/core/arithmetic.pyi": core_arithmetic,
    "packages/netcl-kernels/src/netcl/kernels/shipped.pyi": kernels_ops,
    "packages/netcl-kernels/src/netcl/kernels/library/reserved.py": reserved,
    "packages/netcl-autograd/src/netcl/autograd/methods.pyi": autograd_methods,
    "packages/netcl-autograd/src/netcl/autograd/__init__.pyi": autograd_init,
}
