"""Expressions as statements: every value once, in the loop where it belongs.

Input: a LoopKernel. `value(node, scope)` writes what `node` needs into the scopes it belongs to and returns its text.
A value that is used once is written inside the expression that uses it. Reads that a `select` protects are themselves
protected, so that both branches can be written without reading out of range. How a Reduce is written comes from
outside: `reductions` knows a Body, not the other way round.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from netcl.kernels.compiler.ir import (
    FLOATS,
    HALVES,
    Apply,
    Attribute,
    Expr,
    Number,
    Position,
    Read,
    Reduce,
    Size,
    position,
    root,
    subexpressions,
)
from netcl.kernels.compiler.lower.guards import Guards
from netcl.kernels.compiler.lower.kernel import Access, Argument
from netcl.kernels.compiler.opencl.helpers import Helpers
from netcl.kernels.compiler.opencl.names import Names
from netcl.kernels.compiler.opencl.scope import Scope
from netcl.kernels.compiler.opencl.spelling import repeats_arguments, spelled
from netcl.kernels.compiler.opencl.types import LANES, Value, chosen, computed, converted, literal
from netcl.kernels.compiler.targets.cpu.emit.accumulate import Accumulator, accumulator
from netcl.kernels.compiler.targets.cpu.loops import LoopKernel

_LONGEST = 96


class Loops(Protocol):
    """Writes the Reduces of one kernel."""

    def write(self, node: Reduce, home: Scope) -> None:
        """The loops of `node` into `home`, and its value there."""


class Body:
    """Writes the expressions of one kernel, its Reduces by `loops`. Arguments are collected as they are first used."""

    def __init__(self, kernel: LoopKernel, helpers: Helpers, loops: Callable[[Body], Loops]) -> None:
        self.kernel = kernel
        self.helpers = helpers
        self.names = Names()
        self.arguments: dict[tuple[str, str, str], Argument] = {}
        self.c_indices: dict[str, str] = {}
        self.one = ""
        roots = [write.expr for write in kernel.writes]
        self.guards = Guards(roots, kernel.accesses, kernel.loops.blocked)
        self._positions = {*kernel.positions}
        self._wrapping: dict[Expr, bool] = {}
        self.uses: dict[Expr, int] = {}
        for node in subexpressions(*roots, *self.guards.conditions()):
            for child in node.children:
                self.uses[child] = self.uses.get(child, 0) + 1
        for node in (*roots, *self.guards.conditions()):
            self.uses[node] = self.uses.get(node, 0) + 1
        self.loops = loops(self)

    # --- arguments -------------------------------------------------------------------------------------------------

    def argument(self, kind: str, of: str = "", index: str = "") -> str:
        """The C name of an argument, which the kernel then has."""
        if kind == "size":
            index = root(index)
        key = (kind, of, index)
        if key not in self.arguments:
            wanted = {
                "buffer": of, "offset": f"{of}_offset", "stride": f"{of}_stride_{index}",
                "size": f"size_{index}", "attribute": of, "block": f"block_{index}",
            }.get(kind)  # fmt: skip
            name = self.names.fresh(wanted) if wanted is not None else self.names.own(of or kind)
            self.arguments[key] = Argument(kind, name, of, index)
        return self.arguments[key].name

    def index_name(self, index: str) -> str:
        """The C variable of an index; an inner loop over the same index hides the outer one, as in the formula."""
        if index not in self.c_indices:
            self.c_indices[index] = self.names.fresh(index)
        return self.c_indices[index]

    def place(self, node: Reduce, scope: Scope) -> str:
        """The flat position of `scope` in what `node` reduces; empty where only values count."""
        flat = ""
        for index in node.over if node.kind.startswith("arg") else ():
            at = self.value(position(index), scope).text
            flat = f"({flat}) * {self.argument('size', index=index)} + {at}" if flat else at
        return flat

    # --- values ----------------------------------------------------------------------------------------------------

    def value(self, node: Expr, scope: Scope) -> Value:
        """`node` as text that may stand in `scope`."""
        home = scope.home(self.guards.depends(node))
        if node in home.values:
            return home.values[node]
        if isinstance(node, Reduce):
            self.loops.write(node, home)
            return home.values[node]
        value = self._made(node, home)
        if value.atom:
            return value
        alone = self.uses.get(node, 0) <= 1 and home is scope and len(value.text) <= _LONGEST
        return value if alone else self.named(value, home, *self._word_of(node), node)

    def named(self, value: Value, scope: Scope, word: str, of: str = "", node: Expr | None = None) -> Value:
        """The value under a name, as a statement of `scope`: a word of ours, or that behind the name `of` something."""
        if value.atom:
            return value
        name = self._fresh(word, of)
        scope.lines.append(f"const {computed(value.dtype, value.lanes)} {name} = {value.bare};")
        result = Value(name, value.dtype, value.lanes, atom=True)
        if node is not None:
            scope.values[node] = result
        return result

    def accumulator(self, node: Reduce, name: str, lanes: int) -> Accumulator:
        """What `node` accumulates in, under this name."""
        return accumulator(node, name, lanes, self.helpers)

    def lanes(self, node: Expr, scope: Scope) -> int:
        """How many lanes `node` has in `scope`."""
        return max((scope.binder(index).lanes for index in self.guards.depends(node)), default=1)

    def _made(self, node: Expr, home: Scope) -> Value:
        if isinstance(node, Number):
            return Value(literal(node.value, node.dtype), node.dtype, atom=True)
        if isinstance(node, Attribute):
            return Value(self.argument("attribute", node.name), node.dtype, atom=True)
        if isinstance(node, Size):
            return Value(self.argument("size", index=node.index), node.dtype, atom=True)
        if isinstance(node, Position):
            return self._position(node, home)
        if isinstance(node, Read):
            return self._read(node, home)
        assert isinstance(node, Apply)
        arguments = [self.value(child, home) for child in node.children]
        if repeats_arguments(node):
            arguments = [self.named(each, home, "t") for each in arguments]
        return spelled(node, arguments, self.helpers, self._wraps(node))

    def _wraps(self, node: Expr) -> bool:
        """Whether integer arithmetic may leave what its dtype holds. That on positions and sizes does not, nor that on
        numbers of the caller in positions: `magnitude` has seen to that."""
        found = self._wrapping.get(node)
        if found is None:
            if isinstance(node, Attribute):
                found = node not in self._positions
            elif isinstance(node, (Number, Position, Size)):
                found = False
            else:
                found = not isinstance(node, Apply) or any(self._wraps(child) for child in node.children)
            self._wrapping[node] = found
        return found

    def _position(self, node: Position, home: Scope) -> Value:
        name = self.index_name(node.index)
        if home.binder(node.index).lanes == 1:
            return Value(name, "int64", atom=True)
        steps = ", ".join(str(lane) for lane in range(LANES))
        text = f"{name} + (long{LANES})({steps})"
        return self.named(Value(text, "int64", LANES), home, "lanes", name, node)

    def _word_of(self, node: Expr) -> tuple[str, str]:
        """What a value is called, and after what."""
        if isinstance(node, Read):
            return "value", self.kernel.accesses[node.operand].buffer
        return {"bool": "is", "int64": "at"}.get(node.dtype, "t"), ""

    def _fresh(self, word: str, of: str) -> str:
        return self.names.fresh(f"{of}_{word}") if of else self.names.own(word)

    # --- memory ----------------------------------------------------------------------------------------------------

    def address(self, access: Access, scope: Scope) -> tuple[str, str]:
        """The address of the first lane, and the stride between lanes ("0" when they share the element)."""
        terms = [self.argument("offset", access.name)]
        between = "0"
        for index, stride in access.strides.items():
            factor = "1" if stride == 1 else self.argument("stride", access.name, index)
            name = self.index_name(index)
            terms.append(name if stride == 1 else f"{name} * {factor}")
            if scope.binder(index).lanes > 1:
                between = factor
        return " + ".join(terms), between

    def _read(self, node: Read, home: Scope) -> Value:
        access = self.kernel.accesses[node.operand]
        buffer = self.argument("buffer", access.buffer)
        address, between = self.address(access, home)
        guard = self._guard(node, home)
        positions = node.at[len(access.strides) :]
        moving: list[tuple[Value, str]] = []
        for number, (place, limit) in enumerate(zip(positions, access.limits, strict=True)):
            at = self.value(place, home)
            if limit is not None or at.lanes > 1:
                at = self.named(at, home, "at", node=place)
            factor = "1" if access.dynamic[number] == 1 else self.argument("stride", access.name, f"@{number}")
            if limit is not None:
                guard = self._and(guard, self._within(at, self.value(limit, home)))
            if at.lanes > 1:
                moving.append((at, factor))
            else:
                address += f" + {at.text}" if factor == "1" else f" + {at.text} * {factor}"
        outside = literal(float("nan") if any(access.limits) and access.dtype in FLOATS else 0, access.dtype)
        if guard is not None and not guard.atom:
            guard = self.named(guard, home, "inside")
        lanes = self.lanes(node, home) if moving or between != "0" or (guard is not None and guard.lanes > 1) else 1
        if lanes == 1:
            text = self._element(buffer, address, access.dtype)
            return chosen(guard.text, text, outside, access.dtype) if guard else Value(text, access.dtype)
        if between == "1" and not moving and guard is None:
            return self._vector(buffer, address, access.dtype, lanes)
        return self._gathered(node, home, buffer, address, between, moving, guard, outside)

    def _gathered(
        self, node: Read, home: Scope, buffer: str, address: str, between: str, moving: list[tuple[Value, str]],
        guard: Value | None, outside: str,
    ) -> Value:  # fmt: skip
        """Lane by lane; in one piece when the lanes are neighbours and all of them are inside, or none."""
        access = self.kernel.accesses[node.operand]
        base = self.named(Value(address, "int64"), home, "at", buffer)
        elements = []
        for lane in range(LANES):
            steps = [base.text]
            if between != "0" and lane:
                steps.append(str(lane) if between == "1" else between if lane == 1 else f"{lane} * {between}")
            steps += [f"{at.text}.s{lane:x}" + ("" if factor == "1" else f" * {factor}") for at, factor in moving]
            element = self._element(buffer, " + ".join(steps), access.dtype)
            if guard is not None and guard.lanes > 1:
                element = f"({guard.text}.s{lane:x} ? {element} : {outside})"
            elements.append(f"-{element}" if access.dtype == "bool" else element)
        wide = computed(access.dtype, LANES)
        gathered = f"({wide})({', '.join(elements)})"
        together = between == "1" and not moving
        if guard is None or (guard.lanes > 1 and not together):
            return self.named(Value(gathered, access.dtype, LANES), home, *self._word_of(node), node)
        name = self._fresh(*self._word_of(node))
        home.lines.append(f"{wide} {name} = {outside};")
        inside = f"{name} = {self._vector(buffer, base.text, access.dtype, LANES).bare if together else gathered};"
        if guard.lanes > 1:
            every, some = (self.helpers.name(fold, "bool", LANES) for fold in ("fold_all", "fold_any"))
            home.lines += [
                f"if ({every}({guard.bare})) {inside}",
                f"else if ({some}({guard.bare})) {name} = {gathered};",
            ]
        else:
            home.lines.append(f"if ({guard.text}) {inside}")
        home.values[node] = Value(name, access.dtype, LANES, atom=True)
        return home.values[node]

    def _element(self, buffer: str, address: str, dtype: str) -> str:
        if dtype == "float16":
            return f"vload_half({address}, {buffer})"
        if dtype == "bfloat16":
            return f"{self.helpers.name('load_bfloat', dtype)}({buffer}[{address}])"
        return f"({buffer}[{address}] != 0)" if dtype == "bool" else f"{buffer}[{address}]"

    def _vector(self, buffer: str, address: str, dtype: str, lanes: int) -> Value:
        text = self.helpers.load(dtype, f"{buffer} + {address}", lanes)
        mask = dtype == "bool" and lanes == LANES
        return Value(f"convert_int{LANES}({text} != (uchar)0)" if mask else text, dtype, lanes)

    def _one(self, access: Access, scope: Scope) -> str:
        """The number that turns a mask into a bool, under a name: a literal becomes a masked read from memory, which
        takes hundreds of cycles on some CPUs where no lane is set."""
        *_, top = scope.upwards()
        if not self.one:
            self.one = self.names.own("one")
            top.lines.append(f"const int {self.one} = {self.argument('offset', access.name)} >= 0;")
        return self.one

    def _guard(self, node: Read, home: Scope) -> Value | None:
        condition = self.guards.of(node)
        if condition is None:
            return None
        return self.value(condition, home)

    def _within(self, at: Value, limit: Value) -> Value:
        if at.lanes == 1:
            return Value(f"((ulong){at.text} < (ulong){limit.text})", "bool")
        wide = f"(as_ulong{LANES}({at.text}) < (ulong{LANES})({limit.text}))"
        return Value(f"convert_int{LANES}({wide})", "bool", LANES)

    def _and(self, left: Value | None, right: Value) -> Value:
        if left is None:
            return right
        lanes = max(left.lanes, right.lanes)
        left, right = converted(left, "bool", lanes), converted(right, "bool", lanes)
        return Value(f"({left.text} {'&&' if lanes == 1 else '&'} {right.text})", "bool", lanes)

    def _store_half(self, dtype: str, text: str, buffer: str, address: str) -> str:
        if dtype == "float16":
            return f"vstore_half({text}, {address}, {buffer});"
        return f"{buffer}[{address}] = {self.helpers.name('bfloat_bits', dtype)}({text});"

    def store(self, access: Access, value: Value, scope: Scope) -> None:
        """Write the value of an output where `scope` stands."""
        buffer = self.argument("buffer", access.buffer)
        address, between = self.address(access, scope)
        lanes = _lanes_of(access, scope)
        value = converted(value, access.dtype, lanes)
        if lanes == 1:
            if access.dtype in HALVES:
                scope.lines.append(self._store_half(access.dtype, value.bare, buffer, address))
            else:
                text = f"({value.bare}) != 0" if access.dtype == "bool" else value.bare
                scope.lines.append(f"{buffer}[{address}] = {text};")
        elif between == "1":
            text = value.bare
            if access.dtype == "bool" and lanes == LANES:
                text = f"convert_uchar{LANES}({value.text} & {self._one(access, scope)})"
            scope.lines.append(self.helpers.store(access.dtype, text, f"{buffer} + {address}", lanes))
        else:
            value = self.named(value, scope, "result")
            base = self.named(Value(address, "int64"), scope, "at", buffer)
            for lane in range(LANES):
                text = f"{value.text}.s{lane:x}" + (" & 1" if access.dtype == "bool" else "")
                place = f"{base.text} + {lane} * {between}"
                if access.dtype in HALVES:
                    scope.lines.append(self._store_half(access.dtype, text, buffer, place))
                else:
                    scope.lines.append(f"{buffer}[{place}] = {text};")


def _lanes_of(access: Access, scope: Scope) -> int:
    """How many elements of `access` are taken at once in `scope`."""
    return max((scope.binder(index).lanes for index in access.strides), default=1)
