"""Small fitted models of every kind, each fitted once."""

import warnings
from functools import cache

import numpy as np
import pandas as pd
from sklearn.gaussian_process import kernels as sk

from sparsegp import OnlineGPClassifier, OnlineGPRegressor, SparseGPClassifier, SparseGPRegressor
from sparsegp.exceptions import ColumnWarning
from sparsegp.kernels import RBF, Auto, Constant, Matern, OnColumns
from sparsegp.learning.structure.choose_kernel import PLUS, OpenKernel
from sparsegp.learning.structure.kernel_families import ADDITIONS, FAMILIES
from sparsegp.likelihoods import StudentT
from tests.plain import PLAIN

RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 3))
F = np.sin(X[:, 0]) + X[:, 1] * X[:, 2]
Y = F + 0.1 * RNG.normal(size=150)
NEW = RNG.normal(size=(40, 3))
COUNTS = RNG.poisson(np.exp(0.5 * F)).astype(float)
LABELS = np.array(["low", "middle", "very high"])[np.digitize(F, [-0.7, 0.7])]
WEIGHT = RNG.integers(0, 3, 150).astype(float)
FRAME = pd.DataFrame({"a": X[:, 0], "b": X[:, 1].astype(np.float32), "größe": X[:, 2]})
NEW_FRAME = pd.DataFrame(NEW, columns=FRAME.columns)

SKLEARN = 1.5 * sk.RBF([1.0, 2.0, 1.0]) + sk.Matern(nu=2.5) + sk.WhiteKernel(0.2)


def _uneven():
    """Return rows enough to calibrate on, whose noise grows with the level."""
    rng = np.random.default_rng(1)
    inputs = rng.normal(size=(900, 3))
    level = np.sin(inputs[:, 0]) + inputs[:, 1]
    return inputs, level + 0.3 * np.exp(level) * rng.normal(size=900)


def _skewed():
    """Return rows of which columns and target have long tails."""
    return np.exp(1.5 * X), np.exp(Y)


def _regressor(**options):
    return SparseGPRegressor(max_basis=20, random_state=0, **PLAIN | options)


def _classifier(**options):
    return SparseGPClassifier(max_basis=12, random_state=0, **options)


def _online(**options):
    return OnlineGPRegressor(max_basis=15, random_state=0, **{"n_warmup": 60} | options)


def _online_classes(**options):
    return OnlineGPClassifier(max_basis=15, n_warmup=60, random_state=0, **options)


def _with_neighbours(**options):
    return _regressor(**{"n_neighbors": 8, "optimizer": None} | options)


