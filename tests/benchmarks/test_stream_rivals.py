"""The benchmark of streams: scores by hand, and the page of its records."""

import numpy as np
import pytest
from scipy import stats

from benchmarks.streams import run
from benchmarks.streams.data import STREAMS
from benchmarks.streams.memory import states
from benchmarks.streams.page import PAGE, page_text, read_records
from benchmarks.streams.rivals import Number, Persistence, learner, log_probability
from sparsegp.model.noise.distribution import NoiseDistribution


def test_the_page_is_the_one_that_the_records_make():
    assert PAGE.read_text() == page_text(read_records())


def test_scores_of_persistence(monkeypatch):
    y = np.array([1.0, 3.0, 2.0, 2.0, 5.0] * 20)
    monkeypatch.setattr(run, "load", lambda *_: (np.zeros((100, 1)), y))
    found = run.prequential("friedman", "persistence", 100, 0)
    assert found["first"]["rmse"] == pytest.approx(np.sqrt(np.mean(np.diff(y) ** 2)), rel=1e-5)
    assert len(found["tenths"]) == 10 and found["memory"] == []


def test_the_last_label_is_as_likely_as_it_was_right():
    model = Persistence(np.array([0, 1, 2]))
    for y in (1, 1, 1, 2):
        model.learn(np.zeros(1), y)
    label, p = model.predict(np.zeros(1))
    assert (label, sum(p.values())) == (2, pytest.approx(1.0))
    assert p[2] == pytest.approx(3.0 / 5.0)
    assert log_probability(2, (label, p)) == pytest.approx(np.log(0.6))


def test_ours_predicts_then_learns(monkeypatch):
    X = np.random.default_rng(0).standard_normal((30, 2))
    monkeypatch.setattr(run, "load", lambda *_: (X, X[:, 0]))
    found = run.prequential("friedman", "sparsegp", 30, 0)
    assert found["memory"][-1] == pytest.approx(30.0, rel=0.2)
    assert found["bytes"] > 1000


@pytest.mark.parametrize("name", ["friedman", "sea", "hyperplane", "led"])
def test_generated_streams(name):
    pytest.importorskip("river", reason="river is not installed")
    X, y = STREAMS[name].make(40, 0)
    assert X.shape[0] == len(y) == 40 and np.all(np.isfinite(X))
    again = STREAMS[name].make(40, 0)
    np.testing.assert_array_equal(again[0], X)


def test_rivals_of_river_learn():
    pytest.importorskip("river", reason="river is not installed")
    model = learner("LinearRegression", None)
    for x in np.linspace(-1.0, 1.0, 50):
        model.learn(np.array([x]), 2.0 * x)
        found = model.predict(np.array([x]))
    assert abs(found.centre - 2.0) < 1.5 and found.scale > 0.0


@pytest.mark.parametrize("df", [None, 3.0])
def test_densities_of_numbers(df):
    errors = stats.norm() if df is None else stats.t(df)
    found = Number(1.0, 2.0, NoiseDistribution(df))
    assert found.log_density(4.0) == pytest.approx(errors.logpdf(1.5) - np.log(2.0))
    edge = 1.0 + 2.0 * errors.ppf(0.975)
    assert found.covers(edge - 1e-6) and not found.covers(edge + 1e-6)


def test_a_stream_keeps_no_more_with_more_rows():
    found = [record["bytes"] for record in states(2_000, 8, {"n_warmup": 100}, growth=2)]
    assert len(found) == 2 and found[1] < 1.05 * found[0]
