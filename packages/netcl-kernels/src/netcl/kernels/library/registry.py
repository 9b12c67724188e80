"""The ops there are: shipped ones from `kernels_dsl`, others from packages and from strings.

An op becomes known by its name when its text is loaded; nothing is compiled until it is called, and what is shipped is
not parsed until somebody asks for its formula.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from os import PathLike
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from netcl import core
from netcl.core import operators
from netcl.core.errors import KernelLanguageError, NetclError
from netcl.core.installed import loaded
from netcl.core.log import logger
from netcl.kernels.compiler.language.messages import nearest
from netcl.kernels.compiler.language.outline import Heading, outline
from netcl.kernels.compiler.language.syntax import Declaration, Source
from netcl.kernels.compiler.specialise import check
from netcl.kernels.library import syntax_cache
from netcl.kernels.library.elsewhere import ELSEWHERE
from netcl.kernels.library.linking import linked
from netcl.kernels.library.op import Op
from netcl.kernels.library.taken import taken

if TYPE_CHECKING:
    Namespace = object  # the attributes of a SimpleNamespace may be anything
else:
    Namespace = SimpleNamespace

ENTRY_POINT_GROUP = "netcl.kernels"

log = logger("catalogue")

_MANY = 20
"""So many ops are not named one by one."""

_ROUND = (
    "; it imports netcl before it says where its files are: point the entry point at a module that imports no netcl, "
    "or import netcl inside of functions"
)


class UnknownOpError(NetclError, AttributeError, KeyError):
    """An op that no loaded text declares."""

    @classmethod
    def of(cls, name: str, known: Collection[str], otherwise: str, end: str = "") -> UnknownOpError:
        """Where these ops are known; `otherwise` is advised when no name is written like this one."""
        return cls(f"there is no op {name!r}{nearest(name, known, otherwise)}{end}")

    def __str__(self) -> str:
        return str(self.args[0])


class Catalogue:
    """Ops by name. `Catalogue.installed()` has those of netcl-kernels and of the packages that bring their own."""

    def __init__(self, usable: Mapping[str, Op] | None = None) -> None:
        """`usable` are ops from elsewhere that declarations may use, before shipped ones of these names."""
        self._ops: dict[str, Op] = {}
        self._usable = usable or {}
        self._is_shipped = False
        self._also: dict[str, Op] = {}
        self.families: dict[str, str] = {}
        self.failed: dict[str, str] = {}  # packages whose ops could not be loaded, and why

    @classmethod
    def shipped(cls) -> Catalogue:
        """The ops of netcl-kernels itself."""
        catalogue = cls()
        catalogue._is_shipped = True
        for path in sorted(dsl_folder().glob("*.netcl")):
            catalogue._note(Source(path.read_text(encoding="utf-8"), _shown(path)), path.stem)
        return catalogue

    @classmethod
    def installed(cls) -> Catalogue:
        """The shipped ops and those of installed packages, as `load_packages` adds them."""
        catalogue = cls.shipped()
        catalogue.load_packages()
        return catalogue

    def load_packages(self) -> None:
        """Add the ops of every package with an entry point in the group `netcl.kernels`.

        An entry point names .netcl files: a list of paths, one path, or a function that returns either. Packages come
        in the order of their names; one that uses ops of a later one waits for it. A package that cannot be loaded is
        left out, with a warning: whatever is wrong with it, the others go on working.
        """
        waiting = sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda point: (_package(point), point.name))
        while waiting:
            refused: list[tuple[EntryPoint, KernelLanguageError]] = []
            for point in waiting:
                try:
                    self.load_files(_files(loaded(point)))
                except KernelLanguageError as error:  # it may use what is not there yet
                    refused.append((point, error))
                except (Exception, SystemExit) as error:  # a package may end with sys.exit: that is not for it to say
                    self._leave_out(point, error)
            if len(refused) == len(waiting):
                for point, mistake in refused:
                    self._leave_out(point, mistake)
                return
            waiting = [point for point, _ in refused]

    def _leave_out(self, point: EntryPoint, error: BaseException) -> None:
        """Go on without the ops of a package."""
        package = _package(point)
        problem = str(error) if isinstance(error, NetclError) else f"{type(error).__name__}: {error}"
        if "circular import" in problem:  # Python's words for what is asked for while it is being imported
            problem += _ROUND
        self.failed[f"{package} ({point.value})"] = problem
        log.warning(
            "the ops of the package %s (%s) cannot be loaded: %s\nMend or uninstall %s.",
            package, point.value, problem, package,
        )  # fmt: skip

    def load_file(self, path: Path) -> list[Op]:
        """Add the ops of a .netcl file. Raises KernelLanguageError with its mistakes; then nothing is added."""
        return self.load_files([path])

    def load_files(self, paths: Sequence[Path]) -> list[Op]:
        """Add the ops of files, which may use each other's. Raises KernelLanguageError as `load_file` does."""
        declarations: list[Declaration] = []
        families: list[str] = []
        for path in paths:
            source = Source(read_text(path), _shown(path))
            declarations += syntax_cache.declarations(source)
            families += [path.stem] * (len(declarations) - len(families))
        mistakes: list[KernelLanguageError] = []
        declarations = linked(declarations, self._forms, mistakes, self._names())
        for each in declarations:
            mistakes += check.mistakes(each) if each.uses else []
        if mistakes:
            raise KernelLanguageError.of(mistakes)
        return self._add(declarations, families)

    def load_text(self, text: str, name: str = "<string>") -> list[Op]:
        """Add the ops of a text, each checked as far as that goes without operands. Raises KernelLanguageError with
        every mistake."""
        declarations, mistakes = syntax_cache.read(Source(text, name))
        names = None if mistakes else self._names()  # an op that could not be read may be one that is used
        declarations = linked(declarations, self._forms, mistakes, names)
        for declaration in declarations:
            mistakes += check.mistakes(declaration)
        if mistakes:
            raise KernelLanguageError.of(mistakes)
        added = self._add(declarations, [Path(name).stem] * len(declarations))
        used = {use.op for each in declarations for use in each.uses if use.op not in self}
        for op in added:
            op.used = {each: self._usable[each] for each in used if each in self._usable}
        return added

    def _note(self, source: Source, family: str) -> None:
        """Add the ops of a text that the tests of this package have checked. Each is parsed when somebody asks for its
        formula: few are, in one process."""
        headings: dict[str, list[Heading]] = {}
        for each in outline(source):
            headings.setdefault(each.name, []).append(each)
        for name, group in headings.items():
            also = tuple(dict.fromkeys(other for each in group for other in each.also))
            summary = next((each.doc for each in group if each.doc), "")
            op = Op(name, also, summary, partial(self._read, group))
            self._ops[name] = op
            self._also.update(dict.fromkeys(also, op))
            self.families[name] = family

    def _read(self, group: Sequence[Heading]) -> list[Declaration]:
        declarations = [syntax_cache.declaration(each) for each in group]
        mistakes: list[KernelLanguageError] = []
        declarations = linked(declarations, self._forms, mistakes, self._names())
        if mistakes:
            raise KernelLanguageError.of(mistakes)
        return declarations

    def _names(self) -> list[str]:
        """The ops that a declaration may use."""
        if self._is_shipped:
            return list(self._ops)
        from netcl.kernels.namespace import catalogue

        return [*self._ops, *self._usable, *catalogue._ops]

    def _forms(self, name: str) -> tuple[Declaration, ...]:
        """The forms of an op that a declaration may use: one of this catalogue, a usable or a shipped one."""
        found = self._ops.get(name) or self._also.get(name) or self._usable.get(name)
        if found is None and not self._is_shipped:
            from netcl.kernels.namespace import catalogue

            found = catalogue._ops.get(name) or catalogue._also.get(name)
        return () if found is None else tuple(found.forms)

    def _add(self, declarations: list[Declaration], families: list[str]) -> list[Op]:
        forms: dict[str, list[Declaration]] = {}
        family: dict[str, str] = {}
        for declaration, each in zip(declarations, families, strict=True):
            forms.setdefault(declaration.name, []).append(declaration)
            family.setdefault(declaration.name, each)
        mistakes: list[KernelLanguageError] = []
        known = {**self._also, **self._ops}
        added = []
        for name, group in forms.items():
            try:
                check.check_forms(group)
            except KernelLanguageError as mistake:
                mistakes.append(mistake)
            op = Op.of(name, group)
            added.append(op)
            spans = {name: group[0].span, **{each.name: each.span for form in group for each in form.also}}
            for each, span in spans.items():
                if each in known:
                    other = known[each].forms[0].span
                    mistakes.append(span.error(f"the op {each} is declared already, at {other}; give it another name"))
                elif self._is_shipped and (problem := taken(each)):
                    mistakes.append(span.error(f"{problem}; give the op another name"))
                known[each] = op
        if mistakes:
            raise KernelLanguageError.of(mistakes)
        for op in added:
            self._ops[op.name] = op
            self._also.update(dict.fromkeys(op.also, op))
            self.families[op.name] = family[op.name]
        return added

    def __getitem__(self, name: str) -> Op:
        found = self._ops.get(name) or self._also.get(name)
        if found is None:
            if name in core.__all__:
                raise UnknownOpError(f"there is no op {name!r}; it is netcl.core's: core.{name}")
            if name in ELSEWHERE and len(self) >= _MANY:
                raise UnknownOpError(f"there is no op {name!r}; {ELSEWHERE[name]}")
            few = f"there {'is' if len(self) == 1 else 'are'} {', '.join(self._ops)}"
            otherwise = few if 0 < len(self) < _MANY else "`netcl ops list` shows all"
            raise UnknownOpError.of(name, [*self._ops, *self._also], otherwise, operators.without(self.failed))
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._ops or name in self._also

    def __iter__(self) -> Iterator[Op]:
        return iter(self._ops.values())

    def __len__(self) -> int:
        return len(self._ops)


