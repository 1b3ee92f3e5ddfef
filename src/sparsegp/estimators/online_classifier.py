"""On-line Gaussian process classification with scikit-learn's API."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from sparsegp.estimators.mixins.class_distribution import ClassDistributionMixin
from sparsegp.estimators.mixins.online_model import OnlineModel
from sparsegp.estimators.mixins.rollback import rollback_on_error
from sparsegp.estimators.options.online import class_task
from sparsegp.learning.fit_stream import Stream
from sparsegp.likelihoods import Probit, Shifted
from sparsegp.likelihoods.noisy_probit import label_noise_of
from sparsegp.model.classes import class_probabilities
from sparsegp.tables.labels import check_labels

__all__ = ["OnlineGPClassifier"]

Floats = npt.NDArray[np.float64]


class OnlineGPClassifier(ClassDistributionMixin, ClassifierMixin, OnlineModel):
    """Gaussian process classification on a stream, with a bounded number of basis vectors.

    Two classes have one latent function, more have one each; all functions share one basis and
    one inverse Gram matrix (Csató & Opper 2002). A row costs O(K·m²) for m basis vectors (inducing
    points) and K functions; of the rows only the basis vectors are stored.

    Start with the parameters of the first list. Of the other parameters those up to
    ``verbose`` are for experts, and those from ``deletion`` on for the papers' experiments.

    Parameters
    ----------
    kernel : str, kernel of ``sparsegp.kernels`` or of scikit-learn, or None, default=None
        A name: "rbf", "matern12", "matern32", "matern52", "rational_quadratic", "linear" or
        "auto".
        None is a signal variance times an RBF with one length scale per column (one for all above
        64 columns), or a linear kernel if that predicts the labels of the warm-up rows better, each
        before it is learned. Its parameters are initial values of the optimisation, in units of the
        scaled inputs. "auto" chooses by the evidence of a regression on the labels ±1 of the
        warm-up rows; ``sparsegp.kernels.Auto()`` is a placeholder for this choice inside an
        expression. With fewer than 8 rows it is the RBF.
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
    label_noise : "auto" or float, default="auto"
        The share of labels that are wrong as often as right: drawn at random, each class as often
        as another. A label that contradicts what is known well then changes little. "auto" chooses
        it, with the slope of the probit, by how well the warm-up rows are predicted, each before it
        is learned; 0 takes every label for right.
    n_warmup : int, default=500
        The number of rows that scaling and hyperparameters are first learned from. They are
        learned again, unless ``forgetting`` is None, if predictions stay worse than they were.
    transform_X : str or dict, default="standard"
        The transform of the columns, learned from the first rows: scaled to mean 0 and standard
        deviation 1 ("standard"), by one number for all of them ("common", for columns in the same
        units such as pixels), mapped by their quantiles to a standard normal ("quantile"),
        standardised logarithms ("log"), or none ("none"); a dict gives that of each column. "auto"
        chooses by the evidence of a regression on the labels ±1 of the warm-up rows. Beyond the
        range of the first rows the transforms continue linearly.
    calibrate : bool, default=True
        Multiply the latent functions by a factor (``label_scale_``) that follows the log
        probabilities of the last thousand labels before they were learned. ``predict_latent`` does
        not depend on it.
    shuffle : bool, default=True
        Let ``fit`` learn the rows in random order. ``partial_fit`` keeps their order.
    random_state : int, RandomState instance or None, default=None

    Other Parameters
    ----------------
    tolerance : float, default=1e-6
        A row joins the basis if the others leave more than this share of its prior variance
        unexplained.
    optimizer : {"lbfgs", None}, default="lbfgs"
        None keeps the hyperparameters as given.
    slope : float, default=1.0
        λ of the probit Φ(λ(f + b)), if it is not learned.
    verbose : int, default=0
        1 prints for each call the number of rows learned, and the mean negative log probability of
        the new labels before they were learned.
    deletion : {"kl", "mean"}, default="kl"
        The criterion that basis vectors are deleted by: the Kullback-Leibler divergence from the
        posterior, or Csató & Opper's rule, the largest change of a mean at them, which is up to 2.7
        times as fast and needs more basis vectors.
    n_sweeps : int, default=1
        The number of passes of ``fit`` over the rows.
    recycle : bool, default=True
        Passes after the first remove the contribution of a row before they learn it again. False
        learns it as a new row.
    bias : float or "auto", default="auto"
        The prior mean of the latent functions, b of Φ(λ(f + b)); 0 is that of Csató & Opper.
        "auto" predicts each class at its frequency in the first rows where nothing is known.

    Attributes
    ----------
    classes_ : ndarray (n_classes,)
    kernel_ : Kernel
    slope_ : float
    label_noise_ : float
        The share of labels that are taken to be drawn at random.
    label_scale_ : float
        The factor on the latent functions by which probabilities are calibrated.
    basis_vectors_ : ndarray (n_basis_, n_features)
        In the units of X.
    n_basis_, n_seen_ : int
    alpha_, C_, Q_ : ndarray (m, K), (K, m, m), (m, m), with m basis vectors
        The posterior of the K latent functions as Csató & Opper write it, in units of the scaled
        inputs: means are ``bias_`` + k_xᵀα, covariances k(x, x′) + k_xᵀC k_x′, and Q is the
        inverse of the Gram matrix of the basis.
    bias_ : ndarray (K,)
        The prior mean of each function.
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
    change of what the first rows determined (kernel, slope, scaling, warm-up) is an error; ``fit``
    starts anew with it.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsegp import OnlineGPClassifier
    >>> X = np.random.default_rng(0).uniform(-3, 3, (200, 1))
    >>> y = np.where(np.abs(X[:, 0]) < 1.5, "in", "out")
    >>> model = OnlineGPClassifier(max_basis=10, random_state=0)
    >>> for rows in np.split(np.arange(200), 20):
    ...     model = model.partial_fit(X[rows], y[rows], classes=["in", "out"])
    >>> model.predict([[0.0], [2.5]])
    array(['in', 'out'], dtype='<U3')
    """

    def __init__(
        self,
        kernel: Any = None,
        *,
        max_basis: int = 100,
        forgetting: str | float | None = "auto",
        lags: int | Mapping[str | int, int] = 0,
        tolerance: float = 1e-6,
        deletion: str = "kl",
        n_sweeps: int = 1,
        recycle: bool = True,
        bias: float | str = "auto",
        label_noise: float | str = "auto",
        n_warmup: int = 500,
        optimizer: str | None = "lbfgs",
        slope: float = 1.0,
        transform_X: str | Mapping[str | int, str] = "standard",
        calibrate: bool = True,
        shuffle: bool = True,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.max_basis = max_basis
        self.forgetting = forgetting
        self.lags = lags
        self.tolerance = tolerance
        self.deletion = deletion
        self.n_sweeps = n_sweeps
        self.recycle = recycle
        self.bias = bias
        self.label_noise = label_noise
        self.n_warmup = n_warmup
        self.optimizer = optimizer
        self.slope = slope
        self.transform_X = transform_X
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
        y : array-like (n_samples,)
            Labels of any type, of two classes or more.
        sample_weight : array-like (n_samples,), default=None
            A row of weight s counts as s equal rows: its likelihood is taken to the power of s,
            which costs an integral per row.

        Returns
        -------
        self
        """
        with rollback_on_error(self):
            X, labels, weight = self._rows(X, y, sample_weight, first=True, announced=False)
            classes = _check_classes("y", np.unique(labels))
            Y = _columns(labels, classes)
            self._stream = self._fit_all(
                X, Y, weight, lambda: self._new_stream(X.shape[1], Y.shape[1])
            )
            self.classes_ = classes
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn more rows, in their order.

        Parameters
        ----------
        X : array-like (n_samples, n_features)
        y : array-like (n_samples,)
        classes : array-like (n_classes,), default=None
            All classes of the stream; required in the first call.
        sample_weight : array-like (n_samples,), default=None
            As in ``fit``.

        Returns
        -------
        self
        """
        first = not self.__sklearn_is_fitted__()
        with rollback_on_error(self):
            X, labels, weight = self._rows(X, y, sample_weight, first=first, announced=True)
            known = self._known_classes(classes, first)
            Y = _columns(labels, known)
            if first:
                self._begin(self._new_stream(X.shape[1], Y.shape[1]), X, Y, weight)
                self.classes_ = known
            else:
                self._go_on(X, Y, weight)
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the most probable label of each row: (n_samples,)."""
        probabilities = self.predict_proba(X)
        return self.classes_[np.argmax(probabilities, axis=1)]

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class: (n_samples, n_classes)."""
        return class_probabilities(self._probits(), *self._calibrated_latent(X))

    @property
    def label_scale_(self) -> float:
        """The factor on the latent functions, by which probabilities are calibrated."""
        return self._stream.label_scale

    @property
    def slope_(self) -> float:
        """The slope λ of the probit."""
        return float(self._probits()[0].slope)

    @property
    def label_noise_(self) -> float:
        """The share of labels that are taken to be drawn at random."""
        return label_noise_of(self._probits()[0])

    def _shifted(self) -> Shifted:
        likelihood = self._stream.decided.likelihood
        assert isinstance(likelihood, Shifted)
        return likelihood

    def _latent(self, X: Any) -> tuple[Floats, Floats]:
        check_is_fitted(self)
        mean, variance = self._stream.latent(self._inputs(X, first=False))
        return mean + self._shifted().offset, variance

    def _calibrated_latent(self, X: Any) -> tuple[Floats, Floats]:
        mean, variance = self._latent(X)
        return self.label_scale_ * mean, variance

    def _latent_samples(self, X: Any, n_samples: int, rng: np.random.Generator) -> Floats:
        mean, _ = self._latent(X)
        inputs = self._inputs(X, first=False)
        return mean[:, :, None] + self._stream.latent_deviations(inputs, n_samples, rng)

    def _probits(self) -> list[Probit]:
        check_is_fitted(self)
        probit = self._shifted().likelihood
        assert isinstance(probit, Probit)
        return [probit] * self._stream.shape[1]

    def _new_stream(self, n_features: int, n_outputs: int) -> Stream:
        options = self._stream_options(n_features, n_outputs)
        task = class_task(self, options.names, options.n_features, options.n_lags)
        return Stream(task, options.settings, n_features, n_outputs)

    def _known_classes(self, classes: Any, first: bool) -> npt.NDArray[Any]:
        if classes is None:
            if first:
                raise ValueError(
                    "classes must be given in the first call of partial_fit: all labels of the "
                    "stream"
                )
            return self.classes_
        given = _check_classes("classes", np.unique(check_labels(classes, announced=True)))
        if not first and not np.array_equal(given, self.classes_):
            raise ValueError(
                f"classes={given.tolist()} are not those of the first call, "
                f"{self.classes_.tolist()}: start a new model for other classes"
            )
        return given

    def _rows(
        self, X: Any, y: Any, sample_weight: Any, *, first: bool, announced: bool
    ) -> tuple[Floats, npt.NDArray[Any], Floats | None]:
        if y is None:
            raise ValueError("OnlineGPClassifier requires y to be passed, but the target y is None")
        X = self._inputs(X, first=first, stream=announced)
        labels = check_labels(y, announced=announced)
        return self._counted(X, labels, sample_weight, first=first)


def _check_classes(name: str, classes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if len(classes) < 2:
        only = f" ({classes.tolist()[0]!r})" if len(classes) else ""
        raise ValueError(f"{name} has only one class{only}: a classifier needs at least two")
    return classes


def _columns(labels: npt.NDArray[Any], classes: npt.NDArray[Any]) -> Floats:
    """Return labels ±1: (n, 1) for two classes, (n, C) for more."""
    of_class = labels[:, None] == classes  # (n, C)
    known = of_class.any(axis=1)
    if not known.all():
        row = int(np.argmin(known))
        raise ValueError(
            f"y holds the label {labels.tolist()[row]!r} in row {row}, which is not among the "
            f"classes announced in the first call, {classes.tolist()}"
        )
    return np.where(of_class[:, 1:] if len(classes) == 2 else of_class, 1.0, -1.0)
