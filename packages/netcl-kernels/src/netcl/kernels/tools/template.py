"""The file that `netcl ops new` writes: an op to change, with a comment for each thing one may say."""

from __future__ import annotations

import keyword
import re

from netcl.core.errors import NetclError
from netcl.kernels.library.registry import Catalogue
from netcl.kernels.library.taken import taken

_NOT_PLAIN = re.compile(r"[^\w./\\ -]")
_TEXT = '''\
# {name}: what this file says is all there is to write; kernels and derivatives follow from it.
#
#     netcl ops check {file}                  compares the derivative with differences
#     netcl ops show {name} --file {file}     prints what is generated

"""One sentence that says what it computes: help() shows it."""
op {name}(x: float; scale: float = 1) -> y {{
    # x broadcasts as in numpy; scale is a number of the call. A local definition is a name for a part of the formula.
    z = scale * x;
    y = z / (1 + abs(z));

    # Optional: without this line the derivative is derived, with it both are compared. dy is the gradient of y.
    grad x = dy * scale / (1 + abs(z)) ^ 2;

    # Where checks, tests and benchmarks draw x from.
    sample x in [-4, 4];
}}
'''


def template(name: str, file: str) -> str:
    """The text of a file that declares the op `name`. Raises NetclError where no op can have that name."""
    from netcl.kernels.namespace import catalogue

    if not name.isidentifier() or keyword.iskeyword(name):
        raise NetclError(f"an op cannot be named {name!r}; choose a word that Python has as a name")
    if name in catalogue:
        raise NetclError(f"there is an op {name} already (`netcl ops show {name}` shows it); choose another name")
    if problem := taken(name):
        raise NetclError(f"{problem}; choose another name")
    text = _TEXT.format(name=name, file=_NOT_PLAIN.sub("_", file))
    Catalogue().load_text(text, file)
    return text
