"""The catalogue under its public name, before a test imports the module of the same name."""

from __future__ import annotations

from netcl import kernels

assert len(kernels.catalogue) > 0
