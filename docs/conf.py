"""Sphinx settings of the site: `make docs` builds it, from installed packages alone and without a network."""

import infold

project = "infold"
author = "The infold developers"
copyright = author
version = release = infold.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "conftest.py", "gallery/*.ipynb", "gallery/*.py", "gallery/*.json", "gallery/*.zip"]

myst_heading_anchors = 4
autosummary_generate = True
autodoc_typehints = "none"  # docstrings say it in words
numpydoc_show_class_members = False  # the template of classes shows them in full
default_role = "literal"


sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "remove_config_comments": True,
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "abort_on_example_error": True,
    "ignore_repr_types": "matplotlib",  # the picture says it all
}

html_theme = "pydata_sphinx_theme"
html_title = "infold"
html_static_path = ["_static"]
html_favicon = "_static/favicon.svg"
html_css_files = ["infold.css"]
html_show_sourcelink = False
html_copy_source = False
html_context = {"default_mode": "light"}
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
html_sidebars = {"start": [], "method": []}  # single pages have nothing to put beside them
