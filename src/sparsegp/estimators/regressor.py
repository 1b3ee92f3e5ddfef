"""Sparse Gaussian process regression with scikit-learn's API."""

from collections.abc import Callable, Mapping
from copy import copy
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from sparsegp.arrays import is_of_other_library, keep_freed_memory, to_numpy
from sparsegp.estimators.array_api_inputs import as_host_array, check_together, on_device
from sparsegp.estimators.mixins.out_of_core_scores import is_scored_in_parts, out_of_core_r2
from sparsegp.estimators.mixins.persistence import PersistenceMixin
from sparsegp.estimators.mixins.predictive import RegressionPredictionMixin
from sparsegp.estimators.mixins.reporting import listener_for, tell_cuts, warn_of_jitter
from sparsegp.estimators.mixins.rollback import dtypes_of, rollback_on_error
from sparsegp.estimators.options.initial_parameters import initial_parameters
from sparsegp.estimators.options.regression import budget_of, regression_settings
from sparsegp.estimators.options.transforms import named_columns, transform_options
from sparsegp.estimators.training_rows import training_rows
from sparsegp.estimators.validation import check_integer, check_moves_inputs
from sparsegp.learning.basis.prefix import shorten
from sparsegp.learning.context import FitContext
from sparsegp.learning.fit_regression import RegressionFit, fit_regression
from sparsegp.learning.history.history import History
from sparsegp.learning.history.progress import Progress
from sparsegp.learning.hyperparameters.objectives import sparse_objective
from sparsegp.learning.hyperparameters.policy import EVALUATIONS_AT_BASIS
from sparsegp.learning.structure.choose_transforms import FittedTransforms
from sparsegp.tables.rows import needed_rows

__all__ = ["SparseGPRegressor"]

Floats = npt.NDArray[np.float64]


