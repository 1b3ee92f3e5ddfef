"""How many basis vectors a classifier has by default."""

import numpy as np
import pandas as pd
import pytest

from sparsegp import SparseGPClassifier


def test_levels_of_a_category_add_to_the_basis_of_a_classifier():
    rng = np.random.default_rng(0)
    person = rng.integers(0, 120, 400)
    table = pd.DataFrame({"person": [f"p{i}" for i in person], "a": rng.normal(size=400)})
    label = (rng.normal(size=120)[person] + 0.5 * rng.normal(size=400)) > 0.0
    options = {"optimizer": None, "refine_basis": False, "random_state": 0, "stop": None}
    assert SparseGPClassifier(**options).fit(table, label).n_basis_ > 150
    assert SparseGPClassifier(**options).fit(table[["a"]], label).n_basis_ <= 100


def test_a_size_is_a_number_or_auto():
    with pytest.raises(ValueError, match="max_basis must be"):
        SparseGPClassifier(max_basis="many").fit(np.eye(9), np.arange(9) > 4)


def test_several_classes_have_more_basis_vectors():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 8))
    label = rng.integers(0, 5, 400)
    quick = {"optimizer": None, "random_state": 0}
    assert SparseGPClassifier(**quick).fit(X, label > 2).n_basis_ == 100
    assert SparseGPClassifier(**quick).fit(X, label).n_basis_ == 160
    assert SparseGPClassifier(max_basis=30, **quick).fit(X, label).n_basis_ == 30
