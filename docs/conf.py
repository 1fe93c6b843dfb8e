"""The site of the documentation (`make docs`): pages in Markdown, the reference from docstrings."""

import re
import sys
from pathlib import Path

import myia

sys.path.insert(0, str(Path(__file__).parents[1]))
from examples.gallery.__main__ import write_pages

project, author = "myia", "The myia authors"
version = release = myia.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
html_theme = "furo"
pygments_dark_style = "github-dark"
html_title = f"myia {version}"
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
autodoc_typehints = "none"  # docstrings say it in words
autodoc_member_order = "bysource"
napoleon_use_rtype = False
default_role = "code"
# Links to files of the repository that are no pages.
suppress_warnings = ["myst.xref_missing", "myst.header", "misc.highlighting_failure"]


def as_restructured_text(app, what, name, obj, options, lines):
    """Docstrings are written to be read as they are: an indented block is code, `x`s a plural."""
    text = re.sub(r"`([^`\n]+)`(?=\w)", r"`\1`\\ ", "\n".join(lines))
    text = re.sub(r"^(\S.*)\n\n(?= )", r"\1\n\n::\n\n", text, flags=re.MULTILINE)
    lines[:] = text.split("\n")


def setup(app):
    app.connect("builder-inited", lambda app: write_pages(Path(app.srcdir, "gallery")))
    app.connect("autodoc-process-docstring", as_restructured_text, priority=100)
