"""Which names code only adds to: `traces.append(1)` and `self.calls += 1` say how often Python was run, and what they
come to decides nothing, as long as nothing else in the code reads it.
"""

from __future__ import annotations

import dis
from collections import Counter
from collections.abc import Iterable, Sequence
from types import CodeType

_ADDING = {"append", "appendleft", "add", "extend", "update"}
_LOADS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF", "LOAD_ATTR")
_STORES = ("STORE_GLOBAL", "STORE_NAME", "STORE_DEREF", "STORE_ATTR")
_METHODS = ("LOAD_METHOD", "LOAD_ATTR")
_BETWEEN = {
    "LOAD_CONST", "LOAD_SMALL_INT", "BINARY_OP", "INPLACE_ADD", "INPLACE_SUBTRACT", "SWAP", "ROT_TWO", "ROT_THREE",
    "COPY", "DUP_TOP",
}  # fmt: skip
"""What stands between reading a variable and writing it again, where a constant is added to it."""


def only_written(codes: Iterable[CodeType]) -> set[str]:
    """The names of variables and attributes that are read in this code to be added to, and for nothing else."""
    loads, added, texts = Counter[str](), Counter[str](), set[object]()
    waiting = [*codes]
    while waiting:
        code = waiting.pop()
        waiting += [each for each in code.co_consts if isinstance(each, CodeType)]
        texts.update(each for each in code.co_consts if isinstance(each, str))  # getattr(self, "calls")
        steps = [each for each in dis.get_instructions(code) if each.opname not in ("CACHE", "EXTENDED_ARG")]
        for at, step in enumerate(steps):
            if step.opname in _LOADS:
                loads[step.argval] += 1
                added[step.argval] += _is_added_to(step.argval, steps[at + 1 :])
    return {name for name, count in loads.items() if added[name] == count} - texts


def _is_added_to(name: str, following: Sequence[dis.Instruction]) -> bool:
    """Whether what has been read is called to take something more, or is written again with a constant added."""
    if following and following[0].opname in _METHODS and following[0].argval in _ADDING:
        return True
    for step in following:
        if step.opname in _STORES and step.argval == name:
            return True
        if step.opname not in _BETWEEN:
            return False
    return False
