"""A program written out as one Python function, for calls with tensors that lie as those of an earlier call did.

It looks whether the arguments and what the function closes over are such tensors, and runs the plans that the groups
had then, one line for each. Nothing is recorded: a call with nodes that require a gradient, or on a tape, is not for
it, nor is a program that writes in place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from netcl.autograd.graph.node import Node
from netcl.autograd.graph.values import copy
from netcl.autograd.programs.workspace import fresh, workspace
from netcl.autograd.transforms.trees import flatten
from netcl.core.seeds import next_seed
from netcl.core.tensor import Tensor

if TYPE_CHECKING:
    from netcl.autograd.programs.replay import Group, Program, Ran

Value = tuple[int, int]
"""What stands for a value of the program: an input, or an output of a group."""

MISS = object()
"""What a function gives for a call that is not for it."""

Written = Callable[[Sequence[Any]], Any]

_LEAF = flatten(0)[1]
_CONSTANTS = (bool, int, float, str, type(None))


def written_out(program: Program, inputs: Sequence[Value], leaves: Sequence[Any], ran: Sequence[Ran]) -> Written | None:
    """The function for calls like one with these arguments, in which nothing was recorded and the groups were `ran` so;
    None where there is none. `inputs` stand for the tensors among the arguments and what the function closes over."""
    if program.writes or program.kept or program.changed or program.met:
        return None
    tensors = [*(leaves[place] for place in program.places), *program.closed]
    constants = [leaf for at, leaf in enumerate(leaves) if at not in program.places]
    if any(each.__class__ not in (Tensor, Node) for each in tensors):
        return None
    if any(each.__class__ not in _CONSTANTS for each in constants):
        return None
    return _Writer(program, inputs, leaves, ran).function()


class _Writer:
    def __init__(self, program: Program, inputs: Sequence[Value], leaves: Sequence[Any], ran: Sequence[Ran]) -> None:
        self.program, self.inputs, self.leaves, self.ran = program, inputs, leaves, ran
        self.workspace = workspace(program, ran)
        self.namespace: dict[str, Any] = {
            "Tensor": Tensor, "Node": Node, "MISS": MISS, "next_seed": next_seed, "copy": copy, "fresh": fresh,
        }  # fmt: skip
        self.lines: list[str] = []
        self.names: dict[Value, str] = {}
        self.objects: dict[Value, str] = {}  # inputs as they are given, which results may be

    def function(self) -> Written:
        self._arguments()
        self._closed()
        self.lines += [f"s{n} = next_seed()" for n in range(self.program.seeds)]
        self._workspace()
        for number, group in enumerate(self.program.groups):
            self._group(number, group)
        for number, check in enumerate(self.program.checks):
            given = "".join(f"{self.names[value]}, " for value in check.inputs)
            self.lines.append(f"{self._given(f'require{number}', check.require)}(({given}))")
        if self.workspace.groups:
            self.lines.append("spare.append(space)")
        self.lines.append(f"return {self._results()}")
        text = "def run(leaves):\n" + "".join(f"    {line}\n" for line in self.lines)
        exec(compile(text, "<written-out program>", "exec"), self.namespace)
        run: Written = self.namespace["run"]
        return run

    def _given(self, name: str, value: Any) -> str:
        """The name that something has in the function."""
        self.namespace[name] = value
        return name

    def _arguments(self) -> None:
        names = [f"l{at}" for at in range(len(self.leaves))]
        if names:
            self.lines.append(f"{', '.join(names)}, = leaves")
        inputs = dict(zip(self.program.places, self.inputs, strict=False))
        for at, (name, leaf) in enumerate(zip(names, self.leaves, strict=True)):
            if at in inputs:
                self._tensor(inputs[at], name, leaf, f"layout{at}")
                continue
            self._require(f"{name}.__class__ is {self._given(f'class{at}', leaf.__class__)}")
            value = self._given(f"value{at}", repr(leaf) if isinstance(leaf, float) else leaf)
            self._require(f"repr({name}) == {value}" if isinstance(leaf, float) else f"{name} == {value}")

    def _closed(self) -> None:
        self._require(f"{self._given('still_so', self.program.surroundings.still_so)}()")
        for n, (counter, version) in enumerate(self.program.read):
            self._require(f"{self._given(f'counter{n}', counter)}.version == {version}")
        closed = self.inputs[len(self.program.places) :]
        for n, (value, each) in enumerate(zip(closed, self.program.closed, strict=True)):
            self._tensor(value, self._given(f"closed{n}", each), each, f"closed_layout{n}")

    def _tensor(self, value: Value, name: str, each: Any, layout: str) -> None:
        """An input that must lie as this one does."""
        self.objects[value] = name
        if isinstance(each, Node):
            self._require(f"{name}.__class__ is Node and not {name}._requires_grad")
            self.names[value] = f"{name}_value"
            self.lines.append(f"{name}_value = {name}.value")
            each = each.value
        else:
            self._require(f"{name}.__class__ is Tensor")
            self.names[value] = name
        self._require(f"{self.names[value]}.layout is {self._given(layout, each.layout)}")

    def _require(self, condition: str) -> None:
        self.lines.append(f"if not ({condition}): return MISS")

    def _workspace(self) -> None:
        """The tensors that hidden values are written into: those of a call before, which is done with them."""
        if not self.workspace.groups:
            return
        self._given("spare", []), self._given("another", self.workspace.another)
        self.lines += ["try: space = spare.pop()", "except IndexError: space = another()"]
        self.lines.append(f"{''.join(f'into{number}, ' for number in self.workspace.groups)}= space")

    def _group(self, number: int, group: Group) -> None:
        attributes = self._given(f"attributes{number}", group.attributes)
        if group.seeds:
            seeds = ", ".join(f"{name!r}: s{at}" for name, at in group.seeds.items())
            attributes = f"{{**{attributes}, {seeds}}}"
        for n, value in enumerate(group.outputs):
            self.names[value] = f"v{number}_{n}"
        given = "".join(f"{self.names[value]}, " for value in group.inputs)
        found = "".join(f"{self.names[value]}, " for value in group.outputs)
        into = f", {self._into(number)}" if number in self.workspace.groups else ""
        run = self._given(f"run{number}", self._run(number, group))
        self.lines.append(f"{found}= {run}(({given}), {attributes}{into})")
        if group.done_with:
            self.lines.append(f"del {', '.join(self.names[value] for value in group.done_with)}")

    def _into(self, number: int) -> str:
        """What a group writes into."""
        outputs = self.workspace.groups[number]
        if all(at is not None for _, at in outputs):
            return f"into{number}"
        hidden = count()
        parts = [
            f"fresh({self._given(f'result{number}_{n}', layout)})" if at is None else f"into{number}[{next(hidden)}]"
            for n, (layout, at) in enumerate(outputs)
        ]
        return f"({''.join(f'{part}, ' for part in parts)})"

    def _run(self, number: int, group: Group) -> Callable[..., Any]:
        plan = self.ran[number].plan
        if plan is None:
            return group.computed
        if number in self.workspace.groups:
            assert plan.writing is not None
            return plan.writing()
        return plan.run

    def _results(self) -> str:
        program, found = self.program, []
        for n, (value, constant) in enumerate(zip(program.results, program.constants, strict=True)):
            if value is None:
                name = self._given(f"constant{n}", constant)
                found.append(f"copy({name})" if isinstance(constant, Tensor) else name)
            else:
                names = self.names if program.without_graph[n] else self.objects
                found.append(names.get(value, self.names[value]))
        if program.structure == _LEAF:
            return found[0]
        return f"{self._given('build', program.structure.build)}([{', '.join(found)}])"
