"""Derivatives of formulas: a gradient and a tangent are formulas again.

    gradient(f, wanted)   reverse mode: operands and outputs of f that it mentions, `dy` for each output  ->  `grad_x` …
    owed_to(g, seeds)     of such a gradient, what comes from some outputs alone
    tangent(f, wanted)    forward mode: the operands of f and `tangent_x` for each wanted x  ->  `tangent_y` …

A derivative of a derivative has such names already; then the new ones are `grad2_x`, `tangent2_x` and so on.

Reverse mode walks the DAG from the outputs down. The adjoint of a node is an expression over the node's own free
indices; whatever else its consumer runs over is summed. Reads collect at the end, where `solve` turns them around.
A declared gradient is taken as it stands, also inside: of a definition, and of what an op that is used declares (see
`custom`). The value of an output that a derivative mentions is read back, not computed
again.

Forward mode walks the DAG from the operands up. Where a gradient is declared, the tangent is its transpose: the
declared gradient is linear in `dy`, and its own gradient by `dy` is the tangent. So both modes have the author's word.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from netcl.kernels.compiler.derive import recurrences
from netcl.kernels.compiler.derive.custom import adjoint_of_value, declared_part
from netcl.kernels.compiler.derive.custom import adjoints as custom_adjoints
from netcl.kernels.compiler.derive.formula import (
    NoDerivative,
    as_operand,
    checks_of,
    closed,
    distinct,
    require_differentiable,
    taken_names,
    tangent_names,
    targets,
    unused_name,
    where_declared,
)
from netcl.kernels.compiler.derive.linear import vanishes_with
from netcl.kernels.compiler.derive.partials import PARTIALS, UNKNOWN
from netcl.kernels.compiler.derive.reductions import adjoint_of_reduce, tangent_of_reduce
from netcl.kernels.compiler.derive.saved_states import SavedStates
from netcl.kernels.compiler.derive.scans import (
    adjoints_of_scan,
    placed,
    saved_scans,
    tangent_of_scan,
)
from netcl.kernels.compiler.derive.selected import scaled
from netcl.kernels.compiler.derive.solve import adjoint_of_read, eliminated, guarded
from netcl.kernels.compiler.ir import (
    FLOATS,
    Apply,
    Custom,
    Enclosed,
    Expr,
    Formula,
    Materialised,
    Operand,
    Output,
    Read,
    Recurrence,
    Reduce,
    Scan,
    new_label,
    position,
    read,
    state_name,
    subexpressions,
    verify,
)
from netcl.kernels.compiler.ir.binding import replace_nodes, substitute, total
from netcl.kernels.compiler.ir.choices import conjunction
from netcl.kernels.compiler.ir.functions import is_of_reals
from netcl.kernels.compiler.ir.plain import at_positions
from netcl.kernels.compiler.ir.recurrences import StatesAsValues, System, system_of
from netcl.kernels.compiler.ir.simplify import call, cast

Key = TypeVar("Key")

_TANGENT = "tangent "
"""No output has such a name: there is a space in it."""


def gradient(formula: Formula, wanted: Iterable[str], seeded: Iterable[str] | None = None) -> Formula:
    """The vector-Jacobian product of `formula` for the operands named in `wanted`, in that order.

    `seeded` names the outputs that have a gradient (None: all); what a derived gradient owes to the others is left out,
    not multiplied by 0. A declared gradient mentions whatever it mentions.
    """
    wanted = tuple(wanted)
    seeds = {output.name for output in formula.outputs} if seeded is None else set(seeded)
    for name in wanted:
        require_differentiable(formula, formula.operand(name))
    derived = tuple(name for name in wanted if name not in formula.declared)
    expressions = dict(_derive(formula, derived, seeds)) if derived else {}
    expressions.update({name: _declared(formula, name) for name in wanted if name in formula.declared})
    taken = taken_names(formula)
    outputs = []
    for name in wanted:
        operand = formula.operand(name)
        expr = cast(expressions[name], operand.dtype)
        like = name if operand.flat else None
        new = unused_name("grad", name, taken)
        outputs.append(Output(new, expr, distinct(operand.axes), operand.flat, shaped_like=like))
    suffix = "" if len(formula.operands) == 1 else "_" + "_".join(wanted)
    return closed(formula, f"{formula.name}_grad{suffix}", tuple(outputs))


def owed_to(gradient: Formula, seeds: Iterable[str]) -> Formula:
    """What a gradient owes to the operands in `seeds`, some of those in which it is linear; nothing else is read anew.

    For these outputs alone `gradient` may find another formula, which reads what this one does not.
    """
    wanted = {name: name for name in seeds}
    parts = [(_tangent_of(gradient, output.expr, wanted), output) for output in gradient.outputs]
    outputs = tuple(replace(output, expr=cast(0.0 if part is None else part, output.dtype)) for part, output in parts)
    reads = {node.operand for node in subexpressions(*(each.expr for each in outputs)) if isinstance(node, Read)}
    operands = tuple(each for each in gradient.operands if each.name in reads)
    return verify(replace(gradient, operands=operands, outputs=outputs, checks=checks_of(outputs)))


def tangent(formula: Formula, wanted: Iterable[str]) -> Formula:
    """The Jacobian-vector product of `formula` along tangents of the operands in `wanted`, for each float output."""
    wanted = tuple(wanted)
    for name in wanted:
        require_differentiable(formula, formula.operand(name))
    names = tangent_names(formula)
    derived = {name: names[name] for name in wanted if name not in formula.declared}
    formula = _placed(formula)
    transposed = [_along_operand(formula, name, names[name]) for name in wanted if name in formula.declared]
    transposed += [_along_definition(formula, each, derived) for each in formula.adjoints]
    saved, states = _values_to_read_back(formula), SavedStates(formula.outputs)
    taken = {*taken_names(formula), *names.values()}
    outputs = []
    for output in formula.outputs:
        if output.dtype in FLOATS:
            along = _tangent_of(formula, output.expr, derived)
            parts = [] if along is None else [cast(along, output.dtype)]
            parts += [each[output.name] for each in transposed if output.name in each]
            parts = [replace_nodes(part, {**saved, **states.among((part,))}) for part in parts]
            expr = functools.reduce(lambda a, b: call("add", a, b), parts or [cast(0.0, output.dtype)])
            outputs.append(replace(output, name=unused_name("tangent", output.name, taken), expr=expr))
    return closed(formula, f"{formula.name}_tangent", tuple(outputs))


def _declared(formula: Formula, name: str) -> Expr:
    """A declared gradient is over the operand's own indices; beside the diagonal of `x[i, i]` it is 0."""
    operand = formula.operand(name)
    pairs = zip(operand.indices, targets(operand), strict=True)
    return guarded(
        conjunction(call("eq", position(own), position(target)) for own, target in pairs if own != target),
        formula.declared[name],
    )


