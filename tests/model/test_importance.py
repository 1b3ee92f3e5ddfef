"""Importances of inputs: shares of the variation of a function."""

import numpy as np
import pytest

from sparsegp.model import importance
from sparsegp.model.importance import importances


def test_wide_tables_have_fewer_pairs(monkeypatch):
    """The kernel values of all columns are limited; shares stay near those of all pairs."""
    rng, asked = np.random.default_rng(0), []
    Z, w = rng.standard_normal((60, 8)), np.arange(8.0)

    def mean(X):
        asked.append(len(X))
        return (X @ w)[:, None]

    many = importances(mean, Z)
    assert asked[0] == 60 and set(asked[1:]) == {importance.IMPORTANCE_PAIRS}
    asked.clear()
    monkeypatch.setattr(importance, "IMPORTANCE_VALUES", 150 * 8 * 60)
    few = importances(mean, Z)
    assert set(asked[1:]) == {150}
    np.testing.assert_allclose(many, w**2 / np.sum(w**2), atol=0.08)
    np.testing.assert_allclose(few, many, atol=0.08)
    assert np.sum(few) == pytest.approx(1.0)
