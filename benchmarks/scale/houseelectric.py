"""Two million rows of houseelectric on two cores, with GPyTorch's SVGP beside it.

    python -m benchmarks.scale.houseelectric [--peer-python FILE] [--variants NAME ...] [--rows N]
                                             [--max-basis M] [--threads T] [--steps S]
                                             [--peer-threads T] [--pace STEPS] [--json FILE]

The first 90 % of a ``default_rng(0)`` permutation are for training, the others for the test. Each
fit has a process of its own; targets are standardised, NLPD and RMSE are in these units. Ours is
measured beyond what the process holds once the rows are loaded, and in units of a floor: the matrix
products of one pass for the moments and one for a Gram matrix, at the rate of a product (dgemm,
1,500 × 1,500) in the same process, the best before and after. A symmetric product counts half:

    floor            n·m² (L⁻¹ on every row) + n·m² (moments) + n·m² (Gram matrix of m candidates)
    floor with pool  the same with the Gram matrix of the pool that is chosen from, n·P²

in operations, of which a product A B has 2·n·k·m. The Python of the peer needs torch, gpytorch
and NumPy; without one only ours runs. SVGP: m = 1,024 optimised inducing inputs, batches of
1,024, 3 epochs of Adam at 0.01, float32, denormals flushed; ARD-RBF, length scales begin at √D. It
takes half an hour: ``--peer-threads 1`` leaves a core to others, and
``--pace`` first has some steps by themselves, with all threads, that tell how long it would take.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import describe, gemm_rate
from benchmarks.peers.registry import Peer
from benchmarks.peers.runner import Conditions, run
from benchmarks.peers.splits import split_file
from benchmarks.peers.workers.protocol import Split
from benchmarks.scale.costs import default_pool, gram_operations, moment_operations
from benchmarks.scale.process import PeakMemory, in_fresh_process
from sparsegp import SparseGPRegressor
from sparsegp.metrics import interval_coverage

__all__ = ["RESULT", "VARIANTS", "floors", "measure"]

RESULT = Path(__file__).resolve().parents[1] / "results" / "scale_houseelectric.json"
SET, PARTITION = "houseelectric", 0
PLAIN = {"transform_X": "standard", "transform_y": "standard"}
#: What is asked for beside the size of the basis.
VARIANTS: dict[str, dict[str, Any]] = {"defaults": {}, "RBF": {"kernel": None, **PLAIN}}
SVGP = {"n_inducing": 1024, "batch": 1024, "epochs": 3, "rate": 0.01, "decay": False}
SVGP |= {"start": "sqrt_d"}
LONGEST = 4 * 3600.0


def floors(n: int, n_columns: int, m: int, rate: float) -> dict[str, float]:
    """Return the seconds of the products alone at a rate in GFLOP/s."""
    moments = moment_operations(n, n_columns, m).products
    of_basis, of_pool = (gram_operations(n, n_columns, c).products for c in (m, default_pool(n, m)))
    return {
        "floor_seconds": 1e-9 * (moments + of_basis) / rate,
        "floor_seconds_with_pool": 1e-9 * (moments + of_pool) / rate,
    }


def measure(file: str, max_basis: int, options: dict[str, Any]) -> dict[str, Any]:
    """Return the record of our fit in this process."""
    split = Split.read(file)
    offset, scale = split.y.mean(), split.y.std()
    y, y_test = (split.y - offset) / scale, (split.y_test - offset) / scale
    rate = gemm_rate()
    memory = PeakMemory()
    start = time.perf_counter()
    model = SparseGPRegressor(max_basis=max_basis, random_state=0, **options).fit(split.X, y)
    seconds = time.perf_counter() - start
    peak, rate = memory.bytes_beyond, max(rate, gemm_rate())
    start = time.perf_counter()
    mean, _ = model.predict(split.X_test, return_std=True)
    predict_seconds = time.perf_counter() - start
    floor = floors(len(y), split.X.shape[1], max_basis, rate)
    return {
        "n_training": len(y),
        "n_test": len(y_test),
        "max_basis": max_basis,
        "rmse": float(np.sqrt(np.mean((y_test - mean) ** 2))),
        "nlpd": -float(np.mean(model.log_density(split.X_test, y_test))),
        "coverage": interval_coverage(model, split.X_test, y_test),
        "fit_seconds": seconds,
        "predict_seconds": predict_seconds,
        "peak_gib_beyond_data": peak / 2**30,
        "gemm_gflops": rate,
        **floor,
        "fit_in_floors": seconds / floor["floor_seconds"],
        "kernel": str(model.kernel_),
        "history": model.history_,
    }


def peer(
    python: Path, rows: int | None, threads: int, steps: int | None, splits: Path
) -> dict[str, Any]:
    """Return the record of SVGP."""
    settings = SVGP if steps is None else {**SVGP, "most_steps": steps}
    svgp = Peer("GPyTorch SVGP", "gpytorch_svgp", None, (settings,), regression=True)
    conditions = Conditions(threads, LONGEST, None, splits)
    return next(run(svgp, settings, SET, PARTITION, rows, python, conditions)) | {
        "settings": settings
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peer-python", type=Path)
    parser.add_argument("--variants", nargs="+", default=["defaults"], choices=list(VARIANTS))
    parser.add_argument("--rows", type=int, help="fewer rows to train and test, for a rehearsal")
    parser.add_argument("--max-basis", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, help="most steps of SVGP")
    parser.add_argument("--peer-threads", type=int, help="threads of SVGP, if not the same")
    parser.add_argument("--pace", type=int, help="steps of SVGP that tell its pace alone")
    parser.add_argument("--json", type=Path, default=RESULT)
    options = parser.parse_args(arguments)
    threads = options.threads
    found: dict[str, Any] = {"machine": describe(), "threads": threads, "ours": {}}
    with tempfile.TemporaryDirectory() as folder:
        file = str(split_file(SET, PARTITION, options.rows, Path(folder)))
        for name in options.variants:
            found["ours"][name] = in_fresh_process(
                measure, file, options.max_basis, VARIANTS[name], threads=threads
            )
            _tell(name, found["ours"][name])
        _write(found, options.json)  # the peer takes long, and may not end
        if options.peer_python is not None:
            asked = options.peer_python, options.rows
            if options.pace is not None:
                found["svgp_pace"] = peer(*asked, threads, options.pace, Path(folder))
                _write(found, options.json)
            its_own = options.peer_threads or threads
            found["svgp"] = peer(*asked, its_own, options.steps, Path(folder))
            _tell("SVGP", found["svgp"])
            _write(found, options.json)


def _write(found: dict[str, Any], file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(found, indent=1) + "\n")


def _tell(name: str, record: dict[str, Any]) -> None:
    for entry in record.get("history", []):
        print("   ", {k: round(v, 4) if isinstance(v, float) else v for k, v in entry.items()})
    print(name, {key: value for key, value in record.items() if key != "history"}, flush=True)


if __name__ == "__main__":
    main()
