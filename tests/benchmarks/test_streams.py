"""The reproductions of the paper on streams, on few and small runs, and their page."""

import json

import numpy as np
import pandas as pd
import pytest

from benchmarks.reproduce import co_friedman1, co_sinc, co_usps
from benchmarks.reproduce.co_claims import (
    claims_of_figure4,
    claims_of_figure5,
    claims_of_figure6,
    claims_of_figure7,
    compare_deletions,
)
from benchmarks.reproduce.streams_page import STREAMS
from tests.benchmarks.pages import pages_text


@pytest.fixture
def small_digits(tmp_path, monkeypatch):
    """Ten clouds of 256 columns in place of USPS."""
    folder, rng = tmp_path / "data", np.random.default_rng(0)
    folder.mkdir()
    monkeypatch.setenv("SPARSEGP_DATA", str(folder))
    centres = rng.standard_normal((10, 256))
    for name, n in (("usps_train", 120), ("usps_test", 60)):
        y = rng.integers(0, 10, n)
        X = centres[y] + rng.standard_normal((n, 256))
        table = pd.DataFrame(X, columns=[f"x{i}" for i in range(256)])
        table.assign(y=y).to_parquet(folder / f"{name}.parquet")


def test_page_of_small_runs(tmp_path, small_digits):
    results, folder = tmp_path / "reproduce" / "results", tmp_path / "pages"
    results.mkdir(parents=True)
    co_sinc.main(["--partitions", "1", "--rows", "40", "--out", str(results / "co_sinc.json")])
    co_friedman1.main(
        ["--partitions", "2", "--sizes", "10", "20", "--out", str(results / "co_friedman1.json")]
    )
    out = ["--out", str(results / "co_usps.json")]
    co_usps.main(["--sizes", "5", "8", "--largest", "20", "--problems", "four", "removed", *out])
    (tmp_path / "results").mkdir()
    speed = [
        {
            "n_basis": 50,
            "news": True,
            "deletion": "kl",
            "rows_a_second": 900,
            "rows_a_second_ten_outputs": 300,
            "ratio": 3.0,
        },
        {"set": "tides", "model": "online", "rows": 500, "nmse": 0.1, "nlpd": -1.5, "seconds": 2.0},
    ]
    (tmp_path / "results" / "online_speed.json").write_text(json.dumps(speed))
    text = pages_text(results, folder)
    for number in (4, 5, 6, 7):
        assert (folder / "images" / f"co_figure{number}.png").stat().st_size > 5_000
        assert f"images/co_figure{number}.png" in text
    assert "| 50 | joins the basis | divergence | 900 | 300 | 3 |" in text
    assert "| tides | 500 | online |  | −1.5 | 0.1 | 2 |" in text
    assert "“A long plateau" in text
    assert "Which deletion is better when" in text


def test_page_without_results_names_the_commands(tmp_path):
    text = "\n".join(section(tmp_path / "none", tmp_path / "images") for section in STREAMS)
    for command in ("co_sinc", "co_friedman1", "co_usps --problems four ten", "online_speed"):
        assert command in text
    assert not (tmp_path / "images").exists()


def test_runs_on_some_rows_are_not_on_the_page(tmp_path):
    record = {"problem": "four", "size": 50, "sweeps": 1, "recycle": False, "deletion": "kl"}
    record |= {"rows": 100, "error": 3.0, "nlp": 0.1}
    (tmp_path / "co_usps.json").write_text(json.dumps([record]))
    text = "\n".join(section(tmp_path, tmp_path / "images") for section in STREAMS)
    assert "Not run yet: `python -m benchmarks.reproduce.co_usps --problems four ten`" in text


def test_claims_of_figure4():
    def record(deletion, width, rmse, deviation):
        figures = {"rmse": rmse, "inside_two_deviations": 0.97, "mean_deviation": deviation}
        key = {"deletion": deletion, "width": width, "size": 10, "partition": 0}
        return {**key, "tolerance": 0.05, **figures}

    records = [
        record("mean", 1.0, 0.1, 0.2),
        record("kl", 1.0, 0.01, 0.1),
        record("mean", 0.1, 0.1, 0.1),
        record("kl", 0.1, 0.01, 0.4),
    ]
    fits, honest, broader = (dict(claim.cases) for claim in claims_of_figure4(records))
    names = ("mean, ε_tol = 0.05", "divergence, ε_tol = 0.05")
    assert fits == dict(zip(names, (False, True), strict=True))
    assert honest == dict(zip(names, (True, True), strict=True))
    assert broader == dict(zip(names, (False, True), strict=True))


def test_claims_of_figure5():
    errors = {30: (9.0, 8.5, 6.5), 10: (12.0, 6.4, 6.1), 20: (10.0, 6.0, 8.0)}
    records = [
        {"size": size, "curve": curve, "partition": k, "mse": mse + 0.5 * k}
        for size, row in errors.items()
        for curve, mse in zip(("full", "fixed", "removed"), row, strict=True)
        for k in range(2)
    ]
    third, better, plateau = (dict(claim.cases) for claim in claims_of_figure5(records))
    assert third == {"10": True}
    assert better == {"10": True, "20": True}
    assert plateau == {"10": True, "20": False}


def test_claims_of_digits():
    def record(problem, size, sweeps, error):
        how = {"deletion": "mean", "sweeps": sweeps, "recycle": False}
        return {"problem": problem, "size": size, **how, "error": error}

    records = [
        record("four", 250, 1, 1.6),
        record("four", 250, 2, 1.4),
        record("ten", 500, 1, 5.2),
        record("ten", 250, 1, 6.0),
        record("ten", 250, 2, 6.1),
        record("smoothed", 500, 1, 4.98),
    ]
    four, ten, smoothed, again, less = (dict(claim.cases) for claim in claims_of_figure6(records))
    assert four == {"mean": True}
    assert ten == {"mean": False}
    assert smoothed == {"mean": True}
    assert again == {"250": True}
    assert less == {"250": True}
    removed = [
        {"deletion": "kl", "size": size, "error": error}
        for size, error in ((1500, 4.5), (500, 4.9), (450, 5.1), (250, 9.0))
    ]
    (plateau,) = claims_of_figure7(removed)
    assert plateau.cases == {"divergence 500": True, "divergence 450": False}
    assert "(+0.60)" in plateau.figures


def test_which_deletion_is_better():
    rng = np.random.default_rng(0)
    records = [
        {"size": size, "deletion": rule, "partition": k, "rmse": base + 0.01 * rng.random()}
        for size, bases in ((10, {"mean": 2.0, "kl": 1.0}), (20, {"mean": 1.0, "kl": 1.0}))
        for rule, base in bases.items()
        for k in range(12)
    ]
    rules = {"mean": "mean", "kl": "kl"}
    first, second = compare_deletions("here", records, "rmse", "deletion", rules)
    assert (first.size, first.better, second.better) == (10, "divergence", "–")
    single = [r for r in records if r["partition"] == 0]
    first, _ = compare_deletions("here", single, "rmse", "deletion", rules)
    assert first.p is None
    assert first.better == "divergence"
