"""Takes kernels_dsl/, which lies at the root of the repository, along into the sdist and the wheel.

In the sdist it is `kernels_dsl/`, in the wheel `netcl/kernels/kernels_dsl/`. An editable install takes no copy: there
the catalogue reads the files of the checkout, so that an edit counts at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KernelsDslHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        target = "kernels_dsl" if self.target_name == "sdist" else "netcl/kernels/kernels_dsl"
        build_data["force_include"][str(self._find_kernels_dsl())] = target

    def _find_kernels_dsl(self) -> Path:
        """The folder beside this file in an unpacked sdist, two levels up in the checkout."""
        root = Path(self.root)
        for folder in (root / "kernels_dsl", root.parent.parent / "kernels_dsl"):
            if folder.is_dir():
                return folder
        raise FileNotFoundError(
            f"netcl-kernels: no kernels_dsl/ in {root} or two levels above it; build from a checkout"
        )
