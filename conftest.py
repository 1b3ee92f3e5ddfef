"""Modules whose doctests need a library that is not installed are left out."""

from importlib.util import find_spec

collect_ignore_glob = [
    f"src/sparsegp/interop/{library}_*.py"
    for library in ("skpro", "river")
    if not find_spec(library)
]
