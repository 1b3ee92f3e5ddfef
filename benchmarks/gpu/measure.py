"""Everything that is shown on a GPU: agreement with the CPU, speed of passes, whole fits, accuracy.

    python -m benchmarks.gpu.measure [--json FILE] [--device cuda] [--shrink 1] [--only PART ...]

Each part is reported by itself, an error of one does not stop the others, and the file is written
after each. kin40k comes from the folder ``SPARSEGP_DATA`` (or ``shared/data`` in or beside the
checkout) as ``kin40k.parquet`` or ``kin40k.npy``. ``--shrink`` divides the sizes: a rehearsal.
"""

import argparse
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.gpu.parts import caught, find_table, run_parts
from benchmarks.gpu.peers import gpytorch_sgpr, gpytorch_svgp
from benchmarks.plain import PLAIN
from sparsegp import SparseGPClassifier, SparseGPRegressor
from sparsegp.arrays import blocked_solve, linalg, to_numpy
from sparsegp.kernels import RBF
from sparsegp.metrics import PredictiveDistribution, nlpd
from sparsegp.model.approximation import APPROXIMATIONS
from sparsegp.model.features import make_basis
from sparsegp.model.moments import collect_moments
from sparsegp.tables import rows as data_rows
from sparsegp.tables.rows import Rows

N_TRAINING, N_AGREEMENT = 36_000, 20_000
# Basis vectors and selectors tried on kin40k.
KIN40K_FITS = (
    {"max_basis": 4000, "selection": "random"},
    {"max_basis": 8000, "selection": "random"},
    {"max_basis": 12000, "selection": "random"},
    {"max_basis": 4000, "selection": "log_posterior"},
    {"max_basis": 6000, "selection": "log_posterior", "cache_size": 12000},
)
AGREEMENTS = (
    {"selection": "log_posterior", "approximation": "vfe"},
    {"selection": "marginal_likelihood", "approximation": "fitc"},
    {"selection": "random", "approximation": "dtc"},
)
# Of the Gram matrix, of triangles, and MiB of kernel values.
BLOCK_SIZES = (
    *((512, 256, 512), (1024, 256, 512), (2048, 256, 512), (4096, 256, 512)),
    *((2048, 128, 512), (2048, 512, 512), (2048, 1024, 512)),
    *((2048, 256, 128), (2048, 256, 1024), (2048, 256, 2048), (1024, 512, 2048)),
)
LIBRARIES = ("cupy", "jax")


