"""How many cells of the papers' tables agree, and what was tried where ours is worse."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.reproduce.agreement import AGREES, BETTER, WORSE, Cell
from benchmarks.reproduce.comparison import all_cells, markdown_table
from benchmarks.reproduce.experiment import where
from benchmarks.reproduce.published import (
    KC_RUNS,
    KC_TABLE_1,
    SKS_ADAPTED,
    SKS_CACHED,
    SKS_FIXED,
    SKS_RUNS,
)
from benchmarks.reproduce.records import read_records

__all__ = ["AGREEMENT", "TRIED", "beyond_chance", "cells_by_table"]

MEASURES = {"nmse": "NMSE", "nlpd": "NLPD"}
#: What the tables with numbers are called: the experiment, its part, and the published numbers.
TABLES = {
    "KC table 1": ("kc_table1", {}, KC_TABLE_1, KC_RUNS),
    "SKS tables 2 and 3, no cache": ("sks_tables", {"table": "fixed"}, SKS_FIXED, SKS_RUNS),
    "SKS tables 2 and 3, cache": ("sks_tables", {"table": "cached"}, SKS_CACHED, SKS_RUNS),
    "SKS tables 4 and 5, adapted": ("sks_tables", {"table": "adapted"}, SKS_ADAPTED, SKS_RUNS),
}
#: What was tried where ours is worse than two standard errors of the difference: table, measure and
#: cell → text. A test wants one for each.
TRIED: dict[tuple[str, str, str], str] = {
    ("KC table 1", "NLPD", "ADAPT-INFO on bank32nh"): (
        "accepting each new basis as KC do, where this record takes one only if it is likelier: on "
        "partition 0 −0.66 instead of −0.68, so that is not the reason. From the first start "
        "20 evaluations learn nothing there (NMSE 100); the second, whose end counts, has an NMSE "
        "within the paper's deviation. The paper does not say where its search begins."
    ),
    ("KC table 1", "NLPD", "ADAPT-DMAX on bank32nh"): (
        "two partitions more: −0.73, −0.68, −0.71; NMSE agrees. It is ADAPT-INFO's case again, "
        "whose two starts were looked into: error bars depend on where the short search ends."
    ),
    ("KC table 1", "NMSE", "FIXED-SB on house8l"): (
        "two partitions more: 46.7, 46.7, 44.4. The hyperparameters are those of an exact process "
        "on 2,000 training rows; which rows the paper's came from, and how long it searched, is "
        "not said. The NLPD agrees."
    ),
    ("KC table 1", "NMSE", "ADAPT-INFO on bank8fm"): (
        "two partitions more: 3.66, 3.76, 3.57, two standard errors above 3.54 with three. Their "
        "random splits differ from the paper's: FIXED-SB, which agrees, has 3.46 to 3.58 there."
    ),
    ("KC table 1", "NMSE", "ADAPT-DMAX on bank8fm"): (
        "two partitions more: 3.84, 3.78, 3.57, on the same splits as ADAPT-INFO."
    ),
    ("KC table 1", "NMSE", "ADAPT-DMAX on calhouse"): (
        "two partitions more: 22.6, 23.0, 22.5. With 15 evaluations in each iteration instead of "
        "five, partition 0 ends at 19.96, as the paper's 20.02; house8l and house16h are worse "
        'by it. The paper\'s adaptation is "short", without a number.'
    ),
    ("KC table 1", "NMSE", "ADAPT-DMAX on house8l"): (
        "two partitions more: 38.0, 39.0, 38.1. With 15 evaluations partition 0 ends at 41.1 from "
        "the start of more evidence and 38.5 from the other one."
    ),
    ("KC table 1", "NLPD", "ADAPT-DMAX on house8l"): (
        "15 evaluations instead of five, partition 0: 12.52 and 12.18 from the two starts."
    ),
    ("KC table 1", "NMSE", "ADAPT-DMAX on house16h"): (
        "two partitions more: 45.7, 46.3, 47.9. With 15 evaluations partition 0 ends at 47.6 from "
        "the start of more evidence and 45.8 from the other one."
    ),
    ("KC table 1", "NLPD", "ADAPT-DMAX on house16h"): (
        "15 evaluations instead of five, partition 0: 12.42 and 12.23 from the two starts."
    ),
}


def cells_by_table(results: Path) -> dict[tuple[str, str], list[Cell]]:
    """Return the cells of each table and measure."""
    found = {}
    for title, (experiment, part, published, runs) in TABLES.items():
        records = [
            r for r in where(read_records(results, experiment), **part) if r["set"] in published
        ]
        for measure, name in MEASURES.items():
            found[title, name] = all_cells(records, published, measure, runs)
    return found


def beyond_chance(results: Path) -> Iterator[tuple[str, str, str]]:
    """Yield table, measure and title of each cell that is worse by more than chance."""
    for (title, measure), cells in cells_by_table(results).items():
        for cell in cells:
            if cell.is_no_chance:
                yield title, measure, cell.title


def section_agreement(results: Path, _: Path) -> str:
    rows = []
    for (title, measure), cells in cells_by_table(results).items():
        counts = Counter(cell.mark for cell in cells)
        beyond = sum(cell.is_no_chance for cell in cells)
        several = sum(cell.ours.count > 1 for cell in cells)
        numbers = [len(cells), several, counts[AGREES], counts[BETTER], counts[WORSE], beyond]
        rows.append([title, measure, *map(str, numbers)])
    header = ["table", "measure", "cells", "of several partitions"]
    header += [f"agree {AGREES}", f"better {BETTER}", f"worse {WORSE}", "beyond two errors"]
    return "\n\n".join(
        [
            "## Agreement, cell by cell",
            "A cell agrees if our mean is within one published standard deviation of the paper's, "
            "on either side. Of those that are worse the last column counts the ones that differ "
            "by more than two standard errors of the difference of both means, which a single "
            "partition cannot tell. KC's NLPD contradicts that of SKS: see the page of KC. SS and "
            "CO have figures and no tables; their claims are on their pages.",
            markdown_table(header, rows),
            *_tried(results),
        ]
    )


def _tried(results: Path) -> list[str]:
    lines = [
        f"- {title}, {measure}, {cell}: {TRIED.get((title, measure, cell), 'nothing yet.')}"
        for title, measure, cell in beyond_chance(results)
    ]
    title = "Tried where ours is worse by more than chance, in single runs without records:"
    return [title, "\n".join(lines)] if lines else []


#: The section, for the page of methods.
AGREEMENT = (section_agreement,)
