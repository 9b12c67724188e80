"""Refuses to be imported where another package by the name of netcl has put its files over those of this one.

It is asked for by modules that the other one does not have, which its own import comes upon: `netcl` itself is a
namespace here, without a file, and what was installed last has written over the files that both have.
"""

import netcl

if getattr(netcl, "__file__", None) is not None:
    from netcl.core.installed import reinstall

    raise ImportError(
        f"another package by the name of netcl lies over this one, at {netcl.__file__}; run `pip uninstall netcl`, and "
        f"then `{reinstall()}`, since the two had files of the same names"
    )
