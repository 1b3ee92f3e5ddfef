"""Run a part of the tests with chosen versions of Python and of all dependencies.

``python packaging/versions.py PYTHON --folder FOLDER [--lowest]`` makes a virtual environment of
this Python in the folder, installs the newest versions, or with ``--lowest`` those that
pyproject.toml names as lower bounds, and runs the tests of ``PARTS``, or with ``--all`` all of
them. The last lines are the versions and the outcome, for the table in ``docs/install.md``.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = ("cli", "report", "onnx")
TOOLS = ("pytest", "hypothesis", "array-api-strict")  # of the extra "test"
#: What meets other libraries: contract, tables, files, command line, routines of BLAS, algebra.
PARTS = (
    "tests/contract/test_tools_on_tables.py",
    "tests/estimators/test_regressor_api.py",
    "tests/estimators/test_classifier_api.py",
    "tests/estimators/test_online_contract.py",
    "tests/tables",
    "tests/files",
    "tests/cli/test_fit_predict.py",
    "tests/cli/tables",
    "tests/arrays",
    "tests/kernels",
    "tests/model/test_against_dense_formulas.py",
    "tests/online/test_recursion.py",
    "tests/plot",
)
#: One thread each: the tests are many and small.
THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def requirements(lowest: bool) -> list[str]:
    """Return what to install: the package's requirements as ``name`` or ``name==lowest``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = project["dependencies"] + [each for extra in EXTRAS for each in extras[extra]]
    wanted += [each for each in extras["test"] if each.startswith(TOOLS) and "xdist" not in each]
    bounds = dict(each.split(">=") for each in wanted)
    return [f"{name}=={version}" if lowest else name for name, version in bounds.items()]


def environment(python: str, folder: Path, lowest: bool) -> Path:
    """Return the Python of a virtual environment, which is made if there is none yet."""
    own = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not own.exists():
        subprocess.run([python, "-m", "venv", str(folder)], check=True)
    pip = [str(own), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, *requirements(lowest)], check=True)
    return own


def versions(python: Path) -> dict[str, str]:
    """Return the versions of Python and of the requirements in an environment."""
    names = [re.split("==", each)[0] for each in requirements(lowest=False)]
    script = (
        "import json, platform, sys; from importlib.metadata import version;"
        "print(json.dumps({'python': platform.python_version()} | "
        "{name: version(name) for name in sys.argv[1:]}))"
    )
    done = subprocess.run([str(python), "-c", script, *names], check=True, capture_output=True)
    found: dict[str, str] = json.loads(done.stdout)
    return found


def main() -> int:
    """Run the tests and print the line of the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python", help="a Python of the version to test")
    parser.add_argument("--folder", type=Path, required=True, help="of the virtual environment")
    parser.add_argument("--lowest", action="store_true", help="the lower bounds of pyproject.toml")
    parser.add_argument("--all", action="store_true", help="all tests")
    parser.add_argument("--parts", nargs="*", default=PARTS, help="files or folders of tests")
    options = parser.parse_args()
    python = environment(options.python, options.folder.absolute(), options.lowest)
    command = [str(python), "-m", "pytest", "-p", "no:cacheprovider"]
    if options.lowest:  # the libraries that these depend on are newer, and deprecate what they call
        command += ["-W", "ignore::DeprecationWarning"]
    paths = os.pathsep.join((str(ROOT / "src"), str(ROOT)))
    start = perf_counter()
    done = subprocess.run(
        [*command, *([] if options.all else options.parts)],
        cwd=ROOT,
        env=os.environ | THREADS | {"PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    print(done.stdout)
    outcome = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else "no tests"
    print(f"| {' | '.join(versions(python).values())} | {outcome} |")
    print(f"{perf_counter() - start:.0f} s")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