class Bench:
    """The device, the sizes, and what is measured."""

    def __init__(self, device: str, shrink: int) -> None:
        self.device, self.shrink = torch.device(device), shrink
        self.flops_per_second = 0.0

    def size(self, n: int) -> int:
        """Return a size, smaller in a rehearsal."""
        return max(n // self.shrink, 32)

    def seconds(self, work: Callable[[], Any]) -> tuple[float, Any]:
        """Return how long some work takes until the device has done it, and what came of it."""
        self.wait()
        start = time.perf_counter()
        result = work()
        self.wait()
        return time.perf_counter() - start, result

    def best_seconds(self, work: Callable[[], Any], repeats: int = 3) -> float:
        """Return the shortest time of several, after one that does not count."""
        work()
        return min(self.seconds(work)[0] for _ in range(repeats))

    def wait(self) -> None:
        """Let the device come to rest."""
        if self.device.type == "cuda":
            torch.cuda.synchronize()

    def normal(self, *shape: int, seed: int = 0) -> torch.Tensor:
        """Return normal numbers on the device."""
        generator = torch.Generator(self.device).manual_seed(seed)
        return torch.randn(*shape, generator=generator, dtype=torch.float64, device=self.device)

    def table(self, n: int, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
        """Return n rows of 8 inputs and a smooth target with noise of a tenth."""
        X = self.normal(n, 8, seed=seed)
        y = torch.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + torch.cos(X[:, 3] + X[:, 4])
        y = y + 0.5 * torch.tanh(X[:, 5]) + 0.2 * X[:, 6] ** 2
        return X, y + 0.1 * self.normal(n, seed=seed + 1)


def about(bench: Bench) -> dict[str, Any]:
    """Name the machine, wake it up, and measure its matrix products."""
    n = bench.size(8192)
    A = bench.normal(n, n)
    bench.flops_per_second = 2.0 * n**3 / bench.best_seconds(lambda: A @ A, 5)
    X, y = bench.table(3000)
    warming, _ = bench.seconds(
        lambda: SparseGPRegressor(**PLAIN, max_basis=300, random_state=0).fit(X, y)
    )
    cuda = bench.device.type == "cuda"
    return {
        "device": torch.cuda.get_device_name() if cuda else platform.processor(),
        "torch": torch.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "cpu_cores": os.cpu_count(),
        "float64_gemm_flops_per_second": bench.flops_per_second,
        "first_fit_of_all_seconds": warming,
    }


def agreement(bench: Bench) -> list[dict[str, Any]]:
    """Compare fits of the same 20,000 rows on the host and on the device."""
    X, y, X_new, _ = kin40k()
    n = bench.size(N_AGREEMENT)
    X, y = X[:n], y[:n]
    found = []
    for kinds in AGREEMENTS:
        options: dict[str, Any] = {**PLAIN, **kinds, "max_basis": 300, "random_state": 0}
        here = SparseGPRegressor(**options)
        seconds_here, _ = bench.seconds(lambda model=here: model.fit(X, y))
        there = SparseGPRegressor(**options)
        seconds_there, _ = bench.seconds(
            lambda model=there: model.fit(bench_array(bench, X), bench_array(bench, y))
        )
        pairs = zip(
            there.predict(bench_array(bench, X_new), return_std=True),
            here.predict(X_new, return_std=True),
            strict=True,
        )
        mean, std = (float(np.max(np.abs(to_numpy(a) - b))) for a, b in pairs)
        same = np.array_equal(here.basis_indices_, there.basis_indices_)
        found.append(
            {
                **options,
                "same_basis": same,
                "largest_difference_of_means": mean,
                "largest_difference_of_deviations": std,
                "host_seconds": seconds_here,
                "device_seconds": seconds_there,
            }
        )
    return found


def other_libraries(bench: Bench) -> dict[str, Any]:
    """Compare a fit in CuPy and in JAX with NumPy's."""
    return {name: caught(lambda name=name: _in_library(name)) for name in LIBRARIES}


def _in_library(name: str) -> dict[str, Any]:
    if name == "jax":
        import jax

        jax.config.update("jax_enable_x64", True)
        import jax.numpy as xp
    else:
        import cupy as xp
    X, y, X_new, _ = kin40k()
    options = {**PLAIN, "max_basis": 200, "random_state": 0}
    here = SparseGPRegressor(**options).fit(X[:3000], y[:3000])
    there = SparseGPRegressor(**options)
    start = time.perf_counter()
    there.fit(xp.asarray(X[:3000]), xp.asarray(y[:3000]))
    seconds = time.perf_counter() - start
    mean = there.predict(xp.asarray(X_new))
    return {
        "same_basis": np.array_equal(here.basis_indices_, there.basis_indices_),
        "largest_difference": float(np.max(np.abs(to_numpy(mean) - here.predict(X_new)))),
        "answer": f"{type(mean).__module__}.{type(mean).__name__}",
        "seconds": seconds,
    }


def moments_pass(bench: Bench) -> dict[str, Any]:
    """Time one pass over 1,000,000 × 8 rows with 4,096 basis vectors against its products."""
    n, m = bench.size(1_000_000), bench.size(4096)
    X, y = bench.table(n)
    rows, kernel = Rows(X, y[:, None]), 1.0 * RBF((1.5,) * 8)
    basis = make_basis(kernel, X[:m, :])
    rule = APPROXIMATIONS["vfe"]
    seconds = bench.best_seconds(lambda: collect_moments(basis, rows, 0.01, rule))
    features = bench.best_seconds(lambda: [basis.features(b.X) for b in rows.blocks(16384)])
    kernels = bench.best_seconds(lambda: [kernel(b.X, basis.Z) for b in rows.blocks(16384)])
    # K L⁻ᵀ and ΦᵀΦ with every triangle used, and as two full products
    triangles, products = 2.0 * n * m**2, 4.0 * n * m**2
    floor = triangles / bench.flops_per_second
    return {
        "n": n,
        "m": m,
        "seconds": seconds,
        "seconds_features": features,
        "seconds_kernel_values": kernels,
        "naive_seconds": bench.best_seconds(lambda: _naive_pass(bench, X, y, kernel, m)),
        "floor_of_triangles_seconds": floor,
        "floor_of_full_products_seconds": products / bench.flops_per_second,
        "times_floor_of_triangles": seconds / floor,
        "times_floor_of_full_products": seconds * bench.flops_per_second / products,
        "one_inverse": basis.factor.blocked.inverse is not None,
    }


def block_sizes(bench: Bench) -> list[dict[str, Any]]:
    """Time the same pass with other sizes of blocks than those that are set."""
    n, m = bench.size(1_000_000), bench.size(4096)
    X, y = bench.table(n)
    rows, kernel, rule = Rows(X, y[:, None]), 1.0 * RBF((1.5,) * 8), APPROXIMATIONS["vfe"]
    usual = (linalg.GRAM_BLOCK, blocked_solve.DEVICE_BLOCK, data_rows.BLOCK_BYTES_ON_DEVICE)
    found = []
    for gram, triangle, megabytes in BLOCK_SIZES:
        linalg.GRAM_BLOCK, blocked_solve.DEVICE_BLOCK = gram, triangle
        data_rows.BLOCK_BYTES_ON_DEVICE = megabytes * 2**20
        basis = make_basis(kernel, X[:m, :])
        seconds = bench.best_seconds(
            lambda basis=basis: collect_moments(basis, rows, 0.01, rule), repeats=2
        )
        found.append({"gram": gram, "triangle": triangle, "MiB": megabytes, "seconds": seconds})
    linalg.GRAM_BLOCK, blocked_solve.DEVICE_BLOCK, data_rows.BLOCK_BYTES_ON_DEVICE = usual
    return found


def _naive_pass(bench: Bench, X: torch.Tensor, y: torch.Tensor, kernel: Any, m: int) -> None:
    """Do what one writes first: a triangular solve and a product for each block."""
    L = torch.linalg.cholesky(kernel(X[:m, :], X[:m, :]) + 1e-8 * torch.eye(m).to(X))
    gram, target = torch.zeros_like(L), torch.zeros(m).to(X)
    for start in range(0, len(X), 16384):
        K = kernel(X[start : start + 16384, :], X[:m, :])
        Phi = torch.linalg.solve_triangular(L, K.T, upper=False)
        gram += Phi @ Phi.T
        target += Phi @ y[start : start + 16384]


def whole_fit(bench: Bench) -> dict[str, Any]:
    """Fit 1,000,000 rows with 4,096 basis vectors, hyperparameters and selection included."""
    return _fit_generated(bench, bench.size(1_000_000), bench.size(4096))


def ten_million(bench: Bench) -> dict[str, Any]:
    """Fit 10,000,000 rows with 1,024 basis vectors."""
    return _fit_generated(bench, bench.size(10_000_000), bench.size(1024))


def _fit_generated(bench: Bench, n: int, m: int) -> dict[str, Any]:
    X, y = bench.table(n)
    X_new, y_new = bench.table(20_000, seed=7)
    return _scored(bench, {"max_basis": m}, X, y, X_new, y_new)


def classes(bench: Bench) -> dict[str, Any]:
    """Fit three classes of 1,000,000 rows with 1,024 basis vectors, and some here and there."""
    (X, y), (X_new, y_new) = bench.table(bench.size(1_000_000)), bench.table(20_000, seed=7)
    edges = torch.quantile(y[:100_000], torch.tensor([0.33, 0.67], dtype=y.dtype, device=y.device))
    labels, labels_new = torch.bucketize(y, edges), torch.bucketize(y_new, edges)
    options = {"max_basis": bench.size(1024), "inference": "least_squares", "random_state": 0}
    seconds, model = bench.seconds(lambda: SparseGPClassifier(**options).fit(X, labels))
    predicting, p = bench.seconds(lambda: model.predict_proba(X_new))
    own = p[torch.arange(len(p), device=p.device), labels_new]
    some = slice(0, bench.size(N_AGREEMENT))
    few = {**options, "max_basis": bench.size(256), "kernel": 1.0 * RBF(2.0), "optimizer": None}
    there = SparseGPClassifier(**few).fit(X[some], labels[some])
    here = SparseGPClassifier(**few).fit(to_numpy(X[some]), to_numpy(labels[some]))
    apart = to_numpy(there.predict_proba(X_new)) - here.predict_proba(to_numpy(X_new))
    return {
        "n": len(X),
        "n_basis": model.n_basis_,
        "seconds": seconds,
        "seconds_to_predict": predicting,
        "error": float(torch.mean((model.predict(X_new) != labels_new).double())),
        "nlp": -float(torch.mean(torch.log(own))),
        "n_agreement": bench.size(N_AGREEMENT),
        "same_basis": bool(np.array_equal(there.basis_indices_, here.basis_indices_)),
        "largest_difference_of_probabilities": float(np.abs(apart).max()),
    }


def kin40k_fits(bench: Bench) -> list[Any]:
    """Fit 36,000 rows of kin40k with several bases."""
    X, y, X_new, y_new = (bench_array(bench, part) for part in kin40k())
    found = []
    for given in KIN40K_FITS:
        options = {**given, "max_basis": bench.size(int(given["max_basis"]))}
        found.append(
            caught(lambda o=options: _scored(bench, o, X, y, X_new, y_new)) | {"options": options}
        )
    return found


def peers(bench: Bench) -> dict[str, Any]:
    """Run GPyTorch on the same rows and card."""
    parts = tuple(bench_array(bench, part) for part in kin40k())
    m, n_steps = bench.size(2000), bench.size(100)

    def sgpr(dtype: torch.dtype) -> dict[str, float]:
        return gpytorch_sgpr(*parts, m=m, n_steps=n_steps, timed=bench.seconds, dtype=dtype)

    return {
        "sgpr_2000": caught(lambda: sgpr(torch.float64)),
        "sgpr_2000_float32": caught(lambda: sgpr(torch.float32)),
        "svgp_1024": caught(lambda: gpytorch_svgp(*parts, m=bench.size(1024), timed=bench.seconds)),
    }


def _scored(
    bench: Bench,
    options: dict[str, Any],
    X: torch.Tensor,
    y: torch.Tensor,
    X_new: torch.Tensor,
    y_new: torch.Tensor,
) -> dict[str, Any]:
    """Fit, predict and say how good it is, in units of the target's standard deviation."""
    if bench.device.type == "cuda":
        torch.cuda.reset_peak_memory_stats()
    model = SparseGPRegressor(**{**PLAIN, **options}, random_state=0)
    fitting, _ = bench.seconds(lambda: model.fit(X, y))
    predicting, (mean, std) = bench.seconds(lambda: model.predict(X_new, return_std=True))
    unit = float(torch.std(y))
    mean, std, truth = (to_numpy(part) / unit for part in (mean, std, y_new))
    cuda = bench.device.type == "cuda"
    return {
        "n": len(X),
        "n_basis": model.n_basis_,
        "seconds": fitting,
        "seconds_to_predict": predicting,
        "n_predicted": len(X_new),
        "rmse": float(np.sqrt(np.mean((truth - mean) ** 2))),
        "nlpd": nlpd(PredictiveDistribution.gaussian(mean, std), truth),
        "noise_variance": model.noise_variance_,
        "peak_bytes": torch.cuda.max_memory_allocated() if cuda else None,
        "history": [{k: v for k, v in e.items() if np.isscalar(v)} for e in model.history_],
    }


def bench_array(bench: Bench, values: np.ndarray) -> torch.Tensor:
    return torch.as_tensor(values, device=bench.device)


def kin40k() -> tuple[np.ndarray, ...]:
    """Return inputs and standardised targets of training rows, then those of test rows."""
    table = find_table("kin40k")
    table = table[np.random.default_rng(0).permutation(len(table))]
    X, y = table[:, :-1].copy(), table[:, -1]
    y = (y - y[:N_TRAINING].mean()) / y[:N_TRAINING].std()
    return X[:N_TRAINING], y[:N_TRAINING], X[N_TRAINING:], y[N_TRAINING:]


PARTS: dict[str, Callable[[Bench], Any]] = {
    "about": about,
    "moments_pass": moments_pass,
    "block_sizes": block_sizes,
    "kin40k": kin40k_fits,
    "whole_fit": whole_fit,
    "ten_million": ten_million,
    "classes": classes,
    "agreement": agreement,
    "peers": peers,
    "other_libraries": other_libraries,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--shrink", type=int, default=1)
    parser.add_argument("--only", nargs="*", choices=tuple(PARTS), default=tuple(PARTS))
    options = parser.parse_args()
    print("torch", torch.__version__, "cuda", torch.cuda.is_available(), flush=True)
    bench = Bench(options.device, options.shrink)
    after = torch.cuda.empty_cache if bench.device.type == "cuda" else lambda: None
    run_parts(PARTS, list(dict.fromkeys(("about", *options.only))), bench, options.json, after)


if __name__ == "__main__":
    main()
