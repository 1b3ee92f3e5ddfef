"""One method of the papers on one partition, and what is said of many.

The experiments of Keerthi & Chu (KC) and of Sundararajan, Keerthi & Shevade (SKS) differ in
their methods, sets and tests of significance. They agree in the model: inputs and target
scaled to mean 0 and standard deviation 1, DTC, hyperparameters either fixed by the evidence of
an exact Gaussian process on some rows or adapted to the basis. Error bars are not calibrated,
since the papers do not calibrate theirs.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import process_time
from typing import Any

import numpy as np
from scipy.stats import mannwhitneyu, ttest_rel

from benchmarks.datasets import DataSet
from benchmarks.reproduce.exact_search import search_exactly
from benchmarks.reproduce.options import Options, kc_options
from sparsegp import SparseGPRegressor
from sparsegp.kernels import RBF, Constant, Kernel
from sparsegp.learning.history.progress import Progress
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.metrics import nmse
from sparsegp.tables.rows import Rows
from sparsegp.tables.transforms.scaling import fit_scaling

__all__ = [
    "FRESH",
    "Fit",
    "Method",
    "Record",
    "Summary",
    "adapt",
    "by_method",
    "fit_fixed",
    "fit_until_turned",
    "fixed_parameters",
    "on_shared_partitions",
    "paired_t_p",
    "plain_parameters",
    "rank_sum_p",
    "scaled_rows",
    "score",
    "standardise_target",
    "summarise",
    "where",
    "worse_than_best",
]

Record = dict[str, Any]
#: Values of one measure: method → partition → value.
Samples = Mapping[str, Mapping[int, float]]

#: κ of Smola & Bartlett and of both papers: fresh candidates a step.
FRESH = 59
#: "Short" optimisations, alternating with selections; they end sooner if nothing improves. Long
#: ones at one basis overfit: with 15 evaluations ADAPT-INFO has an NMSE of 42 on house8l, with 5
#: one of 38 (the paper: 37).
ADAPTATIONS, EVALUATIONS = 4, 5
#: SKS observe a measure "for a few more iterations" after its minimum (section 5) and do not say
#: that they go back to it. Their bases are as large as if this number had been added in vain and
#: kept: on Friedman's sets 44 to 70 vectors; ours are 47 to 74 with them and 26 to 54 without.
WATCHED = 20


@dataclass(frozen=True)
class Method:
    """A method by its name in the paper and the settings of the estimator that make it."""

    name: str
    settings: Mapping[str, Any]
    options: Callable[[Mapping[str, Any]], Options] = kc_options  # all others, as in the paper


@dataclass
class Fit:
    """A fitted model, and the CPU time it took."""

    model: SparseGPRegressor
    seconds: float  # of the whole fit
    selection_seconds: list[float]  # until each basis vector of the last selection was chosen


# ------------------------------------------------------------------ hyperparameters

#: Length scales of the starts of a search, as multiples of those of the first.
TIMES_LONGER = (1.0, 4.0)


def plain_parameters(n_features: int, *, bias: bool, times_longer: float = 1.0) -> Parameters:
    """Return where searches begin.

    The kernel is v₀·RBF with a length scale a column (SKS section 2), plus v_b (KC section 5).
    """
    kernel: Kernel = Constant(1.0) * RBF((0.5 * times_longer * n_features**0.5,) * n_features)
    return Parameters(kernel + Constant(0.1) if bias else kernel, 0.1)


def scaled_rows(data: DataSet) -> Rows:
    """Return the rows as the estimator sees them: standardised inputs and target."""
    y = data.y[:, None]
    X = fit_scaling(data.X, None, "standard").apply(data.X)
    return Rows(X, fit_scaling(y, None, "standard").apply(y))


def fixed_parameters(train: DataSet, n_rows: int, seed: int, *, bias: bool) -> Parameters:
    """Return the best optimum of the exact evidence on n_rows random training rows.

    The evidence has several: on one partition of cpuact short length scales at the start lead to
    one that is 16 below that of long ones, and to an NMSE of 1.85 instead of 1.58.
    """
    rows, n_features = scaled_rows(train), train.X.shape[1]
    subset = rows.take(np.random.default_rng(seed).permutation(len(rows))[:n_rows])
    found = [
        search_exactly(subset, plain_parameters(n_features, bias=bias, times_longer=longer))
        for longer in TIMES_LONGER
    ]
    return max(found, key=lambda optimum: optimum.value).parameters


# ------------------------------------------------------------------ one run


@dataclass
class _Stopwatch:
    """CPU seconds at every step of the last selection."""

    start: float = field(default_factory=process_time)
    selection: list[float] = field(default_factory=list)

    def __call__(self, progress: Progress) -> None:
        if progress.phase == "selection":
            del self.selection[progress.step - 1 :]  # an earlier selection
            self.selection.append(process_time() - self.start)


def fit_fixed(
    method: Method, train: DataSet, parameters: Parameters, max_basis: int, seed: int
) -> Fit:
    """Select a basis at fixed hyperparameters."""
    return _fit(
        method,
        train,
        seed,
        kernel=parameters.kernel,
        noise_variance=parameters.noise_variance,
        optimizer=None,
        max_basis=max_basis,
    )


def fit_until_turned(
    method: Method, train: DataSet, parameters: Parameters, max_basis: int, seed: int
) -> Fit:
    """Select at fixed hyperparameters until the measure has turned, and keep what was added."""
    settings = {**method.settings, "stop": WATCHED, "cut_back": False}
    patient = replace(method, settings=settings)
    return fit_fixed(patient, train, parameters, max_basis, seed)


def adapt(method: Method, train: DataSet, max_basis: int, seed: int, start: Parameters) -> Fit:
    """Select a basis and optimise the evidence at it, in turn."""
    return _fit(
        method,
        train,
        seed,
        optimizer="at_basis",
        kernel=start.kernel,
        noise_variance=start.noise_variance,
        n_adaptations=ADAPTATIONS,
        n_evaluations=EVALUATIONS,
        max_basis=max_basis,
    )


def _fit(method: Method, train: DataSet, seed: int, **settings: Any) -> Fit:
    watch = _Stopwatch()
    said = {"cache_size": len(train.y), **settings, **method.settings}  # all rows are candidates
    options = method.options({**said, "random_state": seed, "callback": watch})
    model = SparseGPRegressor(**options).fit(train.X, train.y)
    return Fit(model, process_time() - watch.start, watch.selection)


def score(model: SparseGPRegressor, test: DataSet) -> Record:
    """Return NMSE in percent, NLPD in the units of y, coverage of 95 % intervals and size."""
    lower, upper = model.predict_interval(test.X, 0.95)
    return {
        "nmse": 100 * nmse(test.y, model.predict(test.X)),
        "nlpd": float(-np.mean(model.log_density(test.X, test.y))),
        "coverage": float(np.mean((lower <= test.observed) & (test.observed <= upper))),
        "n_basis": model.n_basis_,
    }


def standardise_target(train: DataSet, test: DataSet) -> tuple[DataSet, DataSet]:
    """Return both with the target scaled by the training rows' mean and deviation."""
    offset, scale = train.y.mean(), train.y.std()

    def scaled(data: DataSet) -> DataSet:
        y, observed = ((y - offset) / scale for y in (data.y, data.observed))
        return DataSet(data.X, y, observed)

    return scaled(train), scaled(test)


