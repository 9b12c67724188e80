"""`kernels.ops`: every op and composite by name; those of installed packages join the shipped ones here.

A package may use ops while it is imported: it finds those that are shipped, and those of packages loaded before it.
"""

from __future__ import annotations

from netcl.core import operators
from netcl.kernels.library.attached import COMPOSITES, OPERATORS, attach_methods, catalogue, ops

__all__ = ["COMPOSITES", "OPERATORS", "catalogue", "ops"]

catalogue.load_packages()
operators.failed.update(catalogue.failed)
attach_methods()
