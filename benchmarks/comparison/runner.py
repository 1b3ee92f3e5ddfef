"""A fit in a process that may be ended."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.peers.environments import without_places
from benchmarks.peers.runner import PLACES, ROOT, THREAD_VARIABLES

__all__ = ["Conditions", "run"]


@dataclass(frozen=True)
class Conditions:
    """What holds for all fits."""

    threads: int
    seconds: float  # that a fit and its predictions may take
    memory_bytes: int | None


def run(request: Mapping[str, Any], conditions: Conditions) -> dict[str, Any]:
    """Return the record of a fit: measures and seconds, or why there are none."""
    with tempfile.TemporaryDirectory() as folder:
        asked, answered = Path(folder, "request.json"), Path(folder, "reply.json")
        about = {"threads": conditions.threads, "memory_bytes": conditions.memory_bytes}
        asked.write_text(json.dumps({**request, **about}))
        threads = dict.fromkeys(THREAD_VARIABLES, str(conditions.threads))
        try:
            done = subprocess.run(
                [
                    *(sys.executable, "-m", "benchmarks.comparison.worker"),
                    str(asked),
                    str(answered),
                ],
                capture_output=True,
                text=True,
                timeout=conditions.seconds,
                check=False,
                cwd=ROOT,
                env={**os.environ, **threads, "PYTHONPATH": PLACES},
            )
        except subprocess.TimeoutExpired:
            return {"failed": f"did not finish in {conditions.seconds:g} s"}
        if not answered.exists():
            last = (done.stderr.strip().splitlines() or ["no word"])[-1][:300]
            signal = f"ended by signal {-done.returncode}; out of memory, perhaps"
            return {"failed": signal if done.returncode < 0 else without_places(last)}
        reply: dict[str, Any] = json.loads(answered.read_text())
    if "failed" in reply:
        reply["failed"] = without_places(reply["failed"])
    return reply
