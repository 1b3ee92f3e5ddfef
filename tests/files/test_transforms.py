import numpy as np
import pytest

from sparsegp import SparseGPRegressor, load

rng = np.random.default_rng(0)
X = np.exp(rng.standard_normal((120, 3)))
y = np.exp(np.sin(X[:, 0]) + 0.1 * rng.standard_normal(120))


@pytest.mark.parametrize("transform_y", ["standard", "log", "yeo-johnson", "sinh-arcsinh", "auto"])
@pytest.mark.parametrize("transform_X", ["quantile", "auto", {0: "quantile"}])
def test_learned_transforms_come_back(tmp_path, transform_X, transform_y):
    model = SparseGPRegressor(
        max_basis=8, transform_X=transform_X, transform_y=transform_y, random_state=0
    ).fit(X, y)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    for before, after in zip(
        model.predict(X, return_std=True), again.predict(X, return_std=True), strict=True
    ):
        np.testing.assert_array_equal(before, after)
    np.testing.assert_array_equal(
        model.predict_quantiles(X, [0.1, 0.9]), again.predict_quantiles(X, [0.1, 0.9])
    )
    np.testing.assert_array_equal(model.basis_vectors_, again.basis_vectors_)
    assert again.get_params() == model.get_params()
