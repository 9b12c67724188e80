"""Whether the names of a declaration are free: of the language, of Python, and of each other.

Not here: how a name is spelled in generated text (`emit.names`), where any would do.
"""

from __future__ import annotations

import keyword
import re
from dataclasses import replace

from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.specialise.scope import walk

RESERVED = {
    *("size", "position", "within", "join", "scan", "cast", "inf", "nan", "pi", "true", "false"),
    *("op", "where", "use", "grad", "nograd", "surrogate", "sample", "saving", "also", "in"),
    *("else", "or", "and", "not"),
    *("without", "unless", "by", "flat", "as"),
}
"""The words of the language."""
_INDEXED = ("index", "split", "flat")


def check_names(declaration: syntax.Declaration) -> None:
    """Raise KernelLanguageError where a name is taken, or means something else."""
    seen: dict[str, str] = {}
    named = [(each.name, "an operand", each.span) for each in declaration.operands]
    named += [(each.name, "an attribute", each.span) for each in declaration.attributes]
    named += [(each.name, "a definition", each.span) for each in declaration.definitions]
    named += [(each.name, "a definition", each.span) for use in declaration.uses for each in use.outputs]
    for name, span in [(declaration.name, declaration.span), *((each.name, each.span) for each in declaration.also)]:
        if keyword.iskeyword(name):
            raise span.error(f"{name} is a word of Python, which no function is called; choose another")
    for name, kind, span in named:
        if keyword.iskeyword(name) and kind != "a definition":
            raise span.error(f"{name} is a word of Python, by which nothing can be passed; choose another")
        if name == "out" and kind != "a definition":
            raise span.error("out= has the tensor that a call writes into; choose another name")
        if name in seen:
            raise span.error(f"{name} is {seen[name]} already; a name is used once")
        if name in RESERVED or name.startswith(("grad_", "tangent_")):
            raise span.error(f"{name} is a name of the language; choose another")
        seen[name] = kind
    outputs: set[str] = set()
    for output in (*declaration.outputs, *declaration.saving):
        if output.name in outputs:
            raise output.span.error(f"{output.name} is an output already; a name is used once")
        outputs.add(output.name)
        if seen.get(output.name, "a definition") != "a definition":
            raise output.span.error(f"{output.name} is {seen[output.name]} already; an output has a name of its own")
        if "d" + output.name in seen:
            kind = seen["d" + output.name]
            raise output.span.error(f"d{output.name}, {kind} here, is also the gradient of {output.name}; rename one")
    results = (*declaration.outputs, *declaration.saving)
    members = [(name, span) for name, _, span in named] + [(each.name, each.span) for each in results]
    for name, span in members + [("d" + each.name, each.span) for each in results]:
        member = re.fullmatch(r"(.*?)\d+", name)
        if member and any(each.variadic and each.name == member[1] for each in declaration.operands):
            raise span.error(f"{name} is what a member of *{member[1]} is called; choose another name")
    for name, span in _bound(declaration):
        if seen.get(name, "an attribute") != "an attribute":
            raise span.error(f"index {name} is also {seen[name]}; rename one of them")
    packs = _packs(declaration)
    for name, span in _indices(declaration):
        if name in seen:
            raise span.error(f"index {name} is also {seen[name]}; rename one of them")
        pack = re.fullmatch(r"(.*?)(\d+)", name)
        if pack and pack[1] in packs:
            raise span.error(f"{name} is what an index of the pack *{pack[1]} is called; choose another name")


def _indices(declaration: syntax.Declaration) -> list[tuple[str, syntax.Span]]:
    """The names of indices, where axes or `where` bring them in."""
    found = []
    axes = [each.axes for each in declaration.operands]
    axes += [each.axes for each in (*declaration.outputs, *declaration.saving)]
    for axis in (axis for each in axes for axis in each or ()):
        if axis.kind in _INDEXED:
            found += [(name, axis.span) for name in (axis.names[:1] if axis.kind == "flat" else axis.names)]
    return found + [(each.index, each.span) for each in declaration.sizes if not each.pack]


def _bound(declaration: syntax.Declaration) -> list[tuple[str, syntax.Span]]:
    """The names that reducers bind, where they do; not those of the ops that are used, which are renamed."""
    reducers = [node for node in walk(replace(declaration, linked=())) if isinstance(node, syntax.Reduction)]
    over = [each.index if isinstance(each, syntax.Along) else each for node in reducers for each in node.over]
    return [(each.name, each.span) for each in over if isinstance(each, syntax.Name)]


def _packs(declaration: syntax.Declaration) -> set[str]:
    packs = operand_packs(declaration) | {each.index for each in declaration.sizes if each.pack}
    return packs | {"i"} if any(each.axes is None for each in declaration.operands) else packs


def operand_packs(declaration: syntax.Declaration) -> set[str]:
    """The packs that stand between the brackets of operands."""
    return {axis.names[0] for each in declaration.operands for axis in each.axes or () if axis.kind == "pack"}
