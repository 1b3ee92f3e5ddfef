"""One run of a peer in a process of its own, and the record of it."""

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks.machine import busy_share, commit, gemm_rate
from benchmarks.peers.environments import without_places
from benchmarks.peers.registry import Peer
from benchmarks.peers.splits import split_file

__all__ = ["Conditions", "run"]

ROOT = Path(__file__).resolve().parents[2]
#: Our library is that of this tree, whatever is installed.
PLACES = os.pathsep.join((str(ROOT / "src"), str(ROOT)))
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)


@dataclass(frozen=True)
class Conditions:
    """What holds for all runs of a comparison."""

    threads: int
    seconds: float  # that a run may take
    memory_bytes: int | None  # that a run may hold
    splits: Path  # folder of files


def run(
    peer: Peer,
    settings: Mapping[str, Any],
    name: str,
    k: int,
    rows: int | None,
    python: Path,
    conditions: Conditions,
) -> Iterator[dict[str, Any]]:
    """Yield the record of one run: measures and seconds, or why there are none."""
    request = {
        "split": str(split_file(name, k, rows, conditions.splits)),
        "settings": dict(settings),
        "seed": k,
        "threads": conditions.threads,
        "memory_bytes": conditions.memory_bytes,
    }
    command = [str(python), "-m", f"benchmarks.peers.workers.{peer.worker}"]
    busy, before = busy_share(), _rate(conditions.threads)
    reply = _reply(command, request, conditions)
    yield {
        **reply,
        "threads": conditions.threads,
        "gemm_gflops": [before, _rate(conditions.threads)],
        "busy_share": busy,
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        **({"commit": commit()} if peer.environment is None else {}),
    }


def _reply(
    command: list[str], request: Mapping[str, Any], conditions: Conditions
) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        asked, answered = Path(folder, "request.json"), Path(folder, "reply.json")
        asked.write_text(json.dumps(request))
        threads = dict.fromkeys(THREAD_VARIABLES, str(conditions.threads))
        try:
            done = subprocess.run(
                [*command, str(asked), str(answered)],
                capture_output=True,
                text=True,
                timeout=conditions.seconds,
                check=False,
                cwd=ROOT,
                env={**os.environ, **threads, "PYTHONPATH": PLACES, "TF_CPP_MIN_LOG_LEVEL": "3"},
            )
        except subprocess.TimeoutExpired:
            return {"failed": f"did not finish in {conditions.seconds:g} s"}
        if not answered.exists():
            return {"failed": without_places(_last_words(done))}
        reply: dict[str, Any] = json.loads(answered.read_text())
    if "failed" in reply:
        reply["failed"] = without_places(reply["failed"])
    return reply


def _last_words(done: "subprocess.CompletedProcess[str]") -> str:
    if done.returncode < 0:
        return f"ended by signal {-done.returncode}; out of memory, perhaps"
    return (done.stderr.strip().splitlines() or [f"ended with status {done.returncode}"])[-1][:300]


def _rate(threads: int) -> float:
    with threadpool_limits(threads):
        return round(gemm_rate(), 1)
