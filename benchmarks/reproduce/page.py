"""The page of reproductions: the papers' tables and figures with ours beside them.

    python -m benchmarks.reproduce.page [--results FOLDER] [--docs FOLDER]

Reads what is in the folder of results and writes ``reproductions.md`` and its images. Of
experiments that have not run, the page names the command.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks.reproduce.classification_page import CLASSIFICATION
from benchmarks.reproduce.records import RESULTS, write_text
from benchmarks.reproduce.regression_page import REGRESSION
from benchmarks.reproduce.streams_page import STREAMS
from benchmarks.reproduce.tables_page import TABLES_PAGE

DOCS = Path(__file__).resolve().parents[2] / "docs"

INTRODUCTION = """\
# Reproductions

The experiments of four papers, each method run as in its paper. These are the papers' methods,
not this library's defaults, whose results have sections of their own.

Regression: those of Keerthi & Chu (*A matching pursuit approach to sparse Gaussian
process regression*, 2005; KC) and of Sundararajan, Keerthi & Shevade (*Predictive approaches
for sparse Gaussian process regression*; SKS): DTC, targets and inputs standardised, error bars not
calibrated. Classification: those of Sundararajan & Shevade (*An additive model view to sparse
Gaussian process classifier design*; SS). Streams: those of Csató & Opper (*Sparse on-line Gaussian
processes*, 2002; CO).

This page is written by `python -m benchmarks.reproduce.page` from
`benchmarks/reproduce/results/`. Numbers are means ± standard deviations over partitions,
drawn by `numpy.random.default_rng(k)`; NMSE in percent, NLPD in the units of the target, error of
a classifier in percent, NLP the mean negative log probability of the labels.

In the columns *ours* of the regression papers: **bold** is the lowest mean, ★ is significantly
worse than it by the paper's own test, ✓ is within one published standard deviation of the
published mean or better, ✗ is not.
"""

SECTIONS = (*REGRESSION, *TABLES_PAGE, *CLASSIFICATION, *STREAMS)


def write_page(results: Path, docs: Path) -> Path:
    """Write the page and its images; return its path."""
    make = [partial(section, results, docs / "images") for section in SECTIONS]
    file = docs / "reproductions.md"
    write_text(file, "\n\n".join([INTRODUCTION.strip(), *(section() for section in make)]) + "\n")
    return file


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--docs", type=Path, default=DOCS)
    options = parser.parse_args(arguments)
    print(write_page(options.results, options.docs))


if __name__ == "__main__":
    main()
