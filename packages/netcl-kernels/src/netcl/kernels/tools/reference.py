"""The catalogue as a page in Markdown: what each op takes and computes, its derivative and what that saves.

`netcl ops doc` prints it; docs/reference/operations.md is the page of the shipped ops.
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

_SHORT = 8
_WHERE = "Each op is a function of `netcl.autograd` and of `netcl.kernels.ops`, and a method of tensors and nodes."
_WHERE_COMPILED = "Each op is a member of what `netcl.kernels.compile` and `netcl.kernels.load` give of these files."
_WIDE = 140
"""A derivative with more or longer lines is left to `netcl ops show`."""


def page(catalogue: Catalogue, composites: Mapping[str, Callable[..., Any]], title: str = "Operations") -> str:
    """The page of a catalogue, and of functions that are made of its ops."""
    lines = [
        f"# {title}",
        "",
        "<!-- Made by `netcl ops doc` from the declarations; not edited by hand. -->",
        "",
        _WHERE if composites else _WHERE_COMPILED,
        "A derivative is shown at the plainest call: float32, one axis for each pack. `dy` is the gradient of `y`.",
    ]
    for family in dict.fromkeys(catalogue.families.values()):
        members = [op for op in catalogue if catalogue.families[op.name] == family]
        lines += ["", f"## {family.replace('_', ' ').capitalize()}"]
        source = members[0].forms[0].source
        lines += ["", " ".join(filter(None, [about(source), f"Declared in `{source.file}`."]))]
        for op in members:
            lines += ["", *_op(op, behind=op.name in composites)]
    if composites:
        lines += [
            "",
            "## Made of ops",
            "",
            "Functions that choose and combine ops; they are differentiable as ops are.",
        ]
        for name in sorted(composites):
            function = composites[name]
            if function.__name__ != name:  # another name of one that is listed
                continue
            others = [f"`{each}`" for each in sorted(composites) if composites[each] is function and each != name]
            signature = inspect.signature(function)
            plain = signature.replace(
                parameters=[each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()],
                return_annotation=inspect.Signature.empty,
            )
            lines += ["", f"### {name}", "", f"`{name}{plain}`", "", inspect.cleandoc(function.__doc__ or "")]
            lines += ["", f"Also called {' and '.join(others)}."] if others else []
    return "\n".join(lines) + "\n"


def _op(op: Op, behind: bool) -> Iterator[str]:
    """A section on an op; `behind` says that its name is that of a function, which calls it."""
    yield f"### {op.name}{' (the op)' if behind else ''}"
    yield ""
    if behind:
        yield f"What `{op.name}` calls, which is under [Made of ops](#made-of-ops)."
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
    yield from _derivative(op.name, op.forms[0])


def _derivative(name: str, form: syntax.Declaration) -> Iterator[str]:
    formula = pipeline.forward(form, canonical_signature(form))
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
    text = formula_text(gradient).splitlines()[1:]
    short = [line.strip().replace(": float32 =", " =") for line in text]
    if len(short) > _SHORT or any(len(line) > _WIDE for line in short):
        lines = f"{len(short)} lines" if len(short) > 1 else "line"
        yield f"`netcl ops show {name} --stage derivative` prints its {lines}."
        return
    yield "\n".join(f"    {line}" for line in short)


def _saved(formula: Formula, gradient: Formula) -> str:
    kept = {operand.name for operand in formula.operands} | {output.name for output in formula.outputs}
    names = [f"`{each.name}`" for each in gradient.operands if each.name in kept]
    return ", ".join(names) or "nothing"
