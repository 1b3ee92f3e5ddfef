"""Mean ranks, what difference of them is more than chance, and wins, ties and losses.

Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7 (2006).
"""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.stats import rankdata, studentized_range

__all__ = ["MARGINS", "critical_difference", "duel", "groups", "ranked", "tied"]

#: Set → method → the mean of a measure over splits; infinity where the method failed.
Scores = Mapping[str, Mapping[str, float]]
#: Differences below these are ties: relative ones, and of densities and errors absolute ones.
MARGINS = {"rmse": 0.01, "crps": 0.01, "nlpd": 0.01, "nlp": 0.01, "error": 0.002}
RELATIVE = ("rmse", "crps")
LEVEL = 0.05


def ranked(scores: Scores, methods: Sequence[str]) -> dict[str, float]:
    """Return the mean rank of each method over the sets; the lowest score has rank 1.

    >>> ranked({"s": {"a": 1.0, "b": 2.0}, "t": {"a": 1.0, "b": 1.0}}, ["a", "b"])
    {'a': 1.25, 'b': 1.75}
    """
    table = np.array([[of[method] for method in methods] for of in scores.values()])
    means = np.mean(rankdata(table, axis=1), axis=0)
    return {method: float(rank) for method, rank in zip(methods, means, strict=True)}


def critical_difference(n_methods: int, n_sets: int) -> float:
    """Return the difference of two mean ranks that Nemenyi's test takes for real.

    >>> round(critical_difference(4, 14), 2)  # Demšar's example
    1.25
    """
    q = studentized_range.ppf(1.0 - LEVEL, n_methods, np.inf) / np.sqrt(2.0)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6.0 * n_sets)))


def groups(ranks: Mapping[str, float], difference: float) -> list[tuple[float, float]]:
    """Return the longest runs of mean ranks within a difference, of two methods at least.

    >>> groups({"a": 1.0, "b": 1.5, "c": 2.2, "d": 4.0}, 0.8)
    [(1.0, 1.5), (1.5, 2.2)]
    """
    values = sorted(ranks.values())
    runs = [(v, max(w for w in values if w <= v + difference)) for v in values]
    longest = [run for i, run in enumerate(runs) if i == 0 or run[1] > runs[i - 1][1]]
    return [run for run in longest if run[1] > run[0]]


def tied(ours: float, other: float, measure: str) -> bool:
    """Tell whether two scores differ by no more than their margin."""
    size = min(ours, other) if measure in RELATIVE else 1.0
    return abs(ours - other) <= MARGINS[measure] * size


def duel(scores: Scores, ours: str, other: str, measure: str) -> tuple[int, int, int]:
    """Return on how many sets that both have run the first wins, ties and loses.

    >>> duel({"s": {"a": 1.0, "b": 1.005}, "t": {"a": 2.0, "b": 1.0}}, "a", "b", "rmse")
    (0, 1, 1)
    """
    pairs = [(of[ours], of[other]) for of in scores.values() if ours in of and other in of]
    ties = sum(tied(a, b, measure) for a, b in pairs)
    wins = sum(a < b and not tied(a, b, measure) for a, b in pairs)
    return wins, ties, len(pairs) - wins - ties
