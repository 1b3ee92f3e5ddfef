"""Sparse Gaussian process regression with scikit-learn's API."""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from sparsegp.arrays import is_of_other_library, keep_freed_memory, to_numpy
from sparsegp.estimators.mixins.encoding import EncodingMixin
from sparsegp.estimators.mixins.out_of_core_scores import out_of_core_r2
from sparsegp.estimators.mixins.persistence import PersistenceMixin
from sparsegp.estimators.mixins.predictive import RegressionPredictionMixin
from sparsegp.estimators.mixins.reporting import (
    ReportMixin,
    tell_cuts,
    tell_memory,
    warn_of_jitter,
)
from sparsegp.estimators.mixins.rollback import dtypes_of, rollback_on_error
from sparsegp.estimators.options.checks import check_integer, check_moves_inputs
from sparsegp.estimators.options.context import fit_context
from sparsegp.estimators.options.initial_parameters import initial_parameters
from sparsegp.estimators.options.memory import check_exact_process_fits, regression_memory
from sparsegp.estimators.options.out_of_memory import fit_or_on_host
from sparsegp.estimators.options.regression import needs_memory, regression_settings, sized
from sparsegp.estimators.options.transforms import (
    check_domain,
    check_sizes,
    column_names,
    named_columns,
    transform_options,
)
from sparsegp.learning.basis.prefix import shorten
from sparsegp.learning.fit_regression import RegressionFit, fit_regression
from sparsegp.learning.history.progress import Progress
from sparsegp.learning.hyperparameters.objectives import sparse_objective
from sparsegp.learning.hyperparameters.policy import EVALUATIONS_AT_BASIS
from sparsegp.learning.structure.choose_transforms import FittedTransforms
from sparsegp.learning.structure.learn_transforms import learn_transforms
from sparsegp.learning.target_mean import shorten_target_mean
from sparsegp.tables.open import is_out_of_core, open_rows
from sparsegp.tables.rows import needed_rows
from sparsegp.tables.transforms.warps import Warps

__all__ = ["SparseGPRegressor"]

Floats = npt.NDArray[np.float64]


