"""asv: exact counts of one warm step of each program, which gate pull requests, and its time, for the trend."""

from __future__ import annotations

from netcl import core

from .layers import LAYERS
from .own_formulas import OWN
from .programs import PROGRAMS
from .recurrences import RECURRENCES

ALL = {**PROGRAMS, **LAYERS, **RECURRENCES, **OWN}


class Steps:
    params = tuple(ALL)
    param_names = ("program",)
    timeout = 120

    def setup(self, program: str) -> None:
        self.step = ALL[program]()
        for _ in range(3):
            self.step()

    def time_step(self, program: str) -> None:
        self.step()

    def track_kernels_launched(self, program: str) -> int:
        return self._counted("kernels_launched")

    def track_programs_built(self, program: str) -> int:
        return self._counted("programs_built") + self._counted("programs_loaded")

    def track_bytes_allocated(self, program: str) -> int:
        return self._counted("bytes_allocated")

    def track_peak_bytes(self, program: str) -> int:
        """The most memory that is taken at once, above what there was before."""
        core.reset_peak_memory()
        before = core.memory_stats()["peak_bytes"]
        self.step()
        return core.memory_stats()["peak_bytes"] - before

    def track_waits(self, program: str) -> int:
        return self._counted("finishes")

    def track_live_bytes_kept(self, program: str) -> int:
        """What a step leaves behind: zero, or memory grows from step to step."""
        before = core.memory_stats()["live_bytes"]
        self.step()
        return core.memory_stats()["live_bytes"] - before

    def _counted(self, counter: str) -> int:
        before = core.counters()[counter]
        self.step()
        return core.counters()[counter] - before
