"""How `nox -s docs` makes a site of these pages. Warnings, such as a link that leads nowhere, are errors there."""

from __future__ import annotations

import os
import re
from pathlib import Path

from sphinx.application import Sphinx

project = "netcl"
author = "The netcl developers"
extensions = ["myst_parser"]
root_doc = "contents"
exclude_patterns = ["_build"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "netcl"
html_copy_source = False
nitpicky = True

DOCS = Path(__file__).parent
ON_THE_SITE = {"README.md": "index.md", "kernels_dsl/README.md": "reference/language.md"}
"""Pages of the repository outside docs/, and those that stand for them on the site."""

_LINK = re.compile(r"\[([^]\n]+)\]\((\.\./[^)#\s]+\.md)\)")


def setup(app: Sphinx) -> None:
    app.connect("source-read", links_that_leave)


def links_that_leave(app: Sphinx, page: str, content: list[str]) -> None:
    """A link to a page of the repository that is not on the site becomes its text."""
    folder = (DOCS / page).parent

    def replaced(link: re.Match[str]) -> str:
        target = (folder / link[2]).resolve()
        if target.is_relative_to(DOCS):
            return link[0]
        there = ON_THE_SITE.get(str(target.relative_to(DOCS.parent)))
        return f"[{link[1]}]({os.path.relpath(DOCS / there, folder)})" if there else link[1]

    content[0] = _LINK.sub(replaced, content[0])
