"""From declared axes to indices: packs become as many indices as a call has axes, and broadcasting is written out.

Input: a `Context` with its tensors. Output: its `packs`, `axes` and `flat`. An axis of length 1 that is broadcast has
no index: its tensor is read at the same element all along the others' axis.
"""

from __future__ import annotations

from netcl.core.errors import ShapeError
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.specialise.context import POINTWISE_PACK, Context, DoesNotFit, shape_text


def settle_packs(setting: Context) -> None:
    """Find the rank of every pack, from attributes, `where` and the ranks of operands, and name its indices."""
    ranks = _ranks_by_attributes(setting)
    ranks.update(_ranks_by_operands(setting, ranks))
    for each in setting.declaration.sizes:
        if each.pack:
            assert isinstance(each.value, syntax.Name)
            ranks[each.index] = max(setting.static[each.value.name], ranks.get(each.index, 0))
    for number in setting.numbers:
        operand = setting.operand(number)
        if operand is not None and operand.axes is None:
            ranks.setdefault(POINTWISE_PACK, 0)
    for pack, rank in ranks.items():
        letter = "i" if pack == POINTWISE_PACK else pack
        setting.packs[pack] = tuple(f"{letter}{at}" for at in range(rank))


def settle_axes(setting: Context) -> None:
    """Give every axis of every operand its indices."""
    wide = _wide_elements(setting)
    for name, tensor in setting.tensors.items():
        axes: list[tuple[str, ...]] = []
        declared = setting.axes_of(name)
        if any(axis.kind == "flat" for axis in declared):
            if len(declared) > 1:
                raise declared[0].span.error(
                    f"'flat' stands alone between the brackets of {name}: it is all of its axes"
                )
            setting.flat.add(name)
            setting.axes[name] = ((declared[0].names[0],),)
            continue
        for axis in declared:
            if axis.kind == "pack":
                for element in elements_of(setting, name, axis):
                    broadcast = tensor.units[len(axes)] and element in wide and not setting.is_member(name)
                    axes.append(() if broadcast else (element,))
            elif axis.kind == "index":
                axes.append((_member_index(setting, name, axis.names[0]),))
            elif axis.kind == "split":
                axes.append(axis.names)
            elif axis.kind == "unit":
                axes.append(())
            else:
                raise axis.span.error(
                    f"'{axis.kind}' belongs to an output; an operand has indices, packs *i, splits (g c) and flat"
                )
        if len(axes) != tensor.rank:
            raise DoesNotFit(_rank_message(setting, name))
        setting.axes[name] = tuple(axes)


def _ranks_by_attributes(setting: Context) -> dict[str, int]:
    ranks: dict[str, int] = {}
    for attribute in setting.declaration.attributes:
        if attribute.type == "rank" and attribute.of is not None and not _has_own_operand(setting, attribute.of):
            ranks[attribute.of] = _given_rank(setting, attribute)
        elif attribute.type == "axis":
            _place_of_axis(setting, attribute, ranks)
    return ranks


def _given_rank(setting: Context, attribute: syntax.AttributeSyntax) -> int:
    rank = setting.static[attribute.name]
    if rank is None or rank < 0:
        shown = "is missing" if rank is None else f"is {rank}"
        raise ShapeError(f"{setting.declaration.name}: {attribute.name} {shown}; give a number of axes, 0 or more")
    return int(rank)


def _has_own_operand(setting: Context, pack: str) -> bool:
    """Whether a given operand consists of the pack alone, which then fixes its rank."""
    return any([axis.names for axis in setting.axes_of(name)] == [(pack,)] for name in setting.tensors)


def _place_of_axis(setting: Context, attribute: syntax.AttributeSyntax, ranks: dict[str, int]) -> None:
    """`axis(n)`: the pack before index n has as many axes as the axis says."""
    for name in setting.tensors:
        axes = setting.axes_of(name)
        for at, axis in enumerate(axes):
            if axis.kind == "index" and axis.names[0] == attribute.of:
                ndim = setting.tensors[name].rank
                value = setting.static[attribute.name]
                if not -ndim <= value < ndim:
                    op = setting.declaration.name
                    raise ShapeError(f"{op}: axis {value} does not exist in {name}, which has {_axes_count(ndim)}")
                if at == 1 and axes[0].kind == "pack":
                    ranks[axes[0].names[0]] = value % ndim
                return


