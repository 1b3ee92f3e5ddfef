"""The methods of the papers, called on a small table, and the page that lists them.

    python -m benchmarks.reproduce.methods [--out FILE]

runs the calls of ``method_rows`` that no experiment holds and records a number: the mean of what
the model predicts at new inputs, or the sum of what the call returns.
``benchmarks.reproduce.page`` writes the page.
"""

from collections.abc import Iterator, Sequence
from functools import partial as bound
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.reproduce.comparison import markdown_table
from benchmarks.reproduce.experiment import Record
from benchmarks.reproduce.method_rows import ROWS, Row
from benchmarks.reproduce.records import Job, missing, read_records, reproduce, standard_options
from sparsegp import OnlineGPClassifier, OnlineGPRegressor, SparseGPClassifier, SparseGPRegressor
from sparsegp.kernels import RBF
from sparsegp.likelihoods import GaussianMixture, by_quadrature
from sparsegp.metrics import nlpd

__all__ = ["METHODS_PAGE", "call"]

N_ROWS = 60
OWN = "methods"  # the experiment of rows that no other one holds
TITLES = {
    "KC": "Keerthi & Chu (2005)",
    "SKS": "Sundararajan, Keerthi & Shevade",
    "SS": "Sundararajan & Shevade",
    "CO": "Csató & Opper (2002)",
}


def _edge(y: np.ndarray, f: np.ndarray) -> np.ndarray:
    """Return a log density of targets that are never far from f: zero beyond 3."""
    return np.where(np.abs(y - f) < 3.0, -np.abs(y - f), -np.inf)


def _table() -> dict[str, Any]:
    """Return the small table."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (N_ROWS, 2))
    f = np.sin(X[:, 0]) + 0.5 * X[:, 1]
    return {
        "X": X,
        "y": f + 0.1 * rng.standard_normal(N_ROWS),
        "c": np.where(f > 0.0, 1, -1),
        "d": np.digitize(f, (-0.5, 0.5)),
        "T": rng.uniform(-2.0, 2.0, (20, 2)),
    }


def call(row: Row) -> float:
    """Run the call of a row; return one number."""
    names = _table() | {
        "SparseGPRegressor": _seeded(SparseGPRegressor),
        "SparseGPClassifier": _seeded(SparseGPClassifier),
        "OnlineGPRegressor": _seeded(OnlineGPRegressor),
        "OnlineGPClassifier": _seeded(OnlineGPClassifier),
        "RBF": RBF,
        "GaussianMixture": GaussianMixture,
        "by_quadrature": by_quadrature,
        "edge": _edge,
        "nlpd": nlpd,
    }
    found = eval(row.call, names)  # our own text
    if hasattr(found, "predict_proba"):
        return float(np.mean(found.predict_proba(names["T"])[:, 0]))
    if hasattr(found, "predict"):
        return float(np.mean(found.predict(names["T"])))
    return float(np.sum(found))


def _seeded(estimator: Any) -> Any:
    return bound(estimator, random_state=0)


def run(row: Row) -> Iterator[Record]:
    yield {"value": call(row)}


def section_of(paper: str, results: Path, _: Path) -> str:
    records = {r["row"]: r for r in read_records(results, "methods")}
    if not records:
        return f"## {TITLES[paper]}\n\n{missing('methods')}"
    rows = [
        [
            row.equation,
            row.what,
            f"`{row.call}`",
            f"`{row.test}`",
            _record(row, records),
        ]
        for row in ROWS
        if row.paper == paper
    ]
    header = ["equation", "what", "call", "test", "record"]
    return f"## {TITLES[paper]}\n\n{markdown_table(header, rows)}"


def _record(row: Row, records: dict[str, Record]) -> str:
    if row.record != OWN:
        return f"`{row.record}`"
    found = records[row.key]
    return f"`{OWN}`: {found['value']:.4g} ({found['commit']})".replace("-", "−")


#: The sections, a paper each.
METHODS_PAGE = tuple(bound(section_of, paper) for paper in TITLES)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = standard_options(__doc__, "methods", ())
    options = parser.parse_args(arguments)
    own = (row for row in ROWS if row.record == OWN)
    reproduce((Job({"row": row.key}, bound(run, row)) for row in own), options.out)


if __name__ == "__main__":
    main()
