"""How long we take to become as good as a peer ends.

Ours are ladders: fits from scratch with more and more basis vectors, or in more and more time, with
defaults, and plain ones, which leave the target as it is, with more and more basis vectors. The
seconds to reach a peer are those of the quickest one that is at or below the peer by every measure.
Fits vary, so it is told how many of the larger ones on its ladder are as good, too.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.peers.registry import CLASSIFICATION, OURS, OURS_IN_TIME, OURS_PLAIN, PEERS
from benchmarks.reproduce.experiment import where

__all__ = [
    "AS_FAST",
    "DEFAULTS",
    "Race",
    "best_try",
    "is_ours",
    "ladder",
    "measures_of",
    "methods",
    "race",
    "races",
]

Record = dict[str, Any]

#: Rates of a matrix product that differ by no more than this factor count as the same.
AS_FAST = 1.3

#: Our ladders with everything at its default, and all of them.
DEFAULTS = (OURS, OURS_IN_TIME)
LADDERS = (*DEFAULTS, OURS_PLAIN)


def measures_of(name: str) -> tuple[str, ...]:
    """Return what must be reached on a set; the first one decides between tries."""
    return ("nlp",) if name in CLASSIFICATION else ("nlpd", "rmse")


def methods(records: Iterable[Record]) -> list[str]:
    """Return the methods that have run, in the order of the registry."""
    present = {record["method"] for record in records}
    return [name for name in dict.fromkeys(peer.name for peer in PEERS) if name in present]


def ladder(records: Iterable[Record], method: str = OURS) -> list[Record]:
    """Return our fits of one split, the smallest basis or the shortest limit first."""
    return sorted(_finished(records, method), key=_rung)


def _finished(records: Iterable[Record], method: str) -> list[Record]:
    return [record for record in where(records, method=method) if "failed" not in record]


def _rung(record: Record) -> tuple[float, ...]:
    settings = record["settings"]
    return settings["max_basis"], settings.get("time_limit", 0.0)


def best_try(records: Iterable[Record], method: str) -> Record | None:
    """Return a peer's run of the best density on one split, None if all have failed."""
    found = _finished(records, method)
    return min(found, key=lambda r: r[measures_of(r["set"])[0]]) if found else None


@dataclass(frozen=True)
class Race:
    """A peer's end on one split, and our quickest fit that is as good, if there is one."""

    peer: Record  # of its best density; every measure is the best of its tries
    ours: Record | None
    larger: tuple[int, int] = (0, 0)  # fits further up on the same ladder: as good, and all

    @property
    def ratio(self) -> float | None:
        """Our seconds over the peer's."""
        return None if self.ours is None else self.ours["fit_seconds"] / self.peer["fit_seconds"]

    @property
    def uneven(self) -> bool:
        """Whether the machine was not as fast for one of the two as for the other."""
        if self.ours is None:
            return False
        rates = [sum(record["gemm_gflops"]) for record in (self.ours, self.peer)]
        return max(rates) > AS_FAST * min(rates)


def race(records: Sequence[Record], method: str, ours: Sequence[str] = LADDERS) -> Race | None:
    """Return how we do against a peer on one split; None if it has no run to compare with."""
    best = best_try(records, method)
    ladders = [ladder(records, name) for name in ours]
    if best is None or not any(ladders):
        return None
    measures = measures_of(best["set"])
    tries = _finished(records, method)
    peer = best | {m: min(record[m] for record in tries) for m in measures}

    def good(rung: Record) -> bool:
        return all(rung[m] <= peer[m] for m in measures)

    reached = [
        (rung, rungs[place + 1 :])
        for rungs in ladders
        for place, rung in enumerate(rungs)
        if good(rung)
    ]
    if not reached:
        return Race(peer, None)
    quickest, larger = min(reached, key=lambda found: float(found[0]["fit_seconds"]))
    return Race(peer, quickest, (sum(map(good, larger)), len(larger)))


def races(
    records: Sequence[Record],
    wanted: Sequence[str],
    sets: Sequence[str],
    ours: Sequence[str] = LADDERS,
) -> list[Race]:
    """Return the races on each split of each set, against the first wanted peer that has run."""
    found = []
    for name in sets:
        of_set = where(records, set=name)
        for k in sorted({record["partition"] for record in of_set}):
            of_split = where(of_set, partition=k)
            tried = (race(of_split, method, ours) for method in wanted)
            first = next((result for result in tried if result is not None), None)
            if first is not None:
                found.append(first)
    return found


def is_ours(method: str) -> bool:
    """Tell whether a method is a ladder of ours."""
    return method in LADDERS
