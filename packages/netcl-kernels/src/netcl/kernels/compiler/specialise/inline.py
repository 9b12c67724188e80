"""`use`: the formula of another op in the place where it is used, as local definitions.

Input: a use and the op's forms. Output: an expression for each of its outputs, over the indices of the op that uses it.
The used formula is specialised for what it is given, its indices are renamed, and each read of an operand becomes the
argument at that position. What it declares of its gradients comes along (`custom`).

One axis is one index here. So an axis that the used op splits, `(g c)`, may have one part that is longer than 1, and a
flat operand is read at its own position only: its axes are then those of the argument.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from netcl.core.errors import NetclError
from netcl.kernels.compiler.derive.differentiate import gradient
from netcl.kernels.compiler.derive.formula import NoDerivative
from netcl.kernels.compiler.ir import (
    FLOATS,
    INDEX_DTYPE,
    Attribute,
    Expr,
    Formula,
    Operand,
    Output,
    Position,
    Read,
    Size,
    binds,
    custom,
    indices_of,
    new_label,
    number,
    position,
    read,
    root,
    seed_name,
    size,
    subexpressions,
    transform,
    value_name,
)
from netcl.kernels.compiler.ir.binding import rebuilt, substitute
from netcl.kernels.compiler.ir.simplify import call, cast
from netcl.kernels.compiler.ir.transplant import moved
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.specialise.call_site import Given, Supplied, Translate
from netcl.kernels.compiler.specialise.context import Context, DoesNotFit
from netcl.kernels.compiler.specialise.scope import Scope, unknown_word
from netcl.kernels.compiler.specialise.signature import Signature
from netcl.kernels.runtime.arguments import separate

Specialise = Callable[[syntax.Declaration, Signature], Formula]

MOST_NODES = 20_000
"""How large a formula may become by what it uses."""


@dataclass(frozen=True)
class Inlined:
    """The outputs by the names that they have where they are used, and what the used formula requires."""

    values: dict[str, Expr]
    checks: list[tuple[Expr, str]]


def inlined(use: syntax.Use, setting: Context, scope: Scope, translate: Translate, specialise: Specialise) -> Inlined:
    """What the outputs of a use are. Raises KernelLanguageError where the op does not take what it is given."""
    misfit = f"there is no op {use.op} to use"
    forms = dict(setting.declaration.linked).get(use.op, ())
    for form in forms:
        try:
            return _inlined(Supplied(use, form, setting, scope, translate), forms, specialise)
        except DoesNotFit as error:
            misfit = f"{use.op} does not fit: {error}"
    raise use.span.error(misfit)


def _inlined(supplied: Supplied, forms: Sequence[syntax.Declaration], specialise: Specialise) -> Inlined:
    use, form = supplied.use, supplied.form
    arguments = supplied.arguments()
    settings, numbers = supplied.settings(arguments)
    for each in use.settings:
        problem = unknown_word(forms, each.name, settings[each.name]) if isinstance(settings[each.name], str) else ""
        if problem:
            raise each.span.error(f"{use.op}: {problem}")
    try:
        tensors, defaults, signature = separate(use.op, form, {**arguments, **settings}, (Given,))
        formula = specialise(form, signature)
    except (NetclError, TypeError) as error:
        raise use.span.error(str(error)) from None
    given = dict(zip((operand.name for operand in formula.operands), tensors, strict=True))
    dtypes = formula.attributes
    known = {name: cast(numbers.get(name, defaults.get(name, 0)), dtype) for name, dtype in dtypes.items()}
    return _Inliner(use, supplied.scope, _with_all_gradients(formula), given, known).inlined()


def _with_all_gradients(formula: Formula) -> Formula:
    """A formula that declares some gradients, with those of all operands. What is declared is a rule for the value as a
    whole: where an operand had none, its gradient would be that of a value in which the others are held fixed, and its
    derivative by them would be lost."""
    if not formula.declared and not formula.adjoints:
        return formula
    operands = [each for each in formula.operands if each.dtype in FLOATS and each.differentiable]
    if any(len({*each.indices}) < len(each.indices) for each in operands):
        return formula
    try:
        found = gradient(formula, [each.name for each in operands])
    except NoDerivative:
        return formula
    exprs = {each.name: output.expr for each, output in zip(operands, found.outputs, strict=True)}
    return replace(formula, declared=exprs, adjoints={})


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
    alone: frozenset[str] = frozenset()
    """The roots that stand in split axes only and have length 1: they need no index."""
    label: int = field(default_factory=new_label)
    """Of the Custom nodes that are made here."""
    sized: list[tuple[str, str]] = field(default_factory=list)
    """The indices to which the used formula gives a size, with the names of those here that have one already."""
    _memo: dict[Expr, Expr] = field(default_factory=dict)
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
        self.alone = self._alone(self.formula.outputs)
        self._refuse_flat(self.formula.outputs)
        self._name_indices()
        for mine, output in zip(self.use.outputs, outputs, strict=True):
            self._name_axes(mine, output)
        self._name_new()
        memo = self._memo
        results = self._results()
        values = {}
        for mine, output in zip(self.use.outputs, outputs, strict=True):
            values[mine.name] = results[output.name]
            if sum(1 for _ in subexpressions(values[mine.name])) > MOST_NODES:
                raise self.use.span.error(f"with {self.use.op} this formula becomes too large")
        checks = [
            (transform(condition, self._visit, memo), f"{sentence} ({self.use.op})")
            for condition, sentence in self.formula.checks
        ]
        for index, name in self.sized:
            same = call("eq", size(name), transform(self.formula.sizes[index], self._visit, memo))
            checks.append((same, f"{name} has the length that {self.use.op} gives it"))
        return Inlined(values, checks)

    # values

    def _results(self) -> dict[str, Expr]:
        """Each output, as an expression over the indices here."""
        formula = self.formula
        if not formula.declared and not formula.adjoints:
            return {output.name: self._here(output.expr) for output in formula.outputs}
        axes = tuple(self._indices(output) for output in formula.outputs)
        declared = [*formula.declared.items()]
        operands = [formula.operand(name) for name, _ in declared]
        arguments = [self.given[operand.name].expr for operand in operands]
        argument_axes = [tuple(axis for axis in self.given[each.name].axes if axis is not None) for each in operands]
        own = [self._only(operand, expr) for operand, (_, expr) in zip(operands, declared, strict=True)]
        for of, expr in formula.adjoints.items():
            argument_axes.append(self._axes_of_definition(of))
            arguments.append(self._here(self._detached(of.children[0])))
            own.append(self._here(expr))
        parts = (tuple(self._here(self._detached(each.expr)) for each in formula.outputs), tuple(arguments), tuple(own))
        return {
            output.name: custom(
                self.label, axes, tuple(argument_axes), which, tuple(map(position, axes[which])), *parts
            )
            for which, output in enumerate(formula.outputs)
        }

    def _here(self, expr: Expr) -> Expr:
        """An expression of the used formula over the indices here."""
        flat = [axis for name in self.flat.values() for axis in self.given[name].axes if axis is not None]
        here = {name + self.marks: position(name) for name in (*self.names.values(), *flat)}
        return substitute(transform(expr, self._visit, self._memo), here)

    def _only(self, operand: Operand, declared: Expr) -> Expr:
        """The declared gradient of an operand, over the axes that it has here; along others there is one element."""
        expr = self._here(declared)
        kept = {axis for axis in self.given[operand.name].axes if axis is not None}
        single = {self.names[root(each)] for each in operand.indices if root(each) in self.names} - kept
        return substitute(expr, {index: number(0, INDEX_DTYPE) for index in single if index in expr.free})

    def _detached(self, expr: Expr) -> Expr:
        """An expression of the used formula in which nothing has a derivative that is declared."""
        memo: dict[Expr, Expr] = {}
        for node in subexpressions(expr):
            new = rebuilt(node, tuple(memo[child] for child in node.children))
            ruled = (isinstance(node, Read) and node.operand in self.formula.declared) or node in self.formula.adjoints
            memo[node] = call("detach", new) if ruled else new
        return memo[expr]

    def _indices(self, output: Output) -> tuple[str, ...]:
        """The index here of each axis of an output that is not of length 1."""
        return tuple(name for _, name in self._axes(output) if name != "1")

    def _axes_of_definition(self, of: Expr) -> tuple[str, ...]:
        return tuple(sorted(self._here(of).free & {*self.names.values()}))

    # indices

    @property
    def flat(self) -> dict[str, str]:
        """The flat operands, by their index."""
        return {root(operand.axes[0][0]): operand.name for operand in self.formula.operands if operand.flat}

    def _alone(self, outputs: Sequence[Output]) -> frozenset[str]:
        """What a split leaves with length 1, as the groups of a convolution that has one."""
        axes = [axis for operand in self.formula.operands for axis in operand.axes]
        axes += [axis for output in outputs for axis in output.axes]
        whole = {root(index) for axis in axes if len(axis) == 1 for index in axis} | _run_over(outputs)
        split = {root(index) for axis in axes if len(axis) > 1 for index in axis} - whole
        lengths = {index: self.formula.sizes[index] for index in split if index in self.formula.sizes}
        fixed = {index: each for index, each in lengths.items()
                 if not any(isinstance(node, Size) for node in subexpressions(each))}  # fmt: skip
        one = number(1, INDEX_DTYPE)
        return frozenset(index for index, length in fixed.items() if transform(length, self._visit) == one)

    def _whole(self, axis: tuple[str, ...], of: str) -> str:
        """The root of the one index of an axis; "" where its length is 1."""
        roots = [index for index in map(root, axis) if index not in self.alone]
        if len(roots) > 1:
            raise self.use.span.error(
                f"{self.use.op} cannot be used here: its operand or output {of} splits an axis into "
                f"({' '.join(roots)}), and in a formula one axis has one index; where an attribute gives the length of "
                f"{' or '.join(roots)}, make that 1, or write the formula out"
            )
        return roots[0] if roots else ""

    def _refuse_flat(self, outputs: Sequence[Output]) -> None:
        """Refuse what a flat operand cannot mean where its axes keep their indices."""
        flat, op = self.flat, self.use.op
        for output in outputs:
            if output.flat and output.shape is not None:
                raise self.use.span.error(
                    f"{op} cannot be used here: {output.name} has the elements of an operand under another shape, and "
                    "indices say where an element is, not how many came before it; read the operand at the indices "
                    "wanted, as in x[i // 3, i % 3]"
                )
        exprs = [output.expr for output in outputs]
        moved = any(
            isinstance(node, Read) and node.operand in flat.values() and not isinstance(node.at[0], Position)
            for node in subexpressions(*exprs)
        )
        if flat.keys() & _run_over(outputs) or moved or (flat and not all(each.flat for each in outputs)):
            raise self.use.span.error(
                f"{op} cannot be used here: it takes the elements of {' and '.join(flat.values())} one after the other "
                "whatever the axes are, and a formula has only their indices; use an op that names the axes"
            )

    def _name_indices(self) -> None:
        """Indices that the arguments have."""
        where: dict[str, tuple[str | None, str]] = {}
        for operand in self.formula.operands:
            if operand.flat:
                continue
            for axis, mine in zip(operand.axes, self.given[operand.name].axes, strict=True):
                index = self._whole(axis, operand.name)
                if not index:
                    continue
                known, before = where.setdefault(index, (mine, operand.name))
                if known != mine:
                    raise self.given[operand.name].span.error(
                        f"axis {index} of {self.use.op} is {mine or 'of length 1'} here, but "
                        f"{known or 'of length 1'} in {before}; one axis has one index"
                    )
                if mine is not None:
                    self.names[index] = mine

    def _axes(self, output: Output) -> list[tuple[str, str]]:
        """(root of the used formula, index here) of each axis of an output: the index is "1" for an axis of length 1,
        and "" while it has no name."""
        if output.shaped_like is not None:
            return [("", axis or "1") for axis in self.given[output.shaped_like].axes]
        roots = [self._whole(axis, output.name) for axis in output.axes]
        return [(each, self.names.get(each, "") if each else "1") for each in roots]

    def _name_axes(self, mine: syntax.OutputSyntax, output: Output) -> None:
        """Indices that the use names between the brackets of an output."""
        if mine.axes is None:
            return
        named: list[str] = []
        for axis in mine.axes:
            if axis.kind == "pack":
                named += self.scope.pack(axis.names[0], axis.span)
            elif axis.kind in ("index", "unit"):
                self._require_index(mine, axis)
                named.append(axis.names[0] if axis.kind == "index" else "1")
            else:
                raise axis.span.error(f"here stand the indices of {mine.name}, packs *i and 1")
        axes = self._axes(output)
        wanted = [name for _, name in axes]
        if len(named) != len(wanted) or any(one not in ("", each) for one, each in zip(wanted, named, strict=True)):
            if not wanted:
                places = ", ".join(self.scope.setting.in_text(named))
                raise mine.span.error(
                    f"{self.use.op} gives {mine.name} without brackets, over the indices of what it is given; where "
                    f"they need an order, a definition has it: v[{places}] = {mine.name};"
                )
            shown = ", ".join(one or "…" for one in wanted)
            raise mine.span.error(f"as {self.use.op} has it, the axes are {mine.name}[{shown}]")
        for (index, known), name in zip(axes, named, strict=True):
            if not known and name in self.scope.setting.sizes and name not in self.names.values():
                self.names[index] = name
                self.sized.append((index, name))
            elif not known:
                if self.scope.has_index(name) or name == "1":
                    raise mine.span.error(
                        f"{self.use.op} gives this axis of {mine.name} a size of its own, and {name} has one already; "
                        f"give it a name that nothing else has, as in {name}{mine.name}"
                    )
                self._new(index, name)

    def _require_index(self, mine: syntax.OutputSyntax, axis: syntax.Axis) -> None:
        """Refuse the name of an operand or attribute between the brackets of a result."""
        declaration = self.scope.setting.declaration
        kinds = {each.name: "an operand" for each in declaration.operands}
        kinds |= {each.name: "an attribute" for each in declaration.attributes}
        kinds |= {each.name: "a definition" for each in declaration.definitions}
        if axis.names and axis.names[0] in kinds:
            raise axis.span.error(
                f"{axis.names[0]} is {kinds[axis.names[0]]}, and here stand the indices of {mine.name}, which is "
                f"defined at every place at once; name it alone, as in use {mine.name} = {self.use.op}(…)"
            )

    def _name_new(self) -> None:
        """The other indices of the used formula, under names that are free here."""
        for index in self.formula.sizes:
            if index not in self.names and index not in self.alone:
                self._new(index, self._unused(index))
        settled = {*self.names, *self.alone, *self.flat}
        for operand in self.formula.operands:
            for index in operand.indices:
                if root(index) not in settled:  # the argument has length 1 there
                    settled.add(root(index))
                    self.names[root(index)] = name = self._unused(root(index))
                    self.scope.setting.sizes[name] = number(1, INDEX_DTYPE)

    def _unused(self, name: str) -> str:
        named = (each.axes or () for use in self.scope.setting.declaration.uses for each in use.outputs)
        asked = {name for axes in named for axis in axes for name in axis.names}  # also by a use further down
        taken = {*self.names.values(), *self.scope.setting.elements(), *asked}
        while name in taken or self.scope.has_index(name):
            name += "_"
        return name

    def _new(self, index: str, name: str) -> None:
        self.names[index] = name
        self.scope.setting.sizes[name] = transform(self.formula.sizes[index], self._visit)

    # expressions

    def _visit(self, node: Expr, children: tuple[Expr, ...]) -> Expr:
        return moved(node, children, self)

    def read(self, node: Read, at: tuple[Expr, ...]) -> Expr:
        """The argument at these positions; in a declared gradient, also an output or the gradient of one."""
        for which, output in enumerate(self.formula.outputs):
            if node.operand in (output.name, "d" + output.name):
                name = value_name if node.operand == output.name else seed_name
                return read(name(self.label, which), self._output_places(output, at), node.dtype)
        if " " in node.operand:  # bound by a Custom further in
            return read(node.operand, at, node.dtype)
        return substitute(self.given[node.operand].expr, self._places(node, at))

    def attribute(self, node: Attribute) -> Expr:
        """The number that the use gives."""
        return self.numbers[node.name]

    def position(self, index: str) -> Expr:
        """Along an index of the surrounding formula; how many elements come before one of a flat operand."""
        if index in self.flat:
            return self._place(index)
        return number(0, INDEX_DTYPE) if root(index) in self.alone else position(self.renamed(index))

    def size(self, index: str) -> Expr:
        """Of an index of the surrounding formula; how many elements a flat operand has."""
        if index in self.flat:
            return functools.reduce(operator.mul, map(size, self._flat_axes(index)), number(1, INDEX_DTYPE))
        if index in self.alone:
            return number(1, INDEX_DTYPE)
        if index not in self.names:  # an extent that another one is computed from
            self._new(index, self._unused(index))
        return size(self.names[index])

    def renamed(self, index: str) -> str:
        """The name of an index here."""
        name = root(index)
        return self.names[name] + index[len(name) :] + self.marks

    def _places(self, node: Read, children: tuple[Expr, ...]) -> dict[str, Expr]:
        """The position along each index of an argument that an operand is read at."""
        declared, axes = self.formula.operand(node.operand), self.given[node.operand].axes
        if declared.flat:
            return {axis: position(axis + self.marks) for axis in axes if axis is not None}
        waiting = iter(children)
        places: dict[str, Expr] = {}
        for axis, mine in zip(declared.axes, axes, strict=True):
            positions = [next(waiting) for _ in axis]
            if mine is not None:
                index = self._whole(axis, node.operand)
                places[mine] = next(at for at, each in zip(positions, axis, strict=True) if root(each) == index)
        return places

    def _output_places(self, output: Output, children: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """The position along each index that an output has here."""
        if output.shaped_like is not None:
            return tuple(position(name + self.marks) for name in self._indices(output))
        waiting = iter(children)
        places: list[Expr] = []
        for axis in output.axes:
            positions = [next(waiting) for _ in axis]
            index = self._whole(axis, output.name)
            places += [at for at, each in zip(positions, axis, strict=True) if index and root(each) == index]
        return tuple(places)

    def _flat_axes(self, index: str) -> list[str]:
        return [axis for axis in self.given[self.flat[index]].axes if axis is not None]

    def _place(self, index: str) -> Expr:
        """How many elements of a flat operand come before one."""
        place: Expr = number(0, INDEX_DTYPE)
        for axis in self._flat_axes(index):
            place = place * size(axis) + position(axis + self.marks)
        return place


def _run_over(outputs: Sequence[Output]) -> frozenset[str]:
    """The roots of the indices that a Reduce, Scan or Custom binds."""
    nodes = subexpressions(*(output.expr for output in outputs))
    return frozenset(root(index) for node in nodes for index in binds(node))
