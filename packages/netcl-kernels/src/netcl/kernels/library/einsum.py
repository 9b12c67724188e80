"""einsum: sums of products named by letters. A specification becomes a declaration of the language.

The declaration has the product of one or two operands, so that it is computed (and differentiated) as a contraction;
more operands are multiplied two at a time, in the order that numpy's einsum_path finds cheapest. Each declaration is
compiled once: those that differ only in the names of their letters are one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from netcl.core.arguments import Operand, Operands, described, is_operand
from netcl.core.bounded import remembered
from netcl.core.errors import DtypeError, ShapeError
from netcl.kernels.library.composites import composite

Labels = tuple[str, ...]
"""The index of each axis: a letter, or `...k` for the k-th last axis of an ellipsis."""

_NAMES = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Term(NamedTuple):
    """An operand with its labels."""

    tensor: Any
    labels: Labels


@composite()
def einsum(spec: str, *xs: Operand | Operands) -> Any:
    """The sum of products that numpy's notation says, such as "ij,jk->ik" or "...ii->...i".

    Letters that the output does not have are summed; without "->" it has, behind an ellipsis, those that occur once, in
    order. Axes of one letter have one length, or length 1. Raises ShapeError with the specification and the place.
    """
    if not isinstance(spec, str):
        raise TypeError('einsum: the specification comes first, as in einsum("ij,jk->ik", a, b)')
    operands = tuple(xs[0]) if len(xs) == 1 and isinstance(xs[0], (list, tuple)) else xs
    terms, output = _read(spec, operands)
    sizes = _sizes(spec, terms)
    for step in _path(terms, output, sizes):
        group = [terms.pop(at) for at in sorted(step, reverse=True)]
        while group:
            result = _contracted(group[:2], [*terms, *group[2:]], output, sizes)
            group = [result, *group[2:]] if len(group) > 2 else []
        terms.append(result)
    return terms[0].tensor


def _contracted(taken: Sequence[Term], rest: Sequence[Term], output: Labels, sizes: Mapping[str, int]) -> Term:
    """One or two operands multiplied, and summed over what neither the rest nor the output has."""
    needed = set(output).union(*(term.labels for term in rest))
    if len(taken) == 2:
        first, second = taken
        taken = [_alone(first, needed.union(second.labels), sizes), _alone(second, needed.union(first.labels), sizes)]
    kept = output
    if rest:
        kept = tuple(
            label for label in dict.fromkeys(each for term in taken for each in term.labels) if label in needed
        )
    return Term(_product(taken, kept, sizes), kept)


def _alone(term: Term, needed: set[str], sizes: Mapping[str, int]) -> Term:
    """An operand of several without what it can do by itself: take a diagonal, sum over indices of its own."""
    kept = tuple(label for label in dict.fromkeys(term.labels) if label in needed)
    return term if kept == term.labels else Term(_product([term], kept, sizes), kept)


def _product(terms: Sequence[Term], output: Labels, sizes: Mapping[str, int]) -> Any:
    """One op: the product of one or two operands, summed over what the output does not have."""
    names: dict[str, str] = {}
    for label in (label for term in terms for label in term.labels):
        names.setdefault(label, _NAMES[len(names)])
    axes = tuple(
        tuple(
            names[label] if length == sizes[label] else "1"
            for label, length in zip(term.labels, term.tensor.shape, strict=True)
        )
        for term in terms
    )
    return _op(axes, tuple(names[label] for label in output))(*(term.tensor for term in terms))


@remembered("einsum", 512)
def _op(operands: tuple[Labels, ...], output: Labels) -> Any:
    """The op of a specification, with "1" for an axis of length 1 along which an operand is repeated."""
    from netcl.kernels.library.registry import Catalogue

    bound = dict.fromkeys(name for labels in operands for name in labels if name != "1" and name not in output)
    declared = ", ".join(f"x{at}[{', '.join(labels)}]: number" for at, labels in enumerate(operands))
    product = " * ".join(f"x{at}" for at in range(len(operands)))
    formula = f"sum[{', '.join(bound)}]({product})" if bound else product
    text = f"op einsum({declared}) -> out[{', '.join(output)}] {{ out = {formula}; }}"
    return Catalogue().load_text(text, "einsum")[0]


# --- reading a specification ------------------------------------------------------------------------------------------


def _read(spec: str, operands: Sequence[Any]) -> tuple[list[Term], Labels]:
    """The operands with their labels, and the labels of the output."""
    inputs, arrow, output = spec.partition("->")
    parts = inputs.split(",")
    if len(parts) != len(operands):
        raise ShapeError(f"einsum({spec!r}): it names {len(parts)} operands, but {len(operands)} were given")
    terms = []
    start = 0
    for number, (part, operand) in enumerate(zip(parts, operands, strict=True)):
        if not is_operand(operand):
            raise DtypeError(f"einsum({spec!r}): operand {number} must be a Tensor, but it is {described(operand)}")
        letters = _letters(spec, part, start)
        start += len(part) + 1
        rank = len(operand.shape)
        named = len(letters) - ("..." in letters)
        if named > rank or (named < rank and "..." not in letters):
            raise ShapeError(
                f"einsum({spec!r}): {part.strip()!r} names {named} axes, "
                f"but operand {number} {tuple(operand.shape)} has {rank}"
            )
        terms.append(Term(operand, _spread(letters, rank - named)))
    known = [label for term in terms for label in term.labels]
    hidden = sorted({label for label in known if label.startswith("...")}, key=lambda label: -int(label[3:]))
    if not arrow:
        once = sorted(label for label in set(known) if known.count(label) == 1 and len(label) == 1)
        return terms, (*hidden, *once)
    letters = _letters(spec, output, len(inputs) + 2)
    if hidden and "..." not in letters:
        raise ShapeError(f"einsum({spec!r}): the ellipsis stands for {len(hidden)} axes; the output must have it, too")
    for at, letter in enumerate(letters):
        place = f"einsum({spec!r}): the output has {letter!r} (character {spec.rindex(letter) + 1})"
        if letter in letters[:at]:
            raise ShapeError(f"{place} twice")
        if letter != "..." and letter not in known:
            raise ShapeError(f"{place}, but no operand has it")
    return terms, tuple(label for letter in letters for label in (hidden if letter == "..." else [letter]))


def _letters(spec: str, part: str, start: int) -> list[str]:
    """The letters of one operand or of the output, with "..." for an ellipsis."""
    letters: list[str] = []
    at = 0
    while at < len(part):
        if part.startswith("...", at) and "..." not in letters:
            letters.append("...")
            at += 3
            continue
        letter = part[at]
        if letter in _NAMES:
            letters.append(letter)
        elif not letter.isspace():
            hint = "an operand has one ellipsis (...)" if letter == "." else "indices are letters"
            raise ShapeError(f"einsum({spec!r}): {letter!r} (character {start + at + 1}) cannot stand here; {hint}")
        at += 1
    return letters


def _spread(letters: Sequence[str], count: int) -> Labels:
    """The ellipsis as `count` labels, counted from its end: those of several operands meet as in broadcasting."""
    hidden = [f"...{at}" for at in reversed(range(count))]
    return tuple(label for letter in letters for label in (hidden if letter == "..." else [letter]))


def _sizes(spec: str, terms: Sequence[Term]) -> dict[str, int]:
    """The length of each index."""
    sizes: dict[str, int] = {}
    owners: dict[str, int] = {}
    for number, term in enumerate(terms):
        for label, length in zip(term.labels, term.tensor.shape, strict=True):
            known = sizes.get(label, 1)
            same = owners.get(label) == number
            if length != known and (same or (length != 1 and known != 1)) and label in sizes:
                shown = "the ellipsis" if label.startswith("...") else f"index {label}"
                other = owners[label]
                raise ShapeError(
                    f"einsum({spec!r}): {shown} is {known} in operand {other} {tuple(terms[other].tensor.shape)} "
                    f"but {length} in operand {number} {tuple(term.tensor.shape)}"
                )
            if label not in sizes or length != 1:
                sizes[label], owners[label] = length, number
    return sizes


def _path(terms: Sequence[Term], output: Labels, sizes: Mapping[str, int]) -> list[tuple[int, ...]]:
    """Which operands to multiply in each step; the result comes last among those that are left."""
    if len(terms) <= 2:
        return [tuple(range(len(terms)))]
    numbers = {label: at for at, label in enumerate(sizes)}
    arguments: list[Any] = []
    for term in terms:
        shape = tuple(sizes[label] for label in term.labels)
        arguments += [np.broadcast_to(np.float32(0), shape), [numbers[label] for label in term.labels]]
    found = np.einsum_path(*arguments, [numbers[label] for label in output], optimize="greedy")[0]
    return [tuple(step) for step in found[1:]]
