"""How Sphinx makes the book; `tools/build_book.py` gathers the pages and calls it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "From minutes to milliseconds"
author = "the authors of bpe_lab"
project_copyright = "%Y, " + author
language = "en"

extensions = [
    "myst_nb", "sphinx_copybutton", "sphinx.ext.autodoc", "glossary_hover", "kept_together",
]  # fmt: skip
exclude_patterns = ["install.md", "read.md"]  # parts of pages
nitpicky = True
# Types of Python and of other packages are named without a link: their pages are elsewhere.
nitpick_ignore_regex = [("py:.*", ".*")]

# The reference: docstrings, in the order of their files, with `code` in backticks.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_maximum_signature_line_length = 80

# The notebooks are shown as they come; who wants them executed says so to tools/build_book.py.
nb_execution_mode = "off"
nb_render_markdown_format = "myst"
nb_merge_streams = True
# Widgets would load scripts from elsewhere. The only ones are progress bars, which have ended.
nb_ipywidgets_js: dict[str, dict[str, str]] = {}
nb_code_prompt_show = "show the code"
nb_code_prompt_hide = "hide the code"

myst_heading_anchors = 3
myst_heading_slug_func = "jupyter_anchors.jupyter_anchor"

html_theme = "sphinx_book_theme"
html_title = f"bpe_lab: {project}"
html_use_index = False
html_static_path = ["static"]
html_css_files = ["book.css"]
html_js_files = [(f"{name}.js", {"defer": "defer"}) for name in ("terms", "paper")]
html_show_sphinx = False
html_theme_options = {
    "use_download_button": True,
    "use_fullscreen_button": False,
    "show_navbar_depth": 1,
    "show_toc_level": 1,
    "navbar_persistent": [],
    "footer_content_items": ["copyright"],
}
copybutton_selector = "div.cell_input div.highlight pre"
