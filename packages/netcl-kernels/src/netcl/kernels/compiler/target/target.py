"""All that code generation may ask about a device.

    Target.of(device)           what a device says of itself
    named("gpu")                without a device: one of `NAMES`, with figures that are usual for it

Results never depend on a target but for the order in which sums of floats are added.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from netcl.core import settings
from netcl.core.bounded import remembered
from netcl.core.errors import DeviceError
from netcl.kernels.compiler.target.checked import check, has_groups
from netcl.kernels.compiler.target.drivers import POCL, Driver, driver_of
from netcl.kernels.compiler.target.products import LocalProducts
from netcl.kernels.compiler.target.small import SMALL
from netcl.kernels.compiler.target.thresholds import (
    BlockThresholds,
    CutSizes,
    GroupThresholds,
    LaunchThresholds,
    PairThresholds,
    ProductThresholds,
    RecurrenceThresholds,
    ScanThresholds,
    ScatterThresholds,
    SharingThresholds,
    SliceThresholds,
    SortThresholds,
    StageThresholds,
)
from netcl.kernels.compiler.target.tuned import tuned

if TYPE_CHECKING:
    from netcl.core.device import Device


@dataclass(frozen=True)
class Target:
    """A device as code generation sees it. Sizes are in bytes. `preset` is the name of what it was made of, if it is
    that of a device. Raises DeviceError for figures that schedules cannot work with (`checked`)."""

    name: str = "cpu"
    preset: str = ""
    device_class: str = "cpu"
    compute_units: int = 8
    work_group_size: int = 4096
    sub_group_size: int = 1
    vector_bytes: int = 64  # of a CPU
    local_memory: int = 1 << 18
    has_float64: bool = True
    has_float16: bool = False
    driver: Driver = field(default_factory=Driver)
    sharing: SharingThresholds = field(default_factory=SharingThresholds)
    launches: LaunchThresholds = field(default_factory=LaunchThresholds)
    groups: GroupThresholds = field(default_factory=GroupThresholds)
    scans: ScanThresholds = field(default_factory=ScanThresholds)
    stages: StageThresholds = field(default_factory=StageThresholds)
    slices: SliceThresholds = field(default_factory=SliceThresholds)
    pairs: PairThresholds = field(default_factory=PairThresholds)
    products: ProductThresholds = field(default_factory=ProductThresholds)
    blocks: BlockThresholds = field(default_factory=BlockThresholds)
    cuts: CutSizes = field(default_factory=CutSizes)
    recurrences: RecurrenceThresholds = field(default_factory=RecurrenceThresholds)
    scatters: ScatterThresholds = field(default_factory=ScatterThresholds)
    sorts: SortThresholds = field(default_factory=SortThresholds)

    def __post_init__(self) -> None:
        check(self)

    @property
    def busy(self) -> int:
        """So many groups give each compute unit something to do."""
        return self.compute_units

    @property
    def threads(self) -> int:
        """So many threads share the work-items of a launch, of which each is handed a run."""
        return self.compute_units

    @property
    def vector_registers(self) -> int:
        """So many vectors a core of a CPU computes with: those of 64 bytes came with twice as many as there were."""
        return 32 if self.vector_bytes >= 64 else 16

    def with_small_thresholds(self, name: str = "") -> Target:
        """This target, where a few dozen elements come to every schedule."""
        lower: dict[str, Any] = {field: replace(getattr(self, field), **figures) for field, figures in SMALL.items()}
        return replace(self, name=name or self.name, **lower)

    def with_any_table(self) -> Target:
        """This target, where a table that is worth it may be as large as it comes."""
        largest = 1 << 62
        pairs, stages = replace(self.pairs, largest_table=largest), replace(self.stages, values=largest)
        return replace(self, pairs=pairs, stages=stages)

    @staticmethod
    @remembered("targets", 64)
    def of(device: Device) -> Target:
        """The target of a device: the preset that NETCL_TARGET names, else that of its class, which for a card is that
        of its maker; with what the device says of itself. So is "gpu" on a card that of its maker, too.

        Raises DeviceError for a name that there is not.
        """
        wanted = settings.TARGET.read() or device.device_class
        usual = named(_of_maker(device) if wanted == device.device_class == "gpu" else wanted, "NETCL_TARGET: ")
        if usual.groups.used and not has_groups(device.max_work_group_size, device.local_memory_bytes):
            usual = replace(usual, groups=replace(usual.groups, used=False))
        if usual.products.local is not None:
            usual = replace(usual, products=replace(usual.products, local=tuned(usual.products.local, device)))
        found = replace(
            usual,
            name=device.name,
            preset=usual.name,
            compute_units=device.compute_units,
            work_group_size=device.max_work_group_size,
            vector_bytes=device.vector_bytes,
            local_memory=device.local_memory_bytes,
            has_float64=device.has_float64,
            has_float16=device.has_float16,
            driver=driver_of(device),
        )
        recurrences = found.recurrences.in_registers(found.vector_registers)
        return replace(found, recurrences=recurrences)


CPU = Target(driver=POCL, groups=GroupThresholds(run=256))
"""A CPU with PoCL."""

GPU = replace(
    CPU,
    name="gpu",
    device_class="gpu",
    compute_units=32,
    work_group_size=512,
    sub_group_size=32,
    local_memory=1 << 15,
    driver=Driver(),
    launches=LaunchThresholds(together=False),
    groups=GroupThresholds(used=True),
    stages=StageThresholds(rows=64),
    slices=SliceThresholds(most=512 << 20, bytes=64 << 20),
    products=ProductThresholds(local=LocalProducts()),
    blocks=BlockThresholds(by_rows=False, enough_units=64, block_work=1 << 12, most=512),
)


_PRESETS = {
    "cpu": CPU,
    "gpu": GPU,
    "nvidia": replace(GPU, name="nvidia", compute_units=108, work_group_size=1024, local_memory=48 << 10),
    "amd": replace(
        GPU, name="amd", compute_units=60, work_group_size=256, sub_group_size=64, local_memory=64 << 10,
        has_float16=True,
    ),
    "intel": replace(
        GPU, name="intel", compute_units=96, sub_group_size=16, local_memory=64 << 10,
        has_float64=False, has_float16=True,
    ),
    "apple": replace(GPU, name="apple", compute_units=8, local_memory=32 << 10, has_float64=False),
    "small-cpu": CPU.with_small_thresholds("small-cpu"),
    "small-gpu": GPU.with_small_thresholds("small-gpu"),
}  # fmt: skip
"""Figures of usual cards: an A100 of NVIDIA, whose groups have 48 KiB without asking for more; an MI50 of AMD, whose
compiler takes 256 items where it isn't told of more, 64 of which go in step; the Xe graphics of Intel's processors,
which have no float64 and take 16 items in step for most kernels; an M1 of Apple."""

_MAKERS = {"nvidia": "nvidia", "advanced micro devices": "amd", "amd": "amd", "intel": "intel", "apple": "apple"}
"""The presets of makers, by how the names begin that their drivers give them (`netcl doctor` shows those)."""

NAMES = tuple(_PRESETS)


def _of_maker(card: Device) -> str:
    """The preset of a card."""
    maker = card.vendor.lower()
    return next((name for start, name in _MAKERS.items() if maker.startswith(start.lower())), "gpu")


def named(name: str, where: str = "") -> Target:
    """The target of this name. Raises DeviceError, which says `where`, for one that there is not."""
    if name not in _PRESETS:
        raise DeviceError(f"{where}there is no target {name!r}; the targets are {', '.join(NAMES)}")
    return _PRESETS[name]
