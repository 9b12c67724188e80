"""Injections: text from outside that would be code if it got through.

Each puts one of the payloads into one of the places where netcl takes text: names of texts, paths, docstrings,
comments, words, names in the IR, functions that are traced, keyword arguments, entry points, stubs, the environment. A
payload would define a macro, read a file, assemble code or run Python. What counts as got through: the file that it
makes is there, what the secret file says is in an error, a result is wrong, or generated text has more than comments of
it.

    python tests/reliability/injections.py          # all of them, and how many got through
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np

from netcl import autograd as ag
from netcl import core, kernels
from netcl.core.errors import NetclError
from netcl.kernels.compiler.ir import Formula, Operand, Output, attribute, position, read
from netcl.kernels.compiler.opencl.comment import comment
from netcl.kernels.library.registry import Catalogue
from netcl.kernels.runtime import launch
from netcl.kernels.tools.stubs import functions

MARK, SECRET = "marked-by-an-injection", "said-by-the-secret-file"
Attack = Callable[[], object]
"""Makes an injection; returns the program that came of it, or nothing."""


class Site:
    """A folder with a secret, in which an injection that gets through leaves a mark."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mark = folder / MARK
        self.secret = folder / "secret.h"
        self.secret.write_text(f"#error {SECRET}\n")

    def payloads(self) -> list[str]:
        """What no C, Python or shell may meet."""
        lines = [
            f"#error {SECRET}", f'#include "{self.secret}"', "#define float int", "#define item 0",
            f'__asm__(".pushsection .x\\n.incbin \\"{self.secret}\\"\\n.popsection");',
            "#pragma OPENCL EXTENSION all : disable",
            '#line 1 "elsewhere"', "}",
        ]  # fmt: skip
        breaks = [
            "\n",
            "\r",
            "\r\n",
            "\x0b",
            "\x0c",
            "\x1c",
            "\x1d",
            "\x1e",
            "\x85",
            "\u2028",
            "\u2029",
            "\\\n",
            "??/\n",
            "*/\n",
            "\0\n",
        ]
        found = [f"a{end}{line}\n//" for end in breaks for line in lines[:2]] + [f"a\n{line}\n" for line in lines]
        found += [
            "a\\",
            "a??/",
            "a\\\\",
            "a\\ ",
            "a??/ ",
            "*/ int x; /*",
            "/*",
            "//",
            "??/??/",
            "?\\?/",
            "\\??/",
            "%:",
            "a\udcff\n#error x",
        ]
        found += [chr(code) for code in [*range(1, 32), 127, 0x9B, 0xA0, 0x200B, 0x202E, 0xFEFF, 0x10FFFF]]
        python = f"open({str(self.mark)!r}, 'w')"
        found += [
            f"'+{python}+'", f'"+{python}+"', f"'''+{python}+'''", f'"""\n{python}\n"""', f"{{{python}}}", "{item}",
            "{0.__class__}", "%s%n", f"a)\n{python}\n#", f"$(touch {self.mark})", f"`touch {self.mark}`",
            f"; touch {self.mark};",
            f"a' or {python} or '", "x" * 5000, "é" * 2000, "\\" * 301,
        ]  # fmt: skip
        return found


def attacks(site: Site) -> Iterator[tuple[str, Attack]]:
    """Each place with each payload."""
    for at, payload in enumerate(site.payloads()):
        for place in _PLACES:
            yield f"{place.__name__.strip('_')} {at}", lambda place=place, payload=payload: place(site, payload)
        if at % 8 == 0:  # the whole catalogue is read for each
            yield f"entry_point {at}", lambda payload=payload: _entry_point(site, payload)
    for name in ("NETCL_DEVICE", "NETCL_CACHE_DIR", "NETCL_THREADS", "NETCL_MEMORY_LIMIT", "NETCL_LOG", "NETCL_CACHE"):
        for value in (f"$(touch {site.mark})", f"x\n#include <{site.secret}>", f'-include "{site.secret}"'):
            yield f"environment {name}", lambda name=name, value=value: _environment(site, name, value)
    options = f"-include {site.secret}"
    yield "environment PYOPENCL_BUILD_OPTIONS", lambda: _environment(site, "PYOPENCL_BUILD_OPTIONS", options)