# ------------------------------------------------------------------ many runs


@dataclass(frozen=True)
class Summary:
    """Mean and standard deviation over partitions."""

    mean: float
    sd: float  # nan for a single partition
    count: int


def summarise(values: Iterable[float]) -> Summary:
    """Return mean, standard deviation (n − 1) and number.

    >>> summarise([1.0, 3.0])
    Summary(mean=2.0, sd=1.4142135623730951, count=2)
    """
    v = np.fromiter(values, dtype=np.float64)
    sd = float(v.std(ddof=1)) if len(v) > 1 else float("nan")
    return Summary(float(v.mean()), sd, len(v))


def where(records: Iterable[Record], **fields: Any) -> list[Record]:
    """Return the records that have these values."""
    return [r for r in records if all(r.get(key) == value for key, value in fields.items())]


def by_method(records: Iterable[Record], measure: str) -> dict[str, dict[int, float]]:
    """Return the values of a measure: method → partition → value."""
    samples: dict[str, dict[int, float]] = {}
    for record in records:
        samples.setdefault(record["method"], {})[record["partition"]] = record[measure]
    return samples


def on_shared_partitions(samples: Samples) -> Samples:
    """Return the values on the partitions that all methods have seen; all, if there are none.

    >>> on_shared_partitions({"a": {0: 1.0, 1: 2.0}, "b": {1: 3.0}})
    {'a': {1: 2.0}, 'b': {1: 3.0}}
    """
    common = set.intersection(*(set(values) for values in samples.values())) if samples else set()
    if not common:
        return samples
    return {name: {k: values[k] for k in sorted(common)} for name, values in samples.items()}


def rank_sum_p(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the p-value of Wilcoxon's rank sum test (KC table 1)."""
    return float(mannwhitneyu(a, b, alternative="two-sided").pvalue)


def paired_t_p(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the p-value of the paired t test (SKS section 6); 1 if all pairs are equal."""
    difference = np.asarray(a) - np.asarray(b)
    if len(difference) < 2 or not np.ptp(difference):
        return float(len(difference) < 2 or not difference[0])
    return float(ttest_rel(a, b).pvalue)


def worse_than_best(
    samples: Samples, p_value: Callable[[Sequence[float], Sequence[float]], float], level: float
) -> tuple[str, set[str]]:
    """Return the method with the lowest mean, and those significantly worse.

    Only partitions that both methods have seen are compared; the lowest mean is that of the
    partitions which all have seen.
    """
    shared = on_shared_partitions(samples)
    best = min(shared, key=lambda name: summarise(shared[name].values()).mean)
    worse = set()
    for name, values in samples.items():
        common = sorted(values.keys() & samples[best].keys())
        ours, theirs = [values[k] for k in common], [samples[best][k] for k in common]
        if name != best and common and p_value(ours, theirs) < level:
            worse.add(name)
    return best, worse
