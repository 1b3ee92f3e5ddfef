"""Bad input: one line that says what to do, and exit code 2."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches

import typer

from sparsegp.exceptions import ModelFileError

__all__ = ["BadInputError", "check_seed", "column_hint", "one_line", "report_bad_input"]

BAD_INPUT = 2
INTERRUPTED = 130
MAX_SEED = 2**32 - 1
MAX_NAMES = 8  # of columns in a message


class BadInputError(Exception):
    """The input of the user cannot be used; the message says what to do."""


@contextmanager
def report_bad_input() -> Iterator[None]:
    """Turn bad input into one line on standard error and an exit code."""
    try:
        yield
    except BrokenPipeError:  # the reader of our output has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(1) from None
    except (BadInputError, ModelFileError, OSError) as error:
        sys.stderr.write(f"sparsegp: {one_line(error)}\n")
        raise typer.Exit(BAD_INPUT) from None
    except KeyboardInterrupt:
        sys.stderr.write("sparsegp: interrupted, nothing more was written\n")
        raise typer.Exit(INTERRUPTED) from None


def check_seed(seed: int | None) -> None:
    """Refuse seeds that random number generators do not take."""
    if seed is not None and not 0 <= seed <= MAX_SEED:
        raise BadInputError(f"--seed must be an integer from 0 to {MAX_SEED}, got {seed}")


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


def column_hint(names: list[str], given: str) -> str:
    """Return a hint for a column name that does not exist.

    >>> column_hint(["price", "rooms"], "prise")
    "did you mean 'price'? The columns are: price, rooms"
    """
    similar = get_close_matches(given, names, n=1)
    hint = f"did you mean {similar[0]!r}? " if similar else ""
    hidden = len(names) - MAX_NAMES
    more = f" and {hidden} more" if hidden > 0 else ""
    return f"{hint}The columns are: {', '.join(names[:MAX_NAMES])}{more}"
