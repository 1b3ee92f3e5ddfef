"""The pages of reproductions: the papers' tables and figures with ours beside them.

    python -m benchmarks.reproduce.page [--results FOLDER] [--pages FOLDER]

Reads the folder of results and writes one page for each paper, one of all their methods, one for
our default settings, their images, and the figures of ``docs/which_selector.md``. For experiments
that have not run, a page names the command.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.reproduce.agreement import LEGEND
from benchmarks.reproduce.agreement_page import AGREEMENT
from benchmarks.reproduce.classification_page import CLASSIFICATION
from benchmarks.reproduce.kc_page import KEERTHI_CHU
from benchmarks.reproduce.methods import METHODS_PAGE
from benchmarks.reproduce.ours_page import OURS
from benchmarks.reproduce.records import RESULTS, write_text
from benchmarks.reproduce.selector_blocks import write_selector_page
from benchmarks.reproduce.sks_page import PREDICTIVE_APPROACHES
from benchmarks.reproduce.streams_page import STREAMS
from benchmarks.reproduce.tables_page import TABLES_PAGE

__all__ = ["PAGES", "write_pages"]

BENCHMARKS = Path(__file__).resolve().parents[1]

#: A section takes the folder of results and that of images, and returns its Markdown.
Section = Callable[[Path, Path], str]


@dataclass(frozen=True)
class Page:
    """A page: the name of its file, what it begins with, and its sections in order."""

    name: str
    introduction: str
    sections: tuple[Section, ...]
    of_partitions: bool = True  # whether it has means over partitions

    def text(self, results: Path, images: Path) -> str:
        note = f"{WRITTEN} {MEANS}" if self.of_partitions else WRITTEN
        parts = [f"{self.introduction.strip()}\n\n{note}"]
        return "\n\n".join([*parts, *(make(results, images) for make in self.sections)]) + "\n"


WRITTEN = "Written by `python -m benchmarks.reproduce.page` from `benchmarks/reproduce/results/`."
MEANS = (
    "Numbers are means ± standard deviations over partitions, drawn by "
    "`numpy.random.default_rng(k)`."
)

MARKS = (
    "NMSE in percent, NLPD in the units of the target. In the columns *ours*, **bold** is the "
    f"lowest mean, ★ is significantly worse than it by the paper's own test. {LEGEND}"
)

COMMITS = (
    "A section says which commits made its records; *earlier ones* are from before a record had a "
    "commit. Whether the code of today still gives them is seen at every run of the tests: a small "
    "version of each experiment is compared with a stored one "
    "(`tests/benchmarks/test_small_runs.py`). It has at most 200 training rows and cannot see what "
    "only larger sets show; where that matters the section says so."
)

DEFAULTS_INTRODUCTION = """\
# Default settings on public tables

Default fits beside the best figures that the papers published, and beside tuned LightGBM. Only
`max_basis` is set. NMSE in percent, NLPD in the units of the target unless said otherwise.
"""

KC_INTRODUCTION = f"""\
# Keerthi & Chu (2005): matching pursuit

The experiments of S. S. Keerthi and W. Chu, *A matching pursuit approach to sparse Gaussian process
regression*, 2005 (KC), with the paper's methods and not this library's defaults: DTC, inputs and
target standardised, error bars not calibrated. {MARKS}

{COMMITS}
"""

SKS_INTRODUCTION = f"""\
# Sundararajan, Keerthi & Shevade: predictive approaches

The experiments of S. Sundararajan, S. S. Keerthi and S. Shevade, *Predictive approaches for sparse
Gaussian process regression* (SKS), with the paper's methods and not this library's defaults: DTC,
inputs and target standardised, error bars not calibrated. {MARKS}

{COMMITS}
"""

SS_INTRODUCTION = f"""\
# Sundararajan & Shevade: sparse classification

The experiments of S. Sundararajan and S. Shevade, *An additive model view to sparse Gaussian
process classifier design* (SS), with the paper's methods; this library's default classifier has a
section of its own. Error in percent, NLP is the mean negative log probability of the labels.

{COMMITS}
"""

CO_INTRODUCTION = f"""\
# Csató & Opper (2002): streams

The experiments of L. Csató and M. Opper, *Sparse on-line Gaussian processes*, 2002 (CO), and what
the learners of streams do on longer ones.

{COMMITS}
"""

METHODS_INTRODUCTION = """\
# The papers' methods: call, test, record

Every method, option and family of equations of the four papers that this library is built on, with
the call that makes it, the test that compares it with the definition, and the experiment whose
records hold it. The calls run on a table of 60 rows: inputs `X`, a target `y`, labels `c` and `d`
of two and three classes, further inputs `T`; a test runs them all. Where no experiment holds a
method, `methods` is what its call gave there: the mean prediction at `T`, or the sum of what is
returned.
"""

PAGES = (
    Page("default_fits", DEFAULTS_INTRODUCTION, (*OURS, *TABLES_PAGE)),
    Page("keerthi_chu", KC_INTRODUCTION, KEERTHI_CHU),
    Page("sundararajan_keerthi_shevade", SKS_INTRODUCTION, PREDICTIVE_APPROACHES),
    Page("sundararajan_shevade", SS_INTRODUCTION, CLASSIFICATION),
    Page("csato_opper", CO_INTRODUCTION, STREAMS),
    Page("papers", METHODS_INTRODUCTION, METHODS_PAGE + AGREEMENT, of_partitions=False),
)


def write_pages(results: Path, folder: Path) -> list[Path]:
    """Write the pages and their images; return the paths of the pages."""
    files = []
    for page in PAGES:
        files.append(folder / f"{page.name}.md")
        write_text(files[-1], page.text(results, folder / "images"))
    return files


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--pages", type=Path, default=BENCHMARKS)
    options = parser.parse_args(arguments)
    written = write_pages(options.results, options.pages)
    if options.pages == BENCHMARKS:
        written.append(write_selector_page(options.results))
    print(*written, sep="\n")


if __name__ == "__main__":
    main()
