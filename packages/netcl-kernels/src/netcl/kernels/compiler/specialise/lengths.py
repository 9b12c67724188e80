"""How long an index is that no operand, output or `where` gives a length: as long as what it reads.

`pos[i, d]` of an operand `pos[n, d]` gives i the length of n, and `sum[s <= t](…)` gives s that of t. Of several things
that it reads, the first gives it, and the others have to be as long: what was left out otherwise, nobody would see.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from netcl.kernels.compiler.ir import Expr, Number, Size, size
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.specialise.context import Context
from netcl.kernels.compiler.specialise.scope import axes_of_definition, walk


@dataclass(frozen=True)
class _Reading:
    """The index `index` stands alone where the axis of `axis` is, in a reading of `name`. It is `guarded` where what
    stands around it says what there is beyond the axis."""

    index: str
    axis: str
    name: str
    guarded: bool


def infer_sizes(setting: Context) -> None:
    """Give such indices their lengths."""
    readings = list(_readings(setting))
    for guarded in (False, True):
        for each in readings:
            if each.guarded is guarded and same_length(setting, each.axis) != each.index:
                setting.sizes.setdefault(each.index, size(each.axis))
    named, own = _named(setting), set(setting.own_indices())
    runs = [each for value in _values(setting) for each in _runs(value)]
    for _ in runs:  # each may get its size from the one before or after it
        for index, end in runs:
            if index not in named and (end in own or end in setting.sizes):
                setting.sizes.setdefault(index, size(same_length(setting, end)))


def lengths_alike(setting: Context) -> Iterator[tuple[Expr, str]]:
    """The conditions that all that such an index reads is as long, and what to say where it is not."""
    first: dict[str, _Reading] = {}
    for each in _readings(setting):
        if each.guarded:
            continue
        before = first.setdefault(each.index, each)
        condition = call("eq", *(_length(setting, of.axis) for of in (before, each)))
        if not isinstance(condition, Number):
            sentence = f"{each.index} goes along {before.name} and along {each.name}, which must be as long"
            yield condition, f"{sentence} (or give one of them another index)"


def same_length(setting: Context, index: str) -> str:
    """The index whose extent `index` has; itself when it has its own."""
    found = setting.sizes.get(index)
    return same_length(setting, found.index) if isinstance(found, Size) and found.index != index else index


def _length(setting: Context, index: str) -> Expr:
    of = same_length(setting, index)
    return setting.sizes.get(of, size(of))


def _named(setting: Context) -> set[str]:
    """What has a length, or is no index."""
    declaration = setting.declaration
    named = set(setting.own_indices()) | {each.index for each in declaration.sizes}
    named |= {operand.name for operand in declaration.operands}
    named |= {attribute.name for attribute in declaration.attributes}
    named |= {definition.name for definition in declaration.definitions}
    return named | {output.name for use in declaration.uses for output in use.outputs}


def _values(setting: Context) -> list[syntax.Expression]:
    declaration = setting.declaration
    values = [each.value for each in (*declaration.definitions, *declaration.grads)]
    return values + [argument for use in declaration.uses for argument in use.arguments]


def _readings(setting: Context) -> Iterator[_Reading]:
    named = _named(setting)
    for value in _values(setting):
        for node, asked in _subscripted(value, frozenset()):
            for subscript, axis in _aligned(setting, node):
                if isinstance(subscript, syntax.Name) and subscript.name not in named and len(axis) == 1:
                    yield _Reading(subscript.name, axis[0], node.name, subscript.name in asked)


def _subscripted(node: object, asked: frozenset[str]) -> Iterator[tuple[syntax.Subscripted, frozenset[str]]]:
    """The readings below a piece of syntax, each with the names that the conditions around it ask about."""
    if isinstance(node, syntax.Guarded):
        yield from _subscripted(node.reading, asked | _names(node.reading.subscripts))
        yield from _subscripted(node.alternative, asked)
    elif isinstance(node, syntax.Select):
        yield from _subscripted(node.condition, asked)
        yield from _subscripted((node.first, node.second), asked | _names(node.condition))
    elif isinstance(node, syntax.Infix) and node.sign in ("and", "or"):
        yield from _subscripted(node.left, asked)
        yield from _subscripted(node.right, asked | _names(node.left))
    elif isinstance(node, tuple):
        for each in node:
            yield from _subscripted(each, asked)
    elif hasattr(node, "__dataclass_fields__") and not isinstance(node, (syntax.Span, syntax.Source)):
        if isinstance(node, syntax.Subscripted):
            yield node, asked
        for name in node.__dataclass_fields__:
            yield from _subscripted(getattr(node, name), asked)


def _names(node: object) -> frozenset[str]:
    return frozenset(each.name for each in walk(node) if isinstance(each, syntax.Name))


def _runs(value: syntax.Expression) -> Iterator[tuple[str, str]]:
    """The pairs (s, t) of `sum[s <= t](…)`."""
    for node in walk(value):
        if isinstance(node, syntax.Along) and isinstance(node.end, syntax.Name):
            yield node.index.name, node.end.name


def _aligned(setting: Context, node: syntax.Subscripted) -> Iterator[tuple[object, tuple[str, ...]]]:
    """Each subscript with the indices of the axis that it stands for, as far as packs do not hide which that is."""
    axes = axes_of_definition(setting, node.name)
    if node.name in setting.tensors:
        axes = [(index,) for index in setting.indices_of(node.name)]
        if any(not axis for axis in setting.axes[node.name]) and len(node.subscripts) == len(setting.axes[node.name]):
            axes = list(setting.axes[node.name])
    at = 0
    for subscript in node.subscripts:
        if isinstance(subscript, syntax.Each):
            return
        if isinstance(subscript, syntax.Every):
            at += len(setting.packs.get(subscript.pack, ()))
        elif at < len(axes):
            yield subscript, axes[at]
            at += 1
