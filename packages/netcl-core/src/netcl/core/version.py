"""The version of netcl-core; the three distributions move in lockstep."""

__version__ = "0.1.0"
