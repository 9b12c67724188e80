"""In which tiles of a product the conditions hold that stand around the sum, or in it: everywhere, somewhere, or
nowhere, as above the diagonal of a causal mask. There nothing is added up.

Input: a product, the expression around its sum, and from where to where each index goes in a tile. Output: conditions
on the ends alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from netcl.kernels.compiler.ir import Apply, Expr, Position, Reduce, number
from netcl.kernels.compiler.ir import polynomial as poly
from netcl.kernels.compiler.ir.binding import replace_nodes
from netcl.kernels.compiler.ir.choices import conjuncts
from netcl.kernels.compiler.ir.inequalities import at_most_zero
from netcl.kernels.compiler.ir.nodes import INDEX_DTYPE
from netcl.kernels.compiler.ir.paths import on_every_way, paths
from netcl.kernels.compiler.ir.simplify import call
from netcl.kernels.compiler.loops.given import Given
from netcl.kernels.compiler.lower.product import Product

Ends = Mapping[str, tuple[Expr, Expr]]
"""The first and the last place of an index."""


@dataclass(frozen=True)
class Asked:
    """The conditions `around` the sum without which nobody asks for it, those `within`, without which a step counts for
    nothing, and the expression around the sum."""

    around: tuple[Expr, ...]
    within: tuple[Expr, ...]
    expr: Expr

    def __bool__(self) -> bool:
        return bool(self.around or self.within)

    def somewhere(self, ends: Ends, given: Given) -> list[Expr]:
        """Conditions that hold if those of the product may hold at one place between the ends."""
        sums = (terms for each in (*self.around, *self.within) for terms in at_most_zero(each))
        return [found for terms in sums if (found := _is_so(terms, ends, given, least=True)) is not None]

    def everywhere(self, ends: Ends, given: Given) -> list[Expr]:
        """Conditions that hold if those around the sum hold at all places; none where that is not known."""
        sums = [terms for each in self.around for terms in at_most_zero(each)]
        found = [_is_so(terms, ends, given, least=False) for terms in sums]
        return [] if None in found else [each for each in found if each is not None]

    def where_it_is(self) -> Expr:
        """The expression where all conditions around the sum hold."""
        return replace_nodes(self.expr, dict(_said(each, True) for each in self.around))

    def where_it_is_not(self) -> Expr | None:
        """The expression where the one condition around the sum does not hold; None if there are several."""
        return replace_nodes(self.expr, dict([_said(self.around[0], False)])) if len(self.around) == 1 else None


def asked_for(product: Product, sums: Reduce, around: Expr) -> Asked:
    """What is asked of the places of a product, whose sums stand in the expression `around`."""
    places = {*product.batch, *product.rows, *product.columns, *product.inner}
    ways = paths(around).get(sums, [()])
    common = tuple(each for each in on_every_way(ways) if _is_of_places(each, places))
    own = () if product.condition is None else conjuncts(product.condition)
    return Asked(common, tuple(each for each in own if _is_of_places(each, places)), around)


def _said(condition: Expr, holds: bool) -> tuple[Expr, Expr]:
    """What is known of the comparison in a condition."""
    if isinstance(condition, Apply) and condition.function == "not":
        return condition.children[0], number(not holds, "bool")
    return condition, number(holds, "bool")


def _is_of_places(condition: Expr, places: set[str]) -> bool:
    """Whether it compares places in the product, each index times a number."""
    sums = at_most_zero(condition)
    return bool(sums) and bool(condition.free) and condition.free <= places and all(map(_is_plain, sums))


def _is_plain(terms: poly.Polynomial) -> bool:
    atoms = [atom for monomial in terms for atom in monomial]
    if not all(poly.is_counted(atom) and (isinstance(atom, Position) or not atom.free) for atom in atoms):
        return False
    return all(len(monomial) == 1 for monomial in terms if any(atom.free for atom in monomial))


def _is_so(terms: poly.Polynomial, ends: Ends, given: Given, least: bool) -> Expr | None:
    """Whether a sum is at most 0 between the ends, where it is `least` or where it is most; None where one of its
    indices has no ends."""
    places: dict[str, Expr] = {}
    for monomial, coefficient in terms.items():
        for atom in monomial:
            if isinstance(atom, Position) and atom.index in ends:
                places[atom.index] = ends[atom.index][(coefficient < 0) is least]
    extreme = poly.expression(terms)
    if not extreme.free <= places.keys():
        return None
    return given.expr(call("le", extreme, number(0, INDEX_DTYPE)), places)
