"""The programs of benchmarks/programs.py and benchmarks/recurrences.py, as users of netcl write them."""

from benchmarks import programs
from benchmarks.recurrences import RECURRENCES

PROGRAMS = {**programs.PROGRAMS, **RECURRENCES}
