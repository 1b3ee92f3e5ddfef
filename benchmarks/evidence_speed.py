"""Time of the log marginal likelihood and its gradient, against the two n·m² products in it.

    python -m benchmarks.evidence_speed [--json FILE]

Times are the best of several runs in one process; only their ratio means something. The
memory figure comes from a process of its own: peak resident size beyond X for a million rows.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.machine import best_seconds
from sparsegp.kernels import RBF
from sparsegp.model.approximation import APPROXIMATIONS
from sparsegp.model.evidence import evidence_and_gradient
from sparsegp.model.features import make_basis
from sparsegp.tables.rows import Rows

SIZES = ((10_000, 500, 8), (50_000, 1_000, 8))


def problem(n: int, n_basis: int, n_columns: int) -> tuple[Rows, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, n_columns))
    y = np.sin(X.sum(axis=1, keepdims=True)) + 0.1 * rng.standard_normal((n, 1))
    return Rows(X, y), X[rng.choice(n, n_basis, replace=False)]


def two_products(n: int, n_basis: int) -> Callable[[], object]:
    rng = np.random.default_rng(1)
    K = rng.standard_normal((n, n_basis))
    M = rng.standard_normal((n_basis, n_basis))
    other = rng.standard_normal((n, n_basis))  # so that K'K is not taken for a symmetric product

    def work() -> None:
        K.T @ other
        K @ M

    return work


def measure(n: int, n_basis: int, n_columns: int, rule: str, repeats: int) -> dict[str, object]:
    rows, Z = problem(n, n_basis, n_columns)
    kernel = 1.0 * RBF([2.0] * n_columns)

    def work() -> None:
        evidence_and_gradient(make_basis(kernel, Z), rows, 0.05, APPROXIMATIONS[rule])

    products = two_products(n, n_basis)
    work()
    seconds, floor = np.inf, np.inf
    for _ in range(repeats):  # alternately: a busy minute slows both
        seconds = min(seconds, best_seconds(work, 1))
        floor = min(floor, best_seconds(products, 1))
    return {
        "n": n,
        "n_basis": n_basis,
        "n_columns": n_columns,
        "approximation": rule,
        "seconds": round(seconds, 4),
        "two_products": round(floor, 4),
        "ratio": round(seconds / floor, 2),
    }


def peak_bytes() -> int:
    """Return the peak resident size of this process, as Linux reports it."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("the peak memory is read from /proc: Linux only")


def memory_of_a_million_rows() -> None:
    rows, Z = problem(1_000_000, 500, 8)
    before = peak_bytes()
    evidence_and_gradient(make_basis(1.0 * RBF([2.0] * 8), Z), rows, 0.05, APPROXIMATIONS["vfe"])
    print(json.dumps({"peak_beyond_X_MiB": round((peak_bytes() - before) / 2**20)}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="also write the figures here")
    parser.add_argument("--memory", action="store_true", help="the memory figure only")
    options = parser.parse_args()
    if options.memory:
        memory_of_a_million_rows()
        return
    results = []
    for size in SIZES:
        for rule in ("dtc", "vfe", "fitc"):
            results.append(measure(*size, rule, repeats=7 if size[0] < 20_000 else 3))
            print(results[-1], flush=True)
    command = [sys.executable, "-m", "benchmarks.evidence_speed", "--memory"]
    memory = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    print(memory)
    if options.json:
        options.json.write_text(json.dumps({"times": results, **memory}, indent=1) + "\n")


if __name__ == "__main__":
    main()
