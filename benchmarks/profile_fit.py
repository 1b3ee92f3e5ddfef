"""Where a fit spends its time: each phase beside its lower bound.

    python -m benchmarks.profile_fit [--scale S] [--json FILE]

Three sizes of kin40k (or generated rows of its shape), plain settings, then our defaults. Phases
and their seconds are those of ``history_``. The floor of a phase is the larger of its operations in
matrix products at the rate of a matrix product, and the bytes that it must read and write at the
rate of a copy, both measured in the same process. Symmetric and triangular products count half.
"""

import argparse
import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import best_seconds, busy_share, copy_rate, describe, gemm_rate
from benchmarks.plain import PLAIN
from benchmarks.scale.costs import default_pool
from benchmarks.selection_speed import table
from sparsegp import SparseGPRegressor
from sparsegp.arrays import n_threads
from sparsegp.learning.basis.policy import ROWS_FOR_EVIDENCE
from sparsegp.learning.basis.select import rows_for_selection
from sparsegp.learning.noise.policy import MAX_HELD_OUT, SHARE_HELD_OUT
from sparsegp.tables.rows import Rows

__all__ = ["SIZES", "VARIANTS", "Size", "product_seconds", "profile", "work_of"]

RESULT = Path(__file__).parent / "results" / "profile_fit.json"
VARIANTS: dict[str, dict[str, Any]] = {"plain": PLAIN, "defaults": {}}


@dataclass(frozen=True)
class Size:
    """Rows, columns, basis vectors."""

    n: int
    D: int
    m: int


SIZES = (Size(4_000, 8, 200), Size(10_000, 8, 500), Size(36_000, 8, 1_500))


@dataclass(frozen=True)
class Work:
    """Floating point operations in matrix products, and bytes to and from memory."""

    operations: float
    bytes: float

    def seconds(self, gflops: float, gbytes: float) -> float:
        """Return the least time for it."""
        return max(1e-9 * self.operations / gflops, 1e-9 * self.bytes / gbytes)


def work_of(entry: Mapping[str, Any], size: Size) -> Work | None:
    """Return what a phase must do at least; None if that is not known.

    Blocks of features fit the caches, so passes over rows only have to read the rows.
    """
    phase, times = entry["phase"], entry.get("n_evaluations", 1)
    n, D, m = size.n, size.D, size.m
    rows = re.fullmatch(r"hyperparameters on (\d+) rows", phase)
    if rows:  # a Cholesky factor, its inverse; distances, and the gradient by columns
        s = int(rows[1])
        return Work(times * (s**3 + 4.0 * s**2 * D), times * 8.0 * 4 * s**2)
    if phase == "selection":  # a Gram matrix of the pool; two matrices lose m rows and columns
        seen = rows_for_selection(n, "log_posterior", default_pool(n, m))
        m = int(entry.get("n_basis", m))  # a few for the adaptation, then all
        c = default_pool(n, m)
        gram = seen * (c**2 + 2.0 * c * D)
        return Work(gram + 2.0 * (c**3 - (c - m) ** 3) / 3.0, 8.0 * (seen * D + 2 * c**2))
    if phase == "hyperparameters at the basis":  # features, their Gram matrix, and back
        seen, m = min(n, ROWS_FOR_EVIDENCE), int(entry.get("n_basis", m))
        return Work(times * seen * (4.0 * m**2 + 4.0 * m * D), times * 8.0 * seen * (m + D))
    if phase == "final pass":  # features and their Gram matrix
        return Work(n * (2.0 * m**2 + 2.0 * m * D), 8.0 * n * (D + 1))
    if phase == "calibration":  # features and what the posterior makes of them
        judges = min(MAX_HELD_OUT, int(SHARE_HELD_OUT * n))
        return Work(judges * (2.0 * m**2 + 2.0 * m * D), 8.0 * judges * (D + 1))
    return None


def product_seconds(n: int, m: int, repeats: int = 3) -> float:
    """Return the seconds of one K_xzᵀK_xz."""
    K = np.random.default_rng(0).standard_normal((n, m))
    return best_seconds(lambda: K.T @ K, repeats)


def profile(rows: Rows, size: Size, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the phases of one fit, those of one name together, the longest first."""
    unit, gflops, gbytes = product_seconds(size.n, size.m), gemm_rate(), copy_rate()
    model = SparseGPRegressor(max_basis=size.m, random_state=0, **settings)
    start = time.perf_counter()
    model.fit(rows.X[: size.n], rows.y[: size.n, 0])
    seconds = time.perf_counter() - start
    unit = min(unit, product_seconds(size.n, size.m))
    gflops, gbytes = max(gflops, gemm_rate()), max(gbytes, copy_rate())
    phases: dict[str, dict[str, Any]] = {}
    n_basis = size.m
    for entry in model.history_:
        n_basis = entry.get("n_basis", n_basis)  # of the last selection: what is adapted to
        found = phases.setdefault(entry["phase"], {"seconds": 0.0, "floor": None})
        found["seconds"] += float(entry.get("seconds", 0.0))
        work = work_of({**entry, "n_basis": n_basis}, size)
        if work is not None:
            found["floor"] = (found["floor"] or 0.0) + work.seconds(gflops, gbytes)
    other = seconds - sum(found["seconds"] for found in phases.values())
    phases["everything else"] = {"seconds": max(other, 0.0), "floor": None}
    listed = sorted(phases.items(), key=lambda item: -item[1]["seconds"])
    return {
        "set": "kin40k",
        "n_rows": size.n,
        "n_columns": size.D,
        "n_basis": model.n_basis_,
        "threads": n_threads(),
        "seconds": seconds,
        "product_seconds": unit,
        "products": seconds / unit,
        "gemm_gflops": gflops,
        "copy_gbytes": gbytes,
        "phases": [
            {
                "phase": name,
                "seconds": found["seconds"],
                "share": found["seconds"] / seconds,
                "floor": found["floor"],
                "ratio": found["seconds"] / found["floor"] if found["floor"] else None,
            }
            for name, found in listed
        ],
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scale", type=float, default=1.0, help="of all sizes, to try it out")
    parser.add_argument("--json", type=Path, help=f"default at scale 1: {RESULT.name}")
    options = parser.parse_args(arguments)
    busy = busy_share()
    sizes = [Size(round(s.n * options.scale), s.D, round(s.m * options.scale)) for s in SIZES]
    rows = table(max(size.n for size in sizes))
    found = []
    for variant, settings in VARIANTS.items():
        for size in sizes:
            found.append({"settings": variant, **profile(rows, size, settings)})
            _show(found[-1])
    file = options.json or (RESULT if options.scale == 1.0 else None)
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            json.dumps({"sizes": found, "busy_share": busy, "machine": describe()}, indent=1) + "\n"
        )


def _show(found: Mapping[str, Any]) -> None:
    print(
        f"{found['settings']}: {found['n_rows']} rows, {found['n_basis']} basis vectors: "
        f"{found['seconds']:.2f} s, {found['products']:.1f} products"
    )
    for phase in found["phases"]:
        floor = (
            "" if phase["floor"] is None else f" floor {phase['floor']:7.3f} ×{phase['ratio']:.1f}"
        )
        print(f"  {phase['phase']:32} {phase['seconds']:8.3f} s{floor}", flush=True)


if __name__ == "__main__":
    main()
