"""A device as code generation sees it.

target        `Target`: what may be asked, of a device or of a preset by name
thresholds    when to do what, with the reason for each figure
small         `small-cpu` and `small-gpu`: thresholds for tests
products      the sizes in which groups of items multiply matrices
tuned         which of these `netcl tune` found to be fastest
drivers       what a driver needs beside the standard
checked       whether schedules can work with the figures
"""

from netcl.kernels.compiler.target.drivers import POCL, Driver
from netcl.kernels.compiler.target.target import CPU, GPU, NAMES, Target, named

__all__ = ["CPU", "GPU", "NAMES", "POCL", "Driver", "Target", "named"]
