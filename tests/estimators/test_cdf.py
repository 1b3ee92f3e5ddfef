"""The predictive distribution function undoes the quantiles."""

import numpy as np
import pytest

from tests.plain import plain_regressor


@pytest.mark.parametrize("transform_y", ["standard", "log", "sinh-arcsinh"])
def test_cdf_of_a_quantile_is_its_probability(transform_y):
    X = np.linspace(0, 3, 150)[:, None]
    y = np.exp(np.sin(X[:, 0]) + 0.3 * np.random.default_rng(0).normal(size=150))
    model = plain_regressor(max_basis=10, transform_y=transform_y, random_state=0).fit(X, y)
    for probability in (0.05, 0.5, 0.9):
        quantile = model.predict_quantiles(X[::30], probability)
        np.testing.assert_allclose(model.cdf(X[::30], quantile), probability, atol=1e-8)
    pit = model.cdf(X, y)
    assert pit.shape == (150,)
    assert 0.4 < pit.mean() < 0.6


def test_several_outputs_have_a_column_each():
    X = np.linspace(0, 3, 80)[:, None]
    Y = np.column_stack([np.sin(X[:, 0]), np.cos(X[:, 0])])
    model = plain_regressor(max_basis=8, random_state=0).fit(X, Y)
    assert model.cdf(X, Y).shape == (80, 2)
    with pytest.raises(ValueError, match="y has 1 outputs, but the model was fitted with 2"):
        model.cdf(X, Y[:, 0])
