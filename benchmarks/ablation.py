"""Ablation of a default fit: each mechanism is switched off, one at a time, on every set.

    python -m benchmarks.ablation [--tasks TASK ...] [--seeds S ...] [--sets NAME ...]

Results are appended to a file of JSON lines after each set, and a run continues where the last one
ended. ``benchmarks.ablation_page`` makes the tables of ``benchmarks/ablation.md`` from it. Results
there are not computed again when the code changes: ``--results`` names another file.

- ``noise``: the default regressor; the kinds of noise and the parts of the calibration. A part of
  the calibration is switched off on the same fit, and a kind of noise that was not chosen needs no
  second fit: seconds of these variants are those of the fit.
- ``search``: the default regressor; rules of the searches for structure and hyperparameters. A rule
  that never acted in the default fit is not fitted again: the result is the same. The task needs
  the results of ``noise`` on the same set and seed.
- ``idle``: the same for the rule that ends searches without gain.
- ``classes``: the same for the default classifier.
- ``plain``: the length-scale prior of the regressor without open choices.

A split is a permutation by ``default_rng(seed)``: the last tenth is for the test, at most
``MOST_TEST`` rows, and of the rest at most ``MOST_TRAINING`` train. The seed is also the
``random_state``. Errors are in standard deviations of the target. Seconds are CPU seconds of one
thread.
"""

import argparse
import json
import pickle
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import sparsegp.estimators.options.regression as regression_options
from benchmarks.datasets import load
from benchmarks.plain import PLAIN
from sparsegp import SparseGPClassifier, SparseGPRegressor
from sparsegp.estimators import regressor
from sparsegp.learning import predictions
from sparsegp.learning.classes import policy as class_policy
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters import early_stopping, exact_subsets
from sparsegp.learning.hyperparameters import policy as search_policy
from sparsegp.learning.noise import calibrate, choose_noise
from sparsegp.learning.noise.calibrate import Calibration
from sparsegp.learning.noise.noise_models import predictive_noise
from sparsegp.learning.settings import GAUSSIAN, HETEROSCEDASTIC, STUDENT_T
from sparsegp.learning.structure import candidates, evaluate_candidates

CACHE = Path(tempfile.gettempdir()) / "sparsegp-ablation"
RESULTS = Path(__file__).parent / "results" / "ablation.jsonl"
REGRESSION = (
    *("snelson", "boston", "concrete", "airfoil", "co2", "abalone", "sarcos_test", "kin8nm"),
    *("bank8fm", "bank32nh", "cpusmall", "cpuact", "pol", "bike", "calhouse", "house8l"),
    *("house16h", "kin40k", "protein_w", "keggdirected", "beijing_pm25"),
)
CLASSES = (
    *("breast_cancer", "flare_solar", "titanic", "banana", "image", "splice", "waveform"),
    *("twonorm", "ringnorm", "usps_train"),
)
MOST_TRAINING, MOST_TEST = 5_000, 3_000
# Searches of a classifier and of a plain regressor cost many passes over the rows.
MOST_TRAINING_OF = {"classes": 2_000, "plain": 4_000}
PLAIN_BASIS = 200
QUANTILES = (np.arange(50) + 0.5) / 50
INTERVAL = 0.95

Patch = tuple[Any, str, Any]  # module, name, value
Record = dict[str, Any]


@dataclass(frozen=True)
class Split:
    """Training and test rows of a set."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    deviation: float


def split(name: str, seed: int, most: int) -> Split:
    """Return the rows of a set for one seed."""
    data = load(name)
    order = np.random.default_rng(seed).permutation(len(data.y))
    train, test = np.split(order, [int(0.9 * len(order))])
    train, test = train[:most], test[:MOST_TEST]
    return Split(data.X[train], data.y[train], data.X[test], data.y[test], float(data.y.std()))


@contextmanager
def patched(patches: Sequence[Patch]) -> Iterator[None]:
    """Replace functions and constants of modules inside the block."""
    before = [(module, name, getattr(module, name)) for module, name, _ in patches]
    try:
        for module, name, value in patches:
            setattr(module, name, value)
        yield
    finally:
        for module, name, value in before:
            setattr(module, name, value)


class _NoTarget(early_stopping.TargetStopping):
    """A search that uses all its evaluations."""

    def __call__(self) -> bool:
        self._record()
        return self._iterations()


def _from_last(rows: Any, start: Any, last: Any) -> Any:
    return last


def _usual(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a comparison that ignores the initial values, except for tempered starts."""

    def likelier(rows: Any, other: Any, usual: Any, *, ahead: float = 0.0) -> Any:
        return original(rows, other, usual, ahead=ahead) if ahead else usual

    return likelier


