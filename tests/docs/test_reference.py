"""The reference lists every public name, and the page of deprecations every warning about one."""

import re
from importlib import import_module

import pytest

from tests.docs.blocks import ROOT

MODULES = ["", "kernels", "likelihoods", "files", "metrics", "plot", "report", "tables", "testing"]


@pytest.mark.parametrize("module", [f"sparsegp.{name}".rstrip(".") for name in MODULES])
def test_reference_is_complete(module):
    page = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    listed = re.search(rf"currentmodule:: {re.escape(module)}\n(.*?)```", page, flags=re.DOTALL)
    assert listed is not None
    names = set(re.findall(r"^   (\w+)$", listed[1], flags=re.MULTILINE))
    assert names == set(import_module(module).__all__) - {"__version__"}


def test_reference_has_all_errors_and_interfaces():
    page = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    assert ".. automodule:: sparsegp.exceptions\n   :members:" in page
    for module in ("river_models", "skpro_regressor"):
        assert f"`sparsegp.interop.{module}`" in page


#: Modules that warn of what is deprecated, and how the page names it.
DEPRECATED = {
    "data.py": ["`sparsegp.data.open_table`"],
    "estimators/mixins/renamed.py": ["coverage=0.9", "`predict_latent(X)`"],
    "metrics/scores.py": [
        f"`metrics.{name}(y, mean, std)`" for name in ("nlpd", "pit", "coverage")
    ],
}


def test_deprecations_are_listed():
    source = ROOT / "src" / "sparsegp"
    warning = re.compile(r"\b(FutureWarning|DeprecationWarning)\b")
    modules = (path for path in source.rglob("*.py") if warning.search(path.read_text("utf-8")))
    assert {path.relative_to(source).as_posix() for path in modules} == set(DEPRECATED)
    page = (ROOT / "docs" / "deprecations.md").read_text(encoding="utf-8")
    for names in DEPRECATED.values():
        assert all(name in page for name in names)
