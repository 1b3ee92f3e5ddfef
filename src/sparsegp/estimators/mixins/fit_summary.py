"""What a fit found: importance of the inputs, and a summary for notebooks."""

from collections import Counter
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn import get_config
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from sparsegp.learning.history.phases import Phase
from sparsegp.model.importance import importances

__all__ = ["FitSummaryMixin"]

Floats = npt.NDArray[np.float64]

#: Choices that held-out rows decided, and what is noted of them; the last one counts.
DECIDED_BY_HELD_OUT_ROWS = {
    Phase.NEIGHBOURS: "log_density",
    Phase.NOISE_CHOICE: "log_density",
    Phase.INFERENCE: "log_probability",
}


class FitSummaryMixin:
    """An estimator that tells what it found; abstract."""

    n_features_in_: int

    @property
    def feature_importances_(self) -> Floats:
        """The share of each column in the variation of the fitted function: (n_features,).

        Non-negative, with sum 1; all zero if the function is constant. Take a basis vector and
        replace one column by that of another one: the mean squared change of the posterior mean, of
        the transformed target or the latent functions, is the importance of the column (the total
        Sobol index by Jansen's estimator, divided by the sum over the columns). It counts the
        column's interactions with others. Columns that carry the same information share it. Of a
        table with columns of any kind (``encoding_``) all inputs that come from one column are
        replaced together, and columns that were left out have importance 0. With neighbours the
        mean is that of the basis alone.
        """
        check_is_fitted(self)
        return importances(self._mean_at, self._basis_inputs(), self._inputs_of_columns())

    def _inputs_of_columns(self) -> list[list[int]] | None:
        """Return the inputs of each column of the table; None: columns are inputs."""
        encoding = getattr(self, "encoding_", None)
        if encoding is None:
            return None
        inputs: list[list[int]] = [[] for _ in range(self.n_features_in_)]
        for i, column in enumerate(encoding.columns):
            inputs[column.position].append(i)
        return inputs

    def _mean_at(self, Z: Floats) -> Floats:
        """Return the posterior mean of the functions at transformed inputs: (n, p)."""
        raise NotImplementedError

    def _basis_inputs(self) -> Floats:
        """Return the basis vectors, transformed: (m, D)."""
        raise NotImplementedError

    def _repr_html_inner(self) -> str:
        """Return scikit-learn's diagram, and below it what a fit found; for notebooks."""
        return str(estimator_html_repr(self)) + _html_table(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Return what notebooks show."""
        bundle = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            bundle["text/html"] = self._repr_html_inner()
        return bundle


def _html_table(model: Any) -> str:
    """Return a table of what was found; nothing of a model that is not fitted."""
    if not model.__sklearn_is_fitted__():
        return ""
    rows = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:left'>{escape(value)}</td></tr>"
        for name, value in _facts(model).items()
    )
    return f"<table class='sparsegp-fit'><caption>Fitted model</caption>{rows}</table>"


def _kind_of_noise(model: Any) -> str:
    """Return the noise model, with the degrees of freedom of heavy tails if these were found."""
    calibration = getattr(model, "calibration_", None)
    df = None if calibration is None else calibration.tails.df
    return str(model.noise_) if df is None else f"{model.noise_} ({df:.1f} degrees of freedom)"


def _facts(model: Any) -> dict[str, str]:
    """Return what a fitted model chose and how good it was, by name."""
    facts = {"kernel": repr(model.kernel_), "basis vectors": f"{model.n_basis_:,}"}
    if hasattr(model, "n_neighbors_"):
        facts["neighbours"] = f"{model.n_neighbors_}"
    if hasattr(model, "n_seen_"):
        facts["rows learned"] = f"{model.n_seen_:,}"
    if hasattr(model, "classes_"):
        facts["classes"] = f"{len(model.classes_)}"
    if hasattr(model, "noise_std_"):
        std = ", ".join(f"{value:.3g}" for value in np.atleast_1d(model.noise_std_))
        facts["noise"] = f"{_kind_of_noise(model)}, standard deviation {std} in units of y"
    scale = getattr(getattr(model, "calibration_", None), "mean", 1.0)
    if scale < 1.0:
        facts["factor on the mean"] = f"{scale:.2f}: left-out rows show that it follows the noise"
    columns = Counter(model.transform_X_.values())
    facts["transform of columns"] = ", ".join(f"{kind} ({n})" for kind, n in columns.items())
    if hasattr(model, "transform_y_"):
        facts["transform of the target"] = model.transform_y_
    return facts | _quality(model)


def _quality(model: Any) -> dict[str, str]:
    """Return measures of the fit, in units of the transformed target."""
    found: dict[str, str] = {}
    evidence = getattr(model, "log_marginal_likelihood_value_", None)
    if evidence is not None and np.isfinite(evidence):
        found["log marginal likelihood"] = f"{evidence:.1f}"
    decided = [e for e in getattr(model, "history_", []) if e["phase"] in DECIDED_BY_HELD_OUT_ROWS]
    if decided:
        choice = decided[-1]
        measure = DECIDED_BY_HELD_OUT_ROWS[choice["phase"]]
        value = dict(choice.get(measure, {})).get(choice.get("chosen"))
        if value is not None:
            name = f"mean {measure.replace('_', ' ')} of {choice['n_rows']:,} held-out rows"
            unit = " (transformed target)" if measure == "log_density" else ""
            found[name] = f"{value:.3f}{unit}"
    if getattr(model, "cut_short_", None):
        found["cut short by time_limit"] = "; ".join(model.cut_short_)
    return found
