"""The text of a sort: where the values of one row stand that come next in their order, and what is read from there.

Input: a Sorting. Output: its Source. In a short row each value is put behind all that come before it, which are
counted; a longer one is ordered by a network of comparisons, a very long one by the digits of its keys, beginning with
the last digit. Of equal values the one that stood first stays first. What is around it is the frame of every kernel,
the functions that are called are in `ordering` and `network`.
"""

from __future__ import annotations

from netcl.kernels.compiler.ir import Expr
from netcl.kernels.compiler.lower.kernel import Source
from netcl.kernels.compiler.opencl.helpers import Helpers
from netcl.kernels.compiler.opencl.scope import Lines, Scope
from netcl.kernels.compiler.opencl.types import LANES, computed
from netcl.kernels.compiler.targets.cpu.emit.frame import Frame
from netcl.kernels.compiler.targets.cpu.emit.network import PLACE_BITS, WIDE, WIDE_ENTRY, by_network
from netcl.kernels.compiler.targets.cpu.emit.ordering import by_digits, key, key_type, ranks
from netcl.kernels.compiler.targets.cpu.schedules.sort import Sorting

_NAMES = "count room again order entries keys ranks at"

TOGETHER = "#pragma clang loop vectorize(assume_safety)"
"""Before a loop whose steps need nothing of each other."""


def sort(kernel: Sorting, helpers: Helpers) -> Source:
    """The text of a sort, and its arguments."""
    return _Sort(kernel, helpers).source()


