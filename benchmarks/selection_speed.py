"""Cost of basis selection, as ratios within one run, and how the time of a fit grows.

    python -m benchmarks.selection_speed [--scale S] [--repeats N] [--json FILE]

1. Steps of a selection of 1,500 from a pool of 4,000 with 36,000 rows, in units of one product
   K_xzᵀK_xz of the same rows; the selection after the Gram matrix against the final statistics.
2. A whole fit at fixed hyperparameters with that selection against one with a random basis.
3. Such fits with half of the rows, and with 500, 1,000 and 2,000 basis vectors.
4. Selections in the sample domain, in the same units.

Times mean little on a shared machine, their ratios more: what is compared is measured
alternately, and the best of several repeats counts. kin40k if it is there, else generated rows of
its shape. All threads that BLAS may use are used. ``--scale`` makes everything smaller, to try it
out; the figures then mean nothing and are written only where ``--json`` says.
"""

import argparse
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.datasets import load
from sparsegp import SparseGPRegressor
from sparsegp.arrays import n_threads
from sparsegp.kernels import RBF
from sparsegp.model.approximation import DTC
from sparsegp.model.features import make_basis
from sparsegp.model.moments import collect_moments
from sparsegp.selection import GAINS, select_basis
from sparsegp.selection.elimination import Elimination
from sparsegp.selection.gram import choices
from sparsegp.selection.schur_gram import schur_gram
from sparsegp.tables.rows import Rows

RESULT = Path(__file__).parent / "results" / "selection_speed.json"
KERNEL = 1.0 * RBF([2.0] * 8)
VARIANCE = 0.01

SAMPLE_SETTINGS = (  # criterion, κ, c
    ("matching_pursuit", 59, 59),
    ("matching_pursuit", 59, 500),
    ("log_posterior", 59, 59),
    ("log_posterior", 59, 200),
    ("marginal_likelihood", 59, 200),
    ("information_gain", 0, 10_000),
    ("loo_error", 59, 59),
    ("loo_density", 59, 59),
    ("loo_density", 59, 200),
)

Work = Callable[[], object]
Result = dict[str, Any]


@dataclass(frozen=True)
class Sizes:
    """How large the problem is."""

    n_rows: int = 36_000
    n_pool: int = 4_000
    n_basis: int = 1_500
    rows_of_gram: int = 10_000
    growing_basis: tuple[int, ...] = (500, 1_000, 2_000)
    basis_of_samples: int = 300

    def scaled(self, scale: float) -> "Sizes":
        """Return the same shape, smaller."""

        def less(value: Any) -> Any:
            if isinstance(value, tuple):
                return tuple(map(less, value))
            return max(1, round(scale * value))

        return Sizes(*(less(value) for value in vars(self).values()))


# ------------------------------------------------------------------ data and clock


def table(n_rows: int) -> Rows:
    """Return standardised rows of kin40k, or of its shape."""
    try:
        data = load("kin40k")
        values = np.column_stack((data.X, data.y))
    except FileNotFoundError:
        X = np.random.default_rng(1).standard_normal((40_000, 8))
        values = np.column_stack((X, np.sin(X.sum(axis=1))))
    values = values[np.random.default_rng(0).permutation(len(values))[:n_rows]]
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    return Rows(np.ascontiguousarray(values[:, :-1]), values[:, -1:].copy())


