"""Definitions that are read at positions: values against plain loops, derivatives against differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from evaluated import assert_derivatives, compiled, value

RNG = np.random.default_rng(22)
A = RNG.normal(size=(3, 4))
X = RNG.normal(size=5)
AT = np.array([2, 0, 2])


def _where(inside: bool, found: Callable[[], float], otherwise: float = 0) -> float:
    return found() if inside else otherwise


def _softmax(a: Any) -> Any:
    return np.exp(a) / np.exp(a).sum(-1, keepdims=True)


CASES: dict[str, tuple[str, list[Any], Callable[..., Any]]] = {
    "one place before": (
        "op f(x[n]: float) -> y[n] { u = x * x; y = u - (u[n - 1] else 0); }",
        [X],
        lambda x: [x[n] ** 2 - _where(n > 0, lambda n=n: x[n - 1] ** 2) for n in range(5)],
    ),
    "the value of another element outside": (
        "op f(x[n]: float) -> y[n] { u = x * x; y = u[n + 2] else (u[0]); }",
        [X],
        lambda x: [_where(n + 2 < 5, lambda n=n: x[n + 2] ** 2, x[0] ** 2) for n in range(5)],
    ),
    "definitions of definitions": (
        "op f(x[n]: float) -> y[n] { u = x * x; v = u + 2 * (u[n - 1] else 0); y = v * (v[n - 1] else 1); }",
        [X],
        lambda x: (lambda v: [v[n] * _where(n > 0, lambda n=n: v[n - 1], 1) for n in range(5)])(
            [x[n] ** 2 + 2 * _where(n > 0, lambda n=n: x[n - 1] ** 2) for n in range(5)]
        ),
    ),
    "sums that are read under a sum over the same index": (
        "op f(a[n, k]: float) -> y[n] { u[n] = sum[k](a * a); y = u * sum[k](u[k % 3] * a[n, k]); }",
        [A],
        lambda a: [(u := (a**2).sum(1))[n] * sum(u[k % 3] * a[n, k] for k in range(4)) for n in range(3)],
    ),
    "an index that only a reading of the definition gives a size": (
        "op f(a[n, k]: float) -> y[] { u[n] = sum[k](a * a); y = sum[i, j]((u[i] - u[j]) ^ 2 * i); }",
        [A],
        lambda a: sum((u[i] - u[j]) ** 2 * i for u in [(a**2).sum(1)] for i in range(3) for j in range(3)),
    ),
    "indices in another order": (
        "op f(a[n, k]: float) -> y[n, k] { u[k, n] = a * a; y = u[k, 2 - n] + u[0, n]; }",
        [A],
        lambda a: [[a[2 - n, k] ** 2 + a[n, 0] ** 2 for k in range(4)] for n in range(3)],
    ),
    "an index that the formula does not have": (
        "op f(a[n, k]: float) -> y[n, k] { u[n, k] = sum[k](a); y = a * (u[n - 1, k] else 1); }",
        [A],
        lambda a: [[a[n, k] * _where(n > 0, lambda n=n: a[n - 1].sum(), 1) for k in range(4)] for n in range(3)],
    ),
    "positions that are data": (
        "op f(a[n, k]: float, at[m]: int) -> y[m] { u[n] = sum[k](a * a); y = u[at] * u[m]; }",
        [A, AT],
        lambda a, at: [(a[at[m]] ** 2).sum() * (a[m] ** 2).sum() for m in range(3)],
    ),
    "packs": (
        "op f(a[*i]: float) -> y[*i] { u[*i] = a * a; y = u[*(i - 1)] else (a); }",
        [A],
        lambda a: [[_where(n > 0 and k > 0, lambda n=n, k=k: a[n - 1, k - 1] ** 2, a[n, k]) for k in range(4)]
                   for n in range(3)],
    ),
    "running values": (
        "op f(x[n]: float) -> y[n] { u = sum[s <= n](x[s] * x[s]); y = x * (u[n - 2] else 3) + u[size[n] - 1]; }",
        [X],
        lambda x: [x[n] * _where(n > 1, lambda n=n: (x[: n - 1] ** 2).sum(), 3) + (x**2).sum() for n in range(5)],
    ),
    "an output": (
        "op f(x[n]: float) -> (y[n], z[n]) { z = x * x; y = z * (z[n - 1] else 2); }",
        [X],
        lambda x: [x[n] ** 2 * _where(n > 0, lambda n=n: x[n - 1] ** 2, 2) for n in range(5)],
    ),
    "the result of another op": (
        "op f(a[n, k]: float) -> y[n, k] { use p[n, k] = softmax(a; axis = k); y = p[n, 0] * (p[n, k + 1] else 1); }",
        [A],
        lambda a: [[_softmax(a)[n, 0] * _where(k < 3, lambda n=n, k=k: _softmax(a)[n, k + 1], 1) for k in range(4)]
                   for n in range(3)],
    ),
    "an argument of another op": (
        "op f(a[n, k]: float) -> y[n, k] "
        "{ u[n, k] = a * a; v = u[n, (k + 1) % size[k]]; use y = softmax(v[n, k]; axis = k); }",
        [A],
        lambda a: _softmax(np.roll(a**2, -1, axis=1)),
    ),
    "an argument of another op with its indices exchanged": (
        "op f(a[n, k]: float) -> y[k, n] { u[n, k] = a * a; use y[k, n] = softmax(u[k, n]; axis = n); }",
        [A[:, :3]],
        lambda a: _softmax(a**2),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_definition_is_read_at_positions(name: str) -> None:
    text, arrays, loops = CASES[name]
    op = compiled(text)
    np.testing.assert_allclose(value(op, *arrays), loops(*arrays), rtol=1e-12)
    assert_derivatives(op, arrays)
