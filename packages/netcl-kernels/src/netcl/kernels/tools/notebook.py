"""`%%netcl` for notebooks and IPython: a cell in the kernel language, whose ops are there for the cells after it.

`%load_ext netcl.kernels` calls `load`. IPython is not imported: it is what calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from keyword import iskeyword
from typing import Any

from netcl.core.errors import NetclError
from netcl.kernels.library.op import Op
from netcl.kernels.library.registry import Compiled, compile_text


def load(shell: Any) -> None:
    """Give an IPython shell the cell magic `%%netcl`."""

    def netcl(line: str, cell: str) -> Compiled | Op:
        """Compile a cell in the kernel language of netcl, which may use the ops of the cells before.

        %%netcl         each op is bound to its own name
        %%netcl NAME    an object with all of them is bound to NAME, as by NAME = netcl.kernels.compile(...)
        """
        try:
            return _run(shell, line.split(), cell)
        except NetclError as error:
            raise _told(error) from None

    shell.register_magic_function(netcl, magic_kind="cell")


def _run(shell: Any, words: list[str], cell: str) -> Compiled | Op:
    """Compile and bind. Returns what the cell shows: its one op, or all of them."""
    name = _name(words)
    place = f"In [{shell.displayhook.prompt_count}]"  # `execution_count` is that of the next cell in some versions
    compiled = compile_text(f"\n{cell}", place, _usable(shell.user_ns))  # the line of the magic counts, too
    ops = list({id(op): op for op in vars(compiled).values()}.values())
    if not ops:
        raise NetclError("%%netcl: the cell declares no op; write one, as in op cube(x: float) -> y { y = x ^ 3; }")
    shell.push(dict(vars(compiled)) if name is None else {name: compiled})
    return ops[0] if name is None and len(ops) == 1 else compiled


def _usable(names: Mapping[str, Any]) -> dict[str, Op]:
    """The ops that other cells have bound, each to its own names or as attributes of one object; the names of a
    notebook are asked, so that what was deleted or bound anew is not there. A name of its own goes before."""
    bound = list(names.items())
    within = {name: op for _, each in bound if isinstance(each, Compiled) for name, op in vars(each).items()}
    return within | {name: each for name, each in bound if isinstance(each, Op)}


def _name(words: list[str]) -> str | None:
    """What the ops are to be bound to; None: each to its own name."""
    if not words:
        return None
    for word in words:
        if word.startswith("-"):
            raise NetclError(f"%%netcl: there is no option {word}; write %%netcl, or %%netcl NAME")
    if len(words) > 1:
        raise NetclError(f"%%netcl: one name is enough, but there are {len(words)}: {', '.join(words)}")
    if not words[0].isidentifier() or iskeyword(words[0]):
        raise NetclError(f"%%netcl: {words[0]!r} cannot be the name of a variable; write %%netcl NAME, as %%netcl mine")
    return words[0]


def _told(error: NetclError) -> NetclError:
    """The error, of which IPython shows the message alone: what is wrong is in the cell, and not in its caller."""
    text = f"{type(error).__name__}: {error}"
    error._render_traceback_ = lambda: [text]  # type: ignore[attr-defined]
    return error
