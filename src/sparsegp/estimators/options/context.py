"""The context of a fit, from the options of an estimator."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from sparsegp.estimators.mixins.reporting import listener_for
from sparsegp.estimators.options.checks import check_positive
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.history import History

__all__ = ["fit_context"]


def fit_context(estimator: Any) -> FitContext:
    """Return random numbers, listener, history and time budget; the time runs from now on."""
    limit = estimator.time_limit
    budget = TimeBudget(None if limit is None else check_positive("time_limit", limit))
    rng = np.random.default_rng(check_random_state(estimator.random_state).randint(2**31))
    return FitContext(rng, listener_for(estimator.verbose, estimator.callback), History(), budget)
