"""Hyperparameters of an exact process of many rows (``max_basis="all"``): by as many as it affords.

The first hyperparameters come from up to 2,000 rows. The factorisation of all n rows takes O(n³); a
search on a share of them that takes about as long hardly matters beside it.
"""

from dataclasses import replace

from sparsegp.learning.basis import policy
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters.exact_subsets import first_parameters
from sparsegp.learning.hyperparameters.initialise import Initialisation
from sparsegp.learning.hyperparameters.policy import SUBSET_STAGES
from sparsegp.learning.settings import Settings

__all__ = ["learn_by_more_rows"]


def learn_by_more_rows(
    begun: Initialisation, settings: Settings, context: FitContext
) -> Initialisation:
    """Continue the search of an exact process on more rows than any fit learns by."""
    size = int(policy.SHARE_TO_LEARN_BY * len(begun.rows))
    learns = settings.every_row and settings.optimise and settings.search
    if not learns or size <= SUBSET_STAGES[-1][0] or context.budget.limited:
        return begun
    found = first_parameters(
        begun.rows,
        begun.parameters,
        context,
        stages=((size, policy.EVALUATIONS_OF_SHARE),),
        length_scale_prior=settings.length_scale_prior,
    )
    return replace(begun, parameters=found[-1].parameters)
