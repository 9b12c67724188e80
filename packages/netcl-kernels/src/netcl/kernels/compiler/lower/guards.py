"""Which reads are only done where they are in range, and on which indices a value then depends.

Both branches of a select are written, so a read that one of them needs is done for the other, too. The condition of its
access says where it may be. It depends on the indices of the read alone, so it is right in every place that the read
stands in. Of some reads more has to hold (`asked`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from netcl.kernels.compiler.ir import Expr, Read, Reduce, subexpressions
from netcl.kernels.compiler.ir.choices import conjunction
from netcl.kernels.compiler.lower.kernel import Access


class Guards:
    """The conditions of the reads below `roots`, and on which indices a value then depends."""

    def __init__(
        self,
        roots: Sequence[Expr],
        accesses: Mapping[str, Access],
        blocked: str | None = None,
        steps: Mapping[str, frozenset[str]] | None = None,
        asked: Mapping[Expr, Expr] | None = None,
    ) -> None:
        self._blocked, self._steps = blocked, steps or {}
        order = list(subexpressions(*(asked or {}).values(), *roots))
        self._conditions: dict[Expr, Expr] = {}
        for node in order:
            access = accesses.get(node.operand) if isinstance(node, Read) else None
            conditions = [] if access is None or access.condition is None else [access.condition]
            conditions += [asked[node]] if asked and node in asked else []
            if conditions:
                self._conditions[node] = conjunction(conditions)
        self._depends: dict[Expr, frozenset[str]] = {}
        if self._conditions or blocked or steps:
            for each in order:
                self._note(each)

    def of(self, node: Read) -> Expr | None:
        """The condition under which this read may be done; None when it always may."""
        return self._conditions.get(node)

    def conditions(self) -> Iterable[Expr]:
        return self._conditions.values()

    def needs(self, node: Expr) -> tuple[Expr, ...]:
        """What is computed before a node: its children and, for a read, its condition."""
        condition = self._conditions.get(node)
        return node.children if condition is None else (*node.children, condition)

    def in_order(self, roots: Sequence[Expr]) -> Iterator[Expr]:
        """Every node below the roots and the conditions, behind all that it needs."""
        seen: set[Expr] = set()
        stack = [(node, False) for node in reversed(roots)]
        while stack:
            node, ready = stack.pop()
            if ready:
                yield node
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack.extend((each, False) for each in reversed(self.needs(node)) if each not in seen)

    def depends(self, node: Expr) -> frozenset[str]:
        """The free indices of a value, those of the conditions of its reads included, and the number of the block when
        it reduces one; of an element of a state, the indices of the steps, too."""
        return self._depends.get(node, node.free)

    def _note(self, node: Expr) -> None:
        found = node.free
        for child in node.children:
            extra = self._depends.get(child)
            if extra is not None:
                found |= extra.difference(node.over) if isinstance(node, Reduce) else extra
        if isinstance(node, Reduce) and self._blocked in node.over:
            found |= {f"{self._blocked}#"}
        condition = self._conditions.get(node)
        if condition is not None:
            found |= self.depends(condition)
        if isinstance(node, Read):
            found |= self._steps.get(node.operand, frozenset())
        if found != node.free:
            self._depends[node] = found
