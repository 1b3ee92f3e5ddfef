"""The command ``sparsegp``: starts it, or says what is missing for it."""

import sys
from importlib import import_module

__all__ = ["main"]

NEEDED = ("typer", "rich", "pandas", "pyarrow")


def main() -> None:
    """Run the command line."""
    try:
        app = import_module("sparsegp.cli.app").app
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in NEEDED:
            raise
        sys.exit(_missing(package))
    app(prog_name="sparsegp")


def _missing(package: str) -> int:
    sys.stderr.write(f"sparsegp: the command line needs {package}: pip install 'sparsegp[cli]'\n")
    return 2


if __name__ == "__main__":
    main()
