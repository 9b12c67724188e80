"""Recurrences as text, with numbers for them and plain loops that compute the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

RNG = np.random.default_rng(7)
Array = Any


def normal(*shape: int) -> Array:
    return RNG.normal(size=shape) * 0.7


class Case(NamedTuple):
    text: str
    arrays: list[Array]
    loops: Callable[..., Any]


def filtered(x: Array, a: Array, b: Array) -> Array:
    y: list[float] = []
    for n in range(len(x)):
        y.append(x[n] - a * (y[n - 1] if n > 0 else 0) - b * (y[n - 2] if n > 1 else 0))
    return y


def with_lags(x: Array, w: Array) -> Array:
    y: list[float] = []
    for n in range(len(x)):
        y.append(x[n] + sum(w[k] * (y[n - 1 - k] if n > k else 0.5) for k in range(len(w))))
    return np.array(y)


def with_two_lags(x: Array, w: Array) -> Array:
    y: list[float] = []
    for n in range(len(x)):
        y.append(x[n] + sum(w[k, i] * y[n - k - i - 1] for k, i in np.ndindex(w.shape) if n > k + i))
    return np.array(y)


def backward_in_time(x: Array) -> Array:
    y = np.zeros(len(x) + 1)
    y[-1] = 0.3
    for n in reversed(range(len(x))):
        y[n] = np.tanh(x[n] * y[n + 1])
    return y[:-1]


def elman(x: Array, u: Array, w: Array, h: Array) -> Array:
    found = []
    for step in x:
        h = np.tanh(step @ u + h @ w)
        found.append(h)
    return np.array(found)


def elman_energy(x: Array, u: Array, w: Array, h: Array) -> Array:
    return sum((t + 1) * (each**2).sum(-1) for t, each in enumerate(elman(x, u, w, h)))


def soft_alignment(d: Array) -> Array:
    rows, columns = d.shape
    r = np.full((rows + 1, columns + 1), 9.0)
    r[0, 0] = 0
    for i, j in np.ndindex(rows, columns):
        r[i + 1, j + 1] = d[i, j] - np.log(np.exp(-r[i, j + 1]) + np.exp(-r[i + 1, j]) + np.exp(-r[i, j]))
    return r[1:, 1:]


def two_states(x: Array, w: Array) -> Array:
    h, c, found = np.zeros(x.shape[1]), np.full(x.shape[1], 0.1), []
    for step in x:
        gate = np.tanh(step + h @ w)
        c = 0.9 * c + gate
        h = step * gate * np.tanh(c)
        found.append(h)
    return np.array(found)


def parents_and_neighbours(x: Array, parent: Array) -> Array:
    """What a sine of several readings has in common is seen from places that only data knows, too."""
    y: list[float] = []
    for n in range(len(x)):
        y.append(np.sin(x[n] + (y[parent[n]] if parent[n] < n else 0.1) + (y[n - 1] / 2 if n else 0)))
    return np.array(y)


def parents(x: Array, parent: Array) -> Array:
    y: list[float] = []
    for n in range(len(x)):
        y.append(x[n] * (y[parent[n]] ** 2 if parent[n] < n else 0.5))
    return y


def read_before_and_behind(x: Array, p: Array) -> Array:
    a, b, c = np.zeros((3, len(x)))
    for t in range(len(x)):
        a[t] = b[p[t]] if p[t] < t else 0.5
        b[t] = x[t] * a[t] + (c[t - 1] if t else 0)
        c[t] = b[p[t]] * x[t] if p[t] <= t else 0
    return c


def rows_in_steps(x: Array) -> Array:
    """In each step a row, whose elements come one after the other; the next step has its sum."""
    y, before = np.zeros_like(x), 0.0
    for t, i in np.ndindex(x.shape):
        y[t, i] = x[t, i] + before + (0.5 * y[t, i - 1] ** 2 if i else 0)
        before = np.tanh(y[t].sum()) if i == x.shape[1] - 1 else before
    return y


def eliminated(a: Array) -> Array:
    """The upper triangle of Gaussian elimination, in which the largest of a column is the pivot."""
    rest = a.copy()
    for j in range(len(a)):
        at = j + np.argmax(abs(rest[j:, j]))
        rest[[j, at]] = rest[[at, j]]
        rest[j + 1 :] -= np.outer(rest[j + 1 :, j] / rest[j, j], rest[j])
    return np.triu(rest)


def resets(x: Array, keep: Array) -> Array:
    y: list[float] = []
    for n in range(len(x)):
        y.append((y[-1] if n else 0) * x[n] if keep[n] > 0 else x[n])
    return y


def spread(x: Array) -> Array:
    """Each place of a step has the mean of three of the step before."""
    found = [x[0]]
    for t in range(1, len(x)):
        before = np.pad(found[-1], 1)
        found.append(x[t] + (before[:-2] + before[1:-1] + before[2:]) / 3)
    return np.array(found)


def first_for_all(x: Array) -> Array:
    """What a step has of its first place counts in all places of the next one."""
    found = [x[0]]
    for step in x[1:]:
        found.append(step * found[-1][0])
    return np.array(found)


def first_for_all_by_data(x: Array, p: Array) -> Array:
    found = x.copy()
    for t, at in enumerate(p):
        if at < t:
            found[t] = x[t] * found[at, 0] + found[at, 0] ** 2 / 3
    return found


def first_two(x: Array) -> Array:
    found = [x[0] * 2]
    for step in x[1:]:
        found.append(step * found[-1][:2].sum())
    return np.array(found)


def summed_where_data_says(x: Array, w: Array, p: Array) -> Array:
    found, before = [], np.ones(x.shape[1])
    for step, at in zip(x, p, strict=True):
        before = step if at > 0 else before @ w
        found.append(before)
    return np.array(found)


SPD = normal(4, 4)
CASES = {
    "one step back": Case(
        "op f(x[n]: float) -> y[n] { y = x - 0.5 * (y[n - 1] else 0); }", [normal(5)], lambda x: filtered(x, 0.5, 0)
    ),
    "two steps back": Case(
        "op f(x[n]: float, a[]: float, b[]: float) -> y[n] "
        "{ y = x - a[] * (y[n - 1] else 0) - b[] * (y[n - 2] else 0); }",
        [normal(5), normal(), normal()], filtered,
    ),
    "as many steps back as an index says": Case(
        "op f(x[n]: float, w[k]: float) -> y[n] { y = x + sum[k](w * (y[n - 1 - k] else 0.5)); }",
        [normal(7), normal(3)], with_lags,
    ),
    "as many steps back as two indices say": Case(
        "op f(x[n]: float, w[k, i]: float) -> y[n] { y = x + sum[k, i](w * (y[n - k - i - 1] else 0)); }",
        [normal(6), normal(2, 2)], with_two_lags,
    ),
    "as many steps ahead as an index says": Case(
        "op f(x[n]: float, w[k]: float) -> y[n] { y = x + sum[k](w * (y[n + k + 1] else 0.5)); }",
        [normal(6), normal(2)], lambda x, w: with_lags(x[::-1], w)[::-1],
    ),
    "backward": Case(
        "op f(x[n]: float) -> y[n] { y = tanh(x * (y[n + 1] else 0.3)); }", [normal(4)], backward_in_time
    ),
    "a vector in each step": Case(
        "op f(x[t, b, i]: float, u[i, k]: float, w[j, k]: float, h0[b, k]: float) -> h[t, b, k] "
        "{ h = tanh(sum[i](x * u) + sum[j](w * (h[t - 1, b, j] else (h0[b, j])))); }",
        [normal(3, 2, 2), normal(2, 3), normal(3, 3), normal(2, 3)], elman,
    ),
    "a definition that only a sum reads": Case(
        "op f(x[t, b, i]: float, u[i, k]: float, w[j, k]: float, h0[b, k]: float) -> l[b] "
        "{ h[t, b, k] = tanh(sum[i](x * u) + sum[j](w * (h[t - 1, b, j] else (h0[b, j])))); "
        "l = sum[t, k](h ^ 2 * (t + 1)); }",
        [normal(3, 2, 2), normal(2, 3), normal(3, 3), normal(2, 3)], elman_energy,
    ),
    "two axes": Case(
        "op f(d[i, j]: float) -> r[i, j] "
        "{ a = r[i - 1, j] else 9; b = r[i, j - 1] else 9; c = r[i - 1, j - 1] else (i == 0 and j == 0 ? 0 : 9); "
        "r = d - log(exp(-a) + exp(-b) + exp(-c)); }",
        [normal(3, 4)], soft_alignment,
    ),
    "all before": Case(
        "op f(m[i, j]: float) -> l[i, j] { a = m + m[j, i] + (i == j ? 9 : 0); "
        "l = i == j ? sqrt(a - sum[k < j](l[i, k] ^ 2)) "
        ": i > j ? (a - sum[k < j](l[i, k] * l[j, k])) / l[j, j] : 0; }",
        [SPD], lambda m: np.linalg.cholesky(m + m.T + 9 * np.eye(4)),
    ),
    "states that depend on each other": Case(
        "op f(x[t, k]: float, w[j, k]: float) -> (h[t, k], c[t, k]) "
        "{ i = tanh(x + sum[j](w * (h[t - 1, j] else 0))); c = 0.9 * (c[t - 1, k] else 0.1) + i; "
        "h = x * i * tanh(c); }",
        [normal(3, 2), normal(2, 2)], two_states,
    ),
    "a place that data says": Case(
        "op f(x[n]: float, parent[n]: int) -> y[n] { y = x * (parent < n ? y[parent] ^ 2 : 0.5); }",
        [normal(5), np.array([3, 0, 1, 0, 4])], parents,
    ),
    "each reads the one that data says, and the one before": Case(
        "op f(x[n]: float, parent[n]: int) -> y[n] "
        "{ y = sin(x + (parent < n ? y[parent] : 0.1) + 0.5 * (y[n - 1] else 0)); }",
        [normal(5), np.array([3, 0, 1, 0, 4])], parents_and_neighbours,
    ),
    "one place before it is computed and behind": Case(
        "op f(x[t]: float, p[t]: int) -> y[t] { a = p < t ? b[p] : 0.5; b[t] = x * a + (t > 0 ? c[t - 1] : 0); "
        "c[t] = p <= t ? b[p] * x : 0; y = c; }",
        [normal(5), np.array([0, 0, 2, 1, 4])], read_before_and_behind,
    ),
    "a circle inside of each step": Case(
        "op f(x[t, i]: float) -> y[t, i] { y = x + (t > 0 ? z[t - 1] : 0) + (i > 0 ? 0.5 * y[t, i - 1] ^ 2 : 0); "
        "z[t] = tanh(sum[i](y)); }",
        [normal(3, 4)], rows_in_steps,
    ),
    "a factorisation with pivots": Case(
        "op f(a[i, j]: float) -> u[k, j] where size[i] == size[j], k = size[j] "
        "{ rest[i, j] = a - sum[m < j](l[i, m] * above[m, j]); taken[i, j] = any[m < j](at[m] == i); "
        "at[j] = argmax[i](taken[i, j] ? -1 : abs(rest[i, j])); "
        "above[k, j] = k < j ? a[at[k], j] - sum[m < k](l[at[k], m] * above[m, j]) : 0; "
        "l[i, j] = taken ? 0 : rest / rest[at[j], j]; u = k == j ? rest[at[j], j] : above; }",
        [normal(4, 4)], eliminated,
    ),
    "where data says so": Case(
        "op f(x[n]: float, keep[n]: int) -> y[n] { y = keep > 0 ? (y[n - 1] else 0) * x : x; }",
        [normal(5), np.array([1, 0, 1, 1, 0])], resets,
    ),
    "one element in all places of the next step": Case(
        "op f(x[t, k]: float) -> y[t, k] { y = x * (y[t - 1, 0] else 1); }", [normal(4, 3)], first_for_all
    ),
    "one element of a step that data says in all places": Case(
        "op f(x[t, k]: float, p[t]: int) -> y[t, k] { y = p < t ? x * y[p, 0] + y[p, 0] ^ 2 / 3 : x; }",
        [normal(5, 3), np.array([0, 0, 1, 3, 2])], first_for_all_by_data,
    ),
    "a sum of two elements in all places of the next step": Case(
        "op f(x[t, k]: float) -> y[t, k] { y = x * sum[j](j < 2 ? (y[t - 1, j] else 1) : 0); }",
        [normal(4, 3)], first_two,
    ),
    "one step, a sum where data says so": Case(
        "op f(x[t, k]: float, w[m, k]: float, p[t]: int) -> y[t, k] where size[m] == size[k] "
        "{ y = p > 0 ? x : sum[m](w * (y[t - 1, m] else 1)); }",
        [normal(1, 2), normal(2, 2), np.array([0])], summed_where_data_says,
    ),
    "neighbours of a step": Case(
        "op f(x[t, n]: float) -> y[t, n] { y = x + (t > 0 ? "
        "((y[t - 1, n - 1] else 0) + y[t - 1, n] + (y[t - 1, n + 1] else 0)) / 3 : 0); }",
        [normal(3, 4)], spread,
    ),
}  # fmt: skip


def cheapest(d: Array) -> Array:
    """Dynamic time warping."""
    found = np.full((len(d) + 1, d.shape[1] + 1), np.inf)
    found[0, 0] = 0
    for i, j in np.ndindex(d.shape):
        found[i + 1, j + 1] = d[i, j] + min(found[i, j + 1], found[i + 1, j], found[i, j])
    return found[1:, 1:]


def smoothed(d: Array) -> Array:
    """Gauss and Seidel's steps, from the far corner: what is read lies ahead on the side that is to come."""
    y = np.zeros((len(d) + 1, d.shape[1] + 2))
    for i in reversed(range(len(d))):
        for j in reversed(range(d.shape[1])):
            y[i, j + 1] = d[i, j] - (y[i + 1, j] + y[i, j + 2] + 2 * y[i + 1, j + 1]) / 5
    return y[:-1, 1:-1]


