"""Progress bars and tables on the terminal: the only file that imports rich."""

from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from sparsegp.learning.history.phases import Phase
from sparsegp.learning.history.progress import Progress as Step

__all__ = ["FitDisplay", "print_line", "show_rows", "show_table"]


class FitDisplay:
    """One progress bar per phase of a fit; pass it to an estimator as ``callback``.

    If the output is not a terminal, it prints a line per phase instead.
    """

    def __init__(self, *, to_stderr: bool = False) -> None:
        self._console = Console(stderr=to_stderr)
        self._bars = Progress(
            TextColumn("[bold]{task.description}"),
            BarColumn(bar_width=30),
            TextColumn("{task.completed:.0f} of {task.total:.0f}"),
            TimeElapsedColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._phase: str | None = None
        self._bar: TaskID | None = None
        self._adaptations = 0

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._finish()
        self._bars.stop()

    def __call__(self, step: Step) -> None:
        """Show a step of the fit."""
        total = step.total or 100
        if step.phase != self._phase:
            self._finish()
            self._phase = step.phase
            name = self._name(step.phase)
            self._bar = self._bars.add_task(name, total=total)
            if not self._console.is_terminal:
                up_to = f", up to {step.total}" if step.total and step.total > 1 else ""
                print_line(f"{name}{up_to}", self._console)
        assert self._bar is not None
        self._bars.update(self._bar, completed=min(step.step, total))

    def _name(self, phase: str) -> str:
        """Return the displayed name of a phase, with the number of its adaptation."""
        if phase == Phase.ADAPTATION:
            self._adaptations += 1
        repeated = self._adaptations and phase in (Phase.ADAPTATION, Phase.SELECTION)
        return f"adaptation {self._adaptations}: {phase}" if repeated else phase

    def _finish(self) -> None:
        """Complete the bar of a phase, which may have ended early."""
        if self._bar is not None:
            self._bars.update(self._bar, total=max(self._bars.tasks[self._bar].completed, 1))
            self._bars.stop_task(self._bar)


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
