"""Work that fills a device: passes, selections, exact processes, single precision.

    python -m benchmarks.gpu.device_work [--json FILE] [--shrink 1] [--only PART ...] [--seconds S]

It runs on a CUDA device with PyTorch; without one, arrays of array_api_strict stand for a device,
and ``--shrink 4000`` makes that a rehearsal of seconds. A part that fails leaves its traceback in
the file, which is written after each part and holds the commit. Tables come from the folder
``SPARSEGP_DATA``; where one is missing, a generated table takes its place, and its name says so.
"""

import argparse
import gc
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.gpu.parts import caught, find_table, run_parts
from benchmarks.machine import commit
from benchmarks.plain import PLAIN
from sparsegp import SparseGPRegressor
from sparsegp.arrays import Array, in_single, mirror_lower, single_speedup, to_numpy
from sparsegp.kernels import RBF
from sparsegp.learning.basis.select import rows_for_selection
from sparsegp.metrics import nlpd
from sparsegp.model.approximation import APPROXIMATIONS
from sparsegp.model.features import make_basis
from sparsegp.model.mixed_precision import why_double
from sparsegp.model.moments import Moments, collect_moments
from sparsegp.model.posterior import solve_posterior
from sparsegp.selection import select_basis
from sparsegp.selection.elimination_array_api import ArrayApiElimination
from sparsegp.selection.gram import choices
from sparsegp.tables.rows import Rows

SIX_TABLES = ("kin40k", "protein_w", "calhouse", "house16h", "pol", "bike")
# Rows and columns of the tables, for generated ones.
SIZES = {
    "kin40k": (40_000, 8),
    "protein_w": (45_730, 9),
    "calhouse": (20_640, 8),
    "house16h": (22_784, 16),
    "pol": (15_000, 26),
    "bike": (17_379, 17),
    "houseelectric": (2_049_280, 11),
}
SHARE_TO_TRAIN = 0.9
KERNEL = 1.0 * RBF((1.5,) * 8)
NOISE = 0.01
MOST_DENSITIES = 20_000  # rows that NLPD is a mean over
PRODUCTS_ON_END = 45  # of 8,192 × 8,192, .8 s on an H200


