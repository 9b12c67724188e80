"""`netcl ops check` on a device: its values and gradients, computed twice on memory that is poisoned.

Each plan gives the same bits twice, which are those of the evaluator but for rounding, and gradients lie between the
differences of the device's own values (`verification`). Sizes are small, of one, and some in which lanes and tails are;
they come to the schedules of large arrays on the same device with small thresholds.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from netcl.core.dtypes import canonical
from netcl.core.errors import DtypeError
from netcl.core.queue import default_queue
from netcl.core.tensor import Tensor
from netcl.kernels.compiler.ir import Formula, subexpressions
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.target import Target
from netcl.kernels.runtime import launch
from netcl.kernels.runtime.bindings import Bindings
from netcl.kernels.tools.check import Evaluator, WrongDerivative, value_of
from netcl.kernels.tools.sampling import Case, Wish

_TOLERANCE = {"float64": 1e-8, "float32": 1e-3}
_SHAKEN = 100
"""So many times what a formula moves by where its operands move by their last bit may rounding within it do."""
_ROUNDED = {"float32": 1e-6, "float16": 2e-3, "bfloat16": 2e-2}
"""Of a formula that rounds to these itself, as `astype` and what is drawn at random: the evaluator does not."""


class Device(Evaluator):
    """The default device, in float64 where it has that, with the usual thresholds or with small ones.

    Raises DeviceError where there is no device.
    """

    most_points = 12

    def __init__(self, small: bool = False) -> None:
        self.queue = default_queue()
        self.target = Target.of(self.queue.device).with_small_thresholds() if small else None
        self.plans: dict[tuple[Hashable, ...], launch.Plan] = {}
        try:
            self.queue.device.require_dtype(canonical("float64"))
        except DtypeError:
            self.dtype = "float32"
        lengths = ((1,), (17, 19, 23, 33))
        self.wishes = tuple(Wish(dtype=self.dtype, lengths=each, most=20_000) for each in lengths)

    def outputs(self, case: Case) -> tuple[np.ndarray, ...]:
        return self._run(case, case.formula, case.operands)

    def outputs_for(self, case: Case, name: str, values: np.ndarray) -> Iterator[tuple[np.ndarray, ...]]:
        """One call for each value: a batch of calls would have kernels of its own."""
        for each in values:
            yield self._run(case, case.formula, {**case.operands, name: each})

    def gradients(
        self, case: Case, grad: Formula, values: Mapping[str, np.ndarray], names: Sequence[str]
    ) -> tuple[np.ndarray, ...]:
        """The gradients of these operands, which are also what the evaluator has."""
        evaluated = super().gradients
        first, second = (self._run(case, grad, values) for _ in range(2))
        for at, each in enumerate(zip(names, first, second, evaluated(case, grad, values, names), strict=True)):
            shaken = partial(lambda at: evaluated(case, grad, _shaken(values), names)[at], at)
            self._require_equal(grad, f"the gradient by {each[0]}", *each[1:], shaken)
        return tuple(each.astype(np.float64) for each in first)

    def resolves(self, formula: Formula) -> bool:
        """Whether nothing is rounded to fewer digits than the operands have."""
        return self.dtype == "float32" or _dtypes(formula).isdisjoint(_ROUNDED)

    def compare(self, form: syntax.Declaration, case: Case) -> int:
        """Compare the outputs with the evaluator's, and with themselves; how many elements were compared."""
        count = 0
        self.plans.clear()
        first, second = self.outputs(case), self.outputs(case)
        for at, (one, again, expected) in enumerate(zip(first, second, value_of(case), strict=True)):
            shaken = partial(lambda at: value_of(case, **_shaken(case.operands))[at], at)
            self._require_equal(case.formula, case.formula.outputs[at].name, one, again, expected, shaken)
            count += one.size
        return count

    def _run(self, case: Case, formula: Formula, values: Mapping[str, np.ndarray]) -> tuple[np.ndarray, ...]:
        tensors = [
            Tensor.from_host(self.queue, np.asarray(values[each.name], dtype=canonical(each.dtype)))
            for each in formula.operands
        ]
        bindings = None if formula is case.formula else case.bindings
        if self.target is None:
            results = launch.run(formula, tensors, case.attributes, bindings, queue=self.queue)
        else:
            results = self._plan(self.target, formula, tensors, case, bindings).run(tensors, case.attributes)
        return tuple(each.to_host() for each in results)

    def _plan(
        self, target: Target, formula: Formula, tensors: list[Tensor], case: Case, bindings: Bindings | None
    ) -> launch.Plan:
        """The plan for a target of which nothing else is remembered, once for a case."""
        key = formula, bindings, *(each.layout for each in tensors)
        if key not in self.plans:
            self.plans[key] = launch.prepare_for(target, formula, tensors, case.attributes, bindings, self.queue)
        return self.plans[key]

    def _require_equal(
        self,
        formula: Formula,
        what: str,
        one: np.ndarray,
        again: np.ndarray,
        expected: np.ndarray,
        shaken: Callable[[], np.ndarray],
    ) -> None:
        """Raise where a result differs from itself or from the evaluator's, which `shaken` gives for operands that
        differ in their last bit."""
        thresholds = " with small thresholds" if self.target else ""
        where = f"{formula.name} on {self.queue.device.name}{thresholds}, {what}"
        if one.tobytes() != again.tobytes():
            differs = ~np.isclose(one, again, rtol=0, atol=0, equal_nan=True)
            found = _first(differs, one, again)
            raise WrongDerivative(f"{where}: {found} the second time; something is read that was never written")
        mine, theirs = one.astype(np.float64), np.asarray(expected, dtype=np.float64)
        scale = max(1.0, float(np.abs(theirs[np.isfinite(theirs)]).max(initial=0.0)))
        allowed = max(_TOLERANCE[self.dtype], *(_ROUNDED.get(each, 0.0) for each in _dtypes(formula)))
        differs = ~np.isclose(mine, theirs, rtol=0, atol=allowed * scale, equal_nan=True)
        if differs.any():
            with np.errstate(all="ignore"):
                differs &= ~(np.abs(mine - theirs) <= _SHAKEN * np.abs(np.asarray(shaken(), np.float64) - theirs))
        if differs.any():
            raise WrongDerivative(f"{where}: {_first(differs, mine, theirs)} by its formula")


def _shaken(operands: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The same with floats that are one bit larger."""
    return {name: np.nextafter(x, np.inf) if x.dtype.kind == "f" else x for name, x in operands.items()}


def _dtypes(formula: Formula) -> set[str]:
    """Of all that is computed."""
    return {node.dtype for node in subexpressions(*(output.expr for output in formula.outputs))}


def _first(differs: np.ndarray, one: np.ndarray, other: np.ndarray) -> str:
    at = tuple(int(each) for each in np.argwhere(differs)[0]) if differs.any() else (0,) * one.ndim
    return f"element {at} is {one[at]:.9g}, but {other[at]:.9g}"
