"""The commands and their options; each command is implemented in a file of its own."""

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

import sparsegp
from sparsegp.cli.errors import BadInputError, report_bad_input
from sparsegp.cli.fit import KERNELS, FitOptions
from sparsegp.cli.fit import fit as fit_table
from sparsegp.cli.info import info as show_info
from sparsegp.cli.policy import HOLDOUT_SHARE, INTERVAL_LEVEL
from sparsegp.cli.predict import predict as predict_table
from sparsegp.cli.report import report as write_report
from sparsegp.cli.streams.command import stream
from sparsegp.cli.tables.target import AUTO, CLASSIFICATION, REGRESSION

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Sparse Gaussian processes: from a table to predictions with calibrated error bars.",
    epilog="Exit codes: 0 success, 2 bad input (one line on standard error, nothing written).",
)

TASKS = (AUTO, REGRESSION, CLASSIFICATION)

Table = Annotated[Path, typer.Argument(metavar="TABLE", help="CSV, Parquet or Arrow file.")]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="Model file.")]
Json = Annotated[
    bool, typer.Option("--json", help="Print the result as one JSON object and nothing else.")
]


def _print_version(requested: bool) -> None:
    if requested:
        print(sparsegp.__version__)
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Sparse Gaussian processes: from a table to predictions with calibrated error bars.

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
        str,
        typer.Option(
            metavar="|".join(TASKS),
            help="auto: classification if the target has strings, booleans or only two values.",
        ),
    ] = AUTO,
    out: Annotated[Path | None, typer.Option(help="Model file to write.")] = None,
    max_basis: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Maximum number of basis vectors (inducing points): more are more accurate and "
            "slower.  [default: all of up to 2,000 rows, 500 of more; for classification 100]",
        ),
    ] = None,
    n_neighbors: Annotated[
        str | None,
        typer.Option(
            metavar="auto|INTEGER",
            help="Number of nearest training rows that correct a prediction; 0: none. auto chooses "
            "it by held-out rows. For regression.  [default: auto]",
        ),
    ] = None,
    selection: Annotated[
        str | None,
        typer.Option(
            help="Criterion by which basis vectors are selected from the rows, e.g. "
            "log_posterior, marginal_likelihood or random."
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Time budget of the fit; the best model found within it is kept.",
        ),
    ] = None,
    holdout: Annotated[
        float, typer.Option(help="Share of the rows that is held out to compute the scores.")
    ] = HOLDOUT_SHARE,
    keep: Annotated[
        list[str] | None,
        typer.Option(help="Column to use although it looks like an identifier; repeatable."),
    ] = None,
    drop: Annotated[list[str] | None, typer.Option(help="Column to leave out; repeatable.")] = None,
    kernel: Annotated[
        str | None,
        typer.Option(
            metavar="|".join(KERNELS),
            help="Kernel of the numerical columns; auto chooses it by the marginal likelihood.  "
            "[default: auto, for classification rbf]",
        ),
    ] = None,
    transform_x: Annotated[
        str | None,
        typer.Option(
            help="Transform of the numerical columns: standard, quantile, log, common (one scale "
            "for all), none, or auto to choose it by the marginal likelihood.  [default: auto, for "
            "classification standard]"
        ),
    ] = None,
    transform_y: Annotated[
        str | None,
        typer.Option(
            help="Transform (warping) of a numerical target: standard, log, yeo-johnson, "
            "sinh-arcsinh, or auto to choose it by the marginal likelihood.  [default: auto]"
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="HTML report to write, about the held-out rows.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random numbers.")] = 0,
    json: Json = False,
) -> None:
    """Fit a model to a table, score it on held-out rows and save it.

    Numbers are transformed, strings and booleans become categories, dates become days since 1970.
    Constant columns and identifiers are left out. A missing number is replaced by the median of the
    training rows, with an indicator column if it is missing often; a missing category is a
    category of its own. Empty cells, NA and ? are missing values. Numbers that are written for
    people, such as $1,234.50, 1.234,50 or 12 kg, are read as numbers. Rows without a target are
    left out. The saved model is the one that was scored; it is not refitted on all rows.

    \b
    Examples:
      sparsegp fit houses.csv --target price --out houses.safetensors
      sparsegp fit iris.parquet --target species --max-basis 30 --report iris.html
      sparsegp fit sensors.feather --target load --drop station --json > result.json
    """
    with report_bad_input():
        _check_task(task)
        options = FitOptions(
            target=target,
            task=task,
            out=out,
            max_basis=max_basis,
            n_neighbors=n_neighbors,
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
    level: Annotated[
        float, typer.Option(help="Probability of the prediction interval [lower, upper].")
    ] = INTERVAL_LEVEL,
    copied: Annotated[
        list[str] | None,
        typer.Option(
            "--with", help="Column to copy to the output, e.g. an identifier; repeatable."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Predict the rows of a table of any size, block by block.

    Columns are matched by name, in any order. The output has the columns mean, std, lower and
    upper, or class and a probability for each class.

    \b
    Examples:
      sparsegp predict houses.safetensors new.csv --out prices.csv --with id
      sparsegp predict iris.safetensors flowers.parquet --out species.parquet
    """
    with report_bad_input():
        predict_table(model, table, out, level=level, copied=copied or (), as_json=json)


@app.command()
def info(model: Model, json: Json = False) -> None:
    """Describe the model in a file.

    \b
    Example:
      sparsegp info houses.safetensors
    """
    with report_bad_input():
        show_info(model, as_json=json)


@app.command()
def report(
    model: Model,
    table: Table,
    out: Annotated[
        Path | None, typer.Option(help="HTML file to write.  [default: MODEL.html]")
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(help="Column with the target, if the model file does not name it."),
    ] = None,
    json: Json = False,
) -> None:
    """Write an HTML report: accuracy, calibration, relevance and effects of the inputs.

    The model is evaluated on the rows of the table, which must contain the target. If it is the
    table that the model was fitted on, only the held-out rows are used. The report is one
    self-contained HTML file.

    \b
    Example:
      sparsegp report houses.safetensors houses.csv --out houses.html
    """
    with report_bad_input():
        page = out or model.with_suffix(".html")
        write_report(model, table, page, target=target, as_json=json)


app.command()(stream)


@app.command()
def demo(
    rows: Annotated[
        int, typer.Option(min=50, help="Number of rows to generate; a fifth is held out.")
    ] = 20_000,
    picture: Annotated[Path, typer.Option(help="Image to write.")] = Path("sparsegp-demo.png"),
    report: Annotated[Path, typer.Option(help="HTML report to write.")] = Path(
        "sparsegp-demo.html"
    ),
) -> None:
    """Fit a model to generated data and show its accuracy and calibration.

    \b
    Example:
      sparsegp demo --rows 2000
    """
    with report_bad_input():
        try:
            main = import_module("sparsegp.cli.demo").main
        except ModuleNotFoundError as error:
            raise BadInputError(
                f"the demonstration needs {error.name}: pip install 'sparsegp[report]'"
            ) from error
        main(["--rows", str(rows), "--picture", str(picture), "--report", str(report)])


def _check_task(task: str) -> None:
    if task not in TASKS:
        raise BadInputError(f"--task must be one of {', '.join(TASKS)}, got {task!r}")
