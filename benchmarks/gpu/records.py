"""All records of a GPU: what fills it, and whether its models are those of the host.

    python -m benchmarks.gpu.records FOLDER [--seconds 480] [--shrink 1]

Runs ``device_work`` and then ``same_model`` in processes of their own, which write
``gpu_work.json`` and ``gpu_same_model.json`` into the folder. No part of the first begins after
55 % of the time, none of the second after 90 %, and both are ended when it is over: what they have
written by then stays. Parts come in the order of their importance.

A copy of the checkout without its log names the commit by ``SPARSEGP_COMMIT``; tables lie in the
folder ``SPARSEGP_DATA`` (``benchmarks.gpu.parts`` writes them as .npz, for machines without
Parquet). ``--shrink`` is that of the scripts, at most 50 for the second one: a rehearsal.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

__all__ = ["main"]

ROOT = Path(__file__).resolve().parents[2]
SHARE_OF_WORK, SHARE_OF_BEGINNINGS = 0.55, 0.9
MOST_SHRUNK = 50  # of tables that choose transforms and kernels


def main(arguments: Sequence[str] | None = None) -> None:
    """Run both scripts within the time."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=480.0)
    parser.add_argument("--shrink", type=int, default=1)
    given = parser.parse_args(arguments)
    given.folder.mkdir(parents=True, exist_ok=True)
    end = time.perf_counter() + given.seconds
    _run("device_work", given.folder / "gpu_work.json", given.shrink, end, SHARE_OF_WORK)
    shrink = min(given.shrink, MOST_SHRUNK)
    _run("same_model", given.folder / "gpu_same_model.json", shrink, end, SHARE_OF_BEGINNINGS)


def _run(script: str, file: Path, shrink: int, end: float, share: float) -> None:
    """Run a script; its parts begin within a share of the time that is left."""
    left = max(end - time.perf_counter(), 1.0)
    command = [sys.executable, "-m", f"benchmarks.gpu.{script}", "--json", str(file)]
    command += ["--shrink", str(shrink), "--seconds", f"{share * left:.0f}"]
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    start = time.perf_counter()
    try:
        subprocess.run(
            command, cwd=ROOT, env=os.environ | {"PYTHONPATH": path}, timeout=left, check=False
        )
    except subprocess.TimeoutExpired:
        print(f"{script} was ended: no time left", flush=True)
    print(f"{script} took {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
