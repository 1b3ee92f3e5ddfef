"""Virtual environments of the peers: made where they are missing, and which versions they hold."""

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers.registry import ENVIRONMENTS, Environment

__all__ = ["Ready", "prepare_environment", "without_places"]

INSTALL_SECONDS = 1800


@dataclass(frozen=True)
class Ready:
    """The interpreter of an environment, or why there is none."""

    python: Path | None
    reason: str | None = None


def prepare_environment(name: str | None, folder: Path) -> Ready:
    """Return an environment by name; it is made if it is not in the folder."""
    if name is None:
        return Ready(Path(sys.executable))
    environment, place = ENVIRONMENTS[name], folder / name
    python = place / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if python.exists() and _failure_to_import(python, environment) is None:
        return Ready(python)
    print(f"making the environment {name}: {' '.join(environment.requirements)}", flush=True)
    failure = _failure_to_make(python, place, environment)
    failure = failure or _failure_to_import(python, environment)
    return Ready(None, failure) if failure else Ready(python)


def _failure_to_make(python: Path, place: Path, environment: Environment) -> str | None:
    if not python.exists():
        failure = _failure([sys.executable, "-m", "venv", str(place)])
        if failure:
            return failure
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return _failure([*install, *environment.requirements])


def _failure_to_import(python: Path, environment: Environment) -> str | None:
    return _failure([str(python), "-c", f"import {', '.join(environment.modules)}"])


def _failure(command: list[str]) -> str | None:
    """Return the last word of a command that fails, None if it does not."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"did not end in {INSTALL_SECONDS} s"
    if done.returncode == 0:
        return None
    lines = [line for line in done.stderr.splitlines() if line.strip()] or [done.stdout[-300:]]
    errors = [line for line in lines if line.startswith("ERROR")] or lines
    return without_places(errors[-1])[:300]


def without_places(text: str) -> str:
    """Return a message without addresses and folders, which mean nothing elsewhere.

    >>> without_places("no wheel at https://host/simple for /home/me/x.py")
    'no wheel at … for x.py'
    """
    text = re.sub(r"\b\w+://\S+", "…", text)
    return re.sub(r"(?<![\w.])/(?:[^\s/'\"]+/)+", "", text)
