"""Plan: which records a backward runs when only some gradients are wanted, and the gradients it keeps.

It goes through the graph once before backward. The engine without a plan runs all that the gradients reach.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from netcl.autograd.graph.record import Accumulator, Edge, Record


class Plan:
    """What is needed to get certain gradients.

    `wanted` are the edges whose gradients are kept; `everything` runs also the records that lead to none of them;
    `accumulate` adds into the leaves that are reached. With a plan a leaf gets its gradient as early as possible, so
    that its hooks may work while backward goes on.
    """

    __slots__ = ("_keys", "_needed", "accumulate", "captured", "everything", "fewer", "wanted")

    def __init__(self, roots: Iterable[Edge], wanted: Iterable[Edge], *, everything: bool, accumulate: bool) -> None:
        self.captured: dict[tuple[int, int], Any] = {}  # (sequence_nr, output) -> gradient
        self.everything = everything
        self.accumulate = accumulate
        self.wanted: dict[int, set[int]] = {}  # sequence_nr -> outputs
        self.fewer: dict[int, tuple[bool, ...]] = {}  # records that need not give all gradients -> which they give
        for record, output in wanted:
            self.wanted.setdefault(record.sequence_nr, set()).add(output)
        lowest = -1 if self.everything else min(self.wanted, default=0)
        found = reachable(roots, lowest)
        self._keys: dict[int, int] = {}  # accumulator -> the record, of those found, that is the last to add to it
        self._needed: set[int] = set()  # records that lead to something wanted
        for number in sorted(found):
            useless = False
            for edge in found[number]._edges:
                if edge is None:
                    continue
                target = edge[0].sequence_nr
                if edge[0].__class__ is Accumulator:
                    self._keys.setdefault(target, number)
                if target in self.wanted or target in self._needed:
                    self._needed.add(number)
                else:
                    useless = True
            if useless and not everything:
                edges = found[number]._edges
                self.fewer[number] = tuple([edge is not None and self.reaches(edge[0]) for edge in edges])

    def key(self, record: Record) -> tuple[int, int]:
        """The place in the heap: records by falling sequence number, a leaf right after its last contribution."""
        number = record.sequence_nr
        if record.__class__ is Accumulator:
            return (-self._keys.get(number, number), number + 1)
        return (-number, 0)

    def reaches(self, record: Record) -> bool:
        """Whether a gradient for this record is of any use."""
        return self.everything or record.sequence_nr in self._needed or record.sequence_nr in self.wanted

    def runs(self, record: Record) -> bool:
        """Whether this record has to run, not only to get its gradient."""
        if record.__class__ is Accumulator:
            return self.accumulate and (self.everything or record.sequence_nr in self.wanted)
        return self.everything or record.sequence_nr in self._needed

    def capture(self, record: Record, gradients: Sequence[Any]) -> None:
        """Keep those of a record's output gradients that are wanted."""
        number = record.sequence_nr
        for output in self.wanted.get(number, ()):
            if gradients[output] is not None:
                self.captured[number, output] = gradients[output]


def reachable(roots: Iterable[Edge], lowest: int = -1) -> dict[int, Record]:
    """Return the records that can be reached, by sequence number, down to a lowest one."""
    found: dict[int, Record] = {}
    stack = [record for record, _ in roots]
    while stack:
        record = stack.pop()
        number = record.sequence_nr
        if number in found or number < lowest:
            continue
        found[number] = record
        for edge in record._edges:
            if edge is not None:
                stack.append(edge[0])
    return found
