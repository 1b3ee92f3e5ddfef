"""How good the model is, in a sentence and in a few numbers."""

import numpy as np

from sparsegp.plot.names import readable
from sparsegp.report.judged import LEVEL, Labels, Numbers
from sparsegp.report.shown import Table, number, percent
from sparsegp.report.subject import Subject

__all__ = ["honesty", "scores_table", "verdict"]

#: Closer than this nobody minds, however many rows say so.
TOLERATED = 0.02


def verdict(subject: Subject, judged: Numbers | Labels) -> str:
    """Return the sentence that a reader in a hurry needs."""
    target, n = readable(subject.about.target), len(subject.y)
    rows = f"{n:,} {readable(subject.about.rows)}"
    if isinstance(judged, Labels):
        share = float(np.mean(judged.place == _most_frequent(judged)))
        return (
            f"On {rows} the model names {target} rightly in {percent(1.0 - judged.error)} of the "
            f"cases, where the most frequent label alone would be right in {percent(share)}. It is "
            f"sure of itself by {percent(judged.confidence)} on average: "
            f"{honesty(1.0 - judged.error, judged.confidence, n, classes=True)}."
        )
    return (
        f"On {rows} the model explains {_explained(judged.nmse)} of the variance of {target} and "
        f"is off by {number(judged.rmse)} (root mean square). Its {LEVEL:.0%} intervals hold "
        f"{percent(judged.coverage)} of the targets: "
        f"{honesty(judged.coverage, LEVEL, n, classes=False)}."
    )


def honesty(observed: float, promised: float, n: int, *, classes: bool) -> str:
    """Tell whether so many cases agree with what was promised.

    >>> honesty(0.94, 0.95, 1000, classes=False), honesty(0.80, 0.95, 1000, classes=False)
    ('honest', 'too narrow')
    """
    chance = 2.0 * np.sqrt(max(promised * (1.0 - promised), 1e-4) / n)
    if abs(observed - promised) <= max(TOLERATED, chance):
        return "honest"
    if classes:
        return "too sure" if observed < promised else "not sure enough"
    return "too narrow" if observed < promised else "too wide"


def scores_table(subject: Subject, judged: Numbers | Labels) -> Table:
    """Return the scores with what they mean."""
    if isinstance(judged, Labels):
        scores = [
            ("error", percent(judged.error), "share of wrong labels"),
            ("NLP", number(judged.loss.mean()), "mean −log probability of the true label"),
            ("confidence", percent(judged.confidence), "mean probability of the label chosen"),
        ]
    else:
        scores = [
            ("NMSE", number(judged.nmse), "mean squared error over the variance of the target"),
            ("RMSE", number(judged.rmse), "in units of the target"),
            (
                "NLPD",
                number(judged.loss.mean()),
                "mean −log density of the target; lower is better",
            ),
            (f"{LEVEL:.0%} coverage", percent(judged.coverage), "share of targets inside"),
        ]
    size = ("basis vectors", f"{subject.model.n_basis_:,}", "rows that the model stands on")
    return Table(("score", "value", "what it is"), [*scores, size])


def _explained(nmse: float) -> str:
    return "none" if not nmse < 1.0 else percent(1.0 - nmse)


def _most_frequent(judged: Labels) -> int:
    return int(np.argmax(np.bincount(judged.place)))
