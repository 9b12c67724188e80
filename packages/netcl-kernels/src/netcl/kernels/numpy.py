"""The ops of the catalogue on numpy's arrays: `netcl.kernels.numpy.gelu(x)` is `kernels.ops.gelu.numpy()(x)`."""

from __future__ import annotations

from netcl.kernels.interop.modules import attributes
from netcl.kernels.library.op import Op

__getattr__, __dir__ = attributes(globals(), Op.numpy)