def _no_prior(kernel: Any) -> tuple[float, np.ndarray]:
    return 0.0, np.zeros(len(kernel.theta))


#: Rules of searches, and what switches them off. The first group acts after transforms and kernel
#: are chosen: these are taken from the default fit.
AFTER_STRUCTURE: dict[str, list[Patch]] = {
    "no extension while evaluations gain": [(search_policy, "MIN_GAIN_PER_ROW", np.inf)],
    "no tempered starts": [(exact_subsets, "_tempered", _from_last)],
    "always tempered starts": [(search_policy, "FAR_LIKELIER_PER_ROW", np.inf)],
    "no look back at the start": [(exact_subsets, "_likelier", _usual(exact_subsets._likelier))],
}
WHOLE_SEARCH: dict[str, list[Patch]] = {
    "no early end of trials": [(evaluate_candidates, "TargetStopping", _NoTarget)],
    "no shrinkage of length scales": [(candidates, "log_prior", _no_prior)],
}
IDLE: dict[str, list[Patch]] = {
    "no end of idle trials": [(search_policy, "IDLE_GAIN", -np.inf)],
}
OF_CLASSES: dict[str, list[Patch]] = {
    **AFTER_STRUCTURE,
    "long searches of many coordinates": [
        (class_policy, "EVALUATIONS_OF_MANY_COORDINATES", class_policy.EVALUATIONS)
    ],
    "no lower limit of label noise": [(class_policy, "NOISE_BOUNDS", (1e-6, 1e2))],
}


@contextmanager
def watched() -> Iterator[set[str]]:
    """Note which rules act in a fit."""
    acted: set[str] = set()
    tempered, likelier = exact_subsets._tempered, exact_subsets._likelier
    more, target = early_stopping.MinGainStopping, early_stopping.TargetStopping

    def see_tempered(rows: Any, start: Any, last: Any) -> Any:
        begin, end = start.kernel.theta, last.kernel.theta
        limit = np.log(search_policy.MAX_FACTOR_FROM_START)
        found = tempered(rows, start, last)
        if not np.array_equal(np.clip(end, begin - limit, begin + limit), end):
            acted.add("always tempered starts" if found is last else "no tempered starts")
        return found

    def see_likelier(rows: Any, other: Any, usual: Any, *, ahead: float = 0.0) -> Any:
        found = likelier(rows, other, usual, ahead=ahead)
        if found is other and not ahead:
            acted.add("no look back at the start")
        return found

    class SeenMore(more):  # type: ignore[misc, valid-type]
        def __call__(self) -> bool:
            goes_on = super().__call__()
            if goes_on and len(self._path) >= self._fewest:
                acted.add("no extension while evaluations gain")
            return goes_on

    class SeenTarget(target):  # type: ignore[misc, valid-type]
        def __call__(self) -> bool:
            goes_on = super().__call__()
            if not goes_on and len(self._path) < self._most:
                acted.add("no early end of trials")
                window, least = search_policy.IDLE_EVALUATIONS, search_policy.IDLE_GAIN
                if len(self._path) > window and self._gained(window) <= least:
                    acted.add("no end of idle trials")
            return goes_on

    def see_prior(kernel: Any) -> Any:
        found = prior(kernel)
        if found[0] < 0.0:
            acted.add("no shrinkage of length scales")
        return found

    prior = candidates.log_prior
    with patched(
        [
            (exact_subsets, "_tempered", see_tempered),
            (exact_subsets, "_likelier", see_likelier),
            (exact_subsets, "MinGainStopping", SeenMore),
            (evaluate_candidates, "TargetStopping", SeenTarget),
            (candidates, "log_prior", see_prior),
        ]
    ):
        yield acted


