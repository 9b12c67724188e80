"""What a program means, in PyTorch: an axis for every index name, and plain broadcasting.

A branch of a choice is evaluated under a *mask* of where it is taken: elsewhere operands and the arguments of functions
with a domain are replaced by ordinary numbers, so that nothing of a branch that is not taken reaches a derivative.
`doubt` is set where rounding decides: at values that are all but equal, or equal without being exact.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
import torch_functions as meaning
from functions import COMPARISONS, FUNCTIONS, OWN
from programs import (
    Apply,
    Choose,
    Define,
    Moved,
    Named,
    Node,
    Number,
    Op,
    Position,
    Program,
    Read,
    Recurrence,
    Reduce,
    Running,
    Size,
    Use,
    Within,
)
from torch_values import EXACT, LOOSE, POINT, Doubts, Value, alike, both, nth, where

Tensor = torch.Tensor
INF = float("inf")


def outputs(program: Program, arrays: Mapping[str, Tensor], lengths: Mapping[str, int]) -> tuple[list[Tensor], bool]:
    """The outputs of the last op, over their own axes, and whether rounding decided about one."""
    fed: Value | None = None
    doubt = False
    found: list[Tensor] = []
    for op in program.ops:
        operands = {each.name: Value(arrays[each.name]) for each in op.operands if each.name in arrays}
        if fed is not None:
            operands[program.fed] = fed
        oracle = Oracle(op, operands, lengths)
        values = [oracle.output(each.name) for each in op.outputs]
        found, fed, doubt = [each.data for each in values], values[0], doubt or oracle.doubt
    return found, doubt


@dataclass
class Oracle(Doubts):
    op: Op
    operands: Mapping[str, Value]
    given: Mapping[str, int]
    _known: dict[tuple[str, int], tuple[Tensor | None, Value]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.names = self.op.indices()
        self.axis = {name: at for at, name in enumerate(self.names)}
        self.lengths = {name: self.given[self.op.aliases.get(name, name)] for name in self.names}
        self.statements = {each.name: each for each in (*self.op.statements, *self.op.outputs)}
        self.kind = {each.name: each for each in self.op.operands}

    def output(self, name: str) -> Value:
        [output] = [each for each in self.op.outputs if each.name == name]
        found = self.named(name, None)
        wide = found.data.expand([self.lengths[i] if i in output.axes else 1 for i in self.names])
        order = [self.axis[i] for i in output.axes]
        rest = [at for at in range(len(self.names)) if at not in order]
        return Value(wide.permute(order + rest).reshape([self.lengths[i] for i in output.axes]), found.exact)

    # --- one construct after the other --------------------------------------------------------------------------------

    def of(self, node: Node, mask: Tensor | None) -> Value:
        """The value of a node where the mask holds; None holds everywhere."""
        if isinstance(node, Number):
            return Value(self.number(node.value))
        if isinstance(node, Position):
            return Value(self.position(node.index))
        if isinstance(node, Size):
            return Value(torch.tensor(self.lengths[node.index]).reshape([1] * len(self.names)))
        if isinstance(node, Within):
            place = self.of(node.place, mask).data
            length = self.lengths[node.index]
            self.inside((place >= -length) & (place < length), mask)
            return Value(torch.where(place < 0, place + length, place))
        if isinstance(node, Moved):
            return self.moved(node, mask)
        if isinstance(node, Named):
            return self.named(node.name, mask)
        if isinstance(node, Read):
            return self.read(node, mask)
        if isinstance(node, Apply):
            return self.apply(node, mask)
        if isinstance(node, Choose):
            condition = self.of(node.condition, mask)
            yes = self.of(node.yes, both(mask, condition.data))
            no = self.of(node.no, both(mask, ~condition.data))
            exact = LOOSE if LOOSE in (yes.exact, no.exact) else max(yes.exact, no.exact)
            return Value(torch.where(condition.data, *alike(yes.data, no.data)), exact)
        if isinstance(node, Reduce):
            inner = self.without(node.over, mask)
            body = self.of(node.body, inner)
            return self.reduce(node.kind, node.over, body, self.everywhere(), inner)
        if isinstance(node, Running):
            return self.running(node, mask)
        if isinstance(node, Recurrence):
            return self.recurrence(node, mask)
        raise TypeError(f"no meaning for {node!r}")

    def named(self, name: str, mask: Tensor | None) -> Value:
        key = (name, id(mask))
        if key not in self._known:
            self._known[key] = (mask, self.statement(name, mask))  # the mask is kept, so that its id is its own
        return self._known[key][1]

    def statement(self, name: str, mask: Tensor | None) -> Value:
        each = self.statements[name]
        if isinstance(each, Use):
            return self.used(each, mask)
        if not isinstance(each, Define) and each.declared:
            inner = self.of(each.node.arguments[0], mask)
            self.step(inner, mask) if FUNCTIONS[each.node.function].steps else None
            return Value(meaning.LAST_STEPS[each.declared](inner.data), max(POINT, inner.exact))
        return self.of(each.node, mask)

    def used(self, use: Use, mask: Tensor | None) -> Value:
        if use.row:
            inner = self.without((use.row,), mask)
            values = [self.of(each, inner) for each in use.arguments]
            axis, length = self.axis[use.row], self.lengths[use.row]
            wide = [
                each.data.expand([length if at == axis else n for at, n in enumerate(each.data.shape)])
                for each in values
            ]
            if use.op in ("amax", "amin"):
                return self.reduce(use.op[1:], (use.row,), values[0], self.everywhere(), inner)
            found = meaning.ROWS[use.op](*wide, axis)
            self.defined(found, inner)
            return Value(found, LOOSE)
        values = [self.of(each, mask) for each in use.arguments]
        if use.op in OWN:
            if use.op != "own_reversed":
                self.step(values[0], mask)
            return Value(meaning.OWN[use.op](values[0].data), max(POINT, values[0].exact))
        if use.op in ("maximum", "relu", "add_relu", "hardtanh", "elu", "leaky_relu"):
            zero = Value(self.number(0.0))
            self.near(values[0], values[1] if len(values) > 1 else zero, mask)
            if use.op == "hardtanh":
                self.step(values[0], mask)
            if use.op == "add_relu":
                self.near(values[0], Value(-values[1].data, values[1].exact), mask)
        data = meaning.POINT_OPS[use.op](*alike(*(each.data for each in values)))
        return Value(data, POINT if all(each.exact == EXACT for each in values) else LOOSE)

    def read(self, node: Read, mask: Tensor | None) -> Value:
        operand, shape = self.operands[node.operand], [self.given[axis] for axis in self.kind[node.operand].axes]
        places = [self.of(each, mask).data for each in node.places]
        if not places:
            found = operand.data.reshape([1] * len(self.names))
            return Value(where(mask, found, 0.5), operand.exact)
        valid = self.everywhere()
        for place, length in zip(places, shape, strict=True):
            valid = valid & (place >= 0) & (place < length)
        if node.otherwise is None:
            self.inside(valid, mask)
        wide = torch.broadcast_shapes(*(place.shape for place in places))
        if 0 in shape:
            found = torch.zeros(wide, dtype=operand.data.dtype)
        else:
            found = operand.data[tuple(place.clamp(0, n - 1) for place, n in zip(places, shape, strict=True))]
        if node.otherwise is not None:
            otherwise = self.of(node.otherwise, both(mask, ~valid))
            return Value(
                torch.where(valid, *alike(where(both(mask, valid), found, 0.5), otherwise.data)), operand.exact
            )
        return Value(where(mask, found, 0.5), operand.exact)

    def moved(self, node: Moved, mask: Tensor | None) -> Value:
        """A value along one axis at the places that depend on that axis alone; it is needed where one of these is."""
        axis, length = self.axis[node.index], self.lengths[node.index]
        place = self.of(node.place, None).data.long()
        valid = (place >= 0) & (place < length)
        if node.otherwise is None:
            self.inside(valid, mask)
        whole = self.named(node.name, self.without((node.index,), mask))
        wide = whole.data.expand([length if at == axis else n for at, n in enumerate(whole.data.shape)])
        found = wide.index_select(axis, place.clamp(0, max(length - 1, 0)).reshape(-1)) if length else wide
        if node.otherwise is None:
            return Value(found, whole.exact)
        otherwise = self.of(node.otherwise, both(mask, ~valid))
        return Value(torch.where(valid, *alike(found, otherwise.data)), max(whole.exact, otherwise.exact))

    def apply(self, node: Apply, mask: Tensor | None) -> Value:
        function = FUNCTIONS[node.function]
        values = [self.of(each, mask) for each in node.arguments]
        if function.safe and mask is not None:
            values = [Value(where(mask, v.data, s), v.exact) for v, s in zip(values, function.safe, strict=True)]
        if node.function in COMPARISONS or node.function in ("max", "min"):
            self.near(values[0], values[1], mask)
        if function.steps:
            self.step(values[0], mask)
        if node.function in ("ramp", "abs"):
            self.near(values[0], Value(self.number(0.0)), mask)
        data = [each.data for each in values]
        exact = max(each.exact for each in values)
        if function.keeps == "point":
            exact = POINT if exact == EXACT else LOOSE
        elif len(values) > 1 and exact == POINT and node.function not in ("max", "min"):
            exact = LOOSE
        found = meaning.FUNCTIONS[node.function](*(alike(*data) if len(data) > 1 else data))
        self.defined(found, mask)
        return Value(found, exact)

    def running(self, node: Running, mask: Tensor | None) -> Value:
        here, end = self.position(node.index), self.position(node.to)
        valid = {"<=": here <= end, "<": here < end, ">=": here >= end, ">": here > end}[node.sign]
        if node.kind == "argsort":
            return self.argsort(node, self.of(node.body, self.without((node.index, node.to), mask)))
        inner = self.without((node.index,), mask)
        kind = node.kind
        if kind.endswith(("max", "min")):
            # The one that is met first takes the gradient, going the way that the sign says.
            kind = ("first_" if node.sign in ("<=", "<") else "last_") + kind.removeprefix("first_")
        return self.reduce(kind, (node.index,), self.of(node.body, inner), valid, inner)

    def argsort(self, node: Running, body: Value) -> Value:
        axis, to = self.axis[node.index], self.axis[node.to]
        length = self.lengths[node.index]
        keys = body.data.expand([length if at == axis else n for at, n in enumerate(body.data.shape)])
        self.apart(keys, axis, body.exact)
        order = torch.sort(keys.detach(), dim=axis, stable=True, descending=node.sign in (">=", ">")).indices
        return Value(order.transpose(axis, to))

    def recurrence(self, node: Recurrence, mask: Tensor | None) -> Value:
        axis, to, length = self.axis[node.index], self.axis[node.to], self.lengths[node.index]
        inner = self.without((node.index, node.to), mask)
        factor, term = alike(self.of(node.factor, inner).data, self.of(node.term, inner).data)
        wide = [length if at == axis else n for at, n in enumerate(torch.broadcast_shapes(factor.shape, term.shape))]
        factor, term = factor.expand(wide), term.expand(wide)
        steps, held = [], None
        for at in range(length) if node.sign == "<=" else reversed(range(length)):
            now = term.narrow(axis, at, 1)
            held = now if held is None else factor.narrow(axis, at, 1) * held + now
            steps.append(held)
        steps = steps if node.sign == "<=" else steps[::-1]
        found = torch.cat(steps, axis) if steps else term
        return Value(found.transpose(axis, to), LOOSE)

    def reduce(self, kind: str, over: tuple[str, ...], body: Value, valid: Tensor, mask: Tensor | None) -> Value:
        """Over the axes of some indices, of the places that are valid."""
        axes = [self.axis[index] for index in over]
        shape = list(torch.broadcast_shapes(body.data.shape, valid.shape))
        for index in over:
            shape[self.axis[index]] = self.lengths[index]
        data, valid = body.data.expand(shape), valid.expand(shape)
        exact = body.exact if body.exact == EXACT else LOOSE
        if kind == "sum":
            return Value(torch.where(valid, data, torch.zeros_like(data)).sum(axes, keepdim=True), exact)
        if kind in ("any", "all"):
            seen = (valid & data) if kind == "any" else (~valid | data)
            for at in axes:
                seen = seen.any(at, keepdim=True) if kind == "any" else seen.all(at, keepdim=True)
            return Value(seen)
        # One axis for all, at the end, in row-major order.
        rest = [at for at in range(len(shape)) if at not in axes]
        many = math.prod(shape[at] for at in axes)
        flat = data.permute(rest + axes).reshape([shape[at] for at in rest] + [many])
        counts = valid.permute(rest + axes).reshape(flat.shape)
        ends = [1 if at in axes else n for at, n in enumerate(shape)]
        if kind == "prod":
            found = torch.ones_like(flat.sum(-1))
            for at in range(flat.shape[-1]):
                found = found * torch.where(counts[..., at], flat[..., at], torch.ones_like(found))
            return Value(found.reshape(ends), exact)
        return self.extreme(kind, flat, counts, body, ends, self.matters(mask, shape, rest, axes, flat))

    def extreme(self, kind: str, flat: Tensor, counts: Tensor, body: Value, ends: list[int], matters: Tensor) -> Value:
        whole = not flat.is_floating_point()
        sign = -1 if kind.endswith("min") else 1
        worst: float = -sign * INF
        if whole:
            worst = torch.iinfo(torch.int64).min if sign > 0 else torch.iinfo(torch.int64).max
        filled = torch.where(counts, flat, torch.full_like(flat, worst)).detach()
        if flat.shape[-1] == 0:
            none = torch.zeros(ends, dtype=torch.int64) if "arg" in kind else torch.full(ends, worst)
            return Value(none)
        top = (filled * sign).amax(-1, keepdim=True) * sign
        equal = counts & ((flat == top) | (torch.isnan(flat) & torch.isnan(top)))
        if not whole:
            close = counts & matters & ((flat - top).abs() <= 1e-9 * (1 + top.abs())) & torch.isfinite(top)
            hazard = (close & ~equal) if body.exact != LOOSE else close
            if bool((hazard.sum(-1) > (0 if body.exact != LOOSE else 1)).any()):
                self.doubt = True
        if "arg" in kind:
            return Value(nth(equal, last=kind.startswith("last")).int().argmax(-1).reshape(ends))
        shared = equal if kind in ("max", "min") else nth(equal, last=kind.startswith("last"))
        count = shared.sum(-1)
        share = torch.where(shared, flat, torch.zeros_like(flat)).sum(-1)
        if whole:
            return Value(top.squeeze(-1).reshape(ends))
        share = share / count.clamp(min=1)
        # The value is the extreme itself, the slope that of the mean of what is equal to it.
        value = torch.where(torch.isfinite(share), top.squeeze(-1) + (share - share.detach()), share)
        value = torch.where(count > 0, value, top.squeeze(-1))
        return Value(value.reshape(ends), body.exact)

    # --- places and masks ---------------------------------------------------------------------------------------------

    def number(self, value: float) -> Tensor:
        return torch.full([1] * len(self.names), value)

    def position(self, index: str) -> Tensor:
        shape = [1] * len(self.names)
        shape[self.axis[index]] = self.lengths[index]
        return torch.arange(self.lengths[index]).reshape(shape)

    def everywhere(self) -> Tensor:
        return torch.ones([1] * len(self.names), dtype=torch.bool)

    def without(self, over: tuple[str, ...], mask: Tensor | None) -> Tensor | None:
        """The mask for what has indices of its own under these names: where it is needed for any of the others."""
        for index in over:
            if mask is not None and mask.shape[self.axis[index]] != 1:
                mask = mask.any(self.axis[index], keepdim=True)
        return mask

    def matters(self, mask: Tensor | None, shape: list[int], rest: list[int], axes: list[int], flat: Tensor) -> Tensor:
        if mask is None:
            return torch.ones_like(flat, dtype=torch.bool)
        wide = mask.expand(torch.broadcast_shapes(mask.shape, tuple(shape)))
        return (
            wide.permute(rest + axes).reshape(flat.shape)
            if list(wide.shape) == shape
            else torch.ones_like(flat, dtype=torch.bool)
        )
