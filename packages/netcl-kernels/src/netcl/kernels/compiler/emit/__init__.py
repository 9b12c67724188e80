"""From kernels to OpenCL C 1.2 text. Never imports pyopencl.

Input: the Kernels of one plan. Output: one program with all of them, the helper functions they share first.
The frame of every kernel is in `nest`, its expressions in `body`, its reductions in `reductions` and `accumulate`,
functions in `spelling`, `helpers` and `elementary`, dtypes and literals in `types`. Contractions (`contraction`,
`panels`, `tile`) and scatter-adds (`scatter`) have frames of their own; `followed` makes one launch of two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from netcl.kernels.compiler.emit.contraction import contraction
from netcl.kernels.compiler.emit.followed import followed
from netcl.kernels.compiler.emit.helpers import Helpers
from netcl.kernels.compiler.emit.nest import nest
from netcl.kernels.compiler.emit.scan import scan
from netcl.kernels.compiler.emit.scatter import scatter
from netcl.kernels.compiler.emit.sort import sort
from netcl.kernels.compiler.kernel import Kernel, Source
from netcl.kernels.compiler.scattered import Scatter
from netcl.kernels.compiler.schedules.scan import Running
from netcl.kernels.compiler.schedules.sort import Sorting
from netcl.kernels.compiler.tiles import Matrices


@dataclass(frozen=True)
class Emitted:
    """A whole program; for each kernel its name and arguments; the texts of the functions they share, by name."""

    text: str
    sources: tuple[Source, ...]
    helpers: Mapping[str, str]


def emit(kernels: Sequence[Kernel], own_functions: bool = True) -> Emitted:
    """The program of these kernels, with elementary functions of floats of our own or those of the driver."""
    helpers = Helpers(own_functions)
    sources = tuple(_written(kernel, helpers) for kernel in kernels)
    head = "#pragma OPENCL FP_CONTRACT OFF\n"
    if any(source.uses_double for source in sources) or "double" in helpers.text():
        head += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    return Emitted(head + "\n" + helpers.text() + "\n".join(source.whole for source in sources), sources, helpers.texts)


def _written(kernel: Kernel, helpers: Helpers) -> Source:
    if kernel.then is not None:
        return followed(kernel, nest(kernel, helpers), kernel.then, nest(kernel.then, helpers))
    if isinstance(kernel, Matrices):
        return contraction(kernel, helpers)
    if isinstance(kernel, Scatter):
        return scatter(kernel, helpers)
    if isinstance(kernel, Running):
        return scan(kernel, helpers)
    if isinstance(kernel, Sorting):
        return sort(kernel, helpers)
    return nest(kernel, helpers)
