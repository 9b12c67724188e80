"""Expressions: the nodes of a hash-consed DAG, what they bind, and how one goes through them.

Nodes that are written alike are one object, so identity is equality, and every pass can memoise on the node itself.
They are made by the functions of `construct`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

FLOATS = ("float16", "bfloat16", "float32", "float64")
HALVES = ("float16", "bfloat16")
"""Floats that are only stored: they are computed with as float32."""

INTEGERS = ("uint8", "int32", "int64")
INDEX_DTYPE = "int64"

REDUCERS = {
    "sum": "the sum; 0 of nothing",
    "prod": "the product; 1 of nothing",
    "max": "the largest value, NaN if one is NaN; -inf (the least integer) of nothing",
    "min": "the smallest value, NaN if one is NaN; inf (the largest integer) of nothing",
    "any": "whether one is true",
    "all": "whether each is true",
    "first_max": "as max, but its derivative goes to the first of equal values (max shares it among them)",
    "first_min": "as min, with the derivative of first_max",
    "last_max": "as max, but its derivative goes to the last of equal values",
    "last_min": "as min, with the derivative of last_max",
    "argmax": "the flat position, row-major over the bound indices, of the first largest value (a NaN is largest)",
    "argmin": "the flat position of the first smallest value (a NaN is smallest)",
}


SCANS = {
    "sum": "the sum so far",
    "prod": "the product so far",
    "max": "the largest value so far, NaN from the first NaN on",
    "min": "the smallest value so far, NaN from the first NaN on",
    "any": "whether one has been true",
    "all": "whether each has been true",
    "argmax": "the position where the largest value so far was met first (a NaN is largest)",
    "argmin": "the position where the smallest value so far was met first (a NaN is smallest)",
    "argsort": "the position that comes here in the order of the values (NaN last; equal ones as they stand)",
    "scan": "the recurrence h = a * h + b over two bodies a and b, which begins with the first b",
}


def without_ties(kind: str) -> str:
    """The reducer that gives the same value: what first_max and last_max say of ties is about derivatives."""
    return kind.removeprefix("first_").removeprefix("last_")


Axes = tuple[tuple[str, ...], ...]
"""How each axis of a tensor is indexed: `("i",)` by one index, `("g", "c")` split into two, `()` an axis of size 1."""


class Expr:
    """A scalar expression with a dtype. `free` are the indices that are free in it, `bound` those bound within, of
    which sums and scans bind the `summed` ones outside the equations of recurrences. `below` is what `subexpressions`
    found there.

    Build it with the functions of `construct`.
    """

    __slots__ = ("__weakref__", "below", "bound", "children", "dtype", "free", "key", "summed")
    below: tuple[Expr, ...] | None
    children: tuple[Expr, ...]
    dtype: str
    free: frozenset[str]
    bound: frozenset[str]
    summed: frozenset[str]
    key: tuple[Any, ...]

    if TYPE_CHECKING:
        # Arithmetic on expressions reads like the mathematics it builds; `simplify` puts it on this class.
        def __add__(self, other: ExprLike) -> Expr: ...
        def __radd__(self, other: ExprLike) -> Expr: ...
        def __sub__(self, other: ExprLike) -> Expr: ...
        def __rsub__(self, other: ExprLike) -> Expr: ...
        def __mul__(self, other: ExprLike) -> Expr: ...
        def __rmul__(self, other: ExprLike) -> Expr: ...
        def __truediv__(self, other: ExprLike) -> Expr: ...
        def __rtruediv__(self, other: ExprLike) -> Expr: ...
        def __neg__(self) -> Expr: ...


class Number(Expr):
    """A literal: `value` is a Python bool, int or float (inf and nan included). A `weak` one takes the dtype of the
    expressions beside it; what such an expression came to, as 0 * x does, is not weak."""

    __slots__ = ("value", "weak")
    value: bool | int | float
    weak: bool


class Attribute(Expr):
    """A number that the caller gives at each call; `name` is unique in its formula (`stride.0` for an element)."""

    __slots__ = ("name",)
    name: str


class Size(Expr):
    """The extent of the index `index` (a root), int64."""

    __slots__ = ("index",)
    index: str


class Position(Expr):
    """The value of the index `index`, int64, from 0 to its extent less one."""

    __slots__ = ("index",)
    index: str


class Read(Expr):
    """`operand[at…]`: one int64 position per index of the operand's axes; each is in range where it is evaluated."""

    __slots__ = ("operand",)
    operand: str

    @property
    def at(self) -> tuple[Expr, ...]:
        return self.children