NEIGHBOURS = {
    "neighbours": lambda: _with_neighbours().fit(X, Y),
    "neighbours, weights": lambda: _with_neighbours(kernel=Matern(nu=1.5)).fit(
        X, Y, sample_weight=WEIGHT
    ),
    "neighbours of two targets": lambda: _with_neighbours().fit(X, np.column_stack((Y, 5.0 + F))),
    "neighbours, table, target by log": lambda: _with_neighbours(
        kernel=2.0 * OnColumns(Matern(nu=0.5), ["größe", "a"]) + Constant(0.5) * RBF(2.0),
        transform_y="log",
    ).fit(FRAME, np.exp(Y)),
    "neighbours, calibrated": lambda: _with_neighbours(
        optimizer="lbfgs", selection="random", transform_y="sinh-arcsinh"
    ).fit(*_uneven()),
}
FITS = {
    **NEIGHBOURS,
    "default": lambda: _regressor().fit(X, Y),
    "as given": lambda: _regressor(optimizer=None).fit(X, Y),
    "two targets": lambda: _regressor(optimizer=None).fit(X, np.column_stack((Y, 5.0 + F, F**2))),
    "column target": lambda: _regressor(optimizer=None).fit(X, Y[:, None]),
    "weights": lambda: _regressor().fit(X, Y, sample_weight=WEIGHT),
    "table": lambda: _regressor(
        kernel=2.0 * OnColumns(Matern(nu=0.5), ["größe", "a"]) + Constant(0.5) * RBF(2.0)
    ).fit(FRAME, Y),
    "kernel chosen": lambda: _regressor(kernel="auto").fit(X, Y),
    "kernel chosen beside another": lambda: _regressor(
        kernel=OnColumns(Auto(), ["a", "größe"]) * OnColumns(Matern(nu=2.5), ["b"])
    ).fit(FRAME, Y),
    **{
        f"{family} and all that may be added": lambda family=family: _regressor(
            kernel=OpenKernel(Auto(3)).initial(PLUS.join((family, *ADDITIONS))),
            optimizer=None,
        ).fit(X, Y)
        for family in FAMILIES
    },
    "columns by quantiles": lambda: _regressor(
        transform_X={"a": "quantile", "b": "none"}, optimizer=None
    ).fit(FRAME, Y),
    **{
        f"target by {kind}": lambda kind=kind: _regressor(kernel=Matern(), transform_y=kind).fit(
            X, np.exp(Y)
        )
        for kind in ("log", "yeo-johnson", "sinh-arcsinh")
    },
    "two bent targets": lambda: _regressor(transform_y="sinh-arcsinh", optimizer=None).fit(
        X, np.column_stack((np.exp(Y), -np.exp(-F)))
    ),
    "all by evidence": lambda: _regressor(
        kernel="auto", transform_X="auto", transform_y="auto"
    ).fit(*_skewed()),
    "sor": lambda: _regressor(approximation="sor", optimizer=None).fit(X, Y),
    "fitc": lambda: _regressor(approximation="fitc", optimizer=None).fit(X, Y),
    "uneven noise": lambda: _regressor(selection="random", n_neighbors=0).fit(*_uneven()),
    "stopped, scikit-learn's kernel": lambda: _regressor(
        kernel=SKLEARN, selection="loo_error", n_candidates=5
    ).fit(X, Y),
    "shorten": lambda: _regressor(optimizer=None).fit(X, Y).prefix(7),
    "moved": lambda: _regressor(refine_basis=True).fit(X, Y),
    "two classes": lambda: _classifier().fit(X, F > 0.0),
    "classes by evidence": lambda: _classifier(kernel="auto", transform_X="auto").fit(
        _skewed()[0], LABELS
    ),
    "classes by quantiles": lambda: _classifier(transform_X={0: "quantile"}, optimizer=None).fit(
        X, LABELS
    ),
    "three classes": lambda: _classifier(class_weight="balanced").fit(FRAME, LABELS),
    "classes by least squares": lambda: _classifier(inference="least_squares").fit(X, LABELS),
    "objects": lambda: _classifier(
        optimizer=None, class_weight={"low": 1, "middle": 2.0, "very high": np.float32(0.5)}
    ).fit(X, LABELS.astype(object)),
    "active": lambda: _classifier(posterior="active", n_adaptations=1).fit(X, LABELS, WEIGHT),
    "numbers": lambda: _classifier(optimizer=None, inference="ep").fit(
        X, np.digitize(F, [0.0]) * 2.0
    ),
    "stream": lambda: _online().fit(X, Y),
    "stream, two sweeps": lambda: _online(n_sweeps=2, deletion="mean").fit(FRAME, Y),
    "stream, warm-up": lambda: _online().partial_fit(X[:45], Y[:45]),
    "stream of two targets": lambda: _online().fit(X, np.column_stack((Y, 3.0 * F + 9.0))),
    "stream of counts": lambda: _online(likelihood="poisson").fit(
        X, np.column_stack((COUNTS, COUNTS[::-1])), sample_weight=WEIGHT
    ),
    "stream, laplace": lambda: _online(likelihood="laplace").fit(X, Y),
    "stream, own scale": lambda: _online(likelihood=StudentT(3.0, 0.2)).fit(X, Y),
    "stream, student_t": lambda: _online(likelihood="student_t").fit(X, Y),
    "stream, one_sided": lambda: _online(likelihood="one_sided").fit(X, Y),
    "stream, poisson": lambda: _online(likelihood="poisson").fit(X, COUNTS),
    "stream, all by evidence": lambda: _online(kernel="auto", transform_X="auto", n_warmup=120).fit(
        _skewed()[0], Y
    ),
    "stream of classes, columns by quantiles": lambda: _online_classes(
        transform_X={0: "quantile", 1: "common"}
    ).fit(X, LABELS),
    "stream of two classes": lambda: _online_classes().fit(X, F > 0.0),
    "stream of two classes with wrong labels": lambda: _online_classes(label_noise=0.2).fit(
        X, F > 0.0
    ),
    "stream of three classes with wrong labels": lambda: _online_classes(label_noise=0.2).fit(
        X, LABELS
    ),
    "stream of three classes": lambda: _online_classes().fit(FRAME, LABELS),
}


TABLE = pd.DataFrame(
    {
        "size": np.where(X[:, 0] > 1.0, np.nan, X[:, 0]),
        "city": np.array(["Bern", "Oslo", "Rome"])[np.digitize(X[:, 1], [-0.5, 0.5])],
        "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(150), unit="D"),
        "unit": "cm",
    }
)
#: Models of a table as it is; they predict it, not ``NEW``.
TABLES = {
    "raw table": lambda: _regressor().fit(TABLE, Y),
    "table of labels": lambda: _classifier().fit(TABLE, LABELS),
    "stream of a table": lambda: _online().partial_fit(TABLE, Y),
    "array with missing values": lambda: _regressor().fit(np.where(X > 1.5, np.nan, X), Y),
}


@cache
def fitted(name):
    """Return a fitted model; do not change it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ColumnWarning)
        return (FITS | TABLES)[name]()


def new_rows(model):
    """Return rows to predict, as the model knows them."""
    return NEW_FRAME if hasattr(model, "feature_names_in_") else NEW


def predictions(model):
    """Return everything that a model predicts, by name."""
    rows = new_rows(model)
    found = {"predict": model.predict(rows)}
    if hasattr(model, "predict_proba"):
        found["proba"] = model.predict_proba(rows)
    else:
        found["mean"], found["std"] = model.predict(rows, return_std=True)
    found["latent mean"], latent_std = model.predict_latent(rows, return_std=True)
    found["latent variance"] = latent_std**2
    if isinstance(model, SparseGPRegressor):
        found["cov"] = model.predict(rows, return_cov=True)[1]
        found["samples"] = model.sample_y(rows, 3)
    return found


def assert_same_bits(found, wanted):
    """Compare dicts of arrays: the same numbers, types and shapes."""
    assert found.keys() == wanted.keys()
    for name, values in wanted.items():
        assert found[name].dtype == values.dtype, name
        np.testing.assert_array_equal(found[name], values, err_msg=name)