class Fit:
    """A fitted regressor, with the arguments of its calibration."""

    def __init__(self, rows: Split, seed: int, structure: Any = None, **options: Any) -> None:
        self.rows, self.calls = rows, []
        prepare, calibrate_on = regressor.learn_transforms, predictions.calibrate_on
        spent, taken = 0.0, []

        def prepared(*arguments: Any, **known: Any) -> Any:
            nonlocal spent
            if structure is not None:
                spent = structure[1]
                taken.append(structure[0])
                return structure[0]
            start = time.process_time()
            taken.append(prepare(*arguments, **known))
            spent = time.process_time() - start
            return taken[-1]

        def see(*arguments: Any, **options: Any) -> Any:
            self.calls.append((*arguments, options))
            return calibrate_on(*arguments, **options)

        start = time.process_time()
        with patched(
            [
                (regressor, "learn_transforms", prepared),
                (predictions, "calibrate_on", see),
            ]
        ):
            # what is measured here are the rules of a sparse model
            sparse = {"max_basis": 500, "n_neighbors": 0, **options}
            self.model = SparseGPRegressor(random_state=seed, **sparse).fit(rows.X, rows.y)
        self.model._target_mean = None  # scores are those of the predictive distribution
        self.seconds = time.process_time() - start + (spent if structure else 0.0)
        self.structure = (taken[-1], spent)
        phases = {entry["phase"]: entry for entry in self.model.history_}
        choice = phases.get(Phase.NOISE_CHOICE, {"seconds": 0.0})
        self.chosen = choice.get("chosen", GAUSSIAN)
        total = sum(entry["seconds"] for entry in self.model.history_)
        self.share_of_choice = choice["seconds"] / max(total, 1e-9)
        self._parts: tuple[np.ndarray, ...] | None = None

    def facts(self) -> Record:
        """Return the CPU time of the fit and its choices."""
        return {
            "seconds": self.seconds,
            "share_of_choice": self.share_of_choice,
            "chosen": self.chosen,
            "target": self.model.transform_y_,
        }

    def calibrated(self, *patches: Patch, tails: bool = True) -> Calibration:
        """Return the calibration with some of its parts replaced."""
        if not self.calls:
            return Calibration()
        positions, used, left_out, fitted, settings, context, options = self.calls[0]
        exact = len(positions) == len(fitted.rows)
        if exact and not tails:  # the evidence of an exact Gaussian model is its calibration
            return Calibration()
        if not tails:
            settings = replace(settings, noise=GAUSSIAN)
        with patched(patches):
            own = context.quiet()
            given = (positions, used, left_out, fitted, settings, own)
            return predictions.calibrate_on(*given, **options).scales

    def scores(self, calibration: Calibration | None = None) -> Record:
        """Return the errors on the test rows, by another calibration than the model's if given."""
        model, rows = self.model, self.rows
        if calibration is not None and self.calls:
            fitted = self.calls[0][3]
            model = copy(model)
            model._posterior = calibration.applied_to(fitted.posterior)
            noise_variance = fitted.parameters.noise_variance
            model._noise = predictive_noise(fitted.noise, calibration, noise_variance)
        if self._parts is None:
            Z = model._scaling_X.apply(rows.X_test)
            bare = replace(model._posterior, weight_scale=1.0, residual_scale=0.0)
            mean, h = bare.mean_and_variance(Z)
            both = replace(bare, residual_scale=1.0).mean_and_variance(Z)[1]
            self._parts = (Z, mean, h, both - h)
        Z, mean, h, d = self._parts
        noise, posterior = model._noise, model._posterior
        variance = posterior.weight_scale * h + posterior.residual_scale * d + noise.at(mean, Z)
        scale, y = np.sqrt(variance)[:, None], rows.y_test[:, None]
        u = (model._scaling_y.apply(y) - mean) / scale
        density = noise.tails.log_density(u, scale) + model._scaling_y.log_slope(y)
        target = model._moments(mean, variance, noise.tails)[0]
        z = mean + scale * noise.tails.quantile(QUANTILES)  # (n, q)
        quantiles = model._scaling_y.invert(z[:, :, None])[:, :, 0]
        above = rows.y_test[:, None] - quantiles
        pinball = np.where(above > 0.0, QUANTILES * above, (QUANTILES - 1.0) * above)
        edge = noise.tails.quantile(np.array([0.5 + 0.5 * INTERVAL]))[0]
        return {
            "rmse": float(np.sqrt(np.mean((target[:, 0] - rows.y_test) ** 2))) / rows.deviation,
            "nlpd": -float(np.mean(density)) - float(np.log(rows.deviation)),
            "crps": 2.0 * float(np.mean(pinball)) / rows.deviation,
            "coverage": float(np.mean(np.abs(u) <= edge)),
        }


