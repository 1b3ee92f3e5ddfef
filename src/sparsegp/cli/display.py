"""Progress bars and tables on the terminal: the only file that imports rich."""

from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars
from rich.table import Column, Table

from sparsegp.cli.fit_progress import FitProgress
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.history.progress import Progress as Step

__all__ = ["FitDisplay", "print_line", "show_rows", "show_table"]


class FitDisplay:
    """One progress bar of a whole fit; pass it to an estimator as ``callback``.

    Beside the bar stand the phase that runs and an estimate of the time left. If the output is not
    a terminal, a line is printed for each kind of phase instead.
    """

    def __init__(self, *, to_stderr: bool = False, time_limit: float | None = None) -> None:
        self._console = Console(stderr=to_stderr)
        self._bars = Bars(
            TextColumn("fit"),
            BarColumn(bar_width=30, table_column=Column(min_width=30)),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}", table_column=Column(no_wrap=True)),
            TextColumn(
                "[dim]{task.description}",
                table_column=Column(no_wrap=True, overflow="ellipsis"),
            ),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._bar = self._bars.add_task("starting", total=1.0, left="")
        self._progress = FitProgress(time_limit)
        self._printed: set[str] = set()

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._bars.stop()

    def __call__(self, step: Step) -> None:
        """Show a step of the fit."""
        self._progress.update(step)
        if not self._console.is_terminal:
            self._print_once(step)
            return
        count = f", {step.step:,} of {step.total:,}" if step.total and step.total > 1 else ""
        self._bars.update(
            self._bar,
            completed=self._progress.share,
            description=f"{escape(step.phase)}{count}",
            left=_time_left(self._progress.seconds_left),
        )

    def _print_once(self, step: Step) -> None:
        """Print a phase, unless one of its kind was printed before."""
        kind = str(Phase.of(step.phase) or step.phase)
        if kind not in self._printed:
            self._printed.add(kind)
            up_to = f", up to {step.total}" if step.total and step.total > 1 else ""
            print_line(f"{step.phase}{up_to}", self._console)


def _time_left(seconds: float | None) -> str:
    """Return an estimate in words, no more precise than it is.

    >>> _time_left(7.3), _time_left(130.0), _time_left(None)
    ('about 7 s left', 'about 2 min left', '')
    """
    if seconds is None:
        return ""
    rounded = max(round(seconds), 1)
    return f"about {rounded} s left" if rounded < 100 else f"about {round(rounded / 60)} min left"


def print_line(line: str, console: Console | None = None) -> None:
    """Print one line to standard error."""
    (console or Console(stderr=True)).print(line, markup=False, highlight=False, soft_wrap=True)


def show_table(title: str, values: Mapping[str, str]) -> None:
    """Print names and values as a table."""
    table = Table(title=escape(title), show_header=False, title_justify="left")
    for name, value in values.items():
        table.add_row(escape(name), escape(value))
    Console().print(table)


def show_rows(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows of strings as a table."""
    table = Table(*head, title=escape(title), title_justify="left")
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    Console().print(table)
