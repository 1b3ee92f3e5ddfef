"""Import time and installed size of the library.

    python -m benchmarks.footprint [--repeats N] [--install] [--json FILE]

The import is timed in fresh processes, after that of scikit-learn, and the best of several
counts; CPU seconds tell more on a busy machine. ``--install`` makes a virtual environment,
installs this checkout into it without extras and adds up the files, pip's own left out, and
separately the byte code that Python makes of them.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.machine import busy_share, describe

RESULT = Path(__file__).parent / "results" / "footprint.json"
ROOT = Path(__file__).resolve().parents[1]
MOST_SECONDS, MOST_MEGABYTES = 0.5, 250.0

TIMED = """
import time
clocks = time.perf_counter, time.process_time
start = [clock() for clock in clocks]
import sklearn
middle = [clock() for clock in clocks]
import sparsegp
end = [clock() for clock in clocks]
print(middle[0] - start[0], end[0] - middle[0], end[1] - middle[1])
"""


def import_seconds(repeats: int) -> dict[str, float]:
    """Return the best seconds of importing scikit-learn, and of us after it."""
    runs = [_timed_import() for _ in range(repeats)]
    sklearn, beyond, cpu = (min(values) for values in zip(*runs, strict=True))
    return {
        "sklearn_seconds": round(sklearn, 3),
        "beyond_sklearn": round(beyond, 3),
        "beyond_sklearn_cpu": round(cpu, 3),
        "import_seconds": round(sklearn + beyond, 3),
    }


def _timed_import() -> list[float]:
    done = subprocess.run([sys.executable, "-c", TIMED], capture_output=True, text=True, check=True)
    return [float(number) for number in done.stdout.split()]


def installed_megabytes() -> dict[str, Any]:
    """Return the size of each package of a fresh installation without extras."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "environment")
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        python = place / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        ask = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
        site = Path(subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip())
        before = {entry.name for entry in site.iterdir()}
        install = [str(python), "-m", "pip", "install", "--quiet", str(ROOT)]
        subprocess.run(install, check=True)
        new = {
            entry.name: _megabytes(entry) for entry in site.iterdir() if entry.name not in before
        }
    largest = sorted(new, key=lambda name: -sum(new[name]))[:8]
    return {
        "installed_mb": round(sum(files for files, _ in new.values()), 1),
        "byte_code_mb": round(sum(code for _, code in new.values()), 1),
        "largest_mb": {name: [round(size, 1) for size in new[name]] for name in largest},
    }


def _megabytes(entry: Path) -> tuple[float, float]:
    """Return megabytes of files and of byte code."""
    files = [file for file in (entry, *entry.rglob("*")) if file.is_file()]
    code = sum(file.stat().st_size for file in files if file.suffix == ".pyc")
    return (sum(file.stat().st_size for file in files) - code) / 1e6, code / 1e6


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--json", type=Path, help=f"default with --install: {RESULT.name}")
    options = parser.parse_args(arguments)
    busy = busy_share()
    found: dict[str, Any] = import_seconds(options.repeats)
    print(
        f"import sparsegp after sklearn: {found['beyond_sklearn']} s, "
        f"{found['beyond_sklearn_cpu']} s of CPU; wanted: at most {MOST_SECONDS} s"
    )
    if options.install:
        found |= installed_megabytes()
        print(
            f"installed: {found['installed_mb']} MB, wanted: at most {MOST_MEGABYTES:g} MB; "
            f"byte code "
            f"made of it: {found['byte_code_mb']} MB"
        )
        print(found["largest_mb"])
    file = options.json or (RESULT if options.install else None)
    if file:
        file.write_text(
            json.dumps({**found, "busy_share": busy, "machine": describe()}, indent=1) + "\n"
        )


if __name__ == "__main__":
    main()