class SparseGPRegressor(
    RegressionPredictionMixin, PersistenceMixin, MultiOutputMixin, RegressorMixin, BaseEstimator
):
    """Gaussian process regression on a basis of some of the rows.

    A model with m basis vectors costs O(n·m²) to fit on n rows and O(m) (mean) or O(m²)
    (standard deviation) to predict a row. With every row in the basis it is the exact
    Gaussian process.

    Parameters
    ----------
    kernel : kernel of ``sparsegp.kernels`` or of scikit-learn, "auto" or None, default="auto"
        "auto" lets the evidence of up to 2,000 rows choose among RBF, Matern 3/2 and 5/2 and
        RationalQuadratic, and add a linear term or a second part of shorter range; ``history_``
        tells what was tried. With less than 100 rows or ``optimizer=None`` it is the RBF.
        ``sparsegp.kernels.Auto()`` leaves a part of an expression open in this way, e.g. beside a
        Categorical kernel. None means a signal variance times an RBF with one length scale a
        column. The parameters of a kernel are the start of the optimisation, in the units of the
        transformed inputs and target; those of "auto" and None are more: by the bound of "vfe"
        length scales of scaled columns are expected to be about √D. A WhiteKernel in a
        scikit-learn expression gives the noise.
    max_basis : int, default=500
        The largest number of basis vectors. More than the rows means all of them. Rows that
        the others already determine (duplicates) are left out.
    selection : str, default="log_posterior"
        How basis vectors are chosen: ``"random"``, ``"information_gain"``,
        ``"matching_pursuit"``, ``"log_posterior"``, ``"marginal_likelihood"``,
        ``"loo_error"``, ``"loo_density"`` or ``"loo_squared_error"``.
    approximation : {"auto", "sor", "dtc", "fitc", "vfe"}, default="auto"
        What becomes of the variance that the basis does not explain: see
        ``sparsegp.model.approximation``. "auto" is "dtc" where ``transform_y="auto"`` bends the
        target as it needs, and "vfe" otherwise: for a given transform, on another device, and if
        ``refine_basis``.
    n_candidates : int, default=0
        Fresh random candidates at every step; 0 chooses from one fixed pool.
    cache_size : int, default=None
        Candidates compared at every step, the best of the last step and the fresh ones
        together; for a fixed pool its size. None takes ``n_candidates``, or for a fixed pool
        twice ``max_basis`` and at least 2,000 (as many as ``max_basis`` for the
        leave-one-out criteria, all rows for the information gain). No more basis vectors than
        the pool holds are chosen.
    stop : {"auto", None}, default="auto"
        "auto" ends the selection when the criterion has turned and stays turned, and goes back
        to its best value. This is for ``marginal_likelihood`` and the leave-one-out criteria;
        the others never turn, and like None they go on to ``max_basis``.
    optimizer : {"lbfgs", "at_basis", None}, default="lbfgs"
        None keeps the hyperparameters as given. "at_basis" begins with them, as the papers do: no
        search on some of the rows goes before the adaptation to the basis. That is for an explicit
        kernel that nearly fits already, from an earlier fit for instance.
    objective : str, default="evidence"
        What the hyperparameters are adapted to the basis by, and which adaptation is kept:
        ``"evidence"``, or one of the leave-one-out measures ``"loo_error"`` (squared errors),
        ``"loo_density"`` (log densities) and ``"loo_squared_error"`` (expected squared errors).
        The first hyperparameters come from the evidence in any case. A step by a leave-one-out
        measure takes two to three times as long as one by the evidence, and many parameters may
        overfit it. Errors do not tell how large variances are: with ``"loo_error"`` and
        ``"loo_squared_error"`` the standard deviations come from ``calibrate`` alone.
    n_restarts : int, default=0
        Further random starts of the first optimisation; none with ``optimizer="at_basis"``.
    n_adaptations : int or "auto", default="auto"
        How often the hyperparameters are adapted to the basis and a new basis is chosen; it
        ends sooner when that improves nothing. By the evidence of "dtc" they are adapted to 300
        basis vectors at most, and a larger basis is chosen after that. "auto" means once, or not at
        all for a large basis (of more than 1,200 for 10,000 rows), where it would take as long as
        the rest of the fit; within a ``time_limit`` then, too, if there is time.
    n_evaluations : int, default=15
        How often the objective is evaluated in each adaptation, at most. More may bring a little
        where columns are many and the first hyperparameters rough.
    refine_basis : bool, default=False
        Move the basis vectors away from the rows by the gradient of the evidence: fewer of
        them do as well, for a much longer fit.
    calibrate : bool, default=True
        Scale the two parts of the predictive variance by the leave-one-out density of rows
        that are kept back from the choice of the basis (15 %, at most 3,000), and further until
        95 % intervals cover 93.5 % of them, if the hyperparameters and the noise are learned.
        Tables of less than 667 rows are too small for that: there all rows are taken if
        ``objective`` leaves the variances open, or if the noise is open and every row is in the
        basis; otherwise nothing is scaled.
    noise : {"gaussian", "student_t", "heteroscedastic", "auto"} or None, default=None
        What the noise is like: of one variance (or one by the level of the prediction, if
        calibration finds so); with outliers, which then weigh less, and with Student's t for a
        density; or with a variance that is a function of the inputs, learned by a second Gaussian
        process. "auto" takes one of the others only if it clearly raises the density of rows that
        are kept back (of up to 3,000, at least 500), and where calibration finds the tails of a
        normal density too light it takes those of Student's t; ``history_`` tells what was tried.
        None leaves the noise as open as the target: it is "gaussian" unless ``transform_y`` is
        "auto", and "auto" then; but of more than 20,000 rows, and on another device, only the tails
        are judged. Several outputs of a row share its noise: an outlier in one lowers the weight
        of all. Other noise than the Gaussian one needs ``objective="evidence"``.
    noise_variance : float, default=0.1
        Start of the noise variance, in units of the scaled target.
    noise_variance_bounds : (float, float) or "fixed", default=(1e-6, 100.0)
    transform_X : str or dict, default="auto"
        What becomes of the columns: scaled to mean 0 and standard deviation 1 ("standard"), divided
        by one number for all of them ("common", for columns in the same units such as pixels),
        mapped by their quantiles to a standard normal ("quantile"), their logarithms standardised
        ("log"), left alone ("none"). A dict says so by column, by name or position; columns that it
        does not name are "standard". "auto" lets the evidence of up to 2,000 rows decide between
        "standard", "quantile" and, for positive columns that go far, "log", or on "common" for all
        of them if they share a length scale. Columns of at most 10 different
        values are never mapped by quantiles, nor with "auto" codes of a Categorical kernel; with
        "auto" always those are of which one value has 99 % of the rows.
    transform_y : str, default="auto"
        What becomes of the target: ``"standard"``, ``"none"``, or bent by a curve: ``"log"`` (only
        for positive targets), ``"yeo-johnson"``, ``"sinh-arcsinh"``, with shapes learned by the
        evidence of up to 1,000 rows. "auto" tries "standard", "sinh-arcsinh" and, for positive
        targets, "log"; a target of which more than half of the rows have one value stays
        "standard". Predictions are in the units of y in any case. With less than 100
        rows or ``optimizer=None``, both "auto" mean "standard", and so they do for arrays on
        another device. Of more than 20,000 rows so many are looked at, drawn at random.
    time_limit : float, default=None
        Seconds that a fit may take; None is without limit. It then returns the best model that it
        reaches: searches end early, and the basis is as large as the pace of this machine allows.
        ``cut_short_`` says what was cut; a noise that is left open is Gaussian where a choice was.
        The limit holds within a fifth, unless it is a second or two, or too short even for 50
        basis vectors. With a limit the same seed may give another model.
    memory_limit : int or str, default=None
        Bytes that a fit may take beyond X, such as ``"2GB"``; None is half of what is free. A
        ``np.memmap``, a table in a file (``sparsegp.tables.open_table``), a Dask collection, and an
        array whose scaled copy does not fit into the limit are read in blocks of rows and never
        copied as a whole; the model is the same. ``verbose`` prints the plan.
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0
        1 prints the phases of the fit, 2 every step.
    callback : callable, default=None
        Called with a ``sparsegp.learning.history.progress.Progress`` at every step.

    Attributes
    ----------
    kernel_ : Kernel
        With learned parameters, in units of the scaled inputs and target.
    noise_variance_ : float
        Noise of predictions, in units of the scaled target, calibration included; if that
        found it to depend on the level of the prediction, its value at an average level, and if it
        changes with the inputs the one that factors apply to. Of Student's t the squared scale.
    noise_ : str
        What the noise of predictions is like: "gaussian", "student_t" or "heteroscedastic"; the
        tails of the last may be Student's, too: ``calibration_.tails``.
    basis_indices_ : ndarray (n_basis_,)
        Rows of X (or of ``candidates``) in the basis, in the order chosen.
    basis_vectors_ : ndarray (n_basis_, n_features)
        These rows, in their own units.
    n_basis_ : int
    selection_path_ : ndarray
        Value of the criterion after each basis vector, in units of the scaled target; lower
        is better. It holds the whole curve seen: with ``stop="auto"`` it goes on beyond
        ``n_basis_`` (but not for a model made by ``prefix``). A random basis has the negative
        log evidence here.
    calibration_ : Calibration
        Scales on the parts of the predictive variance, and how the noise depends on the level
        of the prediction.
    log_marginal_likelihood_value_ : float
        Log evidence of the transformed target; for VFE its lower bound.
    transform_X_ : dict
        What became of each column, by name or position.
    transform_y_ : str
        What became of the target.
    history_ : list of dict
        What each phase of the fit did and how long it took.
    cut_short_ : list of str
        What there was no time for, phase by phase; empty if nothing, or without ``time_limit``.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only if X has column names.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsegp import SparseGPRegressor
    >>> X = np.linspace(0, 6, 200)[:, None]
    >>> model = SparseGPRegressor(max_basis=20, random_state=0).fit(X, np.sin(X[:, 0]))
    >>> mean, std = model.predict([[1.5]], return_std=True)
    >>> mean.round(2)
    array([1.])
    """

    def __init__(
        self,
        kernel: Any = "auto",
        *,
        max_basis: int = 500,
        selection: str = "log_posterior",
        approximation: str = "auto",
        n_candidates: int = 0,
        cache_size: int | None = None,
        stop: str | None = "auto",
        optimizer: str | None = "lbfgs",
        objective: str = "evidence",
        n_restarts: int = 0,
        n_adaptations: int | str = "auto",
        n_evaluations: int = EVALUATIONS_AT_BASIS,
        refine_basis: bool = False,
        calibrate: bool = True,
        noise: str | None = None,
        noise_variance: float = 0.1,
        noise_variance_bounds: tuple[float, float] | str = (1e-6, 1e2),
        transform_X: str | Mapping[str | int, str] = "auto",
        transform_y: str = "auto",
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        random_state: Any = None,
        verbose: int = 0,
        callback: Callable[[Progress], None] | None = None,
    ) -> None:
        self.kernel = kernel
        self.max_basis = max_basis
        self.selection = selection
        self.approximation = approximation
        self.n_candidates = n_candidates
        self.cache_size = cache_size
        self.stop = stop
        self.optimizer = optimizer
        self.objective = objective
        self.n_restarts = n_restarts
        self.n_adaptations = n_adaptations
        self.n_evaluations = n_evaluations
        self.refine_basis = refine_basis
        self.calibrate = calibrate
        self.noise = noise
        self.noise_variance = noise_variance
        self.noise_variance_bounds = noise_variance_bounds
        self.transform_X = transform_X
        self.transform_y = transform_y
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Any, y: Any, sample_weight: Any = None, candidates: Any = None) -> Self:
        """Learn hyperparameters, a basis and the posterior.

        Parameters
        ----------
        X : array-like (n_samples, n_features)
            Also an array of torch, CuPy or JAX. On a GPU it stays there: see the guide on GPUs. A
            ``np.memmap``, ``X`` of ``sparsegp.tables.open_table`` and Dask arrays or dataframes are
            read in blocks: see the guide on large tables.
        y : array-like (n_samples,) or (n_samples, n_outputs)
            Outputs share the basis, the kernel and the noise of the scaled target.
        sample_weight : array-like (n_samples,), default=None
            A row of weight s counts as s equal rows; weight zero leaves it out. Beside a Dask
            collection also one of the same partitions.
        candidates : array-like (n_candidates, n_features), default=None
            Inputs to choose the basis from instead of the rows of X.

        Returns
        -------
        self
        """
        with rollback_on_error(self):
            self._feature_dtypes = dtypes_of(X)
            return self._fit(X, y, sample_weight, candidates)

    def _fit(self, X: Any, y: Any, sample_weight: Any, candidates: Any) -> Self:
        settings, budget = regression_settings(self, bends=not on_device(X)), budget_of(self)
        keep_freed_memory()
        given = {"X": X, "y": y, "sample_weight": sample_weight, "candidates": candidates}
        X, y, sample_weight, candidates = (as_host_array(*item) for item in given.items())
        taken = training_rows(self, X, y, sample_weight, settings)
        names = list(self.feature_names_in_) if hasattr(self, "feature_names_in_") else None
        width = self.n_features_in_
        wanted = transform_options(self.transform_X, self.transform_y, names, width)
        start = initial_parameters(
            self.kernel, self.noise_variance, self.noise_variance_bounds, names, width
        )
        if settings.refine_basis:
            check_moves_inputs(start.kernel)
        taken.check_options(self, wanted, start)
        check_together(taken.X, candidates=candidates)
        places = None if candidates is None else self._candidates(candidates, taken.X)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        listener = listener_for(self.verbose, self.callback)
        context = FitContext(rng, listener, History(), budget)
        prepared, rows = taken.learn_transforms(self, wanted, start, settings, context.spawn())
        fit = fit_regression(
            rows,
            prepared.start,
            settings,
            context,
            candidates=None if places is None else prepared.inputs.apply(places),
            warm_start=prepared.warm_start,
        )
        warn_of_jitter(fit.posterior.basis)
        self._keep(prepared, fit, names)
        in_order = taken.counted is None or places is not None
        self.basis_indices_ = fit.chosen if in_order else np.asarray(taken.counted)[fit.chosen]
        self._one_target = taken.one_target
        self.cut_short_ = tell_cuts(budget, self.verbose)
        return self

    def _keep(
        self, prepared: FittedTransforms, fit: RegressionFit, names: list[str] | None
    ) -> None:
        """Take over what was found."""
        self._scaling_X, self._scaling_y = prepared.inputs, prepared.targets
        self.transform_X_ = named_columns(prepared.columns, names)
        self.transform_y_ = prepared.target
        self._rows, self._posterior, self._parameters = fit.rows, fit.posterior, fit.parameters
        self.kernel_ = fit.parameters.kernel
        self.calibration_ = fit.calibration
        self._noise, self.noise_variance_ = fit.noise, fit.noise.variance
        self.n_basis_, self.selection_path_ = len(fit.chosen), fit.path
        self._evidences = fit.evidences
        self.log_marginal_likelihood_value_ = float(fit.evidences[-1])
        self.history_ = fit.history

    @property
    def basis_vectors_(self) -> Floats:
        """The basis vectors, in the units of X: (n_basis_, n_features)."""
        return self._scaling_X.invert(self._posterior.Z)

    @property
    def noise_(self) -> str:
        """What the noise is like: "gaussian", "student_t" or "heteroscedastic"."""
        return self._noise.kind

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the coefficient of determination R² of the predicted means.

        Parameters
        ----------
        X : array-like (n_samples, n_features)
        y : array-like (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like (n_samples,), default=None

        Returns
        -------
        score : float
        """
        if is_scored_in_parts(X):
            return out_of_core_r2(self, X, y, sample_weight)
        parts = (y, self.predict(X), sample_weight)
        truth, mean, weight = (to_numpy(a) if is_of_other_library(a) else a for a in parts)
        return float(r2_score(truth, mean, sample_weight=weight))

    def prefix(self, n_basis: int) -> "SparseGPRegressor":
        """Return this model with its first basis vectors only, in the order chosen.

        The posterior is that of a fit with these basis vectors and the same hyperparameters;
        nothing is selected or optimised again.

        Parameters
        ----------
        n_basis : int
            From 1 to ``n_basis_``.

        Returns
        -------
        SparseGPRegressor
            A fitted estimator; this one stays as it is.
        """
        check_is_fitted(self)
        if check_integer("n_basis", n_basis, 1) > self.n_basis_:
            raise ValueError(f"n_basis must be at most {self.n_basis_}, got {n_basis}")
        shorter = copy(self)
        shorter._posterior, shorter.log_marginal_likelihood_value_ = shorten(
            self._posterior, self._evidences, self._rows, self._parameters, n_basis
        )
        shorter._evidences = self._evidences[:n_basis]
        shorter.basis_indices_ = self.basis_indices_[:n_basis]
        shorter.selection_path_ = self.selection_path_[:n_basis]
        shorter.n_basis_ = n_basis
        return shorter

    def log_marginal_likelihood(
        self, theta: Any = None, eval_gradient: bool = False
    ) -> float | tuple[float, Floats]:
        """Return the log evidence of the scaled target at the fitted basis.

        Parameters
        ----------
        theta : array-like, default=None
            Logarithms of the free hyperparameters: those of the kernel, then the noise
            variance (if it is not fixed). None means the fitted ones.
        eval_gradient : bool, default=False

        Returns
        -------
        value : float
        gradient : ndarray
            If ``eval_gradient``: derivatives by theta.
        """
        check_is_fitted(self)
        parameters = self._parameters
        if theta is None and not eval_gradient:
            return self.log_marginal_likelihood_value_
        if theta is not None:
            vector = np.asarray(theta, dtype=np.float64)
            if vector.shape != parameters.vector.shape:
                raise ValueError(
                    f"theta must have {len(parameters.vector)} elements (the kernel's log "
                    f"parameters, then the log noise variance), got shape {vector.shape}"
                )
            parameters = parameters.with_vector(vector)
        posterior = self._posterior
        rows = needed_rows(self._rows, "the evidence of other hyperparameters")
        objective = sparse_objective(rows, posterior.Z, posterior.rule)
        value, gradient = objective(parameters)
        return (value, gradient) if eval_gradient else value

    def _candidates(self, candidates: Any, X: Floats) -> Floats:
        try:
            return self._inputs(candidates, "candidates", beside=X)
        except ValueError as error:
            raise ValueError(f"candidates cannot be used: {error}") from error

    def __sklearn_is_fitted__(self) -> bool:
        """Tell whether there is a model to predict with."""
        return hasattr(self, "_posterior")

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn what this estimator can do."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
