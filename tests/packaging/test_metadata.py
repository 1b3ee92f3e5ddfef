"""Citation and recipe say the same as pyproject.toml."""

import re
import tomllib

import pytest

import sparsegp
from tests.docs.blocks import ROOT

if not (ROOT / "pyproject.toml").exists():
    pytest.skip("not a source tree", allow_module_level=True)

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RECIPE = (ROOT / "packaging" / "conda" / "meta.yaml").read_text(encoding="utf-8")
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_one_version():
    assert PROJECT["version"] == sparsegp.__version__
    assert f'version = "{sparsegp.__version__}"' in RECIPE
    assert f"version: {sparsegp.__version__}\n" in CITATION


def test_the_recipe_has_all_requirements():
    found = re.findall(r"^    - ([\w-]+) >=([\d.]+)$", RECIPE, flags=re.MULTILINE)
    extras = PROJECT["optional-dependencies"]
    wanted = PROJECT["dependencies"] + extras["cli"] + extras["report"]
    for requirement in wanted:
        name, _, version = requirement.partition(">=")
        name = {"matplotlib": "matplotlib-base"}.get(name, name)
        assert (name, version) in found, requirement


def test_the_papers_of_the_readme_are_cited():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    titles = re.findall(r"^  title     = \{(.*)\},$", readme, flags=re.MULTILINE)
    assert len(titles) == 4
    for title in titles:
        assert f'title: "{re.sub("[{}]", "", title)}"' in CITATION
