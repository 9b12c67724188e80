"""The ops there are: shipped ones from `kernels_dsl`, others from packages and from strings.

An op becomes known by its name when its text is loaded; nothing is compiled until it is called.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from types import SimpleNamespace

from netcl.core.errors import NetclError
from netcl.kernels import stored
from netcl.kernels.compiler import check
from netcl.kernels.compiler.parse import parse
from netcl.kernels.compiler.syntax import Declaration, Source
from netcl.kernels.op import Op

ENTRY_POINT_GROUP = "netcl.kernels"


class UnknownOpError(NetclError, AttributeError, KeyError):
    """An op that no loaded text declares."""

    def __str__(self) -> str:
        return str(self.args[0])


class Catalogue:
    """Ops by name. `Catalogue.shipped()` has those of the wheel or checkout and of installed packages."""

    def __init__(self) -> None:
        self._ops: dict[str, Op] = {}
        self.families: dict[str, str] = {}

    @classmethod
    def shipped(cls) -> Catalogue:
        catalogue = cls()
        for path in sorted(dsl_folder().glob("*.netcl")):
            catalogue.load_file(path)
        for point in entry_points(group=ENTRY_POINT_GROUP):
            found = point.load()
            for path in found() if callable(found) else found:
                catalogue.load_file(Path(path))
        return catalogue

    def load_file(self, path: Path) -> list[Op]:
        """Add the ops of a .netcl file. Raises KernelLanguageError at the first mistake; then nothing is added."""
        return self._add(stored.declarations(Source(path.read_text(encoding="utf-8"), _shown(path))), path.stem)

    def load_text(self, text: str, name: str = "<string>") -> list[Op]:
        """Add the ops of a text, each checked as far as that goes without operands."""
        declarations = parse(Source(text, name))
        for declaration in declarations:
            check.check_declaration(declaration)
        return self._add(declarations, name)

    def _add(self, declarations: list[Declaration], family: str) -> list[Op]:
        forms: dict[str, list[Declaration]] = {}
        for declaration in declarations:
            forms.setdefault(declaration.name, []).append(declaration)
        for group in forms.values():
            check.check_forms(group)
        added = [Op(name, group) for name, group in forms.items()]
        for op in added:
            if op.name in self._ops:
                other = self._ops[op.name].forms[0].span
                raise op.forms[0].span.error(f"the op {op.name} is declared already, at {other}; give it another name")
        for op in added:
            self._ops[op.name] = op
            self.families[op.name] = family
        return added

    def __getitem__(self, name: str) -> Op:
        found = self._ops.get(name)
        if found is None:
            import difflib

            close = difflib.get_close_matches(name, self._ops, 3)
            hint = f"; did you mean {' or '.join(close)}?" if close else "; `netcl ops list` shows all"
            raise UnknownOpError(f"there is no op {name!r}{hint}")
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._ops

    def __iter__(self) -> Iterator[Op]:
        return iter(self._ops.values())

    def __len__(self) -> int:
        return len(self._ops)


def compile_text(text: str, name: str = "<string>") -> SimpleNamespace:
    """The ops of a text as attributes of one object: `compile(text).my_op(x)`. They are not added to the catalogue."""
    return SimpleNamespace(**{op.name: op for op in Catalogue().load_text(text, name)})


def dsl_folder() -> Path:
    """`kernels_dsl` inside the installed package, or at the root of the checkout that an editable install points to."""
    here = Path(__file__).resolve().parent
    for folder in (here / "kernels_dsl", *(parent / "kernels_dsl" for parent in here.parents)):
        if folder.is_dir():
            return folder
    raise NetclError("the folder kernels_dsl is missing; reinstall netcl-kernels")


def _shown(path: Path) -> str:
    return f"{path.parent.name}/{path.name}" if path.parent.name == "kernels_dsl" else str(path)
