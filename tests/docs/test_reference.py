"""The reference lists every public name."""

import re
from importlib import import_module

import pytest

from tests.docs.blocks import ROOT

MODULES = ["", "kernels", "likelihoods", "files", "metrics", "plot", "report", "testing"]


@pytest.mark.parametrize("module", [f"sparsegp.{name}".rstrip(".") for name in MODULES])
def test_reference_is_complete(module):
    page = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    listed = re.search(rf"currentmodule:: {re.escape(module)}\n(.*?)```", page, flags=re.DOTALL)
    assert listed is not None
    names = set(re.findall(r"^   (\w+)$", listed[1], flags=re.MULTILINE))
    assert names == set(import_module(module).__all__) - {"__version__"}
