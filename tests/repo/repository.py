"""Where the parts of the repository lie, for the tests in this folder."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# In the order of their dependencies.
PACKAGES = {name: ROOT / "packages" / name for name in ("netcl-core", "netcl-kernels", "netcl-autograd")}
CORE, KERNELS, AUTOGRAD = (path / "src/netcl" / name.removeprefix("netcl-") for name, path in PACKAGES.items())


def modules(folder: Path) -> list[Path]:
    """The Python files below a folder; an empty answer would make a test pass by looking at nothing."""
    found = sorted(folder.rglob("*.py"))
    assert found, f"no Python files in {folder}"
    return found


def imported(path: Path) -> Iterator[str]:
    """The absolute names of all modules that a file imports, at any depth; `from a import b` gives `a.b`."""
    package = ".".join(path.relative_to(next(root for root in path.parents if root.name == "src")).parent.parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                outer = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*outer, base] if base else outer)
            yield from (f"{base}.{alias.name}" for alias in node.names)
