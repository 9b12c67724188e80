"""What all optimizers share: parameters, their state, zero_grad and state_dict. The formulas are in the subclasses'
ops.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from netcl import core
from netcl.autograd import ops
from netcl.autograd.graph.modes import refuse_write
from netcl.autograd.graph.node import Node
from netcl.core.arguments import explained
from netcl.core.errors import DtypeError, GraphError


class Optimizer(ABC):
    """Base: `step()` updates every parameter that has a gradient; a parameter without one is left alone."""

    state_names: tuple[str, ...] = ()

    @explained
    def __init__(self, params: Iterable[Node], options: Mapping[str, Any]) -> None:
        if isinstance(params, Node):
            raise TypeError(f"{type(self).__name__}: the parameters are one node; pass a list of nodes, [x]")
        self.params = list(params)
        if not self.params:
            raise ValueError(f"{type(self).__name__}: there are no parameters; pass a list of nodes")
        for at, param in enumerate(self.params):
            if not isinstance(param, Node) or not param.requires_grad or not param.is_leaf:
                raise GraphError(
                    f"{type(self).__name__}: parameter {at} is not a leaf that requires a gradient; "
                    "make it with ag.tensor(data, requires_grad=True)"
                )
        if len({id(param) for param in self.params}) != len(self.params):
            raise ValueError(f"{type(self).__name__}: a parameter is listed twice")
        self.options = dict(options)
        for name, value in self.options.items():
            _require_sensible(type(self).__name__, name, value)
        self.initial_lr = float(options["lr"])
        self.steps = [0] * len(self.params)
        self.state: list[dict[str, core.Tensor]] = [{} for _ in self.params]

    @property
    def lr(self) -> float:
        """The learning rate; what a scheduler sets."""
        return float(self.options["lr"])

    @lr.setter
    def lr(self, rate: float) -> None:
        self.options["lr"] = rate

    def step(self) -> None:
        """Update the parameters in place from their gradients."""
        refuse_write("step")
        for at, param in enumerate(self.params):
            if param.grad is not None:
                if not self.state[at]:
                    # Made in the first step, and needed in all: no arena around a step may take it away.
                    self.state[at] = {name: core.keep(core.zeros_like(param.value)) for name in self.state_names}
                self.steps[at] += 1
                self.update(at, param.value, _plain(param.grad))

    @abstractmethod
    def update(self, at: int, value: core.Tensor, gradient: core.Tensor) -> None:
        """Write the next value of parameter number `at`, and of its state."""

    def apply(self, name: str, targets: list[core.Tensor], gradient: core.Tensor, **numbers: Any) -> None:
        """Run the op `name` on the first target, the gradient and the other targets; its outputs go into the
        targets.
        """
        ops.write_into(name, targets, [gradient], numbers)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients; with set_to_none=False those that are there become zeros."""
        for param in self.params:
            param.zero_grad(set_to_none)

    def state_dict(self) -> dict[str, Any]:
        """Options, step counts and state as host arrays: what `load_state_dict` takes."""
        state = [{name: value.to_host() for name, value in each.items()} for each in self.state]
        return {"options": dict(self.options), "steps": list(self.steps), "state": state}

    def load_state_dict(self, saved: Mapping[str, Any]) -> None:
        """Continue from a `state_dict` of an optimizer over parameters of the same shapes."""
        if len(saved["steps"]) != len(self.params):
            raise ValueError(f"the state is of {len(saved['steps'])} parameters, but there are {len(self.params)}")
        if saved["options"].keys() != self.options.keys():
            raise ValueError(
                f"the state is of another optimizer: it has {', '.join(saved['options'])}, "
                f"and {type(self).__name__} has {', '.join(self.options)}"
            )
        self.options.update(saved["options"])
        self.steps = list(saved["steps"])
        for at, (param, each) in enumerate(zip(self.params, saved["state"], strict=True)):
            for name, array in each.items():
                if array.shape != tuple(param.shape):
                    raise ValueError(
                        f"state {name} of parameter {at} has shape {array.shape}, the parameter {param.shape}"
                    )
            self.state[at] = {name: core.from_host(array, queue=param.queue) for name, array in each.items()}


def _require_sensible(optimizer: str, name: str, value: Any) -> None:
    """No number is negative or NaN, and a decay rate stays below 1."""
    if name == "betas" and len(value) != 2:
        raise ValueError(f"{optimizer}: betas is {value!r}, but it must be two numbers")
    for each in value if isinstance(value, tuple) else (value,):
        if not isinstance(each, (bool, int, float, np.number)):
            raise TypeError(f"{optimizer}: {name} is {value!r}, but it must be a number")
        if not each >= 0 or (name in ("betas", "alpha") and each >= 1):
            least = "at least 0 and below 1" if name in ("betas", "alpha") else "at least 0"
            raise ValueError(f"{optimizer}: {name} is {value!r}, but it must be {least}")


def _plain(gradient: Any) -> core.Tensor:
    value = gradient.value if isinstance(gradient, Node) else gradient
    if not core.dtypes.is_float(value.dtype):
        raise DtypeError(f"a gradient is {value.dtype}; only floats are optimized")
    return value
