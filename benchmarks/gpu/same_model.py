"""Whether default fits on a device are the models of the host: choices and predictions.

    python -m benchmarks.gpu.same_model [--json FILE] [--library NAME ...] [--only TABLE ...]
                                        [--shrink 1] [--seconds S]

Each table is fitted by default on the host and on the device of each installed library: all tables
by one library, then by the next. The file is written after each fit, and no fit begins after
``--seconds``. Tables come from the folder ``SPARSEGP_DATA`` as ``NAME.parquet`` or
``NAME.npy``, the target last; one that is not there is replaced by a generated one, and the record
says so. ``--shrink`` divides the number of rows and takes array_api_strict, whose second device
stands for a GPU: a rehearsal on the CPU.
"""

import argparse
import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.gpu.parts import find_table
from benchmarks.machine import commit, describe
from sparsegp import SparseGPClassifier, SparseGPRegressor
from sparsegp.arrays import to_numpy
from sparsegp.learning.history.choices import chosen_kernel

__all__ = ["LIBRARIES", "TABLES", "HostFit", "compare", "main"]

LARGEST, N_NEW = 36_000, 2_000
#: Names, and whether the target is a label.
TABLES = {
    "kin40k": False,
    "protein_w": False,
    "calhouse": False,
    "pol": False,
    "bike": False,
    "abalone": False,
    "banana": True,
    "waveform": True,
    "image": True,
    "visits": False,  # generated: counts, most of them zero
}
#: What counts as the same prediction: a difference relative to the standard deviation of y.
SAME = 1e-6


def _in_torch(x: np.ndarray) -> Any:
    return import_module("torch").asarray(x, device="cuda")


def _in_cupy(x: np.ndarray) -> Any:
    return import_module("cupy").asarray(x)


def _in_jax(x: np.ndarray) -> Any:
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # others need memory, too
    jax = import_module("jax")
    jax.config.update("jax_enable_x64", True)
    return jax.device_put(x, jax.devices("gpu")[0])


def _in_strict(x: np.ndarray) -> Any:
    strict = import_module("array_api_strict")
    return strict.asarray(x, device=strict.Device("device1"))


#: Libraries by name, and how an array is moved to their device.
LIBRARIES: dict[str, Callable[[np.ndarray], Any]] = {
    "torch": _in_torch,
    "cupy": _in_cupy,
    "jax": _in_jax,
    "array_api_strict": _in_strict,
}
ON_A_GPU = ("torch", "cupy", "jax")


@dataclass(frozen=True)
class Table:
    """Rows to learn from, rows to predict, and where they come from."""

    X: np.ndarray
    y: np.ndarray
    X_new: np.ndarray
    source: str


