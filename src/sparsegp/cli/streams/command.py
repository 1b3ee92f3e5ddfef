"""The command ``sparsegp stream`` and its options."""

import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, TextIO

import typer

from sparsegp.cli.errors import report_bad_input
from sparsegp.cli.policy import CHECKPOINT_ROWS, CHECKPOINT_SECONDS, INTERVAL_LEVEL
from sparsegp.cli.streams.options import StreamOptions, parse_forget, parse_lags
from sparsegp.cli.streams.row_reader import AUTO, FORMATS
from sparsegp.cli.streams.run import stream as run_stream

__all__ = ["stream"]


def stream(
    model: Annotated[
        Path | None,
        typer.Argument(metavar="[MODEL]", help="Model file of an earlier stream to continue."),
    ] = None,
    target: Annotated[str | None, typer.Option(help="Column to predict and learn.")] = None,
    new: Annotated[bool, typer.Option("--new", help="Start with an untrained model.")] = False,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="File for model and position; an existing one is resumed."),
    ] = None,
    every: Annotated[int, typer.Option(min=1, help="Rows between checkpoints.")] = CHECKPOINT_ROWS,
    seconds: Annotated[
        float, typer.Option(min=0.0, help="Seconds between checkpoints, if that is sooner.")
    ] = CHECKPOINT_SECONDS,
    out: Annotated[
        Path | None, typer.Option(help="File for the predictions.  [default: standard output]")
    ] = None,
    form: Annotated[
        str,
        typer.Option("--format", metavar="|".join(FORMATS), help="Format of input and output."),
    ] = AUTO,
    continues: Annotated[
        bool,
        typer.Option(
            "--continues", help="The input starts after the rows that the checkpoint has seen."
        ),
    ] = False,
    classes: Annotated[
        str, typer.Option(help="All labels, separated by commas, if the target is a label.")
    ] = "",
    category: Annotated[
        list[str] | None,
        typer.Option(help="Categorical column that looks like numbers; repeatable."),
    ] = None,
    drop: Annotated[list[str] | None, typer.Option(help="Column to leave out; repeatable.")] = None,
    max_basis: Annotated[
        int | None,
        typer.Option(
            min=1, help="Maximum number of basis vectors (inducing points).  [default: 100]"
        ),
    ] = None,
    warmup: Annotated[
        int | None,
        typer.Option(
            min=1, help="Number of first rows that set the hyperparameters.  [default: 500]"
        ),
    ] = None,
    forget: Annotated[
        str | None,
        typer.Option(
            metavar="auto|none|RATE",
            help="Rate at which past rows are forgotten: the share that is lost per row, none, or "
            "learned from the stream.  [default: auto]",
        ),
    ] = None,
    lags: Annotated[
        str | None,
        typer.Option(
            metavar="K|NAME=K,...",
            help="Earlier values as inputs: the last K targets, or those of the columns named "
            "(the target is named target).  [default: 0]",
        ),
    ] = None,
    mean: Annotated[
        str | None,
        typer.Option(
            metavar="zero|last",
            help="Mean of a number: that of the first rows, or the last target.  [default: zero]",
        ),
    ] = None,
    level: Annotated[
        float, typer.Option(help="Probability of the prediction interval [lower, upper].")
    ] = INTERVAL_LEVEL,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the random numbers.  [default: 0]")
    ] = None,
) -> None:
    """Predict each row of standard input, then learn it.

    Rows are CSV with a header line, separated by commas, semicolons or tabs, or one JSON object per
    line; the output has one line per row, CSV with commas or JSON. A row without a target is
    predicted but not learned. A missing number is replaced by the mean so far; a missing category
    is a category of its own.

    If the process is killed, run the same command on the same input again: it resumes from the
    checkpoint. With --out, the file is then the same as without the interruption. On standard
    output, the rows after the checkpoint are repeated, with the same numbers.

    \b
    Examples:
      tail -n +1 -f load.csv | sparsegp stream --new --target load --checkpoint load.safetensors
      sparsegp stream --new --target fault --classes no,yes --out p.jsonl < rows.jsonl
      sparsegp stream load.safetensors --checkpoint more.safetensors < more.csv
    """
    with report_bad_input():
        options = StreamOptions(
            model=model,
            target=target,
            new=new,
            checkpoint=checkpoint,
            every=every,
            seconds=seconds,
            out=out,
            form=form,
            continues=continues,
            classes=tuple(label.strip() for label in classes.split(",") if label.strip()),
            categories=tuple(category or ()),
            drop=tuple(drop or ()),
            max_basis=max_basis,
            warmup=warmup,
            forget=parse_forget(forget),
            lags=parse_lags(lags),
            mean=mean,
            level=level,
            seed=seed,
        )
        code = run_stream(_as_utf8(sys.stdin), options)
    raise typer.Exit(code)


def _as_utf8(lines: TextIO) -> TextIO:
    """Read UTF-8 on every system, with line ends unchanged, as CSV requires."""
    if isinstance(lines, TextIOWrapper):
        lines.reconfigure(encoding="utf-8", newline="")
    return lines
