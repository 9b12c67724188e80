"""Filling panels: copying a block of a factor in the order in which it is multiplied.

Where the elements of a row (or column) begin is worked out once; where each step lies comes from a table. Neighbours in
memory are copied as vectors: along the steps through an 8 by 8 transposition in registers, along rows or columns as
they are. A factor that is not simply a tensor is computed element by element.
"""

from __future__ import annotations

from collections.abc import Sequence

from netcl.kernels.compiler.ir import Expr, root
from netcl.kernels.compiler.opencl.scope import Lines, Scope
from netcl.kernels.compiler.opencl.types import converted
from netcl.kernels.compiler.targets.cpu.emit.body import Body
from netcl.kernels.compiler.targets.cpu.emit.flat import advanced, decoded, total
from netcl.kernels.compiler.targets.cpu.tiles import MOST_TILES, ROWS, Matrices

_GROUP = 8
_SLICE = 16
"""Steps that are copied for all rows before the next: what lies side by side in memory is then read at once."""


class Side:
    """One factor: `across` are its rows (or columns). `access` is set where its elements are copied."""

    def __init__(self, name: str, factor: Expr, across: tuple[str, ...], kernel: Matrices, body: Body) -> None:
        self.name, self.factor, self.across, self.kernel, self.body = name, factor, across, kernel, body
        self.access = kernel.plain(factor)
        self.along_steps = self._neighbours(kernel.product.inner)
        self.along_across = self._neighbours(across)
        if self.along_steps and self.along_across:
            longer = kernel.extents[root(across[-1])] >= _GROUP
            self.along_steps, self.along_across = not longer, longer

    def _neighbours(self, indices: Sequence[str]) -> bool:
        return self.access is not None and bool(indices) and self.access.strides.get(indices[-1], 0) == 1

    @property
    def table_parameters(self) -> list[str]:
        if self.access is None:
            return []
        return [f"const long *{self.name}_at", *([f"const int *{self.name}_run"] if self.along_steps else [])]

    @property
    def table_names(self) -> str:
        return "".join(", " + each.rpartition("*")[2] for each in self.table_parameters)

    def offset_of(self, indices: Sequence[str]) -> str:
        """How far these indices move in the tensor."""
        assert self.access is not None
        terms = []
        for index in indices:
            stride = self.access.strides.get(index, 0)
            if stride:
                name = self.body.index_name(index)
                factor = "1" if stride == 1 else self.body.argument("stride", self.access.name, index)
                terms.append(name if stride == 1 else f"{name} * {factor}")
        return " + ".join(terms) or "0"

    def begins(self, count: int, exist: str) -> Lines:
        """`begin[x]` is where line `line + x` begins; lines beyond the last that exists lie where that does."""
        assert self.access is not None
        offset = self.body.argument("offset", self.access.name)
        fixed = self.offset_of(self.kernel.product.batch)
        return [
            "{",
            [
                *decoded(self.body, self.across, "line", moving=True),
                f"for (int x = 0; x < {count}; ++x) {{",
                [
                    f"begin[x] = {offset} + {fixed} + {self.offset_of(self.across)};",
                    f"if (x + 1 < {exist}) {{",
                    advanced(self.body, self.across),
                    "}",
                ],
                "}",
            ],
            "}",
        ]

    @property
    def buffer(self) -> str:
        assert self.access is not None
        return self.body.argument("buffer", self.access.buffer)

    def computed(self, top: Scope, lines: str, exist: str, width: int) -> Lines:
        """Each element from its formula; zeros for lines that do not exist."""
        inner = self.kernel.product.inner
        scope = Scope(top, [(index, self.body.index_name(index)) for index in self.across])
        along = Scope(scope, [(index, self.body.index_name(index)) for index in inner])
        value = converted(self.body.value(self.factor, along), self.kernel.node.dtype)
        step: Lines = [*along.lines, f"{lines}[step * {width} + x] = {value.bare};", *advanced(self.body, inner)]
        return [
            f"for (long x = 0; x < {exist}; ++x) {{",
            [
                *decoded(self.body, self.across, "line + x"),
                *scope.lines,
                *decoded(self.body, inner, "from", moving=True),
                "for (long step = 0; step < steps; ++step) {",
                step,
                "}",
            ],
            "}",
            f"for (long x = {exist}; x < {width}; ++x)",
            [f"for (long step = 0; step < steps; ++step) {lines}[step * {width} + x] = 0;"],
        ]


