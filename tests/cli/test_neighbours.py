"""The number of neighbours on the command line."""

import json

import pytest

from sparsegp.cli.info import _facts
from sparsegp.files import info
from tests.cli.commands import invoke, mixed_table
from tests.report.pages import read

PLAIN = ("--kernel", "rbf", "--transform-x", "standard", "--transform-y", "standard")


@pytest.fixture(scope="module")
def numbers(tmp_path_factory):
    """Return a table of numbers, and the arguments of a quick fit to it."""
    path = tmp_path_factory.mktemp("cli") / "t.csv"
    mixed_table(300)[["size", "day", "y"]].to_csv(path, index=False)
    return path, ("fit", path, "--target", "y", "--max-basis", 20, *PLAIN)


def test_neighbours_are_told_saved_and_reported(tmp_path):
    path, model = tmp_path / "t.csv", tmp_path / "m.safetensors"
    mixed_table(300).to_csv(path, index=False)  # with categories
    fit = ("fit", path, "--target", "y", "--max-basis", 20, *PLAIN, "--n-neighbors", 8)
    done = invoke(*fit, "--out", model, "--report", tmp_path / "first.html", "--json")
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["n_neighbors"] == 8
    assert found["scores"]["nmse"] < 0.9
    assert _facts(info(model))["neighbours"] == "8"
    assert invoke("report", model, path).exit_code == 0
    first, second = (
        read((tmp_path / name).read_text(encoding="utf-8")) for name in ("first.html", "m.html")
    )
    assert "What the neighbours add" in first.headings
    assert second.told == first.told


@pytest.mark.parametrize("given", [("--n-neighbors", 0), ("--n-neighbors", "auto"), ()])
def test_a_small_table_has_none_unless_asked(numbers, given):
    assert json.loads(invoke(*numbers[1], *given, "--json").stdout)["n_neighbors"] == 0


def test_the_number_is_shown_and_in_the_file(numbers):
    path, fit = numbers
    model = path.with_name("m.safetensors")
    shown = invoke(*fit, "--n-neighbors", 0, "--out", model).stdout
    (line,) = [line for line in shown.splitlines() if "neighbours" in line]
    assert line.split("│")[2].strip() == "0"
    about = info(model)
    assert _facts(about)["neighbours"] == "0"
    assert "neighbours" in invoke("info", model).stdout
    # the file itself knows better than the notes of the fit
    assert _facts(about | {"n_neighbors": 8})["neighbours"] == "8"


@pytest.mark.parametrize("given", ["-1", "few", "1.5", "²", ""])
def test_other_values_are_refused_before_the_fit(numbers, given):
    done = invoke(*numbers[1], f"--n-neighbors={given}", "--json")
    assert done.exit_code == 2
    assert "--n-neighbors must be auto or an integer" in done.stderr


def test_a_classifier_has_none(numbers):
    path = numbers[0].with_name("labels.csv")
    mixed_table(60).to_csv(path, index=False)
    asked = ("fit", path, "--target", "colour", "--max-basis", 5, "--json")
    done = invoke(*asked, "--n-neighbors", 8)
    assert (done.exit_code, "--n-neighbors is for regression" in done.stderr) == (2, True)
    assert json.loads(invoke(*asked).stdout)["n_neighbors"] is None
