"""The programs of benchmarks/programs.py, as users of netcl write them."""

from benchmarks.programs import PROGRAMS

__all__ = ["PROGRAMS"]
