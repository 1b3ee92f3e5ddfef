"""A small version of every experiment of the papers, and what it gave.

    python -m tests.benchmarks.small_runs

writes ``small_runs.json`` anew. Do so only if an experiment was meant to change: then its records
and its page are to be made again, too.
"""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

from benchmarks.datasets import CLASS_SETS, ClassSet

__all__ = ["SMALL_RUNS", "STORED", "run_small"]

STORED = Path(__file__).with_name("small_runs.json")
N_TRAINING, N_TEST = 90, 60
LONG = 10

ONE_SET = "--sets friedman3 --partitions 1"
CLASSES = "--sets banana --partitions 1 --rounds 1"
#: Experiment → arguments. They have no data but what is generated.
SMALL_RUNS = {
    "kc_figure1": f"{ONE_SET} --subset 60 --sizes 10 20",
    "kc_table1": f"{ONE_SET} --max-basis 20",
    "sks_tables": f"{ONE_SET} --max-basis 35",
    "sks_figure1": "--adaptations 1 --max-basis 30",
    "sks_figures": f"{ONE_SET} --max-basis 20",
    "sks_rules": f"{ONE_SET} --max-basis 10",
    "kc_costs": f"{ONE_SET} --subset 60 --sizes 10 20",
    "kc_cache": f"{ONE_SET} --subset 60 --sizes 10 20",
    "ss_figure1": "--sets banana --partitions 1 --max-basis 6",
    "ss_figure2": f"{CLASSES} --max-basis 6",
    "ss_figure3_left": f"{CLASSES} --sizes 6 --kappas 1 2",
    "ss_figure3_right": f"{CLASSES} --sizes 6",
    "co_sinc": "--partitions 1 --rows 60",
    "co_friedman1": "--partitions 1 --sizes 20",
    "co_usps": "--problems four ten smoothed removed --sizes 8 --largest 20",
}


@contextmanager
def _small_data() -> Iterator[None]:
    """Put two clouds in place of every set of SS, and ten in place of USPS."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        for name in CLASS_SETS:
            y = rng.choice([-1, 1], N_TRAINING + N_TEST)
            _write(folder, name, rng.standard_normal((len(y), 2)) + y[:, None], y)
        centres = rng.standard_normal((10, 256))
        for name, n in (("usps_train", 80), ("usps_test", 40)):
            y = rng.integers(0, 10, n)
            _write(folder, name, centres[y] + rng.standard_normal((n, 256)), y)
        small = {name: ClassSet(name, N_TRAINING, N_TEST) for name in CLASS_SETS}
        with (
            mock.patch.dict(os.environ, {"SPARSEGP_DATA": folder}),
            mock.patch.dict(CLASS_SETS, small),
        ):
            yield


def _write(folder: str, name: str, X: np.ndarray, y: np.ndarray) -> None:
    table = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    table.assign(y=y).to_parquet(Path(folder) / f"{name}.parquet")


def run_small(name: str) -> list[dict[str, Any]]:
    """Run a small version of an experiment; return what does not depend on the machine."""
    main = import_module(f"benchmarks.reproduce.{name}").main
    with (
        tempfile.TemporaryDirectory() as folder,
        _small_data(),
        redirect_stdout(StringIO()),
    ):
        out = Path(folder) / "records.json"
        main([*SMALL_RUNS[name].split(), "--out", str(out)])
        records = json.loads(out.read_text())
    return [
        {key: _short(value) for key, value in record.items() if not _of_machine(key)}
        for record in records
    ]


def _of_machine(key: str) -> bool:
    return key == "commit" or "seconds" in key


def _short(value: Any) -> Any:
    """Return a curve by its length, ends and mean; anything else as it is."""
    if isinstance(value, list) and len(value) > LONG:
        return [len(value), value[0], value[-1], float(np.mean(value))]
    return value


def main() -> None:
    """Write the file anew."""
    found = {name: run_small(name) for name in SMALL_RUNS}
    lines = (
        f"{json.dumps(name)}: [\n" + ",\n".join(json.dumps(r) for r in records) + "\n]"
        for name, records in found.items()
    )
    STORED.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
