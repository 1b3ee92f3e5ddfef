"""What a stream keeps: bytes of the state and of the process while rows come and go.

    python -m benchmarks.streams.memory [--rows N] [--max-basis M] [--plain] [--out FILE]

Rows of two columns whose function drifts, in blocks of a thousand, with default options but for the
size of the basis; ``--plain`` without forgetting and without the last target, which takes a
fraction of the time. A record is made whenever the number of rows has grown tenfold.
"""

import argparse
import json
import pickle
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import commit
from sparsegp import OnlineGPRegressor

__all__ = ["MEMORY", "states"]

MEMORY = Path(__file__).parents[1] / "results" / "stream_memory.jsonl"
BLOCK = 1000
PLAIN: dict[str, Any] = {"forgetting": None, "mean": "zero"}
TURNS_A_ROW = 1e-4  # of the function, in radians


def states(
    n_rows: int, max_basis: int, options: dict[str, Any], growth: int = 10
) -> Iterator[dict[str, Any]]:
    """Learn rows, and tell what is kept whenever their number has grown by this factor."""
    rng, wanted = np.random.default_rng(0), BLOCK
    model = OnlineGPRegressor(max_basis=max_basis, random_state=0, **options)
    start = time.process_time()
    for done in range(0, n_rows, BLOCK):
        X = rng.uniform(-2.0, 2.0, (min(BLOCK, n_rows - done), 2))
        phase = TURNS_A_ROW * np.arange(done, done + len(X))
        y = np.sin(2.0 * X[:, 0] + phase) + 0.1 * rng.standard_normal(len(X))
        model.partial_fit(X, y)
        if model.n_seen_ >= wanted:
            yield {
                "rows": model.n_seen_,
                "max_basis": max_basis,
                "options": options,
                "bytes": len(pickle.dumps(model)),
                "process_mb": round(_resident_bytes() / 1e6, 1),
                "seconds": round(time.process_time() - start, 1),
            }
            wanted *= growth


def _resident_bytes() -> float:
    """Return the bytes that the process holds now, where the system tells."""
    status = Path("/proc/self/statm")
    return float(status.read_text().split()[1]) * 4096.0 if status.exists() else float("nan")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.streams.memory",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--max-basis", type=int, default=20)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--out", type=Path, default=MEMORY)
    options = parser.parse_args()
    chosen = PLAIN if options.plain else {}
    for record in states(options.rows, options.max_basis, chosen):
        print(record, flush=True)
        with options.out.open("a") as file:
            file.write(json.dumps({**record, "commit": commit()}) + "\n")


if __name__ == "__main__":
    main()
