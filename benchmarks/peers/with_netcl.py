"""The programs of programs.py, layers.py, recurrences.py own_formulas.py and inside.py, as users of netcl
write them."""

from benchmarks import programs
from benchmarks.layers import LAYERS
from benchmarks.own_formulas import OWN
from benchmarks.peers.inside import INSIDE
from benchmarks.recurrences import RECURRENCES

PROGRAMS = {**programs.PROGRAMS, **LAYERS, **RECURRENCES, **OWN, **INSIDE}
