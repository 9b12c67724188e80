"""The ops of the catalogue on JAX's arrays: `netcl.kernels.jax.gelu(x)` is `kernels.ops.gelu.jax()(x)`."""

from __future__ import annotations

from netcl.kernels.interop.modules import attributes
from netcl.kernels.library.op import Op

__getattr__, __dir__ = attributes(globals(), Op.jax)
