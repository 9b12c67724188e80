"""asv: the time of one warm call of every op of benchmarks/cases.py, for the trend."""

from __future__ import annotations

from netcl import core, kernels

from .cases import cases

CASES = {case.name: case for case in cases(sorted(op.name for op in kernels.catalogue))}


class Operations:
    params = tuple(CASES)
    param_names = ("call",)

    def setup(self, call: str) -> None:
        self.case = CASES[call]
        self.tensors = self.case.tensors()
        self.op = getattr(kernels.ops, self.case.op)
        self.time_call(call)

    def time_call(self, call: str) -> None:
        self.op(*self.tensors, **self.case.attributes)
        core.synchronize()
