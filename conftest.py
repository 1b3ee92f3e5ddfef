"""Modules whose doctests need a library that is not installed are left out."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("skpro") else ["src/sparsegp/interop/skpro_*.py"]
