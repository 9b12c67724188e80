"""Every op of the catalogue is compared with PyTorch, or stands here with the reason why it is not."""

from __future__ import annotations

from calls import CALLS
from pairs import ELSEWHERE, LINE, PLANE

from netcl.kernels.namespace import COMPOSITES, catalogue

ALONE = {
    **dict.fromkeys(
        ("adagrad_update", "adam_update", "lion_update", "rmsprop_update", "sgd_update"),
        "one step of an optimizer, compared with its formula in tests/autograd",
    ),
    **dict.fromkeys(
        ("bernoulli", "dropout", "gumbel_softmax", "normal", "rsample_normal", "uniform"),
        "random: tested against its seed and its distribution",
    ),
    **dict.fromkeys(
        ("contrastive_loss", "gaussian_kernel_sum", "info_nce_loss", "lennard_jones", "rope", "smooth_max_pool"),
        "not in PyTorch: compared with its formula",
    ),
    "betainc": "not in PyTorch: compared with mpmath",
    "pad_axis": "reached through pad",
    "power_norm": "reached through norm",
    "wrap_index": "reached through getitem and index_put",
}


def test_every_op_is_compared_or_says_why_not() -> None:
    compared = {name.split("-")[0] for name in (*LINE, *PLANE, *ELSEWHERE, *(case.op for case in CALLS))}
    ops = {op.name for op in catalogue} | {name for name, function in COMPOSITES.items() if function.__name__ == name}
    assert sorted(ops - compared - set(ALONE)) == []
    assert sorted((compared | set(ALONE)) - ops) == []
    assert sorted(compared & set(ALONE)) == []
