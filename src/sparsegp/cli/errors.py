"""Bad input: one line that says what to do, exit code 2."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches

import typer

from sparsegp.exceptions import ModelFileError

__all__ = ["BadInputError", "explained", "known_columns", "one_line"]

BAD_INPUT = 2
INTERRUPTED = 130


class BadInputError(Exception):
    """What a user gave cannot be used; the message says what to do about it."""


@contextmanager
def explained() -> Iterator[None]:
    """Turn bad input into one line on standard error and an exit code."""
    try:
        yield
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(1) from None
    except (BadInputError, ModelFileError, OSError) as error:
        sys.stderr.write(f"sparsegp: {one_line(error)}\n")
        raise typer.Exit(BAD_INPUT) from None
    except KeyboardInterrupt:
        sys.stderr.write("sparsegp: interrupted, nothing more was written\n")
        raise typer.Exit(INTERRUPTED) from None


def one_line(error: Exception) -> str:
    r"""Return a message without line breaks.

    >>> one_line(ValueError("no such\n  thing"))
    'no such thing'
    """
    if isinstance(error, FileNotFoundError) and error.filename is not None:
        return f"there is no file {error.filename}: check the path"
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split())


def known_columns(names: list[str], wanted: str) -> str:
    """Return what may help somebody who named a column that is not there.

    >>> known_columns(["price", "rooms"], "prise")
    "did you mean 'price'? There are: price, rooms"
    """
    near = get_close_matches(wanted, names, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return f"{hint}There are: {', '.join(names[:8])}{more}"
