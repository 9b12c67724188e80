"""Integer expressions in canonical form: a sum of monomials over atoms (positions, sizes, attributes, …).

Two index expressions that are equal as polynomials become one node, so that `(h + pad - r*d) + r*d - pad` is `h`, and
a guard that always holds is seen to hold. Only int64 expressions come here.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

from netcl.core.weak import WeakKeys
from netcl.kernels.compiler.ir import (
    FLOATS,
    INDEX_DTYPE,
    Apply,
    Attribute,
    Expr,
    Number,
    Position,
    Reduce,
    Scan,
    Size,
    apply,
    number,
    position,
    root,
    size,
)
from netcl.kernels.compiler.ir.interval import LONGEST
from netcl.kernels.compiler.ir.show import expression_text

Monomial = tuple[Expr, ...]
Polynomial = dict[Monomial, int]

MOST_TERMS = 64
MOST_FACTORS = 8
"""Beyond these an expression is left as it is written."""

_EXPANDED = ("add", "sub", "neg", "mul")
_TOO_LONG: Polynomial = {}
_LONGEST_KEY = 120
_polynomials: WeakKeys[Expr, Polynomial] = WeakKeys()
_orders: WeakKeys[Expr, str] = WeakKeys()
_counted: WeakKeys[Expr, bool] = WeakKeys()


def is_counted(node: Expr) -> bool:
    """Whether a whole number or a bool comes from positions, sizes, literals and numbers of the caller alone.

    Such are whole numbers of any length (see `magnitude`). What comes from tensors wraps around, so that what holds for
    sums and products of whole numbers holds for it, but nothing that is known of their order, or of quotients.
    """
    found = _counted.get(node)
    if found is None:
        if isinstance(node, Apply):
            found = node.dtype in (INDEX_DTYPE, "bool") and all(map(is_counted, node.children))
        elif isinstance(node, (Reduce, Scan)):
            found = node.kind.startswith("arg")  # the result is a position
        else:
            found = isinstance(node, (Number, Position, Size, Attribute)) and node.dtype not in FLOATS
        _counted[node] = found
    return found


def polynomial(node: Expr) -> Polynomial:
    """The canonical sum that `node` stands for; not to be changed by the caller."""
    if isinstance(node, Number):
        return {(): int(node.value)} if node.value else {}
    if not isinstance(node, Apply) or node.dtype != INDEX_DTYPE or node.function not in _EXPANDED:
        return {(node,): 1}
    found = _polynomials.get(node)
    if found is None:
        found = _expanded(node)
        if len(found) > MOST_TERMS or any(len(monomial) > MOST_FACTORS for monomial in found):
            found = _TOO_LONG
        _polynomials[node] = found
    return {(node,): 1} if found is _TOO_LONG else found


def _expanded(node: Apply) -> Polynomial:
    parts = [polynomial(child) for child in node.children]
    if node.function == "neg":
        return plus({}, parts[0], -1)
    if node.function == "mul":
        return times(parts[0], parts[1])
    return plus(parts[0], parts[1], 1 if node.function == "add" else -1)


def plus(left: Polynomial, right: Polynomial, factor: int = 1) -> Polynomial:
    result = dict(left)
    for monomial, coefficient in right.items():
        total = result.get(monomial, 0) + factor * coefficient
        if total:
            result[monomial] = total
        else:
            result.pop(monomial, None)
    return result


def times(left: Polynomial, right: Polynomial) -> Polynomial:
    result: Polynomial = {}
    for mine, a in left.items():
        for other, b in right.items():
            for monomial, coefficient in _without_quotients(mine + other, a * b).items():
                result[monomial] = result.get(monomial, 0) + coefficient
    return {monomial: coefficient for monomial, coefficient in result.items() if coefficient}


def _without_quotients(monomial: Monomial, coefficient: int) -> Polynomial:
    """The monomial, with `u / d * d` become `u` (an exact division is only evaluated where it leaves no rest)."""
    for at, atom in enumerate(monomial):
        if isinstance(atom, Apply) and atom.function == "exact_div":
            numerator, divisor = atom.children
            others = monomial[:at] + monomial[at + 1 :]
            if isinstance(divisor, Number) and divisor.value and coefficient % int(divisor.value) == 0:
                return times({others: coefficient // int(divisor.value)}, polynomial(numerator))
            if divisor in others:
                where = others.index(divisor)
                return times({others[:where] + others[where + 1 :]: coefficient}, polynomial(numerator))
    return {tuple(sorted(monomial, key=_order)): coefficient}


def expression(terms: Polynomial) -> Expr:
    """The node for a polynomial: positive terms first, in a fixed order."""
    ordered = sorted(terms.items(), key=lambda term: (term[1] < 0, -len(term[0]), [_order(atom) for atom in term[0]]))
    total: Expr | None = None
    for monomial, coefficient in ordered:
        term = _term(monomial, abs(coefficient))
        if total is None:
            total = term if coefficient > 0 else _negative(term)
        else:
            total = apply("add" if coefficient > 0 else "sub", (total, term), INDEX_DTYPE)
    return number(0, INDEX_DTYPE) if total is None else total


def divide(terms: Polynomial, divisor: Expr) -> tuple[Polynomial, Polynomial]:
    """(quotient, rest): the monomials that `divisor` (a literal or one atom) divides, divided, and the others."""
    quotient: Polynomial = {}
    rest: Polynomial = {}
    for monomial, coefficient in terms.items():
        if isinstance(divisor, Number) and divisor.value and coefficient % int(divisor.value) == 0:
            quotient[monomial] = coefficient // int(divisor.value)
        elif divisor in monomial:
            at = monomial.index(divisor)
            quotient[monomial[:at] + monomial[at + 1 :]] = coefficient
        else:
            rest[monomial] = coefficient
    return quotient, rest


def coefficient_of(terms: Polynomial, index: str) -> tuple[Polynomial, Polynomial] | None:
    """(a, rest) with `terms == a * index + rest` and neither mentioning `index`; None when it is not linear in it."""
    atom = position(index)
    factor: Polynomial = {}
    rest: Polynomial = {}
    for monomial, coefficient in terms.items():
        others = tuple(each for each in monomial if each is not atom)
        if any(index in each.free for each in others) or len(monomial) - len(others) > 1:
            return None
        (rest if len(others) == len(monomial) else factor)[others] = coefficient
    return factor, rest


def at_least_zero(terms: Polynomial) -> bool:
    """Whether the polynomial is seen to be >= 0 from `0 <= k`, `k <= size - 1` and `0 <= size <= LONGEST` alone."""
    for monomial, coefficient in list(terms.items()):
        if coefficient < 0 and len(monomial) == 1 and isinstance(monomial[0], Position):
            extent = (size(root(monomial[0].index)),)
            if terms.get(extent, 0) >= -coefficient:
                terms = plus(terms, {extent: 1, monomial: -1, (): -1}, coefficient)
    for monomial, coefficient in list(terms.items()):
        is_length = len(monomial) == 1 and _never_negative(monomial)
        if coefficient < 0 and is_length and terms.get((), 0) >= -coefficient * LONGEST:
            terms = plus(terms, {(): LONGEST, monomial: -1}, coefficient)
    return all(coefficient > 0 and _never_negative(monomial) for monomial, coefficient in terms.items())


def _never_negative(monomial: Iterable[Expr]) -> bool:
    return all(isinstance(atom, (Position, Size)) for atom in monomial)


def _term(monomial: Monomial, coefficient: int) -> Expr:
    factors: list[Expr] = list(monomial)
    if coefficient != 1 or not factors:
        factors.append(number(coefficient, INDEX_DTYPE))
    product = factors[0]
    for factor in factors[1:]:
        product = apply("mul", (product, factor), INDEX_DTYPE)
    return product


def _negative(term: Expr) -> Expr:
    return number(-int(term.value), INDEX_DTYPE) if isinstance(term, Number) else apply("neg", (term,), INDEX_DTYPE)


def _order(atom: Expr) -> str:
    """Where an atom stands among others, the same in every process. Long keys are digests: a DAG written out as a tree
    could be longer than any memory."""
    found = _orders.get(atom)
    if found is None:
        if atom.children:
            head = " ".join(str(part) for part in atom.key[: len(atom.key) - len(atom.children)])
            found = f"{head}({', '.join(map(_order, atom.children))})"
        else:
            found = expression_text(atom)
        if len(found) > _LONGEST_KEY:
            found = found[:8] + blake2b(found.encode(), digest_size=16).hexdigest()
        _orders[atom] = found
    return found
