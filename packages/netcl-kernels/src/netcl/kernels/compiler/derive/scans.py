"""Derivatives of scans, which are scans again: of a running sum the sum that runs the other way, of a recurrence
h = a * h + b the recurrence of its adjoints, of a running extreme value the value at the place where it was met.

With `h` the running value at s and `c` what arrives there from outside (both over s), and for a forward scan:

    sum     dbody[s] = g[s]                      g[s] = g[s + 1] + c[s]
    prod    dbody[s] = g[s] * h[s - 1]           g[s] = body[s + 1] * g[s + 1] + c[s]
    scan    db[s] = g[s], da[s] = g[s] * h[s - 1]    g[s] = a[s + 1] * g[s + 1] + c[s]

No step divides, so that a product with zeros in it is as good as any other, and every derivative can be differentiated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from netcl.kernels.compiler.derive.selected import any_along, is_alive, scaled
from netcl.kernels.compiler.derive.solve import adjoint_of_read
from netcl.kernels.compiler.ir import (
    FLOATS,
    Apply,
    Expr,
    Output,
    Position,
    Reduce,
    Scan,
    fresh,
    indices_of,
    number,
    position,
    read,
    size,
    subexpressions,
)
from netcl.kernels.compiler.ir.binding import rebuilt, rename, running, substitute, total
from netcl.kernels.compiler.ir.simplify import call


def placed(expr: Expr) -> Expr:
    """`expr` with every running extreme value read where it was met: there its derivative goes, to the first of equal
    values."""
    memo: dict[Expr, Expr] = {}
    for node in subexpressions(expr):
        if isinstance(node, Apply) and node.function == "detach":
            memo[node] = node
            continue
        new = rebuilt(node, tuple(memo[child] for child in node.children))
        if isinstance(new, Scan) and new.kind in ("max", "min") and new.dtype in FLOATS:
            where = running("arg" + new.kind, new.index, new.backward, new.at, *new.bodies)
            new = substitute(new.bodies[0], {new.index: where})
        memo[node] = new
    return memo[expr]


def adjoints_of_scan(node: Scan, adjoint: Expr, sizes: Mapping[str, Expr]) -> Iterator[tuple[Expr, Expr]]:
    """Each body of `node` with its adjoint, given that of `node`."""
    bodies = node.bodies
    common = tuple(sorted(frozenset().union(*(body.free for body in bodies)) - {node.index}))
    at = (node.at, *map(position, common))
    arriving = adjoint_of_read(at, adjoint, (node.index, *common), sizes)
    here = position(node.index)
    if node.kind == "sum":
        yield bodies[0], running("sum", node.index, not node.backward, here, arriving)
        return
    back = _brought_back(node, arriving)
    if node.kind == "scan":
        yield bodies[1], back
    yield bodies[0], scaled(back, _before(node, here))


def _brought_back(node: Scan, arriving: Expr) -> Expr:
    """The recurrence of the adjoints of `node`. Where all that arrives are zeros that a select chose, there is none."""
    backward, here = not node.backward, position(node.index)
    alive = any_along(node.index, backward, here, is_alive(arriving))
    varies = node.index in alive.free
    factor = call("select", alive, node.bodies[0], 0) if varies else node.bodies[0]
    return call("select", alive, running("scan", node.index, backward, here, _after(node, factor), arriving), 0)


def renamed(node: Reduce, indices: Sequence[str]) -> dict[str, str]:
    """A new name for each of these indices that `node` binds."""
    names: dict[str, str] = {}
    for index in indices:
        names[index] = fresh(index, {*indices_of(node), *names.values()})
    return names


def others_along(node: Reduce) -> Expr:
    """The product of all other bodies of a product, for all in as many steps as there are bodies: of those before and
    those behind along the first index that it binds, which are products over the rest, of those here along the next."""
    found: Expr = number(1, node.dtype)
    for at, index in enumerate(node.over):
        names = renamed(node, node.over[at:])
        along, *rest = names.values()
        products = total("prod", tuple(rest), rename(node.body, names))
        for backward in (False, True):
            whole = running("prod", along, backward, position(index), products)
            assert isinstance(whole, Scan)
            found = call("mul", found, _before(whole, position(index)))
    return found


def tangent_of_scan(node: Scan, along: Sequence[Expr | None]) -> Expr:
    """The tangent of `node`, given those of its bodies (None is zero)."""
    if node.kind == "sum":
        assert along[0] is not None
        return running("sum", node.index, node.backward, node.at, along[0])
    here = position(node.index)
    moved = scaled(along[0], _before(node, here)) if along[0] is not None else None
    added = along[1] if node.kind == "scan" else None
    step = moved if added is None else added if moved is None else call("add", added, moved)
    assert step is not None
    return running("scan", node.index, node.backward, node.at, node.bodies[0], step)


def saved_scans(exprs: Sequence[Expr], outputs: Sequence[Output]) -> dict[Expr, Expr]:
    """What `exprs` mention of a scan that is an output, at whatever position: there the output can be read."""
    found: dict[Expr, Expr] = {}
    whole = [each for each in outputs if each.expr.free == frozenset(each.indices)]
    known = [(output, output.expr) for output in whole if isinstance(output.expr, Scan)]
    nodes = [node for node in subexpressions(*exprs) if isinstance(node, Scan)] if known else []
    for node in nodes:
        for output, scan in known:
            if not _same_scan(node, scan):
                continue
            assert isinstance(scan.at, Position)
            along = scan.at.index
            at = tuple(node.at if index == along else position(index) for index in output.indices)
            found[node] = read(output.name, at, output.dtype)
    return found


def _same_scan(one: Scan, other: Scan) -> bool:
    if (one.kind, one.backward) != (other.kind, other.backward) or not isinstance(other.at, Position):
        return False
    if any(other.at.index in body.free for body in other.bodies):
        return False
    renamed = (rename(body, {one.index: other.index}) for body in one.bodies)
    return all(mine is body for mine, body in zip(renamed, other.bodies, strict=True))


def _before(node: Scan, here: Expr) -> Expr:
    """The running value of `node` one step before `here`; before the first, what changes nothing."""
    step = call("add" if node.backward else "sub", here, 1)
    start = number(1 if node.kind == "prod" else 0, node.dtype)
    return call("select", _inside(node, step), running(node.kind, node.index, node.backward, step, *node.bodies), start)


def _after(node: Scan, factor: Expr) -> Expr:
    """The factor of the next step of `node`, which brings its adjoint back to this one."""
    step = call("sub" if node.backward else "add", position(node.index), 1)
    return call("select", _inside(node, step), substitute(factor, {node.index: step}), 0)


def _inside(node: Scan, step: Expr) -> Expr:
    """Whether `step`, one to the left or right of the index of `node`, is in range."""
    return call("and", call("ge", step, 0), call("lt", step, size(node.index)))