def left_panels(side: Side, top: Scope, dtype: str) -> Lines:
    """The body of NAME_left: `count` tiles of rows from row `first` on."""
    rows = total(side.body, side.across)
    line = f"const long line = first + tile * {ROWS}, exist = min({ROWS}L, ({rows}) - line);"
    panel = f"{dtype} *panel = to + tile * steps * {ROWS};"
    each_tile = "for (long tile = 0; tile < count; ++tile) {"
    if side.access is None:
        return [*top.lines, each_tile, [line, panel, *side.computed(top, "panel", "exist", ROWS)], "}"]
    if not side.along_across:
        filled = [f"long begin[{ROWS}];", *side.begins(ROWS, "exist"), *_filled(side, dtype, "panel", ROWS, "")]
        return [*top.lines, each_tile, [line, panel, *filled], "}"]
    filled = _filled(side, dtype, "panel", ROWS, "", "first_step", f"min(steps, first_step + {_SLICE})")
    return [
        *top.lines,
        f"long begins[{MOST_TILES[0] * ROWS}];",
        each_tile,
        [line, f"long *begin = begins + tile * {ROWS};", *side.begins(ROWS, "exist")],
        "}",
        f"for (long first_step = 0; first_step < steps; first_step += {_SLICE})",
        [each_tile, [line, panel, f"const long *begin = begins + tile * {ROWS};", *filled], "}"],
    ]


def rows_in_place(side: Side, top: Scope) -> Lines:
    """The body of NAME_rows: where the rows of `count` tiles begin, from row `first` on."""
    tile: Lines = [
        f"const long line = first + tile * {ROWS}, exist = min({ROWS}L, ({total(side.body, side.across)}) - line);",
        f"long *begin = to + tile * {ROWS};",
        *side.begins(ROWS, "exist"),
    ]
    return [*top.lines, "for (long tile = 0; tile < count; ++tile) {", tile, "}"]


def right_panel(side: Side, top: Scope, dtype: str, width: int, space: str) -> Lines:
    """The body of NAME_right: the columns from `first` on."""
    columns = total(side.body, side.across)
    lines: Lines = [f"const long line = first, exist = min({width}L, ({columns}) - line);"]
    if side.access is None:
        lines += side.computed(top, "to", "exist", width)
        return [*top.lines, *lines]
    lines += [f"long begin[{width}];", *side.begins(width, "exist")]
    if side.along_across:
        half = width // 2
        here = f"__global const {dtype} *from_here = {side.buffer} + begin[0] + {side.name}_at[step];"
        wide: Lines = [
            f"vstore{half}(vload{half}(0, from_here + {at}), 0, to + step * {width} + {at});"
            for at in range(0, width, half)
        ]
        lines += [
            "int whole = 1;",
            f"for (int x = 1; x < {width}; ++x) whole &= begin[x] == begin[x - 1] + 1;",
            "if (whole) {",
            ["for (long step = 0; step < steps; ++step) {", [here, *wide], "}", "return;"],
            "}",
        ]
    lines += _filled(side, dtype, "to", width, space)
    return lines


def _filled(side: Side, dtype: str, to: str, width: int, space: str, first: str = "0", last: str = "steps") -> Lines:
    """Groups of eight lines into a panel of `width` lines, for these steps; `begin` and `exist` are known."""
    buffer, at = side.buffer, f"{side.name}_at"
    column = f"{to} + step * {width} + group"
    inside: Lines = [
        f"long step = {first};",
        f"const long end = {last};",
        "if (group >= exist)",
        [f"for (; step < end; ++step) vstore8(({dtype}8)(0), 0, {column});"],
    ]
    if side.along_across:
        inside += _along_across(dtype, f"{buffer} + {at}[step] + begin[group", column)
    if side.along_steps:
        inside += ["while (step < end) {", _along_steps(side, dtype, to, width, space), "}"]
    else:
        inside += ["for (; step < end; ++step) {", _one_by_one(side, to, width), "}"]
    return [f"for (int group = 0; group < {width}; group += {_GROUP}) {{", inside, "}"]


