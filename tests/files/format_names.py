"""The names that model files consist of, collected from a document.

Run as ``python -m tests.files.format_names`` to add new names to the list after an addition to the
format. Names are only ever added: files with the old ones must load.
"""

import json
import tempfile
from collections import defaultdict
from pathlib import Path

from sparsegp.files.container import FORMAT_VERSION, from_bytes
from tests.files.models import FITS, TABLES, fitted

LIST = Path(__file__).parent / "fixtures" / f"v{FORMAT_VERSION}_names.json"


def names_in(document):
    """Return the names in a document: members of objects, by where they occur."""
    names = defaultdict(set)
    estimator = document["estimator"]
    names["document"] |= set(document)
    names["summary"] |= set(document["summary"])
    for part in ("params", "state"):
        names[f"{part} of {estimator}"] |= set(document[part])
        _collect(document[part].values(), names)
    return names


def _collect(nodes, names):
    """Add the names in encoded values; keys of a dict are values, not names."""
    for node in nodes:
        if isinstance(node, list):
            _collect(node, names)
        elif isinstance(node, dict):
            if "$type" in node:
                names[f"parts of {node['$type']}"] |= set(node["parts"])
                _collect(node["parts"].values(), names)
            names["encoding"] |= set(node)
            _collect((value for key, value in node.items() if key != "parts"), names)


def document_of(model):
    """Return the JSON document of a saved model."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        model.save(path)
        return from_bytes(path.read_bytes())[0]


def listed_names():
    """Return the names of the format."""
    return {where: set(names) for where, names in json.loads(LIST.read_text()).items()}


if __name__ == "__main__":
    found = defaultdict(set, listed_names() if LIST.exists() else {})
    for path in sorted(LIST.parent.glob("v*.safetensors")):
        for where, names in names_in(from_bytes(path.read_bytes())[0]).items():
            found[where] |= names
    for name in (*FITS, *TABLES):
        for where, names in names_in(document_of(fitted(name))).items():
            found[where] |= names
    text = json.dumps({where: sorted(found[where]) for where in sorted(found)}, indent=1)
    LIST.write_text(text + "\n")
