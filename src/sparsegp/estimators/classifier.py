"""Sparse Gaussian process classification with scikit-learn's API."""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from sparsegp.arrays import keep_freed_memory
from sparsegp.estimators.mixins.class_predictive import ClassPredictionMixin
from sparsegp.estimators.mixins.encoding import EncodingMixin
from sparsegp.estimators.mixins.persistence import PersistenceMixin
from sparsegp.estimators.mixins.reporting import (
    ReportMixin,
    tell_cuts,
    tell_memory,
    warn_of_jitter,
)
from sparsegp.estimators.mixins.rollback import dtypes_of, rollback_on_error
from sparsegp.estimators.options.as_numbers import beginnings_as_numbers
from sparsegp.estimators.options.checks import check_integer, check_moves_inputs
from sparsegp.estimators.options.classification import (
    check_candidates,
    classification_settings,
    needs_memory,
    sized,
)
from sparsegp.estimators.options.context import fit_context
from sparsegp.estimators.options.initial_parameters import initial_class_parameters
from sparsegp.estimators.options.memory import class_memory, memory_of
from sparsegp.estimators.options.out_of_memory import fit_or_on_host
from sparsegp.estimators.options.transforms import (
    check_sizes,
    column_names,
    named_columns,
    transform_options,
)
from sparsegp.learning.classes.choose_inference import compares_inferences
from sparsegp.learning.classes.class_fit import ClassFit
from sparsegp.learning.classes.label_regression import LEAST_SQUARES
from sparsegp.learning.classes.label_targets import learn_transforms_for_labels, start_as_numbers
from sparsegp.learning.classes.prefix import shorten_classes
from sparsegp.learning.fit_classification import fit_classification
from sparsegp.learning.history.progress import Progress
from sparsegp.learning.structure.choose_transforms import FittedTransforms
from sparsegp.tables.open import open_rows
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.targets import Labels
from sparsegp.tables.transforms.columns import STANDARD

__all__ = ["SparseGPClassifier"]

Floats = npt.NDArray[np.float64]


