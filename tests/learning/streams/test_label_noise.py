"""Wrong labels in the first rows of a stream."""

import numpy as np
import pytest
from scipy.stats import norm

from sparsegp import OnlineGPClassifier
from sparsegp.kernels import RBF, Constant
from sparsegp.learning.streams import policy
from sparsegp.learning.streams.label_noise import LabelModel, Tried, likeliest, tried
from sparsegp.tables.rows import Rows

KERNEL = Constant(1.5) * RBF([0.8, 0.8])


def rows(n, wrong, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] + np.sin(2.0 * X[:, 1]) > 0.0, 1.0, -1.0)
    at_random = rng.uniform(size=n) < wrong
    y[at_random] = rng.choice([-1.0, 1.0], np.count_nonzero(at_random))
    return Rows(X, y[:, None], None)


def model(slope=2.0, label_noise=0.0, margin=0.0, n_classes=2):
    return LabelModel(KERNEL, slope, label_noise, np.array([margin]), n_classes)


def predicted_in_turn(given, label_model):
    """Assumed-density filtering with the covariance of all rows: (n,) log probabilities."""
    X, y = given.X, given.y[:, 0]
    mean, cov = np.zeros(len(y)), KERNEL(X, X)
    slope, share, bias = label_model.slope, label_model.label_noise, label_model.biases[0]
    found = []
    for i in range(len(y)):
        scale = np.sqrt(slope**-2 + cov[i, i])
        z = y[i] * (mean[i] + bias) / scale
        p = 0.5 * share + (1.0 - share) * norm.cdf(z)
        found.append(np.log(p))
        gradient = (1.0 - share) * norm.pdf(z) / p
        q, r = y[i] * gradient / scale, -gradient * (z + gradient) / scale**2
        column = cov[:, i].copy()
        mean, cov = mean + q * column, cov + r * np.outer(column, column)
    return np.array(found)


@pytest.mark.parametrize("label_noise", [0.0, 0.3])
def test_rows_are_predicted_before_they_are_learned(label_noise):
    given, tested = rows(40, 0.2), model(3.0, label_noise, margin=0.3)
    expected = predicted_in_turn(given, tested)[20:]
    np.testing.assert_allclose(tried(tested, given).log_p, expected, rtol=1e-3)


def test_classes_have_their_frequencies_where_nothing_is_known():
    for share in (0.0, 0.2):
        noisy = model(3.0, share, margin=norm.ppf(0.3))
        ones, prior = np.ones(1), np.zeros(1)
        known = noisy.likelihood.offset * ones
        p = np.exp(noisy.probit.log_probability(ones, known, prior))
        np.testing.assert_allclose(p, 0.3, rtol=1e-12)
    assert np.isfinite(model(3.0, 0.9, margin=norm.ppf(0.01)).biases[0])


def test_a_share_is_found_where_labels_are_wrong_and_only_there():
    sure = likeliest(model(1.5), rows(400, 0.0), None)
    assert sure.model.label_noise == 0.0 and sure.model.slope == 1.5
    noisy = likeliest(model(1.5), rows(600, 0.4), None).model
    assert noisy.label_noise in (0.2, 0.4) and noisy.slope > 1.5


def test_the_place_that_is_found_is_no_worse_than_those_beside_it():
    given, start = rows(300, 0.4), model(1.0)
    found = likeliest(start, given, 0.25)
    assert found.model.label_noise == 0.25
    every = [LabelModel(KERNEL, s, 0.25, start.margins, 2) for s in policy.SLOPE_FACTORS]
    assert found.sum == max(tried(one, given).sum for one in every)


def test_a_lead_by_chance_is_none():
    rng = np.random.default_rng(0)
    base = rng.normal(size=400)
    other, same = Tried(model(), base), Tried(model(), base + rng.normal(size=400) / 20.0)
    better = Tried(model(), base + 0.01 + rng.normal(size=400) / 20.0)
    assert better.leads(other) and not same.leads(other) and not other.leads(other)
    assert not better.leads(other, better)
    assert not Tried(model(), np.full(400, -np.inf)).leads(other)


def test_wrong_labels_in_a_stream_cost_less():
    given = rows(900, 0.3, seed=1)
    truth = rows(900, 0.0, seed=1).y[600:, 0] > 0.0
    X, y = given.X, given.y[:, 0] > 0.0
    right = {}
    for share in ("auto", 0.0):
        stream = OnlineGPClassifier(max_basis=40, label_noise=share, random_state=0)
        p = stream.fit(X[:600], y[:600]).predict_proba(X[600:])
        right[share] = np.mean(np.log(p[np.arange(300), y[600:].astype(int)]))
        assert np.mean(stream.predict(X[600:]) == truth) > 0.9
    assert stream.label_noise_ == 0.0
    assert right["auto"] > right[0.0]


def test_a_linear_kernel_where_it_predicts_better():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8))
    linear = X @ rng.normal(size=8) + 0.3 * rng.normal(size=300) > 0.0
    ball = np.sum(X**2, axis=1) > 7.0
    for labels, expected in ((linear, "Linear"), (ball, "RBF")):
        stream = OnlineGPClassifier(max_basis=30, n_warmup=300, random_state=0).fit(X, labels)
        assert expected in repr(stream.kernel_)
    chosen = OnlineGPClassifier(kernel="rbf", max_basis=30, n_warmup=300, random_state=0)
    assert "Linear" not in repr(chosen.fit(X, linear).kernel_)


def test_a_column_that_told_nothing_in_the_first_rows_may_tell_later():
    """A slope without a variance of its own can grow again."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(1_500, 10))
    now = np.arange(10) < 5
    slopes = np.where(np.arange(1_500)[:, None] < 500, now, ~now)
    y = np.sum(slopes * X, axis=1) + 0.3 * rng.normal(size=1_500) > 0.0
    stream = OnlineGPClassifier(max_basis=30).partial_fit(X[:500], y[:500], classes=[False, True])
    assert "Linear" in repr(stream.kernel_)
    stream.partial_fit(X[500:1_000], y[500:1_000])
    assert stream.score(X[1_000:], y[1_000:]) > 0.9


@pytest.mark.parametrize("share", [-0.1, 1.0, "much", True, None, np.nan])
def test_a_share_is_named_when_it_is_none(share):
    with pytest.raises(ValueError, match="label_noise must be 'auto' or the share"):
        OnlineGPClassifier(label_noise=share).fit(np.eye(4), [0, 1, 0, 1])
