"""Under which conditions a node is evaluated: beside walking from the roots, for each setting of the conditions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import kernels
from netcl.kernels.compiler.ir import Apply, Expr, Number, Read
from netcl.kernels.compiler.ir.construct import apply, number, read
from netcl.kernels.compiler.ir.logic import negated
from netcl.kernels.compiler.ir.paths import one_of_paths, paths

ASKED = [read(f"c{at}", (), "bool") for at in range(4)]


def drawn(random: np.random.Generator, size: int) -> Expr:
    """Choices between shared values, under conditions that repeat, exclude and negate each other."""
    nodes: list[Expr] = [read(f"x{at}", (), "float32") for at in range(3)]

    def one_of(given: list[Expr]) -> Expr:
        return given[int(random.integers(len(given)))]

    for _ in range(size):
        if random.random() < 0.3:
            nodes.append(apply("add", (one_of(nodes), one_of(nodes)), "float32"))
            continue
        condition = one_of(ASKED)
        for _ in range(int(random.integers(3))):
            condition = apply(("and", "or")[int(random.integers(2))], (condition, one_of(ASKED)), "bool")
        condition = negated(condition) if random.random() < 0.3 else condition
        nodes.append(apply("select", (condition, one_of(nodes), one_of(nodes[-3:])), "float32"))
    return nodes[-1]


def holds(condition: Expr, setting: Mapping[Expr, bool]) -> bool:
    if isinstance(condition, Number):
        return bool(condition.value)
    if isinstance(condition, Read):
        return setting[condition]
    assert isinstance(condition, Apply)
    of = [holds(each, setting) for each in condition.children]
    return {"and": all(of), "or": any(of), "not": not of[0]}[condition.function]


def evaluated(node: Expr, setting: Mapping[Expr, bool]) -> Iterator[Expr]:
    yield node
    if isinstance(node, Apply) and node.function == "select":
        condition, first, second = node.children
        yield from evaluated(condition, setting)
        yield from evaluated(first if holds(condition, setting) else second, setting)
    else:
        for child in node.children:
            yield from evaluated(child, setting)


@pytest.mark.parametrize("seed", range(120))
def test_the_paths_to_a_node_say_when_it_is_evaluated(seed: int) -> None:
    root = drawn(np.random.default_rng(seed), 2 + seed // 10)
    found = paths(root)
    for values in itertools.product((False, True), repeat=len(ASKED)):
        setting = dict(zip(ASKED, values, strict=True))
        met = set(evaluated(root, setting))
        said = {node for node, ways in found.items() if holds(one_of_paths(ways), setting)}
        assert said == met


def test_paths_that_differ_in_one_condition_are_one() -> None:
    """A node in both branches is evaluated whatever the condition is, in however many choices it stands."""
    x = read("x", (), "float32")
    root: Expr = x
    for condition in ASKED:
        root = apply(
            "select", (condition, apply("add", (root, x), "float32"), apply("neg", (root,), "float32")), x.dtype
        )
    assert paths(root)[x] == ((),)


def test_conditions_beside_each_other_are_no_opposites() -> None:
    x, zero = read("x", (), "float32"), number(0, "float32")
    for one, other in itertools.permutations([*ASKED, *map(negated, ASKED)], 2):
        parts = [apply("select", (each, x, zero), "float32") for each in (one, other)]
        always = one is negated(other)
        found = paths(apply("add", tuple(parts), "float32"))[x]
        assert set(found) == ({()} if always else {(one,), (other,)})


def test_of_very_many_paths_what_they_have_in_common_is_kept() -> None:
    """All pairs of twelve conditions, behind one that each of them needs."""
    x, zero = read("x", (), "float32"), number(0, "float32")
    asked = [read(f"c{at}", (), "bool") for at in range(13)]
    root: Expr = zero
    for pair in itertools.combinations(asked[1:], 2):
        root = apply("select", (apply("and", pair, "bool"), x, root), "float32")
    root = apply("select", (asked[0], root, zero), "float32")
    assert paths(root)[x] == ((asked[0],),)


RENDERED = """op f(x[h, w]: float, o[n, z]: float, d[n, z]: float; steps: int) -> y[n]
where m = steps, r = 2, s = 2, size[z] == 2 {
    p[n, m] = o[n, 0] + m * d[n, 0];
    q[n, m] = o[n, 1] + m * d[n, 1];
    a[n, m] = int(floor(p));
    b[n, m] = int(floor(q));
    g[n, m] = sum[r, s](
        (r == 0 ? 1 - (p - a) : p - a) * (s == 0 ? 1 - (q - b) : q - b) * (x[a + r, b + s] else 0)
    );
    density[n, m] = 0.1 * log1p(exp(g));
    passed[n, m] = sum[k < m](density[n, k]);
    y = sum[m](exp(-passed) * (1 - exp(-density)) * m);
}"""


def test_samples_along_rays_have_gradients() -> None:
    """Each of its positions is read on dozens of paths, which ask the same in many orders."""
    random = np.random.default_rng(0)
    op = kernels.compile(RENDERED).f
    x, o, d = random.normal(size=(4, 4)), random.uniform(0.2, 2.8, (2, 2)), random.uniform(-0.3, 0.3, (2, 2))
    given = [ag.tensor(each, requires_grad=True) for each in (x, o, d)]
    value = op(*given, steps=3)
    gradients = ag.grad(value.sum(), given, create_graph=True)
    for at, gradient in enumerate(gradients):
        for place in ((0, 0), (1, 1)):
            moved = []
            for step in (1e-6, -1e-6):
                arrays = [x.copy(), o.copy(), d.copy()]
                arrays[at][place] += step
                moved.append(float(op(*map(ag.tensor, arrays), steps=3).sum()))
            np.testing.assert_allclose(gradient.to_host()[place], (moved[0] - moved[1]) / 2e-6, rtol=1e-5, atol=1e-7)