class SparseGPClassifier(
    EncodingMixin,
    PersistenceMixin,
    ReportMixin,
    ClassPredictionMixin,
    ClassifierMixin,
    BaseEstimator,
):
    """Sparse Gaussian process classification on a basis of inducing points chosen among the rows.

    A latent function with a Gaussian process prior is turned into a probability by the cumulative
    normal (probit), p(y | f) = Φ(λ y (f + b)). A *basis vector* is what others call an inducing
    point. A model with m basis vectors costs O(n·m²) to fit on n rows. More than two classes share
    one basis: each has a latent function of its own.

    Start with the six parameters of the first list. Of the other parameters those up to
    ``callback`` are for experts, and those from ``selection`` on for the papers' experiments.

    Parameters
    ----------
    kernel : str, kernel of ``sparsegp.kernels`` or of scikit-learn, or None, default=None
        A name: "rbf", "matern12", "matern32", "matern52", "rational_quadratic", "linear" or
        "auto".
        None is a signal variance times an RBF with one length scale per column (one for all
        columns if there are more than 64). Its parameters are initial values of the optimisation,
        in units of the transformed inputs. For columns that hold codes of categories use
        ``Constant(1.0) * Categorical((20.0,) * n_features)`` or a product with one. "auto" chooses
        by the evidence of a regression on the labels ±1, as in ``SparseGPRegressor``;
        ``sparsegp.kernels.Auto()`` is a placeholder for this choice inside an expression.
    max_basis : int or "auto", default="auto"
        The largest number of basis vectors; all rows, if there are fewer. "auto" is 100, and with
        categories as many more as the largest has levels, up to 500. Where these leave a twentieth
        of the prior variance unexplained, the posterior has 300, if its evidence is higher.
        A regression on the labels that ``inference="auto"`` takes has up to 2,000.
    inference : {"auto", "ep", "variational", "least_squares"}, default="auto"
        The approximate inference with ``posterior="projected"``: expectation propagation, a
        variational bound, or regression on the labels ±1. "auto" is the bound if inducing inputs
        are optimised, and expectation propagation if not. For 1,000 to 10,000 rows, while kernel,
        basis, sites, bias and slope are left open too, held-out rows decide between that and
        "least_squares" with up to 2,000 basis vectors, its kernel chosen as by "auto" or a
        Matérn 1/2 (``history_``, phase "choice of inference"): three to five times the time. With
        "least_squares" an open kernel may have random intercepts of columns that number groups
        (persons, shops), as in ``SparseGPRegressor``.
        "least_squares" is the fastest with many classes; its probabilities are calibrated on
        rows left out. Basis vectors are then selected as in ``SparseGPRegressor``, and stay in
        place unless ``refine_basis=True``; ``selection``, ``n_candidates``, ``sites`` and ``stop``
        are not used.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, which multiply those of the rows; "balanced" gives every class the
        same total weight.
    time_limit : float, default=None
        Time budget of a fit in seconds; None is without limit. A fit with a time budget returns
        the best model that it reaches: searches end early, and the basis is as large as the speed
        of the machine allows. ``cut_short_`` lists what was cut. The budget is kept within a
        fifth, unless it is a second or two, or too short even for 16 basis vectors. The same seed
        may then give another model.
    random_state : int, RandomState instance or None, default=None

    Other Parameters
    ----------------
    transform_X : str or dict, default="standard"
        The transform of the columns: scaled to mean 0 and standard deviation 1 ("standard"),
        divided by one number for all of them ("common", for columns in the same units such as
        pixels), mapped by their quantiles to a standard normal ("quantile"), standardised
        logarithms ("log"), or none ("none"). A dict gives the transform of each column, by name or
        position; columns that it does not name are "standard". "auto" chooses by the evidence of a
        regression on the labels ±1 between "standard", "quantile" and, for positive columns of
        wide range, "log", or takes "common" for all columns if they share a length scale. With
        fewer than 8 rows or ``optimizer=None``, "auto" is "standard", and the RBF for the kernel.
    refine_basis : bool or "auto", default="auto"
        Optimise the inducing inputs by the gradient of the evidence (``posterior="projected"``).
        "auto" does so if the kernel has a gradient by its inputs and the basis has at most 20,000
        coordinates.
    optimizer : {"lbfgs", None}, default="lbfgs"
        None keeps kernel and slope as given; biases are then those that predict each class at its
        frequency.
    slope : float, default=1.0
        λ. If it is learned, its initial value comes from the labels instead. If it is fixed, least
        squares take λ⁻² as the noise variance of labels.
    slope_bounds : (float, float) or "fixed", default=(0.01, 100.0)
    bias : float or "auto", default="auto"
        b, the prior mean of the latent functions, if it is known; "auto" learns one per class, from
        the frequencies of the classes on.
    memory_limit : int or str, default=None
        Memory that a fit may take beyond X, in bytes or as a string such as ``"2GB"``; None is half
        of what is free. A ``np.memmap``, a table in a file (``sparsegp.tables.open_table``), a Dask
        collection, and an array whose transformed copy exceeds the limit are read out of core, in
        blocks of rows; the model is the same. ``verbose`` prints the block size.
    verbose : int, default=0
        1 prints the phases of the fit, 2 every step.
    callback : callable, default=None
        Called with a ``sparsegp.learning.history.progress.Progress`` at every step.
    selection : str, default="adaptive"
        How basis vectors are selected: ``"adaptive"`` (of a few rows, drawn with a probability
        that grows with their predictive loss, the one after which the loss is lowest),
        ``"random"`` (rows drawn uniformly; with ``n_candidates`` the best of that many, by the
        same loss), ``"validation"`` (the best of 59 rows drawn uniformly, by the loss of the rows
        outside the active set), ``"entropy"`` or ``"information_gain"``.
    n_candidates : int, default=None
        The number of rows drawn at every step; None is 2 for ``"adaptive"``, 59 for
        ``"validation"`` and 1 for ``"random"``.
    sites : {"moment_matching", "predictive_loss"}, default="moment_matching"
        How the site of a selected row is found during the selection.
    objective : {"predictive_loss", "marginal_likelihood"}, default="predictive_loss"
        The objective of the hyperparameters with ``posterior="active"``: the predictive loss of
        the other rows, or the evidence of the sites. The evidence needs sites by moment matching;
        others may have zero precision, and then it has no maximum.
    posterior : {"projected", "active"}, default="projected"
        The labels that the posterior is conditioned on: those of all rows, or those of the basis
        vectors alone.
    stop : {"auto", None}, default=None
        "auto" ends the selection when the predictive loss has passed its minimum, and returns to
        the best basis; None fills ``max_basis``.
    n_adaptations : int, default=20
        With ``posterior="active"``, how often at most the hyperparameters are adapted to the
        active set and a new one is selected.

    Attributes
    ----------
    classes_ : ndarray (n_classes,)
    kernel_ : Kernel
        With learned parameters, in units of the transformed inputs.
    slope_, bias_ : float, and float or ndarray (n_classes,)
        λ and b of the probit; one b per class if there are more than two.
    feature_importances_ : ndarray (n_features,)
        The share of each column in the variation of the fitted function, with sum 1: how much the
        posterior mean changes when a column of a basis vector is replaced by that of another one.
    transform_X_ : dict
        The transform of each column, by name or position.
    basis_indices_ : ndarray (n_basis_,)
        Row numbers in X (or in ``candidates``) of the basis vectors, in the order of selection. If
        inducing inputs were optimised, these are the rows they started from.
    basis_vectors_ : ndarray (n_basis_, n_features)
        The basis vectors, in the units of X.
    n_basis_ : int
    selection_path_ : ndarray
        Predictive loss of the training rows after each basis vector (SS eq. 5); with
        ``stop="auto"`` it continues beyond ``n_basis_``. With ``inference="least_squares"`` the log
        posterior of the regression, as in ``SparseGPRegressor``.
    log_marginal_likelihood_value_ : float
        Log evidence of all labels; its bound if ``inference`` is variational; that of the
        standardised labels ±1 for least squares. With ``posterior="active"`` that of the sites of
        the active rows, without their normalisers: it compares hyperparameters at the same sites,
        not models.
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
    >>> from sparsegp import SparseGPClassifier
    >>> X = np.linspace(-3, 3, 200)[:, None]
    >>> model = SparseGPClassifier(max_basis=10, random_state=0)
    >>> model.fit(X, np.where(np.abs(X[:, 0]) < 1.5, "in", "out")).predict([[0.0], [2.5]])
    array(['in', 'out'], dtype='<U3')
    """

    def __init__(
        self,
        kernel: Any = None,
        *,
        max_basis: int | str = "auto",
        selection: str = "adaptive",
        n_candidates: int | None = None,
        sites: str = "moment_matching",
        objective: str = "predictive_loss",
        posterior: str = "projected",
        inference: str = "auto",
        stop: str | None = None,
        optimizer: str | None = "lbfgs",
        n_adaptations: int = 20,
        refine_basis: bool | str = "auto",
        slope: float = 1.0,
        slope_bounds: tuple[float, float] | str = (1e-2, 1e2),
        bias: float | str = "auto",
        class_weight: Any = None,
        transform_X: str | Mapping[str | int, str] = "standard",
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        random_state: Any = None,
        verbose: int = 0,
        callback: Callable[[Progress], None] | None = None,
    ) -> None:
        self.kernel = kernel
        self.max_basis = max_basis
        self.selection = selection
        self.n_candidates = n_candidates
        self.sites = sites
        self.objective = objective
        self.posterior = posterior
        self.inference = inference
        self.stop = stop
        self.optimizer = optimizer
        self.n_adaptations = n_adaptations
        self.refine_basis = refine_basis
        self.slope = slope
        self.slope_bounds = slope_bounds
        self.bias = bias
        self.class_weight = class_weight
        self.transform_X = transform_X
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
            NumPy array, or DataFrame of pandas, polars or pyarrow, also with strings, categories,
            dates and missing values (``encoding_``); or an array of torch, CuPy or JAX, which stays
            on its device. A ``np.memmap``, ``X`` of ``sparsegp.tables.open_table`` and Dask arrays
            or dataframes are read out of core; these hold numbers only.
        y : array-like (n_samples,)
            Labels of any type, of two classes or more.
        sample_weight : array-like (n_samples,), default=None
            A row of weight s counts as s equal rows; a row of weight zero is left out. With
            ``posterior="active"`` a selected row has the site of s labels, whereas of equal rows
            only one is selected.
        candidates : array-like (n_candidates, n_features), default=None
            Inputs to select the basis from, in place of the rows of X; for
            ``posterior="projected"``. They have no labels: with ``selection="random"`` they are
            drawn at random, else selected by the log posterior of a regression on the labels ±1.

        Returns
        -------
        self
        """
        with rollback_on_error(self):
            self._feature_dtypes = dtypes_of(X)
            return fit_or_on_host(self._fit, X, y, sample_weight, candidates)

    def _fit(self, X: Any, y: Any, sample_weight: Any, candidates: Any) -> Self:
        check_candidates(self, candidates)
        settings, memory = classification_settings(self), memory_of(self)
        context = fit_context(self)
        keep_freed_memory()
        table = open_rows(
            self,
            X,
            y,
            sample_weight,
            candidates,
            memory=memory,
            labels=Labels(self.class_weight),
            needs_memory=needs_memory(self),
        )
        classes = np.asarray(table.classes)
        settings = sized(settings, self, len(classes))
        names = column_names(self)
        transforms = self._transforms_of_inputs()
        options = transform_options(transforms, STANDARD, names, table.n_columns)
        start = initial_class_parameters(
            self, self._kernel_of_inputs(), names, table.n_columns, table.n_outputs
        )
        if settings.refine_basis is True:
            check_moves_inputs(start.kernel)
        check_sizes(options, table)
        needed = class_memory(table, settings)
        table = table.within(memory, needed)
        tell_memory(table, memory, needed, self.verbose)

        prepared = learn_transforms_for_labels(
            table,
            options,
            start_as_numbers(start.kernel),
            context.spawn(),
            optimise=settings.optimise,
            # of groups, which need rows as basis vectors, and more of them than sites afford
            intercepts=settings.inference == LEAST_SQUARES and settings.refine_basis is not True,
        )
        rows = table.transformed(prepared.inputs)
        start = replace(start, kernel=prepared.start.kernel)
        given = table.candidates
        numbers = {}
        if given is None and compares_inferences(settings, table.n_rows, memory, context):
            numbers = beginnings_as_numbers(
                self, table, replace(options, columns=prepared.columns), context
            )
        fit = fit_classification(
            rows,
            prepared.targets,
            start,
            settings,
            context,
            prepared.warm_start,
            None if given is None else prepared.inputs.apply(given),
            numbers,
        )

        warn_of_jitter(fit.posteriors[0].basis)
        self._keep(prepared, rows, fit, names)
        self.classes_ = classes
        self.basis_indices_ = table.numbers_in_X(fit.chosen) if given is None else fit.chosen
        self.cut_short_ = tell_cuts(context.budget, self.verbose)
        return self

    def _keep(
        self, prepared: FittedTransforms, rows: AnyRows, fit: ClassFit, names: list[str] | None
    ) -> None:
        """Set the fitted attributes."""
        self._scaling_X, self._rows, self._fitted = prepared.inputs, rows, fit
        self.transform_X_ = named_columns(prepared.columns, names)
        self.kernel_, self.slope_ = fit.parameters.kernel, fit.parameters.slope
        biases = fit.parameters.biases
        self.bias_ = biases[0] if len(biases) == 1 else np.array(biases)
        self.n_basis_, self.selection_path_ = len(fit.chosen), fit.path
        self.log_marginal_likelihood_value_ = fit.log_evidence
        self.history_ = fit.history

    @property
    def basis_vectors_(self) -> Floats:
        """The basis vectors, in the units of X: (n_basis_, n_features)."""
        return self._scaling_X.invert(self._fitted.posteriors[0].Z)

    def prefix(self, n_basis: int) -> "SparseGPClassifier":
        """Return the model with the first ``n_basis`` basis vectors, in the order of selection.

        The posterior is that of a fit with these basis vectors and the same hyperparameters.

        Parameters
        ----------
        n_basis : int
            From 1 to ``n_basis_``.

        Returns
        -------
        SparseGPClassifier
            A fitted estimator; this one is not changed.
        """
        check_is_fitted(self)
        if check_integer("n_basis", n_basis, 1) > self.n_basis_:
            raise ValueError(f"n_basis must be at most {self.n_basis_}, got {n_basis}")
        shorter = copy(self)
        shorter._fitted = shorten_classes(self._fitted, self._rows, n_basis)
        shorter.basis_indices_ = self.basis_indices_[:n_basis]
        shorter.selection_path_ = self.selection_path_[:n_basis]
        shorter.log_marginal_likelihood_value_ = shorter._fitted.log_evidence
        shorter.n_basis_ = n_basis
        return shorter

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether the estimator is fitted."""
        return hasattr(self, "_fitted")