def _ranks_by_operands(setting: Context, known: dict[str, int]) -> dict[str, int]:
    """Packs whose rank follows from an operand: of all its axes, those that no other entry takes."""
    ranks = dict(known)
    waiting = {name: setting.axes_of(name) for name in setting.tensors}
    while waiting:
        found: dict[str, int] = {}
        settled = []
        for name, axes in waiting.items():
            missing = [axis.names[0] for axis in axes if axis.kind == "pack" and axis.names[0] not in ranks]
            if len(missing) > 1:
                continue
            settled.append(name)
            if missing:
                rest = setting.tensors[name].rank - sum(
                    _width(each, ranks) for each in axes if each.names[0] != missing[0]
                )
                if rest < 0:
                    raise DoesNotFit(_rank_message(setting, name))
                found[missing[0]] = max(found.get(missing[0], 0), rest)
        if not settled:
            name, axes = next(iter(waiting.items()))
            packs = " and ".join(
                "*" + axis.names[0] for axis in axes if axis.kind == "pack" and axis.names[0] not in ranks
            )
            raise axes[0].span.error(
                f"{name} has the packs {packs}, and nothing says which of its axes belong to which; "
                "let another operand have one of them alone, or give an attribute such as n: rank(i)"
            )
        for name in settled:
            del waiting[name]
        ranks.update(found)
    return ranks


def elements_of(setting: Context, name: str, pack: syntax.Axis) -> tuple[str, ...]:
    """The last indices of a pack, as many as the operand has axes for it."""
    elements = setting.packs[pack.names[0]]
    others = [each for each in setting.axes_of(name) if each != pack]
    own = setting.tensors[name].rank - sum(_width(each, _ranks(setting)) for each in others)
    if not 0 <= own <= len(elements):
        raise DoesNotFit(_rank_message(setting, name))
    return elements[len(elements) - own :]


def _wide_elements(setting: Context) -> set[str]:
    """The pack elements that some operand (or a `where`) makes longer than 1."""
    wide = {element for each in setting.declaration.sizes if each.pack for element in setting.packs[each.index]}
    for name, tensor in setting.tensors.items():
        at = 0
        for axis in setting.axes_of(name):
            if axis.kind != "pack":
                at += 1
                continue
            for element in elements_of(setting, name, axis):
                if at < tensor.rank and not tensor.units[at]:
                    wide.add(element)
                at += 1
    return wide


def _member_index(setting: Context, name: str, index: str) -> str:
    """The members of a variadic operand may differ along the index that they are joined by: each has its own."""
    for members in setting.variadic.values():
        if name in members:
            return f"{index}{members.index(name)}"
    return index


def _ranks(setting: Context) -> dict[str, int]:
    return {pack: len(elements) for pack, elements in setting.packs.items()}


def _width(axis: syntax.Axis, ranks: dict[str, int]) -> int:
    return ranks.get(axis.names[0], 0) if axis.kind == "pack" else 0 if axis.kind == "flat" else 1


def _rank_message(setting: Context, name: str) -> str:
    rank = setting.tensors[name].rank
    for operand, members in setting.variadic.items():
        other = next((each for each in members if name in members and setting.tensors[each].rank != rank), None)
        if other is not None:
            shown = [f"{operand}[{members.index(each)}]" for each in (name, other)]
            return (
                f"{shown[0]} has {_axes_count(rank)} and {shown[1]} has {_axes_count(setting.tensors[other].rank)}, "
                f"but all of {operand} have the same number of axes"
            )
    return (
        f"{name} has {_axes_count(setting.tensors[name].rank)}, but it is declared {shape_text(setting.declared(name))}"
    )


def _axes_count(rank: int) -> str:
    return f"{rank} {'axis' if rank == 1 else 'axes'}"
