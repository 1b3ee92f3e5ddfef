"""A demonstration on generated data: ``python -m sparsegp.cli.demo``.

Friedman 1 (ten inputs of which five matter, noise with standard deviation 1): fit 16,000 rows,
predict 4,000 held-out rows with error bars, and print accuracy and calibration.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import numpy as np
from sklearn.datasets import make_friedman1

from sparsegp import SparseGPRegressor
from sparsegp.cli.display import FitDisplay, show_table
from sparsegp.files.atomic import write_atomically
from sparsegp.metrics import interval_coverage, nlpd, nmse
from sparsegp.plot.regression_figure import save_regression_figure
from sparsegp.report import About, report_page

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the demonstration."""
    parser = argparse.ArgumentParser(prog="sparsegp-demo", description=__doc__)
    parser.add_argument(
        "--rows", type=int, default=20_000, help="number of rows; a fifth is held out"
    )
    parser.add_argument("--picture", type=Path, default=Path("sparsegp-demo.png"))
    parser.add_argument("--report", type=Path, default=Path("sparsegp-demo.html"))
    options = parser.parse_args(arguments)

    X, y = make_friedman1(options.rows, n_features=10, noise=1.0, random_state=0)
    n_training = options.rows * 4 // 5
    start = perf_counter()
    with FitDisplay() as display:
        model = SparseGPRegressor(max_basis=300, random_state=0, callback=display)
        model.fit(X[:n_training], y[:n_training])
    seconds = perf_counter() - start
    y_held_out = y[n_training:]
    predicted = model.predict_distribution(X[n_training:])

    best = float(np.mean((y_held_out - _friedman1(X[n_training:])) ** 2) / np.var(y_held_out))
    show_table(
        f"Friedman 1: {n_training:,} training rows, {len(y_held_out):,} held-out rows",
        {
            "NMSE": f"{nmse(y_held_out, predicted.mean):.4f}  (noise alone: {best:.4f})",
            "NLPD": f"{nlpd(predicted, y_held_out):.3f}",
            "95 % coverage": f"{100 * interval_coverage(predicted, y_held_out):.1f} %",
            "basis vectors": str(model.n_basis_),
            "neighbours": str(model.n_neighbors_),
            "seconds to fit": f"{seconds:.1f}",
        },
    )
    title = f"Friedman 1 with {model.n_basis_} basis vectors"
    save_regression_figure(options.picture, y_held_out, predicted, model.selection_path_, title)
    print(f"picture: {options.picture}")
    about = About(
        title="Friedman 1: ten inputs, of which five matter",
        target="y",
        rows="held-out rows",
        notes=(
            "Generated data: y = 10 sin(π x0 x1) + 20 (x2 − ½)² + 10 x3 + 5 x4 + noise N(0, 1)",
        ),
    )
    page = report_page(model, X[n_training:], y_held_out, about=about, y_training=y[:n_training])
    write_atomically(options.report, page.encode())
    print(f"report: {options.report}")


def _friedman1(X: np.ndarray) -> np.ndarray:
    """Return the noise-free function of make_friedman1."""
    interaction = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return interaction + 10 * X[:, 3] + 5 * X[:, 4]


if __name__ == "__main__":
    main()
