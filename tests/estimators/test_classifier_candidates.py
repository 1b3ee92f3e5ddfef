"""Basis vectors of a classifier from given inputs, and a given prior mean."""

import numpy as np
import pytest

from sparsegp import SparseGPClassifier, load
from sparsegp.kernels import RBF
from sparsegp.learning.classes.given_candidates import choose_candidates
from sparsegp.learning.hyperparameters.class_parameters import ClassParameters
from sparsegp.tables.rows import Rows
from tests.oracles import selection as oracle

RNG = np.random.default_rng(0)
X = RNG.uniform(-3, 3, size=(120, 2))
F = np.sin(X[:, 0]) + 0.3 * X[:, 1]
LABELS = np.where(F + 0.2 * RNG.normal(size=120) > 0, "up", "down")
THREE = np.digitize(F, [-0.5, 0.5])
CANDIDATES = RNG.uniform(-3, 3, size=(60, 2))


def classifier(**options):
    return SparseGPClassifier(**{"max_basis": 10, "random_state": 0} | options)


@pytest.mark.parametrize("y", [LABELS, THREE], ids=["two classes", "three"])
@pytest.mark.parametrize("selection", ["adaptive", "random"])
@pytest.mark.parametrize("inference", ["ep", "variational", "least_squares"])
def test_the_basis_is_among_the_candidates(inference, selection, y, tmp_path):
    given = {"kernel": 4.0 * RBF(1.0), "optimizer": None, "refine_basis": False}
    model = classifier(inference=inference, selection=selection, **given)
    model.fit(X, y, candidates=CANDIDATES)
    assert len(set(model.basis_indices_)) == model.n_basis_ == 10
    np.testing.assert_allclose(model.basis_vectors_, CANDIDATES[model.basis_indices_])
    assert model.score(X, y) > 0.75
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict_proba(X), model.predict_proba(X))


def test_they_are_where_optimised_inputs_start():
    model = classifier(refine_basis=True).fit(X, LABELS, candidates=CANDIDATES[:5])
    assert model.n_basis_ == 5 and model.score(X, LABELS) > 0.85
    assert not np.allclose(model.basis_vectors_, CANDIDATES[model.basis_indices_])


def test_each_choice_explains_most_of_the_labels():
    rows, slope = Rows(X[:40], np.where(LABELS[:40] == "up", 1.0, -1.0)[:, None]), 2.0
    parameters = ClassParameters(1.5 * RBF(1.0), slope)
    found = choose_candidates(rows, CANDIDATES, parameters, 5, "adaptive", RNG)
    centred, chosen = Rows(rows.X, rows.y - rows.y.mean()), found.indices.tolist()
    for m, j in enumerate(chosen):
        others = np.setdiff1d(np.arange(60), chosen[:m])
        values = [
            oracle.log_posterior(
                parameters.kernel, centred, CANDIDATES[[*chosen[:m], i]], slope**-2
            )
            for i in others
        ]
        assert j == others[np.argmin(values)]
        assert found.full_path[m] == pytest.approx(min(values))


def test_what_is_refused():
    with pytest.raises(ValueError, match=r"candidates have no labels.*posterior='projected'"):
        classifier(posterior="active").fit(X, LABELS, candidates=CANDIDATES)
    with pytest.raises(ValueError, match="candidates: X has"):
        classifier().fit(X, LABELS, candidates=CANDIDATES[:, :1])


@pytest.mark.parametrize("options", [{}, {"posterior": "active"}, {"optimizer": None}])
def test_a_given_bias_stays(options):
    given, far = {"refine_basis": False} | options, np.full((1, 2), 1e4)
    model = classifier(bias=0.0, **given).fit(X, F > 0.9)
    assert model.bias_ == 0.0
    np.testing.assert_allclose(model.predict_proba(far), 0.5)
    assert classifier(**given).fit(X, F > 0.9).predict_proba(far)[0, 1] != 0.5
    assert classifier(bias=0.4, **given).fit(X, THREE).bias_.tolist() == [0.4] * 3
