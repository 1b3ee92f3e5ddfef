"""The cost of choices is read from the history of a fit."""

import json

import pytest

from benchmarks.choice_cost import main, shares
from benchmarks.datasets import data_folder


def test_choices_and_the_rest_add_up():
    history = [
        {"phase": "transforms: target log", "seconds": 1.0},
        {"phase": "kernel: RBF on 500 rows", "seconds": 2.0},
        {"phase": "choice of noise", "seconds": 0.5},
        {"phase": "selection", "seconds": 4.0},
    ]
    found = shares(history, 10.0)
    assert found["transforms and kernel"] == 3.0
    assert found["rest"] == 6.5
    assert found["transforms and kernel / rest"] == pytest.approx(3.0 / 6.5)
    assert found["noise / rest"] == pytest.approx(0.5 / 6.5)


@pytest.mark.skipif(
    not (data_folder() / "calhouse.parquet").exists(), reason="the benchmark data is not here"
)
def test_a_small_fit(tmp_path):
    main(["--sets", "calhouse", "--rows", "200", "--max-basis", "8", "--json", str(tmp_path / "j")])
    (fit,) = json.loads((tmp_path / "j").read_text())["fits"]
    parts = fit["transforms and kernel"] + fit["noise"] + fit["rest"]
    assert parts == pytest.approx(fit["seconds"])