class Apply(Expr):
    """A pointwise function named in `functions.FUNCTIONS`. `select(c, a, b)` evaluates only the branch it takes."""

    __slots__ = ("function",)
    function: str

    @property
    def arguments(self) -> tuple[Expr, ...]:
        return self.children


class Reduce(Expr):
    """`kind[over…](body)`: binds the indices `over` in `body`."""

    __slots__ = ("kind", "over")
    kind: str
    over: tuple[str, ...]

    @property
    def body(self) -> Expr:
        return self.children[0]


class Scan(Expr):
    """`kind[index <= at](bodies…)`: the running value at the position `at`, of bodies in which `index` is bound.

    It runs from the first position to the last, or from the last to the first when `backward` (`index >= at`). The
    position is in range wherever it is evaluated, and `index` does not occur in it.
    """

    __slots__ = ("backward", "index", "kind")
    kind: str
    index: str
    backward: bool

    @property
    def at(self) -> Expr:
        return self.children[0]

    @property
    def bodies(self) -> tuple[Expr, ...]:
        return self.children[1:]


class Enclosed(Expr):
    """A value at the positions `at` of something that is computed over indices of its own, which are bound here:
    `axes` has those of each of its values, of which this is number `which`. Its `label` is in the names of what only it
    can read."""

    __slots__ = ("axes", "label", "which")
    axes: Axes
    which: int
    label: int

    @property
    def at(self) -> tuple[Expr, ...]:
        return self.children[: len(self.axes[self.which])]

    @property
    def over(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(index for axis in self.axes for index in axis))

    @property
    def closure(self) -> frozenset[str]:
        """The indices that are free in what is bound here."""
        return free_in(self.children[len(self.at) :]).difference(self.over)


class Recurrence(Enclosed):
    """One of the states of a system of equations in which elements depend on earlier ones.

    `bodies` has the equation of each state, over its own indices. `Read(state_name(label, n), …)` in them is an element
    of state n; these names are bound here. In which order the elements can be computed is found by `recurrences`.
    `names` is what a person calls the states.
    """

    __slots__ = ("names",)
    names: tuple[str, ...]

    @property
    def bodies(self) -> tuple[Expr, ...]:
        return self.children[len(self.at) :]


class Materialised(Enclosed):
    """A value that is computed once, for every place of its indices, and read at the positions `at`: whoever reads it
    at one place reads the same bits, wherever it is put."""

    __slots__ = ()

    @property
    def body(self) -> Expr:
        return self.children[-1]


class Custom(Enclosed):
    """What another formula gives, at the positions `at`: its derivative is the one that its author declared.

    `values` are the outputs of that formula, of which this is number `which`, and `arguments` what it was declared the
    gradients of, each of these as an expression over some of the indices `over`, which are bound here: `axes` has the
    indices of each value, `argument_axes` those of each argument. `gradients` are those of the arguments, over the same
    indices as these. They read `seed(n)` for the adjoint of value n, `value(n)` for value n itself, each at one
    position per index; these names are bound here, too, by the `label`. In the values, what was declared is detached:
    it is the gradients that speak for it.
    """

    __slots__ = ("argument_axes",)
    argument_axes: Axes

    def seed(self, which: int) -> str:
        return seed_name(self.label, which)

    @property
    def values(self) -> tuple[Expr, ...]:
        start = len(self.at)
        return self.children[start : start + len(self.axes)]

    @property
    def arguments(self) -> tuple[Expr, ...]:
        start = len(self.at) + len(self.axes)
        return self.children[start : start + len(self.argument_axes)]

    @property
    def gradients(self) -> tuple[Expr, ...]:
        return self.children[len(self.at) + len(self.axes) + len(self.argument_axes) :]

    @property
    def over(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(index for axis in (*self.axes, *self.argument_axes) for index in axis))


