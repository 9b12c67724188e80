"""`use`: the formula of another op in the place where it is used, as local definitions.

Input: a use and the op's forms. Output: an expression for each of its outputs, over the indices of the op that uses it.
The used formula is specialised for what it is given, its indices are renamed, and each read of an operand becomes the
argument at that position. Its declared gradients are left behind: the derivative is that of what is written here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from netcl.core.errors import NetclError
from netcl.kernels.arguments import separate
from netcl.kernels.compiler import syntax
from netcl.kernels.compiler.ir import (
    INDEX_DTYPE,
    Attribute,
    Axes,
    Expr,
    Formula,
    Position,
    Read,
    Reduce,
    Scan,
    Size,
    indices_of,
    number,
    position,
    root,
    size,
    subexpressions,
    transform,
)
from netcl.kernels.compiler.scope import Scope
from netcl.kernels.compiler.setting import DoesNotFit, Setting
from netcl.kernels.compiler.signature import Signature
from netcl.kernels.compiler.simplify import cast, rebuilt, running, substitute, total
from netcl.kernels.compiler.supply import Given, Supplied, Translate

Specialise = Callable[[syntax.Declaration, Signature], Formula]

MOST_NODES = 20_000
"""How large a formula may become by what it uses."""


@dataclass(frozen=True)
class Inlined:
    """The outputs by the names that they have where they are used, and what the used formula requires."""

    values: dict[str, Expr]
    checks: list[tuple[Expr, str]]


def inlined(use: syntax.Use, setting: Setting, scope: Scope, translate: Translate, specialise: Specialise) -> Inlined:
    """What the outputs of a use are. Raises KernelLanguageError where the op does not take what it is given."""
    misfit = f"there is no op {use.op} to use"
    for form in dict(setting.declaration.linked).get(use.op, ()):
        try:
            return _inlined(Supplied(use, form, setting, scope, translate), specialise)
        except DoesNotFit as error:
            misfit = f"{use.op} does not fit: {error}"
    raise use.span.error(misfit)


def _inlined(supplied: Supplied, specialise: Specialise) -> Inlined:
    use, form = supplied.use, supplied.form
    arguments = supplied.arguments()
    settings, numbers = supplied.settings(arguments)
    try:
        tensors, defaults, signature = separate(use.op, form, {**arguments, **settings}, (Given,))
        formula = specialise(form, signature)
    except (NetclError, TypeError) as error:
        raise use.span.error(str(error)) from None
    given = dict(zip((operand.name for operand in formula.operands), tensors, strict=True))
    dtypes = formula.attributes
    known = {name: cast(numbers.get(name, defaults.get(name, 0)), dtype) for name, dtype in dtypes.items()}
    return _Inliner(use, supplied.scope, formula, given, known).inlined()


@dataclass
class _Inliner:
    """Renames and replaces in one specialised formula."""

    use: syntax.Use
    scope: Scope
    formula: Formula
    given: Mapping[str, Given]
    numbers: Mapping[str, Expr]
    names: dict[str, str] = field(default_factory=dict)
    """The index here that stands for each root of the used formula."""
    marks: str = ""
    """Primes that no argument has: an index of the used formula must not capture one of theirs."""

    def inlined(self) -> Inlined:
        outputs = [output for output in self.formula.outputs if not output.hidden]
        if len(self.use.outputs) != len(outputs):
            shown, count = ", ".join(output.name for output in outputs), len(self.use.outputs)
            raise self.use.span.error(
                f"{self.use.op} has {len(outputs)} {'output' if len(outputs) == 1 else 'outputs'} ({shown}), "
                f"but {count} {'name is' if count == 1 else 'names are'} given"
            )
        primed = [len(name) - len(root(name)) for each in self.given.values() for name in indices_of(each.expr)]
        self.marks = "'" * (1 + max(primed, default=0))
        self._name_indices()
        for mine, output in zip(self.use.outputs, outputs, strict=True):
            if output.flat:
                raise self.use.span.error(f"{self.use.op} cannot be used in a formula: {output.name} is flat")
            self._name_axes(mine, output.axes)
        self._name_new()
        memo: dict[Expr, Expr] = {}
        here = {name + self.marks: position(name) for name in self.names.values()}
        values = {}
        for mine, output in zip(self.use.outputs, outputs, strict=True):
            values[mine.name] = substitute(transform(output.expr, self._visit, memo), here)
            if sum(1 for _ in subexpressions(values[mine.name])) > MOST_NODES:
                raise self.use.span.error(f"with {self.use.op} this formula becomes too large")
        checks = [
            (transform(condition, self._visit, memo), f"{sentence} ({self.use.op})")
            for condition, sentence in self.formula.checks
        ]
        return Inlined(values, checks)

    # indices

    def _name_indices(self) -> None:
        """Indices that the arguments have."""
        where: dict[str, str] = {}
        for operand in self.formula.operands:
            for axis, mine in zip(operand.axes, self.given[operand.name].axes, strict=True):
                for index in axis if mine is not None else ():
                    if self.names.setdefault(root(index), mine or "") != mine:
                        raise self.given[operand.name].span.error(
                            f"axis {index} of {self.use.op} is {mine} here, but {self.names[root(index)]} in "
                            f"{where[root(index)]}; one axis has one index"
                        )
                    where.setdefault(root(index), operand.name)

    def _name_axes(self, mine: syntax.OutputSyntax, axes: Axes) -> None:
        """Indices that the use names between the brackets of an output."""
        if mine.axes is None:
            return
        named: list[str] = []
        for axis in mine.axes:
            if axis.kind == "pack":
                named += self.scope.pack(axis.names[0], axis.span)
            elif axis.kind in ("index", "unit"):
                named.append(axis.names[0] if axis.kind == "index" else "1")
            else:
                raise axis.span.error(f"here stand the indices of {mine.name}, packs *i and 1")
        # the index here of each axis: "1" for an axis of length 1, "" for an index that is still without a name
        wanted = [self.names.get(root(axis[0]), "") if axis else "1" for axis in axes]
        if len(named) != len(wanted) or any(one not in ("", each) for one, each in zip(wanted, named, strict=True)):
            shown = ", ".join(one or "…" for one in wanted)
            raise mine.span.error(f"as {self.use.op} has it, the axes are {mine.name}[{shown}]")
        for indices, name in zip(axes, named, strict=True):
            if indices and root(indices[0]) not in self.names:
                if self.scope.has_index(name) or name == "1":
                    raise mine.span.error(f"{self.use.op} gives this axis a size of its own; {name} has one already")
                self._new(root(indices[0]), name)

    def _name_new(self) -> None:
        """The other indices of the used formula, under names that are free here."""
        for index in self.formula.sizes:
            if index not in self.names:
                self._new(index, self._unused(index))
        for operand in self.formula.operands:
            for index in operand.indices:
                if root(index) not in self.names:  # the argument has length 1 there
                    self.names[root(index)] = name = self._unused(root(index))
                    self.scope.setting.sizes[name] = number(1, INDEX_DTYPE)

    def _unused(self, name: str) -> str:
        taken = set(self.names.values()) | self.scope.setting.elements()
        while name in taken or self.scope.has_index(name):
            name += "_"
        return name

    def _new(self, index: str, name: str) -> None:
        self.names[index] = name
        self.scope.setting.sizes[name] = transform(self.formula.sizes[index], self._visit)

    # expressions

    def _visit(self, node: Expr, children: tuple[Expr, ...]) -> Expr:
        if isinstance(node, Read):
            given, declared = self.given[node.operand], self.formula.operand(node.operand).axes
            axes = [mine for axis, mine in zip(declared, given.axes, strict=True) if axis]
            places = {mine: at for mine, at in zip(axes, children, strict=True) if mine is not None}
            return cast(substitute(given.expr, places), node.dtype)
        if isinstance(node, Attribute):
            return self.numbers[node.name]
        if isinstance(node, Position):
            return position(self._renamed(node.index))
        if isinstance(node, Size):
            return size(self.names[node.index])
        if isinstance(node, Reduce):
            return total(node.kind, tuple(map(self._renamed, node.over)), children[0])
        if isinstance(node, Scan):
            return running(node.kind, self._renamed(node.index), node.backward, *children)
        return rebuilt(node, children)

    def _renamed(self, index: str) -> str:
        name = root(index)
        return self.names[name] + index[len(name) :] + self.marks
