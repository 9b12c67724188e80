"""The plainest call of a declaration: float32, one axis for each pack, attributes at their defaults.

It is what `ops show`, the golden files and the checks of a new declaration are about.
"""

from __future__ import annotations

from typing import Any

from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.specialise.signature import REDUCTIONS, Signature, TensorSignature

_DTYPES = {"float": "float32", "number": "float32", "any": "float32", "int": "int64", "bool": "bool"}
_MEMBERS = 2
"""How many tensors stand for a variadic operand."""


def canonical_signature(form: syntax.Declaration, dtype: str = "float32", pack_rank: int = 1) -> Signature:
    """The signature of the plainest call of `form`. Optional operands are given, too."""
    operands: list[tuple[str, Any]] = []
    ranks = _pack_ranks(form, pack_rank)
    for operand in form.operands:
        kind = _DTYPES.get(operand.type, "float32")
        rank = _rank(operand, ranks)
        tensor = TensorSignature(dtype if kind == "float32" else kind, (False,) * rank)
        operands.append((operand.name, (tensor,) * _MEMBERS if operand.variadic else tensor))
    static = [(each.name, _static(form, each, ranks)) for each in form.attributes if each.type not in ("int", "float")]
    return Signature(tuple(operands), tuple(static))


def _pack_ranks(form: syntax.Declaration, rank: int) -> dict[str, int]:
    return {
        axis.names[0]: rank
        for axes in (*(each.axes for each in form.operands), *(each.axes for each in form.outputs))
        for axis in axes or ()
        if axis.kind in ("pack", "without", "permuted")
    }


def _rank(operand: syntax.OperandSyntax, ranks: dict[str, int]) -> int:
    if operand.axes is None:
        return max(ranks.values(), default=1)
    return sum(ranks[axis.names[0]] if axis.kind == "pack" else 1 for axis in operand.axes)


def _static(form: syntax.Declaration, attribute: syntax.AttributeSyntax, ranks: dict[str, int]) -> Any:
    if attribute.type == "ints":
        if attribute.count is not None:
            return attribute.count
        return len(attribute.default) if isinstance(attribute.default, tuple) else max(ranks.values(), default=1)
    if attribute.type == "word":
        return _word(form, attribute)
    if attribute.type == "reduction":
        return _reduction(form, attribute)
    if attribute.type == "bool":
        return _switch(form, attribute)
    if attribute.type == "dtype":
        return "float32"
    if attribute.type == "axis":
        return _axis(form, attribute, ranks)
    pack = attribute.of or next(iter(ranks), "")
    if attribute.type == "rank":
        return ranks.get(pack, 1)
    rank = ranks.get(pack, 1)
    if attribute.type == "axes" and isinstance(attribute.default, syntax.Literal):
        return (int(attribute.default.value) % rank,)
    return tuple(range(rank))


def _word(form: syntax.Declaration, attribute: syntax.AttributeSyntax) -> Any:
    """The word that the form requires, else the default."""
    for requirement in form.requirements:
        if (
            isinstance(requirement, syntax.Infix)
            and isinstance(requirement.left, syntax.Name)
            and requirement.left.name == attribute.name
            and isinstance(requirement.right, syntax.Text)
        ):
            return requirement.right.value
    return attribute.default.value if isinstance(attribute.default, syntax.Text) else None


def _reduction(form: syntax.Declaration, attribute: syntax.AttributeSyntax) -> str:
    """The default where the form takes it, else the first that it takes."""
    usual = attribute.default.value if isinstance(attribute.default, syntax.Text) else REDUCTIONS[0]
    for each in form.requirements:
        if isinstance(each, syntax.Infix) and isinstance(each.left, syntax.Name) and each.left.name == attribute.name:
            assert isinstance(each.right, syntax.Text)
            taken = [word for word in REDUCTIONS if (word == each.right.value) is (each.sign == "==")]
            return usual if usual in taken else taken[0]
    return usual


def _switch(form: syntax.Declaration, attribute: syntax.AttributeSyntax) -> bool:
    """On or off as the form requires it, else the default."""
    for requirement in form.requirements:
        if isinstance(requirement, syntax.Name) and requirement.name == attribute.name:
            return True
        inner = requirement.operand if isinstance(requirement, syntax.Prefix) else None
        if isinstance(inner, syntax.Name) and inner.name == attribute.name:
            return False
    return isinstance(attribute.default, syntax.Literal) and bool(attribute.default.value)


def _axis(form: syntax.Declaration, attribute: syntax.AttributeSyntax, ranks: dict[str, int]) -> int:
    """Where the index stands when the pack before it has its rank."""
    for operand in form.operands:
        at = 0
        for axis in operand.axes or ():
            if axis.kind == "index" and axis.names[0] == attribute.of:
                return at
            at += ranks[axis.names[0]] if axis.kind == "pack" else 1
    return 0
