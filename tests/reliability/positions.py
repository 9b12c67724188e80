"""An attack on positions: formulas whose positions are computed with huge numbers, divided by 0 and -1, from data.

A formula is drawn as a tree, written as text of the language, and evaluated with Python's integers, which have no end.
A call then gives exactly those values, or it raises an error of netcl: where a position is outside of its axis it has
to, where all numbers are small it must not. Operands are views in the middle of a larger buffer that is filled with a
marker; the process must live, and no marker may come back.

    python tests/reliability/positions.py [formulas] [seed] [jobs]
"""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Any

MARKER = 7777.0
ELSE = -5
SETS = 3
"""Arguments for each formula."""
BATCH = 50
TAME = 1 << 30
"""Formulas that compute with smaller numbers only have to work."""

HUGE = [2**30, 2**31 - 1, 2**31, 2**32, 2**40, 2**53, 2**61, 2**62, 2**62 + 1, 2**63 - 1, 4611686018427387904]
SMALL = [0, 1, 2, 3, 4, 7, 8, 16]
DTYPES = {"uint8": (0, 255), "int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}


class Outside(Exception):
    """What Python's integers cannot say either: a float that is no number, as a position."""


@dataclass(frozen=True)
class Point:
    """Where a formula is evaluated: the indices, sizes, attributes and data of a call."""

    i: int
    n: int
    m: int
    s: int
    t: int
    k: list[int]
    v: list[float]
    instead: int | None = None
    """What stands for a float that is no number: where it does not matter, it need not be looked at."""


@dataclass(frozen=True)
class Node:
    """A piece of a formula: its text, its value at a point, and how large its numbers are or are taken to be."""

    text: str
    value: Callable[[Point], int]
    size: Callable[[Point], int]


def leaf(rng: random.Random) -> Node:
    kind = rng.choice(["i", "i", "i", "k", "k", "k", "s", "t", "n", "small", "small", "huge", "v"])
    if kind == "i":
        return Node("i", lambda p: p.i, lambda p: p.m)
    if kind == "k":
        return Node("k[i]", lambda p: p.k[p.i], lambda p: max(map(abs, p.k), default=0))
    if kind in "st":
        return Node(kind, lambda p: getattr(p, kind), lambda p: max(abs(getattr(p, kind)), 2**20))
    if kind == "n":
        return Node("size[n]", lambda p: p.n, lambda p: p.n)
    if kind == "v":
        return Node("int(v[i])", lambda p: cut(p.v[p.i], p.instead), lambda p: 2**64)
    number = rng.choice(HUGE if kind == "huge" else SMALL)
    if rng.random() < 0.2:
        return Node(f"(-{number})", lambda p: -number, lambda p: number)
    return Node(str(number), lambda p: number, lambda p: number)


def cut(value: float, instead: int | None) -> int:
    if math.isfinite(value) and -(2.0**63) <= value < 2.0**63:
        return int(value)
    if instead is None:
        raise Outside
    return instead


def tree(rng: random.Random, depth: int) -> Node:
    if depth == 0 or rng.random() < 0.15:
        return leaf(rng)
    kind = rng.choice("+ + - * * // // % % min max abs neg select ^".split())
    a = tree(rng, depth - 1)
    if kind == "abs":
        return Node(f"abs({a.text})", lambda p: abs(a.value(p)), a.size)
    if kind == "neg":
        return Node(f"(-({a.text}))", lambda p: -a.value(p), a.size)
    if kind == "^":
        power = rng.choice([2, 3])
        return Node(f"({a.text}) ^ {power}", lambda p: a.value(p) ** power, lambda p: a.size(p) ** power + 1)
    b = tree(rng, depth - 1)
    if kind == "select":
        test, holds = condition(rng)
        return Node(
            f"({test} ? {a.text} : {b.text})", lambda p: a.value(p) if holds(p) else b.value(p),
            lambda p: a.size(p) + b.size(p),
        )  # fmt: skip
    if kind in ("min", "max"):
        choose = min if kind == "min" else max
        return Node(f"{kind}({a.text}, {b.text})", lambda p: choose(a.value(p), b.value(p)), both(a, b))
    if kind == "*":
        return Node(
            f"({a.text}) * ({b.text})",
            lambda p: a.value(p) * b.value(p),
            lambda p: a.size(p) * b.size(p) + both(a, b)(p),
        )
    if kind == "//":
        return Node(f"({a.text}) // ({b.text})", lambda p: divided(a.value(p), b.value(p)), both(a, b))
    if kind == "%":
        return Node(f"({a.text}) % ({b.text})", lambda p: rest(a.value(p), b.value(p)), both(a, b))
    if kind == "+":
        return Node(f"({a.text} + {b.text})", lambda p: a.value(p) + b.value(p), both(a, b))
    return Node(f"({a.text} - ({b.text}))", lambda p: a.value(p) - b.value(p), both(a, b))


def both(a: Node, b: Node) -> Callable[[Point], int]:
    return lambda p: a.size(p) + b.size(p)


def divided(a: int, b: int) -> int:
    return a // b if b else 0


def rest(a: int, b: int) -> int:
    return a % b if b else 0


def condition(rng: random.Random) -> tuple[str, Callable[[Point], bool]]:
    number = rng.choice([0, 1, 3, 200, 300, 2**31, 2**40])
    name = rng.choice(["i", "k[i]", "s", "size[n]"])
    values: dict[str, Callable[[Point], int]] = {
        "i": lambda p: p.i, "k[i]": lambda p: p.k[p.i], "s": lambda p: p.s, "size[n]": lambda p: p.n,
    }  # fmt: skip
    value = values[name]
    sign = rng.choice(["<", "<=", ">", ">=", "==", "!="])
    tests: dict[str, Callable[[int, int], bool]] = {
        "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
        "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
    }  # fmt: skip
    test = tests[sign]
    return f"{name} {sign} {number}", lambda p: test(value(p), number)


def tamed(rng: random.Random, node: Node) -> Node:
    """Brought into an axis, or near it, often enough."""
    kind = rng.choice(["as it is", "rest", "between", "between", "below"])
    most = rng.choice([0, 3, 7, 8])
    if kind == "rest":
        return Node(f"({node.text}) % 8", lambda p: node.value(p) % 8, node.size)
    if kind == "between":
        return Node(f"min(max({node.text}, 0), {most})", lambda p: min(max(node.value(p), 0), most), node.size)
    if kind == "below":
        return Node(f"min({node.text}, {most})", lambda p: min(node.value(p), most), node.size)
    return node


@dataclass(frozen=True)
class Case:
    """A formula, and what it gives for an element: a number, or None where that is an error or the choice is free."""

    text: str
    kind: str
    at: Node
    holds: Callable[[Point], bool]
    dtype: str

    def element(self, p: Point) -> float | None:
        """None where the position is outside, and nothing is said of that."""
        if self.kind == "branch" and not self.holds(p):
            return -3.0
        at = self.at.value(p)
        if self.kind == "within" and -p.n <= at < 0:
            at += p.n
        if 0 <= at < p.n:
            return float(at + 1)
        return float(ELSE) if self.kind == "else" else None


def case(rng: random.Random) -> Case:
    at = tamed(rng, tree(rng, rng.choice([1, 2, 2, 3])))
    kind = rng.choice(["plain", "plain", "plain", "else", "else", "branch", "within", "sum"])
    dtype = rng.choice([*DTYPES])
    test, holds = condition(rng)
    read = {
        "else": f"(x[{at.text}] else {ELSE})", "branch": f"({test} ? x[{at.text}] : -3)",
        "within": f"x[within[n]({at.text})]",
    }.get(kind, f"x[{at.text}]")  # fmt: skip
    body = f"sum[i]({read})" if kind == "sum" else read
    axes = "[]" if kind == "sum" else "[i]"
    text = f"op f(x[n]: float, k[i]: int, v[i]: float; s: int = 1, t: int = 1) -> y{axes} {{ y = {body} + 0 * v{{}}; }}"
    text = text.replace(" + 0 * v{}", "")
    return Case(text, kind, at, holds, dtype)


@dataclass(frozen=True)
class Given:
    """The arguments of one call."""

    n: int
    m: int
    s: int
    t: int
    k: list[int]
    v: list[float]

    def points(self, instead: int | None = None) -> list[Point]:
        return [Point(i, self.n, self.m, self.s, self.t, self.k, self.v, instead) for i in range(self.m)]


def given(rng: random.Random, dtype: str, wild: bool) -> Given:
    least, most = DTYPES[dtype]
    m = rng.choice([1, 3, 8, 20])
    numbers = [0, 1, 2, 3, 5, 7, -1, -2] + ([8, 255, least, most, 2**31, -(2**62), 2**62] if wild else [])
    fitting = [each for each in numbers if least <= each <= most]
    floats = [0.0, 1.5, 2.0, 3.99, -0.5] + ([math.nan, math.inf, -math.inf, 1e30, -9.3e18, 2.0**62] if wild else [])
    attributes = [0, 1, 2, 3, -1] + ([2**20, 2**40, 2**41, 2**62, -(2**63), 2**63 - 1] if wild else [])
    return Given(
        rng.choice([8, 8, 8, 5, 1, 0]), m, rng.choice(attributes), rng.choice(attributes),
        [rng.choice(fitting) for _ in range(m)], [rng.choice(floats) for _ in range(m)],
    )  # fmt: skip


def due(of: Case, call: Given) -> tuple[list[float | None] | None, bool]:
    """The elements, or None where the call is an error; and whether all numbers are small."""
    points = call.points()
    tame = all(of.at.size(p) < TAME for p in points)
    try:
        found = [of.element(p) for p in points]
    except Outside:
        return None, tame
    if of.kind != "branch" and None in found:
        return None, tame
    return found, tame


def indifferent(of: Case, call: Given) -> list[float | None] | None:
    """The elements where they are the same whatever stands for a float that is no number."""
    one, other = ([of.element(p) for p in call.points(instead)] for instead in (12345, -(2**40) - 3))
    return one if one == other and (of.kind == "branch" or None not in one) else None


def trial(of: Case, calls: list[Given], gradient: bool) -> list[str]:
    """What is wrong with a formula, in this process."""
    import numpy as np

    from netcl import autograd as ag
    from netcl import core, kernels
    from netcl.core.errors import NetclError

    def view(values: list[Any], dtype: str) -> Any:
        whole = np.full(len(values) + 128, MARKER if dtype == "float32" else 77, dtype)
        whole[64 : 64 + len(values)] = values
        return core.from_host(whole)[64 : 64 + len(values)]

    op = None
    wrong = []
    for call in calls:
        expected, tame = due(of, call)
        try:
            op = op or kernels.compile(of.text).f
            x = view([at + 1 for at in range(call.n)], "float32")
            k, v = view(call.k, of.dtype), view(call.v, "float32")
            node = ag.Node(x, requires_grad=True) if gradient else x
            y = op(node, k, v, s=call.s, t=call.t)
            slope = ag.grad(y.sum(), [node], materialize_grads=True)[0].to_host() if gradient else None
            y = y.value.to_host() if gradient else y.to_host()
        except NetclError as error:
            undefined = gradient and "is not defined where" in str(error)  # a factor of 0, which has no inverse
            if expected is not None and None not in expected and tame and not undefined:
                wrong.append(f"refused: {call}: {error}")
            continue
        if (y == MARKER).any():
            wrong.append(f"the marker came back: {call}")
            continue
        if expected is None:
            expected = indifferent(of, call)
        if expected is None:
            wrong.append(f"no error: {call}: {y.tolist()}")
            continue
        wanted = np.array([np.nan if each is None else each for each in expected])
        free = np.isnan(wanted)  # a branch that reads outside: 0, NaN or an error
        agree = y == wanted.sum() if of.kind == "sum" else (y == wanted) | (free & ((y == 0) | np.isnan(y)))
        if not agree.all():
            wrong.append(f"other values: {call}: {y.tolist()}, due {wanted.tolist()}")
        if slope is not None and not free.any():
            counts = np.zeros(call.n)
            for each in wanted[wanted > 0]:
                counts[int(each) - 1] += 1
            if not (slope == counts).all():
                wrong.append(f"another gradient: {call}: {slope.tolist()}, due {counts.tolist()}")
    return wrong


def draw(seed: int) -> tuple[Case, list[Given], bool]:
    rng = random.Random(seed)
    of = case(rng)
    return of, [given(rng, of.dtype, wild=at > 0) for at in range(SETS)], rng.random() < 0.3


def batch(first: int, last: int) -> None:
    """The trials with these seeds; a line before each, and one for each thing that is wrong."""
    for seed in range(first, last):
        print(json.dumps([seed, None]), flush=True)
        of, calls, gradient = draw(seed)
        try:
            found = trial(of, calls, gradient)
        except Exception as error:
            found = [f"{type(error).__name__}: {error}"]
        for each in found:
            print(
                json.dumps([seed, f"{of.text}\n    {'gradient, ' if gradient else ''}{of.dtype}, {each}"]), flush=True
            )


def main(count: int = 2000, seed: int = 0, jobs: int = 2) -> int:
    """Attack with so many formulas, in so many processes at a time; returns how many went wrong."""
    begun = time.perf_counter()
    first = seed * 1_000_000
    batches = [range(at, min(at + BATCH, first + count)) for at in range(first, first + count, BATCH)]
    wrong: set[int] = set()
    with ThreadPool(jobs) as pool:
        for number, what in chain.from_iterable(pool.imap_unordered(attacked, batches)):
            wrong.add(number)
            print(f"{number}: {what}", flush=True)
    seconds = time.perf_counter() - begun
    print(f"{count} formulas, {count * SETS} calls, {len(wrong)} wrong, {seconds:.0f} s")
    return len(wrong)


def attacked(seeds: range) -> list[tuple[int, str]]:
    """What is wrong with the formulas of these seeds; a process that dies is followed by one for the rest."""
    wrong: list[tuple[int, str]] = []
    while seeds:
        try:
            done = subprocess.run(
                [sys.executable, str(Path(__file__)), "--batch", str(seeds.start), str(seeds.stop)],
                capture_output=True, text=True, timeout=1200, check=False, env=environment(seeds),
            )  # fmt: skip
            lines, died = done.stdout.splitlines(), f"the process ended with {done.returncode}: {done.stderr[-300:]}"
            ended = done.returncode != 0
        except subprocess.TimeoutExpired as late:
            lines = (late.stdout or b"").decode().splitlines()
            died, ended = "the process hangs", True
        at = seeds.start
        for number, what in map(json.loads, lines):
            at = number
            if what is not None:
                wrong.append((number, what))
        if not ended:
            break
        wrong.append((at, f"{draw(at)[0].text}\n    {died}"))
        seeds = range(at + 1, seeds.stop)
    return wrong


def environment(seeds: range) -> dict[str, str]:
    """Every other batch goes without the driver's optimiser: it compiles in less time, and is another compiler."""
    plain = {"POCL_EXTRA_BUILD_FLAGS": "-cl-opt-disable"} if seeds.start // BATCH % 2 else {}
    return {**os.environ, "NETCL_THREADS": "1", **plain}


if __name__ == "__main__":
    if sys.argv[1:2] == ["--batch"]:
        batch(int(sys.argv[2]), int(sys.argv[3]))
    else:
        sys.exit(main(*map(int, sys.argv[1:])) > 0)
