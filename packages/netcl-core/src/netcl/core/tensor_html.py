"""A tensor as HTML: what it is, and the values at its corners.

Of a large tensor only these come to the host, one by one where the device shares no memory with it.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from netcl.core import dtypes, transfer
from netcl.core.html import Html, code, heading, joined, table

if TYPE_CHECKING:
    from netcl.core.tensor import Tensor

_WHOLE = 8
"""So many values along an axis are shown, of more the first and the last `_EDGE`."""
_EDGE = 3
_COPIED = 4096
"""So many elements are copied from a device at once rather than one by one."""


def tensor_html(tensor: Tensor, kind: str = "Tensor", *facts: Any) -> Html:
    """The tensor under a heading that names `kind` and ends with these facts. Waits for the queue."""
    about = [f"shape {tensor.shape}", dtypes.name_of(tensor.dtype)]
    if tensor.buffer.freed:
        return heading(kind, *about, "its memory was freed by an arena", *facts)
    about += [f"{tensor.nbytes:,} bytes", tensor.device.name]
    if not tensor.is_contiguous:
        about.append(f"a view with strides {tensor.strides}")
    return joined(heading(kind, *about, *facts), _values(tensor))


def _values(tensor: Tensor) -> Html:
    """The number, or a table of the last two axes at the first place of those before."""
    if not tensor.size:
        return Html("<div>no elements</div>")
    places = [[0]] * max(0, tensor.ndim - 2) + [_shown(length) for length in tensor.shape[-2:]]
    found = _picked(tensor, places)
    if not places:
        return code(_number(found[()]))
    columns = places[-1]
    rows = places[-2] if len(places) > 1 else []
    cells = found.reshape(-1, len(columns))
    lines = [
        [str(row), *_gap([_number(each) for each in line], columns)]
        for row, line in zip(rows or [""], cells, strict=True)
    ]
    if rows != list(range(len(rows))):
        lines.insert(_EDGE, ["…"] * len(lines[0]))
    slice_of = f"[{'0, ' * (len(places) - 2)}:, :]" if len(places) > 2 else ""
    return table([slice_of, *_gap(list(map(str, columns)), columns)], lines)


def _shown(length: int) -> list[int]:
    return list(range(length)) if length <= _WHOLE else [*range(_EDGE), *range(length - _EDGE, length)]


def _gap(cells: list[str], places: list[int]) -> list[str]:
    """The cells, with a sign where places between them are left out."""
    return cells if places == list(range(len(places))) else [*cells[:_EDGE], "…", *cells[_EDGE:]]


def _picked(tensor: Tensor, places: list[list[int]]) -> Any:
    """The values at all combinations of these places, one list for each axis."""
    view = transfer.host_view(tensor)
    if view is None and tensor.size <= _COPIED:
        view = tensor.to_host()
    if view is not None:
        return view[np.ix_(*places)]
    offsets = [
        tensor.offset + sum(at * step for at, step in zip(place, tensor.strides, strict=True))
        for place in product(*places)
    ]
    values = [tensor.alias((), (), offset).to_host() for offset in offsets]
    return np.array(values).reshape([len(each) for each in places])


def _number(value: Any) -> str:
    return f"{value:.6g}" if value.dtype.kind == "f" else str(value)
