"""From a line of generated OpenCL back to the declaration it was made from.

Every kernel has a heading above it (`compiler.heading`): the op, the line of the .netcl text, the formula. The heading
nearest above a line is that of its kernel.
"""

from __future__ import annotations

import re

from netcl.core.errors import DeviceError

_HEADING = re.compile(r"// (\S.*?)(?: \((.+:\d+)\))?$")


def blamed(error: DeviceError) -> DeviceError:
    """The same error, which begins with the .netcl line when the driver's log leads to one."""
    if error.source is None or error.line is None:
        return error
    above = error.source.splitlines()[: error.line]
    for at in range(len(above) - 1, -1, -1):
        heading = _HEADING.match(above[at])
        if heading is not None:
            name, place = heading.groups()
            formula = [line[2:] for line in above[at + 1 :] if line.startswith("//     ")]
            where = f"{place}: " if place else ""
            message = "\n".join(
                [f"{where}{name} does not compile on this device: {error.complaint}", *formula, str(error)]
            )
            return DeviceError(
                message, build_log=error.build_log, source=error.source, line=error.line, complaint=error.complaint
            )
    return error
