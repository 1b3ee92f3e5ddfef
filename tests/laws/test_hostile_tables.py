"""No table breaks a fit: no LinAlgError, NaN, negative variance or warning of NumPy.

Warnings are errors in this run, so a NumPy warning fails the test. Only FitWarning, which
says that the basis vectors are almost dependent, is allowed: it is our own advice.
"""

import warnings

import numpy as np
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from sparsegp import SparseGPRegressor
from sparsegp.exceptions import FitWarning
from tests.property_settings import cases


def plain(X, y):
    return X, y


def duplicated_rows(X, y):
    return np.repeat(X[: max(1, len(X) // 3)], 3, axis=0), np.repeat(y[: max(1, len(y) // 3)], 3)


def same_inputs_different_targets(X, y):
    return np.zeros_like(X), y


def constant_column(X, y):
    X = X.copy()
    X[:, 0] = 7.0
    return X, y


def huge_and_tiny_columns(X, y):
    return X * np.resize([1e12, 1e-12], X.shape[1]), y


def far_away_row(X, y):
    X = X.copy()
    X[0] += 1e8
    return X, y


def inputs_with_offset(X, y):
    return X + 1e9, y


def constant_target(X, y):
    return X, np.full_like(y, 3.0)


def zero_target(X, y):
    return X, np.zeros_like(y)


def target_with_offset(X, y):
    return X, y + 1e9


def tiny_target(X, y):
    return X, y * 1e-12


def huge_target(X, y):
    return X, y * 1e12


def outlier_in_target(X, y):
    y = y.copy()
    y[0] += 1e6
    return X, y


def single_precision(X, y):
    return X.astype(np.float32), y.astype(np.float32)


def integers(X, y):
    return np.round(3 * X).astype(np.int64), np.round(3 * y).astype(np.int32)


def fortran_order(X, y):
    return np.asfortranarray(X), y


def read_only(X, y):
    X, y = X.copy(), y.copy()
    X.flags.writeable = y.flags.writeable = False
    return X, y


def strided(X, y):
    return np.repeat(X, 2, axis=1)[:, ::2], np.repeat(y, 2)[::2]


TABLES = (
    plain,
    duplicated_rows,
    same_inputs_different_targets,
    constant_column,
    huge_and_tiny_columns,
    far_away_row,
    inputs_with_offset,
    constant_target,
    zero_target,
    target_with_offset,
    tiny_target,
    huge_target,
    outlier_in_target,
    single_precision,
    integers,
    fortran_order,
    read_only,
    strided,
)


@cases(100, suppress_health_check=[HealthCheck.too_slow])
@given(
    table=st.sampled_from(TABLES),
    n=st.sampled_from([1, 2, 3, 5, 20, 60]),
    n_features=st.sampled_from([1, 2, 7]),
    approximation=st.sampled_from(["sor", "dtc", "fitc", "vfe"]),
    max_basis=st.sampled_from([1, 4, 100]),
    transform=st.sampled_from(
        [
            ("standard", "standard"),
            ("standard", "none"),
            ("none", "standard"),
            ("quantile", "sinh-arcsinh"),
            ("auto", "yeo-johnson"),
        ]
    ),
    optimizer=st.sampled_from(["lbfgs", None]),
    seed=st.integers(0, 10_000),
)
def test_every_table_gets_finite_predictions(
    table, n, n_features, approximation, max_basis, transform, optimizer, seed
):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features))
    X, y = table(X, np.sin(X.sum(axis=1)) + 0.1 * rng.normal(size=n))
    model = SparseGPRegressor(
        max_basis=max_basis,
        approximation=approximation,
        transform_X=transform[0],
        transform_y=transform[1],
        optimizer=optimizer,
        random_state=seed,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        model.fit(X, y)
    spread = X.astype(np.float64)
    for new in (spread, spread + 1.0, -100.0 * spread):
        mean, std = model.predict(new, return_std=True)
        latent_mean, latent_std = model.predict_latent(new, return_std=True)
        assert np.all(np.isfinite(mean)) and np.all(np.isfinite(std)) and np.all(std > 0)
        assert np.all(np.isfinite(latent_mean)) and np.all(latent_std >= 0)
    assert np.isfinite(model.log_marginal_likelihood())
    assert np.all(np.isfinite(model.selection_path_))
    assert np.all(np.isfinite(model.sample_y(spread[:3], 2)))