# --- reverse mode -----------------------------------------------------------------------------------------------------


def _derive(
    formula: Formula, wanted: tuple[str, ...], seeds: set[str], changed: recurrences.Change = list
) -> Iterable[tuple[str, Expr]]:
    formula = _placed(formula)
    relevant = _nodes_that_reach(formula, wanted)
    adjoints: dict[Expr, Expr] = {}
    for output in formula.outputs:
        if output.dtype in FLOATS and output.expr in relevant and output.name in seeds:
            seed = read("d" + output.name, tuple(map(position, output.indices)), output.dtype)
            beyond = tuple(index for index in output.indices if index not in output.expr.free)
            _accumulate(adjoints, output.expr, total("sum", beyond, seed))
    order = list(subexpressions(*(output.expr for output in formula.outputs)))
    waiting = Counter(system_of(node) for node in order if isinstance(node, Recurrence))
    arrived: dict[System, dict[int, Expr]] = {}
    solved = StatesAsValues()
    reads: list[tuple[Read, Expr]] = []
    for node in reversed(order):
        adjoint = adjoints.pop(node, None)
        if node in formula.adjoints and node in relevant:
            # whatever arrives; a value of its own, as if an op had passed it on: products with it stay products
            adjoint = call("copy", formula.adjoints[node])
        if isinstance(node, Recurrence):
            system = system_of(node)
            if adjoint is not None:
                part = adjoint_of_value(node, recurrences.as_arriving(node, solved(adjoint)), formula.sizes)
                _accumulate(arrived.setdefault(system, {}), node.which, part)
            waiting[system] -= 1
            if not waiting[system] and system in arrived:  # all that is read of its states has been come by
                solved.add(node)
                for body, part in recurrences.adjoints(node, arrived[system], formula, _derive):
                    if body in relevant:
                        _accumulate(adjoints, body, total("sum", tuple(sorted(part.free - body.free)), part))
            continue
        if adjoint is None:
            continue
        if isinstance(node, Read):
            reads.append((node, adjoint))
        elif isinstance(node, Reduce):
            if node.body in relevant:
                part = adjoint_of_reduce(formula, node, adjoint)
                beyond = tuple(index for index in node.over if index not in node.body.free)
                _accumulate(adjoints, node.body, total("sum", beyond, part))
        elif isinstance(node, Scan):
            for body, part in adjoints_of_scan(node, adjoint, formula.sizes):
                if body in relevant:
                    beyond = tuple(sorted(part.free - body.free))
                    _accumulate(adjoints, body, total("sum", beyond, part))
        elif isinstance(node, Materialised):
            if node.body in relevant:
                part = adjoint_of_value(node, adjoint, formula.sizes)
                _accumulate(adjoints, node.body, total("sum", tuple(sorted(part.free - node.body.free)), part))
        elif isinstance(node, Custom):
            for child, part in custom_adjoints(node, adjoint, formula.sizes, functools.partial(_part_of, formula)):
                if child in relevant:
                    _accumulate(adjoints, child, part)
        else:
            assert isinstance(node, Apply)
            for child, part in _apply_adjoints(formula, node, adjoint, relevant):
                beyond = tuple(sorted(node.free - child.free))
                _accumulate(adjoints, child, cast(total("sum", beyond, part), child.dtype))
    saved, states = _values_to_read_back(formula), SavedStates(formula.outputs)
    first = {index for output in formula.outputs for index in output.indices}
    readings = []
    for node, adjoint in reads:
        if node.operand not in wanted:
            continue
        adjoint = solved(adjoint)
        at = tuple(map(solved, node.at))
        known = {**saved, **saved_scans((*at, adjoint), formula.outputs)}
        known.update(states.among((*at, adjoint)))
        readings.append((node, tuple(replace_nodes(each, known) for each in at), replace_nodes(adjoint, known)))
    readings = changed(readings)
    for name in wanted:
        operand = formula.operand(name)
        result: Expr | None = None
        for node, at, adjoint in readings:
            if node.operand == name:
                part = adjoint_of_read(at, adjoint, targets(operand), formula.sizes, first)
                result = part if result is None else call("add", result, part)
        result = None if result is None else eliminated(result, formula.sizes)
        yield name, cast(0.0, operand.dtype) if result is None else result


