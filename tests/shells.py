"""A shell of IPython for tests, in which cells of notebooks are run without a kernel of Jupyter."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config


def new_shell(folder: Path, names: dict[str, Any] | None = None) -> InteractiveShell:
    """A shell with a namespace of its own, or with these names; it writes nowhere but to the folder."""
    config = Config({"HistoryManager": {"enabled": False}, "InteractiveShell": {"colors": "nocolor"}})
    module = ModuleType("notebook")  # in the place of __main__, which is pytest
    return InteractiveShell(config=config, ipython_dir=str(folder / ".ipython"), user_module=module, user_ns=names)
