"""The programs of benchmarks/programs.py, recurrences.py and own_formulas.py, as users of netcl write them."""

from benchmarks import programs
from benchmarks.own_formulas import OWN
from benchmarks.recurrences import RECURRENCES

PROGRAMS = {**programs.PROGRAMS, **RECURRENCES, **OWN}