def _placed(formula: Formula) -> Formula:
    """The formula with what is chosen by a running extreme value read where that was met. A definition may be the same
    along more indices then, or the same as another one, and what arrives there is added up."""
    outputs = tuple(replace(each, expr=placed(each.expr)) for each in formula.outputs)
    adjoints: dict[Expr, Expr] = {}
    for of, expr in formula.adjoints.items():
        found = placed(of)
        if found.children:  # what is chosen may be the same everywhere: nothing arrives at a constant
            _accumulate(adjoints, found, total("sum", tuple(sorted(of.free - found.free)), expr))
    return replace(formula, outputs=outputs, adjoints=adjoints)


def _part_of(formula: Formula, expr: Expr, operand: str) -> Expr | None:
    """What `expr`, which is linear in several operands, owes to one of them."""
    return _tangent_of(formula, expr, {operand: operand})


def _nodes_that_reach(formula: Formula, wanted: tuple[str, ...]) -> set[Expr]:
    """The float nodes below which one of the wanted operands is read, but for what is detached."""
    relevant: set[Expr] = set()
    for node in subexpressions(*(output.expr for output in formula.outputs)):
        if isinstance(node, Apply) and node.function == "detach":
            continue
        if node.dtype in FLOATS and (
            (isinstance(node, Read) and node.operand in wanted) or any(child in relevant for child in node.children)
        ):
            relevant.add(node)
    return relevant


def _accumulate(adjoints: dict[Key, Expr], of: Key, part: Expr) -> None:
    adjoints[of] = call("add", adjoints[of], part) if of in adjoints else part


def _apply_adjoints(formula: Formula, node: Apply, adjoint: Expr, relevant: set[Expr]) -> Iterable[tuple[Expr, Expr]]:
    if node.function == "select":
        condition, first, second = node.children
        if first in relevant:
            yield first, call("select", condition, adjoint, 0)
        if second in relevant:
            yield second, call("select", condition, 0, adjoint)
        return
    for at, child in enumerate(node.children):
        if child in relevant:
            factor = _partial(formula, node, at)
            if factor is not None:
                yield child, scaled(adjoint, factor)


