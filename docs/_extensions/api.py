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
INTERNAL = frozenset({
    "Kernel.forget_launches", "Kernel.note", "Kernel.poison", "Kernel.prepare", "KernelLanguageError.of", "Op.bind",
    "Op.of", "Op.recall", "Op.spelled", "Profile.note", "Program.forget_launches", "Program.note_form",
    "Program.poison", "Program.save", "Queue.leave", "Queue.measure", "Queue.poison",
})  # fmt: skip
"""Methods for the other packages of netcl, which are no promise."""
WHOLE = ("netcl.core.dtypes", "netcl.core.shapes")
"""Modules whose functions are listed; of the others there is what they are about."""
CONSTANTS = {
    "__version__": "The version of netcl-core.",
    "bfloat16": "The upper half of a float32: a way to store, on the device. On the host its values are float32.",
    "bool_": "Truth values, a byte each.",
    "float16": "Floats of 16 bits. Every device stores them; not every one computes in them.",
    "float32": "Floats of 32 bits: what a Python float becomes.",
    "float64": "Floats of 64 bits, which some devices do not have.",
    "int32": "Integers of 32 bits.",
    "int64": "Integers of 64 bits: what a Python int becomes.",
    "uint8": "Integers from 0 to 255.",
}
_MARKS = re.compile(r"(`[^`]+`)|([*|_]+)")


def write(app: Sphinx) -> None:
    """The pages, before the builder reads any."""
    folder = Path(app.srcdir, FOLDER)
    folder.mkdir(exist_ok=True)
    pages = {
        "core": _page(core, _by_kind(core, core.__all__)),
        "kernels": _page(
            kernels,
            {
                "Functions and modules": list(kernels.__all__),
                "An op": ["library.op.Op"],
                "Ops as functions of other frameworks": ["torch", "jax", "numpy", "array_api"],
            },
        ),
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
    groups: dict[str, list[str]] = {"Functions": [], "Classes": [], "Constants": [], "Modules": [], "Errors": []}
    for name in names:
        thing = getattr(module, name)
        if not inspect.isclass(thing):
            kind = "Modules" if isinstance(thing, ModuleType) else "Functions" if callable(thing) else "Constants"
            groups[kind].append(name)
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
    if isinstance(thing, ModuleType) and thing.__name__ in WHOLE:
        members = [f".. automodule:: {thing.__name__}", "   :members:", "   :no-index:", ""]
        return [f".. rubric:: {thing.__name__}", "", *members, f".. currentmodule:: {module.__name__}", ""]
    if isinstance(thing, ModuleType):
        return _data(name, _as_rst(inspect.getdoc(thing) or "").split("\n\n")[0])
    if inspect.isclass(thing):
        inherited = ["   :inherited-members: Generic"] if thing.__name__ == "Op" else []
        return [f".. autoclass:: {module.__name__}.{name}", "   :members:", *inherited, ""]
    if callable(thing):
        return [f".. autofunction:: {module.__name__}.{name}", ""]
    value = [f"   :value: {thing!r}"] if isinstance(thing, str) else []
    if name in CONSTANTS:
        return _data(name, CONSTANTS[name], *value)
    return [f".. autodata:: {module.__name__}.{name}", "   :no-value:", ""]


def _data(name: str, text: str, *options: str) -> list[str]:
    """An entry with a text of its own."""
    return [f".. py:data:: {name}", *options, "", *(f"   {line}" for line in text.splitlines()), ""]


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


def left_out(app: Sphinx, what: str, name: str, thing: Any, skip: bool, options: Any) -> bool | None:
    """Whether a member is not listed: methods that ops give to tensors and nodes are on the pages of operations."""
    own = getattr(thing, "__module__", None) or ""
    from_ops = own.startswith(("netcl.kernels.library.attached", "netcl.autograd.ops"))
    return True if from_ops or getattr(thing, "__qualname__", None) in INTERNAL else None


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", write)
    app.connect("autodoc-process-docstring", docstring)
    app.connect("autodoc-skip-member", left_out)
    return {"parallel_read_safe": True}
