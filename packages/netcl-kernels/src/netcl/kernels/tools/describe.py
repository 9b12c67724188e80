"""Every stage of an op as text: what `netcl ops show` prints and the golden files keep.

An op is shown at its plainest call (`compiler.canonical`): float32, one axis for each pack, sizes of a few hundred.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from math import prod
from typing import Any

from netcl.core.errors import NetclError
from netcl.core.shapes import contiguous_strides
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.derive.formula import NoDerivative
from netcl.kernels.compiler.ir import FLOATS, Formula
from netcl.kernels.compiler.ir.host import Numbers
from netcl.kernels.compiler.ir.show import formula_text
from netcl.kernels.compiler.ir.show_steps import steps_text
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.loops.given import Looped, Units
from netcl.kernels.compiler.loops.memory import lines, measured
from netcl.kernels.compiler.lower.accesses import Layouts, Placed, static_attributes
from netcl.kernels.compiler.lower.host_numbers import completed
from netcl.kernels.compiler.lower.kernel import Kernel
from netcl.kernels.compiler.opencl.comment import comment
from netcl.kernels.compiler.pipeline import Program
from netcl.kernels.compiler.specialise.canonical import canonical_signature
from netcl.kernels.compiler.target import CPU, Target, named
from netcl.kernels.compiler.target import NAMES as TARGETS
from netcl.kernels.library.op import Op
from netcl.kernels.library.source_text import declaration_text
from netcl.kernels.runtime.bindings import Bindings, bind
from netcl.kernels.tools.sampling import Wish, sizes

STAGES = pipeline.STAGES

_PLAIN = Wish(dtype="float32", lengths=(320,), windows=(3,), numbers_of={"kernel": 2, "padding": 1}, most=2**62)
"""Lengths that are like those of real work: what is shown should be the schedule that runs there."""


def describe(op: Op, stage: str, target: str = "cpu") -> str:
    """One stage of every form of an op, for a target of this name. Raises NetclError for a stage or a target that there
    is not."""
    if target not in TARGETS:
        raise NetclError(f"there is no target {target!r}; the targets are {', '.join(TARGETS)}")
    if stage not in STAGES:
        raise NetclError(f"there is no stage {stage!r}; the stages are {', '.join(STAGES)}")
    shown = {
        "syntax": _syntax,
        "ir": lambda form: formula_text(_formula(form)),
        "steps": _steps,
        "derivative": _derivative,
        "tangent": _tangent,
        "opencl": lambda form: _opencl(form, named(target)),
        "memory": lambda form: _memory(form, named(target)),
        "grad_fn": _grad_fn,
    }[stage]
    return "\n\n".join(dict.fromkeys(shown(form) for form in op.forms))


def _formula(form: syntax.Declaration) -> Formula:
    return pipeline.forward(form, canonical_signature(form))


def _syntax(form: syntax.Declaration) -> str:
    """The declaration as it is written, and where."""
    return f"# {form.span}\n{declaration_text(form)}"


def _steps(form: syntax.Declaration) -> str:
    """What is computed step by step, for the value and for the gradient."""
    formula = _formula(form)
    found = {"value": steps_text(formula)}
    wanted = pipeline.differentiable(formula)
    if wanted and any(output.dtype in FLOATS for output in formula.outputs):
        with contextlib.suppress(NoDerivative):
            found["gradient"] = steps_text(pipeline.gradient(formula, wanted))
    parts = [f"# {kind}\n{text}" for kind, text in found.items() if text]
    return "\n".join(parts) or f"# nothing of {formula.name} is computed step by step: sums and scans go in blocks"


def _derivative(form: syntax.Declaration) -> str:
    formula = _formula(form)
    wanted = pipeline.differentiable(formula)
    if not wanted:
        return f"{formula.name} has no differentiable operand"
    try:
        return formula_text(pipeline.gradient(formula, wanted))
    except NoDerivative as error:
        return str(error)


def _tangent(form: syntax.Declaration) -> str:
    formula = _formula(form)
    wanted = pipeline.differentiable(formula)
    if not wanted:
        return f"{formula.name} has no differentiable operand"
    try:
        return formula_text(pipeline.tangent(formula, wanted))
    except NoDerivative as error:
        return str(error)


def _grad_fn(form: syntax.Declaration) -> str:
    """The rule that a record of this op holds: what it saves, and the formula that it launches for the gradients."""
    formula = _formula(form)
    wanted = pipeline.differentiable(formula)
    if not wanted or not any(output.dtype in FLOATS for output in formula.outputs):
        return f"# {formula.name} records nothing: it has no gradient"
    try:
        lines = _rule(formula, wanted)
        for name in wanted if len(wanted) > 1 else ():
            gradient = pipeline.gradient(formula, (name,))
            saved = _shown_saves(formula, gradient)
            lines.append(f"# needs only {name}: saves {saved}; launches {_launch(gradient)}")
    except NoDerivative as error:
        return f"# {error}"
    return "\n".join(lines)


def _rule(formula: Formula, wanted: tuple[str, ...]) -> list[str]:
    gradient = pipeline.gradient(formula, wanted)
    names = [name for name, _ in _saves(formula, gradient)]
    upstream = ", ".join(f"d{output.name}" for output in formula.outputs if output.dtype in FLOATS)
    lines = [f"# {formula.name} saves {_shown_saves(formula, gradient)}", f"def grad_fn(saved, needs, {upstream}):"]
    if names:
        lines.append(f"    {', '.join(names)}{',' if len(names) == 1 else ''} = saved")
    found = ", ".join(output.name for output in gradient.outputs)
    lines.append(f"    {found}{',' if len(gradient.outputs) == 1 else ''} = {_launch(gradient)}")
    lines += [f"        # {line.strip()}" for line in formula_text(gradient).splitlines()[1:]]
    results = [f"grad_{operand.name}" if operand.name in wanted else "None" for operand in formula.operands]
    lines.append(f"    return [{', '.join(results)}]")
    return lines


def _saves(formula: Formula, gradient: Formula) -> list[tuple[str, str]]:
    """The operands and outputs that the gradient reads, each with what it is."""
    inputs = {operand.name for operand in formula.operands}
    outputs = {output.name for output in formula.outputs}
    kinds = [(each.name, "input" if each.name in inputs else "output") for each in gradient.operands]
    return [(name, kind) for name, kind in kinds if name in inputs or name in outputs]


def _shown_saves(formula: Formula, gradient: Formula) -> str:
    return ", ".join(f"{name} ({kind})" for name, kind in _saves(formula, gradient)) or "nothing"


def _launch(formula: Formula) -> str:
    attributes = f"; {', '.join(formula.attributes)}" if formula.attributes else ""
    return f"{formula.name}({', '.join(operand.name for operand in formula.operands)}{attributes})"


def bodies(op: Op) -> str:
    """The kernels of every form without the helper functions that they call: what the golden files keep."""
    return "\n\n".join(_text(part, helpers=False) for form in op.forms for part in _programs(form))


def helpers(ops: Iterable[Op]) -> str:
    """The helper functions that the kernels of these ops call, each once, in the order of their names."""
    texts: dict[str, str] = {}
    for op in ops:
        for form in op.forms:
            for part in _programs(form):
                if not isinstance(part, str) and part.emitted is not None:
                    texts.update(part.emitted.helpers)
    return "\n\n".join(texts[name] for name in sorted(texts))


def _opencl(form: syntax.Declaration, target: Target) -> str:
    """The kernels of the value and of all input gradients."""
    return "\n\n".join(_text(part, helpers=True) for part in _programs(form, target))


def _memory(form: syntax.Declaration, target: Target) -> str:
    """What the kernels of the value and of all input gradients ask of memory."""
    if not target.groups.used:
        return (
            f"of {form.name} for {target.name!r} there is nothing to say: counted is what neighbouring work-items of a "
            "group ask of memory at once, and its groups.used is False; see --target gpu"
        )
    plain = sizes(form, _PLAIN, Wish(dtype="float32"))
    formula = _formula(form)
    shapes = _bound(formula, plain.bindings, plain.attributes).shapes
    given = ", ".join(f"{each.name} {shapes[each.name]}" for each in formula.operands)
    parts = [f"{form.name} of {given or 'no operand'}", memory(formula, plain.bindings, plain.attributes, target)]
    wanted = pipeline.differentiable(formula)
    if wanted:
        try:
            parts.append(memory(pipeline.gradient(formula, wanted), plain.bindings, plain.attributes, target))
        except NoDerivative as error:
            parts.append(str(error))
    return "\n\n".join(parts)


def memory(
    formula: Formula, inherited: Bindings, attributes: Mapping[str, Any], target: Target, views: bool = True
) -> str:
    """What each kernel of a formula asks of memory, for tensors that lie contiguously: see `compiler.loops.memory`.
    Without `views`, outputs that could share the memory of an operand are copies."""
    bindings = _bound(formula, inherited, attributes)
    program = program_of(formula, inherited, attributes, target, views)
    shapes = {**bindings.shapes, **{each.name: each.shape for each in program.recipe.temporaries}}
    elements = {name: prod(shape) for name, shape in shapes.items()}
    attributes = completed(program.recipe.computed)(attributes)
    parts = []
    for step in program.recipe.steps:
        if isinstance(step, Looped) and not isinstance(step, Units):
            found = measured(step.nest, step.launched(attributes), elements)
            parts.append("\n".join(lines(f"{step.name} ({step.schedule})", found)))
        elif isinstance(step, Kernel):
            parts.append(f"{step.name} ({step.schedule}) is no loop nest on {target.name!r}: nothing is known of it")
        else:
            parts.append(f"{step.output} is a view: no kernel")
    return "\n".join(parts) or f"{formula.name} launches nothing"


def _text(part: Program | str, helpers: bool) -> str:
    if isinstance(part, str):
        return comment(part).rstrip()
    lines = [comment(f"{view.output} is a view").rstrip() for view in part.views]
    if part.emitted is not None:
        lines.append(part.emitted.text if helpers else "\n\n".join(entry.text for entry in part.emitted.entries))
    return "\n".join(lines)


def _programs(form: syntax.Declaration, target: Target = CPU) -> Iterator[Program | str]:
    """Of the value and of all input gradients; in the place of those the reason why there are none."""
    formula = _formula(form)
    plain = sizes(form, _PLAIN, Wish(dtype="float32"))
    yield program_of(formula, plain.bindings, plain.attributes, target)
    wanted = pipeline.differentiable(formula)
    if wanted:
        try:
            yield program_of(pipeline.gradient(formula, wanted), plain.bindings, plain.attributes, target)
        except NoDerivative as error:
            yield str(error)


def program_of(
    formula: Formula, inherited: Bindings, attributes: Mapping[str, Any], target: Target, views: bool = True
) -> Program:
    static = {name: attributes[name] for name in static_attributes(formula)}
    bindings = _bound(formula, inherited, attributes)
    places = {each.name: Placed(0, contiguous_strides(_shape(each.name, inherited))) for each in formula.operands}
    layouts = Layouts(Numbers(bindings.sizes, static), places, bindings.shapes)
    return pipeline.compile(formula, layouts, target, views)


def _bound(formula: Formula, inherited: Bindings, attributes: Mapping[str, Any]) -> Bindings:
    static = {name: attributes[name] for name in static_attributes(formula)}
    return bind(formula, [_shape(each.name, inherited) for each in formula.operands], static, inherited)


def _shape(name: str, bindings: Bindings) -> tuple[int, ...]:
    """Of an operand: one of the formula's own, or the gradient of one of its outputs."""
    return bindings.shapes[name if name in bindings.shapes else name.removeprefix("d")]
