"""Expressions of a declaration, translated to the IR.

Input: syntax, within a `Scope`. Output: an expression. A name is an operand (read at its own indices), an attribute, a
local definition or output, or an index; `check` has refused a declaration in which it could be two of them. A local
definition is a macro over its free indices. Every mistake is reported at its place in the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from netcl.core.errors import KernelLanguageError
from netcl.kernels.compiler.derive.joined import joined, left_running
from netcl.kernels.compiler.ir import (
    FLOATS,
    INDEX_DTYPE,
    INTEGERS,
    REDUCERS,
    Expr,
    Number,
    Output,
    Read,
    Recurrence,
    new_label,
    number,
    position,
    read,
    recurrence,
    state_name,
    subexpressions,
)
from netcl.kernels.compiler.ir.binding import total
from netcl.kernels.compiler.ir.functions import FUNCTIONS
from netcl.kernels.compiler.ir.plain import expanded
from netcl.kernels.compiler.ir.polynomial import is_counted
from netcl.kernels.compiler.ir.recurrences import NoOrder, order_of
from netcl.kernels.compiler.ir.simplify import as_position, call, cast
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.language.messages import nearest
from netcl.kernels.compiler.specialise.context import Context
from netcl.kernels.compiler.specialise.inline import Specialise, inlined
from netcl.kernels.compiler.specialise.readings import Readings, State
from netcl.kernels.compiler.specialise.reducers import Reducers
from netcl.kernels.compiler.specialise.scope import Scope, walk
from netcl.kernels.compiler.specialise.systems import System, systems

_INFIX = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "//": "floor_divide", "%": "remainder", "^": "pow", "==": "eq",
    "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "and": "and", "or": "or",
    "&": "bit_and", "|": "bit_or", "<<": "shift_left", ">>": "shift_right",
}  # fmt: skip
_SPELLED = {"max": "maximum", "min": "minimum", "xor": "bit_xor"}
_UNSPOKEN = {"maximum", "minimum", "select", "add", "sub", "mul", "div", "neg", "pow", "and", "or", "not", "floor_div",
             "mod", "within", "add_fits", "sub_fits", "mul_fits", "bit_and", "bit_or", "bit_xor", "shift_left",
             "shift_right", "table", "exact_div", "named", "eq", "ne", "lt", "le", "gt", "ge",
             "floor_divide"}  # fmt: skip
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


MOST_GUESSES = 4
"""How often the equations of a system are translated to find the dtypes of its states."""


class Translator:
    """Translates the expressions of one specialisation; each definition once."""

    def __init__(self, setting: Context, specialise: Specialise) -> None:
        self.setting = setting
        self._specialise = specialise
        self.scope = Scope(setting)
        self.checks: list[tuple[Expr, str]] = []
        self._reducers = Reducers(setting, self.scope, self.translate, self.checks)
        self._readings = Readings(setting, self.scope, self.translate, self.definition)
        self._definitions = {each.name: each for each in setting.declaration.definitions}
        self._adjoined = {each.name for each in setting.declaration.grads}
        self._translated: dict[str, Expr] = {}
        self._within: list[str] = []
        self._systems = systems(setting.declaration)
        self._solved: dict[str, Expr] = {}
        self._solving: list[System] = []
        self._failed: set[str] = set()
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
        if name in self._readings.states:
            return self._readings.state(name, span)
        if name in self._translated or name in self._solved:
            return self._translated.get(name) or self._solved[name]
        system = self._systems.get(name)
        solved = system is None or system in self._solving or {*system.states} <= self._solved.keys()
        if system is not None and not solved:
            self._solve(system)
            return self.definition(name, span)
        if name not in self._definitions and name not in self._uses:
            raise span.error(f"{name} is never defined; write {name} = …; between the braces")
        if name in self._within:
            chain = " -> ".join([*self._within[self._within.index(name) :], name])
            raise span.error(f"{name} is defined by itself ({chain}); a formula has no recursion")
        self._within.append(name)
        try:
            if name in self._definitions:
                value = self._with_indices(self._definitions[name])
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

    def _solve(self, system: System) -> None:
        """The states of a system, each as a recurrence: their equations are translated with a guess of their dtypes
        until it is right."""
        label, spans = new_label(), {each.name: each.span for each in self.setting.declaration.definitions}
        spans.update({name: use.span for name, use in self._uses.items()})
        axes = {name: self._readings.indices_of_state(name, spans[name]) for name in system.states}
        states, dtypes = self._readings.states, dict.fromkeys(system.states, INDEX_DTYPE)
        self._solving.append(system)
        try:
            for _ in range(MOST_GUESSES):
                self._forget(system)
                self._readings.states = {
                    name: State(state_name(label, which), axes[name], dtypes[name]) for which, name in enumerate(axes)
                }
                bodies = {name: self._equation(name) for name in axes}
                found = {name: body.dtype for name, body in bodies.items()}
                if found == dtypes:
                    break
                dtypes = found
            else:
                name = system.states[0]
                raise spans[name].error(f"the type of {name} is another one each time that it is read; write int(…)")
        finally:
            self._readings.states = states
            self._forget(system)
            self._solving.pop()
        equations = tuple(cast(bodies[name], dtype) for name, dtype in dtypes.items())
        for which, (name, indices) in enumerate(axes.items()):
            at = tuple(map(position, indices))
            value = joined(recurrence(label, tuple(axes), tuple(axes.values()), which, at, equations))
            assert isinstance(value, Recurrence)
            self._require_order(value, spans[name])
            self._solved[name] = value

    def _forget(self, system: System) -> None:
        """What the members came to with other states. What they read beside each other does not depend on them."""
        self._translated = {name: value for name, value in self._translated.items() if name not in system.members}

    def _equation(self, name: str) -> Expr:
        """The formula of a state."""
        if name in self._definitions:
            return self._with_indices(self._definitions[name])
        self._use(self._uses[name])
        return self._translated[name]

    def _require_order(self, value: Recurrence, span: syntax.Span) -> None:
        kind = left_running(value)
        if kind is not None:
            used = [use.span for name, use in self._uses.items() if name in self._systems]
            raise (used[0] if used else span).error(
                f"a running {kind} in it goes over a definition that depends on it; here that has sums, products and "
                "extremes alone, as in max[s <= n](v[t, s])"
            )
        try:
            found = expanded(value)
            assert isinstance(found, Recurrence)
            order_of(found)
        except NoOrder as error:
            raise self._readings.spans.get(error.reading, span).error(
                "nothing says that this element is computed before the one that reads it: read at a place that is "
                "always before, as in h[t - 1] else 0, or always behind; or say so in a condition, as in "
                "s < t ? h[s] : 0, or of a number that the caller gives behind 'where': h[t - lag] with where lag > 0"
            ) from None

    def _with_indices(self, definition: syntax.Definition) -> Expr:
        """The formula of a definition, which has no other index than those between its brackets."""
        if isinstance(definition.value, syntax.Table):
            return self._table(definition.axes or (), definition.value)
        value = self.translate(definition.value)
        if definition.axes is not None:
            known = [index for axis in definition.axes for index in self.scope.indices_of(axis)]
            loose = sorted(value.free - {*known})
            if loose:
                self.setting.require_brackets(loose[0], definition.name, known)
                raise definition.span.error(
                    f"index {', '.join(loose)} is free in {definition.name}, which does not have it; "
                    f"name it between the brackets, or bind it with sum[{loose[0]}](…)"
                )
        return value

    def _table(self, axes: Sequence[syntax.Axis], table: syntax.Table) -> Expr:
        """The number of a table at its indices."""
        at: Expr = number(0, INDEX_DTYPE)
        for axis, length in zip(axes, table.lengths(), strict=True):
            at = call("add", call("mul", at, length), position(axis.names[0]))
        entries = []
        for each in table.numbers():
            entries.append(self.translate(each))
            if not isinstance(entries[-1], Number):
                raise each.span.error("a table consists of numbers; what is computed stands in a formula of its own")
        return call("table", at, *entries)

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
        if self.setting.tensors[grad.name].dtype in FLOATS:
            read = {node.operand for node in subexpressions(expr) if isinstance(node, Read)}
            whole = next((each for each in outputs if f"d{each.name}" in read and each.dtype not in FLOATS), None)
            if whole is not None:
                raise _without_gradient(grad, whole.name, whole.dtype)
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
        if grad.name in self._systems:
            raise grad.span.error(f"{grad.name} reads itself, and the gradient of such a definition is derived")
        of = self.definition(grad.name, grad.span)
        if of.dtype not in FLOATS and any(each.dtype in FLOATS for each in self.setting.tensors.values()):
            raise _without_gradient(grad, grad.name, of.dtype)
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
        self._readings.readable = {output.name: output for output in outputs}
        self._readings.readable.update({"d" + output.name: output for output in outputs})
        try:
            return self.translate(grad.value)
        finally:
            self._readings.readable = {}

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
            return self._readings.at(node)
        if isinstance(node, syntax.Reduction):
            return self._reducers.translate(node)
        if isinstance(node, syntax.Select):
            first, second = self.translate(node.first), self.translate(node.second)
            return call("select", self.translate(node.condition), first, second)
        if isinstance(node, syntax.Prefix):
            return self._prefix(node)
        if isinstance(node, syntax.Guarded):
            return self._readings.guarded(node)
        assert isinstance(node, syntax.Text), "the grammar has a table behind '=' alone"
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
            for tensor in (part.operand for part in subexpressions(value) if isinstance(part, Read)):
                raise each.value.span.error(
                    f"the size of {each.index} cannot depend on {tensor}, which is a tensor; a number of the caller "
                    f"stands behind a semicolon: `op f(x[n]: float; {tensor}: int)`"
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
        if name in self._readings.elements:
            return self._readings.elements[name]
        if name in self._readings.readable:
            output = self._readings.readable[name]
            if name in self.reduced:
                return self.definition(name, node.span)
            if output.name in self.reduced:
                _, count = self.reduced[output.name]
                each = cast(read(name, (), output.dtype), self._readings.computed(output))
                return each if count is None else call("div", each, count)
            return cast(read(name, tuple(map(position, output.indices)), output.dtype), self._readings.computed(output))
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
        lists = [each.axes or () for each in (*declaration.outputs, *declaration.saving)]
        lists += [each.axes or () for each in self._definitions.values()]
        if any(name in axis.names for axes in lists for axis in axes):
            return f"index {name} has no size: no operand has it, and no 'where {name} = …' gives it one"
        if name in {"d" + output.name for output in declaration.outputs}:
            return f"{name} is an output gradient; only a grad statement can read it"
        names = [operand.name for operand in declaration.operands]
        if self._readings.readable and name[:1] == "d" and name[1:] in names:
            arrives = " and ".join("d" + output.name for output in declaration.outputs)
            return f"{name} is nothing that is known here: what arrives is {arrives}, and grad {name[1:]} gives {name}"
        names += [attribute.name for attribute in declaration.attributes] + list(self._definitions) + list(self._uses)
        return f"{name} is no operand, attribute, definition or index{nearest(name, names)}"

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
            hint = f"; the reducer is written {node.function}[k](…)" if node.function in REDUCERS else ""
            raise node.span.error(
                f"{node.function} takes {takes}, but {len(arguments)} {'is' if len(arguments) == 1 else 'are'} given"
                + hint
            )
        self._require_bits(name, f"{node.function}(…)", zip(node.arguments, arguments, strict=True))
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
        return f"there is no function {name}{nearest(name, _NAMES, otherwise, alike=0.65)}"

    def _cast_to(self, node: syntax.Call) -> Expr:
        word = node.arguments[1] if len(node.arguments) == 2 else None
        found = self.setting.attribute(word.name) if isinstance(word, syntax.Name) else None
        given = self.translate(node.arguments[0])
        if isinstance(word, syntax.Name) and word.name in self.setting.tensors:
            return cast(given, self.translate(word).dtype)
        if found is None or found.type != "dtype":
            raise node.span.error(
                "cast takes an expression, and an operand or an attribute of type dtype; float(x) and int(x) are fixed"
            )
        return cast(given, self.setting.static[found.name])

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
        self._require_bits(function, f"'{node.sign}'", ((node.left, left), (node.right, right)))
        return call(function, *self._as_floats(function, [left, right]))

    def _prefix(self, node: syntax.Prefix) -> Expr:
        value = self.translate(node.operand)
        if node.sign == "~":
            self._require_bits("bit_xor", "'~'", ((node.operand, value),))
            return call("bit_xor", value, cast(-1, value.dtype))
        return call("neg" if node.sign == "-" else "not", value)

    def _require_bits(self, function: str, spelling: str, given: Iterable[tuple[syntax.Expression, Expr]]) -> None:
        """Functions of bits take whole numbers."""
        if FUNCTIONS[function].result != "bits":
            return
        for node, value in given:
            if value.dtype not in INTEGERS:
                otherwise = "conditions are joined by 'and' and 'or', and turned round by 'not'"
                if value.dtype != "bool":
                    otherwise = "int(…) makes a whole number of a float"
                raise node.span.error(f"{spelling} takes whole numbers, and this is {value.dtype}; {otherwise}")

    def _as_floats(self, function: str, arguments: list[Expr]) -> list[Expr]:
        """Integers that become floats, as 1 / 2 does, become those that the formula computes with."""
        if FUNCTIONS[function].result != "float" or any(each.dtype in FLOATS for each in arguments):
            return arguments
        return [cast(each, self.setting.float_dtype()) for each in arguments]


def _without_gradient(grad: syntax.Definition, name: str, dtype: str) -> KernelLanguageError:
    """A declared gradient would never be asked for."""
    kind = "a condition" if dtype == "bool" else "a whole number"
    return grad.span.error(
        f"grad {grad.name}: {name} is {dtype}, {kind}, which has no gradient to go back from; make it a float, as in "
        "x > 0 ? 1.0 : 0.0 or float(…)"
    )