def got_through(site: Site, attack: Attack) -> str | None:
    """What an injection did, or None."""
    text = ""
    try:
        text = str(attack() or "")
    except _Wrong as wrong:
        return str(wrong)
    except (NetclError, TypeError, ValueError, AttributeError, OSError) as refused:
        if SECRET in str(refused) and f"#error {SECRET}" not in str(refused):
            return "a file was read"
        if "does not compile" in str(refused):
            return f"generated text does not compile: {refused}"
    if site.mark.exists():
        site.mark.unlink()
        return "a file was made"
    return stray(text)


def stray(text: str) -> str | None:
    """The first line of a program that a compiler reads and no kernel of ours has, or None."""
    text = re.sub(r"\\\r?\n|\\\r", "", text.replace("??/", "\\"))
    code = re.sub(r"//[^\n\r]*", "", text)
    for line in re.split(r"[\n\r]", code):
        directive = line.lstrip().startswith(("#", "%:")) and "#pragma OPENCL FP_CONTRACT OFF" not in line
        if directive and "cl_khr_fp64" not in line and "#pragma clang" not in line:
            return f"a directive: {line}"
        if not re.fullmatch(r"[ -~]*", line) or '"' in line or re.search(r"\basm\b|__asm", line):
            return f"foreign text: {line!r}"
    return None


class _Wrong(Exception):
    """A result that only an injection explains."""


def _environment(site: Site, name: str, value: str) -> None:
    code = "from netcl import kernels, core; print(kernels.ops.exp(core.zeros((3,))).to_host().sum())"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, name: value}, capture_output=True, text=True, cwd=site.folder
    )
    if SECRET in done.stderr or (done.returncode == 0 and done.stdout.strip() != "3.0"):
        raise _Wrong(done.stderr or done.stdout)


def _run(op: object, *given: object, expected: float = 6) -> str:
    """The program of a call, whose result is checked."""
    x = core.ones((3,))
    result = op(x, *given)  # type: ignore[operator]
    if result.to_host().sum() != expected:
        raise _Wrong(f"the result is {result.to_host()}")
    formula = op.bind((x, *given), {}).formula  # type: ignore[attr-defined]
    return launch.prepare(formula, [x], op.bind((x, *given), {}).attributes).text  # type: ignore[attr-defined]


_DOUBLE = "op f(x: float) -> y { y = x * 2; }"


def _name_of_a_text(site: Site, payload: str) -> str:
    return _run(kernels.compile(_DOUBLE, payload).f)


def _path(site: Site, payload: str) -> str:
    name = payload.replace("/", "_").replace("\0", "_")[:80]
    file = site.folder / f"{name}.netcl"
    file.write_text(_DOUBLE)
    try:
        return _run(kernels.load(file).f)
    finally:
        file.unlink()


def _docstring(site: Site, payload: str) -> str:
    text = '"""' + payload.replace('"""', "''' ") + ' """\n' + _DOUBLE
    op = kernels.compile(text).f
    _stub(op)
    return _run(op)


def _comment_of_an_author(site: Site, payload: str) -> str:
    return _run(kernels.compile(f"# {payload}\n{_DOUBLE}").f)


def _word(site: Site, payload: str) -> str:
    word = re.sub(r'["\n]', "", payload)
    op = kernels.compile(f'op f(x: float; mode: word = "{word}") -> y {{ y = mode == "{word}" ? x * 2 : x; }}').f
    _stub(op)
    _run(op, payload if payload == word else word)
    return _run(op)


def _word_of_a_call(site: Site, payload: str) -> str:
    op = kernels.compile('op f(x: float; mode: word = "a") -> y { y = mode == "a" ? x : x * 2; }').f
    return _run(op, payload)


def _keyword(site: Site, payload: str) -> None:
    kernels.compile(_DOUBLE).f(core.ones((3,)), **{payload: 1})


def _dtype(site: Site, payload: str) -> None:
    core.ones((3,)).astype(payload)


def _identifier(site: Site, payload: str) -> None:
    kernels.compile(f"op f({payload}: float) -> y {{ y = x; }}")
    kernels.compile(f"op {payload}(x: float) -> y {{ y = x; }}")


def _default(site: Site, payload: str) -> None:
    kernels.compile(f"op f(x: float = {payload}; a: ints = [{payload}]) -> y {{ y = x; }}")


def _einsum(site: Site, payload: str) -> None:
    ag.einsum(payload, core.ones((3,)))


