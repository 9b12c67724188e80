"""What code is generated for a device follows from its Target, which can be had without the device."""

from __future__ import annotations

import importlib
import re
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from netcl import core, kernels
from netcl.core.errors import DeviceError, NetclError
from netcl.kernels.cli import main
from netcl.kernels.compiler.target import CPU, NAMES, Target, named
from netcl.kernels.compiler.target.drivers import driver_of
from netcl.kernels.compiler.target.products import LocalTile
from netcl.kernels.compiler.targets.cpu.products.tiling import Tile
from netcl.kernels.runtime import launch
from netcl.kernels.tools import describe as describing
from netcl.kernels.tools.describe import describe

ASKED = (
    "name", "compute_units", "max_work_group_size", "local_memory_bytes", "has_float64", "has_float16", "is_pocl",
    "max_parameter_size", "platform", "driver", "vector_bytes",
)  # fmt: skip


class Shown(SimpleNamespace):
    """What a device says of itself."""

    __hash__ = object.__hash__


SOURCES = Path(kernels.__file__).parent
TILE = LocalTile(96, 64, 8, 8, 4)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("op", ["matmul", "softmax", "sort", "scatter_add", "cumsum", "conv2d"])
@pytest.mark.sample(38)
def test_there_is_code_for_every_target(op: str, name: str) -> None:
    assert "__kernel void" in describe(kernels.catalogue[op], "opencl", name)


def test_a_card_has_no_panels_and_a_launch_for_each_kernel() -> None:
    of_cpu, of_gpu = (describe(kernels.catalogue["matmul"], "opencl", name) for name in ("cpu", "gpu"))
    assert "panel" in of_cpu
    assert "panel" not in of_gpu
    assert of_cpu.count("__kernel void") < of_gpu.count("__kernel void")


def test_a_target_is_made_of_what_a_device_says_of_itself() -> None:
    device = core.default_device()
    target = Target.of(device)
    assert (target.name, target.compute_units) == (device.name, device.compute_units)
    assert target.driver.own_functions == device.is_pocl
    assert target is Target.of(device)


@pytest.mark.parametrize(("vector_bytes", "tile", "rows"), [(64, (8, 32, 32), (8, 4)), (32, (6, 16, 16), (6, 4))])
def test_the_vectors_of_a_device_say_how_many_sums_are_kept_at_once(
    vector_bytes: int, tile: tuple[int, ...], rows: tuple[int, ...]
) -> None:
    given = {name: getattr(core.default_device(), name) for name in ASKED}
    device = Shown(**{**given, "vector_bytes": vector_bytes}, device_class="cpu")
    target = Target.of(device)
    assert Tile.of(target, "float32") == tile
    assert target.recurrences.rows == rows


def test_a_target_that_there_is_not_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(NetclError, match="there is no target 'tpu'; the targets are cpu, gpu,"):
        describe(kernels.catalogue["sum"], "opencl", "tpu")
    assert main(["show", "sum", "--stage", "opencl", "--target", "nvidia"]) == 0
    assert "__kernel void sum__kernel" in capsys.readouterr().out


def test_another_kind_of_device_can_be_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    device = Shown(**{name: getattr(core.default_device(), name) for name in ASKED}, device_class="cpu")
    monkeypatch.setenv("NETCL_TARGET", "nvidia")
    assert Target.of(device).products.local
    assert Target.of(device).name == core.default_device().name
    monkeypatch.setenv("NETCL_TARGET", "abacus")
    with pytest.raises(DeviceError, match="NETCL_TARGET: there is no target 'abacus'; the targets are cpu, gpu,"):
        Target.of(Shown(device_class="cpu"))


