"""The page ``benchmarks/streams.md`` from the records."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.reproduce.records import write_text
from benchmarks.streams.data import STREAMS
from benchmarks.streams.memory import MEMORY
from benchmarks.streams.rivals import CLASSIFIERS, OURS, REGRESSORS

__all__ = ["PAGE", "RECORDS", "page_text", "read_records", "write_page"]

BENCHMARKS = Path(__file__).parents[1]
RECORDS = BENCHMARKS / "results" / "streams.jsonl"
PAGE = BENCHMARKS / "streams.md"
IMAGES = BENCHMARKS / "images"

#: What the tables show beyond their figures; mind it when records change.
SHORTFALLS = """
In some tenths of a stream coverage lies outside 93 to 97 %: just after a change, where errors come
in bursts, and by chance (a tenth of co2 has 172 rows, whose coverage scatters by 1.7 %).
"""

SPEED = BENCHMARKS / "results" / "online_speed_single.json"
SPEED_INTRODUCTION = """## A row at a time

`python -m benchmarks.online_speed single`: `partial_fit` of one row of eight columns a call, in
process time: median and quartiles over batches of 200 rows, beside other work.

"""

MEMORY_INTRODUCTION = """## What is kept

`python -m benchmarks.streams.memory`: blocks of a thousand rows of a function that drifts. Bytes
are those of a pickle.

"""

Record = dict[str, Any]

INTRODUCTION = """# Streams

`python -m benchmarks.streams` (`--help` says how to choose streams, learners and lengths), then
`--page`, which writes this page from `results/streams.jsonl`. Each row is predicted, then learned.

- `sparsegp` is `OnlineGPRegressor()` or `OnlineGPClassifier()`: default options, the same for all
  streams, one row a call; predictions move towards the last target as far as that has paid.
  Where they are shown, `lags=1` adds the last target to the inputs, and `mean=last` predicts the
  change from it as well.
