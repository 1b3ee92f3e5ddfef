"""Sparse Gaussian process regression with scikit-learn's API."""

from collections.abc import Callable
from copy import copy
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from sparsegp.data.rows import Rows
from sparsegp.data.scaling import fit_scaling
from sparsegp.estimators.inputs import keeps_old_model
from sparsegp.estimators.options import regression_settings
from sparsegp.estimators.reporting import listener_for, warn_of_jitter
from sparsegp.estimators.start import starting_parameters
from sparsegp.estimators.validation import (
    check_finite,
    check_integer,
    check_moves_inputs,
    check_sample_weight,
    check_target,
)
from sparsegp.learning.objectives import sparse_objective
from sparsegp.learning.prefix import shorten
from sparsegp.learning.progress import Progress
from sparsegp.learning.sparse import fit_sparse
from sparsegp.model.posterior import draw_samples

__all__ = ["SparseGPRegressor"]

Floats = npt.NDArray[np.float64]


class SparseGPRegressor(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Gaussian process regression on a basis of some of the rows.

    A model with m basis vectors costs O(n·m²) to fit on n rows and O(m) (mean) or O(m²)
    (standard deviation) to predict a row. With every row in the basis it is the exact
    Gaussian process.

    Parameters
    ----------
    kernel : kernel of ``sparsegp.kernels`` or of scikit-learn, default=None
        None means a signal variance times an RBF with one length scale a column. Its
        parameters are the start of the optimisation, in the units of the scaled inputs and
        target. A WhiteKernel in a scikit-learn expression gives the noise.
    max_basis : int, default=500
        The largest number of basis vectors. More than the rows means all of them. Rows that
        the others already determine (duplicates) are left out.
    selection : str, default="log_posterior"
        How basis vectors are chosen: ``"random"``, ``"information_gain"``,
        ``"matching_pursuit"``, ``"log_posterior"``, ``"marginal_likelihood"``,
        ``"loo_error"``, ``"loo_density"`` or ``"loo_squared_error"``.
    approximation : {"sor", "dtc", "fitc", "vfe"}, default="vfe"
        What becomes of the variance that the basis does not explain: see
        ``sparsegp.model.approximation``.
    n_candidates : int, default=0
        Fresh random candidates at every step; 0 chooses from one fixed pool.
    cache_size : int, default=None
        Candidates compared at every step, the best of the last step and the fresh ones
        together; for a fixed pool its size. None takes ``n_candidates``, or for a fixed pool
        three times ``max_basis`` and at least 2,000 (as many as ``max_basis`` for the
        leave-one-out criteria, all rows for the information gain). No more basis vectors than
        the pool holds are chosen.
    stop : {"auto", None}, default="auto"
        "auto" ends the selection when the criterion has turned and stays turned, and goes back
        to its best value. This is for ``marginal_likelihood`` and the leave-one-out criteria;
        the others never turn, and like None they go on to ``max_basis``.
    optimizer : {"lbfgs", None}, default="lbfgs"
        None keeps the hyperparameters as given.
    objective : str, default="evidence"
        What the hyperparameters are adapted to the basis by, and which adaptation is kept:
        ``"evidence"``, or one of the leave-one-out measures ``"loo_error"`` (squared errors),
        ``"loo_density"`` (log densities) and ``"loo_squared_error"`` (expected squared errors).
        The first hyperparameters come from the evidence in any case. A step by a leave-one-out
        measure takes two to three times as long as one by the evidence, and many parameters may
        overfit it. Errors do not tell how large variances are: with ``"loo_error"`` and
        ``"loo_squared_error"`` the standard deviations come from ``calibrate`` alone.
    n_restarts : int, default=0
        Further random starts of the first optimisation.
    n_adaptations : int or "auto", default="auto"
        How often the hyperparameters are adapted to the basis and a new basis is chosen; it
        ends sooner when that improves nothing. "auto" means once, or not at all where it
        would take longer than the rest of the fit (about 10,000 rows and 1,200 basis vectors).
    refine_basis : bool, default=False
        Move the basis vectors away from the rows by the gradient of the evidence: fewer of
        them do as well, for a much longer fit.
    calibrate : bool, default=True
        Scale the two parts of the predictive variance by the leave-one-out density of rows
        that are kept back from the choice of the basis (15 %, at most 3,000), if the
        hyperparameters and the noise are learned. Tables of less than 667 rows are too small
        for that: there all rows are taken if ``objective`` leaves the variances open, and
        otherwise nothing is scaled.
    noise_variance : float, default=0.1
        Start of the noise variance, in units of the scaled target.
    noise_variance_bounds : (float, float) or "fixed", default=(1e-6, 100.0)
    transform_X, transform_y : {"standard", "none"}, default="standard"
        Scale the columns to mean 0 and standard deviation 1. Predictions are in the units
        of y in any case.
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0
        1 prints the phases of the fit, 2 every step.
    callback : callable, default=None
        Called with a ``sparsegp.learning.progress.Progress`` at every step.

    Attributes
    ----------
    kernel_ : Kernel
        With learned parameters, in units of the scaled inputs and target.
    noise_variance_ : float
        Noise of predictions, in units of the scaled target, calibration included; if that
        found it to depend on the level of the prediction, its value at an average level.
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
        Log evidence of the scaled target; for VFE its lower bound.
    history_ : list of dict
        What each phase of the fit did and how long it took.
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
        kernel: Any = None,
        *,
        max_basis: int = 500,
        selection: str = "log_posterior",
        approximation: str = "vfe",
        n_candidates: int = 0,
        cache_size: int | None = None,
        stop: str | None = "auto",
        optimizer: str | None = "lbfgs",
        objective: str = "evidence",
        n_restarts: int = 0,
        n_adaptations: int | str = "auto",
        refine_basis: bool = False,
        calibrate: bool = True,
        noise_variance: float = 0.1,
        noise_variance_bounds: tuple[float, float] | str = (1e-6, 1e2),
        transform_X: str = "standard",
        transform_y: str = "standard",
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
        self.refine_basis = refine_basis
        self.calibrate = calibrate
        self.noise_variance = noise_variance
        self.noise_variance_bounds = noise_variance_bounds
        self.transform_X = transform_X
        self.transform_y = transform_y
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Any, y: Any, sample_weight: Any = None, candidates: Any = None) -> Self:
        """Learn hyperparameters, a basis and the posterior.

        Parameters
        ----------
        X : array-like (n_samples, n_features)
        y : array-like (n_samples,) or (n_samples, n_outputs)
            Outputs share the basis, the kernel and the noise of the scaled target.
        sample_weight : array-like (n_samples,), default=None
            A row of weight s counts as s equal rows; weight zero leaves it out.
        candidates : array-like (n_candidates, n_features), default=None
            Inputs to choose the basis from instead of the rows of X.

        Returns
        -------
        self
        """
        with keeps_old_model(self):
            return self._fit(X, y, sample_weight, candidates)

    def _fit(self, X: Any, y: Any, sample_weight: Any, candidates: Any) -> Self:
        settings = regression_settings(self)
        X, y, weight, one_target = self._training_data(X, y, sample_weight)
        names = list(self.feature_names_in_) if hasattr(self, "feature_names_in_") else None
        start = starting_parameters(
            self.kernel, self.noise_variance, self.noise_variance_bounds, names, X.shape[1]
        )
        if settings.refine_basis:
            check_moves_inputs(start.kernel)
        counted = np.arange(len(X)) if weight is None else np.flatnonzero(weight)
        X, y, weight = X[counted], y[counted], None if weight is None else weight[counted]
        scaling_X = fit_scaling(X, weight, self.transform_X)
        scaling_y = fit_scaling(y, weight, self.transform_y)
        rows = Rows(scaling_X.apply(X), scaling_y.apply(y), weight)
        if candidates is None:
            Z, origin = rows.X, counted
        else:
            Z = scaling_X.apply(self._candidates(candidates))
            origin = np.arange(len(Z))
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        listener = listener_for(self.verbose, self.callback)
        fit = fit_sparse(rows, Z, start, settings, rng, listener)
        warn_of_jitter(fit.posterior.basis)
        self._scaling_X, self._scaling_y, self._one_target = scaling_X, scaling_y, one_target
        self._rows, self._posterior, self._parameters = rows, fit.posterior, fit.parameters
        self.kernel_ = fit.parameters.kernel
        self.calibration_ = fit.calibration
        self._noise, self.noise_variance_ = fit.noise, fit.noise.variance
        self.basis_indices_ = origin[fit.chosen]
        self.basis_vectors_ = scaling_X.invert(fit.posterior.basis.Z)
        self.n_basis_ = len(fit.chosen)
        self.selection_path_ = fit.path
        self._evidences = fit.evidences
        self.log_marginal_likelihood_value_ = float(fit.evidences[-1])
        self.history_ = fit.history
        return self

    def predict(
        self, X: Any, return_std: bool = False, return_cov: bool = False
    ) -> Floats | tuple[Floats, Floats]:
        """Predict the target.

        Parameters
        ----------
        X : array-like (n_samples, n_features)
        return_std : bool, default=False
            Also return the standard deviation of the target, noise included.
        return_cov : bool, default=False
            Also return the covariance of the targets, noise included.

        Returns
        -------
        mean : ndarray (n_samples,) or (n_samples, n_outputs)
        std : ndarray of the same shape
            If ``return_std``.
        cov : ndarray (n_samples, n_samples) or (n_samples, n_samples, n_outputs)
            If ``return_cov``.
        """
        check_is_fitted(self)
        if return_std and return_cov:
            raise ValueError("ask for return_std or for return_cov, not for both")
        Z = self._scaling_X.apply(self._inputs(X, "X"))
        if return_cov:
            mean, covariance = self._posterior.mean_and_covariance(Z)
            return self._target(mean), self._covariance(self._noise.added_to(covariance, mean))
        if return_std:
            mean, variance = self._posterior.mean_and_variance(Z)
            return self._target(mean), self._deviation(variance + self._noise.at(mean))
        return self._target(self._posterior.mean(Z))

    def predict_latent(self, X: Any) -> tuple[Floats, Floats]:
        """Return mean and variance of the function without noise, in units of the target.

        Parameters
        ----------
        X : array-like (n_samples, n_features)

        Returns
        -------
        mean, variance : ndarray (n_samples,) or (n_samples, n_outputs)
        """
        check_is_fitted(self)
        mean, variance = self._posterior.mean_and_variance(
            self._scaling_X.apply(self._inputs(X, "X"))
        )
        return self._target(mean), self._variance(variance)

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
        shorter.basis_vectors_ = self.basis_vectors_[:n_basis]
        shorter.selection_path_ = self.selection_path_[:n_basis]
        shorter.n_basis_ = n_basis
        return shorter

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> Floats:
        """Draw targets, noise included, from the joint predictive distribution.

        Parameters
        ----------
        X : array-like (n_rows, n_features)
        n_samples : int, default=1
        random_state : int, RandomState instance or None, default=0

        Returns
        -------
        samples : ndarray (n_rows, n_samples) or (n_rows, n_outputs, n_samples)
        """
        check_is_fitted(self)
        check_integer("n_samples", n_samples, 1)
        rng = np.random.default_rng(check_random_state(random_state).randint(2**31))
        Z = self._scaling_X.apply(self._inputs(X, "X"))
        samples = draw_samples(self._posterior, Z, self._noise, n_samples, rng)
        targets = self._scaling_y.invert(np.moveaxis(samples, 1, 2))  # (n, samples, p)
        return targets[:, :, 0] if self._one_target else np.moveaxis(targets, 1, 2)

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
        objective = sparse_objective(self._rows, posterior.basis.Z, posterior.rule)
        value, gradient = objective(parameters)
        return (value, gradient) if eval_gradient else value

    def _training_data(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Floats, Floats, Floats | None, bool]:
        if y is None:
            raise ValueError("SparseGPRegressor requires y to be passed, but the target y is None")
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite=False)
        names = getattr(self, "feature_names_in_", None)
        check_finite("X", X, names)
        y, one_target = check_target(y)
        check_consistent_length(X, y)
        return X, y, check_sample_weight(sample_weight, len(X)), one_target

    def _inputs(self, X: Any, name: str) -> Floats:
        X = validate_data(self, X, reset=False, dtype=np.float64, ensure_all_finite=False)
        check_finite(name, X, getattr(self, "feature_names_in_", None))
        return X

    def _candidates(self, candidates: Any) -> Floats:
        try:
            return self._inputs(candidates, "candidates")
        except ValueError as error:
            raise ValueError(f"candidates cannot be used: {error}") from error

    def _target(self, scaled: Floats) -> Floats:
        mean = self._scaling_y.invert(scaled)  # (n, p)
        return mean[:, 0] if self._one_target else mean

    def _deviation(self, scaled: Floats) -> Floats:
        # not the root of a variance in units of y: that may not be a number where this is
        std = np.sqrt(scaled)[:, None] * self._scaling_y.scale  # (n, p)
        return std[:, 0] if self._one_target else std

    def _variance(self, scaled: Floats) -> Floats:
        variance = scaled[:, None] * self._scaling_y.scale**2  # (n, p)
        return variance[:, 0] if self._one_target else variance

    def _covariance(self, scaled: Floats) -> Floats:
        covariance = scaled[:, :, None] * self._scaling_y.scale**2  # (n, n, p)
        return covariance[:, :, 0] if self._one_target else covariance

    def __sklearn_is_fitted__(self) -> bool:
        """Tell whether there is a model to predict with."""
        return hasattr(self, "_posterior")

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn what this estimator can do."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
