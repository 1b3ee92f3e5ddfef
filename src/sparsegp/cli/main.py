"""Entry point of ``sparsegp``: starts it, or names the package that is missing.

``--version`` and ``--help`` work without the packages of the command line.
"""

import signal
import sys
from importlib import import_module
from types import FrameType

__all__ = ["main"]

REQUIRED_PACKAGES = ("typer", "rich", "pandas", "pyarrow")

HELP = """\
Usage: sparsegp [--version] [--help] COMMAND [ARGS]...

  Sparse Gaussian processes: from a table to predictions with calibrated error
  bars.

Commands:
  fit      Fit a model to a table, score it on held-out rows and save it.
  predict  Predict the rows of a table of any size, block by block.
  info     Describe the model in a file.
  report   Write an HTML report: accuracy, calibration, effects of the inputs.
  stream   Predict each row of standard input, then learn it.
  demo     Fit a model to generated data and show its accuracy and calibration.
"""


INTERRUPTED = 128 + signal.SIGINT


def main() -> None:
    """Run the command line; a signal ends it without a traceback, and partial files are removed."""
    try:
        signal.signal(signal.SIGTERM, _exit_on_signal)
        _run(sys.argv[1:])
    except KeyboardInterrupt:
        sys.stderr.write("sparsegp: interrupted, nothing more was written\n")
        sys.exit(INTERRUPTED)


def _exit_on_signal(number: int, _: FrameType | None) -> None:
    """Leave all contexts, so that they clean up, instead of ending at once."""
    sys.exit(128 + number)


def _run(arguments: list[str]) -> None:
    if arguments == ["--version"]:
        print(import_module("sparsegp").__version__)
        return
    try:
        app = import_module("sparsegp.cli.app").app
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in REQUIRED_PACKAGES:
            raise
        if "--help" in arguments or not arguments:
            print(f"{HELP}\n{_missing(package)}; then COMMAND --help lists the options")
            return
        sys.exit(_report_missing(package))
    app(prog_name="sparsegp")


def _report_missing(package: str) -> int:
    sys.stderr.write(f"sparsegp: {_missing(package)}\n")
    return 2


def _missing(package: str) -> str:
    return f"the command line needs {package}: pip install 'sparsegp[cli]'"


if __name__ == "__main__":
    main()
