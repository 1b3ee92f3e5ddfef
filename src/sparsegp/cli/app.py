"""The commands and their options; what they do stands in files of their own."""

import sys
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, TextIO

import typer

import sparsegp
from sparsegp.cli.errors import BadInputError, explained
from sparsegp.cli.fit import FitOptions
from sparsegp.cli.fit import fit as fit_table
from sparsegp.cli.info import info as show_info
from sparsegp.cli.predict import predict as predict_table
from sparsegp.cli.report import report as write_report
from sparsegp.cli.streams.options import StreamOptions
from sparsegp.cli.streams.rows import AUTO as ANY_FORMAT
from sparsegp.cli.streams.rows import FORMATS
from sparsegp.cli.streams.run import stream as run_stream
from sparsegp.cli.tables.target import AUTO, CLASSIFICATION, REGRESSION

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Gaussian processes from a table to predictions with honest error bars.",
    epilog="Exit codes: 0 done, 2 bad input (one line on standard error, nothing written).",
)

TASKS = (AUTO, REGRESSION, CLASSIFICATION)

Table = Annotated[Path, typer.Argument(metavar="TABLE", help="CSV, Parquet or Arrow file.")]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="Model file.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Level = Annotated[float, typer.Option(help="Probability of the interval lower to upper.")]
Seed = Annotated[int, typer.Option(help="Of all that is random.")]


def _version(wanted: bool) -> None:
    if wanted:
        print(sparsegp.__version__)
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Gaussian processes from a table to predictions with honest error bars.

    \b
    Examples:
      sparsegp fit houses.csv --target price --out houses.safetensors
      sparsegp predict houses.safetensors new.csv --out prices.csv
      sparsegp COMMAND --help
    """


@app.command()
def fit(
    table: Table,
    target: Annotated[str, typer.Option(help="Column to predict.")],
    task: Annotated[
        str, typer.Option(metavar="|".join(TASKS), help="auto: labels if texts or two values.")
    ] = AUTO,
    out: Annotated[Path | None, typer.Option(help="Where to keep the model.")] = None,
    max_basis: Annotated[
        int | None, typer.Option(min=1, help="Most basis vectors.  [500, of classes 100]")
    ] = None,
    selection: Annotated[
        str | None, typer.Option(help="How basis vectors are chosen, e.g. log_posterior.")
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Of learning: the best model reached by then."),
    ] = None,
    holdout: Annotated[float, typer.Option(help="Share of the rows to score on.")] = 0.2,
    keep: Annotated[
        list[str] | None, typer.Option(help="Column that is no identifier, though it looks so.")
    ] = None,
    drop: Annotated[list[str] | None, typer.Option(help="Column to leave out.")] = None,
    kernel: Annotated[
        str | None, typer.Option(help="Of numbers: rbf, or auto, the likeliest.")
    ] = None,
    transform_x: Annotated[
        str | None,
        typer.Option(help="Of number columns: standard, quantile, log, common, none, auto."),
    ] = None,
    transform_y: Annotated[
        str | None,
        typer.Option(help="Of a number target: standard, log, yeo-johnson, sinh-arcsinh, auto."),
    ] = None,
    report: Annotated[Path | None, typer.Option(help="HTML page about the model.")] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Learn from a table, score on rows held out, keep the model.

    Numbers are scaled, texts and truth values go through the categorical kernel, dates become days
    since 1970. Constant columns and those that only tell rows apart are left out. A missing number
    is the median of the rows learned from, with a column that says so if that is often; a missing
    category is a level of its own. Empty cells, NA and ? are missing. The model that is kept is
    the one that was scored.

    \b
    Examples:
      sparsegp fit houses.csv --target price --out houses.safetensors
      sparsegp fit iris.parquet --target species --max-basis 30 --report iris.html
      sparsegp fit sensors.feather --target load --drop station --json > result.json
    """
    with explained():
        _check_task(task)
        options = FitOptions(
            target=target,
            task=task,
            out=out,
            max_basis=max_basis,
            selection=selection,
            time_limit=time_limit,
            seed=seed,
            holdout=holdout,
            keep=tuple(keep or ()),
            drop=tuple(drop or ()),
            kernel=kernel,
            transform_x=transform_x,
            transform_y=transform_y,
            report=report,
            as_json=json,
        )
        fit_table(table, options)


@app.command()
def predict(
    model: Model,
    table: Table,
    out: Annotated[Path, typer.Option(help="CSV, Parquet or Arrow file to write.")],
    level: Level = 0.95,
    carried: Annotated[
        list[str] | None, typer.Option("--with", help="Column to carry over, e.g. an identifier.")
    ] = None,
    json: Json = False,
) -> None:
    """Predict the rows of a table, of any size, a block at a time.

    The columns are found by name, in any order. Written are mean, std, lower and upper, or class
    and a probability for each class.

    \b
    Examples:
      sparsegp predict houses.safetensors new.csv --out prices.csv --with id
      sparsegp predict iris.safetensors flowers.parquet --out species.parquet
    """
    with explained():
        predict_table(model, table, out, level=level, carried=carried or (), as_json=json)


