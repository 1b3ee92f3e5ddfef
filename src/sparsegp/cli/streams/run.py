"""``sparsegp stream``: predict each row, then learn it, and keep the place."""

from collections.abc import Iterable, Iterator
from time import monotonic

from sparsegp.cli.display import say
from sparsegp.cli.errors import BadInputError
from sparsegp.cli.streams.checkpoint import (
    Checkpoint,
    Position,
    read_checkpoint,
    remove_parts,
    write_checkpoint,
)
from sparsegp.cli.streams.inputs import StreamColumns
from sparsegp.cli.streams.learner import Learner
from sparsegp.cli.streams.options import StreamOptions
from sparsegp.cli.streams.output import Output
from sparsegp.cli.streams.rows import Row, Rows
from sparsegp.cli.streams.start import learner_with, new_model, saved_model
from sparsegp.cli.streams.stopping import Stopping

__all__ = ["stream"]


def stream(lines: Iterable[str], options: StreamOptions) -> int:
    """Take all rows; return the exit code.

    A checkpoint that is there already is gone on from. An error in a row ends the stream and
    leaves the last checkpoint as it is.
    """
    options.check()
    kept = _kept(options)
    begin = kept.position if kept is not None else Position()
    if kept is not None:
        say(f"going on after row {begin.rows} of {options.checkpoint}")
    numbered = begin if options.continues else Position()
    rows = Rows(lines, options.form, numbered.rows, numbered.digest)
    with Stopping() as stopping:
        new = _after(stopping.until_asked(rows), begin, known=options.continues)
        first = next(new, None)
        if first is None:
            if kept is None and stopping.signal is None:
                raise BadInputError("no row came on standard input: give some to learn from")
            return _exit_code(stopping)
        learner, columns = _begin(options, kept, first)
        with Output(options.out, begin.offset) as output:
            output.begin(rows.format, learner.names, resumed=begin.rows > 0)
            keeper = Keeper(options, learner, columns, output, begin)
            keeper.take(first)
            for row in new:
                keeper.take(row)
            keeper.keep()
    kept_in = f", kept in {options.checkpoint}" if options.checkpoint is not None else ""
    say(f"{keeper.position.rows:,} rows, {learner.n_basis:,} basis vectors{kept_in}")
    return _exit_code(stopping)


class Keeper:
    """Takes rows one by one, and writes a checkpoint now and then."""

    def __init__(
        self,
        options: StreamOptions,
        learner: Learner,
        columns: StreamColumns,
        output: Output,
        position: Position,
    ) -> None:
        self._options, self._learner, self._columns = options, learner, columns
        self._output, self.position = output, position
        self._kept_rows, self._kept_at = position.rows, monotonic()

    def take(self, row: Row) -> None:
        """Predict a row, learn it if it has a target, write the prediction."""
        y = self._learner.check(row)
        x = self._columns.take(row)
        prediction = self._learner.predict(x)
        if y is not None:
            self._learner.learn(x, y)
        self._output.write(row.number, prediction)
        self.position = Position(row.number, row.digest)
        due = row.number - self._kept_rows >= self._options.every
        if due or monotonic() - self._kept_at >= self._options.seconds:
            self.keep()

    def keep(self) -> None:
        """Write a checkpoint; there is nothing to keep before a row was learned."""
        offset = self._output.settle()
        path = self._options.checkpoint
        if path is not None and self._learner.begun:
            checkpoint = Checkpoint(
                self._learner.model,
                Position(self.position.rows, self.position.digest, offset),
                self._columns.columns(),
                self._columns.counts,
                self._learner.target,
                self._options.lasting,
            )
            write_checkpoint(path, checkpoint)
        self._kept_rows, self._kept_at = self.position.rows, monotonic()


def _kept(options: StreamOptions) -> Checkpoint | None:
    """Return the checkpoint to go on from, if there is one."""
    if options.checkpoint is None:
        return None
    remove_parts(options.checkpoint)
    if not options.checkpoint.exists():
        return None
    kept = read_checkpoint(options.checkpoint)
    options.check_same(dict(kept.begun_with))
    return kept


def _after(rows: Iterable[Row], position: Position, *, known: bool) -> Iterator[Row]:
    """Yield the rows after a position; those before must be the ones that led there."""
    passed, digest = (position.rows, position.digest) if known else (0, "")
    for row in rows:
        if row.number > position.rows:
            if passed < position.rows or digest != position.digest:
                raise BadInputError(
                    f"the first {position.rows} rows are not those of the checkpoint: give the "
                    "same input from its beginning, or --continues if it goes on after them"
                )
            passed, digest, position = row.number, row.digest, Position(row.number, row.digest)
            yield row
        else:
            passed, digest = row.number, row.digest


def _begin(
    options: StreamOptions, kept: Checkpoint | None, first: Row
) -> tuple[Learner, StreamColumns]:
    """Return the model to begin or to go on with, and how it reads rows."""
    if kept is not None:
        columns = StreamColumns(kept.columns, kept.counts)
        return learner_with(kept.model, kept.target, options), columns
    if options.model is not None:
        model, columns, target = saved_model(options.model, options)
        return learner_with(model, target, options), columns
    assert options.target is not None
    columns = StreamColumns.of_first(first, options.target, options.categories, options.drop)
    return learner_with(new_model(options, columns), options.target, options), columns


def _exit_code(stopping: Stopping) -> int:
    return 0 if stopping.signal is None else 128 + stopping.signal
