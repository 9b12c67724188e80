"""Argument sets that fit a declaration, drawn from what it says of itself: operand types, `sample` ranges, defaults.

`netcl ops check`, `netcl ops show` and the generated tests all draw from here, so a new op needs no example of its own.
Nothing here runs anything: a `Case` is arrays and numbers.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import numpy as np

from netcl.core.bounded import remembered
from netcl.core.errors import IndexOutOfRangeError, NetclError, ShapeError
from netcl.kernels.compiler.ir import (
    FLOATS,
    INTEGERS,
    Attribute,
    Expr,
    Formula,
    Operand,
    Position,
    Read,
    root,
    subexpressions,
)
from netcl.kernels.compiler.ir.bounds import Bound, bounds, bounds_formula
from netcl.kernels.compiler.ir.evaluate import Environment, evaluate, expression_value
from netcl.kernels.compiler.ir.host import NotKnown, Numbers, integer
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.specialise.canonical import canonical_signature
from netcl.kernels.compiler.specialise.scope import walk, words_of
from netcl.kernels.compiler.specialise.signature import REDUCTIONS, STATIC_TYPES, Signature, TensorSignature
from netcl.kernels.compiler.specialise.specialise import DoesNotFit, ranges, specialise
from netcl.kernels.runtime.bindings import Bindings, bind, check, check_reaches

STRESS = (0.0, 1e-30, -1e-30, 1.0, -1.0, 20.0, -20.0, 88.0, -88.0, 100.0, -100.0)
"""Finite points where formulas break; infinities and NaN have no differences, there only values are compared."""

_TRIES = 400
_NO_WORD = ""  # what no comparison of a formula names, so that it takes the other branch

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Wish:
    """What a case should be like: the rank of packs, the dtype of floats and numbers, and the lengths to draw from.

    `vary` leaves defaults: other numbers, axes, switches and words, and optional operands absent. `most` bounds the
    product of all lengths, `lengths_of` and `numbers_of` fix some indices and attributes. `windows` are the lengths of
    what only moves about inside another axis (the size of a convolution's kernel), where they differ from the others.
    """

    rank: int = 1
    dtype: str = "float64"
    lengths: tuple[int, ...] = (2, 3, 4, 5, 6)
    vary: bool = False
    most: int = 10**9
    lengths_of: Mapping[str, int] = field(default_factory=dict)
    numbers_of: Mapping[str, int] = field(default_factory=dict)
    windows: tuple[int, ...] = ()


@dataclass(frozen=True)
class Sizes:
    """The formula that some arguments of a form select, and sizes and numbers that fit it."""

    form: syntax.Declaration
    signature: Signature
    formula: Formula
    attributes: Mapping[str, Any]
    bindings: Bindings


@dataclass(frozen=True)
class Case(Sizes):
    """One set of arguments of a form."""

    operands: Mapping[str, Array]

    def arguments(self) -> dict[str, Any]:
        """The keywords of a call of the op: arrays (lists of them for a variadic operand), numbers, axes and words."""
        found: dict[str, Any] = {}
        for operand in self.form.operands:
            if operand.variadic:
                count = len(self.signature.operand_map[operand.name])
                found[operand.name] = [self.operands[f"{operand.name}{at}"] for at in range(count)]
            elif operand.name in self.operands:
                found[operand.name] = self.operands[operand.name]
        static = self.signature.static_map
        for attribute in self.form.attributes:
            if attribute.type == "ints":
                numbers = [self.attributes.get(f"{attribute.name}.{at}", 1) for at in range(static[attribute.name])]
                found[attribute.name] = tuple(numbers)
            elif attribute.type in STATIC_TYPES:
                found[attribute.name] = static[attribute.name]
            elif attribute.name in self.attributes:
                found[attribute.name] = self.attributes[attribute.name]
            elif isinstance(attribute.default, syntax.Literal):
                found[attribute.name] = attribute.default.value
        return found


def cases(form: syntax.Declaration, wish: Wish | None = None, seed: int = 0) -> Iterator[Case]:
    """Random cases of a form. Ends early when hardly any draw fits."""
    random = np.random.default_rng(seed)
    failures = 0
    for found in _fitting(form, wish or Wish(), random):
        case = with_values(found, random)
        if not _wrong_positions(case):
            failures = 0
            yield case
        elif (failures := failures + 1) == _TRIES:
            return


def _wrong_positions(case: Case) -> Sequence[Bound]:
    """The positions that the values of a case lead out of range."""
    known = bounds(case.formula)
    if not known:
        return ()
    formula, sizes = bounds_formula(case.formula, False), case.bindings.sizes
    hold = evaluate(formula, case.operands, case.attributes, sizes, case.bindings.shapes)
    return [bound for bound, holds in zip(known, hold, strict=True) if not holds]


def sizes(form: syntax.Declaration, *wishes: Wish) -> Sizes:
    """Sizes that fit a form, like the first of the wishes that can be met. Raises NetclError where none can."""
    for wish in wishes:
        for found in _fitting(form, wish, np.random.default_rng(0)):
            return found
    raise NetclError(f"{form.name}: no sizes were found that fit; give its attributes a `sample` line")


def outside(form: syntax.Declaration, wish: Wish) -> IndexOutOfRangeError | None:
    """The error of a form that reads outside of its operands, met at the first draw."""
    random = np.random.default_rng(0)
    try:
        wrong = _wrong_positions(with_values(_sizes(form, wish, random), random))
        if wrong:
            read = sorted({each.operand for each in subexpressions(wrong[0].position) if isinstance(each, Read)})
            named = read[0] if read else "x"
            return IndexOutOfRangeError(
                str(
                    form.span.error(
                        f"{form.name}: what is drawn for {' and '.join(read) or 'its operands'} leads out of axis "
                        f"{wrong[0].index} of {wrong[0].operand}; say what to draw, as in sample {named} in "
                        f"[0, size[{wrong[0].index}] - 1], and with where how long the axis is at least"
                    )
                )
            )
    except IndexOutOfRangeError as error:
        return IndexOutOfRangeError(str(_reading(form, error.operand, error.position).error(str(error))))
    except (ShapeError, DoesNotFit, ZeroDivisionError, _Rejected):
        pass
    return None


def _reading(form: syntax.Declaration, name: str, position: str) -> syntax.Span:
    """Where a form reads this name, at this position where one is written so; else the form itself."""
    own = replace(form, linked=())
    spans = [each.span for each in walk(own) if isinstance(each, syntax.Subscripted) and each.name == name]
    written = "".join(position.split())
    lines = form.span.source.text.splitlines()
    alike = [each for each in spans if written in "".join(lines[each.line - 1][each.column - 1 : each.end - 1].split())]
    return (alike or spans or [form.span])[0]


def with_values(found: Sizes, random: np.random.Generator) -> Case:
    """Random values for the operands, from their `sample` ranges."""
    formula, bindings = found.formula, found.bindings
    axes = (*formula.operands, *formula.outputs)
    below = min((bindings.sizes[root(index)] for each in axes for index in each.indices), default=1)
    operands = {each.name: _drawn(found, each, below, random) for each in formula.operands}
    return Case(found.form, found.signature, formula, found.attributes, bindings, operands)


def _fitting(form: syntax.Declaration, wish: Wish, random: np.random.Generator) -> Iterator[Sizes]:
    failures = 0
    while failures < _TRIES:  # what is drawn may not fit: other numbers may
        try:
            yield _sizes(form, wish, random)
            failures = 0
        except (ShapeError, DoesNotFit, ZeroDivisionError, IndexOutOfRangeError, _Rejected):
            failures += 1


def stressed(case: Case, values: Sequence[float] = STRESS) -> Case:
    """A case of a pointwise formula with every pair of values in its first two floating operands, along one axis."""
    names = [each.name for each in case.formula.operands if each.dtype in FLOATS]
    grid = np.array(list(itertools.product(values, repeat=min(len(names), 2)))).T
    operands: dict[str, Array] = {}
    for at, operand in enumerate(case.formula.operands):
        if operand.name in names:
            operands[operand.name] = grid[names.index(operand.name) % len(grid)]
        else:
            operands[operand.name] = np.arange(grid.shape[-1]) % 2 == at % 2
    shapes = [operands[each.name].shape for each in case.formula.operands]
    bindings = bind(case.formula, shapes, case.attributes)
    return Case(case.form, case.signature, case.formula, case.attributes, bindings, operands)


def is_pointwise(form: syntax.Declaration) -> bool:
    """Whether all operands are declared without brackets: they broadcast, and any value may meet any other."""
    return all(operand.axes is None for operand in form.operands)


class _Rejected(Exception):
    """A draw that fits, but is not wished for."""


def _sizes(form: syntax.Declaration, wish: Wish, random: np.random.Generator) -> Sizes:
    signature = canonical_signature(form, wish.dtype, wish.rank)
    if wish.vary:
        signature = _varied(form, signature, wish, random)
    formula = _formula(form, signature)
    attributes = _attributes(form, formula, wish, random)
    shapes = _shapes(formula, attributes, wish, random)
    bindings = bind(formula, shapes, attributes)
    check(formula, bindings, attributes)
    empty_wanted = 0 in wish.lengths or 0 in wish.lengths_of.values()
    if not empty_wanted and any(0 in bindings.shapes[output.name] for output in formula.outputs):
        raise _Rejected
    if prod(bindings.sizes.values()) > wish.most:
        raise _Rejected
    for moved in (False, True):
        check_reaches(formula, bindings, attributes, moved)
    return Sizes(form, signature, formula, attributes, bindings)


@remembered("drawn formulas", 512)
def _formula(form: syntax.Declaration, signature: Signature) -> Formula:
    """The same for many draws: only numbers and lengths differ."""
    return specialise(form, signature)


def _varied(form: syntax.Declaration, signature: Signature, wish: Wish, random: np.random.Generator) -> Signature:
    """Another choice of switches, words and axes, some optional operands absent, and integers of another width."""
    optional = {operand.name for operand in form.operands if operand.default is not None}
    operands = []
    for name, given in signature.operands:
        if name in optional and random.random() < 0.5:
            continue
        if isinstance(given, TensorSignature) and given.dtype == "int64" and random.random() < 0.5:
            given = TensorSignature("int32", given.units)
        operands.append((name, given))
    types = {attribute.name: attribute for attribute in form.attributes}
    static = []
    for name, value in signature.static:
        kind = types[name].type
        if kind == "bool":
            value = bool(random.integers(2))
        elif kind == "word":
            words = words_of([form], name)
            value = str(random.choice(words if len(words) > 1 else (*words, _NO_WORD)))
        elif kind == "reduction":
            value = str(random.choice(REDUCTIONS))
        elif kind == "axes" and wish.rank:
            count = int(random.integers(1, wish.rank + 1))
            value = tuple(sorted(int(each) for each in random.permutation(wish.rank)[:count]))
        elif kind == "order":
            value = tuple(int(each) for each in random.permutation(wish.rank))
        elif kind == "ints" and types[name].count is None and not any(each.pack for each in form.sizes):
            value = int(random.integers(1, 4))
        elif kind in ("axis", "rank"):
            value = int(random.integers(0, wish.rank + 1))
        static.append((name, value))
    return Signature(tuple(operands), tuple(static))


def _attributes(form: syntax.Declaration, formula: Formula, wish: Wish, random: np.random.Generator) -> dict[str, Any]:
    """Defaults where there are some and the wish keeps them; else from the sample range, or near the default."""
    found: dict[str, Any] = {}
    declared = {each.name: each for each in form.attributes}
    lengths = _names_of_lengths(formula)
    windows = {expr.name for index, expr in _sizes_of_windows(formula) if isinstance(expr, Attribute)}
    for name, dtype in formula.attributes.items():
        base, _, element = name.partition(".")
        attribute = declared.get(base)
        default = attribute.default if attribute is not None else None
        if base in wish.numbers_of:
            found[name] = wish.numbers_of[base]
            continue
        if isinstance(default, syntax.Name) and element:
            found[name] = found.get(f"{default.name}.{element}", int(random.integers(1, 5)))
            continue
        plain = default[int(element)].value if isinstance(default, tuple) else None
        plain = default.value if isinstance(default, syntax.Literal) else plain
        if plain is not None and not (wish.vary and random.random() < 0.7):
            found[name] = plain
        elif plain is not None and dtype in FLOATS and all(each.operand != base for each in form.samples):
            found[name] = float(plain) * float(random.uniform(0.5, 1.0))
        elif name in lengths and all(each.operand != base for each in form.samples):
            found[name] = int(random.choice(wish.windows if wish.windows and name in windows else wish.lengths))
        else:
            low, high = _range(form, base, (0.5, 1.5) if dtype in FLOATS else (0, 3) if plain == 0 else (1, 4))
            found[name] = float(random.uniform(low, high)) if dtype in FLOATS else int(random.integers(low, high + 1))
    return found


def _names_of_lengths(formula: Formula) -> set[str]:
    """The attributes that are the length of an index, or of an axis of a reshaped output."""
    found = {expr.name for expr in formula.sizes.values() if isinstance(expr, Attribute)}
    return found.union(*(output.shape or () for output in formula.outputs))


def _windows(formula: Formula) -> set[str]:
    """The indices that are summed over and stand in a position together with another one: r in x[p * stride + r]."""
    found = set()
    for output in formula.outputs:
        for node in subexpressions(output.expr):
            for at in node.at if isinstance(node, Read) else ():
                inside = _indices_of(at)
                found.update(inside - set(output.indices) if len(inside) > 1 else ())
    return found


def _sizes_of_windows(formula: Formula) -> list[tuple[str, Expr]]:
    return [(index, formula.sizes[index]) for index in _windows(formula) if index in formula.sizes]


def _indices_of(at: Expr) -> set[str]:
    """The indices in a position, without those that only say where a position is read."""
    if isinstance(at, Position):
        return {root(at.index)}
    return set() if isinstance(at, Read) else set().union(*map(_indices_of, at.children))


def _shapes(
    formula: Formula, attributes: Mapping[str, Any], wish: Wish, random: np.random.Generator
) -> list[tuple[int, ...]]:
    lengths: dict[str, int] = dict(wish.lengths_of)
    for index, expr in (*formula.sizes.items(), *formula.sizes.items()):  # twice: one length may follow from another
        with contextlib.suppress(NotKnown, ZeroDivisionError):
            lengths.setdefault(index, integer(expr, Numbers(lengths, attributes)))
    if min(lengths.values(), default=0) < 0:
        raise _Rejected
    for output in formula.outputs:
        if output.shape is not None:
            lengths.setdefault(output.axes[0][0], prod(attributes[name] for name in output.shape))
    windows = _windows(formula) if wish.windows else ()
    shapes = []
    for operand in formula.operands:
        shape = []
        for axis in operand.axes:
            length = 1
            for index in axis:
                drawn = int(random.choice(wish.windows if index in windows else wish.lengths))
                length *= lengths.setdefault(index, drawn)
            shape.append(length)
        shapes.append(tuple(shape))
    return shapes


def _range(form: syntax.Declaration, name: str, otherwise: tuple[float, float]) -> tuple[float, float]:
    """The ends that are written as numbers."""
    return next((each.numbers for each in form.samples if each.operand == name and each.numbers), otherwise)


def _ends(found: Sizes, operand: Operand) -> tuple[Array, Array] | tuple[float, float]:
    """Between which ends each element is drawn."""
    formulas = ranges(found.form, found.signature).get(operand.name)
    if formulas is None:
        return -2.0, 2.0
    setting = Environment({}, found.attributes, found.bindings.sizes)
    low, high = (expression_value(each, operand.indices, setting) for each in formulas)
    shape = found.bindings.shapes[operand.name]
    return low.reshape(shape), high.reshape(shape)


def _drawn(found: Sizes, operand: Operand, below: int, random: np.random.Generator) -> Array:
    """Values of one operand; an integer operand holds positions, which any axis has."""
    form, name, dtype, shape = found.form, operand.name, operand.dtype, found.bindings.shapes[operand.name]
    declared = next((each for each in form.operands if each.name == name), None)
    if dtype in FLOATS:
        return random.uniform(*_ends(found, operand), size=shape).astype(dtype)
    if dtype == "bool":
        return random.integers(0, 2, size=shape).astype(bool)
    if declared is not None and declared.type == "int":
        return random.integers(0, max(1, below), size=shape).astype(dtype)
    low, high = _range(form, name, (0.0 if dtype == "uint8" else -3.0, 5.0))
    assert dtype in INTEGERS
    return random.integers(int(np.ceil(max(low, 0) if dtype == "uint8" else low)), int(high) + 1, size=shape).astype(
        dtype
    )
