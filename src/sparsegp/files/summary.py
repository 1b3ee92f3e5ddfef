"""A description of the model in plain JSON, for people and programs without this library."""

from typing import Any

import numpy as np

__all__ = ["summarise"]

# Attributes that only some estimators have.
OPTIONAL = (
    "noise_",
    "noise_variance_",
    "n_neighbors_",
    "slope_",
    "n_seen_",
    "log_marginal_likelihood_value_",
)


def summarise(estimator: Any, *, variance: bool) -> dict[str, Any]:
    """Return a description in plain JSON; loading does not use it."""
    names = getattr(estimator, "feature_names_in_", None)
    classes = getattr(estimator, "classes_", None)
    encoding = getattr(estimator, "encoding_", None)
    described = {
        "task": "regression" if classes is None else "classification",
        "n_features": int(estimator.n_features_in_),
        "feature_names": None if names is None else [str(name) for name in names],
        "feature_dtypes": _plain(getattr(estimator, "_feature_dtypes", None)),
        "input_names": None if encoding is None else encoding.input_names,
        "encoding": None if encoding is None else encoding.as_json(),
        "classes": None if classes is None else [str(label) for label in classes],
        "variance": variance,
        "scaling": {name: _plain(getattr(estimator, name)) for name in _transforms(estimator)},
        "kernel": repr(estimator.kernel_),
        "n_basis": int(estimator.n_basis_),
    }
    described |= {
        name.rstrip("_"): _plain(getattr(estimator, name))
        for name in OPTIONAL
        if hasattr(estimator, name)
    }
    if hasattr(estimator, "n_neighbors_"):  # the rows among which neighbours are found
        described["n_rows_kept"] = len(getattr(estimator._posterior, "rows", ()))
    phases = getattr(estimator, "history_", [])
    described["fit"] = [{name: _plain(fact) for name, fact in entry.items()} for entry in phases]
    return described


def _transforms(estimator: Any) -> list[str]:
    return [name for name in ("transform_X", "transform_y") if hasattr(estimator, name)]


def _plain(value: Any) -> Any:
    """Return a value that JSON can represent, as a string if necessary."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    is_json = value is None or isinstance(value, (bool, int, str))
    return value if is_json or (isinstance(value, float) and np.isfinite(value)) else str(value)
