"""The catalogue as test cases: every form of every op, called with arrays and compared with the reference evaluator.

`agrees` binds the call as a user's would be, runs it on the device, and evaluates the same formula in float64 on NumPy.
`gradients_agree` does the same through the tape. No op is named here: a new op is tested because it is declared.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from thorough import THOROUGH

from netcl import autograd as ag
from netcl import core
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import FLOATS, Formula
from netcl.kernels.compiler.ir.evaluate import evaluate
from netcl.kernels.compiler.language import syntax
from netcl.kernels.library.op import Call, Op
from netcl.kernels.namespace import catalogue
from netcl.kernels.runtime.bindings import Bindings, bind
from netcl.kernels.tools.sampling import Case, Wish, cases, is_pointwise

Array = np.ndarray[Any, Any]
Arrays = dict[str, Array]
Arguments = dict[str, Any]

SMALL = (2, 3, 4, 5, 6)
PRIMES = (67, 37, 19, 7, 5, 3)
ROOMY = (17, 9, 5, 3, 2)

TOLERANCES = {"float32": 2e-5, "float64": 1e-11, "float16": 4e-3}
"""Of the largest value of an output; what a reduction rounds off grows with its values, not with its result."""


Choice = TypeVar("Choice")


class Form(NamedTuple):
    """One declaration of an op; `str` of it is its test id."""

    op: Op
    declaration: syntax.Declaration
    name: str

    def __repr__(self) -> str:
        return self.name


def _forms() -> Iterator[Form]:
    for op in catalogue:
        for at, declaration in enumerate(op.forms):
            yield Form(op, declaration, op.name if len(op.forms) == 1 else f"{op.name}-{at + 1}")


FORMS = list(_forms())
FIRST_FORMS = [form for form in FORMS if form.declaration is form.op.forms[0]]
"""One form of each op, for what depends on layouts and dtypes rather than on the formula."""


def drawn(form: Form, wish: Wish, count: int = 1) -> list[Case]:
    """The first cases of a form; the same ones in every run, and other ones for every op."""
    return list(itertools.islice(cases(form.declaration, wish, seed=zlib.crc32(form.name.encode())), count))


def turn_of(form: Form, choices: Sequence[Choice]) -> Choice:
    """One of the choices, spread over the forms: what does not depend on the formula need not be tried with each."""
    return choices[zlib.crc32(form.name.encode()) // 7 % len(choices)]


def sixths(forms: Sequence[Form], *which: int) -> list[Form]:
    """Some sixths of the forms (each is 0 to 5); all of them in a thorough run. For what hangs on layouts and
    schedules, which the forms of one part have in common with those of the others."""
    return [form for form in forms if THOROUGH or zlib.crc32(form.name.encode()) // 11 % 6 in which]


USUAL = Wish(rank=3, dtype="float32", vary=True)
"""What tests draw that have no reason for another case: those of one formula share its kernels."""


def in_double(form: Form) -> Wish:
    """The same in float64, small enough for second derivatives by differences."""
    pointwise = is_pointwise(form.declaration)
    return Wish(rank=1, lengths=(2, 3)) if pointwise else Wish(rank=2, lengths=(3, 2), vary=True)


# --- values -----------------------------------------------------------------------------------------------------------


def as_tensors(arguments: Arguments, place: Callable[[Array], Any] = core.from_host) -> Arguments:
    """The arguments with a Tensor for every array."""
    return {name: _placed(value, place) for name, value in arguments.items()}


def _placed(value: Any, place: Callable[[Array], Any]) -> Any:
    if isinstance(value, np.ndarray):
        return place(value)
    if isinstance(value, list):
        return [place(each) for each in value]
    return value


def agrees(
    op: Op, arguments: Arguments, place: Callable[[Array], Any] = core.from_host, tolerance: float | None = None
) -> tuple[Array, ...]:
    """Run the call on the device, compare every output with the evaluator, and return the outputs."""
    call = op.bind((), as_tensors(arguments, place))
    outputs = call.run(call.operands)
    visible = [output for output in call.formula.outputs if not output.hidden]
    found = []
    for output, tensor, reference in zip(visible, outputs, reference_of(call), strict=True):
        assert tensor.dtype.name == output.dtype
        found.append(tensor.to_host())
        close(found[-1], reference, f"{op.name}: {output.name} of {shown(arguments)}", tolerance)
    return tuple(found)


def reference_of(call: Call) -> tuple[Array, ...]:
    """The visible outputs of a call on the evaluator."""
    bindings = bindings_of(call)
    found = evaluate(call.formula, hosts(call), call.attributes, bindings.sizes, bindings.shapes)
    return tuple(each for each, output in zip(found, call.formula.outputs, strict=True) if not output.hidden)


def bindings_of(call: Call) -> Bindings:
    return bind(call.formula, [tuple(each.shape) for each in call.operands], call.attributes)


def hosts(call: Call) -> dict[str, Array]:
    """The operands of a call on the host."""
    names = [operand.name for operand in call.formula.operands]
    return {name: value_of(each).to_host() for name, each in zip(names, call.operands, strict=True)}


def value_of(x: Any) -> core.Tensor:
    return x.value if isinstance(x, ag.Node) else x


def close(found: Array, expected: Array, what: str, tolerance: float | None = None, least: float = 1e-30) -> None:
    """Equal up to the rounding of the found dtype; NaN, infinities, integers and bools exactly. Rounding is that of the
    largest value, or of `least` where terms of that size may cancel."""
    assert found.shape == expected.shape, what
    if found.dtype.kind != "f":
        np.testing.assert_array_equal(found, expected.astype(found.dtype), err_msg=what)
        return
    with np.errstate(over="ignore"):
        expected = expected.astype(found.dtype).astype(np.float64)
    finite = np.abs(expected[np.isfinite(expected)])
    bound = tolerance or TOLERANCES[found.dtype.name]
    np.testing.assert_allclose(
        found.astype(np.float64), expected, rtol=bound, atol=bound * max(least, finite.max(initial=0.0)), err_msg=what
    )


def shown(arguments: Arguments) -> str:
    parts = []
    for name, value in arguments.items():
        several = value if isinstance(value, list) else [value]
        arrays = [f"{each.dtype}{list(each.shape)}" for each in several if isinstance(each, np.ndarray)]
        parts.append(f"{name}={' '.join(arrays) or value!r}")
    return ", ".join(parts)


# --- gradients --------------------------------------------------------------------------------------------------------


class Recorded(NamedTuple):
    """A call on the tape: the leaves by operand name, the outputs that carry a gradient, and the formula."""

    formula: Formula
    leaves: dict[str, ag.Node]
    outputs: dict[str, ag.Node]
    call: Call
    bindings: Bindings


def recorded(op: Op, arguments: Arguments, place: Callable[[Array], Any] = core.from_host) -> Recorded | None:
    """The call with every floating operand a leaf; None where there is nothing to differentiate."""

    def leaf(array: Array) -> Any:
        tensor = place(array)
        return ag.Node(tensor, True) if array.dtype.kind == "f" else tensor

    given = as_tensors(arguments, leaf)
    call = op.bind((), given)
    wanted = pipeline.differentiable(call.formula)
    if not wanted or not any(output.dtype in FLOATS for output in call.formula.outputs):
        return None
    names = [operand.name for operand in call.formula.operands]
    leaves = {name: each for name, each in zip(names, call.operands, strict=True) if name in wanted}
    results = op(**given)
    results = results if isinstance(results, tuple) else (results,)
    visible = [output.name for output in call.formula.outputs if not output.hidden]
    outputs = {
        name: each
        for name, each in zip(visible, results, strict=True)
        if isinstance(each, ag.Node) and each.requires_grad
    }
    return Recorded(call.formula, leaves, outputs, call, bindings_of(call))


def gradients_agree(
    op: Op, arguments: Arguments, place: Callable[[Array], Any] = core.from_host, tolerance: float | None = None
) -> dict[str, Array]:
    """Backward through the tape against the gradient formula on the evaluator; the gradients by operand name."""
    run = recorded(op, arguments, place)
    if run is None or not run.outputs:
        return {}
    random = np.random.default_rng(1)
    seeds = {name: random.uniform(0.5, 1.5, node.shape).astype(node.dtype) for name, node in run.outputs.items()}
    found = ag.grad(
        list(run.outputs.values()), list(run.leaves.values()), [core.from_host(seed) for seed in seeds.values()],
        allow_unused=True, materialize_grads=True,
    )  # fmt: skip
    expected = reference_gradients(run, tuple(run.leaves), seeds)
    result = {}
    for (name, leaf), gradient in zip(run.leaves.items(), found, strict=True):
        assert gradient.shape == leaf.shape
        assert gradient.dtype == leaf.dtype
        result[name] = gradient.to_host()
        close(result[name], expected[name], f"{op.name}: gradient of {name} of {shown(arguments)}", tolerance, 0.01)
    return result


def reference_gradients(run: Recorded, wanted: tuple[str, ...], seeds: Mapping[str, Array]) -> dict[str, Array]:
    """The gradient formula on the evaluator, all in float64."""
    formula, call = run.formula, run.call
    operands = hosts(call)
    outputs = evaluate(formula, operands, call.attributes, run.bindings.sizes, run.bindings.shapes)
    known = dict(operands)
    for output, value in zip(formula.outputs, outputs, strict=True):
        known[output.name] = value
        known["d" + output.name] = seeds.get(output.name, np.zeros(value.shape))
    gradient = pipeline.gradient(formula, wanted)
    shapes = {**run.bindings.shapes, **{f"grad_{name}": operands[name].shape for name in wanted}}
    found = evaluate(gradient, known, call.attributes, run.bindings.sizes, shapes)
    return dict(zip(wanted, found, strict=True))


def values_on_the_evaluator(formula: Formula, operands: Arrays, attributes: Mapping[str, Any]) -> Arrays:
    """All outputs of a formula by name, in float64."""
    bindings = bind(formula, [operands[each.name].shape for each in formula.operands], attributes)
    found = evaluate(formula, operands, attributes, bindings.sizes, bindings.shapes)
    return dict(zip((output.name for output in formula.outputs), found, strict=True))


def gradients_on_the_evaluator(
    formula: Formula, wanted: tuple[str, ...], known: Arrays, operands: Arrays, attributes: Mapping[str, Any]
) -> Arrays:
    """The gradients of the operands in `wanted`; `known` has what the gradient formula reads."""
    bindings = bind(formula, [operands[each.name].shape for each in formula.operands], attributes)
    shapes = {**bindings.shapes, **{f"grad_{name}": operands[name].shape for name in wanted}}
    found = evaluate(pipeline.gradient(formula, wanted), known, attributes, bindings.sizes, shapes)
    return dict(zip(wanted, found, strict=True))


# --- layouts ----------------------------------------------------------------------------------------------------------


def reversed_axes(array: Array) -> core.Tensor:
    """A view whose axes lie in memory in the opposite order."""
    if array.ndim == 0:
        return core.from_host(array)
    base = core.from_host(np.ascontiguousarray(array.T))
    return base.alias(array.shape, tuple(reversed(base.strides)), 0)


def backwards_with_gaps(array: Array) -> core.Tensor:
    """A view with negative strides and an offset: every other element of a larger array, from the end."""
    room = np.full([2 * length + 1 for length in array.shape], 99, array.dtype)
    room[tuple(slice(-1, 0, -2) for _ in array.shape)] = array
    base = core.from_host(room)
    last = sum((length - 1) * stride for length, stride in zip(room.shape, base.strides, strict=True))
    return base.alias(array.shape, tuple(-2 * stride for stride in base.strides), last)


def repeated(array: Array) -> core.Tensor:
    """A view with stride 0 along the last axis: the first element there stands for all."""
    if array.ndim == 0 or array.size == 0:
        return core.from_host(array)
    base = core.from_host(np.ascontiguousarray(array[..., :1]))
    return base.alias(array.shape, (*base.strides[:-1], 0), 0)


LAYOUTS: Sequence[Callable[[Array], core.Tensor]] = (reversed_axes, backwards_with_gaps, repeated)


def layout_of(form: Form) -> Callable[[Array], core.Tensor]:
    """One of the layouts, spread over the forms. What says for each place which elements fit (a matrix that can be
    inverted) is not repeated: equal rows would not."""
    by_places = any(sample.numbers is None for sample in form.declaration.samples)
    return turn_of(form, LAYOUTS[:2] if by_places else LAYOUTS)
