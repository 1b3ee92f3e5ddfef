"""Cost of choosing transforms, kernel and noise, beside the rest of the fit.

    python -m benchmarks.choice_cost [--sets NAME ...] [--rows N] [--max-basis M] [--json FILE]

Defaults on 10,000 rows of a data set with 1,000 basis vectors. Seconds are those of ``history_``.
"""

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.datasets import load
from benchmarks.machine import busy_share, describe
from sparsegp import SparseGPRegressor

__all__ = ["measure", "shares"]

RESULT = Path(__file__).parent / "results" / "choice_cost.json"
#: Prefixes of the phases that compare candidates.
TRIES = {"transforms and kernel": ("transforms", "kernel"), "noise": ("choice of noise",)}


def shares(history: Sequence[Mapping[str, Any]], seconds: float) -> dict[str, float]:
    """Return the seconds of each choice and of the rest, and the choices over the rest."""
    found = {
        name: sum(entry["seconds"] for entry in history if entry["phase"].startswith(starts))
        for name, starts in TRIES.items()
    }
    rest = seconds - sum(found.values())
    ratios = {f"{name} / rest": spent / rest for name, spent in found.items()}
    return {**found, "rest": rest, **ratios}


def measure(name: str, n_rows: int, max_basis: int) -> dict[str, Any]:
    """Return the record of one fit."""
    data = load(name)
    chosen = np.random.default_rng(0).permutation(len(data.y))[:n_rows]
    start = time.perf_counter()
    model = SparseGPRegressor(max_basis=max_basis, random_state=0)
    model.fit(data.X[chosen], data.y[chosen])
    seconds = time.perf_counter() - start
    record = {"set": name, "rows": len(chosen), "max_basis": max_basis, "seconds": seconds}
    return {**record, **shares(model.history_, seconds)}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", nargs="+", default=["kin40k", "calhouse"])
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--max-basis", type=int, default=1_000)
    parser.add_argument("--json", type=Path, default=RESULT)
    options = parser.parse_args(arguments)
    found = {"machine": describe(), "busy_share": busy_share(), "fits": []}
    for name in options.sets:
        found["fits"].append(measure(name, options.rows, options.max_basis))
        print(found["fits"][-1], flush=True)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