NO_LEVEL: Patch = (calibrate, "_levels", lambda left_out, problem: None)
NO_FLOOR: Patch = (calibrate, "_with_coverage", lambda found, problem, left_out: found)


def noise_variants(name: str, seed: int) -> Iterator[Record]:
    """Yield the default fit and those without one kind of noise or part of the calibration."""
    rows = split(name, seed, MOST_TRAINING)
    with watched() as acted:
        fit = Fit(rows, seed)
    remember(name, seed, fit.structure)
    yield {"variant": "default", **fit.scores(), **fit.facts(), "acted": sorted(acted)}

    def without(kind: str) -> Fit:
        if fit.chosen != kind:
            return fit
        others = tuple(other for other in choose_noise.NOISES if other != kind)
        with patched([(choose_noise, "NOISES", others)]):
            return Fit(rows, seed, fit.structure)

    def record(variant: str, of: Fit, calibration: Calibration) -> Record:
        return {"variant": variant, **of.scores(calibration), **of.facts(), "same": of is fit}

    yield record("no level", fit, fit.calibrated(NO_LEVEL))
    yield record("no tails", fit, fit.calibrated(tails=False))
    yield record("no floor", fit, fit.calibrated(NO_FLOOR))
    yield record("no level, no floor", fit, fit.calibrated(NO_LEVEL, NO_FLOOR))
    yield record("no calibration", fit, Calibration())
    no_student, no_process = without(STUDENT_T), without(HETEROSCEDASTIC)
    yield record("no Student rows", no_student, no_student.calibrated())
    yield record("no noise process", no_process, no_process.calibrated())
    fits = (fit, no_student, no_process)
    gaussian = next((one for one in fits if one.chosen == GAUSSIAN), None)
    if gaussian is None:
        with patched([(choose_noise, "NOISES", (GAUSSIAN,))]):
            gaussian = Fit(rows, seed, fit.structure)
    by_parts: dict[str, tuple[list[Patch], bool]] = {
        "no choice of noise": ([], True),
        "no choice, no level": ([NO_LEVEL], True),
        "no choice, no floor": ([NO_FLOOR], True),
        "no choice, no level, no floor": ([NO_LEVEL, NO_FLOOR], True),
        "noise=gaussian": ([], False),
        "noise=gaussian, no level": ([NO_LEVEL], False),
        "Gaussian everything": ([NO_LEVEL, NO_FLOOR], False),
    }
    for variant, (patches, tails) in by_parts.items():
        found = record(variant, gaussian, gaussian.calibrated(*patches, tails=tails))
        yield found | {"seconds": gaussian.seconds * (1.0 - gaussian.share_of_choice)}


def remember(name: str, seed: int, structure: Any) -> None:
    """Store transforms and kernel of the default fit for variants that begin after them."""
    CACHE.mkdir(exist_ok=True)
    (CACHE / f"{name}-{seed}.pickle").write_bytes(pickle.dumps(structure))


def search_variants(
    name: str, seed: int, acted: Sequence[str], variants: dict[str, list[Patch]]
) -> Iterator[Record]:
    """Yield fits without one rule of the searches; the same result if a rule never acted."""
    rows, known = split(name, seed, MOST_TRAINING), CACHE / f"{name}-{seed}.pickle"
    structure = pickle.loads(known.read_bytes()) if known.exists() else None
    for variant, patches in variants.items():
        if variant not in acted:
            yield {"variant": variant, "same": True}
            continue
        with patched(patches):
            fit = Fit(rows, seed, structure if variant in AFTER_STRUCTURE else None)
        yield {"variant": variant, **fit.scores(), **fit.facts()}


