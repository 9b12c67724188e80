"""The states of schedules: whose they are, and that another schedule does not take them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from netcl.autograd.optim.optimizer import Optimizer


class Resumable:
    """What all schedules have: the rates of an optimizer's groups, and a state that says whose it is."""

    optimizer: Optimizer
    state_names: tuple[str, ...]

    def get_last_lr(self) -> list[float]:
        """The learning rate of each group."""
        return [group["lr"] for group in self.optimizer.groups]

    def _kind(self) -> str:
        """What a state is of, and what must be alike where it is loaded."""
        return type(self).__name__

    def _require_own(self, saved: Mapping[str, Any]) -> None:
        """Refuse, before anything is changed, a state that is not one of a schedule like this."""
        kind = self._kind()
        if saved.get("schedule", kind) != kind:
            raise ValueError(f"the state is of another schedule: it is of {saved['schedule']}, and this is {kind}")
        if not set(self.state_names) <= saved.keys():
            found = ", ".join(map(str, saved)) or "nothing"
            raise ValueError(f"{kind}: give what state_dict() gave; this is no such state, it has {found}")
