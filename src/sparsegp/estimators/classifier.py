"""Sparse Gaussian process classification with scikit-learn's API."""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sparsegp.arrays import keep_freed_memory
from sparsegp.estimators.labelled_rows import labelled_rows
from sparsegp.estimators.mixins.class_predictive import ClassPredictionMixin
from sparsegp.estimators.mixins.persistence import PersistenceMixin
from sparsegp.estimators.mixins.reporting import listener_for, tell_cuts, warn_of_jitter
from sparsegp.estimators.mixins.rollback import dtypes_of, rollback_on_error
from sparsegp.estimators.options.classification import classification_settings
from sparsegp.estimators.options.initial_parameters import initial_class_parameters
from sparsegp.estimators.options.regression import budget_of
from sparsegp.estimators.options.transforms import named_columns, transform_options
from sparsegp.estimators.validation import check_integer, check_moves_inputs
from sparsegp.learning.classes.prefix import shorten_classes
from sparsegp.learning.context import FitContext
from sparsegp.learning.fit_classification import fit_classification
from sparsegp.learning.history.history import History
from sparsegp.learning.history.progress import Progress
from sparsegp.tables.transforms.columns import STANDARD

__all__ = ["SparseGPClassifier"]

Floats = npt.NDArray[np.float64]


class SparseGPClassifier(PersistenceMixin, ClassPredictionMixin, ClassifierMixin, BaseEstimator):
    """Gaussian process classification on a basis of some of the rows.

    A latent function with a Gaussian process prior is turned into a probability by the
    cumulative normal, p(y | f) = Φ(λ y (f + b)). A model with m basis vectors costs O(n·m²) to
    fit on n rows. More than two classes share one basis: each has a latent function of its own.

    Parameters
    ----------
    kernel : kernel of ``sparsegp.kernels`` or of scikit-learn, or "auto", default=None
        None means a signal variance times an RBF with one length scale a column (one for all
        columns if there are more than 64). Its parameters are the start of the optimisation,
        in units of the scaled inputs. For columns that hold codes of categories give
        ``Constant(1.0) * Categorical((20.0,) * n_features)`` or a product with one. "auto" lets
        labels taken for numbers choose by their evidence, as in ``SparseGPRegressor``;
        ``sparsegp.kernels.Auto()`` leaves a part of an expression open.
    max_basis : int, default=100
        The largest number of basis vectors. More than the rows means all of them.
    selection : str, default="adaptive"
        How basis vectors are chosen: ``"adaptive"`` (of a few rows, drawn by how badly they
        are predicted, the one after which the predictive loss is lowest), ``"validation"``
        (the same with 59 rows drawn uniformly), ``"random"``, ``"entropy"`` or
        ``"information_gain"``.
    n_candidates : int, default=None
        Rows drawn at every step; None means 2 for ``"adaptive"`` and 59 for ``"validation"``
        and ``"random"``.
    sites : {"moment_matching", "predictive_loss"}, default="moment_matching"
        How the site of a chosen row is found during the selection.
    objective : {"predictive_loss", "marginal_likelihood"}, default="predictive_loss"
        What the hyperparameters are adapted by if ``posterior="active"``: the loss of the other
        rows, or the evidence of the sites. The evidence asks for sites by moment matching;
        others may have no precision, and then it has no maximum.
    posterior : {"projected", "active"}, default="projected"
        What the model knows: the labels of all rows, or those of the basis vectors alone.
    inference : {"auto", "ep", "variational", "least_squares"}, default="auto"
        How the labels of all rows are taken in (``posterior="projected"``): by expectation
        propagation or by a variational bound. "auto" means the bound where the basis moves,
        which it cannot lead astray, and expectation propagation where it does not; for rows on
        another device it means least squares.
        "least_squares" takes labels for numbers: a regression, whose certainty is learned from
        rows left out. It is the fastest if there are many classes. Basis vectors are then chosen
        as in ``SparseGPRegressor``, and stay where they are unless ``refine_basis=True``;
        ``selection``, ``n_candidates``, ``sites`` and ``stop`` have no part in it.
    stop : {"auto", None}, default=None
        "auto" ends the selection when the predictive loss has turned and stays turned, and goes
        back to its best value; None fills ``max_basis``.
    optimizer : {"lbfgs", None}, default="lbfgs"
        None keeps kernel and slope as given; biases are then those that foretell each class
        as often as it is there.
    n_adaptations : int, default=20
        How often, at most, the hyperparameters are adapted to the active set and a new one is
        chosen if ``posterior="active"``.
    refine_basis : bool or "auto", default="auto"
        Move the basis vectors by the gradient of the evidence (``posterior="projected"``).
        "auto" moves them if the kernel has a gradient by its inputs and there are at most
        20,000 coordinates to move.
    slope : float, default=1.0
        λ. If it may be learned, the first value comes from the labels instead. If it may not,
        least squares take λ⁻² for the noise of labels.
    slope_bounds : (float, float) or "fixed", default=(0.01, 100.0)
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, which multiply those of the rows; "balanced" gives every class
        the same total weight.
    transform_X : str or dict, default="standard"
        What becomes of the columns: scaled to mean 0 and standard deviation 1 ("standard"), divided
        by one number for all of them ("common", for columns in the same units such as pixels),
        mapped by their quantiles to a standard normal ("quantile"), their logarithms standardised
        ("log"), left alone ("none"). A dict says so by column, by name or position; columns that it
        does not name are "standard". "auto" lets labels taken for numbers decide between
        "standard", "quantile" and, for positive columns that go far, "log", or on "common" for all
        if they share a length scale. With less than 100 rows or ``optimizer=None``, "auto" means
        "standard", and the kernel is the RBF.
    time_limit : float, default=None
        Seconds that a fit may take; None is without limit. It then returns the best model that it
        reaches: searches end early, and the basis is as large as the pace of this machine allows.
        ``cut_short_`` says what was cut. The limit holds within a fifth, unless it is a second or
        two, or too short even for 16 basis vectors. With a limit the same seed may give another
        model.
    memory_limit : int or str, default=None
        Bytes that a fit may take beyond X, such as ``"2GB"``; None is half of what is free. A
        ``np.memmap``, a table in a file (``sparsegp.tables.open_table``), a Dask array, and an
        array whose scaled copy does not fit into the limit are read in blocks of rows and never
        copied as a whole; the model is the same. ``verbose`` prints the plan.
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0
        1 prints the phases of the fit, 2 every step.
    callback : callable, default=None
        Called with a ``sparsegp.learning.history.progress.Progress`` at every step.

    Attributes
    ----------
    classes_ : ndarray (n_classes,)
    kernel_ : Kernel
        With learned parameters, in units of the scaled inputs.
    slope_, bias_ : float, and float or ndarray (n_classes,)
        λ and b of the probit; b for each class if there are more than two.
    transform_X_ : dict
        What became of each column, by name or position.
    basis_indices_ : ndarray (n_basis_,)
        Rows of X that were chosen, in the order chosen. If the basis was moved, these are the
        rows it started from.
    basis_vectors_ : ndarray (n_basis_, n_features)
        Where the basis is now, in the units of X.
    n_basis_ : int
    selection_path_ : ndarray
        Predictive loss of the training rows after each basis vector (SS eq. 5); with
        ``stop="auto"`` it goes on beyond ``n_basis_``. The log posterior of the regression, as in
        ``SparseGPRegressor``, if ``inference="least_squares"``.
    log_marginal_likelihood_value_ : float
        Log evidence: of all labels, its bound if ``inference`` is variational, of standardised
        labels taken for numbers if it is least squares; of the sites of
        the active rows, without their normalisers, if ``posterior="active"``: a number to
        compare hyperparameters by at the same sites, not models.
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
        max_basis: int = 100,
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
        self.class_weight = class_weight
        self.transform_X = transform_X
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn hyperparameters, a basis and the posterior.

        Parameters
        ----------
        X : array-like (n_samples, n_features)
            Also an array of torch, CuPy or JAX. On a GPU it stays there: see the guide on GPUs. A
            ``np.memmap``, ``X`` of ``sparsegp.tables.open_table`` and Dask arrays or dataframes are
            read in blocks: see the guide on large tables.
        y : array-like (n_samples,)
            Labels of any kind, of two classes or more.
        sample_weight : array-like (n_samples,), default=None
            A row of weight s counts as s equal rows; weight zero leaves it out. If
            ``posterior="active"`` a chosen row has the site of s labels, whereas of equal rows
            only one is chosen.

        Returns
        -------
        self
        """
        with rollback_on_error(self):
            self._feature_dtypes = dtypes_of(X)
            return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        settings, budget = classification_settings(self), budget_of(self)
        keep_freed_memory()
        taken = labelled_rows(self, X, y, sample_weight)
        names = list(self.feature_names_in_) if hasattr(self, "feature_names_in_") else None
        width, n_classes = self.n_features_in_, len(taken.classes)
        wanted = transform_options(self.transform_X, STANDARD, names, width)
        start = initial_class_parameters(self, names, width, 1 if n_classes == 2 else n_classes)
        if settings.refine_basis is True:
            check_moves_inputs(start.kernel)
        taken.check_options(self, wanted)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        listener = listener_for(self.verbose, self.callback)
        context = FitContext(rng, listener, History(), budget)
        prepared, rows = taken.learn_transforms(
            self, wanted, start.kernel, settings, context.spawn()
        )
        start = replace(start, kernel=prepared.start.kernel)
        fit = fit_classification(
            rows, prepared.targets, start, settings, context, prepared.warm_start
        )
        warn_of_jitter(fit.posteriors[0].basis)
        self._scaling_X, self._rows, self._fitted = prepared.inputs, rows, fit
        self.transform_X_ = named_columns(prepared.columns, names)
        self.classes_ = taken.classes
        self.kernel_, self.slope_ = fit.parameters.kernel, fit.parameters.slope
        biases = fit.parameters.biases
        self.bias_ = biases[0] if len(biases) == 1 else np.array(biases)
        in_order = taken.counted is None
        self.basis_indices_ = fit.chosen if in_order else np.asarray(taken.counted)[fit.chosen]
        self.n_basis_ = len(fit.chosen)
        self.selection_path_ = fit.path
        self.log_marginal_likelihood_value_ = fit.log_evidence
        self.history_ = fit.history
        self.cut_short_ = tell_cuts(budget, self.verbose)
        return self

    @property
    def basis_vectors_(self) -> Floats:
        """The basis vectors, in the units of X: (n_basis_, n_features)."""
        return self._scaling_X.invert(self._fitted.posteriors[0].Z)

    def prefix(self, n_basis: int) -> "SparseGPClassifier":
        """Return this model with its first basis vectors only, in the order chosen.

        The posterior is that of a fit with these basis vectors and the same hyperparameters;
        nothing is selected or optimised again.

        Parameters
        ----------
        n_basis : int
            From 1 to ``n_basis_``.

        Returns
        -------
        SparseGPClassifier
            A fitted estimator; this one stays as it is.
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
        """Tell whether there is a model to predict with."""
        return hasattr(self, "_fitted")
