"""asv: what looking for NaN and Inf costs on large tensors: time, and bytes that come to the host for it."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from netcl import autograd as ag
from netcl import core

from .programs import PROGRAMS

MODES: dict[str, Any] = {
    "off": nullcontext,
    "gradients": ag.detect_anomaly,
    "gradients and values": lambda: ag.detect_anomaly(check_forward=True),
}


class AnomalyMode:
    """A chain of pointwise ops, where there is least to compute for each number that is looked at."""

    params = tuple(MODES)
    param_names = ("mode",)
    timeout = 120

    def setup(self, mode: str) -> None:
        self.step = PROGRAMS["pointwise_1e6"]()
        for _ in range(3):
            self.time_step(mode)

    def time_step(self, mode: str) -> None:
        with MODES[mode]():
            self.step()

    def track_bytes_to_host(self, mode: str) -> int:
        before = core.counters()["bytes_to_host"]
        self.time_step(mode)
        return core.counters()["bytes_to_host"] - before
