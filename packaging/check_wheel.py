"""Check that a wheel is typed and holds the package alone: ``check_wheel.py WHEEL``."""

import sys
from zipfile import ZipFile

NEEDED = ("sparsegp/py.typed", "sparsegp/__main__.py", "sparsegp/cli/main.py")


def main(path: str) -> None:
    """Fail if a file is missing, or does not belong there."""
    with ZipFile(path) as wheel:
        names = wheel.namelist()
    missing = [name for name in NEEDED if name not in names]
    foreign = [n for n in names if not n.startswith("sparsegp") or n.endswith((".pyc", "~"))]
    if missing or foreign:
        sys.exit(f"{path}: missing {missing}, foreign {foreign[:5]}")
    print(f"{path}: {len(names)} files, typed")


if __name__ == "__main__":
    main(sys.argv[1])
