"""Definitions that read earlier elements of themselves, also through others: systems of equations.

Input: a declaration. Output: for each definition of a system all that belong to it, and which of these are its states.
A state is read at positions in the system, or is an output, or saved; the others stand for their formulas.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.specialise.scope import walk


@dataclass(frozen=True)
class System:
    """Definitions of which each leads to all of them; `states` are those that each step stores, as declared."""

    members: frozenset[str]
    states: tuple[str, ...]


def systems(declaration: syntax.Declaration) -> dict[str, System]:
    """The system of each definition that belongs to one."""
    parts: dict[str, tuple[object, ...]] = {each.name: (each.value,) for each in declaration.definitions}
    for use in declaration.uses:
        parts.update({output.name: (use.arguments, use.settings) for output in use.outputs})
    mentioned = {name: frozenset(_names(of)) & parts.keys() for name, of in parts.items()}
    reached = {name: _reached(name, mentioned) for name in parts}
    results = {each.name for each in (*declaration.outputs, *declaration.saving)}
    found: dict[str, System] = {}
    for name in parts:
        if name in reached[name] and name not in found:
            members = frozenset(each for each in reached[name] if name in reached[each])
            at_positions = {
                node.name for each in members for node in walk(parts[each]) if isinstance(node, syntax.Subscripted)
            }
            stored = at_positions | results if members & at_positions else at_positions
            states = tuple(each for each in parts if each in members & stored)
            found.update(dict.fromkeys(members, System(members, states)))
    return found


def _names(of: object) -> Iterator[str]:
    return (node.name for node in walk(of) if isinstance(node, (syntax.Name, syntax.Subscripted)))


def _reached(name: str, mentioned: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """All that a definition leads to, in one step or more."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for each in mentioned[waiting.pop()] - found:
            found.add(each)
            waiting.append(each)
    return frozenset(found)