def _partial(formula: Formula, node: Apply, at: int) -> Expr | None:
    rules = PARTIALS.get(node.function)
    rule = None if rules is None else rules[at]
    if rule is UNKNOWN:
        raise NoDerivative(
            f"{formula.name}: the derivative of {node.function} by argument {at + 1} is not known; hold it fixed with "
            f"detach(…), or declare the gradient{where_declared(formula)}"
        )
    return None if rule is None else rule(node, *node.children)


def _values_to_read_back(formula: Formula) -> dict[Expr, Expr]:
    """Outputs that cost more than a read: a derivative that mentions one reads the saved output."""
    saved: dict[Expr, Expr] = {}
    for output in formula.outputs:
        expr = output.expr
        costly = isinstance(expr, (Reduce, Scan, Custom, Recurrence)) or (
            is_of_reals(expr) or (isinstance(expr, Apply) and expr.function == "pow")
        )
        if costly and expr.free == frozenset(output.indices):
            saved[expr] = read(output.name, tuple(map(position, output.indices)), output.dtype)
    return saved


# --- forward mode -----------------------------------------------------------------------------------------------------


def _tangent_of(formula: Formula, expr: Expr, wanted: Mapping[str, str]) -> Expr | None:
    """The directional derivative of `expr`; None is a zero that is never written down."""
    order = list(subexpressions(expr))
    labels: dict[int, int] = {}  # one for all systems of a label, whose equations read states by that alone
    moving: set[System] = set()
    for node in order:
        if not isinstance(node, Recurrence):
            continue
        own = [state_name(node.label, at) for at in range(len(node.axes))]
        if recurrences.depends_on(node, wanted.keys() - {*own}):
            moving.add(system_of(node))
            label = labels.setdefault(node.label, new_label())
            wanted = {**wanted, **{name: state_name(label, at) for at, name in enumerate(own)}}
    tangents: dict[Expr, Expr | None] = {}
    for node in order:
        if node.dtype not in FLOATS:
            tangents[node] = None
        elif isinstance(node, Recurrence):
            along = [tangents[body] for body in node.bodies]
            is_moving = system_of(node) in moving
            tangents[node] = recurrences.tangent(node, along, labels[node.label]) if is_moving else None
        else:
            tangents[node] = _tangent_rule(formula, node, tangents, wanted)
    return tangents[expr]


def _along_operand(formula: Formula, name: str, along: str) -> dict[str, Expr]:
    """The part of each output's tangent that comes from an operand with a declared gradient."""
    operand = formula.operand(name)
    declared = cast(_declared(formula, name), operand.dtype)
    return _along(formula, declared, targets(operand), lambda at: read(along, at, operand.dtype))


def _along_definition(formula: Formula, of: Expr, wanted: Mapping[str, str]) -> dict[str, Expr]:
    """The same of a local definition with a declared adjoint."""
    tangent_of = _tangent_of(formula, of.children[0], wanted)
    if tangent_of is None:
        return {}
    over = tuple(sorted(of.free))
    here = functools.partial(_at, tangent_of, over)
    return _along(formula, cast(formula.adjoints[of], of.dtype), over, here)


def _at(expr: Expr, over: tuple[str, ...], at: tuple[Expr, ...]) -> Expr:
    """An expression over these indices at these positions."""
    return substitute(expr, dict(zip(over, at, strict=True)))


def _along(
    formula: Formula, declared: Expr, over: tuple[str, ...], tangent_at: Callable[[tuple[Expr, ...]], Expr]
) -> dict[str, Expr]:
    """What the tangent of each output owes to something, over the indices `over`, with this declared gradient."""
    seeds = {"d" + each.name: each for each in formula.outputs if each.dtype in FLOATS}
    operands = tuple(as_operand(each, name) for name, each in seeds.items())
    found = _transposed(formula, declared, over, operands, tangent_at)
    return {each.name: found[name] for name, each in seeds.items()}


def _transposed(
    formula: Formula,
    declared: Expr,
    over: tuple[str, ...],
    seeds: tuple[Operand, ...],
    tangent_at: Callable[[tuple[Expr, ...]], Expr],
) -> dict[str, Expr]:
    """`declared`, over the indices `over`, is linear in the operands `seeds`: the transpose of that, for each of them,
    of a tangent over the same indices."""
    result = Output(_TANGENT, declared, tuple((index,) for index in over))
    linear = Formula(formula.name, seeds, formula.attributes, (result,), formula.sizes, declared_at=formula.declared_at)
    found: dict[str, Expr] = {}
    for name, expr in _derive(linear, tuple(seed.name for seed in seeds), {_TANGENT}):
        nodes = (node for node in subexpressions(expr) if isinstance(node, Read) and node.operand == "d" + _TANGENT)
        found[name] = replace_nodes(expr, {node: tangent_at(node.at) for node in nodes})
    _require_linear(formula, declared, [seed.name for seed in seeds], found)
    return found