def aligned(d: Array) -> Array:
    """Gotoh's alignment: two states that open or go on with a gap, and the best of all."""
    low = -100.0
    best, down, right = (np.full((len(d) + 1, d.shape[1] + 1), low) for _ in range(3))
    for i, j in np.ndindex(d.shape):
        down[i + 1, j + 1] = max(best[i, j + 1] - 1.5, down[i, j + 1] - 0.25)
        right[i + 1, j + 1] = max(best[i + 1, j] - 1.5, right[i + 1, j] - 0.25)
        before = 0 if (i, j) == (0, 0) else best[i, j]
        best[i + 1, j + 1] = max(down[i + 1, j + 1], right[i + 1, j + 1], before + d[i, j])
    return best[1:, 1:]


def multiplied(d: Array) -> Array:
    """The derivative of an element reads operands of the elements that follow."""
    y = np.zeros((len(d) + 1, d.shape[1] + 1))
    y[1:, 0] = 0.5
    for i, j in np.ndindex(d.shape):
        y[i + 1, j + 1] = np.tanh((d[i, j] + y[i + 1, j]) * (1 + 0.5 * y[i, j + 1]))
    return y[1:, 1:]


def soft(d: Array) -> Array:
    """A soft minimum of what is above, beside and both: partial derivatives by all of them have its sum in common."""
    y = np.full((len(d) + 1, d.shape[1] + 1), 0.5)
    y[0, 1:], y[1:, 0] = 1, 2
    for i, j in np.ndindex(d.shape):
        y[i + 1, j + 1] = d[i, j] - np.log(np.exp(-y[i, j + 1]) + np.exp(-y[i + 1, j]) + np.exp(-y[i, j])) / 3
    return y[1:, 1:]


