"""A matrix product in C: copy blocks of the factors into panels, multiply tiles in registers, store what comes out.

Input: a Contraction or Panels. Output: its Source. A kernel is a handful of functions:

    NAME_steps    where each step of the sum lies in both tensors (so that copying knows no indices)
    NAME_left     copies a block of the left factor: tiles of 8 rows, each [step][row]
    NAME_rows     instead of it, where each row begins, if the steps of a row are neighbours in memory
    NAME_right    copies a panel of the right factor: [step][column]
    NAME_again    one sum, step by step, without what the condition of the product leaves out (where there is one)
    NAME_store    the expression around the sum, for a tile; sums that are NaN are computed again before
    NAME_item     what one work-item does

and those of `tile`, which all kernels of a program share, since they know nothing but the shape of a tile. Rows and
columns beyond the last are computed from whatever the panels have there, and not stored. How panels are filled is in
`panels`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from netcl.kernels.compiler.lower.kernel import Source
from netcl.kernels.compiler.opencl.helpers import Helpers
from netcl.kernels.compiler.opencl.names import function_name
from netcl.kernels.compiler.opencl.parameters import parameters
from netcl.kernels.compiler.opencl.scope import Lines, Scope, text_of
from netcl.kernels.compiler.opencl.types import LANES, Value, computed, converted
from netcl.kernels.compiler.targets.cpu.emit.body import Body
from netcl.kernels.compiler.targets.cpu.emit.flat import advanced, counted, decoded, total
from netcl.kernels.compiler.targets.cpu.emit.panels import Side, left_panels, right_panel, rows_in_place
from netcl.kernels.compiler.targets.cpu.emit.reductions import Reductions
from netcl.kernels.compiler.targets.cpu.emit.tile import PARTS, tile
from netcl.kernels.compiler.targets.cpu.tiles import DEPTH, ROWS, Contraction, Matrices, Panels

_ARGUMENTS = "@"
"""Stands for the arguments of the kernel in calls, until all of them are known."""

_LOCALS = (
    "again at begin begin_chunk begins block breaks chunks column column_blocks column_tile column_tiles count end "
    "end_chunk end_column end_row exist first first_column first_row first_step from from_here group item later left "
    "left_at left_run line lines number panel part_chunks remaining rest right right_at right_run row row_blocks "
    "row_number row_tile row_tiles run split start step steps sum sums tile to total totals whole x"
).split()
"""Names in the text below that no argument or index may have."""


def contraction(kernel: Matrices, helpers: Helpers) -> Source:
    """The text of a kernel of a contraction, and its arguments."""
    return _Writer(kernel, helpers).source()


class _Writer:
    def __init__(self, kernel: Matrices, helpers: Helpers) -> None:
        self.kernel = kernel
        self.product = kernel.product
        self.body = Body(kernel, helpers, Reductions)
        for name in _LOCALS:
            self.body.names.own(name)
        self.type = computed(kernel.node.dtype)
        self.width = kernel.tile_columns
        self.helpers = helpers
        self.functions: list[tuple[str, str, tuple[str, ...], Lines]] = []
        self.batch = [self.body.index_name(index) for index in self.product.batch]
        self.left = Side("left", self.product.left, self.product.rows, kernel, self.body)
        self.right = Side("right", self.product.right, self.product.columns, kernel, self.body)

    def source(self) -> Source:
        kernel = self.kernel
        for write in kernel.writes:
            self.body.argument("buffer", write.access.buffer)
        for access in kernel.accesses.values():
            self.body.argument("buffer", access.buffer)
        if isinstance(kernel, Panels):
            self._panels(kernel)
        else:
            assert isinstance(kernel, Contraction)
            self._product(kernel)
        names = [argument.name for argument in self.body.arguments.values()]
        text = "\n".join(self._text(*function) for function in self.functions)
        text = kernel.heading + text.replace(_ARGUMENTS, ", ".join(names))
        uses_double = kernel.node.dtype == "float64" or "double" in text
        return Source(function_name(kernel.name, "item"), text, tuple(self.body.arguments.values()), uses_double)

    def _text(self, returns: str, name: str, more: tuple[str, ...], lines: Lines) -> str:
        given = parameters(self.kernel, self.body.arguments.values(), *more)
        return f"__attribute__((noinline)) {returns} {name}({given}) {{\n{text_of(lines)}}}\n"

    def _function(self, name: str, more: Sequence[str], lines: Lines, returns: str = "void") -> str:
        """A function that takes all arguments of the kernel and `more`; the beginning of calls to it."""
        full = function_name(self.kernel.name, name)
        self.functions.append((returns, full, tuple(more), lines))
        return f"{full}({_ARGUMENTS}, "

    @property
    def _batch_parameters(self) -> list[str]:
        return [f"const long {name}" for name in self.batch]

    def _top(self) -> Scope:
        return Scope(None, zip(self.product.batch, self.batch, strict=True))

    # --- the kernels -----------------------------------------------------------------------------------------------

    def _panels(self, kernel: Panels) -> None:
        body = self.body
        steps = self._steps([self.right])
        right = self._right("__global ")
        to = f"{body.argument('buffer', kernel.writes[0].access.buffer)} + unit * {DEPTH * self.width}"
        inside: Lines = [
            f"const long column_tiles = (({total(body, self.product.columns)}) + {self.width - 1}) / {self.width};",
            self._chunks(),
            "const long column_tile = unit % column_tiles;",
            self._chunk("(unit / column_tiles % chunks)"),
            *decoded(body, self.product.batch, "unit / column_tiles / chunks"),
            *self._tables([self.right]),
            *([steps + "from, steps" + self.right.table_names + ");"] if steps else []),
            right + self._passed(to, self.right, f"column_tile * {self.width}", "from", "steps"),
        ]
        self._item(inside, [])

    def _product(self, kernel: Contraction) -> None:
        body = self.body
        sides = [*([] if kernel.in_place else [self.left]), *([self.right] if kernel.unit.packed is None else [])]
        steps = self._steps(sides)
        left = self._rows() if kernel.in_place else self._left()
        right = self._right("") if kernel.unit.packed is None else ""
        whole, half, quarter = (
            self.helpers.shared(*tile(self.type, self.width, kernel.unit.packed is not None, kernel.in_place, part))
            for part in PARTS
        )
        again = self._again(kernel)
        store = self._store(kernel, again)
        down, across = body.argument("number", "row_block"), body.argument("number", "column_block")
        rows, columns = total(body, self.product.rows), total(body, self.product.columns)
        numbers = [*self.batch, *([body.index_name(kernel.unit.part)] if kernel.unit.part else [])]
        numbers += ["begin_chunk", "end_chunk"] if again else []
        rows_from = f"left + row_number * steps * {ROWS}"
        if kernel.in_place:
            rows_from = f"{self.left.buffer} + from, left + row_number * {ROWS}"
        operands = f"({rows_from}, panel, sum, steps, number == begin_chunk);"
        each_tile: Lines = [
            "const long row_number = row_tile - first_row;",
            f"{self.type} *sum = sums + ((column_tile - first_column) * {down} + row_number) * {ROWS * self.width};",
            f"const long remaining = ({columns}) - column_tile * {self.width};",
            f"if (remaining > {self.width // 2})",
            [f"{whole}{operands}"],
            f"else if (remaining > {self.width // 4})",
            [f"{half}{operands}"],
            "else",
            [f"{quarter}{operands}"],
            "if (number + 1 == end_chunk)",
            [f"{store}{', '.join([*numbers, 'sum', f'row_tile * {ROWS}', f'column_tile * {self.width}'])});"],
        ]
        each_column: Lines = [
            *self._panel(kernel, right),
            "for (long row_tile = first_row; row_tile < end_row; ++row_tile) {", each_tile, "}",
        ]  # fmt: skip
        block = f"first_row * {ROWS}", "end_row - first_row"
        each_chunk: Lines = [
            self._chunk("number"),
            *([steps + "from, steps" + "".join(side.table_names for side in sides) + ");"] if steps else []),
            *([] if kernel.in_place else [left + self._passed("left", self.left, *block, "from", "steps")]),
            "for (long column_tile = first_column; column_tile < end_column; ++column_tile) {", each_column, "}",
        ]  # fmt: skip
        blocks = [  # neighbouring units share the rows that are read in place, or else the panels
            [
                f"const long first_column = rest % column_blocks * {across};",
                f"const long end_column = min(first_column + {across}, column_tiles);",
                "rest /= column_blocks;",
            ],
            [
                f"const long first_row = rest % row_blocks * {down}, end_row = min(first_row + {down}, row_tiles);",
                "rest /= row_blocks;",
            ],
        ]
        each_unit: Lines = [
            "long rest = unit;",
            *(each for lines in (blocks if kernel.in_place else reversed(blocks)) for each in lines),
            *self._part(kernel),
            *decoded(body, self.product.batch, "rest"),
            *self._tables(sides),
            *([left + ", ".join([*self.batch, "left", *block]) + ");"] if kernel.in_place else []),
            "for (long number = begin_chunk; number < end_chunk; ++number) {", each_chunk, "}",
        ]  # fmt: skip
        most_rows, most_columns = kernel.most_tiles
        sums, rows_of_unit = most_rows * most_columns * ROWS * self.width, most_rows * ROWS
        top: Lines = [
            f"{self.type} sums[{sums}];",
            f"long left[{rows_of_unit}];" if kernel.in_place else f"{self.type} left[{rows_of_unit * DEPTH}];",
            *([f"{self.type} right[{DEPTH * self.width}];"] if kernel.unit.packed is None else []),
            f"const long row_tiles = (({rows}) + {ROWS - 1}) / {ROWS}, row_blocks = (row_tiles + {down} - 1) / {down};",
            f"const long column_tiles = (({columns}) + {self.width - 1}) / {self.width};",
            f"const long column_blocks = (column_tiles + {across} - 1) / {across};",
            self._chunks(),
        ]
        self._item(each_unit, top)

    def _chunks(self) -> str:
        return f"const long chunks = max(1L, (({total(self.body, self.product.inner)}) + {DEPTH - 1}) / {DEPTH});"

    def _chunk(self, number: str) -> str:
        """Where a chunk of the sum begins, and how many steps it has."""
        steps = f"min({DEPTH}L, ({total(self.body, self.product.inner)}) - from)"
        return f"const long from = {number} * {DEPTH}, steps = {steps};"

    def _part(self, kernel: Contraction) -> Lines:
        """The chunks that a unit adds up."""
        if kernel.unit.part is None:
            return ["const long begin_chunk = 0, end_chunk = chunks;"]
        part, parts = self.body.index_name(kernel.unit.part), self.body.argument("size", index=kernel.unit.part)
        return [
            f"const long {part} = rest % {parts}, part_chunks = (chunks + {parts} - 1) / {parts};",
            f"rest /= {parts};",
            f"const long begin_chunk = {part} * part_chunks, end_chunk = min(begin_chunk + part_chunks, chunks);",
        ]

    def _panel(self, kernel: Contraction, right: str) -> Lines:
        """`panel`: the right factor of a column of tiles, packed now or before."""
        if kernel.unit.packed is None:
            packs = right + self._passed("right", self.right, f"column_tile * {self.width}", "from", "steps")
            return [packs, f"const {self.type} *panel = right;"]
        flat = counted(self.body, self.product.batch)
        at = f"((({flat}) * chunks + number) * column_tiles + column_tile) * {DEPTH * self.width}"
        return [f"__global const {self.type} *panel = {self.body.argument('buffer', kernel.unit.packed)} + {at};"]

    def _item(self, inside: Lines, top: Lines) -> None:
        chunk, units = self.body.argument("chunk"), self.body.argument("units")
        lines: Lines = [
            *top,
            f"const long end = min((item + 1) * {chunk}, {units});",
            f"for (long unit = item * {chunk}; unit < end; ++unit) {{", inside, "}",
        ]  # fmt: skip
        self.functions.append(("void", function_name(self.kernel.name, "item"), ("const long item",), lines))

    def _passed(self, to: str, side: Side, *numbers: str) -> str:
        tables = [side.table_names.removeprefix(", ")] if side.table_names else []
        return ", ".join([*self.batch, to, *tables, *numbers]) + ");"

    # --- functions -------------------------------------------------------------------------------------------------

    def _tables(self, sides: list[Side]) -> Lines:
        lines: Lines = []
        for side in sides:
            if side.access is not None:
                lines.append(f"long {side.name}_at[{DEPTH}];")
                if side.along_steps:
                    lines.append(f"int {side.name}_run[{DEPTH}];")
        return lines

    def _steps(self, sides: list[Side]) -> str:
        """Fills the tables of these sides for a chunk; nothing where no side copies."""
        sides = [side for side in sides if side.access is not None]
        if not sides:
            return ""
        inner = self.product.inner
        more = ["const long from", "const long steps"]
        loop: Lines = []
        after: Lines = []
        for side in sides:
            more.append(f"long *{side.name}_at")
            loop.append(f"{side.name}_at[step] = {side.offset_of(inner)};")
            if side.along_steps:
                more.append(f"int *{side.name}_run")
                at, run = f"{side.name}_at", f"{side.name}_run"
                after += [
                    "for (long step = steps - 1; step >= 0; --step)",
                    [f"{run}[step] = step + 1 < steps && {at}[step + 1] == {at}[step] + 1 ? {run}[step + 1] + 1 : 1;"],
                ]
        loop += advanced(self.body, inner)
        lines: Lines = [
            *decoded(self.body, inner, "from", moving=True),
            "for (long step = 0; step < steps; ++step) {", loop, "}",
            *after,
        ]  # fmt: skip
        return self._function("steps", more, lines)

    def _left(self) -> str:
        more = [*self._batch_parameters, f"{self.type} *to", *self.left.table_parameters]
        more += ["const long first", "const long count", "const long from", "const long steps"]
        return self._function("left", more, left_panels(self.left, self._top(), self.type))

    def _rows(self) -> str:
        more = [*self._batch_parameters, "long *to", "const long first", "const long count"]
        return self._function("rows", more, rows_in_place(self.left, self._top()))

    def _right(self, space: str) -> str:
        more = [*self._batch_parameters, f"{space}{self.type} *to", *self.right.table_parameters]
        more += ["const long first", "const long from", "const long steps"]
        return self._function("right", more, right_panel(self.right, self._top(), self.type, self.width, space))

    def _again(self, kernel: Contraction) -> str:
        """One sum over the chunks of a unit, as the condition has it; nothing where there is none. The last index of
        the columns may be beyond its size, as in `run_columns`."""
        body, product = self.body, self.product
        if product.condition is None:
            return ""
        top = self._top()
        names = {index: body.index_name(index) for index in (*product.rows, *product.columns, *product.inner)}
        around = Scope(top, [(index, names[index]) for index in (*product.rows, *product.columns)])
        along = Scope(around, [(index, names[index]) for index in product.inner])
        wrapped: Lines = []
        for before, index in reversed([*pairwise(kernel.run_columns)]):
            size = body.argument("size", index=index)
            wrapped.append(f"{names[before]} += {names[index]} / {size}, {names[index]} %= {size};")
        left, right = (
            converted(body.value(factor, along), self.kernel.node.dtype) for factor in (product.left, product.right)
        )
        condition = body.value(product.condition, along)
        each_step: Lines = [
            *along.lines,
            f"if ({condition.bare}) again = fma({left.bare}, {right.bare}, again);",
            *advanced(body, product.inner),
        ]
        lines: Lines = [
            *wrapped,
            f"const long from = begin_chunk * {DEPTH}, to = min(end_chunk * {DEPTH}, {total(body, product.inner)});",
            *top.lines,
            *around.lines,
            *decoded(body, product.inner, "from", moving=True),
            f"{self.type} again = 0;",
            "for (long step = from; step < to && again == again; ++step) {", each_step, "}",
            "return again;",
        ]  # fmt: skip
        more = [*self.batch, *(names[index] for index in (*product.rows, *product.columns)), "begin_chunk", "end_chunk"]
        return self._function("again", [f"long {name}" for name in more], lines, self.type)

    def _mended(self, again: str, last: str, lanes: int) -> Lines:
        """Before `lanes` sums at `at` are read: those that are NaN are computed again."""
        indices = [self.body.index_name(index) for index in (*self.product.rows, *self.product.columns)]
        beside = f"{again}{', '.join([*self.batch, *indices[:-1], f'{last} + x', 'begin_chunk', 'end_chunk'])});"
        if lanes == 1:
            return [f"if (isnan(sums[at])) sums[at] = {beside.replace(f'{last} + x', last)}"]
        each: Lines = [f"if (isnan(sums[at + x])) sums[at + x] = {beside}"]
        return [f"if (any(isnan(vload{lanes}(0, sums + at))))", [f"for (long x = 0; x < {lanes}; ++x)", each]]

    def _store(self, kernel: Contraction, again: str) -> str:
        """The expression around the sum, and the stores, for the rows and columns of a tile that exist."""
        body, product = self.body, self.product
        top = self._top()
        more = [*self._batch_parameters]
        if kernel.unit.part:
            name = body.index_name(kernel.unit.part)
            top.binds[kernel.unit.part] = name
            more.append(f"const long {name}")
        if again:
            more += ["const long begin_chunk", "const long end_chunk"]
        more += [f"{'' if again else 'const '}{self.type} *sums", "const long row", "const long column"]
        names = {index: body.index_name(index) for index in (*product.rows, *product.columns)}
        rows = Scope(top, [(index, names[index]) for index in product.rows])
        outer = Scope(rows, [(index, names[index]) for index in product.columns[:-1]])
        last = product.columns[-1]
        loops: Lines = []
        for lanes in (LANES, 1):
            inner = Scope(outer, [(last, names[last])], lanes)
            if again:
                inner.lines += self._mended(again, names[last], lanes)
            text = f"vload{LANES}(0, sums + at)" if lanes > 1 else "sums[at]"
            inner.lines.append(f"const {computed(kernel.node.dtype, lanes)} total{'s' if lanes > 1 else ''} = {text};")
            inner.values[kernel.node] = Value("totals" if lanes > 1 else "total", kernel.node.dtype, lanes, atom=True)
            for write in kernel.writes:
                body.store(write.access, body.value(write.expr, inner), inner)
            condition = f"at + {lanes} <= run" if lanes > 1 else "at < run"
            step = f"at += {lanes}, {names[last]} += {lanes}"
            loops += inner.close(f"for (; {condition}; {step})")
        wrapped: Lines = []
        together = kernel.run_columns
        others = product.columns[: -len(together)]
        if others:
            next_run: Lines = [*(f"{names[index]} = 0;" for index in together), *advanced(body, others)]
            wrapped = ["if (at < end) {", next_run, "}"]
        left = f"{total(body, together)} - ({counted(body, together)})"
        outer.lines += [f"const long run = min(end, at + {left});", *loops, *wrapped]
        moving = [f"long {name} = {name}_first;" for name in map(body.index_name, product.columns)]
        rows.lines += [
            *moving,
            f"const long end = count + line * {self.width};",
            f"long at = line * {self.width};",
            *outer.close("while (at < end)"),
        ]
        firsts = [f"const long {name}_first = {name};" for name in map(body.index_name, product.columns)]
        top.lines += [
            f"const long lines = min({ROWS}L, ({total(body, product.rows)}) - row);",
            f"const long count = min({self.width}L, ({total(body, product.columns)}) - column);",
            *decoded(body, product.columns, "column"),
            *firsts,
            "for (long line = 0; line < lines; ++line) {",
            [*decoded(body, product.rows, "row + line"), *rows.lines],
            "}",
        ]
        return self._function("store", more, top.lines)