- The others are those of [river](https://riverml.xyz) 0.26 with default options, behind its
  `StandardScaler` where they need one; `persistence` is the last target or label.
- NLPD and coverage are those of the model's own predictive distribution. Regressors without one
  get that of their last errors, with the running scale and tails of ours: Student's t, or a normal
  distribution. `BayesianLinearRegression` has its own.
- Generated streams are those of `river.datasets.synth`: SEA changes its concept at each quarter,
  with a tenth of wrong labels; five of ten weights of the hyperplane move by 0.001 a row, and 5 %
  of the labels are wrong; LED swaps 3, 1 and 7 of its segments with other columns, at the
  quarters; Friedman has local, expanding, abrupt drift. Figures are means over the seeds that all
  learners have; their number is in the column *seeds*.
- *Covered* is the share of targets in 95 % intervals, and in brackets the lowest and the highest
  tenth of the stream after its first 500 rows.
- Columns that are constant at first and then move (`year`, `month`) make some learners of river
  diverge; the figures stand as they are.
- Rows a second count a prediction and a row learned, on one thread of a machine that other work
  shared: compare within a table only. Bytes are those of a model file (ours) or of a pickle.
"""


def read_records(path: Path = RECORDS) -> list[Record]:
    """Return the records of a file, the last one of each run."""
    if not path.exists():
        return []
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    runs = {(r["stream"], r["method"], r["seed"], r["n_rows"]): r for r in lines}
    return list(runs.values())


def write_page(folder: Path = BENCHMARKS) -> None:
    """Write the page and its plots."""
    from benchmarks.streams.plots import plot_stream

    records = read_records()
    for name in _streams(records):
        plot_stream(_compared(records, name), STREAMS[name], folder / "images" / _image(name))
    write_text(folder / PAGE.name, page_text(records))


def page_text(records: Sequence[Record]) -> str:
    """Return the page."""
    parts = [INTRODUCTION]
    for name in _streams(records):
        own, stream = _compared(records, name), STREAMS[name]
        length = own[0]["n_rows"]
        of = "" if length == stream.n_rows else f" of {stream.n_rows:,}"
        parts.append(f"\n## {stream.title[0].upper()}{stream.title[1:]}\n")
        parts.append(f"`{name}`, the first {length:,} rows{of}.\n")
        parts.append(_table(own, stream.is_labels))
        parts.append(f"\n![{stream.title}](images/{_image(name)})\n")
        parts.append(_longer(records, name))
    parts.append("\n## Best or not\n")
    parts.append(_summary(records))
    parts.append(SHORTFALLS)
    parts.append(_speed(json.loads(SPEED.read_text())))
    parts.append(_memory(read_states()))
    return "\n".join(parts)


def read_states() -> list[Record]:
    """Return what streams keep after how many rows."""
    return [json.loads(line) for line in MEMORY.read_text().splitlines()]


def _speed(records: Sequence[Record]) -> str:
    """Return a table of rows a second."""
    lines = ["| options | basis | rows/s | quartiles |", "|---|---|---|---|"]
    for r in records:
        low, middle, high = (
            f"{each:,.0f}" for each in sorted([*r["quartiles"], r["rows_a_second"]])
        )
        lines.append(f"| {r['options']} | {r['n_basis']} | {middle} | {low} to {high} |")
    return SPEED_INTRODUCTION + "\n".join(lines) + "\n"


def _memory(records: Sequence[Record]) -> str:
    """Return a table of what is kept."""
    lines = ["| options | basis | rows | state, bytes | process, MB |", "|---|---|---|---|---|"]
    for r in records:
        options = ", ".join(f"`{name}={value!r}`" for name, value in r["options"].items())
        kept = f"{r['bytes']:,} | {r['process_mb']:.0f}"
        lines.append(f"| {options or 'default'} | {r['max_basis']} | {r['rows']:,} | {kept} |")
    return MEMORY_INTRODUCTION + "\n".join(lines) + "\n"


def _image(name: str) -> str:
    return f"streams_{name}.png"


def _streams(records: Sequence[Record]) -> list[str]:
    return [name for name in STREAMS if _of(records, stream=name, method=OURS)]


def _compared(records: Sequence[Record], name: str) -> list[Record]:
    """Return the records of a stream with the length that most have, of seeds that all have."""
    own = _of(records, stream=name)
    lengths = [r["n_rows"] for r in own]
    common = max(set(lengths), key=lambda n: (lengths.count(n), n))
    own = [r for r in own if r["n_rows"] == common]
    methods = {r["method"] for r in own}
    seeds = [{r["seed"] for r in own if r["method"] == method} for method in methods]
    shared = set.intersection(*seeds)
    return [r for r in own if r["seed"] in shared]


def _longer(records: Sequence[Record], name: str) -> str:
    """Return a table of longer runs, if there are any."""
    length = _compared(records, name)[0]["n_rows"]
    own = [r for r in _of(records, stream=name) if r["n_rows"] > length]
    if not own:
        return ""
    longest = max(r["n_rows"] for r in own)
    table = _table(_of(own, n_rows=longest), STREAMS[name].is_labels)
    return f"The first {longest:,} rows:\n\n{table}"


def _of(records: Sequence[Record], **wanted: Any) -> list[Record]:
    return [r for r in records if all(r[key] == value for key, value in wanted.items())]


def _mean(records: Sequence[Record], key: str) -> float:
    return float(np.mean([r["first"][key] for r in records]))


def _table(records: Sequence[Record], is_labels: bool) -> str:
    first, second = ("accuracy", "nlp") if is_labels else ("rmse", "nlpd")
    heads = ["learner", "accuracy, %" if is_labels else "RMSE", second.upper()]
    heads += [] if is_labels else ["covered, %"]
    heads += ["rows/s", "kB", "seeds"]
    methods = [m for m in (CLASSIFIERS if is_labels else REGRESSORS) if _of(records, method=m)]
    best = {
        first: (max if is_labels else min)(_mean(_of(records, method=m), first) for m in methods),
        second: min(_mean(_of(records, method=m), second) for m in methods),
    }
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for method in methods:
        own = _of(records, method=method)
        cells = [method]
        for key, shown in ((first, _percent if is_labels else _short), (second, _three)):
            value = _mean(own, key)
            cells.append(f"**{shown(value)}**" if value == best[key] else shown(value))
        if not is_labels:
            cells.append(_coverage(own))
        cells += [f"{np.mean([r['rows_per_second'] for r in own]):,.0f}"]
        cells += [_kilobytes(own), str(len(own))]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _kilobytes(records: Sequence[Record]) -> str:
    sizes = [r["bytes"] for r in records]
    return f"{np.mean(sizes) / 1000.0:,.0f}" if all(sizes) else "no pickle"


def _coverage(records: Sequence[Record]) -> str:
    tenths = [tenth["coverage"] for r in records for tenth in r["after_warmup"]]
    whole = 100.0 * _mean(records, "coverage")
    return f"{whole:.1f} ({100.0 * min(tenths):.0f} to {100.0 * max(tenths):.0f})"


def _percent(value: float) -> str:
    return f"{100.0 * value:.2f}"


def _short(value: float) -> str:
    return f"{value:.4g}"


def _three(value: float) -> str:
    return f"{value:.3f}"


def _summary(records: Sequence[Record]) -> str:
    """Return how ours stands beside the best of the others, by density and by error."""
    lines = ["| stream | ours | by density | by error or accuracy |", "|---|---|---|---|"]
    for name in _streams(records):
        own, is_labels = _compared(records, name), STREAMS[name].is_labels
        for method in (m for m in (*REGRESSORS, *CLASSIFIERS[1:]) if m.startswith(OURS)):
            if not _of(own, method=method):
                continue
            if is_labels:
                cells = [_nats(own, method, "nlp")]
                cells.append(_standing(own, method, "accuracy", _points, max))
            else:
                cells = [_nats(own, method, "nlpd"), _standing(own, method, "rmse", _ratio)]
            lines.append(f"| {name} | {method} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _points(own: float, other: float) -> str:
    return f"{100.0 * (own - other):+.2f} %"


def _ratio(own: float, other: float) -> str:
    return f"{100.0 * (own / other - 1.0):+.1f} %"


def _nats(records: Sequence[Record], method: str, key: str) -> str:
    return _standing(records, method, key, lambda own, other: f"{own - other:+.3f} nats")


def _standing(
    records: Sequence[Record],
    method: str,
    key: str,
    difference: Callable[[float, float], str],
    best: Callable[..., Any] = min,
) -> str:
    """Return the figure of one of ours beside the best of the others."""
    names = {r["method"] for r in records if not r["method"].startswith(OURS)}
    others = {name: _mean(_of(records, method=name), key) for name in sorted(names)}
    if not others:
        return ""
    other = best(others, key=others.__getitem__)
    own = _mean(_of(records, method=method), key)
    return f"{difference(own, others[other])} beside {other}"