def read_table(name: str, shrink: int) -> Table:
    """Return a table of the data folder, or one that is generated in its place."""
    X, y, source = _stored(name) or (*_generated(name), "generated")
    order = np.random.default_rng(0).permutation(len(y))
    n = min(LARGEST, 9 * len(y) // 10) // shrink
    new = order[-max(N_NEW // shrink, 20) :]
    return Table(X[order[:n]], y[order[:n]], X[new], source)


def _stored(name: str) -> tuple[np.ndarray, np.ndarray, str] | None:
    try:
        values = find_table(name)
    except FileNotFoundError:
        return None
    return values[:, :-1], values[:, -1], "data folder"


def _generated(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return a table whose columns, target and noise ask for more than the simplest options."""
    position = list(TABLES).index(name)
    rng, n = np.random.default_rng(position), 24_000 if position < 2 else 6_000
    if name == "visits":
        X = rng.uniform(-2.0, 2.0, (n // 3, 3))
        rate = 0.4 * np.exp(0.8 * X[:, 0])
        return X, rng.negative_binomial(0.3, 0.3 / (0.3 + rate)).astype(float)
    X = rng.normal(size=(n, 4 + position % 3))
    f = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * np.tanh(3.0 * X[:, 3])
    if TABLES[name]:
        return X, np.where(f + 0.5 * rng.normal(size=n) > 0.2, 1.0, 0.0)
    noise = (rng.standard_t(3.0, size=n), np.exp(0.7 * X[:, 0]) * rng.normal(size=n))
    y = f + 0.1 * noise[position % 2]
    X[:, 1] = np.exp(2.0 * X[:, 1])  # for logarithms or quantiles
    return X, np.exp(y) if position % 3 == 0 else y


@dataclass(frozen=True)
class HostFit:
    """A table and its default fit on the host, which the fits on devices are compared with."""

    name: str
    table: Table
    model: Any
    seconds: float

    @classmethod
    def of(cls, name: str, shrink: int = 1) -> "HostFit":
        """Read a table, and fit it."""
        table = read_table(name, shrink)
        return cls(name, table, *_fit(TABLES[name], table.X, table.y))


def compare(host: HostFit, library: str) -> dict[str, Any]:
    """Return what a fit on the device of a library shares with that of the host."""
    table, here, is_label = host.table, host.model, TABLES[host.name]
    move = LIBRARIES[library]
    there, seconds = _fit(is_label, move(table.X), move(table.y))
    chosen, expected = _choices(there, is_label), _choices(here, is_label)
    scale = 1.0 if is_label else float(np.std(table.y))
    found, wanted = _predict(there, move(table.X_new)), _predict(here, table.X_new)
    apart = [float(np.max(np.abs(a - b))) / scale for a, b in zip(found, wanted, strict=True)]
    return {
        "table": host.name,
        "source": table.source,
        "library": library,
        "version": import_module(library).__version__,
        "n_rows": len(table.y),
        "n_basis": here.n_basis_,
        "choices": expected,
        "same_choices": chosen == expected,
        **({} if chosen == expected else {"choices_of_device": chosen}),
        "same_basis": bool(np.array_equal(there.basis_indices_, here.basis_indices_)),
        "largest_difference": dict(zip(("mean", "std"), apart, strict=False)),
        "same": chosen == expected and max(apart) <= SAME,
        "seconds_host": host.seconds,
        "seconds_device": seconds,
    }


def _fit(is_label: bool, X: Any, y: Any) -> tuple[Any, float]:
    model = (SparseGPClassifier if is_label else SparseGPRegressor)(random_state=0)
    start = time.perf_counter()
    model.fit(X, y)
    return model, time.perf_counter() - start


def _choices(model: Any, is_label: bool) -> dict[str, Any]:
    """Return what a fit has chosen."""
    found = {
        "kernel": chosen_kernel(model.history_),
        "transform_X": {str(column): kind for column, kind in model.transform_X_.items()},
    }
    if is_label:
        return found | {"inference": model._fitted.inference}
    return found | {
        "transform_y": model.transform_y_,
        "noise": model.noise_,
        "n_neighbors": model.n_neighbors_,
    }


def _predict(model: Any, X: Any) -> tuple[np.ndarray, ...]:
    if hasattr(model, "predict_proba"):
        return (to_numpy(model.predict_proba(X)),)
    return tuple(to_numpy(each) for each in model.predict(X, return_std=True))


def main() -> None:
    """Compare, and write a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--library", nargs="+", choices=LIBRARIES)
    parser.add_argument("--only", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--shrink", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=inf)
    given = parser.parse_args()
    installed = [name for name in ON_A_GPU if find_spec(name) is not None]
    libraries = given.library or (installed if given.shrink == 1 else ["array_api_strict"])
    record: dict[str, Any] = {"commit": commit(), "machine": describe(), "fits": []}
    end = time.perf_counter() + given.seconds
    hosts: dict[str, HostFit] = {}
    for library, name in product(libraries, given.only):
        if time.perf_counter() > end:
            print(f"no time for {name} in {library}", flush=True)
            continue
        try:
            if name not in hosts:
                hosts[name] = HostFit.of(name, given.shrink)
            found = compare(hosts[name], library)
        except Exception as error:  # the other libraries are still of interest
            found = {"table": name, "library": library, "error": repr(error)}
        print(json.dumps(found), flush=True)
        record["fits"].append(found)
        if given.json:
            given.json.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
