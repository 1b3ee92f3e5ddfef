"""Scores of models and of their predictive distributions."""

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import make_classification
from sklearn.linear_model import LinearRegression
from sklearn.metrics import log_loss, r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sparsegp import OnlineGPRegressor, SparseGPClassifier
from sparsegp import metrics as sm
from tests.plain import plain_regressor

RNG = np.random.default_rng(0)
X = RNG.uniform(0, 3, (240, 1))
Y = np.exp(np.sin(2 * X[:, 0]) + 0.4 * RNG.standard_normal(240))
NEW, Y_NEW = X[120:], Y[120:]
GAUSSIAN = sm.PredictiveDistribution.gaussian(np.array([0.0, 1.0]), np.array([1.0, 2.0]))


@pytest.fixture(scope="module", params=["standard", "log", "student"])
def model(request):
    options = {"noise": "student_t"} if request.param == "student" else {}
    if request.param == "log":
        options["transform_y"] = "log"
    return plain_regressor(max_basis=12, random_state=0, **options).fit(X[:120], Y[:120])


def test_a_model_and_its_distribution_have_the_same_scores(model):
    predicted = model.predict_distribution(NEW)
    assert sm.nlpd(model, NEW, Y_NEW) == sm.nlpd(predicted, Y_NEW)
    assert sm.crps(model, NEW, Y_NEW) == sm.crps(predicted, Y_NEW)
    np.testing.assert_array_equal(sm.pit(model, NEW, Y_NEW), sm.pit(predicted, Y_NEW))
    inside = sm.interval_coverage(model, NEW, Y_NEW, level=0.8)
    assert inside == sm.interval_coverage(predicted, Y_NEW, level=0.8)


def test_scores_are_those_of_the_methods_of_the_model(model):
    assert sm.nlpd(model, NEW, Y_NEW) == pytest.approx(-np.mean(model.log_density(NEW, Y_NEW)))
    np.testing.assert_array_equal(sm.pit(model, NEW, Y_NEW), model.cdf(NEW, Y_NEW))
    low, high = model.predict_interval(NEW, 0.5)
    inside = np.mean((low <= Y_NEW) & (high >= Y_NEW))
    assert sm.interval_coverage(model, NEW, Y_NEW, level=0.5) == inside
    # inside the central interval of a level: a PIT that is no further from ½ than half of it
    within = np.mean(np.abs(sm.pit(model, NEW, Y_NEW) - 0.5) <= 0.25)
    assert within == pytest.approx(inside)


def test_crps_is_below_the_absolute_error_and_that_of_a_wrong_gaussian(model):
    mean = model.predict(NEW)
    assert sm.crps(model, NEW, Y_NEW) < np.mean(np.abs(Y_NEW - mean))
    wide = sm.PredictiveDistribution.gaussian(mean, np.full(len(mean), 10.0))
    assert sm.crps(model, NEW, Y_NEW) < sm.crps(wide, Y_NEW)


def test_gaussian_formulas_are_wrong_for_a_warped_target():
    skewed = plain_regressor(max_basis=12, transform_y="log", random_state=0).fit(X[:120], Y[:120])
    mean, std = skewed.predict(NEW, return_std=True)
    gaussian = sm.PredictiveDistribution.gaussian(mean, std)
    assert sm.nlpd(skewed, NEW, Y_NEW) < sm.nlpd(gaussian, Y_NEW) - 0.05


def test_known_values_of_a_gaussian():
    y = np.array([0.5, 0.5])
    known = stats.norm([0.0, 1.0], [1.0, 2.0])
    assert sm.nlpd(GAUSSIAN, y) == pytest.approx(-np.mean(known.logpdf(y)))
    np.testing.assert_allclose(sm.pit(GAUSSIAN, y), known.cdf(y))
    assert sm.interval_coverage(GAUSSIAN, [0.5, 9.0]) == 0.5