@pytest.mark.parametrize(
    ("vendor", "kind", "together"),
    [
        ("NVIDIA Corporation", "gpu", 32), ("Advanced Micro Devices, Inc.", "gpu", 64), ("AMD", "gpu", 64),
        ("Intel(R) Corporation", "gpu", 16), ("Apple", "gpu", 32), ("ARM", "gpu", 32), ("GenuineIntel", "cpu", 1),
    ],
)  # fmt: skip
def test_a_card_has_the_preset_of_its_maker(
    vendor: str, kind: str, together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_device = {name: getattr(core.default_device(), name) for name in ASKED}
    for wanted in ("", kind):
        monkeypatch.setenv("NETCL_TARGET", wanted)
        assert Target.of(Shown(**of_device, device_class=kind, vendor=vendor)).sub_group_size == together
    monkeypatch.setenv("NETCL_TARGET", "amd")
    assert Target.of(Shown(**of_device, device_class=kind, vendor=vendor)).sub_group_size == 64


def test_a_compiler_that_gets_vectorised_sums_wrong_is_told_not_to(monkeypatch: pytest.MonkeyPatch) -> None:
    cpu, card, other = (
        driver_of(Shown(is_pocl=False, platform=platform, device_class=kind, max_parameter_size=3840))
        for platform, kind in (("Intel(R) OpenCL", "cpu"), ("Intel(R) OpenCL Graphics", "gpu"), ("Clover", "cpu"))
    )
    assert (cpu.loops_one_by_one, card.loops_one_by_one, other.loops_one_by_one) == (True, False, False)
    assert {each.argument_bytes for each in (cpu, card, other)} == {3840}
    for driver in (cpu, card):
        monkeypatch.setattr(describing, "named", lambda name, driver=driver: replace(CPU, driver=driver))
        text = describe(kernels.catalogue["sum"], "opencl")
        loops = text.count("for (long ")
        assert loops > 2
        assert text.count("#pragma clang loop vectorize(disable)") == (loops if driver is cpu else 0)


def test_nobody_else_asks_what_a_device_is() -> None:
    asking = {
        str(file.relative_to(SOURCES))
        for file in SOURCES.rglob("*.py")
        if any(word in file.read_text(encoding="utf-8") for word in ("is_pocl", ".device_class", "compute_units"))
    }
    assert asking == {
        *(f"compiler/target/{each}.py" for each in ("checked", "drivers", "target")),
        "runtime/partition.py",
    }
    assert named("cpu") is CPU


def test_nobody_else_names_a_driver_or_a_maker_of_devices() -> None:
    name = re.compile(r"pocl|nvidia|\bamd\b|\bintel\b|\bapple\b|mesa|rusticl|\bcuda\b|\brocm\b", re.IGNORECASE)
    naming = {
        str(file.relative_to(SOURCES))
        for file in SOURCES.rglob("*.py")
        if name.search(file.read_text(encoding="utf-8"))
    }
    assert naming == {f"compiler/target/{file}.py" for file in ("__init__", "target", "drivers")}


def test_no_record_between_a_formula_and_its_text_is_several_things() -> None:
    """More than ten fields are: a kernel has its computation, and what its schedule adds is a record of that."""
    records = {
        found.__name__: len(fields(found))
        for folder in ("lower", "loops", "opencl", "targets")
        for module in sorted(SOURCES.glob(f"compiler/{folder}/**/*.py"))
        for found in vars(importlib.import_module(_dotted(module))).values()
        if isinstance(found, type) and is_dataclass(found) and not issubclass(found, Target)
    }
    assert records["Kernel"] < records["Units"] <= 10
    assert {name: count for name, count in records.items() if count > 10 and not name.endswith("Thresholds")} == {}


def _dotted(module: Path) -> str:
    parts = module.relative_to(SOURCES).with_suffix("").parts
    return ".".join(["netcl", "kernels", *parts]).removesuffix(".__init__")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda of: {"sub_group_size": 24}, "sub_group_size is 24; it is halved until one is left: a power of two"),
        (lambda of: {"sub_group_size": 0}, "sub_group_size is 0; it is halved"),
        (lambda of: {"sub_group_size": "16"}, "sub_group_size is '16'; it is a whole number"),
        (lambda of: {"compute_units": 0}, "compute_units is 0; it counts what there is: 1 or more"),
        (lambda of: {"has_float64": 1}, "has_float64 is 1; it is True or False"),
        (lambda of: {"local_memory": 512}, "work_group_size is 512; local_memory 512; groups need 8 items and"),
        (lambda of: {"groups": replace(of.groups, items=100)}, "groups.items is 100; it is halved"),
        (lambda of: {"sorts": replace(of.sorts, items=-1)}, "sorts.items is -1; it counts"),
        (
            lambda of: {"products": replace(of.products, local=replace(of.products.local, skinny_ways=3))},
            "products.local.skinny_ways is 3; it is halved",
        ),
        (
            lambda of: {"products": replace(of.products, local=replace(of.products.local, tiles=(TILE,)))},
            r"products.local.tiles\[0\].rows is 96; it is halved",
        ),
    ],
)
def test_a_figure_that_schedules_cannot_work_with_is_named(change: Any, message: str) -> None:
    usual = named("gpu")
    with pytest.raises(DeviceError, match=f"target 'pocket': {message}"):
        replace(usual, name="pocket", **change(usual))


@pytest.mark.parametrize(
    "change",
    [
        {"work_group_size": 8}, {"work_group_size": 100}, {"local_memory": 2048}, {"sub_group_size": 1},
        {"sub_group_size": 64}, {"groups": replace(named("gpu").groups, items=8, neighbours=64)},
    ],
)  # fmt: skip
@pytest.mark.sample(3)
def test_groups_have_room_on_a_card_that_is_small(change: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels for less than a device says of itself, of which each result is known."""
    monkeypatch.setenv("NETCL_TARGET", "gpu")
    target, random = replace(Target.of(core.default_device()), **change), np.random.default_rng(0)
    x, w, few = (random.standard_normal(shape).astype("f") for shape in ((37, 700), (700, 65), (3, 700)))
    order = np.argsort(x, axis=1, kind="stable")
    for op, arrays, wanted in (
        ("matmul", (x, w), x @ w), ("matmul", (few, w), few @ w), ("matmul", (few, x.T), few @ x.T),
        ("sum", (x,), x.sum()), ("mul", (x, w[:, :37].T), x * w[:, :37].T), ("argsort", (x,), order),
        ("cumsum", (x,), np.cumsum(x, axis=1)), ("amax", (x,), x.max()),
    ):  # fmt: skip
        tensors = [core.from_host(each) for each in arrays]
        call = kernels.catalogue[op].bind(tensors, {"axis": 1} if op in ("argsort", "cumsum") else {})
        plan = launch.prepare_for(target, call.formula, call.operands, call.attributes)
        (found,) = plan.run(call.operands, call.attributes)
        np.testing.assert_allclose(found.to_host(), wanted, rtol=1e-3, atol=1e-3)
