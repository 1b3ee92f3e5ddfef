"""What a user of scikit-learn expects around fit and predict of a classifier."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.gaussian_process import kernels as sk
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sparsegp import SparseGPClassifier, load
from sparsegp.kernels import RBF, Categorical, Constant, Linear, Matern, OnColumns
from sparsegp.learning.classes.policy import SITE_TOLERANCE
from sparsegp.learning.history.progress import Progress
from sparsegp.likelihoods import Probit
from sparsegp.model import posterior as posterior_module
from sparsegp.model.classes import class_probabilities
from sparsegp.model.feature_rows import FeatureRows
from sparsegp.model.features import make_basis
from sparsegp.model.importance import importances
from sparsegp.model.sites.active_set import active_posterior
from sparsegp.model.sites.inference import infer_sites
from sparsegp.model.sites.updates import SCHEMES
from sparsegp.selection.active_set import SELECTIONS
from sparsegp.tables.labels import label_columns
from sparsegp.tables.rows import Rows

BOTH = pytest.mark.parametrize("n_classes", [2, 3])
POSTERIORS = pytest.mark.parametrize("posterior", ["projected", "active"])


def make_table(n_classes, n=120, noise=0.3, seed=0):
    """Draw rows whose class is a sector of a circle, almost."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, size=(n, 2)) * [1.0, 100.0] + [5.0, 0.0]
    angle = np.arctan2(X[:, 1] / 100.0, X[:, 0] - 5.0) + noise * rng.normal(size=n)
    return X, np.floor(n_classes * (angle / (2.0 * np.pi) % 1.0)).astype(int)


TABLES = {n_classes: make_table(n_classes) for n_classes in (2, 3)}


def fit(n_classes=2, y=None, sample_weight=None, **settings):
    X, codes = TABLES[n_classes]
    settings = {"max_basis": 12, "random_state": 0} | settings
    model = SparseGPClassifier(**settings)
    return model.fit(X, codes if y is None else y, sample_weight=sample_weight)


FIXED = {"optimizer": None, "kernel": Constant(4.0) * RBF(0.7)}


@pytest.fixture(scope="module")
def learned():
    """Models with learned hyperparameters and a moved basis, by the number of classes."""
    return {n_classes: fit(n_classes) for n_classes in (2, 3)}


@BOTH
def test_fitted_attributes(n_classes, learned):
    model = learned[n_classes]
    assert model.n_basis_ == len(model.basis_indices_) == len(model.selection_path_) == 12
    assert len(set(model.basis_indices_)) == 12
    assert model.basis_vectors_.shape == (12, 2)
    assert np.all(model.selection_path_ > 0.0)
    assert np.size(model.bias_) == (1 if n_classes == 2 else 3)
    assert isinstance(model.slope_, float)
    assert np.isfinite(model.log_marginal_likelihood_value_)
    assert model.history_[-1]["phase"] == "final sites"
    assert all(entry["seconds"] >= 0.0 for entry in model.history_)
    assert model.n_features_in_ == 2


@pytest.mark.parametrize("inference", ["variational", "least_squares"])
def test_importances_evaluate_the_kernel_once_for_all_classes(inference, tmp_path, monkeypatch):
    """With a class each, ten digits and 1,200 basis vectors took a minute, also to be displayed."""
    model = fit(3, inference=inference, **FIXED)
    model.save(tmp_path / "model")
    alone = [p.mean for p in model._fitted.posteriors]
    expected = importances(lambda Z: np.hstack([f(Z) for f in alone]), model._basis_inputs())
    evaluations, evaluate = [], posterior_module.weighted_columns
    monkeypatch.setattr(
        posterior_module, "weighted_columns", lambda *of: evaluations.append(1) or evaluate(*of)
    )
    for each in (model, load(tmp_path / "model")):
        evaluations.clear()
        np.testing.assert_allclose(each.feature_importances_, expected, rtol=1e-9)
        assert len(evaluations) == 1 + 2  # basis vectors as they are, and once for each column


@BOTH
def test_probabilities_are_probabilities_and_the_largest_is_predicted(n_classes, learned):
    X, codes = TABLES[n_classes]
    model = learned[n_classes]
    far = np.concatenate((X, 1e6 * X))
    p = model.predict_proba(far)
    assert p.shape == (len(far), n_classes)
    assert np.all((p >= 0.0) & (p <= 1.0))
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(far), model.classes_[np.argmax(p, axis=1)])
    assert model.score(X, codes) > 0.85


