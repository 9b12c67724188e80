"""The reference of public names, made from what the packages say is public and from its docstrings."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from sphinx.application import Sphinx

from netcl import autograd, core, kernels
from netcl.autograd import optim

FOLDER = "reference/api"
GROUPS = {
    "factories": "Tensors and leaves",
    "transforms": "Derivatives of functions",
    "engine": "Tapes and backward",
    "programs": "Compiled functions",
    "graph": "Graph, hooks, modes",
    "debugging": "Debugging",
    "distributed": "Several processes",
    "saving": "Checkpoints",
}
"""The folders of netcl.autograd, as a reader calls what is in them, in the order of the page."""
_MARKS = re.compile(r"(`[^`]+`)|([*|_]+)")


def write(app: Sphinx) -> None:
    """The pages, before the builder reads any."""
    folder = Path(app.srcdir, FOLDER)
    folder.mkdir(exist_ok=True)
    pages = {
        "core": _page(core, _by_kind(core, core.__all__)),
        "kernels": _page(kernels, {"Functions and modules": list(kernels.__all__), "An op": ["library.op.Op"]}),
        "autograd": _page(autograd, dict(_groups())),
        "optim": _page(optim, _by_kind(optim, optim.__all__)),
    }
    for name, text in pages.items():
        target = folder / f"{name}.rst"
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")


def _groups() -> Iterator[tuple[str, list[str]]]:
    """The names of netcl.autograd below what they are about."""
    for folder, title in GROUPS.items():
        homes = [home for home in autograd._MODULES if home.split(".")[0] == folder]
        yield title, sorted((name for home in homes for name in autograd._MODULES[home]), key=str.lower)


def _by_kind(module: ModuleType, names: Sequence[str]) -> dict[str, list[str]]:
    """The names of a module: functions, classes, what else there is, and errors last."""
    groups: dict[str, list[str]] = {"Functions": [], "Classes": [], "Modules and constants": [], "Errors": []}
    for name in names:
        thing = getattr(module, name)
        if not inspect.isclass(thing):
            callable_ = callable(thing) and not isinstance(thing, ModuleType)
            groups["Functions" if callable_ else "Modules and constants"].append(name)
        else:
            groups["Errors" if issubclass(thing, Exception) else "Classes"].append(name)
    return {title: found for title, found in groups.items() if found}


def _page(module: ModuleType, groups: dict[str, list[str]]) -> str:
    title = module.__name__
    lines = [title, "=" * len(title), "", _as_rst(inspect.getdoc(module) or "").split("\n\n")[0], ""]
    lines += [f".. currentmodule:: {title}", ""]
    for heading, names in groups.items():
        lines += [heading, "-" * len(heading), ""]
        for name in names:
            lines += _entry(module, name)
    return "\n".join(lines) + "\n"


def _entry(module: ModuleType, name: str) -> list[str]:
    thing: Any = module
    for part in name.split("."):
        if not hasattr(thing, part):
            importlib.import_module(f"{thing.__name__}.{part}")
        thing = getattr(thing, part)
    if isinstance(thing, ModuleType):
        return [f".. automodule:: {thing.__name__}", "   :members:", "   :no-index:", ""]
    if inspect.isclass(thing):
        return [f".. autoclass:: {module.__name__}.{name}", "   :members:", ""]
    if callable(thing):
        return [f".. autofunction:: {module.__name__}.{name}", ""]
    return [f".. autodata:: {module.__name__}.{name}", "   :no-value:", ""]


def _as_rst(text: str) -> str:
    """A docstring with its code marked as reStructuredText has it, and nothing else marked."""

    def marked(found: re.Match[str]) -> str:
        code, mark = found.groups()
        return f"`{code}`" if code else "".join(f"\\{each}" for each in mark)

    blocks: list[str] = []
    for block in text.split("\n\n"):
        indented = block.startswith("    ")
        if indented and blocks and not blocks[-1].startswith("    "):
            blocks.append("::")
        blocks.append(block if indented else _MARKS.sub(marked, block))
    return "\n\n".join(blocks)


def docstring(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    lines[:] = _as_rst("\n".join(lines)).splitlines()


def without_ops(app: Sphinx, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    """Methods that ops give to tensors and nodes are on the pages of operations."""
    own = getattr(thing, "__module__", None) or ""
    return True if own.startswith(("netcl.kernels.namespace", "netcl.autograd.ops")) else None


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", write)
    app.connect("autodoc-process-docstring", docstring)
    app.connect("autodoc-skip-member", without_ops)
    return {"parallel_read_safe": True}
