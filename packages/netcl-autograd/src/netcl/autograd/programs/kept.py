"""What a traced function makes another: attributes, variables and what containers hold.

self.last = y            the value is computed at each call, and kept there, as a result that is not returned
self.ready = True        Python does it, which runs only while it is traced: such a trace serves for its own call
self.calls += 1          the same, but where the code only adds to it: then it says how often Python was run
self.history.append(y)   refused: a list that grows by what is not computed yet
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from netcl.autograd.graph.node import Node, unwrap
from netcl.autograd.programs.surroundings import ABSENT, Change, Surroundings, attributes_of
from netcl.autograd.programs.trace_nodes import TraceNode
from netcl.autograd.transforms.trees import Structure, flatten
from netcl.core.errors import GraphError
from netcl.core.tensor import Tensor

Latest = Callable[[Any], Any]

_LONGEST = 40


class Kept(NamedTuple):
    """A variable that each call gives a value that it computes: the last `structure.count` results from `first` on."""

    write: Callable[[Any], None]
    structure: Structure
    first: int


class Keeping:
    """What has become another while a function was traced."""

    def __init__(self, fn: Any, arguments: Sequence[Any]) -> None:
        self._before = Surroundings()
        self._before.look_around(fn, arguments)
        self._computed: list[Change] = []
        self.changed = ""
        """The first of what Python has changed by itself, and from what to what."""

    @contextmanager
    def watching(self) -> Iterator[None]:
        """While the function is traced. No value that is not computed stays anywhere: a call puts it there."""
        try:
            yield
        finally:
            for each in (*self._before.changes(), *self._before.additions()):
                if _is_computed(each.new):
                    _empty(each.new) if each.new is each.old else each.write(each.old)

    def look(self, name: str, latest: Latest) -> list[Any]:
        """Look at what is another now; the values that are kept, one behind the other. `latest` gives, for a tensor
        that the function has made and written, the value that it computes."""
        changes = self._before.changes()
        self.changed = next((_told(each) for each in changes if not _is_computed(each.new, latest)), "")
        for each in (*changes, *self._before.additions()):
            if not _is_computed(each.new, latest):
                continue
            if not _is_computed(each.new, latest, 0):
                raise GraphError(
                    f"jit: {name} gives {each.what} a new {type(each.new).__name__}, which holds a value that it "
                    "computes; keep the value itself, or tuples, dicts, lists or dataclasses of such values"
                )
            if each.new is each.old:
                raise GraphError(
                    f"jit: {name} puts a value that it computes into {each.what}, which is done only while it is "
                    "traced; return the value, or make a new list or dict at each call"
                )
            self._computed.append(each)
        return [latest(leaf) for each in self._computed for leaf in flatten(each.new)[0]]

    def kept(self, first: int) -> list[Kept]:
        """The same, where their values are results from `first` on."""
        found = []
        for each in self._computed:
            found.append(Kept(each.write, flatten(each.new)[1], first))
            first += found[-1].structure.count
        return found

    def unread(self, tensors: Sequence[Any], counters: Sequence[Any]) -> list[Change]:
        """Those of what is kept whose value before was tensors that nobody has read: of those that were, these are all,
        or their counters."""
        memory = {id(unwrap(each).counter) for each in tensors} | set(map(id, counters))
        return [each for each in self._computed if _is_unread(each.old, memory)]


def _is_unread(old: Any, memory: set[int]) -> bool:
    leaves = flatten(old)[0]
    tensors = [unwrap(each) for each in leaves if isinstance(each, (Node, Tensor))]
    return bool(leaves) and len(tensors) == len(leaves) and all(id(each.counter) not in memory for each in tensors)


def _is_computed(value: Any, latest: Latest = lambda leaf: leaf, depth: int = 3) -> bool:
    """Whether something is, or holds itself or in what has attributes, a value that a trace has not computed."""
    if isinstance(value, (set, frozenset, deque)):
        return any(_is_computed(each, latest, depth) for each in value)
    leaves = flatten(value)[0]
    if any(isinstance(latest(each), TraceNode) for each in leaves):
        return True
    objects = [attributes_of(each) or {} for each in leaves] if depth else []
    return any(_is_computed(each, latest, depth - 1) for attributes in objects for each in attributes.values())


def _empty(container: Any) -> None:
    """Take out of a container what is not computed."""
    if isinstance(container, dict):
        for key in [key for key, each in container.items() if _is_computed(each)]:
            del container[key]
    elif isinstance(container, (list, deque, set)):
        left = [each for each in container if not _is_computed(each)]
        container.clear()
        (container.update if isinstance(container, set) else container.extend)(left)


def _told(change: Change) -> str:
    """What has changed, and where it can be said shortly, from what to what."""
    shown = ["nothing" if each is ABSENT else repr(each) for each in (change.old, change.new) if _is_plain(each)]
    is_short = len(shown) == 2 and max(map(len, shown)) < _LONGEST
    return f"{change.what} ({shown[0]}, then {shown[1]})" if is_short else change.what


def _is_plain(value: Any) -> bool:
    return value is ABSENT or isinstance(value, (bool, int, float, str, type(None)))
