"""How `nox -s docs` makes a site of these pages. Warnings, such as a link that leads nowhere, are errors there."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from sphinx.application import Sphinx

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "_extensions"))

project = "netcl"
author = "The netcl developers"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx_copybutton", "mathml", "slopes", "api"]
root_doc = "index"
exclude_patterns = ["_build", "_extensions"]
myst_enable_extensions = ["colon_fence"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 3
nb_execution_mode = "off"
autodoc_member_order = "bysource"
autodoc_typehints = "none"
copybutton_exclude = ".linenos, .gp, .go"
html_theme = "furo"
html_title = "netcl"
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_math_renderer = "mathml"
html_search_scorer = str(DOCS / "_extensions/scorer.js")
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b6e8a", "color-brand-content": "#0b6e8a"},
    "dark_css_variables": {"color-brand-primary": "#5cc3df", "color-brand-content": "#5cc3df"},
}

ON_THE_SITE = {"README.md": "index.md", "kernels_dsl/README.md": "reference/language.md"}
"""Pages of the repository outside docs/, and those that stand for them on the site."""

NAVIGATION = """
```{toctree}
:hidden:

Start <self>
Gallery <gallery/index>
```

```{toctree}
:caption: Tutorials
:hidden:

tutorials/first-gradient
tutorials/first-op
notebooks/first-op
notebooks/fitting
```

```{toctree}
:caption: How to
:glob:
:hidden:

how-to/*
```

```{toctree}
:caption: Reference
:glob:
:hidden:

reference/language
reference/operations/index
reference/api/core
reference/api/kernels
reference/api/autograd
reference/api/optim
reference/*
```

```{toctree}
:caption: Explanation
:glob:
:hidden:

explanation/architecture
explanation/*
```

```{toctree}
:caption: Decisions
:hidden:

decisions/README
```
"""
"""What the start page has below its text, and the site at its side."""

BELOW = ("decisions/README", "reference/operations/index", "gallery/index")
"""Pages that the other pages of their folder stand below, in the navigation."""
UNLISTED = ("decisions/0000-template",)
"""Pages that are in the navigation nowhere."""

_LINK = re.compile(r"\[([^]\n]+)\]\((\.\./[^)#\s]+\.md)\)")


def setup(app: Sphinx) -> None:
    app.connect("source-read", links_that_leave)
    app.connect("source-read", pages_below)


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


def pages_below(app: Sphinx, page: str, content: list[str]) -> None:
    if page == root_doc:
        content[0] += NAVIGATION
    if page in BELOW:
        folder, name = page.rsplit("/", 1)
        others = sorted(each.stem for each in (DOCS / folder).glob("*.md") if f"{folder}/{each.stem}" not in UNLISTED)
        entries = [each for each in others if each != name]
        content[0] += "\n".join(["", "```{toctree}", ":hidden:", "", *entries, "```", ""])
    if page in UNLISTED:
        content[0] = f"---\norphan: true\n---\n{content[0]}"
