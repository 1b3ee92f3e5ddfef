"""Entry point of ``sparsegp``: starts it, or names the package that is missing."""

import sys
from importlib import import_module

__all__ = ["main"]

REQUIRED_PACKAGES = ("typer", "rich", "pandas", "pyarrow")


def main() -> None:
    """Run the command line."""
    try:
        app = import_module("sparsegp.cli.app").app
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in REQUIRED_PACKAGES:
            raise
        sys.exit(_report_missing(package))
    app(prog_name="sparsegp")


def _report_missing(package: str) -> int:
    sys.stderr.write(f"sparsegp: the command line needs {package}: pip install 'sparsegp[cli]'\n")
    return 2


if __name__ == "__main__":
    main()
