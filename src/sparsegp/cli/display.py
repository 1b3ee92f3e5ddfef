"""Progress bars and tables in a terminal: the only file that imports rich."""

from collections.abc import Mapping
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from sparsegp.learning.progress import Progress as Step

__all__ = ["FitDisplay", "show_table"]


class FitDisplay:
    """One bar for each phase of a fit; hand it to an estimator as ``callback``."""

    def __init__(self) -> None:
        self._bars = Progress(
            TextColumn("[bold]{task.description}"),
            BarColumn(bar_width=30),
            TextColumn("{task.completed:.0f} of {task.total:.0f}"),
            TimeElapsedColumn(),
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._finish_all()
        self._bars.stop()

    def __call__(self, step: Step) -> None:
        """Show a step."""
        total = step.total or 100
        if step.phase not in self._tasks:
            self._finish_all()
            self._tasks[step.phase] = self._bars.add_task(step.phase, total=total)
        self._bars.update(self._tasks[step.phase], completed=min(step.step, total))

    def _finish_all(self) -> None:
        """Phases may end early: what was not needed is done."""
        for task in self._tasks.values():
            self._bars.update(task, total=max(self._bars.tasks[task].completed, 1))
            self._bars.stop_task(task)


def show_table(title: str, values: Mapping[str, str]) -> None:
    """Print names and values as a table."""
    table = Table(title=title, show_header=False, title_justify="left")
    for name, value in values.items():
        table.add_row(name, value)
    Console().print(table)
