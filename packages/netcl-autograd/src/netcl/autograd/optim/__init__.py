"""Optimizers. Each update is an op of the kernel language (`kernels_dsl/optimizer.netcl`), run in place, one launch
each.

optimizer = ag.optim.Adam([w, b], lr=1e-3)
loss.backward(); optimizer.step(); optimizer.zero_grad()
"""

from __future__ import annotations

from netcl.autograd.optim.adam import Adam, AdamW
from netcl.autograd.optim.optimizer import Optimizer
from netcl.autograd.optim.sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer"]
