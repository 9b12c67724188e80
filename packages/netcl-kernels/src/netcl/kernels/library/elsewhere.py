"""Functions of PyTorch, JAX and NumPy that are no op here, and what does the same."""

from __future__ import annotations

_DRAWN = "draw it with NumPy, and make a Tensor of it with core.from_host"
_STEPS = "loops are recurrences of the kernel language; ag.checkpoint_steps goes through steps in Python"

ELSEWHERE = {
    "atleast_1d": "reshape(x, (-1,)) makes one axis of all",
    "average": "sum(x * w) / sum(w) is the weighted mean",
    "binary_cross_entropy": "it is bce_loss",
    "binary_cross_entropy_with_logits": "it is bce_with_logits",
    "cdist": "declare it: sum[d]((x[i, d] - z[j, d]) ^ 2), or norm(x[:, None] - z[None], axis=-1)",
    "choice": _DRAWN,
    "column_stack": "stack(xs, 1) or cat(xs, 1)",
    "cond": "it is Python's if, or where(condition, a, b) of two values",
    "cross": "declare it, or roll(a, -1) * roll(b, -2) - roll(a, -2) * roll(b, -1) along an axis of 3",
    "detach": "it is a method, x.detach()",
    "diag": "diagonal takes it, diag_embed makes a matrix of it",
    "fori_loop": _STEPS,
    "hstack": "it is cat(xs, 1), or cat(xs, 0) of vectors",
    "inner": "it is vecdot, or x @ y.T",
    "kron": "it is einsum('ij,kl->ikjl', a, b), reshaped",
    "linalg": "its functions are ops: inv, det, solve, cholesky, norm",
    "meshgrid": "broadcasting does it: x[:, None] and y[None]",
    "mod": "it is remainder",
    "multinomial": _DRAWN,
    "nan_to_num": "where(isnan(x), 0, x)",
    "nanmean": "where(isnan(x), 0, x).sum() / (~isnan(x)).sum()",
    "nansum": "where(isnan(x), 0, x).sum()",
    "permutation": _DRAWN,
    "randperm": _DRAWN,
    "scan": _STEPS,
    "tri": "tril(ones((n, n)))",
    "vstack": "it is cat(xs, 0), or stack(xs, 0) of vectors",
    "while_loop": _STEPS,
}