def test_latent_function_of_two_classes(learned):
    X, model = TABLES[2][0], learned[2]
    mean, std = model.predict_latent(X, return_std=True)
    assert mean.shape == std.shape == (120,)
    second = norm.cdf((mean + model.bias_) / np.sqrt(model.slope_**-2 + std**2))
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], second, rtol=1e-10)


def test_latent_functions_of_three_classes(learned):
    """The class of a row is the one whose function plus bias plus noise is the largest."""
    X, model = TABLES[3][0][:10], learned[3]
    mean, std = model.predict_latent(X, return_std=True)
    assert mean.shape == std.shape == (10, 3)
    rng = np.random.default_rng(0)
    spread = np.sqrt(model.slope_**-2 + std**2)
    u = mean + model.bias_ + spread * rng.standard_normal((40_000, 10, 3))
    share = np.mean(np.argmax(u, axis=2)[:, :, None] == np.arange(3), axis=0)
    np.testing.assert_allclose(model.predict_proba(X), share, atol=0.015)


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (["no", "yes"], "U"),
        (["green", "blue", "red"], "U"),
        ([7, -3], "i"),
        ([2.0, 1.0, 5.0], "f"),
        ([False, True], "b"),
        (np.array(["b", "a"], dtype=object), "O"),
        (np.array([3, 1, 2], dtype=object), "i"),
        (np.array([True, False], dtype=object), "b"),
    ],
    ids=str,
)
def test_labels_of_any_kind(labels, kind):
    labels = np.asarray(labels)
    X, codes = TABLES[len(labels)]
    y = labels[codes]
    model = fit(len(labels), y, **FIXED)
    assert model.classes_.tolist() == sorted(labels.tolist())
    assert model.classes_.dtype.kind == kind
    predicted = model.predict(X)
    assert predicted.dtype == model.classes_.dtype
    assert np.mean(predicted == y) > 0.8
    # columns of probabilities go by the order of the classes, whatever they are called
    plain = fit(len(labels), np.argsort(np.argsort(labels.tolist()))[codes], **FIXED)
    np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(X))


def test_of_two_classes_the_second_has_the_positive_function():
    X, y = TABLES[2]
    mean, _ = fit(2, **FIXED).predict_latent(X, return_std=True)
    assert np.mean(mean[y == 1]) > 0.0 > np.mean(mean[y == 0])
    swapped, _ = fit(2, 1 - y, **FIXED).predict_latent(X, return_std=True)
    np.testing.assert_allclose(mean, -swapped, atol=1e-9)


@BOTH
@POSTERIORS
def test_the_longest_prefix_is_the_model(n_classes, posterior):
    X = TABLES[n_classes][0]
    model = fit(n_classes, posterior=posterior, n_adaptations=2)
    whole = model.prefix(12)
    np.testing.assert_array_equal(whole.predict_proba(X), model.predict_proba(X))
    assert whole.log_marginal_likelihood_value_ == pytest.approx(
        model.log_marginal_likelihood_value_, rel=1e-12
    )
    shorter = model.prefix(5)
    assert shorter.n_basis_ == len(shorter.basis_vectors_) == len(shorter.selection_path_) == 5
    np.testing.assert_array_equal(shorter.basis_indices_, model.basis_indices_[:5])
    np.testing.assert_array_equal(shorter.prefix(3).predict(X), model.prefix(3).predict(X))
    assert model.n_basis_ == 12
    for n_basis in (0, 13, 2.5):
        with pytest.raises(ValueError, match="n_basis must be"):
            model.prefix(n_basis)


@BOTH
@POSTERIORS
def test_a_prefix_is_the_model_of_its_basis_vectors(n_classes, posterior):
    X, y = TABLES[n_classes]
    model = fit(n_classes, posterior=posterior, n_adaptations=2)
    scaled, Z = ((A - X.mean(axis=0)) / X.std(axis=0) for A in (X, model.basis_vectors_))
    probits = [Probit(model.slope_, bias) for bias in np.atleast_1d(model.bias_)]
    rows = Rows(scaled, label_columns(y, np.unique(y)))
    for m in (1, 5, 12):
        if posterior == "active":
            sites = [column.first(m) for column in model._fitted.active_sites]
            found = [active_posterior(model.kernel_, Z[:m], column) for column in sites]
        else:
            features = FeatureRows(make_basis(model.kernel_, Z[:m]), rows)
            solved = infer_sites(
                features, probits, SCHEMES["variational"], tolerance=SITE_TOLERANCE
            )
            found = solved.posteriors
        means, variances = zip(*(p.mean_and_variance(scaled) for p in found), strict=True)
        moments = np.concatenate(means, axis=1), np.stack(variances, axis=1)
        expected = class_probabilities(probits, *moments)
        np.testing.assert_allclose(model.prefix(m).predict_proba(X), expected, atol=1e-7)


