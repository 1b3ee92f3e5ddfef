"""Tests of significance of SS: two methods on one set, and several methods over several sets.

On one set the partitions make pairs: Wilcoxon's signed rank test. Over sets (Demšar, *Statistical
comparisons of classifiers over multiple data sets*, 2006) the methods are ranked on each of N
sets, 1 the best. Friedman's test asks whether the average ranks of k methods differ at all; the
test of Bonferroni and Dunn, which of them differ from that of one method: those further from it
than the critical difference

    q √(k (k + 1)/(6 N)),

where a normal variable is beyond ±q with probability level/(k − 1).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import isnan, sqrt

import numpy as np
from scipy.stats import friedmanchisquare, norm, rankdata, wilcoxon

#: Pairs whose signs are enumerated if some differences are equal, as in SciPy; the rounding of a
#: sum of ranks.
MAX_ENUMERATED, SLACK = 13, 1e-9

__all__ = ["Ranking", "critical_difference", "rank_methods", "signed_rank_p"]


def signed_rank_p(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the p-value of Wilcoxon's signed rank test; 1 if no pair differs.

    >>> signed_rank_p([2.0, 4.0, 6.0, 8.0, 10.0], [1.0, 2.0, 3.0, 4.0, 5.0])
    0.0625
    """
    difference = np.asarray(a) - np.asarray(b)
    difference = difference[difference != 0.0]
    if not len(difference):
        return 1.0
    ranks = rankdata(np.abs(difference))
    if len(ranks) > MAX_ENUMERATED or len(np.unique(ranks)) == len(ranks):
        return float(wilcoxon(difference).pvalue)
    # equal differences in few pairs: all signs are enumerated, as SciPy does one by one
    signs = np.array(list(product((0.0, 1.0), repeat=len(ranks))))  # (2ⁿ, n)
    sums, observed = signs @ ranks, float(ranks @ (difference > 0.0))
    beyond = min(np.mean(sums <= observed + SLACK), np.mean(sums >= observed - SLACK))
    return float(min(1.0, 2.0 * beyond))


def critical_difference(n_methods: int, n_sets: int, level: float) -> float:
    """Return how far average ranks must be apart (Bonferroni and Dunn).

    >>> round(critical_difference(4, 14, 0.05), 2)
    1.17
    """
    q = norm.isf(0.5 * level / (n_methods - 1))
    return float(q * sqrt(n_methods * (n_methods + 1) / (6.0 * n_sets)))


@dataclass(frozen=True)
class Ranking:
    """Average ranks of methods over sets, and what Friedman's test says to them."""

    ranks: Mapping[str, float]  # method ↦ average rank, low is good
    n_sets: int
    p: float

    def differs(self, method: str, other: str, level: float) -> bool:
        """Tell whether two methods differ, one of them being compared with all others."""
        apart = abs(self.ranks[method] - self.ranks[other])
        return apart > critical_difference(len(self.ranks), self.n_sets, level)


def rank_methods(table: Mapping[str, Mapping[str, float]]) -> Ranking:
    """Rank at least three methods: set → method → mean, low is good; equal ones share ranks."""
    methods = list(next(iter(table.values())))
    values = np.array([[row[method] for method in methods] for row in table.values()])  # (N, k)
    average = np.mean(rankdata(values, axis=1), axis=0)  # (k,)
    # where every set ranks all methods equal there is nothing to test
    p = 1.0 if np.all(np.ptp(values, axis=1) == 0.0) else float(friedmanchisquare(*values.T).pvalue)
    ranks = dict(zip(methods, map(float, average), strict=True))
    return Ranking(ranks, len(values), 1.0 if isnan(p) else p)
