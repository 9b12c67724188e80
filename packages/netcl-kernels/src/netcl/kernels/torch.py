"""The ops of the catalogue on PyTorch's tensors: `netcl.kernels.torch.gelu(x)` is `kernels.ops.gelu.torch()(x)`."""

from __future__ import annotations

from netcl.kernels.interop.modules import attributes
from netcl.kernels.library.op import Op

__getattr__, __dir__ = attributes(globals(), Op.torch)
