"""What all optimizers share: parameters, their state, zero_grad and state_dict. The formulas are in the subclasses'
ops.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from netcl import core
from netcl.autograd import ops
from netcl.autograd.graph.modes import enable_grad, refuse_write
from netcl.autograd.graph.node import Node
from netcl.autograd.optim.parameters import named, paired
from netcl.core.arguments import explained, require
from netcl.core.errors import DtypeError, GraphError

Params = Iterable[Node] | Mapping[str, Node] | Iterable[Mapping[str, Any]]


class Optimizer(ABC):
    """Base: `step()` updates every parameter that has a gradient; a parameter without one is left alone."""

    state_names: tuple[str, ...] = ()

    @explained
    def __init__(self, params: Params, options: Mapping[str, Any]) -> None:
        """`params` are leaves: some of them, a tree of them (dicts, lists, dataclasses), or groups: dicts with `params`
        and with the options that differ from the common ones. A leaf at several places of a tree is taken once.
        One that is frozen (requires_grad=False) is left as it is until it gets a gradient again."""
        self.defaults = dict(options)
        self.params: list[Node] = []
        self.names: list[str] = []  # of parameters that were given by name, else their numbers
        self.groups: list[dict[str, Any]] = []
        self._initial_lrs: list[float] | None = None
        self.steps: list[int] = []
        self.state: list[dict[str, core.Tensor]] = []
        self._group: list[int] = []  # that of each parameter
        self._added: set[int] = set()
        if isinstance(params, Node):
            raise TypeError(f"{type(self).__name__}: the parameters are one node; pass a list of nodes, [x]")
        given: Any = list(params) if isinstance(params, Iterable) and not isinstance(params, Mapping) else params
        for group in given if self._are_groups(given) else [{"params": given}]:
            self.add_param_group(group)
        if not self.params:
            raise ValueError(f"{type(self).__name__}: there are no parameters; pass a list of nodes")

    def _are_groups(self, given: Any) -> bool:
        """Whether these are dicts with `params` or options, and not dicts of parameters."""
        said = {"params", *self.defaults}
        are_dicts = isinstance(given, list) and all(isinstance(each, Mapping) for each in given)
        return are_dicts and any(not said.isdisjoint(each) for each in given)

    @explained
    def add_param_group(self, group: Mapping[str, Any]) -> None:
        """More parameters, with options of their own: `{"params": [w, b], "lr": 0.1}`."""
        kind = type(self).__name__
        if "params" not in group:
            raise ValueError(f"{kind}: a group of parameters has no 'params', only {', '.join(map(repr, group))}")
        options = {name: value for name, value in group.items() if name != "params"}
        for name in options:
            if name not in self.defaults:
                raise ValueError(f"{kind}: a group has {name!r}, but the options are {', '.join(self.defaults)}")
        options = {**self.defaults, **options}
        for name, value in options.items():
            _require_sensible(kind, name, value)
        names, params = named(kind, group["params"], len(self.params))
        for name, param in zip(names, params, strict=True):
            if not isinstance(param, Node) or not param.is_leaf or not core.dtypes.is_float(param.dtype):
                raise GraphError(
                    f"{kind}: parameter {name} is not a leaf of floats; make it with ag.tensor(data, "
                    "requires_grad=True), or leave it out, as what is not learnt"
                )
            if id(param) in self._added:
                raise ValueError(
                    f"{kind}: parameter {name} is listed twice; leave it out the second time, or give the tree (a "
                    "dict, a dataclass), of which a leaf at several places is taken once"
                )
            self._added.add(id(param))
        self.names += names
        self._group += [len(self.groups)] * len(params)
        self.groups.append(options)
        if self._initial_lrs is not None:
            self._initial_lrs.append(float(options["lr"]))
        self.params += params
        self.steps += [0] * len(params)
        self.state += [{} for _ in params]

    @property
    def initial_lrs(self) -> list[float]:
        """The learning rates of the groups when this was asked first, as the first schedule does."""
        if self._initial_lrs is None:
            self._initial_lrs = [float(group["lr"]) for group in self.groups]
        return self._initial_lrs

    @property
    def options(self) -> dict[str, Any]:
        """Those of the first group, which mostly is the only one."""
        return self.groups[0]

    def options_of(self, at: int) -> dict[str, Any]:
        """Those of parameter number `at`."""
        return self.groups[self._group[at]]

    @property
    def lr(self) -> float:
        """The learning rate, of the first group where there are several; setting it sets that of all."""
        return float(self.options["lr"])

    @lr.setter
    def lr(self, rate: float) -> None:
        for group in self.groups:
            group["lr"] = rate

    def __getattr__(self, name: str) -> Any:
        hint = "; it is groups, and options and lr are those of the first" if name == "param_groups" else ""
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{hint}", name=name, obj=self)

    def __repr__(self) -> str:
        shown = [", ".join(f"{name}={value!r}" for name, value in group.items()) for group in self.groups]
        counts = [self._group.count(at) for at in range(len(self.groups))]
        parts = [f"{count} parameter{'s' * (count != 1)}, {text}" for count, text in zip(counts, shown, strict=True)]
        return f"{type(self).__name__}({'; '.join(parts)})"

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters in place from their gradients. A `closure` computes those first, with gradients
        enabled; what it returns, mostly the loss, is returned."""
        refuse_write("step")
        loss = None
        if closure is not None:
            require(f"{type(self).__name__}.step", "closure", "Callable | None", closure)
            with enable_grad():
                loss = closure()
        for at, param in enumerate(self.params):
            if param.grad is not None:
                if not self.state[at]:
                    # Made in the first step, and needed in all: no arena around a step may take it away.
                    self.state[at] = {name: core.keep(core.zeros_like(param.value)) for name in self.state_names}
                self.steps[at] += 1
                self.update(at, param.value, _plain(param.grad))
        return loss

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
        """Options of the groups, step counts and state as host arrays: what `load_state_dict` takes."""
        state = [{name: value.to_host() for name, value in each.items()} for each in self.state]
        groups = [dict(group) for group in self.groups]
        return {"groups": groups, "steps": list(self.steps), "state": state, "names": list(self.names)}

    def load_state_dict(self, saved: Mapping[str, Any]) -> None:
        """Continue from a `state_dict` of an optimizer over parameters of the same shapes, in as many groups.

        Parameters that were given by name, then and now, have what was saved under their names; others go in their
        order. Raises ValueError for a state of others, and changes nothing then."""
        kind = type(self).__name__
        if not {"steps", "groups", "state"} <= saved.keys():
            found = ", ".join(saved) or "nothing"
            raise ValueError(f"{kind}: give what state_dict() gave; this is no such state, it has {found}")
        names = saved.get("names", [*map(str, range(len(saved["steps"])))])
        places = paired("the state is of", names, self.names)
        if len(saved["groups"]) != len(self.groups):
            raise ValueError(f"the state is of {len(saved['groups'])} groups, but there are {len(self.groups)}")
        for mine, options in zip(self.groups, saved["groups"], strict=True):
            if options.keys() != mine.keys():
                raise ValueError(
                    f"the state is of another optimizer: it has {', '.join(options)}, and {kind} has {', '.join(mine)}"
                )
        state = [saved["state"][at] for at in places]
        for own, param, each in zip(self.names, self.params, state, strict=True):
            for name, array in each.items():
                if array.shape != tuple(param.shape):
                    raise ValueError(
                        f"state {name} of parameter {own} has shape {array.shape}, the parameter {param.shape}"
                    )
        for mine, options in zip(self.groups, saved["groups"], strict=True):
            mine.update(options)
            if "betas" in mine:
                mine["betas"] = tuple(mine["betas"])  # a file may have had a list
        self.steps = [saved["steps"][at] for at in places]
        for at, (param, each) in enumerate(zip(self.params, state, strict=True)):
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
