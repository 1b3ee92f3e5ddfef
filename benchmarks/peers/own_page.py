"""Our own speed: a whole fit and its phases, predictions, imports."""

import json
from pathlib import Path
from typing import Any

from benchmarks.peers.tables import figure
from benchmarks.reproduce.comparison import markdown_table, phase_title

__all__ = ["section_footprint", "section_prediction", "section_profile", "section_whole_fit"]

PROFILE = """\
Written by `python -m benchmarks.profile_fit`. *Plain*: an RBF of standardised columns; *defaults*:
as a user gets it. *Floor*: the matrix products of a phase at the measured rate of a matrix
product, or the bytes it must read and write at the measured rate of a copy, whichever takes
longer; of a search that of the evaluations it has made. Phases without a floor try models out."""


WHOLE_FIT = """\
Written by `python -m benchmarks.large_fit`, and with `--plain`: kin40k, 36,000 rows to learn from,
4,000 to test on. The unit is K_xzᵀK_xz of the same size, the median of eight in the same process;
of several runs the median one is shown."""


def section_whole_fit(results: Path) -> str:
    """Return a whole fit in units of the one matrix product that it cannot do without."""
    title = "## A whole fit in matrix products"
    found = {
        name: _read(results / f"{file}.json")
        for name, file in (("defaults", "large_fit"), ("plain", "large_fit_plain"))
    }
    lines = [
        [
            name,
            figure(fit["max_basis"], 0),
            f"**{figure(fit['products'], 1)}**",
            ", ".join(figure(each, 1) for each in fit.get("products_of_runs", [])),
            figure(fit["seconds"], 1),
            figure(fit["rmse"], 3),
            figure(fit["nlpd"], 2),
            f"{figure(100 * fit['coverage'], 1)} %",
        ]
        for name, fit in found.items()
        if fit is not None
    ]
    if not lines:
        return f"{title}\n\nNot run yet: `python -m benchmarks.large_fit`."
    header = ["settings", "basis", "products", "of all runs", "seconds", "RMSE", "NLPD", "95 %"]
    return "\n\n".join((title, WHOLE_FIT, markdown_table(header, lines)))


def section_profile(results: Path) -> str:
    """Return phases of our own fit beside what they must cost at least."""
    title = "## Where our own fit spends its time"
    found = _read(results / "profile_fit.json")
    if found is None:
        return f"{title}\n\nNot run yet: `python -m benchmarks.profile_fit`."
    header = ["phase", "seconds", "share", "floor", "times the floor"]
    parts = [title, PROFILE + _busy(found)]
    for size in found["sizes"]:
        lines = [
            [
                phase_title(phase["phase"]),
                f"{phase['seconds']:.2f}",
                f"{100 * phase['share']:.0f} %",
                _optional(phase["floor"], 2),
                _optional(phase["ratio"], 1),
            ]
            for phase in size["phases"]
        ]
        parts += [_heading(size), markdown_table(header, lines)]
    return "\n\n".join(parts)


def _heading(size: dict[str, Any]) -> str:
    return (
        f"**{size['settings']}: {size['set']}, {size['n_rows']:,} rows of {size['n_columns']} "
        f"columns, "
        f"{size['n_basis']:,} basis vectors**: {size['seconds']:.1f} s, {size['products']:.1f} "
        f"times "
        f"one product K_xzᵀK_xz ({size['product_seconds']:.2f} s); {size['gemm_gflops']:.0f} "
        f"GFLOP/s, "
        f"{size['copy_gbytes']:.0f} GB/s, {size['threads']} threads."
    )


def section_prediction(results: Path) -> str:
    """Return how predictions compare with their matrix products."""
    title = "## Predictions"
    found = _read(results / "prediction_speed.json")
    if found is None:
        return f"{title}\n\nNot run yet: `python -m benchmarks.prediction_speed`."
    return (
        f"{title}\n\nWritten by `python -m benchmarks.prediction_speed`: {found['n_rows']:,} rows, "
        f"{found['n_columns']} columns, {found['n_basis']:,} basis vectors, {found['threads']} "
        f"threads. "
        f"With standard deviations {found['std_seconds']:.1f} s, {found['std_over_floor']:.2f} "
        f"times its "
        f"matrix products ({found['floor_seconds']:.1f} s); means alone "
        f"{found['mean_seconds']:.1f} s, "
        f"{found['std_over_mean']:.1f} times faster.{_busy(found)}"
    )


def section_footprint(results: Path) -> str:
    """Return seconds of an import and megabytes of an installation."""
    title = "## Import and installation"
    found = _read(results / "footprint.json")
    if found is None:
        return f"{title}\n\nNot run yet: `python -m benchmarks.footprint`."
    installed = found.get("installed_mb")
    size = (
        f"An installation without extras takes {installed:.0f} MB, and "
        f"{found['byte_code_mb']:.0f} MB "
        "of byte code that Python makes of it."
        if installed
        else ""
    )
    return (
        f"{title}\n\nWritten by `python -m benchmarks.footprint --install`. `import sparsegp` "
        f"takes "
        f"{found['beyond_sklearn']:.2f} s ({found['beyond_sklearn_cpu']:.2f} s of CPU) after "
        f"`import sklearn`, which takes {found['sklearn_seconds']:.2f} s. {size}{_busy(found)}"
    )


def _busy(found: dict[str, Any]) -> str:
    """Return a warning if others were at work on the machine."""
    share = found.get("busy_share", 0.0)
    return f" Others took {share:.0%} of the cores before it began." if share > 0.1 else ""


def _optional(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _read(file: Path) -> dict[str, Any] | None:
    return json.loads(file.read_text()) if file.exists() else None
