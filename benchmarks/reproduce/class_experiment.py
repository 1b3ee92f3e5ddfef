"""One method of SS on one partition, and how well it predicts.

Sundararajan & Shevade (SS) keep the model and change how its active set is chosen: inputs scaled
to mean 0 and standard deviation 1, a squared exponential kernel with one length scale, sites by
moment matching, and a posterior that knows the labels of the active rows alone. Hyperparameters
follow the predictive loss of the other rows (SS eq. 4) in turn with the choice of the active set;
the best model by this loss counts. They start where Gaussian process regression on the labels of
some rows ends.
"""

from dataclasses import dataclass, field
from time import process_time

import numpy as np

from benchmarks.datasets import DataSet
from benchmarks.reproduce.experiment import FRESH, Method, Record
from benchmarks.reproduce.options import ss_options
from sparsegp.estimators.classifier import SparseGPClassifier
from sparsegp.kernels import RBF, Constant, Kernel
from sparsegp.learning.basis.active_set import ActiveSettings, choose_active_set
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.progress import Progress
from sparsegp.learning.hyperparameters.class_parameters import ClassParameters
from sparsegp.model.classes import class_probabilities
from sparsegp.model.posterior import means_and_variances
from sparsegp.model.sites.active_set import active_posterior
from sparsegp.tables.rows import Rows
from sparsegp.tables.transforms.scaling import fit_scaling

__all__ = [
    "METHODS",
    "ROUNDS",
    "FittedClasses",
    "adapt_classes",
    "calibration_error",
    "isotropic_kernel",
    "learned_parameters",
    "score_classes",
    "score_inner_loop",
]

#: Most iterations of the outer loop, as in the paper (iter_max). It ends sooner after some
#: iterations without a gain.
ROUNDS = 20
BINS_OF_CONFIDENCE = 15

#: The methods of SS figure 3, right panel, in its order.
METHODS = {
    method.name: method
    for method in (
        Method("entropy", {"selection": "entropy", "n_candidates": None}),
        Method("information_gain", {"selection": "information_gain", "n_candidates": None}),
        Method("adaptive1", {"selection": "adaptive", "n_candidates": 1}),
        Method("adaptive2", {"selection": "adaptive", "n_candidates": 2}),
        Method("validation", {"selection": "validation", "n_candidates": FRESH}),
    )
}


@dataclass
class FittedClasses:
    """A fitted model, and the CPU time it took."""

    model: SparseGPClassifier
    seconds: float  # of the whole fit
    inner_loop_seconds: float  # of one selection of the active set, the median of those it made


@dataclass
class _Stopwatch:
    """CPU seconds from the first to the last active row of every selection."""

    selections: list[float] = field(default_factory=list)
    _first: float = 0.0

    def __call__(self, progress: Progress) -> None:
        if progress.phase != "selection":
            return
        now = process_time()
        if progress.step == 1:
            self.selections.append(0.0)
            self._first = now
        self.selections[-1] = now - self._first


def isotropic_kernel(n_features: int) -> Kernel:
    """Return v₀·RBF with one length scale (SS section 2)."""
    return Constant(1.0) * RBF(0.5 * n_features**0.5)


def adapt_classes(
    method: Method, train: DataSet, max_basis: int, rounds: int, seed: int
) -> FittedClasses:
    """Choose an active set and minimise the predictive loss at it, in turn."""
    watch, start = _Stopwatch(), process_time()
    options = ss_options(
        {
            "kernel": isotropic_kernel(train.X.shape[1]),
            "max_basis": max_basis,
            "n_adaptations": rounds,
            "random_state": seed,
            "callback": watch,
            **method.settings,
        }
    )
    model = SparseGPClassifier(**options).fit(train.X, train.y)
    return FittedClasses(model, process_time() - start, float(np.median(watch.selections)))


# ------------------------------------------------------------------ one inner loop


def learned_parameters(model: SparseGPClassifier) -> ClassParameters:
    """Return the hyperparameters that a fit of two classes ended with."""
    return ClassParameters(model.kernel_, model.slope_, (float(model.bias_),))


def score_inner_loop(
    method: Method,
    train: DataSet,
    test: DataSet,
    parameters: ClassParameters,
    max_basis: int,
    seed: int,
) -> Record:
    """Choose an active set once, at hyperparameters that stay, and return how it predicts.

    The estimator would begin with a bias of its own, so its parts are put together here.
    """
    scaling = fit_scaling(train.X, None, "standard")
    rows = Rows(scaling.apply(train.X), train.y[:, None])
    watch = _Stopwatch()
    options = ActiveSettings(
        max_basis=max_basis,
        sites="moment_matching",
        objective="predictive_loss",
        stop=False,
        distinct=True,
        max_iterations=0,
        **method.settings,
    )
    context = FitContext(np.random.default_rng(seed), watch)
    chosen = choose_active_set(rows, parameters, options, context).chosen
    Z = rows.X[chosen.indices]  # (m, D)
    posteriors = [active_posterior(parameters.kernel, Z, sites) for sites in chosen.sites]
    mean, variance = means_and_variances(posteriors, scaling.apply(test.X))
    p = class_probabilities(parameters.probits, mean, variance)  # (n, 2)
    return {
        **_scores(np.array([-1.0, 1.0]), p, test.y),
        "n_basis": len(Z),
        "inner_loop_seconds": watch.selections[-1],
    }


# ------------------------------------------------------------------ scores


def score_classes(model: SparseGPClassifier, data: DataSet) -> Record:
    """Return the error in percent and the mean negative log probability of the labels (NLP)."""
    return _scores(model.classes_, model.predict_proba(data.X), data.y)


def _scores(classes: np.ndarray, p: np.ndarray, y: np.ndarray) -> Record:
    likeliest = classes[np.argmax(p, axis=1)]
    of_label = p[np.arange(len(y)), np.searchsorted(classes, y)]  # (n,)
    of_label = np.maximum(of_label, np.finfo(np.float64).tiny)  # it may have underflowed
    return {
        "error": 100.0 * float(np.mean(likeliest != y)),
        "nlp": -float(np.mean(np.log(of_label))),
    }


def calibration_error(model: SparseGPClassifier, data: DataSet) -> float:
    """Return how far confidence and share of right answers are apart, over bins of confidence."""
    p = model.predict_proba(data.X)
    confidence = np.max(p, axis=1)
    right = model.classes_[np.argmax(p, axis=1)] == data.y
    edges = np.linspace(0.0, 1.0, BINS_OF_CONFIDENCE + 1)[1:-1]
    bins = np.digitize(confidence, edges)
    excess = np.bincount(bins, confidence - right, BINS_OF_CONFIDENCE)  # of the rows in each
    return float(np.sum(np.abs(excess)) / len(right))