def bent(d: Array) -> Array:
    """Steps from the far corner, each two behind the one before, with a logistic function of what is read."""
    y = np.zeros((len(d) + 1, d.shape[1] + 2))
    for i in reversed(range(len(d))):
        for j in reversed(range(d.shape[1])):
            z = y[i + 1, j] + y[i, j + 2] * y[i + 1, j + 1]
            y[i, j + 1] = d[i, j] / (1 + np.exp(-z)) + z / 3
    return y[:-1, 1:-1]


def far(d: Array) -> Array:
    """Lanes read what lies two rows back, up to three places on, at several distances."""
    y = np.zeros((len(d) + 2, d.shape[1] + 4))
    for i, j in np.ndindex(d.shape):
        one, two = y[i + 1], y[i]  # from the place before on
        y[i + 2, j + 1] = d[i, j] + 0.15 * y[i + 2, j] + 0.1 * one[j + 2] + 0.2 * two[j + 4] + 0.3 * two[j]
    return y[2:, 1:-3]


def last_apart(d: Array) -> Array:
    """The last column counts twice."""
    y = np.zeros((len(d) + 1, d.shape[1] + 1))
    for i, j in np.ndindex(d.shape):
        y[i + 1, j + 1] = d[i, j] * (1 + (j == d.shape[1] - 1)) + y[i, j + 1] / 2 + y[i + 1, j] / 4
    return y[1:, 1:]


