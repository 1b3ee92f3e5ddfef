"""The page of peers: accuracy and seconds of other libraries on the same rows.

    python -m benchmarks.peers.page [--records FILE] [--pages FOLDER]

Reads ``benchmarks/results`` and writes ``benchmarks/peers.md`` and its images. For
experiments that have not run, the page names the command.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers.houseelectric import records_of_houseelectric
from benchmarks.peers.own_page import (
    section_footprint,
    section_prediction,
    section_profile,
    section_whole_fit,
)
from benchmarks.peers.plots import plot_races
from benchmarks.peers.registry import CLASSIFICATION, PEERS, REGRESSION
from benchmarks.peers.tables import figure, section_all, section_races
from benchmarks.reproduce.comparison import markdown_table
from benchmarks.reproduce.records import write_text

__all__ = ["RECORDS", "write_page"]

ROOT = Path(__file__).resolve().parents[2]
RECORDS = ROOT / "benchmarks" / "results" / "peers.json"
PAGES = ROOT / "benchmarks"

INTRODUCTION = """\
# Peers

Other libraries on the same rows of the same tables, on one machine, one run after another, each in
a process of its own with the same number of threads. Comparisons that we lose are shown.

- Sizes to train and to test as in the papers where they have the set (kin40k: 36,000 to train),
  else 90 % to train; splits are drawn by `numpy.random.default_rng(k)`. Peers get columns and
  targets of mean 0 and deviation 1; we and LightGBM get the table as it is.
- NMSE in percent; RMSE and NLPD of the target divided by its standard deviation; *covered* is the
  share of targets in 95 % intervals; error in percent, NLP the mean negative log probability of
  labels. Seconds of the fit begin after imports and reading, those of a prediction are for all test
  rows with standard deviations. Memory is the largest resident size of the process.
- *To reach*: the seconds of our quickest fit from scratch that is at or below the peer by NLPD and
  RMSE (for labels NLP). Fits follow two sequences, everything else at its default: basis sizes (50,
  100, 200, 500, 1,000, 1,500; for labels 20, 40, 80, 160, 320), and seconds that `time_limit`
  allows for up to 1,500 basis vectors (15 limits from 1 to 16; for labels 7 from 0.5 to 4, and 320
  basis vectors). Neither the seconds of the other fits count nor those of finding out which limit
  will do; fits vary, and the last column tells how many with a larger basis or a longer limit are
  as good. Of a peer with several starts the best figure of any counts, and the seconds of the one
  with the best density on the test rows.

Rerun it with `python -m benchmarks.peers` (`--help` tells how to choose sets and peers). It makes
an environment for each library, goes on where it was stopped and writes this page from
`benchmarks/results/peers.json`."""


def write_page(records_file: Path = RECORDS, folder: Path = PAGES) -> Path:
    """Write the page and its images; return its path."""
    records: list[dict[str, Any]] = (
        json.loads(records_file.read_text()) if records_file.exists() else []
    )
    whole = [record for record in records if record.get("rows") is None]
    results = records_file.parent
    parts = [
        INTRODUCTION,
        _machine(records_file, whole),
        section_races([*whole, *records_of_houseelectric(results)]),
        *_images(whole, folder / "images"),
        section_all(whole),
        _settings(records_file, whole),
        section_whole_fit(results),
        section_profile(results),
        section_prediction(results),
        section_footprint(results),
    ]
    file = folder / "peers.md"
    write_text(file, "\n\n".join(part for part in parts if part) + "\n")
    return file


def _images(records: Sequence[dict[str, Any]], folder: Path) -> list[str]:
    parts = []
    for kind, sets in (("regression", REGRESSION), ("classification", CLASSIFICATION)):
        present = {r["set"] for r in records if "failed" not in r and r["partition"] == 0}
        shown = [name for name in sets if name in present]
        if shown:
            plot_races(records, shown, folder / f"peers_{kind}.png")
            what = "NLPD" if kind == "regression" else "NLP"
            parts.append(f"![{what} against seconds](images/peers_{kind}.png)")
            parts.append(
                f"*{what} (lower is better) against the seconds of the fit. Lines: our sequences "
                "of basis sizes and of time limits. Triangles are further up than the panel shows.*"
            )
    return parts


def _machine(records_file: Path, records: Sequence[dict[str, Any]]) -> str:
    title = "## The machine"
    states = _states(records_file)
    if "machine" not in states or not records:
        return f"{title}\n\nNot run yet: `python -m benchmarks.peers`."
    machine = states["machine"]
    rates = sorted(rate for record in records for rate in record["gemm_gflops"])
    threads = sorted({record["threads"] for record in records})
    return (
        f"{title}\n\n{machine['processor']}, {machine['cores']} cores, {machine['memory_gb']} GB; "
        f"{' or '.join(map(str, threads))} threads a run. A product of matrices was timed "
        f"before and after every run: {figure(rates[0], 0)} to {figure(rates[-1], 0)} GFLOP/s, "
        f"median {figure(rates[len(rates) // 2], 0)}. "
        f"Every record has its own, and settings and versions."
    )


def _settings(records_file: Path, records: Sequence[dict[str, Any]]) -> str:
    states = _states(records_file)
    lines = []
    for peer in PEERS:
        kinds = [kind for kind in ("regression", "classification") if getattr(peer, kind)]
        versions = [r["versions"] for r in records if r["method"] == peer.name and "versions" in r]
        reason = states.get(peer.environment or "", {}).get("not_installed")
        note = f"not installed: {reason}" if reason else _versions(versions)
        said = "; ".join(part for part in (together(peer.runs), peer.how) if part)
        lines.append([peer.name, " and ".join(kinds), said, note])
    header = ["peer", "for", "settings", "versions"]
    return "## Settings and versions\n\n" + markdown_table(header, lines)


def together(runs: Sequence[Mapping[str, Any]]) -> str:
    """Return the settings of several runs in one line.

    >>> together([{"max_basis": 50, "rate": 0.1}, {"max_basis": 100, "rate": 0.1}])
    'max basis 50 or 100, rate 0.1'
    """
    values = {name: dict.fromkeys(str(run[name]) for run in runs) for name in runs[0]}
    return ", ".join(f"{n.replace('_', ' ')} {' or '.join(found)}" for n, found in values.items())


def _versions(found: Sequence[dict[str, str]]) -> str:
    last = found[-1] if found else {}
    return ", ".join(f"{name} {version}" for name, version in last.items())


def _states(records_file: Path) -> dict[str, Any]:
    file = records_file.with_name(f"{records_file.stem}_environments.json")
    return json.loads(file.read_text()) if file.exists() else {}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=Path, default=RECORDS)
    parser.add_argument("--pages", type=Path, default=PAGES)
    options = parser.parse_args(arguments)
    print(write_page(options.records, options.pages))


if __name__ == "__main__":
    main()
