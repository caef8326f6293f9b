"""How Sphinx builds the site; `make docs` runs it, with warnings as errors."""

import sys
from pathlib import Path

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parents[1]))

from scripts.docs import reference

project = "Ludens"
author = "The Ludens authors"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build", "data"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
default_role = "literal"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
add_module_names = False
html_theme = "furo"
html_title = "Ludens"
html_static_path = ["static"]
html_css_files = ["tables.css"]
html_copy_source = False


def setup(app: Sphinx) -> None:
    """Writes the generated reference before pages are read."""
    reference.write(Path(app.srcdir) / "reference" / "generated")
