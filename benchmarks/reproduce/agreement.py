"""Whether our mean agrees with a published one, is better or is worse.

A mean *agrees* if it is at most one published standard deviation away, on either side, when it is
rounded as the paper prints it. Below that it is *better*, above it *worse*: all measures are the
lower the better.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from benchmarks.reproduce.experiment import Summary

__all__ = ["AGREES", "BETTER", "LEGEND", "WORSE", "Cell", "mark", "verdict"]

AGREES, BETTER, WORSE = "≈", "▲", "▼"
WORDS = {AGREES: "agree", BETTER: "better", WORSE: "worse"}
LEGEND = (
    f"{AGREES} agrees with the paper (within one published standard deviation of its mean, above "
    f"or below), {BETTER} is better by more than that, {WORSE} is worse by more than that. A "
    "number in brackets is that of our partitions, where it is not the paper's."
)
#: Worse cells further than this from the published mean, in standard errors of the difference of
#: both means, are no chance.
STANDARD_ERRORS = 2.0
#: Differences of this size are those of binary numbers.
EXACT = 1e-9


@dataclass(frozen=True)
class Cell:
    """Our mean beside a published one."""

    title: str  # method and set
    ours: Summary
    theirs: tuple[float, float]
    digits: int
    runs: int  # of the paper

    @property
    def mark(self) -> str:
        """Return ≈, ▲ or ▼."""
        return mark(self.ours, self.theirs, self.digits)

    @property
    def is_no_chance(self) -> bool:
        """Tell whether it is worse by more than chance; a single partition cannot tell."""
        over = self.ours.mean - self.theirs[0]
        return self.mark == WORSE and over > STANDARD_ERRORS * self.standard_error

    @property
    def standard_error(self) -> float:
        """Return that of the difference of the means, over our partitions and the paper's."""
        ours, theirs = self.ours.sd**2 / self.ours.count, self.theirs[1] ** 2 / self.runs
        return float((ours + theirs) ** 0.5)

    def __str__(self) -> str:
        over = self.ours.mean - self.theirs[0]
        many = self.ours.count > 1
        known = f" ± {self.standard_error:.2g}" if many else ", one partition"
        return f"{self.title} ({over:+.2g}{known}; published deviation {self.theirs[1]:g})"


def mark(ours: Summary, theirs: tuple[float, float], digits: int) -> str:
    """Return ≈, ▲ or ▼.

    >>> [mark(Summary(mean, 0.1, 5), (3.52, 0.08), 2) for mean in (3.43, 3.604, 3.61)]
    ['▲', '≈', '▼']
    """
    mean, sd = theirs
    apart = round(ours.mean, digits) - mean
    if abs(apart) <= sd + EXACT:
        return AGREES
    return BETTER if apart < 0.0 else WORSE


def verdict(measure: str, cells: Iterable[Cell]) -> str:
    """Return how many agree, are better and are worse, and which are worse."""
    cells = list(cells)
    if not cells:
        return ""
    counts = Counter(cell.mark for cell in cells)
    said = ", ".join(f"{counts[sign]} {word}" for sign, word in WORDS.items())
    text = f"**{measure}**, {len(cells)} cells: {said}."
    worse = [cell for cell in cells if cell.mark == WORSE]
    if not worse:
        return text
    beyond = sum(cell.is_no_chance for cell in worse)
    text += f" Worse, by how much with its standard error: {'; '.join(map(str, worse))}."
    return f"{text} Beyond two standard errors of the difference: {beyond}."
