"""The index IR: one page that says what a formula is.

An expression is a hash-consed DAG over *named indices*. It means a function from the values of its free indices
to one scalar. Two expressions that are written alike are one object, so identity is equality and every pass can
memoise on the node itself.

    Number      a literal of the declaration               2, -inf, true
    Attribute   a number given by the caller               negative_slope        (a kernel argument, never text)
    Size        the extent of an index                     size[k]               (a kernel argument)
    Position    the current value of an index              k
    Read        one element of an operand                  a[i, k]
    Apply       a pointwise function of scalars            exp(x), a * b, c ? a : b
    Reduce      a sum, max, … over the indices it binds    sum[k](…)
    Scan        the same as far as a position              sum[s <= t](…)
    Recurrence  a value that earlier ones give             h[t] = f(h[t - 1])
    Materialised  a value that is computed once           what a comparison asks for
    Custom      a value with a derivative of its own       what `use v = sigmoid(x)` gives

A `Formula` is what is compiled, differentiated, evaluated and launched: operands, attributes, outputs (one
expression each) and the sizes of its indices. Its gradient is again a Formula.

An index name may carry primes, `k'`; they mark fresh copies made by a pass. `root("k'") == "k"` and an index always
has the extent of its root, so `Size` only ever names roots.

`nodes` says what expressions are, `construct` makes them, `formula` has formulas and what is legal of one. Every pass
builds through `simplify`, over the pointwise `functions`, and through `binding` where indices are bound or others are
put for them; `logic` joins conditions and says which follows from which, `choices` asks what they leave open,
`inequalities` knows comparisons of integers. `polynomial` and `interval` reason about integers, `forms` sees what
differs in the names of indices alone, `paths` under which conditions each part is evaluated; `overflow` and `bounds`
reason about positions, `recurrences` about the order in which the elements of a recurrence can be computed, and which
systems are one; `host` computes them where no device is needed, with `quantity` for numbers that other shapes share.
`transplant` takes an expression into another formula. `evaluate` computes any formula on NumPy (with `special`
functions of its own), `show` writes one as mathematics, `show_steps` what is computed step by step.
"""

from netcl.kernels.compiler.ir.construct import (
    apply,
    attribute,
    custom,
    materialise,
    number,
    position,
    read,
    rebuild,
    recurrence,
    reduce,
    scan,
    size,
    transform,
    with_children,
)
from netcl.kernels.compiler.ir.formula import Formula, InvalidFormula, Operand, Output, verify
from netcl.kernels.compiler.ir.nodes import (
    FLOATS,
    HALVES,
    INDEX_DTYPE,
    INTEGERS,
    REDUCERS,
    SCANS,
    Apply,
    Attribute,
    Axes,
    Custom,
    Enclosed,
    Expr,
    ExprLike,
    Materialised,
    Number,
    Position,
    Read,
    Recurrence,
    Reduce,
    Scan,
    Size,
    binds,
    fresh,
    indices_of,
    is_state,
    new_label,
    outermost,
    root,
    seed_name,
    state_name,
    subexpressions,
    unknown,
    value_name,
    without_ties,
)

__all__ = [
    "FLOATS",
    "HALVES",
    "INDEX_DTYPE",
    "INTEGERS",
    "REDUCERS",
    "SCANS",
    "Apply",
    "Attribute",
    "Axes",
    "Custom",
    "Enclosed",
    "Expr",
    "ExprLike",
    "Formula",
    "InvalidFormula",
    "Materialised",
    "Number",
    "Operand",
    "Output",
    "Position",
    "Read",
    "Recurrence",
    "Reduce",
    "Scan",
    "Size",
    "apply",
    "attribute",
    "binds",
    "custom",
    "fresh",
    "indices_of",
    "is_state",
    "materialise",
    "new_label",
    "number",
    "outermost",
    "position",
    "read",
    "rebuild",
    "recurrence",
    "reduce",
    "root",
    "scan",
    "seed_name",
    "size",
    "state_name",
    "subexpressions",
    "transform",
    "unknown",
    "value_name",
    "verify",
    "with_children",
    "without_ties",
]
