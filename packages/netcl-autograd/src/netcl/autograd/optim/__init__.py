"""Optimizers. Each update is an op of the kernel language (`kernels_dsl/optimizer.netcl`), run in place, one launch for
each parameter.

optimizer = ag.optim.Adam([w, b], lr=1e-3)
loss.backward(); optimizer.step(); optimizer.zero_grad()
"""

from __future__ import annotations

import difflib

from netcl.autograd.optim.adagrad import Adagrad
from netcl.autograd.optim.adam import Adam, AdamW
from netcl.autograd.optim.averaging import EMA
from netcl.autograd.optim.clipping import clip_grad_norm, clip_grad_value
from netcl.autograd.optim.lion import Lion
from netcl.autograd.optim.optimizer import Optimizer
from netcl.autograd.optim.rmsprop import RMSprop
from netcl.autograd.optim.schedulers import (
    ChainedScheduler,
    ConstantLR,
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiStepLR,
    OneCycleLR,
    PolynomialLR,
    ReduceLROnPlateau,
    Scheduler,
    SequentialLR,
    StepLR,
)
from netcl.autograd.optim.sgd import SGD

__all__ = [
    "EMA",
    "SGD",
    "Adagrad",
    "Adam",
    "AdamW",
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "ExponentialLR",
    "LambdaLR",
    "LinearLR",
    "Lion",
    "MultiStepLR",
    "OneCycleLR",
    "Optimizer",
    "PolynomialLR",
    "RMSprop",
    "ReduceLROnPlateau",
    "Scheduler",
    "SequentialLR",
    "StepLR",
    "clip_grad_norm",
    "clip_grad_value",
]


_ELSEWHERE = {
    "AveragedModel": "it is EMA",
    "MultiplicativeLR": "LambdaLR takes a formula of the steps",
    "CyclicLR": "LambdaLR takes a formula of the steps",
    "LBFGS": "scipy.optimize.minimize takes the value and gradient of a function",
    "clip_grad_norm_": "it is clip_grad_norm",
    "clip_grad_value_": "it is clip_grad_value",
    "lr_scheduler": "schedulers are here: ag.optim.CosineAnnealingLR and the like",
    "swa_utils": "it is EMA",
}


def __getattr__(name: str) -> object:
    close = " or ".join(difflib.get_close_matches(name, __all__))
    hint = _ELSEWHERE.get(name) or (f"did you mean {close}?" if close else "")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}" + (f"; {hint}" if hint else ""))