_labels = itertools.count()


def new_label() -> int:
    """A label that no other Enclosed has."""
    return next(_labels)


def state_name(label: int, which: int) -> str:
    """What a Recurrence calls one of its states. No operand has such a name: there is a space in it."""
    return f"state {label} {which}"


def is_state(name: str) -> bool:
    return name.startswith("state ")


def seed_name(label: int, which: int) -> str:
    """What a Custom calls the adjoint of one of its values. No operand has such a name: there is a space in it."""
    return f"seed {label} {which}"


def value_name(label: int, which: int) -> str:
    """What a Custom calls one of its values."""
    return f"value {label} {which}"


class Known(Protocol):
    """What says whether it has an answer for an expression."""

    def __contains__(self, node: Expr, /) -> bool: ...


ExprLike = Expr | int | float | bool
_NOTHING: frozenset[str] = frozenset()


def binds(node: Expr) -> tuple[str, ...]:
    """The indices that a node binds in its children."""
    if isinstance(node, (Reduce, Enclosed)):
        return node.over
    return (node.index,) if isinstance(node, Scan) else ()


def count_outside(node: Expr) -> int:
    """How many of the children, the first ones, have none of the indices that a node binds."""
    return len(node.at) if isinstance(node, Enclosed) else 1 if isinstance(node, Scan) else 0


def root(index: str) -> str:
    """The index a fresh copy was made from: `k''` -> `k`."""
    return index.rstrip("'")


def fresh(index: str, taken: set[str] | frozenset[str]) -> str:
    """`index` with as few primes added as make it new; it is not added to `taken`."""
    while index in taken:
        index += "'"
    return index


def subexpressions(*roots: Expr) -> tuple[Expr, ...]:
    """Every distinct node below `roots`, children before parents, without recursion."""
    if len(roots) == 1:
        (root,) = roots
        return (*_below(root), root)
    found: dict[Expr, None] = {}
    for root in roots:
        if root not in found:
            found.update(dict.fromkeys(_below(root)))
            found[root] = None
    return tuple(found)


def outermost(expr: Expr, index: str | None = None) -> Iterator[Reduce]:
    """The reductions in `expr` that are in none of the others; with an index, of those that depend on it, as what is
    enclosed does by its positions."""
    waiting, seen = [expr], set[Expr]()
    while waiting:
        node = waiting.pop()
        if node in seen or (index is not None and index not in node.free):
            continue
        seen.add(node)
        if isinstance(node, Reduce):
            yield node
        else:
            waiting += node.at if index is not None and isinstance(node, Enclosed) else node.children


def _below(root: Expr) -> tuple[Expr, ...]:
    """What is below a node, kept there: passes ask again and again."""
    if root.below is None:
        found: dict[Expr, None] = {}
        stack = [*reversed(root.children)]
        while stack:
            node = stack[-1]
            if node in found:
                stack.pop()
            elif node.below is not None:
                found.update(dict.fromkeys(node.below))
                found[node] = None
                stack.pop()
            elif left := [child for child in reversed(node.children) if child not in found]:
                stack += left
            else:
                found[node] = None
                stack.pop()
        root.below = tuple(found)
    return root.below


def unknown(memo: Known, *roots: Expr) -> Iterator[Expr]:
    """The nodes below `roots` that `memo` does not have, children before parents. Each has to be put there before the
    next one is asked for."""
    stack = [*reversed(roots)]
    while stack:
        node = stack[-1]
        below = [] if node in memo else [child for child in reversed(node.children) if child not in memo]
        if below:
            stack += below
        else:
            stack.pop()
            if node not in memo:
                yield node


def indices_of(*roots: Expr) -> set[str]:
    """Every index name that occurs, free or bound."""
    return set().union(*(names for node in roots for names in (node.free, node.bound)))


def free_in(children: tuple[Expr, ...]) -> frozenset[str]:
    """The indices that are free in one of these."""
    found = _NOTHING
    for child in children:
        if child.free is not found and child.free:
            found = found | child.free if found else child.free
    return found
