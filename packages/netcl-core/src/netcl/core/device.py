"""Devices: which there are, which one is meant, and what each can do."""

from __future__ import annotations

import os
from functools import cache, cached_property
from typing import Any

import numpy as np

from netcl.core import driver, guards, quirks, settings, unknown_cpu
from netcl.core.arguments import explained
from netcl.core.driver import opencl
from netcl.core.errors import DeviceError, DtypeError

_INSTALL = (
    "install a driver: `pip install pocl-binary-distribution` (Linux x86_64), your distribution's pocl or "
    "intel-opencl-icd package, or the GPU vendor's driver"
)


_VENDORS = "OCL_ICD_VENDORS"


class Device:
    """One OpenCL device: name, platform, driver, and what it can compute with.

    `inline` is the device of the same driver that runs kernels on the thread that launches them, if there is one.
    `compiled_for` is the CPU that the driver was told to compile for, where its compiler does not know this one.
    """

    def __init__(self, cl_device: Any, index: str, inline: Device | None = None) -> None:
        self.cl = cl_device
        self.inline = inline
        self.index = index  # "platform:device", as NETCL_DEVICE takes it
        self.name: str = cl_device.name.strip()
        self.platform: str = cl_device.platform.name.strip()
        self.vendor: str = cl_device.vendor.strip()
        self.version: str = cl_device.version.strip()
        self.driver: str = cl_device.driver_version.strip()
        self.compute_units: int = cl_device.max_compute_units
        self.memory_bytes: int = cl_device.global_mem_size
        self.max_allocation_bytes: int = cl_device.max_mem_alloc_size
        self.max_work_group_size: int = cl_device.max_work_group_size
        self.max_parameter_size: int = cl_device.max_parameter_size
        self.local_memory_bytes: int = cl_device.local_mem_size
        self.vector_bytes: int = 4 * cl_device.native_vector_width_float
        self.compiled_for = unknown_cpu.name_cpu(cl_device, quirks.nearest_cpu())
        self.device_class: str = "cpu" if cl_device.type & opencl().device_type.CPU else "gpu"

    @cached_property
    def extensions(self) -> frozenset[str]:
        return frozenset(self.cl.extensions.split())

    @cached_property
    def has_float64(self) -> bool:
        return "cl_khr_fp64" in self.extensions or "cl_amd_fp64" in self.extensions

    @cached_property
    def has_float16(self) -> bool:
        """Whether kernels can compute in float16; storing float16 works everywhere."""
        return "cl_khr_fp16" in self.extensions

    @property
    def is_pocl(self) -> bool:
        return self.platform == "Portable Computing Language"

    def require_dtype(self, dtype: np.dtype[Any]) -> None:
        """Raise DtypeError when the device cannot compute with this dtype."""
        if dtype == np.float64 and not self.has_float64:
            raise DtypeError(
                f"float64: device {self.name!r} has no double precision; convert to float32 with "
                "`array.astype('float32')`, or choose another device with NETCL_DEVICE"
            )

    def __repr__(self) -> str:
        return f"<Device {self.index} {self.name!r} ({self.device_class}, {self.platform})>"


def devices() -> tuple[Device, ...]:
    """All devices of all platforms, in the order of the drivers. Raises DeviceError when there is none."""
    return _devices()


@cache
def _devices() -> tuple[Device, ...]:
    guards.touch_driver()
    cl = opencl()
    found = []
    try:
        platforms = cl.get_platforms()
    except cl.Error as error:
        raise DeviceError(f"no OpenCL platform was found ({error}); {_remedy()}") from error
    for p, platform in enumerate(platforms):
        try:
            listed = platform.get_devices()
        except (cl.Error, KeyError):  # a platform without devices must not hide the others
            continue
        found += _devices_of(listed, p)
    if not found:
        raise DeviceError(f"there is no OpenCL device; {_remedy()}")
    return tuple(found)


def _remedy() -> str:
    """What to do where no driver is found."""
    vendors, wanted, folder = (os.environ.get(name) for name in (_VENDORS, "POCL_DEVICES", "POCL_CACHE_DIR"))
    if vendors:
        return f"{_VENDORS} is {vendors!r}, where there is no driver: unset it, and those that are installed are found"
    if wanted != driver.POCL_DEVICES:
        return f"POCL_DEVICES is {wanted!r}: unset it, and PoCL has its devices where it is installed. Else {_INSTALL}"
    if folder is not None and not os.access(folder, os.W_OK):
        return f"POCL_CACHE_DIR is {folder!r}, where PoCL cannot write and so has no device: unset it. Else {_INSTALL}"
    return _INSTALL


def _devices_of(listed: list[Any], platform: int) -> list[Device]:
    """The devices of a platform; PoCL's "basic" one beside "pthread" is a stream of that, not a device to choose."""
    kinds = {device.name.partition("-")[0]: device for device in listed}
    inline = None
    if driver.has_inline_device() and {"basic", "pthread"} <= set(kinds):
        inline = Device(kinds["basic"], f"{platform}:inline")
        listed = [device for device in listed if device is not kinds["basic"]]
    return [
        Device(device, f"{platform}:{d}", inline if inline and device is kinds["pthread"] else None)
        for d, device in enumerate(listed)
    ]


def default_device() -> Device:
    """The device that NETCL_DEVICE names, else the GPU with most compute units, else such a CPU."""
    return _default_device()


@cache
def _default_device() -> Device:
    wanted = settings.DEVICE.read()
    if wanted is None:
        return max(devices(), key=lambda device: (device.device_class == "gpu", device.compute_units))
    return find_device(wanted, "NETCL_DEVICE")


@explained
def find_device(wanted: str, asked_by: str = "find_device") -> Device:
    """The first device that `cpu`, `gpu`, an index `platform:device` or a part of a name (any case) fits: that of its
    platform, else its own, which may have the name of another maker.

    Raises DeviceError, in which `asked_by` says where the text comes from.
    """
    text = wanted.strip().lower()
    for device in devices():
        if text in (device.device_class, device.index):
            return device
    named = [(each, each.platform) for each in devices()] + [(each, each.name) for each in devices()]
    for device, name in named:
        if text in name.lower():
            return device
    listed = "\n".join(f"  {device.index}  {device.name} ({device.device_class})" for device in devices())
    raise DeviceError(
        f"{asked_by}: there is no device {wanted!r}. Write an index, a part of a name or a class of these:\n{listed}\n"
        "Graphics cards of every make are reached through their vendor's OpenCL driver: once installed, they are listed"
    )
