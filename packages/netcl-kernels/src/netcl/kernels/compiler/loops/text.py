"""OpenCL C of a loop nest: what stands in the kernel that every item of a group runs.

What is used more than once in a statement, and computed whatever its conditions are, has a name; the rest stands where
it is used. What a schedule has given a name has one, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from netcl.core.bounded import Limit, Recent
from netcl.kernels.compiler.ir import (
    INDEX_DTYPE,
    Apply,
    Attribute,
    Expr,
    Number,
    Position,
    Read,
    position,
    subexpressions,
)
from netcl.kernels.compiler.ir import polynomial as poly
from netcl.kernels.compiler.ir.binding import replace_nodes
from netcl.kernels.compiler.ir.simplify import COMPARISONS
from netcl.kernels.compiler.loops.ir import (
    COUNTS,
    Assume,
    Barrier,
    Call,
    Fold,
    Function,
    If,
    Let,
    Loop,
    LoopNest,
    MultiplyAdd,
    Name,
    Statement,
    Store,
    Transpose,
    exprs,
    statements,
)
from netcl.kernels.compiler.loops.positions import ONE, ZERO
from netcl.kernels.compiler.loops.vectors import Vectors
from netcl.kernels.compiler.opencl.helpers import Helpers
from netcl.kernels.compiler.opencl.lines import Lines, text_of
from netcl.kernels.compiler.opencl.parameters import listed
from netcl.kernels.compiler.opencl.spelling import COMPARED, repeats_arguments, spelled
from netcl.kernels.compiler.opencl.transpose import transposed
from netcl.kernels.compiler.opencl.types import COMPUTED, LANES, WORD, Value, computed, converted, from_mask, literal


def text(nest: LoopNest, names: Mapping[str, str], helpers: Helpers) -> str:
    """The statements of a kernel; `names` has what global buffers and numbers are called."""
    return _Writer(nest, names, helpers).text()


def _shared_function(function: Function, helpers: Helpers) -> str:
    """The name of a function, whose text joins the program behind those that it needs."""
    key = function, repr((helpers.driver, helpers.has_float64))
    texts = _functions[key] or _functions.keep(key, _function(function, Helpers(helpers.driver, helpers.has_float64)))
    for each, written in texts.items():
        helpers.shared(each, written)
    return function.name


_functions: Recent[tuple[Function, str], Mapping[str, str]] = Recent(Limit("functions of loop nests", 256))


def _function(function: Function, helpers: Helpers) -> Mapping[str, str]:
    """The texts of all that a function calls, by their names, and its own."""
    stored = {each.buffer for each in statements(function.body) if isinstance(each, (Store, MultiplyAdd))}
    names = {each: each.replace(" ", "_") for each in (*(each.name for each in function.buffers), *function.numbers)}
    given = [
        f"{'__global ' if each.space == 'global' else ''}{'' if each.name in stored else 'const '}"
        f"{COMPUTED[each.dtype]} *{names[each.name]}"
        for each in function.buffers
    ]
    given += [f"const long {each}" for each in function.numbers]
    nest = LoopNest(function.name, "group", ONE, "item", 1, (*function.buffers, *function.private), function.body)
    body = text(nest, names, helpers)
    own = f"__attribute__((noinline)) void {function.name}({listed(given)}) {{\n{body}}}"
    return {**helpers.texts, function.name: own}


_NUMBER = re.compile(r"[_ ]\d+$")
"""What tells names apart that are one word in C, until there are two of them in one function."""


class _Writer(Vectors):
    def __init__(self, nest: LoopNest, names: Mapping[str, str], helpers: Helpers) -> None:
        super().__init__(nest, helpers)
        for each in names.values():
            self.names.again(each)
        self.buffers = {each.name: names.get(each.name) or self._called(each.name) for each in nest.buffers}
        self.numbers = dict(names)
        self.indices: dict[str, str] = {}
        self._wrapping: dict[Expr, bool] = {}

    def text(self) -> str:
        nest = self.nest
        for index, source in ((nest.group, "get_group_id(0)"), (nest.item, "get_local_id(0)")):
            self.indices[index] = self.names.own(index)
            if nest.items > 1:
                self.top.append(f"const long {self.indices[index]} = {source};")
        for buffer in nest.buffers:
            name = self.buffers[buffer.name]
            if buffer.name in self.numbers:  # it is given
                continue
            if buffer.name in self.variables:
                self.top.append(f"{computed(buffer.dtype, self.variables[buffer.name])} {name};")
            elif buffer.space != "global":
                space = "__local " if buffer.space == "local" else ""
                size = self.value(buffer.size, {}).bare
                whole = isinstance(buffer.size, Number) and buffer.size.value >= LANES and nest.items == 1
                aligned = f" __attribute__((aligned({WORD})))" if whole else ""
                self.top.append(f"{space}{COMPUTED[buffer.dtype]} {name}[{size}]{aligned};")
        body = self._body(nest.body)
        return text_of([*self.top, *body])

    def _body(self, body: tuple[Statement, ...]) -> Lines:
        lines: Lines = []
        for each in body:
            if isinstance(each, Barrier):
                lines.append(f"barrier({self._fences});")
            else:
                lines += self._statement(each)
        return lines

    @cached_property
    def _fences(self) -> str:
        """Of which memory the items of a group see at a barrier what the others have stored."""
        every = list(statements(self.nest.body))
        stored = {each.buffer for each in every if isinstance(each, (Store, MultiplyAdd))}
        read = {
            node.operand
            for node in subexpressions(*(one for each in every for one in exprs(each)))
            if isinstance(node, Read)
        }
        exchanged = any(each.space == "global" and each.name in stored & read for each in self.nest.buffers)
        return "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE" if exchanged else "CLK_LOCAL_MEM_FENCE"

    def _statement(self, each: Statement) -> Lines:
        if isinstance(each, Assume):
            return []
        named: dict[Expr, Value] = {}
        lines: Lines = []
        if not isinstance(each, (Let, Loop)):
            lines = self._shared(exprs(each), named)
        if isinstance(each, Let) and self.moves(each.value):
            self.lets[each.index] = each.value
            return []
        if isinstance(each, Let):
            value = self.value(each.value, named).bare
            name = self.indices[each.index] = self._called(each.index)
            return [*lines, f"const long {name} = {value};"]
        if isinstance(each, Fold):
            dtype, name = self.nest.buffer(each.buffer).dtype, self._called(each.name)
            folded = self.helpers.name(f"fold_{each.kind}", dtype, self.variables[each.buffer])
            self.named[each.name] = Value(name, dtype, atom=True)
            return [f"const {computed(dtype)} {name} = {folded}({self.buffers[each.buffer]});"]
        if isinstance(each, Name):
            found = self.value(each.value, named)
            if self.lanes > 1 and each.value in named:
                self.named[each.name] = found
                return lines
            name = self._called(each.name)
            self.named[each.name] = Value(name, found.dtype, found.lanes, atom=True)
            return [*lines, f"const {computed(found.dtype, found.lanes)} {name} = {found.bare};"]
        if isinstance(each, If) and isinstance(each.condition, Number) and each.condition.value:
            return ["{", self._body(each.body), "}"]
        if isinstance(each, If):
            condition = self.value(each.condition, named)
            asked = condition.bare
            if condition.lanes > 1:
                asked = f"{self.helpers.name('fold_any', 'bool', condition.lanes)}({asked})"
            lines += [f"if ({asked}) {{", self._body(each.body), "}"]
        elif isinstance(each, Loop) and each.kind == "lanes":
            assert isinstance(each.extent, Number), f"{self.nest.name}: nobody knows how many lanes {each.index} has"
            self.lanes = int(each.extent.value)
            lines += self._body(each.body)
            self.lanes = 1
        elif isinstance(each, Loop):
            extent = self.value(each.extent, named).text
            name = self.indices[each.index] = self._called(each.index)
            if self.helpers.driver.loops_one_by_one:
                lines.append("#pragma clang loop vectorize(disable)")
            if each.kind == "unrolled":
                lines.append("#pragma unroll")
            body = self._body(each.body)
            if each.until is not None:
                body.append(f"if ({self.value(each.until, {}).bare}) break;")
            lines += [f"for (long {name} = 0; {name} < {extent}; ++{name}) {{", body, "}"]
        elif isinstance(each, Store):
            lines += self._stored(each, named)
        elif isinstance(each, Call):
            given = [self.buffers[name] for name in each.buffers]
            given += [self.value(number, named).bare for number in each.numbers]
            lines.append(f"{_shared_function(each.function, self.helpers)}({', '.join(given)});")
        elif isinstance(each, Transpose):
            lines += transposed([self.buffers[name] for name in each.buffers], self.nest.buffer(each.buffers[0]).dtype)
        elif isinstance(each, MultiplyAdd):
            at = self.value(each.at, named).bare
            place = self.buffers[each.buffer] + (f"[{at}]" if each.buffer not in self.variables else "")
            dtype, lanes = self.nest.buffer(each.buffer).dtype, self.variables.get(each.buffer, self.lanes)
            left, right = (converted(self.value(side, named), dtype, lanes).bare for side in (each.left, each.right))
            lines.append(f"{place} = fma({left}, {right}, {place});")
        return lines

    def _stored(self, each: Store, named: dict[Expr, Value]) -> Lines:
        stored = self.value(each.value, named)
        where = None if each.where is None else self.value(each.where, named)
        if where is not None and where.lanes > 1:
            return self.stores_where(each, where, stored, named)
        if self.lanes > 1:
            lines = self.stores(each, stored, named)
        else:
            lines = [self.stored_element(each.buffer, self.value(each.at, named).bare, stored)]
        return lines if where is None else [f"if ({where.bare}) {{", lines, "}"]

    def _called(self, name: str) -> str:
        """The name in C of an index, a value or a buffer: a word of ours, or what is "of" something of the formula."""
        words = _NUMBER.sub("", name).replace(" ", "_")
        return self.names.fresh(words[3:]) if name.startswith("of ") else self.names.own(words)

    def _shared(self, roots: tuple[Expr, ...], named: dict[Expr, Value]) -> Lines:
        """Names for what is computed more than once."""
        uses: dict[Expr, int] = {}
        order = [*subexpressions(*roots)]
        for node in order:
            for child in node.children:
                uses[child] = uses.get(child, 0) + (2 if isinstance(node, Apply) and repeats_arguments(node) else 1)
        if not any(count > 1 for count in uses.values()) and (self.lanes == 1 or self.is_simple(order)):
            return []
        guarded = self.guarded(order)
        always = _unconditional(roots)
        plain: dict[Expr, bool] = {}
        lines: Lines = []
        for node in order:
            plain[node] = not (isinstance(node, Read) and node.at) and all(plain[child] for child in node.children)
            loads = self.loaded(node, guarded[node] == uses.get(node, 1), named)
            if loads:
                lines += loads
                continue
            if 0 < guarded[node] == uses.get(node, 1):
                continue
            sure = plain[node] or node in always or (self.lanes > 1 and self.moves(node))
            if node.children and uses.get(node, 0) > 1 and sure:
                value = self.value(node, named)
                if value.atom:
                    continue
                name = self.names.own("t")
                lines.append(f"const {computed(value.dtype, value.lanes)} {name} = {value.bare};")
                named[node] = Value(name, value.dtype, value.lanes, atom=True)
        return lines

    def _is_range(self, least: Expr, below: Expr) -> bool:
        """Whether these say that a position is no less than 0, and less than a number that is no less than 0 itself."""
        if not (isinstance(least, Apply) and least.function == "ge" and least.children[1] is ZERO):
            return False
        if not (isinstance(below, Apply) and below.function == "lt" and below.children[0] is least.children[0]):
            return False
        return below.children[0].dtype == below.children[1].dtype == INDEX_DTYPE and self._is_counted(below.children[1])

    def _is_counted(self, node: Expr) -> bool:
        """Whether a position is seen to be no less than 0: indices and sizes are, and what is added up or multiplied of
        them."""
        if isinstance(node, Number):
            return node.value >= 0
        if isinstance(node, Attribute):
            return node.name.startswith(COUNTS)
        if not isinstance(node, Apply):
            return isinstance(node, Position)
        if node.function == "maximum":
            return any(self._is_counted(child) for child in node.children)
        if node.function == "sub":
            return node.children[1] is ONE and self._is_positive(node.children[0])
        sums = node.function in ("add", "mul", "floor_div", "mod")
        return sums and all(self._is_counted(child) for child in node.children)

    def _is_positive(self, node: Expr) -> bool:
        """Whether a position is seen to be no less than 1: a number of the launch that is, or a product of such."""
        if isinstance(node, Apply):
            return node.function == "mul" and all(self._is_positive(child) for child in node.children)
        return isinstance(node, Attribute) and node.name in self.nest.positive

    def _wraps(self, node: Expr) -> bool:
        """Whether integer arithmetic may leave what its dtype holds: that on data does, that on positions does not."""
        if node not in self._wrapping:
            is_data = isinstance(node, Attribute) and node.name in self.nest.data
            if isinstance(node, Read):
                is_data = not (node.at and self.nest.buffer(node.operand).positions)
            chooses = isinstance(node, Apply) and node.function == "select"
            self._wrapping[node] = is_data or any(self._wraps(child) for child in node.children[int(chooses) :])
        return self._wrapping[node]

    def stored_element(self, store: str, at: str, value: Value) -> str:
        name, buffer = self.buffers[store], self.nest.buffer(store)
        if store in self.variables:
            return f"{name} = {converted(value, buffer.dtype).bare};"
        return self.helpers.stored_element(name, at, value, buffer.dtype, buffer.space)

    def value(self, node: Expr, named: Mapping[Expr, Value]) -> Value:
        if node in named:
            return named[node]
        if isinstance(node, Number):
            return Value(literal(node.value, node.dtype), node.dtype, atom=True)
        if isinstance(node, Attribute):
            return Value(self.numbers[node.name], node.dtype, atom=True)
        if isinstance(node, Position):
            if node.index in self.indices_of_lanes:
                return Value(f"(long{self.lanes})({', '.join(map(str, range(self.lanes)))})", "int64", self.lanes)
            if node.index in self.lets:
                return self.value(self.lets[node.index], named)
            return Value(self.indices[node.index], "int64", atom=True)
        if isinstance(node, Read):
            return self._loaded(node, named) if node.at else self.named[node.operand]
        assert isinstance(node, Apply), f"{node!r} is none of a loop nest"
        if node.function in ("floor_div", "mod"):
            divisor, divided = node.children[1], self.value(node.children[0], named)
            by = _power_of_two(divisor)
            if by is not None:  # bits are of two's complement, and shifts keep the sign
                bits = f">> {by}" if node.function == "floor_div" else f"& {(1 << by) - 1}L"
                return Value(f"({divided.text} {bits})", node.dtype, divided.lanes)
            if self._is_positive(divisor) and self._is_counted(node.children[0]) and self.lanes == 1:
                sign = "/" if node.function == "floor_div" else "%"
                return Value(f"({divided.text} {sign} {self.value(divisor, named).text})", node.dtype)
        if node.function in ("and", "or"):
            return self._logic(node, named)
        if self.lanes not in (1, WORD) and node.function in COMPARISONS:
            first = self._first_lane(node)
            if first is not None:
                return self._lanes_compared(*first, named)
        return spelled(node, [self.value(child, named) for child in node.children], self.helpers, self._wraps(node))

    def _first_lane(self, node: Apply) -> tuple[str, Expr] | None:
        """How the number of a lane compares with a number that is the same for all, where a comparison of positions
        comes to that: `first + lane > last` is `lane > last - first`."""
        left, right = node.children
        if left.dtype != INDEX_DTYPE or right.dtype != INDEX_DTYPE or self._wraps(node):
            return None
        of_left, of_right = (poly.polynomial(self._without_lets(each)) for each in (left, right))
        apart = poly.plus(of_left, of_right, -1)
        for monomial, factor in apart.items():
            (atom,) = monomial if len(monomial) == 1 else (None,)
            if isinstance(atom, Position) and atom.index in self.indices_of_lanes and factor in (1, -1):
                rest = poly.expression(poly.plus({}, poly.plus(apart, {monomial: factor}, -1), -factor))
                function = node.function if factor > 0 else _TURNED[node.function]
                return None if self.moves(rest) else (function, rest)
        return None

    def _without_lets(self, node: Expr) -> Expr:
        while any(index in self.lets for index in node.free):
            lets: dict[Expr, Expr] = {position(index): self.lets[index] for index in node.free if index in self.lets}
            node = replace_nodes(node, lets)
        return node

    def _lanes_compared(self, function: str, number: Expr, named: Mapping[Expr, Value]) -> Value:
        """In 32 bits: a number that is none of a lane is cut to one that compares as it does."""
        lanes = self.lanes
        text = f"(int)clamp({self.value(number, named).bare}, -1L, {lanes}L)"
        if isinstance(number, Number):
            text = str(min(max(int(number.value), -1), lanes))
        cut = f"(int{lanes})({text})"
        numbers = f"(int{lanes})({', '.join(map(str, range(lanes)))})"
        return from_mask(f"{numbers} {COMPARED[function]} {cut}", "int32", lanes)

    def _logic(self, node: Apply, named: Mapping[Expr, Value]) -> Value:
        """An and or an or. That a position is no less than 0 and less than a number that is no less than 0 itself is
        one comparison of numbers without a sign."""
        first, last = node.children
        before = first.children if isinstance(first, Apply) and first.function == node.function == "and" else (first,)
        if node.function == "and" and self._is_range(before[-1], last):
            place, end = (self.value(each, named) for each in last.children)
            lanes = max(place.lanes, end.lanes)
            place, end = (converted(each, INDEX_DTYPE, lanes) for each in (place, end))
            kind = f"as_ulong{lanes if lanes > 1 else ''}"
            right = from_mask(f"{kind}({place.bare}) < {kind}({end.bare})", INDEX_DTYPE, lanes)
            if len(before) == 1:
                return right
            left = self.value(before[0], named)
        else:
            left, right = (self.value(each, named) for each in node.children)
        if self.lanes == 1 and _is_quick(last, named):
            return Value(f"({left.text} {'&' if node.function == 'and' else '|'} {right.text})", "bool")
        return spelled(node, [left, right], self.helpers)

    def _loaded(self, node: Read, named: Mapping[Expr, Value]) -> Value:
        if node.operand in self.variables:
            return self.variable(node)
        if self.lanes > 1 and self.moves(node.at[0]):
            return self.neighbours(node, named)
        at = self.value(node.at[0], named).bare
        return Value(self.element(node.operand, at, node.dtype), node.dtype)

    def element(self, buffer: str, at: str, dtype: str) -> str:
        return self.helpers.element(self.buffers[buffer], at, dtype, self.nest.buffer(buffer).space)


_TURNED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


def _is_quick(node: Expr, named: Mapping[Expr, Value]) -> bool:
    """Whether a condition compares what has a name or is a number: it is not worth a branch."""

    def is_known(each: Expr) -> bool:
        return each in named or not each.children

    return is_known(node) or (
        isinstance(node, Apply) and node.function in COMPARISONS and all(map(is_known, node.children))
    )


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
