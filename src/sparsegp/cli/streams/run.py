"""``sparsegp stream``: predict each row, then learn it, and write checkpoints."""

from collections.abc import Iterable, Iterator
from time import monotonic

from sparsegp.cli.display import print_line
from sparsegp.cli.errors import BadInputError
from sparsegp.cli.streams.checkpoint import (
    Checkpoint,
    Position,
    read_checkpoint,
    remove_partial_files,
    write_checkpoint,
)
from sparsegp.cli.streams.initial_model import load_model, make_learner, new_model
from sparsegp.cli.streams.learner import Learner
from sparsegp.cli.streams.options import StreamOptions
from sparsegp.cli.streams.output import Output
from sparsegp.cli.streams.row_encoding import StreamEncoding
from sparsegp.cli.streams.row_reader import Row, RowReader
from sparsegp.cli.streams.stop_signals import StopSignals

__all__ = ["stream"]


def stream(lines: Iterable[str], options: StreamOptions) -> int:
    """Process all rows; return the exit code.

    An existing checkpoint is resumed. An error in a row ends the stream and leaves the last
    checkpoint unchanged.
    """
    options.check()
    resumed = _existing_checkpoint(options)
    start = resumed.position if resumed is not None else Position()
    if resumed is not None:
        print_line(f"resuming after row {start.rows} of {options.checkpoint}")
    first_position = start if options.continues else Position()
    rows = RowReader(lines, options.form, first_position.rows, first_position.digest)
    with StopSignals() as signals:
        new = _rows_after(signals.until_signal(rows), start, skipped=options.continues)
        first = next(new, None)
        if first is None:
            if resumed is None and signals.signal is None:
                raise BadInputError("there is no row on standard input: give rows to learn from")
            return _exit_code(signals)
        learner, encoding = _prepare(options, resumed, first)
        with Output(options.out, start.offset) as output:
            output.begin(rows.format, learner.names, resumed=start.rows > 0)
            runner = StreamRunner(options, learner, encoding, output, start)
            runner.process(first)
            for row in new:
                runner.process(row)
            runner.save_checkpoint()
    saved = f", saved in {options.checkpoint}" if options.checkpoint is not None else ""
    print_line(f"{runner.position.rows:,} rows, {learner.n_basis:,} basis vectors{saved}")
    return _exit_code(signals)


class StreamRunner:
    """Processes rows one by one, with a checkpoint from time to time."""

    def __init__(
        self,
        options: StreamOptions,
        learner: Learner,
        encoding: StreamEncoding,
        output: Output,
        position: Position,
    ) -> None:
        self._options, self._learner, self._encoding = options, learner, encoding
        self._output, self.position = output, position
        self._saved_rows, self._saved_at = position.rows, monotonic()

    def process(self, row: Row) -> None:
        """Predict a row, learn it if it has a target, write the prediction."""
        y = self._learner.parse_target(row)
        x = self._encoding.encode(row)
        prediction = self._learner.predict(x)
        if y is not None:
            self._learner.learn(x, y)
        self._output.write(row.number, prediction)
        self.position = Position(row.number, row.digest)
        due = row.number - self._saved_rows >= self._options.every
        if due or monotonic() - self._saved_at >= self._options.seconds:
            self.save_checkpoint()

    def save_checkpoint(self) -> None:
        """Write a checkpoint, unless no row has been learned yet."""
        offset = self._output.sync()
        path = self._options.checkpoint
        if path is not None and self._learner.has_learned:
            checkpoint = Checkpoint(
                self._learner.model,
                Position(self.position.rows, self.position.digest, offset),
                self._encoding.table_encoding(),
                self._encoding.counts,
                self._learner.target,
                self._options.fixed,
            )
            write_checkpoint(path, checkpoint)
        self._saved_rows, self._saved_at = self.position.rows, monotonic()


def _existing_checkpoint(options: StreamOptions) -> Checkpoint | None:
    """Return the checkpoint to resume, if there is one."""
    if options.checkpoint is None:
        return None
    remove_partial_files(options.checkpoint)
    if not options.checkpoint.exists():
        return None
    checkpoint = read_checkpoint(options.checkpoint)
    options.check_same(dict(checkpoint.begun_with))
    return checkpoint


def _rows_after(rows: Iterable[Row], position: Position, *, skipped: bool) -> Iterator[Row]:
    """Yield the rows after a position; the rows before it must be those of the checkpoint."""
    passed, digest = (position.rows, position.digest) if skipped else (0, "")
    for row in rows:
        if row.number > position.rows:
            if passed < position.rows or digest != position.digest:
                raise BadInputError(
                    f"the first {position.rows} rows are not those of the checkpoint: give the "
                    "same input from its beginning, or --continues if it starts after them"
                )
            passed, digest, position = row.number, row.digest, Position(row.number, row.digest)
            yield row
        else:
            passed, digest = row.number, row.digest


def _prepare(
    options: StreamOptions, resumed: Checkpoint | None, first: Row
) -> tuple[Learner, StreamEncoding]:
    """Return the learner and the encoding of rows: resumed, loaded or new."""
    if resumed is not None:
        encoding = StreamEncoding(resumed.encoding, resumed.counts)
        return make_learner(resumed.model, resumed.target, options), encoding
    if options.model is not None:
        model, encoding, target = load_model(options.model, options)
        return make_learner(model, target, options), encoding
    assert options.target is not None
    encoding = StreamEncoding.from_first_row(
        first, options.target, options.categories, options.drop
    )
    return make_learner(new_model(options, encoding), options.target, options), encoding


def _exit_code(signals: StopSignals) -> int:
    return 0 if signals.signal is None else 128 + signals.signal
