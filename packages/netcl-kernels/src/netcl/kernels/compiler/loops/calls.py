"""What a call of a function means: the statements of the function, over the buffers and the numbers that it is given.

So `check`, `interpret` and the memory model know of no calls; a function is a matter of the text, which has it once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from netcl.kernels.compiler.ir import Attribute, Expr, Read, read, rebuild, transform
from netcl.kernels.compiler.loops.ir import (
    ELEMENTS,
    Assume,
    Barrier,
    Buffer,
    Call,
    Fold,
    Function,
    If,
    Let,
    Loop,
    LoopNest,
    MultiplyAdd,
    Name,
    Statement,
    Store,
    Transpose,
    alone,
    elements_of,
    statements,
)


def expanded(nest: LoopNest) -> LoopNest:
    """The nest without calls."""
    functions = dict.fromkeys(_called(nest.body))
    if not functions:
        return nest
    private = (replace(each, name=_own(function, each)) for function in functions for each in function.private)
    return replace(nest, buffers=(*nest.buffers, *private), body=_without_calls(nest.body))


def _called(body: tuple[Statement, ...]) -> Iterator[Function]:
    """The functions that are called, and those that these call."""
    for each in statements(body):
        if isinstance(each, Call):
            yield each.function
            yield from _called(each.function.body)


def _own(function: Function, buffer: Buffer) -> str:
    """What a private buffer of a function is called beside those of others."""
    return f"{buffer.name} of {function.name}"


def _without_calls(body: Iterable[Statement]) -> tuple[Statement, ...]:
    found: list[Statement] = []
    for each in body:
        if isinstance(each, Call):
            found.append(alone(_without_calls(_Inlined(each).body(each.function.body))))
        elif isinstance(each, (If, Loop)):
            found.append(replace(each, body=_without_calls(each.body)))
        else:
            found.append(each)
    return tuple(found)


class _Inlined:
    """The statements of a function with what a call gives it."""

    def __init__(self, call: Call) -> None:
        function: Function = call.function
        self.buffers = dict(zip((each.name for each in function.buffers), call.buffers, strict=True))
        self.buffers |= {each.name: _own(function, each) for each in function.private}
        self.numbers = dict(zip(function.numbers, call.numbers, strict=True))
        self.memo: dict[Expr, Expr] = {}

    def body(self, body: Iterable[Statement]) -> tuple[Statement, ...]:
        return tuple(map(self._statement, body))

    def _statement(self, each: Statement) -> Statement:
        if isinstance(each, Store):
            where = None if each.where is None else self._expr(each.where)
            return Store(self._buffer(each.buffer), self._expr(each.at), self._expr(each.value), where)
        if isinstance(each, MultiplyAdd):
            at, left, right = map(self._expr, (each.at, each.left, each.right))
            return MultiplyAdd(self._buffer(each.buffer), at, left, right)
        if isinstance(each, (Let, Name)):
            return replace(each, value=self._expr(each.value))
        if isinstance(each, Fold):
            return replace(each, buffer=self._buffer(each.buffer))
        if isinstance(each, Transpose):
            return Transpose(tuple(map(self._buffer, each.buffers)))
        if isinstance(each, Assume):
            return Assume(self._expr(each.condition))
        if isinstance(each, If):
            return If(self._expr(each.condition), self.body(each.body))
        if isinstance(each, Loop):
            until = None if each.until is None else self._expr(each.until)
            return replace(each, extent=self._expr(each.extent), body=self.body(each.body), until=until)
        if isinstance(each, Call):
            numbers = tuple(map(self._expr, each.numbers))
            return replace(each, buffers=tuple(map(self._buffer, each.buffers)), numbers=numbers)
        assert isinstance(each, Barrier)
        return each

    def _buffer(self, name: str) -> str:
        return self.buffers.get(name, name)

    def _expr(self, node: Expr) -> Expr:
        return transform(node, self._visit, self.memo)

    def _visit(self, node: Expr, children: tuple[Expr, ...]) -> Expr:
        if isinstance(node, Attribute):
            given = self.buffers.get(node.name.removeprefix(ELEMENTS)) if node.name.startswith(ELEMENTS) else None
            return elements_of(given) if given else self.numbers.get(node.name, node)
        if isinstance(node, Read) and node.operand in self.buffers:
            return read(self.buffers[node.operand], children, node.dtype)
        return rebuild(node, children)