_STEPS = ("sign", "floor", "ceil", "round", "trunc", "detach")


def _require_linear(formula: Formula, declared: Expr, seeds: Sequence[str], transposed: Mapping[str, Expr]) -> None:
    """Raise NoDerivative if what was declared is not linear in the adjoints: its derivative by one of these reads one,
    as that of a limit does, or itself; it has the sign of one, or one in whole numbers or detached; or it has something
    beside multiples of them."""

    def reads(*exprs: Expr) -> set[str]:
        found, waiting = set[Expr](), [*exprs]
        while waiting:
            node = waiting.pop()
            if node not in found:
                found.add(node)
                waiting += node.at if isinstance(node, Enclosed) else node.children  # which binds seeds of its own
        operands = {node.operand for node in found if isinstance(node, Read)}
        return {*seeds} if _TANGENT in operands else operands.intersection(seeds)

    wrong = reads(*transposed.values())
    for node in subexpressions(declared):
        if isinstance(node, Apply) and node.function in _STEPS:
            wrong |= reads(node)
    if not vanishes_with(declared, seeds):
        wrong.update(seeds)
    if wrong:
        raise NoDerivative(
            f"{formula.name}: the gradient that is declared{where_declared(formula)} is not linear in "
            f"{_shown(min(wrong))}, so it holds for backward alone: there is no tangent of which it would be the "
            "transpose"
        )


def _shown(seed: str) -> str:
    """An adjoint by the name that its author knows; that of an op which is used here has a name of the compiler's."""
    return "the gradient of its value" if " " in seed else seed


def _tangent_of_custom(formula: Formula, node: Custom, tangents: Mapping[Expr, Expr | None]) -> Expr | None:
    """That of the value, in which what was declared is detached, and the transpose of what was declared."""
    seed, outer = node.seed(node.which), tuple(sorted(node.closure))
    along = tangents[node.values[node.which]]
    operand = Operand(seed, node.dtype, tuple((index,) for index in (*node.axes[node.which], *outer)))
    seed_at = functools.partial(_read_beside, seed, outer, node.dtype)
    for at, (argument, axes) in enumerate(zip(node.arguments, node.argument_axes, strict=True)):
        inner = tangents[argument]
        if inner is None:
            continue
        part = declared_part(node, at, seed_at, functools.partial(_part_of, formula))
        if part is not None:
            over = (*axes, *outer)
            here = functools.partial(_at, inner, over)
            found = _transposed(formula, cast(part, argument.dtype), over, (operand,), here)[seed]
            along = found if along is None else call("add", along, found)
    return None if along is None else cast(at_positions(node, along, node.at), node.dtype)


def _read_beside(operand: str, outer: tuple[str, ...], dtype: str, at: tuple[Expr, ...]) -> Expr:
    return read(operand, (*at, *map(position, outer)), dtype)


def _tangent_rule(
    formula: Formula, node: Expr, tangents: Mapping[Expr, Expr | None], wanted: Mapping[str, str]
) -> Expr | None:
    if isinstance(node, Read):
        return read(wanted[node.operand], node.at, node.dtype) if node.operand in wanted else None
    along = [tangents[child] for child in node.children]
    if all(each is None for each in along):
        return None
    if node in formula.adjoints:
        return None
    if isinstance(node, Custom):
        return _tangent_of_custom(formula, node, tangents)
    if isinstance(node, Materialised):
        assert along[-1] is not None
        return substitute(along[-1], dict(zip(node.axes[0], node.at, strict=True)))
    if isinstance(node, Scan):
        return tangent_of_scan(node, along[1:])
    if isinstance(node, Reduce):
        inner = along[0]
        assert inner is not None
        return tangent_of_reduce(formula, node, inner)
    assert isinstance(node, Apply)
    if node.function == "select":
        zero = cast(0.0, node.dtype)
        return call("select", node.children[0], along[1] or zero, along[2] or zero)
    result: Expr | None = None
    for at, inner in enumerate(along):
        factor = None if inner is None else _partial(formula, node, at)
        if inner is not None and factor is not None:
            part = cast(scaled(inner, factor), node.dtype)
            result = part if result is None else call("add", result, part)
    return result
