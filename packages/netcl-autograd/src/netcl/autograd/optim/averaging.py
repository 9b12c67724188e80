"""Averages of parameters over the steps of a training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from netcl import core
from netcl.autograd import ops
from netcl.autograd.optim.parameters import Params, named_places, paired
from netcl.core.arguments import explained


class EMA:
    """Exponential moving averages: `update()` after each step, `averages` to read, `copy_to(params)` to use them.

    average = decay * average + (1 - decay) * parameter, beginning with the parameters as they are.
    """

    @explained
    def __init__(self, params: Params, decay: float = 0.999) -> None:
        if not 0 <= decay <= 1:
            raise ValueError(f"EMA: decay must lie between 0 and 1, but it is {decay}")
        self.names, self.params = named_places("EMA", params)
        self.decay = decay
        self.averages: list[core.Tensor] = [ops.clone(param.value) for param in self.params]

    def update(self) -> None:
        """Move the averages towards the parameters, one launch each."""
        for average, param in zip(self.averages, self.params, strict=True):
            ops.write_into("lerp", [average], [param.value, 1 - self.decay], {})

    def copy_to(self, params: Params) -> None:
        """Write the averages into parameters of the same shapes: by name where both have names, else in their order."""
        names, targets = named_places("EMA", params)
        places = paired("EMA: the averages are of", self.names, names)
        self._require_shapes(names, targets, [self.averages[at] for at in places])
        for at, param in zip(places, targets, strict=True):
            ops.write_into("assign", [param.value], [self.averages[at]], {})

    def state_dict(self) -> dict[str, Any]:
        """The decay, the names of the parameters and the averages as host arrays: what `load_state_dict` takes."""
        return {"decay": self.decay, "names": [*self.names], "averages": [each.to_host() for each in self.averages]}

    def load_state_dict(self, saved: Mapping[str, Any]) -> None:
        """Continue from a `state_dict` of averages of parameters with the same names and shapes."""
        if not {"decay", "names", "averages"} <= saved.keys():
            found = ", ".join(map(str, saved)) or "nothing"
            raise ValueError(f"EMA: give what state_dict() gave; this is no such state, it has {found}")
        arrays = [saved["averages"][at] for at in paired("EMA: the state is of", saved["names"], self.names)]
        self._require_shapes(self.names, self.params, arrays)
        self.decay = saved["decay"]
        for average, array in zip(self.averages, arrays, strict=True):
            average.copy_from_host(array.astype(average.dtype, copy=False))

    @staticmethod
    def _require_shapes(names: Sequence[str], params: Sequence[Any], averages: Sequence[Any]) -> None:
        for name, param, average in zip(names, params, averages, strict=True):
            if tuple(param.shape) != tuple(average.shape):
                raise ValueError(
                    f"EMA: the average of parameter {name} has shape {tuple(average.shape)}, the parameter "
                    f"{tuple(param.shape)}"
                )