@app.command()
def info(model: Model, json: Json = False) -> None:
    """Show what is in a model file.

    \b
    Example:
      sparsegp info houses.safetensors
    """
    with explained():
        show_info(model, as_json=json)


@app.command()
def report(
    model: Model,
    table: Table,
    out: Annotated[Path | None, typer.Option(help="Page to write.  [MODEL.html]")] = None,
    target: Annotated[
        str | None, typer.Option(help="Column with the target, if the model file does not say.")
    ] = None,
    json: Json = False,
) -> None:
    """Write a page about a model: how good, how honest, by what means.

    The model is judged by the rows of the table, which must have the target; in the table that it
    was fitted on, by the rows that were held out. The page is one HTML file that needs no network.

    \b
    Example:
      sparsegp report houses.safetensors houses.csv --out houses.html
    """
    with explained():
        page = out or model.with_suffix(".html")
        write_report(model, table, page, target=target, as_json=json)


@app.command()
def stream(
    model: Annotated[
        Path | None, typer.Argument(metavar="[MODEL]", help="Model of a stream to go on with.")
    ] = None,
    target: Annotated[str | None, typer.Option(help="Column to predict and learn.")] = None,
    new: Annotated[bool, typer.Option("--new", help="Begin a model.")] = False,
    checkpoint: Annotated[Path | None, typer.Option(help="Where to keep model and place.")] = None,
    every: Annotated[int, typer.Option(min=1, help="Rows from checkpoint to checkpoint.")] = 1000,
    seconds: Annotated[float, typer.Option(min=0.0, help="Seconds, if that is sooner.")] = 10.0,
    out: Annotated[Path | None, typer.Option(help="File for the predictions.")] = None,
    form: Annotated[
        str, typer.Option("--format", metavar="|".join(FORMATS), help="Of input and output.")
    ] = ANY_FORMAT,
    continues: Annotated[
        bool, typer.Option("--continues", help="The input begins after the checkpoint's rows.")
    ] = False,
    classes: Annotated[
        str, typer.Option(help="All labels, with commas between them, if the target is a label.")
    ] = "",
    category: Annotated[
        list[str] | None, typer.Option(help="Column of categories that looks like numbers.")
    ] = None,
    drop: Annotated[list[str] | None, typer.Option(help="Column to leave out.")] = None,
    max_basis: Annotated[int | None, typer.Option(min=1, help="Most basis vectors.  [100]")] = None,
    warmup: Annotated[
        int | None, typer.Option(min=1, help="Rows to learn hyperparameters from.  [500]")
    ] = None,
    forget: Annotated[float, typer.Option(help="Share of the past that a row lets fade.")] = 0.0,
    level: Level = 0.95,
    seed: Annotated[int | None, typer.Option(help="Of all that is random.  [0]")] = None,
) -> None:
    """Predict each row of standard input, then learn it.

    Rows are CSV with a line of column names, or JSON objects, one a line; the output has one line
    for each row, in the same format. A row without target is predicted and not learned. A missing
    number is the mean so far, a missing category a level of its own.

    Run the same command on the same input again after it was killed, in whatever way: it goes on
    from the checkpoint. With --out the file is then the same as if nothing had happened. On
    standard output, rows after the checkpoint come a second time, with the same numbers.

    \b
    Examples:
      tail -n +1 -f load.csv | sparsegp stream --new --target load --checkpoint load.safetensors
      sparsegp stream --new --target fault --classes no,yes --out p.jsonl < rows.jsonl
      sparsegp stream load.safetensors --checkpoint more.safetensors < more.csv
    """
    with explained():
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
            forget=forget,
            level=level,
            seed=seed,
        )
        code = run_stream(_in_utf8(sys.stdin), options)
    raise typer.Exit(code)


@app.command()
def demo(
    rows: Annotated[int, typer.Option(min=50, help="Of which a fifth is held out.")] = 20_000,
    picture: Annotated[Path, typer.Option(help="Picture to write.")] = Path("sparsegp-demo.png"),
    report: Annotated[Path, typer.Option(help="Page to write.")] = Path("sparsegp-demo.html"),
) -> None:
    """Fit generated data and show how good and how honest the model is.

    \b
    Example:
      sparsegp demo --rows 2000
    """
    with explained():
        try:
            main = import_module("sparsegp.cli.demo").main
        except ModuleNotFoundError as error:
            raise BadInputError(
                f"the demonstration needs {error.name}: pip install 'sparsegp[report]'"
            ) from error
        main(["--rows", str(rows), "--picture", str(picture), "--report", str(report)])


def _in_utf8(lines: TextIO) -> TextIO:
    """Read texts as UTF-8 wherever we are, with line ends as they are, as CSV needs them."""
    if isinstance(lines, TextIOWrapper):
        lines.reconfigure(encoding="utf-8", newline="")
    return lines


def _check_task(task: str) -> None:
    if task not in TASKS:
        raise BadInputError(f"--task must be one of {', '.join(TASKS)}, got {task!r}")
