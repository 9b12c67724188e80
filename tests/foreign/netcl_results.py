"""What netcl gives for a program: values, gradients, second gradients and tangents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from cases import Array, Case, Results, seeds
from programs import Program

from netcl import autograd as ag
from netcl import core, kernels


class Runner:
    """A program as netcl runs it: compiled once, called for each case."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.ops = kernels.compile(program.text())

    def call(self, given: Mapping[str, Any]) -> tuple[Any, ...]:
        value: Any = None
        for op in self.program.ops:
            arguments = [given.get(each.name, value) for each in op.operands]
            made = getattr(self.ops, op.name)(*arguments)
            results = made if isinstance(made, tuple) else (made,)
            value = results[0]
        return results

    def found(self, given: Case, orders: int = 2, jit: bool = False) -> Results:
        """The results that `expected` has, as far as `orders` goes: 0 is the value alone."""
        axes = {each.name: each.axes for each in (*self.program.operands(), *self.program.ops[-1].outputs)}
        shapes = {name: given.shape(self.program, each) for name, each in axes.items()}
        drawn = {
            name: core.from_host(each.reshape(shapes[name.removeprefix("direction ")]))
            for name, each in seeds(self.program, given).items()
        }
        arrays = {name: placed(each.reshape(shapes[name])) for name, each in given.arrays.items()}
        found: Results = {}
        for name, each in self._found(arrays, drawn, orders, jit).items():
            kind = name.split()[-1]
            whole = tuple(given.lengths[axis] for axis in axes[kind])
            found[name] = each.reshape(whole) if each.shape == shapes[kind] else each
        return found

    def _found(self, arrays: dict[str, Any], drawn: dict[str, Any], orders: int, jit: bool) -> Results:
        floats = {name: each for name, each in arrays.items() if isinstance(each, ag.Node)}
        names = [each.name for each in self.program.ops[-1].outputs]
        call = self.traced(list(arrays)) if jit else self.call
        spoil()
        values = call(arrays)
        found: Results = {f"value {name}": host(value) for name, value in zip(names, values, strict=True)}
        spoil()
        for name, value in zip(names, call(arrays), strict=True):
            if not np.array_equal(host(value), found[f"value {name}"], equal_nan=True):
                found[f"value {name}"] = np.full_like(found[f"value {name}"], 12345)  # not the same twice
        if not orders:
            return found
        smooth = {name: value for name, value in zip(names, values, strict=True) if isinstance(value, ag.Node)}
        spoil()
        gradients = gradient(list(smooth.values()), [drawn[name] for name in smooth], floats, orders > 1)
        found |= {f"gradient {name}": host(each) for name, each in gradients.items()}
        if orders > 1:
            spoil()
            nodes = {name: each for name, each in gradients.items() if isinstance(each, ag.Node)}
            second = gradient(list(nodes.values()), [drawn[f"direction {name}"] for name in nodes], floats, False)
            found |= {f"second {name}": host(each) for name, each in second.items()}
            spoil()
            found |= self.tangents(call, arrays, floats, drawn, names)
        return found

    def traced(self, order: list[str]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
        """`call` under `ag.jit`."""
        function = ag.jit(lambda *values: self.call(dict(zip(order, values, strict=True))))
        return lambda given: function(*(given[name] for name in order))

    def tangents(self, call: Any, arrays: Any, floats: Any, drawn: Any, names: list[str]) -> Results:
        order = list(floats)

        def function(*inputs: Any) -> Any:
            return call({**arrays, **dict(zip(order, inputs, strict=True))})

        point = tuple(floats[name].value for name in order)
        _, tangents = ag.jvp(function, point, tuple(drawn[f"direction {name}"] for name in order))
        return {f"tangent {name}": host(each) for name, each in zip(names, tangents, strict=True)}


def gradient(outputs: list[Any], weights: list[Any], inputs: dict[str, Any], create_graph: bool) -> dict[str, Any]:
    zeros = {name: np.zeros(each.shape, each.dtype) for name, each in inputs.items()}
    if not outputs:
        return zeros
    found = ag.grad(
        outputs, list(inputs.values()), grad_outputs=weights, create_graph=create_graph, allow_unused=True,
        retain_graph=True,
    )  # fmt: skip
    return {name: zeros[name] if each is None else each for name, each in zip(inputs, found, strict=True)}


def placed(array: Array) -> Any:
    return ag.tensor(array, requires_grad=True) if array.dtype.kind == "f" else core.from_host(array)


def host(value: Any) -> Array:
    value = getattr(value, "value", value)
    return value.copy() if isinstance(value, np.ndarray) else np.array(value.to_host())


def spoil() -> None:
    """Fill freed memory of the sizes that small tensors have, so that what nobody wrote is no zero by chance."""
    for size in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512):
        held = [core.full((size,), 1e77 if n % 2 else float("nan"), dtype="float64") for n in range(3)]
        del held
