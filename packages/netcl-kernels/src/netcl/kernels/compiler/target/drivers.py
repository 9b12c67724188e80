"""What is to be known of OpenCL drivers: what they do wrong or slowly, and where their limits are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from netcl.core import Device


@dataclass(frozen=True)
class Driver:
    """What is to be known of the OpenCL driver."""

    own_functions: bool = False
    """Elementary functions of floats are written out: those of PoCL are slow, scalar, or differ from lane to lane."""
    in_quarters: frozenset[str] = frozenset()
    """Of float64, these are wrong for vectors of eight or more, and right for four."""
    by_vector: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By C type, the functions whose scalar form gives other bits than the vector form, which is called instead."""
    loops_one_by_one: bool = False
    """Its compiler is told not to compute turns of a loop together: it gets sums wrong."""
    argument_bytes: int | None = 1024
    """Of the arguments of a kernel there is room for so many; None: any number. 1,024 is what OpenCL asks of all."""


POCL = Driver(
    own_functions=True,
    in_quarters=frozenset({"pow", "fmod"}),
    by_vector={
        "double": frozenset({"exp", "exp2", "asin", "acos", "atan", "atan2", "tanh", "erf", "erfc", "lgamma"}),
        "float": frozenset({"lgamma"}),
    },
    argument_bytes=None,
)
"""PoCL 3.0, with LLVM 14."""

INTEL_CPU = Driver(loops_one_by_one=True)
"""Intel's runtime for CPUs, 2026.2: `t -= x[i]`, in 16 turns or more, is another sum."""


def driver_of(device: Device) -> Driver:
    """What is to be known of the driver of a device, by what that says of itself."""
    if device.is_pocl:
        return POCL
    known = INTEL_CPU if device.platform.startswith("Intel") and device.device_class == "cpu" else Driver()
    return replace(known, argument_bytes=device.max_parameter_size)
