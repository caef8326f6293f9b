"""How Sphinx builds the site; `make docs` runs it, with warnings as errors."""

import sys
from pathlib import Path

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parents[1]))

from scripts.docs import reference

project = "Ludens"
author = "The Ludens authors"
copyright = author  # noqa: A001
extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build", "data"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
default_role = "literal"
suppress_warnings = ["myst.xref_missing"]  # files of the repository have no page here; tests/docs checks all links
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
autodoc_preserve_defaults = True
add_module_names = False
html_theme = "furo"
html_title = "Ludens"
html_static_path = ["static"]
html_css_files = ["tables.css"]
html_copy_source = False


def setup(app: Sphinx) -> None:
    """Writes the generated reference before pages are read, and has docstrings read as they are written."""
    reference.write(Path(app.srcdir) / "reference" / "generated")
    app.connect("autodoc-process-docstring", mark_examples)
    app.connect("autodoc-process-signature", readable_defaults)


def mark_examples(_app: Sphinx, _what: str, _name: str, _object: object, _options: object, lines: list[str]) -> None:
    """Makes indented paragraphs of a docstring literal blocks, which they would be with two colons before them."""
    for place in reversed(range(1, len(lines))):
        if lines[place].startswith("    ") and not lines[place - 1] and not lines[place - 2].startswith("    "):
            lines[place:place] = ["::", ""]


def readable_defaults(
    _app: Sphinx, _what: str, _name: str, _object: object, _options: object, signature: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Writes defaults that are made anew for each object as `...`, so that autodoc can read the signature."""
    return signature and signature.replace("<factory>", "..."), returns