def seconds(work: Work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def best_seconds(works: Mapping[str, Work], repeats: int) -> dict[str, float]:
    """Time works alternately, so that a busy minute slows all of them; return the best of each."""
    best = dict.fromkeys(works, np.inf)
    for _ in range(repeats):
        for name, work in works.items():
            best[name] = min(best[name], seconds(work))
    return best


def line(name: str, value: float, unit: float) -> Result:
    print(f"{name:60s} {value:8.3f} s {value / unit:7.2f} products", flush=True)
    return {"what": name, "seconds": round(value, 4), "products": round(value / unit, 3)}


def ratio(name: str, value: float, at_most: float | None = None) -> Result:
    """Return a ratio, and whether it is what is wanted."""
    found: Result = {"what": name, "ratio": round(value, 3)}
    if at_most is not None:
        found |= {"at_most": at_most, "holds": bool(value <= at_most)}
    wanted = "" if at_most is None else f", wanted: at most {at_most:g}"
    print(f"{name:60s} {value:8.3f}{wanted}", flush=True)
    return found


# ------------------------------------------------------------------ 1. steps


def steps(rows: Rows, sizes: Sizes) -> dict[str, Work]:
    """Return the steps of a fit with a selection by log posterior, each alone."""
    pool, some = rows.X[: sizes.n_pool], rows[: sizes.rows_of_gram]
    K = KERNEL(rows.X, pool[: sizes.n_basis])  # (n, m)
    other = K.copy()  # so that it is not taken for a symmetric product
    return {
        "one product": lambda: K.T @ other,
        "Gram matrix": lambda: schur_gram(KERNEL, some, pool, pool[:0], VARIANCE),
        "final statistics": lambda: collect_moments(
            make_basis(KERNEL, pool[: sizes.n_basis]), rows, VARIANCE, DTC
        ),
    }


def selections(rows: Rows, sizes: Sizes, repeats: int) -> dict[str, float]:
    """Return the seconds of each criterion after the Gram matrix."""
    pool = rows.X[: sizes.n_pool]
    gram = schur_gram(KERNEL, rows[: sizes.rows_of_gram], pool, pool[:0], VARIANCE)
    best = dict.fromkeys(GAINS, np.inf)
    for _ in range(repeats):
        for criterion in GAINS:
            system = Elimination(gram.S.copy(), gram.K.copy(), gram.r)
            made = islice(choices(criterion, system, VARIANCE), sizes.n_basis)
            best[criterion] = min(best[criterion], seconds(partial(list, made)))
    return best


def measure_steps(rows: Rows, sizes: Sizes, repeats: int) -> tuple[float, list[Result], Result]:
    """Return the unit, the steps in it, and selection against final statistics."""
    times = best_seconds(steps(rows, sizes), repeats)
    times |= {
        f"{name}, {sizes.n_basis} of {sizes.n_pool}": value
        for name, value in selections(rows, sizes, repeats).items()
    }
    unit = times["one product"]
    chosen = times[f"log_posterior, {sizes.n_basis} of {sizes.n_pool}"]
    lines = [line(name, value, unit) for name, value in times.items()]
    against_final = ratio("selection / final statistics", chosen / times["final statistics"], 1.0)
    return unit, lines, against_final


# ------------------------------------------------------------------ 2. and 3. whole fits


def fit(rows: Rows, max_basis: int, selection: str, cache_size: int | None) -> Work:
    """Return a fit at fixed hyperparameters."""
    model = SparseGPRegressor(
        KERNEL,
        noise_variance=VARIANCE,
        max_basis=max_basis,
        selection=selection,
        cache_size=cache_size,
        optimizer=None,
        calibrate=False,
        random_state=0,
    )
    return lambda: model.fit(rows.X, rows.y[:, 0])


def measure_fits(
    rows: Rows, sizes: Sizes, unit: float, repeats: int
) -> tuple[list[Result], list[Result]]:
    """Return the seconds of whole fits, and how they compare and grow."""
    m, pool, half = sizes.n_basis, sizes.n_pool, rows[: len(rows) // 2]
    greedy, chance, fewer = "fit, log_posterior", "fit, random", "fit, log_posterior, half the rows"
    works = {
        greedy: fit(rows, m, "log_posterior", pool),
        chance: fit(rows, m, "random", None),
        fewer: fit(half, m, "log_posterior", pool),
    }
    # the default pool grows with m, and the elimination with the square of the pool
    pools = {f"a pool of {pool}": pool, "the default pool": None}
    growing = {
        where: {
            f"fit, {k} of {where}": fit(rows, k, "log_posterior", size) for k in sizes.growing_basis
        }
        for where, size in pools.items()
    }
    for some in growing.values():
        works |= some
    times = best_seconds(works, repeats)
    ratios = [
        ratio("fit, log_posterior / random", times[greedy] / times[chance], 3.0),
        ratio("fit, rows / half of them", times[greedy] / times[fewer], 2.2),
    ]
    for where, some in growing.items():
        exponent = growth([times[name] for name in some], sizes.growing_basis)
        ratios.append(ratio(f"exponent of m, {where}", exponent))
    return [line(name, value, unit) for name, value in times.items()], ratios


def growth(times: Sequence[float], n_basis: Sequence[int]) -> float:
    """Return the exponent a of the least squares line log t = a log m + b.

    >>> round(growth([1.0, 4.0, 16.0], [500, 1000, 2000]), 6)
    2.0
    """
    return float(np.polyfit(np.log(n_basis), np.log(times), 1)[0])


# ------------------------------------------------------------------ 4. the sample domain


def measure_samples(rows: Rows, sizes: Sizes, unit: float) -> list[Result]:
    some, m = rows[: sizes.rows_of_gram], sizes.basis_of_samples
    results = []
    for criterion, n_fresh, cache_size in SAMPLE_SETTINGS:
        work = partial(
            select_basis,
            criterion,
            KERNEL,
            some,
            some.X,
            VARIANCE,
            max_basis=m,
            n_fresh=n_fresh,
            cache_size=cache_size,
            rng=np.random.default_rng(0),
            stop=False,
        )
        value = seconds(work)
        name = f"{criterion} κ={n_fresh} c={cache_size}, {m} of {len(some)} rows"
        results.append(line(name, value, unit) | {"ms_a_step": round(1e3 * value / m, 2)})
    return results


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scale", type=float, default=1.0, help="of all sizes, to try it out")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path, help=f"default at scale 1: {RESULT.name}")
    options = parser.parse_args(arguments)
    sizes = Sizes().scaled(options.scale)
    rows = table(sizes.n_rows)
    unit, lines, against_final = measure_steps(rows, sizes, options.repeats)
    fits, ratios = measure_fits(rows, sizes, unit, options.repeats)
    result = {
        "threads": n_threads(),
        "sizes": asdict(sizes),
        "ratios": [against_final, *ratios],
        "steps": lines,
        "fits": fits,
        "sample_domain": measure_samples(rows, sizes, unit),
    }
    file = options.json or (RESULT if options.scale == 1.0 else None)
    if file:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