@pytest.mark.parametrize("name", ["nlpd", "pit"])
def test_the_old_arguments_warn(name):
    y, mean, std = np.array([0.5, 0.5]), np.array([0.0, 1.0]), np.array([1.0, 2.0])
    with pytest.warns(FutureWarning, match=rf"{name}\(model, X, y\)"):
        old = getattr(sm, name)(y, mean, std)
    np.testing.assert_allclose(old, getattr(sm, name)(GAUSSIAN, y))
    with pytest.warns(FutureWarning, match="interval_coverage"):
        assert sm.coverage(y, mean, std) == 1.0


def test_bad_arguments_say_what_to_write():
    with pytest.raises(TypeError, match=r"write crps\(model, X, y\).*LinearRegression"):
        sm.crps(LinearRegression().fit(X, Y), X, Y)
    with pytest.raises(TypeError, match=r"write crps\(distribution, y\)"):
        sm.crps(GAUSSIAN, X, Y)
    with pytest.raises(TypeError, match=r"write nlpd\(model, X, y\)"):
        sm.nlpd(plain_regressor(), X)
    with pytest.raises(ValueError, match="level must lie between 0 and 1"):
        sm.interval_coverage(GAUSSIAN, [0.0, 0.0], level=95)
    with pytest.raises(ValueError, match="no scorer 'nlp': use one of 'nlpd', 'crps', 'coverage'"):
        sm.get_scorer("nlp")


def test_nmse_is_one_minus_r2():
    assert sm.nmse(Y, X[:, 0]) == pytest.approx(1.0 - r2_score(Y, X[:, 0]))


def test_scorers_in_cross_validation_and_searches():
    regressor = plain_regressor(max_basis=8, optimizer=None, random_state=0)
    by_hand = []
    for train, test in ((slice(120, 240), slice(0, 120)), (slice(0, 120), slice(120, 240))):
        by_hand.append(-sm.nlpd(regressor.fit(X[train], Y[train]), X[test], Y[test]))
    scores = cross_val_score(regressor, X, Y, scoring=sm.nlpd_scorer, cv=2)
    np.testing.assert_allclose(scores, by_hand)
    piped = make_pipeline(StandardScaler(), regressor)
    for name in ("crps", "coverage", "r2"):
        assert np.all(np.isfinite(cross_val_score(piped, X, Y, scoring=sm.get_scorer(name), cv=2)))
    search = GridSearchCV(regressor, {"max_basis": [1, 8]}, scoring=sm.crps_scorer, cv=2).fit(X, Y)
    assert search.best_params_ == {"max_basis": 8}
    assert sm.crps_scorer(search, X, Y) == -sm.crps(search.best_estimator_, X, Y)


def test_nlpd_of_a_classifier_is_the_log_loss():
    data, labels = make_classification(120, random_state=0)
    names = np.array(["no", "yes"])[labels]
    model = SparseGPClassifier(max_basis=5, optimizer=None, random_state=0).fit(data, names)
    expected = log_loss(names, model.predict_proba(data))
    assert sm.nlpd(model, data, names) == pytest.approx(expected)
    assert sm.nlpd_scorer(model, data, names) == pytest.approx(-expected)
    with pytest.raises(ValueError, match="the label 'maybe', which is not among"):
        model.log_density(data[:1], ["maybe"])


def test_scores_of_a_stream():
    stream = OnlineGPRegressor(max_basis=10, likelihood="student_t", random_state=0)
    stream.fit(X[:120], np.log(Y[:120]))
    low, high = stream.predict_interval(NEW, level=0.9)
    inside = np.mean((low <= np.log(Y_NEW)) & (np.log(Y_NEW) <= high))
    assert sm.interval_coverage(stream, NEW, np.log(Y_NEW), level=0.9) == inside
    assert 0.8 < inside <= 1.0
    assert sm.crps(stream, NEW, np.log(Y_NEW)) < 0.4