@POSTERIORS
def test_auto_stop_cuts_back(posterior):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 2)), rng.integers(0, 2, 120)  # nothing to learn
    settings = {"kernel": 30.0 * RBF(1.5), "slope": 3.0, "optimizer": None, "random_state": 0}
    options = {"selection": "entropy", "max_basis": 60, "posterior": posterior}
    whole = SparseGPClassifier(**settings, **options).fit(X, y)
    cut = SparseGPClassifier(**settings, **options, stop="auto").fit(X, y)
    assert whole.n_basis_ == len(whole.selection_path_) == 60
    assert cut.n_basis_ == np.argmin(cut.selection_path_) + 1 < len(cut.selection_path_) < 60
    np.testing.assert_array_equal(cut.basis_indices_, whole.basis_indices_[: cut.n_basis_])
    np.testing.assert_allclose(
        cut.predict_proba(X), whole.prefix(cut.n_basis_).predict_proba(X), rtol=1e-8
    )


@BOTH
def test_integer_weights_are_repeated_rows(n_classes):
    X, y = make_table(n_classes, n=40)
    weight = np.random.default_rng(1).integers(0, 4, 40)
    weighted, repeated = (
        SparseGPClassifier(max_basis=100, random_state=0, class_weight="balanced", **FIXED)
        for _ in range(2)
    )
    weighted.fit(X, y, sample_weight=weight)
    repeated.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-7)
    assert weighted.log_marginal_likelihood_value_ == pytest.approx(
        repeated.log_marginal_likelihood_value_, rel=1e-8
    )


@BOTH
@POSTERIORS
def test_weight_zero_leaves_a_row_out(n_classes, posterior):
    X, y = TABLES[n_classes]
    weight = np.where(np.arange(120) % 3, 1.0, 0.0)
    there = weight > 0.0
    settings = {"max_basis": 12, "posterior": posterior, "random_state": 0, **FIXED}
    weighted = SparseGPClassifier(**settings).fit(X, y, sample_weight=weight)
    without = SparseGPClassifier(**settings).fit(X[there], y[there])
    np.testing.assert_allclose(weighted.predict_proba(X), without.predict_proba(X), atol=1e-7)
    np.testing.assert_array_equal(
        weighted.basis_indices_, np.flatnonzero(there)[without.basis_indices_]
    )


def test_a_class_without_weight_is_no_class():
    X, y = TABLES[3]
    model = fit(3, sample_weight=np.where(y == 1, 0.0, 1.0), **FIXED)
    assert model.classes_.tolist() == [0, 2]
    assert model.predict_proba(X).shape == (120, 2)


@POSTERIORS
def test_balanced_weights_raise_the_rare_class(posterior):
    X, y = TABLES[2]
    keep = (y == 0) | (np.arange(120) % 8 == 0)
    X, y = X[keep], y[keep]
    settings = {"max_basis": 12, "posterior": posterior, "random_state": 0, **FIXED}
    rare = {
        str(weight): SparseGPClassifier(class_weight=weight, **settings).fit(X, y).predict_proba(X)
        for weight in (None, "balanced", {0: 1.0, 1: 5.0})
    }
    plain, balanced, given = (p[:, 1].mean() for p in rare.values())
    assert balanced > 1.5 * plain
    assert given > 1.2 * plain
    # equal totals: a class weighs as much as the other
    factor = np.where(y == 1, len(y) / (2 * np.sum(y == 1)), len(y) / (2 * np.sum(y == 0)))
    by_hand = SparseGPClassifier(**settings).fit(X, y, sample_weight=factor).predict_proba(X)
    np.testing.assert_allclose(rare["balanced"], by_hand, rtol=1e-10)


def test_pandas_columns_by_name():
    X, codes = TABLES[3]
    frame = pd.DataFrame(X, columns=["a", "b"])
    frame["kind"] = np.arange(120) % 4
    y = pd.Series(np.array(["x", "y", "z"])[codes], dtype="string")
    kernel = OnColumns(RBF([1.0, 1.0]), ["a", "b"]) * OnColumns(Categorical(), ["kind"])
    model = SparseGPClassifier(kernel, max_basis=15, random_state=0).fit(frame, y)
    assert list(model.feature_names_in_) == ["a", "b", "kind"]
    assert model.classes_.tolist() == ["x", "y", "z"]
    assert model.score(frame, y) > 0.75
    np.testing.assert_allclose(  # a kernel with codes leaves the basis on rows
        model.basis_vectors_, frame.to_numpy()[model.basis_indices_], atol=1e-9
    )
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["b", "a", "kind"]])
    nullable = SparseGPClassifier(**FIXED, max_basis=5).fit(X, pd.Series(codes, dtype="Int64"))
    assert nullable.classes_.tolist() == [0, 1, 2]


