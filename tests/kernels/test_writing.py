"""Tensors are written in place with netcl-kernels alone; a new process shows that nothing of netcl-autograd helps."""

from __future__ import annotations

import itertools
import subprocess
import sys

import numpy as np
import pytest

from netcl import core, kernels

PROGRAM = """
import sys
import numpy as np
from netcl import core

x = core.from_host(np.arange(6, dtype=np.float32).reshape(2, 3))
row = x[1]
before = x.version
same = row.add_(1)
x.mul_(x).sub_(core.from_host(np.float32([1, 2, 3]))).div_(2)
row[0] = -4
print(same is row, x.version > before, x.tolist(), row.tolist())
print(x.assign_(0.5).tolist())
for write in (lambda: x.add_(core.ones((2, 2, 3))), lambda: x.add_(core.ones((2, 3), dtype="float64")),
              lambda: core.ones((1, 3)).expand(2, 3).add_(1)):
    try:
        write()
    except core.NetclError as error:
        print(type(error).__name__, error)
print(x.tolist(), "netcl.autograd" in sys.modules)
"""


def test_methods_that_write_need_no_tape() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "True True [[-0.5, -0.5, 0.5], [-4.0, 11.5, 16.5]] [-4.0, 11.5, 16.5]",
        "[[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]]",
        "ShapeError add_: the result has shape (2, 2, 3), which does not fit into x of shape (2, 3)",
        "DtypeError add_: the result is float64, but x is float32; convert what is written, as with "
        "y.astype('float32')",
        "ShapeError add_: x is a broadcast view that shows elements more than once; write to a copy (x.clone())",
        "[[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]] False",
    ]


def test_writing_to_what_is_empty_writes_nothing() -> None:
    core.zeros(()).expand(0, 2).add_(1)
    core.zeros((1, 2)).expand(3, 2)[:, :0].add_(1)
    empty, full = core.zeros((3, 0)), core.ones((3, 3))
    empty[0] = 1.0
    empty[None] = 1.0
    core.zeros((0, 3))[:, 0] = 1.0
    full[3:, None] = 2.0
    assert full.tolist() == [[1, 1, 1]] * 3
    with pytest.raises(core.ShapeError, match="shows elements more than once"):
        core.zeros((1, 2)).expand(3, 2).add_(1)


def test_a_number_of_numpy_is_written_as_one_of_python() -> None:
    x = core.zeros((2,), dtype="uint8")
    for value in (2.7, np.float64(2.7)):
        with pytest.raises(core.DtypeError, match="is float"):
            x[0] = value
    x[0] = np.int64(200)
    assert x.tolist() == [200, 0]


OUTPUTS = kernels.compile("""
op swapped(a[*i]: number, b[*i]: number) -> (y[*i], z[*i]) { y = b; z = a; }
op mixed(a[*i]: number, b[*i]: number, c[*i]: number) -> (x[*i], y[*i], z[*i]) { x = b + c; y = a - c; z = a * b; }
op crossed(a[n, m]: number, b[n, m]: number; s: int = 3) -> (y[n, m], z[n, m]) {
    y = m < s ? b : 1;
    z = m >= s and n > 0 ? a : b;
}
op running(a[t, n, k]: float, b[t, n, k]: float) -> (y[t, n, k], z[t, n, k]) {
    y = b + 0.5 * (y[t - 1, n, k] else 0);
    z = a + 0.25 * (z[t - 1, n, k] else 0);
}
""")


SHAPES = {"swapped": (2, 3, 33), "mixed": (17,), "crossed": (5, 40), "running": (7, 2, 19)}


@pytest.mark.parametrize("dtype", ["float32", "int64", "uint8"])
@pytest.mark.parametrize("op", SHAPES)
@pytest.mark.parametrize("size", ["one", "some"])
@pytest.mark.sample(17)
def test_outputs_may_be_written_over_the_operands_of_each_other(op: str, size: str, dtype: str) -> None:
    of = getattr(OUTPUTS, op)
    shape = (1,) * len(SHAPES[op]) if size == "one" else SHAPES[op]
    count = len(of.forms[0].operands)
    kind = "float32" if op == "running" else dtype
    arrays = [np.random.default_rng(at).integers(0, 9, shape).astype(kind) for at in range(count)]
    wanted = [each.tolist() for each in of(*map(core.from_host, arrays))]
    for order in itertools.permutations(range(count)):
        tensors = [core.from_host(each) for each in arrays]
        of(*tensors, out=tuple(tensors[at] for at in order))
        assert [tensors[at].tolist() for at in order] == wanted, order


def test_outputs_that_are_written_into_the_same_memory_are_refused() -> None:
    a, b, memory = core.ones((4, 5)), core.ones((4, 5)), core.zeros((64,))
    (low, high), wide = (memory[at : at + 20].reshape(4, 5) for at in (0, 20)), memory[:40].reshape(4, 10)
    OUTPUTS.swapped(a, 2 * b, out=(low, high))
    assert memory.tolist() == 20 * [2.0] + 20 * [1.0] + 24 * [0.0]
    OUTPUTS.swapped(a, 2 * b, out=(wide[:, :5], wide[:, 5:]))
    assert wide.tolist() == 4 * [5 * [2.0] + 5 * [1.0]]
    for other in (low, memory[19:39].reshape(4, 5), wide[:, 5:]):
        with pytest.raises(core.ShapeError, match="swapped: two of the tensors to write into share memory"):
            OUTPUTS.swapped(a, b, out=(low, other))
