"""Whether the length scales of a classifier are held together: sites of folds.

Labels as numbers would not tell: the density of a number punishes a prediction that is too certain
far more than the probability of a label does.
"""

from dataclasses import replace

from sparsegp.arrays import Array, to_numpy
from sparsegp.learning.classes import policy
from sparsegp.learning.classes.label_targets import labels_as_numbers
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters.choose_sharing import Indices, choose_sharing
from sparsegp.learning.hyperparameters.class_parameters import ClassParameters
from sparsegp.learning.hyperparameters.joint_parameters import join_parameters
from sparsegp.learning.hyperparameters.policy import LABELS_PER_LENGTH_SCALE
from sparsegp.learning.hyperparameters.shared_length_scales import equal_length_scales, few_rows
from sparsegp.learning.hyperparameters.site_hyperparameters import (
    optimise_at_sites,
    posteriors_of,
)
from sparsegp.model.posterior import means_and_variances
from sparsegp.model.sites.updates import SCHEMES
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows
from sparsegp.tables.transforms.columns import STANDARD
from sparsegp.tables.transforms.scaling import fit_scaling

__all__ = ["with_shared_length_scales"]


def with_shared_length_scales(
    rows: AnyRows, Z: Array, parameters: ClassParameters, context: FitContext
) -> tuple[ClassParameters, bool]:
    """Return the parameters that a search starts at, and whether length scales are shared."""
    Z = Z[: policy.BASIS_OF_FOLDS, :]
    cost = len(rows) * Z.shape[0] ** 2 * len(parameters.biases)
    few = few_rows(len(rows), parameters.kernel, LABELS_PER_LENGTH_SCALE)
    if not few or len(rows) < policy.MIN_ROWS_OF_FOLDS or cost > policy.MAX_FOLD_SIZE:
        return parameters, False
    equal = replace(parameters, kernel=equal_length_scales(parameters.kernel))
    own = context.share(policy.SHARE_OF_FOLDS).quiet()
    known, Z = rows.load().to_host(), to_numpy(Z)
    # classes share the kernel: some of them tell how well it is known
    some = replace(equal, biases=equal.biases[: policy.LABEL_COLUMNS_OF_FOLDS])
    known = replace(known, y=known.y[:, : len(some.biases)])

    def left_out(others: Indices, fold: Indices, shared: bool) -> float:
        return _log_probability(known.take(others), known.take(fold), Z, some, own, shared=shared)

    shared = choose_sharing(len(rows), left_out, context)
    return (equal, True) if shared else (parameters, False)


def _log_probability(
    rows: Rows,
    judged: Rows,
    Z: Array,
    start: ClassParameters,
    context: FitContext,
    *,
    shared: bool,
) -> float:
    """Return the log probability of some labels, learned from other rows."""
    if not shared:  # begins as a fit would
        start = _by_numbers(rows, start, context)
    begin, scheme = join_parameters(start, Z, moves=False), SCHEMES["ep"]
    found = optimise_at_sites(
        rows, begin, scheme, policy.EVALUATIONS_OF_A_FOLD, context, shared=shared
    ).parameters
    sites = posteriors_of(rows, Z, found, scheme, policy.SITE_TOLERANCE_OF_A_FOLD)
    means, variances = means_and_variances(sites.posteriors, judged.X)  # (b, C)
    return sum(
        float(probit.log_probability(judged.y[:, c], means[:, c], variances[:, c]).sum())
        for c, probit in enumerate(found.probits)
    )


def _by_numbers(rows: Rows, start: ClassParameters, context: FitContext) -> ClassParameters:
    """Return the parameters that labels as numbers find."""
    scaling = fit_scaling(rows.y, rows.weight, STANDARD)
    found = labels_as_numbers(rows, scaling, start.kernel, context)
    slope = float(found.noise_variance**-0.5)
    return replace(start, kernel=found.kernel).with_slope(slope)
