"""Write one small file of each kind in the present format, with what it should predict.

Run as ``python -m tests.files.make_fixtures`` when the format has got a new number or files a new
content. Files that exist stay as they are: they must load for ever.
"""

from pathlib import Path

import numpy as np

from sparsegp import OnlineGPClassifier, OnlineGPRegressor, SparseGPClassifier, SparseGPRegressor
from sparsegp.files import save
from sparsegp.files.container import FORMAT_VERSION
from sparsegp.kernels import RBF, Constant, Linear, Matern, OnColumns, Periodic
from tests.files.models import FRAME, LABELS, NEW, SKLEARN, F, X, Y

FOLDER = Path(__file__).parent / "fixtures"
ROWS = NEW[:10]
FEW = {"max_basis": 6, "random_state": 0}
EVERY_KERNEL = (
    2.0 * Matern((1.0, 2.0, 3.0), nu=2.5) + OnColumns(RBF() * Periodic(2.0, 3.0), [1]) + Linear(0.1)
)


def models():
    """Return a model for each thing that a file may hold."""
    return {
        "regressor": SparseGPRegressor(EVERY_KERNEL, **FEW).fit(X, np.column_stack((Y, F))),
        "regressor_sklearn_kernel": SparseGPRegressor(SKLEARN, **FEW).fit(X, Y),
        "neighbours": SparseGPRegressor(EVERY_KERNEL, n_neighbors=5, optimizer=None, **FEW).fit(
            X[:60], np.column_stack((Y, F))[:60], sample_weight=np.linspace(0.5, 2.0, 60)
        ),
        "warped_target": SparseGPRegressor(
            Matern(nu=1.5), n_neighbors=0, transform_y="sinh-arcsinh", **FEW
        ).fit(*_many_rows()),
        "mean_only": SparseGPRegressor(**FEW).fit(X, Y),
        "classifier": SparseGPClassifier(**FEW, class_weight={"low": 2}).fit(
            FRAME.to_numpy(), LABELS
        ),
        "active_classifier": SparseGPClassifier(posterior="active", **FEW).fit(X, F > 0.0),
        "stream": OnlineGPRegressor(n_warmup=40, likelihood="student_t", **FEW).fit(X, Y),
        "stream_in_warm_up": OnlineGPRegressor(
            Constant(2.0) * RBF(), n_warmup=40, **FEW
        ).partial_fit(X[:10], Y[:10]),
        "stream_of_classes": OnlineGPClassifier(n_warmup=40, **FEW).fit(X, LABELS),
    }


def _many_rows():
    """Return enough rows for the mean of a warped target to be judged on some of them."""
    drawn = np.random.default_rng(0).normal(size=(800, 3))
    return drawn, np.exp(drawn[:, 0] + np.sin(drawn[:, 1]))


def asked(model, *, variance):
    """Return what is compared."""
    if hasattr(model, "predict_proba"):
        return model.predict_proba(ROWS)
    return np.stack(model.predict(ROWS, return_std=True)) if variance else model.predict(ROWS)


if __name__ == "__main__":
    for name, model in models().items():
        file = FOLDER / f"v{FORMAT_VERSION}_{name}.safetensors"
        if file.exists():
            continue
        variance = name != "mean_only"
        save(model, file, variance=variance, notes=asked(model, variance=variance).tolist())
