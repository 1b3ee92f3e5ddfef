"""houseelectric among the races: what ``benchmarks.scale.houseelectric`` has measured.

SGPR does not finish there, and SVGP takes half an hour. Its seconds are those that it would take
with all threads and nothing beside it, by the pace of some steps, as ours are.
"""

import json
from pathlib import Path
from typing import Any

from benchmarks.peers.registry import OURS, SVGP

__all__ = ["records_of_houseelectric", "seconds_alone"]

Record = dict[str, Any]

FILE = "scale_houseelectric.json"


def seconds_alone(peer: Record, pace: Record) -> float:
    """Return how long all steps of a peer would take at the pace of some."""
    return float(pace["fit_seconds"] / pace["steps"] * peer["steps"])


def records_of_houseelectric(results: Path) -> list[Record]:
    """Return our fit and SVGP's as records of a race; none if they have not run."""
    file = results / FILE
    found = json.loads(file.read_text()) if file.exists() else {}
    parts = found.get("ours", {}).get("defaults"), found.get("svgp"), found.get("svgp_pace")
    if not all(part and "failed" not in part for part in parts):
        return []
    ours, peer, pace = parts
    where: Record = {"set": "houseelectric", "partition": 0, "rows": None}
    as_alone = {"fit_seconds": seconds_alone(peer, pace), "gemm_gflops": pace["gemm_gflops"]}
    size = {"max_basis": ours["max_basis"]}
    rates = [ours["gemm_gflops"]] * len(pace["gemm_gflops"])
    return [
        {**where, "method": SVGP, **peer, **as_alone},
        {**where, "method": OURS, "settings": size, **ours, "gemm_gflops": rates},
    ]
