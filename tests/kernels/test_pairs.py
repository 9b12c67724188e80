"""Reductions over pairs: their values and gradients of two orders, and that no table of the pairs is ever made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from differentiated import assert_op_agrees
from evaluated import compiled
from launched import assert_agrees, schedules

from netcl import core, kernels
from netcl.kernels.compiler import pipeline
from netcl.kernels.compiler.ir import Formula
from netcl.kernels.library.op import Op
from netcl.kernels.runtime import launch

rng = np.random.default_rng(5)

GAUSSIAN, LENNARD_JONES = kernels.catalogue["gaussian_kernel_sum"], kernels.catalogue["lennard_jones"]
ROWS, OTHERS = 301, 263  # neither is a multiple of a vector; their product is too large for a table


def normal(*shape: int, dtype: str = "float32") -> np.ndarray:
    return rng.normal(size=shape).astype(dtype)


def particles(count: int, dims: int = 3) -> np.ndarray:
    """Points on a grid, moved a little, so that no two are close."""
    side = int(np.ceil(count ** (1 / dims)))
    grid = np.stack(np.meshgrid(*[np.arange(side)] * dims), -1).reshape(-1, dims)[:count]
    return (1.1 * grid + rng.uniform(-0.1, 0.1, grid.shape)).astype("float32")


class Orders:
    """The gradients of a formula of any order, on the device, each compared with the evaluator."""

    def __init__(self, op: Op, *arrays: Any, tolerance: float = 3e-5, **attributes: Any) -> None:
        call = op.bind([_tensor(each) for each in arrays], attributes)
        self.attributes: Mapping[str, Any] = call.attributes
        self.tolerance = tolerance
        self.formula: Formula = call.formula
        self.known = {each.name: tensor for each, tensor in zip(call.formula.operands, call.operands, strict=True)}
        self.bindings: launch.Bindings | None = None
        self.plan = self._run()

    def gradient(self, *wanted: str) -> Orders:
        """Go on to the gradient of the formula by these operands."""
        self.formula = pipeline.gradient(self.formula, wanted)
        self.plan = self._run()
        return self

    def _run(self) -> launch.Plan:
        tensors = [self.known[each.name] for each in self.formula.operands]
        scale = max((float(np.abs(each).max(initial=0)) for each in self._outputs(tensors)), default=1.0)
        plan = assert_agrees(
            self.formula, [each.to_host() for each in tensors], self.attributes, tensors,
            self.tolerance * max(scale, 1.0), self.bindings,
        )  # fmt: skip
        self.bindings = plan.bindings
        for output, tensor in zip(self.formula.outputs, plan.run(tensors, self.attributes), strict=True):
            self.known[output.name] = tensor
            if tensor.dtype.kind == "f":
                self.known["d" + output.name] = core.from_host(normal(*tensor.shape, dtype=tensor.dtype.name))
        return plan

    def _outputs(self, tensors: Sequence[core.Tensor]) -> list[np.ndarray]:
        found = launch.run(self.formula, tensors, self.attributes, self.bindings)
        return [each.to_host().astype("float64") for each in found]


def _tensor(each: Any) -> Any:
    return core.from_host(each) if isinstance(each, np.ndarray) else each


def table_free(orders: Orders) -> bool:
    """Whether there is a kernel over pairs, and running it needs no memory for each pair."""
    tensors = [orders.known[each.name] for each in orders.formula.operands]
    core.reset_peak_memory()
    before = core.memory_stats()["peak_bytes"]
    outputs = orders.plan.run(tensors, orders.attributes)
    needed = core.memory_stats()["peak_bytes"] - before
    return "pairs" in schedules(orders.plan) and needed - sum(each.nbytes for each in outputs) < ROWS * OTHERS


# --- the shipped ops -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("depth", "columns"), [(3, 3), (1, 1), (2, 11)])
@pytest.mark.sample(2)
def test_a_gaussian_kernel_sum_and_its_gradients_agree_without_a_table(depth: int, columns: int) -> None:
    x, z, b = normal(ROWS, depth), normal(OTHERS, depth), normal(OTHERS, columns)
    orders = Orders(GAUSSIAN, x, z, b, gamma=0.5)
    assert table_free(orders) or depth == 1
    assert table_free(orders.gradient("x", "z", "b")) or depth == 1


@pytest.mark.parametrize("first", ["x", "b"])
def test_second_gradients_of_a_gaussian_kernel_sum_agree_without_a_table(first: str) -> None:
    x, z, b = normal(ROWS, 3), normal(OTHERS, 3), normal(OTHERS, 2)
    orders = Orders(GAUSSIAN, x, z, b).gradient(first)
    assert table_free(orders.gradient(*pipeline.differentiable(orders.formula)))


def test_the_energy_of_particles_and_two_gradients_agree_without_a_table() -> None:
    orders = Orders(LENNARD_JONES, particles(285), sigma=0.9, epsilon=1.5)
    assert table_free(orders)
    assert table_free(orders.gradient("pos"))
    assert table_free(orders.gradient("pos", "de"))


def test_double_precision_keeps_its_precision_over_pairs() -> None:
    x, z, b = (normal(*shape, dtype="float64") for shape in ((ROWS, 3), (OTHERS, 3), (OTHERS, 2)))
    orders = Orders(GAUSSIAN, x, z, b, tolerance=1e-13)
    assert table_free(orders.gradient("x", "b"))


def test_points_may_lie_in_memory_in_any_way() -> None:
    x = kernels.ops.permute(core.from_host(normal(3, ROWS)), (1, 0))
    z = core.from_host(normal(2 * OTHERS, 7)).alias((OTHERS, 3), (14, 2), 1)
    b = core.from_host(normal(OTHERS, 1)).alias((OTHERS, 3), (1, 0), 0)
    orders = Orders(GAUSSIAN, x, z, b)
    assert table_free(orders)
    assert table_free(orders.gradient("x", "z"))


def test_a_nan_stays_in_its_row_and_an_infinite_distance_adds_nothing() -> None:
    x, z, b = normal(ROWS, 3), normal(OTHERS, 3), normal(OTHERS, 2)
    x[7, 1], x[300, 0] = np.nan, np.inf
    y = GAUSSIAN(*map(core.from_host, (x, z, b))).to_host()
    assert list(np.flatnonzero(np.isnan(y).any(1))) == [7]
    assert (y[300] == 0).all()


def test_the_same_bits_whatever_the_other_rows_are() -> None:
    x, z, b = normal(ROWS, 3), normal(OTHERS, 3), normal(OTHERS, 2)
    tensors = [core.from_host(each) for each in (z, b)]
    whole = GAUSSIAN(core.from_host(x), *tensors).to_host()
    part = GAUSSIAN(core.from_host(x[20:]), *tensors).to_host()
    np.testing.assert_array_equal(whole[20:], part)


def test_a_new_number_of_points_compiles_nothing() -> None:
    z, b = core.from_host(normal(OTHERS, 3)), core.from_host(normal(OTHERS, 3))
    texts = {launch_text(GAUSSIAN, core.from_host(normal(rows, 3)), z, b) for rows in (ROWS, 320, 1000)}
    assert len(texts) == 1


def launch_text(op: Op, *tensors: core.Tensor) -> str:
    call = op.bind(tensors, {})
    return launch.prepare(call.formula, call.operands, call.attributes).text


# --- other formulas over pairs ---------------------------------------------------------------------------------------

NEAREST = compiled("""
op nearest(x[i, k]: float, z[j, k]: float) -> (distance[i], which[i]) {
    distance = min[j](sum[k]((x[i, k] - z[j, k]) ^ 2));
    which = argmin[j](sum[k]((x[i, k] - z[j, k]) ^ 2));
}""")

WEIGHTED_MEAN = compiled("""
op weighted_mean(x[i, k]: float, z[j, k]: float, b[j, d]: float, scale[i]: float) -> y[i, d] {
    w = exp(-sum[k]((x[i, k] - z[j, k]) ^ 2) * scale);
    y = sum[j](w * b[j, d]) / sum[j](w);
}""")

IN_BATCHES = compiled("""
op in_batches(x[n, i, k]: float, z[n, j, k]: float, b[n, j]: float) -> y[n, i] {
    y = sum[j](b[n, j] / (1 + sqrt(1 + sum[k](abs(x[n, i, k] - z[n, j, k])))));
}""")

MASKED = compiled("""
op masked(x[i, k]: float, z[j, k]: float, wanted[i, j]: bool) -> y[i] {
    y = sum[j](wanted ? exp(-sum[k]((x[i, k] - z[j, k]) ^ 2)) : 0);
}""")

CENTRED = compiled("""
op centred(x[i, k]: float, z[j, k]: float) -> y[] {
    near = sum[j](exp(-sum[k]((x[i, k] / max[k](abs(x[i, k])) - z[j, k] * sum[k](z[j, k] ^ 2)) ^ 2)));
    y = sum[i](log(1 + near));
}""")

FOLLOWING = compiled("""
op following(x[n, k]: float, at[n]: int, to[n]: int) -> y[n] where s = size[n], t = size[n] {
    y = sum[s](s >= n ? exp(-sum[k]((x[at[n], k] - x[s, k]) ^ 2)) : 0)
        - sum[t](n > t ? sum[k](x[to[n], k] * x[t, k]) : 0);
}""")


def test_the_nearest_of_many_points_is_found_without_a_table() -> None:
    assert table_free(Orders(NEAREST, normal(ROWS, 2), normal(OTHERS, 2)))


def test_a_quotient_of_two_sums_over_pairs_and_its_gradients_agree() -> None:
    arrays = normal(ROWS, 3), normal(OTHERS, 3), normal(OTHERS, 2), rng.uniform(0.5, 1, ROWS).astype("float32")
    orders = Orders(WEIGHTED_MEAN, *arrays)
    assert table_free(orders)
    assert table_free(orders.gradient("x", "b", "scale"))


def test_pairs_within_batches_agree() -> None:
    orders = Orders(IN_BATCHES, normal(9, 83, 3), normal(9, 91, 3), normal(9, 91))
    assert "pairs" in schedules(orders.plan)
    assert "pairs" in schedules(orders.gradient("x", "b").plan)


def test_a_mask_of_the_pairs_is_read_as_it_is() -> None:
    arrays = normal(ROWS, 3), normal(OTHERS, 3), rng.random((ROWS, OTHERS)) < 0.5
    assert table_free(Orders(MASKED, *arrays).gradient("x"))


def test_what_belongs_to_one_side_is_computed_once_for_each_point() -> None:
    orders = Orders(CENTRED, normal(ROWS, 3), normal(OTHERS, 3) / 2)
    assert table_free(orders)
    assert table_free(orders.gradient("x", "z"))


def test_conditions_that_order_the_pairs_shorten_the_loops() -> None:
    orders = Orders(FOLLOWING, normal(ROWS, 2), rng.integers(0, ROWS, ROWS), rng.integers(0, ROWS, ROWS))
    assert table_free(orders)
    assert "max(size_s_ - begin_of_part, 0L)" in orders.plan.text
    assert "min(begin_of_part + 15L, size_t_)" in orders.plan.text


LARGEST = compiled("""
op largest(x[i, k]: float, z[j, k]: float) -> y[i] {
    y = sum[j](x[i, argmax[k](x[i, k])] * exp(-sum[k]((x[i, k] - z[j, k]) ^ 2)));
}""")


def test_what_is_read_may_be_where_a_reduction_says() -> None:
    assert "pairs" in schedules(Orders(LARGEST, normal(ROWS, 3), normal(OTHERS, 3)).plan)


def test_a_sum_over_rows_of_sums_over_pairs_reads_those_of_each_row() -> None:
    """The gradient by the slope: what each row comes to is a stage, not computed again for each column."""
    op = kernels.compile(
        """op f(q[i, c]: float, k[j, c]: float, v[j]: float, slope[c]: float) -> y[i] {
            turned[i, c] = q * cos(i * slope);
            y = sum[j](exp(sum[c](turned * k) / 4) * v);
        }"""
    ).f
    arrays = [rng.normal(size=shape).astype(np.float32) for shape in ((300, 4), (310, 4), (310,), (4,))]
    _, gradient = assert_op_agrees(op, *arrays, tolerance=1e-3)
    assert "loops" not in schedules(gradient)


def test_what_reads_a_table_of_products_is_a_product_itself() -> None:
    """The products of pairs have a table, as several gradients ask for them; what is summed over it needs no other."""
    op = kernels.compile(
        """op f(x[i, d]: float, z[j, d]: float, b[i]: float) -> y[i] {
            y = prod[j](1 - 1 / (1 + exp(b - sum[d](x * z))));
        }"""
    ).f
    arrays = [0.5 * rng.normal(size=shape).astype(np.float32) for shape in ((301, 16), (411, 16), (301,))]
    arrays[2] += 10
    _, gradient = assert_op_agrees(op, *arrays, tolerance=1e-3)
    assert schedules(gradient).count("contraction") >= 3, "the table, and the gradients by x and z"
