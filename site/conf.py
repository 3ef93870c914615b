# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Configuration of Sphinx. scripts/site copies the pages to one folder and runs Sphinx there, with warnings as
errors."""

import os
import re
import sys
from pathlib import Path

ROOT = Path(os.environ["FERNWOOD_SITE_ROOT"])  # the clone
if packages := os.environ.get("FERNWOOD_SITE_PACKAGES"):  # folders of the package and of its imports
    sys.path += packages.split(os.pathsep)

project = "fernwood"
exclude_patterns = ["examples", "tables/examples"]
author = "The fernwood authors"
copyright = author
release = version = re.search(r"project\(fernwood VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
root_doc = "docs/index"
nitpicky = True  # broken references are warnings
# Types in signatures belong to other libraries or to private modules of the package.
nitpick_ignore_regex = [("py:.*", ".*")]
# A page with only a table may begin at any level; both packages have the errors of python/common.
suppress_warnings = ["myst.header", "ref.python"]

myst_enable_extensions = ["colon_fence", "dollarmath", "attrs_inline"]
myst_heading_anchors = 4

autosummary_generate = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
#: Functions that scikit-learn adds to its estimators, whose documentation refers to its own pages.
METADATA = ", ".join(
    ["get_metadata_routing"] + [f"set_{name}_request" for name in ("fit", "partial_fit", "predict", "predict_proba", "score")]
)
autodoc_default_options = {"members": True, "show-inheritance": True, "exclude-members": METADATA}
napoleon_google_docstring = False

highlight_language = "none"  # blocks without a language are listings, not Python

copybutton_exclude = ".linenos, .gp, .go"

html_theme = "furo"
html_title = f"fernwood {release}"
html_static_path = ["static"]
html_css_files = ["style.css"]
html_js_files = ["versions.js", "../../versions.js"]
html_show_sourcelink = False
html_show_sphinx = False
html_last_updated_fmt = None
html_copy_source = False
pygments_style = "tango"
pygments_dark_style = "monokai"

linkcheck_timeout = 20
linkcheck_anchors = False  # anchors on other sites are often created by JavaScript
