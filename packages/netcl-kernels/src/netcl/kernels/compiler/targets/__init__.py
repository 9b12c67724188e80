"""What depends on the class of a device: for each a folder of schedules. Its `choose` says which of them a stage gets.

contracted    a contraction in the form that a target's schedules take
scheduled     the kernels of a stage of loops
running       those of a scan
recurrent     those of states that read earlier elements of themselves
ordered       those of a sort
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from netcl.kernels.compiler.target import Target


def schedules_of(target: Target) -> ModuleType:
    """The `choose` of a target's class; the other one is not imported, which shortens the start of a process."""
    return import_module(f"{__name__}.{'gpu' if target.groups.used else 'cpu'}.choose")
