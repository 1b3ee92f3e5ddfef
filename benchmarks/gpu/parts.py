"""What the scripts for devices share: tables, parts that may fail, and the file of results.

    python -m benchmarks.gpu.parts FOLDER NAME ...

writes tables as compressed ``FOLDER/NAME.npz``, for machines that cannot read Parquet.
"""

import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["caught", "find_table", "run_parts"]


def find_table(name: str) -> np.ndarray:
    """Return a table of numbers, the target last, from ``SPARSEGP_DATA`` or near the checkout."""
    checkout = Path(__file__).resolve().parents[2]
    beside = [checkout / "shared" / "data", checkout.parent / "shared" / "data"]
    folders = [Path(os.environ["SPARSEGP_DATA"])] if "SPARSEGP_DATA" in os.environ else beside
    for folder in folders:
        if (folder / f"{name}.npz").exists():
            return np.load(folder / f"{name}.npz")["table"]
        if (folder / f"{name}.npy").exists():
            return np.load(folder / f"{name}.npy")
        if (folder / f"{name}.parquet").exists():
            import pandas as pd

            return pd.read_parquet(folder / f"{name}.parquet").to_numpy(dtype=np.float64)
    raise FileNotFoundError(
        f"no {name} as .parquet, .npy or .npz in {', '.join(map(str, folders))}"
    )


def caught(work: Callable[[], Any]) -> Any:
    """Return what came of some work, or what went wrong."""
    try:
        return work()
    except Exception as error:  # a part that fails must not take the others with it
        return {"error": repr(error), "traceback": traceback.format_exc()}


def run_parts(
    parts: Mapping[str, Callable[[Any], Any]],
    names: Sequence[str],
    bench: Any,
    json_file: Path | None,
    after: Callable[[], None] = lambda: None,
    *,
    seconds: float = inf,
) -> dict[str, Any]:
    """Run parts one by one, print what comes of each, and write all so far to a file.

    No part begins after that many ``seconds``.
    """
    results: dict[str, Any] = {}
    begun = time.perf_counter()
    for name in names:
        start = time.perf_counter()
        if start - begun > seconds:
            print(f"== {name}: no time left", flush=True)
            continue
        results[name] = caught(lambda part=parts[name]: part(bench))
        print(f"== {name}, {time.perf_counter() - start:.1f} s in all", flush=True)
        print(json.dumps(results[name], indent=1, default=str), flush=True)
        if json_file is not None:
            json_file.parent.mkdir(parents=True, exist_ok=True)
            json_file.write_text(json.dumps(results, indent=1, default=str) + "\n")
        after()
    return results


if __name__ == "__main__":
    for each in sys.argv[2:]:
        np.savez_compressed(Path(sys.argv[1]) / f"{each}.npz", table=find_table(each))
