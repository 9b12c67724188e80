"""Expressions of a declaration, translated to the IR.

Input: syntax, within a `Scope`. Output: an expression. A name is an operand (read at its own indices), an attribute, a
local definition or output, or an index; `check` has refused a declaration in which it could be two of them. A local
definition is a macro over its free indices. Every mistake is reported at its place in the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from netcl.core.errors import KernelLanguageError
from netcl.kernels.compiler.derive.solve import in_range
from netcl.kernels.compiler.ir import (
    FLOATS,
    INDEX_DTYPE,
    REDUCERS,
    Expr,
    Output,
    Read,
    number,
    position,
    read,
    subexpressions,
)
from netcl.kernels.compiler.ir.binding import total
from netcl.kernels.compiler.ir.functions import FUNCTIONS
from netcl.kernels.compiler.ir.polynomial import is_counted
from netcl.kernels.compiler.ir.simplify import as_position, call, cast
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.language.messages import nearest
from netcl.kernels.compiler.specialise.context import Context, DoesNotFit, shape_text
from netcl.kernels.compiler.specialise.inline import Specialise, inlined
from netcl.kernels.compiler.specialise.reducers import Reducers
from netcl.kernels.compiler.specialise.scope import Scope, walk

_INFIX = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "//": "floor_divide", "%": "remainder", "^": "pow", "==": "eq",
    "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "and": "and", "or": "or",
}  # fmt: skip
_SPELLED = {"max": "maximum", "min": "minimum"}
_UNSPOKEN = {"maximum", "minimum", "select", "add", "sub", "mul", "div", "neg", "pow", "and", "or", "not", "floor_div",
             "mod", "within", "add_fits", "sub_fits", "mul_fits",
             "exact_div", "materialised", "named", "eq", "ne", "lt", "le", "gt", "ge", "floor_divide"}  # fmt: skip
_CASTS = ("float", "int", "bool")
_ELSEWHERE = {
    "ln": "the natural logarithm is log(x)",
    "pow": "a power is written a ^ b",
    "power": "a power is written a ^ b",
    "fabs": "an absolute value is abs(x)",
    "fmax": "the larger of two is max(a, b)",
    "fmin": "the smaller of two is min(a, b)",
    "clip": "to stay between two numbers, write min(max(x, low), high)",
    "clamp": "to stay between two numbers, write min(max(x, low), high)",
    "where": "a choice is written condition ? first : second",
    "mod": "what is left of a division is a % b",
    "fma": "it is written a * b + c",
}
"""How what other languages have as a function is written here."""
_NAMES = sorted(({*FUNCTIONS, *_SPELLED, *_CASTS} - _UNSPOKEN) | {"cast"})


class Translator:
    """Translates the expressions of one specialisation; each definition once."""

    def __init__(self, setting: Context, specialise: Specialise) -> None:
        self.setting = setting
        self._specialise = specialise
        self.scope = Scope(setting)
        self._reducers = Reducers(setting, self.scope, self.translate)
        self._definitions = {each.name: each for each in setting.declaration.definitions}
        self._adjoined = {each.name for each in setting.declaration.grads}
        self._translated: dict[str, Expr] = {}
        self._within: list[str] = []
        self._failed: set[str] = set()
        self._elements: dict[str, Expr] = {}
        self._readable: dict[str, Output] = {}
        self.checks: list[tuple[Expr, str]] = []
        self.reduced: dict[str, tuple[tuple[str, ...], Expr | None]] = {}
        """Outputs that are a sum, or with a count a mean, over these indices. What a gradient says of one is about its
        elements before that: `dl` is the gradient of each."""
        self._uses = {output.name: use for use in setting.declaration.uses for output in use.outputs}
        for each in setting.declaration.sizes:
            self._give_size(each)
        for name, use in self._uses.items():
            self.definition(name, use.span)

    def definition(self, name: str, span: syntax.Span) -> Expr:
        """The expression of a local definition or output."""
        if name in self._translated:
            return self._translated[name]
        if name not in self._definitions and name not in self._uses:
            raise span.error(f"{name} is never defined; write {name} = …; between the braces")
        if name in self._within:
            chain = " -> ".join([*self._within[self._within.index(name) :], name])
            raise span.error(f"{name} is defined by itself ({chain}); a formula has no recursion")
        self._within.append(name)
        try:
            if name in self._definitions:
                value = self.translate(self._definitions[name].value)
                has_gradient = name in self._adjoined and value.dtype in FLOATS
                self._translated[name] = call("named", value) if has_gradient else value
            else:
                self._use(self._uses[name])
        except KernelLanguageError:
            self._failed.add(name)
            raise
        finally:
            self._within.pop()
        return self._translated[name]

    def mistakes(self) -> list[KernelLanguageError]:
        """What is wrong in any of the formulas, those that no output reads included."""
        found = []
        gradients = {"d" + output.name for output in self.setting.declaration.outputs}
        for each in self.setting.declaration.definitions:
            if each.name not in self._failed and not gradients & self._mentioned(each.name):
                try:
                    self.definition(each.name, each.span)
                except KernelLanguageError as mistake:
                    found.append(mistake)
        return found

    def _mentioned(self, name: str) -> set[str]:
        """The names in a definition and in those that it builds on."""
        seen: set[str] = set()
        waiting = [name]
        while waiting:
            each = waiting.pop()
            if each not in seen and each in self._definitions:
                value = self._definitions[each].value
                waiting += [node.name for node in walk(value) if isinstance(node, (syntax.Name, syntax.Subscripted))]
            seen.add(each)
        return seen

    def _use(self, use: syntax.Use) -> None:
        """All outputs of another op that is used here."""
        found = inlined(use, self.setting, self.scope, self.translate, self._specialise)
        self._translated.update(found.values)
        self.checks += found.checks

    def gradient(self, grad: syntax.Definition, outputs: tuple[Output, ...]) -> Expr:
        """A declared gradient over the operand's own indices; axes that the operand was broadcast along are summed."""
        expr = self._with_outputs(grad, outputs)
        own = set(self.setting.indices_of(grad.name))
        beyond = (self._spread(expr) - own) & self.setting.elements()
        loose = sorted(expr.free - own - beyond)
        if loose:
            raise grad.span.error(
                f"index {', '.join(loose)} is free in grad {grad.name}, but {grad.name} does not have it; "
                f"bind it with sum[{loose[0]}](…)"
            )
        return total("sum", tuple(sorted(beyond)), expr)

    def adjoint(self, grad: syntax.Definition, outputs: tuple[Output, ...]) -> tuple[Expr, Expr]:
        """A local definition and its declared adjoint, which is over the definition's own free indices."""
        of = self.definition(grad.name, grad.span)
        expr = self._with_outputs(grad, outputs)
        beyond = tuple(sorted(self._spread(expr) - of.free))
        return of, cast(total("sum", beyond, expr), of.dtype)

    def _spread(self, expr: Expr) -> frozenset[str]:
        """The indices over which a declared gradient says something: its own, and those of the elements of an output
        that is their sum."""
        read_in = {node.operand for node in subexpressions(expr) if isinstance(node, Read)}
        elements = [over for name, (over, _) in self.reduced.items() if "d" + name in read_in]
        return expr.free.union(*elements)

    def _with_outputs(self, grad: syntax.Definition, outputs: tuple[Output, ...]) -> Expr:
        """The formula of a gradient, which can read outputs and their gradients."""
        self._readable = {output.name: output for output in outputs}
        self._readable.update({"d" + output.name: output for output in outputs})
        try:
            return self.translate(grad.value)
        finally:
            self._readable = {}

    def translate(self, node: syntax.Expression) -> Expr:
        """The expression that a piece of syntax means."""
        if isinstance(node, syntax.Literal):
            return self._literal(node)
        if isinstance(node, syntax.Name):
            return self._name(node)
        if isinstance(node, syntax.Infix):
            return self._infix(node)
        if isinstance(node, syntax.Call):
            return self._call(node)
        if isinstance(node, syntax.Subscripted):
            return self._subscripted(node)
        if isinstance(node, syntax.Reduction):
            return self._reducers.translate(node)
        if isinstance(node, syntax.Select):
            first, second = self.translate(node.first), self.translate(node.second)
            return call("select", self.translate(node.condition), first, second)
        if isinstance(node, syntax.Prefix):
            return call("neg" if node.sign == "-" else "not", self.translate(node.operand))
        if isinstance(node, syntax.Guarded):
            return self._guarded(node)
        raise node.span.error(
            f'"{node.value}" is a word; only an attribute of type word is compared with it, by == or !='
        )

    # names and numbers

    def _give_size(self, each: syntax.SizeOf) -> None:
        sizes = self.setting.sizes
        if not each.pack:
            value = self.translate(each.value)
            if value.dtype in FLOATS or value.dtype == "bool":
                raise each.value.span.error(
                    f"a size is a whole number, but this is {value.dtype}; // divides whole numbers"
                )
            if value.free:
                raise each.value.span.error(f"the size of {each.index} cannot depend on index {min(value.free)}")
            sizes[each.index] = as_position(value)
            return
        assert isinstance(each.value, syntax.Name)
        found = self.setting.attribute(each.value.name)
        assert found is not None
        elements = self.setting.packs[each.index]
        length = self.setting.static[found.name]
        for at, element in enumerate(elements[len(elements) - length :]):
            sizes[element] = self.scope.list_element(found, at)

    def _literal(self, node: syntax.Literal) -> Expr:
        if isinstance(node.value, bool):
            return number(node.value, "bool")
        return number(node.value, INDEX_DTYPE if isinstance(node.value, int) else self.setting.float_dtype())

    def _name(self, node: syntax.Name) -> Expr:
        name, setting = node.name, self.setting
        if name in self._elements:
            return self._elements[name]
        if name in self._readable:
            output = self._readable[name]
            if name in self.reduced:
                return self.definition(name, node.span)
            if output.name in self.reduced:
                _, count = self.reduced[output.name]
                each = cast(read(name, (), output.dtype), self._computed(output))
                return each if count is None else call("div", each, count)
            return cast(read(name, tuple(map(position, output.indices)), output.dtype), self._computed(output))
        if name in setting.tensors:
            return self.scope.element(name)
        operand = setting.operand(name)
        if operand is not None:
            return self.scope.number(operand, node.span)
        found = setting.attribute(name)
        if found is not None:
            return self.scope.attribute(found, node.span)
        if name in self._definitions or name in self._uses:
            return self.definition(name, node.span)
        if self.scope.has_index(name):
            return position(name)
        raise node.span.error(self._unknown(name))

    def _unknown(self, name: str) -> str:
        if name in self.setting.packs:
            return f"{name} is a pack of indices; it stands between brackets, as in x[*{name}]"
        if name in FUNCTIONS or name in _SPELLED:
            return f"{name} is a function; its arguments stand in parentheses, as in {name}(…)"
        declaration = self.setting.declaration
        outputs = (*declaration.outputs, *declaration.saving)
        if any(name in axis.names for output in outputs for axis in output.axes or ()):
            return f"index {name} has no size: no operand has it, and no 'where {name} = …' gives it one"
        if name in {"d" + output.name for output in declaration.outputs}:
            return f"{name} is an output gradient; only a grad statement can read it"
        names = [operand.name for operand in declaration.operands]
        if self._readable and name[:1] == "d" and name[1:] in names:
            arrives = " and ".join("d" + output.name for output in declaration.outputs)
            return f"{name} is nothing that is known here: what arrives is {arrives}, and grad {name[1:]} gives {name}"
        names += [attribute.name for attribute in declaration.attributes] + list(self._definitions) + list(self._uses)
        return f"{name} is no operand, attribute, definition or index{nearest(name, names)}"

    # readings

    def _subscripted(self, node: syntax.Subscripted) -> Expr:
        if node.name == "size":
            return self.scope.extent(node)
        if node.name == "position":
            return self.scope.place(node)
        if node.name in self._readable:
            return self._output_at(node, self._readable[node.name])
        found = self.setting.attribute(node.name)
        if found is not None:
            return self.scope.list_at(found, node)
        operand = self.setting.operand(node.name)
        if operand is not None and node.name not in self.setting.tensors:
            return self.scope.number(operand, node.span)
        return self.scope.element(node.name, self._place(node))

    def _output_at(self, node: syntax.Subscripted, output: Output) -> Expr:
        """An output, or its gradient, read at positions: in a gradient only."""
        return cast(read(node.name, self._places_of_output(node, output), output.dtype), self._computed(output))

    def _places_of_output(self, node: syntax.Subscripted, output: Output) -> tuple[Expr, ...]:
        at = [each for subscript in node.subscripts for each in self._positions(subscript)]
        if len(at) != len(output.indices):
            raise node.span.error(f"{node.name} has {len(output.indices)} indices, but {len(at)} positions are given")
        return tuple(as_position(each) for each in at)

    def _computed(self, output: Output) -> str:
        return self.setting.compute if output.dtype in FLOATS else output.dtype

    def _guarded(self, node: syntax.Guarded) -> Expr:
        name, output = node.reading.name, self._readable.get(node.reading.name)
        if output is None and name not in self.setting.tensors:
            return self._subscripted(node.reading)
        at: tuple[Expr, ...]
        if output is None:
            at, indices = self._place(node.reading), self.setting.indices_of(name)
            found = self.scope.element(name, at)
        else:
            at, indices = self._places_of_output(node.reading, output), output.indices
            found = cast(read(name, at, output.dtype), self._computed(output))
        inside: Expr = number(True, "bool")
        for index, where in zip(indices, at, strict=True):
            inside = call("and", inside, in_range(where, index, self.setting.sizes))
        return call("select", inside, found, self.translate(node.alternative))

    def _place(self, node: syntax.Subscripted) -> tuple[Expr, ...]:
        """The position along each index of an operand."""
        name, setting = node.name, self.setting
        if name not in setting.tensors:
            raise node.span.error(self._not_read(name))
        at = [each for subscript in node.subscripts for each in self._positions(subscript)]
        units = [not axis for axis in setting.axes[name]]
        if any(units) and len(at) == len(units):
            at = [each for each, unit in zip(at, units, strict=True) if not unit]
        indices = setting.indices_of(name)
        if len(at) > len(indices) and any(isinstance(each, (syntax.Every, syntax.Each)) for each in node.subscripts):
            self._require_axes(node)
            raise DoesNotFit(
                f"operand {name} has {len(indices)} of the {len(at)} axes that it is read along here, where it does "
                "not broadcast; another operand may have one too many"
            )
        if len(at) != len(indices):
            given = f"{len(at)} {'position is' if len(at) == 1 else 'positions are'} given"
            shown = f" ({', '.join(indices)})" if indices else ""
            raise node.span.error(
                f"{name} has {len(indices)} {'index' if len(indices) == 1 else 'indices'}{shown}, but {given}"
            )
        return tuple(as_position(each) for each in at)

    def _require_axes(self, node: syntax.Subscripted) -> None:
        """Refuse more positions beside the packs than the operand is declared with axes."""
        declared = self.setting.declared(node.name)
        single = [each for each in node.subscripts if not isinstance(each, (syntax.Every, syntax.Each))]
        axes = sum(max(len(each.names), 1) for each in declared.axes or () if each.kind in ("index", "split", "unit"))
        if declared.axes is not None and len(single) > axes:
            raise single[-1].span.error(
                f"{node.name} is declared {shape_text(declared)}, and has no axis for this position; "
                "leave it out, or give the operand one more axis"
            )

    def _not_read(self, name: str) -> str:
        if name in REDUCERS:
            return f"{name} is a reducer; what it runs over stands behind the brackets, as in {name}[k](…)"
        if name in FUNCTIONS or name in _SPELLED:
            return f"{name} is a function; its arguments stand in parentheses, as in {name}(…)"
        declaration = self.setting.declaration
        if any(name == output.name for output in (*declaration.outputs, *declaration.saving)):
            return f"{name} is an output; only operands take positions (write its formula with other indices)"
        if name in self._definitions:
            return f"{name} is a definition; only operands take positions (write its formula with other indices)"
        if name in self._uses:
            op = self._uses[name].op
            return (
                f"{name} is the result of {op}; only operands take positions (use {op} of what is read there, "
                f"or make what comes after it an op of its own, with {name} as operand)"
            )
        return f"{name} is no operand{nearest(name, self.setting.tensors)}"

    def _positions(self, subscript: syntax.Expression | syntax.Every | syntax.Each) -> Iterator[Expr]:
        if isinstance(subscript, syntax.Every):
            yield from map(position, self.scope.pack(subscript.pack, subscript.span))
        elif isinstance(subscript, syntax.Each):
            yield from (self._checked_position(each, subscript.span) for each in self._each(subscript))
        else:
            yield self._checked_position(self.translate(subscript), subscript.span)

    def _checked_position(self, found: Expr, span: syntax.Span) -> Expr:
        if found.dtype in FLOATS or found.dtype == "bool":
            raise span.error(
                f"a position is a whole number, but this is {found.dtype}; // divides whole numbers, int(…) cuts"
            )
        return found

    def _each(self, subscript: syntax.Each) -> Iterator[Expr]:
        names = {node.name for node in walk(subscript.expr) if isinstance(node, syntax.Name)}
        packs = {name: self.setting.packs[name] for name in names if name in self.setting.packs}
        lists = [each for each in self.setting.declaration.attributes if each.name in names and each.type == "ints"]
        lengths = {len(elements) for elements in packs.values()} | {self.setting.static[each.name] for each in lists}
        if not packs and not lists:
            raise subscript.span.error("*(…) runs over the packs and lists of numbers in it, but there is none")
        if len(lengths) > 1:
            shown = " and ".join(map(str, sorted(lengths)))
            raise subscript.span.error(f"*(…) runs over packs and lists together, but their lengths are {shown}")
        outer = self._elements
        try:
            for at in range(lengths.pop()):
                self._elements = {name: position(elements[at]) for name, elements in packs.items()}
                self._elements.update({each.name: self.scope.list_element(each, at) for each in lists})
                yield self.translate(subscript.expr)
        finally:
            self._elements = outer

    # functions and operators

    def _call(self, node: syntax.Call) -> Expr:
        if node.function == "cast":
            return self._cast_to(node)
        arguments = [self.translate(each) for each in node.arguments]
        if node.function in _CASTS and len(arguments) == 1:
            dtypes = {"float": self.setting.float_dtype(), "int": INDEX_DTYPE, "bool": "bool"}
            return cast(arguments[0], dtypes[node.function])
        name = _SPELLED.get(node.function, node.function)
        if node.function in _UNSPOKEN or name not in FUNCTIONS:
            raise node.span.error(self._no_function(node.function))
        arity = FUNCTIONS[name].arity
        if len(arguments) != arity:
            takes = f"{arity} {'argument' if arity == 1 else 'arguments'}"
            hint = f"; the reducer is written {node.function}[k](…)" if node.function in _SPELLED else ""
            raise node.span.error(
                f"{node.function} takes {takes}, but {len(arguments)} {'is' if len(arguments) == 1 else 'are'} given"
                + hint
            )
        result = call(name, *(arguments if name == "random" else self._as_floats(name, arguments)))
        return cast(result, self.setting.float_dtype()) if name == "random" else result

    def _no_function(self, name: str) -> str:
        if name in REDUCERS:
            return f"{name} is a reducer; write the indices it runs over in brackets, as in {name}[k](…)"
        if name in _CASTS:
            return f"{name} takes 1 argument"
        if name in self.setting.tensors:
            return f"{name} is an operand, not a function; positions stand in brackets, as in {name}[i]"
        if name in _ELSEWHERE:
            return f"there is no function {name}; {_ELSEWHERE[name]}"
        otherwise = f"an op gives its value by a statement, use v = {name}(…);"
        return f"there is no function {name}{nearest(name, _NAMES, otherwise)}"

    def _cast_to(self, node: syntax.Call) -> Expr:
        word = node.arguments[1] if len(node.arguments) == 2 else None
        found = self.setting.attribute(word.name) if isinstance(word, syntax.Name) else None
        if found is None or found.type != "dtype":
            raise node.span.error(
                "cast takes an expression and an attribute of type dtype; float(x), int(x) and bool(x) are fixed"
            )
        return cast(self.translate(node.arguments[0]), self.setting.static[found.name])

    def _infix(self, node: syntax.Infix) -> Expr:
        found = self.setting.attribute(node.left.name) if isinstance(node.left, syntax.Name) else None
        if found is not None and found.type in ("word", "reduction") and isinstance(node.right, syntax.Text):
            if node.sign not in ("==", "!="):
                raise node.span.error(f"words are equal (==) or not (!=); '{node.sign}' is for numbers")
            return number((self.setting.static[found.name] == node.right.value) is (node.sign == "=="), "bool")
        left, right = self.translate(node.left), self.translate(node.right)
        function = _INFIX[node.sign]
        if function in ("floor_divide", "remainder") and is_counted(left) and is_counted(right):
            function = {"floor_divide": "floor_div", "remainder": "mod"}[function]
        return call(function, *self._as_floats(function, [left, right]))

    def _as_floats(self, function: str, arguments: list[Expr]) -> list[Expr]:
        """Integers that become floats, as 1 / 2 does, become those that the formula computes with."""
        if FUNCTIONS[function].result != "float" or any(each.dtype in FLOATS for each in arguments):
            return arguments
        return [cast(each, self.setting.float_dtype()) for each in arguments]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
