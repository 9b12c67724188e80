"""The text of a sort: positions of one row brought into the order of its values.

Input: a Sorting. Output: its Source. In a short row each value is put behind all that come before it, which are
counted; a longer one is sorted by the digits of keys that have the order of the values, beginning with the last digit.
Of equal values the one that stood first stays first. What is around it is the frame of every kernel, the functions that
are called are in `ordering`.
"""

from __future__ import annotations

from netcl.kernels.compiler.emit.helpers import Helpers
from netcl.kernels.compiler.emit.nest import Frame
from netcl.kernels.compiler.emit.ordering import LONG_DIGIT, MANY, SHORT, SHORT_DIGIT, by_digits, key, key_type, ranks
from netcl.kernels.compiler.emit.scope import Lines, Scope
from netcl.kernels.compiler.emit.types import LANES, computed
from netcl.kernels.compiler.kernel import Source
from netcl.kernels.compiler.schedules.sort import Sorting


def sort(kernel: Sorting, helpers: Helpers) -> Source:
    """The text of a sort, and its arguments."""
    return _Sort(kernel, helpers).source()


class _Sort(Frame):
    kernel: Sorting

    def inside(self, scope: Scope, inner: list[str], arrived: str | None = None) -> None:
        self.c = {name: self.body.names.fresh(name) for name in "count keys ranks room entries place".split()}
        self.here = self.body.index_name(self.kernel.along)
        self.type = computed(self.kernel.writes[0].expr.dtype)
        count, scratch = self.c["count"], self.body.argument("buffer", self.kernel.writes[1].access.buffer)
        *_, top = scope.upwards()
        top.lines.append(
            f"__global ulong *const {self.c['room']} = (__global ulong *){scratch}"
            f" + item * {self.body.argument('number', 'item_room')};"
        )
        scope.lines += [
            f"const long {count} = {self.body.argument('size', index=self.kernel.along)};",
            f"if ({count} <= {SHORT}) {{",
            self._counted(scope),
            "} else {",
            self._by_digits(scope),
            "}",
        ]

    def _counted(self, rows: Scope) -> Lines:
        """The positions of a short row."""
        keys, found, place = self.c["keys"], self.c["ranks"], self.c["place"]
        kind = key_type(self.type)
        each, at_rank = self._element(rows), self._element(rows)
        each.lines.append(f"(({kind} *){keys})[{self.here}] = {self._key(each)};")
        at_rank.lines += [
            f"const long {self.here} = ((int *){found})[{place}];",
            f"{self._position(at_rank)} = {place};",
        ]
        return [
            f"{kind}{LANES} {keys}[{SHORT // LANES}];",
            f"int{LANES} {found}[{SHORT // LANES}];",
            *each.close(self._through(self.here)),
            f"{self.body.helpers.shared(*ranks(kind))}({keys}, {found}, {self.c['count']});",
            *at_rank.close(self._through(place)),
        ]

    def _by_digits(self, rows: Scope) -> Lines:
        """The positions of a longer row; keys of 64 bits are taken in halves, the lower ones first."""
        here, entries, place = self.here, self.c["entries"], self.c["place"]
        each, again, done = self._element(rows), self._element(rows), self._element(rows)
        each.lines.append(f"{entries}[{here}] = (ulong){self._key(each)} << 32 | {here};")
        again.lines.append(f"const long {here} = {entries}[{place}] & 0xffffffff;")
        again.lines.append(f"{entries}[{place}] = {self._key(again)} >> 32 << 32 | {here};")
        done.lines.append(f"{self._position(done)} = {entries}[{here}] & 0xffffffff;")
        halves = key_type(self.type) == "ulong"
        return [
            f"__global ulong *{entries} = {self.c['room']};",
            *each.close(self._through(here)),
            *self._sorted(),
            *(again.close(self._through(place)) if halves else ()),
            *(self._sorted() if halves else ()),
            *done.close(self._through(here)),
        ]

    def _sorted(self) -> Lines:
        """The entries in the order of their keys."""
        room, entries, count = self.c["room"], self.c["entries"], self.c["count"]
        few, many = (
            self.body.helpers.shared(*by_digits(bits, self.kernel.key_bits)) for bits in (SHORT_DIGIT, LONG_DIGIT)
        )
        other = f"{entries} == {room} ? {room} + {count} : {room}"
        passed = f"({entries}, {other}, (__global uint *)({room} + 2 * {count}), {count})"
        return [f"{entries} = {count} < {MANY} ? {few}{passed} : {many}{passed};"]

    def _element(self, rows: Scope) -> Scope:
        return Scope(rows, [(self.kernel.along, self.here)])

    def _through(self, name: str) -> str:
        return f"for (long {name} = 0; {name} < {self.c['count']}; ++{name})"

    def _key(self, scope: Scope) -> str:
        """The key of the element of `scope`."""
        value = self.body.value(self.kernel.writes[0].expr, scope)
        text = f"{self.body.helpers.shared(*key(self.type))}({value.bare})"
        return f"~{text}" if self.kernel.backward else text

    def _position(self, scope: Scope) -> str:
        """The place of the output for the element of `scope`."""
        access = self.kernel.writes[0].access
        address, _ = self.body.address(access, scope)
        return f"{self.body.argument('buffer', access.buffer)}[{address}]"
