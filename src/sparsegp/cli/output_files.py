"""Checks of the files that a command will write, before it does any work."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from secrets import token_hex
from stat import S_ISREG

from sparsegp.cli.errors import BadInputError
from sparsegp.files.atomic import is_replaceable

__all__ = ["STANDARD_INPUT", "check_output", "check_output_files"]

#: Stands for standard input among the inputs of a command.
STANDARD_INPUT = Path("-")


def check_output_files(
    outputs: Mapping[str, Path | None], inputs: Mapping[str, Path | None]
) -> None:
    """Refuse outputs that cannot be written, that are an input, or that are the same file.

    Keys are the names of options and arguments. Files are compared by identity: a link, or another
    spelling of the same path, is the same file.
    """
    given = {name: path for name, path in outputs.items() if path is not None}
    for name, path in given.items():
        check_output(path)
        for other, source in inputs.items():
            if source is not None and _is_same_file(path, source):
                raise BadInputError(
                    f"{name} {path} is {other}, which would be overwritten: give another file"
                )
    names = list(given)
    for i, name in enumerate(names):
        for other in names[:i]:
            if _is_same_file(given[name], given[other]):
                raise BadInputError(
                    f"{other} and {name} are the same file {given[name]}: give two files"
                )


def check_output(path: Path) -> None:
    """Refuse a path that cannot be written to."""
    if path.is_dir():
        raise BadInputError(f"{path} is a folder: give the name of a file")
    target = Path(os.path.realpath(path)) if is_replaceable(path) else path
    if not target.parent.is_dir():
        raise BadInputError(
            f"there is no folder {target.parent} to write {target.name} into: create it"
        )
    if path.exists() and not os.access(path, os.W_OK):
        raise BadInputError(f"{path} may not be written to: give another file")
    if is_replaceable(path):
        _try_folder(target)


def _try_folder(target: Path) -> None:
    """Create an empty file beside the target and remove it: permissions alone do not tell all."""
    trial = target.with_name(f".{target.name}.{token_hex(4)}.part")
    try:
        trial.touch(exist_ok=False)
        trial.unlink()
    except OSError as error:
        raise BadInputError(
            f"{target} cannot be written ({error.strerror}): give another place or name"
        ) from error


def _is_same_file(output: Path, other: Path) -> bool:
    """Tell whether two paths are one file; a second writer does not overwrite a device or pipe."""
    if not output.exists():
        return os.path.realpath(output) == os.path.realpath(other)
    try:
        found = os.fstat(sys.stdin.fileno()) if other is STANDARD_INPUT else other.stat()
    except (OSError, ValueError, AttributeError):  # no such file, or no real standard input
        return False
    known = output.stat()
    return S_ISREG(known.st_mode) and os.path.samestat(known, found)
