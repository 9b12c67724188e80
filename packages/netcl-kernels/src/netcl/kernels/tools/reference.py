"""The catalogue in Markdown: what each op takes and computes, its derivative and what that saves.

`netcl ops doc` prints it as one page; the folder docs/reference/operations has a page for each family of the shipped
ops.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.derive.formula import NoDerivative
from netcl.kernels.compiler.ir import FLOATS, Formula
from netcl.kernels.compiler.ir.show import formula_text
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.specialise.canonical import canonical_signature
from netcl.kernels.library.op import Op
from netcl.kernels.library.registry import Catalogue
from netcl.kernels.library.source_text import about, declaration_text
from netcl.kernels.tools.mathematics import formula_latex

_SHORT = 16
_WIDE = 140
"""A formula with more or longer lines is left to `netcl ops show`."""
_MADE = "<!-- Made by `netcl ops doc` from the declarations; not edited by hand. -->"
_WHERE = "Each op is a function of `netcl.autograd` and of `netcl.kernels.ops`, and a method of tensors and nodes."
_WHERE_COMPILED = "Each op is a member of what `netcl.kernels.compile` and `netcl.kernels.load` give of these files."
_NOTATION = """\
Below a declaration stand the value that follows from it and its derivative, at the plainest call: float32, one axis for
each pack. The adjoint of y (`dy` in the language) is written with a bar, the extent of the index i as N with that
index; indices are left out where all of them are the same, and a condition in brackets counts as 0 or 1."""
_COMPOSITES = "made-of-ops"
_OF_FRAMEWORKS = """\
`netcl.kernels.torch`, `.jax` and `.numpy` have none of these functions. Where an op has the name of one, that op is
there, with its own arguments, which the function's section gives."""


def page(catalogue: Catalogue, composites: Mapping[str, Callable[..., Any]]) -> str:
    """One page of a catalogue, and of functions that are made of its ops."""
    lines = ["# Operations", "", _MADE, "", _WHERE if composites else _WHERE_COMPILED, "", _NOTATION]
    for _, section in _sections(catalogue, composites, "##"):
        lines += ["", *section]
    return "\n".join(lines) + "\n"


def pages(catalogue: Catalogue, composites: Mapping[str, Callable[..., Any]]) -> dict[str, str]:
    """A page for each family, by the names of their files, and index.md, which lists the ops with what they do."""
    index = ["# Operations", "", _MADE, "", _WHERE if composites else _WHERE_COMPILED, "", _NOTATION]
    found: dict[str, str] = {}
    for family, section in _sections(catalogue, composites, "#"):
        title, *rest = section
        found[f"{family}.md"] = "\n".join([title, "", _MADE, *rest]) + "\n"
        index += ["", f"## [{title.removeprefix('# ')}]({family}.md)", "", "| op | computes |", "| --- | --- |"]
        if family == _COMPOSITES:
            about_each = {name: inspect.cleandoc(function.__doc__ or "") for name, function in _own(composites)}
        else:
            members = [op for op in catalogue if catalogue.families[op.name] == family]
            about_each = {op.name: op.summary or "" for op in members if op.name not in composites}
        for name, text in about_each.items():
            first = text.split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
            index.append(f"| [`{name}`]({family}.md#{name}) | {first} |")
    return {"index.md": "\n".join(index) + "\n", **found}


def _sections(
    catalogue: Catalogue, composites: Mapping[str, Callable[..., Any]], heading: str
) -> Iterator[tuple[str, list[str]]]:
    """Families and their lines, with headings from this level."""
    for family in dict.fromkeys(catalogue.families.values()):
        members = [op for op in catalogue if catalogue.families[op.name] == family]
        lines = [f"{heading} {family.replace('_', ' ').capitalize()}"]
        for source in dict.fromkeys(op.forms[0].source for op in members):
            lines += ["", " ".join(filter(None, [about(source), f"Declared in `{source.file}`."]))]
        for op in members:
            lines += ["", *_op(op, f"{heading}#", behind=op.name in composites)]
        yield family, lines
    if composites:
        lines = [f"{heading} Made of ops", ""]
        lines += ["Functions that choose and combine ops; they are differentiable as ops are.", "", _OF_FRAMEWORKS]
        for name, function in _own(composites):
            others = [f"`{each}`" for each in sorted(composites) if composites[each] is function and each != name]
            signature = inspect.signature(function)
            plain = signature.replace(
                parameters=[each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()],
                return_annotation=inspect.Signature.empty,
            )
            lines += ["", f"{heading}# {name}", "", f"`{name}{plain}`", "", inspect.cleandoc(function.__doc__ or "")]
            lines += ["", f"Also called {' and '.join(others)}."] if others else []
            if name in catalogue:
                lines += ["", f"In other frameworks it is the op: `{name}{catalogue[name].__signature__}`."]
        yield _COMPOSITES, lines


def _own(composites: Mapping[str, Callable[..., Any]]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Functions under their own names, not under further ones."""
    return ((name, composites[name]) for name in sorted(composites) if composites[name].__name__ == name)


def _op(op: Op, heading: str, behind: bool) -> Iterator[str]:
    """A section on an op; `behind` says that its name is that of a function, which calls it."""
    yield f"{heading} {op.name}{' (the op)' if behind else ''}"
    yield ""
    if behind:
        yield f"What `{op.name}` calls, one of the functions that are made of ops."
    else:
        yield f"`{op.name}{op.__signature__}`"
    yield ""
    if op.summary:
        yield op.summary
        yield ""
    yield "```netcl"
    yield "\n".join(declaration_text(form) for form in op.forms)
    yield "```"
    yield ""
    formula = pipeline.forward(op.forms[0], canonical_signature(op.forms[0]))
    if _is_short(formula):
        yield from _display(formula)
        yield ""
    yield from _derivative(op.name, op.forms[0], formula)


def _is_short(formula: Formula) -> bool:
    lines = formula_text(formula).splitlines()[1:]
    return len(lines) <= _SHORT and all(len(line.strip().replace(": float32 =", " =")) <= _WIDE for line in lines)


def _display(formula: Formula) -> tuple[str, str, str]:
    return "```math", formula_latex(formula), "```"


def _derivative(name: str, form: syntax.Declaration, formula: Formula) -> Iterator[str]:
    wanted = pipeline.differentiable(formula)
    if not wanted or not any(output.dtype in FLOATS for output in formula.outputs):
        yield "No derivative: nothing goes in or comes out that could have one."
        return
    try:
        gradient = pipeline.gradient(formula, wanted)
    except NoDerivative as error:
        yield f"No derivative: {error}"
        return
    declared = {each.name for each in form.grads}
    origin = "declared" if declared >= set(wanted) else "partly declared" if declared else "derived"
    yield f"Derivative, {origin}; it saves {_saved(formula, gradient)}:"
    yield ""
    if _is_short(gradient):
        yield from _display(gradient)
    else:
        count = len(formula_text(gradient).splitlines()) - 1
        yield f"`netcl ops show {name} --stage derivative` prints its {f'{count} lines' if count > 1 else 'line'}."


def _saved(formula: Formula, gradient: Formula) -> str:
    kept = {operand.name for operand in formula.operands} | {output.name for output in formula.outputs}
    names = [f"`{each.name}`" for each in gradient.operands if each.name in kept]
    return ", ".join(names) or "nothing"
