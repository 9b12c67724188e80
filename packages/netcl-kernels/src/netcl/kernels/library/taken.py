"""Names that netcl has for something else than an op, which an op that is installed cannot have.

Not here: the names of ops, which the catalogue knows (`registry`).
"""

from __future__ import annotations

from netcl.kernels.library.reserved import AUTOGRAD, TENSORS


def taken(name: str) -> str:
    """What has the name, as the beginning of a message; empty where nothing has."""
    from netcl.kernels.library.attached import COMPOSITES  # there, all of them are known

    if name in COMPOSITES:
        return f"there is a function {name} already, which is made of ops"
    if name in AUTOGRAD:
        return f"netcl.autograd has the name {name} (ag.{name})"
    if name in TENSORS:
        return f"tensors have the name {name} (x.{name})"
    return ""
