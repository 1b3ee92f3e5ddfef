"""The whole fit of a sparse regression model: hyperparameters, basis, posterior.

1. First hyperparameters from exact Gaussian processes on nested subsets (``subsets``).
2. A basis chosen at these hyperparameters, then in turn a short optimisation of the objective
   (``objectives``) at the basis and a new choice, as long as that helps (``alternate``).
3. If asked for, basis inputs that leave the data (``refine``).
4. One pass over all rows for the posterior.
5. Error bars calibrated by leave-one-out density (``calibrate``).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import Array, to_numpy
from sparsegp.data.rows import Rows
from sparsegp.kernels.base import FIXED, Vector
from sparsegp.learning.alternate import Chosen, alternate, within_time
from sparsegp.learning.calibrate import Calibration, calibrate, common_scale
from sparsegp.learning.diary import Diary
from sparsegp.learning.objectives import EVIDENCE, SCALE_FREE, settle_noise
from sparsegp.learning.pace import measure_pace
from sparsegp.learning.parameters import Parameters
from sparsegp.learning.progress import Listener, Progress
from sparsegp.learning.refine import refine_inputs
from sparsegp.learning.settings import Settings
from sparsegp.learning.subsets import first_parameters
from sparsegp.learning.timetable import Timetable
from sparsegp.model.approximation import Approximation
from sparsegp.model.features import make_basis
from sparsegp.model.leave_one_out import leave_one_out
from sparsegp.model.moments import collect_moments
from sparsegp.model.noise import Noise
from sparsegp.model.posterior import Posterior, prefix_evidences, solve_posterior
from sparsegp.selection import HAS_TURNING_POINT

__all__ = ["SparseFit", "condition", "fit_sparse"]

Indices = npt.NDArray[np.intp]

FINAL_PASS = "final pass"
# Rows kept back from the choice of the basis to calibrate on: two scales are known well enough
# from the most, and so badly from less than the fewest that none are kept back.
SHARE_OF_STRANGERS = 0.15
MOST_STRANGERS = 3_000
FEWEST_STRANGERS = 100
# Of the time that there is, if there is a limit, for the first hyperparameters.
SHARE_OF_FIRST = 0.3


@dataclass(frozen=True)
class SparseFit:
    """A fitted model and how it came about."""

    parameters: Parameters
    chosen: npt.NDArray[np.intp]  # positions among the candidates, in the order chosen
    path: Vector  # the criterion after each basis vector; may go on beyond the chosen ones
    posterior: Posterior
    evidences: Vector  # (m,), log evidence of every prefix of the basis
    calibration: Calibration
    noise: Noise  # of predictions
    history: list[dict[str, Any]]


def condition(
    rows: Rows, Z: Array, parameters: Parameters, rule: Approximation, objective: str | None
) -> tuple[Parameters, Posterior, Vector]:
    """Return the posterior given all rows and the log evidence of every prefix.

    With an objective the noise is settled by it, given all rows.
    """
    basis = make_basis(parameters.kernel, Z)
    if objective is not None:
        settled = settle_noise(basis, rows, parameters, rule, objective)
        parameters, moments, posterior = settled.parameters, settled.moments, settled.posterior
    else:
        moments = collect_moments(basis, rows, parameters.noise_variance, rule)
        posterior = solve_posterior(basis, moments, rule)
    evidences = prefix_evidences(posterior, moments, parameters.noise_variance, rule)
    return parameters, posterior, to_numpy(evidences)


def fit_sparse(
    rows: Rows,
    candidates: Array,
    start: Parameters,
    settings: Settings,
    rng: np.random.Generator,
    listener: Listener,
    head_start: Parameters | None = None,
) -> SparseFit:
    """Fit; ``candidates`` (N, D) are the inputs that the basis is chosen from."""
    diary = Diary()
    parameters = start
    if settings.optimise:
        optima = first_parameters(
            rows,
            start,
            rng,
            n_restarts=settings.n_restarts,
            head_start=head_start,
            listener=listener,
            diary=diary,
            budget=settings.budget.part(SHARE_OF_FIRST),
        )
        parameters = optima[-1].parameters
    times = _timetable(rows, candidates, parameters, settings)
    settings = within_time(times, settings, rows, candidates)
    every = _takes_every_row(rows, candidates, settings)
    learn = settings.optimise and not (every and settings.objective == EVIDENCE)
    calibrates = settings.calibrate and learn and parameters.noise_bounds != FIXED
    seen, strangers = _keep_back(len(rows), rng) if calibrates and not every else _all(rows)
    chosen = _choose(
        rows, seen, candidates, parameters, settings, rng, listener, diary, learn, times
    )
    parameters, Z = chosen.parameters, chosen.Z
    refines = settings.refine_basis and learn
    if refines:
        own = times.budget.without(times.to_finish(len(chosen.indices)))
        parameters, Z = refine_inputs(
            rows, Z, parameters, settings.rule, rng, listener, diary, budget=own
        )
    if settings.budget.limited:
        times = _timetable(rows, Z, parameters, settings)
        m = len(chosen.indices) if refines else times.basis_within(len(chosen.indices))
        chosen, Z = replace(chosen, indices=chosen.indices[:m]), Z[:m, :]
        rows, strangers = _rows_within(times, rows, strangers, m)
    listener(Progress(FINAL_PASS, 1, 1, float(chosen.path[-1]) if len(chosen.path) else np.nan))
    parameters, posterior, evidences = condition(
        rows, Z, parameters, settings.rule, settings.objective if learn else None
    )
    diary.note(FINAL_PASS, log_evidence=float(evidences[-1]), jitter=posterior.basis.jitter)
    calibration = Calibration()
    if calibrates:
        strangers = strangers[: times.judges_within(len(strangers), len(chosen.indices))]
        judges = rows.take(strangers) if len(strangers) >= FEWEST_STRANGERS else None
        calibration = _calibrate(posterior, rows, judges, parameters, settings, diary)
        posterior = replace(
            posterior, weight_scale=calibration.noise, residual_scale=calibration.residual
        )
    diary.note_limit(settings.budget)
    path = chosen.path if len(chosen.path) else -evidences
    noise = Noise(calibration.noise * parameters.noise_variance, calibration.level)
    return SparseFit(
        parameters, chosen.indices, path, posterior, evidences, calibration, noise, diary.entries
    )


def _timetable(rows: Rows, inputs: Array, parameters: Parameters, settings: Settings) -> Timetable:
    """Return what there is time for, at the pace of a final pass with some of the inputs."""
    budget, rule = settings.budget, settings.rule
    if not budget.limited or not budget.has():
        return Timetable(budget, n_rows=len(rows))
    objective = settings.objective if settings.optimise else None

    def sums(used: Rows, m: int) -> Callable[[], object]:
        basis = make_basis(parameters.kernel, inputs[:m, :])
        if objective in (None, EVIDENCE):
            return lambda: collect_moments(basis, used, parameters.noise_variance, rule)
        return lambda: settle_noise(basis, used, parameters, rule, str(objective))

    def whole(used: Rows, m: int) -> object:
        return condition(used, inputs[:m, :], parameters, rule, objective)

    pace = measure_pace(sums, whole, rows, int(inputs.shape[0]), budget)
    return Timetable(budget, pace, len(rows))


def _rows_within(times: Timetable, rows: Rows, strangers: Indices, m: int) -> tuple[Rows, Indices]:
    """Return the rows that there is time for, and which of them are strangers."""
    n = times.rows_within(m)
    if n == len(rows):
        return rows, strangers
    others = np.setdiff1d(np.arange(len(rows)), strangers)
    strangers = strangers[:n]
    step = len(others) / max(n - len(strangers), 1)
    some = others[(step * np.arange(n - len(strangers))).astype(np.intp)]
    return rows.take(np.concatenate((strangers, some))), np.arange(len(strangers))


def _takes_every_row(rows: Rows, candidates: Array, settings: Settings) -> bool:
    """Tell whether the model will be exact; its evidence is then that of the subsets."""
    whole_pool = settings.cache_size is None or settings.cache_size >= len(rows)
    may_stop = settings.stop and settings.selection in HAS_TURNING_POINT
    enough = settings.max_basis >= len(rows)
    return candidates is rows.X and enough and whole_pool and not may_stop


def _all(rows: Rows) -> tuple[Indices, Indices]:
    """Part the rows into all and none."""
    return np.arange(len(rows)), np.empty(0, dtype=np.intp)


def _keep_back(n: int, rng: np.random.Generator) -> tuple[Indices, Indices]:
    """Part the rows into those that choose the basis and strangers for the calibration.

    A basis chosen by the targets of a row fits that row better than a new one, and leaving the
    row out of the posterior does not undo the choice. Strangers are part of the posterior.
    """
    size = min(MOST_STRANGERS, int(SHARE_OF_STRANGERS * n))
    if size < FEWEST_STRANGERS:
        return np.arange(n), np.empty(0, dtype=np.intp)
    order = rng.permutation(n)
    return np.sort(order[size:]), np.sort(order[:size])


def _calibrate(
    posterior: Posterior,
    rows: Rows,
    strangers: Rows | None,
    parameters: Parameters,
    settings: Settings,
    diary: Diary,
) -> Calibration:
    """Calibrate on the strangers; without any, on all rows if nothing else sets the variances."""
    scale_free = settings.objective in SCALE_FREE
    if strangers is None and not scale_free:
        return Calibration()
    variance = parameters.noise_variance
    left_out = leave_one_out(posterior, rows if strangers is None else strangers, variance)
    around = common_scale(left_out, variance) if scale_free else 1.0
    found = calibrate(left_out, variance, around)
    diary.note(
        "calibration",
        noise=found.noise,
        residual=found.residual,
        slope=found.level.slope,
        curvature=found.level.curvature,
    )
    return found


def _choose(
    rows: Rows,
    seen: Indices,
    candidates: Array,
    parameters: Parameters,
    settings: Settings,
    rng: np.random.Generator,
    listener: Listener,
    diary: Diary,
    learn: bool,
    times: Timetable,
) -> Chosen:
    """Choose basis and hyperparameters by the rows at positions ``seen``."""
    if len(seen) == len(rows):
        return alternate(
            rows, candidates, parameters, settings, rng, listener, diary, learn=learn, times=times
        )
    those, own = rows.take(seen), candidates is rows.X
    pool = those.X if own else candidates
    chosen = alternate(
        those, pool, parameters, settings, rng, listener, diary, learn=learn, times=times
    )
    return replace(chosen, indices=seen[chosen.indices]) if own else chosen
