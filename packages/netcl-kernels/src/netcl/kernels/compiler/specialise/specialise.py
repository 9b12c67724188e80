"""Input: a declaration and the signature of a call. Output: a `Formula` with concrete indices and dtypes.

Here packs (`*i`) become as many indices as the call has axes, broadcasting is written out (an axis of length 1 loses
its index), axis attributes choose indices, defaults stand in for absent operands, and dtypes are settled. Sizes and the
caller's numbers stay symbols. Axes are settled in `axes`, expressions translated in `translate`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from netcl.core.bounded import remembered
from netcl.core.errors import DtypeError, KernelLanguageError
from netcl.kernels.compiler.derive.shared_sums import with_shared_sums
from netcl.kernels.compiler.derive.written_out import written_out
from netcl.kernels.compiler.ir import (
    FLOATS,
    HALVES,
    INDEX_DTYPE,
    INTEGERS,
    Apply,
    Expr,
    Formula,
    Number,
    Operand,
    Output,
    Read,
    Size,
    indices_of,
    number,
    root,
    size,
    subexpressions,
    verify,
)
from netcl.kernels.compiler.ir.binding import total
from netcl.kernels.compiler.ir.choices import conjuncts
from netcl.kernels.compiler.ir.inequalities import is_implied
from netcl.kernels.compiler.ir.simplify import DEFAULT_FLOAT, call, cast, promote
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.specialise.axes import settle_axes, settle_packs
from netcl.kernels.compiler.specialise.context import OPERAND_TYPES, POINTWISE_PACK, Context, DoesNotFit, shape_text
from netcl.kernels.compiler.specialise.lengths import infer_sizes, lengths_alike, same_length
from netcl.kernels.compiler.specialise.seen_inside import without_needless
from netcl.kernels.compiler.specialise.signature import NumberSignature, Signature, TensorSignature
from netcl.kernels.compiler.specialise.translate import Translator

__all__ = ["OPERAND_TYPES", "DoesNotFit", "specialise"]


def specialise(
    declaration: syntax.Declaration, signature: Signature, mistakes: list[KernelLanguageError] | None = None
) -> Formula:
    """The formula of one call. Raises DoesNotFit when the ranks or the static attributes are another form's, and
    KernelLanguageError (with the place) when the declaration itself is wrong. With `mistakes` all formulas are looked
    at before, and the mistakes in them are put there."""
    try:
        return _specialised(declaration, signature, mistakes)
    except RecursionError:
        raise declaration.span.error(
            f"the formulas of {declaration.name} are nested too deeply; write them with fewer steps"
        ) from None


@remembered("used formulas", 2048)
def _used(declaration: syntax.Declaration, signature: Signature) -> Formula:
    """The formula of an op that is used in another: it may be used many times."""
    return specialise(declaration, signature)


def _specialised(
    declaration: syntax.Declaration, signature: Signature, mistakes: list[KernelLanguageError] | None
) -> Formula:
    setting = _setting(declaration, signature)
    translator = Translator(setting, _used)
    if mistakes is not None:
        mistakes += translator.mistakes()
        _ranges(setting, translator)
    checks = _requirements(setting, translator)
    _note_lengths(setting, checks)
    required = [each for condition, _ in checks for each in conjuncts(condition)]
    checks += tuple(each for each in lengths_alike(setting) if not is_implied(each[0], required))
    outputs = tuple(_output(setting, translator, each) for each in declaration.outputs)
    outputs += tuple(replace(_output(setting, translator, each), hidden=True) for each in declaration.saving)
    operands = tuple(
        Operand(name, tensor.dtype, setting.axes[name], name in setting.flat, _differentiable(setting, name))
        for name, tensor in setting.tensors.items()
    )
    grads: dict[str, Expr] = {}
    adjoints: dict[Expr, Expr] = {}
    operand_names = {operand.name for operand in declaration.operands}
    for grad in declaration.grads:
        try:
            if grad.name in setting.tensors:
                grads[grad.name] = translator.gradient(grad, outputs)
            elif grad.name not in operand_names:
                of, adjoint = translator.adjoint(grad, outputs)
                if of.children:  # a constant has nobody to pass a gradient to
                    adjoints[of] = adjoint
        except KernelLanguageError as mistake:
            if mistakes is None:
                raise
            mistakes.append(mistake)
    required = [each for condition, _ in checks for each in conjuncts(condition)]
    outputs = tuple(replace(each, expr=without_needless(each.expr, required, setting.sizes)) for each in outputs)
    grads = {name: without_needless(each, required, setting.sizes) for name, each in grads.items()}
    conditions = tuple(condition for condition, _ in (*checks, *translator.checks))
    formula = Formula(
        declaration.name,
        operands,
        translator.scope.attributes,
        outputs,
        _sizes(setting, outputs, (*grads.values(), *adjoints.values(), *conditions)),
        grads,
        adjoints,
        (*checks, *translator.checks),
        str(declaration.span),
    )
    return verify(with_shared_sums(written_out(formula)))


def ranges(declaration: syntax.Declaration, signature: Signature) -> dict[str, tuple[Expr, Expr]]:
    """Between which ends the operands of a call are drawn, over the indices of each; of those that say it."""
    setting = _setting(declaration, signature)
    return _ranges(setting, Translator(setting, _used))


def _ranges(setting: Context, translator: Translator) -> dict[str, tuple[Expr, Expr]]:
    found = {}
    for sample in setting.declaration.samples:
        if sample.operand in setting.tensors:
            own = set(setting.indices_of(sample.operand))
            low, high = (cast(translator.translate(each), "float64") for each in (sample.low, sample.high))
            loose = sorted((low.free | high.free) - own)
            if loose or any(isinstance(node, Read) for node in subexpressions(low, high)):
                raise sample.span.error(
                    f"sample {sample.operand}: its ends are numbers, or formulas of the indices of {sample.operand}"
                )
            found[sample.operand] = low, high
    return found


def _sizes(setting: Context, outputs: tuple[Output, ...], others: tuple[Expr, ...]) -> dict[str, Expr]:
    """The sizes that the formula needs: an index that only stood for another one while it was translated is gone."""
    exprs = (*(output.expr for output in outputs), *others)
    names = {root(index) for index in indices_of(*exprs)} | {index for each in outputs for index in each.indices}
    names |= {node.index for node in subexpressions(*exprs, *setting.sizes.values()) if isinstance(node, Size)}
    known = {index: _length(setting, value) for index, value in setting.sizes.items()}
    return {index: value for index, value in known.items() if index in names or not isinstance(value, Size)}


def _length(setting: Context, value: Expr) -> Expr:
    """A size, as the number that is required of it."""
    found = setting.sizes.get(same_length(setting, value.index)) if isinstance(value, Size) else None
    return found if isinstance(found, Number) else value


# --- operands and dtypes ----------------------------------------------------------------------------------------------


def _setting(declaration: syntax.Declaration, signature: Signature) -> Context:
    """All that formulas are translated with."""
    setting = Context(declaration, {}, {}, dict(signature.static_map))
    given = signature.operand_map
    for operand in declaration.operands:
        found = given.get(operand.name)
        if operand.variadic:
            members = tuple(f"{operand.name}{at}" for at in range(len(found or ())))
            setting.variadic[operand.name] = members
            setting.tensors.update(zip(members, found or (), strict=True))
        elif isinstance(found, TensorSignature):
            setting.tensors[operand.name] = found
        elif isinstance(found, NumberSignature):
            if operand.axes:
                raise DoesNotFit(f"{operand.name} is a number, but it is declared {shape_text(operand)}")
            setting.numbers[operand.name] = found
    _settle_dtypes(setting)
    settle_packs(setting)
    settle_axes(setting)
    infer_sizes(setting)
    return setting


def _settle_dtypes(setting: Context) -> None:
    """Operands of type float and number promote together; halves are stored, and computed with in float32."""
    op = setting.declaration.name
    together: list[str] = []
    wants_float = False
    for name, tensor in setting.tensors.items():
        kind = setting.declared(name).type
        if kind in ("float", "number"):
            together.append(tensor.dtype)
            wants_float |= kind == "float"
        elif kind == "any" and tensor.dtype in FLOATS:
            together.append(tensor.dtype)
        elif kind == "int" and tensor.dtype not in INTEGERS:
            others = (each for each, other in setting.tensors.items() if other.dtype in INTEGERS)
            exchanged = next((each for each in others if setting.declared(each).type != "int"), None)
            hint = f"; or are {name} and {exchanged} exchanged?" if exchanged else ""
            raise DtypeError(f"{op}: {name} must hold integers, but it is {tensor.dtype}; convert it with astype{hint}")
    dtype = promote(*together) if together else None
    for name, given in setting.numbers.items():
        kind = setting.declared(name).type
        wants_float |= kind == "float"
        if kind == "int" and given.kind == "float":
            raise DtypeError(f"{op}: {name} must be a whole number, but it is a float")
        if kind in ("float", "number") and (dtype is None or _is_beyond(given.kind, dtype)):
            dtype = DEFAULT_FLOAT if given.kind == "float" else INDEX_DTYPE
    if dtype is None or (wants_float and dtype not in FLOATS):
        dtype = DEFAULT_FLOAT
    setting.result = dtype
    setting.compute = "float32" if dtype in HALVES else dtype


def _is_beyond(kind: str, dtype: str) -> bool:
    """Whether a Python number of this kind needs another dtype than that of the tensors beside it."""
    return (kind == "float" and dtype not in FLOATS) or (kind == "int" and dtype == "bool")


def _differentiable(setting: Context, name: str) -> bool:
    operand = setting.declared(name)
    return all(operand.name != each.name for each in setting.declaration.nograd)


# --- outputs and requirements -----------------------------------------------------------------------------------------


def _output(setting: Context, translator: Translator, output: syntax.OutputSyntax) -> Output:
    expr = translator.definition(output.name, output.span)
    if output.axes is not None and any(axis.kind == "flat" for axis in output.axes):
        return _flat_output(setting, translator, output, _stored(setting, expr))
    axes: list[tuple[str, ...]]
    if output.axes is None:
        axes = [(element,) for element in setting.packs.get(POINTWISE_PACK, ())]
    else:
        axes = [indices for axis in output.axes for indices in _output_axes(setting, axis)]
    indices = [index for axis in axes for index in axis]
    known = {index for name in setting.tensors for index in setting.indices_of(name)} | setting.sizes.keys()
    for at, index in enumerate(indices):
        if index in indices[:at]:
            raise output.span.error(
                f"{output.name} has index {index} twice, so that only its diagonal would be written; "
                f"give it two indices and write the condition, as in {index} == j ? … : 0"
            )
        if index not in known:
            raise output.span.error(f"index {index} of {output.name} has no size; give one behind 'where': {index} = …")
    _refuse_loose(setting, output, expr, indices)
    if output.by is not None and setting.static[output.by] != "none":
        count = _count(indices) if setting.static[output.by] == "mean" else None
        translator.reduced[output.name] = (tuple(indices), count)
        expr, axes = total("sum", tuple(indices), expr), []
        expr = expr if count is None else call("div", expr, count)
    return Output(output.name, _stored(setting, expr), tuple(axes))


def _stored(setting: Context, expr: Expr) -> Expr:
    return cast(expr, setting.result) if setting.result in HALVES and expr.dtype == "float32" else expr


def _count(indices: list[str]) -> Expr:
    count: Expr = number(1, INDEX_DTYPE)
    for index in indices:
        count = count * size(index)
    return count


def _refuse_loose(setting: Context, output: syntax.OutputSyntax, expr: Expr, indices: list[str]) -> None:
    loose = sorted(expr.free - set(indices))
    if not loose:
        return
    if output.axes is not None:
        setting.require_brackets(loose[0], output.name, indices)
    if output.axes is None:
        raise output.span.error(
            f"{output.name} has no brackets, but its formula has index {loose[0]}; "
            f"write {output.name}[{loose[0]}], or bind it with a reducer such as sum[{loose[0]}](…)"
        )
    raise output.span.error(
        f"index {loose[0]} is in the formula of {output.name}, but neither in its brackets nor bound; "
        f"bind it with a reducer such as sum[{loose[0]}](…)"
    )


def _flat_output(setting: Context, translator: Translator, output: syntax.OutputSyntax, expr: Expr) -> Output:
    assert output.axes is not None
    axis = output.axes[0]
    if len(output.axes) > 1:
        raise axis.span.error(f"'flat' stands alone between the brackets of {output.name}: it is all of its axes")
    index = axis.names[0]
    _refuse_loose(setting, output, expr, [index])
    like = next((name for name in setting.flat if setting.axes[name] == ((index,),)), None)
    if len(axis.names) > 1:
        shape = tuple(f"{axis.names[1]}.{at}" for at in range(setting.static[axis.names[1]]))
        translator.scope.attributes.update(dict.fromkeys(shape, INDEX_DTYPE))
        if like is None and not translator.scope.has_index(index):
            raise axis.span.error(
                f"index {index} of {output.name} has no size; an operand must have it, as x[flat {index}]"
            )
        return Output(output.name, expr, ((index,),), True, shape=shape)
    if like is None:
        raise axis.span.error(
            f"flat {index} is of no operand; write 'flat {index} as shape' with an attribute shape: ints"
        )
    return Output(output.name, expr, ((index,),), True, shaped_like=like)


def _output_axes(setting: Context, axis: syntax.Axis) -> list[tuple[str, ...]]:
    if axis.kind == "index":
        return [(axis.names[0],)]
    if axis.kind == "unit":
        return [()]
    if axis.kind == "split":
        return [axis.names]
    if axis.names[0] not in setting.packs:
        raise axis.span.error(f"no operand has the pack *{axis.names[0]}")
    elements = setting.packs[axis.names[0]]
    if axis.kind == "pack":
        return [(element,) for element in elements]
    if axis.kind == "permuted":
        return [(elements[at],) for at in setting.static[axis.names[1]]]
    dropped = setting.static[axis.names[1]]
    keep = len(axis.names) > 2 and setting.static[axis.names[2]]
    return [() if at in dropped else (element,) for at, element in enumerate(elements) if keep or at not in dropped]


def _requirements(setting: Context, translator: Translator) -> tuple[tuple[Expr, str], ...]:
    checks = []
    for requirement in setting.declaration.requirements:
        condition = translator.translate(requirement)
        if condition.dtype != "bool" or condition.free:
            raise requirement.span.error("a condition behind 'where' compares sizes and attributes, as in size[k] > 0")
        if not isinstance(condition, Number):
            checks.append((condition, f"needs {_source_text(requirement)}"))
        elif not condition.value:
            raise DoesNotFit(f"it needs {_source_text(requirement)}")
    return tuple(checks)


def _note_lengths(setting: Context, checks: Iterable[tuple[Expr, str]]) -> None:
    """A size that is required to be a number is that number in the formulas."""
    for condition, _ in checks:
        for each in conjuncts(condition):
            if isinstance(each, Apply) and each.function == "eq":
                for one, other in (each.children, each.children[::-1]):
                    if isinstance(one, Size) and isinstance(other, Number):
                        setting.sizes.setdefault(one.index, other)


def _source_text(expression: syntax.Expression) -> str:
    span = expression.span
    line = span.source.text.splitlines()[span.line - 1]
    return " ".join(line[span.column - 1 : span.end - 1].split())
