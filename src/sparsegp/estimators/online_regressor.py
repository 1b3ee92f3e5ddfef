"""On-line Gaussian process regression with scikit-learn's API."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from sparsegp.estimators.mixins.online_model import OnlineModel
from sparsegp.estimators.mixins.online_predictive import OnlinePredictionMixin
from sparsegp.estimators.mixins.rollback import rollback_on_error
from sparsegp.estimators.options.online import regression_task
from sparsegp.learning.fit_stream import Stream
from sparsegp.likelihoods import Shifted
from sparsegp.tables.validation import check_target, without_overflow

__all__ = ["OnlineGPRegressor"]

Floats = npt.NDArray[np.float64]


class OnlineGPRegressor(OnlinePredictionMixin, RegressorMixin, OnlineModel):
    """Gaussian process regression on a stream, with a bounded number of basis vectors.

    Rows come one by one or in batches (``partial_fit``). A row that the basis (the inducing points)
    does not explain joins it; if the basis is full, the least valuable vector is deleted. A row
    costs O(K·m²) for m basis vectors and K outputs; of the rows only the basis vectors are stored
    (Csató & Opper 2002).

    Start with the parameters of the first list. Of the other parameters those up to
    ``verbose`` are for experts, and those from ``deletion`` on for the papers' experiments.

    Parameters
    ----------
    kernel : str, kernel of ``sparsegp.kernels`` or of scikit-learn, or None, default=None
        A name: "rbf", "matern12", "matern32", "matern52", "rational_quadratic", "linear" or
        "auto".
        None is a signal variance times an RBF with one length scale per column (one for all above
        64 columns), plus a linear kernel if y = f + noise: a stream leaves the region of its first
        rows. Its parameters are initial values of the optimisation, in units of the scaled inputs
        and target. "auto" chooses by the evidence of the warm-up rows in place of the RBF, as in
        ``SparseGPRegressor``; ``sparsegp.kernels.Auto()`` is a placeholder for this choice inside
        an expression. With fewer than 8 rows it is the RBF.
    likelihood : str or object, default="gaussian"
        ``"gaussian"``, ``"laplace"``, ``"student_t"`` (4 degrees of freedom), ``"one_sided"``
        (noise is never negative; the edge is a little soft, so that rows below it do no harm),
        ``"poisson"`` (counts, log link); "gaussian" and "student_t" are those of ``noise`` of
        ``SparseGPRegressor``. Or any object with
        ``moment_match(y, mean, variance)``: see ``sparsegp.likelihoods`` and there
        ``by_quadrature`` for a density of your own.
    max_basis : int, default=100
        The largest number of basis vectors.
    forgetting : "auto", float or None, default="auto"
        The rate at which ``partial_fit`` forgets: a row that is k rows old counts (1 − rate)ᵏ, and
        where nothing is left the prior holds. "auto" learns it from the predictive density of the
        stream: posteriors of four rates, from none to 1/100, share one basis, and predictions are
        weighted by how well each rate predicted the last few hundred rows. None or 0 forgets
        nothing. ``fit`` learns rows in random order and forgets none of them.
    lags : int or dict, default=0
        Earlier values as features. A number k adds the last k targets; a dict gives the number of
        earlier values by column, with "target" or a name or position of a column as key. Each row
        that ``predict`` gets is taken as the next one after the last row learned.
    mean : {"auto", "zero", "last"}, default="auto"
        The prior mean: that of the first rows ("zero"), or the last target: "last" models the
        change from one row to the next. With "auto" the mean is that of the first rows, and
        predictions are moved towards the last target as far as that predicted earlier rows better:
        each row is then taken as the next one after the last row learned by ``partial_fit``. The
        rows of one call are taken to have been predicted before the call, so that of rows that
        come in blocks the target just before the block counts. Only with ``calibrate``.
    n_warmup : int, default=500
        The number of rows that scaling and hyperparameters are first learned from. They are
        learned again, unless ``forgetting`` is None, if predictions stay worse than they were.
    calibrate : bool, default=True
        Multiply the predictive variance by a running mean of squared errors over predictive
        variances, and let errors have the tails of Student's t where earlier rows had them: the
        noise of a stream changes. Means and ``predict_latent`` depend on it only by the learned
        rate of forgetting and the share of the last target. Only for ``likelihood="gaussian"`` with
        learned noise.
    random_state : int, RandomState instance or None, default=None

    Other Parameters
    ----------------
    transform_X : str or dict, default="standard"
        The transform of the columns, learned from the first rows: scaled to mean 0 and standard
        deviation 1 ("standard"), by one number for all of them ("common", for columns in the same
        units), mapped by their quantiles to a standard normal ("quantile"), standardised logarithms
        ("log"), or none ("none"); a dict gives that of each column. "auto" chooses by the evidence
        of the warm-up rows, as in ``SparseGPRegressor``. Beyond the range of the first rows the
        transforms continue linearly.
    transform_y : {"auto", "standard", "none"}, default="auto"
        Scale to mean 0 and standard deviation 1 by the first rows. "auto" does not scale the
        targets of likelihoods that are not of the form y = f + noise.
    noise_variance : float, default=0.1
        Initial noise variance, in units of the scaled target.
    noise_variance_bounds : (float, float) or "fixed", default=(1e-6, 100.0)
    tolerance : float, default=1e-6
        A row joins the basis if the others leave more than this share of its prior variance
        unexplained.
    optimizer : {"lbfgs", None}, default="lbfgs"
        None keeps the hyperparameters as given.
    shuffle : bool, default=True
        Let ``fit`` learn the rows in random order. ``partial_fit`` keeps their order.
    verbose : int, default=0
        1 prints for each call the number of rows learned, and the mean negative log predictive
        density of the new rows before they were learned (in units of the scaled target).
    deletion : {"kl", "mean"}, default="kl"
        The criterion that basis vectors are deleted by: the Kullback-Leibler divergence from the
        posterior, or Csató & Opper's rule, the change of the mean at them, which is up to 2.7 times
        as fast and needs more basis vectors.
    n_sweeps : int, default=1
        The number of passes of ``fit`` over the rows.
    recycle : bool, default=True
        Passes after the first remove the contribution of a row before they learn it again. False
        learns it as a new row.
    bias : float or "auto", default="auto"
        The prior mean of the latent function, in the units of ``predict_latent``; 0 is that of
        Csató & Opper. "auto" is the mean of the first targets if y = f + noise and y is scaled, and
        what the likelihood estimates from them otherwise.

    Attributes
    ----------
    kernel_ : Kernel
    noise_variance_ : float
        In units of the scaled target.
    noise_std_ : float or ndarray (n_outputs,)
        Its root in units of y; not for "poisson" and likelihood objects.
    noise_ : str
        The name of the likelihood.
    variance_scale_ : ndarray (n_outputs,)
        Factors on the predictive variances, where the last target is no part of the prediction.
    basis_vectors_ : ndarray (n_basis_, n_features)
        In the units of X.
    n_basis_, n_seen_ : int
    alpha_, C_, Q_ : ndarray (m, K), (K, m, m), (m, m), with m basis vectors and K outputs
        The posterior as Csató & Opper write it, in units of the scaled inputs and target: the mean
        is ``bias_`` + k_xᵀα, the covariance k(x, x′) + k_xᵀC k_x′, and Q is the inverse of the
        Gram matrix of the basis.
    bias_ : ndarray (n_outputs,)
        The prior mean of the latent functions, in units of the scaled target.
    effective_memory_ : float
        How many rows the model looks back: the sum of the shares by which past rows count.
    feature_importances_ : ndarray (n_features,)
        The share of each column in the variation of the fitted function, with sum 1: how much the
        posterior mean changes when a column of a basis vector is replaced by that of another one.
    transform_X_ : dict
        The transform of each column, by name or position.
    encoding_ : TableEncoding or None
        What the columns of a table became: categories, dates, missing values. None if all are
        plain numbers.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Only if X has column names.

    Notes
    -----
    ``max_basis``, ``tolerance``, ``deletion`` and ``forgetting`` may be changed during a stream by
    ``set_params``: they take effect with the next ``partial_fit``, which deletes basis vectors
    above a new limit. A
    change of what the first rows determined (kernel, likelihood, noise, scaling, warm-up) is an
    error; ``fit`` starts anew with it.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsegp import OnlineGPRegressor
    >>> X = np.linspace(0, 6, 200)[:, None]
    >>> model = OnlineGPRegressor(max_basis=20, random_state=0)
    >>> for rows in np.split(np.random.default_rng(0).permutation(200), 20):
    ...     model = model.partial_fit(X[rows], np.sin(X[rows, 0]))
    >>> model.predict([[1.5]]).round(2)
    array([1.])
    """

    def __init__(
        self,
        kernel: Any = None,
        *,
        likelihood: Any = "gaussian",
        noise_variance: float = 0.1,
        noise_variance_bounds: tuple[float, float] | str = (1e-6, 1e2),
        max_basis: int = 100,
        forgetting: str | float | None = "auto",
        lags: int | Mapping[str | int, int] = 0,
        mean: str = "auto",
        tolerance: float = 1e-6,
        deletion: str = "kl",
        n_sweeps: int = 1,
        recycle: bool = True,
        bias: float | str = "auto",
        n_warmup: int = 500,
        optimizer: str | None = "lbfgs",
        transform_X: str | Mapping[str | int, str] = "standard",
        transform_y: str = "auto",
        calibrate: bool = True,
        shuffle: bool = True,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.likelihood = likelihood
        self.noise_variance = noise_variance
        self.noise_variance_bounds = noise_variance_bounds
        self.max_basis = max_basis
        self.forgetting = forgetting
        self.lags = lags
        self.mean = mean
        self.tolerance = tolerance
        self.deletion = deletion
        self.n_sweeps = n_sweeps
        self.recycle = recycle
        self.bias = bias
        self.n_warmup = n_warmup
        self.optimizer = optimizer
        self.transform_X = transform_X
        self.transform_y = transform_y
        self.calibrate = calibrate
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Start anew and learn these rows.

        Parameters
        ----------
        X : array-like or DataFrame (n_samples, n_features)
            A DataFrame may have strings, categories, dates and missing values (``encoding_``).
        y : array-like (n_samples,) or (n_samples, n_outputs)
            Outputs share the basis, the kernel and the likelihood of the scaled target.
        sample_weight : array-like (n_samples,), default=None
            A row of weight s counts as s equal rows: its likelihood is taken to the power of s.

        Returns
        -------
        self
        """
        with rollback_on_error(self):
            X, Y, weight, one_target = self._rows(X, y, sample_weight, first=True)
            self._stream = self._fit_all(X, Y, weight, lambda: self._new_stream(X.shape[1], Y))
            self._one_target = one_target
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn more rows, in their order.

        Parameters
        ----------
        X : array-like (n_samples, n_features)
        y : array-like (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like (n_samples,), default=None
            As in ``fit``.

        Returns
        -------
        self
        """
        first = not self.__sklearn_is_fitted__()
        with rollback_on_error(self):
            X, Y, weight, one_target = self._rows(X, y, sample_weight, first=first, stream=True)
            if first:
                self._begin(self._new_stream(X.shape[1], Y), X, Y, weight)
                self._one_target = one_target
            else:
                self._check_targets(Y)
                self._go_on(X, Y, weight)
        return self

    def predict(self, X: Any, return_std: bool = False) -> Floats | tuple[Floats, Floats]:
        """Predict the target.

        Parameters
        ----------
        X : array-like (n_samples, n_features)
        return_std : bool, default=False
            Also return the standard deviation of the target, noise included.

        Returns
        -------
        mean : ndarray (n_samples,) or (n_samples, n_outputs)
        std : ndarray of the same shape
            If ``return_std``. A likelihood object without ``target_moments`` predicts the latent
            function instead, its mean and standard deviation.
        """
        mean, variance = self._latent(X)  # (n, K)
        moments = getattr(self._own_likelihood(), "target_moments", None)
        if moments is not None:
            shape = mean.shape
            mean, variance = (a.reshape(shape) for a in moments(mean.ravel(), variance.ravel()))
        variance = variance * self._stream.variance_factors(variance)
        scaling = self._stream.scaling_y
        mean = self._as_given(without_overflow("X", scaling.invert(mean)))
        if not return_std:
            return mean
        return mean, self._as_given(without_overflow("X", np.sqrt(variance) * scaling.scale))

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags: there may be several outputs."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _latent(self, X: Any) -> tuple[Floats, Floats]:
        check_is_fitted(self)
        mean, variance = self._stream.latent(self._inputs(X, first=False))  # (n, K)
        likelihood = self._stream.decided.likelihood
        offset = likelihood.offset if isinstance(likelihood, Shifted) else 0.0
        return self._stream.towards_last(mean + offset), variance

    def _as_given(self, values: Floats) -> Floats:
        """Return values (n, K) in the shape that y had."""
        return values[:, 0] if self._one_target else values

    def _own_likelihood(self) -> Any:
        likelihood = self._stream.decided.likelihood
        return likelihood.likelihood if isinstance(likelihood, Shifted) else likelihood

    def _check_targets(self, Y: Floats) -> None:
        n_outputs = self._stream.shape[1]
        if Y.shape[1] != n_outputs:
            raise ValueError(
                f"y has {Y.shape[1]} outputs, but those of the rows so far had {n_outputs}"
            )
        _check_support(self._own_likelihood(), Y)

    def _new_stream(self, n_features: int, Y: Floats) -> Stream:
        options = self._stream_options(n_features, Y.shape[1])
        task = regression_task(self, options.names, options.n_features, options.n_lags)
        _check_support(task.likelihood_with(task.start.noise_variance), Y)
        return Stream(task, options.settings, n_features, Y.shape[1])

    def _rows(
        self, X: Any, y: Any, sample_weight: Any, *, first: bool, stream: bool = False
    ) -> tuple[Floats, Floats, Floats | None, bool]:
        if y is None:
            raise ValueError("OnlineGPRegressor requires y to be passed, but the target y is None")
        X = self._inputs(X, first=first, stream=stream)
        Y, one_target = check_target(y)
        X, Y, weight = self._counted(X, Y, sample_weight, first=first)
        return X, Y, weight, one_target


def _check_support(likelihood: Any, Y: Floats) -> None:
    support = getattr(likelihood, "support", None)
    if support is not None:
        support(Y)
