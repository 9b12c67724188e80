"""Ops as HTML: what is written, what is derived of it, and the kernels where they are short."""

from __future__ import annotations

from collections.abc import Iterable

from netcl.core.html import Html, code, folded, heading, html, joined, safely, table
from netcl.kernels.library.op import Op
from netcl.kernels.library.source_text import declaration_text
from netcl.kernels.tools.describe import bodies, describe

_SHORT_DERIVATIVE = 600
_SHORT_KERNELS = 8_000
"""Characters up to which kernels are made, and up to which they are shown."""


def op_html(op: Op) -> Html:
    """The signature and docstring of an op, its formula, its derivative, and its kernels for a CPU.

    A derivative takes milliseconds. Kernels take ten times as long, of the largest ops of the catalogue half a second,
    and have up to 700,000 characters, which a notebook would keep. So they are made where the derivative is short, as
    it is for four of five ops, and without the helper functions that they call; of others it is said how to get
    them.
    """
    formulas = "\n\n".join(declaration_text(form) for form in op.forms)
    return joined(
        heading("Op", _call(op)), _paragraph(op.summary), folded("formula", code(formulas), True), safely(_derived, op)
    )


def _derived(op: Op) -> Html:
    derivative = describe(op, "derivative")
    kernels = bodies(op) if len(derivative) <= _SHORT_DERIVATIVE else ""
    shown = code(kernels) if 0 < len(kernels) <= _SHORT_KERNELS else _paragraph("They are long: print its source().")
    return joined(folded("derivative", code(derivative)), folded("OpenCL kernels", shown))


def ops_html(ops: Iterable[Op]) -> Html:
    """Ops as a list: how each is called, and what it is."""
    rows = [(_call(op), op.summary) for op in ops]
    about = heading("Compiled", f"{len(rows)} op{'' if len(rows) == 1 else 's'}")
    return joined(about, table(("op", "what it is"), rows, words=2) if rows else "")


def _call(op: Op) -> str:
    """How it is called, and which other names it has."""
    names = ", ".join(op.also)
    return f"{op.name}{op.__signature__}{f' also {names}' if names else ''}"


def _paragraph(text: str) -> Html:
    return Html(f"<div>{html(text)}</div>")