class _Sort(Frame):
    kernel: Sorting

    def inside(self, scope: Scope) -> None:
        self.c = {name: self.body.names.own(name) for name in _NAMES.split()}
        self.here, self.stood = (
            self.body.index_name(each) for each in (self.kernel.order.along, self.kernel.order.stood)
        )
        count, room = self.c["count"], self.c["room"]
        self.type = computed(self.kernel.writes[0].expr.dtype)
        items_room(self, room, "ulong", self.kernel.writes[0].access.buffer, scope)
        scope.lines += [
            f"const long {count} = {self.body.argument('size', index=self.kernel.order.along)};",
            f"__global ulong *{self.c['entries']} = {room};",
            f"if ({count} <= {self.kernel.limits.short}) {{",
            self._counted(scope),
            *self._not_short(scope),
            "}",
        ]

    def _written(self, rows: Scope, stood: str) -> Lines:
        """What is written for each place of the row, when it is known which value stands there."""
        placed = Scope(rows, [(self.kernel.order.along, self.here), (self.kernel.order.stood, self.stood)])
        placed.lines.append(f"const long {self.stood} = {stood};")
        for write in self.kernel.writes[1:]:
            self.body.store(write.access, self.body.value(write.expr, placed), placed)
        return [TOGETHER, *placed.close(self._through(self.here))]

    def _counted(self, rows: Scope) -> Lines:
        """A short row."""
        keys, found, at, entries = self.c["keys"], self.c["ranks"], self.c["at"], self.c["entries"]
        kind, vectors = key_type(self.type), self.kernel.limits.short // LANES
        each = self._element(rows)
        each.lines.append(f"(({kind} *){keys})[{self.here}] = {self._key(each)};")
        return [
            f"{kind}{LANES} {keys}[{vectors}];",
            f"int{LANES} {found}[{vectors}];",
            *each.close(self._through(self.here)),
            f"{self.body.helpers.shared(*ranks(kind))}({keys}, {found}, {self.c['count']});",
            f"{self._through(at)} {{",
            [f"{entries}[((int *){found})[{at}]] = {at};"],
            "}",
            *self._written(rows, f"{entries}[{self.here}]"),
        ]

    def _not_short(self, rows: Scope) -> Lines:
        """A longer row. Keys that are one digit need no network."""
        if self.kernel.order.key_bits < 32:
            return ["} else {", self._by_digits(rows)]
        few = f"}} else if ({self.c['count']} <= {self.kernel.limits.many}) {{"
        return [few, self._by_network(rows), "} else {", self._by_digits(rows)]

    def _by_network(self, rows: Scope) -> Lines:
        """A row of which each entry has a key; keys of 64 bits are taken in halves, the lower ones first."""
        here, at = self.here, self.c["at"]
        count, entries, order, again = (self.c[each] for each in ("count", "entries", "order", "again"))
        each, upper = self._element(rows), self._element(rows)
        helpers = self.body.helpers
        entry = helpers.shared("wide_entry", WIDE_ENTRY)
        ordered = f"{helpers.shared(*by_network(WIDE))}({entries}, {count}, {PLACE_BITS})"
        each.lines.append(f"{entries}[{here}] = {entry}({self._key(each)}, {here});")
        filled = each.close(self._through(here))
        if key_type(self.type) == "uint":
            return [*filled, f"__global uint *{order} = {ordered};", *self._written(rows, f"{order}[{here}]")]
        upper.lines.append(f"const long {here} = {again}[{at}];")
        upper.lines.append(f"{entries}[{at}] = {entry}({self._key(upper)} >> 32, {at});")
        return [
            *filled,
            f"__global uint *{again} = {ordered};",
            f"{entries} += {self.body.argument('number', 'item_room')} / 2;",
            *upper.close(self._through(at)),
            f"__global uint *{order} = {ordered};",
            *self._written(rows, f"{again}[{order}[{here}]]"),
        ]

    def _by_digits(self, rows: Scope) -> Lines:
        """A row by its digits; keys of 64 bits are taken in halves, the lower ones first."""
        here, entries, at = self.here, self.c["entries"], self.c["at"]
        each, upper = self._element(rows), self._element(rows)
        each.lines.append(f"{entries}[{here}] = (ulong){self._key(each)} << 32 | {here};")
        upper.lines.append(f"const long {here} = {entries}[{at}] & 0xffffffff;")
        upper.lines.append(f"{entries}[{at}] = {self._key(upper)} >> 32 << 32 | {here};")
        halves = key_type(self.type) == "ulong"
        return [
            *each.close(self._through(here)),
            *self._sorted(),
            *(upper.close(self._through(at)) if halves else ()),
            *(self._sorted() if halves else ()),
            *self._written(rows, f"{entries}[{here}] & 0xffffffff"),
        ]

    def _sorted(self) -> Lines:
        """The entries in the order of their keys."""
        entries, room, count = self.c["entries"], self.c["room"], self.c["count"]
        digits = self.body.helpers.shared(*by_digits(self.kernel.order.key_bits))
        other = f"{entries} == {room} ? {room} + {count} : {room}"
        return [f"{entries} = {digits}({entries}, {other}, (__global uint *)({room} + 2 * {count}), {count});"]

    def _element(self, rows: Scope) -> Scope:
        return Scope(rows, [(self.kernel.order.along, self.here)])

    def _through(self, name: str) -> str:
        return f"for (long {name} = 0; {name} < {self.c['count']}; ++{name})"

    def _key(self, scope: Scope) -> str:
        """The key of the element of `scope`."""
        return key_of(self, self.kernel.order.backward, self.kernel.writes[0].expr, scope)


def key_of(frame: Frame, backward: bool, expr: Expr, scope: Scope) -> str:
    """The key of a value, by which a row is ordered."""
    name = frame.body.helpers.shared(*key(computed(expr.dtype)))
    return f"{'~' if backward else ''}{name}({frame.body.value(expr, scope).bare})"


def items_room(frame: Frame, name: str, kind: str, buffer: str, scope: Scope) -> None:
    """Declare the room of the work-item in a scratch tensor."""
    *_, top = scope.upwards()
    body = frame.body
    place = f"(__global ulong *){body.argument('buffer', buffer)} + item * {body.argument('number', 'item_room')}"
    top.lines.append(f"__global {kind} *const {name} = (__global {kind} *)({place});")