def plain_variants(name: str, seed: int) -> Iterator[Record]:
    """Yield plain fits by the bound of VFE, with and without a prior on length scales."""
    rows = split(name, seed, MOST_TRAINING_OF["plain"])
    no_prior: list[Patch] = [(regression_options, "_has_usual_scales", lambda estimator: False)]
    for variant, patches in {"plain": [], "plain, no length-scale prior": no_prior}.items():
        with patched(patches):
            fit = Fit(rows, seed, max_basis=PLAIN_BASIS, **PLAIN)
        yield {"variant": variant, **fit.scores(), **fit.facts()}


def class_scores(rows: Split, seed: int, **options: Any) -> Record:
    """Fit the classifier and return its errors on the test rows."""
    start = time.process_time()
    model = SparseGPClassifier(random_state=seed, **options).fit(rows.X, rows.y)
    seconds = time.process_time() - start
    probability = model.predict_proba(rows.X_test)
    place = np.searchsorted(model.classes_, rows.y_test)
    own = probability[np.arange(len(place)), place]
    brier = np.sum((probability - np.eye(len(model.classes_))[place]) ** 2, axis=1)
    return {
        "error": float(np.mean(np.argmax(probability, axis=1) != place)),
        "nlpd": -float(np.mean(np.log(np.maximum(own, 1e-12)))),
        "brier": float(np.mean(brier)),
        "seconds": seconds,
    }


def class_variants(name: str, seed: int) -> Iterator[Record]:
    """Yield the default classifier, and those without one rule."""
    rows = split(name, seed, MOST_TRAINING_OF["classes"])
    with watched() as acted:
        found = class_scores(rows, seed)
    acted.add("no lower limit of label noise")
    coordinates = min(100, len(rows.y)) * rows.X.shape[1]
    if coordinates > class_policy.COORDINATES_PER_ROW * len(rows.y):
        acted.add("long searches of many coordinates")
    yield {"variant": "default", **found, "acted": sorted(acted)}
    for variant, patches in OF_CLASSES.items():
        if variant not in acted:
            yield {"variant": variant, "same": True}
            continue
        with patched(patches):
            yield {"variant": variant, **class_scores(rows, seed)}
    yield {"variant": "basis stays", **class_scores(rows, seed, refine_basis=False)}


def run(task: str, name: str, seed: int, done: Sequence[Record]) -> Iterator[Record]:
    """Yield the results of one task on one set; ``done`` are the stored ones of that set."""
    if task in ("search", "idle"):
        variants = IDLE if task == "idle" else AFTER_STRUCTURE | WHOLE_SEARCH
        default = [one for one in done if one["task"] == "noise" and one["variant"] == "default"]
        if default:
            yield from search_variants(name, seed, default[0]["acted"], variants)
    else:
        of_task = {"noise": noise_variants, "plain": plain_variants, "classes": class_variants}
        yield from of_task[task](name, seed)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    tasks = ("noise", "search", "idle", "classes", "plain")
    parser.add_argument("--tasks", nargs="+", choices=tasks, default=tasks)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--sets", nargs="+", default=[*REGRESSION, *CLASSES])
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    file = options.results
    for task in options.tasks:
        of_task = CLASSES if task == "classes" else REGRESSION
        for seed, name in product(options.seeds, [n for n in of_task if n in options.sets]):
            lines = file.read_text().splitlines() if file.exists() else []
            done = [json.loads(line) for line in lines]
            done = [one for one in done if (one["set"], one["seed"]) == (name, seed)]
            if any(one["task"] == task and one["variant"] == "all done" for one in done):
                continue
            start = time.perf_counter()
            with threadpool_limits(1), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = list(run(task, name, seed, done))
            where = {"task": task, "set": name, "seed": seed}
            last = {"variant": "all done", "wall": time.perf_counter() - start}
            with file.open("a") as out:
                out.writelines(json.dumps(where | one) + "\n" for one in [*found, last])
            print(task, name, seed, round(last["wall"], 1), flush=True)


if __name__ == "__main__":
    main()
