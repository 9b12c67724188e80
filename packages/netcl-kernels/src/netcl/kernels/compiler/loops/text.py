"""OpenCL C of a loop nest: what stands in the kernel that every item of a group runs.

What is used more than once in a statement, and computed whatever its conditions are, has a name; the rest stands where
it is used. What a schedule has given a name has one, too.
"""

from __future__ import annotations

from collections.abc import Mapping

from netcl.kernels.compiler.ir import INDEX_DTYPE, Apply, Attribute, Expr, Number, Position, Read, subexpressions
from netcl.kernels.compiler.loops.ir import (
    Barrier,
    If,
    Let,
    Loop,
    LoopNest,
    MultiplyAdd,
    Name,
    Statement,
    Store,
    exprs,
    statements,
)
from netcl.kernels.compiler.opencl.helpers import Helpers
from netcl.kernels.compiler.opencl.names import Names
from netcl.kernels.compiler.opencl.scope import Lines, text_of
from netcl.kernels.compiler.opencl.spelling import repeats_arguments, spelled
from netcl.kernels.compiler.opencl.types import COMPUTED, Value, converted, literal


def text(nest: LoopNest, names: Mapping[str, str], helpers: Helpers) -> str:
    """The statements of a kernel; `names` has what global buffers and numbers are called."""
    return _Writer(nest, names, helpers).text()


class _Writer:
    def __init__(self, nest: LoopNest, names: Mapping[str, str], helpers: Helpers) -> None:
        self.nest, self.helpers = nest, helpers
        self.names = Names()
        for each in names.values():
            self.names.again(each)
        self.buffers = {
            each.name: names.get(each.name) or self.names.own(each.name.replace(" ", "_")) for each in nest.buffers
        }
        self.numbers = dict(names)
        self.indices: dict[str, str] = {}
        self.named: dict[str, Value] = {}
        self._wrapping: dict[Expr, bool] = {}

    def text(self) -> str:
        nest = self.nest
        lines: Lines = []
        for index, source in ((nest.group, "get_group_id(0)"), (nest.item, "get_local_id(0)")):
            self.indices[index] = self.names.own(index)
            lines.append(f"const long {self.indices[index]} = {source};")
        for buffer in nest.buffers:
            size = self._value(buffer.size, {}).bare if buffer.space != "global" else ""
            if buffer.space != "global":
                space = "__local " if buffer.space == "local" else ""
                lines.append(f"{space}{COMPUTED[buffer.dtype]} {self.buffers[buffer.name]}[{size}];")
        lines += self._body(nest.body)
        return text_of(lines)

    def _body(self, body: tuple[Statement, ...]) -> Lines:
        lines: Lines = []
        for each in body:
            if isinstance(each, Barrier):
                lines.append("barrier(CLK_LOCAL_MEM_FENCE);")
            else:
                lines += self._statement(each)
        return lines

    def _statement(self, each: Statement) -> Lines:
        named: dict[Expr, Value] = {}
        lines: Lines = self._shared(exprs(each), named)
        if isinstance(each, Let):
            value = self._value(each.value, named).bare
            name = self.indices[each.index] = self.names.own(each.index)
            return [*lines, f"const long {name} = {value};"]
        if isinstance(each, Name):
            found = self._value(each.value, named)
            name = self.names.own(each.name)
            self.named[each.name] = Value(name, found.dtype, atom=True)
            return [*lines, f"const {COMPUTED[found.dtype]} {name} = {found.bare};"]
        if isinstance(each, If):
            lines += [f"if ({self._value(each.condition, named).bare}) {{", self._body(each.body), "}"]
        elif isinstance(each, Loop):
            extent = self._value(each.extent, named).text
            name = self.indices[each.index] = self.names.own(each.index)
            if each.kind == "unrolled":
                lines.append("#pragma unroll")
            lines += [f"for (long {name} = 0; {name} < {extent}; ++{name}) {{", self._body(each.body), "}"]
        elif isinstance(each, Store):
            lines.append(self._stored(each, self._value(each.value, named), named))
        elif isinstance(each, MultiplyAdd):
            at = self._value(each.at, named).bare
            place = f"{self.buffers[each.buffer]}[{at}]"
            left, right = (self._value(side, named).bare for side in (each.left, each.right))
            lines.append(f"{place} = fma({left}, {right}, {place});")
        return ["{", lines, "}"] if named else lines

    def _shared(self, roots: tuple[Expr, ...], named: dict[Expr, Value]) -> Lines:
        """Names for what is computed more than once."""
        uses: dict[Expr, int] = {}
        order = [*subexpressions(*roots)]
        for node in order:
            for child in node.children:
                uses[child] = uses.get(child, 0) + (2 if isinstance(node, Apply) and repeats_arguments(node) else 1)
        always = _unconditional(roots)
        plain: dict[Expr, bool] = {}
        lines: Lines = []
        for node in order:
            plain[node] = not (isinstance(node, Read) and node.at) and all(plain[child] for child in node.children)
            if node.children and uses.get(node, 0) > 1 and (plain[node] or node in always):
                value = self._value(node, named)
                name = self.names.own("t")
                lines.append(f"const {COMPUTED[value.dtype]} {name} = {value.bare};")
                named[node] = Value(name, value.dtype, atom=True)
        return lines

    def _wraps(self, node: Expr) -> bool:
        """Whether integer arithmetic may leave what its dtype holds: that on data does, that on positions does not."""
        if node not in self._wrapping:
            is_data = isinstance(node, Read) or (isinstance(node, Attribute) and node.name in self.nest.data)
            self._wrapping[node] = is_data or any(self._wraps(child) for child in node.children)
        return self._wrapping[node]

    def _stored(self, store: Store, value: Value, named: Mapping[Expr, Value]) -> str:
        buffer = self.nest.buffer(store.buffer)
        name, at = self.buffers[store.buffer], self._value(store.at, named).bare
        value = converted(value, buffer.dtype)
        if buffer.space == "global" and buffer.dtype == "float16":
            return f"vstore_half({value.bare}, {at}, {name});"
        if buffer.space == "global" and buffer.dtype == "bfloat16":
            return f"{name}[{at}] = {self.helpers.name('bfloat_bits', buffer.dtype)}({value.bare});"
        return f"{name}[{at}] = {f'({value.bare}) != 0' if buffer.dtype == 'bool' else value.bare};"

    def _value(self, node: Expr, named: Mapping[Expr, Value]) -> Value:
        if node in named:
            return named[node]
        if isinstance(node, Number):
            return Value(literal(node.value, node.dtype), node.dtype, atom=True)
        if isinstance(node, Attribute):
            return Value(self.numbers[node.name], node.dtype, atom=True)
        if isinstance(node, Position):
            return Value(self.indices[node.index], "int64", atom=True)
        if isinstance(node, Read):
            return self._loaded(node, named) if node.at else self.named[node.operand]
        assert isinstance(node, Apply), f"{node!r} is none of a loop nest"
        if node.function in ("floor_div", "mod") and _is_counted(node.children[0]):
            by = _power_of_two(node.children[1])
            if by is not None:
                divided = self._value(node.children[0], named).text
                text = f"({divided} >> {by})" if node.function == "floor_div" else f"({divided} & {(1 << by) - 1}L)"
                return Value(text, node.dtype)
        return spelled(node, [self._value(child, named) for child in node.children], self.helpers, self._wraps(node))

    def _loaded(self, node: Read, named: Mapping[Expr, Value]) -> Value:
        buffer, at = self.buffers[node.operand], self._value(node.at[0], named).bare
        is_global = self.nest.buffer(node.operand).space == "global"
        if is_global and node.dtype == "float16":
            return Value(f"vload_half({at}, {buffer})", node.dtype)
        if is_global and node.dtype == "bfloat16":
            return Value(f"{self.helpers.name('load_bfloat', node.dtype)}({buffer}[{at}])", node.dtype)
        return Value(f"({buffer}[{at}] != 0)" if node.dtype == "bool" else f"{buffer}[{at}]", node.dtype)


