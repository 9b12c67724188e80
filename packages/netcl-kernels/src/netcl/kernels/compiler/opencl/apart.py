"""Elements of memory that are no neighbours, one for each lane of a vector: how they are read and written.

Both are functions of the program. Where there are many calls they are not inlined: the 16 reads of each operand are
half of a driver's time for a formula with a dozen of them (decision 0046).
"""

from __future__ import annotations

from netcl.kernels.compiler.opencl.helpers import Helpers
from netcl.kernels.compiler.opencl.types import LANES, STORED, Value, computed

_PLACES = ("0", "step", "2 * step", "3 * step")
"""Of four elements beside the first: all multiples up to 15 would not fit into registers."""

_OPAQUE = '__asm__("" : "+r"(from));  // else a loop around this keeps an address for each lane'


def loaded(helpers: Helpers, dtype: str, lanes: int, space: str, *, gathered: bool, guarded: bool) -> str:
    """The name of a function: of where the first element is; the step to the next, or how far away each is; and, if
    it is guarded, the lanes that have an element and what the others have."""
    vector = computed(dtype, lanes)
    given = [f"__{space} const {STORED[dtype]} *from", f"long{lanes} at" if gathered else "long step"]
    if guarded:
        given += [f"{computed('bool', lanes)} there", f"{computed(dtype)} outside"]
    name = f"load_{_kind(dtype, lanes, space)}_{'at' if gathered else 'apart'}{'_where' if guarded else ''}"
    lines = [_OPAQUE] if helpers.driver.own_functions and not gathered else []
    lines.append(f"{vector} found;")
    for lane in range(lanes):
        text = helpers.element("from", f"at.s{lane:x}" if gathered else _PLACES[lane % 4], dtype, space)
        if guarded:
            text = f"there.s{lane:x} ? {text} : outside"
        if dtype == "bool" and lanes == LANES:
            text = f"-({text})"
        step = "" if gathered or lane % 4 or not lane else "from += 4 * step; "
        lines.append(f"{step}found.s{lane:x} = {text};")
    body = "".join(f"    {line}\n" for line in [*lines, "return found;"])
    text = f"{vector} {name}({', '.join(given)}) {{\n{body}}}"
    if gathered:  # vectors of positions are not to go through memory
        return helpers.shared(name, f"__attribute__((always_inline)) {text}")
    return helpers.called(name, text)


def stored(helpers: Helpers, dtype: str, lanes: int, space: str) -> str:
    """The name of a function: of the values, where the first goes, and the step to the next."""
    name = f"store_{_kind(dtype, lanes, space)}_apart"
    given = f"{computed(dtype, lanes)} value, __{space} {STORED[dtype]} *to, long step"
    body = "    " + _OPAQUE.replace("from", "to") + "\n" if helpers.driver.own_functions else ""
    for lane in range(lanes):
        text = helpers.stored_element("to", _PLACES[lane % 4], Value(f"value.s{lane:x}", dtype), dtype, space)
        body += f"    {'to += 4 * step; ' if lane and not lane % 4 else ''}{text}\n"
    return helpers.called(name, f"void {name}({given}) {{\n{body}}}")


def _kind(dtype: str, lanes: int, space: str) -> str:
    kind = "bool" if dtype == "bool" else STORED[dtype]
    return f"{'' if space == 'global' else f'{space}_'}{kind}s{'' if lanes == LANES else f'_{lanes}'}"
