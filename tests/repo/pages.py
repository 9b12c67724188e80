"""The pages of the repository, read as a reader does who tries everything: every block is run, in order.

    ```python           run; a later block of the page goes on from an earlier one
    ```ipython          run as a cell of a notebook, with the names of the page
    ```sh               run line by line in a folder that holds what the page has written so far
    ```text             what the block before it prints; … stands for anything
    ```netcl            compiled, and one layout with `netcl ops fmt`
    ```c                part of what the last command printed
    ```console          commands that another session of nox runs; that their files exist is checked
    ```math             set by a browser
    ```netcl bump.netcl (or any language and a name) written to a file of that name

Commands that set up an environment are not run: that their paths and sessions exist is checked instead.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from repository import ROOT

from netcl.core.cli import main as netcl

PATTERNS = (
    "*.md", "docs/**/*.md", "packages/*/README.md", "kernels_dsl/*.md", "examples/*.md", "tests/*.md", "editors/*.md",
)  # fmt: skip
PAGES = sorted(path for pattern in PATTERNS for path in ROOT.glob(pattern))
WITH_FRAMEWORKS = (ROOT / "docs/how-to/other-frameworks.md",)
"""Pages whose blocks need what only the environment of `nox -s frameworks` has."""

BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

ELSEWHERE = ("python -m venv", ". .venv/bin/activate", "git", "asv", "ln", "mpiexec", "sudo", "ssh")
"""Beginnings of commands that change a reader's machine, or need another one."""


@dataclass(frozen=True)
class Block:
    """A block of a page: its language, the file it is to be written to, its text, and the line where that begins."""

    language: str
    file: str
    text: str
    line: int


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page; directives of the documentation builder, as in ```{toctree}, are none."""
    text = page.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        language, _, file = match[1].partition(" ")
        if not language.startswith("{"):
            yield Block(language, file.strip(), match[2], text.count("\n", 0, match.start()) + 2)


class Reader:
    """Reads one page in a folder of its own, where `examples` and `kernels_dsl` are those of the repository."""

    def __init__(self, page: Path, folder: Path) -> None:
        self.page = page
        self.folder = folder
        self.site = folder / ".site"
        self.printed = ""
        self.namespace: dict[str, object] = {"__name__": page.stem}
        self._shell: Any = None
        for shared in ("examples", "kernels_dsl"):
            (folder / shared).symlink_to(ROOT / shared)

    def read(self) -> None:
        for block in blocks(self.page):
            if block.file:
                path = self.folder / block.file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, encoding="utf-8")
                if block.language == "netcl":
                    self._compile(block)
            else:
                known = {
                    "python": self._run, "ipython": self._run_cell, "sh": self._execute, "text": self._compare,
                    "netcl": self._compile, "c": self._contain, "console": self._find, "math": lambda _: None,
                }  # fmt: skip
                assert block.language in known, f"{self._at(block)}: nothing runs a block of {block.language!r}"
                known[block.language](block)

    def _run(self, block: Block) -> None:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            # Blank lines in front, so that a traceback shows the line of the page.
            text = "\n" * (block.line - 1) + block.text
            exec(compile(text, str(self.page), "exec", dont_inherit=True), self.namespace)
        self.printed = printed.getvalue()

    def _run_cell(self, block: Block) -> None:
        if self._shell is None:
            from shells import new_shell

            self._shell = new_shell(self.folder, self.namespace)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            done = self._shell.run_cell(block.text)
        assert done.success, f"{self._at(block)}: {printed.getvalue()}"
        self.printed = printed.getvalue()

    def _execute(self, block: Block) -> None:
        self.printed = ""
        for line in block.text.replace("\\\n", "").splitlines():
            command = self._prepared(line.partition("  #")[0].strip(), block)
            if re.fullmatch(r"netcl [^|&<>;$]+", command) and not self.site.exists():
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed):
                    code = netcl(shlex.split(command)[1:])  # as the script does, without starting Python again
                found, said = printed.getvalue(), ""
            elif command:
                done = self._started(command)
                code, found, said = done.returncode, done.stdout, done.stderr
            else:
                continue
            assert code == 0, f"{self._at(block)}: {command}\n{found}{said}"
            self.printed += found

    def _started(self, command: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "PYTHONPATH": os.pathsep.join([str(self.site), *filter(None, sys.path)]),
        }
        shell = ["bash", "-o", "pipefail", "-c", command]
        return subprocess.run(shell, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)

    def _prepared(self, command: str, block: Block) -> str:
        """What to run for a command, or nothing; a package that the page has written is installed beside the page."""
        for session in re.findall(r"nox -s ([a-z ]+?)(?: --|$| &&)", command):
            for each in session.split():
                assert f"\ndef {each}(" in (ROOT / "noxfile.py").read_text(), f"{self._at(block)}: no session {each}"
        paths = re.findall(r"(?<= )(?:\./)?(?:packages/)?[\w-]+(?:/[\w-]+)*(?=\s|$|\[)", command)
        if command.startswith("pip install ./") and (self.folder / command.split()[2]).is_dir():
            options = f"--no-build-isolation --no-deps --no-index --target {self.site}"
            return f"{sys.executable} -m pip install --quiet {options} {command.split()[2]}"
        if command.startswith("pip install"):
            for path in paths:
                assert not path.startswith(("./", "packages/")) or (ROOT / path).is_dir(), f"{self._at(block)}: {path}"
            return ""
        return "" if command.startswith(("nox", *ELSEWHERE)) else command

    def _compare(self, block: Block) -> None:
        pattern = ".*?".join(map(re.escape, block.text.split("…")))
        assert re.fullmatch(pattern, self.printed, re.DOTALL), (
            f"{self._at(block)}: the page says\n{block.text}\nbut printed is\n{self.printed}"
        )

    def _contain(self, block: Block) -> None:
        assert block.text in self.printed, f"{self._at(block)}: this is not part of what is printed:\n{block.text}"

    def _find(self, block: Block) -> None:
        for path in re.findall(r"examples/[\w./-]+", block.text):
            assert (ROOT / path).is_file(), f"{self._at(block)}: there is no {path}"

    def _compile(self, block: Block) -> None:
        from netcl.kernels.library.registry import Catalogue

        assert Catalogue().load_text(block.text, self._at(block)), f"{self._at(block)}: it declares no op"

    def _at(self, block: Block) -> str:
        return f"{name(self.page)}:{block.line}"
