"""Input: a declaration and the signature of a call. Output: a `Formula` with concrete indices and dtypes.

Here packs (`*i`) become as many indices as the call has axes, broadcasting is written out (an axis of length 1 loses
its index), axis attributes choose indices, defaults stand in for absent operands, and dtypes are settled. Sizes and the
caller's numbers stay symbols. Expressions are translated in `scope`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from netcl.core.errors import DtypeError, ShapeError
from netcl.kernels.compiler import scope, syntax
from netcl.kernels.compiler.ir import FLOATS, INDEX_DTYPE, INTEGERS, Axes, Expr, Formula, Number, Operand, Output, size, verify
from netcl.kernels.compiler.show import expression_text
from netcl.kernels.compiler.signature import NumberSignature, Signature, TensorSignature
from netcl.kernels.compiler.simplify import DEFAULT_FLOAT, cast, promote, total

OPERAND_TYPES = {
    "float": "a floating-point tensor; integers are converted",
    "number": "integers or floats; operands promote together",
    "int": "integers, never differentiated",
    "bool": "truth values, never differentiated; numbers count as true when they are not 0",
    "any": "any dtype, kept as it is",
}
POINTWISE_PACK = "_"
"""The pack of operands and outputs that are declared without brackets."""


class DoesNotFit(Exception):
    """This form of the op does not take such a call; another form may. The text says why."""


@dataclass
class Setting:
    """What is known while one declaration is specialised."""

    declaration: syntax.Declaration
    tensors: dict[str, TensorSignature]
    numbers: dict[str, NumberSignature]
    static: dict[str, Any]
    compute: str = DEFAULT_FLOAT
    result: str = DEFAULT_FLOAT
    packs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    axes: dict[str, Axes] = field(default_factory=dict)
    flat: set[str] = field(default_factory=set)
    sizes: dict[str, Expr] = field(default_factory=dict)
    variadic: dict[str, tuple[str, ...]] = field(default_factory=dict)


def specialise(declaration: syntax.Declaration, signature: Signature) -> Formula:
    """The formula of one call. Raises DoesNotFit when the ranks or the static attributes are another form's, and
    KernelLanguageError (with the place) when the declaration itself is wrong."""
    setting = _setting(declaration, signature)
    _settle_dtypes(setting)
    _settle_packs(setting)
    _settle_axes(setting)
    scope.infer_sizes(setting)
    names = scope.Scope(setting)
    checks = _requirements(setting, names)
    outputs = tuple(_output(setting, names, each) for each in declaration.outputs)
    outputs += tuple(replace(_output(setting, names, each), hidden=True) for each in declaration.saving)
    operands = tuple(
        Operand(name, tensor.dtype, setting.axes[name], name in setting.flat, _differentiable(declaration, name))
        for name, tensor in setting.tensors.items()
    )
    formula = Formula(
        declaration.name,
        operands,
        names.attributes,
        outputs,
        setting.sizes,
        {grad.name: names.gradient(grad, outputs) for grad in declaration.grads if grad.name in setting.tensors},
        checks,
        str(declaration.span),
    )
    return verify(formula)


# --- operands and dtypes ----------------------------------------------------------------------------------------------


def _setting(declaration: syntax.Declaration, signature: Signature) -> Setting:
    setting = Setting(declaration, {}, {}, dict(signature.static_map))
    given = signature.operand_map
    for operand in declaration.operands:
        if operand.type not in OPERAND_TYPES:
            raise operand.span.error(f"'{operand.type}' is not a type of operand; write one of {', '.join(OPERAND_TYPES)}")
        found = given.get(operand.name)
        if operand.variadic:
            members = tuple(f"{operand.name}{at}" for at in range(len(found or ())))
            setting.variadic[operand.name] = members
            setting.tensors.update(zip(members, found or (), strict=True))
        elif isinstance(found, TensorSignature):
            setting.tensors[operand.name] = found
        elif isinstance(found, NumberSignature):
            if operand.axes:
                raise DoesNotFit(f"operand {operand.name} is a number, but it has the axes {_shape_text(operand)}")
            setting.numbers[operand.name] = found
    return setting


def declared(setting: Setting, name: str) -> syntax.OperandSyntax | None:
    """The declaration of an operand, also of one member of a variadic operand."""
    for operand in setting.declaration.operands:
        if operand.name == name or name in setting.variadic.get(operand.name, ()):
            return operand
    return None


def _settle_dtypes(setting: Setting) -> None:
    """Operands of type float and number promote together; halves are stored, and computed with in float32."""
    op = setting.declaration.name
    together: list[str] = []
    wants_float = False
    for name, tensor in setting.tensors.items():
        kind = _type_of(setting, name)
        if kind in ("float", "number"):
            together.append(tensor.dtype)
            wants_float |= kind == "float"
        elif kind == "any" and tensor.dtype in FLOATS:
            together.append(tensor.dtype)
        elif kind == "int" and tensor.dtype not in INTEGERS:
            raise DtypeError(f"{op}: {name} must hold integers, but it is {tensor.dtype}; convert it with astype")
    dtype = promote(*together) if together else None
    for name, number in setting.numbers.items():
        kind = _type_of(setting, name)
        wants_float |= kind == "float"
        if kind in ("float", "number") and (dtype is None or (number.kind == "float" and dtype not in FLOATS)):
            dtype = DEFAULT_FLOAT if number.kind == "float" else "int64"
    if dtype is None or (wants_float and dtype not in FLOATS):
        dtype = DEFAULT_FLOAT
    setting.result = dtype
    setting.compute = "float32" if dtype == "float16" else dtype


def _type_of(setting: Setting, name: str) -> str:
    operand = declared(setting, name)
    assert operand is not None
    return operand.type


def _differentiable(declaration: syntax.Declaration, name: str) -> bool:
    return all(name != each.name for each in declaration.nograd)


# --- packs and axes ---------------------------------------------------------------------------------------------------


def _settle_packs(setting: Setting) -> None:
    ranks: dict[str, int] = {}
    for attribute in setting.declaration.attributes:
        if attribute.type == "rank" and attribute.of is not None and not _has_own_operand(setting, attribute.of):
            ranks[attribute.of] = setting.static[attribute.name]
        if attribute.type == "axis":
            _place_of_axis(setting, attribute, ranks)
    known: dict[str, int] = {}
    for each in setting.declaration.sizes:
        if each.pack:
            assert isinstance(each.value, syntax.Name)
            known[each.index] = setting.static[each.value.name]
    waiting = [(name, _axes_syntax(setting, name)) for name in setting.tensors]
    while waiting:
        progress = False
        found: dict[str, int] = {}
        for name, axes in list(waiting):
            missing = [axis.names[0] for axis in axes if axis.kind == "pack" and axis.names[0] not in ranks]
            if len(missing) <= 1:
                waiting.remove((name, axes))
                progress = True
                if missing:
                    rest = setting.tensors[name].rank - sum(_width(axis, ranks) for axis in axes if axis.names != (missing[0],))
                    if rest < 0:
                        raise DoesNotFit(_rank_message(setting, name))
                    found[missing[0]] = max(found.get(missing[0], 0), rest)
        if not progress:
            name, axes = waiting[0]
            span = axes[0].span
            raise span.error(f"the ranks of the packs of {name} cannot be told apart; let an operand or attribute fix one")
        ranks.update(found)
    for pack, rank in known.items():
        ranks[pack] = max(rank, ranks.get(pack, 0))
    for number in setting.numbers:
        operand = declared(setting, number)
        if operand is not None and operand.axes is None:
            ranks.setdefault(POINTWISE_PACK, 0)
    setting.packs = {pack: tuple(f"{'i' if pack == '_' else pack}{at}" for at in range(rank)) for pack, rank in ranks.items()}


def _has_own_operand(setting: Setting, pack: str) -> bool:
    """Whether a given operand consists of the pack alone, which then fixes its rank."""
    return any([axis.names[0] for axis in _axes_syntax(setting, name)] == [pack] for name in setting.tensors)


def _place_of_axis(setting: Setting, attribute: syntax.AttributeSyntax, ranks: dict[str, int]) -> None:
    """`axis(n)`: the pack before index n has as many axes as the axis says."""
    for name in setting.tensors:
        axes = _axes_syntax(setting, name)
        for at, axis in enumerate(axes):
            if axis.kind == "index" and axis.names[0] == attribute.of:
                ndim = setting.tensors[name].rank
                value = setting.static[attribute.name]
                if not -ndim <= value < ndim:
                    raise ShapeError(f"{setting.declaration.name}: axis {value} does not exist in {name}, which has {ndim} axes")
                if at == 1 and axes[0].kind == "pack":
                    ranks[axes[0].names[0]] = value % ndim
                return


def _settle_axes(setting: Setting) -> None:
    """Give every axis of every operand its indices; an axis of length 1 that is broadcast gets none."""
    wide = _wide_elements(setting)
    for name, tensor in setting.tensors.items():
        axes: list[tuple[str, ...]] = []
        syntax_axes = _axes_syntax(setting, name)
        if any(axis.kind == "flat" for axis in syntax_axes):
            setting.flat.add(name)
            setting.axes[name] = ((syntax_axes[0].names[0],),)
            continue
        for axis in syntax_axes:
            if axis.kind == "pack":
                elements = setting.packs[axis.names[0]]
                fixed = sum(_width(other, _ranks(setting)) for other in syntax_axes if other is not axis)
                own = tensor.rank - fixed
                if own < 0 or own > len(elements):
                    raise DoesNotFit(_rank_message(setting, name))
                for element in elements[len(elements) - own :]:
                    broadcast = tensor.units[len(axes)] and element in wide and not _is_member(setting, name)
                    axes.append(() if broadcast else (element,))
            elif axis.kind == "index":
                axes.append((_member_index(setting, name, axis.names[0]),))
            elif axis.kind == "split":
                axes.append(axis.names)
            elif axis.kind == "unit":
                axes.append(())
            else:
                raise axis.span.error(f"'{axis.kind}' belongs to an output; an operand has indices, packs and (g c) splits")
        if len(axes) != tensor.rank:
            raise DoesNotFit(_rank_message(setting, name))
        setting.axes[name] = tuple(axes)


def _is_member(setting: Setting, name: str) -> bool:
    return any(name in members for members in setting.variadic.values())


def _member_index(setting: Setting, name: str, index: str) -> str:
    """The members of a variadic operand may differ along the index that they are joined by: each has its own."""
    for members in setting.variadic.values():
        if name in members:
            return f"{index}{members.index(name)}"
    return index


def _wide_elements(setting: Setting) -> set[str]:
    """The pack elements that some operand (or a `where`) makes longer than 1."""
    wide: set[str] = set()
    for each in setting.declaration.sizes:
        if each.pack:
            wide.update(setting.packs[each.index])
    for name, tensor in setting.tensors.items():
        at = 0
        axes = _axes_syntax(setting, name)
        for axis in axes:
            if axis.kind == "pack":
                fixed = sum(_width(other, _ranks(setting)) for other in axes if other is not axis)
                own = max(0, tensor.rank - fixed)
                elements = setting.packs[axis.names[0]]
                for element in elements[len(elements) - own :]:
                    if at < tensor.rank and not tensor.units[at]:
                        wide.add(element)
                    at += 1
            else:
                at += 1
    return wide


def _ranks(setting: Setting) -> dict[str, int]:
    return {pack: len(elements) for pack, elements in setting.packs.items()}


def _width(axis: syntax.Axis, ranks: dict[str, int]) -> int:
    return ranks.get(axis.names[0], 0) if axis.kind == "pack" else 0 if axis.kind == "flat" else 1


def _axes_syntax(setting: Setting, name: str) -> tuple[syntax.Axis, ...]:
    operand = declared(setting, name)
    assert operand is not None
    if operand.axes is None:
        return (syntax.Axis("pack", (POINTWISE_PACK,), operand.span),)
    return operand.axes


def _rank_message(setting: Setting, name: str) -> str:
    operand = declared(setting, name)
    assert operand is not None
    return f"operand {name} has {setting.tensors[name].rank} axes, but it is declared {_shape_text(operand)}"


def _shape_text(operand: syntax.OperandSyntax) -> str:
    shown = []
    for axis in operand.axes or ():
        text = {"pack": "*" + axis.names[0], "unit": "1", "split": f"({' '.join(axis.names)})"}.get(axis.kind)
        shown.append(text or axis.names[0])
    return f"{operand.name}[{', '.join(shown)}]"


# --- outputs and requirements -----------------------------------------------------------------------------------------


def _output(setting: Setting, names: scope.Scope, output: syntax.OutputSyntax) -> Output:
    expr = names.definition(output.name, output.span)
    if setting.result == "float16" and expr.dtype == "float32":
        expr = cast(expr, "float16")
    if output.axes is None:
        packs = [POINTWISE_PACK] if POINTWISE_PACK in setting.packs else []
        return Output(output.name, expr, tuple((element,) for pack in packs for element in setting.packs[pack]))
    axes: list[tuple[str, ...]] = []
    for axis in output.axes:
        if axis.kind == "flat":
            return _flat_output(setting, names, output, expr, axis)
        axes.extend(_output_axes(setting, axis))
    indices = [index for axis in axes for index in axis]
    loose = sorted(expr.free - set(indices))
    if loose:
        raise output.span.error(
            f"index {', '.join(loose)} of {expression_text(expr)[:80]} is neither on the left side nor bound; "
            f"bind it with a reducer such as sum[{loose[0]}](…)"
        )
    for index in indices:
        if index not in setting.sizes and not any(index in axis for axes in setting.axes.values() for axis in axes):
            raise output.span.error(f"index {index} of {output.name} has no size; give one behind 'where': {index} = …")
    return Output(output.name, expr, tuple(axes))


def _flat_output(setting: Setting, names: scope.Scope, output: syntax.OutputSyntax, expr: Expr, axis: syntax.Axis) -> Output:
    index = axis.names[0]
    if len(axis.names) > 1:
        shape = tuple(f"{axis.names[1]}.{at}" for at in range(setting.static[axis.names[1]]))
        names.attributes.update(dict.fromkeys(shape, INDEX_DTYPE))
        return Output(output.name, expr, ((index,),), True, shape=shape)
    like = next((name for name in setting.flat if setting.axes[name] == ((index,),)), None)
    if like is None:
        raise axis.span.error(f"flat {index} is of no operand; write 'flat {index} as shape' with an attribute shape: ints")
    return Output(output.name, expr, ((index,),), True, shaped_like=like)


def _output_axes(setting: Setting, axis: syntax.Axis) -> list[tuple[str, ...]]:
    if axis.kind == "index":
        return [(axis.names[0],)]
    if axis.kind == "unit":
        return [()]
    if axis.kind == "split":
        return [axis.names]
    pack = axis.names[0]
    if pack not in setting.packs:
        raise axis.span.error(f"no operand has the pack *{pack}")
    elements = setting.packs[pack]
    if axis.kind == "pack":
        return [(element,) for element in elements]
    if axis.kind == "permuted":
        order = setting.static[axis.names[1]]
        return [(elements[at],) for at in order]
    dropped = setting.static[axis.names[1]]
    keep = len(axis.names) > 2 and setting.static[axis.names[2]]
    kept: list[tuple[str, ...]] = []
    for at, element in enumerate(elements):
        if at not in dropped:
            kept.append((element,))
        elif keep:
            kept.append(())
    return kept


def _requirements(setting: Setting, names: scope.Scope) -> tuple[tuple[Expr, str], ...]:
    checks = []
    for requirement in setting.declaration.requirements:
        condition = names.translate(requirement)
        text = expression_text(condition)
        if isinstance(condition, Number):
            if not condition.value:
                raise DoesNotFit(f"it needs {_source_text(requirement)}")
        else:
            checks.append((condition, f"needs {text}"))
    return tuple(checks)


def _source_text(expression: syntax.Expression) -> str:
    span = expression.span
    line = span.source.text.splitlines()[span.line - 1]
    return line[span.column - 1 : span.end - 1]


