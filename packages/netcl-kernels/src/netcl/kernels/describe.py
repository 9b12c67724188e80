"""Every stage of an op as text: what `netcl ops show` prints and the golden files keep.

An op is shown at its plainest call (`compiler.canonical`): float32, one axis for each pack, sizes of a few hundred.
"""

from __future__ import annotations

from collections.abc import Iterator

from netcl.core.errors import NetclError
from netcl.core.shapes import contiguous_strides
from netcl.kernels.bindings import Bindings, bind
from netcl.kernels.compiler import pipeline, syntax
from netcl.kernels.compiler.canonical import canonical_signature
from netcl.kernels.compiler.differentiate import NoDerivative
from netcl.kernels.compiler.emit import emit
from netcl.kernels.compiler.host import Numbers
from netcl.kernels.compiler.ir import Formula
from netcl.kernels.compiler.kernel import Kernel
from netcl.kernels.compiler.layout import Placed, static_attributes
from netcl.kernels.compiler.lower import lower
from netcl.kernels.compiler.schedule import View, recipe
from netcl.kernels.compiler.show import formula_text
from netcl.kernels.op import Op

STAGES = pipeline.STAGES


def describe(op: Op, stage: str) -> str:
    """One stage of every form of an op. Raises NetclError for a stage that there is not."""
    if stage not in STAGES:
        raise NetclError(f"there is no stage {stage!r}; the stages are {', '.join(STAGES)}")
    shown = {
        "syntax": _syntax,
        "ir": lambda form: formula_text(_formula(form)),
        "derivative": _derivative,
        "tangent": _tangent,
        "opencl": _opencl,
        "grad_fn": _grad_fn,
    }[stage]
    return "\n\n".join(shown(form) for form in op.forms)


def _formula(form: syntax.Declaration) -> Formula:
    return pipeline.forward(form, canonical_signature(form))


def _syntax(form: syntax.Declaration) -> str:
    """The declaration as it is written, from `op` to its closing brace."""
    lines = form.source.text.splitlines()
    first = form.span.line - 1
    last = next(at for at in range(first, len(lines)) if lines[at].rstrip().endswith("}"))
    return f"# {form.span}\n" + "\n".join(lines[first : last + 1])


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
    """What is saved, and which formulas run for which input gradient."""
    formula = _formula(form)
    outputs = ", ".join(f"d{output.name}" for output in formula.outputs if not output.hidden)
    lines = []
    for name in pipeline.differentiable(formula):
        try:
            gradient = pipeline.gradient(formula, (name,))
        except NoDerivative as error:
            lines.append(f"# {error}")
            continue
        operands = [operand.name for operand in gradient.operands]
        saved = [each for each in operands if not each.startswith("d") or each in _names(formula)]
        lines.append(f"def grad_{name}({outputs}):  # saved: {', '.join(saved) or 'nothing'}")
        lines.append(f"    return {gradient.name}({', '.join(operands)})")
    return "\n".join(lines) or f"# {formula.name} has no differentiable operand"


def _names(formula: Formula) -> set[str]:
    return {each.name for each in (*formula.operands, *formula.outputs)}


def _opencl(form: syntax.Declaration) -> str:
    """The kernels of the value and of all input gradients."""
    formula = _formula(form)
    bindings, attributes = _plain_bindings(formula)
    texts = [_kernels(formula, bindings, attributes)]
    wanted = pipeline.differentiable(formula)
    if wanted:
        try:
            texts.append(_kernels(pipeline.gradient(formula, wanted), bindings, attributes))
        except NoDerivative as error:
            texts.append(f"// {error}")
    return "\n\n".join(texts)


def _kernels(formula: Formula, inherited: Bindings, attributes: dict[str, int]) -> str:
    shapes = [inherited.shapes.get(each.name, _gradient_shape(each.name, inherited)) for each in formula.operands]
    static = {name: attributes[name] for name in static_attributes(formula)}
    bindings = bind(formula, shapes, static, inherited)
    places = {
        each.name: Placed(0, contiguous_strides(shape)) for each, shape in zip(formula.operands, shapes, strict=True)
    }
    done = recipe(lower(formula), Numbers(bindings.sizes, static), places, bindings.shapes)
    kernels = [step for step in done.steps if isinstance(step, Kernel) and step.units]
    views = [f"// {step.output} is a view" for step in done.steps if isinstance(step, View)]
    return "\n".join([*views, *([emit(kernels).text] if kernels else [])])


def _gradient_shape(name: str, bindings: Bindings) -> tuple[int, ...]:
    return bindings.shapes[name.removeprefix("d")]


def _plain_bindings(formula: Formula) -> tuple[Bindings, dict[str, int]]:
    """Sizes that fit the formula, small integers for its integer attributes."""
    for attributes, lengths in _guesses(formula):
        shapes = []
        for operand in formula.operands:
            shape = []
            for axis in operand.axes:
                length = 1
                for index in axis:
                    length *= lengths[index]
                shape.append(length)
            shapes.append(tuple(shape))
        try:
            bindings = bind(formula, shapes, attributes)
        except NetclError:
            continue
        if all(0 not in bindings.shapes[output.name] for output in formula.outputs):
            return bindings, attributes
    raise NetclError(f"{formula.name}: no sizes were found that fit; show the op at a stage before opencl")


def _guesses(formula: Formula) -> Iterator[tuple[dict[str, int], dict[str, int]]]:
    indices = sorted({index for operand in formula.operands for index in operand.indices})
    for number, base in ((2, 320), (320, 320), (1, 320), (2, 3), (1, 3), (0, 320)):
        for small in (3, 1, base):
            attributes = {name: number for name, dtype in formula.attributes.items() if dtype == "int64"}
            for ones in ((), ("stride", "dilation", "groups", "step"), ("stride", "dilation", "groups", "step", "padding")):
                chosen = {name: 1 if name.partition(".")[0] in ones else each for name, each in attributes.items()}
                yield chosen, {index: 1 if index == "g" else small if index in ("r", "s") else base for index in indices}