class SparseGPRegressor(
    RegressionPredictionMixin,
    EncodingMixin,
    PersistenceMixin,
    ReportMixin,
    MultiOutputMixin,
    RegressorMixin,
    BaseEstimator,
):
    """Sparse Gaussian process regression on a basis of inducing points chosen among the rows.

    A *basis vector* is what others call an inducing point; here it is a row of the data. A model
    with m basis vectors costs O(n·m²) to fit on n rows and O(m) for the mean or O(m²) for the
    standard deviation of a prediction. With every row in the basis it is the exact Gaussian
    process.

    Start with the six parameters of the first list. Of the other parameters those up to
    ``callback`` are for experts, and those from ``n_candidates`` on for the papers'
    experiments.

    Parameters
    ----------
    kernel : str, kernel of ``sparsegp.kernels`` or of scikit-learn, or None, default="auto"
        A name: "rbf", "matern12", "matern32", "matern52", "rational_quadratic" (with a signal
        variance and one length scale per column, one for all above 64 columns) or "linear".
        "auto" compares the log marginal likelihoods (evidence) of RBF, Matern 3/2 and 5/2 and
        RationalQuadratic on up to 2,000 rows, and of an added linear term or a second part with
        shorter length scales; ``history_`` lists what was tried. With fewer than 8 rows or
        ``optimizer=None`` it is the RBF. ``sparsegp.kernels.Auto()`` is a placeholder for this
        choice inside an expression, e.g. beside a Categorical kernel. None is a signal variance
        times an RBF with one length scale per column. Parameters of a kernel are initial values of
        the optimisation, in units of the transformed inputs and target; with "auto" or None and
        ``approximation="vfe"`` length scales also have a prior around √D. A WhiteKernel in a
        scikit-learn expression gives the noise variance.
    max_basis : int, "auto" or "all", default="auto"
        The largest number of basis vectors; all rows, if there are fewer. Rows that the basis
        already determines, such as duplicates, are left out. "all" is the exact process: it keeps
        all of more than 2,000 rows, in their order, and a ``MemoryError`` says what it needs where
        memory does not hold it (18 GB for 18,000 rows). "auto" is all of up to 2,000 rows. Of more
        it is 500, or 1,000 or 2,000 if held-out rows gain clearly by each doubling (``history_``,
        report) and its pass over all rows takes no more than seconds. It is 500 if ``selection``
        may stop by itself and with ``refine_basis``; a size that would take half of
        ``memory_limit`` is not taken.
    n_neighbors : int or "auto", default="auto"
        The number of nearest training rows that explain what the basis leaves unexplained; 0: none.
        With neighbours hyperparameters come from the densities of rows given their neighbours, at
        the resolution of all rows, the approximation is "fitc", and all rows are kept with the
        model; of a Dask table or one that exceeds ``memory_limit`` a sample of up to 200,000.
        "auto" compares 0, 30, 60 and 120 by the density of held-out rows (``history_``, report). It
        is 0 for up to 2,000 rows, and where options ask for a sparse model of their own
        (``approximation``, ``optimizer``, ``objective``, ``n_adaptations``, ``refine_basis``,
        ``noise``, ``calibrate``).
    noise : {"gaussian", "student_t", "heteroscedastic", "auto"} or None, default=None
        The noise model: Gaussian with one variance (or a variance that depends on the predicted
        mean, if calibration finds so); Student's t, which gives outliers less weight; or Gaussian
        with a variance that is a function of the inputs, learned by a second Gaussian process.
        "auto" takes one of the others only if it clearly raises the predictive density of held-out
        rows (up to 3,000, at least 500), and a Student's t predictive density if calibration finds
        the Gaussian tails too light; ``history_`` lists what was tried. None is "auto" if
        ``transform_y="auto"`` and "gaussian" otherwise; with neighbours or more than 20,000
        rows held-out errors choose the noise of predictions alone. All outputs of a row share its
        noise: an outlier in one lowers the weight of all. Noise models other than the Gaussian
        need ``objective="evidence"``.
    time_limit : float, default=None
        Time budget of a fit in seconds; None is without limit. A fit with a time budget returns
        the best model that it reaches: searches end early, and the basis is as large as the speed
        of the machine allows. ``cut_short_`` lists what was cut. The budget is kept within a
        tenth, unless it is a second or two, or too short even for 50 basis vectors. The same seed
        may then give another model.
    random_state : int, RandomState instance or None, default=None

    Other Parameters
    ----------------
    transform_X : str or dict, default="auto"
        The transform of the columns: scaled to mean 0 and standard deviation 1 ("standard"),
        divided by one number for all of them ("common", for columns in the same units such as
        pixels), mapped by their quantiles to a standard normal ("quantile"), standardised
        logarithms ("log"), or none ("none"). A dict gives the transform of each column, by name or
        position; columns that it does not name are "standard". "auto" chooses by the evidence of
        up to 2,000 rows between "standard", "quantile" and, for positive columns of wide range,
        "log", or takes "common" for all columns if they share a length scale. Columns with at most
        10 distinct values are never mapped by quantiles, nor with "auto" the codes of a Categorical
        kernel; with "auto" columns of which one value has 99 % of the rows always are.
    transform_y : str, default="auto"
        The transform of the target: ``"standard"``, ``"none"``, or a warp: ``"log"`` (positive
        targets only), ``"yeo-johnson"`` or ``"sinh-arcsinh"``, whose parameters are learned by the
        evidence of up to 1,000 rows. "auto" compares "standard", "sinh-arcsinh" and, for 500 or
        more positive targets, "log"; a target of which more than half of the rows have one value
        stays "standard". Predictions are in the units of y in any case. With fewer than 8 rows or
        ``optimizer=None`` "auto" is "standard", for columns too. With more than 20,000 rows a
        random sample of 20,000 decides.
    calibrate : bool, default=True
        Scale the two parts of the predictive variance by the leave-one-out density of held-out
        rows, which have no part in the selection of the basis (15 %, at most 3,000), if
        hyperparameters and noise are learned. Tables of fewer than 667 rows are too small for
        held-out rows: there all rows are used if ``objective`` does not determine the variances,
        or if the noise is free and every row is in the basis; otherwise nothing is scaled.
    selection : str, default="log_posterior"
        The criterion that basis vectors are selected by: ``"random"``, ``"information_gain"``,
        ``"matching_pursuit"``, ``"log_posterior"``, ``"marginal_likelihood"``,
        ``"loo_error"``, ``"loo_density"`` or ``"loo_squared_error"``. The last three are measures
        of the model with its ``approximation`` ("fitc" takes O(n·m³) in place of O(n·m²)); the
        others are those of "dtc".
    approximation : {"auto", "sor", "dtc", "fitc", "vfe"}, default="auto"
        How the variance that the basis does not explain enters the model: see
        ``sparsegp.model.approximation``. "auto" is "fitc" with neighbours, "dtc" if
        ``transform_y="auto"`` may warp the target, and "vfe" otherwise: for an explicit
        ``transform_y``, and with ``refine_basis``.
    optimizer : {"lbfgs", "at_basis", None}, default="lbfgs"
        None keeps the hyperparameters as given. "at_basis" starts from them, as in the papers: the
        search on subsets of the rows is left out, and only the adaptation to the basis remains.
        This suits a kernel that nearly fits already, e.g. from an earlier fit.
    n_restarts : int, default=0
        Additional random starts of the initial search; unused with ``optimizer="at_basis"``.
    refine_basis : bool, default=False
        Optimise the inducing inputs by the gradient of the ``objective``: fewer basis vectors
        suffice, at the price of a much longer fit.
    noise_variance : float, default=0.1
        Initial noise variance, in units of the transformed target.
    noise_variance_bounds : (float, float) or "fixed", default=(1e-6, 100.0)
    memory_limit : int or str, default=None
        Memory that a fit may take beyond X, in bytes or as a string such as ``"2GB"``; None is half
        of what is free. A ``np.memmap``, a table in a file (``sparsegp.tables.open_table``), a Dask
        collection, and an array whose transformed copy exceeds the limit are read out of core, in
        blocks of rows; the model is the same. ``verbose`` prints the block size.
    precision : {"auto", "double", "mixed"}, default="auto"
        The precision of the last pass over the rows. "mixed" computes kernel values and products in
        single precision, and sums, factors and weights in double. It returns to double where the
        noise is below a thousandth of the signal, or where rounding would show in the weights:
        ``history_`` then says why. "auto" is "mixed" on a device whose products are at least three
        times as fast in single precision (most GPUs but those for data centres), and "double"
        elsewhere.
    verbose : int, default=0
        1 prints the phases of the fit, 2 every step.
    callback : callable, default=None
        Called with a ``sparsegp.learning.history.progress.Progress`` at every step.
    n_candidates : int, default=0
        The number of new random candidates at every selection step; 0 selects from one fixed pool.
    cache_size : int, default=None
        The number of candidates compared at every step, the best of the last step and the new ones
        together; for a fixed pool its size. None is ``n_candidates``, or for a fixed pool twice
        ``max_basis`` and at least 2,000 (``max_basis`` for the leave-one-out criteria, all rows for
        the information gain). A pool limits the number of basis vectors to its size.
    n_rows_selection : int, "auto" or "all", default="auto"
        The number of rows that the basis is selected by, drawn at random from those that are not
        held out for calibration. "auto" is all of them with ``n_candidates``, for the leave-one-out
        criteria and for the information gain. For a fixed pool and the other criteria it is five
        rows per candidate, from 2,000 to 6,000 of them, or a third more than there are candidates,
        up to 12,000: more rows hardly change the basis, but the size at which
        ``"marginal_likelihood"`` stops grows with them.
    stop : int, "auto" or None, default="auto"
        When the selection ends: after this number of additions without a new optimum of the
        criterion; "auto" is 10, or a tenth of the basis if that is more. This applies to
        ``marginal_likelihood`` and the leave-one-out criteria; the others improve monotonically,
        and like None they continue to ``max_basis``.
    cut_back : bool, default=True
        Whether a selection that may stop returns to the best basis, or keeps the additions that
        were made while it waited for a new optimum.
    objective : str, default="evidence"
        The objective of the adaptation to the basis: ``"evidence"``, or one of the leave-one-out
        measures ``"loo_error"`` (squared errors), ``"loo_density"`` (log densities) and
        ``"loo_squared_error"`` (expected squared errors). The initial search maximises the
        evidence in any case. A leave-one-out evaluation takes two to three times as long as one of
        the evidence, and many parameters may overfit it. With ``"loo_error"`` and
        ``"loo_squared_error"``, which do not determine variances, the standard deviations come
        from ``calibrate`` alone.
    n_adaptations : int or "auto", default="auto"
        How often the hyperparameters are adapted to the basis and a new basis is selected; fewer
        if that does not improve the objective. A number adapts to the whole basis, by all rows.
        "auto" is once, at 1,200 basis vectors and 10,000 rows at most (with "dtc" 300 basis
        vectors); a larger basis is selected afterwards, unless ``optimizer="at_basis"``, which
        always adapts to the whole basis by all rows.
    n_evaluations : int, default=15
        The largest number of evaluations of the objective in each adaptation. More may help a
        little with many columns.
    accept_basis : {"if_better", "always"}, default="if_better"
        Whether the basis that is selected after an adaptation must improve the objective.
        "always" takes every new basis, ``n_adaptations`` times, as Keerthi & Chu (2005) do.

    Attributes
    ----------
    kernel_ : Kernel
        With learned parameters, in units of the transformed inputs and target.
    noise_variance_ : float
        Noise variance of predictions, in units of the transformed target, after calibration. If it
        depends on the predicted mean, its value at an average mean; if it depends on the inputs,
        the variance that the factors multiply; of Student's t the squared scale.
    noise_std_ : float or ndarray (n_outputs,)
        Standard deviation of the noise in units of y. A warp makes the noise depend on the function
        value; it is that of an average one.
    noise_ : str
        The noise model of predictions: "gaussian", "student_t" or "heteroscedastic"; the tails of
        the last may be Student's t too: ``calibration_.tails``.
    basis_indices_ : ndarray (n_basis_,)
        Row numbers in X (or in ``candidates``) of the basis vectors, in the order of selection.
    basis_vectors_ : ndarray (n_basis_, n_features)
        The basis vectors, in the units of X.
    n_basis_ : int
    n_neighbors_ : int
        The number of nearest training rows that correct a prediction.
    selection_path_ : ndarray
        Value of the criterion after each basis vector, in units of the transformed target; lower
        is better. It is the whole curve: with ``stop="auto"`` it continues beyond ``n_basis_``
        (but not for a model made by ``prefix``). For a random basis it is the negative log
        evidence.
    calibration_ : Calibration
        Factors on the parts of the predictive variance, and how the noise depends on the predicted
        mean; ``calibration_.mean`` is a factor on the mean, below one where left-out rows show that
        it follows the noise.
    log_marginal_likelihood_value_ : float
        Log evidence of the transformed target; for VFE its lower bound.
    feature_importances_ : ndarray (n_features,)
        The share of each column in the variation of the fitted function, with sum 1: how much the
        posterior mean changes when a column of a basis vector is replaced by that of another one.
    transform_X_ : dict
        The transform of each column, by name or position.
    transform_y_ : str
        The transform of the target.
    history_ : list of dict
        What each phase of the fit did and how long it took.
    cut_short_ : list of str
        What the time budget cut short, phase by phase; empty without ``time_limit``.
    encoding_ : TableEncoding or None
        What the columns of a table became: categories, dates, missing values. None if all are
        plain numbers.
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
        max_basis: int | str = "auto",
        n_neighbors: int | str = "auto",
        selection: str = "log_posterior",
        approximation: str = "auto",
        n_candidates: int = 0,
        cache_size: int | None = None,
        n_rows_selection: int | str = "auto",
        stop: int | str | None = "auto",
        cut_back: bool = True,
        optimizer: str | None = "lbfgs",
        objective: str = "evidence",
        n_restarts: int = 0,
        n_adaptations: int | str = "auto",
        n_evaluations: int = EVALUATIONS_AT_BASIS,
        accept_basis: str = "if_better",
        refine_basis: bool = False,
        calibrate: bool = True,
        noise: str | None = None,
        noise_variance: float = 0.1,
        noise_variance_bounds: tuple[float, float] | str = (1e-6, 1e2),
        transform_X: str | Mapping[str | int, str] = "auto",
        transform_y: str = "auto",
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        precision: str = "auto",
        random_state: Any = None,
        verbose: int = 0,
        callback: Callable[[Progress], None] | None = None,
    ) -> None:
        self.kernel = kernel
        self.max_basis = max_basis
        self.n_neighbors = n_neighbors
        self.selection = selection
        self.approximation = approximation
        self.n_candidates = n_candidates
        self.cache_size = cache_size
        self.n_rows_selection = n_rows_selection
        self.stop = stop
        self.cut_back = cut_back
        self.optimizer = optimizer
        self.objective = objective
        self.n_restarts = n_restarts
        self.n_adaptations = n_adaptations
        self.n_evaluations = n_evaluations
        self.accept_basis = accept_basis
        self.refine_basis = refine_basis
        self.calibrate = calibrate
        self.noise = noise
        self.noise_variance = noise_variance
        self.noise_variance_bounds = noise_variance_bounds
        self.transform_X = transform_X
        self.transform_y = transform_y
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.precision = precision
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Any, y: Any, sample_weight: Any = None, candidates: Any = None) -> Self:
        """Learn hyperparameters, a basis and the posterior.

        Parameters
        ----------
        X : array-like (n_samples, n_features)
            NumPy array, or DataFrame of pandas, polars or pyarrow, also with strings, categories,
            dates and missing values (``encoding_``); or an array of torch, CuPy or JAX, which stays
            on its device. A ``np.memmap``, ``X`` of ``sparsegp.tables.open_table`` and Dask arrays
            or dataframes are read out of core; these hold numbers only.
        y : array-like (n_samples,) or (n_samples, n_outputs)
            Outputs share the basis, the kernel and the noise of the transformed target.
        sample_weight : array-like (n_samples,), default=None
            A row of weight s counts as s equal rows; a row of weight zero is left out. With Dask
            collections also one of the same partitions.
        candidates : array-like (n_candidates, n_features), default=None
            Inputs to select the basis from, in place of the rows of X.

        Returns
        -------
        self
        """
        with rollback_on_error(self):
            self._feature_dtypes = dtypes_of(X)
            return fit_or_on_host(self._fit, X, y, sample_weight, candidates)

    def _fit(self, X: Any, y: Any, sample_weight: Any, candidates: Any) -> Self:
        settings, context = regression_settings(self), fit_context(self)
        keep_freed_memory()
        table = open_rows(
            self,
            X,
            y,
            sample_weight,
            candidates,
            memory=settings.memory,
            needs_memory=needs_memory(self),
        )
        settings = sized(settings, self, table)
        check_exact_process_fits(X, table.n_rows, settings)
        names = column_names(self)
        transforms = self._transforms_of_inputs()
        options = transform_options(transforms, self.transform_y, names, table.n_columns)
        start = initial_parameters(
            self._kernel_of_inputs(),
            self.noise_variance,
            self.noise_variance_bounds,
            names,
            table.n_columns,
        )
        if settings.refine_basis:
            check_moves_inputs(start.kernel)
        needed = regression_memory(table, settings)
        table = table.within(settings.memory, needed)
        tell_memory(table, settings.memory, needed, self.verbose)
        check_domain(options.target, table)
        check_sizes(options, table)

        prepared = learn_transforms(
            table,
            options,
            start,
            context.spawn(),
            optimise=settings.optimise,
            by_neighbours=settings.n_neighbors != 0,
            intercepts=not settings.refine_basis,  # which leaves no input where it is
        )
        rows = table.transformed(prepared.inputs, prepared.targets)
        candidates = table.candidates
        fit = fit_regression(
            rows,
            prepared.start,
            settings,
            context,
            candidates=None if candidates is None else prepared.inputs.apply(candidates),
            warm_start=prepared.warm_start,
            template=prepared.template,
            targets=prepared.targets if isinstance(prepared.targets, Warps) else None,
        )

        warn_of_jitter(fit.posterior.basis)
        self._keep(prepared, fit, names)
        self.basis_indices_ = table.numbers_in_X(fit.chosen) if candidates is None else fit.chosen
        self._one_target = table.one_target
        self.cut_short_ = tell_cuts(context.budget, self.verbose)
        return self

    def _keep(
        self, prepared: FittedTransforms, fit: RegressionFit, names: list[str] | None
    ) -> None:
        """Set the fitted attributes."""
        self._scaling_X, self._scaling_y = prepared.inputs, prepared.targets
        self.transform_X_ = named_columns(prepared.columns, names)
        self.transform_y_ = prepared.target
        self._rows, self._posterior, self._parameters = fit.rows, fit.posterior, fit.parameters
        self._basis_alone, self._target_mean = fit.basis_alone, fit.target_mean
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
    def n_neighbors_(self) -> int:
        """The number of nearest rows that correct a prediction; 0: the basis alone predicts."""
        return getattr(self._posterior, "k", 0)

    @property
    def noise_(self) -> str:
        """The noise model of predictions: "gaussian", "student_t" or "heteroscedastic"."""
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
        if is_out_of_core(X):
            return out_of_core_r2(self, X, y, sample_weight)
        parts = (y, self.predict(X), sample_weight)
        truth, mean, weight = (to_numpy(a) if is_of_other_library(a) else a for a in parts)
        return float(r2_score(truth, mean, sample_weight=weight))

    def prefix(self, n_basis: int) -> "SparseGPRegressor":
        """Return the model with the first ``n_basis`` basis vectors, in the order of selection.

        The posterior is that of a fit with these basis vectors and the same hyperparameters.

        Parameters
        ----------
        n_basis : int
            From 1 to ``n_basis_``.

        Returns
        -------
        SparseGPRegressor
            A fitted estimator; this one is not changed.
        """
        check_is_fitted(self)
        if check_integer("n_basis", n_basis, 1) > self.n_basis_:
            raise ValueError(f"n_basis must be at most {self.n_basis_}, got {n_basis}")
        shorter = copy(self)
        shorter._posterior, shorter.log_marginal_likelihood_value_ = shorten(
            self._posterior,
            self._evidences,
            self._rows,
            self._parameters,
            n_basis,
            self.calibration_.mean,
        )
        if self._target_mean is not None and isinstance(self._scaling_y, Warps):
            shorter._target_mean = shorten_target_mean(
                self._target_mean,
                self._posterior,
                self._rows,
                self._scaling_y,
                self._parameters,
                n_basis,
            )
        shorter._evidences = self._evidences[:n_basis]
        shorter.basis_indices_ = self.basis_indices_[:n_basis]
        shorter.selection_path_ = self.selection_path_[:n_basis]
        shorter.n_basis_ = n_basis
        return shorter

    def log_marginal_likelihood(
        self, theta: Any = None, eval_gradient: bool = False
    ) -> float | tuple[float, Floats]:
        """Return the log marginal likelihood of the transformed target at the fitted basis.

        Parameters
        ----------
        theta : array-like, default=None
            Logarithms of the free hyperparameters: those of the kernel, then the noise
            variance (if it is not fixed). None is the fitted ones.
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
        kept = self._rows if self._rows is not None else getattr(posterior, "rows", None)
        rows = needed_rows(kept, "the evidence of other hyperparameters")
        objective = sparse_objective(rows, posterior.Z, posterior.rule)
        value, gradient = objective(replace(parameters, shared=False))  # without a prior
        return (value, gradient) if eval_gradient else value

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether the estimator is fitted."""
        return hasattr(self, "_posterior")

    def __sklearn_tags__(self) -> Tags:
        """Return scikit-learn's tags: there may be several outputs."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
