"""netcl.kernels: the kernel language, its compiler, and the catalogue of ops on Tensors, without a tape.

from netcl import core, kernels
y = kernels.ops.sigmoid(core.from_host(x))
mine = kernels.compile("op cube(x: float) -> y { y = x ^ 3; }")

compiler    from text to OpenCL: `compiler/pipeline.py` shows every stage on one page
runtime     from a call to launches
library     the ops there are: `namespace` has them by name
interop     ops as functions of PyTorch, JAX and NumPy: `torch`, `jax` and `numpy` have those by name
tools       what `netcl ops` does: `cli` is the command
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import netcl.core.alone  # noqa: F401
from netcl.core.version import __version__ as __version__

if TYPE_CHECKING:
    from netcl.kernels import shipped as ops
    from netcl.kernels.library.registry import Catalogue, Compiled

__all__ = ["catalogue", "compile", "load", "ops"]

catalogue: Catalogue


def compile(text: str, name: str = "<string>") -> Compiled:
    """Compile the declarations of a text: an object with one attribute for each op.

    Raises KernelLanguageError with file, line, column and a caret. `name` is shown in errors in the place of a file.
    """
    from netcl.kernels.library.registry import compile_text

    return compile_text(text, name)


def load(file: str | Path) -> Compiled:
    """Compile the declarations of a .netcl file: an object with one attribute for each op.

    Raises KernelLanguageError as `compile` does, and NetclError where there is no file.
    """
    from netcl.kernels.library.registry import read_text

    return compile(read_text(Path(file)), str(file))


def load_ipython_extension(shell: Any) -> None:
    """Called by `%load_ext netcl.kernels` in a notebook: there is the cell magic `%%netcl` from then on."""
    from netcl.kernels.tools.notebook import load

    load(shell)


def __getattr__(name: str) -> Any:
    if name in ("array_api", "jax", "numpy", "torch"):
        return import_module(f"{__name__}.{name}")
    if name in ("catalogue", "ops"):
        from netcl.kernels import namespace

        globals()["catalogue"], globals()["ops"] = namespace.catalogue, namespace.ops
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