def test_pipeline_grid_search_clone_and_calibration():
    X, y = TABLES[2]
    scaler = StandardScaler().set_output(transform="pandas")
    pipeline = make_pipeline(scaler, SparseGPClassifier(max_basis=8, random_state=0, **FIXED))
    grid = {"sparsegpclassifier__selection": ["adaptive", "entropy"]}
    search = GridSearchCV(pipeline, grid, cv=2, scoring="neg_log_loss").fit(X, y)
    assert search.best_score_ > -0.5
    kernel = 2.0 * Matern([1.0, 2.0]) + Linear()
    copy = clone(SparseGPClassifier(kernel, max_basis=7, posterior="active"))
    assert copy.kernel == kernel and copy.max_basis == 7
    assert copy.get_params()["posterior"] == "active"
    copy.set_params(posterior="projected", optimizer=None)
    assert cross_val_score(copy, X, y, cv=2).mean() > 0.7
    calibrated = CalibratedClassifierCV(copy, cv=2).fit(X, y)
    assert calibrated.score(X, y) > 0.7


@BOTH
@POSTERIORS
def test_same_seed_same_model(n_classes, posterior):
    X = TABLES[n_classes][0]
    settings = {"posterior": posterior, "n_adaptations": 1, "random_state": 3, "max_basis": 6}
    first, second = (fit(n_classes, **settings) for _ in range(2))
    np.testing.assert_array_equal(first.basis_indices_, second.basis_indices_)
    np.testing.assert_array_equal(first.predict_proba(X), second.predict_proba(X))
    other = fit(n_classes, **settings | {"random_state": 4})
    assert not np.array_equal(first.basis_indices_, other.basis_indices_)


def test_verbose_prints_the_phases_and_callback_hears_them(capsys):
    heard = []
    fit(verbose=1, callback=heard.append, max_basis=6)
    assert all(isinstance(progress, Progress) for progress in heard)
    phases = {progress.phase for progress in heard}
    assert {"selection", "inducing inputs"} <= phases
    assert any(phase.startswith("hyperparameters on") for phase in phases)
    assert [p.step for p in heard if p.phase == "selection"] == list(range(1, 7))
    printed = capsys.readouterr().out
    assert all(printed.count(f"[sparsegp] {phase}:") == 1 for phase in phases)
    fit(verbose=2, max_basis=6, **FIXED)
    assert capsys.readouterr().out.count("selection") == 6


@POSTERIORS
def test_pickle(posterior):
    X = TABLES[3][0]
    model = fit(3, posterior=posterior, **FIXED)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.prefix(4).predict(X), model.prefix(4).predict(X))


def test_whether_the_basis_moves(learned, monkeypatch):
    X = TABLES[2][0]
    still, moved, auto = fit(refine_basis=False), fit(refine_basis=True), learned[2]
    np.testing.assert_allclose(still.basis_vectors_, X[still.basis_indices_], atol=1e-9)
    assert np.max(np.abs(moved.basis_vectors_ - X[moved.basis_indices_]) / np.std(X, axis=0)) > 0.01
    np.testing.assert_array_equal(auto.basis_vectors_, moved.basis_vectors_)
    phases = [[entry["phase"] for entry in model.history_] for model in (still, moved)]
    assert phases[0][-2].startswith("hyperparameters at the basis")
    assert phases[1][-2].startswith("inducing inputs")
    # too many coordinates to move
    monkeypatch.setattr("sparsegp.learning.classes.policy.MAX_COORDINATES", 23)
    np.testing.assert_array_equal(fit().predict_proba(X), still.predict_proba(X))


def test_auto_inference_is_the_bound_where_the_basis_moves(learned):
    X = TABLES[2][0]
    bound = fit(inference="variational")
    np.testing.assert_array_equal(learned[2].predict_proba(X), bound.predict_proba(X))
    still, ep = fit(refine_basis=False), fit(refine_basis=False, inference="ep")
    np.testing.assert_array_equal(still.predict_proba(X), ep.predict_proba(X))