def _along_across(dtype: str, place: str, column: str) -> Lines:
    """Eight lines that are neighbours, or the last of one row and the first of a later one: all between can be read."""
    mask = {"float": "int", "double": "long"}[dtype]
    lanes = ", ".join(map(str, range(_GROUP)))
    begins, ends = f"vload8(0, {place}])", f"vload8(0, {place} + {_GROUP - 1}] - {_GROUP - 1})"
    return [
        "int breaks = 0, split = 0;",
        f"for (int x = 1; x < {_GROUP}; ++x) {{",
        ["if (begin[group + x] == begin[group + x - 1] + 1) continue;", "++breaks;", "split = x;"],
        "}",
        "if (breaks == 0)",
        [f"for (; step < end; ++step) vstore8({begins}, 0, {column});"],
        "if (breaks == 1 && begin[group + split] > begin[group + split - 1]) {",
        [
            f"const {mask}8 later = ({mask}8)({lanes}) >= ({mask}8)(split);",
            f"for (; step < end; ++step) vstore8(later ? {ends} : {begins}, 0, {column});",
        ],
        "}",
    ]


def _one_by_one(side: Side, to: str, width: int) -> Lines:
    return [
        f"for (int x = 0; x < {_GROUP}; ++x)",
        [f"{to}[step * {width} + group + x] = {side.buffer}[begin[group + x] + {side.name}_at[step]];"],
    ]


def _along_steps(side: Side, dtype: str, to: str, width: int, space: str) -> Lines:
    """Eight steps that are neighbours; the last of them together with some that were copied before."""
    buffer, at, run = side.buffer, f"{side.name}_at", f"{side.name}_run"
    loads: Lines = [
        f"const {dtype}8 r{x} = vload8(0, {buffer} + begin[group + {x}] + {at}[start]);" for x in range(_GROUP)
    ]
    return [
        f"const long start = step - max(0, {_GROUP} - {run}[step]);",
        f"if (start >= 0 && {run}[start] >= {_GROUP}) {{",
        [
            f"{space}{dtype} *block = {to} + start * {width} + group;",
            *loads,
            *butterfly(dtype, width),
            f"step = start + {_GROUP};",
        ],
        "} else {",
        [*_one_by_one(side, to, width), "++step;"],
        "}",
    ]


def butterfly(dtype: str, width: int) -> Lines:
    """Transposes r0 … r7 in registers; column x of them goes to `block + x * width`."""
    vector = f"{dtype}8"
    lines: Lines = []
    for at in range(0, 8, 2):
        a, b = f"r{at}", f"r{at + 1}"
        even = ", ".join(f"{each}.s{lane}" for lane in (0, 1, 4, 5) for each in (a, b))
        odd = ", ".join(f"{each}.s{lane}" for lane in (2, 3, 6, 7) for each in (a, b))
        lines.append(f"const {vector} t{at} = ({vector})({even}), t{at + 1} = ({vector})({odd});")
    for half in (0, 4):
        for at in (0, 1):
            a, b = f"t{half + at}", f"t{half + 2 + at}"
            first, second = f"u{half + 2 * at}", f"u{half + 2 * at + 1}"
            lines.append(
                f"const {vector} {first} = ({vector})({a}.s01, {b}.s01, {a}.s45, {b}.s45), "
                f"{second} = ({vector})({a}.s23, {b}.s23, {a}.s67, {b}.s67);"
            )
    for at in range(4):
        lines.append(f"vstore8(({vector})(u{at}.lo, u{at + 4}.lo), 0, block + {at * width});")
        lines.append(f"vstore8(({vector})(u{at}.hi, u{at + 4}.hi), 0, block + {(at + 4) * width});")
    return lines
