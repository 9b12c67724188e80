"""What kernels of a card ask of memory does not change unless somebody means it; `nox -s goldens` rewrites the file.

The tensors have sizes of real work; nothing of them is ever in memory here, and no kernel is run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.target import named
from netcl.kernels.library.op import register_handle
from netcl.kernels.namespace import catalogue
from netcl.kernels.runtime.bindings import bind
from netcl.kernels.tools.describe import memory


@dataclass(eq=False)
class Shaped:
    """A tensor of which only the shape and the dtype are known."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


def shaped(*shape: int, dtype: str = "float32") -> Shaped:
    return Shaped(shape, np.dtype(dtype))


register_handle(Shaped, lambda op, args, kwargs: op.bind(args, kwargs))

IMAGE, FILTERS, POINTS = shaped(8, 64, 56, 56), shaped(64, 64, 3, 3), shaped(20_000, 3)
ROWS, WEIGHTS, WIDE = shaped(4096, 1024), shaped(1024), shaped(128)
SEQUENCE = (shaped(64, 32, 64), shaped(128, 64), shaped(128, 128), WIDE, WIDE, shaped(32, 128))
CASES: tuple[tuple[str, str, tuple[Any, ...], dict[str, Any]], ...] = (
    ("add", "4096x1024", (ROWS, ROWS), {}),
    ("sigmoid", "4096x1024", (ROWS,), {}),
    ("permute", "a transpose of 4096x1024", (ROWS,), {"order": (1, 0)}),
    ("cat", "4096x1024 and 100x1024", ([ROWS, shaped(100, 1024)],), {"axis": 0}),
    ("sum", "the rows of 4096x1024", (ROWS,), {"axis": 1}),
    ("sum", "the columns of 4096x1024", (ROWS,), {"axis": 0}),
    ("softmax", "4096x1024", (ROWS,), {}),
    ("layer_norm", "4096x1024", (ROWS, WEIGHTS, WEIGHTS), {}),
    ("embedding", "4096 of 1000x256", (shaped(1000, 256), shaped(4096, dtype="int64")), {}),
    ("matmul", "1024^3", (shaped(1024, 1024), shaped(1024, 1024)), {}),
    ("conv2d", "3x3 at 8x64x56x56", (IMAGE, FILTERS), {"padding": 1}),
    ("rnn", "64 steps of 32x64, 128 wide", (*SEQUENCE, shaped(32, dtype="int64")), {}),
    ("soft_dtw", "8x512x512", (shaped(8, 512, 512),), {}),
    ("lennard_jones", "20,000 particles", (POINTS,), {}),
    ("gaussian_kernel_sum", "20,000 points", (POINTS, POINTS, shaped(20_000, 2)), {}),
)


def described(name: str, arguments: tuple[Any, ...], attributes: dict[str, Any], gradient: bool = False) -> str:
    call = catalogue[name].bind(list(arguments), attributes)
    bindings = bind(call.formula, [each.shape for each in call.operands], call.attributes, None)
    formula = call.formula
    if gradient:
        formula = pipeline.gradient(formula, pipeline.differentiable(formula))
    return memory(formula, bindings, call.attributes, named("gpu"), views=False)


def test_what_kernels_ask_of_memory_is_that_of_the_golden_file(golden: Callable[[str, str], None]) -> None:
    parts = [f"# {name}: {what}\n{described(name, *rest)}" for name, what, *rest in CASES]
    golden("memory.txt", "\n\n".join(parts) + "\n")


@pytest.mark.parametrize(("name", "least"), [("matmul", 32), ("conv2d", 20)])
def test_products_compute_much_for_each_byte_that_is_moved(name: str, least: float) -> None:
    """Tiles of 128 by 128 in whole segments would come to 30 at 1,024^3, items on their own to less than one."""
    (case,) = [case for case in CASES if case[0] == name]
    _, _, arguments, attributes = case
    (line,) = [line for line in described(name, arguments, attributes).splitlines() if "per byte" in line]
    assert float(line.split()[-4]) >= least


def test_pairs_read_memory_once_for_all_rows_of_a_group() -> None:
    """An item that goes through 20,000 points on its own reads 5 floats of each: 8 GB for all items."""
    for gradient in (False, True):
        text = described(*CASES[-1][::2], CASES[-1][3], gradient)
        traffic = [line.split()[1:3] for line in text.splitlines() if line.strip().startswith("traffic")]
        assert len(traffic) == (3 if gradient else 1)
        for amount, unit in traffic:
            assert unit.startswith("MB")
            assert float(amount) * 1e6 < 20_000**2 * 5 * 4 / 32