def _is_counted(node: Expr) -> bool:
    """Whether a position is seen to be no less than 0: indices are, and what is added up or multiplied of them."""
    if isinstance(node, Number):
        return node.value >= 0
    sums = isinstance(node, Apply) and node.function in ("add", "mul", "floor_div", "mod")
    return isinstance(node, Position) or (sums and all(_is_counted(child) for child in node.children))


def _power_of_two(node: Expr) -> int | None:
    """The exponent, of a literal that is a power of two."""
    value = int(node.value) if isinstance(node, Number) and node.dtype == INDEX_DTYPE else 0
    return value.bit_length() - 1 if value > 0 and value & (value - 1) == 0 else None


def _unconditional(roots: tuple[Expr, ...]) -> set[Expr]:
    """What is computed whichever branches are taken."""
    found: set[Expr] = set()
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            chooses = isinstance(node, Apply) and node.function in ("select", "and", "or")
            waiting += node.children[:1] if chooses else node.children
    return found


LONGEST = 4000
"""Nodes of a statement that is still written as one, where its parts have no names."""


def longest_statement(nest: LoopNest) -> int:
    """About how many nodes the text of the longest statement has: what is shared below a condition stands there each
    time, unless a schedule has given it a name."""
    most = 0
    for each in statements(nest.body):
        always = _unconditional(exprs(each))
        sizes: dict[Expr, int] = {}
        for node in subexpressions(*exprs(each)):
            sizes[node] = 1 + sum(1 if child in always else sizes[child] for child in node.children)
        most = max(most, sum(sizes[node] for node in exprs(each)), *(sizes[node] for node in always), 0)
    return most
