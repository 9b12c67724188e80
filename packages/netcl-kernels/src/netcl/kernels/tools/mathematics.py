r"""Formulas set as mathematics, in LaTeX: for the pages of operations and for notebooks.

The adjoint of y, `dy` and `grad_y` in formulas, is $\bar y$, and $N_i$ is the extent of the index i. Indices are left
out of a formula in which every tensor is read at the very place that is computed. Conditions that count as numbers
stand in Iverson brackets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from netcl.kernels.compiler.ir import (
    Apply,
    Attribute,
    Custom,
    Enclosed,
    Expr,
    Formula,
    Materialised,
    Number,
    Position,
    Read,
    Recurrence,
    Reduce,
    Scan,
    Size,
    position,
    state_name,
    subexpressions,
)
from netcl.kernels.compiler.ir.show import in_text, number_text, shared_names, state_names

_INFIX = {
    "or": (1, r" \lor "), "and": (2, r" \land "), "eq": (4, " = "), "ne": (4, r" \ne "), "lt": (4, " < "),
    "le": (4, r" \le "), "gt": (4, " > "), "ge": (4, r" \ge "), "add": (8, " + "), "sub": (8, " - "),
    "mod": (9, r" \bmod "), "remainder": (9, r" \bmod "),
}  # fmt: skip
_SUM, _PRODUCT, _NEGATION, _POWER, _TIGHTEST = 8, 9, 10, 11, 12

_CALLS = {
    name: rf"\{spelled}"
    for name, spelled in {
        "log": "log", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "arcsin", "acos": "arccos", "atan": "arctan",
        "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "maximum": "max", "minimum": "min", "digamma": "psi",
        "zeta": "zeta", "normal_cdf": "Phi", "exp": "exp",
    }.items()
} | {
    "log2": r"\log_2", "log10": r"\log_{10}", "i0": "I_0", "i1": "I_1", "trigamma": r"\psi'", "gammainc": "P",
    "gammaincc": "Q", "sign": r"\operatorname{sgn}",
}  # fmt: skip
"""What is written with parentheses around its arguments."""

_AROUND: dict[str, Callable[..., str]] = {
    "abs": r"\left|{}\right|".format,
    "floor": r"\left\lfloor {}\right\rfloor".format,
    "ceil": r"\left\lceil {}\right\rceil".format,
    "sqrt": r"\sqrt{{{}}}".format,
    "rsqrt": r"\frac{{1}}{{\sqrt{{{}}}}}".format,
    "cbrt": r"\sqrt[3]{{{}}}".format,
    "div": r"\frac{{{}}}{{{}}}".format,
    "exact_div": r"\frac{{{}}}{{{}}}".format,
    "floor_div": r"\left\lfloor\frac{{{}}}{{{}}}\right\rfloor".format,
    "floor_divide": r"\left\lfloor\frac{{{}}}{{{}}}\right\rfloor".format,
    "lgamma": r"\log\left|\Gamma({})\right|".format,
    "polygamma": r"\psi^{{({})}}({})".format,
    "betainc": r"I_{{{2}}}({0}, {1})".format,
    "copy": "{}".format,
    "named": "{}".format,
    "within": "{0}".format,
}
"""What needs no parentheses around or within it."""

_REDUCERS = {"sum": r"\sum", "prod": r"\prod", "max": r"\max", "min": r"\min", "any": r"\bigvee", "all": r"\bigwedge"}
_GREEK = frozenset(
    """alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi chi psi omega""".split()
)


def formula_latex(formula: Formula) -> str:
    """A formula, its parts that have names first; of more than one line within `split`, for a display."""
    roots = [output.expr for output in formula.outputs]
    states = state_names(formula)
    names = shared_names(roots, states)
    writer = _Writer(names, states, _adjoints(formula, states), bare=_is_pointwise(formula))
    lines = [rf"N_{{{_symbol(index)}}} &= {writer.text(expr, 0)}" for index, expr in formula.sizes.items()]
    told: set[int] = set()
    for node in in_text(*roots):
        if isinstance(node, Recurrence) and node.label not in told:
            told.add(node.label)
            lines += writer.equations(node)
        if node in names and node not in roots:
            lines.append(f"{_symbol(names[node])} &= {writer.definition(node)}")
    for output in formula.outputs:
        at = ", ".join("1" if not axis else r" \, ".join(map(_symbol, axis)) for axis in output.axes)
        name = writer.symbol(output.name)
        lines.append(f"{writer.subscripted(name, at)} &= {writer.definition(output.expr)}")
    if len(lines) == 1:
        return lines[0].replace("&= ", "= ", 1)
    return "\\begin{split}\n" + " \\\\\n".join(lines) + "\n\\end{split}"


def _is_pointwise(formula: Formula) -> bool:
    """Whether every tensor is read where the output is computed, or has one element, and indices mean nothing else."""
    [own, *others] = {tuple(index for axis in output.axes for index in axis) for output in formula.outputs}
    nodes = subexpressions(*(each.expr for each in formula.outputs))
    reads = (tuple(getattr(at, "index", None) for at in node.at) for node in nodes if isinstance(node, Read))
    indexed = any(
        isinstance(node, (Reduce, Scan, Enclosed))
        or (not isinstance(node, Read) and any(isinstance(child, Position) for child in node.children))
        for node in nodes
    )
    flat = any(each.flat for each in (*formula.operands, *formula.outputs))
    return not others and not indexed and not flat and all(place in ((), own) for place in reads)


def _adjoints(formula: Formula, states: Mapping[str, str]) -> dict[str, str]:
    """The names of adjoints among those of operands, outputs and states, each with what it is the adjoint of."""
    names = [*(each.name for each in (*formula.operands, *formula.outputs)), *states.values()]
    gradients = {name: name.removeprefix("grad_") for name in names if name.startswith("grad_")}
    seeds = {name: name[1:] for name in names if name[0] == "d" and name[1:] and f"grad_{name[1:]}" not in gradients}
    return gradients | seeds if gradients else {}


def _symbol(name: str, adjoint: bool = False) -> str:
    """A name as mathematics: letters and Greek letters alone, digits behind one below it, other names upright."""
    name, _, element = name.partition(".")
    letters, digits, primes = re.fullmatch(r"(.*?)_*(\d*)('*)", name).groups()  # type: ignore[union-attr]
    if letters in _GREEK:
        symbol = "\\" + letters.replace("epsilon", "varepsilon")
    else:
        symbol = letters if len(letters) == 1 else rf"\text{{{letters}}}".replace("_", r"\_")
    if adjoint:
        symbol = rf"\bar{{{symbol}}}" if len(letters) == 1 else rf"\overline{{{symbol}}}"
    below = ", ".join(filter(None, (digits, element)))
    return symbol + (f"_{{{below}}}" if below else "") + primes


class _Writer:
    """Writes expressions; `names` and `states` as those of `show.Writer`, `bare` leaves out the indices."""

    def __init__(
        self, names: Mapping[Expr, str], states: Mapping[str, str], adjoints: Mapping[str, str], bare: bool
    ) -> None:
        self.names = names
        self.states = states
        self.adjoints = adjoints
        self.bare = bare

    def symbol(self, name: str) -> str:
        return _symbol(self.adjoints.get(name, name), adjoint=name in self.adjoints)

    def subscripted(self, symbol: str, at: str) -> str:
        if self.bare or not at:
            return symbol
        head, digits = (re.fullmatch(r"(.*)_\{(\w+)\}", symbol) or re.fullmatch(r"(.*)()", symbol)).groups()  # type: ignore[union-attr]
        return f"{head}^{{({digits})}}_{{{at}}}" if digits else f"{symbol}_{{{at}}}"

    def definition(self, expr: Expr) -> str:
        """What stands behind the sign of equality; a condition, which may have such a sign itself, in brackets."""
        text = self.text(expr, 0, itself=True)
        return rf"\left[{text}\right]" if expr.dtype == "bool" else text

    def equations(self, node: Recurrence) -> Iterator[str]:
        """Of all states of a system."""
        for which, (axes, body) in enumerate(zip(node.axes, node.bodies, strict=True)):
            name = self.symbol(self.states[state_name(node.label, which)])
            yield f"{self.subscripted(name, ', '.join(map(_symbol, axes)))} &= {self.text(body, 0)}"

    def text(self, expr: Expr, level: int, itself: bool = False) -> str:
        """With parentheses where the operator around it, of precedence `level`, binds tighter."""
        if not itself and expr in self.names:
            return _symbol(self.names[expr])
        text, own = self._piece(expr)
        return rf"\left({text}\right)" if own < level else text

    def _all(self, children: Sequence[Expr]) -> str:
        return ", ".join(self.text(child, 0) for child in children)

    def _piece(self, expr: Expr) -> tuple[str, int]:
        if isinstance(expr, Number):
            text = _number(expr)
            return text, _SUM if text.startswith("-") else _PRODUCT if r"\cdot" in text else _TIGHTEST
        if isinstance(expr, Attribute):
            return _symbol(expr.name), _TIGHTEST
        if isinstance(expr, Size):
            return rf"N_{{{_symbol(expr.index)}}}", _TIGHTEST
        if isinstance(expr, Position):
            return _symbol(expr.index), _TIGHTEST
        if isinstance(expr, Read):
            name = self.symbol(self.states.get(expr.operand, expr.operand))
            return self.subscripted(name, self._all(expr.at)), _TIGHTEST
        if isinstance(expr, Reduce):
            return self._reduced(expr.kind, ", ".join(map(_symbol, expr.over)), (expr.body,))
        if isinstance(expr, Scan):
            sign = r"\ge" if expr.backward else r"\le"
            bound = f"{_symbol(expr.index)} {sign} {self.text(expr.at, 5)}"
            return self._reduced(expr.kind, bound, expr.bodies)
        if isinstance(expr, Recurrence):
            name = self.symbol(self.states[state_name(expr.label, expr.which)])
            return self.subscripted(name, self._all(expr.at)), _TIGHTEST
        if isinstance(expr, (Materialised, Custom)):
            body = expr.body if isinstance(expr, Materialised) else expr.values[expr.which]
            return self._at(body, expr.axes[expr.which], expr.at)
        assert isinstance(expr, Apply)
        return self._applied(expr)

    def _reduced(self, kind: str, bound: str, bodies: Sequence[Expr]) -> tuple[str, int]:
        sign = _REDUCERS.get(kind, rf"\operatorname*{{{kind}}}")
        if len(bodies) > 1 or kind not in ("sum", "prod"):
            atoms = len(bodies) == 1 and self._inner(bodies[0])[1] == _TIGHTEST
            written = self._all(bodies) if atoms else rf"\left({self._all(bodies)}\right)"
            return rf"{sign}_{{{bound}}} {written}", _PRODUCT
        return rf"{sign}_{{{bound}}} {self.text(bodies[0], _PRODUCT)}", _PRODUCT

    def _at(self, body: Expr, axes: Sequence[str], at: Sequence[Expr]) -> tuple[str, int]:
        """A value over indices of its own, at other places where it is not the same ones."""
        if tuple(at) == tuple(map(position, axes)):
            return self._piece(body)
        where = ", ".join(f"{_symbol(index)} = {self.text(each, 0)}" for index, each in zip(axes, at, strict=True))
        return rf"\left.{self.text(body, 0)}\right|_{{{where}}}", _TIGHTEST

    def _applied(self, expr: Apply) -> tuple[str, int]:
        name, children = expr.function, expr.children
        if name == "select":
            return self._cases(expr), _TIGHTEST
        if name == "cast":
            [child] = children
            return (rf"\left[{self.text(child, 0)}\right]", _TIGHTEST) if child.dtype == "bool" else self._inner(child)
        if name in _AROUND:
            written = [self.text(child, 0) for child in children]
            return _AROUND[name](*written), 0 if name in ("copy", "named", "within") and children[
                0
            ].children else _TIGHTEST
        if name == "mul":
            return self._product(*children), _PRODUCT
        if name == "and":
            return self._conjunction(expr), _INFIX["and"][0]
        if name in _INFIX:
            level, sign = _INFIX[name]
            tighter = level + (level == 4)
            return self.text(children[0], tighter) + sign + self.text(children[1], level + 1), level
        if name == "neg":
            return f"-{self.text(children[0], _PRODUCT)}", _SUM
        if name == "not":
            return rf"\lnot {self.text(children[0], 5)}", 3
        if name == "pow":
            return self._raised(children[0], self.text(children[1], 0)), _POWER
        if name in ("exp", "exp2", "expm1"):
            return self._power(name, children[0])
        if name == "log1p":
            return rf"\log\left(1 + {self.text(children[0], _SUM)}\right)", _TIGHTEST
        if name in ("i0e", "i1e"):
            argument = self.text(children[0], 0)
            return rf"e^{{-\left|{argument}\right|}} I_{name[1]}\left({argument}\right)", _PRODUCT
        if name == "times_normal_cdf":
            return rf"{self.text(children[0], _PRODUCT)} \Phi\left({self.text(children[0], 0)}\right)", _PRODUCT
        if name == "gamma_density":
            return self._gamma_density(*children), _TIGHTEST
        if name == "beta_density":
            return self._beta_density(*children), _TIGHTEST
        called = _CALLS.get(name, rf"\operatorname{{{name}}}".replace("_", r"\_"))
        return rf"{called}\left({self._all(children)}\right)", _TIGHTEST

    def _gamma_density(self, a: Expr, x: Expr) -> str:
        power = self._raised(x, self.text(a - 1, 0))
        return rf"\frac{{{power} e^{{-{self.text(x, _PRODUCT)}}}}}{{{self._gamma(a)}}}"

    def _beta_density(self, a: Expr, b: Expr, x: Expr) -> str:
        powers = f"{self._raised(x, self.text(a - 1, 0))} {self._raised(1 - x, self.text(b - 1, 0))}"
        return rf"\frac{{{self._gamma(a + b)} {powers}}}{{{self._gamma(a)} {self._gamma(b)}}}"

    def _gamma(self, a: Expr) -> str:
        return rf"\Gamma\left({self.text(a, 0)}\right)"

    def _product(self, first: Expr, second: Expr) -> str:
        if first is second:
            return self._raised(first, "2")
        left, right = self.text(first, _PRODUCT), self.text(second, _PRODUCT)
        if right[:1].isdigit():
            return rf"{left} \cdot {right}"
        upright = (left.endswith("}") and r"\text" in left) or right.startswith(r"\text")
        return rf"{left} \, {right}" if upright else f"{left} {right}"

    def _raised(self, base: Expr, exponent: str) -> str:
        written = self.text(base, _TIGHTEST)
        if re.search(r"\\frac|\\sum|\\begin|\^", written) and not written.startswith(r"\left("):
            written = rf"\left({written}\right)"
        return f"{written}^{{{exponent}}}"

    def _conjunction(self, expr: Expr) -> str:
        """Conditions that all hold; of a pair such as 0 <= i and i < n, one chain."""
        terms: list[Expr] = []
        waiting = [expr]
        while waiting:
            term = waiting.pop()
            if isinstance(term, Apply) and term.function == "and" and (term is expr or term not in self.names):
                waiting += reversed(term.children)
            else:
                terms.append(term)
        written: list[str] = []
        for before, term in zip([None, *terms], terms, strict=False):
            if self._is_bound(before) and self._is_bound(term) and before.children[1] is term.children[0]:  # type: ignore[union-attr]
                written[-1] += _INFIX[term.function][1] + self.text(term.children[1], 5)  # type: ignore[attr-defined]
            else:
                written.append(self.text(term, 3))
        return r" \land ".join(written)

    def _is_bound(self, term: Expr | None) -> bool:
        return isinstance(term, Apply) and term.function in ("lt", "le") and term not in self.names

    def _inner(self, child: Expr) -> tuple[str, int]:
        return (_symbol(self.names[child]), _TIGHTEST) if child in self.names else self._piece(child)

    def _power(self, name: str, exponent: Expr) -> tuple[str, int]:
        """e or 2 to the exponent; `exp` where that would be too high to stand above a line."""
        written = self.text(exponent, 0)
        tall = any(sign in written for sign in (r"\frac", r"\sum", r"\begin", r"\max")) or len(written) > 40
        base = "2" if name == "exp2" else "e"
        power = rf"\exp\left({written}\right)" if tall and base == "e" else f"{base}^{{{written}}}"
        return (f"{power} - 1", _SUM) if name == "expm1" else (power, _POWER)

    def _cases(self, expr: Expr) -> str:
        rows: list[str] = []
        while isinstance(expr, Apply) and expr.function == "select" and (not rows or expr not in self.names):
            condition, first, expr = expr.children
            rows.append(rf"{self.text(first, 0)} & \text{{if }} {self.text(condition, 0)}")
        rows.append(rf"{self.text(expr, 0)} & \text{{otherwise}}")
        return r"\begin{cases} " + r" \\ ".join(rows) + r" \end{cases}"


def _number(node: Number) -> str:
    value = node.value
    if isinstance(value, bool):
        return rf"\text{{{str(value).lower()}}}"
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return r"\text{nan}" if value != value else r"\infty" if value > 0 else r"-\infty"
    mantissa, _, exponent = number_text(node).partition("e")
    if not exponent:
        return mantissa.replace("^", "^{", 1) + "}" if "^" in mantissa else mantissa
    power = f"10^{{{int(exponent)}}}"
    return power if mantissa == "1" else rf"{mantissa} \cdot {power}"
