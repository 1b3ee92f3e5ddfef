"""How Sphinx builds these pages: ``make docs``."""

import sys
from pathlib import Path
from typing import Any

import sparsegp

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "sparsegp"
author = "The sparsegp developers"
copyright = "The sparsegp developers"  # noqa: A001  (Sphinx asks for this name)
version = release = sparsegp.__version__

extensions = [
    "mathml",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]

html_theme = "furo"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_title = f"sparsegp {version}"

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3

# The classes list their methods by the template; numpydoc would make a second list.
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
autodoc_typehints = "none"  # the docstrings say what a parameter is
autosummary_generate = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",  # all of them are run
    "within_subsection_order": "ExampleTitleSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,
    "min_reported_time": 1e9,
    "remove_config_comments": True,
}


def escape_shapes(*event: Any) -> None:
    """Keep ``(n_basis_,)``, the shape of an array, from being read as a link."""
    lines = event[-1]
    lines[:] = [line.replace("(n_basis_,", r"(n_basis\_,") for line in lines]


def setup(app: Any) -> None:
    """Tell Sphinx, after numpydoc, which takes lines from properties too."""
    app.connect("autodoc-process-docstring", escape_shapes, priority=600)
