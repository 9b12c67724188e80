"""Checking a declaration before it is first called: names, types, attributes, and a trial specialisation.

Input: a `Declaration`. Output: a KernelLanguageError for each mistake, at its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from netcl.core.errors import KernelLanguageError
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.language.messages import nearest
from netcl.kernels.compiler.specialise.canonical import canonical_signature
from netcl.kernels.compiler.specialise.check_names import check_names, operand_packs
from netcl.kernels.compiler.specialise.context import OPERAND_TYPES, DoesNotFit
from netcl.kernels.compiler.specialise.scope import walk
from netcl.kernels.compiler.specialise.signature import NUMBER_TYPES, REDUCTIONS, STATIC_TYPES
from netcl.kernels.compiler.specialise.specialise import specialise

ATTRIBUTE_TYPES = (*NUMBER_TYPES, "ints", *STATIC_TYPES)
_ONE_WIDTH = {
    **dict.fromkeys(("double", "half", "real", "bfloat16", "float16", "float32", "float64"), "float"),
    **dict.fromkeys(("integer", "long", "short", "uint", "uint8", "int8", "int16", "int32", "int64"), "int"),
    "boolean": "bool",
}
"""Names of types elsewhere; an operand here has only a kind."""
_OF_PACK = ("axes", "order", "rank")


def mistakes(declaration: syntax.Declaration) -> list[KernelLanguageError]:
    """The mistakes that show without a call: those of the heading and the statements, or else those of the formulas."""
    found: list[KernelLanguageError] = []

    def check(checked: Callable[..., None], *given: object) -> None:
        try:
            checked(declaration, *given)
        except KernelLanguageError as mistake:
            found.append(mistake)

    check(check_names)
    check(_check_operands)
    for attribute in declaration.attributes:
        check(_check_attribute, attribute)
    for output in (*declaration.outputs, *declaration.saving):
        for axis in output.axes or ():
            check(_check_output_axis, axis)
        check(_check_reduction, output)
    for each in declaration.sizes:
        check(_check_size, each)
    check(_check_statements)
    if not found:
        check(_check_formulas, found)
    return found


def check_declaration(declaration: syntax.Declaration) -> None:
    """Raise the mistakes that show without a call."""
    found = mistakes(declaration)
    if found:
        raise KernelLanguageError.of(found)


def _check_formulas(declaration: syntax.Declaration, found: list[KernelLanguageError]) -> None:
    try:
        signature = canonical_signature(declaration)
        specialise(declaration, signature, found)
        specialise(declaration, signature)
    except DoesNotFit as misfit:
        raise declaration.span.error(f"no call fits {declaration.name}: {misfit}") from None


def check_forms(forms: Iterable[syntax.Declaration]) -> None:
    """The forms of one op have the same operands and attributes, and differ in axes or in what they require."""
    first, *others = forms
    seen = [_distinction(first)]
    for form in others:
        for kind, own, known in (
            ("operands", form.operands, first.operands),
            ("attributes", form.attributes, first.attributes),
        ):
            mine, theirs = [each.name for each in own], [each.name for each in known]
            if mine != theirs:
                raise form.span.error(
                    f"this form of {form.name} has the {kind} {_listed(mine)}, but the first, at {first.span}, "
                    f"has {_listed(theirs)}; the forms of an op share their names"
                )
        if _distinction(form) in seen:
            raise form.span.error(
                f"{form.name} is declared already, at {first.span}, for the same calls; give it another name, "
                "or let its axes or a 'where' differ"
            )
        seen.append(_distinction(form))


def _distinction(form: syntax.Declaration) -> tuple[object, ...]:
    """What decides which form takes a call."""
    axes = [None if each.axes is None else [(axis.kind, axis.names) for axis in each.axes] for each in form.operands]
    return (axes, [_plain(each) for each in form.requirements])


def _plain(node: object) -> object:
    """A piece of syntax without its places."""
    if isinstance(node, tuple):
        return tuple(map(_plain, node))
    if not hasattr(node, "__dataclass_fields__"):
        return node
    names = [name for name in node.__dataclass_fields__ if name != "span"]
    return (type(node).__name__, *(_plain(getattr(node, name)) for name in names))


# --- operands, attributes, outputs ------------------------------------------------------------------------------------


def _check_operands(declaration: syntax.Declaration) -> None:
    if not declaration.operands and not declaration.sizes:
        raise declaration.span.error(
            f"{declaration.name} has no operand, and no 'where' gives an index of its output a length"
        )
    for operand in declaration.operands:
        for axis in operand.axes or ():
            if axis.kind == "unit" and axis.names not in ((), ("1",)):
                raise axis.span.error(
                    f"an axis of {operand.name} has a name, or its length is 1; {axis.names[0]} is neither"
                )
        if operand.type not in OPERAND_TYPES:
            hint = nearest(operand.type, OPERAND_TYPES)
            hint = hint or f"; an operand is {_or(OPERAND_TYPES)}"
            if operand.type in _ONE_WIDTH:
                hint = f"; write {_ONE_WIDTH[operand.type]}, which is as wide as that of the Tensor that is given"
            if operand.type in ATTRIBUTE_TYPES:
                hint = f"; an operand is {_or(OPERAND_TYPES)} (an attribute of that type stands behind ';')"
            raise operand.span.error(f"{operand.type} is no type of operand{hint}")
        if operand.variadic and operand.default is not None:
            raise operand.span.error(f"{operand.name} is variadic and cannot have a default")
        if isinstance(operand.default, float) and operand.default != operand.default and operand.type != "float":
            raise operand.span.error(
                f"the default of {operand.name} is nan, which only an operand of type float can hold"
            )
        if operand.type == "int" and isinstance(operand.default, float):
            raise operand.span.error(f"the default of {operand.name} must be a whole number")


def _check_attribute(declaration: syntax.Declaration, attribute: syntax.AttributeSyntax) -> None:
    name, kind, span = attribute.name, attribute.type, attribute.span
    if kind not in ATTRIBUTE_TYPES:
        hint = nearest(kind, ATTRIBUTE_TYPES, f"an attribute is {_or(ATTRIBUTE_TYPES)}")
        raise span.error(f"{kind} is no type of attribute{hint}")
    if attribute.count is not None and (kind != "ints" or attribute.count < 1):
        raise span.error(f"only a list has a length, as in {name}: ints[2]")
    if kind == "axis":
        indices = {axis.names[0] for each in declaration.operands for axis in each.axes or () if axis.kind == "index"}
        if attribute.of not in indices:
            raise span.error(
                f"{name} must name the index whose place it says, as in {name}: axis({min(indices, default='n')})"
            )
    elif attribute.of is not None and kind not in _OF_PACK:
        raise span.error(f"{kind} takes no index in parentheses; axis(n), axes(i), order(i) and rank(i) do")
    elif attribute.of is not None and attribute.of not in operand_packs(declaration):
        raise span.error(f"no operand has the pack *{attribute.of} that {name} speaks of")
    elif kind == "rank" and attribute.of is None:
        raise span.error(f"{name} must name the pack whose axes it counts, as in {name}: rank(i)")
    _check_default(declaration, attribute)


def _check_default(declaration: syntax.Declaration, attribute: syntax.AttributeSyntax) -> None:
    name, kind, default = attribute.name, attribute.type, attribute.default
    if default is None:
        return
    if isinstance(default, syntax.Name):
        earlier = {each.name: each for each in declaration.attributes[: declaration.attributes.index(attribute)]}
        if kind in ("axes", "order") and default.name == "all":
            return
        found = earlier.get(default.name)
        if found is None:
            raise default.span.error(
                f"{default.name} is no attribute before {name}; a default is a literal or an earlier one"
            )
        if (found.type, found.count) != (kind, attribute.count):
            raise default.span.error(f"{default.name} is of another type than {name} and cannot be its default")
        return
    right = {
        "int": lambda: _is_whole(default),
        "float": lambda: isinstance(default, syntax.Literal) and not isinstance(default.value, bool),
        "ints": lambda: _is_whole(default) or (isinstance(default, tuple) and all(map(_is_whole, default))),
        "axis": lambda: _is_whole(default),
        "axes": lambda: _is_whole(default) or (isinstance(default, tuple) and all(map(_is_whole, default))),
        "rank": lambda: isinstance(default, syntax.Literal) and type(default.value) is int and default.value >= 0,
        "bool": lambda: isinstance(default, syntax.Literal) and isinstance(default.value, bool),
        "word": lambda: isinstance(default, syntax.Text),
        "reduction": lambda: isinstance(default, syntax.Text) and default.value in REDUCTIONS,
    }
    wanted = {
        "int": "a whole number", "float": "a number", "ints": "a whole number or a list such as [1, 2]",
        "rank": "0 or more",
        "axis": "a whole number", "axes": "all, a whole number or a list such as [0, 1]", "bool": "true or false",
        "word": 'a word in quotes, as in "mean"', "reduction": '"mean", "sum" or "none"',
    }  # fmt: skip
    if kind not in right:
        raise attribute.span.error(f"{name} is of type {kind}, which has no default")
    if not right[kind]():
        raise attribute.span.error(f"the default of {name} must be {wanted[kind]}")
    if isinstance(default, tuple) and attribute.count not in (None, len(default)):
        raise attribute.span.error(f"{name} has {attribute.count} numbers, but its default has {len(default)}")


def _is_whole(value: object) -> bool:
    return isinstance(value, syntax.Literal) and type(value.value) is int


def _check_output_axis(declaration: syntax.Declaration, axis: syntax.Axis) -> None:
    types = {"permuted": ["order"], "flat": ["ints"], "without": ["axes", "bool"]}.get(axis.kind, [])
    declared = {each.name: each.type for each in declaration.attributes}
    words = {"permuted": ["by"], "flat": ["as"], "without": ["without", "unless"]}.get(axis.kind, [])
    for name, kind, word in zip(axis.names[1:], types, words, strict=False):
        if declared.get(name) != kind:
            raise axis.span.error(f"behind '{word}' stands an attribute of type {kind}, and {name} is none")


def _check_reduction(declaration: syntax.Declaration, output: syntax.OutputSyntax) -> None:
    if (
        output.by is not None
        and {each.name: each.type for each in declaration.attributes}.get(output.by) != "reduction"
    ):
        raise output.span.error(
            f"behind the axes of {output.name} and 'by' stands an attribute of type reduction, and {output.by} is none"
        )


def _check_size(declaration: syntax.Declaration, each: syntax.SizeOf) -> None:
    if not each.pack:
        if any(other is not each and other.index == each.index for other in declaration.sizes):
            raise each.span.error(f"{each.index} is given two sizes")
        return
    assert isinstance(each.value, syntax.Name)
    if {one.name: one.type for one in declaration.attributes}.get(each.value.name) != "ints":
        raise each.value.span.error(
            f"the lengths of *{each.index} are an attribute of type ints, and {each.value.name} is none"
        )


# --- statements -------------------------------------------------------------------------------------------------------


def _check_axes(definition: syntax.Definition, is_result: bool) -> None:
    name = definition.name
    if is_result:
        raise definition.span.error(f"the indices of {name} stand behind '->'; here it is only named: {name} = …;")
    seen: set[tuple[str, ...]] = set()
    for axis in definition.axes or ():
        if axis.kind not in ("index", "pack"):
            raise axis.span.error(f"between the brackets of a definition stand its indices, as in {name}[i, j] = …;")
        if axis.names in seen:
            raise axis.span.error(f"{name} has the index {axis.names[0]} twice; each of its axes has one of its own")
        seen.add(axis.names)


def _check_statements(declaration: syntax.Declaration) -> None:
    operands = {operand.name: operand for operand in declaration.operands}
    seen: set[str] = set()
    results = {each.name for each in (*declaration.outputs, *declaration.saving)}
    for definition in declaration.definitions:
        if definition.axes is not None:
            _check_axes(definition, definition.name in results)
    inner = {each.name for each in declaration.definitions} - {each.name for each in declaration.outputs}
    settled: list[syntax.Definition | syntax.Name] = [*declaration.grads, *declaration.nograd]
    for each in settled:
        word = "grad" if isinstance(each, syntax.Definition) else "nograd"
        operand = operands.get(each.name)
        if operand is None and not (word == "grad" and each.name in inner):
            raise each.span.error(
                f"{word} {each.name}: {each.name} is no operand of {declaration.name}, which has {_listed(operands)}"
            )
        if operand is None:
            seen.add(each.name)
            continue
        if operand.type in ("int", "bool"):
            raise each.span.error(
                f"{word} {each.name}: {each.name} is {operand.type} and has no gradient anyhow; leave it out"
            )
        if operand.variadic and word == "grad":
            raise each.span.error(f"grad {each.name}: the gradients of a variadic operand are derived; leave it out")
        if each.name in seen:
            raise each.span.error(f"{word} {each.name}: the gradient of {each.name} is settled already, further up")
        seen.add(each.name)
    _check_adjoints(declaration)
    without = {each.name for each in declaration.nograd}
    for each in declaration.surrogates:
        operand = operands.get(each.name)
        if operand is None:
            raise each.span.error(
                f"surrogate {each.name}: {each.name} is no operand of {declaration.name}, which has {_listed(operands)}"
            )
        if operand.type in ("int", "bool") or each.name in without:
            reason = "is declared nograd" if each.name in without else f"is {operand.type}"
            raise each.span.error(f"surrogate {each.name}: {each.name} {reason} and has no gradient; leave it out")
    sampled = {*operands, *(attribute.name for attribute in declaration.attributes)}
    for sample in declaration.samples:
        if sample.operand not in sampled:
            raise sample.span.error(
                f"sample {sample.operand}: {declaration.name} has no such operand or attribute, but {_listed(sampled)}"
            )
        if sample.numbers is None:
            if sample.operand not in operands:
                raise sample.span.error(f"sample {sample.operand}: the ends of what an attribute may be are numbers")
            continue
        low, high = sample.numbers
        if not low <= high:
            raise sample.span.error(f"sample {sample.operand}: {low} is larger than {high}")


def _check_adjoints(declaration: syntax.Declaration) -> None:
    """A declared gradient has the gradient of an output in it, maybe in a definition: it is the slope times that."""
    adjoints = {f"d{each.name}" for each in declaration.outputs}
    leads_to: dict[str, set[str]] = {each.name: _names_in(each.value) for each in declaration.definitions}
    for use in declaration.uses:
        leads_to |= {each.name: _names_in(use.arguments) for each in use.outputs}
    for grad in declaration.grads:
        reached, waiting = set[str](), [*_names_in(grad.value)]
        while waiting:
            name = waiting.pop()
            if name not in reached:
                reached.add(name)
                waiting += leads_to.get(name, ())
        is_zero = isinstance(grad.value, syntax.Literal) and grad.value.value == 0
        if not is_zero and not reached & {*adjoints, f"d{grad.name}"}:
            listed = " or ".join(sorted(adjoints))
            raise grad.span.error(
                f"grad {grad.name}: {listed}, the gradient of the output, is not in it; it is the slope times that, as "
                f"in {min(adjoints)} * cos(x)"
            )


def _names_in(of: object) -> set[str]:
    """The names of operands and definitions in a piece of syntax."""
    kinds = (syntax.Name, syntax.Subscripted)
    return {each.name for each in walk(of) if isinstance(each, kinds)}


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _or(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}"
