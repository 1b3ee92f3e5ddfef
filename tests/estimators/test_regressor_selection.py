"""Basis selection, adaptation, calibration and moving inputs, seen from the estimator."""

import warnings

import numpy as np
import pytest

from sparsegp.exceptions import FitWarning
from sparsegp.kernels import RBF, Categorical
from sparsegp.metrics import interval_coverage, nlpd
from sparsegp.selection import CRITERIA, HAS_TURNING_POINT
from tests.plain import plain_regressor


def rough(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(n, 2))
    return X, np.sin(2 * X[:, 0]) * np.cos(2 * X[:, 1]) + rng.normal(scale=0.1, size=n)


@pytest.mark.parametrize("selection", CRITERIA)
@pytest.mark.parametrize(("n_candidates", "cache_size"), [(0, None), (8, 8), (8, 20)])
def test_every_criterion_learns(selection, n_candidates, cache_size):
    X, y = rough(300)
    model = plain_regressor(
        max_basis=60,
        selection=selection,
        n_candidates=n_candidates,
        cache_size=cache_size,
        random_state=0,
    ).fit(X, y)
    assert model.n_basis_ == len(model.basis_indices_) == len(set(model.basis_indices_)) <= 60
    assert len(model.selection_path_) >= model.n_basis_
    assert model.score(*rough(300, seed=1)) > 0.9


@pytest.mark.parametrize("selection", sorted(HAS_TURNING_POINT))
def test_automatic_size_goes_back_to_the_best_prefix(selection):
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, size=(150, 1))
    y = np.sin(X[:, 0]) + rng.normal(scale=0.3, size=150)
    settings = {"selection": selection, "optimizer": None, "max_basis": 120, "random_state": 0}
    kernel = RBF(0.3)
    model = plain_regressor(kernel, cache_size=150, **settings).fit(X, y)
    path = model.selection_path_
    assert model.n_basis_ == 1 + np.argmin(path) < len(path) < 120
    filled = plain_regressor(kernel, cache_size=150, stop=None, **settings).fit(X, y)
    assert filled.n_basis_ > model.n_basis_
    np.testing.assert_allclose(filled.selection_path_[: len(path)], path, rtol=1e-8)


@pytest.mark.parametrize("selection", ["log_posterior", "matching_pursuit", "random"])
def test_criteria_without_a_turning_point_fill_the_basis(selection):
    X, y = rough(200)
    model = plain_regressor(
        max_basis=50, selection=selection, stop="auto", optimizer=None, random_state=0
    )
    assert model.fit(X, y).n_basis_ == 50


def test_greedy_choice_beats_chance():
    X, y = rough(400)
    new = rough(400, seed=1)
    settings = {"kernel": RBF(0.7), "max_basis": 40, "optimizer": None, "noise_variance": 0.02}
    chance = np.mean(
        [
            plain_regressor(selection="random", random_state=k, **settings).fit(X, y).score(*new)
            for k in range(5)
        ]
    )
    for selection in ("log_posterior", "matching_pursuit", "marginal_likelihood", "loo_error"):
        model = plain_regressor(selection=selection, cache_size=400, random_state=0, **settings)
        assert model.fit(X, y).score(*new) > chance


def test_more_basis_than_rows_means_all_rows():
    X, y = rough(30)
    assert plain_regressor(max_basis=1000, optimizer=None).fit(X, y).n_basis_ == 30


def test_a_pool_smaller_than_the_basis_limits_it():
    X, y = rough(100)
    model = plain_regressor(max_basis=50, cache_size=20, optimizer=None, random_state=0)
    assert model.fit(X, y).n_basis_ == 20


def test_transduction_chooses_among_candidates():
    X, y = rough(200)
    candidates = rough(80, seed=5)[0]
    for selection in ("log_posterior", "loo_density"):
        model = plain_regressor(
            max_basis=20, selection=selection, optimizer=None, stop=None, random_state=0
        ).fit(X, y, candidates=candidates)
        np.testing.assert_allclose(model.basis_vectors_, candidates[model.basis_indices_])
    with pytest.raises(ValueError, match=r"information_gain.*training rows"):
        plain_regressor(max_basis=20, selection="information_gain").fit(X, y, candidates=candidates)


def test_adaptation_never_lowers_the_evidence():
    X, y = rough(300)
    values = [
        plain_regressor(
            max_basis=30, approximation="vfe", n_adaptations=rounds, calibrate=False, random_state=0
        )
        .fit(X, y)
        .log_marginal_likelihood()
        for rounds in (0, 1, 3)
    ]
    assert values[0] < values[1] <= values[2] + 1e-6


def test_calibration_mends_the_density_of_a_small_basis():
    X, y = rough(1000)
    new_X, new_y = rough(1500, seed=1)
    settings = {"max_basis": 40, "random_state": 0}
    scores = {}
    for calibrate in (False, True):
        model = plain_regressor(calibrate=calibrate, **settings).fit(X, y)
        predicted = model.predict_distribution(new_X)
        missed = abs(interval_coverage(predicted, new_y) - 0.95)
        scores[calibrate] = nlpd(predicted, new_y), missed
    assert scores[True][0] < scores[False][0]
    assert scores[True][1] < 0.03


def test_moving_the_basis_raises_the_evidence_and_leaves_the_rows():
    X, y = rough(300)
    settings = {"max_basis": 15, "approximation": "vfe", "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        still = plain_regressor(**settings).fit(X, y)
        moved = plain_regressor(refine_basis=True, **settings).fit(X, y)
    assert moved.log_marginal_likelihood() > still.log_marginal_likelihood() + 1.0
    assert not np.allclose(moved.basis_vectors_, X[moved.basis_indices_])


def test_codes_of_categories_cannot_be_moved():
    X, y = rough(50)
    with pytest.raises(ValueError, match=r"refine_basis .*Categorical"):
        plain_regressor(Categorical(), max_basis=5, refine_basis=True).fit(np.round(X), y)


def test_cache_counts_the_fresh_candidates():
    with pytest.raises(ValueError, match=r"cache_size \(5\) .* n_candidates \(8\)"):
        plain_regressor(n_candidates=8, cache_size=5).fit(*rough(50))
