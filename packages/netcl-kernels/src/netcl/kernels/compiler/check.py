"""Checking a declaration before it is first called: names, and a trial specialisation at the plainest call.

Input: a `Declaration`. Output: nothing, or a KernelLanguageError at the place of the mistake.
"""

from __future__ import annotations

from netcl.kernels.compiler import syntax
from netcl.kernels.compiler.canonical import canonical_signature
from netcl.kernels.compiler.signature import STATIC_TYPES
from netcl.kernels.compiler.specialise import OPERAND_TYPES, DoesNotFit, specialise

_RESERVED = ("size", "join", "inf", "nan", "pi", "true", "false")


def check_declaration(declaration: syntax.Declaration) -> None:
    """Raise the first mistake that shows without a call."""
    _check_names(declaration)
    _check_types(declaration)
    operands = {operand.name for operand in declaration.operands}
    for each in (*declaration.grads, *declaration.nograd):
        if each.name not in operands:
            raise each.span.error(f"{each.name} is no operand of {declaration.name}; its operands are {_listed(operands)}")
    for sample in declaration.samples:
        if sample.operand not in operands:
            raise sample.span.error(f"sample: {sample.operand} is no operand; the operands are {_listed(operands)}")
        if not sample.low <= sample.high:
            raise sample.span.error(f"sample: {sample.low} is larger than {sample.high}")
    try:
        specialise(declaration, canonical_signature(declaration))
    except DoesNotFit as misfit:
        raise declaration.span.error(f"no call fits {declaration.name}: {misfit}") from None


def _check_names(declaration: syntax.Declaration) -> None:
    seen: dict[str, str] = {}
    named: list[tuple[str, str, syntax.Span]] = []
    named += [(each.name, "operand", each.span) for each in declaration.operands]
    named += [(each.name, "attribute", each.span) for each in declaration.attributes]
    named += [(each.name, "definition", each.span) for each in declaration.definitions]
    for name, kind, span in named:
        if name in seen:
            raise span.error(f"{name} is already the name of an {seen[name]}; names are used once")
        if name in _RESERVED or name.startswith(("grad_", "tangent_")):
            raise span.error(f"{name} is a name of the language; choose another")
        seen[name] = kind
    for output in declaration.outputs:
        if seen.get(output.name) in ("operand", "attribute"):
            raise output.span.error(f"output {output.name} is also an {seen[output.name]}; choose another name")
        if "d" + output.name in seen:
            raise output.span.error(f"d{output.name} is the gradient of output {output.name}; rename one of them")


def _check_types(declaration: syntax.Declaration) -> None:
    for operand in declaration.operands:
        if operand.type not in OPERAND_TYPES:
            raise operand.span.error(f"'{operand.type}' is not a type of operand; write one of {', '.join(OPERAND_TYPES)}")
    types = [*STATIC_TYPES, "int", "ints", "float"]
    for attribute in declaration.attributes:
        if attribute.type not in types:
            raise attribute.span.error(f"'{attribute.type}' is not a type of attribute; write one of {', '.join(types)}")


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "none"
