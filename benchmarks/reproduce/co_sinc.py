"""CO figure 4: sin(x)/x from 1,000 noisy rows on 10 and 15 basis vectors.

    python -m benchmarks.reproduce.co_sinc [--partitions N] [--rows N] [--out FILE]

Noise of variance 0.02, kernel widths σ_K² = 1 and 0.1 (eq. 4.1); each run draws its own rows. The
text gives no range of inputs: from −5 to 5 ten vectors of width 1 can do what the figure shows,
over a much longer range they cannot. Nor does it give the tolerance ε_tol below which a row is
projected and joins no basis (section 3.3): there are runs with several. The records hold the error
of the mean for both rules of deletion, the share of the true function inside two deviations, and
the mean width of the bars; of the one run that is drawn also the curves.
"""

from collections.abc import Iterator, Sequence
from functools import partial as bound

import numpy as np

from benchmarks.reproduce.options import co_regressor_options
from benchmarks.reproduce.records import Job, Record, reproduce, standard_options
from sparsegp import OnlineGPRegressor
from sparsegp.kernels import RBF
from sparsegp.online.deletion import DELETIONS

#: (σ_K², basis vectors), as in the two halves of the figure.
HALVES = ((1.0, 10), (0.1, 15))
#: The smallest is this library's default; the novelty γ of a row is at most 1.
TOLERANCES = (1e-6, 1e-3, 0.01, 0.05, 0.1)
NOISE = 0.02
RANGE = 5.0
PARTITIONS = 50
PLOTTED = 0  # the run whose curves are kept
EACH_DRAWN = 4  # of the points of the grid


def run(
    width: float, size: int, k: int, deletion: str, tolerance: float, n_rows: int
) -> Iterator[Record]:
    rng = np.random.default_rng(k)
    X = rng.uniform(-RANGE, RANGE, (n_rows, 1))
    y = np.sinc(X[:, 0] / np.pi) + NOISE**0.5 * rng.standard_normal(n_rows)
    said = {
        "kernel": RBF(width**0.5),
        "noise_variance": NOISE,
        "max_basis": size,
        "tolerance": tolerance,
        "deletion": deletion,
        "random_state": k,
    }
    model = OnlineGPRegressor(**co_regressor_options(said)).partial_fit(X, y)
    grid = np.linspace(-RANGE, RANGE, 401)[:, None]
    truth = np.sinc(grid[:, 0] / np.pi)
    mean, deviation = model.predict_latent(grid, return_std=True)
    record = {
        "rmse": np.sqrt(np.mean((mean - truth) ** 2)),
        "inside_two_deviations": np.mean(np.abs(mean - truth) < 2.0 * deviation),
        "mean_deviation": np.mean(deviation),
        "n_basis": model.n_basis_,
    }
    if k == PLOTTED:
        record |= {
            "x_curve": grid[::EACH_DRAWN, 0],
            "mean_curve": mean[::EACH_DRAWN],
            "deviation_curve": deviation[::EACH_DRAWN],
            "basis": model.basis_vectors_[:, 0],
        }
    yield record


def main(arguments: Sequence[str] | None = None) -> None:
    parser = standard_options(__doc__, "co_sinc", (), PARTITIONS)
    parser.add_argument("--rows", type=int, default=1000)
    options = parser.parse_args(arguments)
    jobs = (
        Job(
            {
                "width": width,
                "size": size,
                "partition": k,
                "deletion": deletion,
                "tolerance": tolerance,
                "rows": options.rows,
            },
            bound(run, width, size, k, deletion, tolerance, options.rows),
        )
        for k in range(options.partitions)
        for tolerance in TOLERANCES
        for deletion in DELETIONS
        for width, size in HALVES
    )
    reproduce(jobs, options.out)


if __name__ == "__main__":
    main()
