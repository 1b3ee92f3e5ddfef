"""Whether the length scales of a classifier are held together, where rows are few.

A few hundred labels say little about twenty length scales: their evidence finds columns relevant
that are not, and predictions are far too certain. A prior that holds length scales together
(``hyperparameters.shared_length_scales``) prevents it, but where only a few of many columns matter
it hides them. Neither the evidence nor leave-one-out probabilities at fitted hyperparameters tell
the two cases apart, because both count how well the hyperparameters fit. Folds do: hyperparameters
are learned without the rows that judge them.
"""

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import Array
from sparsegp.learning.classes import policy
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters.class_parameters import ClassParameters
from sparsegp.learning.hyperparameters.joint_parameters import join_parameters
from sparsegp.learning.hyperparameters.shared_length_scales import with_equal_length_scales
from sparsegp.learning.hyperparameters.site_hyperparameters import (
    optimise_at_sites,
    posteriors_of,
)
from sparsegp.model.posterior import means_and_variances
from sparsegp.model.sites.updates import SCHEMES
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows

__all__ = ["choose_sharing", "few_rows"]


def few_rows(rows: AnyRows, Z: Array, parameters: ClassParameters) -> bool:
    """Tell whether rows are too few to learn each length scale, and folds are affordable."""
    most = max(map(len, parameters.kernel.length_scale_positions), default=0)
    cost = len(rows) * Z.shape[0] ** 2 * len(parameters.biases)
    few = policy.FOLDS < len(rows) < policy.ROWS_PER_LENGTH_SCALE * most
    return most > 1 and few and cost <= policy.MAX_FOLD_SIZE


def choose_sharing(rows: Rows, Z: Array, parameters: ClassParameters, context: FitContext) -> bool:
    """Tell whether left-out folds are more probable if length scales are held together."""
    folds = np.array_split(context.spawn().rng.permutation(len(rows)), policy.FOLDS)
    start = with_equal_length_scales(parameters)
    share = context.budget.part(policy.SHARE_OF_FOLDS)
    own = context.with_budget(share).quiet()
    shared, free = (
        sum(_left_out(rows, fold, Z, start, own, shared=each) for fold in folds)
        for each in (True, False)
    )
    context.history.note(
        Phase.SHARING, shared=shared >= free, gain_per_row=abs(shared - free) / len(rows)
    )
    return shared >= free


def _left_out(
    rows: Rows,
    fold: npt.NDArray[np.intp],
    Z: Array,
    start: ClassParameters,
    context: FitContext,
    *,
    shared: bool,
) -> float:
    """Return the log probability of the labels of a fold, learned from the other rows."""
    others = rows.take(np.setdiff1d(np.arange(len(rows)), fold))
    found = optimise_at_sites(
        others,
        join_parameters(start, Z, moves=False),
        SCHEMES["ep"],
        policy.EVALUATIONS_OF_A_FOLD,
        context,
        shared=shared,
    ).parameters
    sites = posteriors_of(others, Z, found, SCHEMES["ep"], policy.SITE_TOLERANCE_OF_A_FOLD)
    judged = rows.take(fold)
    means, variances = means_and_variances(sites.posteriors, judged.X)  # (b, C)
    return float(
        sum(
            np.sum(probit.log_probability(judged.y[:, c], means[:, c], variances[:, c]))
            for c, probit in enumerate(found.probits)
        )
    )
