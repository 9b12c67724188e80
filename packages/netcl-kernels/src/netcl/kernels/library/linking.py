"""Linking: each declaration gets the forms of the ops that it uses.

Input: the declarations of one or more texts, and what finds an op declared elsewhere. Output: the same declarations
with `linked` filled in. An op that is not declared, and one that uses itself, are mistakes; what uses one is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from netcl.core.errors import KernelLanguageError
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.language.messages import nearest
from netcl.kernels.compiler.language.syntax import Declaration

MOST_NESTED = 16
"""How deep ops may use each other."""

Forms = tuple[Declaration, ...]


def linked(
    declarations: Sequence[Declaration],
    elsewhere: Callable[[str], Forms],
    mistakes: list[KernelLanguageError],
    names: Collection[str] | None,
) -> list[Declaration]:
    """The declarations that can be linked. `elsewhere` gives the forms of an op of another text, or none; `names` are
    the ops that may be suggested, or None where an op that is not found is no mistake of the text."""
    if not any(each.uses for each in declarations):
        return list(declarations)
    return _Linker(declarations, elsewhere, mistakes, names).linked()


class _Linker:
    def __init__(
        self,
        declarations: Sequence[Declaration],
        elsewhere: Callable[[str], Forms],
        mistakes: list[KernelLanguageError],
        names: Collection[str] | None,
    ) -> None:
        self.declarations = declarations
        self.elsewhere = elsewhere
        self.mistakes = mistakes
        self.names = names
        self.groups: dict[str, list[Declaration]] = {}
        for each in declarations:
            self.groups.setdefault(each.name, []).append(each)
        self.done: dict[str, list[Declaration | None]] = {}

    def linked(self) -> list[Declaration]:
        forms = {name: iter(self._forms(name, ())) for name in self.groups}
        found = [next(forms[each.name]) for each in self.declarations]
        return [each for each in found if each is not None]

    def _forms(self, name: str, path: tuple[str, ...]) -> list[Declaration | None]:
        """The forms of an op of this text; None for one that uses what cannot be used."""
        if name not in self.done:
            path = (*path, name)
            self.done[name] = [self._form(form, path) for form in self.groups[name]]
        return self.done[name]

    def _form(self, form: Declaration, path: tuple[str, ...]) -> Declaration | None:
        uses = {use.op: self._used(use, path) for use in form.uses}
        return replace(form, linked=tuple(uses.items())) if all(uses.values()) else None

    def _used(self, use: syntax.Use, path: tuple[str, ...]) -> Forms:
        """The forms of an op that is used; none after a mistake."""
        if use.op in path:
            cycle = " -> ".join([*path[path.index(use.op) :], use.op])
            return self._mistaken(use, f"{use.op} uses itself ({cycle}); a formula has no recursion")
        if len(path) > MOST_NESTED:
            return self._mistaken(use, f"here ops use each other more than {MOST_NESTED} deep; write some of them out")
        if use.op in self.groups:
            forms = self._forms(use.op, path)
            return tuple(each for each in forms if each is not None) if all(forms) else ()
        found = self.elsewhere(use.op)
        if not found and self.names is not None:
            hint = nearest(use.op, [*self.groups, *self.names], "`netcl ops list` shows all")
            return self._mistaken(use, f"there is no op {use.op} to use{hint}")
        return found

    def _mistaken(self, use: syntax.Use, sentence: str) -> Forms:
        self.mistakes.append(use.span.error(sentence))
        return ()