class Compiled(Namespace):
    """The ops of a text, each an attribute."""

    if TYPE_CHECKING:

        def __init__(self, **ops: Op) -> None: ...

    def __getattr__(self, name: str) -> Op:
        if name.startswith("_"):  # which a notebook asks every value for
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        known = list(vars(self))
        raise UnknownOpError.of(name, known, f"the text declares {', '.join(known) or 'none'}")

    def _repr_html_(self) -> str:
        """In a notebook: a list of the ops."""
        from netcl.core.html import safely
        from netcl.kernels.tools.op_html import ops_html

        return safely(ops_html, dict.fromkeys(vars(self).values()))


def compile_text(text: str, name: str = "<string>", usable: Mapping[str, Op] | None = None) -> Compiled:
    """The ops of a text as attributes of one object: `compile(text).my_op(x)`. They are not added to the catalogue.
    What they use may also be one of the `usable` ops."""
    if not isinstance(text, str):
        raise TypeError(f"compile takes a text, but got {type(text).__name__}; kernels.load reads a file")
    added = Catalogue(usable).load_text(text, name)
    return Compiled(**{each: op for op in added for each in (op.name, *op.also)})


def read_text(file: Path) -> str:
    """The text of a .netcl file. Raises NetclError where there is none."""
    try:
        return file.read_text(encoding="utf-8-sig")  # some editors begin a file with a mark that nobody sees
    except FileNotFoundError:
        raise NetclError(f"there is no file {file}") from None
    except OSError as error:
        raise NetclError(f"{file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise NetclError(f"{file} is not text in UTF-8: byte {error.start} is {error.object[error.start]:#x}") from None


def _files(named: Any) -> list[Path]:
    """The files that an entry point names."""
    found = named() if callable(named) else named
    try:
        files = [Path(path) for path in ([found] if isinstance(found, str | PathLike) else found)]
    except TypeError:
        raise NetclError(f"paths of .netcl files are asked for, but it names {found!r}") from None
    if not files:
        raise NetclError(
            "it names no .netcl file; were they left out when the package was built? setuptools takes along what "
            "[tool.setuptools.package-data] lists"
        )
    return files


def dsl_folder() -> Path:
    """`kernels_dsl` inside the installed package, or at the root of the checkout that an editable install points to."""
    here = Path(__file__).resolve().parent
    for folder in (here / "kernels_dsl", *(parent / "kernels_dsl" for parent in here.parents)):
        if folder.is_dir():
            return folder
    raise NetclError("the folder kernels_dsl is missing; reinstall netcl-kernels")


def _package(point: EntryPoint) -> str:
    """The package that brings an entry point."""
    return point.dist.name if point.dist is not None else point.name


def _shown(path: Path) -> str:
    return f"{path.parent.name}/{path.name}" if path.parent.name == "kernels_dsl" else str(path)
