"""How fast and how well models learn from a stream.

    python -m benchmarks.online_speed rows [--sizes M ...] [--rows N]
    python -m benchmarks.online_speed single [--sizes M ...] [--rows N]
    python -m benchmarks.online_speed drift [--rows N]
    python -m benchmarks.online_speed streams [--sets NAME ...] [--models NAME ...] [--rows N]

``rows``: rows a second against the number of basis vectors for 256 columns, one output and ten
(whose ratio should stay below ten), once where every row is novel and once where none is.
``single``: ``partial_fit`` of one row a call by estimators with a full basis, default options and
simpler ones in turn; the median rate over batches of 200 rows, in process time.
``drift``: a long stream whose function changes, with forgetting; errors, variances and the drift
of the inverse Gram matrix. ``streams``: predict, then learn, in portions, against a ridge that is
refitted on all rows so far (its deviation is that of the last residuals) and an exact Gaussian
process on a sliding window: RMSE, NLPD, NMSE. All take ``--json``.
Times are those of one run with one BLAS thread; only ratios mean something.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as sklearn_kernels
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.datasets import load
from sparsegp import OnlineGPClassifier, OnlineGPRegressor
from sparsegp.arrays import one_blas_thread
from sparsegp.kernels import RBF
from sparsegp.likelihoods import Gaussian, Probit
from sparsegp.metrics import PredictiveDistribution, nlpd
from sparsegp.online.learn import Rule, learn
from sparsegp.online.recursion import new_state

Record = dict[str, Any]
SIZES = (50, 100, 250, 500, 1000)
N_COLUMNS, N_CLASSES = 256, 10
FIRST_ROWS, N_INPUTS, BATCH = 1_000, 8, 200
SINGLE_OPTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "forgetting=0.001": {"forgetting": 0.001},
    "mean='zero'": {"mean": "zero"},
    "forgetting=None, mean='zero'": {"forgetting": None, "mean": "zero"},
}
PORTION = 10
FORGETTING = 0.0005  # a portion
# The ridge on all rows is fitted again when they have grown by this share.
GROWTH = 0.01
WINDOW = 500
SMALLEST_STD = 1e-6  # of the target's: constant targets have no density


def rows_a_second(n_basis: int, n_outputs: int, n_rows: int, *, news: bool, deletion: str) -> float:
    """Fill the basis, then time ``n_rows`` more rows."""
    rng = np.random.default_rng(0)
    state = new_state(RBF(16.0), N_COLUMNS, n_outputs)
    likelihood = Gaussian(0.1) if n_outputs == 1 else Probit()
    X = rng.standard_normal((n_basis + n_rows, N_COLUMNS))
    Y = np.sign(rng.standard_normal((len(X), n_outputs)))
    learn(state, X[:n_basis], Y[:n_basis], likelihood, Rule(n_basis))
    start = time.perf_counter()
    tolerance = 1e-6 if news else 10.0
    learn(state, X[n_basis:], Y[n_basis:], likelihood, Rule(n_basis, tolerance, deletion))
    return n_rows / (time.perf_counter() - start)


def rows(options: argparse.Namespace) -> Iterator[Record]:
    for n_basis in options.sizes or SIZES:
        for news, deletion in ((True, "mean"), (True, "kl"), (False, "mean")):
            how = {"news": news, "deletion": deletion}
            one = rows_a_second(n_basis, 1, options.rows or 1000, **how)
            ten = rows_a_second(n_basis, N_CLASSES, options.rows or 1000, **how)
            yield {
                "n_basis": n_basis,
                **how,
                "rows_a_second": round(one),
                "rows_a_second_ten_outputs": round(ten),
                "ratio": round(one / ten, 2),
            }


def single(options: argparse.Namespace) -> Iterator[Record]:
    n_rows = options.rows or 2_000
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (FIRST_ROWS + n_rows, N_INPUTS))
    y = np.sin(2.0 * X[:, 0]) * X[:, 1] + 0.3 * X[:, 2] ** 2 + 0.1 * rng.standard_normal(len(X))
    for size in options.sizes or [100]:
        given: dict[str, Any] = {"max_basis": size, "random_state": 0}
        learners = {
            name: (OnlineGPRegressor(**given | more), y) for name, more in SINGLE_OPTIONS.items()
        }
        learners["two classes"] = (OnlineGPClassifier(**given), y > 0.3)
        rates: dict[str, list[float]] = {name: [] for name in learners}
        for model, target in learners.values():
            labels = {"classes": [False, True]} if target.dtype == bool else {}
            model.partial_fit(X[:FIRST_ROWS], target[:FIRST_ROWS], **labels)
        for first in range(FIRST_ROWS, len(X), BATCH):
            for name, (model, target) in learners.items():
                start = time.process_time()
                for i in range(first, min(first + BATCH, len(X))):
                    model.partial_fit(X[i : i + 1], target[i : i + 1])
                rates[name].append(BATCH / (time.process_time() - start))
        for name, found in rates.items():
            quarters = np.quantile(found, [0.25, 0.5, 0.75]).round().tolist()
            model = learners[name][0]
            yield {
                "n_basis": model.n_basis_,
                "options": name,
                "rows_a_second": quarters[1],
                "quartiles": quarters[::2],
            }


def drift(options: argparse.Namespace) -> Iterator[Record]:
    rng, kernel = np.random.default_rng(0), RBF((0.6, 0.6))
    state, n_rows, errors, smallest = new_state(kernel, 2, 1), options.rows or 1_000_000, [], np.inf
    start = time.perf_counter()
    for step in range(n_rows // PORTION):
        X = rng.uniform(-1.0, 1.0, (PORTION, 2))
        y = np.sin(3.0 * X[:, :1] + 0.01 * step) * np.cos(X[:, 1:])
        mean, variance = state.mean_and_variance(X)
        errors.append(float(np.sqrt(np.mean((mean - y) ** 2))))
        smallest = min(smallest, float(np.min(variance)))
        learn(
            state,
            X,
            y + 0.1 * rng.standard_normal(y.shape),
            Gaussian(0.01),
            Rule(50, deletion="kl"),
        )
        state.forget(0.1)
    yield {
        "rows": n_rows,
        "rmse_first_tenth": round(float(np.mean(errors[: len(errors) // 10])), 4),
        "rmse_last_tenth": round(float(np.mean(errors[-len(errors) // 10 :])), 4),
        "smallest_variance": smallest,
        "drift_of_inverse": state.drift(),
        "rows_a_second": round(n_rows / (time.perf_counter() - start)),
    }


class Refitted:
    """A batch model behind ``partial_fit``: fitted anew on the last rows after each portion."""

    def __init__(self, make: Callable[[], Any], window: int | None = None) -> None:
        self.make, self.window = make, window
        self.X: list[np.ndarray] = []
        self.y: list[np.ndarray] = []
        self.n_fitted = 0

    def partial_fit(self, X: np.ndarray, y: np.ndarray) -> None:
        """Take a portion, and fit."""
        self.X.append(X)
        self.y.append(y)
        if self.window is not None:
            keep = slice(-self.window // len(X), None)
            self.X, self.y = self.X[keep], self.y[keep]
        elif len(self.X) < (1.0 + GROWTH) * self.n_fitted:
            return
        self.n_fitted = len(self.X)
        self.model = self.make().fit(np.concatenate(self.X), np.concatenate(self.y))

    def predict(self, X: np.ndarray, return_std: bool) -> tuple[np.ndarray, np.ndarray]:
        """Predict, with a deviation: the model's own, or that of the residuals."""
        assert return_std
        if self.window is not None:
            return self.model.predict(X, return_std=True)
        last = slice(-WINDOW // len(X), None)
        residuals = np.concatenate(self.y[last]) - self.model.predict(np.concatenate(self.X[last]))
        return self.model.predict(X), np.full(len(X), np.std(residuals))


def models(n_columns: int) -> dict[str, Any]:
    smooth = sklearn_kernels.RBF(0.5 * n_columns**0.5)
    window_kernel = 1.0 * smooth + sklearn_kernels.WhiteKernel(0.1)

    def window() -> Any:
        exact = GaussianProcessRegressor(window_kernel, optimizer=None, normalize_y=True)
        return make_pipeline(StandardScaler(), exact)

    return {
        "online": OnlineGPRegressor(max_basis=100, random_state=0),
        "online, forgetting": OnlineGPRegressor(max_basis=100, random_state=0),
        "ridge on all rows": Refitted(lambda: make_pipeline(StandardScaler(), Ridge())),
        "exact on a window": Refitted(window, WINDOW),
    }


def streams(options: argparse.Namespace) -> Iterator[Record]:
    for name in options.sets:
        data = load(name)
        n_rows = min(options.rows or 20_000, len(data.y))
        X, y = data.X[:n_rows], data.y[:n_rows]
        scale = float(np.std(y))
        for label, model in models(X.shape[1]).items():
            if label not in options.models:
                continue
            squares, densities, start = [], [], time.perf_counter()
            for first in range(0, n_rows - PORTION + 1, PORTION):
                part = slice(first, first + PORTION)
                if first:
                    mean, std = model.predict(X[part], return_std=True)
                    squares.append((mean - y[part]) ** 2)
                    std = np.maximum(std, SMALLEST_STD * scale)
                    densities.append(nlpd(PredictiveDistribution.gaussian(mean, std), y[part]))
                model.partial_fit(X[part], y[part])
                if label == "online, forgetting":
                    model.forget(FORGETTING)
            yield {
                "set": name,
                "model": label,
                "rows": n_rows,
                "rmse": round(float(np.sqrt(np.mean(squares))), 5),
                "nlpd": round(float(np.mean(densities)), 4),
                "nmse": round(float(np.mean(squares)) / scale**2, 4),
                "seconds": round(time.perf_counter() - start, 2),
            }


PARTS = {"rows": rows, "single": single, "drift": drift, "streams": streams}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=list(PARTS))
    parser.add_argument("--sizes", type=int, nargs="+")
    parser.add_argument("--sets", nargs="+", default=["houseelectric", "beijing_pm25"])
    parser.add_argument("--models", nargs="+", default=list(models(1)), choices=list(models(1)))
    parser.add_argument("--rows", type=int)
    parser.add_argument("--json", type=Path, help="also write the figures here")
    options = parser.parse_args()
    records = []
    with one_blas_thread():
        for record in PARTS[options.part](options):
            records.append(record)
            print(record, flush=True)
    if options.json:
        options.json.write_text(json.dumps(records, indent=1) + "\n")


if __name__ == "__main__":
    main()