PLANES: dict[str, tuple[str, Callable[[Array], Array]]] = {
    "warping": (
        "y = d + min(min(y[i - 1, j] else inf, y[i, j - 1] else inf), "
        "y[i - 1, j - 1] else (i == 0 and j == 0 ? 0 : inf));",
        cheapest,
    ),
    "smoothing": (
        "y = d - ((y[i + 1, j - 1] else 0) + (y[i, j + 1] else 0) + 2 * (y[i + 1, j] else 0)) / 5;",
        smoothed,
    ),
    "gaps": (
        "down[i, j] = max((y[i - 1, j] else -100) - 1.5, (down[i - 1, j] else -100) - 0.25);"
        "right[i, j] = max((y[i, j - 1] else -100) - 1.5, (right[i, j - 1] else -100) - 0.25);"
        "y = max(max(down, right), d + (y[i - 1, j - 1] else (i == 0 and j == 0 ? 0 : -100)));",
        aligned,
    ),
    "a last column": (
        "y = (j + 1 < size[j] ? 1 : 2) * d + (y[i - 1, j] else 0) / 2 + (y[i, j - 1] else 0) / 4;",
        last_apart,
    ),
    "products": ("y = tanh((d + (y[i, j - 1] else 0.5)) * (1 + 0.5 * (y[i - 1, j] else 0)));", multiplied),
    "a soft minimum": (
        "up = y[i - 1, j] else 1; left = y[i, j - 1] else 2;"
        "both = y[i - 1, j - 1] else (i == 0 ? j == 0 ? 0.5 : 1 : 2);"
        "y = d - log(exp(-up) + exp(-left) + exp(-both)) / 3;",
        soft,
    ),
    "far apart": (
        "y = d + 0.15 * (y[i, j - 1] else 0) + 0.1 * (y[i - 1, j + 1] else 0) + 0.2 * (y[i - 2, j + 3] else 0)"
        "+ 0.3 * (y[i - 2, j - 1] else 0);",
        far,
    ),
    "two behind": (
        "z = (y[i + 1, j - 1] else 0) + (y[i, j + 1] else 0) * (y[i + 1, j] else 0); y = d / (1 + exp(-z)) + z / 3;",
        bent,
    ),
}