@BOTH
def test_kinds_of_inference_agree_roughly(n_classes):
    X = TABLES[n_classes][0]
    by = {name: fit(n_classes, inference=name, **FIXED) for name in ("ep", "variational")}
    ep, bound = (model.predict_proba(X) for model in by.values())
    assert 0.0 < np.max(np.abs(ep - bound)) < 0.12
    values = {name: model.log_marginal_likelihood_value_ for name, model in by.items()}
    assert values["variational"] < values["ep"]


@BOTH
@pytest.mark.parametrize("objective", ["predictive_loss", "marginal_likelihood"])
@pytest.mark.parametrize("sites", ["moment_matching", "predictive_loss"])
def test_active_posterior(n_classes, objective, sites):
    X, y = TABLES[n_classes]
    model = fit(n_classes, posterior="active", objective=objective, sites=sites, n_adaptations=3)
    assert model.score(X, y) > 0.7
    np.testing.assert_allclose(model.basis_vectors_, X[model.basis_indices_], atol=1e-9)
    assert model.predict_latent(X, return_std=True)[0].shape == (
        (120,) if n_classes == 2 else (120, 3)
    )
    assert any("hyperparameters by" in entry["phase"] for entry in model.history_)


@BOTH
@POSTERIORS
@pytest.mark.parametrize("selection", SELECTIONS)
def test_every_selection(n_classes, posterior, selection):
    X, y = TABLES[n_classes]
    settings = {"posterior": posterior, "n_candidates": 5, **FIXED}
    model = fit(n_classes, selection=selection, **settings)
    assert model.n_basis_ == len(model.selection_path_) == 12
    assert model.score(X, y) > (0.8 if posterior == "projected" else 0.6)


def test_scikit_learn_kernel_is_translated():
    X = TABLES[2][0]
    ours = fit(kernel=Constant(2.0) * RBF([0.7, 0.9]), optimizer=None).predict_proba(X)
    theirs = 2.0 * sk.RBF([0.7, 0.9])
    np.testing.assert_array_equal(fit(kernel=theirs, optimizer=None).predict_proba(X), ours)
    # the probit has a noise of its own
    noisy = theirs + sk.WhiteKernel(0.3)
    np.testing.assert_array_equal(fit(kernel=noisy, optimizer=None).predict_proba(X), ours)


def test_codes_of_categories():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, size=(150, 3))
    y = np.where((X[:, 0] == 2) | (X[:, 1] == 0), "hit", "miss")
    kernel = Constant(1.0) * Categorical((20.0,) * 3)
    model = SparseGPClassifier(kernel, max_basis=25, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.95
    np.testing.assert_allclose(model.basis_vectors_, X[model.basis_indices_], atol=1e-12)
    # a column that says nothing matters least
    lengths = model.kernel_.right.length_scale
    assert np.argmax(lengths) == 2


@pytest.mark.parametrize("n_columns", [64, 65])
def test_many_columns_share_a_length_scale(n_columns):
    X = np.random.default_rng(0).normal(size=(20, n_columns))
    model = SparseGPClassifier(max_basis=5, optimizer=None).fit(X, X[:, 0] > 0.0)
    assert np.size(model.kernel_.right.length_scale) == (64 if n_columns == 64 else 1)


def test_max_basis_beyond_the_rows_means_all_of_them():
    assert sorted(fit(max_basis=1000, **FIXED).basis_indices_) == list(range(120))


def test_a_basis_moves_among_columns_of_zeros_and_ones(monkeypatch):
    """Many coordinates fit anything: the search is shorter."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, (300, 12))
    X = (codes[:, :, None] == np.arange(4)).reshape(300, -1).astype(float)
    X[:, 5] = 0.0
    X[0, 5] = 1.0  # one row alone has this one
    y = np.where((codes[:, 0] == 1) ^ (codes[:, 1] > 1), "a", "b")
    kernel = Constant(1.0) * RBF((3.0,) * 48)
    options = {"max_basis": 30, "transform_X": "none", "random_state": 0}
    model = SparseGPClassifier(kernel, **options).fit(X[:200], y[:200])
    assert model.score(X[200:], y[200:]) > 0.85
    monkeypatch.setattr("sparsegp.learning.classes.policy.EVALUATIONS_OF_MANY_COORDINATES", 5)
    shorter = SparseGPClassifier(kernel, **options).fit(X[:200], y[:200])
    evaluations = [
        next(e["n_evaluations"] for e in found.history_ if e["phase"].startswith("inducing inputs"))
        for found in (model, shorter)
    ]
    assert evaluations[0] > 5 == evaluations[1]  # 1,440 coordinates for 200 rows
