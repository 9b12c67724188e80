"""Every op of the catalogue is compared with PyTorch, or stands here with the reason why it is not."""

from __future__ import annotations

from calls import CALLS
from pairs import ELSEWHERE, LINE, PLANE

from netcl.kernels.namespace import COMPOSITES, catalogue

ALONE = {
    "adam_update": "one step of an optimizer, compared with its formula in tests/autograd",
    "batch_norm_inference": "reached through batch_norm",
    "batch_norm_training": "reached through batch_norm",
    "dropout": "random: its mask is tested against its seed in tests/operations",
    "sgd_update": "one step of an optimizer, compared with its formula in tests/autograd",
}


def test_every_op_is_compared_or_says_why_not() -> None:
    compared = {name.split("-")[0] for name in (*LINE, *PLANE, *ELSEWHERE, *(case.op for case in CALLS))}
    ops = {op.name for op in catalogue} | set(COMPOSITES)
    assert sorted(ops - compared - set(ALONE)) == []
    assert sorted((compared | set(ALONE)) - ops) == []
    assert sorted(compared & set(ALONE)) == []