def _name_of_an_op(site: Site, payload: str) -> None:
    with suppress(AttributeError):
        getattr(kernels.ops, payload)
    from netcl.kernels.tools.template import template

    text = template("fresh_name", payload)
    if [line for line in text.splitlines() if SECRET in line and not line.startswith("#")]:
        raise _Wrong("the template has more than a comment of it")


def _names_in_the_ir(site: Site, payload: str) -> str:
    operand, index, number, result = (f"{payload}{end}" for end in ("x", "k", "n", "y"))
    axes = ((index,),)
    value = read(operand, (position(index),), "float32") * attribute(number, "float32")
    formula = Formula(
        payload, (Operand(operand, "float32", axes),), {number: "float32"}, (Output(result, value, axes),),
        declared_at=f"{payload}:1",
    )  # fmt: skip
    (tensor,) = launch.run(formula, [core.ones((3,))], {number: 2.0})
    if tensor.to_host().sum() != 6:
        raise _Wrong(f"the result is {tensor.to_host()}")
    return launch.prepare(formula, [core.ones((3,))], {number: 2.0}).text


def _traced_function(site: Site, payload: str) -> None:
    def double(x: object) -> object:
        return ag.exp(x) * 2  # type: ignore[arg-type]

    double.__name__ = double.__qualname__ = payload
    if abs(float(ag.jit(double)(core.zeros((3,))).to_host().sum()) - 6) > 1e-6:
        raise _Wrong("the result of the traced function")


def _kernel(site: Site, payload: str) -> None:
    program = core.default_queue().program("__kernel void f(__global float *x) { x[0] = 1; }")
    program.kernel(payload, [None])


def _entry_point(site: Site, payload: str) -> str:
    folder = site.folder / "package"
    folder.mkdir(exist_ok=True)
    file = folder / (payload.replace("/", "_").replace("\0", "_")[:80] + ".netcl")
    file.write_text(_DOUBLE.replace("op f", "op from_a_package"))
    information = folder / "injected-1.dist-info"
    information.mkdir(exist_ok=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: injected\nVersion: 1\n")
    (information / "entry_points.txt").write_text("[netcl.kernels]\nops = injected_ops:paths\n")
    (folder / "injected_ops.py").write_text(f"paths = [{str(file)!r}]\n", errors="surrogatepass")
    sys.path.insert(0, str(folder))
    try:
        return _run(Catalogue.installed()["from_a_package"])
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop("injected_ops", None)
        file.unlink()


def _comment(site: Site, payload: str) -> str:
    return comment(payload, f"{payload}:1") + "int f() { return 1; }"


def _stub(op: object) -> None:
    """Reading a stub is no more than definitions."""
    for text in ("\n".join(functions([("f", op)])), "class A:\n" + "\n".join(functions([("f", op)], method=True))):  # type: ignore[list-item]
        try:
            (tree,) = ast.parse(text).body
        except (SyntaxError, ValueError) as error:
            raise _Wrong(f"a stub is no Python: {error}: {text!r}") from None
        if not isinstance(tree, (ast.FunctionDef, ast.ClassDef)):
            raise _Wrong(f"a stub does more than define: {text!r}")


_PLACES: tuple[Callable[[Site, str], object], ...] = (
    _name_of_a_text, _path, _docstring, _comment_of_an_author, _word, _word_of_a_call, _keyword, _dtype, _identifier,
    _default, _einsum, _name_of_an_op, _names_in_the_ir, _traced_function, _kernel, _comment,
)  # fmt: skip


def sample(site: Site, every: int) -> list[tuple[str, Attack]]:
    """One in so many, of every place."""
    return [attack for at, attack in enumerate(attacks(site)) if at % every == 0]


def main(every: int = 1) -> int:
    """Make the injections, print what got through, and return how many did."""
    with tempfile.TemporaryDirectory() as folder:
        site = Site(Path(folder))
        found = sample(site, every)
        results = [(name, got_through(site, attack)) for name, attack in found]
        through = [(name, what) for name, what in results if what is not None]
    for name, what in through:
        print(f"{name}: {what}")
    print(f"{len(found)} injections, {len(through)} got through: {np.round(100 * len(through) / len(found), 1)} %")
    return len(through)


if __name__ == "__main__":
    sys.exit(1 if main(int(sys.argv[1]) if len(sys.argv) > 1 else 1) else 0)