class Bench:
    """The device, the sizes, and how time is taken."""

    def __init__(self, shrink: int) -> None:
        self.shrink = shrink
        self.library = _library()
        # floating-point operations of products in double precision: of one, and of many on end
        self.products_per_second = self.sustained_products_per_second = 0.0

    def size(self, n: int) -> int:
        """Return a size, smaller in a rehearsal."""
        return max(n // self.shrink, 24)

    def put(self, values: np.ndarray) -> Array:
        """Return values as an array on the device."""
        return self.library.put(np.ascontiguousarray(values, dtype=np.float64))

    def seconds(self, work: Callable[[], Any]) -> tuple[float, Any]:
        """Return how long some work takes until the device has done it, and what came of it."""
        self.library.wait()
        start = time.perf_counter()
        result = work()
        self.library.wait()
        return time.perf_counter() - start, result

    def best_seconds(self, work: Callable[[], Any], repeats: int = 3) -> float:
        """Return the shortest time of several, after one that does not count."""
        repeats = repeats if self.shrink == 1 else 1
        work()
        return min(self.seconds(work)[0] for _ in range(repeats))


class _Torch:
    """CUDA tensors."""

    def __init__(self) -> None:
        import torch

        self._torch, self.name = torch, torch.cuda.get_device_name()
        self.version = f"torch {torch.__version__}"

    def put(self, values: np.ndarray) -> Any:
        return self._torch.as_tensor(values, device="cuda")

    def wait(self) -> None:
        self._torch.cuda.synchronize()

    def forget(self) -> None:
        gc.collect()
        self._torch.cuda.empty_cache()
        self._torch.cuda.reset_peak_memory_stats()

    @property
    def peak_bytes(self) -> int:
        return int(self._torch.cuda.max_memory_allocated())


class _Strict:
    """Arrays that stand for a device; they refuse to become NumPy arrays."""

    name, peak_bytes = "array_api_strict, no device", 0

    def __init__(self) -> None:
        import array_api_strict

        self._xp, self.version = (
            array_api_strict,
            f"array_api_strict {array_api_strict.__version__}",
        )

    def put(self, values: np.ndarray) -> Any:
        return self._xp.asarray(values, device=self._xp.Device("device1"))

    def wait(self) -> None:
        pass

    def forget(self) -> None:
        pass


def _library() -> Any:
    try:
        import torch
    except ImportError:
        return _Strict()
    return _Torch() if torch.cuda.is_available() else _Strict()


def generated(n: int, columns: int = 8, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return n rows and a smooth target with noise of a tenth."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, columns))
    y = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + np.cos(X[:, 3] + X[:, 4])
    y = y + 0.5 * np.tanh(X[:, 5]) + 0.2 * X[:, 6] ** 2
    return X, y + 0.1 * rng.standard_normal(n)


@cache
def table(name: str, shrink: int = 1) -> tuple[str, np.ndarray, np.ndarray]:
    """Return the name of a table, its inputs and its target in units of its standard deviation.

    A generated one is smaller in a rehearsal.
    """
    try:
        found = find_table(name)
        X, y = found[:, :-1], found[:, -1]
    except FileNotFoundError:
        n, columns = SIZES[name]
        X, y = generated(max(n // shrink, 400), columns)
        name = f"generated, in place of {name}"
    order = np.random.default_rng(0).permutation(len(X))
    return name, X[order], (y[order] - y.mean()) / y.std()


def about(bench: Bench) -> dict[str, Any]:
    """Name the machine and the commit, wake the device up, and measure its products.

    Products that follow each other for as long as a pass takes are slower than one alone where they
    reach the power limit of the device, which then lowers its clock.
    """
    n = bench.size(8192)
    A = bench.put(np.random.default_rng(0).standard_normal((n, n)))
    B = in_single(A)
    bench.products_per_second = 2.0 * n**3 / bench.best_seconds(lambda: A @ A, 5)
    sustained = bench.seconds(lambda: [A @ A for _ in range(PRODUCTS_ON_END)])[0]
    bench.sustained_products_per_second = PRODUCTS_ON_END * 2.0 * n**3 / sustained
    single = 2.0 * n**3 / bench.best_seconds(lambda: B @ B, 5)
    X, y = generated(bench.size(3000))
    waking, _ = bench.seconds(
        lambda: SparseGPRegressor(**PLAIN, max_basis=bench.size(300), random_state=0).fit(
            bench.put(X), bench.put(y)
        )
    )
    return {
        "commit": caught(commit),
        "device": bench.library.name,
        "library": bench.library.version,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "shrink": bench.shrink,
        "double_products_per_second": bench.products_per_second,
        "sustained_double_products_per_second": bench.sustained_products_per_second,
        "single_products_per_second": single,
        "single_speedup_as_seen_by_auto": single_speedup(A) if bench.shrink == 1 else None,
        "first_fit_seconds": waking,
    }


def moments_pass(bench: Bench) -> dict[str, Any]:
    """Time one pass over 1,000,000 rows with 4,096 basis vectors, in double and in single.

    Whitened features and their Gram matrix take 2·n·m² operations with every triangle used. Where
    rounding allows it kernel values are summed and whitened once, which leaves n·m².
    """
    n, m = bench.size(1_000_000), bench.size(4096)
    X, y = (bench.put(part) for part in generated(n))
    rows, rule = Rows(X, y[:, None]), APPROXIMATIONS["vfe"]
    basis = make_basis(KERNEL, X[:m, :])

    def seconds(**how: bool) -> float:
        return bench.best_seconds(lambda: collect_moments(basis, rows, NOISE, rule, **how), 4)

    usual, first, single = seconds(), seconds(whiten_first=True), seconds(single=True)
    late = collect_moments(basis, rows, NOISE, rule).rounding > 0.0
    values = bench.best_seconds(lambda: [KERNEL(b.X, basis.Z) for b in rows.blocks(16_384)], 1)
    one = n * m**2 / bench.products_per_second  # seconds of n·m² operations
    slower = bench.products_per_second / bench.sustained_products_per_second
    return {
        "n": n,
        "m": m,
        "seconds": usual,
        "whitened_after_summation": late,
        "seconds_whitened_first": first,
        "seconds_of_kernel_values": values,
        "share_of_product_rate": 2.0 * one / usual,
        "share_of_sustained_product_rate": 2.0 * one / usual * slower,
        "share_by_operations_done": (1.0 if late else 2.0) * one / usual,
        "share_whitened_first": 2.0 * one / first,
        "seconds_in_single": single,
        "times_as_fast_in_single": usual / single,
        "times_as_fast_in_single_whitened_first": first / single,
        "peak_bytes": bench.library.peak_bytes,
    }


def selection(bench: Bench) -> dict[str, Any]:
    """Select 8,000 of 16,000 candidates, and compare with the final pass of the same model."""
    c, m = bench.size(16_000), bench.size(8_000)
    X, y = generated(bench.size(1_000_000))
    n = rows_for_selection(len(X), "log_posterior", c)
    rows = Rows(bench.put(X[:n]), bench.put(y[:n, None]))
    every = Rows(bench.put(X), bench.put(y[:, None]))
    pool = bench.put(X[-c:])
    found, again = (bench.seconds(lambda: _select(rows, pool, m)) for _ in range(2))
    basis = make_basis(KERNEL, pool[:m, :])
    rule = APPROXIMATIONS["vfe"]
    final, _ = bench.seconds(lambda: collect_moments(basis, every, NOISE, rule))
    return {
        "candidates": c,
        "chosen": len(found[1].indices),
        "rows": n,
        "seconds": min(found[0], again[0]),
        "seconds_first": found[0],
        "final_pass_rows": len(X),
        "final_pass_seconds": final,
        "peak_bytes": bench.library.peak_bytes,
        "same_as_host": caught(lambda: _same_choices(bench)),
        "recorded": caught(lambda: _recording(bench)),
    }


def _select(rows: Rows, pool: Array, m: int, criterion: str = "log_posterior") -> Any:
    return select_basis(
        criterion,
        KERNEL,
        rows,
        pool,
        NOISE,
        max_basis=m,
        n_fresh=0,
        cache_size=int(pool.shape[0]),
        rng=np.random.default_rng(0),
        stop=False,
    )


def _same_choices(bench: Bench) -> dict[str, Any]:
    """Compare the choices of 1,000 of 2,000 candidates with the host's."""
    c, m = bench.size(2_000), bench.size(1_000)
    X, y = generated(3 * c)
    found: dict[str, Any] = {"candidates": c}
    for criterion in ("log_posterior", "marginal_likelihood", "matching_pursuit"):
        here = _select(Rows(X, y[:, None]), X[:c].copy(), m, criterion)
        rows = Rows(bench.put(X), bench.put(y[:, None]))
        seconds, there = bench.seconds(
            lambda r=rows, k=criterion: _select(r, bench.put(X[:c]), m, k)
        )
        size = min(len(here.indices), len(there.indices))
        differ = np.flatnonzero(here.indices[:size] != there.indices[:size])
        found[criterion] = {
            "seconds": seconds,
            "chosen": [len(here.indices), len(there.indices)],
            "first_difference": int(differ[0]) if len(differ) else None,
        }
    return found


def _recording(bench: Bench) -> dict[str, Any]:
    """Tell whether steps are repeated as recorded (a CUDA graph), and how long one takes."""
    X, y = generated(bench.size(8_000))
    K = KERNEL(X, X)
    S, K, b = (bench.put(part) for part in (K @ K + NOISE * K, K, (K @ y)[:, None]))
    system = ArrayApiElimination(S, K, b, None, None, float(len(X)) + NOISE)

    def steps() -> int:
        taken = 0
        for taken, _ in enumerate(choices("log_posterior", system, NOISE), start=1):
            if taken == bench.size(1280):
                break
        return taken

    seconds, taken = bench.seconds(steps)
    replay = system._replay
    return {
        "recorded": replay.recorded,
        "failure": replay.failure,
        "microseconds_a_step": 1e6 * seconds / max(taken, 1),
    }


def whole_fit(bench: Bench) -> dict[str, Any]:
    """Fit 1,000,000 rows with 4,096 basis vectors, hyperparameters and selection included."""
    X, y = generated(bench.size(1_000_000))
    X_new, y_new = generated(bench.size(20_000), seed=7)
    options = {**PLAIN, "max_basis": bench.size(4096)}
    return {
        "with neighbours": _scored(bench, options, X, y, X_new, y_new),
        "basis alone": _scored(bench, {**options, "n_neighbors": 0}, X, y, X_new, y_new),
    }


def kin40k(bench: Bench) -> dict[str, Any]:
    """Fit 36,000 rows of kin40k exactly, and with 4,000 basis vectors and neighbours if it may."""
    return {
        "all": caught(lambda: _on_table(bench, "kin40k", {"max_basis": "all"})),
        "all, plain": caught(lambda: _on_table(bench, "kin40k", {**PLAIN, "max_basis": "all"})),
        "4000": caught(lambda: _on_table(bench, "kin40k", {"max_basis": bench.size(4000)})),
        "4000, plain": caught(
            lambda: _on_table(bench, "kin40k", {**PLAIN, "max_basis": bench.size(4000)})
        ),
    }


def protein_w(bench: Bench) -> dict[str, Any]:
    """Fit 41,000 rows of protein_w exactly."""
    return {
        "all": caught(lambda: _on_table(bench, "protein_w", {"max_basis": "all"})),
        "all, plain": caught(lambda: _on_table(bench, "protein_w", {**PLAIN, "max_basis": "all"})),
    }


def houseelectric(bench: Bench) -> dict[str, Any]:
    """Fit 1.8 million rows of houseelectric."""
    return _on_table(bench, "houseelectric", {"max_basis": bench.size(2000)})


def mixed(bench: Bench) -> dict[str, Any]:
    """Compare "mixed" with "double" on six tables, with 1,000 basis vectors."""
    return {name: caught(lambda n=name: _both_precisions(bench, n)) for name in SIX_TABLES}


def _both_precisions(bench: Bench, name: str) -> dict[str, Any]:
    options = {**PLAIN, "max_basis": bench.size(1000)}
    double, single = (
        _on_table(bench, name, {**options, "precision": precision})
        for precision in ("double", "mixed")
    )
    return {
        "double": double,
        "mixed": single,
        "nlpd_difference": single["nlpd"] - double["nlpd"],
        "rmse_ratio": single["rmse"] / double["rmse"],
        "final_pass_ratio": single["seconds_of_final_pass"] / double["seconds_of_final_pass"],
    }


def split(bench: Bench) -> dict[str, Any]:
    """Compare a pass by products of half precision with the one in double.

    Its time is that of the pass of ``moments_pass``; what it does to predictions is seen on six
    tables, with 1,024 basis vectors and without neighbours, at the same hyperparameters.
    """
    if isinstance(bench.library, _Strict):
        return {"left out": "there are no tensor cores"}
    from benchmarks.gpu.split_products import split_moments

    n, m = bench.size(1_000_000), bench.size(4096)
    X, y = (bench.put(part) for part in generated(n))
    basis = make_basis(KERNEL, X[:m, :])
    parts = (KERNEL, basis.Z, basis.L, X, y[:, None])
    rows, rule = Rows(X, y[:, None]), APPROXIMATIONS["vfe"]
    double = bench.best_seconds(lambda: collect_moments(basis, rows, NOISE, rule), 2)
    found: dict[str, Any] = {"n": n, "m": m, "seconds": double}
    for k in (1, 3):
        seconds = bench.best_seconds(lambda k=k: split_moments(*parts, n_products=k), 2)
        found[f"{k} products"] = {"seconds": seconds, "times_as_fast": double / seconds}
    tables = {name: caught(lambda t=name: _split_on_table(bench, t)) for name in SIX_TABLES}
    return found | {"tables": tables}


def _split_on_table(bench: Bench, name: str) -> dict[str, Any]:
    """Return RMSE and NLPD of a model in double, and with moments by split products."""
    from benchmarks.gpu.split_products import split_moments

    _, X, y = table(name, bench.shrink)
    n = int(SHARE_TO_TRAIN * len(X))
    rows, new, y_new = bench.put(X[:n]), bench.put(X[n:]), y[n:]
    options = {**PLAIN, "max_basis": 1024, "n_neighbors": 0, "random_state": 0, "stop": None}
    model = SparseGPRegressor(**options).fit(rows, bench.put(y[:n]))
    usual, variance = model._posterior, model._parameters.noise_variance
    inputs = model._scaling_X.apply(rows)
    targets = model._scaling_y.apply(bench.put(y[:n, None]))
    reason = why_double(usual.basis, Rows(inputs, targets), variance)
    if "noise" in reason:
        return {"left out": reason}

    def scores() -> dict[str, float]:
        error = to_numpy(model.predict(new)) - y_new
        density = nlpd(model.predict_distribution(new), y_new)
        return {"rmse": float(np.sqrt(np.mean(error**2))), "nlpd": float(density)}

    found = {"double": scores()}
    for k in (1, 3):
        gram, target = split_moments(
            usual.basis.kernel, usual.Z, usual.basis.L, inputs, targets, n_products=k
        )
        sums = Moments(mirror_lower(gram) / variance, target / variance, 0.0, 0.0, 0.0, float(n))
        given = solve_posterior(usual.basis, sums, usual.rule)
        scales = {"weight_scale": usual.weight_scale, "residual_scale": usual.residual_scale}
        model._posterior = replace(given, **scales)
        found[f"{k} products"] = scores()
    return found


def _on_table(bench: Bench, name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Fit nine tenths of a table and predict the rest."""
    known_as, X, y = table(name, bench.shrink)
    n, n_new = bench.size(int(SHARE_TO_TRAIN * len(X))), bench.size(len(X) // 10)
    parts = (X[:n], y[:n], X[-n_new:][:200_000], y[-n_new:][:200_000])
    return {"table": known_as, **_scored(bench, options, *parts)}


def _scored(
    bench: Bench,
    options: dict[str, Any],
    X: np.ndarray,
    y: np.ndarray,
    X_new: np.ndarray,
    y_new: np.ndarray,
) -> dict[str, Any]:
    """Fit, predict, and say how good it is, in units of the target."""
    bench.library.forget()
    model = SparseGPRegressor(**options, random_state=0)
    rows, targets, new = bench.put(X), bench.put(y), bench.put(X_new)
    fitting, _ = bench.seconds(lambda: model.fit(rows, targets))
    predicting, (mean, _) = bench.seconds(lambda: model.predict(new, return_std=True))
    distribution = model.predict_distribution(bench.put(X_new[:MOST_DENSITIES]))
    history = [{k: v for k, v in entry.items() if np.isscalar(v)} for entry in model.history_]
    last = [entry["seconds"] for entry in history if entry["phase"] == "final pass"]
    return {
        "options": {name: str(value) for name, value in options.items()},
        "n": len(X),
        "n_basis": model.n_basis_,
        "n_neighbors": model.n_neighbors_,
        "seconds": fitting,
        "seconds_of_final_pass": last[-1] if last else float("nan"),
        "seconds_to_predict": predicting,
        "n_predicted": len(X_new),
        "rmse": float(np.sqrt(np.mean((y_new - to_numpy(mean)) ** 2))),
        "nlpd": float(nlpd(distribution, y_new[:MOST_DENSITIES])),
        "kernel": str(model.kernel_),
        "noise_variance": model.noise_variance_,
        "peak_bytes": bench.library.peak_bytes,
        "history": history,
    }


def gpytorch(bench: Bench) -> dict[str, Any]:
    """Fit kin40k by GPyTorch: SGPR with 2,000 inducing points, and the exact process."""
    if find_spec("gpytorch") is None or isinstance(bench.library, _Strict):
        return {"left out": "GPyTorch or its device is not there"}
    import torch

    from benchmarks.gpu.peers import gpytorch_exact, gpytorch_sgpr

    known_as, X, y = table("kin40k", bench.shrink)
    n, n_new = bench.size(int(SHARE_TO_TRAIN * len(X))), bench.size(len(X) // 10)
    X = (X - X[:n].mean(axis=0)) / X[:n].std(axis=0)
    parts = [bench.put(part) for part in (X[:n], y[:n], X[-n_new:], y[-n_new:])]
    sgpr = {"m": bench.size(2000), "n_steps": 100, "dtype": torch.float64}
    return {
        "table": known_as,
        "sgpr": caught(lambda: gpytorch_sgpr(*parts, timed=bench.seconds, **sgpr)),
        "exact": caught(lambda: gpytorch_exact(*parts, n_steps=20, timed=bench.seconds)),
    }


def on_dask(bench: Bench) -> dict[str, Any]:
    """Fit partitions that Dask holds on the device, those on the host, and the array itself."""
    import dask
    import dask.array as da

    n, m = bench.size(1_000_000), bench.size(1024)
    X, y = generated(n)
    options = {**PLAIN, "max_basis": m, "n_neighbors": 0, "random_state": 0}
    lazy = da.from_array(X, chunks=(-(-n // 4), -1)), da.from_array(y, chunks=-(-n // 4))
    held = lazy[0].map_blocks(bench.put, dtype=float, meta=np.empty((0, 0)))
    found: dict[str, Any] = {"n": n, "m": m}
    with dask.config.set(scheduler="synchronous"):  # one task at a time, as one worker does
        fits = {
            "partitions on the device": (held.persist(), lazy[1]),
            "partitions on the host": lazy,
            "array on the device": (bench.put(X), bench.put(y)),
        }
        for name, rows in fits.items():
            model = SparseGPRegressor(**options)
            seconds, _ = bench.seconds(lambda m=model, r=rows: m.fit(*r))
            new = X[:1000] if "partitions" in name else bench.put(X[:1000])
            found[name] = {"seconds": seconds, "means": to_numpy(model.predict(new))}
    wanted = found["array on the device"]["means"]
    for name in fits:
        apart = np.max(np.abs(found[name].pop("means") - wanted)) / float(np.std(y))
        found[name]["largest_difference"] = float(apart)
    return found


PARTS: dict[str, Callable[[Bench], Any]] = {
    "about": about,
    "moments_pass": moments_pass,
    "selection": selection,
    "whole_fit": whole_fit,
    "kin40k": kin40k,
    "protein_w": protein_w,
    "houseelectric": houseelectric,
    "mixed": mixed,
    "split": split,
    "gpytorch": gpytorch,
    "on_dask": on_dask,
}


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Run the parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--shrink", type=int, default=1)
    parser.add_argument("--only", nargs="*", choices=tuple(PARTS), default=tuple(PARTS))
    parser.add_argument("--seconds", type=float, default=inf, help="no part begins after that")
    options = parser.parse_args(arguments)
    bench = Bench(options.shrink)
    names = list(dict.fromkeys(("about", *options.only)))
    after = bench.library.forget
    return run_parts(PARTS, names, bench, options.json, after, seconds=options.seconds)


if __name__ == "__main__":
    main()
