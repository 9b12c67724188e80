"""What is known while one declaration is specialised for one kind of call: the words that its stages share.

`axes` and `specialise` fill a `Context`, `scope` and `translate` read it. Nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from netcl.kernels.compiler.ir import FLOATS, Axes, Expr
from netcl.kernels.compiler.ir.simplify import DEFAULT_FLOAT
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.specialise.signature import NumberSignature, TensorSignature

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
class Context:
    """One specialisation. `tensors` has each tensor operand, the members of a variadic one as `xs0`, `xs1`, …"""

    declaration: syntax.Declaration
    tensors: dict[str, TensorSignature]
    """Tensor operands, in the order of the call."""
    numbers: dict[str, NumberSignature]
    """Operands that were given as Python numbers."""
    static: dict[str, Any]
    """Attributes that choose the code, and the lengths of `ints` attributes."""
    compute: str = DEFAULT_FLOAT
    """The dtype that formulas of float and number operands compute with."""
    result: str = DEFAULT_FLOAT
    """The dtype of their results: `compute`, or one of the halves."""
    packs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The indices that each pack stands for."""
    axes: dict[str, Axes] = field(default_factory=dict)
    """The indices of each axis of each tensor operand."""
    flat: set[str] = field(default_factory=set)
    """The tensor operands that are read as one axis."""
    sizes: dict[str, Expr] = field(default_factory=dict)
    """The extents of indices that no operand axis fixes."""
    variadic: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The members of each variadic operand."""

    def operand(self, name: str) -> syntax.OperandSyntax | None:
        """The declaration of an operand, also of one member of a variadic operand."""
        for each in self.declaration.operands:
            if each.name == name or name in self.variadic.get(each.name, ()):
                return each
        return None

    def declared(self, name: str) -> syntax.OperandSyntax:
        """The declaration of a tensor operand."""
        found = self.operand(name)
        assert found is not None
        return found

    def require_brackets(self, index: str, name: str, indices: Sequence[str]) -> None:
        """Raise KernelLanguageError if the index, which `name` has not among its `indices`, is one of an operand that
        was declared without brackets."""
        for each in self.declaration.operands:
            if each.axes is None and each.name in self.tensors and (index,) in self.axes[each.name]:
                place = indices[0] if indices else "n"
                raise each.span.error(
                    f"{each.name} has no brackets, so it may have any number of axes, which "
                    f"{name}[{', '.join(indices)}] has not; a scalar is written {each.name}[], and a value for each "
                    f"{place} {each.name}[{place}]"
                )

    def attribute(self, name: str) -> syntax.AttributeSyntax | None:
        return next((each for each in self.declaration.attributes if each.name == name), None)

    def axes_of(self, name: str) -> tuple[syntax.Axis, ...]:
        """The declared axes of a tensor operand; without brackets it has one pack."""
        operand = self.declared(name)
        if operand.axes is None:
            return (syntax.Axis("pack", (POINTWISE_PACK,), operand.span),)
        return operand.axes

    def indices_of(self, name: str) -> tuple[str, ...]:
        """The index at each position of a read of a tensor operand."""
        return tuple(index for axis in self.axes[name] for index in axis)

    def is_member(self, name: str) -> bool:
        return any(name in members for members in self.variadic.values())

    def elements(self) -> set[str]:
        """The indices that packs stand for."""
        return {element for elements in self.packs.values() for element in elements}

    def in_text(self, indices: Sequence[str]) -> list[str]:
        """Indices as one writes them: `*n` for those that a pack stands for."""
        whole = {pack: elements for pack, elements in self.packs.items() if {*elements} <= {*indices}}
        of_pack = {element: f"*{pack}" for pack, elements in whole.items() for element in elements}
        return list(dict.fromkeys(of_pack.get(index, index) for index in indices))

    def own_indices(self) -> Iterator[str]:
        """The indices of operand axes that have a name in the text."""
        elements = self.elements()
        for name in self.tensors:
            yield from (index for index in self.indices_of(name) if index not in elements)

    def float_dtype(self) -> str:
        """The dtype of float literals and attributes."""
        return self.compute if self.compute in FLOATS else DEFAULT_FLOAT


def shape_text(operand: syntax.OperandSyntax) -> str:
    """An operand as its declaration writes it."""
    shown = []
    for axis in operand.axes or ():
        text = {
            "pack": "*" + axis.names[0],
            "unit": "1",
            "split": f"({' '.join(axis.names)})",
            "flat": "flat " + axis.names[0],
        }
        shown.append(text.get(axis.kind, axis.names[0]))
    return f"{'*' if operand.variadic else ''}{operand.name}[{', '.join(shown)}]"
